//! From sources and a setup to a program: what starting, resuming, reloading and replaying share.
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::options;
use super::recording::Setup;
use crate::pack::model::Catalogue;
use crate::pack::{self, Diagnostic, Selection, Sources, diagnostic, pack_id, report};
use crate::script::vm::{Budget, BytecodeCache};
use crate::script::{Program, problem_of};
use crate::tabletop::Value;

/// Where content comes from. A clone shares the cache of compiled scripts.
#[derive(Clone)]
pub struct Content {
    pub sources: Sources,
    pub budget: Budget,
    cache: Arc<BytecodeCache>,
}

/// Why content can't be played.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// Faults of packs, their scripts too: every one of them.
    Packs(Vec<Diagnostic>),
    /// The setup doesn't fit the game: a wrong option, too many players.
    Setup(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packs(problems) => f.write_str(report::text(problems).trim_end()),
            Self::Setup(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for LoadError {}

impl Content {
    pub fn new(sources: Sources, budget: Budget) -> Self {
        Self {
            sources,
            budget,
            cache: Arc::default(),
        }
    }

    /// Reads the packs that a setup activates.
    pub fn catalogue(&self, setup: &Setup) -> Result<Arc<Catalogue>, LoadError> {
        let mut sources = self.sources.clone();
        let named = self.sources.named();
        let ids: Vec<_> = named.iter().filter_map(|folder| pack_id(folder)).collect();
        for folder in &setup.folders {
            if named.is_empty() && !folder.is_dir() {
                let shown = folder.display().to_string();
                let lost = Diagnostic::of_file("no-folder", "", &shown, "there is no such folder");
                let help = "the session's pack lay here; if it has moved, name its folder: --pack DIR";
                return Err(LoadError::Packs(vec![lost.help(help)]));
            }
            // A recording's pack may have moved, or another folder's be wanted: whoever opens it names it.
            let moved = !named.is_empty() && !folder.is_dir();
            let replaced = || pack_id(folder).is_some_and(|id| ids.contains(&id));
            if !moved && !named.contains(folder) && !replaced() {
                sources = sources.with_pack(folder);
            }
        }
        let selection = Selection {
            game: Some(setup.game.clone()),
            scenario: setup.scenario.clone(),
            with: setup.with.clone(),
        };
        let mut catalogue = pack::load(&sources, &selection).map_err(LoadError::Packs)?;
        let Some(game) = &mut catalogue.game else {
            return Err(LoadError::Setup(format!(
                "`{}` is no game: it has no game.toml",
                setup.game
            )));
        };
        if let Some(players) = setup.players {
            let (low, high) = game.seat_range;
            if players < low || players > high {
                let range = if low == high {
                    low.to_string()
                } else {
                    format!("{low} to {high}")
                };
                let noun = if high == 1 { "player" } else { "players" };
                return Err(LoadError::Setup(format!(
                    "`{}` is for {range} {noun}, not {players}",
                    setup.game
                )));
            }
            game.seats.truncate(players);
        }
        Ok(Arc::new(catalogue))
    }

    /// Loads a catalogue's scripts over a new tabletop.
    pub fn program(&self, catalogue: &Arc<Catalogue>, setup: &Setup) -> Result<Program, LoadError> {
        let values = self.options(catalogue, setup);
        let loaded = Program::load(
            catalogue.clone(),
            setup.seed,
            &values,
            self.budget,
            self.cache.clone(),
        );
        let mut program = loaded.map_err(|errors| {
            // As `check` tells them: with the file's path and the line.
            let mut problems: Vec<_> = errors.iter().map(|error| problem_of(error, catalogue)).collect();
            diagnostic::sort(&mut problems);
            LoadError::Packs(problems)
        })?;
        let problems: Vec<_> = program
            .content_problems()
            .into_iter()
            .filter(Diagnostic::is_error)
            .collect();
        if problems.is_empty() {
            Ok(program)
        } else {
            Err(LoadError::Packs(problems))
        }
    }

    /// Both at once.
    pub fn load(&self, setup: &Setup) -> Result<Program, LoadError> {
        self.program(&self.catalogue(setup)?, setup)
    }

    /// What scripts find in `options`: the game's defaults, what the setup says, and the scenario as a
    /// reference that `content.get` takes.
    fn options(&self, catalogue: &Catalogue, setup: &Setup) -> BTreeMap<String, Value> {
        let mut values = options::defaults(catalogue);
        for (name, value) in &setup.options {
            if let Some(known) = values.get_mut(name) {
                *known = value.clone();
            }
        }
        if let Some(scenario) = &setup.scenario {
            let reference = match scenario.split_once(':') {
                Some((pack, id)) => format!("{pack}:scenarios/{}", id.trim_start_matches("scenarios/")),
                None => format!("scenarios/{}", scenario.trim_start_matches("scenarios/")),
            };
            values
                .entry("scenario".into())
                .or_insert_with(|| reference.as_str().into());
        }
        values
    }
}
