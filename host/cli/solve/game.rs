//! `ludex solve GAME --seed N --game`: the line of a whole game.
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Args, Counted, Format, Solution, answer, prompt, text_of};
use crate::cli::common::Problem;
use crate::cli::{FAILED, out};
use crate::session::Session;
use crate::session::recording::Setup;
use crate::session::run::Status;
use crate::tabletop::Value;
use crate::view::clean_line;

/// Answers after which a game counts as endless.
const ENDLESS: usize = 10_000;

/// Answers that were given in one go, and what was asked when they began.
struct Part {
    prompt: String,
    keys: Vec<String>,
}

/// A game as far as it was played.
pub struct Line {
    parts: Vec<Part>,
    /// `None` if the search came to its limit before the end.
    pub result: Option<Arc<str>>,
    /// What the game's solver says is left.
    left: Vec<Counted>,
}

/// What no line of play can surpass.
struct Most {
    count: f64,
    why: String,
}

pub fn solve(args: &Args, setup: &Setup, session: &mut Session) -> Result<ExitCode, Problem> {
    let information = args.information.name();
    let most = most(session, information)?;
    let mut told = Progress::default();
    let line = play(session, information, |prompt| told.tell(prompt))?;
    told.clear();
    match args.format {
        Format::Text => out::print(&line.text(&args.game, setup.seed, most.as_ref())),
        Format::Json => {
            let json = line.json(&args.game, setup.seed, information, most.as_ref());
            out::line(&json.to_string());
        }
    }
    Ok(if line.result.is_some() {
        ExitCode::SUCCESS
    } else {
        FAILED.into()
    })
}

/// Plays to the end; tells what is asked before each part.
pub fn play(session: &mut Session, information: &str, mut told: impl FnMut(&str)) -> Result<Line, Problem> {
    let mut parts = Vec::new();
    let mut count = 0;
    let result = loop {
        match session.status() {
            Status::Decision => {}
            Status::Ended(result) => break Some(result.clone()),
            Status::Failed(error) => return Err(Problem::failed(error)),
        }
        let prompt = prompt(session);
        told(&prompt);
        let found = session
            .program()
            .solve("advance", information)
            .map_err(Problem::failed)?;
        let found = Solution::read(&found).filter(|found| found.outcome != "yes" || !found.keys.is_empty());
        let found = found.ok_or_else(|| {
            Problem::failed(
                "`advance` of rules/solve.luau must return { outcome = \"yes\", keys = {...} } with the next answers, or { outcome = \"no\" } or \"unknown\"",
            )
        })?;
        if found.outcome != "yes" {
            break None;
        }
        for key in &found.keys {
            answer(session, key).map_err(|refusal| {
                Problem::failed(format!(
                    "the game refuses `{}`, which its solver gives: {refusal}",
                    clean_line(key)
                ))
            })?;
        }
        count += found.keys.len();
        if count > ENDLESS {
            return Err(Problem::failed(format!(
                "the game has not ended after {count} answers"
            )));
        }
        parts.push(Part {
            prompt,
            keys: found.keys,
        });
    };
    let left = if session.program().can_solve("left") {
        let left = session.program().solve("left", "").map_err(Problem::failed)?;
        Counted::list(Some(&left)).ok_or_else(|| {
            Problem::failed("`left` of rules/solve.luau must return a list of { name =, count = }")
        })?
    } else {
        Vec::new()
    };
    Ok(Line { parts, result, left })
}

/// What no line can surpass, if the game's solver knows.
fn most(session: &mut Session, information: &str) -> Result<Option<Most>, Problem> {
    if !session.program().can_solve("most") {
        return Ok(None);
    }
    let most = session
        .program()
        .solve("most", information)
        .map_err(Problem::failed)?;
    let read = |most: &Value| {
        let Value::Map(map) = most else { return None };
        match (map.get("count"), map.get("why").and_then(text_of)) {
            (Some(Value::Number(count)), Some(why)) => Some(Most { count: *count, why }),
            _ => None,
        }
    };
    let read = read(&most);
    let wrong = "`most` of rules/solve.luau must return { count =, why = } for the sum of what `left` counts";
    read.map(Some).ok_or_else(|| Problem::failed(wrong))
}

impl Line {
    fn sum(&self) -> f64 {
        self.left.iter().map(|counted| counted.count).sum()
    }

    /// Whether nothing better can be done, and why that is known or isn't.
    fn proof(&self, most: Option<&Most>) -> (bool, String) {
        let told = |count: f64, why: &str| format!("{} of {count} at most; {}", self.sum(), clean_line(why));
        match most {
            _ if self.result.is_none() => (false, "the search came to its limit".into()),
            _ if self.parts.is_empty() => (true, "there was nothing to choose".into()),
            Some(most) => (self.sum() >= most.count, told(most.count, &most.why)),
            None => (false, "the game's rules/solve.luau tells no bound".into()),
        }
    }

    fn text(&self, game: &str, seed: u64, most: Option<&Most>) -> String {
        let mut text = format!("{game}, seed {seed}, a whole game\n");
        for part in &self.parts {
            let title = part.prompt.lines().next().unwrap_or_default();
            text += &format!("{}\n", clean_line(title));
            for key in &part.keys {
                text += &format!("  {}\n", clean_line(key));
            }
        }
        let result = self.result.as_deref().unwrap_or("not ended");
        text += &format!("result: {}\n", clean_line(result));
        if !self.left.is_empty() {
            text += &format!("left: {}\n", Counted::text(&self.left));
        }
        let (proven, why) = self.proof(most);
        text + &format!(
            "{}: {why}\n",
            if proven { "proven best" } else { "not proven best" }
        )
    }

    fn json(&self, game: &str, seed: u64, information: &str, most: Option<&Most>) -> Json {
        let (proven, why) = self.proof(most);
        let keys: Vec<&String> = self.parts.iter().flat_map(|part| &part.keys).collect();
        json!({
            "game": game, "seed": seed, "information": information, "result": self.result.as_deref(),
            "keys": keys, "left": Counted::json(&self.left), "proven": proven, "why": why,
        })
    }
}

/// One line on stderr that says how far it is, where a person looks at it.
#[derive(Default)]
pub struct Progress {
    width: usize,
}

impl Progress {
    pub fn tell(&mut self, text: &str) {
        let mut err = std::io::stderr().lock();
        if !err.is_terminal() {
            return;
        }
        let line: String = clean_line(text.lines().next().unwrap_or_default())
            .chars()
            .take(70)
            .collect();
        // Nowhere is left to report that stderr is closed.
        _ = write!(err, "\r{line:width$}", width = self.width);
        _ = err.flush();
        self.width = line.chars().count();
    }

    pub fn clear(&mut self) {
        if self.width > 0 {
            let mut err = std::io::stderr().lock();
            _ = write!(err, "\r{:width$}\r", "", width = self.width);
            _ = err.flush();
            self.width = 0;
        }
    }
}
