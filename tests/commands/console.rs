//! `ludex repl`: what a line does to the rules of a game.
use crate::harness::{Desk, pack};

/// The answers to lines, after the greeting.
fn told(lines: &str) -> String {
    let done = Desk::new().run(
        &["repl", "rove-modules", "--seed", "7", "--budget", "time=60s"],
        lines,
    );
    let (_, told) = done.out.split_once("see `:options`)\n").unwrap();
    told.to_owned()
}

#[test]
fn a_line_that_no_step_can_stand_is_told_without_the_calls_of_the_rules() {
    let lost = "board.shift({ { units.get(\"sensor\"), vector(40, 40) } })\n";
    let plainly = "The step fails after this line: the pieces of a layout must stand on different spaces and be linked; here they aren't\n\
                   `:undo` takes it back; `:reload` tells where the step fails.\n";
    assert_eq!(told(lost), plainly);
    let where_it_fails = told(&format!("{lost}:reload\n"));
    let rest = where_it_fails.strip_prefix(plainly).unwrap();
    let start = "Nothing has changed.\nThe step failed. error: @rove-modules/";
    assert!(
        rest.starts_with(start) && rest.contains("\n  called at @"),
        "{rest}"
    );
    // Nothing was loaded, so that the line can still be taken back.
    let back = told(&format!("{lost}:reload\n:undo\n"));
    assert!(
        back.contains("Undone.\nMission 1 of 7, Hook: no points\n"),
        "{back}"
    );
}

#[test]
fn scripts_of_the_host_are_no_place_of_an_error() {
    let told_of = "choose takes a table such as { prompt = \"...\", options = {...} }\n";
    assert_eq!(told("choose(3)\n"), format!("error: {told_of}"));
}

/// A memo of the board outlives changes of piles, and mustn't tell the true cards where others are imagined.
#[test]
fn a_memo_tells_nothing_hidden_where_cards_are_imagined() {
    let desk = Desk::new();
    let folder = pack("high-card").display().to_string();
    let text = desk.run(
        &["repl", "high-card", "--pack", &folder, "--seed", "7"],
        "top = memo(function() return piles.hand_o:top().key end, \"board\")\n\
         truth = top()\n\
         others = 0\n\
         for _, key in imagine(top, { seat = \"x\", samples = 20 }) do if key ~= truth then others += 1 end end\n\
         others > 5\n\
         top() == truth\n",
    )
    .well();
    assert!(text.ends_with("true\ntrue\n"), "{text}");
}

/// Of a list the item and what is wrong with it.
#[test]
fn an_impossible_shift_is_told_plainly() {
    let line = |moves: &str| told(&format!("board.shift({{ {moves} }})\n"));
    let sensor = "units.get(\"sensor\")";
    assert_eq!(
        line(&format!(
            "{{ {sensor}, vector(5, 5) }}, {{ {sensor}, vector(6, 5) }}"
        )),
        "error: one unit is moved twice\n"
    );
    assert_eq!(
        line(&format!("{{ {sensor}, vector(0.5, 0) }}")),
        "error: move 1: (0.5,0,0) is not a space: coordinates are whole numbers within 1000000 of 0\n"
    );
    assert_eq!(
        line(&format!("{{ {sensor}, units.get(\"coil\").space }}"))
            .split('(')
            .next(),
        Some("error: two units would end on ")
    );
    assert_eq!(line("5"), "error: move 1: expected { unit, space }\n");
    assert_eq!(
        line(&format!("{{ {sensor}, 5 }}")),
        "error: move 1: expected { unit, space }\n"
    );
}
