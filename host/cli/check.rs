//! `ludex check`: every problem of packs in one run.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::common::typed;
use super::{WRONG_USE, out};
use crate::pack::diagnostic::{self, Diagnostic};
use crate::pack::files::SourceFile;
use crate::pack::model::{Catalogue, GameDef};
use crate::pack::{Selection, Sources, load, report, scripts_of};
use crate::script::vm::{Budget, BytecodeCache, ScriptError};
use crate::script::{Program, Speller, is_of_start, problem_at_line, problem_of};

/// Check packs: manifests, definitions, references, scripts and content rules.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex check                           every pack of content/\n  ludex check tests/packs/tic-tac-toe   one pack, wherever its folder is\n  ludex check --format sarif > out.sarif"
)]
pub struct Args {
    /// Folders of packs; by default every pack of the content folder.
    #[arg(value_parser = typed())]
    paths: Vec<PathBuf>,
    /// How to print the problems.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Read scripts, content and schema there.
    #[arg(long, value_name = "DIR", value_parser = typed())]
    root: Option<PathBuf>,
    /// Add a folder of a pack that the checked ones may depend on.
    #[arg(long = "pack", value_name = "DIR", value_parser = typed())]
    packs: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

pub fn run(args: &Args) -> ExitCode {
    let mut paths = args.paths.clone();
    if let Some(wrong) = paths.iter().find(|p| !p.is_dir()) {
        let message = format!(
            "{}: there is no such folder; `ludex check` takes folders of packs",
            wrong.display()
        );
        return out::fail(WRONG_USE, message);
    }
    let sources = match Sources::find(args.root.as_deref(), &args.packs) {
        Ok(sources) => sources,
        Err(problem) => {
            return out::fail(WRONG_USE, report::text(&[*problem]).trim_end());
        }
    };
    if paths.is_empty() {
        paths = content_packs(&sources);
    }
    let mut problems = Vec::new();
    for path in &paths {
        problems.append(&mut check(&beside(&sources, &paths, path), path));
    }
    let twins = twins(&sources, &paths).into_iter();
    let told = |twin: &Diagnostic| {
        problems
            .iter()
            .any(|p| p.code == twin.code && p.file == twin.file)
    };
    let untold: Vec<Diagnostic> = twins.filter(|twin| !told(twin)).collect();
    problems.extend(untold);
    diagnostic::sort(&mut problems);
    let errors = problems.iter().filter(|p| p.is_error()).count();
    match args.format {
        Format::Text => {
            out::print(&report::text(&problems));
            let warnings = problems.len() - errors;
            let counts = [(paths.len(), "pack"), (errors, "error"), (warnings, "warning")];
            let [packs, errors, warnings] = counts.map(|(count, noun)| plural(count, noun));
            out::line(&format!("{packs} checked, {errors}, {warnings}"));
        }
        Format::Json => out::line(&report::json(&problems).to_string()),
        Format::Sarif => out::line(&report::sarif(&problems).to_string()),
    }
    if errors > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

fn content_packs(sources: &Sources) -> Vec<PathBuf> {
    let Some(root) = sources.root() else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join("content"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    paths.sort();
    paths
}

/// Packs with one id among those that are checked and those beside them, which none of them alone would tell.
fn twins(sources: &Sources, paths: &[PathBuf]) -> Vec<Diagnostic> {
    let all = paths
        .iter()
        .fold(sources.clone(), |all, path| all.with_pack(path));
    let broken = crate::pack::installed(&all).broken.into_iter();
    broken
        .flat_map(|broken| broken.problems)
        .filter(|problem| problem.code == "duplicate-pack")
        .collect()
}

/// The sources for one of the packs that are checked: they may depend on each other.
fn beside(sources: &Sources, paths: &[PathBuf], path: &Path) -> Sources {
    let others = paths.iter().filter(|other| *other != path);
    let all = others.fold(sources.clone(), |all, other| all.with_pack(other));
    let with_all = crate::pack::installed(&all.clone().with_pack(path));
    let stands = with_all
        .packs
        .values()
        .any(|pack| pack.folder.path().is_some_and(|folder| folder == path));
    // One of two with one id is checked without the other.
    if stands { all } else { sources.clone() }
}

/// Every problem of the pack in a folder.
pub fn check(sources: &Sources, path: &Path) -> Vec<Diagnostic> {
    let mut sources = sources.clone().with_pack(path);
    for entry in std::fs::read_dir(path.join("tests"))
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry.path().join("pack.toml").is_file() {
            sources = sources.with_pack(entry.path());
        }
    }
    let installed = crate::pack::installed(&sources);
    let here = |folder: &crate::pack::folder::Folder| folder.path().is_some_and(|p| p == path);
    let Some((id, _)) = installed.packs.iter().find(|(_, pack)| here(&pack.folder)) else {
        // The manifest itself is at fault.
        let broken = installed.broken.iter().filter(|b| here(&b.folder));
        return broken.flat_map(|b| b.problems.iter().cloned()).collect();
    };
    let id = id.clone();
    let has_game = path.join("game.toml").exists();
    let selection = Selection {
        game: has_game.then(|| id.clone()),
        with: if has_game { Vec::new() } else { vec![id.clone()] },
        ..Selection::default()
    };
    match load(&sources, &selection) {
        Err(mut found) => {
            found.extend(scripts(path, &id, None));
            found
        }
        Ok(catalogue) => {
            let mut problems = scripts(path, &id, catalogue.game.as_ref());
            problems.extend(catalogue.warnings.iter().cloned());
            if !problems.iter().any(Diagnostic::is_error) {
                problems.extend(run_checks(Arc::new(catalogue), &id));
            }
            problems
        }
    }
}

/// Compiles every script of a folder and looks for misspelt names.
fn scripts(path: &Path, pack: &str, game: Option<&GameDef>) -> Vec<Diagnostic> {
    let mut speller = match Speller::new() {
        Ok(speller) => speller,
        Err(errors) => return errors.iter().map(|error| of_script(error, path)).collect(),
    };
    if let Some(game) = game {
        speller.declares(game);
    }
    let mut problems = Vec::new();
    for (inside, source) in scripts_of(path) {
        let chunk = format!("@{pack}/{inside}");
        problems.extend(speller.check(&chunk, &SourceFile::new(shown(path, &inside), pack, source)));
    }
    problems
}

/// Loads the scripts, matches abilities with functions, and runs the packs' own content checks.
fn run_checks(catalogue: Arc<Catalogue>, pack: &str) -> Vec<Diagnostic> {
    let options: BTreeMap<_, _> = catalogue
        .game
        .as_ref()
        .map(|g| {
            g.options
                .iter()
                .map(|o| (o.name.clone(), o.default.clone()))
                .collect()
        })
        .unwrap_or_default();
    let load = |catalogue: &Arc<Catalogue>| {
        Program::load(
            catalogue.clone(),
            1,
            &options,
            Budget::default(),
            Arc::new(BytecodeCache::default()),
        )
    };
    let told = |errors: Vec<ScriptError>| -> Vec<Diagnostic> {
        errors.iter().map(|e| problem_of(e, &catalogue)).collect()
    };
    let mut problems = Vec::new();
    let mut loaded = load(&catalogue);
    if let Err(errors) = &mut loaded
        && errors.iter().all(is_of_start)
    {
        // Without a first step nothing can be played, but the rest can be looked at.
        problems = told(std::mem::take(errors));
        let mut rest = (*catalogue).clone();
        if let Some(game) = &mut rest.game {
            game.start.clear();
        }
        loaded = load(&Arc::new(rest));
    }
    match loaded {
        Ok(mut program) => {
            problems.extend(program.misspelt_steps(pack));
            problems.extend(program.content_problems());
            // What plays badly counts once all can be played.
            if !problems.iter().any(Diagnostic::is_error) {
                problems.extend(program.content_advice());
            }
        }
        Err(errors) => problems.extend(told(errors)),
    }
    problems
}

fn of_script(error: &ScriptError, folder: &Path) -> Diagnostic {
    problem_at_line(error, &shown(folder, &error.file), None)
}

/// A file of a folder as messages show it.
fn shown(folder: &Path, inside: &str) -> String {
    let shown = if inside.is_empty() {
        folder.to_path_buf()
    } else {
        folder.join(inside)
    };
    let shown = shown.to_string_lossy().replace('\\', "/");
    shown.trim_start_matches("./").to_owned()
}
