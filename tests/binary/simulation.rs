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
    let expected = "of 100000000 games, seed 7\n  draw ";
    assert!(rest.starts_with(expected), "{rest}");
    let last = format!("interrupted: {played} of 100000000 games were played\n");
    assert!(rest.ends_with(&last), "{rest}");
    // The counts are of the games that were played.
    let count = |result: &str| {
        let line = rest
            .lines()
            .find(|line| line.starts_with(&format!("  {result} ")))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let all = count("draw") + count("o") + count("x");
    assert_eq!(all, played.parse::<u64>().unwrap());
}

#[test]
fn partial_counts_are_marked_for_programs_too() {
    let scene = Scene::new();
    let (status, screen) = begin(&scene, "--format json").end();
    assert_eq!(status, Some(130), "{screen}");
    let line = screen.lines().find(|line| line.starts_with('{')).unwrap();
    let json: Json = serde_json::from_str(line).unwrap();
    assert_eq!(json["partial"], true, "{json}");
    assert!(json["games"].as_u64().unwrap() < 100_000_000);
    let whole = scene.run(
        "sim tic-tac-toe --root ROOT --pack tic-tac-toe --games 3 --format json",
        "",
    );
    assert!(
        whole.err.is_empty() && whole.out.contains("\"partial\":false"),
        "{whole:?}"
    );
}
