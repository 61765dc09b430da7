//! Rules tried line by line over a living game.
//!
//! A line is a transaction: it stays whole or an error takes it back. What it changes comes before the open
//! step, which runs again; `:undo` takes back the last line or answer. Terminals are the caller's business.
mod commands;
pub mod complete;
pub mod editor;
mod help;
mod library;
mod names;
mod told;
mod topics;

use std::path::Path;

use crate::pack::model::Catalogue;
use crate::script::console::Console;
use crate::script::show::Shown;
use crate::script::vm::{ScriptError, is_unfinished};
use crate::session::edit::Edit;
use crate::session::{Fault, Recorded};
use crate::view::{Style, clean_line};

pub use names::Names;

/// A console over a session.
pub struct Repl {
    table: Recorded,
    console: Console,
    style: Style,
    /// What `:undo` takes back, the latest last.
    done: Vec<Done>,
    /// Log lines that were shown.
    shown: usize,
    /// What was told of the situation last.
    situation: String,
    told_of_locals: bool,
}

enum Done {
    Answer,
    Line(Edit),
}

/// What a line comes to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Reply {
    pub text: String,
    pub failed: bool,
    pub quit: bool,
}

impl Reply {
    fn failed(text: impl ToString) -> Self {
        Self {
            text: text.to_string(),
            failed: true,
            quit: false,
        }
    }
}

impl From<Result<String, String>> for Reply {
    fn from(result: Result<String, String>) -> Self {
        match result {
            Ok(text) => Self {
                text,
                ..Self::default()
            },
            Err(text) => Self::failed(text),
        }
    }
}

impl Repl {
    /// A console over a session that has begun.
    ///
    /// # Errors
    /// If the VM has no memory left for it.
    pub fn new(mut table: Recorded, style: Style) -> Result<Self, ScriptError> {
        let console = table.session().program().console()?;
        let shown = table.session().tabletop().log().len();
        let done = Vec::new();
        Ok(Self {
            table,
            console,
            style,
            done,
            shown,
            situation: String::new(),
            told_of_locals: false,
        })
    }

    /// What is told before the first line.
    pub fn greeting(&mut self) -> String {
        let setup = self.table.setup().clone();
        let catalogue = self.table.session().catalogue().clone();
        let title = catalogue
            .game
            .as_ref()
            .map(|game| clean_line(&game.title))
            .filter(|t| !t.is_empty());
        let title = title.unwrap_or_else(|| setup.game.clone());
        format!(
            "{title}, seed {}. `:help` lists the commands.\n{}",
            setup.seed,
            self.news(false)
        )
    }

    /// Whether more lines could complete what was typed.
    pub fn is_unfinished(text: &str) -> bool {
        !text.trim_start().starts_with(':') && !text.trim().is_empty() && is_unfinished(text)
    }

    /// Runs a line, or several that belong together.
    pub fn line(&mut self, text: &str) -> Reply {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Reply::default();
        }
        let mut reply = match trimmed.strip_prefix(':') {
            Some(command) => self.command(command),
            None => self.evaluate(text).into(),
        };
        let news = self.news(!trimmed.starts_with(':'));
        reply.text += &news;
        reply
    }

    /// Runs Luau; answers the values to print.
    fn evaluate(&mut self, source: &str) -> Result<String, String> {
        let console = &self.console;
        let mut printed = Vec::new();
        let done = self.table.edit(|program| {
            let value = program.evaluate(console, source);
            printed = program.take_printed();
            value
        });
        let mut text: String = printed
            .iter()
            .map(|line| crate::view::clean(line) + "\n")
            .collect();
        match done.map_err(|fault| fault.to_string())? {
            Err(error) => Err(text + &told::error(&error)),
            Ok(edited) => {
                self.done.extend(edited.edit.map(Done::Line));
                text += &self.values(&edited.value);
                text += &told::discarded(&edited.discarded);
                if source.trim_start().starts_with("local ") && !source.contains('\n') && !self.told_of_locals
                {
                    self.told_of_locals = true;
                    text +=
                        "A local lasts as long as its line; `name = value` makes a variable that stays.\n";
                }
                Ok(text)
            }
        }
    }

    fn values(&self, values: &[Shown]) -> String {
        let lines = values.iter().map(|value| value.text(self.style.width) + "\n");
        lines.collect()
    }

    /// Log lines and a situation that were not told yet.
    fn news(&mut self, after_line: bool) -> String {
        let mut text = String::new();
        let log = self.table.session().tabletop().log();
        for line in log.iter().skip(self.shown) {
            text += &format!("| {}\n", clean_line(&line.text));
        }
        self.shown = log.len();
        let (mark, told) = told::situation(&mut self.table, after_line);
        if mark != self.situation {
            text += &told;
            self.situation = mark;
        }
        text
    }

    /// Loads the content anew; `files` are named as what changed.
    pub fn reload(&mut self, files: &[String]) -> Reply {
        let (kept, lost) = self.table.session().program().keep_variables(&self.console);
        let before = self.table.session().catalogue().clone();
        let reloaded = self.table.reload();
        // What came before a reload is no longer there to be taken back; if nothing was loaded, it is.
        let renewed = matches!(reloaded, Ok(Some(_)));
        let result = match reloaded {
            Err(error) => Err(told::not_reloaded(&error)),
            // What the watch tells may have been loaded by hand already.
            Ok(None) if !files.is_empty() => return Reply::default(),
            Ok(None) => Ok("Nothing has changed.\n".to_owned()),
            Ok(Some(done)) => self.renew(&kept).map(|()| {
                // Named are the files that differ, not all that a save touched.
                let now = self.table.session().catalogue();
                let files: Vec<String> = before.changed_files(now).iter().map(|f| inside(f, now)).collect();
                let what = if files.is_empty() {
                    String::new()
                } else {
                    format!(": {}", files.join(", "))
                };
                let mut text = format!("Reloaded{what}.\n");
                text.extend(done.notes.iter().map(|note| format!("- {}\n", note.0)));
                text += &told::discarded(&done.discarded);
                text.extend(
                    lost.iter()
                        .map(|name| format!("- `{name}` held something of the old rules and is gone\n")),
                );
                text
            }),
        };
        if renewed && self.table.session().undoable() == 0 {
            self.done.clear();
        }
        self.situation.clear();
        let mut reply = Reply::from(result);
        reply.text += &self.news(false);
        reply
    }

    /// A console over the program that the session has now, with the variables of the last.
    fn renew(
        &mut self,
        kept: &std::collections::BTreeMap<String, crate::tabletop::Value>,
    ) -> Result<(), String> {
        let program = self.table.session().program();
        self.console = program.console().map_err(|e| e.to_string())?;
        for (name, value) in kept {
            program
                .set_variable(&self.console, name, value)
                .map_err(|e| e.to_string())?;
        }
        Ok(())
    }

    /// Takes back the last line or answer.
    fn undo(&mut self) -> Result<(), String> {
        let fault = |fault: Fault| fault.to_string();
        match self.done.pop() {
            Some(Done::Line(edit)) => self.table.take_back(edit).map_err(fault),
            Some(Done::Answer) => self.table.undo(1, true).map_err(fault),
            // Answers from before this console began.
            None => self.table.undo(1, true).map_err(fault),
        }
    }

    /// The folders that the game's content lies in, for watching.
    pub fn folders(&self) -> Vec<std::path::PathBuf> {
        self.table.folders()
    }

    /// The names that can be completed now.
    pub fn names(&mut self) -> Names {
        Names::of(&mut self.table, &self.console)
    }

    /// Goes on with another session.
    fn replace(&mut self, mut table: Recorded) -> Result<(), String> {
        self.console = table.session().program().console().map_err(|e| e.to_string())?;
        self.shown = table.session().tabletop().log().len();
        self.table = table;
        self.done.clear();
        self.situation.clear();
        Ok(())
    }

    fn save(&self, path: &Path) -> Result<(), String> {
        self.table.save_copy(path).map_err(|error| error.to_string())
    }
}

/// A file's path inside its pack, where that is known.
fn inside(file: &str, catalogue: &Catalogue) -> String {
    let folders = catalogue.packs.iter().filter_map(|p| p.folder.as_deref());
    folders
        .filter_map(|folder| std::path::Path::new(file).strip_prefix(folder).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .next()
        .unwrap_or_else(|| file.to_owned())
}
