//! Errors of scripts: what, in which pack, file and line, and how it came to that.
use std::fmt;

use super::budget::Kill;

/// One Luau call on the stack, innermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The chunk's name, `@pack/path.luau`.
    pub chunk: String,
    pub line: u32,
    /// The function's name, if it has one.
    pub function: Option<String>,
}

/// An error that left a script, or that kept one from loading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScriptError {
    /// The sentence, without its place.
    pub message: String,
    /// The pack's id; empty if the error has no place.
    pub pack: String,
    /// The file's path in the pack, `rules/turn.luau`.
    pub file: String,
    pub line: Option<u32>,
    pub trace: Vec<Frame>,
    /// Set if a limit ended the script.
    pub kill: Option<Kill>,
}

impl ScriptError {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }

    /// An error at a line of the chunk `@pack/path.luau`.
    pub fn at(chunk: &str, line: Option<u32>, message: impl Into<String>) -> Self {
        let mut error = Self::new(message);
        error.place(chunk, line);
        error
    }

    /// Reads a text that Luau raised: `@pack/path.luau:12: message`.
    ///
    /// A text that names no place gets that of the innermost frame of `trace`.
    pub fn from_text(text: &str, trace: Vec<Frame>) -> Self {
        let mut error = match split_place(text) {
            Some((chunk, line, message)) => Self::at(chunk, Some(line), message),
            None => match trace.first() {
                Some(frame) => Self::at(&frame.chunk, Some(frame.line), text),
                None => Self::new(text),
            },
        };
        error.trace = trace;
        error
    }

    /// The chunk's name, `@pack/path.luau`, if the error has a place.
    pub fn chunk(&self) -> Option<String> {
        (!self.pack.is_empty()).then(|| format!("@{}/{}", self.pack, self.file))
    }

    fn place(&mut self, chunk: &str, line: Option<u32>) {
        let path = chunk.strip_prefix('@').unwrap_or(chunk);
        let (pack, file) = path.split_once('/').unwrap_or((path, ""));
        (self.pack, self.file, self.line) = (pack.into(), file.into(), line);
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if !self.pack.is_empty() {
            write!(f, "@{}/{}:", self.pack, self.file)?;
            match self.line {
                Some(line) => write!(f, "{line}: ")?,
                None => write!(f, " ")?,
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScriptError {}

impl From<mlua::Error> for ScriptError {
    fn from(error: mlua::Error) -> Self {
        use mlua::Error as E;
        match error {
            E::MemoryError(_) => Self {
                kill: Some(Kill::Memory),
                ..Self::new("the script used more memory than its limit")
            },
            E::RuntimeError(text) => from_traced(&text),
            E::SyntaxError { message, .. } => Self::from_text(&message, Vec::new()),
            E::CallbackError { traceback, cause } => {
                let mut inner = Self::from((*cause).clone());
                if inner.trace.is_empty() {
                    inner.trace = read_trace(&traceback);
                }
                if let (true, Some(frame)) = (inner.pack.is_empty(), inner.trace.first()) {
                    let (chunk, line) = (frame.chunk.clone(), frame.line);
                    inner.place(&chunk, Some(line));
                }
                inner
            }
            E::WithContext { context, cause } => {
                let mut inner = Self::from((*cause).clone());
                inner.message = format!("{context}: {}", inner.message);
                inner
            }
            E::ExternalError(cause) => match cause.downcast_ref::<ScriptError>() {
                Some(inner) => inner.clone(),
                None => Self::new(cause.to_string()),
            },
            other => from_traced(&other.to_string()),
        }
    }
}

/// A text with a traceback behind it, as mlua appends one.
fn from_traced(text: &str) -> ScriptError {
    let (message, trace) = text.split_once("\nstack traceback:").unwrap_or((text, ""));
    if !trace.is_empty() {
        return ScriptError::from_text(message, read_trace(trace));
    }
    // Luau's own traceback has no heading: its lines begin with a chunk name.
    let end = text.find("\n@").unwrap_or(text.len());
    ScriptError::from_text(text[..end].trim_end(), read_trace(&text[end..]))
}

/// `@pack/path.luau:12: message` as its three parts.
pub(super) fn split_place(text: &str) -> Option<(&str, u32, &str)> {
    let end = text.strip_prefix('@').and_then(|rest| rest.find(".luau:"))? + 1 + ".luau".len();
    if text[..end].contains(char::is_whitespace) {
        return None;
    }
    let (line, message) = text[end + 1..].split_once(':')?;
    Some((&text[..end], line.parse().ok()?, message.trim_start()))
}

fn read_trace(text: &str) -> Vec<Frame> {
    let lines = text.lines().map(str::trim).filter_map(|line| {
        let end = line.strip_prefix('@').and_then(|rest| rest.find(".luau:"))? + 1 + ".luau".len();
        let rest = &line[end + 1..];
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let function = rest
            .rsplit_once("function ")
            .map(|(_, name)| name.trim_matches('\'').to_string());
        Some(Frame {
            chunk: line[..end].into(),
            line: rest[..digits].parse().ok()?,
            function,
        })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_place_and_message() {
        let error = ScriptError::from_text("@stones/rules/turn.luau:12: no charge: 3", Vec::new());
        assert_eq!(
            (error.pack.as_str(), error.file.as_str(), error.line),
            ("stones", "rules/turn.luau", Some(12))
        );
        assert_eq!(error.to_string(), "@stones/rules/turn.luau:12: no charge: 3");
        assert_eq!(ScriptError::new("plain").to_string(), "plain");
        assert_eq!(split_place("@everyone: see a.luau:1: x"), None);
    }
}
