//! `ludex solve`: the cheapest way to what the game asks for now, or that there is none; a whole game's line;
//! and tables of what a game's cards are like.
mod cards;
mod game;
mod readme;
mod trials;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::common::{Common, Problem};
use super::setup::{SetupArgs, load_problem};
use super::{FAILED, out};
use crate::session::recording::Setup;
use crate::session::run::{Memory, Status};
use crate::session::{Content, Refusal, Session};
use crate::tabletop::Value;
use crate::view::clean_line;
use crate::view::decision::lines;

/// Find the cheapest way to what the game asks for now, or prove that there is none
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex solve rove-modules --seed 7                            answers that complete the first goal\n  ludex solve rove-modules --seed 7 --answer play-bar         the same once a card was played\n  ludex solve rove-modules --seed 7 --information all          with what lies hidden\n  ludex solve rove-modules --seed 7 --game                     the answers of a whole game, and what it leaves\n  ludex solve rove-modules --cards                             how far each card's mission is away, and games won\n  ludex solve rove-modules --cards=bar,kite                    of these cards only\n  ludex solve rove-modules --cards --write README              the same into the pack's README.md\nThe answers can be given to `ludex play` with the same seed. What is cheapest, the game's\nrules/solve.luau says."
)]
pub struct Args {
    /// The game's pack
    game: String,
    #[command(flatten)]
    common: Common,
    /// Start this scenario: ID or PACK:ID
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// Give this answer first (repeatable, in order)
    #[arg(long = "answer", value_name = "KEY")]
    answers: Vec<String>,
    /// Rest on what the player can know, or on everything
    #[arg(long, value_enum, default_value = "player")]
    information: Information,
    /// Play the whole game, as well as the search can; needs --seed
    #[arg(long = "game")]
    whole: bool,
    /// Measure the game's cards, or only those of these ids, and count the games that the solver wins
    #[arg(long, value_name = "ID", num_args = 0.., require_equals = true, value_delimiter = ',', conflicts_with_all = ["whole", "answers", "scenario"])]
    cards: Option<Vec<String>>,
    /// Write the tables of --cards into this file of the pack's folder, between its two comments
    #[arg(long, value_name = "README", requires = "cards")]
    write: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Information {
    Player,
    All,
}

impl Information {
    /// As `rules/solve.luau` is told.
    const fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::All => "all",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

/// A proof may take longer than a step of a game may; `--budget time=` says otherwise.
const TIME: Duration = Duration::from_secs(60);

pub fn run(args: &Args) -> ExitCode {
    match solve(args) {
        Ok(code) => code,
        Err(problem) => out::fail(problem.status, problem.message),
    }
}

fn solve(args: &Args) -> Result<ExitCode, Problem> {
    if args.whole && args.common.seed.is_none() {
        return Err(Problem::wrong_use(
            "--game needs --seed N: the line is that of one game; any number will do, such as --seed 7",
        ));
    }
    let (content, setup) = prepare(args)?;
    if let Some(chosen) = &args.cards {
        return cards::solve(args, chosen, &content, &setup);
    }
    let mut session = begin(args, &content, &setup)?;
    if args.whole {
        return game::solve(args, &setup, &mut session);
    }
    let prompt = prompt(&mut session);
    let information = args.information.name();
    let found = session
        .program()
        .solve("goal", information)
        .map_err(Problem::failed)?;
    let solution = Solution::read(&found).ok_or_else(|| {
        Problem::failed(
            "`goal` of rules/solve.luau must return { outcome = \"yes\", keys = {...}, cost = { { name =, count = } } }, or { outcome = \"no\" } or \"unknown\"",
        )
    })?;
    match args.format {
        Format::Text => out::print(&solution.text(&args.game, setup.seed, &prompt)),
        Format::Json => out::line(&solution.json(&args.game, setup.seed, information).to_string()),
    }
    Ok(if solution.outcome == "unknown" {
        FAILED.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// Content with the time that a proof takes, and the setup that the arguments give.
fn prepare(args: &Args) -> Result<(Content, Setup), Problem> {
    let places = &args.common.places;
    let mut budget = places.budget()?;
    if !places.budgets.iter().any(|limit| limit.starts_with("time=")) {
        budget.step_time = if args.cards.is_some() { cards::TIME } else { TIME };
    }
    let content = Content::new(places.sources()?, budget);
    let setup = SetupArgs {
        common: args.common.clone(),
        scenario: args.scenario.clone(),
        ..SetupArgs::default()
    };
    let (setup, _) = setup.setup(&content, args.game.clone(), args.scenario.clone())?;
    Ok((content, setup))
}

fn load_session(content: &Content, setup: &Setup) -> Result<Session, Problem> {
    let program = content.load(setup).map_err(load_problem)?;
    Ok(Session::new(program, Memory::All))
}

/// A session at the decision that follows the answers of `--answer`.
fn begin(args: &Args, content: &Content, setup: &Setup) -> Result<Session, Problem> {
    let mut session = load_session(content, setup)?;
    for key in &args.answers {
        answer(&mut session, key)
            .map_err(|refusal| Problem::wrong_use(format!("--answer {key}: {refusal}")))?;
    }
    match session.status() {
        Status::Decision => Ok(session),
        Status::Ended(result) => Err(Problem::failed(format!(
            "the game has ended ({}): there is nothing to solve",
            clean_line(result)
        ))),
        Status::Failed(error) => Err(Problem::failed(error)),
    }
}

/// Gives one answer, as whoever is asked.
fn answer(session: &mut Session, key: &String) -> Result<(), Refusal> {
    let seat = session.decision()?.seats.first().cloned().unwrap_or_default();
    session.answer(&seat, std::slice::from_ref(key))
}

fn prompt(session: &mut Session) -> String {
    session
        .decision()
        .map(|decision| decision.prompt.clone())
        .unwrap_or_default()
}

fn text_of(value: &Value) -> Option<String> {
    if let Value::Text(text) = value {
        Some(text.to_string())
    } else {
        None
    }
}

/// What a game's solver counts.
#[derive(Clone, Debug, PartialEq)]
struct Counted {
    name: String,
    count: f64,
}

impl Counted {
    /// A list of `{ name =, count = }`.
    fn list(value: Option<&Value>) -> Option<Vec<Self>> {
        let Some(value) = value else {
            return Some(Vec::new());
        };
        let Value::List(items) = value else { return None };
        items.iter().map(Self::read).collect()
    }

    fn read(value: &Value) -> Option<Self> {
        let Value::Map(map) = value else { return None };
        match (map.get("name").and_then(text_of), map.get("count")) {
            (Some(name), Some(Value::Number(count))) => Some(Self { name, count: *count }),
            _ => None,
        }
    }

    fn text(list: &[Self]) -> String {
        let list: Vec<String> = list
            .iter()
            .map(|counted| format!("{} {}", clean_line(&counted.name), counted.count))
            .collect();
        list.join(", ")
    }

    fn json(list: &[Self]) -> Json {
        let list = list
            .iter()
            .map(|counted| (counted.name.clone(), json!(counted.count)));
        Json::Object(list.collect())
    }
}

/// What a game's solver says.
struct Solution {
    outcome: String,
    keys: Vec<String>,
    cost: Vec<Counted>,
}

impl Solution {
    fn read(value: &Value) -> Option<Self> {
        let Value::Map(map) = value else { return None };
        let keys = match map.get("keys") {
            Some(Value::List(items)) => items.iter().map(text_of).collect::<Option<_>>()?,
            _ => Vec::new(),
        };
        let cost = Counted::list(map.get("cost"))?;
        let outcome = map
            .get("outcome")
            .and_then(text_of)
            .filter(|o| ["yes", "no", "unknown"].contains(&o.as_str()))?;
        Some(Self { outcome, keys, cost })
    }

    fn text(&self, game: &str, seed: u64, prompt: &str) -> String {
        let (first, rest) = lines(prompt);
        let picture = rest.replace('\n', "\n    ");
        let mut text = format!("{game}, seed {seed}: {first}{picture}\n");
        match self.outcome.as_str() {
            "yes" => {
                for key in &self.keys {
                    text += &format!("  {}\n", clean_line(key));
                }
                text += &format!("cheapest: {}\n", Counted::text(&self.cost));
            }
            "no" => text += "there is no way\n",
            _ => text += "not known: the search came to its limit\n",
        }
        text
    }

    fn json(&self, game: &str, seed: u64, information: &str) -> Json {
        json!({
            "game": game, "seed": seed, "information": information,
            "outcome": self.outcome, "keys": self.keys, "cost": Counted::json(&self.cost),
        })
    }
}
