//! Completion: what may stand where the cursor is.
use super::Names;
use super::commands::COMMANDS;

const KEYWORDS: [&str; 21] = [
    "and", "break", "continue", "do", "else", "elseif", "end", "false", "for", "function", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "while",
];

/// Where the word at the cursor begins, and what it may become.
pub fn complete(names: &Names, line: &str, cursor: usize) -> (usize, Vec<String>) {
    let before = &line[..cursor];
    if let Some(command) = before.strip_prefix(':') {
        return complete_command(names, command, cursor);
    }
    if let Some(start) = open_text(before) {
        return (
            start,
            matching(names.texts.iter().map(String::as_str), &before[start..]),
        );
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = before.rfind(|c| !is_name(c)).map_or(0, |at| at + 1);
    let word = &before[start..];
    let owner = |sign: char| before[..start].strip_suffix(sign);
    if let Some(owner) = owner('.') {
        let owner = path_at_end(owner);
        let members = names
            .members
            .get(owner)
            .filter(|_| !owner.is_empty())
            .unwrap_or(&names.fields);
        return (start, matching(members.iter().map(String::as_str), word));
    }
    if let Some(owner) = owner(':') {
        let owner = path_at_end(owner);
        let all = names.unit_methods.iter().chain(&names.pile_methods);
        let found = match names.piles.iter().any(|pile| pile == owner) {
            true => matching(names.pile_methods.iter().map(String::as_str), word),
            false => matching(all.map(String::as_str), word),
        };
        return (start, found);
    }
    (
        start,
        matching(names.globals.iter().map(String::as_str).chain(KEYWORDS), word),
    )
}

fn complete_command(names: &Names, command: &str, cursor: usize) -> (usize, Vec<String>) {
    let Some((name, rest)) = command.split_once(' ') else {
        return (1, matching(COMMANDS.iter().map(|(name, ..)| *name), command));
    };
    let word = rest.rsplit(' ').next().unwrap_or_default();
    let list: &[String] = match name {
        "help" => &names.help,
        "answer" => &names.options,
        "units" => &names.kinds,
        _ => &[],
    };
    (
        cursor - word.len(),
        matching(list.iter().map(String::as_str), word),
    )
}

/// Where the text begins that is open at the end of a line.
fn open_text(line: &str) -> Option<usize> {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match open {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some((_, quote)) if c == quote => open = None,
            None if c == '"' || c == '\'' => open = Some((at + 1, c)),
            _ => {}
        }
    }
    open.map(|(start, _)| start)
}

/// The dotted name that a line ends with: `piles.bag` of `x = piles.bag`.
fn path_at_end(line: &str) -> &str {
    let start = line
        .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
        .map_or(0, |at| at + 1);
    &line[start..]
}

fn matching<'a>(known: impl Iterator<Item = &'a str>, word: &str) -> Vec<String> {
    let mut found: Vec<String> = known
        .filter(|name| name.starts_with(word))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        Names {
            globals: list(&["board", "piles", "stone"]),
            members: [
                ("board", &["distance", "dist"][..]),
                ("piles", &["bag"]),
                ("stone", &["charge", "side"]),
            ]
            .map(|(name, members)| (name.to_owned(), list(members)))
            .into(),
            fields: list(&["charge", "space"]),
            unit_methods: list(&["exists"]),
            pile_methods: list(&["put"]),
            piles: list(&["piles.bag"]),
            texts: list(&["ruby", "ruby-2"]),
            options: list(&["(0,0)"]),
            kinds: list(&["stones"]),
            help: list(&["board.distance"]),
        }
    }

    fn at_end(line: &str) -> (usize, String) {
        let (start, found) = complete(&names(), line, line.len());
        (start, found.join(" "))
    }

    #[test]
    fn what_may_stand_at_the_cursor() {
        assert_eq!(at_end("bo"), (0, "board".into()));
        assert_eq!(at_end("x = board.d"), (10, "dist distance".into()));
        assert_eq!(at_end("x = piles."), (10, "bag".into()));
        assert_eq!(at_end("piles.bag:"), (10, "put".into()));
        assert_eq!(at_end("stone."), (6, "charge side".into()));
        assert_eq!(at_end("units.first(s)."), (15, "charge space".into()));
        assert_eq!(at_end("stone:"), (6, "exists put".into()));
        assert_eq!(at_end("units.get(\"ru"), (11, "ruby ruby-2".into()));
        assert_eq!(at_end("f(\"a\\\"b\", e"), (10, "else elseif end".into()));
        assert_eq!(at_end(":he"), (1, "help".into()));
        assert_eq!(at_end(":help board"), (6, "board.distance".into()));
        assert_eq!(at_end(":answer ("), (8, "(0,0)".into()));
        assert_eq!(at_end("retu"), (0, "return".into()));
    }
}
