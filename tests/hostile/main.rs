//! Hostile scripts in every place where a session runs one: each ends in a clear error within twice
//! the budget, nothing of it stays on the tabletop, and the host goes on. (What a bare VM must
//! withstand is in `host/script/vm/hostile.rs`.)
#[path = "../common/mod.rs"]
mod common;
mod rows;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex::pack::{Selection, Sources, load, report};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};

use rows::{KEEPERS, STEPS};

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

#[test]
fn nothing_outlives_a_step_beside_the_tabletop() {
    for (name, body, expected) in KEEPERS {
        let text = format!("local step = require(\"@std/flow\").steps(\"trap\")\n{body}\n");
        let told = match run(&[("rules/start.luau", &text)]).0 {
            Err(told) => told,
            Ok(session) => match session.status() {
                Status::Failed(error) => error.to_string(),
                other => panic!("{name}: {other:?}"),
            },
        };
        assert!(told.contains(expected), "{name}: {told}");
        assert!(told.contains("rules/start.luau:2"), "{name}: {told}");
    }
}

#[test]
fn a_card_that_lies_hidden_is_offered_by_its_place() {
    let offer = "for i = 1, 3 do piles.bag:put(units.make(\"stones\", { charge = i })) end choose({ prompt = \"Draw\", seat = \"one\", options = piles.bag:list() })";
    let source = step(offer);
    let mut session = run(&[("rules/trap.luau", &source)]).0.expect("it runs");
    let decision = session.decision().expect("it asks");
    let keys: Vec<&str> = decision.options.iter().map(|o| o.key.as_str()).collect();
    assert_eq!(keys, ["bag:1", "bag:2", "bag:3"]);
    let labels = decision.options.iter().map(|o| o.label.as_str());
    assert_eq!(labels.collect::<Vec<_>>(), keys);
    let refusal = session
        .answer("one", &["stones-2".into()])
        .expect_err("no such key");
    assert_eq!(refusal.message, "`stones-2` is not offered");
}
