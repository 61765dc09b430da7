//! Lines from a terminal, with history, completion and several lines where they belong together; or from a
//! pipe, without prompts.
use std::cell::RefCell;
use std::io::{self, BufRead};
use std::path::Path;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::complete::complete;
use super::{Names, Repl, Reply};

/// What goes on beside the lines: printing, and files that change.
pub trait Surroundings {
    fn print(&mut self, text: &str);
    /// Files of the rules that have changed since this was asked last.
    fn changed(&mut self) -> Vec<String>;
    /// The folders to look at from now on.
    fn watch(&mut self, folders: Vec<std::path::PathBuf>);
}

/// Reads lines from a terminal until the end; `history` is the file that keeps them.
///
/// # Errors
/// If the terminal can't be read.
pub fn from_terminal(
    repl: &mut Repl,
    around: &mut impl Surroundings,
    history: Option<&Path>,
) -> Result<(), String> {
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut editor: Editor<Assistant, DefaultHistory> =
        Editor::with_config(config).map_err(|e| e.to_string())?;
    let names = Rc::new(RefCell::new(Names::default()));
    editor.set_helper(Some(Assistant { names: names.clone() }));
    if let Some(file) = history {
        // The first time there is none.
        _ = editor.load_history(file);
    }
    let mut lines = Lines::default();
    loop {
        names.replace(repl.names());
        // What waits for more must not look like what waits for anything.
        match editor.readline(if lines.0.is_empty() { "> " } else { ". " }) {
            Ok(line) => {
                let Some(whole) = lines.add(&line) else { continue };
                // Without a history it still works.
                _ = editor.add_history_entry(&whole);
                if act(repl, around, &whole).quit {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => lines = Lines::default(),
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.to_string()),
        }
    }
    if let Some(file) = history {
        if let Some(folder) = file.parent() {
            _ = std::fs::create_dir_all(folder);
        }
        // A console without a history still works.
        _ = editor.save_history(file);
    }
    Ok(())
}

/// Reads lines until the end of the input; answers whether all went well.
///
/// # Errors
/// If the input can't be read.
pub fn from_pipe(repl: &mut Repl, around: &mut impl Surroundings, input: impl BufRead) -> io::Result<bool> {
    let mut well = true;
    let mut lines = Lines::default();
    for line in input.lines() {
        let Some(whole) = lines.add(&line?) else { continue };
        let reply = act(repl, around, &whole);
        well &= !reply.failed;
        if reply.quit {
            return Ok(well);
        }
    }
    if !lines.0.trim().is_empty() {
        well &= !act(repl, around, &lines.0).failed;
    }
    Ok(well)
}

/// Lines that belong together, as far as they have come.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// Takes a line more; answers them all once they are whole. An empty line ends what stays unfinished.
    fn add(&mut self, line: &str) -> Option<String> {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0 += line.trim_end_matches('\r');
        if Repl::is_unfinished(&self.0) && !line.trim().is_empty() {
            return None;
        }
        Some(std::mem::take(&mut self.0))
    }
}

fn act(repl: &mut Repl, around: &mut impl Surroundings, line: &str) -> Reply {
    let files = around.changed();
    if !files.is_empty() {
        let reply = repl.reload(&files);
        around.print(&reply.text);
    }
    let reply = repl.line(line);
    around.print(&reply.text);
    around.watch(repl.folders());
    reply
}

/// Completion, for rustyline.
struct Assistant {
    names: Rc<RefCell<Names>>,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, cursor: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = complete(&self.names.borrow(), line, cursor);
        let pair = |name: String| Pair {
            display: name.clone(),
            replacement: name,
        };
        Ok((start, found.into_iter().map(pair).collect()))
    }
}

impl Validator for Assistant {}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}
