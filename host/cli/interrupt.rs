//! Ctrl-C as a wish to come to an end, for a command that has something to tell then.
use std::sync::atomic::AtomicBool;

/// The exit status of what Ctrl-C has ended, as shells count it.
pub const INTERRUPTED: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only sets what this gives; a second one ends the process as ever. Where there are
/// no Unix signals, so does the first.
pub fn heed() -> &'static AtomicBool {
    #[cfg(unix)]
    unix::heed();
    &ASKED
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::Ordering;

    pub fn heed() {
        // SAFETY: the handler does nothing but what a signal handler may.
        unsafe {
            libc::signal(
                libc::SIGINT,
                note as extern "C" fn(libc::c_int) as libc::sighandler_t,
            )
        };
    }

    extern "C" fn note(_: libc::c_int) {
        super::ASKED.store(true, Ordering::Relaxed);
        // SAFETY: `signal` may be called in a handler.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
    }
}
