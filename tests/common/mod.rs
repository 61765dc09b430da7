//! What several test files share: loading packs and random play.
#![allow(dead_code, reason = "each test file uses a part of it")]
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex::pack::model::{Catalogue, Script};
use ludex::pack::{Selection, Sources, load, report};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::Value;

pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The content of a game: a pack of `content/` or of `tests/packs/`.
pub fn catalogue(game: &str) -> Arc<Catalogue> {
    let mut sources = Sources::at(root());
    let own = root().join("tests/packs").join(game);
    if own.is_dir() {
        sources = sources.with_pack(own);
    }
    match load(&sources, &Selection::game(game)) {
        Ok(catalogue) => Arc::new(catalogue),
        Err(problems) => panic!("{}", report::text(&problems)),
    }
}

/// Copies a folder with all that is in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// Every game that can be played through: those that properties are tried on.
pub fn games() -> Vec<&'static str> {
    vec!["tic-tac-toe", "rove-modules", "aqua-rove"]
}

pub fn defaults(catalogue: &Catalogue) -> BTreeMap<String, Value> {
    let game = catalogue.game.as_ref().expect("a game");
    game.options
        .iter()
        .map(|o| (o.name.clone(), o.default.clone()))
        .collect()
}

pub fn program(catalogue: &Arc<Catalogue>, seed: u64, cache: &Arc<BytecodeCache>) -> Program {
    let options = defaults(catalogue);
    match Program::load(
        catalogue.clone(),
        seed,
        &options,
        Budget::default(),
        cache.clone(),
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

pub fn session(catalogue: &Arc<Catalogue>, seed: u64, cache: &Arc<BytecodeCache>) -> Session {
    Session::new(program(catalogue, seed, cache), Memory::All)
}

/// A small generator for tests; never one of play.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// A random answer to the open decision: seat and keys.
pub fn random_answer(session: &mut Session, chance: &mut Chance) -> Option<(String, Vec<String>)> {
    if !matches!(session.status(), Status::Decision) {
        return None;
    }
    let decision = session.decision().expect("a decision");
    let count = decision.min + chance.below(decision.max - decision.min + 1);
    let mut keys: Vec<String> = decision.options.iter().map(|o| o.key.clone()).collect();
    let mut answer = Vec::new();
    for _ in 0..count {
        answer.push(keys.remove(chance.below(keys.len())));
    }
    let seat = decision.seats[chance.below(decision.seats.len())].clone();
    Some((seat, answer))
}

/// Plays to the end, at most `limit` answers; gives the answers and the hash before each, then the last hash.
pub fn play(
    session: &mut Session,
    chance: &mut Chance,
    limit: usize,
) -> (Vec<(String, Vec<String>)>, Vec<u64>) {
    let (mut answers, mut hashes) = (Vec::new(), vec![session.tabletop().hash()]);
    while answers.len() < limit {
        let Some((seat, answer)) = random_answer(session, chance) else {
            break;
        };
        session
            .answer(&seat, &answer)
            .unwrap_or_else(|r| panic!("{answer:?} was offered but refused: {r}"));
        if let Status::Failed(error) = session.status() {
            panic!("after {answers:?} {answer:?}: {error}");
        }
        answers.push((seat, answer));
        hashes.push(session.tabletop().hash());
    }
    (answers, hashes)
}

/// Runs a chunk as the first step of a game with stones; answers what went wrong.
pub fn run(catalogue: &Catalogue, cache: &Arc<BytecodeCache>, chunk: &str) -> Result<(), String> {
    let mut catalogue = catalogue.clone();
    let source = format!(
        "local step = require(\"@std/flow\").steps(\"example\")\nfunction step.run()\n{chunk}\nif not result() then finish(\"done\") end\nend"
    );
    let script = Script {
        pack: "stones".into(),
        chunk: "@stones/rules/example.luau".into(),
        file: "tests/packs/stones/rules/example.luau".into(),
        source: source.into(),
        test: false,
    };
    catalogue.scripts.insert("@stones/rules/example".into(), script);
    if let Some(game) = catalogue.game.as_mut() {
        game.start = "example.run".into();
    }
    let options = BTreeMap::from([("size".to_owned(), "small".into())]);
    let program = Program::load(Arc::new(catalogue), 7, &options, Budget::default(), cache.clone());
    let program = program.map_err(|e| e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    match Session::new(program, Memory::All).status() {
        Status::Ended(_) => Ok(()),
        Status::Failed(error) => Err(error.to_string()),
        Status::Decision => Err("the example asks a person".into()),
    }
}
