//! Every folder of `tests/packs/broken` is a root whose pack `broken` must give exactly `expected.txt`.
//!
//! `LUDEX_BLESS=1` writes the texts anew; read the difference before you keep it.
use std::fs;
use std::path::{Path, PathBuf};

use super::{Selection, Sources, load, report};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/broken")
}

/// What a load of the fixture says; `with.txt` names packs beside `broken`.
fn outcome(root: &Path) -> String {
    let with = fs::read_to_string(root.join("with.txt")).unwrap_or_default();
    let with = with.split_whitespace().map(str::to_owned).collect();
    let selection = if root.join("content/broken/game.toml").exists() {
        Selection {
            with,
            ..Selection::game("broken")
        }
    } else {
        let with = std::iter::once("broken".to_owned()).chain(with).collect();
        Selection {
            with,
            ..Selection::default()
        }
    };
    match load(&Sources::at(root), &selection) {
        Ok(catalogue) => report::text(&catalogue.warnings),
        Err(problems) => report::text(&problems),
    }
}

#[test]
fn every_broken_pack_is_told_as_expected() {
    let bless = std::env::var_os("LUDEX_BLESS").is_some();
    let mut roots: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    roots.sort();
    assert!(roots.len() >= 45, "only {} fixtures", roots.len());
    let mut wrong = Vec::new();
    for root in roots {
        let (file, told) = (root.join("expected.txt"), outcome(&root));
        assert!(!told.is_empty(), "{} loads without a word", root.display());
        if bless {
            fs::write(&file, &told).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if expected != told {
            wrong.push(format!(
                "{}\nexpected:\n{expected}\ntold:\n{told}",
                root.display()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
