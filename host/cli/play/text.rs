//! The table as text: in a terminal, or plain over a pipe.
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use unicode_width::UnicodeWidthStr;

use super::commands::{self, Command};
use super::events::{Event, Events};
use super::game::Game;
use super::told;
use crate::cli::{FAILED, out};
use crate::players::person;
use crate::script::vm::Kill;
use crate::session::recorded::ReloadError;
use crate::session::run::Status;
use crate::session::{Decision, Fault};
use crate::tabletop::board::key;
use crate::tabletop::{GAME, Value};
use crate::view::clean::clean;
use crate::view::{Style, Viewer, board, clean_line, decision, piles, value};

struct Table {
    game: Game,
    style: Style,
    /// Whether a person sits there, rather than a pipe.
    live: bool,
    /// The last seat whose hidden cards were on the screen.
    seen_by: Option<String>,
    /// What the log told since: the screen is cleared before another seat looks.
    since: Vec<String>,
    /// A command typed where Enter was awaited.
    pending: Option<String>,
    events: Events,
    /// Why the session can't be written any more: it must not go on as if it were.
    unwritten: Option<String>,
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
    };
    table.greet();
    table.play()
}

impl Table {
    fn say(&self, text: &str) {
        out::line(&self.style.wrap(&clean(text), 2));
    }

    /// A report of faults as it is: places stay whole, and a quoted line stands over its carets or is left out.
    fn say_report(&self, text: &str) {
        let is_quoted = |line: &str| line.starts_with("    ");
        let lines: Vec<&str> = text.lines().collect();
        for part in lines.chunk_by(|a, b| is_quoted(a) == is_quoted(b)) {
            if !is_quoted(part[0]) || part.iter().all(|line| line.width() <= self.style.width) {
                out::line(&clean(&part.join("\n")));
            }
        }
    }

    /// As [`Table::say`], with later lines indented: a pack's text must not look like a prompt of Ludex.
    fn tell(&self, text: &str) {
        self.say(&text.replace('\n', "\n  "));
    }

    fn tell_log(&self, line: &str) {
        self.tell(&format!("{} {line}", self.style.pick("•", "-")));
    }

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
                if let Err(problem) = self.game.run_bots() {
                    return out::fail(FAILED, problem);
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

    /// Everything since the last decision, the table, and what is asked.
    fn show(&mut self) {
        let log = self.game.new_log();
        for line in &log {
            self.tell_log(line);
        }
        if self.live && self.game.people().len() > 1 {
            self.since.extend(log);
        }
        match self.game.table.status().clone() {
            Status::Decision => self.show_decision(),
            Status::Ended(result) => {
                self.show_table(&Viewer::Common, &[]);
                self.tell(&format!("The game is over: {result}."));
                if self.live {
                    // Not after conceding, nor where dice have shown something.
                    let free = self.game.free_undo;
                    let session = self.game.table.session();
                    let undo = session.undoable() > 0 && (free || session.undo_is_free(1));
                    self.say(if undo {
                        "`undo` takes back the last answer; `quit` leaves."
                    } else {
                        "`quit` leaves."
                    });
                }
            }
            Status::Failed(error) => {
                self.say("A step failed; it waits where it began, with its answers.");
                let catalogue = self.game.table.session().catalogue().clone();
                self.say_report(&told::failure(&error, &catalogue));
                if error.kill == Some(Kill::Time) {
                    self.say("On a busy machine, resume with more time: --budget time=30s");
                }
                self.say("Mend the file and `reload`; or `undo`, `save`, `quit`.");
            }
        }
    }

    fn show_decision(&mut self) {
        let open = match self.game.table.session().decision() {
            Ok(open) => open,
            // It turned out that it can't be shown: a failed step.
            Err(_) => {
                return if matches!(self.game.table.status(), Status::Failed(_)) {
                    self.show()
                };
            }
        };
        let viewer = self.game.viewer(Some(&open));
        self.hand_over(&viewer);
        if self.pending.is_some() {
            return;
        }
        let offered: Vec<_> = {
            let boards = &self.game.table.session().tabletop().declared().topologies;
            open.options
                .iter()
                .filter_map(|option| key::parse(boards, &option.key).ok())
                .collect()
        };
        self.show_table(&viewer, &offered);
        let seats = self.game.table.session().tabletop().declared().seats.len();
        out::line(
            &self
                .style
                .wrap(&self.style.paint("bold", &decision::prompt(&open, seats)), 2),
        );
        out::print(&decision::options(&open, self.style));
    }

    /// Two people at one terminal: before one's hidden cards are shown, the other looks away.
    fn hand_over(&mut self, viewer: &Viewer) {
        let Viewer::Seat(seat) = viewer else { return };
        let people = self.game.people();
        if people.len() < 2 || self.seen_by.as_ref() == Some(seat) {
            return;
        }
        let tabletop = self.game.table.session().tabletop();
        let hidden = (0..tabletop.declared().piles.len() as u16).any(|pile| {
            let common = Viewer::Common.pile(tabletop, pile);
            viewer.pile(tabletop, pile) != common
        });
        if !hidden {
            return;
        }
        self.seen_by = Some(seat.clone());
        if self.live {
            // Clears the screen and what can be scrolled back to.
            out::print("\u{1b}[2J\u{1b}[3J\u{1b}[H");
            out::print(&format!("Hand over to {}, and press Enter. ", clean_line(seat)));
            loop {
                match self.events.next() {
                    Event::Line(line) if line.trim() == "quit" => {
                        self.pending = Some(line);
                        return;
                    }
                    Event::Line(_) | Event::End => break,
                    _ => {}
                }
            }
            for line in std::mem::take(&mut self.since) {
                self.tell_log(&line);
            }
        } else {
            out::line(&format!("--- {} looks now ---", clean_line(seat)));
        }
    }

    fn show_table(&mut self, viewer: &Viewer, offered: &[crate::tabletop::Space]) {
        let style = self.style;
        let session = self.game.table.session();
        let catalogue = session.catalogue().clone();
        let tabletop = session.tabletop();
        let scene = board::Scene {
            tabletop,
            catalogue: &catalogue,
            viewer,
            style,
            offered,
        };
        let mut text = board::text(&scene);
        text += &piles::text(tabletop, &catalogue, viewer, style);
        if let Some(game) = tabletop.unit(GAME) {
            let fields = tabletop.declared().kinds[0].fields.iter().zip(&game.fields);
            let plain = fields.filter(|(_, v)| !matches!(v, Value::List(_) | Value::Map(_) | Value::Nil));
            let told: Vec<String> = plain
                .map(|(f, v)| format!("{} {}", f.name, clean_line(&value::text(tabletop, viewer, v))))
                .collect();
            if !told.is_empty() {
                text += &style.wrap(&told.join(", "), 2);
                text.push('\n');
            }
        }
        out::print(&text);
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
            Command::Concede => {
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
                out::line(commands::HELP);
            }
            Command::View => return true,
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
