//! A game at the table: the session, who is a bot, and what the log has shown.
use std::collections::BTreeMap;

use crate::players::Bot;
use crate::session::recorded::ReloadError;
use crate::session::run::Status;
use crate::session::{Decision, Fault, Recorded};
use crate::tabletop::declared::Visibility;
use crate::view::Viewer;

/// A session in play.
pub struct Game {
    pub table: Recorded,
    pub bots: BTreeMap<String, Bot>,
    pub free_undo: bool,
    /// Whether the file was named by the person.
    pub named_file: bool,
    /// Whether it was resumed in its midst, so that earlier explanations are lost.
    pub midway: bool,
    /// Told before the first decision: what resuming changed.
    pub notes: Vec<String>,
    shown: usize,
}

impl Game {
    pub fn new(table: Recorded, bots: BTreeMap<String, Bot>, free_undo: bool) -> Self {
        Self {
            table,
            bots,
            free_undo,
            named_file: false,
            midway: false,
            notes: Vec::new(),
            shown: 0,
        }
    }

    /// Log lines that weren't told yet.
    pub fn new_log(&mut self) -> Vec<String> {
        let log = self.table.session().tabletop().log();
        // Undo shortens the log.
        let from = self.shown.min(log.len());
        let lines = log[from..].iter().map(|line| line.text.to_string()).collect();
        self.shown = log.len();
        lines
    }

    /// Marks the log as told up to here.
    pub fn skip_log(&mut self) {
        self.shown = self.table.session().tabletop().log().len();
    }

    /// Seats that people play.
    pub fn people(&mut self) -> Vec<String> {
        let seats = self.table.session().tabletop().declared().seats.clone();
        seats
            .iter()
            .map(|s| s.to_string())
            .filter(|seat| !self.bots.contains_key(seat))
            .collect()
    }

    /// Lets bots answer for as long as only bots are asked; gives what they answered that no log tells.
    ///
    /// # Errors
    /// What a bot's score raised, or the disk.
    pub fn run_bots(&mut self) -> Result<Vec<String>, String> {
        let mut told = Vec::new();
        while let Status::Decision = self.table.status() {
            let Ok(decision) = self.table.session().decision() else {
                return Ok(told);
            };
            let Some((seat, bot)) = self.bot_for(&decision) else {
                return Ok(told);
            };
            let answers = self.table.answers();
            let chosen = bot
                .choose(self.table.session(), &decision, &seat, answers)
                .map_err(|error| format!("the {} bot of {seat} can't choose: {error}", bot.name()))?;
            let options: Vec<_> = chosen
                .iter()
                .map(|number| &decision.options[number - 1])
                .collect();
            let keys: Vec<String> = options.iter().map(|option| option.key.clone()).collect();
            let logged = self.table.session().tabletop().log().len();
            self.table
                .answer(&seat, &keys)
                .map_err(|fault| fault.to_string())?;
            if self.table.session().tabletop().log().len() == logged && self.is_open(&decision) {
                let labels: Vec<&str> = options.iter().map(|option| &*option.label).collect();
                told.push(format!("{seat}: {}", labels.join(", ")));
            }
        }
        Ok(told)
    }

    /// Whether anybody may know how a decision was answered: nothing is hidden, and nobody decides beside it.
    fn is_open(&mut self, decision: &Decision) -> bool {
        let tabletop = self.table.session().tabletop();
        let piles = tabletop.declared().piles.len() as u16;
        decision.seats.len() == 1 && (0..piles).all(|pile| tabletop.visibility(pile) == Visibility::All)
    }

    /// The bot that answers, if no person may.
    fn bot_for(&self, decision: &Decision) -> Option<(String, Bot)> {
        let seats = &decision.seats;
        let all = seats.iter().all(|seat| self.bots.contains_key(seat));
        let seat = seats.first().filter(|_| all)?;
        Some((seat.clone(), *self.bots.get(seat)?))
    }

    /// The seat that a person answers for: that of the options where they name one, else the first that
    /// is no bot's.
    pub fn seat_of(&self, decision: &Decision, keys: &[String]) -> String {
        let named = decision
            .options
            .iter()
            .find(|o| Some(&o.key) == keys.first())
            .and_then(|o| o.seat.clone());
        let person = decision.seats.iter().find(|seat| !self.bots.contains_key(*seat));
        named
            .or_else(|| person.or(decision.seats.first()).cloned())
            .unwrap_or_default()
    }

    /// Takes back a person's last `count` answers, and what bots answered after each.
    pub fn undo(&mut self, count: usize) -> Result<(), Fault> {
        let mut answers = 0;
        let mut left = count;
        for entry in self.table.session().recent() {
            if left == 0 {
                break;
            }
            answers += 1;
            if !self.bots.contains_key(&entry.seat) {
                left -= 1;
            }
        }
        // The session tells how many there are.
        let answers = if left > 0 { answers + left } else { answers };
        self.table.undo(answers, self.free_undo)
    }

    /// Loads the content anew; answers the files that differ and what to tell, or `None` if it is what it was.
    pub fn reload(&mut self) -> Result<Option<(String, Vec<String>)>, ReloadError> {
        let before = self.table.session().catalogue().clone();
        let Some(done) = self.table.reload()? else {
            return Ok(None);
        };
        let files = before.changed_files(self.table.session().catalogue());
        let mut told: Vec<String> = done.notes.iter().map(|note| note.0.clone()).collect();
        told.extend(done.discarded.iter().map(|entry| {
            let answer = entry.answer.join(" ");
            format!(
                "the answer `{answer}` to `{}` is no longer asked for",
                entry.decision
            )
        }));
        Ok(Some((files.join(", "), told)))
    }

    /// Whose eyes a person at the table looks through at a decision.
    pub fn viewer(&mut self, decision: Option<&Decision>) -> Viewer {
        let people = self.people();
        if let [only] = &people[..] {
            return Viewer::Seat(only.clone());
        }
        match decision.map(|d| &d.seats[..]) {
            Some([seat]) => Viewer::Seat(seat.clone()),
            _ => Viewer::Common,
        }
    }
}
