//! Command line: one file for each command.
//!
//! Exit status: 0 well, 1 the content or game failed (diagnostics on stderr), 2 wrong use.
pub mod check;
pub mod common;
mod help;
mod interrupt;
mod out;
mod play;
mod progress;
mod repl;
mod replay;
pub mod setup;
mod sim;
mod solve;
mod terminal;
pub mod test;
mod variant;
pub mod watch;

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
    Play(play::Args),
    Repl(repl::Args),
    Replay(replay::Args),
    Sim(sim::Args),
    Solve(solve::Args),
    Check(check::Args),
    Test(test::Args),
}

/// Runs the command that the process arguments name.
pub fn main() -> ExitCode {
    let ludex = match Ludex::try_parse() {
        Ok(ludex) => ludex,
        Err(error) => {
            // The help of a command that plays a game tells the game's options too.
            let wrong = error.use_stderr();
            let game = if wrong {
                None
            } else {
                help::of_game(&std::env::args().collect::<Vec<_>>())
            };
            let told = error.render().to_string();
            if wrong {
                return out::fail(WRONG_USE, told.trim_end());
            }
            out::print(&told);
            out::print(&game.unwrap_or_default());
            return ExitCode::SUCCESS;
        }
    };
    match ludex.command {
        Command::Play(args) => play::run(&args),
        Command::Repl(args) => repl::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Solve(args) => solve::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Test(args) => test::run(&args),
    }
}

/// The content or the game failed.
pub const FAILED: u8 = 1;
/// The command was used wrongly.
pub const WRONG_USE: u8 = 2;
