//! Options that several commands share.
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use super::{FAILED, WRONG_USE};
use crate::pack::{Sources, installed, names, report, tidy};
use crate::script::vm::Budget;
use crate::session::Content;

/// Where packs are looked for, and what scripts may use.
#[derive(Args, Clone, Debug, Default)]
pub struct Places {
    /// Read scripts, content and schema in this folder
    #[arg(long, value_name = "DIR", value_parser = typed())]
    pub root: Option<PathBuf>,
    /// Add the folder of a pack (repeatable)
    #[arg(long = "pack", value_name = "DIR", value_parser = typed())]
    pub packs: Vec<PathBuf>,
    /// Raise a limit: time=5s, memory=128MiB, safepoints=1000000000, text=4MiB
    #[arg(long = "budget", value_name = "NAME=VALUE")]
    pub budgets: Vec<String>,
}

/// What makes a session, besides its game.
#[derive(Args, Clone, Debug, Default)]
pub struct Common {
    #[command(flatten)]
    pub places: Places,
    /// Make a further pack active (repeatable; where two set one thing the later wins)
    #[arg(long = "with", value_name = "ID")]
    pub with: Vec<String>,
    /// The number that all chance comes from
    #[arg(long, value_name = "N", value_parser = seed, allow_hyphen_values = true)]
    pub seed: Option<u64>,
    /// Set an option of the game, or preset=NAME
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// A path of the command line, tidied.
pub fn typed() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(tidy)
}

fn seed(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

/// A message and the exit status that goes with it.
#[derive(Debug)]
pub struct Problem {
    pub status: u8,
    pub message: String,
}

impl Problem {
    pub fn failed(message: impl ToString) -> Self {
        Self {
            status: FAILED,
            message: message.to_string(),
        }
    }

    pub fn wrong_use(message: impl ToString) -> Self {
        Self {
            status: WRONG_USE,
            message: message.to_string(),
        }
    }
}

impl Places {
    /// The folders to read from.
    pub fn sources(&self) -> Result<Sources, Problem> {
        Sources::find(self.root.as_deref(), &[])
            .map_err(|problem| Problem::wrong_use(report::text(&[*problem]).trim_end()))
    }

    /// As [`Places::sources`], with the packs that were named one by one.
    pub fn all_sources(&self) -> Result<Sources, Problem> {
        Ok(self
            .folders()?
            .into_iter()
            .fold(self.sources()?, Sources::with_pack))
    }

    /// The folders of `--pack`, made absolute so that a recording finds them from anywhere.
    pub fn folders(&self) -> Result<Vec<PathBuf>, Problem> {
        let absolute = |path: &PathBuf| {
            if !path.is_dir() {
                let message = format!("--pack {}: {}", path.display(), self.no_folder(path));
                return Err(Problem::wrong_use(message));
            }
            std::path::absolute(path)
                .map(tidy)
                .map_err(|error| Problem::wrong_use(format!("--pack {}: {error}", path.display())))
        };
        self.packs.iter().map(absolute).collect()
    }

    /// What is wrong with a `--pack` that names no folder, and what to do.
    fn no_folder(&self, path: &Path) -> String {
        let id = path.to_string_lossy();
        if path.is_file() {
            return "this is a file; name the folder that holds pack.toml".into();
        }
        if !names::is_id(&id) {
            return "there is no such folder; name the folder that holds pack.toml".into();
        }
        let sources = Sources::find(self.root.as_deref(), &[]);
        if sources.is_ok_and(|sources| installed(&sources).packs.contains_key(&*id)) {
            return format!(
                "there is no such folder; the pack `{id}` is found without --pack: leave it out, or make the pack active by --with {id}"
            );
        }
        format!(
            "there is no such folder here; name the folder that holds pack.toml by its path, such as --pack path/to/{id}"
        )
    }

    pub fn content(&self) -> Result<Content, Problem> {
        // A folder that was named wrongly is told before what is missing beside it.
        self.folders()?;
        Ok(Content::new(self.sources()?, self.budget()?))
    }

    /// The default budget with the limits of `--budget`.
    pub fn budget(&self) -> Result<Budget, Problem> {
        let mut budget = Budget::default();
        for text in &self.budgets {
            set_budget(&mut budget, text).map_err(Problem::wrong_use)?;
        }
        Ok(budget)
    }
}

const LIMITS: [&str; 4] = ["memory", "safepoints", "text", "time"];

fn set_budget(budget: &mut Budget, text: &str) -> Result<(), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(format!(
            "`--budget {text}`: write NAME=VALUE, such as --budget time=5s"
        ));
    };
    let wrong = |expected: &str| format!("`--budget {text}`: {name} is {expected}");
    // Nobody is to guess whether a bare number is seconds or milliseconds, bytes or MiB.
    let time = "a number with a unit, s or ms, such as 5s or 500ms";
    let size = "a whole number with a unit, B, KiB, MiB or GiB, such as 128MiB";
    match name {
        "time" => budget.step_time = duration(value).ok_or_else(|| wrong(time))?,
        "memory" => budget.memory = bytes(value).ok_or_else(|| wrong(size))?,
        "text" => budget.text = bytes(value).ok_or_else(|| wrong(size))?,
        "safepoints" => {
            let count = value.replace('_', "").parse().ok().filter(|count| *count > 0);
            budget.safepoints = count.ok_or_else(|| wrong("a whole number above 0"))?;
        }
        _ => {
            let help = names::did_you_mean(name, LIMITS).unwrap_or_default();
            return Err(format!("`--budget {text}`: there is no limit `{name}`; {help}"));
        }
    }
    Ok(())
}

fn duration(text: &str) -> Option<Duration> {
    let (number, unit) = split_unit(text);
    let seconds = match unit {
        "s" => number.parse::<f64>().ok()?,
        "ms" => number.parse::<f64>().ok()? / 1000.0,
        _ => return None,
    };
    (seconds > 0.0 && seconds < 1e6).then(|| Duration::from_secs_f64(seconds))
}

fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = split_unit(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return None,
    };
    number
        .parse::<usize>()
        .ok()
        .filter(|n| *n > 0)?
        .checked_mul(1 << shift)
}

fn split_unit(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    (text[..at].trim(), text[at..].trim())
}

/// A seed for a game that nobody gave one: short enough to be typed again.
pub fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library's per-process keys are the only entropy at hand without a dependency.
    std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish()
        % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_and_faults_told() {
        let mut budget = Budget::default();
        for text in ["time=500ms", "memory=128MiB", "safepoints=1_000", "text=2k"] {
            set_budget(&mut budget, text).unwrap();
        }
        assert_eq!(
            budget,
            Budget {
                step_time: Duration::from_millis(500),
                safepoints: 1000,
                memory: 128 << 20,
                text: 2048
            }
        );
        let told = |text| set_budget(&mut Budget::default(), text).unwrap_err();
        assert_eq!(
            told("time=long"),
            "`--budget time=long`: time is a number with a unit, s or ms, such as 5s or 500ms"
        );
        assert_eq!(told("time=3"), told("time=long").replace("long", "3"));
        let size = "a whole number with a unit, B, KiB, MiB or GiB, such as 128MiB";
        assert_eq!(
            told("memory=128"),
            format!("`--budget memory=128`: memory is {size}")
        );
        assert_eq!(told("text=2"), format!("`--budget text=2`: text is {size}"));
        assert_eq!(
            told("memoy=1"),
            "`--budget memoy=1`: there is no limit `memoy`; did you mean `memory`?"
        );
        assert_eq!(
            told("time"),
            "`--budget time`: write NAME=VALUE, such as --budget time=5s"
        );
    }
}
