//! The names that a source declares for itself, for messages that look for what was meant.
use super::tokens::{Kind, tokens};

/// Names of local variables, functions and parameters, sorted; none of a source that can't be read.
pub fn declared(source: &str) -> Vec<String> {
    let tokens = tokens(source).unwrap_or_default();
    let name = |index: usize| match tokens.get(index) {
        Some(token) if token.kind == Kind::Name => &source[token.start..token.end],
        _ => "",
    };
    let is = |index: usize, symbol: u8| tokens.get(index).is_some_and(|t| t.kind == Kind::Symbol(symbol));
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        match name(at) {
            "local" if name(at + 1) == "function" => found.push(name(at + 2)),
            "local" | "for" => {
                let mut next = at + 1;
                found.push(name(next));
                while is(next + 1, b',') {
                    next += 2;
                    found.push(name(next));
                }
            }
            "function" => {
                let Some(open) = (at + 1..tokens.len()).find(|i| is(*i, b'(')) else {
                    continue;
                };
                let mut depth = 0usize;
                for (i, token) in tokens.iter().enumerate().skip(open) {
                    match token.kind {
                        Kind::Symbol(b'(' | b'{' | b'[') => depth += 1,
                        Kind::Symbol(b')' | b'}' | b']') => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                    if depth == 1 && (is(i, b'(') || is(i, b',')) {
                        found.push(name(i + 1));
                    }
                }
            }
            _ => {}
        }
    }
    let mut found: Vec<String> = found
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_variables_functions_and_parameters() {
        let source = "local a, b = 1\nlocal function f(c, d: { x: number }, e) end\n\
                      function t.g(h) end\nfor i, j in k do end\nfor l = 1, 2 do end";
        assert_eq!(
            declared(source),
            ["a", "b", "c", "d", "e", "f", "h", "i", "j", "l"]
        );
        assert!(declared("local 'open").is_empty() && declared("function").is_empty());
    }
}
