//! A prompt of several lines, such as a picture, keeps them wherever it is shown.
use crate::harness::Desk;

const SEED: [&str; 3] = ["rove-modules", "--seed", "7"];
const HOOK: [&str; 3] = ["# # C #", ". . . #", ". . . #"];

/// The picture, each line after a line end and so far in.
fn picture(indent: usize) -> String {
    let line = |line: &&str| format!("\n{}{line}", " ".repeat(indent));
    HOOK.iter().map(line).collect()
}

#[test]
fn a_console_counts_the_options_below_the_picture() {
    let told = Desk::new().run(&[&["repl"], &SEED[..]].concat(), "").well();
    let expected = format!(
        "Mission 1 of 7, Hook: no points{}\n(10 options, see `:options`)\n",
        picture(2)
    );
    assert!(told.ends_with(&expected), "{told}");
}

#[test]
fn solve_shows_what_is_asked() {
    let told = Desk::new().run(&[&["solve"], &SEED[..]].concat(), "").well();
    let expected = format!(
        "rove-modules, seed 7: Mission 1 of 7, Hook: no points{}\n  use-motor\n",
        picture(6)
    );
    assert!(told.starts_with(&expected), "{told}");
}

#[test]
fn a_replay_shows_a_picture_once() {
    let desk = Desk::new();
    let play = [&["play"], &SEED[..], &["--save", "{desk}/s"]].concat();
    desk.run(&play, "play-bar\nbrain-n-1\nplay-zig\n").well();
    let told = desk.run(&["replay", "{desk}/s"], "").well();
    let expected = format!(
        "  rover: Mission 1 of 7, Hook: no points: play-bar{}\n    Bar is played for 2 points.\n  \
         rover: Mission 1 of 7, Hook: 2 points left: brain-n-1\n    Brain slides north by 1.\n",
        picture(6)
    );
    assert!(told.contains(&expected), "{told}");
}
