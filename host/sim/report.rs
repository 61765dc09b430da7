//! What a run came to.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::Plan;
use super::game::Outcome;
use crate::pack::model::Catalogue;

/// A number over all games that ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    pub name: String,
    pub mean: f64,
    pub min: f64,
    pub max: f64,
}

/// One kind of error and the games that ran into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub message: String,
    /// Index and seed of each game, in order.
    pub games: Vec<(u64, u64)>,
    /// A limit of time: another run may go otherwise.
    pub timed_out: bool,
}

/// All of a run.
#[derive(Clone, Debug)]
pub struct Report {
    pub outcomes: Vec<(u64, Outcome)>,
    /// Games by result.
    pub results: BTreeMap<Arc<str>, u64>,
    /// `decisions` first, then the game's own.
    pub metrics: Vec<Metric>,
    pub faults: Vec<Fault>,
    /// Games whose replay differed: index, seed, where.
    pub differing: Vec<(u64, u64, String)>,
    pub took: Duration,
    pub threads: usize,
}

impl Report {
    pub(super) fn new(
        plan: &Plan,
        catalogue: &Catalogue,
        outcomes: Vec<(u64, Outcome)>,
        took: Duration,
    ) -> Self {
        let names = catalogue.game.as_ref().map_or(&[][..], |game| &game.metrics);
        let mut results = BTreeMap::new();
        let mut faults: Vec<Fault> = Vec::new();
        let mut differing = Vec::new();
        for (index, outcome) in &outcomes {
            if let Some(what) = &outcome.differs {
                differing.push((*index, outcome.seed, what.clone()));
            }
            match &outcome.error {
                None => *results.entry(outcome.result.clone()).or_insert(0) += 1,
                Some(message) => match faults.iter_mut().find(|fault| fault.message == *message) {
                    Some(fault) => fault.games.push((*index, outcome.seed)),
                    None => faults.push(Fault {
                        message: message.clone(),
                        games: vec![(*index, outcome.seed)],
                        timed_out: outcome.timed_out,
                    }),
                },
            }
        }
        let ended: Vec<&Outcome> = outcomes
            .iter()
            .map(|(_, o)| o)
            .filter(|o| o.error.is_none())
            .collect();
        let mut metrics = Vec::new();
        if !ended.is_empty() {
            metrics.push(metric("decisions", ended.iter().map(|o| o.decisions as f64)));
            for (at, name) in names.iter().enumerate() {
                metrics.push(metric(
                    name,
                    ended.iter().map(|o| o.metrics.get(at).copied().unwrap_or(0.0)),
                ));
            }
        }
        Self {
            outcomes,
            results,
            metrics,
            faults,
            differing,
            took,
            threads: plan.threads,
        }
    }

    /// Games in a second.
    pub fn rate(&self) -> f64 {
        self.outcomes.len() as f64 / self.took.as_secs_f64().max(1e-9)
    }
}

fn metric(name: &str, values: impl Iterator<Item = f64> + Clone) -> Metric {
    let count = values.clone().count().max(1) as f64;
    Metric {
        name: name.into(),
        mean: values.clone().sum::<f64>() / count,
        min: values.clone().fold(f64::INFINITY, f64::min),
        max: values.fold(f64::NEG_INFINITY, f64::max),
    }
}
