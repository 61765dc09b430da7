//! Copies of a pack with changed files, as specs try them.
use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use super::test::{load_messages, sources_of};
use crate::pack::model::Catalogue;
use crate::pack::{Selection, Sources};
use crate::script::Program;
use crate::script::vm::{Budget, BytecodeCache};
use crate::view::clean_line;

/// The messages that loading the copy and its content checks give; its advice where there are none, if wanted.
pub fn messages(
    sources: &Sources,
    pack: &Path,
    selection: &Selection,
    changes: &BTreeMap<String, Option<String>>,
    advise: bool,
    cache: &Arc<BytecodeCache>,
) -> Vec<String> {
    // A stranger's spec reaches no file outside of its pack.
    for path in changes.keys() {
        let parts: Vec<Component> = Path::new(path).components().collect();
        if parts.is_empty() || !parts.iter().all(|part| matches!(part, Component::Normal(_))) {
            return vec![format!(
                "{}: expected a path inside the pack, such as rules/turn.luau",
                clean_line(path)
            )];
        }
    }
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("ludex-variant-{}-{number}", std::process::id()));
    let real = pack.canonicalize();
    let result = real
        .and_then(|real| copy(&real, pack, &folder, 0))
        .and_then(|()| {
            changes.iter().try_for_each(|(path, content)| {
                let target = folder.join(path);
                match content {
                    None => std::fs::remove_file(&target),
                    Some(text) => {
                        std::fs::create_dir_all(target.parent().unwrap_or(&folder))?;
                        std::fs::write(&target, text)
                    }
                }
            })
        });
    let messages = match result {
        Err(error) => vec![format!("the variant could not be made: {error}")],
        // The earlier of two folders with one id wins.
        Ok(()) => match load_messages(&sources_of(sources, &folder), selection) {
            Err(messages) => messages,
            Ok(catalogue) => content_messages(catalogue, advise, cache),
        },
    };
    let _ = std::fs::remove_dir_all(&folder);
    messages
}

/// What the content checks of a catalogue's packs report.
fn content_messages(catalogue: Arc<Catalogue>, advise: bool, cache: &Arc<BytecodeCache>) -> Vec<String> {
    let options = BTreeMap::new();
    let mut program = match Program::load(catalogue, 1, &options, Budget::default(), cache.clone()) {
        Ok(program) => program,
        Err(errors) => return errors.iter().map(ToString::to_string).collect(),
    };
    let mut told = |function| match program.content_reports(function) {
        Err(error) => vec![error.to_string()],
        Ok(reports) => reports
            .into_iter()
            .map(|(entry, field, message)| match field.as_str() {
                "" => format!("{entry}: {message}"),
                field => format!("{entry} {field}: {message}"),
            })
            .collect(),
    };
    let problems = told("check");
    if advise && problems.is_empty() {
        return told("advise");
    }
    problems
}

/// Copies a pack's folder. Links are followed as the loader does: not out of the pack.
fn copy(pack: &Path, from: &Path, to: &Path, depth: usize) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        let inside = path.canonicalize().is_ok_and(|real| real.starts_with(pack));
        let Some(name) = path.file_name().filter(|_| inside) else {
            continue;
        };
        if path.is_dir() {
            if depth < 8 {
                copy(pack, &path, &to.join(name), depth + 1)?;
            }
        } else if path.is_file() {
            std::fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
