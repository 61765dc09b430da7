//! Taking answers back.
use super::decision::Refusal;
use super::run::{Session, Status};

impl Session {
    /// How many answers can be undone at all.
    pub fn undoable(&self) -> usize {
        self.history.len()
    }

    /// Whether taking back the last `count` answers would unroll dice or hide cards that were seen.
    pub fn undo_is_free(&self, count: usize) -> bool {
        let Some(at) = self.history.len().checked_sub(count) else {
            return false;
        };
        self.history
            .get(at)
            .is_none_or(|a| a.chance == self.tabletop().chance())
    }

    /// Takes back the last `count` answers: the journal rolls back to the start of that step, whose
    /// earlier answers are given again from the tape. Without `free`, dice and seen cards stay.
    pub fn undo(&mut self, count: usize, free: bool) -> Result<(), Refusal> {
        if count == 0 {
            return Ok(());
        }
        let Some(at) = self.history.len().checked_sub(count) else {
            let left = self.history.len();
            return Err(Refusal::new(
                "nothing_to_undo",
                match left {
                    0 if self.conceded => "conceding is final: there is nothing to undo".to_owned(),
                    0 => "there is nothing to undo".to_owned(),
                    1 => "only 1 answer can be undone".to_owned(),
                    n => format!("only {n} answers can be undone"),
                },
            ));
        };
        if !free && !self.undo_is_free(count) {
            return Err(Refusal::new(
                "undo_reveals",
                "dice were rolled or hidden cards were seen since; only --free-undo goes back beyond that",
            ));
        }
        let target = self.history[at].clone();
        let first = at - target.before;
        let tape = self.history[first..at].iter().map(|a| a.entry.clone()).collect();
        self.history.truncate(at);
        self.program.drop_thread();
        self.open = None;
        // What the step rolls again with its tape was seen before.
        let chance = self.tabletop().chance();
        self.program.tabletop_mut().rollback(target.start);
        self.tape = tape;
        self.status = Status::Decision;
        self.go_on();
        self.program.tabletop_mut().set_chance(chance);
        Ok(())
    }
}
