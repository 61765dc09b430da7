//! Boards as text.
use std::collections::BTreeMap;

use super::style::Style;
use super::{Viewer, graph, grid, pieces, value};
use crate::pack::model::Catalogue;
use crate::tabletop::{Place, Space, Tabletop, UnitId, Value};

/// What drawing a board needs to know.
pub struct Scene<'a> {
    pub tabletop: &'a Tabletop,
    pub catalogue: &'a Catalogue,
    pub viewer: &'a Viewer,
    pub style: Style,
    /// Spaces that are options of the open decision.
    pub offered: &'a [Space],
}

impl Scene<'_> {
    /// Units of a board by space, in order of id.
    pub(super) fn units(&self, board: u8) -> BTreeMap<Space, Vec<UnitId>> {
        let mut units: BTreeMap<Space, Vec<UnitId>> = BTreeMap::new();
        for (id, unit) in self.tabletop.units() {
            if let Place::Board(space) = unit.place
                && space.board == board
            {
                units.entry(space).or_default().push(id);
            }
        }
        units
    }

    /// The glyph of the unit that stands for a space's units: the latest, with `+` if there are more.
    pub(super) fn glyph(&self, units: &[UnitId]) -> (String, &str) {
        let Some(unit) = units.last().and_then(|id| self.tabletop.unit(*id)) else {
            return (String::new(), "");
        };
        let mut glyph = pieces::glyph(self.tabletop, self.catalogue, unit);
        if units.len() > 1 {
            glyph.push('+');
        }
        (glyph, pieces::colour(self.tabletop, self.catalogue, unit))
    }

    /// Fields of a space that aren't at their defaults: `terrain water`.
    pub(super) fn fields(&self, space: Space) -> Vec<String> {
        let fields = &self.tabletop.declared().boards[space.board as usize].fields;
        let mut told = Vec::new();
        for (slot, field) in fields.iter().enumerate() {
            let value = self.tabletop.space_field(space, slot as u16);
            if value != field.default && !matches!(value, Value::List(_) | Value::Map(_)) {
                let text = super::clean::clean_line(&value::text(self.tabletop, self.viewer, &value));
                told.push(format!("{} {text}", field.name));
            }
        }
        told
    }

    /// A unit's glyph and what is told of it.
    pub(super) fn describe(&self, id: UnitId) -> String {
        let unit = self.tabletop.unit(id);
        let glyph = unit.map_or_else(String::new, |u| pieces::glyph(self.tabletop, self.catalogue, u));
        let told = pieces::describe(self.tabletop, self.catalogue, self.viewer, self.style, id);
        format!("{glyph} {told}")
    }

    /// Spaces of a board with fields that aren't at their defaults.
    pub(super) fn marked(&self, board: u8) -> Vec<Space> {
        let set = self.tabletop.marked_spaces().into_iter().map(|(space, ..)| space);
        let mut spaces: Vec<Space> = set.filter(|space| space.board == board).collect();
        spaces.dedup();
        spaces.retain(|space| !self.fields(*space).is_empty());
        spaces
    }

    /// One line for each occupied or marked space of a board.
    pub(super) fn legend(&self, board: u8) -> String {
        let units = self.units(board);
        let mut spaces: Vec<Space> = units.keys().copied().collect();
        spaces.extend(self.marked(board));
        spaces.sort_unstable();
        spaces.dedup();
        let mut out = String::new();
        for space in spaces {
            let here = units.get(&space).map_or(&[][..], |list| list);
            let mut facts = self.fields(space);
            facts.extend(here.iter().map(|id| self.describe(*id)));
            let line = format!("  {}  {}", value::space(self.tabletop, space), facts.join("; "));
            out += &self.style.wrap(&line, 6);
            out.push('\n');
        }
        out
    }
}

/// Every board with what lies on it.
pub fn text(scene: &Scene) -> String {
    let mut out = String::new();
    let boards = &scene.tabletop.declared().topologies;
    for topology in boards {
        if boards.len() > 1 {
            out += &format!("{}\n", scene.style.paint("bold", topology.name()));
        }
        if topology.graph().is_some() {
            out += &graph::text(scene, topology);
        } else {
            out += &grid::text(scene, topology);
        }
    }
    out
}
