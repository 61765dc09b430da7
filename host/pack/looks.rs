//! How units are shown: glyph, colour and what is told of them, where each may differ by face.
use std::collections::BTreeSet;
use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::diagnostic::Diagnostic;
use super::model::{ByFace, Entry, UnitDef};
use super::names;
use super::node::{Node, Pair};
use super::placeholders;
use super::read::Reading;
use super::template::{self, Part};

/// The widest glyph, in columns.
const GLYPH_WIDTH: usize = 3;

/// What a template may name besides fields and the keys of definitions.
const NAMES: [&str; 4] = ["side", "number", "id", "face"];

/// Reads `glyph`, `colour` and `tells` of a kind of units, whose fields and faces are known.
pub fn read(pair: &Pair, unit: &mut UnitDef, entries: Option<&[Arc<Entry>]>, reading: &mut Reading) {
    let known = known(unit, entries);
    let mut by_face = |key: &str| {
        let node = pair.value.get(key);
        let read = node.map(|node| by_face(key, node, unit, reading));
        for (text, node) in read.iter().flat_map(|(_, texts)| texts) {
            if key != "colour" {
                check(key, text, node, unit, known.as_ref(), reading);
            }
        }
        read.map(|(shown, _)| shown).unwrap_or_default()
    };
    (unit.glyph, unit.colour, unit.tells) = (by_face("glyph"), by_face("colour"), by_face("tells"));
}

type Texts<'a> = Vec<(String, &'a Node)>;

/// One text, or a table of texts by face.
fn by_face<'a>(key: &str, node: &'a Node, unit: &UnitDef, reading: &mut Reading) -> (ByFace, Texts<'a>) {
    let mut shown = ByFace::default();
    let mut texts = Vec::new();
    if let Some(text) = node.text() {
        shown.every = text.to_owned();
        texts.push((text.to_owned(), node));
    }
    for pair in node.pairs() {
        let Some(text) = pair.value.text() else {
            continue; // Which the schema told.
        };
        texts.push((text.to_owned(), &pair.value));
        if !unit.faces.contains(&pair.key) {
            let message = if unit.faces.is_empty() {
                format!("`{}` has no faces for `{key}` to differ by", unit.name)
            } else {
                format!("`{}` has no face `{}`", unit.name, pair.key)
            };
            let help = names::did_you_mean(&pair.key, unit.faces.iter().map(String::as_str));
            let problem = Diagnostic::at(&reading.files, "unknown-face", pair.place, message);
            reading.problem(problem.maybe_help(help));
        }
        shown.faces.insert(pair.key.clone(), text.to_owned());
    }
    (shown, texts)
}

/// What templates may name; `None` if definitions come from packs that aren't active, so that nobody knows.
fn known(unit: &UnitDef, entries: Option<&[Arc<Entry>]>) -> Option<BTreeSet<String>> {
    if entries.is_some_and(<[_]>::is_empty) {
        return None;
    }
    let keys = entries
        .into_iter()
        .flatten()
        .flat_map(|entry| entry.source.pairs())
        .map(|pair| pair.key.clone());
    let fields = unit.fields.iter().map(|field| field.name.clone());
    Some(
        NAMES
            .map(String::from)
            .into_iter()
            .chain(fields)
            .chain(keys)
            .collect(),
    )
}

/// Reports what is wrong with a template, and placeholders that no unit of the kind could fill.
fn check(
    key: &str,
    text: &str,
    node: &Node,
    unit: &UnitDef,
    known: Option<&BTreeSet<String>>,
    reading: &mut Reading,
) {
    let parts = match template::parse(text) {
        Ok(parts) => parts,
        Err(problem) => {
            reading.problem(Diagnostic::at(
                &reading.files,
                "bad-template",
                node.place,
                problem,
            ));
            return;
        }
    };
    if key == "glyph"
        && let [Part::Text(glyph)] = &parts[..]
        && !(1..=GLYPH_WIDTH).contains(&glyph.width())
    {
        let (code, message) = match glyph.width() {
            0 => (
                "unseen-glyph",
                "nothing can be seen of the glyph; give a letter or a sign".to_owned(),
            ),
            wide => (
                "wide-glyph",
                format!("the glyph is {wide} columns wide; at most {GLYPH_WIDTH} fit"),
            ),
        };
        reading.problem(Diagnostic::at(&reading.files, code, node.place, message));
    }
    let Some(known) = known else { return };
    for part in &parts {
        if let Part::Field { name, .. } = part
            && !known.contains(name)
        {
            let what = if key == "glyph" { "the glyph" } else { "the text" };
            let message = format!("{what} names `{{{name}}}`, which no unit of `{}` has", unit.name);
            let place = placeholders::inside(reading, node.place, name);
            let problem = Diagnostic::at(&reading.files, "unknown-placeholder", place, message);
            reading.problem(problem.maybe_help(names::did_you_mean(name, known.iter().map(String::as_str))));
        }
    }
}
