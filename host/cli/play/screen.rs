//! What the table shows: the log, boards and piles, and what is asked.
use unicode_width::UnicodeWidthStr;

use super::events::Event;
use super::text::Table;
use super::told;
use crate::cli::out;
use crate::script::vm::Kill;
use crate::session::run::Status;
use crate::session::{Choice, Decision};
use crate::tabletop::board::key;
use crate::tabletop::{GAME, Space, Value};
use crate::view::clean::clean;
use crate::view::{Viewer, board, clean_line, decision, piles, value};

impl Table {
    pub(super) fn say(&self, text: &str) {
        out::line(&self.style.wrap(&clean(text), 2));
    }

    /// A report of faults as it is: places stay whole, and a quoted line stands over its carets or is left out.
    pub(super) fn say_report(&self, text: &str) {
        let is_quoted = |line: &str| line.starts_with("    ");
        let lines: Vec<&str> = text.lines().collect();
        for part in lines.chunk_by(|a, b| is_quoted(a) == is_quoted(b)) {
            if !is_quoted(part[0]) || part.iter().all(|line| line.width() <= self.style.width) {
                out::line(&clean(&part.join("\n")));
            }
        }
    }

    /// As [`Table::say`], with later lines indented: a pack's text must not look like a prompt of Ludex.
    pub(super) fn tell(&self, text: &str) {
        self.say(&text.replace('\n', "\n  "));
    }

    pub(super) fn tell_log(&self, line: &str) {
        self.tell(&format!("{} {line}", self.style.pick("•", "-")));
    }

    /// Everything since the last decision, the table, and what is asked.
    pub(super) fn show(&mut self) {
        if self.live {
            // The window may have been resized.
            self.style = crate::cli::terminal::style();
        }
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
                let seats = &self.game.table.session().tabletop().declared().seats;
                let by = if seats.contains(&result) { " wins" } else { "" };
                self.tell(&format!("The game is over: {result}{by}."));
                if let Some(why) = told::why_ended(&mut self.game) {
                    self.tell(&why);
                }
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

    pub(super) fn show_decision(&mut self) {
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
        let offered = self.offered(&open);
        self.show_table(&viewer, &offered);
        self.show_prompt(&open);
        self.show_options(&open, false);
    }

    pub(super) fn show_prompt(&mut self, open: &Decision) {
        let seats = self.game.table.session().tabletop().declared().seats.len();
        let prompt = self.style.paint("bold", &decision::prompt(open, seats));
        out::line(&self.style.wrap(&prompt, 2));
    }

    pub(super) fn show_options(&mut self, open: &Decision, whole: bool) {
        let read = &self.read;
        let is_new = |option: &Choice| {
            let detail = option.detail.as_ref();
            whole || detail.is_some_and(|detail| !read.contains(detail))
        };
        let text = decision::options(open, self.style, whole, &is_new);
        self.read
            .extend(open.options.iter().filter_map(|option| option.detail.clone()));
        out::print(&text);
    }

    /// The open decision as far as `parts` shows it; without one, the whole table.
    pub(super) fn show_open(&mut self, parts: impl FnOnce(&mut Self, &Decision, &Viewer)) {
        match self.game.table.session().decision() {
            Ok(open) => {
                let viewer = self.game.viewer(Some(&open));
                parts(self, &open, &viewer);
            }
            Err(_) => self.show(),
        }
    }

    /// Two people at one terminal: before one's hidden cards are shown, the other looks away.
    pub(super) fn hand_over(&mut self, viewer: &Viewer) {
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

    /// Spaces that are options.
    pub(super) fn offered(&mut self, open: &Decision) -> Vec<Space> {
        let boards = &self.game.table.session().tabletop().declared().topologies;
        let keys = open.options.iter().map(|option| &option.key);
        keys.filter_map(|key| key::parse(boards, key).ok()).collect()
    }

    pub(super) fn show_board(&mut self, viewer: &Viewer, offered: &[Space]) {
        let session = self.game.table.session();
        let catalogue = session.catalogue().clone();
        out::print(&board::text(&board::Scene {
            tabletop: session.tabletop(),
            catalogue: &catalogue,
            viewer,
            style: self.style,
            offered,
        }));
    }

    pub(super) fn show_table(&mut self, viewer: &Viewer, offered: &[Space]) {
        let style = self.style;
        let session = self.game.table.session();
        let catalogue = session.catalogue().clone();
        let tabletop = session.tabletop();
        // The board comes last: it is to stay in sight above the options.
        let mut text = piles::text(tabletop, &catalogue, viewer, style);
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
        self.show_board(viewer, offered);
    }
}
