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
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
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
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .auto_add_history(true)
        .build();
    let mut editor: Editor<Assistant, DefaultHistory> =
        Editor::with_config(config).map_err(|e| e.to_string())?;
    let names = Rc::new(RefCell::new(Names::default()));
    editor.set_helper(Some(Assistant { names: names.clone() }));
    if let Some(file) = history {
        // The first time there is none.
        _ = editor.load_history(file);
    }
    loop {
        names.replace(repl.names());
        match editor.readline("> ") {
            Ok(line) => {
                if act(repl, around, &line).quit {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => {}
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
    let mut pending = String::new();
    for line in input.lines() {
        let line = line?;
        if !pending.is_empty() {
            pending.push('\n');
        }
        pending += line.trim_end_matches('\r');
        // An empty line ends what stays unfinished.
        if Repl::is_unfinished(&pending) && !line.trim().is_empty() {
            continue;
        }
        let reply = act(repl, around, &std::mem::take(&mut pending));
        well &= !reply.failed;
        if reply.quit {
            return Ok(well);
        }
    }
    if !pending.trim().is_empty() {
        well &= !act(repl, around, &pending).failed;
    }
    Ok(well)
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

/// Completion and the end of input, for rustyline.
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

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        let text = context.input();
        let waits = Repl::is_unfinished(text) && !text.ends_with("\n\n");
        Ok(if waits {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Valid(None)
        })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}
