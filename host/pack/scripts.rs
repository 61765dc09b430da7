//! The Luau files of packs and libraries.
use std::collections::BTreeMap;

use super::model::Script;
use super::read::Loaded;

/// The key of a Luau file in a catalogue: `@pack/path` without `.luau`.
pub fn key(pack: &str, path: &str) -> String {
    format!("@{pack}/{}", path.strip_suffix(".luau").unwrap_or(path))
}

/// Adds all Luau files of a pack or library.
pub fn collect(pack: &Loaded, scripts: &mut BTreeMap<String, Script>) {
    for (path, text) in pack.texts.iter().filter(|(path, _)| path.ends_with(".luau")) {
        let script = Script {
            pack: pack.id.clone(),
            chunk: format!("@{}/{path}", pack.id),
            file: pack.show(path),
            source: text.clone(),
            test: path.starts_with("tests/"),
        };
        scripts.insert(key(&pack.id, path), script);
    }
}
