//! Giving a recording's answers again, and where a course first differs.
use std::fmt;

use super::damage::shortened;
use super::recording::{Checkpoint, Line, checkpoint, hash_text};
use super::run::{Session, Status};
use crate::script::Program;
use crate::tabletop::Tabletop;
use crate::tabletop::migrate::Note;

/// The first place where a course isn't what was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The how manieth line of the segment it is, from 0.
    pub line: usize,
    /// The how manieth answer of the segment, from 1; undone ones count.
    pub answer: usize,
    /// The decision that was open: `ttt.turn#0`; empty if there was none.
    pub decision: String,
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "answer {}", self.answer)?;
        if let Some((step, number)) = self.decision.split_once('#') {
            write!(f, ", decision {number} of step `{step}`")?;
        }
        write!(f, ": {}", self.what)
    }
}

/// A session at a checkpoint, under a program's declarations.
pub fn open(checkpoint: &Checkpoint, program: Program) -> Result<(Session, Vec<Note>), Vec<String>> {
    let tabletop = Tabletop::open(&checkpoint.tabletop).map_err(|damaged| vec![damaged.to_string()])?;
    let declared = program.tabletop().declared().clone();
    let (tabletop, notes) = tabletop
        .migrate(declared)
        .map_err(|all| all.into_iter().map(|o| o.text).collect::<Vec<_>>())?;
    let mut program = program;
    let missing: Vec<String> = tabletop
        .agenda()
        .iter()
        .filter(|step| program.world_mut().step_function(&step.name).is_none())
        .map(|step| {
            format!(
                "the step `{}` waits on the agenda, but no script defines it now",
                step.name
            )
        })
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    Ok((Session::resume(program, tabletop, checkpoint.tape.clone()), notes))
}

fn as_text(checkpoint: &Checkpoint) -> String {
    serde_json::to_string(checkpoint).unwrap_or_default()
}

/// What was given again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Answers, undone ones too.
    pub answers: usize,
    /// Lines with no state to compare, since a limit ended their step then or now.
    pub uncompared: usize,
}

/// Gives the lines of a segment to a session. With `strict`, hashes must agree too.
///
/// `seen` is called with each line before it takes effect.
///
/// # Errors
/// The first difference; the session stays before the line that it comes from, or after it where only
/// the hash differs.
pub fn replay(
    session: &mut Session,
    lines: &[Line],
    strict: bool,
    mut seen: impl FnMut(&mut Session, &Line),
) -> Result<Course, Difference> {
    let mut answer = 0;
    let mut uncompared = 0;
    for (number, line) in lines.iter().enumerate() {
        seen(session, line);
        answer += usize::from(matches!(line, Line::Answer { .. }));
        let open = session.decision().map(|d| d.key.clone()).unwrap_or_default();
        let differs = |decision: &str, what: String| Difference {
            line: number,
            answer,
            decision: shortened(decision),
            what,
        };
        let hash = match line {
            Line::Answer {
                seat,
                decision,
                answer,
                hash,
            } => {
                if let Status::Failed(error) = session.status() {
                    return Err(differs(decision, format!("the step fails now: {error}")));
                }
                if open != *decision {
                    let now = if open.is_empty() {
                        "no decision".into()
                    } else {
                        format!("`{open}`")
                    };
                    return Err(differs(
                        decision,
                        format!("`{}` was recorded, and {now} is open", shortened(decision)),
                    ));
                }
                if let Err(refusal) = session.answer(seat, answer) {
                    return Err(differs(
                        decision,
                        format!("`{}` is refused: {refusal}", shortened(&answer.join(" "))),
                    ));
                }
                (decision, hash)
            }
            Line::Undo { count, hash, .. } => {
                if let Err(refusal) = session.undo(*count, true) {
                    return Err(differs(&open, format!("undo is refused: {refusal}")));
                }
                (&open, hash)
            }
            Line::Concede { seat, hash } => {
                if let Err(refusal) = session.concede(seat) {
                    return Err(differs(&open, format!("to concede is refused: {refusal}")));
                }
                (&open, hash)
            }
            Line::End { result, hash } => {
                match session.status() {
                    Status::Ended(now) if **now == **result => {}
                    Status::Ended(now) => {
                        return Err(differs(
                            &open,
                            format!("it ended `{}`, and ends `{now}` now", shortened(result)),
                        ));
                    }
                    _ => {
                        return Err(differs(
                            &open,
                            format!("it ended `{}` here, and goes on now", shortened(result)),
                        ));
                    }
                }
                (&open, hash)
            }
            Line::State(recorded) => {
                if strict && as_text(recorded) != as_text(&checkpoint(session)) {
                    return Err(differs(
                        &open,
                        "the state is another than the one recorded here".into(),
                    ));
                }
                continue;
            }
            Line::Segment(_) => continue,
        };
        let (decision, hash) = hash;
        let now = hash_text(session);
        if hash.is_empty() && goes_on(&lines[number + 1..]) {
            return Err(differs(decision, "the state's hash is missing".into()));
        }
        // A step that a limit ended has no hash: on another machine it may go well.
        if hash.is_empty() || now.is_empty() {
            uncompared += 1;
        } else if strict && *hash != now {
            return Err(differs(
                decision,
                format!("the state's hash is {now}, and {} was recorded", shortened(hash)),
            ));
        }
    }
    Ok(Course {
        answers: answer,
        uncompared,
    })
}

/// Whether the game is played on from where the lines begin, which it isn't after a step that has failed.
fn goes_on(lines: &[Line]) -> bool {
    let next = lines.iter().find(|line| !matches!(line, Line::State(_)));
    next.is_some_and(|line| !matches!(line, Line::Undo { .. }))
}
