//! Diagnostics as text, JSON and SARIF.
mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::text;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pack::diagnostic::Diagnostic;
    use crate::pack::files::{Files, Place, SourceFile};

    fn sample() -> Vec<Diagnostic> {
        let mut files = Files::default();
        let file = files.add(SourceFile::new(
            "content/a b/ü.toml",
            "a",
            "x = \"é\"\r\ny = \"\u{202e}z\" # \u{1b}[0m\r\n",
        ));
        let second = Diagnostic::at(&files, "unknown-key", Place::new(file, 10..11), "unknown key `y`");
        let second = second
            .related(&files, Place::new(file, 0..1), "the \u{1b}first")
            .help("did you mean `x`?");
        vec![
            Diagnostic::of_file("empty-file", "a", "content/a b", "it is empty").warning(),
            second,
        ]
    }

    #[test]
    fn text_shows_no_control_characters() {
        assert_eq!(
            text(&sample()),
            "content/a b: warning[empty-file]: it is empty\n\
             content/a b/ü.toml:2:1: error[unknown-key]: unknown key `y`\n    \
             2 | y = \"\u{fffd}z\" # \u{fffd}[0m\n      | ^\n  \
             content/a b/ü.toml:1:1: the \\u{1b}first\n  help: did you mean `x`?\n"
        );
    }

    #[test]
    fn json_has_every_part() {
        let list = json(&sample());
        assert_eq!(
            list[1],
            json!({
                "severity": "error", "code": "unknown-key", "pack": "a", "file": "content/a b/ü.toml",
                "line": 2, "column": 1, "endColumn": 2, "message": "unknown key `y`", "help": "did you mean `x`?",
                "related": [{"file": "content/a b/ü.toml", "line": 1, "column": 1, "note": "the \u{1b}first"}],
            })
        );
        assert_eq!(
            (&list[0]["severity"], &list[0]["line"]),
            (&json!("warning"), &json!(0))
        );
    }

    #[test]
    fn sarif_has_places_and_rules() {
        let report = sarif(&sample());
        let run = &report["runs"][0];
        assert_eq!(
            run["tool"]["driver"]["rules"],
            json!([{"id": "empty-file"}, {"id": "unknown-key"}])
        );
        assert_eq!(
            run["results"][1],
            json!({
                "ruleId": "unknown-key", "level": "error",
                "message": {"text": "unknown key `y` (did you mean `x`?)"},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": "content/a%20b/%C3%BC.toml"},
                    "region": {"startLine": 2, "startColumn": 1, "endColumn": 2}}}],
                "relatedLocations": [{"physicalLocation": {
                    "artifactLocation": {"uri": "content/a%20b/%C3%BC.toml"},
                    "region": {"startLine": 1, "startColumn": 1}}, "message": {"text": "the \u{1b}first"}}],
            })
        );
        assert_eq!(run["results"][0]["level"], "warning");
    }
}
