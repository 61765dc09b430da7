//! How often a game's solver comes to a result, for each value of an option.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::cards::TIME;
use super::game;
use super::{load_session, text_of};
use crate::cli::common::Problem;
use crate::cli::progress::StatusLine;
use crate::pack::kept;
use crate::pack::model::Catalogue;
use crate::session::options;
use crate::session::recording::Setup;
use crate::session::{Content, Session};
use crate::tabletop::Value;
use crate::view::clean_line;

/// Games with one value of the option.
pub struct Rate {
    pub option: String,
    pub value: String,
    pub result: String,
    pub games: u64,
    pub count: u64,
}

/// What a game may come to, as it is kept.
const OPEN: u8 = 0;
const OTHER: u8 = 1;
const COUNTED: u8 = 2;

/// Plays the games that the solver asks for: option, number of games, and the result that counts.
pub fn rates(
    content: &Content,
    setup: &Setup,
    catalogue: &Arc<Catalogue>,
    progress: &mut StatusLine,
) -> Result<Vec<Rate>, Problem> {
    let mut session = load_session(content, setup)?;
    if !session.program().can_solve("trials") {
        return Ok(Vec::new());
    }
    let trials = session.program().solve("trials", "").map_err(Problem::failed)?;
    drop(session);
    let wrong = "`trials` of rules/solve.luau must return { option =, games =, result = }, and game.toml list the option's values";
    let asked = read(&trials).ok_or_else(|| Problem::failed(wrong))?;
    let (option, games, result) = asked;
    let game = catalogue.game.as_ref();
    let declared = game.and_then(|game| game.options.iter().find(|declared| declared.name == option));
    let values = declared
        .map(|declared| declared.values.clone())
        .unwrap_or_default();
    if values.is_empty() {
        return Err(Problem::failed(wrong));
    }
    let mut rates = Vec::new();
    for value in values {
        let shown = options::show(&value);
        let mut setup = setup.clone();
        setup.options.insert(option.clone(), value);
        let counted = play(content, &setup, catalogue, games, &result, |done| {
            progress.tell(&format!("{option} {shown}: game {done} of {games}"));
        })?;
        rates.push(Rate {
            option: option.clone(),
            value: shown,
            result: result.clone(),
            games,
            count: counted.iter().filter(|&&game| game == COUNTED).count() as u64,
        });
    }
    Ok(rates)
}

fn read(value: &Value) -> Option<(String, u64, String)> {
    let Value::Map(map) = value else { return None };
    let Some(Value::Number(games)) = map.get("games") else {
        return None;
    };
    let games = (*games >= 1.0 && *games <= 100_000.0).then_some(*games as u64)?;
    Some((text_of(map.get("option")?)?, games, text_of(map.get("result")?)?))
}

/// What the games depend on.
fn description(setup: &Setup, catalogue: &Catalogue, games: u64, result: &str) -> String {
    let mut text = format!(
        "trials {} {games} {result} {:?}\n",
        env!("CARGO_PKG_VERSION"),
        setup.options
    );
    for script in catalogue.scripts.values() {
        text += &format!("{} {:032x}\n", script.chunk, kept::key(&script.source));
    }
    text + &super::cards::from(catalogue)
}

/// The games' outcomes by seed, from 1 on. Each one is kept as it ends, so that who stops can go on.
fn play(
    content: &Content,
    setup: &Setup,
    catalogue: &Arc<Catalogue>,
    games: u64,
    result: &str,
    mut told: impl FnMut(u64),
) -> Result<Vec<u8>, Problem> {
    let key = kept::key(&description(setup, catalogue, games, result));
    let known = kept::read(key).filter(|known| known.len() as u64 == games);
    let outcomes = Mutex::new(known.unwrap_or_else(|| vec![OPEN; games as usize]));
    let next = AtomicU64::new(1);
    let failed: Mutex<Option<Problem>> = Mutex::new(None);
    let threads = thread::available_parallelism()
        .map_or(1, usize::from)
        .min(games as usize);
    thread::scope(|scope| {
        let (sender, done) = std::sync::mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            let (outcomes, next, failed) = (&outcomes, &next, &failed);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > games || failed.lock().is_ok_and(|failed| failed.is_some()) {
                        return;
                    }
                    let at = (seed - 1) as usize;
                    if outcomes.lock().is_ok_and(|outcomes| outcomes[at] != OPEN) {
                        continue;
                    }
                    let setup = Setup {
                        seed,
                        ..setup.clone()
                    };
                    match one(content, &setup, result) {
                        Ok(outcome) => {
                            if let Ok(mut outcomes) = outcomes.lock() {
                                outcomes[at] = outcome;
                                kept::write(key, &outcomes);
                            }
                        }
                        Err(mut problem) => {
                            // What `ludex solve --game` needs to meet it again.
                            let options = setup.options.iter().map(|(name, value)| {
                                format!("{}={}", clean_line(name), options::show(value))
                            });
                            let options = options.collect::<Vec<_>>().join(" ");
                            problem.message = format!("seed {seed}, {options}: {}", problem.message);
                            if let Ok(mut failed) = failed.lock() {
                                *failed = Some(problem);
                            }
                        }
                    }
                    _ = sender.send(());
                }
            });
        }
        drop(sender);
        for (count, ()) in (1..).zip(done) {
            told(count);
        }
    });
    match failed.into_inner() {
        Ok(Some(problem)) => Err(problem),
        _ => outcomes.into_inner().map_err(Problem::failed),
    }
}

fn one(content: &Content, setup: &Setup, result: &str) -> Result<u8, Problem> {
    let mut content = content.clone();
    content.budget.step_time = TIME;
    let mut session: Session = load_session(&content, setup)?;
    let line = game::play(&mut session, "player", |_| ())?;
    let counts = line.result.as_deref() == Some(result);
    Ok(if counts { COUNTED } else { OTHER })
}
