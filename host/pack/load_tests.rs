//! Whole loads of small packs written to a temporary folder.
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::model::{BoardShape, Catalogue, Visibility};
use super::{Diagnostic, Selection, Sources, ability_matches, load, locate};
use crate::tabletop::{Value, ValueType};

pub fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const GAME: &str = r#"
title = "Stones"
summary = "A game of stones."
start = "stones.turn"
seats = ["x", "o"]
streams = ["deal", "draw"]
metrics = ["points"]
[options.pace]
type = "text"
values = ["slow", "fast"]
default = "slow"
doc = "How quick."
[presets.late]
pace = "fast"
[fields]
points = { type = "number", default = 3, doc = "Unspent." }
[boards.grid]
topology = "square"
neighbours = 8
size = [2, 3]
[boards.grid.fields]
terrain = { type = "text", default = "plain" }
[boards.disc]
topology = "hex"
radius = 1
[boards.map]
topology = "graph"
regions = [{ id = "north", label = "North", at = [0, 0] }, { id = "south" }]
edges = [["north", "south"]]
[piles.hand]
visibility = "owner"
owner = "x"
[dice.check]
faces = [1, 2, 3]
[units.stones]
glyph = "{charge}"
colour = "red"
faces = ["active", "spent"]
[units.stones.fields]
worn = { type = "boolean" }
"#;

const SCHEMA: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["name"],
  "properties": {
    "name": { "type": "string" },
    "charge": { "type": "integer", "minimum": 0, "default": 1, "x-unit": true, "description": "How full." },
    "letter": { "type": "string" },
    "next": { "type": "string", "x-ref": "stones" },
    "tags": { "type": "array", "items": { "type": "string" } },
    "ability": { "type": "array", "items": { "$ref": "#/$defs/ability" } }
  },
  "$defs": {
    "ability": {
      "type": "object",
      "required": ["id"],
      "properties": { "id": { "type": "string" }, "text": { "type": "string", "x-text": true } },
      "additionalProperties": { "type": "number" }
    }
  }
}"##;

pub fn stones(root: &Path) {
    write(
        root,
        &[
            ("scripts/std/flow.luau", "return {}"),
            ("scripts/tactics/dash.luau", "return {}"),
            (
                "content/stones/pack.toml",
                "id = \"stones\"\nversion = \"1.2.0\"\nludex = \"0.1\"\nexports = [\"rules\"]\n",
            ),
            ("content/stones/game.toml", GAME),
            (
                "content/stones/rules.toml",
                "[[rule]]\nid = \"ST-01\"\ntext = \"Stones fall.\"\n[refusals.no_stone]\nrule = \"ST-01\"\ntext = \"No stone.\"\n",
            ),
            ("content/stones/rules/init.luau", "return {}"),
            ("content/stones/tests/a.spec.luau", "return {}"),
            ("content/stones/schema/stones.schema.json", SCHEMA),
            (
                "content/stones/stones/flint.toml",
                "name = \"Flint\"\ncharge = 2\nnext = \"stones/agate\"\n[[ability]]\nid = \"spark\"\ntext = \"Within {reach}.\"\nreach = 1\n",
            ),
            (
                "content/stones/stones/flint.luau",
                "local flint = {}\nfunction flint.spark(me) end\nreturn flint\n",
            ),
            ("content/stones/stones/agate.toml", "name = \"Agate\"\n"),
            ("content/stones/.hidden.toml", "oops"),
            ("content/stones/stones/agate.toml~", "oops"),
        ],
    );
}

fn pack(root: &Path, id: &str, depends: &str, files: &[(&str, &str)]) {
    let manifest = format!("id = \"{id}\"\nversion = \"0.1.0\"\nludex = \"0.1\"\n[depends]\n{depends}\n");
    write(root, &[(&format!("content/{id}/pack.toml"), &manifest)]);
    for (path, text) in files {
        write(root, &[(&format!("content/{id}/{path}"), text)]);
    }
}

pub fn text(problems: &[Diagnostic]) -> String {
    super::report::text(problems)
}

fn loaded(root: &Path, selection: &Selection) -> Catalogue {
    load(&Sources::at(root), selection).unwrap_or_else(|problems| panic!("{}", text(&problems)))
}

#[test]
fn a_good_pack_loads_whole() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    let catalogue = loaded(folder.path(), &Selection::game("stones"));
    assert_eq!(catalogue.warnings, []);
    let keys: Vec<&str> = catalogue.scripts.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "@std/flow",
            "@stones/rules/init",
            "@stones/stones/flint",
            "@stones/tests/a.spec",
            "@tactics/dash"
        ]
    );
    assert!(catalogue.scripts["@stones/tests/a.spec"].test);
    assert_eq!(
        catalogue.scripts["@stones/rules/init"].chunk,
        "@stones/rules/init.luau"
    );
    let kind = &catalogue.kinds["stones"];
    assert_eq!(kind.unit_fields.len(), 1);
    assert_eq!(
        (kind.unit_fields[0].kind, &kind.unit_fields[0].default),
        (ValueType::Number, &Value::Number(1.0))
    );
    let ids: Vec<&str> = kind.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["agate", "flint"]);
    let flint = &kind.entries[1];
    assert_eq!(flint.scripts, ["@stones/stones/flint"]);
    assert_eq!(flint.file, "content/stones/stones/flint.toml");
    assert_eq!(flint.data["ability"][0]["reach"], 1);
    assert_eq!(catalogue.refusals["no_stone"].rule, "ST-01");
    let game = catalogue.game.as_ref().unwrap();
    assert_eq!(game.seat_range, (2, 2));
    assert_eq!(game.streams, ["deal", "draw"]);
    assert_eq!(game.presets["late"]["pace"], Value::from("fast"));
    assert_eq!(game.piles[0].visibility, Visibility::Owner);
    let BoardShape::Square {
        neighbours: 8,
        spaces: Some(spaces),
    } = &game.boards[0].shape
    else {
        panic!()
    };
    assert_eq!(spaces[..], [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    let BoardShape::Hex {
        spaces: Some(spaces), ..
    } = &game.boards[1].shape
    else {
        panic!()
    };
    assert_eq!(
        spaces[..],
        [(-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0)]
    );
    let fields: Vec<&str> = game.units["stones"]
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(fields, ["charge", "worn"]);
}

#[test]
fn a_hash_covers_content_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    let hash = || {
        loaded(folder.path(), &Selection::game("stones")).packs[0]
            .hash
            .clone()
    };
    let first = hash();
    assert_eq!(first.len(), 64);
    write(
        folder.path(),
        &[
            ("content/stones/stones/.#agate.toml", "x"),
            ("content/stones/notes.md", "x"),
        ],
    );
    assert_eq!(hash(), first);
    write(
        folder.path(),
        &[("content/stones/stones/agate.toml", "name = \"agate\"\n")],
    );
    assert_ne!(hash(), first);
}

#[test]
fn overlays_merge_and_remove() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    pack(
        folder.path(),
        "ember",
        "stones = \"1.0\"",
        &[
            (
                "overlay/stones/stones/flint.toml",
                "charge = 5\nremove = [\"next\"]\n[[ability]]\nid = \"spark\"\nreach = 3\n[[ability]]\nid = \"glow\"\n",
            ),
            ("overlay/stones/stones/flint.luau", "return {}"),
        ],
    );
    let plain = loaded(folder.path(), &Selection::game("stones"));
    assert_eq!(plain.kinds["stones"].entries[1].data["charge"], 2);
    let with = Selection {
        with: vec!["ember".into()],
        ..Selection::game("stones")
    };
    let catalogue = loaded(folder.path(), &with);
    let flint = &catalogue.kinds["stones"].entries[1];
    assert_eq!(
        flint.data,
        serde_json::json!({"name": "Flint", "charge": 5, "ability": [
            {"id": "spark", "text": "Within {reach}.", "reach": 3}, {"id": "glow"}]})
    );
    assert_eq!(
        flint.scripts,
        ["@stones/stones/flint", "@ember/overlay/stones/stones/flint"]
    );
    let at = catalogue.problem_at(flint, "ability.spark.reach", "check", "too far");
    assert_eq!(
        (at.file.as_str(), at.line, at.column),
        ("content/ember/overlay/stones/stones/flint.toml", 5, 1)
    );
    assert!(!locate(flint, "ability.spark.reahc").whole);
}

#[test]
fn unrelated_overlays_of_one_key_need_an_order() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    let change = |charge| format!("charge = {charge}\n");
    for (id, charge) in [("ash", 5), ("birch", 6)] {
        pack(
            folder.path(),
            id,
            "stones = \"1\"",
            &[("overlay/stones/stones/flint.toml", &change(charge))],
        );
    }
    pack(
        folder.path(),
        "grove",
        "ash = \"0.1\"\nbirch = \"0.1\"\nstones = \"1\"",
        &[],
    );
    let problems = load(&Sources::at(folder.path()), &Selection::game("grove")).unwrap_err();
    assert_eq!(
        text(&problems),
        "content/birch/overlay/stones/stones/flint.toml:1:10: error[overlay-conflict]: `birch` and `ash` both set \
         `charge` of `stones/flint`\n    \
         1 | charge = 6\n      |          ^\n  \
         content/ash/overlay/stones/stones/flint.toml:1:10: `ash` sets it here\n  \
         help: let one depend on the other, or name the later one last: --with ash --with birch\n"
    );
    let charge = |with: &[&str]| {
        let with = with.iter().map(|id| (*id).to_owned()).collect();
        let catalogue = loaded(
            folder.path(),
            &Selection {
                with,
                ..Selection::game("stones")
            },
        );
        catalogue.kinds["stones"].entries[1].data["charge"].clone()
    };
    assert_eq!(charge(&["ash", "birch"]), 6);
    assert_eq!(charge(&["birch", "ash"]), 5);
}

#[test]
fn dependencies_come_first_and_scenarios_bring_their_pack() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    let schema = r#"{"type": "object", "properties": {"title": {"type": "string"}}}"#;
    pack(
        folder.path(),
        "base",
        "",
        &[("schema/scenarios.schema.json", schema)],
    );
    pack(
        folder.path(),
        "arena",
        "base = \"0.1\"\nstones = \"1\"\ntactics = \"0.1\"",
        &[(
            "game.toml",
            "title = \"Arena\"\nstart = \"arena.go\"\nseats = [\"a\"]\n",
        )],
    );
    pack(
        folder.path(),
        "more",
        "arena = \"0.1\"\nbase = \"0.1\"",
        &[("scenarios/pit.toml", "title = \"Pit\"\n")],
    );
    let ids = |selection: &Selection| {
        let catalogue = loaded(folder.path(), selection);
        let ids: Vec<String> = catalogue.packs.iter().map(|pack| pack.id.clone()).collect();
        (ids.join(" "), catalogue.game.unwrap().pack)
    };
    assert_eq!(
        ids(&Selection::game("arena")),
        ("base stones arena".into(), "arena".into())
    );
    let scenario = Selection {
        scenario: Some("pit".into()),
        ..Selection::game("arena")
    };
    assert_eq!(ids(&scenario), ("base stones arena more".into(), "arena".into()));
    assert_eq!(
        ids(&Selection {
            scenario: Some("more:pit".into()),
            ..Selection::default()
        })
        .1,
        "arena"
    );
    let catalogue = loaded(folder.path(), &Selection::game("arena"));
    assert_eq!(catalogue.packs[2].depends, ["base", "stones", "tactics"]);
}

#[test]
fn a_broken_pack_hides_no_other() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    write(folder.path(), &[("content/bad/pack.toml", "id = \n")]);
    let catalogue = loaded(folder.path(), &Selection::game("stones"));
    assert_eq!(catalogue.warnings.len(), 1);
    assert_eq!(catalogue.warnings[0].file, "content/bad/pack.toml");
    let problems = load(&Sources::at(folder.path()), &Selection::game("bad")).unwrap_err();
    assert_eq!(problems[0].code, "toml-syntax");
}

#[test]
fn a_strangers_folder_may_have_any_name() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    stones(folder.path());
    fs::rename(
        folder.path().join("content/stones"),
        other.path().join("My Stones"),
    )
    .unwrap();
    let sources = Sources::at(folder.path()).with_pack(other.path().join("My Stones"));
    let catalogue = load(&sources, &Selection::game("stones")).unwrap();
    assert_eq!(
        catalogue.packs[0].folder.as_deref(),
        Some(&*other.path().join("My Stones"))
    );
}

#[test]
fn abilities_and_functions_match_both_ways() {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    let catalogue = loaded(folder.path(), &Selection::game("stones"));
    let flint = &catalogue.kinds["stones"].entries[1];
    let check = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        text(&ability_matches(&catalogue, flint, &names, |name| {
            name.starts_with("on_")
        }))
    };
    assert_eq!(check(&["spark", "on_turn"]), "");
    assert_eq!(
        check(&["sprak"]),
        "content/stones/stones/flint.toml:5:6: error[ability-without-function]: the ability `spark` has no function \
         in the script beside it\n    \
         5 | id = \"spark\"\n      |      ^^^^^^^\n  \
         help: did you mean `sprak`, which is in content/stones/stones/flint.luau?\n\
         content/stones/stones/flint.luau: error[function-without-ability]: the function `sprak` belongs to no \
         ability of `stones/flint`\n  help: did you mean `spark`?\n"
    );
}
