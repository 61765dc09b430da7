//! What sets a session up, for every command that plays: game, scenario, options, players, bots.
use std::collections::BTreeMap;

use super::common::{Common, Problem, fresh_seed};
use crate::pack::model::Catalogue;
use crate::pack::names;
use crate::players::Bot;
use crate::session::options;
use crate::session::recording::Setup;
use crate::session::{Content, LoadError};

/// Options of every command that plays.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SetupArgs {
    #[command(flatten)]
    pub common: Common,
    /// Start this scenario: ID or PACK:ID
    #[arg(long, value_name = "ID")]
    pub scenario: Option<String>,
    /// How many seats play
    #[arg(long, value_name = "N")]
    pub players: Option<usize>,
    /// Let a program play a seat: random, greedy or search (repeatable)
    #[arg(long = "bot", value_name = "SEAT=BOT")]
    pub bots: Vec<String>,
}

impl SetupArgs {
    /// The setup that the arguments give, and its bots.
    pub fn setup(
        &self,
        content: &Content,
        game: String,
        scenario: Option<String>,
    ) -> Result<(Setup, BTreeMap<String, Bot>), Problem> {
        let mut setup = Setup {
            game,
            scenario,
            with: self.common.with.clone(),
            folders: self.common.places.folders()?,
            players: self.players,
            seed: self.common.seed.unwrap_or_else(fresh_seed),
            ..Setup::default()
        };
        let catalogue = content.catalogue(&setup).map_err(load_problem)?;
        let preset = preset(&catalogue, setup.scenario.as_deref());
        if let Some(game) = &catalogue.game {
            setup.options = options::parse(game, preset.as_deref(), &self.common.set)
                .map_err(|problems| Problem::wrong_use(problems.join("\n")))?;
        }
        let bots = bots(&catalogue, &self.bots)?;
        setup.bots = bots
            .iter()
            .map(|(seat, bot)| (seat.clone(), bot.name().to_owned()))
            .collect();
        Ok((setup, bots))
    }
}

/// Wrong options and missing packs are wrong use; faults in content are the content's.
pub fn load_problem(error: LoadError) -> Problem {
    match error {
        LoadError::Setup(problem) => Problem::wrong_use(problem),
        other => Problem::failed(other),
    }
}

/// The preset that a scenario names.
fn preset(catalogue: &Catalogue, scenario: Option<&str>) -> Option<String> {
    let scenario = scenario?;
    let (pack, id) = scenario
        .split_once(':')
        .map_or((None, scenario), |(pack, id)| (Some(pack), id));
    let id = id.trim_start_matches("scenarios/");
    let entries = &catalogue.kinds.get("scenarios")?.entries;
    let entry = entries
        .iter()
        .find(|e| e.id == id && pack.is_none_or(|pack| e.pack == pack))?;
    entry.data.get("preset")?.as_str().map(str::to_owned)
}

/// The bots of `--bot SEAT=BOT`, checked against the game.
pub fn bots(catalogue: &Catalogue, texts: &[String]) -> Result<BTreeMap<String, Bot>, Problem> {
    let mut bots = BTreeMap::new();
    let Some(game) = &catalogue.game else {
        return Ok(bots);
    };
    for text in texts {
        let wrong = |problem: String| Problem::wrong_use(format!("`--bot {text}`: {problem}"));
        let Some((seat, name)) = text.split_once('=') else {
            let seat = game.seats.first().map_or("seat", String::as_str);
            return Err(wrong(format!("write SEAT=BOT, such as --bot {seat}=random")));
        };
        if !game.seats.iter().any(|s| s == seat) {
            let help = names::did_you_mean(seat, game.seats.iter().map(String::as_str)).unwrap_or_default();
            return Err(wrong(format!("there is no seat `{seat}`; {help}")));
        }
        let Some(bot) = Bot::parse(name) else {
            let help = names::did_you_mean(name, Bot::NAMES).unwrap_or_default();
            return Err(wrong(format!("there is no bot `{name}`; {help}")));
        };
        if bot.needs_score()
            && !catalogue
                .scripts
                .contains_key(&format!("@{}/rules/score", game.pack))
        {
            return Err(wrong(format!(
                "`{}` has no rules/score.luau, which {name} needs; use random",
                game.pack
            )));
        }
        bots.insert(seat.to_owned(), bot);
    }
    Ok(bots)
}
