//! `ludex repl`: rules tried line by line.
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::common::{Common, Problem};
use super::setup::{SetupArgs, load_problem};
use super::watch::Watch;
use super::{FAILED, out, terminal};
use crate::pack::{data_folder, trouble};
use crate::repl::Repl;
use crate::repl::editor::{self, Surroundings};
use crate::session::Recorded;
use crate::session::recorded::StartError;
use crate::view::Style;

/// Try rules line by line over a game in progress.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex repl rove-modules --seed 7\n  ludex repl tic-tac-toe --pack tests/packs/tic-tac-toe\n  echo 'board.spaces()' | ludex repl tic-tac-toe --pack tests/packs/tic-tac-toe\nA line of Luau runs as a step may, and an expression prints its value; `:help` lists the commands."
)]
pub struct Args {
    /// The game's pack; without it, games are listed
    pub game: Option<String>,
    #[command(flatten)]
    pub common: Common,
    /// Start this scenario: ID or PACK:ID
    #[arg(long, value_name = "ID")]
    scenario: Option<String>,
    /// How many seats play
    #[arg(long, value_name = "N")]
    players: Option<usize>,
}

pub fn run(args: &Args) -> ExitCode {
    match talk(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => FAILED.into(),
        Err(problem) => out::fail(problem.status, problem.message),
    }
}

/// Whether no line has failed; in a terminal that doesn't count.
fn talk(args: &Args) -> Result<bool, Problem> {
    let begun = SystemTime::now();
    let content = args.common.places.content()?;
    let (game, scenario) = match &args.game {
        Some(game) => (game.clone(), args.scenario.clone()),
        None => match super::play::ask(&args.common.places.all_sources()?)? {
            Some((game, scenario)) => (game, args.scenario.clone().or(scenario)),
            None => return Ok(true),
        },
    };
    let setup = SetupArgs {
        common: args.common.clone(),
        players: args.players,
        ..SetupArgs::default()
    };
    let (setup, _) = setup.setup(&content, game, scenario)?;
    let table = Recorded::start(content, setup, None).map_err(|error| match error {
        StartError::Load(error) => load_problem(error),
        StartError::Recording(error) => Problem::failed(error),
    })?;
    let live = io::stdin().is_terminal() && io::stdout().is_terminal();
    let style = if live { terminal::style() } else { Style::plain() };
    let mut repl = Repl::new(table, style).map_err(Problem::failed)?;
    let mut around = Around::new(repl.folders(), begun, live.then_some(style));
    around.print(&repl.greeting());
    if live {
        let history = data_folder().map(|data| data.join("repl-history"));
        editor::from_terminal(&mut repl, &mut around, history.as_deref()).map_err(Problem::failed)?;
        return Ok(true);
    }
    editor::from_pipe(&mut repl, &mut around, io::stdin().lock()).map_err(|error| {
        let why = trouble::with_file(&error);
        Problem::failed(format!(
            "the input can't be read: {why}; give lines of Luau, such as: echo 'board.spaces()' | ludex repl GAME"
        ))
    })
}

/// Stdout, and the files that a watch has seen change.
struct Around {
    /// Of a terminal, which would break words; what reads a pipe wants each message in a line.
    style: Option<Style>,
    changed: Arc<Mutex<Vec<PathBuf>>>,
    watch: Watch,
    folders: Vec<PathBuf>,
}

impl Around {
    fn new(folders: Vec<PathBuf>, begun: SystemTime, style: Option<Style>) -> Self {
        let changed: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        let seen = changed.clone();
        let watch = Watch::new(folders.clone(), begun, move |files| {
            seen.lock().unwrap_or_else(PoisonError::into_inner).extend(files);
            true
        });
        Self {
            style,
            changed,
            watch,
            folders,
        }
    }
}

impl Surroundings for Around {
    fn print(&mut self, text: &str) {
        match self.style {
            Some(style) => out::print(&style.wrap_rows(text)),
            None => out::print(text),
        }
    }

    fn changed(&mut self) -> Vec<String> {
        let files = std::mem::take(&mut *self.changed.lock().unwrap_or_else(PoisonError::into_inner));
        let name = |path: PathBuf| {
            let folder = self.folders.iter().find(|folder| path.starts_with(folder));
            let short = folder
                .and_then(|folder| path.strip_prefix(folder).ok())
                .unwrap_or(&path);
            short.display().to_string()
        };
        files.into_iter().map(name).collect()
    }

    fn watch(&mut self, folders: Vec<PathBuf>) {
        if folders != self.folders {
            self.folders.clone_from(&folders);
            self.watch.folders(folders);
        }
    }
}
