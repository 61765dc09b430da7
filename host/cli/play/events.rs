//! What happens at the table: lines that are typed, files that change.
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::SystemTime;

use crate::cli::watch::Watch;

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
    watch: Option<Watch>,
    begun: SystemTime,
}

impl Events {
    /// Reads stdin from now on. `begun`: when the game's content began to be read.
    pub fn from_stdin(begun: SystemTime) -> Self {
        let (sender, receiver) = channel();
        let lines = sender.clone();
        thread::spawn(move || read(&lines));
        Self {
            receiver,
            sender,
            watch: None,
            begun,
        }
    }

    /// Watches folders from now on.
    pub fn watch(&mut self, folders: Vec<PathBuf>) {
        match &self.watch {
            Some(watch) => watch.folders(folders),
            None => {
                let events = self.sender.clone();
                let near = std::env::current_dir().unwrap_or_default();
                let tell = move |files: Vec<PathBuf>| {
                    events
                        .send(Event::Changed(
                            files.iter().map(|file| shown(file, &near)).collect(),
                        ))
                        .is_ok()
                };
                self.watch = Some(Watch::new(folders, self.begun, tell));
            }
        }
    }

    /// Waits for the next event.
    pub fn next(&self) -> Event {
        self.receiver.recv().unwrap_or(Event::End)
    }
}

fn shown(file: &Path, near: &Path) -> String {
    file.strip_prefix(near).unwrap_or(file).display().to_string()
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
