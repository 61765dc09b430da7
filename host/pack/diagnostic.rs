//! A problem in content: where it is, what was expected, what to do.
use super::files::{Files, Place, SourceFile};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One problem. Lines and columns count from 1, columns in characters; both are 0 when the problem
/// is the file as a whole (it can't be read, isn't there).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// A stable kebab-case name such as `unknown-key`.
    pub code: &'static str,
    pub pack: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The column after the last character, on the same line.
    pub end_column: usize,
    pub message: String,
    pub help: Option<String>,
    pub related: Vec<Related>,
    /// The source line, for the caret.
    pub excerpt: String,
}

/// Another place that matters, such as the first of two equal ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub note: String,
}

impl Diagnostic {
    /// A problem of a whole file or folder.
    pub fn of_file(code: &'static str, pack: &str, file: &str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            pack: pack.into(),
            file: file.into(),
            line: 0,
            column: 0,
            end_column: 0,
            message: message.into(),
            help: None,
            related: Vec::new(),
            excerpt: String::new(),
        }
    }

    /// A problem at a place of a file that was read.
    pub fn at(files: &Files, code: &'static str, place: Place, message: impl Into<String>) -> Self {
        match files.get(place.file) {
            Some(file) => {
                let span = place.start as usize..place.end as usize;
                Self::in_text(file, code, span, message)
            }
            None => Self::of_file(code, "", "", message),
        }
    }

    /// A problem at bytes of a text.
    pub fn in_text(
        file: &SourceFile,
        code: &'static str,
        span: std::ops::Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        let (start, end) = (file.position(span.start), file.position(span.end.max(span.start)));
        let excerpt = file.line(start.line).to_owned();
        let line_end = excerpt.chars().count() + 1;
        let end_column = if end.line == start.line {
            end.column
        } else {
            line_end
        };
        Self {
            line: start.line,
            column: start.column,
            end_column: end_column.max(start.column + 1),
            excerpt,
            ..Self::of_file(code, &file.pack, &file.name, message)
        }
    }

    /// A problem in a line of a text, for compilers that tell no column.
    pub fn at_line(file: &SourceFile, code: &'static str, line: usize, message: impl Into<String>) -> Self {
        let text = file.line(line);
        let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let end_column = text.trim_end().chars().count().max(column) + 1;
        let whole = Self::of_file(code, &file.pack, &file.name, message);
        Self {
            line,
            column,
            end_column,
            excerpt: text.to_owned(),
            ..whole
        }
    }

    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds help if there is some.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Names another place.
    pub fn related(mut self, files: &Files, place: Place, note: impl Into<String>) -> Self {
        if let Some(file) = files.get(place.file) {
            let position = file.position(place.start as usize);
            self.related.push(Related {
                file: file.name.clone(),
                line: position.line,
                column: position.column,
                note: note.into(),
            });
        }
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Puts diagnostics in their one order: by file, place, severity, code and message; drops repeats.
pub fn sort(list: &mut Vec<Diagnostic>) {
    list.sort_by(|a, b| key(a).cmp(&key(b)));
    list.dedup();
}

fn key(d: &Diagnostic) -> (&str, usize, usize, Severity, &str, &str) {
    (&d.file, d.line, d.column, d.severity, d.code, &d.message)
}
