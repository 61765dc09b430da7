//! Decisions of kind `path`: the next spaces one by one, `done` and `back`, through the real binary.
use serde_json::{Value as Json, json};

use super::support::{Scene, Table};

/// A walk of up to three spaces that ends no earlier than after two.
const RULES: &str = r#"
local ask = require("@std/choose")
local step = require("@std/flow").steps("ttt")

function step.turn()
	local start = vector(0, 0)
	local mark = units.make("marks", { space = start, side = "x" })
	local path = ask.path({
		prompt = "Walk",
		seat = "x",
		max = 3,
		next = function(path)
			local free = {}
			for _, space in board.neighbours(path[#path] or start) do
				if space ~= start and not table.find(path, space) then
					table.insert(free, space)
				end
			end
			return free
		end,
		done = function(path)
			return if #path < 2 then "too_short" else nil
		end,
		refuse = function(key, path)
			return if key == "(0,0)" then "home" else nil
		end,
	})
	mark.space = path[#path]
	local keys = {}
	for i, space in path do
		keys[i] = board.key(space)
	end
	log(`Walked {table.concat(keys, " ")}.`)
	finish("there")
end
"#;

const RULES_TOML: &str = r#"
[[rule]]
id = "WALK-01"
text = "A walk is two or three spaces long and doesn't come home."

[refusals.too_short]
rule = "WALK-01"
text = "Walk on: two spaces at least."

[refusals.home]
rule = "WALK-01"
text = "Not back home."
"#;

const PLAY: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7 --save walk.ludex";

fn scene() -> Scene {
    let scene = Scene::new();
    let pack = scene.pack("tic-tac-toe");
    std::fs::remove_dir_all(pack.join("tests")).unwrap();
    scene.write("tic-tac-toe/rules/turn.luau", RULES);
    scene.write("tic-tac-toe/rules.toml", RULES_TOML);
    scene
}

fn keys(decision: &Json) -> Vec<&str> {
    let options = decision["options"].as_array().unwrap();
    options
        .iter()
        .map(|option| option["key"].as_str().unwrap())
        .collect()
}

/// Answers, and gives the next decision.
fn walk(table: &mut Table, decision: &Json, key: &str) -> Json {
    table.answer(decision, key);
    table.until_type("decision")
}

#[test]
fn a_path_goes_on_back_and_to_its_end() {
    let scene = scene();
    let mut table = scene.table(PLAY);
    let open = table.until_type("decision");
    assert_eq!(
        (&open["kind"], &open["min"], &open["max"], &open["seats"]),
        (&json!("path"), &json!(1), &json!(1), &json!(["x"]))
    );
    // At the start there is nothing to take back, and it may not end.
    assert_eq!(keys(&open), ["(1,0)", "(1,1)", "(0,1)"]);
    table.answer(&open, "done");
    let refused = table.until_type("error");
    assert_eq!(
        (&refused["code"], &refused["rule"], &refused["message"]),
        (
            &json!("too_short"),
            &json!("WALK-01"),
            &json!("Walk on: two spaces at least.")
        )
    );
    // An answer is one space, not a whole path.
    table.send(&json!({"id": open["id"], "answer": ["(1,0)", "(1,1)"]}).to_string());
    assert_eq!(table.until_type("error")["code"], "too_many");
    let open = walk(&mut table, &open, "(1,0)");
    assert!(
        keys(&open).contains(&"back") && !keys(&open).contains(&"done"),
        "{open}"
    );
    table.answer(&open, "(0,0)");
    assert_eq!(table.until_type("error")["code"], "home");
    let open = walk(&mut table, &open, "back");
    assert_eq!(keys(&open), ["(1,0)", "(1,1)", "(0,1)"]);
    let open = walk(&mut table, &open, "(1,1)");
    let open = walk(&mut table, &open, "(2,2)");
    assert_eq!(keys(&open), ["done", "(2,1)", "(1,2)", "back"]);
    // Undo takes back an answer: the same as `back` here, but it leaves no trace in the step.
    table.send(r#"{"cmd":"undo"}"#);
    let open = table.until_type("decision");
    assert!(keys(&open).contains(&"(2,2)"), "{open}");
    table.kill();

    // In the middle of a path a session goes on where it was.
    let mut table = scene.table("play --resume walk.ludex --root ROOT");
    let open = table.until_type("decision");
    assert_eq!(
        (&open["kind"], keys(&open).contains(&"(2,2)")),
        (&json!("path"), true)
    );
    let open = walk(&mut table, &open, "(2,2)");
    table.answer(&open, "done");
    assert_eq!(table.until_type("log")["text"], "Walked (1,1) (2,2).");
    assert_eq!(table.until_type("end")["result"], "there");
    table.close();
    let ran = scene.run("replay walk.ludex --verify --root ROOT", "");
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

#[test]
fn a_path_is_typed_space_by_space() {
    let scene = scene();
    let ran = scene.run(PLAY, "done\n(1,1)\n1,2\nback\n2,2\n(2,1)\n");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(
        ran.out
            .contains("Refused: Walk on: two spaces at least. (too_short, WALK-01)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("Stop here") && ran.out.contains("Take the last space back"));
    // At the longest it ends by itself.
    assert!(ran.out.contains("- Walked (1,1) (2,2) (2,1)."), "{}", ran.out);
    assert!(ran.out.contains("The game is over: there."), "{}", ran.out);
}
