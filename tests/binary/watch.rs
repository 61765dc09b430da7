//! Rules edited under a living game: the binary in a pseudo-terminal, and over JSON.
use std::fs;
use std::time::Duration;

use super::support::{Scene, Table, Terminal, copy};

const RULES: &str = "tic-tac-toe/rules/turn.luau";
const PLAY: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7";

/// Longer than a reload takes to be told, with all that runs beside the test.
const QUIET: Duration = Duration::from_millis(2_500);

fn terminal(scene: &Scene, line: &str) -> Terminal {
    Terminal::open(scene.ludex(super::support::words(line)))
}

#[test]
fn a_terminal_follows_its_rules() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    // Files touched as it begins are looked at again; these are older.
    std::thread::sleep(Duration::from_millis(100));
    let mut game = terminal(&scene, PLAY);
    let screen = game.wait_for("x: Mark a space");
    assert!(screen.contains("Tic-tac-toe, seed 7"), "{screen}");
    game.wait_for("> ");

    scene.edit(RULES, "Mark a space", "Take a space");
    let screen = game.wait_for("x: Take a space");
    assert!(screen.contains("Reloaded: "), "{screen}");
    assert!(screen.contains("tic-tac-toe/rules/turn.luau."), "{screen}");
    game.type_line("(1,1)");
    game.wait_for("o: Take a space");

    // A broken file is told with its place; the rules from before go on.
    scene.edit(RULES, "local LINES = {}", "local LINES = {");
    let screen = game.wait_for("tic-tac-toe/rules/turn.luau:");
    assert!(
        screen.contains("Not reloaded; the rules from before go on."),
        "{screen}"
    );
    game.type_line("(0,0)");
    game.wait_for("x: Take a space");

    // Mended, the next decision follows it.
    scene.edit(RULES, "local LINES = {", "local LINES = {}");
    scene.edit(RULES, "Take a space", "Choose a space");
    let screen = game.wait_for("x: Choose a space");
    assert!(screen.contains("Reloaded"), "{screen}");

    // A step that raises waits, and runs again once it is mended.
    scene.edit(RULES, "game.turn += 1", "game.trun += 1");
    game.wait_for("x: Choose a space");
    game.type_line("(2,2)");
    game.wait_for("A step failed; it waits where it began, with its answers.");
    let screen = game.wait_for("did you mean `turn`?");
    assert!(screen.contains("turn.luau:"), "{screen}");
    scene.edit(RULES, "game.trun += 1", "game.turn += 1");
    // The answer stands.
    game.wait_for("o: Choose a space");
    game.type_line("quit");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("go on with: ludex play --resume"), "{screen}");
}

#[test]
fn own_writes_and_writes_that_change_nothing_are_passed_over() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    // The session's file lies in the pack's own folder.
    let mut game = terminal(&scene, &format!("{PLAY} --save tic-tac-toe/game.ludex"));
    game.wait_for("> ");
    game.type_line("(1,1)");
    game.wait_for("> ");
    game.type_line("save tic-tac-toe/copy.ludex");
    game.wait_for("> ");
    let rules = scene.read(RULES);
    scene.write(RULES, &rules);
    scene.write("tic-tac-toe/rules/.turn.luau.swp", "half a word");
    scene.write("tic-tac-toe/notes.txt", "half a word");
    scene.write("tic-tac-toe/rules/turn.luau~", "half a word");
    assert_eq!(game.listen(QUIET).trim(), "");
}

fn table(scene: &Scene) -> Table {
    let mut table = scene.table(PLAY);
    table.until_type("decision");
    table
}

/// Waits for the decision that the rules ask with this prompt.
fn prompted(table: &mut Table, prompt: &str) {
    table.until(|m| m["type"] == "decision" && m["prompt"] == prompt);
}

#[test]
fn saves_by_rename_are_seen_each_time() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let rules = scene.read(RULES);
    let mut game = table(&scene);
    for number in 1..=3 {
        let beside = scene.write(
            "tic-tac-toe/rules/4913",
            rules.replace("Mark", &format!("Number {number}:")),
        );
        fs::rename(beside, scene.path(RULES)).unwrap();
        prompted(&mut game, &format!("Number {number}: a space"));
    }
    // As another editor does: the old file is moved away first.
    fs::rename(scene.path(RULES), scene.path("tic-tac-toe/rules/turn.luau~")).unwrap();
    scene.write(RULES, rules.replace("Mark", "Fill"));
    prompted(&mut game, "Fill a space");
}

#[test]
fn a_burst_of_saves_ends_at_the_last() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let rules = scene.read(RULES);
    let mut game = table(&scene);
    for number in 1..=1_000 {
        scene.write(RULES, rules.replace("Mark", &format!("Number {number}:")));
    }
    let mut reloads = 0;
    loop {
        let message = game.until(|m| m["type"] == "decision" || m["type"] == "error");
        reloads += 1;
        if message["prompt"] == "Number 1000: a space" {
            break;
        }
    }
    assert!(reloads < 50, "{reloads} reloads of one burst");
    // It is alive and answers.
    game.send(r#"{"cmd":"why"}"#);
    game.until(|m| m["type"] == "log" && m["kind"] == "why");
}

#[test]
fn a_folder_is_deleted_and_restored() {
    let scene = Scene::new();
    let pack = scene.pack("tic-tac-toe");
    let kept = scene.path("kept");
    copy(&pack, &kept);
    let mut game = table(&scene);
    fs::remove_dir_all(&pack).unwrap();
    let told = game.until_type("error");
    assert_eq!(told["code"], "not_reloaded", "{told}");
    assert!(
        told["message"].as_str().unwrap().contains("tic-tac-toe"),
        "{told}"
    );
    // The old rules go on.
    game.send(r#"{"cmd":"view"}"#);
    let open = game.until_type("decision");
    game.answer(&open, "(0,0)");
    game.until_type("decision");
    copy(&kept, &pack);
    scene.edit(RULES, "Mark", "Fill");
    prompted(&mut game, "Fill a space");
    scene.edit(RULES, "Fill", "Mark");
    prompted(&mut game, "Mark a space");
}

#[test]
fn a_linked_pack_is_watched_where_it_is() {
    let scene = Scene::new();
    let pack = scene.pack("tic-tac-toe");
    fs::create_dir(scene.path("elsewhere")).unwrap();
    fs::rename(&pack, scene.path("elsewhere/real")).unwrap();
    std::os::unix::fs::symlink(scene.path("elsewhere/real"), &pack).unwrap();
    let mut game = table(&scene);
    scene.edit("elsewhere/real/rules/turn.luau", "Mark", "Fill");
    prompted(&mut game, "Fill a space");
    // The link is pointed at another folder.
    copy(&scene.path("elsewhere/real"), &scene.path("elsewhere/other"));
    scene.edit("elsewhere/other/rules/turn.luau", "Fill", "Take");
    fs::remove_file(&pack).unwrap();
    std::os::unix::fs::symlink(scene.path("elsewhere/other"), &pack).unwrap();
    prompted(&mut game, "Take a space");
}

#[test]
fn two_files_at_fault_are_both_told() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    scene.write("tic-tac-toe/rules/other.luau", "return {}\n");
    let mut game = table(&scene);
    scene.write("tic-tac-toe/rules/other.luau", "local x = = 1\n");
    game.until_type("error");
    scene.edit(RULES, "function step.turn()", "function step.turn(");
    let told = game.until_type("error");
    let text = told["message"].as_str().unwrap();
    assert!(
        text.contains("other.luau:1") && text.contains("turn.luau:"),
        "{text}"
    );
}
