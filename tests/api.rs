//! Every API function is documented, its example runs and asserts, and the editors' type file is up to date.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ludex::pack::model::{BoardShape, Catalogue};
use ludex::script::Program;
use ludex::script::api::{documented, records, spec, types};
use ludex::script::vm::{Budget, BytecodeCache};

mod common;
use common::{catalogue, copy, run};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn every_record_has_a_doc_and_an_example_that_asserts() {
    let mut names = BTreeSet::new();
    for record in documented() {
        assert!(
            names.insert(record.name),
            "two records are called `{}`",
            record.name
        );
        assert!(
            record.doc.ends_with('.'),
            "`{}`: the doc is no sentence: {}",
            record.name,
            record.doc
        );
        assert!(
            record.example.contains("assert(") || spec::RECORDS.iter().any(|r| r.name == record.name),
            "`{}`: the example asserts nothing",
            record.name
        );
        assert!(
            record.signature.contains(" -> "),
            "`{}`: the signature is no function type",
            record.name
        );
    }
}

#[test]
fn every_example_runs() {
    let (catalogue, cache) = (catalogue("stones"), Arc::new(BytecodeCache::default()));
    let mut failed = Vec::new();
    for record in records() {
        if let Err(problem) = run(&catalogue, &cache, record.example) {
            failed.push(format!("{}: {problem}\n{}", record.name, record.example));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The examples of the spec API are cases of a copied pack; a case without an assertion fails.
#[test]
fn every_example_of_the_spec_api_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&Path::new(ROOT).join("tests/packs/stones"), folder.path());
    std::fs::create_dir(folder.path().join("tests")).expect("made");
    for record in spec::RECORDS {
        let name = record.name.replace('.', "_");
        let body = if record.name == "test" {
            record.example.to_owned()
        } else {
            format!(
                "test(\"{}\", function(t)\n{}\nend)\n",
                record.name, record.example
            )
        };
        let path = folder.path().join(format!("tests/{name}.spec.luau"));
        std::fs::write(path, body).expect("written");
    }
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["test", "--root", ROOT])
        .arg(folder.path())
        .output()
        .expect("runs");
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{told}");
    assert!(told.contains(&format!("{} cases", spec::RECORDS.len())), "{told}");
}

/// What a case can do is what the manual tells.
#[test]
fn a_case_has_what_the_manual_tells() {
    let source = include_str!("../host/script/spec.luau");
    let written: BTreeSet<&str> = source
        .lines()
        .filter_map(|l| l.strip_prefix("function t.")?.split('(').next())
        .collect();
    let told: BTreeSet<&str> = spec::RECORDS
        .iter()
        .filter_map(|r| r.name.strip_prefix("t."))
        .collect();
    assert_eq!(written, told);
}

#[test]
fn an_example_that_is_wrong_fails() {
    let (catalogue, cache) = (catalogue("stones"), Arc::new(BytecodeCache::default()));
    let problem = run(
        &catalogue,
        &cache,
        "assert(board.distance(vector(0, 0), vector(1, 0)) == 2)",
    )
    .unwrap_err();
    assert_eq!(problem, "@stones/rules/example.luau:3: assertion failed!");
}

/// What the host puts into the globals has a record; only these need none.
const UNDOCUMENTED: [&str; 1] = ["steps"];

#[test]
fn every_function_of_the_api_has_a_record() {
    let (catalogue, cache) = (catalogue("stones"), Arc::new(BytecodeCache::default()));
    let program =
        Program::load(catalogue, 7, &BTreeMap::new(), Budget::default(), cache.clone()).expect("loads");
    let known: BTreeSet<String> = records().map(|r| r.name.to_owned()).collect();
    let tables: BTreeSet<&str> = records()
        .filter_map(|r| r.name.split_once('.'))
        .map(|(table, _)| table)
        .collect();
    let globals = program.vm().lua().globals();
    for name in tables {
        let table: mlua::Table = globals.raw_get(name).expect("a table of the API");
        for pair in table.pairs::<String, mlua::Value>() {
            let full = format!("{name}.{}", pair.expect("a name").0);
            assert!(known.contains(&full), "`{full}` has no record");
        }
    }
    let luau = mlua::Lua::new();
    for pair in globals.pairs::<String, mlua::Value>() {
        let (name, value) = pair.expect("a name");
        let ours = value.is_function()
            && luau
                .globals()
                .raw_get::<mlua::Value>(name.as_str())
                .is_ok_and(|v| v.is_nil());
        let needs_none = UNDOCUMENTED.contains(&name.as_str()) || name.starts_with("__");
        assert!(
            !ours || needs_none || known.contains(&name),
            "`{name}` has no record"
        );
    }
}

#[test]
fn the_type_definitions_are_up_to_date() {
    let path = Path::new(ROOT).join("schema/ludex.d.luau");
    let wanted = types::definitions(documented());
    let present = std::fs::read_to_string(&path).unwrap_or_default();
    if present != wanted {
        std::fs::write(&path, wanted).expect("schema/ludex.d.luau can be written");
        panic!("schema/ludex.d.luau was out of date and has been written anew: look at it and commit it");
    }
}

#[test]
fn documented_examples_of_the_library_run() {
    let (catalogue, cache) = (catalogue("stones"), Arc::new(BytecodeCache::default()));
    let mut failed = Vec::new();
    for (id, script) in catalogue
        .scripts
        .iter()
        .filter(|(id, _)| id.starts_with("@std/") || id.starts_with("@tactics/"))
    {
        for (line, example) in examples(&script.source) {
            if let Err(problem) = run(&catalogue, &cache, &example) {
                failed.push(format!("{id}, line {line}: {problem}\n{example}"));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// The fenced Luau blocks of `---` comments, with the lines where they begin.
fn examples(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in source.lines().enumerate() {
        let comment = line
            .trim_start()
            .strip_prefix("---")
            .map(|c| c.strip_prefix(' ').unwrap_or(c));
        match (comment, &mut open) {
            (Some(text), None) if text.trim() == "```lua" || text.trim() == "```luau" => {
                open = Some((index + 1, String::new()));
            }
            (Some(text), Some(_)) if text.trim() == "```" => found.extend(open.take()),
            (Some(text), Some((_, example))) => {
                example.push_str(text);
                example.push('\n');
            }
            (None, Some((line, _))) => panic!("the example at line {line} has no end"),
            _ => {}
        }
    }
    found
}

/// What a chunk raises, in the words that a script's author reads.
fn raised(catalogue: &Catalogue, cache: &Arc<BytecodeCache>, chunk: &str) -> String {
    match run(catalogue, cache, chunk) {
        Err(problem) => problem,
        Ok(()) => panic!("this raises nothing: {chunk}"),
    }
}

#[test]
fn what_a_script_answers_wrongly_is_told_with_its_place() {
    let (catalogue, cache) = (catalogue("stones"), Arc::new(BytecodeCache::default()));
    let cases = [
        // An error in a callback keeps its own place.
        (
            "board.reach(vector(0, 0), { budget = 2, cost = function(from, to)\nerror(\"no\")\nend })",
            "@stones/rules/example.luau:4: no",
        ),
        (
            "board.path(vector(0, 0), function(space)\nreturn game.trns\nend)",
            "@stones/rules/example.luau:4: `game` has no field `trns`; did you mean `turns`? Fields are declared in game.toml",
        ),
        (
            "board.sight(vector(0, 0), vector(3, 0), function(space) error({ message = \"opaque\" }) end)",
            "@stones/rules/example.luau:3: opaque",
        ),
        (
            "board.reach(vector(0, 0), { budget = 2, cost = function() return \"far\" end })",
            "@stones/rules/example.luau:3: `cost`: expected a whole number, or nil for a step that can't be made, got a text",
        ),
        (
            "board.reach(vector(0, 0), { budget = 2, cost = function() return 0.5 end })",
            "@stones/rules/example.luau:3: `cost`: expected a whole number from 0 to 1000000000, or nil, got 0.5",
        ),
        (
            "board.reach(vector(0, 0), { cost = 1 })",
            "@stones/rules/example.luau:3: `board.reach` needs a `budget`: the most that all steps may cost",
        ),
        (
            "board.reach(vector(0, 0), { budgt = 1 })",
            "@stones/rules/example.luau:3: there is no setting `budgt`; did you mean `budget`?; there are budget, cost, may_pass, may_stop, shape, facing",
        ),
        (
            "board.reach(vector(9, 0), { budget = 1 })",
            "@stones/rules/example.luau:3: (9,0) is not a space of its board",
        ),
        (
            "board.reach(vector(0, 0), { budget = -1 })",
            "@stones/rules/example.luau:3: `budget`: expected a whole number from 0 to 1000000000, got -1",
        ),
        (
            "board.sight(vector(0, 0), vector(1, 1), {}, \"blcks\")",
            "@stones/rules/example.luau:3: `blcks` says not what a touch means; did you mean `blocks`?; use blocks, clear, blocks_when_both",
        ),
        (
            "board.step(vector(0, 0), \"nn\")",
            "@stones/rules/example.luau:3: there is no direction `nn`; did you mean `n`?; there are n, ne, e, se, s, sw, w, nw",
        ),
        (
            "board.get(vector(0, 0), \"terain\")",
            "@stones/rules/example.luau:3: spaces of `grid` have no field `terain`; did you mean `terrain`?; they are declared in game.toml",
        ),
        (
            "board.set(vector(0, 0), \"terrain\", 3)",
            "@stones/rules/example.luau:3: `terrain` is a text; it can't hold a number",
        ),
        (
            "board.space(\"(9,9)\")",
            "@stones/rules/example.luau:3: `(9,9)` lies off the board `grid`",
        ),
        (
            "board.ray_moves(units.make(\"stones\"))",
            "@stones/rules/example.luau:3: `stones` stands on no board",
        ),
        (
            "units.make(\"stones\", { space = 3 })",
            "@stones/rules/example.luau:3: `space`: expected a space, such as vector(2, -1), got a number",
        ),
        (
            "units.make(\"stones\", { facing = 8 })",
            "@stones/rules/example.luau:3: `facing`: expected a whole number from 0 to 7, got 8",
        ),
        (
            "choose({ prompt = 5, options = { \"a\" } })",
            "@stones/rules/example.luau:3: the prompt of choose is a text, not a number",
        ),
        (
            "board.within(vector(0, 0), 1.5)",
            "@stones/rules/example.luau:3: argument 2: expected a whole number from 0 to 2000000, got 1.5",
        ),
        (
            "board.connected({ vector(0, 0), 3 })",
            "@stones/rules/example.luau:3: argument 1: item 2 of the list: expected a space, got a number",
        ),
        (
            "board.nearest(vector(0, 0), function() return choose({ options = { \"a\" } }) end)",
            "@stones/rules/example.luau:3: choose works only while a step runs: not while loading, in a memo, a comparator, a gsub callback or a metamethod",
        ),
    ];
    for (chunk, message) in cases {
        assert_eq!(raised(&catalogue, &cache, chunk), message, "{chunk}");
    }
}

#[test]
fn a_callback_that_raises_takes_its_changes_back_and_may_be_caught() {
    let chunk = "
        local stone = units.make(\"stones\")
        local ok, message = pcall(board.reach, vector(0, 0), { budget = 3, cost = function(from, to)
            stone.charge += 1
            if to == vector(2, 2) then error(\"enough\", 0) end
            return 1
        end })
        assert(not ok and message == \"enough\" and stone.charge == 0)
        assert(#board.reach(vector(0, 0), { budget = 1, cost = { [vector(1, 0)] = false, [vector(0, 1)] = 2 } }) == 2)";
    run(&catalogue("stones"), &Arc::new(BytecodeCache::default()), chunk).expect("the error is caught");
}

#[test]
fn an_endless_callback_ends_with_the_steps_budget() {
    let chunk = "pcall(board.reach, vector(0, 0), { budget = 3, cost = function() while true do end end })";
    let problem = raised(&catalogue("stones"), &Arc::new(BytecodeCache::default()), chunk);
    assert!(
        problem.starts_with("@stones/rules/example.luau:3: the step ran longer than"),
        "{problem}"
    );
}

#[test]
fn an_endless_search_is_refused_in_time() {
    let mut catalogue = Catalogue::clone(&catalogue("stones"));
    if let Some(game) = catalogue.game.as_mut() {
        // Without a size the board has no bounds.
        game.boards[0].shape = BoardShape::Square {
            neighbours: 8,
            spaces: None,
        };
    }
    let begun = std::time::Instant::now();
    let problem = raised(
        &catalogue,
        &Arc::new(BytecodeCache::default()),
        "board.path(vector(0, 0), function() return false end)",
    );
    let text = "this looks at more than 1000000 steps: give a smaller `budget`, or bound the board";
    let slow = "the step ran longer than 2 s";
    assert!(problem.ends_with(text) || problem.ends_with(slow), "{problem}");
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}

#[test]
fn pieces_of_several_spaces_travel_whole() {
    let chunk = "
        local bar = { vector(0, 0), vector(1, 0) }
        local spaces, cost = board.reach(vector(0, 0), { budget = 1, shape = bar, facing = \"e\" })
        assert(cost[vector(0, 3)] == nil and cost[vector(0, 1)] == 1 and #spaces == 4)
        local heavy = board.reach(vector(0, 0), { budget = 1, shape = bar, cost = { [vector(2, 0)] = 5 } })
        assert(not table.find(heavy, vector(1, 0)) and table.find(heavy, vector(1, 1)))
        local asked
        local path, price = board.path(vector(0, 0), vector(3, 0), { shape = bar, cost = function(from, to, entered)
            asked = entered
            return #entered
        end })
        assert(#path == 4 and price == 3 and #asked >= 1)
        assert(board.path(vector(0, 0), vector(4, 0), { shape = bar }) == nil)
        assert(#board.reach(vector(0, 0), { budget = 4, may_pass = {}, may_stop = {} }) == 25)";
    run(&catalogue("stones"), &Arc::new(BytecodeCache::default()), chunk).expect("runs");
}
