//! Printing: to stdout at once, and without a panic where nobody reads.
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use super::FAILED;
use crate::view::clean;

/// Writes text and makes it visible. A reader that went away ends the command quietly; what can't be
/// written for another reason, such as a full disk, must not look like success.
pub fn print(text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        _ = fail(FAILED, format!("the output can't be written: {error}"));
        std::process::exit(FAILED.into());
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

/// "1 case", "2 cases".
pub fn count(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Tells what is wrong on stderr and gives the exit status for it.
pub fn fail(status: u8, message: impl Display) -> ExitCode {
    let mut err = io::stderr().lock();
    // Messages quote packs and files. Nowhere is left to report that stderr is closed.
    _ = writeln!(err, "{}", clean(&message.to_string()));
    ExitCode::from(status)
}
