//! `--help` with the name of a game: its options, presets, seats and scenarios.
use clap::Parser;

use super::common::Common;
use super::{Command, Ludex};
use crate::pack::{installed, resolve};
use crate::session::options::show;
use crate::session::recording::Setup;
use crate::tabletop::Value;
use crate::view::clean_line;

/// What a game adds to the help of a command that plays; `None` where no game is named or it doesn't load.
pub fn of_game(arguments: &[String]) -> Option<String> {
    let plain = arguments
        .iter()
        .filter(|argument| !matches!(argument.as_str(), "--help" | "-h"));
    let (game, common) = match Ludex::try_parse_from(plain).ok()?.command {
        Command::Play(args) => (args.game?, args.setup.common),
        Command::Repl(args) => (args.game?, args.common),
        Command::Sim(args) => (args.game, args.setup.common),
        _ => return None,
    };
    text(&game, &common)
}

fn text(game: &str, args: &Common) -> Option<String> {
    let setup = Setup {
        game: game.into(),
        with: args.with.clone(),
        folders: args.places.folders().ok()?,
        ..Setup::default()
    };
    let catalogue = args.places.content().ok()?.catalogue(&setup).ok()?;
    let found = catalogue.game.as_ref()?;
    let mut text = format!("\n{}", clean_line(&found.title));
    if !found.summary.is_empty() {
        text += &format!(": {}", clean_line(&found.summary));
    }
    text += &format!("\n  seats: {}\n", found.seats.join(", "));
    for option in &found.options {
        let values: Vec<String> = option.values.iter().map(show).collect();
        let values = if values.is_empty() {
            option.kind.name().to_owned()
        } else {
            values.join(", ")
        };
        let name = &option.name;
        text += &format!(
            "  --set {name}={}  ({values}) {}\n",
            show(&option.default),
            clean_line(&option.doc)
        );
    }
    for (name, values) in &found.presets {
        let pairs: Vec<String> = values
            .iter()
            .map(|(key, value): (&String, &Value)| format!("{key}={}", show(value)))
            .collect();
        text += &format!("  --set preset={name}  ({})\n", pairs.join(", "));
    }
    let all = installed(&args.places.all_sources().ok()?);
    let scenarios: Vec<String> = all
        .packs
        .iter()
        .filter(|(id, pack)| *id == game || pack.manifest.depends.contains_key(game))
        .flat_map(|(_, pack)| resolve::scenario_ids(&pack.folder))
        .collect();
    if !scenarios.is_empty() {
        text += &format!("  scenarios: {}\n", scenarios.join(", "));
    }
    Some(text)
}
