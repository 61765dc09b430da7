//! The table as text: in a terminal, or plain over a pipe.
use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use super::commands::{self, Command};
use super::events::{Event, Events};
use super::game::Game;
use super::told;
use crate::cli::{FAILED, out};
use crate::players::person;
use crate::session::recorded::ReloadError;
use crate::session::run::Status;
use crate::session::{Decision, Fault};
use crate::view::{Style, Viewer, clean_line};

/// A game at a terminal or a pipe.
pub struct Table {
    pub(super) game: Game,
    pub(super) style: Style,
    /// Whether a person sits there, rather than a pipe.
    pub(super) live: bool,
    /// The last seat whose hidden cards were on the screen.
    pub(super) seen_by: Option<String>,
    /// What the log told since: the screen is cleared before another seat looks.
    pub(super) since: Vec<String>,
    /// A command typed where Enter was awaited.
    pub(super) pending: Option<String>,
    pub(super) events: Events,
    /// Why the session can't be written any more: it must not go on as if it were.
    pub(super) unwritten: Option<String>,
    /// Details of options that were shown: each is read once.
    pub(super) read: BTreeSet<String>,
}

/// Plays to the end of the game or of the input.
pub fn run(game: Game, begun: SystemTime) -> ExitCode {
    let live = io::stdin().is_terminal() && io::stdout().is_terminal();
    let style = if live {
        crate::cli::terminal::style()
    } else {
        Style::plain()
    };
    let mut table = Table {
        game,
        style,
        live,
        seen_by: None,
        since: Vec::new(),
        pending: None,
        events: Events::from_stdin(begun),
        unwritten: None,
        read: BTreeSet::new(),
    };
    table.greet();
    table.play()
}

impl Table {
    fn greet(&mut self) {
        let setup = self.game.table.setup().clone();
        let catalogue = self.game.table.session().catalogue().clone();
        let title = catalogue.game.as_ref().map_or("", |game| game.title.as_str());
        let title = if title.is_empty() { &setup.game } else { title };
        let title = self.style.paint("bold", &clean_line(title));
        out::line(&self.style.wrap(&format!("{title}, seed {}", setup.seed), 2));
        self.say_summary();
        if let Some(path) = self.game.table.path().filter(|_| self.live) {
            self.say(&format!(
                "Saved in {}. `help` lists the commands.",
                path.display()
            ));
        }
        for note in std::mem::take(&mut self.game.notes) {
            self.tell(&format!("- {note}"));
        }
        out::line("");
    }

    /// What the game is about.
    fn say_summary(&mut self) {
        let catalogue = self.game.table.session().catalogue().clone();
        if let Some(game) = catalogue.game.as_ref().filter(|game| !game.summary.is_empty()) {
            self.tell(&game.summary);
        }
    }

    fn play(&mut self) -> ExitCode {
        let mut show = true;
        let mut prompt = true;
        loop {
            if show {
                let answered = match self.game.run_bots() {
                    Ok(answered) => answered,
                    Err(problem) => return out::fail(FAILED, problem),
                };
                for answer in answered {
                    self.tell_log(&answer);
                }
                self.show();
                let folders = self.game.table.folders();
                self.events.watch(folders);
            }
            show = false;
            let open = self.game.table.session().decision().ok();
            if std::mem::replace(&mut prompt, true) {
                out::print("> ");
            }
            let event = self.pending.take().map(Event::Line);
            match event.unwrap_or_else(|| self.events.next()) {
                Event::Line(line) => {
                    if !self.live {
                        out::line(&clean_line(&line));
                    }
                    if line.trim().is_empty() {
                        continue;
                    }
                    match commands::parse(&line, open.as_deref()) {
                        Some(Ok(Command::Quit)) => return self.leave(),
                        Some(Ok(command)) => show = self.command(command),
                        Some(Err(problem)) => self.say(&problem),
                        None => match self.answer(open, &line) {
                            Ok(accepted) => show = accepted,
                            Err(fault) => return out::fail(FAILED, fault),
                        },
                    }
                }
                Event::Garbled => self.say("that is no text (not UTF-8)"),
                Event::Changed(files) => match self.reload(&files) {
                    Some(changed) => show = changed,
                    None => prompt = false,
                },
                Event::End => {
                    out::line("");
                    return self.leave();
                }
            }
            if let Some(problem) = &self.unwritten {
                return out::fail(FAILED, problem);
            }
        }
    }

    fn leave(&mut self) -> ExitCode {
        if let Some(path) = self
            .game
            .table
            .path()
            .filter(|_| self.live || self.game.named_file)
            && !matches!(self.game.table.status(), Status::Ended(_))
        {
            out::line(&format!(
                "Saved in {0}; go on with: ludex play --resume {0}",
                path.display()
            ));
        }
        match self.game.table.status() {
            Status::Failed(_) => FAILED.into(),
            _ => ExitCode::SUCCESS,
        }
    }

    /// Whether the answer was accepted; a refusal is told and the decision stands.
    fn answer(&mut self, open: Option<Arc<Decision>>, line: &str) -> Result<bool, Fault> {
        let Some(open) = open else {
            let refusal = self.game.table.session().decision().err();
            self.say(&refusal.map_or_else(|| "nothing is asked now".into(), |refusal| refusal.message));
            return Ok(false);
        };
        let keys = match person::read(&open, line) {
            Ok(keys) => keys,
            Err(refusal) => {
                self.tell(&format!("Refused: {refusal}"));
                return Ok(false);
            }
        };
        let seat = self.game.seat_of(&open, &keys);
        match self.game.table.answer(&seat, &keys) {
            Ok(()) => Ok(true),
            Err(Fault::Refused(refusal)) => {
                self.tell(&format!("Refused: {refusal}"));
                Ok(false)
            }
            Err(fault) => Err(fault),
        }
    }

    fn faulty(&mut self, fault: Fault) {
        match fault {
            Fault::Refused(refusal) => self.tell(&format!("Refused: {refusal}")),
            Fault::Recording(problem) => self.unwritten = Some(problem.to_string()),
        }
    }

    /// Whether the table is to be shown again.
    fn command(&mut self, command: Command) -> bool {
        match command {
            Command::Undo(count) => match self.game.undo(count) {
                Ok(()) => {
                    self.say("Undone.");
                    self.game.skip_log();
                    return true;
                }
                Err(fault) => self.faulty(fault),
            },
            Command::Concede(false) => self.say("`concede yes` gives up, and can't be undone."),
            Command::Concede(true) => {
                let seat = self
                    .game
                    .table
                    .session()
                    .decision()
                    .map(|open| self.game.seat_of(&open, &[]));
                let done = seat
                    .map_err(Fault::from)
                    .and_then(|seat| self.game.table.concede(&seat));
                match done {
                    Ok(()) => return true,
                    Err(fault) => self.faulty(fault),
                }
            }
            Command::Save(None) => match self.game.table.path() {
                Some(path) => self.say(&format!("Saved in {}.", path.display())),
                None => self.say("This session has no file; `save FILE` writes it to one."),
            },
            Command::Save(Some(path)) => match self.game.table.save_copy(&path) {
                Ok(()) => self.say(&format!("Saved a copy in {}.", path.display())),
                Err(error) => self.say(&error.to_string()),
            },
            Command::Why => {
                let decision = self.game.table.session().decision().ok();
                let viewer = self.game.viewer(decision.as_deref());
                let seat = if let Viewer::Seat(seat) = &viewer {
                    Some(&**seat)
                } else {
                    None
                };
                let why = told::why(&mut self.game, seat);
                if matches!(self.game.table.status(), Status::Failed(_)) {
                    self.say_report(&why);
                } else {
                    self.tell(&why);
                }
            }
            Command::Rules(id) => {
                let rules = told::rules(self.game.table.session().catalogue(), &id);
                self.say(&rules);
            }
            Command::Help => {
                self.say_summary();
                out::line(&self.style.wrap_rows(commands::HELP));
            }
            Command::View => {
                self.read.clear();
                return true;
            }
            Command::Board => self.show_open(|table, open, viewer| {
                let offered = table.offered(open);
                table.show_board(viewer, &offered);
                table.show_prompt(open);
            }),
            Command::Options => self.show_open(|table, open, _| table.show_options(open, true)),
            Command::Log(count) => {
                let log = self.game.table.session().tabletop().log();
                let from = log.len().saturating_sub(count);
                let lines: Vec<String> = log[from..].iter().map(|line| line.text.to_string()).collect();
                if lines.is_empty() {
                    self.say("Nothing has been logged yet.");
                }
                for line in lines {
                    self.tell_log(&line);
                }
            }
            Command::Reload => return self.reload(&[]).unwrap_or(true),
            Command::Quit => {}
        }
        false
    }

    /// Whether the table is to be shown again; `None` if files changed that change nothing.
    fn reload(&mut self, files: &[String]) -> Option<bool> {
        let failed = matches!(self.game.table.status(), Status::Failed(_));
        let done = self.game.reload();
        if !files.is_empty() {
            let still = matches!(self.game.table.status(), Status::Failed(_));
            if matches!(done, Ok(None)) && failed == still {
                return None;
            }
            // Below the prompt.
            out::line("");
        }
        match done {
            Ok(None) => {
                self.say("Reloaded: nothing has changed.");
                Some(true)
            }
            Ok(Some((changed, told))) => {
                self.say(&format!("Reloaded: {changed}."));
                for line in told {
                    self.tell(&format!("- {line}"));
                }
                Some(true)
            }
            Err(error) => {
                let what = match &error {
                    ReloadError::Load(_) => "Not reloaded; the rules from before go on.",
                    ReloadError::Obstacles(_) => {
                        "Not reloaded: the game in progress can't go on under the new rules."
                    }
                    ReloadError::Recording(_) => {
                        self.unwritten = Some(error.to_string());
                        return Some(false);
                    }
                };
                self.say(what);
                self.say_report(&error.to_string());
                Some(false)
            }
        }
    }
}
