//! `ludex sim`: many seeded games, counted.
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicU64;

use serde_json::{Value as Json, json};

use super::common::Problem;
use super::interrupt::INTERRUPTED;
use super::setup::{SetupArgs, load_problem};
use super::{FAILED, interrupt, out, progress};
use crate::pack::data_folder;
use crate::sim::{self, Monitor, Plan, Report};
use crate::view::{clean, clean_line};

/// Play many seeded games without a person and count what they come to.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex sim rove-modules --games 1000 --threads 2 --seed 7\n  ludex sim rove-modules --games 100 --verify          play each again and compare\n  ludex sim high-card --pack tests/packs/high-card --games 50 --bot x=greedy\n  ludex sim rove-modules --games 1000 --format csv > games.csv\nSeats without a bot choose at random. Results don't depend on the number of threads.\nCtrl-C ends with what there is, marked as partial, and status 130."
)]
pub struct Args {
    /// The game's pack.
    pub game: String,
    #[command(flatten)]
    pub setup: SetupArgs,
    /// How many games.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: u64,
    /// On how many threads; by default one for each core.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Play each game again from its answers, on another VM, and compare every state.
    #[arg(long)]
    verify: bool,
    /// How to print: a summary, the summary as JSON, or a line for each game.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Csv,
}

/// Recordings of failed games that are written at most.
const RECORDED: usize = 20;

pub fn run(args: &Args) -> ExitCode {
    match simulate(args) {
        Ok(code) => code,
        Err(problem) => out::fail(problem.status, problem.message),
    }
}

fn simulate(args: &Args) -> Result<ExitCode, Problem> {
    let content = args.setup.common.places.content()?;
    let (setup, bots) = args
        .setup
        .setup(&content, args.game.clone(), args.setup.scenario.clone())?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or(cores);
    if threads == 0 || args.games == 0 {
        return Err(Problem::wrong_use("--games and --threads are at least 1"));
    }
    // More would only cost memory, and time that counts against the steps' limits.
    let most = usize::try_from(args.games).unwrap_or(usize::MAX).min(cores * 4);
    let threads = threads.min(most);
    let plan = Plan {
        content,
        setup,
        bots,
        games: args.games,
        threads,
        verify: args.verify,
    };
    let monitor = Monitor {
        played: AtomicU64::new(0),
        stop: interrupt::heed(),
    };
    let run = || sim::run(&plan, &monitor);
    let report = progress::beside(args.games, &plan.bots, &monitor, run).map_err(load_problem)?;
    let recordings = record_faults(&plan, &report);
    match args.format {
        Format::Text => out::print(&clean(&text(&plan, &report, &recordings))),
        Format::Json => out::line(&json(&plan, &report, &recordings).to_string()),
        Format::Csv => out::print(&clean(&csv(&report))),
    }
    if is_partial(&plan, &report) {
        let played = report.outcomes.len();
        return Err(Problem {
            status: INTERRUPTED,
            message: format!(
                "interrupted: {played} of {} were played",
                out::count(plan.games, "game")
            ),
        });
    }
    let bad = !report.faults.is_empty() || !report.differing.is_empty();
    Ok(if bad { FAILED.into() } else { ExitCode::SUCCESS })
}

/// Whether the run was ended before its time.
fn is_partial(plan: &Plan, report: &Report) -> bool {
    (report.outcomes.len() as u64) < plan.games
}

/// A recording for each failed game, or why there is none: by seed.
fn record_faults(plan: &Plan, report: &Report) -> Vec<(u64, Result<PathBuf, String>)> {
    let seeds = report
        .faults
        .iter()
        .flat_map(|fault| fault.games.iter().map(|(_, seed)| *seed));
    let seeds = seeds
        .chain(report.differing.iter().map(|(_, seed, _)| *seed))
        .take(RECORDED);
    let Some(folder) = data_folder().map(|data| data.join("sim").join(&plan.setup.game)) else {
        return Vec::new();
    };
    seeds
        .map(|seed| {
            let path = folder.join(format!("{seed}.ludex"));
            // One from an earlier run tells of earlier rules.
            _ = std::fs::remove_file(&path);
            (
                seed,
                sim::record(plan, seed, &path)
                    .map(|()| path)
                    .map_err(|error| error.to_string()),
            )
        })
        .collect()
}

fn text(plan: &Plan, report: &Report, recordings: &[(u64, Result<PathBuf, String>)]) -> String {
    let games = report.outcomes.len();
    let all = if is_partial(plan, report) {
        format!("PARTIAL, {games} of ")
    } else {
        String::new()
    };
    let mut text = format!(
        "{}: {all}{}, seed {}\n",
        plan.setup.game,
        out::count(plan.games, "game"),
        plan.setup.seed
    );
    let widest = report
        .results
        .keys()
        .map(|result| result.chars().count())
        .max()
        .unwrap_or(0);
    for (result, count) in &report.results {
        let share = *count as f64 * 100.0 / games as f64;
        text += &format!("  {:<widest$}  {count:>8}  {share:>5.1} %\n", clean_line(result));
    }
    for metric in &report.metrics {
        let name = clean_line(&metric.name);
        text += &format!(
            "  {name}: mean {:.3}, {} to {}\n",
            metric.mean, metric.min, metric.max
        );
    }
    if plan.verify && report.differing.is_empty() && games > 0 {
        text += "  every game replayed alike\n";
    }
    let file = |seed: u64| match recordings.iter().find(|(of, _)| *of == seed) {
        Some((_, Ok(path))) => format!(": ludex replay {}", path.display()),
        Some((_, Err(problem))) => format!(": not recorded: {problem}"),
        None => String::new(),
    };
    for fault in &report.faults {
        text += &format!(
            "error in {}: {}\n",
            out::count(fault.games.len(), "game"),
            fault.message
        );
        if fault.timed_out {
            text += "  (a limit of time ended the step: another run may go otherwise; on a busy machine: --budget time=30s)\n";
        }
        for (index, seed) in &fault.games {
            text += &format!("  game {index}, seed {seed}{}\n", file(*seed));
        }
    }
    for (index, seed, what) in &report.differing {
        text += &format!(
            "game {index}, seed {seed} replays otherwise: {what}{}\n",
            file(*seed)
        );
    }
    let seconds = report.took.as_secs_f64();
    let pace = match report.rate() {
        rate if rate > 0.0 && rate < 1.0 => format!("{:.1} s for a game", 1.0 / rate),
        rate => format!("{rate:.0} games a second"),
    };
    text + &format!(
        "{pace} on {} ({seconds:.2} s)\n",
        out::count(report.threads, "thread")
    )
}

fn json(plan: &Plan, report: &Report, recordings: &[(u64, Result<PathBuf, String>)]) -> Json {
    let file = |seed: u64| {
        let found = recordings.iter().find(|(of, _)| *of == seed)?;
        found.1.as_ref().ok().map(|path| path.display().to_string())
    };
    let faults: Vec<Json> = report
        .faults
        .iter()
        .map(|fault| {
            let games = fault.games.iter();
            let games: Vec<Json> = games
                .map(|(index, seed)| json!({"game": index, "seed": seed, "recording": file(*seed)}))
                .collect();
            json!({"message": fault.message, "timed_out": fault.timed_out, "games": games})
        })
        .collect();
    let metrics: serde_json::Map<String, Json> = report
        .metrics
        .iter()
        .map(|m| {
            (
                m.name.clone(),
                json!({"mean": m.mean, "min": m.min, "max": m.max}),
            )
        })
        .collect();
    let differing = report.differing.iter();
    json!({
        "game": plan.setup.game,
        "seed": plan.setup.seed,
        "games": report.outcomes.len(),
        "partial": is_partial(plan, report),
        "results": report.results.iter().map(|(r, n)| (r.to_string(), json!(n))).collect::<serde_json::Map<_, _>>(),
        "metrics": metrics,
        "errors": faults,
        "verified": plan.verify,
        "differing": differing
            .map(|(index, seed, what)| json!({"game": index, "seed": seed, "what": what, "recording": file(*seed)}))
            .collect::<Vec<_>>(),
        "threads": report.threads,
        "seconds": report.took.as_secs_f64(),
        "rate": report.rate(),
    })
}

/// A line for each game.
fn csv(report: &Report) -> String {
    let mut text = String::from("game,seed,result,decisions");
    for metric in report.metrics.iter().skip(1) {
        text += &format!(",{}", quoted(&metric.name));
    }
    text += ",error\n";
    for (index, outcome) in &report.outcomes {
        text += &format!(
            "{index},{},{},{}",
            outcome.seed,
            quoted(&outcome.result),
            outcome.decisions
        );
        for at in 0..report.metrics.len().saturating_sub(1) {
            text += &outcome
                .metrics
                .get(at)
                .map_or_else(|| ",".into(), |value| format!(",{value}"));
        }
        text += &format!(",{}\n", quoted(outcome.error.as_deref().unwrap_or("")));
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
