//! Random games of ROVE with the loss rule on, and what one loss check costs: `cargo bench --bench rove`.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex::pack::model::Catalogue;
use ludex::pack::{Selection, Sources, load};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::Tabletop;

fn catalogue() -> Arc<Catalogue> {
    let sources = Sources::at(env!("CARGO_MANIFEST_DIR"));
    Arc::new(load(&sources, &Selection::game("rove-modules")).expect("the pack loads"))
}

fn program(catalogue: &Arc<Catalogue>, cache: &Arc<BytecodeCache>) -> Program {
    let game = catalogue.game.as_ref().expect("a game");
    let options: BTreeMap<_, _> = game
        .options
        .iter()
        .map(|o| (o.name.clone(), o.default.clone()))
        .collect();
    Program::load(catalogue.clone(), 1, &options, Budget::default(), cache.clone()).expect("the scripts load")
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Games and decisions played within a time, by one thread.
fn play(catalogue: &Arc<Catalogue>, cache: &Arc<BytecodeCache>, first: u64, time: Duration) -> (u32, u64) {
    let mut session = Session::over(program(catalogue, cache), Memory::Present);
    let declared = session.tabletop().declared().clone();
    let (mut games, mut decisions) = (0, 0);
    let start = Instant::now();
    while start.elapsed() < time {
        let seed = first + u64::from(games);
        let mut chance = Chance(seed);
        let mut tabletop = Tabletop::new(declared.clone(), seed);
        tabletop.begin("rove.setup");
        session.restart(tabletop);
        while let Status::Decision = session.status() {
            session.answer_quickly(&[1 + chance.below(session.option_count())]);
            decisions += 1;
        }
        assert!(
            matches!(session.status(), Status::Ended(_)),
            "seed {seed}: {:?}",
            session.status()
        );
        games += 1;
    }
    (games, decisions)
}

fn main() {
    let cache = Arc::new(BytecodeCache::default());
    let start = Instant::now();
    let catalogue = catalogue();
    println!(
        "loading the pack, ms       {:>8.2}",
        start.elapsed().as_secs_f64() * 1e3
    );
    let mut best = f64::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        drop(program(&catalogue, &cache));
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("fresh VM with the pack, ms {best:>8.2}");
    let time = Duration::from_secs(5);
    let (games, decisions) = play(&catalogue, &cache, 0, time);
    let one = f64::from(games) / time.as_secs_f64();
    println!(
        "one thread                 {one:>8.0} games/s, {:.0} decisions/s",
        decisions as f64 / time.as_secs_f64()
    );
    let threads: Vec<_> = [1_000_000u64, 2_000_000]
        .into_iter()
        .map(|first| {
            let (catalogue, cache) = (catalogue.clone(), cache.clone());
            std::thread::spawn(move || play(&catalogue, &cache, first, time).0)
        })
        .collect();
    let games: u32 = threads.into_iter().map(|t| t.join().expect("a thread")).sum();
    let two = f64::from(games) / time.as_secs_f64();
    println!(
        "two threads                {two:>8.0} games/s, {:.2} times one",
        two / one
    );
}
