//! From arguments to a game at the table: chosen, set up, or resumed.
use std::collections::BTreeMap;
use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use super::game::Game;
use super::{Args, choose, save};
use crate::cli::common::Problem;
use crate::cli::out;
use crate::cli::setup::{bots, load_problem};
use crate::pack::model::Catalogue;
use crate::pack::names;
use crate::players::Bot;
use crate::session::Content;
use crate::session::recorded::{Recorded, StartError};
use crate::session::recorder::may_hold;
use crate::session::recording::RecordingError;
use crate::session::resume::{Changed, ResumeError, Resumed};
use crate::view::{clean, clean_line};

/// The game that the arguments ask for; `None` if the person chose none.
pub fn game(args: &Args) -> Result<Option<Game>, Problem> {
    let content = args.setup.common.places.content()?;
    if let Some(file) = &args.resume {
        let path = match file {
            Some(path) => path.clone(),
            None => last(args.game.as_deref())?,
        };
        return resume(args, content, &path).map(Some);
    }
    let (game, scenario) = match &args.game {
        Some(game) => (game.clone(), args.setup.scenario.clone()),
        None if args.json => {
            return Err(Problem::wrong_use(
                "--json needs the name of a game: ludex play GAME --json",
            ));
        }
        None => match choose::ask(&args.setup.common.places.all_sources()?)? {
            Some(chosen) => (chosen.game, args.setup.scenario.clone().or(chosen.scenario)),
            None => return Ok(None),
        },
    };
    // Who says how the game is to be wants a new one.
    let common = &args.setup.common;
    let plain = scenario.is_none()
        && args.setup.players.is_none()
        && common.seed.is_none()
        && common.set.is_empty()
        && common.with.is_empty();
    if plain
        && args.save.is_none()
        && !args.json
        && io::stdin().is_terminal()
        && let Some(path) = save::unfinished(Some(&game))
        && ask_to_resume(&path)?
    {
        return resume(args, content, &path).map(Some);
    }
    let (setup, bots) = args.setup.setup(&content, game, scenario)?;
    if args.seat.is_some() {
        // Before there is a file of it.
        let catalogue = content.catalogue(&setup).map_err(load_problem)?;
        check_seat(&catalogue, args, &bots)?;
    }
    let mut path = match &args.save {
        Some(path) => {
            // Before the content is loaded.
            may_hold(path).map_err(unsaved)?;
            Some(path.clone())
        }
        None => {
            save::prune(&setup.game);
            save::fresh(&setup.game)
        }
    };
    let mut begun = Recorded::start(content.clone(), setup.clone(), path.as_deref());
    // Another game that begins at this moment may have taken the number.
    while args.save.is_none()
        && let Err(StartError::Recording(RecordingError::Locked { .. } | RecordingError::Taken { .. })) =
            &begun
    {
        path = save::fresh(&setup.game);
        begun = Recorded::start(content.clone(), setup.clone(), path.as_deref());
    }
    let table = match begun {
        // Only a file that was asked for is worth ending for.
        Err(StartError::Recording(error)) if args.save.is_none() => {
            _ = out::fail(0, format!("warning: this session is not saved: {error}"));
            Recorded::start(content, setup, None)
        }
        other => other,
    };
    let table = table.map_err(|error| match error {
        StartError::Load(error) => load_problem(error),
        StartError::Recording(error) => unsaved(error),
    })?;
    let mut game = Game::new(table, bots, args.free_undo);
    game.named_file = args.save.is_some();
    Ok(Some(game))
}

/// The file that was named can't be used.
fn unsaved(error: RecordingError) -> Problem {
    Problem::wrong_use(format!("--save {error}"))
}

/// `--as SEAT` names a seat that a person plays.
fn check_seat(catalogue: &Catalogue, args: &Args, bots: &BTreeMap<String, Bot>) -> Result<(), Problem> {
    let (Some(seat), Some(game)) = (&args.seat, &catalogue.game) else {
        return Ok(());
    };
    if !game.seats.contains(seat) {
        let help = names::did_you_mean(seat, game.seats.iter().map(String::as_str)).unwrap_or_default();
        return Err(Problem::wrong_use(format!(
            "`--as {seat}`: there is no seat `{seat}`; {help}"
        )));
    }
    if bots.contains_key(seat) {
        return Err(Problem::wrong_use(format!("`--as {seat}`: a bot plays {seat}")));
    }
    Ok(())
}

fn last(game: Option<&str>) -> Result<PathBuf, Problem> {
    save::unfinished(game).ok_or_else(|| {
        let of = game.map_or(String::new(), |game| format!(" of `{game}`"));
        Problem::wrong_use(format!(
            "there is no unfinished session{of}; name a file: --resume FILE"
        ))
    })
}

fn ask_to_resume(path: &Path) -> Result<bool, Problem> {
    let shown = clean_line(&path.display().to_string());
    out::line(&format!("There is an unfinished session ({shown})."));
    loop {
        out::print("Go on with it? [Y/n] ");
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(Problem::failed)? == 0 {
            return Err(Problem::failed("nothing was answered"));
        }
        match &*line.trim().to_lowercase() {
            "" | "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => out::line("Answer `yes`, or `no` for a new game."),
        }
    }
}

fn resume(args: &Args, mut content: Content, path: &Path) -> Result<Game, Problem> {
    // Where a pack lies now, if not where it was.
    for folder in args.setup.common.places.folders()? {
        content.sources = content.sources.with_pack(folder);
    }
    let changed = match args.changed.as_deref() {
        Some("saved") => Some(Changed::Saved),
        Some("replay") => Some(Changed::Replay),
        _ => None,
    };
    let mut path = path.to_owned();
    let mut notes = Vec::new();
    let found = match Recorded::resume(content.clone(), &path, changed) {
        Err(ResumeError::Recording(RecordingError::ReadOnly { .. })) => {
            let copy = save::copy(&path)?;
            notes.push(format!(
                "{} can't be written; the session goes on in a copy, {}",
                path.display(),
                copy.display()
            ));
            path = copy;
            Recorded::resume(content.clone(), &path, changed)
        }
        other => other,
    };
    let found = match found {
        Err(error @ ResumeError::Changed { .. }) if !args.json && io::stdin().is_terminal() => {
            match ask_how(&error)? {
                Some(how) => Recorded::resume(content, &path, Some(how)),
                None => Err(error),
            }
        }
        other => other,
    };
    let (mut table, done) = found.map_err(|error| match error {
        ResumeError::Load(error) => load_problem(error),
        ResumeError::Recording(
            error @ (RecordingError::File { .. }
            | RecordingError::NoFile { .. }
            | RecordingError::ReadOnly { .. }
            | RecordingError::Locked { .. }),
        ) => Problem::wrong_use(error),
        other => Problem::failed(other),
    })?;
    if let Some(game) = &args.game
        && *game != table.setup().game
    {
        return Err(Problem::wrong_use(format!(
            "{}: this is a session of `{}`",
            path.display(),
            table.setup().game
        )));
    }
    let catalogue = table.session().catalogue().clone();
    let named: Vec<String> = if args.setup.bots.is_empty() {
        table
            .setup()
            .bots
            .iter()
            .map(|(seat, bot)| format!("{seat}={bot}"))
            .collect()
    } else {
        args.setup.bots.clone()
    };
    let bots = bots(&catalogue, &named)?;
    check_seat(&catalogue, args, &bots)?;
    let mut game = Game::new(table, bots, args.free_undo);
    game.named_file = matches!(args.resume, Some(Some(_)));
    game.midway = done.midway;
    notes.extend(told(&done));
    game.notes = notes;
    game.skip_log();
    Ok(game)
}

/// What a resume with other content did, for the person.
fn told(done: &Resumed) -> Vec<String> {
    let mut told: Vec<String> = done.packs.iter().map(ToString::to_string).collect();
    told.extend(done.notes.iter().cloned());
    told.extend(
        done.difference
            .iter()
            .map(|difference| format!("the course differs first at {difference}")),
    );
    match done.dropped {
        0 => {}
        1 => told.push("1 answer of the recording was not given again".into()),
        n => told.push(format!("{n} answers of the recording were not given again")),
    }
    told
}

fn ask_how(error: &ResumeError) -> Result<Option<Changed>, Problem> {
    out::line(&clean(&error.to_string()));
    loop {
        out::print("saved, replay or quit? ");
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).map_err(Problem::failed)? == 0 {
            return Ok(None);
        }
        match line.trim() {
            "saved" | "s" => return Ok(Some(Changed::Saved)),
            "replay" | "r" => return Ok(Some(Changed::Replay)),
            "quit" | "q" => return Ok(None),
            _ => {}
        }
    }
}
