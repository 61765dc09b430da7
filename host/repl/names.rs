//! The names that exist at a moment: of the API, of the game, and of the console's own variables.
use std::collections::BTreeMap;

use super::{help, library};
use crate::script::api::records;
use crate::script::console::Console;
use crate::session::Recorded;
use crate::tabletop::Tabletop;

/// A snapshot, so that completion needs no running game.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Globals and variables.
    pub globals: Vec<String>,
    /// What stands after `name.`.
    pub members: BTreeMap<String, Vec<String>>,
    /// Fields of units, of any kind.
    pub fields: Vec<String>,
    pub unit_methods: Vec<String>,
    pub pile_methods: Vec<String>,
    /// Variables that hold a pile.
    pub piles: Vec<String>,
    /// What texts may say: unit keys, definitions, kinds, steps, streams, dice, spaces of decisions.
    pub texts: Vec<String>,
    /// Keys that answer the open decision.
    pub options: Vec<String>,
    pub kinds: Vec<String>,
    /// What `:help` knows.
    pub help: Vec<String>,
}

/// Properties of every unit.
const UNIT: [&str; 11] = [
    "id", "key", "kind", "def", "name", "side", "space", "pile", "position", "facing", "face",
];

impl Names {
    pub(super) fn of(table: &mut Recorded, console: &Console) -> Self {
        let catalogue = table.session().catalogue().clone();
        let decision = table.session().decision().ok();
        let program = table.session().program();
        let mut names = Self {
            members: program.globals(),
            ..Self::default()
        };
        names.globals = names.members.keys().cloned().collect();
        let tabletop = program.tabletop();
        names.read_tabletop(tabletop);
        names.members.insert(
            "options".into(),
            program.world_mut().options.keys().cloned().collect(),
        );
        for (variable, kind) in program.variables(console) {
            match kind {
                "unit" => drop(names.members.insert(variable.clone(), names.fields.clone())),
                "pile" => names.piles.push(variable.clone()),
                _ => {}
            }
            names.globals.push(variable);
        }
        names
            .texts
            .extend(program.world_mut().steps.iter().map(|step| step.to_string()));
        let method = |prefix: &'static str| {
            let own = records().filter_map(move |r| r.name.strip_prefix(prefix));
            own.map(str::to_owned).collect::<Vec<_>>()
        };
        (names.unit_methods, names.pile_methods) = (method("unit:"), method("pile:"));
        names.options = decision
            .map(|open| open.options.iter().map(|o| o.key.clone()).collect())
            .unwrap_or_default();
        let modules = library::modules(&catalogue);
        names.texts.extend(modules.iter().map(|module| module.id.clone()));
        names.help = help::names().collect();
        for module in modules {
            names.help.push(module.id);
            names
                .help
                .extend(module.functions.into_iter().map(|function| function.name));
        }
        for list in [&mut names.globals, &mut names.texts, &mut names.help] {
            list.sort();
            list.dedup();
        }
        names
    }

    fn read_tabletop(&mut self, tabletop: &Tabletop) {
        let declared = tabletop.declared();
        let fields = |kind: usize| declared.kinds[kind].fields.iter().map(|f| f.name.to_string());
        self.members.insert("game".into(), fields(0).collect());
        self.members.insert(
            "piles".into(),
            declared.piles.iter().map(|p| p.name.to_string()).collect(),
        );
        self.piles = declared
            .piles
            .iter()
            .map(|p| format!("piles.{}", p.name))
            .collect();
        self.fields = UNIT.iter().map(|name| (*name).to_owned()).collect();
        self.fields.extend((1..declared.kinds.len()).flat_map(fields));
        self.fields.sort();
        self.fields.dedup();
        self.kinds = declared
            .kinds
            .iter()
            .skip(1)
            .map(|k| k.name.to_string())
            .collect();
        self.texts = self.kinds.clone();
        self.texts
            .extend(tabletop.units().map(|(id, _)| tabletop.unit_key(id)));
        let references = declared
            .definitions
            .iter()
            .filter_map(|d| d.reference.split_once(':'));
        self.texts
            .extend(references.map(|(_, reference)| reference.to_owned()));
        self.texts
            .extend(declared.streams.iter().map(ToString::to_string));
        self.texts
            .extend(declared.dice.iter().map(|d| d.name.to_string()));
        self.texts.extend(declared.seats.iter().map(ToString::to_string));
        let spaces = declared
            .boards
            .iter()
            .flat_map(|b| b.fields.iter().map(|f| f.name.to_string()));
        self.texts.extend(spaces);
    }
}
