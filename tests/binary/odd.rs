//! Odd input to every command: a clear message, the right exit status, never a panic.
use std::fs;
use std::io::Read;
use std::process::Stdio;

use super::support::{Scene, words};

const PLAY: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7";

fn scene() -> Scene {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    scene.write("empty", "");
    scene.write("zeros", [0; 300]);
    scene.write("noise", (0..=255).cycle().take(2_000).collect::<Vec<u8>>());
    scene.write("page.json", "{}\n");
    fs::create_dir(scene.path("folder")).unwrap();
    scene
}

#[test]
fn wrong_use_is_told_with_status_2() {
    let scene = scene();
    // The command line, and what stderr says among other things.
    let cases = [
        ("", "Usage"),
        ("pley", "'play'"),
        (
            "play tic-tac-toe --pack tic-tac-toe --seed 99999999999999999999",
            "invalid value '99999999999999999999'",
        ),
        ("play tic-tac-toe --pack tic-tac-toe --seed -1", "-1"),
        (
            "play tic-tac-toe --pack tic-tac-toe --seed 1e3",
            "invalid value '1e3'",
        ),
        (
            "play tic-tac-toe --pack nowhere",
            "nowhere: there is no such folder",
        ),
        ("play tic-tac-toe --pack empty", "empty: this is a file"),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --save /dev/null",
            "--save /dev/null: this is a pipe or a device, which keeps no session; name a file",
        ),
        ("play tic-tac-toe --root nowhere", "there is no such folder"),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --players 0",
            "2 players, not 0",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --players 18446744073709551615",
            "2 players",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --set size=1",
            "size",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --set nonsense",
            "nonsense",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --bot z=random",
            "there is no seat `z`",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --bot x=rondam",
            "did you mean `random`?",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --bot x=greedy",
            "rules/score.luau",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --json --as z",
            "there is no seat `z`",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --budget time=0",
            "time",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --budget memory=99999999999999999999GiB",
            "memory",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --save folder",
            "this is a folder",
        ),
        (
            "play tic-tac-toe --pack tic-tac-toe --root ROOT --save empty/game.ludex",
            "empty",
        ),
        ("play --root ROOT --resume nowhere.ludex", "nowhere.ludex"),
        ("play --root ROOT --resume folder", "folder"),
        ("play --root ROOT --resume", "there is no unfinished session"),
        ("play --root ROOT --json", "--json needs the name of a game"),
        ("check nowhere", "nowhere: there is no such folder"),
        ("check empty", "empty: there is no such folder"),
        ("check --format yaml", "yaml"),
        ("test nowhere", "nowhere"),
        ("replay", "FILE"),
        ("replay nowhere.ludex", "nowhere.ludex"),
        ("replay folder", "folder"),
        (
            "sim tic-tac-toe --pack tic-tac-toe --root ROOT --games 0",
            "--games",
        ),
        (
            "sim tic-tac-toe --pack tic-tac-toe --root ROOT --threads 0",
            "--threads",
        ),
        ("sim tic-tac-toe --pack tic-tac-toe --root ROOT --games -5", "-5"),
        (
            "sim tic-tac-toe --pack tic-tac-toe --root ROOT --games 99999999999999999999999",
            "invalid value",
        ),
    ];
    let mut wrong = Vec::new();
    for (line, expected) in cases {
        let ran = scene.run(line, "");
        if ran.status != Some(2) || !ran.err.contains(expected) || !ran.out.is_empty() {
            wrong.push(format!(
                "ludex {line}\n  wants status 2 and `{expected}`: {ran:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn faulty_content_is_told_with_status_1() {
    let scene = scene();
    scene.write(
        "bare/pack.toml",
        "id = \"bare\"\nversion = \"0.1.0\"\nludex = \"0.1\"\n",
    );
    super::support::copy(&scene.path("tic-tac-toe"), &scene.path("miscased"));
    fs::rename(scene.path("miscased/game.toml"), scene.path("miscased/Game.toml")).unwrap();
    let cases = [
        (
            "play tik-tac-toe --pack tic-tac-toe --root ROOT",
            "did you mean `tic-tac-toe`?",
        ),
        ("play bare --pack bare --root ROOT", "bare"),
        ("play --root ROOT --resume empty", "the recording is empty"),
        ("play --root ROOT --resume zeros", "zeros"),
        ("play --root ROOT --resume noise", "noise:1:1: "),
        ("play --root ROOT --resume page.json", "page.json:1: "),
        ("play tic-tac-toe --pack folder --root ROOT", "no-manifest"),
        (
            "play tic-tac-toe --pack tic-tac-toe --pack folder --root ROOT",
            "no-manifest",
        ),
        ("sim nothing --root ROOT --games 1", "nothing"),
        (
            "play tic-tac-toe --pack miscased --root ROOT",
            "miscased/Game.toml: error[wrong-case]: `Game.toml` isn't read: the file must be called `game.toml`",
        ),
    ];
    let mut wrong = Vec::new();
    for (line, expected) in cases {
        let ran = scene.run(line, "");
        if ran.status != Some(1) || !ran.err.contains(expected) || !ran.out.is_empty() {
            wrong.push(format!(
                "ludex {line}\n  wants status 1 and `{expected}`: {ran:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for file in ["empty", "zeros", "noise", "page.json"] {
        let ran = scene.run(&format!("replay {file} --root ROOT"), "");
        assert!(
            matches!(ran.status, Some(1 | 2)) && ran.err.contains(file),
            "{ran:?}"
        );
    }
    let ran = scene.run("check folder --root ROOT", "");
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.contains("no-manifest"), "{ran:?}");
}

#[test]
fn a_table_answers_whatever_is_typed() {
    let scene = scene();
    let lines: [&[u8]; 25] = [
        b"",
        b"   ",
        b"\0",
        b"\xff\xfe\xfd",
        "Zürich ♜ 👩‍👩‍👧 \u{202e}x".as_bytes(),
        b"0",
        b"10",
        b"-1",
        b"99999999999999999999999",
        b"1.5",
        b"1 2",
        b"(0,0",
        b"(9,9)",
        b"undo",
        b"undo 0",
        b"undo -1",
        b"undo 99999999999999999999",
        b"undo 18446744073709551615",
        b"rules",
        b"rules nothing",
        b"why",
        b"/nothing",
        b"save",
        b"save /dev/null/x",
        b"\x1b[2J\x07",
    ];
    let mut input = lines.join(&b'\n');
    input.extend(b"\n");
    input.extend(vec![b'x'; 1 << 20]);
    input.extend(b"\n(1,1)\nquit\n");
    let ran = scene.run(PLAY, input);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("o: Mark a space"), "the last answer was taken");
    assert!(ran.out.contains("that is no text (not UTF-8)"));
    assert!(ran.out.contains("there is nothing to undo"));
    assert!(
        !ran.out.contains('\x1b') && !ran.out.contains('\u{202e}'),
        "controls were passed on"
    );
    // Input that ends in the middle of a line counts as one.
    let ran = scene.run(PLAY, "(1,1)");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("o: Mark a space"), "{ran:?}");
    // No input at all.
    assert_eq!(scene.run(PLAY, "").status, Some(0));
}

#[test]
fn a_json_table_answers_whatever_is_sent() {
    let scene = scene();
    let cases = [
        ("x", "not_json"),
        ("[]", "bad_message"),
        ("null", "bad_message"),
        ("{}", "bad_message"),
        ("\"text\"", "bad_message"),
        (r#"{"id":1,"answer":7}"#, "bad_message"),
        (r#"{"id":1,"answer":[7]}"#, "bad_message"),
        (r#"{"id":1,"answer":[]}"#, "too_few"),
        (r#"{"id":1,"answer":["(0,0)","(0,1)"]}"#, "too_many"),
        (r#"{"id":1,"answer":["(9,9)"]}"#, "not_offered"),
        (r#"{"id":1,"answer":["Zürich ♜"]}"#, "not_offered"),
        (r#"{"id":2,"answer":["(0,0)"]}"#, "stale"),
        (r#"{"id":-1,"answer":["(0,0)"]}"#, "bad_message"),
        (r#"{"id":99999999999999999999,"answer":["(0,0)"]}"#, "bad_message"),
        (r#"{"answer":["(0,0)"]}"#, "bad_message"),
        (r#"{"id":1,"id":1,"answer":["(0,0)"]}"#, "bad_message"),
        (r#"{"cmd":"undo","n":-1}"#, "bad_message"),
        (r#"{"cmd":"undo","answer":["(0,0)"],"id":1}"#, "bad_message"),
        (r#"{"id":1,"answer":["(0,0)"],"seat":"o"}"#, "wrong_seat"),
        (r#"{"id":1,"answer":["(0,0)"],"seat":"♜"}"#, "wrong_seat"),
        (r#"{"cmd":"undo"}"#, "nothing_to_undo"),
        (r#"{"cmd":"undo","count":0}"#, "bad_message"),
        (r#"{"cmd":"undo","count":1.5}"#, "bad_message"),
        (
            r#"{"cmd":"undo","count":18446744073709551615}"#,
            "nothing_to_undo",
        ),
        (r#"{"cmd":"undu"}"#, "unknown_command"),
        (r#"{"cmd":7}"#, "bad_message"),
        (r#"{"cmd":"save","file":"/dev/null/x"}"#, "not_saved"),
        (r#"{"cmd":"save","file":"folder"}"#, "not_saved"),
        (r#"{"cmd":"save","file":""}"#, "not_saved"),
    ];
    let mut table = scene.table(PLAY);
    let open = table.until_type("decision");
    let mut wrong = Vec::new();
    for (line, code) in cases {
        table.send(line);
        let told = table.next().unwrap();
        let message = told["message"].as_str().unwrap_or("invalid");
        // Rust's words are no help to who wrote the line.
        let rusty = message.contains("struct ") || message.contains("invalid ");
        if told["type"] != "error" || told["code"] != code || rusty {
            wrong.push(format!("{line}\n  wants `{code}`: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    table.send(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)));
    // JSON it is, but no object.
    assert_eq!(table.until_type("error")["code"], "bad_message");
    table.answer(&open, "(0,0)");
    table.until_type("decision");
    table.send(r#"{"cmd":"concede"}"#);
    table.until_type("end");
    for line in [r#"{"id":3,"answer":["(1,1)"]}"#, r#"{"cmd":"concede"}"#] {
        table.send(line);
        assert_eq!(table.until_type("error")["code"], "game_over");
    }
    assert_eq!(table.close().status, Some(0));
}

#[test]
fn a_data_folder_that_cant_be_written_warns_and_plays_on() {
    let scene = scene();
    for data in ["/dev/null", "/proc/nothing"] {
        let mut command = scene.ludex(words(PLAY));
        command.env("LUDEX_DATA", data);
        let ran = super::support::run(command, b"(1,1)\nsave\nsave copy.ludex\nquit\n");
        assert_eq!(ran.status, Some(0), "{ran:?}");
        assert!(
            ran.err.contains("warning: this session is not saved: "),
            "{ran:?}"
        );
        assert!(ran.out.contains("o: Mark a space"), "{ran:?}");
        // What is saved by hand can be gone on with.
        let ran = scene.run("play --root ROOT --resume copy.ludex", "quit\n");
        assert!(
            ran.status == Some(0) && ran.out.contains("o: Mark a space"),
            "{ran:?}"
        );
        fs::remove_file(scene.path("copy.ludex")).unwrap();
    }
}

#[test]
fn a_full_disk_ends_the_session_and_loses_nothing_that_was_acknowledged() {
    let scene = scene();
    for json in [false, true] {
        let more = if json { "--json" } else { "" };
        let line = format!("exec \"$0\" {PLAY} --save full.ludex {more}")
            .replace("ROOT", env!("CARGO_MANIFEST_DIR"));
        _ = fs::remove_file(scene.path("full.ludex"));
        let mut command = std::process::Command::new("sh");
        // A block is 512 bytes or 1 KiB: room for the first segment and little more.
        command.args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f 3; {line}"),
            env!("CARGO_BIN_EXE_ludex"),
        ]);
        command
            .current_dir(scene.path(""))
            .env("LUDEX_DATA", scene.path("data"));
        let keys = ["(0,0)", "(0,1)", "(1,0)", "(1,1)", "(1,2)", "(0,2)", "(2,0)"];
        let input: String = match json {
            false => keys.map(|key| format!("{key}\n")).concat(),
            true => (1..)
                .zip(keys)
                .map(|(id, key)| format!("{{\"id\":{id},\"answer\":[\"{key}\"]}}\n"))
                .collect(),
        };
        let ran = super::support::run(command, input.as_bytes());
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let shown = if json {
            ran.out.matches("\"decision\"").count()
        } else {
            ran.out.matches("Mark a space").count()
        };
        let acknowledged = shown - 1;
        let told = ran.out + &ran.err;
        assert!(
            told.contains("full.ludex") && told.contains("too large"),
            "{told}"
        );
        let mut table = scene.table("play --root ROOT --resume full.ludex");
        let state = table.until_type("state");
        assert!(
            state["units"].as_array().unwrap().len() >= acknowledged,
            "{acknowledged} {state}"
        );
    }
}

#[test]
fn one_session_is_open_once() {
    let scene = scene();
    let mut first = scene.table(&format!("{PLAY} --save game.ludex"));
    first.until_type("decision");
    let before = scene.read("game.ludex");
    let ran = scene.run("play --root ROOT --resume game.ludex", "(1,1)\n");
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(
        ran.err
            .contains("game.ludex: another Ludex has this session open"),
        "{ran:?}"
    );
    assert_eq!(scene.read("game.ludex"), before);
    // Reading it is no harm, and it can be gone on with once it is closed.
    assert_eq!(scene.run("replay game.ludex --root ROOT", "").status, Some(0));
    first.send(r#"{"cmd":"quit"}"#);
    assert_eq!(first.close().status, Some(0));
    assert_eq!(
        scene
            .run("play --root ROOT --resume game.ludex", "(1,1)\n")
            .status,
        Some(0)
    );
}

#[test]
fn a_reader_that_goes_away_ends_a_command_in_peace() {
    let scene = scene();
    scene.write("tic-tac-toe/rules.toml", "x = 1\n");
    scene.write("game.ludex", "");
    let lines = [
        "check tic-tac-toe --root ROOT",
        "check tic-tac-toe --root ROOT --format json",
        "check tic-tac-toe --root ROOT --format sarif",
        "test ROOT/tests/packs/tic-tac-toe --root ROOT",
        "test ROOT/tests/packs/tic-tac-toe --root ROOT --format junit",
        "play high-card --root ROOT --pack ROOT/tests/packs/high-card --seed 7",
        "play high-card --root ROOT --pack ROOT/tests/packs/high-card --seed 7 --json",
        "sim high-card --root ROOT --pack ROOT/tests/packs/high-card --games 3 --seed 1",
        "sim high-card --root ROOT --pack ROOT/tests/packs/high-card --games 3 --seed 1 --format csv",
        "--help",
        "play --help",
    ];
    for line in lines {
        let line = line.replace("ROOT/", concat!(env!("CARGO_MANIFEST_DIR"), "/"));
        let mut command = scene.ludex(words(&line));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stdin.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert!(!err.contains("panicked"), "{line}: {err}");
        assert!(matches!(status.code(), Some(0 | 1)), "{line}: {status} {err}");
    }
}

/// `sh` sets up what the command writes to.
fn written_to(scene: &Scene, line: &str, target: &str) -> (Option<i32>, String) {
    let root = env!("CARGO_MANIFEST_DIR");
    let line = line.replace("ROOT", root);
    let mut command = std::process::Command::new("sh");
    command
        .args([
            "-c",
            &format!("exec \"$0\" {line} {target}"),
            env!("CARGO_BIN_EXE_ludex"),
        ])
        .current_dir(scene.path(""))
        .env("LUDEX_DATA", scene.path("data"));
    let ran = super::support::run(command, b"");
    (ran.status, ran.err)
}

#[test]
fn output_that_cant_be_written_is_told_with_status_1() {
    let scene = scene();
    let lines = [
        "--help",
        "--version",
        "help",
        "play --help",
        "play tic-tac-toe --root ROOT --pack tic-tac-toe --help",
        "check tic-tac-toe --root ROOT",
        "test tic-tac-toe --root ROOT",
        "play tic-tac-toe --root ROOT --pack tic-tac-toe",
        "play --root ROOT",
        "sim tic-tac-toe --root ROOT --pack tic-tac-toe --games 1 --seed 1",
        "repl tic-tac-toe --root ROOT --pack tic-tac-toe",
    ];
    for line in lines {
        let (status, err) = written_to(&scene, line, "> /dev/full");
        let told = "the output can't be written: No space left on device (os error 28)\n";
        assert_eq!((status, &*err), (Some(1), told), "{line}");
        // Where stdout is closed the system gives a place that takes everything.
        let (status, err) = written_to(&scene, line, ">&-");
        assert_eq!((status, &*err), (Some(0), ""), "{line}");
    }
    let (status, err) = written_to(&scene, "pley", "2> /dev/full");
    assert_eq!((status, &*err), (Some(2), ""));
}

/// A debug build carries no content.
#[test]
#[cfg(debug_assertions)]
fn outside_of_a_checkout_a_debug_build_asks_for_one() {
    let scene = scene();
    for line in [
        "play",
        "play rove-modules",
        "check tic-tac-toe",
        "play tic-tac-toe --pack tic-tac-toe",
    ] {
        let ran = scene.run(line, "");
        let told = "error[no-library]: this build of Ludex carries no games and no library (a debug build doesn't), \
                    and no checkout of Ludex is here or above\n  help: name a checkout by --root DIR, or use a release build\n";
        assert_eq!((ran.status, &*ran.err), (Some(2), told), "{line}");
    }
}
