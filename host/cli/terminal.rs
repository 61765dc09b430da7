//! What the terminal at hand can do.
use std::env;

use crate::view::Style;

/// The style for stdout as a terminal; `NO_COLOR`, `TERM=dumb` and locales other than UTF-8 count.
pub fn style() -> Style {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let dumb = set("TERM").is_none_or(|term| term == "dumb");
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(set)
        .unwrap_or_default()
        .to_lowercase();
    let width = set("COLUMNS").and_then(|columns| columns.parse().ok());
    let width = width.or_else(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0)));
    Style {
        colour: set("NO_COLOR").is_none() && !dumb,
        unicode: !dumb && (locale.contains("utf-8") || locale.contains("utf8")),
        width: width.unwrap_or(80).clamp(20, 200),
    }
}
