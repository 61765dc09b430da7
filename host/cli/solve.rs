//! `ludex solve`: the cheapest way to what the game asks for now, or that there is none.
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::common::{Common, Problem};
use super::setup::{SetupArgs, load_problem};
use super::{FAILED, out};
use crate::session::run::{Memory, Status};
use crate::session::{Content, Session};
use crate::tabletop::Value;
use crate::view::clean_line;
use crate::view::decision::lines;

/// Find the cheapest way to what the game asks for now, or prove that there is none
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex solve rove-modules --seed 7                            answers that complete the first goal\n  ludex solve rove-modules --seed 7 --answer play-bar         the same once a card was played\n  ludex solve rove-modules --seed 7 --information all          with what lies hidden\nThe answers can be given to `ludex play` with the same seed. What is cheapest, the game's\nrules/solve.luau says."
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
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Information {
    Player,
    All,
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
    let places = &args.common.places;
    let mut budget = places.budget()?;
    if !places.budgets.iter().any(|limit| limit.starts_with("time=")) {
        budget.step_time = TIME;
    }
    let content = Content::new(places.sources()?, budget);
    let setup = SetupArgs {
        common: args.common.clone(),
        scenario: args.scenario.clone(),
        ..SetupArgs::default()
    };
    let (setup, _) = setup.setup(&content, args.game.clone(), args.scenario.clone())?;
    let program = content.load(&setup).map_err(load_problem)?;
    let mut session = Session::new(program, Memory::All);
    for key in &args.answers {
        let seat = session
            .decision()
            .map(|decision| decision.seats.first().cloned().unwrap_or_default());
        let answered = seat.and_then(|seat| session.answer(&seat, std::slice::from_ref(key)));
        answered.map_err(|refusal| Problem::wrong_use(format!("--answer {key}: {refusal}")))?;
    }
    match session.status() {
        Status::Decision => {}
        Status::Ended(result) => {
            return Err(Problem::failed(format!(
                "the game has ended ({}): there is nothing to solve",
                clean_line(result)
            )));
        }
        Status::Failed(error) => return Err(Problem::failed(error)),
    }
    let prompt = session
        .decision()
        .map(|decision| decision.prompt.clone())
        .unwrap_or_default();
    let information = if args.information == Information::All {
        "all"
    } else {
        "player"
    };
    let found = session.program().solve(information).map_err(Problem::failed)?;
    let solution = Solution::read(&found).ok_or_else(|| {
        Problem::failed(
            "rules/solve.luau must return { outcome = \"yes\", keys = {...}, cost = { { name =, count = } } }, or { outcome = \"no\" } or \"unknown\"",
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

/// What a game's solver says.
struct Solution {
    outcome: String,
    keys: Vec<String>,
    cost: Vec<(String, f64)>,
}

impl Solution {
    fn read(value: &Value) -> Option<Self> {
        let Value::Map(map) = value else { return None };
        let text = |value: &Value| {
            if let Value::Text(text) = value {
                Some(text.to_string())
            } else {
                None
            }
        };
        let list = |name: &str| match map.get(name) {
            Some(Value::List(items)) => items.to_vec(),
            _ => Vec::new(),
        };
        let cost = list("cost")
            .iter()
            .map(|kind| match kind {
                Value::Map(kind) => match (kind.get("name").and_then(text), kind.get("count")) {
                    (Some(name), Some(Value::Number(count))) => Some((name, *count)),
                    _ => None,
                },
                _ => None,
            })
            .collect::<Option<_>>()?;
        let keys = list("keys").iter().map(text).collect::<Option<_>>()?;
        let outcome = map
            .get("outcome")
            .and_then(text)
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
                let cost: Vec<String> = self
                    .cost
                    .iter()
                    .map(|(name, count)| format!("{} {count}", clean_line(name)))
                    .collect();
                text += &format!("cheapest: {}\n", cost.join(", "));
            }
            "no" => text += "there is no way\n",
            _ => text += "not known: the search came to its limit\n",
        }
        text
    }

    fn json(&self, game: &str, seed: u64, information: &str) -> Json {
        let cost: serde_json::Map<String, Json> = self
            .cost
            .iter()
            .map(|(name, count)| (name.clone(), json!(count)))
            .collect();
        json!({
            "game": game, "seed": seed, "information": information,
            "outcome": self.outcome, "keys": self.keys, "cost": cost,
        })
    }
}
