//! Templates of what is shown of a unit: `{field}` is replaced by its value, `{field|lower}` by it in small
//! letters, `{field: inner}` by the inner template for each table that the field holds, `{{` by a brace.
/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Text(String),
    Field {
        name: String,
        lower: bool,
        /// What is shown of each table in the field.
        inner: Option<Vec<Part>>,
    },
}

/// The parts of a template.
///
/// # Errors
/// What is wrong with it, in words.
pub fn parse(text: &str) -> Result<Vec<Part>, String> {
    let (parts, rest) = parts(text, false)?;
    debug_assert!(rest.is_empty());
    Ok(parts)
}

/// The parts up to the end, or within braces up to the closing one.
fn parts(mut text: &str, inside: bool) -> Result<(Vec<Part>, &str), String> {
    let mut list = Vec::new();
    let mut plain = String::new();
    while let Some(c) = text.chars().next() {
        let doubled = text.strip_prefix("{{").map(|rest| ('{', rest)).or_else(|| {
            let rest = text.strip_prefix("}}").filter(|_| !inside)?;
            Some(('}', rest))
        });
        if let Some((brace, rest)) = doubled {
            plain.push(brace);
            text = rest;
        } else if c == '{' {
            if !plain.is_empty() {
                list.push(Part::Text(std::mem::take(&mut plain)));
            }
            let (part, rest) = field(&text[1..])?;
            list.push(part);
            text = rest;
        } else if c == '}' && inside {
            break;
        } else {
            plain.push(c);
            text = &text[c.len_utf8()..];
        }
    }
    if !plain.is_empty() {
        list.push(Part::Text(plain));
    }
    Ok((list, text))
}

/// A field, behind its opening brace.
fn field(text: &str) -> Result<(Part, &str), String> {
    let end = text.find(['}', ':', '|', '{']).unwrap_or(text.len());
    let name = text[..end].trim();
    if name.is_empty() {
        return Err("`{` names no field: write `{name}`, or `{{` for a brace".into());
    }
    let unclosed = || format!("`{{{name}` is not closed by `}}`");
    let (name, rest) = (name.to_owned(), &text[end..]);
    if let Some(rest) = rest.strip_prefix("|lower") {
        let rest = rest.strip_prefix('}').ok_or_else(unclosed)?;
        let part = Part::Field {
            name,
            lower: true,
            inner: None,
        };
        return Ok((part, rest));
    }
    if rest.starts_with('|') {
        return Err(format!("`{{{name}|` knows one word, `{{{name}|lower}}`"));
    }
    let (inner, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (inner, rest) = parts(rest.trim_start(), true)?;
            (Some(inner), rest)
        }
        None => (None, rest),
    };
    let rest = rest.strip_prefix('}').ok_or_else(unclosed)?;
    let part = Part::Field {
        name,
        lower: false,
        inner,
    };
    Ok((part, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[Part]) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => format!("'{text}'"),
            Part::Field { name, lower, inner } => {
                let inner = inner
                    .as_ref()
                    .map_or(String::new(), |inner| format!("({})", shown(inner)));
                format!("{name}{}{inner}", if *lower { "-" } else { "" })
            }
        };
        parts.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn fields_stand_in_braces() {
        let read = |text| parse(text).map_or_else(|problem| problem, |parts| shown(&parts));
        assert_eq!(read("{letter|lower}{{x}}"), "letter- '{x}'");
        assert_eq!(
            read("Size {size}, {bites: {kind} {dice}}."),
            "'Size ' size ', ' bites(kind ' ' dice) '.'"
        );
        assert_eq!(read(""), "");
        assert_eq!(read("{size"), "`{size` is not closed by `}`");
        assert_eq!(read("{a: {b}"), "`{a` is not closed by `}`");
        assert_eq!(read("{size|upper}"), "`{size|` knows one word, `{size|lower}`");
        assert_eq!(
            read("a {} é"),
            "`{` names no field: write `{name}`, or `{{` for a brace"
        );
    }
}
