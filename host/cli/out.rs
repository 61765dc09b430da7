//! Printing: to stdout at once, and without a panic where nobody reads.
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Writes text and makes it visible. A reader that went away ends the command.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}

/// As [`print`], with the end of the line.
pub fn line(text: &str) {
    print(&format!("{text}\n"));
}

/// [`line`] with the arguments of `format!`; `println!` panics where nobody reads.
macro_rules! outln {
    ($($arguments:tt)*) => { $crate::cli::out::line(&format!($($arguments)*)) };
}
pub(super) use outln;

/// Tells what is wrong on stderr and gives the exit status for it.
pub fn fail(status: u8, message: impl Display) -> ExitCode {
    let mut err = io::stderr().lock();
    // Nowhere is left to report that stderr is closed.
    _ = writeln!(err, "{message}");
    ExitCode::from(status)
}
