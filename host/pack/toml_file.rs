//! TOML text to located values; goes on after a syntax error, so that a file's errors come together.
use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::Diagnostic;
use super::files::{FileId, Files, Place};
use super::node::{Data, Node, Pair};

/// Parses a file that was added to `files`. What is wrong goes to `problems`; `None` if the
/// syntax is broken or nothing is there to check.
pub fn parse(files: &Files, file: FileId, problems: &mut Vec<Diagnostic>) -> Option<Node> {
    let source = files.get(file)?;
    if source.text.trim().is_empty() {
        problems.push(
            Diagnostic::of_file("empty-file", &source.pack, &source.name, "the file is empty")
                .help("write its keys, or delete it"),
        );
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    for error in &errors {
        let end = source.text.trim_end().len();
        let span = error.span().unwrap_or(end..end);
        let message = words(error.message(), source.text.get(span.clone()).unwrap_or_default());
        problems.push(Diagnostic::in_text(source, "toml-syntax", span, message));
    }
    if !errors.is_empty() {
        return None;
    }
    let before = problems.len();
    let mut reader = Reader {
        files,
        file,
        problems,
    };
    let node = Node {
        place: Place::new(file, 0..0),
        data: reader.table(table.into_inner()),
    };
    (problems.len() == before).then_some(node)
}

/// The parser's message where it would puzzle, in plainer words.
fn words(message: &str, text: &str) -> String {
    match message {
        "string values must be quoted, expected literal string" if text.trim().is_empty() => {
            "the value is missing".into()
        }
        "string values must be quoted, expected literal string" => in_quotes(text),
        // A word that only begins like one.
        "invalid boolean, expected `true`" | "invalid boolean, expected `false`"
            if strsim::osa_distance(
                &text.to_lowercase(),
                message.rsplit('`').nth(1).unwrap_or_default(),
            ) > 2 =>
        {
            in_quotes(text)
        }
        "duplicate key" => format!("the key `{}` is written twice", text.trim()),
        _ => message.into(),
    }
}

fn in_quotes(text: &str) -> String {
    let plain = text.len() <= 40 && !text.contains(['"', '\\', '\n']);
    if plain {
        format!("a text must be in quotes: `\"{text}\"`")
    } else {
        "a text must be in quotes".into()
    }
}

struct Reader<'a> {
    files: &'a Files,
    file: FileId,
    problems: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn table(&mut self, table: DeTable<'_>) -> Data {
        let mut pairs: Vec<Pair> = table
            .into_iter()
            .map(|(key, value)| Pair {
                place: Place::new(self.file, key.span()),
                value: self.value(value),
                key: Cow::into_owned(key.into_inner()),
            })
            .collect();
        // The parser sorts by name; the order of declaration matters to seats, boards and streams.
        pairs.sort_by_key(|pair| pair.place);
        Data::Table(pairs)
    }

    fn value(&mut self, value: Spanned<DeValue<'_>>) -> Node {
        let place = Place::new(self.file, value.span());
        let data = match value.into_inner() {
            DeValue::String(text) => Data::Text(text.into_owned()),
            DeValue::Boolean(value) => Data::Bool(value),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                // Beyond this a script's number can't hold it exactly.
                Ok(number) if number.unsigned_abs() <= 1 << 53 => Data::Integer(number),
                _ => self.refuse(place, "the number is too large", "numbers are exact up to 2^53"),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) if number.is_finite() => Data::Float(number),
                _ => self.refuse(place, "the number isn't finite", "write a plain number"),
            },
            DeValue::Datetime(_) => self.refuse(
                place,
                "a date or time isn't a value here",
                "write it as a text, in quotes",
            ),
            DeValue::Array(items) => Data::List(items.into_iter().map(|item| self.value(item)).collect()),
            DeValue::Table(table) => self.table(table),
        };
        Node { place, data }
    }

    fn refuse(&mut self, place: Place, message: &str, help: &str) -> Data {
        self.problems
            .push(Diagnostic::at(self.files, "bad-value", place, message).help(help));
        Data::Bool(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::*;

    fn read(text: &str) -> (Option<Node>, Vec<String>, Files) {
        let mut files = Files::default();
        let file = files.add(SourceFile::new("a.toml", "a", text));
        let mut problems = Vec::new();
        let node = parse(&files, file, &mut problems);
        let shown = problems
            .iter()
            .map(|d| format!("{}:{} {} {}", d.line, d.column, d.code, d.message));
        (node, shown.collect(), files)
    }

    #[test]
    fn keys_keep_their_order_and_place() {
        let (node, problems, files) = read("z = 1\n[b]\nx = \"é\" # ü\na = [1, 2.5]\n[[c]]\n[[c]]\nid = 2\n");
        assert!(problems.is_empty());
        let node = node.unwrap();
        assert_eq!(
            node.pairs()
                .iter()
                .map(|pair| pair.key.as_str())
                .collect::<Vec<_>>(),
            ["z", "b", "c"]
        );
        let second = &node.get("c").unwrap().items()[1];
        assert_eq!(files.text(second.get("id").unwrap().place), "2");
        assert_eq!(
            files.text(node.get("b").unwrap().get("x").unwrap().place),
            "\"é\""
        );
        assert_eq!(
            node.to_json().to_string(),
            r#"{"b":{"a":[1,2.5],"x":"é"},"c":[{},{"id":2}],"z":1}"#
        );
    }

    #[test]
    fn every_syntax_error_is_told() {
        let (node, problems, _) = read("a = \nb = 1\nb = 2\nc = [1, 2\n");
        assert!(node.is_none());
        assert_eq!(
            problems,
            [
                "4:10 toml-syntax unclosed array, expected `]`",
                "1:5 toml-syntax the value is missing",
                "3:1 toml-syntax the key `b` is written twice"
            ]
        );
    }

    #[test]
    fn values_that_scripts_cannot_hold_are_refused() {
        let (node, problems, _) = read("a = nan\nb = 9007199254740993\nc = 2020-01-01\nd = 1_000\n");
        assert!(node.is_none());
        assert_eq!(
            problems,
            [
                "1:5 bad-value the number isn't finite",
                "2:5 bad-value the number is too large",
                "3:5 bad-value a date or time isn't a value here"
            ]
        );
    }
}
