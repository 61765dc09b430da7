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
use crate::pack::{Selection, Sources, load, report};
use crate::script::vm::{Budget, BytecodeCache, ScriptError};
use crate::script::{Program, Speller, problem_at_line, problem_of};

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
        problems.append(&mut check(&sources, path));
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
    let mut files = Vec::new();
    walk(path, &mut files, 0);
    files.sort();
    let mut speller = match Speller::new() {
        Ok(speller) => speller,
        Err(errors) => return errors.iter().map(|error| of_script(error, path)).collect(),
    };
    if let Some(game) = game {
        speller.declares(game);
    }
    let mut problems = Vec::new();
    for file in files {
        let inside = file
            .strip_prefix(path)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        // What can't be read is told by loading; a pipe or a device would never end.
        let plain = std::fs::metadata(&file).is_ok_and(|m| m.is_file() && m.len() <= 1 << 20);
        let Some(source) = plain.then(|| std::fs::read_to_string(&file).ok()).flatten() else {
            continue;
        };
        let chunk = format!("@{pack}/{inside}");
        problems.extend(speller.check(&chunk, &SourceFile::new(shown(path, &inside), pack, source)));
    }
    problems
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>, depth: usize) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        // A pack inside a pack (its tests may hold some) is checked by itself.
        if path.is_dir() && !hidden && depth < 8 && !path.join("pack.toml").exists() {
            walk(&path, found, depth + 1);
        } else if !hidden && path.extension().is_some_and(|e| e == "luau") {
            found.push(path);
        }
    }
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
    let loaded = Program::load(
        catalogue.clone(),
        1,
        &options,
        Budget::default(),
        Arc::new(BytecodeCache::default()),
    );
    let mut program = match loaded {
        Ok(program) => program,
        Err(errors) => return errors.iter().map(|e| problem_of(e, &catalogue)).collect(),
    };
    let mut problems = program.misspelt_steps(pack);
    problems.extend(program.content_problems());
    // What plays badly counts once all can be played.
    if !problems.iter().any(Diagnostic::is_error) {
        problems.extend(program.content_advice());
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
