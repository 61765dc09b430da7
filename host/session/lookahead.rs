//! Look-ahead: real rules run on from an open decision, and everything is taken back.
//!
//! The open step is rolled back to its start and its tape replayed up to the decision, so the cost grows
//! with a step's length. From there dice come from forked streams and what the seat can't see is
//! reshuffled: nothing hidden shows.
use super::decision::Kind;
use super::question::{self, Bounds};
use super::run::{Answered, Memory, Open, Session, Status, TapeEntry};
use crate::script::vm::ScriptError;
use crate::tabletop::Mark;
use crate::tabletop::dice::{Stream, derive_key};

/// Decisions of others in one line; beyond it the line is scored where it stands.
const OTHERS: usize = 200;

/// Where a line of answers led.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// The game's score for the seat there.
    pub score: f64,
    /// The seat's next decision; `None` at the end of the game or of the line's limit.
    pub next: Option<Bounds>,
}

/// Looks ahead from a session's open decision; when dropped, the session is as it was.
pub struct Ahead<'a> {
    session: &'a mut Session,
    seat: String,
    start: Mark,
    open: Open,
    tape: Vec<TapeEntry>,
    history: Vec<Answered>,
    memory: Memory,
    decisions: u64,
    chance: u64,
    touched: bool,
}

impl<'a> Ahead<'a> {
    /// Looks ahead for `seat`, which is asked now.
    pub fn new(session: &'a mut Session, seat: &str) -> Self {
        let start = session
            .open
            .as_ref()
            .map_or_else(|| session.tabletop().mark(), |open| open.start);
        let open = session.open.clone().unwrap_or(Open {
            step: session.blank_step(),
            start,
            asked: 0,
        });
        let memory = std::mem::replace(&mut session.memory, Memory::All);
        Self {
            seat: seat.into(),
            start,
            open,
            tape: session.tape.clone(),
            history: std::mem::take(&mut session.history),
            memory,
            decisions: session.decisions,
            chance: session.tabletop().chance(),
            session,
            touched: false,
        }
    }

    /// Gives the answers of a line, each at a decision of the seat, and tells where it led. Others answer at
    /// random, the same for every line of one sample.
    ///
    /// # Errors
    /// What the game's score raised. A step that raises ends its line with the lowest score.
    pub fn try_line(&mut self, line: &[Vec<usize>], sample: u64) -> Result<Reached, ScriptError> {
        self.back();
        let session = &mut *self.session;
        let mark = session.tabletop().mark();
        session
            .program
            .tabletop_mut()
            .begin_imagining(Some(&self.seat), sample);
        let mut others = Stream::at(
            derive_key(session.tabletop().seed(), &format!("others {sample}"), "bot"),
            0,
        );
        let reached = run(session, &self.seat, line, &mut others);
        session.program.drop_thread();
        session.program.tabletop_mut().rollback(mark);
        session.program.tabletop_mut().end_imagining();
        self.touched = true;
        reached
    }

    /// Back to the open decision.
    fn back(&mut self) {
        if !self.touched {
            return;
        }
        let session = &mut *self.session;
        session.program.drop_thread();
        session.program.tabletop_mut().rollback(self.start);
        session.tape.clone_from(&self.tape);
        session.history.clear();
        session.open = None;
        session.decisions = self.decisions - 1;
        // The step's own course up to the decision is known; it is no imagining.
        session.rerun(self.open.step.clone());
        session.program.tabletop_mut().set_chance(self.chance);
        self.touched = false;
    }
}

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.back();
        self.session.memory = self.memory;
        self.session.history = std::mem::take(&mut self.history);
        self.session.decisions = self.decisions;
    }
}

fn run(
    session: &mut Session,
    seat: &str,
    line: &[Vec<usize>],
    others: &mut Stream,
) -> Result<Reached, ScriptError> {
    let mut left = line.iter();
    let mut strangers = 0;
    loop {
        match session.status() {
            Status::Failed(_) => {
                return Ok(Reached {
                    score: f64::MIN / 1e6,
                    next: None,
                });
            }
            Status::Ended(_) => {
                return Ok(Reached {
                    score: session.program.score(seat)?,
                    next: None,
                });
            }
            Status::Decision => {}
        }
        let bounds = session.bounds();
        let answer = if session.is_asked(seat) {
            match left.next() {
                Some(answer) => answer.clone(),
                None => {
                    return Ok(Reached {
                        score: session.program.score(seat)?,
                        next: Some(bounds),
                    });
                }
            }
        } else {
            strangers += 1;
            if strangers > OTHERS {
                return Ok(Reached {
                    score: session.program.score(seat)?,
                    next: None,
                });
            }
            any(bounds, others)
        };
        session.answer_quickly(&answer);
    }
}

/// Any answer within bounds.
fn any(bounds: Bounds, chance: &mut Stream) -> Vec<usize> {
    if !question::is_several(bounds.kind) {
        return vec![chance.below(bounds.options as u64) as usize + 1];
    }
    let many = bounds.min + chance.below((bounds.max - bounds.min) as u64 + 1) as usize;
    let mut all: Vec<usize> = (1..=bounds.options).collect();
    chance.shuffle(&mut all);
    all.truncate(many);
    if bounds.kind == Kind::Some {
        all.sort_unstable();
    }
    all
}
