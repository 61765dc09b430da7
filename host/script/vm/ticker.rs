//! A coarse clock: one thread for the process counts milliseconds while steps run.
//!
//! Reading it is one load, so every safepoint can, however long the call before it took.
//! Deadlines only ever end a step; nothing that scripts see depends on this clock.
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use crate::tabletop::effort::NOW;

const TICK: Duration = Duration::from_millis(4);
/// How far past a deadline the thread stays awake, so that most steps needn't announce theirs.
const LINGER: u64 = 500;

static AWAKE_UNTIL: AtomicU64 = AtomicU64::new(0);
static ASLEEP: AtomicBool = AtomicBool::new(false);
static THREAD: OnceLock<Thread> = OnceLock::new();

/// Milliseconds counted so far; it stands still while nothing runs.
#[inline]
pub fn now() -> u64 {
    NOW.load(Ordering::Relaxed)
}

/// The value of `now()` after `time`, with the ticker awake until then.
pub fn deadline(time: Duration) -> u64 {
    // One tick more, since the current one may be nearly over.
    let span = time.as_millis() + TICK.as_millis() + 1;
    let deadline = now().saturating_add(u64::try_from(span).unwrap_or(u64::MAX));
    if deadline > AWAKE_UNTIL.load(Ordering::Relaxed) {
        wake(deadline.saturating_add(LINGER));
    }
    deadline
}

#[cold]
fn wake(until: u64) {
    AWAKE_UNTIL.fetch_max(until, Ordering::SeqCst);
    let thread = THREAD.get_or_init(|| {
        let spawned = thread::Builder::new().name("ticker".into()).spawn(tick);
        spawned
            .expect("the system refuses a thread for the step clock")
            .thread()
            .clone()
    });
    if ASLEEP.swap(false, Ordering::SeqCst) {
        thread.unpark();
    }
}

fn tick() {
    let mut last = Instant::now();
    loop {
        thread::sleep(TICK);
        let passed = last.elapsed().as_millis() as u64;
        last += Duration::from_millis(passed);
        let now = NOW.load(Ordering::Relaxed) + passed;
        NOW.store(now, Ordering::Relaxed);
        if now <= AWAKE_UNTIL.load(Ordering::SeqCst) {
            continue;
        }
        // Announced first and checked again after, or a deadline set in between would sleep on.
        ASLEEP.store(true, Ordering::SeqCst);
        while now > AWAKE_UNTIL.load(Ordering::SeqCst) && ASLEEP.load(Ordering::SeqCst) {
            thread::park();
        }
        ASLEEP.store(false, Ordering::SeqCst);
        last = Instant::now();
    }
}
