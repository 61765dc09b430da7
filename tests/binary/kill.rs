//! kill -9 at random moments: no acknowledged answer is lost.
use std::thread::sleep;
use std::time::{Duration, Instant};

use ludex::session::recording::{Line, Recording};
use serde_json::Value as Json;

use super::support::{Chance, Scene, Table};

const KILLS: usize = 200;
const RULES: &str = "tic-tac-toe/rules/turn.luau";

/// A game over several lives of the process.
struct Game {
    file: String,
    /// Keys sent, and how many of them a later decision acknowledged.
    sent: Vec<String>,
    acknowledged: usize,
}

/// What was tried.
#[derive(Debug, Default)]
struct Tried {
    games: usize,
    edits: usize,
    reloads: usize,
    resumed: usize,
}

#[test]
fn no_acknowledged_answer_is_lost() {
    let started = Instant::now();
    let halves = [20_261, 20_262].map(|seed| std::thread::spawn(move || kill_often(seed, KILLS / 2)));
    for half in halves {
        let tried = half.join().unwrap();
        println!("{} kills: {tried:?}", KILLS / 2);
        assert!(
            tried.resumed > KILLS / 4 && tried.reloads > 3,
            "it doesn't try what it says: {tried:?}"
        );
    }
    println!("{:.0} s", started.elapsed().as_secs_f64());
}

fn kill_often(seed: u64, kills: usize) -> Tried {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let rules = scene.read(RULES);
    let mut chance = Chance(seed);
    let mut tried = Tried::default();
    let mut open: Option<Game> = None;
    for kill in 0..kills {
        let (mut table, mut game, first) = match open.take() {
            Some(game) => {
                tried.resumed += 1;
                let (table, state, message) = resume(&scene, &game);
                let game = check(game, &state, kill);
                (table, game, message)
            }
            None => {
                tried.games += 1;
                let number = tried.games;
                let file = format!("game-{number}.ludex");
                let line =
                    format!("play tic-tac-toe --root ROOT --pack tic-tac-toe --seed {number} --save {file}");
                let mut table = scene.table(&line);
                let message = table.until_type("decision");
                (
                    table,
                    Game {
                        file,
                        sent: Vec::new(),
                        acknowledged: 0,
                    },
                    message,
                )
            }
        };
        let mut message = first;
        // Every other life sees its rules edited, if its game lasts so long.
        let edit = chance.below(2) == 0;
        let answers = chance.below(5);
        for round in 0..=answers {
            if message["type"] == "end" {
                break;
            }
            if edit && round == answers {
                tried.edits += 1;
                scene.write(RULES, format!("{rules}\n-- edit {}\n", tried.edits));
                // Half of them die right after the reload, the others at any moment around it.
                if chance.below(2) == 0 {
                    tried.reloads += 1;
                    table
                        .until(|m| m["type"] == "log" && m["text"].as_str().unwrap().starts_with("reloaded"));
                    // It is asked anew, under a new number.
                    message = table.until_type("decision");
                }
            }
            let options = message["options"].as_array().unwrap();
            let key = options[chance.below(options.len() as u64) as usize]["key"]
                .as_str()
                .unwrap()
                .to_owned();
            table.answer(&message, &key);
            game.sent.push(key);
            if round == answers {
                break;
            }
            message = table.until(|m| m["type"] == "decision" || m["type"] == "end");
            game.acknowledged = game.sent.len();
        }
        sleep(Duration::from_micros(chance.below(if edit {
            60_000
        } else {
            6_000
        })));
        let rest = table.kill();
        let over = rest.iter().chain([&message]).any(|m| m["type"] == "end");
        if rest.iter().any(|m| m["type"] == "decision" || m["type"] == "end") {
            let marks = rest
                .iter()
                .filter(|m| m["type"] == "state")
                .filter_map(|m| m["units"].as_array())
                .next_back();
            game.acknowledged = game.acknowledged.max(marks.map_or(0, Vec::len));
        }
        if over {
            // The end was acknowledged too.
            let recording = Recording::read(&scene.path(&game.file)).unwrap();
            // A reload of a game that is over begins a segment after it.
            assert!(
                recording
                    .lines
                    .iter()
                    .any(|line| matches!(line, Line::End { .. })),
                "kill {kill}: {:?}",
                recording.lines.last()
            );
            assert_eq!(recording.answers(), game.sent.len(), "kill {kill}");
        } else {
            open = Some(game);
        }
    }
    tried
}

/// Opens the session: as it was played, or, where the rules were edited and not yet reloaded, as saved.
fn resume(scene: &Scene, game: &Game) -> (Table, Json, Json) {
    let line = format!("play --root ROOT --resume {}", game.file);
    let mut table = scene.table(&line);
    let first = table.next();
    let state = match first {
        Some(state) => state,
        None => {
            let ran = table.close();
            assert!(ran.err.contains("played with other content"), "{ran:?}");
            assert!(ran.err.contains("`tic-tac-toe` was version 0.1.0"), "{ran:?}");
            table = scene.table(&format!("{line} --changed saved"));
            table.until_type("state")
        }
    };
    assert_eq!(state["type"], "state");
    let message = table.next().unwrap();
    (table, state, message)
}

/// Every acknowledged answer is there, and nothing that wasn't sent.
fn check(mut game: Game, state: &Json, kill: usize) -> Game {
    let marks: Vec<&str> = state["units"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unit| unit["space"].as_str().unwrap())
        .collect();
    assert!(
        marks.len() >= game.acknowledged,
        "kill {kill}: {marks:?} of {:?}",
        game.sent
    );
    assert_eq!(marks, game.sent[..marks.len()], "kill {kill}");
    // An answer that had no reply may have been taken or not.
    game.sent.truncate(marks.len());
    game.acknowledged = marks.len();
    game
}
