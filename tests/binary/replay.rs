//! Recordings: two processes make the same one, and a replay can fail.
use std::fs;

use serde_json::{Value as Json, json};

use super::support::Scene;

const KEYS: [&str; 7] = ["(0,0)", "(1,1)", "(2,2)", "(0,1)", "(0,2)", "(2,0)", "(1,0)"];

fn play(scene: &Scene, line: &str, keys: &[&str]) {
    let mut table = scene.table(line);
    for key in keys {
        let open = table.until_type("decision");
        table.answer(&open, key);
    }
    table.until(|m| m["type"] == "decision" || m["type"] == "end");
    assert_eq!(table.close().status, Some(0));
}

/// A session of tic-tac-toe that was played some way.
fn recorded() -> Scene {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    play(
        &scene,
        "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7 --save game.ludex",
        &KEYS[..4],
    );
    scene
}

fn verify(scene: &Scene) -> (Option<i32>, String) {
    let ran = scene.run("replay game.ludex --verify --root ROOT", "");
    (ran.status, ran.out + &ran.err)
}

#[test]
fn two_processes_make_the_same_recording() {
    let scene = recorded();
    play(
        &scene,
        "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7 --save again.ludex",
        &KEYS[..4],
    );
    assert_eq!(scene.read("game.ludex"), scene.read("again.ludex"));
    for (game, more) in [("high-card", "--pack high-card"), ("rove-modules", "")] {
        if game == "high-card" {
            scene.pack(game);
        }
        let mut told = Vec::new();
        for file in ["one.ludex", "two.ludex"] {
            _ = fs::remove_file(scene.path(file));
            let mut chance = super::support::Chance(5);
            let mut table = scene.table(&format!("play {game} {more} --root ROOT --seed 11 --save {file}"));
            for _ in 0..25 {
                let open = table.until(|m| m["type"] == "decision" || m["type"] == "end");
                if open["type"] == "end" {
                    break;
                }
                let options = open["options"].as_array().unwrap();
                let count = open["min"].as_u64().unwrap().max(1) as usize;
                let from = chance.below(options.len() as u64) as usize;
                let keys: Vec<&Json> = options
                    .iter()
                    .cycle()
                    .skip(from)
                    .take(count)
                    .map(|o| &o["key"])
                    .collect();
                table.send(&json!({"id": open["id"], "answer": keys}).to_string());
            }
            assert_eq!(table.close().status, Some(0));
            told.push(scene.read(file));
            let ran = scene.run(&format!("replay {file} --verify --root ROOT"), "");
            assert_eq!(ran.status, Some(0), "{ran:?}");
        }
        assert!(told[0].lines().count() > 5, "{game} wasn't played");
        assert!(told[0] == told[1], "{game}: the recordings differ");
    }
}

#[test]
fn what_goes_as_recorded_is_told_so() {
    let scene = recorded();
    assert_eq!(
        verify(&scene),
        (Some(0), "segment 1 (start): 4 answers, as recorded\n".into())
    );
}

#[test]
fn a_pack_that_has_moved_is_found_where_it_is_named() {
    let scene = recorded();
    // To name it again is no harm.
    let ran = scene.run(
        "play --resume game.ludex --root ROOT --pack tic-tac-toe",
        "quit\n",
    );
    assert_eq!(ran.status, Some(0), "{ran:?}");
    fs::rename(scene.path("tic-tac-toe"), scene.path("moved")).unwrap();
    let ran = scene.run("play --resume game.ludex --root ROOT", "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(
        ran.err
            .contains("tic-tac-toe: error[no-folder]: there is no such folder"),
        "{ran:?}"
    );
    for line in ["replay game.ludex --verify", "play --resume game.ludex"] {
        let ran = scene.run(&format!("{line} --root ROOT --pack moved"), "quit\n");
        assert_eq!(ran.status, Some(0), "{line}: {ran:?}");
    }
}

#[test]
fn rules_edited_since_are_named_and_not_passed_off_as_checked() {
    let scene = recorded();
    scene.edit("tic-tac-toe/rules/turn.luau", "game.turn += 1", "game.turn += 2");
    let (status, told) = verify(&scene);
    assert_eq!(status, Some(1), "{told}");
    assert!(
        told.starts_with("segment 1 (start): can't be checked:\n  `tic-tac-toe` was version 0.1.0 ("),
        "{told}"
    );
    // Resuming names it too, and shows where the course first differs if it is asked to.
    let ran = scene.run("play --resume game.ludex --root ROOT", "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(
        ran.err
            .contains("this session was played with other content:\n  `tic-tac-toe` was"),
        "{ran:?}"
    );
    let ran = scene.run("play --resume game.ludex --root ROOT --changed replay", "quit\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(
        ran.out
            .contains("the course differs first at answer 1, decision 0 of step `ttt.turn`"),
        "{ran:?}"
    );
}

/// Changes the `n`th line that is an answer.
fn tamper(scene: &Scene, number: usize, change: impl Fn(&mut Json)) {
    let mut seen = 0;
    let mut lines: Vec<Json> = scene
        .read("game.ludex")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for line in &mut lines {
        seen += usize::from(line["type"] == "answer");
        if line["type"] == "answer" && seen == number {
            change(line);
        }
    }
    let text: String = lines
        .iter()
        .filter(|line| !line.is_null())
        .map(|line| format!("{line}\n"))
        .collect();
    scene.write("game.ludex", text);
}

#[test]
fn a_recording_that_was_tampered_with_is_caught_at_the_first_difference() {
    type Change = fn(&mut Json);
    let cases: [(usize, Change, &str); 6] = [
        (
            3,
            |line| line["hash"] = json!("0123456789abcdef"),
            "answer 3, decision 0 of step `ttt.turn`: the state's hash is ",
        ),
        (
            2,
            |line| line["answer"] = json!(["(1,2)"]),
            "answer 2, decision 0 of step `ttt.turn`: the state's hash is ",
        ),
        (
            2,
            |line| line["answer"] = json!(["(0,0)"]),
            "answer 2, decision 0 of step `ttt.turn`: `(0,0)` is refused: ",
        ),
        (
            1,
            |line| line["seat"] = json!("o"),
            "answer 1, decision 0 of step `ttt.turn`: `(0,0)` is refused: ",
        ),
        (
            4,
            |line| line["decision"] = json!("ttt.turn#1"),
            "answer 4, decision 1 of step `ttt.turn`: `ttt.turn#1` was recorded, and `ttt.turn#0` is open",
        ),
        (
            2,
            |line| *line = Json::Null,
            "answer 1, decision 0 of step `ttt.turn`: the state is another than the one recorded here",
        ),
    ];
    for (number, change, expected) in cases {
        let scene = recorded();
        tamper(&scene, number, change);
        let (status, told) = verify(&scene);
        assert_eq!(status, Some(1), "{told}");
        assert!(
            told.contains(&format!("segment 1 (start): differs first at {expected}")),
            "{expected}\n{told}"
        );
        // A session that doesn't go as recorded isn't gone on with in silence.
        let ran = scene.run("play --resume game.ludex --root ROOT", "");
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.err.contains(&format!("differs at {expected}")), "{ran:?}");
    }
    // So is a snapshot.
    let scene = recorded();
    let text = scene.read("game.ludex").replacen("ttt.turn", "ttt.trun", 1);
    scene.write("game.ludex", text);
    let (status, told) = verify(&scene);
    assert_eq!(status, Some(1), "{told}");
}

/// Everything by which rules could tell one process from another.
const SLY: &str = r#"local step = require("@std/flow").steps("ttt")
local marks = {}
for i = 1, 50 do
	marks[{}] = i
	marks[function() end] = -i
	marks[`key {i * 7919 % 50}`] = i
end

local function trace()
	local seen = {}
	for key, value in pairs(marks) do
		table.insert(seen, `{typeof(key)} {value}`)
	end
	local text = table.concat(seen, ";")
	local things = { tostring({}), tostring(log), tostring(step), `{function() end}`, tostring(units.make("marks", { side = "x" })) }
	return text .. table.concat(things, ";")
end

function step.turn()
	local key = choose({ prompt = "Go on", seat = "x", options = { "go", "stop" } })
	local ok, text = pcall(trace)
	log(text)
	local _, message = pcall(error, {})
	log(tostring(message))
	game.turn += #text
	if key == "stop" then
		return finish("x")
	end
	return next({ "turn" })
end
"#;

#[test]
fn a_pack_made_to_break_replay_is_refused_or_harmless() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    scene.write("tic-tac-toe/rules/turn.luau", SLY);
    let mut recordings = Vec::new();
    for file in ["game.ludex", "again.ludex"] {
        let line = format!("play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7 --save {file}");
        play(&scene, &line, &["go", "go", "stop"]);
        recordings.push(scene.read(file));
    }
    let (status, told) = verify(&scene);
    assert_eq!(status, Some(0), "{told}");
    assert_eq!(recordings[0], recordings[1]);
}
