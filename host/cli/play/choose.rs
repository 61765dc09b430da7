//! Which game: the one that was named, or one of a numbered list.
use std::io::{self, BufRead, IsTerminal};

use crate::cli::common::Problem;
use crate::cli::out;
use crate::pack::folder::Folder;
use crate::pack::names::nearest;
use crate::pack::{Installed, Origin, Sources, installed, report, resolve};
use crate::view::{Style, clean_line};

/// What can be played: a game, or a scenario of one.
pub struct Playable {
    pub game: String,
    pub scenario: Option<String>,
    title: String,
    /// What the game is about; may be empty.
    summary: String,
}

/// Every game, each followed by its scenarios.
pub fn playable(all: &Installed) -> Vec<Playable> {
    let mut list = Vec::new();
    for (id, pack) in &all.packs {
        if !pack.folder.has("game.toml") {
            continue;
        }
        let title = clean_line(&pack.manifest.title);
        list.push(Playable {
            game: id.clone(),
            scenario: None,
            title,
            summary: summary(&pack.folder, id),
        });
        for (other, folder) in &all.packs {
            if other != id && !folder.manifest.depends.contains_key(id) {
                continue;
            }
            for scenario in resolve::scenario_ids(&folder.folder) {
                let full = if other == id {
                    scenario
                } else {
                    format!("{other}:{scenario}")
                };
                list.push(Playable {
                    game: id.clone(),
                    title: full.clone(),
                    summary: String::new(),
                    scenario: Some(full),
                });
            }
        }
    }
    list
}

/// The game's own word on itself, read without loading the game: a broken one is listed too.
fn summary(folder: &Folder, id: &str) -> String {
    let text = folder.read_one(id, "game.toml").unwrap_or_default();
    let table: toml::Table = toml::from_str(&text).unwrap_or_default();
    let summary = table.get("summary").and_then(toml::Value::as_str);
    clean_line(summary.unwrap_or_default())
}

/// Shows what can be played and asks. `None` if nothing is chosen.
pub fn ask(sources: &Sources) -> Result<Option<Playable>, Problem> {
    let all = installed(sources);
    let mut list = playable(&all);
    // Somebody who names a folder looks for its game in the list.
    let named = all.broken.iter().filter(|broken| broken.origin == Origin::Named);
    let problems: Vec<_> = named.flat_map(|broken| broken.problems.iter().cloned()).collect();
    if !problems.is_empty() {
        _ = out::fail(0, report::text(&problems).trim_end());
    }
    if list.is_empty() {
        return Err(Problem::failed(
            "there is no game: name the folder of one with --pack, or a checkout with --root",
        ));
    }
    let style = if io::stdout().is_terminal() {
        crate::cli::terminal::style()
    } else {
        Style::plain()
    };
    out::line("Games:");
    for (number, item) in list.iter().enumerate() {
        out::line(&match &item.scenario {
            None => format!("{:>3}) {}  {}", number + 1, item.game, item.title),
            Some(scenario) => format!("{:>3})   {scenario}", number + 1),
        });
        if !item.summary.is_empty() {
            out::line(&style.wrap(&format!("       {}", item.summary), 7));
        }
    }
    loop {
        out::print("Which one? (a number or a name, `quit` to leave) ");
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(Problem::failed)? == 0 {
            out::line("");
            return Ok(None);
        }
        let word = line.trim();
        if matches!(word, "quit" | "q") {
            return Ok(None);
        }
        let by_name = |item: &Playable| match &item.scenario {
            None => item.game == word,
            Some(scenario) => scenario == word,
        };
        let number = word
            .parse::<usize>()
            .ok()
            .and_then(|n| n.checked_sub(1))
            .filter(|at| *at < list.len());
        if let Some(at) = number.or_else(|| list.iter().position(by_name)) {
            return Ok(Some(list.swap_remove(at)));
        }
        let names = list
            .iter()
            .map(|item| item.scenario.as_ref().unwrap_or(&item.game));
        let help = match nearest(word, names.map(String::as_str)) {
            Some(name) => format!("did you mean `{}`?", clean_line(name)),
            None => format!("there are 1 to {}.", list.len()),
        };
        out::line(&format!("There is no `{}`; {help}", clean_line(word)));
    }
}
