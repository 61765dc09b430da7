//! Other rules over a living tabletop: all or nothing.
use super::run::{Session, TapeEntry};
use crate::pack::model::Entry;
use crate::script::Program;
use crate::tabletop::migrate::{Note, Obstacle};

/// What a reload changed.
#[derive(Clone, Debug, Default)]
pub struct Reloaded {
    /// Fields that are new, dropped or retyped, new streams.
    pub notes: Vec<Note>,
    /// Answers of the open step that the new rules no longer ask for.
    pub discarded: Vec<TapeEntry>,
}

impl Session {
    /// Swaps in `next`, a program loaded from the new content. The open step runs again from its start
    /// with its tape. On refusal the session is as it was; the texts say what stands in the way.
    pub fn reload(&mut self, mut next: Program) -> Result<Reloaded, Vec<String>> {
        let mut tabletop = self.tabletop().clone();
        if let Some(open) = &self.open {
            tabletop.rollback(open.start);
        }
        let mut obstacles = Vec::new();
        let waiting = tabletop.agenda().len();
        for (place, step) in tabletop.agenda().iter().rev().enumerate() {
            if next.world_mut().step_function(&step.name).is_none() {
                let hint = crate::script::vm::hint(&step.name, next.world_mut().steps.iter().map(|s| &**s));
                let place = place + 1;
                let mut text = format!(
                    "the step `{}` waits on the agenda ({place} of {waiting}), but no script defines it now{hint}",
                    step.name
                );
                if let Some(place) = self.program.step_place(&step.name) {
                    text += &format!("\n  {place}: it was defined here");
                }
                obstacles.push(text);
            }
        }
        let declared = next.tabletop().declared().clone();
        let migrated = tabletop.migrate(declared);
        let (tabletop, notes) = match migrated {
            Ok(done) if obstacles.is_empty() => done,
            Ok(_) => return Err(obstacles),
            Err(more) => {
                obstacles.extend(more.into_iter().map(|obstacle| self.with_place(obstacle)));
                return Err(obstacles);
            }
        };
        if tabletop.journal_len() == 0 {
            self.history.clear();
        }
        next.replace_tabletop(tabletop);
        self.program = next;
        self.open = None;
        self.decision = None;
        self.discarded.clear();
        let before = self.tape.len();
        self.go_on();
        let discarded = self.take_discarded();
        if !discarded.is_empty() {
            // Their undo entries go with them.
            let kept = self.history.len().saturating_sub(discarded.len().min(before));
            self.history.truncate(kept);
        }
        Ok(Reloaded { notes, discarded })
    }

    /// The obstacle's text, with where a definition that is gone was.
    fn with_place(&self, obstacle: Obstacle) -> String {
        let Obstacle { mut text, definition } = obstacle;
        let mut entries = self.catalogue().kinds.values().flat_map(|kind| &kind.entries);
        let reference = |entry: &Entry| format!("{}:{}/{}", entry.pack, entry.kind, entry.id);
        if let Some(gone) = definition
            && let Some(entry) = entries.find(|entry| *gone == *reference(entry))
        {
            text += &format!("\n  {}: it was defined here", entry.file);
        }
        text
    }
}
