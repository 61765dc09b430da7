//! `ludex sim`: the same whatever the threads; every error with a seed and a recording.
use serde_json::Value as Json;

use crate::harness::{Desk, Done, pack};

fn sim(desk: &Desk, game: &str, more: &[&str]) -> Done {
    let folder = pack(game).display().to_string();
    let mut args = vec!["sim", game, "--pack", &folder, "--seed", "7"];
    args.extend(more);
    desk.run(&args, "")
}

#[test]
fn threads_change_nothing() {
    let desk = Desk::new();
    let once = sim(
        &desk,
        "high-card",
        &["--games", "60", "--threads", "1", "--format", "csv"],
    )
    .well();
    assert_eq!(
        once,
        sim(
            &desk,
            "high-card",
            &["--games", "60", "--threads", "3", "--format", "csv"]
        )
        .well()
    );
    assert_eq!(once.lines().count(), 61);
    assert_eq!(
        once.lines().next(),
        Some("game,seed,result,decisions,points_x,error")
    );
}

#[test]
fn a_summary_counts_and_verifies() {
    let desk = Desk::new();
    let text = sim(
        &desk,
        "high-card",
        &["--games", "50", "--threads", "2", "--verify"],
    )
    .well();
    let (summary, rate) = text.trim_end().rsplit_once('\n').unwrap();
    crate::play::compare("sim.txt", &format!("{summary}\n"));
    assert!(rate.contains(" games a second on 2 threads ("), "{rate}");
}

#[test]
fn bots_that_look_ahead_win_more() {
    let desk = Desk::new();
    let wins = |bot: &str| {
        let json = sim(
            &desk,
            "high-card",
            &["--games", "40", "--bot", bot, "--format", "json"],
        )
        .well();
        let json: Json = serde_json::from_str(&json).unwrap();
        json["results"]["o"].as_u64().unwrap()
    };
    // The second player sees the first one's card; a bot that looks ahead uses it.
    let random = wins("o=random");
    assert!(wins("o=greedy") > random && wins("o=search") > random);
}

#[test]
fn an_error_has_its_seed_and_recording() {
    let desk = Desk::new();
    let args = [
        "--games",
        "6",
        "--threads",
        "1",
        "--budget",
        "safepoints=100000",
        "--format",
        "json",
    ];
    let done = sim(&desk, "crossroads", &args);
    assert_eq!(done.code, 1);
    let json: Json = serde_json::from_str(&done.out).unwrap();
    let faults = json["errors"].as_array().unwrap();
    assert!(!faults.is_empty(), "{json}");
    for fault in faults {
        let message = fault["message"].as_str().unwrap();
        for game in fault["games"].as_array().unwrap() {
            let file = game["recording"].as_str().unwrap();
            let args = ["play", "--resume", file, "--budget", "safepoints=100000"];
            let on = desk.run(&args, "");
            let last = message.rsplit(": ").next().unwrap();
            assert!(
                on.code == 1 && on.out.replace("\n  ", " ").contains(last),
                "{message}\n{}",
                on.out
            );
            let verified = desk.run(&["replay", file, "--verify", "--budget", "safepoints=100000"], "");
            assert_eq!(verified.code, 0, "{}", verified.out);
        }
    }
}

#[test]
fn wrong_numbers_are_wrong_use() {
    let done = sim(&Desk::new(), "high-card", &["--games", "0"]);
    assert_eq!(done.failed(2), "--games and --threads are at least 1\n");
}
