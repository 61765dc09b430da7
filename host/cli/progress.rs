//! How far a long command is: one line on stderr, where somebody looks at it.
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::out;
use crate::players::Bot;
use crate::sim::Monitor;
use crate::view::clean_line;

/// Columns of the line: less than a terminal has, so that it can be written over.
const WIDTH: usize = 70;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(500);
/// From then on slowness is worth a word.
const PATIENCE: Duration = Duration::from_secs(10);
/// A rest that is long.
const LONG: Duration = Duration::from_secs(60);

/// A line that is written over and gone at the end. Nothing is written where nobody looks.
#[derive(Default)]
pub struct StatusLine {
    /// Columns that the line has now.
    width: usize,
}

impl StatusLine {
    /// Shows the first line of a text in place of what was shown.
    pub fn tell(&mut self, text: &str) {
        let text = clean_line(text.lines().next().unwrap_or_default());
        let text: String = text.chars().take(WIDTH).collect();
        let columns = text.chars().count();
        self.write(&format!("\r{text:old$}", old = self.width));
        self.width = columns;
    }

    /// Writes a line that stays, above.
    pub fn leave(&mut self, text: &str) {
        self.clear();
        self.write(&format!("{}\n", clean_line(text)));
    }

    pub fn clear(&mut self) {
        if self.width > 0 {
            self.write(&format!("\r{:old$}\r", "", old = self.width));
            self.width = 0;
        }
    }

    fn write(&self, text: &str) {
        let mut err = io::stderr().lock();
        if err.is_terminal() {
            // Nowhere is left to report that stderr is closed.
            _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
        }
    }
}

/// Does a simulation's work, telling how far it is.
pub fn beside<T>(games: u64, bots: &BTreeMap<String, Bot>, monitor: &Monitor, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    std::thread::scope(|scope| {
        let (end, ended) = channel();
        scope.spawn(move || tell(games, bots, monitor, &ended));
        let done = work();
        // The teller may be gone only if it panicked.
        _ = end.send(());
        done
    })
}

fn tell(games: u64, bots: &BTreeMap<String, Bot>, monitor: &Monitor, ended: &Receiver<()>) {
    let start = Instant::now();
    let mut hinted = false;
    let mut shown = StatusLine::default();
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LOOK) {
        let (played, took) = (monitor.played.load(Ordering::Relaxed), start.elapsed());
        if !hinted && let Some(hint) = hint(bots, played, games, took) {
            hinted = true;
            shown.leave(&hint);
        }
        shown.tell(&line(played, games, took));
    }
    shown.clear();
}

/// What is left, by what was done; unknown before the first game's end.
fn left(played: u64, games: u64, took: Duration) -> Option<Duration> {
    (played > 0).then(|| took.mul_f64(games.saturating_sub(played) as f64 / played as f64))
}

fn line(played: u64, games: u64, took: Duration) -> String {
    let left = left(played, games, took).map_or(String::new(), |left| format!(", {} left", span(left)));
    format!("{played} of {}{left}", out::count(games, "game"))
}

/// A bot that looks ahead may take minutes for a game, which no one expects who has seen random ones.
fn hint(bots: &BTreeMap<String, Bot>, played: u64, games: u64, took: Duration) -> Option<String> {
    let (seat, bot) = bots
        .iter()
        .find(|(_, bot)| **bot == Bot::Search)
        .or_else(|| bots.iter().find(|(_, bot)| **bot == Bot::Greedy))?;
    let left = left(played, games, took);
    if took < PATIENCE || left.is_some_and(|left| left < LONG) {
        return None;
    }
    let pace = match played {
        0 => format!("no game has ended in {}", span(took)),
        _ => format!("{} for a game", span(took.div_f64(played as f64))),
    };
    let quicker = if *bot == Bot::Search { "greedy" } else { "random" };
    Some(format!(
        "The {} bot of {seat} is slow ({pace}): try --bot {seat}={quicker}, or fewer --games; Ctrl-C shows what there is.",
        bot.name()
    ))
}

/// "0.2 s", "40 s", "12 min".
fn span(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.0} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn how_far_it_is() {
        assert_eq!(line(0, 1000, seconds(2)), "0 of 1000 games");
        assert_eq!(line(250, 1000, seconds(2)), "250 of 1000 games, 6.0 s left");
        assert_eq!(line(2, 1000, seconds(60)), "2 of 1000 games, 8 h left");
    }

    #[test]
    fn a_slow_bot_is_named_with_a_quicker_one() {
        let bots = |bot| BTreeMap::from([("x".to_owned(), Bot::Random), ("y".to_owned(), bot)]);
        let told = |bot, played, took| hint(&bots(bot), played, 100, seconds(took));
        assert_eq!(
            told(Bot::Search, 0, 11).unwrap(),
            "The search bot of y is slow (no game has ended in 11 s): try --bot y=greedy, or fewer --games; Ctrl-C shows what there is."
        );
        let greedy = told(Bot::Greedy, 4, 20).unwrap();
        assert!(greedy.starts_with("The greedy bot of y is slow (5.0 s for a game): try --bot y=random,"));
        // Not before it is clear, nor where it soon ends, nor of bots that can't be quicker.
        assert_eq!(told(Bot::Search, 1, 9), None);
        assert_eq!(told(Bot::Search, 50, 20), None);
        assert_eq!(told(Bot::Random, 1, 20), None);
    }
}
