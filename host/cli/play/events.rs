//! What happens at the table: lines that are typed, files that change.
use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// One thing that happened.
#[derive(Debug)]
pub enum Event {
    Line(String),
    /// Input that is no text.
    Garbled,
    /// Input has ended.
    End,
    /// Files of the active packs have changed.
    Changed(Vec<String>),
}

/// Events in the order that they came.
pub struct Events {
    receiver: Receiver<Event>,
    sender: Sender<Event>,
}

impl Events {
    /// Reads stdin from now on.
    pub fn from_stdin() -> Self {
        let (sender, receiver) = channel();
        let lines = sender.clone();
        thread::spawn(move || read(&lines));
        Self { receiver, sender }
    }

    /// For a watcher to send to.
    pub fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Waits for the next event.
    pub fn next(&self) -> Event {
        self.receiver.recv().unwrap_or(Event::End)
    }
}

fn read(events: &Sender<Event>) {
    let mut input = io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let event = match input.read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => Event::End,
            Ok(_) => match String::from_utf8(bytes) {
                Ok(line) => Event::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
                Err(_) => Event::Garbled,
            },
        };
        let ended = matches!(event, Event::End);
        if events.send(event).is_err() || ended {
            return;
        }
    }
}
