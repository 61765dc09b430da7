//! Changes by a designer's hand to a game in progress: they come before the open step, which runs again
//! with its answers.
use super::recorded::{Fault, Recorded};
use super::run::{Open, Session, TapeEntry};
use crate::script::Program;
use crate::script::vm::ScriptError;
use crate::tabletop::Mark;

/// A change that can be taken back, as long as all that came after it was.
#[derive(Clone, Debug)]
pub struct Edit {
    start: Mark,
    /// The answers of the step that was open.
    tape: Vec<TapeEntry>,
}

/// What an edit did.
#[derive(Debug)]
pub struct Edited<T> {
    pub value: T,
    /// `None` if nothing was changed.
    pub edit: Option<Edit>,
    /// Answers that the open step no longer asked for.
    pub discarded: Vec<TapeEntry>,
}

impl Session {
    /// Does something to the tabletop. What only looks is done in the midst of the open step. What changes
    /// anything is done once more at the step's start, so that undo, reload and replay know of it.
    ///
    /// # Errors
    /// What `act` raised; then nothing has changed.
    pub fn edit<T>(
        &mut self,
        mut act: impl FnMut(&mut Program) -> Result<T, ScriptError>,
    ) -> Result<Edited<T>, ScriptError> {
        let before = self.program.tabletop().mark();
        let push_point = self.program.tabletop().push_point();
        let first = act(&mut self.program);
        let changed = self.program.tabletop().mark() != before;
        let rolled_back = |program: &mut Program| {
            program.tabletop_mut().rollback(before);
            program.tabletop_mut().set_push_point(push_point);
        };
        let value = match first {
            Ok(value) if !changed => {
                return Ok(Edited {
                    value,
                    edit: None,
                    discarded: Vec::new(),
                });
            }
            Ok(value) => value,
            Err(error) => {
                rolled_back(&mut self.program);
                return Err(error);
            }
        };
        let tape = self.tape.clone();
        let Some(Open { start, .. }) = self.open.take() else {
            self.go_on();
            return Ok(self.edited(value, before, tape));
        };
        self.program.drop_thread();
        let tabletop = self.program.tabletop_mut();
        tabletop.rollback(start);
        tabletop.set_push_point(tabletop.agenda().len());
        match act(&mut self.program) {
            Ok(value) => {
                self.go_on();
                Ok(self.edited(value, start, tape))
            }
            Err(error) => {
                self.program.tabletop_mut().rollback(start);
                self.go_on();
                Err(error)
            }
        }
    }

    fn edited<T>(&mut self, value: T, start: Mark, tape: Vec<TapeEntry>) -> Edited<T> {
        Edited {
            value,
            edit: Some(Edit { start, tape }),
            discarded: self.take_discarded(),
        }
    }

    /// Takes an edit back; whatever was done since must have been taken back before.
    pub fn take_back(&mut self, edit: Edit) {
        self.program.drop_thread();
        self.open = None;
        self.program.tabletop_mut().rollback(edit.start);
        self.tape = edit.tape;
        self.go_on();
        self.discarded.clear();
    }
}

impl Recorded {
    /// As [`Session::edit`]; a change begins a new segment.
    ///
    /// # Errors
    /// What `act` raised, in the inner result; else the recording's.
    pub fn edit<T>(
        &mut self,
        act: impl FnMut(&mut Program) -> Result<T, ScriptError>,
    ) -> Result<Result<Edited<T>, ScriptError>, Fault> {
        let done = self.session.edit(act);
        if let Ok(Edited { edit: Some(_), .. }) = &done {
            self.segment("edit")?;
        }
        Ok(done)
    }

    /// As [`Session::take_back`].
    ///
    /// # Errors
    /// The recording's.
    pub fn take_back(&mut self, edit: Edit) -> Result<(), Fault> {
        self.session.take_back(edit);
        Ok(self.segment("edit")?)
    }

    /// Where the content comes from.
    pub fn content(&self) -> super::Content {
        self.content.clone()
    }

    /// Writes no more: what follows is not part of the recording.
    pub fn detach(&mut self) {
        self.recorder = None;
    }
}
