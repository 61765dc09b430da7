//! Running steps: each is a transaction that commits whole or is rolled back.
use std::sync::Arc;

use super::decision::{Decision, Refusal};
use super::question;
use crate::pack::model::Catalogue;
use crate::script::vm::ScriptError;
use crate::script::{Halt, Program};
use crate::tabletop::{Mark, Step, Tabletop};

/// What a session waits for.
#[derive(Clone, Debug)]
pub enum Status {
    /// The open decision.
    Decision,
    /// The game is over.
    Ended(Arc<str>),
    /// A step raised. It waits at its start with its tape: mend the file and reload, or undo.
    Failed(ScriptError),
}

/// One answer of the open step's tape. It is reused only where seat and decision key match and the
/// answer is offered.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TapeEntry {
    pub seat: String,
    /// `rove.turn#0`.
    pub decision: String,
    /// The keys that were offered.
    pub offered: Vec<String>,
    /// The keys answered.
    pub answer: Vec<String>,
}

/// The step that is running, or that failed.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub step: Step,
    /// The journal before the step was taken from the agenda.
    pub start: Mark,
    /// How many decisions it has asked.
    pub asked: usize,
}

/// An answer that undo can take back.
#[derive(Clone, Debug)]
pub(super) struct Answered {
    pub entry: TapeEntry,
    /// Where the step began that it answered.
    pub start: Mark,
    /// How many answers that step had got before.
    pub before: usize,
    /// What dice and hidden cards had shown when it was given.
    pub chance: u64,
}

/// How much a session keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Everything: undo reaches back to the start.
    All,
    /// Nothing but the present: for simulations.
    Present,
}

/// A game in progress.
pub struct Session {
    pub(super) program: Program,
    pub(super) status: Status,
    pub(super) open: Option<Open>,
    pub(super) tape: Vec<TapeEntry>,
    pub(super) history: Vec<Answered>,
    pub(super) memory: Memory,
    pub(super) decisions: u64,
    pub(super) decision: Option<Arc<Decision>>,
    /// Answers of the tape that a changed step no longer asked for.
    pub(super) discarded: Vec<TapeEntry>,
    /// Whether the game ended by a seat's wish: that can't be undone.
    pub(super) conceded: bool,
    /// Whether answers reused from the tape are to be undoable: after opening a save.
    pub(super) remember: bool,
    /// Steps committed so far, for the guard against games that never ask.
    quiet: u32,
}

/// Steps without a decision in between before the session says that the game runs in circles.
const QUIET_LIMIT: u32 = 10_000;

impl Session {
    /// A session at the game's first step, run up to its first decision.
    pub fn new(mut program: Program, memory: Memory) -> Self {
        let start = program
            .catalogue()
            .game
            .as_ref()
            .map(|g| g.start.clone())
            .unwrap_or_default();
        program.tabletop_mut().begin(&start);
        let mut session = Self::over(program, memory);
        session.go_on();
        session
    }

    /// A session over a tabletop as it is, not yet run.
    pub fn over(mut program: Program, memory: Memory) -> Self {
        // Nobody asks a simulation why.
        program.world_mut().explaining = memory == Memory::All;
        Self {
            program,
            status: Status::Decision,
            open: None,
            tape: Vec::new(),
            history: Vec::new(),
            memory,
            decisions: 0,
            decision: None,
            discarded: Vec::new(),
            conceded: false,
            remember: false,
            quiet: 0,
        }
    }

    pub fn status(&self) -> &Status {
        &self.status
    }

    pub fn tabletop(&self) -> &Tabletop {
        self.program.tabletop()
    }

    pub fn catalogue(&self) -> &Arc<Catalogue> {
        self.program.catalogue()
    }

    pub fn program(&mut self) -> &mut Program {
        &mut self.program
    }

    /// The tape of the open step.
    pub fn tape(&self) -> &[TapeEntry] {
        &self.tape
    }

    /// The tabletop as it was when the open step began.
    pub fn at_step_start(&self) -> std::borrow::Cow<'_, Tabletop> {
        match &self.open {
            Some(open) => {
                let mut tabletop = self.tabletop().clone();
                tabletop.rollback(open.start);
                std::borrow::Cow::Owned(tabletop)
            }
            None => std::borrow::Cow::Borrowed(self.tabletop()),
        }
    }

    /// Goes on from a tabletop at the start of a step, with that step's tape.
    pub fn resume(mut program: Program, tabletop: Tabletop, tape: Vec<TapeEntry>) -> Self {
        program.replace_tabletop(tabletop);
        let mut session = Self::over(program, Memory::All);
        session.tape = tape;
        session.remember = true;
        session.go_on();
        session.remember = false;
        session
    }

    /// Begins anew from a tabletop of the same declarations: simulations keep their VM.
    pub fn restart(&mut self, tabletop: Tabletop) {
        self.program.replace_tabletop(tabletop);
        self.open = None;
        self.tape.clear();
        self.history.clear();
        self.conceded = false;
        self.quiet = 0;
        self.go_on();
    }

    /// Runs steps until a decision, the end or an error.
    pub fn go_on(&mut self) {
        self.decision = None;
        loop {
            if let Some(result) = self.tabletop().result() {
                self.status = Status::Ended(result.clone());
                return;
            }
            let start = self.tabletop().mark();
            let Some(step) = self.program.tabletop_mut().pop_step() else {
                self.status = Status::Failed(ScriptError::new(
                    "no step is left and the game has no result: a step must `finish(\"...\")` or name a `next` step",
                ));
                return;
            };
            self.open = Some(Open {
                step: step.clone(),
                start,
                asked: 0,
            });
            let halt = self.program.start(&step);
            if !self.settle(halt) {
                return;
            }
            self.quiet += 1;
            if self.quiet > QUIET_LIMIT {
                self.status = Status::Failed(ScriptError::new(format!(
                    "{QUIET_LIMIT} steps ran without a decision; the last was `{}`",
                    step.name
                )));
                return;
            }
        }
    }

    /// Takes in how the open step came to a halt, replaying its tape where there is one left.
    /// Answers whether the step has ended well.
    pub(super) fn settle(&mut self, mut halt: Halt) -> bool {
        loop {
            match halt {
                Halt::Done => {
                    // A step that asks less than it did.
                    let asked = self.open.as_ref().map_or(0, |open| open.asked);
                    if asked < self.tape.len() {
                        self.discarded.extend(self.tape.drain(asked..));
                    }
                    self.commit();
                    return true;
                }
                Halt::Failed(error) => {
                    self.fail(error);
                    return false;
                }
                Halt::Decision => {
                    let Some(open) = self.open.as_mut() else {
                        return false;
                    };
                    open.asked += 1;
                    let asked = open.asked - 1;
                    if asked < self.tape.len() {
                        match self.reuse(asked) {
                            Some(next) => {
                                halt = next;
                                continue;
                            }
                            None => self.discarded.extend(self.tape.drain(asked..)),
                        }
                    }
                    self.status = Status::Decision;
                    self.decision = None;
                    self.decisions += 1;
                    self.quiet = 0;
                    return false;
                }
            }
        }
    }

    /// Answers the open decision from the tape, if the entry fits it.
    fn reuse(&mut self, asked: usize) -> Option<Halt> {
        let entry = self.tape[asked].clone();
        let decision = self.build_decision().ok()?;
        if decision.key != entry.decision || !decision.seats.contains(&entry.seat) {
            return None;
        }
        let indices = decision
            .indices(&entry.answer, &self.tabletop().declared().topologies)
            .ok()?;
        let several = question::is_several(decision.kind);
        if self.remember
            && let Some(open) = &self.open
        {
            let chance = self.tabletop().chance();
            self.history.push(Answered {
                entry,
                start: open.start,
                before: asked,
                chance,
            });
        }
        Some(self.program.answer(&indices, several))
    }

    /// The last answer that undo would take back.
    pub fn last_answer(&self) -> Option<&TapeEntry> {
        self.recent().next()
    }

    /// The answers that undo can take back, latest first.
    pub fn recent(&self) -> impl Iterator<Item = &TapeEntry> {
        self.history.iter().rev().map(|answered| &answered.entry)
    }

    /// How many answers were given since the journal was at a mark, of those that undo can take back.
    pub fn answers_since(&self, mark: Mark) -> usize {
        let later = self.history.iter().rev();
        later.take_while(|answered| answered.start > mark).count()
    }

    fn commit(&mut self) {
        self.open = None;
        self.tape.clear();
        if self.memory == Memory::Present {
            self.program.tabletop_mut().forget_journal();
            self.history.clear();
        }
    }

    /// The step is rolled back to its start and waits there; its tape is kept.
    fn fail(&mut self, error: ScriptError) {
        self.program.drop_thread();
        if let Some(open) = &self.open {
            self.program.tabletop_mut().rollback(open.start);
        }
        self.open = None;
        self.decision = None;
        self.status = Status::Failed(error);
    }

    /// Runs a step from the agenda's top once more, with the tape, when nothing else may follow it.
    pub(super) fn rerun(&mut self, step: Step) {
        self.decision = None;
        let start = self.tabletop().mark();
        _ = self.program.tabletop_mut().pop_step();
        self.open = Some(Open {
            step: step.clone(),
            start,
            asked: 0,
        });
        let halt = self.program.start(&step);
        self.settle(halt);
    }

    /// A step that does nothing, for a session that has none open.
    pub(super) fn blank_step(&self) -> Step {
        Step {
            name: "".into(),
            arguments: Default::default(),
        }
    }

    /// The first seat that the open decision asks, by its place among the seats.
    pub fn first_asked(&self) -> usize {
        question::first_asked(&self.program)
    }

    /// Whether the open decision is one that the seat may answer.
    pub fn is_asked(&self, seat: &str) -> bool {
        question::is_asked(&self.program, seat)
    }

    /// Runs the step that failed, or that was rolled back, once more with its tape.
    pub fn retry(&mut self) {
        self.program.drop_thread();
        if let Some(open) = self.open.take() {
            self.program.tabletop_mut().rollback(open.start);
        }
        self.quiet = 0;
        self.go_on();
    }

    /// Answers of the tape that a changed step no longer asked for; they are told once.
    pub fn take_discarded(&mut self) -> Vec<TapeEntry> {
        std::mem::take(&mut self.discarded)
    }

    /// The open decision, built on first request.
    pub fn decision(&mut self) -> Result<Arc<Decision>, Refusal> {
        match &self.status {
            Status::Decision => {}
            Status::Ended(_) => return Err(Refusal::new("game_over", "the game is over")),
            Status::Failed(_) => {
                return Err(Refusal::new("busy", "a step has failed; mend it, undo or quit"));
            }
        }
        if let Some(decision) = &self.decision {
            return Ok(decision.clone());
        }
        match self.build_decision() {
            Ok(decision) => {
                let decision = Arc::new(decision);
                self.decision = Some(decision.clone());
                Ok(decision)
            }
            Err(error) => {
                // A decision that can't be shown is a fault of the step.
                self.fail(error);
                Err(Refusal::new("busy", "a step has failed; mend it, undo or quit"))
            }
        }
    }

    fn build_decision(&mut self) -> Result<Decision, ScriptError> {
        let (step, asked) = match &self.open {
            Some(open) => (open.step.name.clone(), open.asked - 1),
            None => return Err(ScriptError::new("no decision is open")),
        };
        question::read(&mut self.program, format!("{step}#{asked}"), self.decisions)
    }

    /// How many options the open decision has; without building their keys.
    pub fn option_count(&self) -> usize {
        question::count(&self.program)
    }

    /// The kind and bounds of the open decision; without building its keys.
    pub fn bounds(&self) -> question::Bounds {
        question::bounds(&self.program)
    }

    /// Answers the open decision. A refused answer changes nothing.
    pub fn answer(&mut self, seat: &str, keys: &[String]) -> Result<(), Refusal> {
        let decision = self.decision()?;
        if !decision.seats.iter().any(|s| s == seat) {
            return Err(Refusal::new(
                "wrong_seat",
                format!(
                    "this is for {} to decide, not for {seat}",
                    decision.seats.join(" or ")
                ),
            ));
        }
        let indices = match decision.indices(keys, &self.tabletop().declared().topologies) {
            Ok(indices) => indices,
            Err(refusal) => return Err(self.explain(refusal, keys)),
        };
        for index in &indices {
            if let Some(only) = decision.options[index - 1].seat.as_deref()
                && only != seat
            {
                return Err(Refusal::new(
                    "wrong_seat",
                    format!("`{}` is for {only} to choose", keys[0]),
                ));
            }
        }
        let entry = TapeEntry {
            seat: seat.into(),
            decision: decision.key.clone(),
            offered: decision.options.iter().map(|o| o.key.clone()).collect(),
            answer: keys.to_vec(),
        };
        self.take_answer(entry, &indices, question::is_several(decision.kind));
        Ok(())
    }

    /// Answers by option numbers from 1, without keys and without a tape: for simulations.
    pub fn answer_quickly(&mut self, indices: &[usize]) {
        let several = question::is_several(self.bounds().kind);
        let halt = self.program.answer(indices, several);
        if self.settle(halt) {
            self.go_on();
        }
    }

    fn take_answer(&mut self, entry: TapeEntry, indices: &[usize], several: bool) {
        if let Some(open) = &self.open {
            let chance = self.tabletop().chance();
            self.history.push(Answered {
                entry: entry.clone(),
                start: open.start,
                before: self.tape.len(),
                chance,
            });
        }
        self.tape.push(entry);
        self.decision = None;
        let halt = self.program.answer(indices, several);
        if self.settle(halt) {
            self.go_on();
        }
    }

    /// Why the rules refuse an answer that isn't offered: the decision's `refuse`, if it has one.
    fn explain(&mut self, refusal: Refusal, keys: &[String]) -> Refusal {
        if refusal.code != "not_offered" {
            return question::reword(&self.program, refusal, keys);
        }
        question::refuse(&mut self.program, refusal, keys)
    }
}
