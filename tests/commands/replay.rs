//! `ludex replay`: courses told, states compared, differences found.
use std::fs;

use crate::harness::{Desk, edit};

#[test]
fn a_course_is_told_and_verified() {
    let desk = Desk::new();
    desk.play(
        "high-card",
        &["--save", "{desk}/s"],
        "1\n1\nyes\n2\n1\nno\n2\n1\n1\nyes\n",
    )
    .well();
    let told = desk.run(&["replay", "{desk}/s"], "").well();
    crate::play::compare("replay.txt", &told);
    let verified = desk.run(&["replay", "{desk}/s", "--verify"], "").well();
    assert_eq!(verified, "segment 1 (start): 10 answers, as recorded\n");
}

#[test]
fn a_changed_hash_is_found() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n(1,1)\n(0,1)\n")
        .well();
    let text = fs::read_to_string(desk.path("s")).unwrap();
    let at = text.match_indices("\"hash\":\"").nth(3).unwrap().0 + 8;
    fs::write(desk.path("s"), format!("{}0000{}", &text[..at], &text[at + 4..])).unwrap();
    let done = desk.run(&["replay", "{desk}/s", "--verify"], "");
    assert_eq!(done.code, 1);
    let start =
        "segment 1 (start): differs first at answer 2, decision 0 of step `ttt.turn`: the state's hash is ";
    assert!(done.out.starts_with(start), "{}", done.out);
}

/// A state without a hash is right only where a limit ended the step, and then the game doesn't go on.
#[test]
fn a_missing_hash_is_found() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n(1,1)\n")
        .well();
    let text = fs::read_to_string(desk.path("s")).unwrap();
    let hashes: Vec<usize> = text.match_indices("\"hash\":\"").map(|(at, _)| at + 8).collect();
    let without = |at: usize| format!("{}{}", &text[..at], &text[at + 16..]);
    let verify = |text: String| {
        fs::write(desk.path("s"), text).unwrap();
        desk.run(&["replay", "{desk}/s", "--verify"], "")
    };
    // The first hash is one of the start's, which packs have.
    let [.., first, last] = *hashes else {
        panic!("{text}")
    };
    let done = verify(without(first));
    assert_eq!(
        (done.code, &*done.out),
        (
            1,
            "segment 1 (start): differs first at answer 1, decision 0 of step `ttt.turn`: the state's hash is missing\n"
        )
    );
    assert_eq!(
        verify(without(last)).well(),
        "segment 1 (start): 2 answers, as recorded; 1 not compared, since a limit ended its step\n"
    );
}

#[test]
fn a_state_of_other_seats_is_found() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n")
        .well();
    let text = fs::read_to_string(desk.path("s")).unwrap();
    let seats = "\"seats\":[\"x\",\"o\"]";
    assert!(text.contains(seats), "{text}");
    for (other, what) in [
        ("\"seats\":[]", "the seat `x` is new; the seat `o` is new"),
        ("\"seats\":[\"o\",\"x\"]", "the seats' order is x, o now"),
    ] {
        fs::write(desk.path("s"), text.replace(seats, other)).unwrap();
        let done = desk.run(&["replay", "{desk}/s", "--verify"], "");
        assert_eq!(
            (done.code, done.out),
            (
                1,
                format!("segment 1 (start): differs first at its start: {what}\n")
            )
        );
        let told = desk.run(&["play", "--resume", "{desk}/s"], "").failed(1);
        assert!(told.contains(what.split(';').next().unwrap()), "{told}");
    }
}

#[test]
fn segments_of_other_content_are_named() {
    let desk = Desk::new();
    let copy = desk.copy("tic-tac-toe");
    let folder = copy.display().to_string();
    let args = [
        "play",
        "tic-tac-toe",
        "--pack",
        &folder,
        "--seed",
        "7",
        "--json",
        "--save",
        "{desk}/s",
    ];
    let mut talk = desk.talk(&args);
    let first = talk.next();
    talk.answer(&first, 0);
    edit(&copy.join("rules/turn.luau"), "Mark a space", "Take a space");
    let second = talk.next();
    assert_eq!(second["prompt"], "Take a space");
    talk.answer(&second, 0);
    drop(talk);
    let done = desk.run(&["replay", "{desk}/s", "--verify"], "").well();
    let mut lines = done.lines();
    assert_eq!(lines.next(), Some("segment 1 (start): can't be checked:"));
    assert!(
        lines
            .next()
            .unwrap()
            .starts_with("  `tic-tac-toe` was version 0.1.0 (")
    );
    assert_eq!(lines.next(), Some("segment 2 (reload): 1 answer, as recorded"));
    assert_eq!(lines.next(), Some("1 of 2 segments can't be checked"));
}

/// No success without a state that was compared.
#[test]
fn nothing_verified_is_a_failure() {
    let desk = Desk::new();
    let copy = desk.copy("tic-tac-toe");
    let folder = copy.display().to_string();
    let save = |file: &str, input: &str| {
        let args = ["play", "tic-tac-toe", "--pack", &folder, "--save", file];
        desk.run(&args, input).well();
    };
    save("{desk}/none", "");
    let done = desk.run(&["replay", "{desk}/none", "--verify"], "");
    assert_eq!(done.out, "segment 1 (start): 0 answers, as recorded\n");
    assert_eq!(
        done.failed(1),
        "{desk}/none: nothing was verified: no answer is recorded\n"
    );
    // Its course can be told nevertheless.
    desk.run(&["replay", "{desk}/none"], "").well();
    save("{desk}/one", "(0,0)\n");
    edit(&copy.join("rules/turn.luau"), "Mark a space", "Take a space");
    let done = desk.run(&["replay", "{desk}/one", "--verify"], "");
    assert_eq!(
        done.failed(1),
        "{desk}/one: nothing was verified: no segment can be checked\n"
    );
    // Only the content of a segment without answers is at hand.
    let on = ["play", "--resume", "{desk}/one", "--changed", "saved"];
    desk.run(&on, "").well();
    let done = desk.run(&["replay", "{desk}/one", "--verify"], "");
    assert!(
        done.out.ends_with("segment 2 (resume): 0 answers, as recorded\n"),
        "{}",
        done.out
    );
    assert_eq!(
        done.failed(1),
        "{desk}/one: nothing was verified: 1 of 2 segments can't be checked, and no answer is recorded in the others\n"
    );
}
