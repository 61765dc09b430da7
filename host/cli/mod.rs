//! Command line: one file for each command.
use std::process::ExitCode;

/// Runs the command that the process arguments name.
pub fn main() -> ExitCode {
    ExitCode::from(2)
}
