//! One game of a simulation, on a VM that plays many.
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Plan;
use crate::pack::model::Catalogue;
use crate::players::{Bot, random};
use crate::script::vm::Kill;
use crate::session::recorded::{Recorded, StartError};
use crate::session::recording::Setup;
use crate::session::run::{Memory, Status};
use crate::session::{LoadError, Session};
use crate::tabletop::dice::Stream;
use crate::tabletop::{GAME, Tabletop, Value};

/// Decisions after which a game counts as endless.
const ENDLESS: usize = 100_000;

/// What a game came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    pub seed: u64,
    /// Empty where it failed.
    pub result: Arc<str>,
    pub decisions: usize,
    /// The values of the game's metrics, in order.
    pub metrics: Vec<f64>,
    pub error: Option<String>,
    /// A limit of time ended a step: another run may go otherwise.
    pub timed_out: bool,
    /// Where a replay parted from it.
    pub differs: Option<String>,
}

/// One answer and the state's hash after it.
pub struct Turn {
    answer: Vec<usize>,
    hash: u64,
}

/// A VM at which game after game is played.
pub struct Table {
    session: Session,
    start: String,
    seats: Vec<String>,
    /// By seat.
    bots: Vec<Bot>,
    /// Slots of the game's fields that are metrics.
    metrics: Vec<Option<u16>>,
    results: BTreeMap<Arc<str>, ()>,
}

impl Table {
    pub fn new(plan: &Plan, catalogue: &Arc<Catalogue>) -> Result<Self, LoadError> {
        let program = plan.content.program(catalogue, &plan.setup)?;
        let mut session = Session::over(program, Memory::Present);
        // Nobody asks why.
        session.program().world_mut().explaining = false;
        let declared = session.tabletop().declared().clone();
        let game = catalogue.game.as_ref();
        let seats: Vec<String> = declared.seats.iter().map(|seat| seat.to_string()).collect();
        let bots = seats
            .iter()
            .map(|seat| plan.bots.get(seat).copied().unwrap_or(Bot::Random))
            .collect();
        let metrics = game.map_or(&[][..], |game| &game.metrics);
        Ok(Self {
            session,
            start: game.map_or_else(String::new, |game| game.start.clone()),
            seats,
            bots,
            metrics: metrics.iter().map(|name| declared.kinds[0].slot(name)).collect(),
            results: BTreeMap::new(),
        })
    }

    fn begin(&mut self, seed: u64) {
        let mut tabletop = Tabletop::new(self.session.tabletop().declared().clone(), seed);
        tabletop.begin(&self.start);
        self.session.restart(tabletop);
    }

    /// Plays a game; its answers go to `course`. Gives nothing if it is stopped before the end.
    pub fn play(
        &mut self,
        seed: u64,
        mut course: Option<&mut Vec<Turn>>,
        stop: &AtomicBool,
    ) -> Option<Outcome> {
        self.begin(seed);
        let mut players = Players::new(seed, &self.seats, &self.bots);
        let mut outcome = Outcome {
            seed,
            ..Outcome::default()
        };
        let quick = self.bots.iter().all(|bot| *bot == Bot::Random);
        while let Status::Decision = self.session.status() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if outcome.decisions == ENDLESS {
                outcome.error = Some(format!("the game has not ended after {ENDLESS} decisions"));
                return Some(outcome);
            }
            let answer = match players.choose(&mut self.session, outcome.decisions) {
                Ok(answer) => answer,
                Err(error) => {
                    outcome.error = Some(error);
                    return Some(outcome);
                }
            };
            if quick {
                self.session.answer_quickly(&answer);
            } else if let Err(problem) = answer_in_full(&mut self.session, &self.seats, &answer) {
                outcome.error = Some(problem);
                return Some(outcome);
            }
            outcome.decisions += 1;
            if let Some(course) = &mut course {
                course.push(Turn {
                    answer,
                    hash: self.session.tabletop().hash(),
                });
            }
        }
        match self.session.status() {
            Status::Ended(result) => {
                if !self.results.contains_key(result) {
                    self.results.insert(result.clone(), ());
                }
                // One text for all games with this result.
                outcome.result = self
                    .results
                    .get_key_value(result)
                    .map_or_else(|| result.clone(), |(r, ())| r.clone());
            }
            Status::Failed(error) => {
                outcome.timed_out = error.kill == Some(Kill::Time);
                outcome.error = Some(error.to_string());
            }
            Status::Decision => {}
        }
        outcome.metrics = self.measure();
        Some(outcome)
    }

    fn measure(&self) -> Vec<f64> {
        let game = self.session.tabletop().unit(GAME);
        let value = |slot: &Option<u16>| match game.zip(*slot).map(|(game, slot)| &game.fields[slot as usize])
        {
            Some(Value::Number(number)) => *number,
            Some(Value::Bool(flag)) => f64::from(u8::from(*flag)),
            Some(Value::List(items)) => items.len() as f64,
            _ => 0.0,
        };
        self.metrics.iter().map(value).collect()
    }

    /// Gives the answers of a course once more.
    ///
    /// # Errors
    /// The first answer after which the state isn't the same.
    pub fn verify(&mut self, seed: u64, course: &[Turn]) -> Result<(), String> {
        self.begin(seed);
        for (number, turn) in course.iter().enumerate() {
            let at = number + 1;
            if let Status::Failed(error) = self.session.status() {
                return Err(format!("answer {at}: the step before it fails: {error}"));
            }
            if !matches!(self.session.status(), Status::Decision) {
                return Err(format!("no decision is open for answer {at}"));
            }
            let offered = self.session.option_count();
            if turn.answer.iter().any(|option| *option > offered) {
                return Err(format!("answer {at}: option {:?} isn't offered", turn.answer));
            }
            self.session.answer_quickly(&turn.answer);
            if self.session.tabletop().hash() != turn.hash {
                return Err(format!("answer {at}: the state differs after it"));
            }
        }
        Ok(())
    }
}

/// The bots of a game.
struct Players<'a> {
    seats: &'a [String],
    bots: &'a [Bot],
    chance: Vec<Stream>,
}

impl<'a> Players<'a> {
    fn new(seed: u64, seats: &'a [String], bots: &'a [Bot]) -> Self {
        Self {
            seats,
            bots,
            chance: seats.iter().map(|seat| random::stream(seed, seat)).collect(),
        }
    }

    fn choose(&mut self, session: &mut Session, answers: usize) -> Result<Vec<usize>, String> {
        let seat = session.first_asked();
        let Some(bot) = self.bots.get(seat) else {
            return Err("a decision asks nobody: the game has no seats".into());
        };
        if *bot == Bot::Random {
            let chance = &mut self.chance[seat];
            random::seek(chance, answers);
            return Ok(random::pick(chance, session.bounds()));
        }
        let decision = session.decision().map_err(|refusal| refusal.message)?;
        bot.choose(session, &decision, &self.seats[seat], answers)
            .map_err(|error| error.to_string())
    }
}

/// Answers with keys and tape, which look-ahead needs.
fn answer_in_full(session: &mut Session, seats: &[String], answer: &[usize]) -> Result<(), String> {
    let (seat, keys) = keys(session, seats, answer)?;
    session
        .answer(&seat, &keys)
        .map_err(|refusal| refusal.to_string())
}

fn keys(session: &mut Session, seats: &[String], answer: &[usize]) -> Result<(String, Vec<String>), String> {
    let asked = seats.get(session.first_asked()).cloned().unwrap_or_default();
    let decision = session.decision().map_err(|refusal| refusal.message)?;
    let options: Vec<_> = answer
        .iter()
        .map(|number| &decision.options[number - 1])
        .collect();
    let seat = options
        .first()
        .and_then(|option| option.seat.clone())
        .unwrap_or(asked);
    Ok((
        seat,
        options.into_iter().map(|option| option.key.clone()).collect(),
    ))
}

/// Plays a game of a simulation once more into a file, to its end or to the error that it ran into.
pub fn record(plan: &Plan, seed: u64, path: &Path) -> Result<(), StartError> {
    let setup = Setup {
        seed,
        ..plan.setup.clone()
    };
    let mut table = Recorded::start(plan.content.clone(), setup, Some(path))?;
    table.hasten();
    let seats: Vec<String> = table
        .session()
        .tabletop()
        .declared()
        .seats
        .iter()
        .map(|s| s.to_string())
        .collect();
    let bots: Vec<Bot> = seats
        .iter()
        .map(|seat| plan.bots.get(seat).copied().unwrap_or(Bot::Random))
        .collect();
    let mut players = Players::new(seed, &seats, &bots);
    for answers in 0..ENDLESS {
        if !matches!(table.status(), Status::Decision) {
            break;
        }
        let Ok(answer) = players.choose(table.session(), answers) else {
            break;
        };
        let Ok((seat, keys)) = keys(table.session(), &seats, &answer) else {
            break;
        };
        match table.answer(&seat, &keys) {
            Ok(()) => {}
            Err(crate::session::Fault::Recording(error)) => return Err(StartError::Recording(error)),
            Err(crate::session::Fault::Refused(_)) => break,
        }
    }
    Ok(())
}
