//! Diagnostics as JSON: a list of objects.
use serde_json::{Value as Json, json};

use crate::pack::diagnostic::Diagnostic;

/// `[{severity, code, pack, file, line, column, endColumn, message, help, related: [...]}]`; lines and
/// columns count from 1 and are 0 for a whole file.
pub fn json(list: &[Diagnostic]) -> Json {
    list.iter()
        .map(|d| {
            let related: Vec<Json> = d
                .related
                .iter()
                .map(|r| json!({"file": r.file, "line": r.line, "column": r.column, "note": r.note}))
                .collect();
            json!({
                "severity": d.severity.name(),
                "code": d.code,
                "pack": d.pack,
                "file": d.file,
                "line": d.line,
                "column": d.column,
                "endColumn": d.end_column,
                "message": d.message,
                "help": d.help,
                "related": related,
            })
        })
        .collect()
}
