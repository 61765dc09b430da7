//! Command line: one file for each command.
//!
//! Exit status: 0 well, 1 the content or game failed (diagnostics on stderr), 2 wrong use.
pub mod check;
pub mod common;
mod out;
mod play;
mod terminal;
pub mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "ludex", version, about = "Rules of tabletop games as scripts and data")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play a game, or go on with one
    Play(play::Args),
    Check(check::Args),
    Test(test::Args),
}

/// Runs the command that the process arguments name.
pub fn main() -> ExitCode {
    out::end_quietly_on_closed_pipe();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to stdout and is no error.
            let wrong = error.use_stderr();
            _ = error.print();
            return if wrong { WRONG_USE.into() } else { ExitCode::SUCCESS };
        }
    };
    match cli.command {
        Command::Play(args) => play::run(args),
        Command::Check(args) => check::run(&args),
        Command::Test(args) => test::run(&args),
    }
}

/// The content or the game failed.
pub const FAILED: u8 = 1;
/// The command was used wrongly.
pub const WRONG_USE: u8 = 2;
