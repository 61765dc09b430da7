//! What a schema can't say of content: abilities matched with functions, and the packs' own
//! `rules/content.luau`, as problems with a place.
use std::cell::RefCell;
use std::rc::Rc;

use crate::pack::model::{Catalogue, Entry};
use crate::pack::{Diagnostic, ability_matches};

use super::Program;
use super::vm::{ScriptError, hint};

/// What `rules/content.luau` may return: what can't be played, and what plays badly.
const FUNCTIONS: [&str; 2] = ["check", "advise"];

/// What a content check says: the reference of an entry or else the chunk of the check, field, message.
pub type Report = (String, String, String);

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
        match self.content_reports("check") {
            Err(error) => problems.push(problem_of(&error, &catalogue)),
            Ok(reports) => problems.extend(reports.iter().map(|report| reported(report, &catalogue))),
        }
        problems
    }

    /// Warnings of what plays badly. For content that has no problem.
    pub fn content_advice(&mut self) -> Vec<Diagnostic> {
        let catalogue = self.catalogue().clone();
        match self.content_reports("advise") {
            Err(error) => vec![problem_of(&error, &catalogue)],
            Ok(reports) => {
                let told = reports.iter().map(|report| reported(report, &catalogue));
                told.map(Diagnostic::warning).collect()
            }
        }
    }

    /// What a function of the packs' `rules/content.luau` reports of the loaded content.
    pub fn content_reports(&mut self, function: &str) -> Result<Vec<Report>, ScriptError> {
        let catalogue = self.catalogue().clone();
        let mut reports = Vec::new();
        for pack in &catalogue.packs {
            let module = format!("@{}/rules/content", pack.id);
            if !catalogue.scripts.contains_key(&module) {
                continue;
            }
            let Some(check) = self.content_function(&module, function)? else {
                continue;
            };
            let lua = self.vm.lua().clone();
            let list: mlua::Function = lua.globals().raw_get::<mlua::Table>("content")?.raw_get("list")?;
            let kinds = lua.create_table()?;
            for name in catalogue.kinds.keys() {
                kinds.raw_set(name.as_str(), list.call::<mlua::Value>(name.as_str())?)?;
            }
            let found: Rc<RefCell<Vec<Report>>> = Rc::default();
            let sink = found.clone();
            let own = format!("{module}.luau");
            let report = lua.create_function(
                move |_, (entry, field, message): (mlua::Value, Option<String>, String)| {
                    sink.borrow_mut()
                        .push((reference(&entry, &own), field.unwrap_or_default(), message));
                    Ok(())
                },
            )?;
            self.vm.start_budget();
            let mark = self.world.tabletop.mark();
            let checked = self.vm.call(&check, (kinds, report));
            self.world.tabletop.rollback(mark);
            checked?;
            reports.append(&mut found.borrow_mut());
        }
        Ok(reports)
    }

    /// A function of the table that a pack's `rules/content.luau` returns, which must have `check`.
    fn content_function(&mut self, module: &str, name: &str) -> Result<Option<mlua::Function>, ScriptError> {
        let chunk = format!("{module}.luau");
        let wrong = |what: String| ScriptError::at(&chunk, None, what);
        let value = self.vm.require(module)?;
        let Some(table) = value.as_table() else {
            return Err(wrong(format!(
                "a table with a function `check` must be returned here, not a {}",
                value.type_name()
            )));
        };
        for pair in table.pairs::<mlua::Value, mlua::Value>() {
            let (key, value) = pair?;
            let key = key.to_string()?;
            if !FUNCTIONS.contains(&key.as_str()) {
                return Err(wrong(format!(
                    "content checks are `check` and `advise`, not `{key}`{}",
                    hint(&key, FUNCTIONS)
                )));
            } else if !value.is_function() {
                return Err(wrong(format!(
                    "`{key}` must be a function, not a {}",
                    value.type_name()
                )));
            }
        }
        let found: Option<mlua::Function> = table.raw_get(name)?;
        if found.is_none() && name == FUNCTIONS[0] {
            return Err(wrong("the function `check` is missing".to_owned()));
        }
        Ok(found)
    }
}

fn reference(entry: &mlua::Value, own: &str) -> String {
    match entry {
        mlua::Value::Table(t) => format!(
            "{}:{}/{}",
            t.raw_get::<String>("pack").unwrap_or_default(),
            t.raw_get::<String>("kind").unwrap_or_default(),
            t.raw_get::<String>("id").unwrap_or_default()
        ),
        mlua::Value::String(s) if !s.as_bytes().is_empty() => s.to_string_lossy(),
        _ => own.to_owned(),
    }
}

fn reported((reference, field, message): &Report, catalogue: &Catalogue) -> Diagnostic {
    let is_meant = |e: &&std::sync::Arc<Entry>| format!("{}:{}/{}", e.pack, e.kind, e.id) == *reference;
    match catalogue.kinds.values().flat_map(|k| &k.entries).find(is_meant) {
        Some(entry) => catalogue.problem_at(entry, field, "content", message.as_str()),
        None => {
            let game = catalogue.game.as_ref().map_or("", |g| g.pack.as_str());
            let module = reference
                .strip_suffix(".luau")
                .filter(|module| module.starts_with('@'));
            let (module, subject) = match module {
                Some(module) => (module.to_owned(), String::new()),
                None => (format!("@{game}/rules/content"), format!("{reference}: ")),
            };
            let file = catalogue
                .scripts
                .get(&module)
                .map_or("rules/content.luau", |script| &script.file);
            Diagnostic::of_file("content", game, file, format!("{subject}{message}"))
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
