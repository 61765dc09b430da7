//! Luau's tokens, as far as finding `for ... in ... do` needs them.

/// What a token is. Operators of several characters come as several symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Name,
    Number,
    Text,
    Symbol(u8),
    /// `` `text{ ``, `}text{` and `` }text` ``: the inside of the braces is tokens of its own.
    TextOpen,
    TextMiddle,
    TextClose,
}

/// A token's kind and its bytes in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a source without comments; `None` if the lexer can't read it, where the compiler
/// has a message of its own.
pub fn tokens(source: &str) -> Option<Vec<Token>> {
    let mut lexer = Lexer {
        bytes: source.as_bytes(),
        at: 0,
        braces: Vec::new(),
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space()?;
        let start = lexer.at;
        if start >= lexer.bytes.len() {
            return lexer.braces.is_empty().then_some(tokens);
        }
        let kind = lexer.token()?;
        tokens.push(Token {
            kind,
            start,
            end: lexer.at,
        });
    }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Open braces while inside a text with holes; true closes a hole.
    braces: Vec<bool>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && test(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) -> Option<()> {
        loop {
            self.skip_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            if self.peek(0) != b'-' || self.peek(1) != b'-' {
                return Some(());
            }
            self.at += 2;
            match self.long_level() {
                Some(level) => self.long(level)?,
                None => self.skip_while(|byte| byte != b'\n'),
            }
        }
    }

    fn token(&mut self) -> Option<Kind> {
        let byte = self.peek(0);
        Some(match byte {
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                self.skip_while(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
                Kind::Name
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            b'"' | b'\'' => self.quoted(byte)?,
            b'`' => self.section(Kind::Text, Kind::TextOpen)?,
            b'[' => match self.long_level() {
                Some(level) => {
                    self.long(level)?;
                    Kind::Text
                }
                None => self.symbol(),
            },
            b'{' => {
                if !self.braces.is_empty() {
                    self.braces.push(false);
                }
                self.symbol()
            }
            b'}' if self.braces.pop() == Some(true) => self.section(Kind::TextClose, Kind::TextMiddle)?,
            _ => self.symbol(),
        })
    }

    fn symbol(&mut self) -> Kind {
        self.at += 1;
        Kind::Symbol(self.bytes[self.at - 1])
    }

    fn number(&mut self) -> Kind {
        self.skip_while(|byte| byte == b'.' || byte == b'_' || byte.is_ascii_digit());
        if matches!(self.peek(0), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(0), b'+' | b'-') {
                self.at += 1;
            }
        }
        self.skip_while(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
        Kind::Number
    }

    fn quoted(&mut self, quote: u8) -> Option<Kind> {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.escape(),
                b'\n' | b'\r' => return None,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return Some(Kind::Text);
                    }
                }
            }
        }
        None
    }

    fn escape(&mut self) {
        self.at += 1;
        match self.peek(0) {
            b'\r' => self.at += 1 + usize::from(self.peek(1) == b'\n'),
            b'z' => {
                self.at += 1;
                self.skip_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
            }
            _ => self.at += 1,
        }
    }

    /// A piece of a text with holes, from its backtick or closing brace.
    fn section(&mut self, closed: Kind, open: Kind) -> Option<Kind> {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' if self.peek(1) == b'u' && self.peek(2) == b'{' => self.at += 3,
                b'\\' => self.escape(),
                b'\n' | b'\r' => return None,
                b'{' => {
                    self.at += 1;
                    self.braces.push(true);
                    return Some(open);
                }
                b'`' => {
                    self.at += 1;
                    return Some(closed);
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// The number of `=` of a long bracket that opens here.
    fn long_level(&self) -> Option<usize> {
        if self.peek(0) != b'[' {
            return None;
        }
        let level = self.bytes[self.at + 1..]
            .iter()
            .take_while(|byte| **byte == b'=')
            .count();
        (self.peek(level + 1) == b'[').then_some(level)
    }

    fn long(&mut self, level: usize) -> Option<()> {
        let close = [b"]".as_slice(), &vec![b'='; level], b"]"].concat();
        let rest = &self.bytes[self.at + level + 2..];
        let end = rest.windows(close.len()).position(|window| window == close)?;
        self.at += level + 2 + end + close.len();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source)
            .expect("readable")
            .iter()
            .map(|token| &source[token.start..token.end])
            .collect()
    }

    #[test]
    fn skips_comments_and_reads_texts_whole() {
        assert_eq!(texts("a --[==[ ]] in ]==] b -- in\nc"), ["a", "b", "c"]);
        assert_eq!(texts(r#"x = "in \" do" .. 'it\'s' .. [[ ]=] in ]]"#).len(), 9);
        assert_eq!(texts("'a\\z\n  b' 'c\\\nd'"), ["'a\\z\n  b'", "'c\\\nd'"]);
    }

    #[test]
    fn reads_holes_as_tokens() {
        assert_eq!(
            texts("`a{ {b = `c{d}`} }e{f}g`"),
            ["`a{", "{", "b", "=", "`c{", "d", "}`", "}", "}e{", "f", "}g`"]
        );
        assert_eq!(texts(r"`\{ \u{7d} \` {x}`"), [r"`\{ \u{7d} \` {", "x", "}`"]);
    }

    #[test]
    fn reads_numbers_like_luau() {
        assert_eq!(
            texts("0xE+1 1e-5 .5 1_000 a.b t[1]"),
            [
                "0xE", "+", "1", "1e-5", ".5", "1_000", "a", ".", "b", "t", "[", "1", "]"
            ]
        );
    }

    #[test]
    fn gives_up_on_what_the_compiler_will_refuse() {
        for source in ["'open", "`open", "`a{b", "[[open", "--[[open", "'a\nb'"] {
            assert_eq!(tokens(source), None, "{source}");
        }
    }
}
