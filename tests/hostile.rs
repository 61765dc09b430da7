//! Hostile scripts in every place where a session runs one: each ends in a clear error within twice
//! the budget, nothing of it stays on the tabletop, and the host goes on. (What a bare VM must
//! withstand is in `host/script/vm/hostile.rs`.)
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex::pack::{Selection, Sources, load, report};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};

const GAME: &str = r#"
title = "Trap"
summary = "A game for hostile scripts."
start = "trap.start"
seats = ["one", "two"]
streams = ["luck"]
[fields]
count = { type = "number" }
[boards.grid]
topology = "square"
neighbours = 8
[piles.bag]
visibility = "none"
[units.stones]
glyph = "o"
[units.stones.fields]
charge = { type = "number" }
notes = { type = "list" }
"#;

fn pack(folder: &Path, files: &[(&str, &str)]) {
    let manifest = "id = \"trap\"\nversion = \"0.1.0\"\nludex = \"0.1\"\ntitle = \"Trap\"\nauthors = [\"T\"]\nlicence = \"MIT\"\n";
    for (path, text) in [("pack.toml", manifest), ("game.toml", GAME)].iter().chain(files) {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
}

fn budget() -> Budget {
    Budget {
        step_time: Duration::from_millis(400),
        memory: 16 << 20,
        ..Budget::default()
    }
}

/// Loads a pack whose step `trap.start` has this body, and runs it to its first halt.
fn run(files: &[(&str, &str)]) -> (Result<Session, String>, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    pack(folder.path(), files);
    let sources = Sources::at(common::root()).with_pack(folder.path());
    let start = Instant::now();
    let catalogue = match load(&sources, &Selection::game("trap")) {
        Ok(catalogue) => Arc::new(catalogue),
        Err(problems) => return (Err(report::text(&problems)), start.elapsed()),
    };
    let cache = Arc::new(BytecodeCache::default());
    let program = match Program::load(catalogue, 7, &BTreeMap::new(), budget(), cache) {
        Ok(program) => program,
        Err(errors) => {
            return (
                Err(errors
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("\n")),
                start.elapsed(),
            );
        }
    };
    let mut program = program;
    let problems = program.content_problems();
    if !problems.is_empty() {
        return (Err(report::text(&problems)), start.elapsed());
    }
    let session = Session::new(program, Memory::All);
    (Ok(session), start.elapsed())
}

fn step(body: &str) -> String {
    format!(
        "local step = require(\"@std/flow\").steps(\"trap\")\nfunction step.start(given)\n{body}\nend\nfunction step.idle()\n\tchoose({{ prompt = \"Wait\", options = {{ \"go\" }} }})\nend\n"
    )
}

/// Bodies of a step, and what the error must say.
const STEPS: &[(&str, &str, &str)] = &[
    (
        "an endless loop",
        "while true do end",
        "the step ran longer than 400 ms",
    ),
    (
        "an endless repeat",
        "repeat until false",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop that swallows errors",
        "while true do pcall(function() while true do end end) end",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in xpcall's handler",
        "xpcall(function() error(\"x\") end, function() while true do end end)",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in attempt",
        "attempt(function() while true do end end)",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine",
        "imagine(function() while true do end end) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine's policy",
        "imagine(function() return choose({ options = { 1, 2 } }) end, { policy = function() while true do end end }) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine's until",
        "imagine(function() end, { [\"until\"] = function() while true do end end }) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "imagine within imagine without end",
        "local function deeper() imagine(deeper) end deeper()",
        "",
    ),
    (
        "a loop in a memo",
        "local slow = memo(function() while true do end end) slow(1)",
        "the step ran longer than 400 ms",
    ),
    (
        "a memo that asks",
        "local ask = memo(function() return choose({ options = { 1 } }) end) ask(1)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a comparator",
        "table.sort({ 3, 1, 2 }, function(a, b) return choose({ options = { a, b } }) == a end)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a gsub callback",
        "string.gsub(\"abc\", \"%a\", function() return choose({ options = { \"x\" } }) end)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a metamethod",
        "local t = setmetatable({}, { __index = function() return choose({ options = { 1 } }) end }) local x = t.y",
        "choose works only while a step runs",
    ),
    (
        "too many units",
        "for i = 1, 200000 do units.make(\"stones\") end",
        "",
    ),
    (
        "spaces beyond the edge",
        "units.make(\"stones\", { space = vector(2000000, 0) })",
        "is not a space",
    ),
    (
        "a space of fractions",
        "units.make(\"stones\", { space = vector(0.5, 0) })",
        "is not a space",
    ),
    (
        "a space that is no number",
        "units.make(\"stones\", { space = vector(0 / 0, 0) })",
        "is not a space",
    ),
    (
        "a field that is no number",
        "game.count = 0 / 0",
        "not a number (0/0) can't be kept in a field",
    ),
    (
        "a field that is infinite",
        "game.count = 1e308 * 10",
        "nor can infinity",
    ),
    (
        "a text in a number field",
        "game.count = \"three\"",
        "`count` is a number; it can't hold a text",
    ),
    (
        "a misspelt field",
        "game.cuont = 3",
        "`game` has no field `cuont`; did you mean `count`?",
    ),
    (
        "a function in a list",
        "units.make(\"stones\", { notes = { function() end } })",
        "a function can't be kept in a field",
    ),
    (
        "a list in a ring",
        "local t = {} t[1] = t units.make(\"stones\", { notes = t })",
        "lists and maps nest at most 16 deep",
    ),
    (
        "a handle that is gone",
        "local s = units.make(\"stones\") s:remove() s.charge = 1",
        "no longer exists",
    ),
    (
        "a handle out of an imagined world",
        "local s imagine(function() s = units.make(\"stones\") end) s.charge = 1",
        "no longer exists",
    ),
    (
        "a frozen list",
        "local s = units.make(\"stones\", { notes = { 1 } }) s.notes[1] = 2",
        "readonly",
    ),
    ("the units' metatable", "getmetatable(game).__index = nil", ""),
    ("another metatable for game", "setmetatable(game, {})", ""),
    ("rawset on the API", "rawset(units, \"make\", nil)", "readonly"),
    ("a new global", "cheat = 1", "cheat"),
    ("a builtin replaced", "string.format = nil", "readonly"),
    ("the string metatable", "getmetatable(\"\").__index = {}", ""),
    ("table.freeze undone", "table.insert(options, 1)", ""),
    (
        "a step that pushes itself twice without end",
        "next({ \"start\", \"start\" })",
        "",
    ),
    (
        "a thousand steps of nothing",
        "next({ \"start\" })",
        "steps ran without a decision",
    ),
    (
        "steps without end",
        "for i = 1, 20000 do next({ \"idle\" }) end",
        "the agenda holds at most 2000 steps",
    ),
    (
        "a step that is not there",
        "next({ \"satrt\" })",
        "there is no step `trap.satrt`; did you mean `trap.start`?",
    ),
    (
        "an argument that is a function",
        "next({ { \"idle\", fn = function() end } })",
        "a function can't be kept in a field",
    ),
    (
        "no options",
        "choose({ prompt = \"?\", options = {} })",
        "choose has no options",
    ),
    (
        "two options with one key",
        "choose({ prompt = \"?\", options = { \"a\", \"a\" } })",
        "offers `a` twice",
    ),
    (
        "an option that is a function",
        "choose({ prompt = \"?\", options = { function() end } })",
        "an option is a unit, a space",
    ),
    (
        "an option with an escape for a key",
        "choose({ prompt = \"?\", options = { \"\\27[2Jgo\" } })",
        "is no key",
    ),
    (
        "a seat that is not there",
        "choose({ prompt = \"?\", seat = \"three\", options = { \"a\" } })",
        "asks the seat `three`",
    ),
    ("an error that is nil", "error(nil)", ""),
    ("an error that is a table", "error({ code = 7 })", ""),
    ("an error that is a number", "error(7)", "7"),
    (
        "an error whose text raises",
        "error(setmetatable({}, { __tostring = function() error(\"again\") end }))",
        "",
    ),
    ("a very long error", "error(string.rep(\"x\", 500000))", ""),
    ("a text beyond the limit", "log(string.rep(\"x\", 2000000))", ""),
    (
        "no result and no next step",
        "",
        "no step is left and the game has no result",
    ),
    ("an empty result", "finish(\"\")", "a result is a short text"),
    (
        "a stream that is not there",
        "dice.int(\"lcuk\", 1, 6)",
        "there is no dice stream `lcuk`; did you mean `luck`?",
    ),
    (
        "an empty range",
        "dice.int(\"luck\", 6, 1)",
        "the range 6 to 1 is empty",
    ),
    (
        "a pile put into itself at a bad place",
        "piles.bag:put(units.make(\"stones\"), 99)",
        "expected a whole number from 1 to 1",
    ),
    ("a yield by hand", "coroutine.yield()", "coroutine"),
    (
        "a table walked by table keys",
        "local t = { [{}] = 1, [{}] = 2 } for k in t do log(\"x\") end",
        "",
    ),
    ("the clock", "log(tostring(os.time()))", "os"),
    ("unseeded chance", "log(tostring(math.random()))", ""),
];

/// The status once the decision is read: one that can't be shown is a fault of its step.
fn asked(session: &mut Session) -> Status {
    let _ = session.decision();
    session.status().clone()
}

#[test]
fn each_hostile_step_ends_in_a_clear_error_and_changes_nothing() {
    let mut faults = Vec::new();
    for (name, body, expected) in STEPS {
        let source = step(body);
        let (session, time) = run(&[("rules/trap.luau", &source)]);
        let message = match session {
            Err(refused) => refused,
            Ok(mut session) => match asked(&mut session) {
                Status::Failed(error) => {
                    if session.tabletop().units().count() != 0 {
                        faults.push(format!("{name}: units stayed"));
                    }
                    error.to_string()
                }
                other => {
                    faults.push(format!("{name}: went on: {other:?}"));
                    continue;
                }
            },
        };
        if !message.contains(expected) {
            faults.push(format!(
                "{name}: expected \"{expected}\", got \"{}\"",
                message.chars().take(300).collect::<String>()
            ));
        }
        if message.contains("0x") || message.contains("ludex/prelude") {
            faults.push(format!(
                "{name}: shows an address or the host's inside: {message}"
            ));
        }
        // Twice the budget, and what loading takes on a busy machine.
        if time > Duration::from_millis(800 + 700) {
            faults.push(format!("{name}: took {time:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Name, files, and what the message must hold.
type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str);

#[test]
fn hostile_files_are_refused_and_the_host_goes_on() {
    let good = step("choose({ prompt = \"Wait\", options = { \"go\" } })");
    let rows: &[Row] = &[
        (
            "a loop while loading",
            &[("rules/a.luau", "while true do end")],
            "the step ran longer than 400 ms",
        ),
        (
            "a file outside",
            &[("rules/a.luau", "require(\"../../../etc/passwd\")")],
            "leaves the pack",
        ),
        (
            "another pack's inside",
            &[("rules/a.luau", "require(\"@rove-modules/rules/turn\")")],
            "doesn't depend on",
        ),
        ("bytecode", &[("rules/a.luau", "\u{1b}Lua")], ""),
        (
            "state in a module's variable",
            &[(
                "rules/a.luau",
                "local n = 0\nlocal m = {}\nfunction m.f() n += 1 end\nreturn m",
            )],
            "n",
        ),
        (
            "a step defined twice",
            &[(
                "rules/a.luau",
                "local step = require(\"@std/flow\").steps(\"trap\")\nfunction step.start() end",
            )],
            "is defined twice",
        ),
        (
            "a step defined later",
            &[(
                "rules/a.luau",
                "local flow = require(\"@std/flow\")\nlocal step = flow.steps(\"late\")\nfunction step.go() flow.steps(\"later\") end",
            )],
            "",
        ),
        (
            "a ring of modules",
            &[
                ("rules/a.luau", "require(\"./b\")"),
                ("rules/b.luau", "require(\"./a\")"),
            ],
            "a",
        ),
        (
            "units made while loading",
            &[("rules/a.luau", "units.make(\"stones\")")],
            "changed the tabletop while it loaded",
        ),
        (
            "a loop in a content check",
            &[(
                "rules/content.luau",
                "return { check = function() while true do end end }",
            )],
            "the step ran longer than 400 ms",
        ),
        (
            "a content check that makes units",
            &[(
                "rules/content.luau",
                "return { check = function() for i = 1, 10 do units.make(\"stones\") end error(\"made\") end }",
            )],
            "made",
        ),
        (
            "a loop in score",
            &[("rules/score.luau", "while true do end")],
            "the step ran longer than 400 ms",
        ),
    ];
    for (name, files, expected) in rows {
        let mut all = vec![("rules/trap.luau", good.as_str())];
        all.extend_from_slice(files);
        let (session, _) = run(&all);
        match session {
            Err(message) => assert!(message.contains(expected), "{name}: {message}"),
            Ok(session) => assert!(
                *name == "a step defined later" && matches!(session.status(), Status::Decision),
                "{name}: loaded, {:?}",
                session.status()
            ),
        }
    }
}

#[test]
fn a_hostile_refusal_leaves_the_decision_standing() {
    for body in [
        "while true do end",
        "error(\"no\")",
        "return {}",
        "game.count = 5 return \"x\"",
        "next({ \"idle\" })",
    ] {
        let source = step(&format!(
            "choose({{ prompt = \"Wait\", options = {{ \"go\" }}, refuse = function(key) {body} end }})\nfinish(\"done\")"
        ));
        let (session, _) = run(&[("rules/trap.luau", &source)]);
        let mut session = session.unwrap_or_else(|e| panic!("{e}"));
        let before = session.tabletop().hash();
        assert!(session.answer("one", &["stay".into()]).is_err(), "{body}");
        assert_eq!(session.tabletop().hash(), before, "{body}");
        session
            .answer("one", &["go".into()])
            .unwrap_or_else(|r| panic!("{body}: {r}"));
        assert!(
            matches!(session.status(), Status::Ended(_)),
            "{body}: {:?}",
            session.status()
        );
    }
}
