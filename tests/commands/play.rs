//! `ludex play` over a pipe: whole transcripts.
use crate::harness::{Desk, pack};

/// Compares with a file beside this one; `LUDEX_BLESS=1` writes it anew.
#[track_caller]
pub fn compare(name: &str, text: &str) {
    let path = crate::harness::root().join("tests/commands/expected").join(name);
    if std::env::var_os("LUDEX_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} differs:\n{text}", path.display());
}

#[test]
fn a_game_to_its_end() {
    let input = "(0,0)\n5\n(0,1)\n(0,1)\n/undu\nhelp\nundo\n(2, 0)\n(1,1)\n2,2\n(0,2)\nundo\n(1,0)\n(0,2)\nwhy\nrules\n1\n";
    let done = Desk::new().play("tic-tac-toe", &[], input);
    compare("tic-tac-toe.txt", &done.well());
}

#[test]
fn every_kind_of_decision() {
    let input = "river\nroll\nundo\npick\nred gr\norder\n2 1\ncount\n3\nfail\nundo\nundo\nrules CR-01\nrules cr\nloop\n9\nend\n";
    let done = Desk::new().play("crossroads", &[], input);
    compare("crossroads.txt", &done.well());
}

#[test]
fn a_failed_step_waits_and_the_status_is_1() {
    let desk = Desk::new();
    let done = desk.play(
        "crossroads",
        &["--budget", "safepoints=100000"],
        "loop\nwalk\nquit\n",
    );
    assert_eq!(done.code, 1);
    let told = done.out.split("> loop\n").nth(1).unwrap();
    assert_eq!(
        told,
        "A step failed; it waits where it began, with its answers.\n\
         {root}/tests/packs/crossroads/rules/road.luau:23:3: error[script]: the step took more than 100000 calls and loop turns\n\
         \u{20}   23 |   while true do\n\
         \u{20}      |   ^^^^^^^^^^^^^\n\
         Mend the file and `reload`; or `undo`, `save`, `quit`.\n\
         > walk\n\
         a step has failed; mend it, undo or quit\n\
         > quit\n"
    );
}

#[test]
fn two_people_see_their_own_cards() {
    let done = Desk::new().play("high-card", &[], "1\n1\nyes\n2\n1\nundo\nconcede yes\n");
    compare("high-card.txt", &done.well());
}

#[test]
fn with_a_bot_one_person_sees_one_hand() {
    let done = Desk::new().play(
        "high-card",
        &["--bot", "o=greedy", "--set", "preset=long"],
        "2\nundo\n1\n1\n1\n1\n",
    );
    compare("high-card-bot.txt", &done.well());
}

#[test]
fn nothing_of_a_pack_controls_the_terminal() {
    let done = Desk::new().play("crossroads", &[], "walk\nrules\nfail\n");
    assert!(!done.out.contains('\u{1b}'), "{}", done.out);
    let done = Desk::new().play("crossroads", &["--json"], "");
    assert!(!done.out.contains('\u{1b}'), "{}", done.out);
}

#[test]
fn without_a_name_games_are_listed() {
    let folder = pack("tic-tac-toe").display().to_string();
    let done = Desk::new().run(
        &["play", "--pack", &folder, "--seed", "7"],
        "nothing\ntic-tac-toe\n(0,0)\n",
    );
    let out = done.well();
    assert!(out.starts_with("Games:\n"), "{out}");
    assert!(out.contains(") tic-tac-toe  Tic-tac-toe\n"), "{out}");
    assert!(out.contains("There is no `nothing`; there are 1 to "), "{out}");
    assert!(out.contains("Tic-tac-toe, seed 7\n"), "{out}");
    assert!(out.contains("o: Mark a space"), "{out}");
}

#[test]
fn the_same_game_twice_is_the_same_text() {
    let input = "1\n1\n1\n1\n1\n1\n";
    let once = Desk::new().play("high-card", &[], input).well();
    assert_eq!(once, Desk::new().play("high-card", &[], input).well());
}

/// Whatever the widths of the numbers: commas stand below each other, glyphs about them.
#[test]
fn the_columns_of_a_hex_board_line_up() {
    let desk = Desk::new();
    let folder = desk.copy("tic-tac-toe");
    crate::harness::edit(
        &folder.join("game.toml"),
        "topology = \"square\"\nneighbours = 8\nsize = [3, 3]",
        "topology = \"hex\"\nflat = true\nspaces = [\"(9,-1)\", \"(9,0)\", \"(9,1)\", \"(10,-2)\", \"(10,-1)\", \"(10,0)\", \"(11,-1)\"]",
    );
    crate::harness::edit(
        &folder.join("rules/turn.luau"),
        "in THROUGH[space] do",
        "in THROUGH[space] or {} do",
    );
    let folder = folder.display().to_string();
    let args = ["play", "tic-tac-toe", "--pack", &folder, "--seed", "7"];
    let told = desk.run(&args, "(9,0)\n").out;
    let board = "        10,-2*\n 9,-1*\n        10,-1*\n [x]            11,-1*\n        10,0*\n 9,1*\n";
    assert!(told.contains(&format!("turn 1\n{board}")), "{told}");
}
