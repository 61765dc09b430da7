//! The type definitions that editors read, made from the records: `schema/ludex.d.luau`.
use std::fmt::Write;

use super::Record;

/// The types that signatures name.
const TYPES: &str = r#"--- A space of a board: `vector(q, r, board)` or `vector(index, 0, board)`, whole numbers within a million.
export type Space = vector
--- A direction's name, or its number from 0 as `facing` holds it.
export type Direction = string | number
--- Which spaces: a function, a list, or a table keyed by space.
export type Spaces = ((space: Space) -> boolean?) | { Space } | { [Space]: boolean }
export type Goal = Space | Spaces
--- A unit with the space that it moves to.
export type Move = { Unit | Space }
export type Travel = {
    budget: number?,
    cost: (number | ((from: Space, to: Space, entered: { Space }?) -> (number | false)?) | { [Space]: number | false })?,
    may_pass: Spaces?,
    may_stop: Spaces?,
    shape: { Space }?,
    facing: Direction?,
}
export type Graze = "blocks" | "clear" | "blocks_when_both"
export type Sight = Graze | { line: ("centres" | "edges" | Direction)?, border: Graze?, corner: Graze? }
export type Rays = {
    dirs: { Direction }?,
    min: number?,
    max: number?,
    passes: number?,
    pushes: boolean?,
    connected: boolean?,
    among: { Unit }?,
    moves: boolean?,
}
export type Landings = { on: { Space }?, among: { Unit }? }
export type RayMove = { dir: string, length: number, moves: { Move }? }
export type Pattern = { string | Space | { any } }
export type Match = {
    exact: boolean?,
    rotate: boolean?,
    mirror: boolean?,
    origins: { Space }?,
    fits: ((space: Space, need: any) -> boolean?)?,
}
export type Lay = { rotate: boolean?, mirror: boolean?, whole: boolean? }
export type Placement = { origin: Space, spaces: { Space }, turn: number, mirrored: boolean }
--- States are plain values; a cost is a number or a list of up to four.
export type FindEdge = { to: any, cost: (number | { number })?, label: any }
export type Find = {
    start: any,
    next: (state: any) -> { FindEdge },
    goal: (state: any) -> boolean,
    bound: ((state: any) -> (number | { number })?)?,
    limit: number?,
    most: (number | { number })?,
    depth: number?,
}
export type Change = {
    piece: number?,
    dirs: { string }?,
    min: number?,
    max: number?,
    passes: number?,
    pushes: boolean?,
    place: { number }?,
    from_beside: { number }?,
    to_beside: { number }?,
    beside: boolean?,
    swap: boolean?,
}
export type PlanEdge = {
    to: any,
    moves: string?,
    near: { number }?,
    apart: { number }?,
    when: string?,
    unless: string?,
    --- The number of a pattern of the question's list `to` that must be there.
    fits: number?,
    cost: { number }?,
    label: string?,
}
export type PlanPlace = { at: Space, needs: number? }
--- Either `places`, or several lists of as many places as `forms`, of which any one will do.
export type PlanPattern = { exact: boolean?, places: { PlanPlace }?, forms: { { PlanPlace } }? }
export type PlanMeans = {
    --- How many steps, changes that are no swaps, may follow at most; of these, how many cost nothing of the
    --- first kind, and how many nothing at all.
    steps: number?,
    free: number?,
    gratis: number?,
    swaps: number?,
    --- Whether pieces may be pushed.
    pushes: boolean?,
    --- How many steps of the set `paid` can surely follow.
    sure: number?,
    --- Which pattern of the question's list `to` nearness is judged by, the first unless told: a later one is
    --- what leads to the first, and every layout that fits the first fits it. With "nothing" the state itself
    --- is what is looked for, whatever the layout.
    aim: (number | "nothing")?,
}
export type PlanDefinition = {
    board: string?,
    unbounded: boolean?,
    pieces: number,
    moves: { [string]: { Change } }?,
    patterns: { [string]: PlanPattern }?,
    left: (state: any) -> number | PlanMeans,
    next: (state: any) -> { PlanEdge },
    --- The set of moves of which all steps are that aren't free: the search then looks back from the pattern.
    paid: string?,
    --- Its class, an amount, what it has and what it wants (the same unless told), as sets of bits: of two states
    --- of one class that with no less an amount, which has all that the other wants, can do all that the other can.
    worth: ((state: any) -> (any, number, number, number?))?,
}
export type Plan = {
    handle: any,
    left: (state: any) -> ...any,
    next: (state: any) -> { PlanEdge },
    worth: ((state: any) -> ...any)?,
}
export type PlanQuestion = { from: any, layout: { Space }, to: string | { string }, limit: number?, cheapest: boolean? }
export type Distance = { layout: { Space }, to: string, by: string, most: number?, limit: number? }
export type TableQuestion = {
    states: { any }?,
    successors: ((state: any) -> { any })?,
    batch: number?,
    goals: ({ any } | (state: any) -> boolean)?,
    plan: Plan?,
    by: string?,
    to: string?,
    limit: number?,
}
export type Table = { at: (state: any) -> number?, counts: { number } }
export type Leg = { label: string?, piece: number?, moved: { { any } } }
--- A frozen definition: the keys of its TOML file, and these.
export type Definition = { id: string, kind: string, pack: string, [string]: any }
--- A unit, a space, a text, a number, a boolean, or a table with a text `key`.
export type Option = any
export type Decision = {
    prompt: string?,
    --- Who is asked; with `seats` any one of them answers for all. An option may have a `seat` of its own: then only
    --- that seat may choose it, and only that seat is shown it where seats play apart.
    seat: string?,
    seats: { string }?,
    kind: ("one" | "some" | "ordered" | "path")?,
    --- How many options make an answer, of the kinds `some` and `ordered`.
    min: number?,
    max: number?,
    options: { Option },
    --- The code of rules.toml by which a key that isn't offered is refused.
    refuse: ((key: string) -> string?)?,
    --- What the decision is about, for bots and explanations.
    about: any?,
}
export type Imagine = {
    policy: ("first" | "random" | ((decision: Decision) -> any))?,
    ["until"]: (() -> boolean?)?,
    value: (() -> any)?,
    seat: string?,
    samples: number?,
    steps: number?,
}
"#;

/// What every unit has besides its methods and declared fields.
const UNIT: &str = "    id: number
    key: string
    kind: string
    def: Definition?
    name: string
    side: string?
    space: Space?
    pile: Pile?
    position: number?
    facing: number
    face: any
    [string]: any
";

const PILE: &str = "    name: string
    owner: string?
";

/// Globals that are no functions.
const GLOBALS: &str = "--- The game's own fields, declared in game.toml; writes are journaled.
declare game: any
--- The session's options, declared in game.toml.
declare options: { [string]: any }
--- The piles declared in game.toml, by name.
declare piles: { [string]: Pile }
declare function require(path: string): any
";

/// The whole file.
pub fn definitions<'a>(records: impl Iterator<Item = &'a Record> + Clone) -> String {
    let mut text =
        String::from("-- Generated from the API records of host/script/api: run the tests to renew it.\n\n");
    text.push_str(TYPES);
    for (name, prefix, fields) in [("Unit", "unit:", UNIT), ("Pile", "pile:", PILE)] {
        let _ = write!(text, "\ndeclare extern type {name} with\n{fields}");
        for record in records.clone() {
            if let Some(method) = record.name.strip_prefix(prefix) {
                comment(&mut text, "    ", record.doc);
                let _ = writeln!(text, "    function {method}{}", returning(record.signature));
            }
        }
        text.push_str("end\n");
    }
    text.push_str("\n--- What a case of a spec file is given.\nexport type Case = {\n");
    members(&mut text, "t", records.clone());
    text.push_str("}\n\n");
    text.push_str(GLOBALS);
    let mut tables: Vec<&str> = Vec::new();
    for record in records.clone() {
        match record.name.split_once('.') {
            Some((table, _)) if table == "t" || tables.contains(&table) => {}
            Some((table, _)) => {
                tables.push(table);
                declare_table(&mut text, table, records.clone());
            }
            None if record.name.contains(':') => {}
            None => {
                text.push('\n');
                comment(&mut text, "", record.doc);
                let _ = writeln!(text, "declare {}: {}", record.name, record.signature);
            }
        }
    }
    text
}

/// For each argument of a function, the keys of the table that it takes, where its type lists them.
pub fn argument_keys(signature: &str) -> Vec<Option<Vec<String>>> {
    let Some(open) = signature.find('(') else {
        return Vec::new();
    };
    let arguments = parts(bracketed(&signature[open..])).into_iter();
    arguments
        .map(|argument| table_keys(argument.split_once(':')?.1.trim().trim_end_matches('?')))
        .collect()
}

/// The keys of a type that is declared as a table with named fields.
fn table_keys(name: &str) -> Option<Vec<String>> {
    let start = TYPES.find(&format!("export type {name} = {{"))?;
    let is_code = |line: &&str| !line.trim_start().starts_with("--");
    let rest: Vec<&str> = TYPES[start..].lines().filter(is_code).collect();
    let rest = rest.join("\n");
    let fields = parts(bracketed(&rest[rest.find('{')?..])).into_iter();
    fields
        .map(|field| {
            let key = field.split_once(':')?.0.trim();
            let key = key.trim_start_matches("[\"").trim_end_matches("\"]");
            (!key.starts_with('[')).then(|| key.to_owned())
        })
        .collect()
}

/// What stands between the bracket that a text begins with and its partner.
fn bracketed(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..at];
        }
    }
    ""
}

/// A list's parts, divided by the commas outside of brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn declare_table<'a>(text: &mut String, table: &str, records: impl Iterator<Item = &'a Record>) {
    let _ = writeln!(text, "\ndeclare {table}: {{");
    members(text, table, records);
    text.push_str("}\n");
}

/// The functions of a table, each with its doc.
fn members<'a>(text: &mut String, table: &str, records: impl Iterator<Item = &'a Record>) {
    for record in records {
        if let Some(name) = record
            .name
            .strip_prefix(table)
            .and_then(|rest| rest.strip_prefix('.'))
        {
            comment(text, "    ", record.doc);
            let _ = writeln!(text, "    {name}: {},", record.signature);
        }
    }
}

/// `(self: Unit) -> boolean` as a method of an extern type declares it.
fn returning(signature: &str) -> String {
    let signature = signature
        .replacen("self: Unit", "self", 1)
        .replacen("self: Pile", "self", 1);
    match signature.rfind(" -> ") {
        Some(at) => format!("{}: {}", &signature[..at], &signature[at + 4..]),
        None => signature,
    }
}

/// A doc as lines that fit a narrow editor.
fn comment(text: &mut String, indent: &str, doc: &str) {
    let mut line = String::new();
    for word in doc.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() + indent.len() > 100 {
            let _ = writeln!(text, "{indent}--- {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(text, "{indent}--- {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_tells_the_keys_of_its_tables() {
        let keys = argument_keys("(fn: () -> any, settings: Imagine?) -> (any, string?)");
        assert_eq!(keys.len(), 2);
        assert_eq!(keys[0], None);
        assert!(keys[1].as_ref().unwrap().contains(&"until".to_owned()));
        let lay = argument_keys("(pattern: Pattern, lay: Lay?) -> ()");
        assert_eq!(
            lay,
            [None, Some(vec!["rotate".into(), "mirror".into(), "whole".into()])]
        );
    }
}
