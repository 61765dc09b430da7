//! What loading yields: plain data that the script layer and the tabletop are built from.
use std::collections::BTreeMap;
use std::sync::Arc;

use super::diagnostic::Diagnostic;
use super::files::{Files, Place, SourceFile};
use super::node::Node;
use crate::tabletop::{Value, ValueType};

/// Everything that a session's active packs define. Immutable; a reload builds a new one.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Active packs in activation order: dependencies first, the game's own after its dependencies.
    pub packs: Vec<PackInfo>,
    /// Entries by kind (`cards`), then in order of pack depth and id.
    pub kinds: BTreeMap<String, Kind>,
    pub game: Option<GameDef>,
    /// From every `rules.toml`, by rule id.
    pub rules: BTreeMap<String, RuleText>,
    /// Refusal codes, by code.
    pub refusals: BTreeMap<String, Refusal>,
    /// Every Luau file of the active packs and of `scripts/`, by chunk name `@pack/path` without `.luau`.
    pub scripts: BTreeMap<String, Script>,
    /// The folders of `scripts/` (`std`, `tactics`): modules that every pack may declare, `std` undeclared.
    pub libraries: Vec<PackInfo>,
    /// What didn't stop the load, in stable order.
    pub warnings: Vec<Diagnostic>,
    /// The texts that places refer to.
    pub files: Arc<Files>,
}

impl Catalogue {
    /// The files of two loads that differ, as messages show them, sorted.
    pub fn changed_files(&self, other: &Self) -> Vec<String> {
        let texts = |catalogue: &Self| -> BTreeMap<String, Arc<str>> {
            let scripts = catalogue
                .scripts
                .values()
                .map(|s| (s.file.clone(), s.source.clone()));
            let others = catalogue.files.iter().map(|f| (f.name.clone(), f.text.clone()));
            others.chain(scripts).collect()
        };
        let (old, new) = (texts(self), texts(other));
        let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        names
            .into_iter()
            .filter(|name| old.get(*name) != new.get(*name))
            .cloned()
            .collect()
    }
}

#[derive(Clone, Debug, Default)]
pub struct PackInfo {
    pub id: String,
    pub version: String,
    pub title: String,
    pub authors: Vec<String>,
    /// An SPDX expression, or empty.
    pub licence: String,
    /// Hex SHA-256 over the pack's files (relative path and content), in path order.
    pub hash: String,
    /// Ids of the packs and libraries whose modules this one may require, besides itself and `std`.
    pub depends: Vec<String>,
    /// Module paths (`rules`, `rules/cards`) that dependents may require.
    pub exports: Vec<String>,
    /// The folder, for reading and watching; `None` for content carried in the binary.
    pub folder: Option<std::path::PathBuf>,
}

/// A Luau source file.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// `rove-modules`, or `std`, `tactics`.
    pub pack: String,
    /// `@rove-modules/rules/turn.luau`: the chunk name in every message.
    pub chunk: String,
    /// `content/rove-modules/rules/turn.luau`: the file as messages show it.
    pub file: String,
    pub source: Arc<str>,
    /// Whether it lies in the pack's `tests/`.
    pub test: bool,
}

impl Script {
    /// The text with its name, for diagnostics.
    pub fn source_file(&self) -> SourceFile {
        SourceFile::new(&*self.file, &*self.pack, self.source.clone())
    }
}

/// A kind of definition: a folder of TOML files and its schema.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    pub name: String,
    /// Fields that the schema marks `x-unit`: copied to each unit of the kind, journaled there.
    pub unit_fields: Vec<FieldDef>,
    /// The pack that holds the schema.
    pub pack: String,
    pub entries: Vec<Arc<Entry>>,
}

/// One TOML definition after overlays.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    pub pack: String,
    pub kind: String,
    pub id: String,
    /// The checked table; `id`, `kind` and `pack` are not in it.
    pub data: serde_json::Value,
    /// Keys in `Catalogue::scripts` of the Luau file beside it, if there is one, and of overlays' files,
    /// base first.
    pub scripts: Vec<String>,
    /// `content/rove-modules/cards/gate.toml`, for messages.
    pub file: String,
    /// The same table with places, for [`super::locate`].
    pub source: Arc<Node>,
}

/// A declared, typed field of a unit, of a space or of the game itself.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldDef {
    pub name: String,
    pub kind: ValueType,
    pub default: Value,
    pub doc: String,
}

/// `game.toml`.
#[derive(Clone, Debug, Default)]
pub struct GameDef {
    /// The id of the pack that holds it.
    pub pack: String,
    pub title: String,
    pub summary: String,
    /// Name of the first agenda step, such as `rove.setup`.
    pub start: String,
    /// Where it is written.
    pub start_place: Place,
    /// Seat names in order. `seat_range` says how many of them may play.
    pub seats: Vec<String>,
    pub seat_range: (usize, usize),
    pub options: Vec<OptionDef>,
    /// Preset id to the option values it sets.
    pub presets: BTreeMap<String, BTreeMap<String, Value>>,
    /// Fields of `game`.
    pub fields: Vec<FieldDef>,
    pub boards: Vec<BoardDef>,
    pub piles: Vec<PileDef>,
    pub dice: Vec<DieDef>,
    /// Names of the dice streams, in order of declaration.
    pub streams: Vec<String>,
    /// Kinds of units: those with `x-unit` fields, and those declared here; by name.
    pub units: BTreeMap<String, UnitDef>,
    /// Metric names for `sim`: fields of `game` that it aggregates.
    pub metrics: Vec<String>,
    /// `rules` module that concede calls: result that a concede maps to, by default `lost`.
    pub concede: String,
}

/// A typed option: `--set name=value`.
#[derive(Clone, Debug)]
pub struct OptionDef {
    pub name: String,
    pub kind: ValueType,
    pub default: Value,
    /// Allowed values; empty for any.
    pub values: Vec<Value>,
    pub doc: String,
}

#[derive(Clone, Debug)]
pub struct BoardDef {
    pub name: String,
    pub shape: BoardShape,
    /// Fields of each space, such as `terrain`.
    pub fields: Vec<FieldDef>,
}

/// A board's topology as declared.
#[derive(Clone, Debug)]
pub enum BoardShape {
    /// `flat` tells only how it is drawn. `spaces` is `None` for an unbounded board.
    Hex {
        flat: bool,
        spaces: Option<Vec<(i32, i32)>>,
    },
    /// `neighbours` is 4 or 8.
    Square {
        neighbours: u8,
        spaces: Option<Vec<(i32, i32)>>,
    },
    /// Regions with where to draw them, and the edges between them (by index).
    Graph {
        regions: Vec<Region>,
        edges: Vec<(usize, usize)>,
    },
}

#[derive(Clone, Debug)]
pub struct Region {
    pub id: String,
    pub label: String,
    pub at: (f64, f64),
}

#[derive(Clone, Debug)]
pub struct PileDef {
    pub name: String,
    pub visibility: Visibility,
    /// The seat that `owner` means.
    pub owner: Option<String>,
}

/// Who sees the cards of a pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    All,
    None,
    Owner,
    /// Everybody sees the top card only.
    Top,
}

#[derive(Clone, Debug)]
pub struct DieDef {
    pub name: String,
    pub faces: Vec<Value>,
}

#[derive(Clone, Debug, Default)]
pub struct UnitDef {
    pub name: String,
    pub fields: Vec<FieldDef>,
    /// How it looks in text, at most three columns: a template.
    pub glyph: ByFace,
    pub colour: ByFace,
    /// What is told of it beside its name: a template.
    pub tells: ByFace,
    /// Names of its faces, if any: `["active", "spent"]`; a unit starts on the first.
    pub faces: Vec<String>,
}

/// A text of a kind of units: one for every face, or one for each.
#[derive(Clone, Debug, Default)]
pub struct ByFace {
    pub every: String,
    pub faces: BTreeMap<String, String>,
}

impl ByFace {
    /// The text for a face, empty if there is none.
    pub fn of(&self, face: Option<&str>) -> &str {
        face.and_then(|face| self.faces.get(face)).unwrap_or(&self.every)
    }
}

#[derive(Clone, Debug)]
pub struct RuleText {
    pub id: String,
    pub text: String,
    pub ruling: bool,
}

/// A refusal code's message and the rule that it comes from.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: String,
    pub rule: String,
    pub text: String,
}
