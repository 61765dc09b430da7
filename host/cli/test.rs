//! `ludex test`: runs the spec files of packs, found by walking.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::common::typed;
use super::out::outln;
use super::{WRONG_USE, out, variant};
use crate::pack::model::Catalogue;
use crate::pack::{Diagnostic, Selection, Sources, load, report, tidy};
use crate::script::vm::{Budget, BytecodeCache};
use crate::session::spec::{CaseResult, Spec};
use crate::view::{clean, clean_line};

/// Run the spec files of packs: every `tests/**/*.spec.luau`, each case live and replayed.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex test                          every pack of content/\n  ludex test content/rove-modules     one pack\n  ludex test --filter RM-GRID         cases whose name has this text"
)]
pub struct Args {
    /// Folders of packs, or spec files; by default every pack of the content folder.
    #[arg(value_parser = typed())]
    paths: Vec<PathBuf>,
    /// Only cases whose name contains this text.
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How to print the results.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Read scripts, content and schema there.
    #[arg(long, value_name = "DIR", value_parser = typed())]
    root: Option<PathBuf>,
    /// Add a folder of a pack.
    #[arg(long = "pack", value_name = "DIR", value_parser = typed())]
    packs: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Junit,
    Json,
}

/// A spec file: the folder of its pack, its path inside it, the packs that it names.
/// A case often does the work of many steps, on machines that may be slow.
const BUDGET: Budget = Budget {
    step_time: Duration::from_secs(20),
    ..Budget::DEFAULT
};

struct File {
    pack: PathBuf,
    path: PathBuf,
    with: Vec<String>,
}

struct Ran {
    file: String,
    results: Vec<CaseResult>,
}

pub fn run(args: &Args) -> ExitCode {
    let started = Instant::now();
    // A path that was named wrongly is told before what is missing beside it.
    let mut files = Vec::new();
    for path in &args.paths {
        if let Err(problem) = find(path, &mut files) {
            return out::fail(WRONG_USE, problem);
        }
    }
    let sources = match Sources::find(args.root.as_deref(), &args.packs) {
        Ok(sources) => sources,
        Err(problem) => {
            return out::fail(WRONG_USE, report::text(&[*problem]).trim_end());
        }
    };
    if args.paths.is_empty() {
        for path in default_paths(&sources) {
            if let Err(problem) = find(&path, &mut files) {
                return out::fail(WRONG_USE, problem);
            }
        }
    }
    let cache = Arc::new(BytecodeCache::default());
    let mut all = Vec::new();
    for file in &files {
        all.push(run_file(&sources, file, args.filter.as_deref(), &cache));
    }
    let failed: usize = all
        .iter()
        .flat_map(|r| &r.results)
        .filter(|r| r.failure.is_some())
        .count();
    match args.format {
        Format::Text => print_text(&all, started),
        Format::Json => print_json(&all),
        Format::Junit => print_junit(&all),
    }
    if all.iter().all(|r| r.results.is_empty()) {
        let problem = match &args.filter {
            Some(filter) => format!("--filter {filter}: no case has this text in its name"),
            None if files.is_empty() => {
                "no spec was found: specs are files tests/*.spec.luau of a pack, or are named on the command line".into()
            }
            None => "the specs hold no case: a case is test(\"NAME\", function(t) ... end)".into(),
        };
        return out::fail(1, problem);
    }
    if failed > 0 {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

fn default_paths(sources: &Sources) -> Vec<PathBuf> {
    let Some(root) = sources.root() else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join("content"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.join("pack.toml").is_file())
        .collect();
    paths.sort();
    // The library's own specs live in a small pack.
    let library = root.join("scripts/tests");
    if library.join("pack.toml").is_file() {
        paths.insert(0, library);
    }
    paths
}

/// Collects the spec files under a pack's folder, or one file.
fn find(path: &Path, files: &mut Vec<File>) -> Result<(), String> {
    if path.is_file() {
        let pack = path.ancestors().skip(1).find(|p| p.join("pack.toml").is_file());
        let pack = pack.ok_or_else(|| format!("{}: no folder above it has a pack.toml", path.display()))?;
        return push(pack, path, files);
    }
    if !path.join("pack.toml").is_file() {
        return Err(format!(
            "{}: this is no pack (it has no pack.toml) and no spec file",
            path.display()
        ));
    }
    let mut found = Vec::new();
    walk(&path.join("tests"), &mut found, 0);
    found.sort();
    found.iter().try_for_each(|f| push(path, f, files))
}

fn push(pack: &Path, path: &Path, files: &mut Vec<File>) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let with = text
        .lines()
        .take_while(|l| l.starts_with("--"))
        .filter_map(|l| l.strip_prefix("--!with "))
        .flat_map(|l| l.split_whitespace().map(str::to_owned))
        .collect();
    files.push(File {
        pack: pack.into(),
        path: path.into(),
        with,
    });
    Ok(())
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>, depth: usize) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && depth < 8 {
            walk(&path, found, depth + 1);
        } else if path
            .file_name()
            .is_some_and(|n| n.to_string_lossy().ends_with(".spec.luau"))
        {
            found.push(path);
        }
    }
}

/// The pack's sources: itself, and the packs in its tests folder.
pub fn sources_of(sources: &Sources, pack: &Path) -> Sources {
    let mut all = sources.clone().with_pack(pack);
    for entry in std::fs::read_dir(pack.join("tests"))
        .into_iter()
        .flatten()
        .flatten()
    {
        if entry.path().join("pack.toml").is_file() {
            all = all.with_pack(entry.path());
        }
    }
    all
}

fn pack_id(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("pack.toml")).unwrap_or_default();
    let table: toml::Table = toml::from_str(&text).unwrap_or_default();
    table
        .get("id")
        .and_then(|v| v.as_str())
        .unwrap_or_default()
        .to_owned()
}

pub fn load_messages(sources: &Sources, selection: &Selection) -> Result<Arc<Catalogue>, Vec<String>> {
    load(sources, selection)
        .map(Arc::new)
        .map_err(|problems| problems.iter().map(line).collect())
}

/// One line of a problem: place and message.
fn line(problem: &Diagnostic) -> String {
    format!(
        "{}:{}:{}: {}",
        problem.file, problem.line, problem.column, problem.message
    )
}

fn run_file(sources: &Sources, file: &File, filter: Option<&str>, cache: &Arc<BytecodeCache>) -> Ran {
    let id = pack_id(&file.pack);
    let all = sources_of(sources, &file.pack);
    let selection = Selection {
        game: Some(id.clone()),
        scenario: None,
        with: file.with.clone(),
    };
    let shown = tidy(file.path.clone()).display().to_string();
    let broken = |problem: String| Ran {
        file: shown.clone(),
        results: vec![CaseResult {
            name: "(the file loads)".into(),
            assertions: 0,
            failure: Some(problem),
        }],
    };
    let catalogue = match load_messages(&all, &selection) {
        Ok(catalogue) => catalogue,
        Err(messages) => return broken(messages.join("\n")),
    };
    let inside = file
        .path
        .strip_prefix(&file.pack)
        .unwrap_or(&file.path)
        .with_extension("");
    let module = format!("@{id}/{}", inside.to_string_lossy().replace('\\', "/"));
    let options = catalogue
        .game
        .as_ref()
        .map(|g| {
            g.options
                .iter()
                .map(|o| (o.name.clone(), o.default.clone()))
                .collect()
        })
        .unwrap_or_default();
    let variant = |changes: &BTreeMap<String, Option<String>>, advise| {
        variant::messages(sources, &file.pack, &selection, changes, advise, cache)
    };
    let spec = Spec::load(catalogue, &module, options, BUDGET, cache.clone(), &variant);
    let mut spec = match spec {
        Ok(spec) => spec,
        Err(errors) => {
            return broken(
                errors
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
                    .join("\n"),
            );
        }
    };
    let names: Vec<String> = spec.names().map(str::to_owned).collect();
    let wanted = |name: &str| filter.is_none_or(|f| name.contains(f));
    let results = names
        .iter()
        .enumerate()
        .filter(|(_, name)| wanted(name))
        .map(|(index, _)| spec.run(index))
        .collect();
    Ran { file: shown, results }
}

/// `RM-GRID` of a case named `RM-GRID-04 ...`: the area that counts are printed by.
fn rules(name: &str) -> Vec<String> {
    name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|w| {
            let mut parts = w.rsplitn(2, '-');
            let number = parts.next().unwrap_or_default();
            let head = parts.next().unwrap_or_default();
            !number.is_empty()
                && number.chars().all(|c| c.is_ascii_digit())
                && head.contains('-')
                && head
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
        })
        .map(str::to_owned)
        .collect()
}

fn area(name: &str) -> String {
    rules(name)
        .first()
        .and_then(|r| r.rsplit_once('-'))
        .map_or_else(|| "other".into(), |(a, _)| a.to_owned())
}

fn print_text(all: &[Ran], started: Instant) {
    let mut areas: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failed = 0;
    let mut passed = 0;
    let mut assertions = 0;
    for ran in all {
        for result in &ran.results {
            let counts = areas.entry(area(&result.name)).or_default();
            counts.0 += 1;
            assertions += result.assertions;
            match &result.failure {
                None => passed += 1,
                Some(problem) => {
                    failed += 1;
                    counts.1 += 1;
                    outln!(
                        "FAILED {}: {}\n  {}",
                        clean_line(&ran.file),
                        clean_line(&result.name),
                        clean(problem).replace('\n', "\n  ")
                    );
                }
            }
        }
    }
    for (area, (cases, failures)) in &areas {
        let note = if *failures > 0 {
            format!(", {failures} failed")
        } else {
            String::new()
        };
        let noun = if *cases == 1 { "case" } else { "cases" };
        outln!("{area:<14} {cases:>4} {noun}{note}");
    }
    outln!(
        "{}, {}, {:.1} s\n{passed} passed, {failed} failed",
        out::count(all.len(), "file"),
        out::count(assertions, "assertion"),
        started.elapsed().as_secs_f64()
    );
}

fn print_json(all: &[Ran]) {
    let cases: Vec<_> = all
        .iter()
        .flat_map(|ran| {
            ran.results.iter().map(|r| {
                json!({
                    "file": ran.file, "name": r.name, "rules": rules(&r.name), "assertions": r.assertions,
                    "status": if r.failure.is_some() { "failed" } else { "passed" }, "message": r.failure,
                })
            })
        })
        .collect();
    outln!("{}", json!({ "cases": cases }));
}

fn print_junit(all: &[Ran]) {
    // XML has no way at all to write most control characters.
    let escape = |t: &str| {
        clean(t)
            .replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\n', "&#10;")
    };
    outln!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>");
    for ran in all {
        let failures = ran.results.iter().filter(|r| r.failure.is_some()).count();
        outln!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\">",
            escape(&ran.file),
            ran.results.len()
        );
        for result in &ran.results {
            let name = escape(&result.name);
            match &result.failure {
                None => outln!(
                    "    <testcase name=\"{name}\" assertions=\"{}\"/>",
                    result.assertions
                ),
                Some(problem) => outln!(
                    "    <testcase name=\"{name}\" assertions=\"{}\"><failure message=\"{}\"/></testcase>",
                    result.assertions,
                    escape(problem)
                ),
            }
        }
        outln!("  </testsuite>");
    }
    outln!("</testsuites>");
}
