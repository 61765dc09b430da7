//! The modules that a pack offers to dependents must exist.
use super::diagnostic::Diagnostic;
use super::names;
use super::read::{Loaded, Reading};
use super::resolve::Installed;

/// Checks each active pack's `exports` against its Luau files.
pub fn check(all: &Installed, packs: &[Loaded], reading: &mut Reading) {
    for pack in packs {
        let Some(installed) = all.packs.get(&pack.id) else {
            continue;
        };
        for (path, place) in &installed.manifest.exports {
            let has = |file: String| pack.texts.contains_key(&file);
            if has(format!("{path}.luau")) || has(format!("{path}/init.luau")) {
                continue;
            }
            let modules = pack.texts.keys().filter_map(|file| file.strip_suffix(".luau"));
            let modules = modules.map(|module| module.strip_suffix("/init").unwrap_or(module));
            let help = names::did_you_mean(path, modules.filter(|module| !module.starts_with("tests/")));
            let message = format!("the pack exports `{path}`, but has no `{path}.luau`");
            let problem = Diagnostic::at(&reading.files, "unknown-export", *place, message);
            reading.problem(problem.maybe_help(help));
        }
    }
}
