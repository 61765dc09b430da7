//! Misspelt names in scripts, told before anything runs: globals, members of the API's tables, piles and their
//! methods, keys of tables that the API takes, steps.
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::api::{self, types};
use super::vm::{
    Budget, BytecodeCache, Kind, ScriptError, Token, global_uses, hint, is_expression, locals, tokens,
};
use super::{Program, problem_at_line};
use crate::pack::Diagnostic;
use crate::pack::files::SourceFile;
use crate::pack::model::{Catalogue, GameDef};
use crate::pack::values::{UNIT_BUILTINS, UNIT_METHODS};

/// The code of what it reports.
const CODE: &str = "unknown-name";

/// Knows what scripts may name.
pub struct Speller {
    program: Program,
    /// The globals of rules, each with its members if it is a table.
    globals: BTreeMap<String, Vec<String>>,
    /// By a function's full name: for each argument, the keys of the table that it takes.
    settings: BTreeMap<&'static str, Vec<Option<Vec<String>>>>,
    pile_methods: Vec<&'static str>,
    /// Whether it is known what the game declares.
    declared: bool,
}

/// What holds what a game declares, and how to say that something isn't.
const DECLARED: [(&str, &str); 3] = [
    ("game", "`game` has no field"),
    ("options", "there is no option"),
    ("piles", "there is no pile"),
];

impl Speller {
    pub fn new() -> Result<Self, Vec<ScriptError>> {
        let program = Program::load_as(
            Arc::new(Catalogue::default()),
            1,
            &BTreeMap::new(),
            Budget::default(),
            Arc::new(BytecodeCache::default()),
            true,
        )?;
        let mut globals = program.globals();
        // What games declare is not known here; `declares` tells.
        for (name, _) in DECLARED {
            globals.insert(name.into(), Vec::new());
        }
        Ok(Self {
            program,
            globals,
            settings: api::records()
                .map(|record| (record.name, types::argument_keys(record.signature)))
                .filter(|(_, keys)| keys.iter().any(Option::is_some))
                .collect(),
            pile_methods: api::records()
                .filter_map(|record| record.name.strip_prefix("pile:"))
                .collect(),
            declared: false,
        })
    }

    /// Lets `game`, `options` and `piles` have only what a game declares.
    pub fn declares(&mut self, game: &GameDef) {
        self.declared = true;
        let fields = game.fields.iter().map(|field| field.name.clone());
        let built_in = UNIT_BUILTINS.into_iter().chain(UNIT_METHODS).map(str::to_owned);
        self.globals
            .insert("game".into(), fields.chain(built_in).collect());
        let options = game.options.iter().map(|option| option.name.clone());
        self.globals.insert("options".into(), options.collect());
        let piles = game.piles.iter().map(|pile| pile.name.clone());
        self.globals.insert("piles".into(), piles.collect());
    }

    /// What keeps a script from being run, or would as soon as it runs.
    pub fn check(&self, chunk: &str, file: &SourceFile) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        if let Some(script) = Script::read(&file.text) {
            self.check_names(&script, file, &mut found);
        }
        if found.is_empty()
            && let Err(error) = self.program.vm().compile_check(chunk, &file.text)
        {
            found.push(problem_at_line(&error, &file.name, Some(&file.text)));
        }
        found
    }

    fn check_names(&self, script: &Script, file: &SourceFile, found: &mut Vec<Diagnostic>) {
        let mut own = None;
        let mut report = |span: Range<usize>, message: String| {
            found.push(Diagnostic::in_text(file, CODE, span, message));
        };
        for at in 0..script.tokens.len() {
            let Some(root) = script.global(at) else { continue };
            let Some(members) = self.globals.get(root) else {
                let own = own.get_or_insert_with(|| locals(script.source));
                if let Some(message) = self.program.vm().refusal_to_read(root, own) {
                    report(script.span(at), message);
                }
                continue;
            };
            let mut end = at;
            let mut full = root.to_owned();
            if script.is(at + 1, b'.') && !script.name(at + 2).is_empty() {
                end = at + 2;
                let member = script.name(end);
                let absence = DECLARED
                    .iter()
                    .find(|(name, _)| *name == root)
                    .map(|(_, told)| told);
                let is_open = match absence {
                    Some(_) => !self.declared,
                    None => members.is_empty(),
                };
                if !is_open && !members.iter().any(|known| known == member) {
                    let message = match absence {
                        Some(told) => {
                            let hint = match hint(member, members.iter().map(String::as_str)) {
                                hint if hint.is_empty() => "; declare it in game.toml".into(),
                                hint => hint,
                            };
                            format!("{told} `{member}`{hint}")
                        }
                        None => self.program.vm().refusal_of_member(root, member, members),
                    };
                    report(script.span(end), message);
                    continue;
                }
                full = format!("{root}.{member}");
                let method = script.name(end + 2);
                if root == "piles"
                    && script.is(end + 1, b':')
                    && !method.is_empty()
                    && !self.pile_methods.contains(&method)
                {
                    let hint = hint(method, self.pile_methods.iter().copied());
                    report(
                        script.span(end + 2),
                        format!("a pile has no method `{method}`{hint}"),
                    );
                }
            }
            if let Some(settings) = self.settings.get(full.as_str()) {
                for (argument, known) in script.arguments(end + 1).into_iter().zip(settings) {
                    let Some(known) = known else { continue };
                    for (key, span) in script.keys(argument) {
                        if known.iter().any(|name| name == key) {
                            continue;
                        }
                        let hint = hint(key, known.iter().map(String::as_str));
                        report(span, format!("{full} has no setting `{key}`{hint}"));
                    }
                }
            }
        }
    }
}

impl Program {
    /// Names of steps that a pack's scripts push and no script defines.
    pub fn misspelt_steps(&self, pack: &str) -> Vec<Diagnostic> {
        let catalogue = self.catalogue();
        let steps = &self.world.steps;
        let mut found = Vec::new();
        let scripts = catalogue.scripts.values();
        for script in scripts.filter(|script| script.pack == pack && !script.test) {
            let Some(read) = Script::read(&script.source) else {
                continue;
            };
            let file = script.source_file();
            for (name, span) in read.steps() {
                let is_known = if name.contains('.') {
                    steps.iter().any(|step| **step == *name)
                } else {
                    // Whose prefix holds is known only as it runs.
                    steps.iter().any(|step| last(step) == name)
                };
                if is_known {
                    continue;
                }
                let hint = if name.contains('.') {
                    hint(name, steps.iter().map(|step| &**step))
                } else {
                    hint(name, steps.iter().map(|step| last(step)))
                };
                let message = format!("there is no step `{name}`{hint}");
                found.push(Diagnostic::in_text(&file, CODE, span, message));
            }
        }
        found
    }
}

fn last(step: &str) -> &str {
    step.rsplit_once('.').map_or(step, |(_, last)| last)
}

/// A source with its tokens and the globals that its bytecode uses, which knows what locals hide.
struct Script<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    lines: Vec<u32>,
    /// The globals that are read, by name and line.
    reads: BTreeSet<(String, u32)>,
}

impl<'a> Script<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let tokens = tokens(text)?;
        let uses = global_uses(text)?;
        let mut line = 1;
        let mut from = 0;
        let lines = tokens
            .iter()
            .map(|token| {
                line += text.as_bytes()[from..token.start]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count() as u32;
                from = token.start;
                line
            })
            .collect();
        let mut script = Self {
            source: text,
            tokens,
            lines,
            reads: BTreeSet::new(),
        };
        let mut reads: BTreeMap<(String, u32), usize> = BTreeMap::new();
        for read in uses.into_iter().filter(|read| !read.writes) {
            *reads.entry((read.name, read.line)).or_default() += 1;
        }
        let mut named: BTreeMap<(&str, u32), usize> = BTreeMap::new();
        for at in 0..script.tokens.len() {
            if script.may_read(at) {
                *named.entry((script.name(at), script.lines[at])).or_default() += 1;
            }
        }
        // Where a line names more than it reads, a local of that name hides the global.
        let is_plain = |read: &(String, u32), count| named.get(&(read.0.as_str(), read.1)) == Some(count);
        script.reads = reads
            .iter()
            .filter(|(read, count)| is_plain(read, *count))
            .map(|(read, _)| read.clone())
            .collect();
        Some(script)
    }

    fn name(&self, at: usize) -> &'a str {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Name => &self.source[token.start..token.end],
            _ => "",
        }
    }

    fn is(&self, at: usize, symbol: u8) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    fn span(&self, at: usize) -> Range<usize> {
        self.tokens[at].start..self.tokens[at].end
    }

    /// Whether a token may be the name of a variable that is read.
    fn may_read(&self, at: usize) -> bool {
        let before = |symbol| at > 0 && self.is(at - 1, symbol);
        // `a..b` joins texts; `.b`, `:b` and `b =` name members, types and keys.
        let joined = before(b'.') && at > 1 && self.is(at - 2, b'.');
        !self.name(at).is_empty() && (!before(b'.') || joined) && !before(b':') && !self.assigns(at + 1)
    }

    /// The global that is read at a token.
    fn global(&self, at: usize) -> Option<&'a str> {
        let name = self.name(at);
        let read = self.may_read(at) && self.reads.contains(&(name.to_owned(), self.lines[at]));
        read.then_some(name)
    }

    /// Whether a token is `=`, and not half of `==`.
    fn assigns(&self, at: usize) -> bool {
        self.is(at, b'=') && !self.is(at + 1, b'=')
    }

    /// The first tokens of a call's arguments; none if the token begins no call.
    fn arguments(&self, at: usize) -> Vec<usize> {
        if self.is(at, b'{') {
            return vec![at];
        }
        if !self.is(at, b'(') {
            return Vec::new();
        }
        self.items(at)
    }

    /// The first tokens of what stands between brackets, divided by commas.
    fn items(&self, open: usize) -> Vec<usize> {
        let mut items = Vec::new();
        let mut depth = 0usize;
        let mut at = open;
        while at < self.tokens.len() {
            let closes = matches!(
                self.tokens[at].kind,
                Kind::Symbol(b')' | b']' | b'}') | Kind::TextClose
            );
            let divided = at == open + 1 || self.is(at - 1, b',') || self.is(at - 1, b';');
            if depth == 1 && divided && !closes {
                items.push(at);
            }
            match self.tokens[at].kind {
                Kind::Symbol(b'(' | b'[' | b'{') | Kind::TextOpen => depth += 1,
                _ if closes => depth -= 1,
                // Its body has commas of its own.
                Kind::Name if self.name(at) == "function" => at = self.function_end(at),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at += 1;
        }
        items
    }

    /// The `end` of a function value: the first one with which it compiles.
    fn function_end(&self, at: usize) -> usize {
        let start = self.tokens[at].start;
        (at..self.tokens.len())
            .filter(|end| self.name(*end) == "end")
            .find(|end| is_expression(&self.source[start..self.tokens[*end].end]))
            .unwrap_or(at)
    }

    /// The text keys of the table that a token begins.
    fn keys(&self, open: usize) -> Vec<(&'a str, Range<usize>)> {
        if !self.is(open, b'{') {
            return Vec::new();
        }
        let items = self.items(open).into_iter();
        let keys = items.filter_map(|at| {
            if !self.name(at).is_empty() && self.assigns(at + 1) {
                return Some((self.name(at), self.span(at)));
            }
            let bracketed = self.is(at, b'[') && self.is(at + 2, b']') && self.assigns(at + 3);
            Some((self.text(at + 1).filter(|_| bracketed)?, self.span(at + 1)))
        });
        keys.collect()
    }

    /// A plain text in quotes.
    fn text(&self, at: usize) -> Option<&'a str> {
        let token = self.tokens.get(at).filter(|token| token.kind == Kind::Text)?;
        let written = &self.source[token.start..token.end];
        let inner = written.get(1..written.len() - 1)?;
        (written.starts_with(['"', '\'']) && !inner.contains('\\')).then_some(inner)
    }

    /// The steps that `next`, or a shape of `@std/flow`, is given by name.
    fn steps(&self) -> Vec<(&'a str, Range<usize>)> {
        let flow = self.flow();
        let mut found = Vec::new();
        for at in 0..self.tokens.len() {
            let call = if self.global(at) == Some("next") {
                at + 1
            } else if flow == Some(self.name(at)) && self.may_read(at) && self.is(at + 1, b'.') {
                match self.name(at + 2) {
                    "each_in_order" | "any_order" | "turns" | "phases" | "rounds" => at + 3,
                    _ => continue,
                }
            } else {
                continue;
            };
            let Some(first) = self.arguments(call).first().copied() else {
                continue;
            };
            let list = if self.is(first, b'{') {
                self.items(first)
            } else {
                vec![first]
            };
            for item in list {
                let named = if self.is(item, b'{') { item + 1 } else { item };
                // Not `"a" .. b`, which is no name yet.
                let whole = [b',', b'}', b';', b')']
                    .iter()
                    .any(|end| self.is(named + 1, *end));
                if let Some(name) = self.text(named).filter(|_| whole) {
                    found.push((name, self.span(named)));
                }
            }
        }
        found
    }

    /// What the module `@std/flow` is called here: `local flow = require("@std/flow")`.
    fn flow(&self) -> Option<&'a str> {
        (0..self.tokens.len()).find_map(|at| {
            let is_it = self.name(at) == "local"
                && self.is(at + 2, b'=')
                && self.global(at + 3) == Some("require")
                && self.is(at + 4, b'(')
                && self.text(at + 5) == Some("@std/flow")
                && !self.is(at + 7, b'.');
            is_it.then(|| self.name(at + 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{Selection, Sources, load};

    /// Nothing in sound scripts is told, and every global that the compiler saw is found among the tokens.
    #[test]
    fn sound_scripts_have_no_misspelt_names() {
        let root = env!("CARGO_MANIFEST_DIR");
        let folders = [
            "content/rove-modules",
            "scripts/tests",
            "tests/packs/bench",
            "tests/packs/crossroads",
            "tests/packs/high-card",
            "tests/packs/stones",
            "tests/packs/tic-tac-toe",
        ];
        let mut count = 0;
        for folder in folders {
            let sources = Sources::at(root).with_pack(format!("{root}/{folder}"));
            let all = crate::pack::installed(&sources);
            let is_here = |path: &std::path::Path| path.ends_with(folder);
            let mut packs = all.packs.iter();
            let (id, _) = packs
                .find(|(_, pack)| pack.folder.path().is_some_and(is_here))
                .unwrap();
            let catalogue = load(&sources, &Selection::game(id)).unwrap();
            let mut speller = Speller::new().unwrap();
            speller.declares(catalogue.game.as_ref().unwrap());
            for script in catalogue.scripts.values() {
                count += 1;
                let file = script.source_file();
                // A library's module may be for games that declare more.
                if script.pack == *id {
                    let problems = speller.check(&script.chunk, &file);
                    assert!(problems.is_empty(), "{problems:#?}");
                }
                let read_all = Script::read(&script.source).unwrap();
                let uses = global_uses(&script.source).unwrap().into_iter();
                let uses = uses.filter(|read| !read.writes && read.name != "__each");
                for read in uses.map(|read| (read.name, read.line)) {
                    assert!(read_all.reads.contains(&read), "{}: {read:?}", script.file);
                }
            }
            let undeclared = Speller::new().unwrap();
            for script in catalogue.scripts.values() {
                let problems = undeclared.check(&script.chunk, &script.source_file());
                assert!(problems.is_empty(), "{problems:#?}");
            }
        }
        assert!(count > 100, "only {count} scripts");
    }
}
