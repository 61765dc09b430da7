//! Recordings: nothing acknowledged is lost, undo reaches over a resume, other content is named.
use std::fs;

use serde_json::json;

use crate::harness::{Desk, edit, pack};

/// The last state of a session that is resumed.
fn resumed(desk: &Desk, file: &str, more: &[&str]) -> String {
    let mut args = vec!["play", "--resume", file];
    args.extend(more);
    desk.run(&args, "").out
}

#[test]
fn a_session_goes_on_where_it_was_left() {
    let desk = Desk::new();
    let left = desk
        .play("high-card", &["--save", "{desk}/s"], "1\n2\n1\n")
        .well();
    let left = &left[left.rfind("--- ").unwrap()..left.rfind("> ").unwrap()];
    let on = resumed(&desk, "{desk}/s", &[]);
    assert!(on.contains(left), "{on}\nwas left as\n{left}");
    assert!(
        on.ends_with("> \nSaved in {desk}/s; go on with: ludex play --resume {desk}/s\n"),
        "{on}"
    );
}

#[test]
fn undo_reaches_back_over_a_resume_also_within_a_step() {
    let desk = Desk::new();
    desk.play("high-card", &["--save", "{desk}/s"], "1\n1\n2\n")
        .well();
    let done = desk.run(
        &["play", "--resume", "{desk}/s", "--free-undo"],
        "undo\nundo\nundo\nundo\n",
    );
    assert!(
        done.out.contains("Refused: there is nothing to undo"),
        "{}",
        done.out
    );
    assert_eq!(done.out.matches("Undone.").count(), 3, "{}", done.out);
    // And once more after that.
    let last = desk.run(&["play", "--resume", "{desk}/s"], "").well();
    assert!(
        last.contains("hand_x (3)") && last.contains("table: empty"),
        "{last}"
    );
}

#[test]
fn a_torn_line_was_never_acknowledged() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n(1,1)\n")
        .well();
    let whole = fs::read(desk.path("s")).unwrap();
    for cut in 1..60 {
        fs::write(desk.path("s"), &whole[..whole.len() - cut]).unwrap();
        let on = desk.run(&["play", "--resume", "{desk}/s"], "(2,2)\n");
        assert_eq!(on.code, 0, "cut {cut}: {}", on.err);
    }
}

#[test]
fn what_is_no_recording_is_told_with_its_line() {
    let desk = Desk::new();
    fs::write(desk.path("s"), "{\"type\":\"answer\"}\n").unwrap();
    let told = desk.run(&["play", "--resume", "{desk}/s"], "").failed(1);
    assert_eq!(
        told,
        "{desk}/s:1: this is no line of a recording: missing field `seat`; it looks like {\"type\":\"answer\",\"seat\":\"x\",\"decision\":\"turn#0\",\"answer\":[\"key\"],\"hash\":\"0123456789abcdef\"}; nothing can be read without it: name a recording of `ludex play`, or another copy of this one\n"
    );
    fs::write(desk.path("s"), "").unwrap();
    assert_eq!(
        desk.run(&["play", "--resume", "{desk}/s"], "").failed(1),
        "{desk}/s: the recording is empty\n"
    );
    fs::write(desk.path("s"), "x").unwrap();
    let told = desk.play("tic-tac-toe", &["--save", "{desk}/s"], "").failed(2);
    assert_eq!(
        told,
        "--save {desk}/s: there is something already; go on with it by --resume {desk}/s, or name another file\n"
    );
}

#[test]
fn one_session_is_open_once() {
    let desk = Desk::new();
    let folder = pack("tic-tac-toe").display().to_string();
    let mut talk = desk.talk(&[
        "play",
        "tic-tac-toe",
        "--pack",
        &folder,
        "--json",
        "--save",
        "{desk}/s",
    ]);
    talk.next();
    let told = desk.run(&["play", "--resume", "{desk}/s"], "").failed(2);
    assert_eq!(told, "{desk}/s: another Ludex has this session open\n");
}

/// Who begins while another does takes another file, or is told; an accepted answer is in a file of its own.
#[test]
fn games_that_begin_at_once_keep_a_file_each() {
    let desk = Desk::new();
    let at_once = |more: &[&str]| -> Vec<_> {
        let play = || desk.play("tic-tac-toe", more, "(1,1)\n");
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..6).map(|_| scope.spawn(play)).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        })
    };
    for done in at_once(&[]) {
        done.well();
    }
    let kept: Vec<_> = fs::read_dir(desk.path("data/sessions/tic-tac-toe"))
        .unwrap()
        .collect();
    assert_eq!(kept.len(), 6);
    for file in kept {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        assert_eq!(text.matches("\"type\":\"answer\"").count(), 1, "{text}");
    }
    // Of those that want the same file one gets it.
    let codes: Vec<i32> = at_once(&["--save", "{desk}/one"])
        .iter()
        .map(|done| done.code)
        .collect();
    assert_eq!(codes.iter().filter(|code| **code == 0).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == 2).count(), 5, "{codes:?}");
}

#[test]
fn a_copy_is_a_session_of_its_own() {
    let desk = Desk::new();
    let out = desk.play(
        "tic-tac-toe",
        &[],
        "(0,0)\nsave {desk}\nquit\n"
            .replace("{desk}", &desk.path("c").display().to_string())
            .as_str(),
    );
    assert!(out.out.contains("Saved a copy in {desk}/c."), "{}", out.out);
    let on = desk.run(&["play", "--resume", "{desk}/c"], "").well();
    assert!(on.contains("0  x * *"), "{on}");
}

#[test]
fn the_last_unfinished_session_is_found() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &[], "(0,0)\n").well();
    let folder = pack("tic-tac-toe").display().to_string();
    let on = desk
        .run(
            &["play", "tic-tac-toe", "--pack", &folder, "--resume"],
            "concede yes\n",
        )
        .well();
    assert!(
        on.contains("o: Mark a space") && on.contains("The game is over: lost."),
        "{on}"
    );
    let told = desk
        .run(&["play", "tic-tac-toe", "--pack", &folder, "--resume"], "")
        .failed(2);
    assert_eq!(
        told,
        "there is no unfinished session of `tic-tac-toe`; name a file: --resume FILE\n"
    );
}

#[test]
fn other_content_is_named_and_both_ways_go_on() {
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
        "--save",
        "{desk}/s",
    ];
    desk.run(&args, "(0,0)\n(1,1)\n(0,1)\n").well();
    edit(&copy.join("rules/turn.luau"), "Mark a space", "Take a space");
    edit(&copy.join("pack.toml"), "0.1.0", "0.2.0");
    let told = desk.run(&["play", "--resume", "{desk}/s"], "").failed(1);
    let (first, rest) = told.split_once('\n').unwrap();
    assert_eq!(first, "{desk}/s: this session was played with other content:");
    assert!(
        rest.starts_with("  `tic-tac-toe` was version 0.1.0 (") && rest.contains(") and is version 0.2.0 ("),
        "{rest}"
    );
    fs::copy(desk.path("s"), desk.path("t")).unwrap();
    let on = resumed(&desk, "{desk}/s", &["--changed", "saved"]);
    assert!(
        on.contains("o: Take a space") && on.contains("0  x * *\n1  x o *"),
        "{on}"
    );
    let on = resumed(&desk, "{desk}/t", &["--changed", "replay"]);
    assert!(
        on.contains("o: Take a space") && on.contains("0  x * *\n1  x o *"),
        "{on}"
    );
    // Both are sessions under the new content now.
    assert!(resumed(&desk, "{desk}/s", &[]).contains("o: Take a space"));
}

#[test]
fn the_first_difference_is_shown() {
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
        "--save",
        "{desk}/s",
    ];
    desk.run(&args, "(0,0)\n(1,1)\n(0,1)\n(2,2)\n").well();
    edit(
        &copy.join("rules/turn.luau"),
        "\tfor _, space in board.spaces() do\n",
        "\tfor _, space in board.spaces() do\n\t\tif game.turn == 2 and space == vector(0, 1) then\n\t\t\tcontinue\n\t\tend\n",
    );
    let on = resumed(&desk, "{desk}/s", &["--changed", "replay"]);
    let on = on.replace("\n  ", " ");
    assert!(
        on.contains("- the course differs first at answer 3, decision 0 of step `ttt.turn`: `(0,1)` is refused: `(0,1)` is not among what can be chosen now (not_offered)\n- 2 answers of the recording were not given again\n"),
        "{on}"
    );
}

#[test]
fn killed_at_any_moment_nothing_acknowledged_is_lost() {
    let desk = Desk::new();
    let copy = desk.copy("high-card");
    let folder = copy.display().to_string();
    for round in 0..12 {
        let file = format!("{{desk}}/k{round}");
        let mut talk = desk.talk(&[
            "play",
            "high-card",
            "--pack",
            &folder,
            "--seed",
            "7",
            "--json",
            "--save",
            &file,
        ]);
        let mut decision = talk.next();
        for _ in 0..round % 5 {
            decision = talk.answer(&decision, 0);
        }
        if round % 3 == 0 {
            // Right after a reload, in a new segment.
            let text = fs::read_to_string(copy.join("rules/turn.luau")).unwrap();
            fs::write(copy.join("rules/turn.luau"), text + "-- more\n").unwrap();
            talk.say(&json!({"cmd": "reload"}).to_string());
            decision = talk.next();
        }
        // Answered, never heard.
        if round % 2 == 0 {
            talk.say(&json!({"id": decision["id"], "answer": [decision["options"][0]["key"]]}).to_string());
        }
        drop(talk);
        let mut again = desk.talk(&["play", "--resume", &file, "--json"]);
        let now = again.next();
        let same = now["options"] == decision["options"];
        assert!(
            same || round % 2 == 0,
            "round {round}: {now} instead of {decision}"
        );
    }
}

/// Some editors and copies leave the last newline away.
#[test]
fn a_last_line_that_lacks_only_its_end_counts_if_its_hash_is_right() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n(1,1)\n")
        .well();
    let whole = fs::read_to_string(desk.path("s")).unwrap();
    // Up to the last answer, without the state that may follow it.
    let end = whole.rfind("{\"type\":\"answer\"").unwrap();
    let end = end + whole[end..].find('\n').unwrap();
    let unended = &whole[..end];
    let turn = |text: &str| {
        fs::write(desk.path("s"), text).unwrap();
        let on = desk.run(&["play", "--resume", "{desk}/s"], "(2,2)\n").well();
        let both = on.contains("1  * o *");
        (both, fs::read_to_string(desk.path("s")).unwrap())
    };
    let (both, after) = turn(unended);
    assert!(both && after.starts_with(&whole[..=end]), "{after}");
    // A wrong hash: it was never written by a session.
    let hash = unended.rfind("\"hash\":\"").unwrap() + "\"hash\":\"".len();
    let other = format!("{}0000000000000000{}", &unended[..hash], &unended[hash + 16..]);
    let (both, after) = turn(&other);
    assert!(!both && !after.contains("\"0000000000000000\""), "{after}");
    // With its end it is a line like any other.
    fs::write(desk.path("s"), other + "\n").unwrap();
    let told = desk.run(&["play", "--resume", "{desk}/s"], "").failed(1);
    assert!(told.contains("the course differs at answer 2"), "{told}");
}

#[test]
fn a_recording_that_cannot_be_written_goes_on_in_a_copy() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n")
        .well();
    let mut only_read = fs::metadata(desk.path("s")).unwrap().permissions();
    only_read.set_readonly(true);
    fs::set_permissions(desk.path("s"), only_read).unwrap();
    let before = fs::read(desk.path("s")).unwrap();
    let on = desk.run(&["play", "--resume", "{desk}/s"], "(1,1)\n").well();
    let note = "- {desk}/s can't be written; the session goes on in a copy,\n  {desk}/data/sessions/tic-tac-toe/1.ludex";
    assert!(
        on.replace("\n  ", " ").contains(&note.replace("\n  ", " ")),
        "{on}"
    );
    assert!(on.contains("1  * o *"), "{on}");
    assert_eq!(fs::read(desk.path("s")).unwrap(), before);
    let copy = fs::read(desk.path("data/sessions/tic-tac-toe/1.ludex")).unwrap();
    assert!(copy.starts_with(&before) && copy.len() > before.len());
}

#[test]
fn a_tilde_is_the_home_directory() {
    let desk = Desk::new();
    let folder = pack("tic-tac-toe").display().to_string();
    let mut command = desk.command(&["play", "tic-tac-toe", "--pack", &folder]);
    command.env("HOME", desk.path("home")).current_dir(desk.path(""));
    fs::create_dir(desk.path("home")).unwrap();
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"save ~/games/x\nquit\n").unwrap();
    assert!(child.wait_with_output().unwrap().status.success());
    assert!(desk.path("home/games/x").is_file());
    assert!(!desk.path("~").exists());
}

/// Explanations come again with the answers that are given again.
#[test]
fn why_is_known_after_a_resume_as_far_as_answers_are_replayed() {
    let desk = Desk::new();
    let folder = desk.copy("tic-tac-toe");
    fs::remove_dir_all(folder.join("tests")).unwrap();
    edit(
        &folder.join("rules/turn.luau"),
        "\tgame.turn += 1\n",
        "\tgame.turn += 1\n\texplain({ text = `{seat} had no choice` })\n",
    );
    let place = folder.display().to_string();
    let args = ["play", "tic-tac-toe", "--pack", &place, "--save", "{desk}/s"];
    desk.run(&args, "(0,0)\n(1,1)\n").well();
    let on = resumed_with(&desk, &[], "why\nundo\nwhy\n");
    assert!(on.contains("> why\no had no choice\n"), "{on}");
    // From a tabletop as saved under other rules nothing is given again.
    edit(
        &folder.join("game.toml"),
        "Three in a row wins.",
        "Three in a row win.",
    );
    let on = resumed_with(&desk, &["--changed", "saved"], "quit\n");
    assert!(on.contains("was version"), "{on}");
    let on = resumed_with(&desk, &[], "why\n(2,2)\nwhy\n");
    let told = "> why\nThe rules have chosen nothing by themselves since the session was resumed; what they\n  chose before is not known any more.\n";
    assert!(
        on.replace("\n  ", " ").contains(&told.replace("\n  ", " ")),
        "{on}"
    );
    assert!(on.contains("had no choice"), "{on}");
}

fn resumed_with(desk: &Desk, more: &[&str], input: &str) -> String {
    let mut args = vec!["play", "--resume", "{desk}/s"];
    args.extend(more);
    desk.run(&args, input).well()
}

#[test]
fn old_sessions_make_room_for_new_ones() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/over"], "concede yes\n")
        .well();
    desk.play("tic-tac-toe", &["--save", "{desk}/open"], "(0,0)\n")
        .well();
    let folder = desk.path("data/sessions/tic-tac-toe");
    fs::create_dir_all(&folder).unwrap();
    let now = std::time::SystemTime::now();
    let put = |from: &str, name: &str, hours: u64| {
        fs::copy(desk.path(from), folder.join(name)).unwrap();
        let age = std::time::Duration::from_secs(hours * 3600);
        let file = fs::File::options().write(true).open(folder.join(name)).unwrap();
        file.set_modified(now - age).unwrap();
        file
    };
    for number in 1..=53 {
        put("over", &format!("over-{number}.ludex"), number);
    }
    // The oldest one is in use.
    let used = put("over", "over-54.ludex", 54);
    used.lock().unwrap();
    put("open", "open-89.ludex", 24 * 89);
    put("open", "open-91.ludex", 24 * 91);
    // No sessions.
    fs::write(desk.path("noise"), "x\n").unwrap();
    put("noise", "noise.ludex", 24 * 400);
    put("over", "over.txt", 24 * 400);
    // A file that was named is no reason to tidy up.
    desk.play("tic-tac-toe", &["--save", "{desk}/more"], "").well();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 58);
    desk.play("tic-tac-toe", &[], "").well();
    let left: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let has = |name: &str| left.iter().any(|known| known == name);
    let over: Vec<u32> = (1..=54).filter(|n| has(&format!("over-{n}.ludex"))).collect();
    let kept: Vec<u32> = (1..=50).chain([54]).collect();
    assert_eq!(over, kept, "{left:?}");
    assert!(has("open-89.ludex") && !has("open-91.ludex"), "{left:?}");
    assert!(
        has("noise.ludex") && has("over.txt") && has("1.ludex"),
        "{left:?}"
    );
    assert_eq!(left.len(), 51 + 4, "{left:?}");
}
