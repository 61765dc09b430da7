//! A game's typed options: from `--set key=value` to values.
use std::collections::BTreeMap;

use crate::pack::model::{Catalogue, GameDef, OptionDef};
use crate::pack::names;
use crate::tabletop::{Value, ValueType};

/// `--set preset=NAME` sets all that a preset of the game sets.
pub const PRESET: &str = "preset";

/// Every option at its default.
pub fn defaults(catalogue: &Catalogue) -> BTreeMap<String, Value> {
    let options = catalogue.game.iter().flat_map(|game| &game.options);
    options
        .map(|option| (option.name.clone(), option.default.clone()))
        .collect()
}

/// The values that `settings` (each `key=value`) give, presets first.
///
/// # Errors
/// One text for each setting that is wrong: it names the option, what it takes and the nearest name.
pub fn parse(
    game: &GameDef,
    preset: Option<&str>,
    settings: &[String],
) -> Result<BTreeMap<String, Value>, Vec<String>> {
    let mut values = BTreeMap::new();
    let mut problems = Vec::new();
    let has_preset_option = game.options.iter().any(|option| option.name == PRESET);
    let mut presets: Vec<&str> = preset.into_iter().collect();
    let mut pairs = Vec::new();
    for setting in settings {
        match setting.split_once('=') {
            Some((PRESET, name)) if !has_preset_option => presets.push(name.trim()),
            Some((name, value)) => pairs.push((name.trim(), value.trim())),
            None => problems.push(format!(
                "`--set {setting}`: write key=value, such as `--set {}`",
                example(game)
            )),
        }
    }
    for name in presets {
        match game.presets.get(name) {
            Some(preset) => values.extend(preset.clone()),
            None => {
                let help = names::did_you_mean(name, game.presets.keys().map(String::as_str));
                problems.push(with_help(format!("`{}` has no preset `{name}`", game.pack), help));
            }
        }
    }
    for (name, text) in pairs {
        match game.options.iter().find(|option| option.name == name) {
            Some(option) => match value(option, text) {
                Ok(value) => _ = values.insert(name.to_owned(), value),
                Err(problem) => problems.push(problem),
            },
            None if game.options.is_empty() => {
                problems.push(format!("`--set {name}=...`: `{}` has no options", game.pack));
            }
            None => {
                let help = names::did_you_mean(name, game.options.iter().map(|o| o.name.as_str()));
                problems.push(with_help(format!("`{}` has no option `{name}`", game.pack), help));
            }
        }
    }
    if problems.is_empty() {
        Ok(values)
    } else {
        Err(problems)
    }
}

fn value(option: &OptionDef, text: &str) -> Result<Value, String> {
    let wrong = |help| {
        with_help(
            format!("the option `{}` can't be `{text}`", option.name),
            Some(help),
        )
    };
    let value = match option.kind {
        ValueType::Boolean => match text {
            "true" | "yes" | "on" => Value::Bool(true),
            "false" | "no" | "off" => Value::Bool(false),
            _ => return Err(wrong("it is true or false".into())),
        },
        ValueType::Number => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Number(number),
            _ => return Err(wrong("it is a number".into())),
        },
        _ => Value::Text(text.into()),
    };
    if option.values.is_empty() || option.values.contains(&value) {
        return Ok(value);
    }
    let allowed: Vec<String> = option.values.iter().map(show).collect();
    let near = names::nearest(text, allowed.iter().map(String::as_str));
    let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Err(wrong(format!("it is one of {}{near}", allowed.join(", "))))
}

/// An option's value as one types it.
pub fn show(value: &Value) -> String {
    match value {
        Value::Text(text) => text.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        other => other.type_name().into(),
    }
}

fn example(game: &GameDef) -> String {
    match game.options.first() {
        Some(option) => format!("{}={}", option.name, show(&option.default)),
        None => "difficulty=hard".into(),
    }
}

fn with_help(message: String, help: Option<String>) -> String {
    match help {
        Some(help) => format!("{message}; {help}"),
        None => message,
    }
}
