//! Diagnostics as people read them: place, message, the line with a caret, other places, help.
use std::fmt::Write;

use unicode_width::UnicodeWidthChar;

use crate::pack::diagnostic::Diagnostic;

/// The longest stretch of a line that is shown.
const WIDTH: usize = 160;

/// Renders diagnostics, each ending in a newline.
pub fn text(list: &[Diagnostic]) -> String {
    let mut out = String::new();
    for problem in list {
        // Writing to a text can't fail.
        let _ = one(&mut out, problem);
    }
    out
}

fn one(out: &mut String, d: &Diagnostic) -> std::fmt::Result {
    write!(out, "{}", clean(&d.file))?;
    if d.line > 0 {
        write!(out, ":{}:{}", d.line, d.column)?;
    }
    let colon = if d.file.is_empty() { "" } else { ": " };
    writeln!(
        out,
        "{colon}{}[{}]: {}",
        d.severity.name(),
        d.code,
        clean(&d.message)
    )?;
    if d.line > 0 && !d.excerpt.trim().is_empty() && d.column <= WIDTH {
        let number = d.line.to_string();
        let line: String = d.excerpt.chars().take(WIDTH).map(plain).collect();
        let width = |from: usize, to: usize| -> usize {
            line.chars()
                .skip(from)
                .take(to - from)
                .map(|c| c.width().unwrap_or(0))
                .sum()
        };
        let carets = width(d.column - 1, d.end_column.saturating_sub(1).max(d.column)).max(1);
        writeln!(out, "    {number} | {}", line.trim_end())?;
        writeln!(
            out,
            "    {:pad$} | {:before$}{}",
            "",
            "",
            "^".repeat(carets),
            pad = number.len(),
            before = width(0, d.column - 1)
        )?;
    }
    for related in &d.related {
        write!(out, "  {}", clean(&related.file))?;
        if related.line > 0 {
            write!(out, ":{}:{}", related.line, related.column)?;
        }
        writeln!(out, ": {}", clean(&related.note))?;
    }
    if let Some(help) = &d.help {
        writeln!(out, "  help: {}", clean(help))?;
    }
    Ok(())
}

/// Content may hold terminal escapes: nothing that controls a terminal gets out.
fn clean(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if c == '\n' {
                " ".chars().collect()
            } else {
                escape(c)
            }
        })
        .collect()
}

fn escape(c: char) -> Vec<char> {
    if is_control(c) {
        c.escape_unicode().collect()
    } else {
        vec![c]
    }
}

/// One character for each, so that columns stay right.
fn plain(c: char) -> char {
    match c {
        '\t' => ' ',
        c if is_control(c) => '\u{fffd}',
        c => c,
    }
}

fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
