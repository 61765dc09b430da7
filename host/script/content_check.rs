//! What a schema can't say of content: abilities matched with functions, and the packs' own
//! `rules/content.luau`, as problems with a place.
use crate::pack::model::{Catalogue, Entry};
use crate::pack::{Diagnostic, ability_matches};

use super::Program;
use super::vm::ScriptError;

impl Program {
    /// Every problem that the loaded scripts show in the content. Runs under budget.
    pub fn content_problems(&mut self) -> Vec<Diagnostic> {
        let catalogue = self.catalogue().clone();
        let mut problems = Vec::new();
        for entry in catalogue
            .kinds
            .values()
            .flat_map(|k| &k.entries)
            .filter(|e| !e.scripts.is_empty())
        {
            match self.code_functions(entry) {
                Ok(functions) => problems.extend(ability_matches(&catalogue, entry, &functions, |_| false)),
                Err(error) => problems.push(problem_of(&error, &catalogue)),
            }
        }
        match self.content_reports() {
            Err(error) => problems.push(problem_of(&error, &catalogue)),
            Ok(reports) => problems.extend(reports.iter().map(|report| reported(report, &catalogue))),
        }
        problems
    }
}

fn reported((reference, field, message): &(String, String, String), catalogue: &Catalogue) -> Diagnostic {
    let is_meant = |e: &&std::sync::Arc<Entry>| format!("{}:{}/{}", e.pack, e.kind, e.id) == *reference;
    match catalogue.kinds.values().flat_map(|k| &k.entries).find(is_meant) {
        Some(entry) => catalogue.problem_at(entry, field, "content", message.as_str()),
        None => {
            let game = catalogue.game.as_ref().map_or("", |g| g.pack.as_str());
            let subject = if reference.is_empty() {
                String::new()
            } else {
                format!("{reference}: ")
            };
            Diagnostic::of_file(
                "content",
                game,
                "rules/content.luau",
                format!("{subject}{message}"),
            )
        }
    }
}

/// A script's error as a problem of the file that it is in.
pub fn problem_of(error: &ScriptError, catalogue: &Catalogue) -> Diagnostic {
    let key = format!("@{}/{}", error.pack, error.file.trim_end_matches(".luau"));
    match catalogue.scripts.get(&key) {
        Some(script) => problem_at_line(error, &script.file, Some(&script.source)),
        None if is_of_start(error) => {
            let place = catalogue
                .game
                .as_ref()
                .map(|game| game.start_place)
                .unwrap_or_default();
            Diagnostic::at(&catalogue.files, "unknown-step", place, error.message.as_str())
        }
        None => {
            let file = catalogue.files.of_pack(&error.pack, &error.file);
            problem_at_line(
                error,
                file.map_or(error.file.as_str(), |file| &file.name),
                file.map(|file| &*file.text),
            )
        }
    }
}

/// Whether it is about the game's first step, which no script defines: nothing else is told of this file by scripts.
pub fn is_of_start(error: &ScriptError) -> bool {
    error.file == "game.toml" && error.line.is_none()
}

/// A script's error at its line of a file.
pub fn problem_at_line(error: &ScriptError, file: &str, source: Option<&str>) -> Diagnostic {
    let mut problem = Diagnostic::of_file("script", &error.pack, file, error.message.clone());
    if let Some(line) = error.line {
        let text = source
            .and_then(|s| s.lines().nth((line as usize).saturating_sub(1)))
            .unwrap_or_default();
        let indent = text.chars().take_while(|c| c.is_whitespace()).count();
        problem.line = line as usize;
        problem.column = indent + 1;
        problem.end_column = text.trim_end().chars().count().max(indent + 1) + 1;
        problem.excerpt = text.trim_end().to_owned();
    }
    problem
}
