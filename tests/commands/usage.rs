//! Wrong use: status 2, and a message that names what is right.
use crate::harness::Desk;

#[track_caller]
fn told(args: &[&str], expected: &str) {
    let done = Desk::new().play("high-card", args, "");
    assert_eq!(done.failed(2), expected);
}

#[test]
fn options_are_typed_and_named() {
    told(
        &["--set", "card=3"],
        "`high-card` has no option `card`; did you mean `cards`?\n",
    );
    told(
        &["--set", "cards=9"],
        "the option `cards` can't be `9`; it is one of 3, 4\n",
    );
    told(
        &["--set", "cards=many"],
        "the option `cards` can't be `many`; it is a number\n",
    );
    told(
        &["--set", "open=maybe"],
        "the option `open` can't be `maybe`; it is true or false\n",
    );
    told(
        &["--set", "cards"],
        "`--set cards`: write key=value, such as `--set cards=3`\n",
    );
    told(
        &["--set", "preset=logn"],
        "`high-card` has no preset `logn`; did you mean `long`?\n",
    );
    told(
        &["--set", "open=5", "--set", "crads=3"],
        "the option `open` can't be `5`; it is true or false\n`high-card` has no option `crads`; did you mean `cards`?\n",
    );
}

#[test]
fn seats_and_bots_are_named() {
    told(
        &["--bot", "x"],
        "`--bot x`: write SEAT=BOT, such as --bot x=random\n",
    );
    told(
        &["--bot", "y=random"],
        "`--bot y=random`: there is no seat `y`; there are `x` and `o`\n",
    );
    told(
        &["--bot", "x=gredy"],
        "`--bot x=gredy`: there is no bot `gredy`; did you mean `greedy`?\n",
    );
    told(
        &["--json", "--as", "z"],
        "`--as z`: there is no seat `z`; there are `x` and `o`\n",
    );
    told(&["--players", "3"], "`high-card` is for 2 players, not 3\n");
    let done = Desk::new().play("tic-tac-toe", &["--bot", "x=greedy"], "");
    assert_eq!(
        done.failed(2),
        "`--bot x=greedy`: `tic-tac-toe` has no rules/score.luau, which greedy needs; use random\n"
    );
}

#[test]
fn places_and_limits_are_checked() {
    told(
        &["--budget", "tim=3s"],
        "`--budget tim=3s`: there is no limit `tim`; did you mean `time`?\n",
    );
    told(
        &["--budget", "time=3"],
        "`--budget time=3`: time is a number with a unit, s or ms, such as 5s or 500ms\n",
    );
    told(
        &["--pack", "some/nowhere"],
        "--pack some/nowhere: there is no such folder; name the folder that holds pack.toml\n",
    );
    told(
        &["--pack", "nowhere"],
        "--pack nowhere: there is no such folder here; name the folder that holds pack.toml by its path, such as --pack path/to/nowhere\n",
    );
    told(
        &["--pack", "rove-modules"],
        "--pack rove-modules: there is no such folder; the pack `rove-modules` is found without --pack: leave it out, or make the pack active by --with rove-modules\n",
    );
    told(
        &["--pack", "README.md"],
        "--pack README.md: this is a file; name the folder that holds pack.toml\n",
    );
}

/// Where a file is wanted.
#[test]
fn a_folder_is_told_apart_from_a_file_that_is_there() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    let told = "{desk}/folder: this is a folder; name a file in it, such as {desk}/folder/game.ludex\n";
    let done = desk.play("high-card", &["--save", "{desk}/folder"], "");
    assert_eq!(done.failed(2), format!("--save {told}"));
    let folder = desk.path("folder").display().to_string();
    let done = desk.play("high-card", &[], &format!("save {folder}\n")).well();
    assert!(done.replace("\n  ", " ").contains(told), "{done}");
    let done = desk.run(&["repl", "rove-modules"], &format!(":save {folder}\n"));
    assert!(done.out.contains(&format!("\nerror: {told}")), "{}", done.out);
    let told = "{desk}/folder: this is no file, so it holds no recording\n";
    let done = desk.run(&["repl", "rove-modules"], &format!(":load {folder}\n"));
    assert!(done.out.contains(&format!("\nerror: {told}")), "{}", done.out);
    let done = desk.run(&["play", "--resume", "{desk}/folder"], "");
    assert_eq!(done.failed(2), told);
}

#[test]
fn a_game_that_is_not_there_is_the_contents_fault() {
    let done = Desk::new().run(&["play", "rove-module"], "");
    assert_eq!(
        done.failed(1),
        "error[missing-pack]: there is no pack `rove-module`\n  help: did you mean `rove-modules`?\n"
    );
}

#[test]
fn help_for_a_game_tells_its_options() {
    let done = Desk::new().play("high-card", &["--help"], "").well();
    let (_, told) = done.split_once("{\"cmd\":\"quit\"}\n").unwrap();
    assert_eq!(
        told,
        "\nHigh card: Three rounds; the higher card takes the point.\n  seats: x, o\n  \
         --set cards=3  (3, 4) Cards in a hand.\n  \
         --set open=false  (boolean) Whether the deck's top card lies open.\n  \
         --set preset=long  (cards=4)\n"
    );
}

#[test]
fn paths_are_shown_without_detours() {
    let desk = Desk::new();
    desk.copy("tic-tac-toe");
    crate::harness::edit(
        &desk.path("packs/tic-tac-toe/rules/turn.luau"),
        "choose(",
        "choos(",
    );
    let detour = "{desk}/./packs/../packs/tic-tac-toe/";
    let start = |text: String| text.split(':').next().unwrap().to_owned();
    let file = "{desk}/packs/tic-tac-toe/rules/turn.luau";
    assert_eq!(start(desk.run(&["check", detour], "").out), file);
    let done = desk.run(&["play", "tic-tac-toe", "--pack", detour], "");
    assert_eq!(start(done.err), file);
    let done = desk.run(&["test", detour], "");
    let spec = "FAILED {desk}/packs/tic-tac-toe/tests/turn.spec.luau";
    assert_eq!(start(done.out), spec);
    let done = desk.run(&["replay", "{desk}/packs/.././none"], "");
    assert_eq!(start(done.failed(2)), "{desk}/none");
    let saved = ["--save", "{desk}/./packs/../s"];
    let done = desk.play("high-card", &saved, "1\n").well();
    assert!(
        done.ends_with("\nSaved in {desk}/s; go on with: ludex play --resume {desk}/s\n"),
        "{done}"
    );
}

#[test]
fn a_file_that_cant_be_read_is_told_with_what_to_do() {
    let desk = Desk::new();
    let kept = "there is no such file; games that were played are kept in {desk}/data/sessions\n";
    for args in [
        &["replay", "{desk}/nope.ludex"][..],
        &["play", "--resume", "{desk}/nope.ludex"],
    ] {
        assert_eq!(
            desk.run(args, "").failed(2),
            format!("{{desk}}/nope.ludex: {kept}")
        );
    }
    let folder = std::fs::File::open(desk.path("")).unwrap();
    let mut command = desk.command(&["repl", "rove-modules"]);
    let done = command.stdin(folder).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        "the input can't be read: this is a folder, no file; give lines of Luau, such as: echo 'board.spaces()' | ludex repl GAME\n"
    );
}

/// Packs that are checked together may need each other.
#[test]
fn packs_that_are_checked_at_once_find_each_other() {
    let desk = Desk::new();
    for (id, need) in [("aa", "bb"), ("bb", "aa"), ("cc", "dd"), ("dd", "std")] {
        let folder = desk.path("packs").join(id);
        std::fs::create_dir_all(&folder).unwrap();
        let depends = if need == "std" {
            String::new()
        } else {
            format!("[depends]\n{need} = \"0.1\"\n")
        };
        let text = format!(
            "id = \"{id}\"\nversion = \"0.1.0\"\nludex = \"0.1\"\ntitle = \"A\"\nauthors = [\"x\"]\nlicence = \"MIT\"\n{depends}"
        );
        std::fs::write(folder.join("pack.toml"), text).unwrap();
    }
    let well = desk
        .run(&["check", "{desk}/packs/cc", "{desk}/packs/dd"], "")
        .well();
    assert_eq!(well, "2 packs checked, 0 errors, 0 warnings\n");
    let circle = desk.run(&["check", "{desk}/packs/aa", "{desk}/packs/bb"], "").out;
    assert!(
        circle.contains("packs depend on each other in a circle: aa -> bb -> aa"),
        "{circle}"
    );
    assert!(!circle.contains("isn't installed"), "{circle}");
}

/// A game that starts nowhere is no reason to keep the other problems back.
#[test]
fn a_missing_first_step_is_told_beside_the_rest() {
    let desk = Desk::new();
    let folder = desk.copy("tic-tac-toe");
    crate::harness::edit(&folder.join("game.toml"), "\"ttt.turn\"", "\"ttt.trun\"");
    crate::harness::edit(
        &folder.join("rules/turn.luau"),
        "next({ \"turn\" })",
        "next({ \"tun\" })",
    );
    let told = desk.run(&["check", "{desk}/packs/tic-tac-toe"], "").out;
    let start = "{desk}/packs/tic-tac-toe/game.toml:3:9: error[unknown-step]: the game starts with the step `ttt.trun`, which no script defines; did you mean `ttt.turn`?";
    assert!(told.contains(start), "{told}");
    assert!(told.contains("there is no step `tun`"), "{told}");
    assert!(told.ends_with("1 pack checked, 2 errors, 0 warnings\n"), "{told}");
}
