//! `ludex play`: a game in a terminal, over a pipe, or as JSON lines.
mod choose;
mod commands;
mod events;
mod game;
mod json;
mod save;
mod screen;
mod start;
mod text;
mod told;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use super::common::typed;
use super::out;
use super::setup::SetupArgs;

const EXAMPLES: &str = "\
Sessions are kept in the user's data directory, $LUDEX_DATA/sessions: of each game the newest 50 that are over, \
and for 90 days those that aren't. What --save writes elsewhere is never deleted.

Examples:
  ludex play                                    list games and scenarios, and ask
  ludex play rove-modules --seed 7              play a game that can be played again
  ludex play rove-modules --set difficulty=hard
  ludex play tic-tac-toe --pack tests/packs/tic-tac-toe --bot o=random
  ludex play rove-modules --resume              go on with the last unfinished session
  echo '{\"id\":1,\"answer\":[\"play-bar\"]}' | ludex play rove-modules --seed 7 --json";

/// Play a game, or go on with one.
#[derive(clap::Args, Debug)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", json::SHAPES.trim_end()))]
pub struct Args {
    /// The game's pack; without it, games are listed
    pub game: Option<String>,
    #[command(flatten)]
    pub setup: SetupArgs,
    /// Go on with a session: a file, or else the last unfinished one
    #[arg(long, value_name = "FILE", num_args = 0..=1, value_parser = typed(), conflicts_with_all = ["seed", "set", "players", "scenario", "with"])]
    pub resume: Option<Option<PathBuf>>,
    /// How to go on where content has changed since the session was saved
    #[arg(long, value_name = "HOW", value_parser = ["saved", "replay"], requires = "resume")]
    pub changed: Option<String>,
    /// Write the session to this file
    #[arg(long, value_name = "FILE", value_parser = typed(), conflicts_with = "resume")]
    pub save: Option<PathBuf>,
    /// Let undo go back over rolled dice and seen cards (for designers; it is marked in the recording)
    #[arg(long)]
    pub free_undo: bool,
    /// Speak one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// With --json: show only what this seat may see, and answer only for it
    #[arg(long = "as", value_name = "SEAT", requires = "json")]
    pub seat: Option<String>,
}

/// Lists what can be played and asks: the game and a scenario of it.
pub fn ask(
    sources: &crate::pack::Sources,
) -> Result<Option<(String, Option<String>)>, super::common::Problem> {
    Ok(choose::ask(sources)?.map(|chosen| (chosen.game, chosen.scenario)))
}

pub fn run(args: &Args) -> ExitCode {
    // What changes from here on may be read or missed by the load; the watch looks at it again.
    let begun = SystemTime::now();
    match start::game(args) {
        Ok(Some(game)) if args.json => json::run(game, args.seat.clone(), begun),
        Ok(Some(game)) => text::run(game, begun),
        Ok(None) => ExitCode::SUCCESS,
        Err(problem) => out::fail(problem.status, problem.message),
    }
}
