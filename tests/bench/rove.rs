//! Random games of ROVE and Aqua ROVE with the loss rule on, what a loss check costs, and how large the process
//! grows: `cargo bench --bench rove`.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex::pack::model::Catalogue;
use ludex::pack::{Selection, Sources, load};
use ludex::script::Program;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::Tabletop;

fn catalogue(game: &str) -> Arc<Catalogue> {
    let sources = Sources::at(env!("CARGO_MANIFEST_DIR"));
    Arc::new(load(&sources, &Selection::game(game)).expect("the pack loads"))
}

/// The game's first step.
fn start_of(catalogue: &Catalogue) -> String {
    catalogue.game.as_ref().expect("a game").start.clone()
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
        tabletop.begin(&start_of(catalogue));
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

/// The pack without its loss rule, so that nothing is remembered when a check is timed.
fn without_loss_rule(catalogue: &Catalogue, game: &str) -> Arc<Catalogue> {
    let mut catalogue = catalogue.clone();
    let turn = catalogue
        .scripts
        .get_mut(&*format!("@{game}/rules/turn"))
        .expect("the turn's script");
    let without = turn.source.replace("if loss.lost() then", "if false then");
    assert_ne!(*turn.source, *without, "the turn asks whether the game is lost");
    turn.source = without.into();
    Arc::new(catalogue)
}

/// Times the check at each decision of random games, each game up to its loss.
fn checks(catalogue: &Arc<Catalogue>, cache: &Arc<BytecodeCache>, game: &str, games: u64) {
    let mut session = Session::over(program(catalogue, cache), Memory::Present);
    let declared = session.tabletop().declared().clone();
    let console = session.edit(Program::console).expect("a console").value;
    let line = |session: &mut Session, source: &str| {
        let start = Instant::now();
        let shown = session
            .edit(|program| program.evaluate(&console, source))
            .expect("a line that works");
        let time = start.elapsed().as_secs_f64() * 1e6;
        (shown.value.first().map(|s| s.text(80)).unwrap_or_default(), time)
    };
    line(
        &mut session,
        &format!(
            "loss, means = require('@{game}/rules/loss'), require('@{game}/rules/outlook/means')\n\
             function nothing() end\n\
             function hard() return not loss.quickly() and means.most_points(loss.state()) <= 4 end"
        ),
    );
    let (mut all, mut hardest, mut empty, mut unknown) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for seed in 0..games {
        let mut chance = Chance(seed);
        let mut tabletop = Tabletop::new(declared.clone(), seed);
        tabletop.begin(&start_of(catalogue));
        session.restart(tabletop);
        while let Status::Decision = session.status() {
            empty.push(line(&mut session, "nothing()").1);
            let (verdict, time) = line(&mut session, "loss.now()");
            all.push(time);
            unknown += usize::from(verdict.contains("unknown"));
            if line(&mut session, "hard()").0 == "true" {
                hardest.push(time);
            }
            if verdict == "\"lost\"" {
                break;
            }
            session.answer_quickly(&[1 + chance.below(session.option_count())]);
        }
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    println!(
        "loss check, us             {:>8.1} mean of {}, {:.1} of a line that asks nothing taken off",
        mean(&all) - mean(&empty),
        all.len(),
        mean(&empty)
    );
    println!(
        "unknown verdicts, %        {:>8.2}",
        100.0 * unknown as f64 / all.len() as f64
    );
    hardest.sort_by(f64::total_cmp);
    println!(
        "hardest checks, ms         {:>8.2} median, {:.1} worst of {}",
        hardest.get(hardest.len() / 2).copied().unwrap_or_default() / 1e3,
        hardest.last().copied().unwrap_or_default() / 1e3,
        hardest.len()
    );
}

/// The most memory that this process has held at once, in MiB, where the system tells.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}

fn main() {
    for game in ["rove-modules", "aqua-rove"] {
        println!("{game}");
        measure(game);
    }
}

fn measure(game: &str) {
    let cache = Arc::new(BytecodeCache::default());
    let start = Instant::now();
    let catalogue = catalogue(game);
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
    // The hardest thousand come up in some 4,000 games.
    checks(&without_loss_rule(&catalogue, game), &cache, game, 4_000);
    if let Some(peak) = peak() {
        println!("peak of one session, MiB   {peak:>8.1}, process and pack included");
    }
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
