//! Diagnostics as SARIF 2.1.0, which editors and code hosts read.
use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::pack::diagnostic::{Diagnostic, Severity};

/// One run of the tool `ludex` with a result for each diagnostic.
pub fn sarif(list: &[Diagnostic]) -> Json {
    let codes: BTreeSet<&str> = list.iter().map(|d| d.code).collect();
    let rules: Vec<Json> = codes.iter().map(|code| json!({"id": code})).collect();
    let results: Vec<Json> = list.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ludex",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            // Columns count Unicode scalar values, not UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(d: &Diagnostic) -> Json {
    let level = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match &d.help {
        Some(help) => format!("{} ({help})", d.message),
        None => d.message.clone(),
    };
    let mut result = json!({"ruleId": d.code, "level": level, "message": {"text": text}});
    if !d.file.is_empty() {
        result["locations"] = json!([location(&d.file, d.line, d.column, Some(d.end_column))]);
    }
    if !d.related.is_empty() {
        let related = d.related.iter().map(|r| {
            let mut place = location(&r.file, r.line, r.column, None);
            place["message"] = json!({"text": r.note});
            place
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

fn location(file: &str, line: usize, column: usize, end: Option<usize>) -> Json {
    let mut place = json!({"artifactLocation": {"uri": uri(file)}});
    if line > 0 {
        place["region"] = json!({"startLine": line, "startColumn": column});
        if let Some(end) = end {
            place["region"]["endColumn"] = json!(end);
        }
    }
    json!({"physicalLocation": place})
}

/// A path as a URI reference: what isn't plain is percent-encoded.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let encode = |byte: u8| {
        if plain(byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    let prefix = if path.starts_with('/') { "file://" } else { "" };
    format!("{prefix}{}", path.bytes().map(encode).collect::<String>())
}
