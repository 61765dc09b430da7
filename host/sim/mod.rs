//! Many seeded games on several threads. What they come to doesn't depend on how many threads there are.
mod game;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use crate::pack::model::Catalogue;
use crate::players::Bot;
use crate::session::recording::Setup;
use crate::session::{Content, LoadError};
use crate::tabletop::dice::{Stream, derive_key};

pub use game::{Outcome, Table, record};
pub use report::{Fault, Metric, Report};

/// Games that a thread takes at once; within it, games are verified in reverse order on a second VM.
const BATCH: u64 = 16;

/// What to simulate.
pub struct Plan {
    pub content: Content,
    pub setup: Setup,
    /// Bots by seat; the others choose at random.
    pub bots: BTreeMap<String, Bot>,
    pub games: u64,
    pub threads: usize,
    /// Play each game again from its answers and compare the state after each.
    pub verify: bool,
}

/// A run as it is seen from outside.
pub struct Monitor<'a> {
    /// Games that have come to their end.
    pub played: AtomicU64,
    /// Set to end the run before its time: what was played counts, games in their midst don't.
    pub stop: &'a AtomicBool,
}

/// The seed of one game of a run.
pub fn seed_of(base: u64, index: u64) -> u64 {
    // 53 bits, so that every JSON reader keeps it.
    Stream::at(derive_key(base, "sim", &index.to_string()), 0).draw() >> 11
}

/// Plays them all, or as many as there is time for.
///
/// # Errors
/// The content doesn't load.
pub fn run(plan: &Plan, monitor: &Monitor) -> Result<Report, LoadError> {
    let catalogue = plan.content.catalogue(&plan.setup)?;
    // Faults of scripts show once, not once for each thread.
    drop(plan.content.program(&catalogue, &plan.setup)?);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let threads = plan.threads.clamp(1, 256);
    let parts: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| work(plan, &catalogue, &next, monitor)))
            .collect();
        workers.into_iter().map(|worker| worker.join()).collect()
    });
    let mut outcomes = Vec::new();
    for part in parts {
        match part {
            Ok(Ok(mut part)) => outcomes.append(&mut part),
            Ok(Err(error)) => return Err(error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
    outcomes.sort_unstable_by_key(|(index, _)| *index);
    Ok(Report::new(plan, &catalogue, outcomes, start.elapsed()))
}

fn work(
    plan: &Plan,
    catalogue: &Arc<Catalogue>,
    next: &AtomicU64,
    monitor: &Monitor,
) -> Result<Vec<(u64, Outcome)>, LoadError> {
    let mut table = Table::new(plan, catalogue)?;
    let mut second = if plan.verify {
        Some(Table::new(plan, catalogue)?)
    } else {
        None
    };
    let mut outcomes = Vec::new();
    loop {
        let from = next.fetch_add(BATCH, Ordering::Relaxed);
        if from >= plan.games || monitor.stop.load(Ordering::Relaxed) {
            return Ok(outcomes);
        }
        let first = outcomes.len();
        let mut courses = Vec::new();
        for index in from..(from + BATCH).min(plan.games) {
            let mut course = second.is_some().then(Vec::new);
            let seed = seed_of(plan.setup.seed, index);
            let Some(outcome) = table.play(seed, course.as_mut(), monitor.stop) else {
                break;
            };
            monitor.played.fetch_add(1, Ordering::Relaxed);
            outcomes.push((index, outcome));
            courses.extend(course);
        }
        if let Some(second) = &mut second {
            for (at, course) in courses.iter().enumerate().rev() {
                let (index, outcome) = &mut outcomes[first + at];
                if let Err(what) = second.verify(seed_of(plan.setup.seed, *index), course) {
                    outcome.differs = Some(what);
                }
            }
        }
    }
}
