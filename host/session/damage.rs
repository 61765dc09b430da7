//! What is wrong with JSON that wasn't written by this program, in words of people: serde's are of Rust.
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::recording::{Checkpoint, Segment};
use crate::pack::names;

/// The kinds of lines in a recording, each with what the small ones look like.
const KINDS: [(&str, &str); 6] = [
    ("segment", ""),
    (
        "answer",
        r#"{"type":"answer","seat":"x","decision":"turn#0","answer":["key"],"hash":"0123456789abcdef"}"#,
    ),
    (
        "undo",
        r#"{"type":"undo","count":1,"free":false,"hash":"0123456789abcdef"}"#,
    ),
    (
        "concede",
        r#"{"type":"concede","seat":"x","hash":"0123456789abcdef"}"#,
    ),
    ("state", ""),
    (
        "end",
        r#"{"type":"end","result":"won","hash":"0123456789abcdef"}"#,
    ),
];

/// A text in a message has so many characters at most.
const LONGEST: usize = 160;

/// What is wrong, and in which column where that can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub column: Option<usize>,
    pub message: String,
}

impl Damage {
    /// Of a line as a whole.
    pub fn whole(message: impl Into<String>) -> Self {
        Self::new(None, message)
    }

    fn new(column: Option<usize>, message: impl Into<String>) -> Self {
        Self {
            column,
            message: message.into(),
        }
    }
}

/// Reads a value from JSON that people or programs wrote.
///
/// # Errors
/// The first thing that is wrong, with the path of the wrong value.
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, Damage> {
    syntax(text)?;
    let mut json = serde_json::Deserializer::from_slice(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let column = Some(inner.column()).filter(|column| *column > 0);
        let message = match path.as_str() {
            "." => told(&inner),
            path => format!("`{}`: {}", shortened(path), told(&inner)),
        };
        Damage::new(column, message)
    })
}

/// Why a line is none of a recording.
pub fn of_line(line: &[u8]) -> Damage {
    match look(line) {
        Ok(()) => Damage::whole("it can't be read"),
        Err(damage) => damage,
    }
}

fn look(line: &[u8]) -> Result<(), Damage> {
    #[derive(Deserialize)]
    struct Tag {
        #[serde(rename = "type")]
        kind: String,
    }
    syntax(line)?;
    let kinds = KINDS.map(|(kind, _)| kind);
    if !line.trim_ascii_start().starts_with(b"{") {
        let what = "expected a JSON object with a `type`, as `ludex play` writes them";
        return Err(Damage::whole(what));
    }
    let Ok(Tag { kind }) = serde_json::from_slice(line) else {
        let what = format!("expected `type`, a text: {}", names::either(kinds));
        return Err(Damage::whole(what));
    };
    match KINDS.iter().find(|(known, _)| *known == kind) {
        None => {
            let kind = shortened(&kind);
            let help = names::did_you_mean(&kind, kinds).unwrap_or_default();
            Err(Damage::whole(format!("there is no type `{kind}`; {help}")))
        }
        Some(("segment", _)) => read::<Segment>(line).map(|_| ()),
        Some(("state", _)) => read::<Checkpoint>(line).map(|_| ()),
        Some((_, example)) => {
            let error = serde_json::from_slice::<super::recording::Line>(line).err();
            let told = error.map_or_else(String::new, |error| told(&error));
            Err(Damage::whole(format!("{told}; it looks like {example}")))
        }
    }
}

/// Whether it is JSON at all.
fn syntax(text: &[u8]) -> Result<(), Damage> {
    if text.starts_with("\u{feff}".as_bytes()) {
        let what = "it begins with a byte order mark (BOM); save the file as UTF-8 without one";
        return Err(Damage::new(Some(1), what));
    }
    if let Err(error) = std::str::from_utf8(text) {
        let column = error.valid_up_to() + 1;
        return Err(Damage::new(Some(column), "this byte is not UTF-8 text"));
    }
    serde_json::from_slice::<IgnoredAny>(text)
        .map(|_| ())
        .map_err(|error| {
            let column = Some(error.column()).filter(|column| *column > 0);
            Damage::new(column, format!("this is no JSON: {}", plain(&error)))
        })
}

/// An error's text without its place, which is told another way.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((text, _)) => text.into(),
        None => text,
    }
}

/// An error about values in words of JSON.
fn told(error: &serde_json::Error) -> String {
    let text = plain(error);
    let told = text
        .strip_prefix("invalid type: ")
        .or_else(|| text.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "))
        .map(|(found, expected)| format!("expected {}, found {}", expectation(expected), finding(found)));
    let told = told.or_else(|| {
        let (length, expected) = text.strip_prefix("invalid length ")?.split_once(", expected ")?;
        Some(format!(
            "expected {}, found a list of {length}",
            expectation(expected)
        ))
    });
    shortened(&told.unwrap_or(text))
}

fn finding(found: &str) -> String {
    match found.split_once(' ') {
        None if found == "map" => "an object".into(),
        None if found == "sequence" => "a list".into(),
        Some(("string", text)) => format!("the text {text}"),
        Some(("integer" | "boolean", value)) => value.into(),
        Some(("floating", rest)) => rest.trim_start_matches("point ").into(),
        _ => found.into(),
    }
}

fn expectation(expected: &str) -> String {
    let words: Vec<&str> = expected.split(' ').collect();
    match words[..] {
        ["struct" | "internally", ..] | ["a", "map"] => "an object".into(),
        ["tuple" | "a", "variant" | "tuple", .., size] => format!("a list of {size}"),
        ["a", "sequence"] => "a list".into(),
        ["a", "string" | "borrowed"] => "a text".into(),
        ["a", "boolean"] => "true or false".into(),
        ["variant" | "field", "identifier"] | ["enum", ..] | ["string", "or", "map"] => {
            "a name, or an object with one entry".into()
        }
        ["u8" | "u16" | "u32" | "u64" | "usize"] => "a whole number from 0".into(),
        ["i8" | "i16" | "i32" | "i64"] => "a whole number".into(),
        ["f32" | "f64"] => "a number".into(),
        _ => expected.into(),
    }
}

/// The beginning and the end of a text that is long.
pub fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST {
        return text.into();
    }
    let half = LONGEST / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{start} ... {end}")
}

/// What to do about a line that is damaged.
pub fn remedy(line: usize) -> &'static str {
    match line {
        1 => "nothing can be read without it: name a recording of `ludex play`, or another copy of this one",
        _ => "to go on with what comes before it, delete this line and all that follow in a copy of the file",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: impl AsRef<[u8]>) -> (Option<usize>, String) {
        let damage = of_line(text.as_ref());
        (damage.column, damage.message)
    }

    #[test]
    fn what_is_no_json_has_a_column() {
        let (column, message) = line(r#"{"type":"end","result:"won"}"#);
        assert_eq!(
            (column, message.as_str()),
            (Some(24), "this is no JSON: expected `:`")
        );
        let (column, message) = line("\u{feff}{}");
        assert_eq!(column, Some(1));
        assert!(message.contains("byte order mark"), "{message}");
        assert_eq!(
            line(b"{\"type\":\"\xff\"}"),
            (Some(10), "this byte is not UTF-8 text".into())
        );
    }

    #[test]
    fn wrong_lines_are_told_without_words_of_rust() {
        let told = |text: &str| line(text).1;
        assert_eq!(
            told("[]"),
            "expected a JSON object with a `type`, as `ludex play` writes them"
        );
        assert_eq!(
            told("{}"),
            "expected `type`, a text: `segment`, `answer`, `undo`, `concede`, `state` or `end`"
        );
        assert_eq!(
            told(r#"{"type":"anser"}"#),
            "there is no type `anser`; did you mean `answer`?"
        );
        assert_eq!(
            told(r#"{"type":"concede","seat":5,"hash":""}"#),
            r#"expected a text, found `5`; it looks like {"type":"concede","seat":"x","hash":"0123456789abcdef"}"#
        );
        assert_eq!(
            line(r#"{"type":"state","tabletop":[{}]}"#),
            (
                Some(28),
                "`tabletop[0]`: expected a whole number from 0, found an object".into()
            )
        );
        assert_eq!(
            told(r#"{"type":"state","tabletop":5}"#),
            "`tabletop`: expected an object, found `5`"
        );
    }

    #[test]
    fn long_texts_are_cut_in_their_midst() {
        let long = "y".repeat(100_000);
        for text in [
            format!(r#"{{"type":"undo","count":"{long}","hash":""}}"#),
            format!(r#"{{"type":"{long}"}}"#),
            format!(r#"{{"type":"state","tabletop":"{long}"}}"#),
        ] {
            let (_, message) = line(&text);
            assert!(message.len() < 500 && message.contains("yyy ... "), "{message}");
        }
    }
}
