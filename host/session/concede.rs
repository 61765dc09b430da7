//! Ending a game by a seat's wish.
use super::decision::Refusal;
use super::run::{Session, Status};
use crate::pack::names::did_you_mean;

impl Session {
    /// Ends the game by a seat's wish; the game maps it to a result.
    pub fn concede(&mut self, seat: &str) -> Result<(), Refusal> {
        match &self.status {
            Status::Ended(_) => return Err(Refusal::new("game_over", "the game is over")),
            Status::Failed(_) => {
                return Err(Refusal::new("busy", "a step has failed; mend it, undo or quit"));
            }
            Status::Decision => {}
        }
        let seats = &self.tabletop().declared().seats;
        if !seats.is_empty() && !seats.iter().any(|known| **known == *seat) {
            let help = did_you_mean(seat, seats.iter().map(|known| &**known)).unwrap_or_default();
            return Err(Refusal::new(
                "wrong_seat",
                format!("there is no seat `{seat}`; {help}"),
            ));
        }
        let result = self
            .catalogue()
            .game
            .as_ref()
            .map_or_else(|| "lost".into(), |g| g.concede.clone());
        self.program.drop_thread();
        if let Some(open) = self.open.take() {
            self.program.tabletop_mut().rollback(open.start);
        }
        self.tape.clear();
        self.history.clear();
        self.conceded = true;
        if self.tabletop().declared().seats.len() > 1 {
            let line = format!("{seat} concedes.");
            // Only a text beyond all limits is refused.
            _ = self.program.tabletop_mut().add_log(line.into());
        }
        self.program
            .tabletop_mut()
            .set_result(Some(result.as_str().into()));
        self.go_on();
        Ok(())
    }
}
