//! Puts every generic `for` on ordered iteration: `in LIST do` becomes `in __each(LIST) do`.
//! Lines stay as they are.
use std::borrow::Cow;

use super::each::NAME;
use super::tokens::{Kind, Token, tokens};

/// Why a source can't be rewritten: a line and a sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    pub line: u32,
    pub message: String,
}

/// The rewritten source. One that the lexer can't read is given back as it is: the compiler
/// refuses it. Takes one pass, whatever the source.
pub fn order_loops(source: &str) -> Result<Cow<'_, str>, Refusal> {
    let Some(tokens) = tokens(source) else {
        return Ok(source.into());
    };
    let name = |index: usize| match tokens.get(index) {
        Some(token) if token.kind == Kind::Name => &source[token.start..token.end],
        _ => "",
    };
    let refuse = |index: usize, message: String| Refusal {
        line: 1 + source[..tokens[index].start]
            .bytes()
            .filter(|byte| *byte == b'\n')
            .count() as u32,
        message,
    };
    let ipairs = ipairs_is_builtin(&tokens, &name);
    let mut edits: Vec<(usize, &str)> = Vec::new();
    // Open brackets; for each, its token. Open lists: the token of `in` and the brackets around it.
    let (mut brackets, mut lists) = (Vec::new(), Vec::<(usize, usize)>::new());
    let mut closes = vec![0; tokens.len()];
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Symbol(b'(' | b'[' | b'{') | Kind::TextOpen => brackets.push(index),
            Kind::Symbol(b')' | b']' | b'}') | Kind::TextClose => {
                if let Some(open) = brackets.pop() {
                    closes[open] = index;
                }
                while lists.last().is_some_and(|(_, depth)| *depth > brackets.len()) {
                    lists.pop();
                }
            }
            _ => {}
        }
        let here = lists.last().is_some_and(|(_, depth)| *depth == brackets.len());
        match name(index) {
            NAME => {
                return Err(refuse(
                    index,
                    format!("`{NAME}` is a name of the host's; choose another"),
                ));
            }
            "in" => {
                if here {
                    lists.pop();
                }
                lists.push((index, brackets.len()));
            }
            "function" if here => {
                return Err(refuse(index, "name the iterator function before the loop".into()));
            }
            "do" if here => {
                let (from, _) = lists.pop().unwrap_or_default();
                // Luau has a fast path for a plain `ipairs(...)`, and it is ordered.
                let fast = ipairs && name(from + 1) == "ipairs" && closes[from + 2] + 1 == index;
                if index > from + 1 && !fast {
                    edits.push((tokens[from].end, OPEN));
                    edits.push((tokens[index - 1].end, ")"));
                }
            }
            _ => {}
        }
    }
    // Stable, so that a `)` where two lists end keeps the order in which they end.
    edits.sort_by_key(|(at, _)| *at);
    let mut rewritten = String::with_capacity(source.len() + edits.len() * OPEN.len());
    let mut from = 0;
    for (at, insert) in edits {
        rewritten.push_str(&source[from..at]);
        rewritten.push_str(insert);
        from = at;
    }
    rewritten.push_str(&source[from..]);
    Ok(rewritten.into())
}

const OPEN: &str = " __each(";

/// Whether every `ipairs` of the source is a plain call, so that none can be a local of that name.
fn ipairs_is_builtin<'a>(tokens: &[Token], name: &impl Fn(usize) -> &'a str) -> bool {
    (0..tokens.len())
        .filter(|index| name(*index) == "ipairs")
        .all(|index| {
            let called = tokens
                .get(index + 1)
                .is_some_and(|next| next.kind == Kind::Symbol(b'('));
            called && (index == 0 || name(index - 1) != "function")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &str) {
        assert_eq!(order_loops(source).as_deref(), Ok(expected));
    }

    #[test]
    fn wraps_the_list() {
        check("for k, v in t do end", "for k, v in __each( t) do end");
        check("for k in pairs(t) do end", "for k in __each( pairs(t)) do end");
        check(
            "for _, v in f(a, b), c do end",
            "for _, v in __each( f(a, b), c) do end",
        );
        check(
            "for k: string, v: {number} in t do end",
            "for k: string, v: {number} in __each( t) do end",
        );
        check(
            "for k in t -- the do\ndo end",
            "for k in __each( t) -- the do\ndo end",
        );
        check("for k in\n t do end", "for k in __each(\n t) do end");
        check(
            "for k in `in {t} do` do end",
            "for k in __each( `in {t} do`) do end",
        );
        check(
            "for k in if a then b else c do end",
            "for k in __each( if a then b else c) do end",
        );
    }

    #[test]
    fn leaves_numeric_loops_and_plain_ipairs() {
        check("for i = 1, 3 do end", "for i = 1, 3 do end");
        check(
            "for i, v in ipairs(t.list[1]) do end",
            "for i, v in ipairs(t.list[1]) do end",
        );
        check(
            "for i, v in ipairs(t) or x do end",
            "for i, v in __each( ipairs(t) or x) do end",
        );
        check(
            "local ipairs = f for i in ipairs(t) do end",
            "local ipairs = f for i in __each( ipairs(t)) do end",
        );
    }

    #[test]
    fn wraps_loops_inside_lists_and_holes() {
        check(
            "for k in map(function() for j in u do end end) do end",
            "for k in __each( map(function() for j in __each( u) do end end)) do end",
        );
        check(
            "`{(function() for k in t do end end)()}`",
            "`{(function() for k in __each( t) do end end)()}`",
        );
    }

    #[test]
    fn refuses_what_it_cannot_bound() {
        let refusal = order_loops("\nfor x in function() end do end").unwrap_err();
        assert_eq!(
            refusal,
            Refusal {
                line: 2,
                message: "name the iterator function before the loop".into()
            }
        );
        let refusal = order_loops("local a = __each").unwrap_err();
        assert_eq!(
            refusal.message,
            "`__each` is a name of the host's; choose another"
        );
    }
}
