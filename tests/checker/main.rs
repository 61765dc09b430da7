//! Both games of modules against a checker that shares nothing with their rules: what may be done, what follows, and
//! above all whether a game is lost.
mod aqua;
mod cards;
mod compare;
mod examples;
mod faults;
mod games;
mod layout;
mod made;
mod rove;
mod rules;
mod search;
mod shapes;
mod tables;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use compare::{Comparison, Count, Plan};
use rules::Rules;

const ROVE: &str = "rove-modules";
const AQUA: &str = "aqua-rove";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rules_of(root: &Path, game: &str) -> Box<dyn Rules> {
    match game {
        ROVE => Box::new(rove::Rove::new(root)),
        _ => Box::new(aqua::Aqua::new(root)),
    }
}

/// Plays and compares, by the rules under `root`.
fn compare(root: &Path, game: &str, plan: Plan) -> Count {
    let rules = rules_of(root, game);
    let mut comparison = Comparison::new(&*rules, plan);
    let start = Instant::now();
    comparison.run(root, game);
    let seconds = start.elapsed().as_secs_f64();
    println!("{game}: {:?} in {seconds:.1} s", comparison.count);
    comparison.count
}

/// As far as a debug build gets in less than half a minute.
fn sample_plan() -> Plan {
    Plan {
        lost: 60,
        not_lost: 60,
        unknown_draws: 20,
        accepted: 20,
        limit: 1_000,
        first_seed: 1,
        time: Some(Duration::from_secs(12)),
    }
}

fn sample_made_up(root: &Path, game: &str) -> made::Count {
    made::compare(root, game, &*rules_of(root, game), 300, 1_000)
}

fn many_made_up(root: &Path, game: &str) -> made::Count {
    made::compare(root, game, &*rules_of(root, game), 4_000, 50_000)
}

fn sample(game: &str) {
    let count = compare(&root(), game, sample_plan());
    assert!(
        count.lost > 0 && count.not_lost > 0 && count.accepted > 0,
        "{count:?}"
    );
    let count = sample_made_up(&root(), game);
    assert!(count.lost > 20 && count.not_lost > 20, "{count:?}");
}

#[test]
fn a_sample_of_rove() {
    sample(ROVE);
}

#[test]
fn a_sample_of_aqua_rove() {
    sample(AQUA);
}

fn in_full(game: &str) {
    let plan = Plan {
        lost: 800,
        not_lost: 1_200,
        unknown_draws: 300,
        accepted: 300,
        limit: 2_000_000,
        first_seed: 1_000_000,
        time: None,
    };
    let count = compare(&root(), game, plan);
    assert!(
        count.lost >= 600 && count.not_lost >= 600 && count.lost + count.not_lost >= 2_000,
        "{count:?}"
    );
    assert!(count.unknown_draws >= 300, "{count:?}");
    many_made_up(&root(), game);
}

#[test]
#[ignore = "minutes in a release build: `cargo test --release --test checker -- --ignored`"]
fn two_thousand_positions_of_rove() {
    in_full(ROVE);
}

#[test]
#[ignore = "minutes in a release build: `cargo test --release --test checker -- --ignored`"]
fn two_thousand_positions_of_aqua_rove() {
    in_full(AQUA);
}
