//! Properties over random play of every game: undo, replay, save and resume give the same states as
//! going straight on; what is hidden decides nothing that it must not.
mod common;

use std::sync::Arc;

use common::{Chance, catalogue, games, play, program, session};
use ludex::script::vm::BytecodeCache;
use ludex::session::recording::checkpoint;
use ludex::session::run::{Session, Status};
use ludex::tabletop::Tabletop;

const SEEDS: u64 = 6;
const LIMIT: usize = 200;

#[test]
fn undo_to_any_point_and_on_again_gives_the_same_states() {
    for game in games() {
        let (catalogue, cache) = (catalogue(game), Arc::new(BytecodeCache::default()));
        for seed in 0..SEEDS {
            let mut session = session(&catalogue, seed, &cache);
            let mut chance = Chance(seed + 1);
            let (answers, hashes) = play(&mut session, &mut chance, LIMIT);
            for _ in 0..6 {
                let back = 1 + chance.below(answers.len());
                session.undo(back, true).expect("undo");
                let at = answers.len() - back;
                assert_eq!(
                    session.tabletop().hash(),
                    hashes[at],
                    "{game}, seed {seed}: undo of {back}"
                );
                for (i, (seat, answer)) in answers[at..].iter().enumerate() {
                    session.answer(seat, answer).expect("the same answer again");
                    assert_eq!(
                        session.tabletop().hash(),
                        hashes[at + i + 1],
                        "{game}, seed {seed}: on again"
                    );
                }
            }
        }
    }
}

#[test]
fn a_replay_in_a_fresh_vm_gives_the_same_states() {
    for game in games() {
        let (catalogue, cache) = (catalogue(game), Arc::new(BytecodeCache::default()));
        for seed in 0..SEEDS {
            let (answers, hashes) = play(&mut session(&catalogue, seed, &cache), &mut Chance(seed), LIMIT);
            let mut again = session(&catalogue, seed, &Arc::new(BytecodeCache::default()));
            assert_eq!(again.tabletop().hash(), hashes[0]);
            for (i, (seat, answer)) in answers.iter().enumerate() {
                again.answer(seat, answer).expect("the same answer again");
                assert_eq!(
                    again.tabletop().hash(),
                    hashes[i + 1],
                    "{game}, seed {seed}, answer {}",
                    i + 1
                );
            }
        }
    }
}

#[test]
fn saved_and_resumed_anywhere_the_game_goes_on_the_same() {
    for game in games() {
        let (catalogue, cache) = (catalogue(game), Arc::new(BytecodeCache::default()));
        for seed in 0..SEEDS {
            let (answers, hashes) = play(&mut session(&catalogue, seed, &cache), &mut Chance(seed), LIMIT);
            let mut live = session(&catalogue, seed, &cache);
            let mut chance = Chance(seed + 99);
            for (i, (seat, answer)) in answers.iter().enumerate() {
                if chance.below(4) == 0 {
                    let before = serde_json::to_string(&live.tabletop().save()).expect("a save");
                    live = resumed(&live, program(&catalogue, seed, &cache));
                    assert_eq!(
                        serde_json::to_string(&live.tabletop().save()).expect("a save"),
                        before
                    );
                    assert_eq!(
                        live.tabletop().hash(),
                        hashes[i],
                        "{game}, seed {seed}: resumed before {}",
                        i + 1
                    );
                }
                live.answer(seat, answer).expect("the same answer again");
                assert_eq!(
                    live.tabletop().hash(),
                    hashes[i + 1],
                    "{game}, seed {seed}, answer {}",
                    i + 1
                );
            }
        }
    }
}

fn resumed(session: &Session, program: ludex::script::Program) -> Session {
    let text = serde_json::to_string(&checkpoint(session)).expect("a save");
    let saved: ludex::session::recording::Checkpoint = serde_json::from_str(&text).expect("the save");
    let opened = Tabletop::open(&saved.tabletop).expect("it opens");
    let (tabletop, notes) = opened
        .migrate(program.tabletop().declared().clone())
        .expect("it fits");
    assert!(notes.is_empty(), "{notes:?}");
    Session::resume(program, tabletop, saved.tape)
}

#[test]
fn what_is_hidden_changes_no_decision() {
    for game in games() {
        let (catalogue, cache) = (catalogue(game), Arc::new(BytecodeCache::default()));
        for seed in 0..SEEDS {
            let mut session = session(&catalogue, seed, &cache);
            let mut chance = Chance(seed);
            for _ in 0..LIMIT {
                let Some((seat, answer)) = common::random_answer(&mut session, &mut chance) else {
                    break;
                };
                let seen = facts(&mut session);
                let kept = session.tabletop().clone();
                if let (Status::Decision, Some(mut tabletop)) =
                    (session.status().clone(), permuted(&session, seed))
                {
                    // The same state with the hidden cards dealt otherwise.
                    let tape = session.tape().to_vec();
                    std::mem::swap(&mut tabletop, session.program().tabletop_mut());
                    let mut other = Session::resume(
                        program(&catalogue, seed, &cache),
                        session.at_step_start().into_owned(),
                        tape,
                    );
                    assert_eq!(facts(&mut other), seen, "{game}, seed {seed}");
                    *session.program().tabletop_mut() = kept;
                }
                session.answer(&seat, &answer).expect("offered");
            }
        }
    }
}

/// What a person is told at a decision.
fn facts(session: &mut Session) -> (Vec<String>, String, Vec<Vec<Option<u32>>>, String) {
    let decision = session.decision().expect("a decision");
    let tabletop = session.tabletop();
    let seat = decision.seats[0].clone();
    let piles = (0..tabletop.declared().piles.len() as u16)
        .map(|p| tabletop.seen(Some(&seat), p))
        .collect();
    let keys = decision.options.iter().map(|o| o.key.clone()).collect();
    let log = tabletop
        .log()
        .last()
        .map(|l| l.text.to_string())
        .unwrap_or_default();
    (keys, decision.prompt.clone(), piles, log)
}

/// The tabletop with the cards that the asked seat can't see dealt otherwise, at an open decision.
fn permuted(session: &Session, seed: u64) -> Option<Tabletop> {
    let mut tabletop = session.tabletop().clone();
    let key = ludex::tabletop::dice::derive_key(seed, "permutation", "test");
    let mut stream = ludex::tabletop::dice::Stream::at(key, 0);
    let seat = tabletop.declared().seats.first().map(|s| s.to_string());
    tabletop.reshuffle_hidden(seat.as_deref(), &mut stream);
    Some(tabletop)
}
