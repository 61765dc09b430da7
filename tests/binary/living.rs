//! Reload over a living tabletop, case by case.
use std::fs;

use serde_json::{Value as Json, json};

use super::support::{Scene, Table};

const GAME: &str = r#"title = "Pebbles"
start = "pebbles.setup"
seats = ["red"]

[fields]
turns = { type = "number", default = 0 }

[boards.grid]
topology = "square"
neighbours = 4
size = [3, 3]

[boards.grid.fields]
terrain = { type = "text", default = "plain" }

[units.stones]
glyph = "o"

[units.stones.fields]
mood = { type = "text", default = "calm" }
weight = { type = "number", default = 2 }
"#;

const RULES: &str = r#"local step = require("@std/flow").steps("pebbles")

function step.setup()
	units.make("stones/ruby", { space = vector(0, 0) })
	board.set(vector(1, 1), "terrain", "sand")
	next({ "turn", "evening" })
end

function step.turn()
	local first = choose({ prompt = "First", options = { "a", "b", "c" } })
	local second = choose({ prompt = "Second", options = { "d", "e" } })
	local ruby = units.of("stones")[1]
	game.turns += 1
	log(`{first} {second}: {ruby.def.worth}`)
	next({ "turn" })
end

function step.evening()
	finish("evening")
end
"#;

const SCHEMA: &str = r#"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "name": { "type": "string" },
    "worth": { "type": "integer" },
    "charge": { "type": "integer", "x-unit": true }
  }
}
"#;

/// A game that has been reloaded as its files were changed.
struct Living {
    scene: Scene,
    table: Table,
    open: Json,
}

impl Living {
    fn new() -> Self {
        let scene = Scene::new();
        scene.write(
            "pebbles/pack.toml",
            "id = \"pebbles\"\nversion = \"0.1.0\"\nludex = \"0.1\"\n",
        );
        scene.write("pebbles/game.toml", GAME);
        scene.write("pebbles/rules/turn.luau", RULES);
        scene.write("pebbles/schema/stones.schema.json", SCHEMA);
        scene.write(
            "pebbles/stones/ruby.toml",
            "name = \"Ruby\"\nworth = 5\ncharge = 3\n",
        );
        let mut table = scene.table("play pebbles --root ROOT --pack pebbles --seed 7 --save game.ludex");
        let open = table.until_type("decision");
        Self { scene, table, open }
    }

    fn answer(&mut self, key: &str) {
        self.table.answer(&self.open, key);
        self.open = self.table.until_type("decision");
    }

    /// The notes of the reload that follows, and the state then.
    fn reloaded(&mut self) -> (Vec<String>, Json) {
        let told = self.table.until(|m| m["type"] == "error" || m["kind"] == "note");
        assert!(
            told["text"]
                .as_str()
                .is_some_and(|text| text.starts_with("reloaded: ")),
            "{told}"
        );
        let mut notes = Vec::new();
        loop {
            let message = self.table.next().unwrap();
            match message["type"].as_str() {
                Some("log") if message["kind"] == "note" => {
                    notes.push(message["text"].as_str().unwrap().to_owned())
                }
                Some("state") => {
                    self.open = self.table.until_type("decision");
                    return (notes, message);
                }
                _ => {}
            }
        }
    }

    /// The message of the refusal that follows; the game goes on under the old rules.
    fn refused(&mut self) -> String {
        let told = self.table.until(|m| m["type"] == "error" || m["kind"] == "note");
        assert_eq!(told["code"], "reload_refused", "{told}");
        self.table.send(r#"{"cmd":"view"}"#);
        let open = self.table.until_type("decision");
        assert_eq!(open, self.open, "a refused reload changed the decision");
        // Folders of `--pack` are told as they are found from anywhere.
        let here = format!("{}/", self.scene.path("").display()).replace("//", "/");
        told["message"].as_str().unwrap().replace(&here, "")
    }

    fn stone(state: &Json) -> Json {
        state["units"][0]["fields"].clone()
    }

    /// Ends the process, opens the session again and gives the state.
    fn resumed(self) -> (Json, Json) {
        let Self { scene, table, .. } = self;
        assert_eq!(table.close().status, Some(0));
        let mut table = scene.table("play --root ROOT --resume game.ludex");
        let state = table.until_type("state");
        (state, table.until_type("decision"))
    }
}

#[test]
fn a_step_name_that_is_gone_refuses() {
    let mut game = Living::new();
    game.scene
        .edit("pebbles/rules/turn.luau", "step.evening", "step.evenings");
    let text = game.refused();
    assert_eq!(
        text,
        "the step `pebbles.evening` waits on the agenda (2 of 2), but no script defines it now; did you mean `pebbles.evenings`?\n  pebbles/rules/turn.luau:18: it was defined here"
    );
    game.scene
        .edit("pebbles/rules/turn.luau", "step.evenings", "step.evening");
    game.answer("a");
}

#[test]
fn a_definition_in_play_that_is_gone_refuses() {
    let mut game = Living::new();
    fs::remove_file(game.scene.path("pebbles/stones/ruby.toml")).unwrap();
    let text = game.refused();
    assert_eq!(
        text,
        "`ruby` is in play on (0,0), but its definition `pebbles:stones/ruby` is gone\n  pebbles/stones/ruby.toml: it was defined here"
    );
    game.answer("a");
    // Every obstacle is told at once.
    game.scene
        .edit("pebbles/rules/turn.luau", "step.evening", "step.evenings");
    let text = game.refused();
    assert!(
        text.contains("`pebbles.evening`") && text.contains("`pebbles:stones/ruby`"),
        "{text}"
    );
}

#[test]
fn a_new_field_takes_its_default() {
    let mut game = Living::new();
    game.scene.edit(
        "pebbles/game.toml",
        "weight = {",
        "glow = { type = \"number\", default = 4 }\nweight = {",
    );
    let (notes, state) = game.reloaded();
    assert_eq!(notes, ["`glow` of `stones` is new: 4"]);
    assert_eq!(
        Living::stone(&state),
        json!({"charge": 3, "mood": "calm", "glow": 4, "weight": 2})
    );
    let hash = state["hash"].clone();
    assert_eq!(game.resumed().0["hash"], hash);
}

#[test]
fn a_removed_field_is_dropped() {
    let mut game = Living::new();
    game.scene.edit(
        "pebbles/game.toml",
        "weight = { type = \"number\", default = 2 }\n",
        "",
    );
    let (notes, state) = game.reloaded();
    assert_eq!(notes, ["`weight` of `stones` is dropped"]);
    assert_eq!(Living::stone(&state), json!({"charge": 3, "mood": "calm"}));
    let hash = state["hash"].clone();
    assert_eq!(game.resumed().0["hash"], hash);
}

#[test]
fn a_retyped_field_is_converted_or_refused() {
    let mut game = Living::new();
    game.scene.edit(
        "pebbles/game.toml",
        "weight = { type = \"number\", default = 2 }",
        "weight = { type = \"text\", default = \"light\" }",
    );
    let (notes, state) = game.reloaded();
    assert_eq!(notes, ["`weight` of `stones` is a text now, no longer a number"]);
    assert_eq!(
        Living::stone(&state),
        json!({"charge": 3, "mood": "calm", "weight": "2"})
    );
    game.scene.edit(
        "pebbles/game.toml",
        "mood = { type = \"text\", default = \"calm\" }",
        "mood = { type = \"number\", default = 1 }",
    );
    assert_eq!(
        game.refused(),
        "`mood` of `ruby` is \"calm\" and can't become a number"
    );
    // Spaces have fields too.
    game.scene.edit(
        "pebbles/game.toml",
        "terrain = { type = \"text\", default = \"plain\" }",
        "terrain = { type = \"number\", default = 1 }",
    );
    let text = game.refused();
    assert!(
        text.contains("`terrain` of (1,1) is \"sand\" and can't become a number"),
        "{text}"
    );
}

#[test]
fn figures_are_read_live_and_copied_values_stay() {
    let mut game = Living::new();
    game.answer("a");
    game.scene.write(
        "pebbles/stones/ruby.toml",
        "name = \"Ruby\"\nworth = 8\ncharge = 9\n",
    );
    let (notes, state) = game.reloaded();
    assert_eq!(notes, Vec::<String>::new());
    assert_eq!(Living::stone(&state)["charge"], 3, "copied when it was made");
    assert_eq!(game.open["prompt"], "Second", "the answer given stands");
    game.table.answer(&game.open, "d");
    assert_eq!(game.table.until_type("log")["text"], "a d: 8");
}

#[test]
fn an_answer_that_no_longer_fits_is_discarded_and_shown() {
    let mut game = Living::new();
    game.answer("a");
    assert_eq!(game.open["prompt"], "Second");
    game.scene.edit(
        "pebbles/rules/turn.luau",
        r#"{ "a", "b", "c" }"#,
        r#"{ "b", "c" }"#,
    );
    let (notes, _) = game.reloaded();
    assert_eq!(
        notes,
        ["the answer `a` to `pebbles.turn#0` is no longer asked for"]
    );
    assert_eq!(game.open["prompt"], "First");
    game.answer("b");
    // A decision of another seat is another decision.
    assert_eq!(game.open["prompt"], "Second");
    game.scene
        .edit("pebbles/game.toml", "[\"red\"]", "[\"blue\", \"red\"]");
    game.scene.edit(
        "pebbles/rules/turn.luau",
        "prompt = \"First\",",
        "prompt = \"First\", seat = \"blue\",",
    );
    let notes = std::iter::from_fn(|| (game.open["prompt"] != "First").then(|| game.reloaded().0)).flatten();
    assert_eq!(
        notes.collect::<Vec<_>>(),
        [
            "the seat `blue` is new",
            "the answer `b` to `pebbles.turn#0` is no longer asked for"
        ]
    );
    let (_, open) = game.resumed();
    assert_eq!(open["prompt"], "First");
}

#[test]
fn an_answer_to_a_decision_that_is_gone_is_shown_too() {
    let mut game = Living::new();
    game.answer("a");
    game.scene.edit(
        "pebbles/rules/turn.luau",
        r#"choose({ prompt = "First", options = { "a", "b", "c" } })"#,
        r#""z""#,
    );
    // The decision that was the second is the first now, and `a` isn't offered there.
    let (notes, _) = game.reloaded();
    assert_eq!(
        notes,
        ["the answer `a` to `pebbles.turn#0` is no longer asked for"]
    );
    game.answer("d");
    // A step that asks nothing any more ends by itself; answers to it are shown all the same.
    let mut game = Living::new();
    game.answer("a");
    let rules = RULES.replace("function step.turn()", "function step.turn()\n\tif game.turns == 0 then\n\t\tgame.turns = 1\n\t\treturn next({ \"turn\" })\n\tend");
    game.scene.write("pebbles/rules/turn.luau", rules);
    let (notes, state) = game.reloaded();
    assert_eq!(
        notes,
        ["the answer `a` to `pebbles.turn#0` is no longer asked for"]
    );
    assert_eq!(state["game"]["turns"], 1);
    let hash = state["hash"].clone();
    assert_eq!(game.resumed().0["hash"], hash);
}

#[test]
fn undo_goes_back_over_a_reload() {
    let mut game = Living::new();
    game.answer("a");
    game.answer("d");
    game.scene.edit(
        "pebbles/game.toml",
        "weight = {",
        "glow = { type = \"number\", default = 4 }\nweight = {",
    );
    game.reloaded();
    game.answer("b");
    game.table.send(r#"{"cmd":"undo","count":2}"#);
    let state = game.table.until_type("state");
    let open = game.table.until_type("decision");
    assert_eq!(open["prompt"], "Second");
    assert_eq!(state["game"]["turns"], 0);
    assert_eq!(Living::stone(&state)["glow"], 4, "the rules of now hold");
    let hash = state["hash"].clone();
    let (state, open) = game.resumed();
    assert_eq!((&state["hash"], &open["prompt"]), (&hash, &json!("Second")));
}
