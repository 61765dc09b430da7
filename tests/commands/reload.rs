//! Other rules over a living game: by command, and when files change.
use std::fs;

use serde_json::{Value as Json, json};

use crate::harness::{Desk, Talk, edit, put};

struct Scene {
    desk: Desk,
    folder: std::path::PathBuf,
    talk: Talk,
    first: Json,
}

fn scene(game: &str) -> Scene {
    let desk = Desk::new();
    let folder = desk.copy(game);
    let place = folder.display().to_string();
    let mut talk = desk.talk(&[
        "play", game, "--pack", &place, "--seed", "7", "--json", "--save", "{desk}/s",
    ]);
    let first = talk.next();
    Scene {
        desk,
        folder,
        talk,
        first,
    }
}

impl Scene {
    fn rules(&self) -> std::path::PathBuf {
        self.folder.join("rules/turn.luau")
    }

    fn command(&mut self, command: &str) -> Vec<Json> {
        self.talk.say(&json!({"cmd": command}).to_string());
        self.talk.hear_out()
    }
}

fn notes(heard: &[Json]) -> Vec<&str> {
    heard
        .iter()
        .filter(|o| o["kind"] == "note")
        .filter_map(|o| o["text"].as_str())
        .collect()
}

#[test]
fn a_saved_file_is_followed_at_once() {
    let mut scene = scene("tic-tac-toe");
    edit(&scene.rules(), "Mark a space", "Take a space");
    let heard = scene.talk.hear_out();
    assert_eq!(notes(&heard), [format!("reloaded: {}", scene.rules().display())]);
    assert_eq!(heard.last().unwrap()["prompt"], "Take a space");
    // A break is told, the rules go on, and the mending is followed too.
    edit(&scene.rules(), "function step.turn()", "function step.turn(");
    let broken = scene.talk.next();
    assert_eq!(broken["code"], "not_reloaded");
    assert!(
        broken["message"]
            .as_str()
            .unwrap()
            .starts_with(&format!("{}:36:2: error[script]: ", scene.rules().display())),
        "{broken}"
    );
    let open = scene.command("view").pop().unwrap();
    let next = scene.talk.answer(&open, 0);
    assert_eq!(next["prompt"], "Take a space");
    edit(&scene.rules(), "function step.turn(", "function step.turn()");
    edit(&scene.rules(), "Take a space", "Choose a space");
    let mut heard = scene.talk.next();
    if heard["prompt"] != "Choose a space" {
        heard = scene.talk.next();
    }
    assert_eq!(
        (&heard["prompt"], &heard["seats"]),
        (&json!("Choose a space"), &json!(["o"]))
    );
}

#[test]
fn a_step_that_failed_runs_again_with_its_answers() {
    let mut scene = scene("high-card");
    edit(
        &scene.rules(),
        "\tlocal other = piles.table:top()\n",
        "\tlocal other = piles.tabel:top()\n",
    );
    let second = scene.talk.next();
    let reply = scene.talk.answer(&second, 0);
    let sure = scene.talk.answer(&reply, 1);
    let failed = scene.talk.answer(&sure, 0);
    assert_eq!(failed["code"], "step_failed");
    assert_eq!(failed["file"], "@high-card/rules/turn.luau");
    edit(&scene.rules(), "piles.tabel", "piles.table");
    let heard = scene.talk.hear_out();
    let played = heard
        .iter()
        .find(|o| o["kind"] == "play")
        .map(|o| o["text"].clone());
    assert!(
        played.unwrap().as_str().unwrap().starts_with("o plays "),
        "{heard:?}"
    );
    assert_eq!(heard.last().unwrap()["seats"], json!(["x"]));
}

#[test]
fn answers_that_no_longer_fit_are_told() {
    let mut scene = scene("high-card");
    let first = scene.first.clone();
    let reply = scene.talk.answer(&first, 0);
    let sure = scene.talk.answer(&reply, 2);
    assert!(sure["prompt"].as_str().unwrap().starts_with("Play "));
    edit(
        &scene.rules(),
        "function step.reply()\n",
        "function step.reply()\n\tchoose({ prompt = \"Ready?\", seat = \"o\", options = { true } })\n",
    );
    let heard = scene.talk.hear_out();
    let key = reply["options"][2]["key"].as_str().unwrap();
    assert_eq!(
        notes(&heard)[1],
        format!("the answer `{key}` to `high.reply#0` is no longer asked for")
    );
    assert_eq!(heard.last().unwrap()["prompt"], "Ready?");
}

#[test]
fn fields_are_migrated_and_listed() {
    let mut scene = scene("high-card");
    edit(
        &scene.folder.join("game.toml"),
        "points_o = { type",
        "lead = { type = \"number\", default = 4 }\npoints_o = { type",
    );
    let heard = scene.talk.hear_out();
    assert_eq!(notes(&heard)[1..], ["`lead` of `game` is new: 4"]);
    let state = heard.iter().find(|o| o["type"] == "state").unwrap();
    assert_eq!(state["game"], json!({"lead": 4, "points_o": 0, "points_x": 0}));
}

#[test]
fn a_step_that_waits_must_be_there() {
    let mut scene = scene("high-card");
    let text = fs::read_to_string(scene.rules()).unwrap();
    let renamed = text
        .replace("step.round", "step.rounds")
        .replace("{ \"round\" }", "{ \"rounds\" }");
    put(&scene.rules(), &renamed);
    let refused = scene.talk.next();
    assert_eq!(refused["code"], "reload_refused");
    let told = refused["message"].as_str().unwrap();
    assert!(
        told.starts_with("the step `high.round` waits on the agenda"),
        "{told}"
    );
    assert!(told.contains("did you mean `high.rounds`?"), "{told}");
    // The old rules go on.
    let first = scene.first.clone();
    assert_eq!(scene.talk.answer(&first, 0)["seats"], json!(["o"]));
}

#[test]
fn a_seat_that_plays_must_stay() {
    let mut scene = scene("tic-tac-toe");
    let game = scene.folder.join("game.toml");
    edit(&game, "seats = [\"x\", \"o\"]", "seats = [\"x\", \"p\"]");
    let refused = scene.talk.next();
    assert_eq!(refused["code"], "reload_refused");
    assert_eq!(refused["message"], "the seat `o` plays, but it is gone");
    let first = scene.first.clone();
    assert_eq!(scene.talk.answer(&first, 0)["seats"], json!(["o"]));
    edit(&game, "seats = [\"x\", \"p\"]", "seats = [\"x\", \"o\", \"p\"]");
    let heard = scene.talk.hear_out();
    assert!(notes(&heard).contains(&"the seat `p` is new"), "{heard:?}");
}

#[test]
fn undo_reaches_behind_a_reload_and_is_kept() {
    let mut scene = scene("tic-tac-toe");
    let first = scene.first.clone();
    let second = scene.talk.answer(&first, 0);
    let third = scene.talk.answer(&second, 0);
    edit(&scene.rules(), "Mark a space", "Take a space");
    scene.talk.next();
    scene.talk.say(&json!({"cmd": "undo", "count": 2}).to_string());
    let back = scene.talk.next();
    assert_eq!(
        (&back["prompt"], &back["options"]),
        (&json!("Take a space"), &first["options"])
    );
    assert_ne!(back["id"], third["id"]);
    scene.talk.answer(&back, 4);
    let Scene { desk, talk, .. } = scene;
    drop(talk);
    let on = desk.run(&["play", "--resume", "{desk}/s"], "").well();
    assert!(on.contains("1  * x *") && on.contains("o: Take a space"), "{on}");
    let told = desk.run(&["replay", "{desk}/s", "--verify"], "").well();
    assert!(told.contains("segment 3 (undo): 1 answer, as recorded"), "{told}");
}
