//! A simulation in a terminal: how far it is, and what Ctrl-C leaves.
use serde_json::Value as Json;

use super::support::{Scene, Terminal, words};

fn begin(scene: &Scene, more: &str) -> Terminal {
    scene.pack("tic-tac-toe");
    let line = format!(
        "sim tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7 --threads 2 --games 100000000 --budget time=60s {more}"
    );
    let mut simulation = Terminal::open(scene.ludex(words(&line)));
    simulation.wait_for(" of 100000000 games, ");
    simulation.interrupt();
    simulation
}

#[test]
fn ctrl_c_ends_with_partial_counts_and_status_130() {
    let scene = Scene::new();
    let (status, screen) = begin(&scene, "").end();
    assert_eq!(status, Some(130), "{screen}");
    let told = screen.split("tic-tac-toe: PARTIAL, ").nth(1).unwrap();
    let (played, rest) = told.split_once(' ').unwrap();
    assert!(rest.starts_with("of 100000000 games, seed 7\n  "), "{rest}");
    let last = format!("interrupted: {played} of 100000000 games were played\n");
    assert!(rest.ends_with(&last), "{rest}");
    // The counts are of the games that were played.
    let results = rest.lines().filter(|line| line.ends_with(" %"));
    let counts = results.map(|line| line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap());
    let all: u64 = counts.sum();
    assert_eq!(all, played.parse::<u64>().unwrap());
}

#[test]
fn partial_counts_are_marked_for_programs_too() {
    let scene = Scene::new();
    let (status, screen) = begin(&scene, "--format json").end();
    assert_eq!(status, Some(130), "{screen}");
    // The line of progress stood where it is now.
    let line = screen[screen.find('{').unwrap()..].lines().next().unwrap();
    let json: Json = serde_json::from_str(line).unwrap();
    assert_eq!(json["partial"], true, "{json}");
    assert!(json["games"].as_u64().unwrap() < 100_000_000);
}

#[test]
fn progress_is_told_to_terminals_only() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    // Long enough for a line of progress, which the other tests wait for.
    let line =
        "sim tic-tac-toe --root ROOT --pack tic-tac-toe --games 5000 --threads 1 --verify --format json";
    let whole = scene.run(line, "");
    assert!(whole.err.is_empty(), "{whole:?}");
    let json: Json = serde_json::from_str(&whole.out).unwrap();
    assert_eq!(json["partial"], false, "{json}");
    assert!(
        json["seconds"].as_f64().unwrap() > 0.5,
        "too quick to tell: {json}"
    );
}
