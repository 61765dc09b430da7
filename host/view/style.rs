//! How text is shown: colours, characters beyond ASCII, width.
use unicode_width::UnicodeWidthStr;

/// What a terminal can do; a pipe gets [`Style::plain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    pub unicode: bool,
    /// Columns.
    pub width: usize,
}

impl Style {
    /// Without colours, ASCII only, 80 columns: the same everywhere.
    pub const fn plain() -> Self {
        Self {
            colour: false,
            unicode: false,
            width: 80,
        }
    }

    /// The text in a colour by name; an unknown name leaves it as it is.
    pub fn paint(self, colour: &str, text: &str) -> String {
        let code = match colour {
            "red" => 31,
            "green" => 32,
            "yellow" => 33,
            "blue" => 34,
            "magenta" => 35,
            "cyan" => 36,
            "white" => 37,
            "bold" => 1,
            "dim" => 2,
            _ => 0,
        };
        if self.colour && code != 0 && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// The first if characters beyond ASCII can be shown, else the second.
    pub const fn pick<'a>(self, unicode: &'a str, ascii: &'a str) -> &'a str {
        if self.unicode { unicode } else { ascii }
    }

    /// Breaks text into lines of at most the width, later ones indented.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let limit = self.width.max(20);
        let mut out = String::new();
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let mut column = 0;
            // A line is not broken before its first word, however long.
            let mut begun = false;
            for word in line.split_inclusive(' ') {
                let width = visible(word.trim_end());
                if begun && width > 0 && column + width > limit {
                    while out.ends_with(' ') {
                        out.pop();
                    }
                    out.push('\n');
                    out.push_str(&" ".repeat(indent));
                    column = indent;
                }
                out.push_str(word);
                column += visible(word);
                begun |= width > 0;
            }
        }
        out
    }

    /// As [`Style::wrap`], but what goes on stands below the beginning of the line's text: a table keeps its columns.
    pub fn wrap_rows(self, text: &str) -> String {
        let rows = text.split('\n').map(|row| {
            let start = row.len() - row.trim_start_matches(' ').len();
            // A word, and what is told of it behind a gap.
            let gap = row[start..].find("  ").filter(|_| start > 0);
            let column = gap.map(|gap| {
                let rest = &row[start + gap..];
                visible(&row[..start + gap]) + rest.len() - rest.trim_start_matches(' ').len()
            });
            let column = column.filter(|column| *column <= self.width / 2);
            self.wrap(row, column.unwrap_or(start + 2))
        });
        rows.collect::<Vec<_>>().join("\n")
    }
}

/// Columns of a text, its colours not counted.
pub fn visible(text: &str) -> usize {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain += before;
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain += rest;
    plain.width()
}

/// The text with spaces after it, up to a width.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(visible(text));
    format!("{text}{}", " ".repeat(missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_between_words() {
        let style = Style {
            width: 20,
            ..Style::plain()
        };
        assert_eq!(
            style.wrap("one two three four five six", 2),
            "one two three four\n  five six"
        );
        assert_eq!(style.paint("red", "x"), "x");
        assert_eq!(
            style.wrap_rows("  undo  take back one or more\nall that there is to say"),
            "  undo  take back\n        one or more\nall that there is to\n  say"
        );
    }
}
