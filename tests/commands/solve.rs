//! `ludex solve --game`: what the game's solver answers is played, told, and never trusted.
use crate::harness::Desk;

/// A solver of tic-tac-toe that marks the first free space, whoever's turn it is.
const FIRST: &str = r#"
local solve = {}

local function free()
	local found = {}
	for _, space in board.spaces() do
		if not units.first(space) then
			table.insert(found, `({space.x},{space.y})`)
		end
	end
	return found
end

function solve.goal()
	return { outcome = "unknown" }
end

function solve.advance(information)
	assert(information == "player")
	return { outcome = "yes", keys = { free()[1] } }
end

function solve.left()
	return { { name = "free spaces", count = #free() } }
end

function solve.most()
	return { count = 4, why = "a line takes five marks" }
end

return solve
"#;

fn solved(solver: &str, more: &[&str]) -> crate::harness::Done {
    let desk = Desk::new();
    let folder = desk.copy("tic-tac-toe");
    std::fs::write(folder.join("rules/solve.luau"), solver).unwrap();
    let place = folder.display().to_string();
    let mut args = vec!["solve", "tic-tac-toe", "--pack", &place, "--seed", "7", "--game"];
    args.extend(more);
    desk.run(&args, "")
}

#[test]
fn a_whole_game_is_told_with_what_it_leaves() {
    let whole = solved(FIRST, &[]).well();
    let keys = ["(0,0)", "(0,1)", "(0,2)", "(1,0)", "(1,1)", "(1,2)", "(2,0)"];
    let asked: String = keys
        .iter()
        .map(|key| format!("Mark a space\n  {key}\n"))
        .collect();
    assert_eq!(
        whole,
        format!(
            "tic-tac-toe, seed 7, a whole game\n{asked}result: x\nleft: free spaces 2\n\
             not proven best: 2 of 4 at most; a line takes five marks\n"
        )
    );
    let json: serde_json::Value = serde_json::from_str(&solved(FIRST, &["--format", "json"]).well()).unwrap();
    assert_eq!(json["keys"], serde_json::json!(keys));
    assert_eq!((&json["result"], &json["proven"]), (&"x".into(), &false.into()));
    let best = solved(&FIRST.replace("count = 4", "count = 2"), &[]).well();
    assert!(
        best.ends_with("proven best: 2 of 2 at most; a line takes five marks\n"),
        "{best}"
    );
}

#[test]
fn a_solver_that_errs_is_told() {
    let told = |from: &str, to: &str| {
        assert!(FIRST.contains(from));
        solved(&FIRST.replace(from, to), &[]).failed(1)
    };
    let refused = told("keys = { free()[1] }", "keys = { \"(0,0)\" }");
    assert!(
        refused.starts_with("the game refuses `(0,0)`, which its solver gives: "),
        "{refused}"
    );
    let empty = told("keys = { free()[1] }", "keys = {}");
    assert!(
        empty.starts_with("`advance` of rules/solve.luau must return "),
        "{empty}"
    );
    // A search that gives up ends the line where it is.
    let halfway = solved(
        &FIRST.replace(
            "\tassert(",
            "\tif game.turn == 2 then return { outcome = \"unknown\" } end\n\tassert(",
        ),
        &[],
    );
    assert_eq!(halfway.code, 1);
    assert!(
        halfway.out.ends_with(
            "result: not ended\nleft: free spaces 7\nnot proven best: the search came to its limit\n"
        ),
        "{}",
        halfway.out
    );
}
