//! What one host call costs a script, and how fast a small game plays. Prints nanoseconds and ratios of
//! one interleaved run: `cargo bench --bench host`.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex::pack::model::Catalogue;
use ludex::pack::{Selection, Sources, load};
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::script::{Halt, Program};
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::{Step, Tabletop, Value};

const COUNT: u32 = 200_000;
const ROUNDS: usize = 5;

fn catalogue(pack: &str) -> Arc<Catalogue> {
    let root = env!("CARGO_MANIFEST_DIR");
    let sources = Sources::at(root).with_pack(format!("{root}/tests/packs/{pack}"));
    Arc::new(load(&sources, &Selection::game(pack)).expect("the pack loads"))
}

fn program(pack: &str, cache: &Arc<BytecodeCache>) -> Program {
    let budget = Budget {
        step_time: Duration::from_secs(60),
        safepoints: 1 << 40,
        ..Budget::default()
    };
    Program::load(catalogue(pack), 7, &BTreeMap::new(), budget, cache.clone()).expect("the scripts load")
}

fn time_step(program: &mut Program, name: &str, count: u32) -> f64 {
    let arguments = BTreeMap::from([("count".into(), Value::Number(f64::from(count)))]);
    let step = Step {
        name: format!("bench.{name}").into(),
        arguments,
    };
    let start = Instant::now();
    let halt = program.start(&step);
    let time = start.elapsed();
    assert!(matches!(halt, Halt::Done), "{name}: {halt:?}");
    program.tabletop_mut().forget_journal();
    time.as_nanos() as f64 / f64::from(count)
}

fn main() {
    let cache = Arc::new(BytecodeCache::default());
    let names = [
        "empty_loop",
        "table_read",
        "field_read",
        "text_read",
        "field_write",
        "list_write",
        "host_call",
        "distance",
        "neighbours",
        "imagine_write",
        "table_states",
        "table_batches",
    ];
    let mut program = program("bench", &cache);
    let mut best = BTreeMap::new();
    for _ in 0..ROUNDS {
        for name in names {
            let time = time_step(&mut program, name, COUNT);
            best.entry(name)
                .and_modify(|b: &mut f64| *b = b.min(time))
                .or_insert(time);
        }
    }
    let (loop_, read, call) = (best["empty_loop"], best["table_read"], best["host_call"]);
    println!(
        "{:<16} {:>8}  {:>12}  {:>12}",
        "step", "ns", "x table read", "x host call"
    );
    for name in names {
        let time = best[name];
        println!(
            "{name:<16} {time:>8.1}  {:>12.1}  {:>12.1}",
            time / read,
            time / call
        );
    }
    println!("(the loop around each is in it: {loop_:.1} ns)");
    playouts(&cache);
}

/// Random playouts of tic-tac-toe a second on one core, beside the same game in plain Luau.
fn playouts(cache: &Arc<BytecodeCache>) {
    let mut plain = program("bench", cache);
    let mut session = Session::new(program("tic-tac-toe", cache), Memory::Present);
    let mut blank = Tabletop::new(session.tabletop().declared().clone(), 7);
    blank.begin("ttt.turn");
    let (mut best, mut best_plain) = (0f64, 0f64);
    let mut chance = 1u64;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut games = 0;
        while start.elapsed() < Duration::from_millis(500) {
            session.restart(blank.clone());
            while let Status::Decision = session.status() {
                chance = chance
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let options = session.option_count();
                session.answer_quickly(&[1 + (chance >> 33) as usize % options]);
            }
            games += 1;
        }
        best = best.max(f64::from(games) / start.elapsed().as_secs_f64());
        best_plain = best_plain.max(1e9 / time_step(&mut plain, "plain_playouts", COUNT / 4));
    }
    println!("tic-tac-toe, playouts/s {best:>10.0}");
    println!(
        "the same in plain Luau  {best_plain:>10.0}: {:.1} times as many",
        best_plain / best
    );
}
