//! A stranger's pack, in a folder that Ludex knows nothing of: it loads, plays, checks and tests.
use std::fs;
use std::path::Path;

use super::support::{Scene, copy, repository};

const FILES: [(&str, &str); 6] = [
    (
        "pack.toml",
        "id = \"last-pebble\"\nversion = \"1.0.0\"\nludex = \"0.1\"\nauthors = [\"A stranger\"]\nlicence = \"CC0-1.0\"\n",
    ),
    (
        "game.toml",
        r#"title = "Last pebble"
summary = "Take one, two or three; who takes the last pebble loses."
start = "pebble.turn"
seats = ["near", "far"]

[options.heap]
type = "number"
default = 9
doc = "How many pebbles there are."

[fields]
taken = { type = "number", default = 0 }
turns = { type = "number", default = 0 }
"#,
    ),
    (
        "rules.toml",
        "[[rule]]\nid = \"LP-TAKE-01\"\ntext = \"Take one, two or three pebbles.\"\n\n[refusals.too_many]\nrule = \"LP-TAKE-01\"\ntext = \"There aren't so many.\"\n",
    ),
    (
        "rules/turn.luau",
        r#"local step = require("@std/flow").steps("pebble")

function step.turn()
	local seat = if game.turns % 2 == 0 then "near" else "far"
	local left = options.heap - game.taken
	local counts = {}
	for count = 1, math.min(3, left) do
		table.insert(counts, { key = `take-{count}`, label = `Take {count} of {left}`, count = count })
	end
	local chosen = choose({
		prompt = "How many?",
		seat = seat,
		options = counts,
		refuse = function(key)
			return if key == "take-2" or key == "take-3" then "too_many" else nil
		end,
	})
	game.taken += chosen.count
	game.turns += 1
	log(`{seat} takes {chosen.count}.`)
	if game.taken == options.heap then
		return finish(if seat == "near" then "far" else "near")
	end
	next({ "turn" })
end
"#,
    ),
    (
        "rules/score.luau",
        "return function(seat)\n\treturn if game.turns % 2 == 0 then 1 else 0\nend\n",
    ),
    (
        "tests/take.spec.luau",
        r#"test("LP-TAKE-01 no more than there are", function(t)
	t.game({ options = { heap = 2 } })
	t.refused("take-3", "too_many")
	t.answer("take-2")
	t.equal(t.result(), "far")
end)
"#,
    ),
];

#[test]
fn a_strangers_pack_works_from_its_own_folder() {
    let scene = Scene::new();
    for (name, text) in FILES {
        scene.write(&format!("somewhere/last-pebble/{name}"), text);
    }
    let ran = scene.run("check somewhere/last-pebble --root ROOT", "");
    assert_eq!(
        (ran.status, &*ran.out),
        (Some(0), "1 pack checked, 0 errors, 0 warnings\n"),
        "{ran:?}"
    );

    let ran = scene.run("test somewhere/last-pebble --root ROOT", "");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("LP-TAKE") && ran.out.contains("1 passed, 0 failed"),
        "{ran:?}"
    );

    let play =
        "play last-pebble --pack somewhere/last-pebble --root ROOT --seed 1 --set heap=4 --save game.ludex";
    let ran = scene.run(play, "take-3\ntake-2\nrules LP-TAKE-01\n1\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for text in [
        "Last pebble, seed 1",
        "near: How many?",
        "Take 3 of 4",
        "- near takes 3.",
        "Refused: ",
        "There aren't so many",
        "The game is over: near wins.",
    ] {
        assert!(ran.out.contains(text), "no `{text}` in {}", ran.out);
    }
    let ran = scene.run("replay game.ludex --verify --root ROOT", "");
    assert_eq!(ran.status, Some(0), "{ran:?}");

    let sim = "sim last-pebble --pack somewhere/last-pebble --root ROOT --seed 1 --games 20 --threads 2 --verify --bot far=greedy";
    let ran = scene.run(sim, "");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("every game replayed alike"), "{ran:?}");

    // Installed in the data folder it needs no option.
    fs::create_dir_all(scene.path("data/packs")).unwrap();
    fs::rename(
        scene.path("somewhere/last-pebble"),
        scene.path("data/packs/last-pebble"),
    )
    .unwrap();
    let ran = scene.run("play last-pebble --root ROOT --seed 1", "quit\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let ran = scene.run("play --root ROOT", "last-pebble\nquit\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(
        ran.out.contains("last-pebble  Last pebble") || ran.out.contains("last-pebble"),
        "{ran:?}"
    );
}

#[test]
fn a_strangers_spec_reaches_no_file_outside_of_its_pack() {
    let scene = Scene::new();
    copy(&repository().join("tests/packs/tic-tac-toe"), &scene.path("pack"));
    let absolute = scene.path("planted.txt");
    scene.write(
        "pack/tests/turn.spec.luau",
        format!(
            "test(\"out\", function(t)\n\
             local expected = \": expected a path inside the pack, such as rules/turn.luau\"\n\
             for _, path in {{ \"../../planted.txt\", \"{}\", \"\", \".\" }} do\n\
             t.equal(t.load({{ [path] = \"x\" }}), {{ path .. expected }})\n\
             t.equal(t.load({{ [path] = false }}), {{ path .. expected }})\n\
             end\n\
             t.equal(t.load({{}}), {{}})\nend)\n",
            absolute.display()
        ),
    );
    let ran = scene.run("test pack --root ROOT", "");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(!absolute.exists());
}

#[test]
fn a_complete_small_game_fits_in_a_hundred_lines() {
    let mut lines = 0;
    count(&repository().join("tests/packs/tic-tac-toe"), &mut lines);
    assert!((20..100).contains(&lines), "tic-tac-toe takes {lines} lines");
    let own: usize = FILES.iter().map(|(_, text)| text.lines().count()).sum();
    assert!(own < 100, "last-pebble takes {own} lines");
}

fn count(folder: &Path, lines: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count(&path, lines);
        } else {
            *lines += fs::read_to_string(&path).unwrap().lines().count();
        }
    }
}
