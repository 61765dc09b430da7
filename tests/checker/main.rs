//! Both games of modules against a checker that shares nothing with their rules: what may be done, what follows, and
//! above all whether a game is lost.
mod aqua;
mod cards;
mod compare;
mod examples;
mod games;
mod layout;
mod made;
mod rove;
mod rules;
mod search;
mod shapes;
mod tables;

use rules::Rules;

fn rules_of(game: &str) -> Box<dyn Rules> {
    match game {
        "rove-modules" => Box::new(rove::Rove::new()),
        _ => Box::new(aqua::Aqua::new()),
    }
}

use compare::{Comparison, Plan};

fn compare(game: &str, plan: Plan) -> compare::Count {
    let rules = rules_of(game);
    let mut comparison = Comparison::new(&*rules, plan);
    let start = std::time::Instant::now();
    comparison.run(game);
    println!(
        "{game}: {:?} in {:.1} s",
        comparison.count,
        start.elapsed().as_secs_f64()
    );
    comparison.count
}

/// In a debug build, as far as half a minute goes.
fn sample(game: &str) {
    let count = compare(
        game,
        Plan {
            lost: 60,
            not_lost: 60,
            unknown_draws: 20,
            accepted: 20,
            limit: 3_000,
            first_seed: 1,
            time: Some(std::time::Duration::from_secs(20)),
        },
    );
    assert!(
        count.lost > 0 && count.not_lost > 0 && count.accepted > 0,
        "{count:?}"
    );
    let count = made::compare(game, &*rules_of(game), 150, 1_000);
    assert!(count.lost > 20 && count.not_lost > 20, "{count:?}");
}

#[test]
fn a_sample_of_rove() {
    sample("rove-modules");
}

#[test]
fn a_sample_of_aqua_rove() {
    sample("aqua-rove");
}

fn in_full(game: &str) {
    let count = compare(
        game,
        Plan {
            lost: 800,
            not_lost: 1_200,
            unknown_draws: 300,
            accepted: 300,
            limit: 2_000_000,
            first_seed: 1_000_000,
            time: None,
        },
    );
    assert!(
        count.lost >= 600 && count.not_lost >= 600 && count.lost + count.not_lost >= 2_000,
        "{count:?}"
    );
    assert!(count.unknown_draws >= 300, "{count:?}");
    made::compare(game, &*rules_of(game), 3_000, 50_000);
}

#[test]
#[ignore = "minutes in a release build: `cargo test --release --test checker -- --ignored`"]
fn two_thousand_positions_of_rove() {
    in_full("rove-modules");
}

#[test]
#[ignore = "minutes in a release build: `cargo test --release --test checker -- --ignored`"]
fn two_thousand_positions_of_aqua_rove() {
    in_full("aqua-rove");
}
