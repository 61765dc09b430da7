//! Command line: one file for each command.
pub mod check;
pub mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Ludex runs tabletop games whose rules are scripts and data.
#[derive(Parser, Debug)]
#[command(name = "ludex", version)]
struct Ludex {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Check(check::Args),
    Test(test::Args),
}

/// Runs the command that the process arguments name.
pub fn main() -> ExitCode {
    match Ludex::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Test(args) => test::run(&args),
    }
}
