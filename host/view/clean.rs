//! Texts of packs before they reach a terminal: nothing that controls one gets through.

/// The text with control characters, direction marks and invisible ones shown as escapes (`\u{1b}`); lines
/// stay lines.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            c if is_control(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// As [`clean`], on one line.
pub fn clean_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            // Tags and further selectors: invisible text.
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_controls_a_terminal() {
        assert_eq!(
            clean("a\u{1b}[2Jb\u{9b}c\u{202e}d\r"),
            "a\\u{1b}[2Jb\\u{9b}c\\u{202e}d\\u{d}"
        );
        assert_eq!(clean("a\u{61c}b\u{ad}c\u{e0041}"), "a\\u{61c}b\\u{ad}c\\u{e0041}");
        assert_eq!(clean("plain ö 🎲\nline"), "plain ö 🎲\nline");
        assert_eq!(clean_line("a\nb"), "a b");
    }
}
