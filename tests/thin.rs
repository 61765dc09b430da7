//! The thin line: a pack is loaded, played, replayed.
use std::collections::BTreeMap;
use std::sync::Arc;

use ludex::pack::{Selection, Sources, load};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};

fn program(seed: u64) -> Program {
    let root = env!("CARGO_MANIFEST_DIR");
    let sources = Sources::at(root).with_pack(format!("{root}/tests/packs/tic-tac-toe"));
    let catalogue = match load(&sources, &Selection::game("tic-tac-toe")) {
        Ok(catalogue) => Arc::new(catalogue),
        Err(problems) => panic!("{problems:#?}"),
    };
    match Program::load(
        catalogue,
        seed,
        &BTreeMap::new(),
        Budget::default(),
        Arc::new(BytecodeCache::default()),
    ) {
        Ok(program) => program,
        Err(errors) => panic!(
            "{}",
            errors
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        ),
    }
}

#[test]
fn a_game_is_played_undone_and_replayed() {
    let mut session = Session::new(program(7), Memory::All);
    let mut hashes = Vec::new();
    let mut answers = Vec::new();
    while let Status::Decision = session.status() {
        hashes.push(session.tabletop().hash());
        let decision = session.decision().unwrap();
        let key = decision.options[answers.len() % decision.options.len()]
            .key
            .clone();
        session.answer(&decision.seats[0], &[key.clone()]).unwrap();
        answers.push((decision.seats[0].clone(), key));
    }
    println!("{:?} {:?}", session.status(), answers);
    assert!(
        matches!(session.status(), Status::Ended(_)),
        "{:?}",
        session.status()
    );
    let end = session.tabletop().hash();
    for back in 1..=answers.len() {
        session.undo(1, false).unwrap();
        assert_eq!(session.tabletop().hash(), hashes[answers.len() - back]);
    }
    for (seat, key) in &answers {
        session.answer(seat, &[key.clone()]).unwrap();
    }
    assert_eq!(session.tabletop().hash(), end);
}

#[test]
#[ignore = "timing"]
fn speed() {
    let mut session = Session::new(program(7), Memory::Present);
    let start = std::time::Instant::now();
    let mut games = 0;
    let mut x = 1u64;
    let blank = session.tabletop().clone();
    while start.elapsed().as_secs() < 3 {
        while let Status::Decision = session.status() {
            let n = session.option_count();
            x = x
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            session.answer_quickly(&[1 + ((x >> 33) as usize) % n]);
        }
        games += 1;
        session.restart(blank.clone());
    }
    println!("{} playouts/s", games as f64 / start.elapsed().as_secs_f64());
}
