//! How long it takes until rules run: a fresh VM, the first decision of the real binary, and a reload over a
//! living game, of ROVE and of 10,000 lines: `cargo bench --bench load`.
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use ludex::pack::Sources;
use ludex::script::vm::Budget;
use ludex::session::recording::Setup;
use ludex::session::{Content, Recorded};

const ROUNDS: usize = 25;

/// The least and the median, in milliseconds.
fn rounds(mut round: impl FnMut(usize) -> f64) -> (f64, f64) {
    let mut times: Vec<f64> = (0..ROUNDS).map(&mut round).collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[ROUNDS / 2])
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed().as_secs_f64() * 1e3, done)
}

fn print(what: &str, (least, median): (f64, f64)) {
    println!("{what:<44} {least:>8.2} {median:>8.2}");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to copy") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// A game of twenty scripts with 500 lines each.
fn long_pack(folder: &Path) {
    fs::create_dir_all(folder.join("rules")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write(
        "pack.toml",
        "id = \"long\"\nversion = \"0.1.0\"\nludex = \"0.1\"\ntitle = \"Long\"\nauthors = [\"The Ludex authors\"]\nlicence = \"MIT OR Apache-2.0\"\n",
    );
    write(
        "game.toml",
        "title = \"Long\"\nsummary = \"Ten thousand lines.\"\nstart = \"long.turn\"\nseats = [\"host\"]\n\n[fields]\nturn = { type = \"number\", default = 0, doc = \"Turns so far.\" }\n",
    );
    let mut main = String::from("local step = require(\"@std/flow\").steps(\"long\")\nlocal parts = {\n");
    for part in 0..20 {
        let mut text = String::from("local part = {}\n");
        // Six lines each, beside the first line and the last.
        for number in 0..83 {
            _ = write!(
                text,
                "\n--- Adds up what {number} comes to.\nfunction part.sum_{number}(count)\n\tlocal sum = {number}\n\tfor i = 1, count do sum += i * {part} end\n\treturn sum\nend\n"
            );
        }
        text += "\nreturn part\n";
        write(&format!("rules/part{part}.luau"), &text);
        _ = writeln!(main, "\trequire(\"./part{part}\"),");
    }
    main += "}\n\nfunction step.turn()\n\tgame.turn += parts[1].sum_1(3)\n\tchoose({ prompt = \"Go on\", options = { \"go\" } })\n\treturn next({ \"turn\" })\nend\n";
    write("rules/turn.luau", &main);
}

fn reloads(content: Content, setup: Setup, script: &Path) -> (f64, f64) {
    let source = fs::read_to_string(script).expect("a script");
    let mut table = Recorded::start(content, setup, None).expect("the game starts");
    rounds(|round| {
        fs::write(script, format!("{source}\n-- {round}\n")).expect("a file");
        let (time, done) = timed(|| table.reload());
        assert!(done.expect("the rules load").is_some(), "the change was not seen");
        time
    })
}

/// From the start of the process to the line that holds the first decision.
fn first_decision(root: &Path, data: &Path) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command
        .args(["play", "rove-modules", "--seed", "7", "--json", "--root"])
        .arg(root);
    command
        .env("XDG_DATA_HOME", data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let start = Instant::now();
    let mut child = command.spawn().expect("the binary runs");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let found = lines
        .map_while(Result::ok)
        .any(|line| line.contains("\"decision\""));
    let time = start.elapsed().as_secs_f64() * 1e3;
    assert!(found, "no decision was offered");
    drop(child.stdin.take());
    child.wait().expect("it ends");
    time
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for part in ["content", "scripts", "schema"] {
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(part),
            &root.join(part),
        );
    }
    let rove = Setup {
        game: "rove-modules".into(),
        seed: 7,
        ..Setup::default()
    };
    let content = Content::new(Sources::at(root), Budget::default());
    println!("{:<44} {:>8} {:>8}", "milliseconds", "least", "median");
    print(
        "packs of ROVE, read and checked",
        rounds(|_| timed(|| content.catalogue(&rove)).0),
    );
    let catalogue = content.catalogue(&rove).expect("the packs load");
    let (cold, _) = timed(|| content.program(&catalogue, &rove));
    print("first VM with std and ROVE, compiled", (cold, cold));
    print(
        "fresh VM with std and ROVE",
        rounds(|_| timed(|| content.program(&catalogue, &rove)).0),
    );
    let data = root.join("data");
    print(
        "play --json to its first decision",
        rounds(|_| first_decision(root, &data)),
    );
    let laser = root.join("content/rove-modules/rules/powers/laser.luau");
    print("reload of ROVE", reloads(content, rove, &laser));
    let long = root.join("long");
    long_pack(&long);
    let content = Content::new(Sources::at(root).with_pack(&long), Budget::default());
    let setup = Setup {
        game: "long".into(),
        seed: 7,
        ..Setup::default()
    };
    print(
        "reload of 10,000 lines",
        reloads(content, setup, &long.join("rules/part7.luau")),
    );
}
