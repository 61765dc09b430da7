//! What a person types besides answers.
use std::path::PathBuf;

use crate::pack::typed_path;
use crate::session::Decision;

/// A command of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Undo(usize),
    Save(Option<PathBuf>),
    Why,
    Rules(String),
    View,
    Board,
    Options,
    Log(usize),
    Help,
    /// Whether it is meant, as `concede yes` says.
    Concede(bool),
    Reload,
    Quit,
}

pub const HELP: &str = "\
Answer with an option's number, its key, or the beginning of one; name several with spaces between.
  undo [N]      take back your last answer (or the last N)
  save [FILE]   say where the session is saved, or save a copy
  why           explain the last choice that the rules made by themselves, or how the game ended
  rules [ID]    show a rule or a chapter, those with a word, or what there is
  view          show the table again, with all that options say
  board         show the boards and what is asked
  options       show the options again, with all that they say
  log [N]       show the last 20 lines of the log, or N
  reload        load changed rules
  concede yes   give up
  quit          leave; the session is saved and can be resumed
A word that is also an option's key answers; write /undo to be sure to mean the command.";

/// The command that a line is, unless it is an answer.
pub fn parse(line: &str, decision: Option<&Decision>) -> Option<Result<Command, String>> {
    let line = line.trim();
    if decision.is_some_and(|d| d.options.iter().any(|option| option.key == line)) {
        return None;
    }
    let forced = line.starts_with('/');
    let (word, rest) = line
        .trim_start_matches('/')
        .split_once(' ')
        .unwrap_or((line.trim_start_matches('/'), ""));
    let rest = rest.trim();
    let command = match word {
        "undo" => match rest {
            "" => Command::Undo(1),
            count => match count.parse() {
                Ok(count) if count > 0 => Command::Undo(count),
                _ => return Some(Err(format!("undo takes a number, not `{count}`"))),
            },
        },
        "save" => Command::Save((!rest.is_empty()).then(|| typed_path(rest))),
        "why" => Command::Why,
        "rules" | "rule" => Command::Rules(rest.into()),
        "view" => Command::View,
        "board" => Command::Board,
        "options" => Command::Options,
        "log" => match rest {
            "" => Command::Log(20),
            count => match count.parse() {
                Ok(count) if count > 0 => Command::Log(count),
                _ => return Some(Err(format!("log takes a number of lines, not `{count}`"))),
            },
        },
        "help" | "?" => Command::Help,
        "concede" => Command::Concede(matches!(rest, "yes" | "y")),
        "reload" => Command::Reload,
        "quit" | "exit" => Command::Quit,
        _ if forced => return Some(Err(format!("there is no command `{word}`; `help` lists them"))),
        _ => return None,
    };
    Some(Ok(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_answers() {
        assert_eq!(parse("undo 2", None), Some(Ok(Command::Undo(2))));
        assert_eq!(
            parse("save my file", None),
            Some(Ok(Command::Save(Some("my file".into()))))
        );
        assert_eq!(parse("(0,1)", None), None);
        assert_eq!(parse("concede yes", None), Some(Ok(Command::Concede(true))));
        assert_eq!(parse("concede", None), Some(Ok(Command::Concede(false))));
        assert_eq!(
            parse("/undu", None),
            Some(Err("there is no command `undu`; `help` lists them".into()))
        );
    }
}
