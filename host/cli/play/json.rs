//! The table as JSON lines: see `schema/wire.schema.json`.
use std::process::ExitCode;
use std::time::SystemTime;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};

use super::events::{Event, Events};
use super::game::Game;
use super::told;
use crate::cli::{FAILED, out};
use crate::session::damage;
use crate::session::recorded::ReloadError;
use crate::session::run::Status;
use crate::session::{Decision, Fault, Refusal};
use crate::view::{Viewer, state};

/// The lines by example, for `--help`; the README says the same.
#[rustfmt::skip]
pub const SHAPES: &str = r#"With --json, each line is one JSON object; schema/wire.schema.json has every field. Out come:
  {"type":"log","kind":"play","text":"A line for people; kinds why, rules, note too."}
  {"type":"state","view":"all","seats":["x","o"],"game":{},"units":[],"piles":{},"spaces":{}}
  {"type":"decision","view":"all","id":1,"seats":["x"],"kind":"one","prompt":"Mark a space",
    "min":1,"max":1,"options":[{"key":"(0,0)","label":"(0,0)"}]}
  {"type":"end","result":"x"}
  {"type":"error","code":"not_offered","message":"Why a line had no effect: the decision stands."}
A decision of kind some, ordered or path takes min to max keys. In go answers, which
name the decision by its id, and commands:
  {"id":1,"answer":["(0,0)"]}
  {"id":1,"answer":["(0,0)"],"seat":"x"}
  {"cmd":"undo","count":1}
  {"cmd":"save","file":"copy.ludex"}
  {"cmd":"rules","id":"RM-GRID-04"}
  {"cmd":"concede","seat":"x"}
  {"cmd":"why"}
  {"cmd":"view"}
  {"cmd":"reload"}
  {"cmd":"quit"}
"#;

/// Bytes of a key in an answer; options have shorter ones.
const LONGEST: usize = 1_000;

/// A line that comes in. Of each kind only what it needs is looked at, but nothing that is in none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    answer: Option<Json>,
    cmd: Option<String>,
    /// Of an answer the decision's number, of `rules` the rule's id.
    id: Option<Json>,
    seat: Option<String>,
    count: Option<Json>,
    file: Option<String>,
}

/// What to send.
const EXAMPLES: &str = "send {\"id\": 1, \"answer\": [\"key\"]} or {\"cmd\": \"undo\"}";

struct Wire {
    game: Game,
    /// `--as SEAT`: everything is filtered by what it may see.
    seat: Option<String>,
    events: Events,
    /// Why the session can't be written any more: it must not go on as if it were.
    unwritten: Option<String>,
}

/// Speaks until the input ends.
pub fn run(game: Game, seat: Option<String>, begun: SystemTime) -> ExitCode {
    let mut wire = Wire {
        game,
        seat,
        events: Events::from_stdin(begun),
        unwritten: None,
    };
    for note in std::mem::take(&mut wire.game.notes) {
        log("note", &note);
    }
    wire.play()
}

fn send(object: &Json) {
    out::line(&object.to_string());
}

fn log(kind: &str, text: &str) {
    send(&json!({"type": "log", "kind": kind, "text": text}));
}

fn error(code: &str, message: &str) {
    send(&json!({"type": "error", "code": code, "message": message}));
}

fn refused(refusal: &Refusal) {
    let mut told = json!({"type": "error", "code": refusal.code, "message": refusal.message});
    if let Some(rule) = &refusal.rule {
        told["rule"] = json!(rule);
    }
    send(&told);
}

impl Wire {
    fn play(&mut self) -> ExitCode {
        let mut show = true;
        loop {
            if show {
                if let Err(problem) = self.game.run_bots() {
                    error("bot_failed", &problem);
                    return out::fail(FAILED, problem);
                }
                self.show();
                let folders = self.game.table.folders();
                self.events.watch(folders);
            }
            show = match self.events.next() {
                Event::End => break,
                Event::Garbled => {
                    error("not_json", "the line is not UTF-8");
                    false
                }
                Event::Changed(files) => self.reload(&files),
                Event::Line(line) if line.trim().is_empty() => false,
                Event::Line(line) => match self.line(&line) {
                    Some(show) => show,
                    None => break,
                },
            };
            if let Some(problem) = &self.unwritten {
                return out::fail(FAILED, problem);
            }
        }
        match self.game.table.status() {
            Status::Failed(_) => FAILED.into(),
            _ => ExitCode::SUCCESS,
        }
    }

    fn faulty(&mut self, fault: &Fault) {
        match fault {
            Fault::Refused(refusal) => refused(refusal),
            Fault::Recording(problem) => self.not_recorded(problem.to_string()),
        }
    }

    fn not_recorded(&mut self, problem: String) {
        error("not_recorded", &problem);
        self.unwritten = Some(problem);
    }

    fn viewer(&self) -> Viewer {
        self.seat.clone().map_or(Viewer::All, Viewer::Seat)
    }

    /// New log lines, the state, and what is waited for.
    fn show(&mut self) {
        for text in self.game.new_log() {
            log("play", &text);
        }
        let viewer = self.viewer();
        let decision = self.game.table.session().decision();
        let session = self.game.table.session();
        let catalogue = session.catalogue().clone();
        send(&state::json(session.tabletop(), &catalogue, &viewer));
        if let Ok(decision) = decision {
            send(&self.decision(&decision));
            return;
        }
        match self.game.table.status() {
            Status::Ended(result) => send(&json!({"type": "end", "result": &**result})),
            Status::Failed(problem) => {
                let mut told = json!({"type": "error", "code": "step_failed", "message": problem.message});
                if let Some(chunk) = problem.chunk() {
                    told["file"] = json!(chunk);
                }
                if let Some(line) = problem.line {
                    told["line"] = json!(line);
                }
                send(&told);
            }
            Status::Decision => {}
        }
    }

    /// The decision; to a seat that isn't asked only that others are, and never the options of another seat.
    fn decision(&self, decision: &Decision) -> Json {
        let mine = self
            .seat
            .as_ref()
            .is_none_or(|seat| decision.seats.contains(seat));
        let mut told = json!({
            "type": "decision",
            "view": self.viewer().name(),
            "id": decision.id,
            "seats": decision.seats,
            "kind": decision.kind,
            "prompt": decision.prompt,
            "min": decision.min,
            "max": decision.max,
            "options": decision.options,
        });
        if let Some(seat) = &self.seat {
            let own = decision.options.iter();
            let own: Vec<_> = own
                .filter(|option| option.seat.as_ref().is_none_or(|owner| owner == seat))
                .collect();
            told["options"] = json!(own);
        }
        if !mine {
            told["prompt"] = json!("");
            told["options"] = json!([]);
            told["waiting"] = json!(true);
        }
        told
    }

    /// Whether to show the table again; `None` to end.
    fn line(&mut self, line: &str) -> Option<bool> {
        if let Err(problem) = serde_json::from_str::<IgnoredAny>(line) {
            error("not_json", &format!("this is no JSON object: {problem}"));
            return Some(false);
        }
        if !line.trim_start().starts_with('{') {
            error("bad_message", &format!("this is no JSON object; {EXAMPLES}"));
            return Some(false);
        }
        let message: Message = match damage::read(line.as_bytes()) {
            Ok(message) => message,
            Err(problem) => {
                error("bad_message", &problem.message);
                return Some(false);
            }
        };
        match (&message.answer, message.cmd.as_deref()) {
            (Some(keys), None) => Some(self.answer(keys, &message)),
            (None, Some("quit")) => None,
            (None, Some(command)) => Some(self.command(command, &message)),
            _ => {
                error("bad_message", EXAMPLES);
                Some(false)
            }
        }
    }

    fn answer(&mut self, keys: &Json, message: &Message) -> bool {
        let keys: Option<Vec<String>> = match keys {
            Json::String(key) => Some(vec![key.clone()]),
            Json::Array(keys) => keys.iter().map(|key| key.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        let Some(keys) = keys else {
            error("bad_message", "`answer` is a list of keys");
            return false;
        };
        if keys.iter().any(|key| key.len() > LONGEST) {
            error("bad_message", &format!("a key has at most {LONGEST} bytes"));
            return false;
        }
        let Some(id) = message.id.as_ref().and_then(Json::as_u64) else {
            error(
                "bad_message",
                "`id` is the number of the decision that is answered",
            );
            return false;
        };
        let open = match self.game.table.session().decision() {
            Ok(open) => open,
            Err(refusal) => {
                refused(&refusal);
                return false;
            }
        };
        // An answer that crossed another one must not meet a decision that its sender never saw.
        if id != open.id {
            let now = format!(
                "decision {} is open; `id` names the decision that is answered",
                open.id
            );
            error("stale", &now);
            return false;
        }
        let seat = match (&self.seat, message.seat.as_deref()) {
            (Some(own), Some(other)) if own != other => {
                error(
                    "wrong_seat",
                    &format!("this connection answers for {own}, not for {other}"),
                );
                return false;
            }
            (Some(own), _) => own.clone(),
            (None, Some(seat)) => seat.to_owned(),
            (None, None) => self.game.seat_of(&open, &keys),
        };
        match self.game.table.answer(&seat, &keys) {
            Ok(()) => true,
            Err(fault) => {
                self.faulty(&fault);
                false
            }
        }
    }

    fn command(&mut self, command: &str, message: &Message) -> bool {
        match command {
            "view" => return true,
            "reload" => return self.reload(&[]),
            "undo" => {
                let count = message.count.as_ref().map_or(Some(1), Json::as_u64);
                let Some(count) = count.filter(|count| *count > 0) else {
                    error("bad_message", "`count` is a whole number above 0");
                    return false;
                };
                match self.game.undo(usize::try_from(count).unwrap_or(usize::MAX)) {
                    Ok(()) => {
                        self.game.skip_log();
                        return true;
                    }
                    Err(fault) => self.faulty(&fault),
                }
            }
            "concede" => {
                let named = message.seat.clone();
                if let (Some(own), Some(other)) = (&self.seat, &named)
                    && own != other
                {
                    error(
                        "wrong_seat",
                        &format!("this connection answers for {own}, not for {other}"),
                    );
                    return false;
                }
                let seat = named.or_else(|| self.seat.clone());
                let open = self.game.table.session().decision();
                let seat = seat.or_else(|| open.ok().map(|open| self.game.seat_of(&open, &[])));
                match self.game.table.concede(&seat.unwrap_or_default()) {
                    Ok(()) => return true,
                    Err(fault) => self.faulty(&fault),
                }
            }
            // One of several at a table writes no files on its machine.
            "save" if self.seat.is_some() => match (&message.file, self.game.table.path()) {
                (Some(_), _) => error("not_saved", "only who runs the table can name a file"),
                (None, Some(_)) => log("note", "the session is saved"),
                (None, None) => error("not_saved", "this session has no file"),
            },
            "save" => match &message.file {
                Some(file) => match self.game.table.save_copy(file.as_ref()) {
                    Ok(()) => log("note", &format!("saved a copy in {file}")),
                    Err(problem) => error("not_saved", &problem.to_string()),
                },
                None => match self.game.table.path() {
                    Some(path) => log("note", &format!("saved in {}", path.display())),
                    None => error("not_saved", "this session has no file; name one by `file`"),
                },
            },
            "why" => log("why", &told::why(&mut self.game, self.seat.as_deref())),
            "rules" => {
                let id = message.id.as_ref().and_then(Json::as_str).unwrap_or_default();
                log("rules", &told::rules(self.game.table.session().catalogue(), id));
            }
            other => {
                let known = [
                    "concede", "quit", "reload", "rules", "save", "undo", "view", "why",
                ];
                let help = crate::pack::names::did_you_mean(other, known).unwrap_or_default();
                let shown: String = other.chars().take(60).collect();
                error(
                    "unknown_command",
                    &format!("there is no command `{shown}`; {help}"),
                );
            }
        }
        false
    }

    fn reload(&mut self, files: &[String]) -> bool {
        let failed = matches!(self.game.table.status(), Status::Failed(_));
        match self.game.reload() {
            // A failed step may go well now.
            Ok(None) if !files.is_empty() => failed && !matches!(self.game.table.status(), Status::Failed(_)),
            Ok(None) => {
                log("note", "reloaded: nothing has changed");
                true
            }
            Ok(Some((changed, told))) => {
                log("note", &format!("reloaded: {changed}"));
                for line in told {
                    log("note", &line);
                }
                true
            }
            Err(problem) => {
                match &problem {
                    ReloadError::Load(_) => error("not_reloaded", &problem.to_string()),
                    ReloadError::Obstacles(_) => error("reload_refused", &problem.to_string()),
                    ReloadError::Recording(_) => self.not_recorded(problem.to_string()),
                }
                false
            }
        }
    }
}
