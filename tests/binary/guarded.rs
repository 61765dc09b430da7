//! What others do to a session's file, and what a seat learns of it.
use std::fs;

use super::support::Scene;

const PLAY: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7";

#[test]
fn a_file_that_is_deleted_or_cut_in_play_ends_the_session() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let harms: [fn(&std::path::Path); 2] = [
        |file| fs::remove_file(file).unwrap(),
        |file| fs::write(file, "").unwrap(),
    ];
    for (number, harm) in harms.iter().enumerate() {
        let file = format!("harmed-{number}.ludex");
        let mut table = scene.table(&format!("{PLAY} --save {file}"));
        let open = table.until_type("decision");
        table.answer(&open, "(0,0)");
        let open = table.until_type("decision");
        harm(&scene.path(&file));
        table.answer(&open, "(1,1)");
        let told = table.until_type("error");
        assert_eq!(told["code"], "not_recorded");
        let expected = "the session's file was deleted or changed by something else while it was played";
        assert!(told["message"].as_str().unwrap().contains(expected), "{told}");
        assert_eq!(table.close().status, Some(1));
    }
}

#[test]
fn a_seat_learns_no_seed_and_writes_no_file() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let mut table = scene.table("play tic-tac-toe --root ROOT --pack tic-tac-toe --as x --seed 424242");
    table.until_type("decision");
    table.send(r#"{"cmd":"save"}"#);
    assert_eq!(table.until_type("log")["text"], "the session is saved");
    table.send(r#"{"cmd":"save","file":"theirs.ludex"}"#);
    assert_eq!(table.until_type("error")["code"], "not_saved");
    assert!(!scene.path("theirs.ludex").exists());
    let ran = table.close();
    assert!(!ran.out.contains("424242"), "{ran:?}");
}
