//! Every example of every command's help runs as it is printed, and so does every command that a README shows.
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Desk, root};

/// What a checkout has, in a folder that examples may write to.
fn checkout(desk: &Desk) -> std::path::PathBuf {
    let here = desk.path("checkout");
    std::fs::create_dir(&here).unwrap();
    for name in ["content", "scripts", "schema", "tests"] {
        std::os::unix::fs::symlink(root().join(name), here.join(name)).unwrap();
    }
    std::fs::create_dir(desk.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ludex"), desk.path("bin/ludex")).unwrap();
    here
}

fn sh(desk: &Desk, here: &Path, line: &str) -> (String, String, bool) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = Command::new("sh")
        .args(["-c", line])
        .current_dir(here)
        .env("PATH", format!("{}:{path}", desk.path("bin").display()))
        .env("LUDEX_DATA", desk.path("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first of whatever is asked. Not all read it.
    _ = child.stdin.take().unwrap().write_all(b"1\n");
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&done.stdout), text(&done.stderr), done.status.success())
}

/// The indented lines below a heading.
fn below<'a>(help: &'a str, heading: &str) -> Vec<&'a str> {
    let after = help.lines().skip_while(|line| *line != heading).skip(1);
    after.take_while(|line| line.starts_with("  ")).collect()
}

/// An example with less to do, where a whole run takes a debug build minutes.
fn shortened(example: &str) -> String {
    let words = example.split(' ');
    let is_number = |word: &str| word.parse::<u32>().is_ok_and(|n| n > 10);
    let words: Vec<&str> = words
        .map(|word| if is_number(word) { "10" } else { word })
        .collect();
    let line = words.join(" ");
    if line.starts_with("ludex sim") {
        // Other tests run beside it.
        return line.replacen("ludex sim", "ludex sim --budget time=60s", 1);
    }
    if line.starts_with("ludex test") && !line.contains("--filter") {
        return line + " --filter RM-GRID";
    }
    line
}

#[test]
fn every_example_runs_as_printed() {
    let desk = Desk::new();
    let here = checkout(&desk);
    let (help, ..) = sh(&desk, &here, "ludex --help");
    let commands = below(&help, "Commands:");
    let names = commands.iter().filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() >= 7, "{help}");
    for name in names {
        let (help, ..) = sh(&desk, &here, &format!("ludex {name} --help"));
        let examples = below(&help, "Examples:");
        assert!(!examples.is_empty(), "{name} has no examples: {help}");
        for example in examples {
            // What it does stands after a wider gap.
            let line = example.trim_start().split("  ").next().unwrap();
            assert!(line.contains("ludex "), "this is no example: {example}");
            if line.contains("--cards") || line.contains("--game ") || line.ends_with("--game") {
                // Minutes here. Whole games are solved in `solve.rs`; rows of the tables are compared beside their code.
                continue;
            }
            let (out, err, well) = sh(&desk, &here, &shortened(line));
            assert!(well && err.is_empty(), "{line}\n{out}{err}");
            assert!(!out.contains("\"type\":\"error\""), "{line}\n{out}");
        }
    }
}

/// The commands in a README's blocks of shell, and in the first column of its tables.
fn commands(readme: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_shell = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            in_shell = line == "```sh";
        } else if in_shell {
            // What it does stands in a comment.
            found.push(line.split("  #").next().unwrap().trim().to_owned());
        } else if let Some(row) = line.strip_prefix("| `") {
            found.extend(row.split('`').next().map(str::to_owned));
        }
    }
    let found = found
        .iter()
        .map(|line| line.replacen("cargo run --release --", "ludex", 1));
    found.filter(|line| line.starts_with("ludex ")).collect()
}

/// A README's command with less to do, on what is there; nothing if it takes minutes here.
fn in_a_test(command: &str, game: &str) -> Option<String> {
    // A table of all layouts; and a recording that nobody has made.
    if command.contains("--cards") || command.contains("FILE") {
        return None;
    }
    let line = command.replace("my-pack", "tests/packs/tic-tac-toe");
    if line.starts_with("ludex test") {
        // One area: each pack's own cases are run by `ludex test`.
        let area = if line.contains("tic-tac-toe") {
            "TTT"
        } else if game == "aqua-rove" {
            "AQ-PAT"
        } else {
            "RM-PAT"
        };
        let line = line.split(" --filter").next().unwrap();
        return Some(format!("{line} --filter {area}"));
    }
    // Whole games are solved in `solve.rs`.
    Some(shortened(line.trim_end_matches(" --game")))
}

#[test]
fn every_command_of_the_readmes_runs() {
    let desk = Desk::new();
    let here = checkout(&desk);
    let mut count = 0;
    for game in ["", "aqua-rove", "rove-modules"] {
        let file = root().join("content").join(game).join("README.md");
        let file = if game.is_empty() {
            root().join("README.md")
        } else {
            file
        };
        let commands = commands(&std::fs::read_to_string(&file).unwrap());
        assert!(commands.len() >= 8, "{}: {commands:?}", file.display());
        for command in commands {
            let Some(line) = in_a_test(&command, game) else {
                continue;
            };
            let (out, err, well) = sh(&desk, &here, &line);
            assert!(
                well && err.is_empty(),
                "{}: {command}\n{line}\n{out}{err}",
                file.display()
            );
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} commands");
}
