//! `ludex solve`: its answers, given to the game, do what they promise.
use std::process::{Command, Output};

fn solve_game(game: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command
        .args(["solve", game, "--root", env!("CARGO_MANIFEST_DIR")])
        .args(arguments);
    command.output().expect("the binary runs")
}

fn solve(arguments: &[&str]) -> Output {
    solve_game("rove-modules", arguments)
}

fn stdout(output: &Output) -> String {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn keys(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("  "))
        // What is asked may be a picture; it stands further in.
        .filter(|line| !line.starts_with(' '))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_answers_complete_the_mission() {
    for game in ["rove-modules", "aqua-rove"] {
        for seed in ["7", "8"] {
            completes_the_mission(game, seed);
        }
    }
}

fn completes_the_mission(game: &str, seed: &str) {
    let solve = |arguments: &[&str]| solve_game(game, arguments);
    let text = stdout(&solve(&["--seed", seed]));
    let mut arguments = vec!["--seed", seed];
    let keys = keys(&text);
    assert!(!keys.is_empty(), "{text}");
    arguments.extend(keys.iter().flat_map(|key| ["--answer", key.as_str()]));
    // What the next mission takes may be beyond the search's limit; that it is the next is what counts.
    let after = String::from_utf8_lossy(&solve(&arguments).stdout).into_owned();
    assert!(after.contains("Mission 2 of 7"), "{text}{after}");
    // One answer fewer is not enough.
    let before = stdout(&solve(&arguments[..arguments.len() - 2]));
    assert!(!before.contains("Mission 2 of 7"), "{before}");
}

#[test]
fn the_same_twice_and_as_json() {
    let arguments = ["--seed", "9", "--information", "all", "--format", "json"];
    let first = stdout(&solve(&arguments));
    assert_eq!(first, stdout(&solve(&arguments)));
    let json: serde_json::Value = serde_json::from_str(&first).expect("one JSON object");
    assert_eq!(json["outcome"], "yes");
    assert_eq!(json["information"], "all");
    assert!(json["cost"]["points"].is_number());
}

#[test]
fn an_answer_that_is_refused_is_wrong_use() {
    let output = solve(&["--seed", "7", "--answer", "coil-n-1"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.starts_with("--answer coil-n-1: "), "{message}");
}
