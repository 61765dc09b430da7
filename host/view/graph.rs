//! A board of regions as text: a map with what lies there, or a list of the regions with their neighbours.
use std::collections::BTreeMap;

use super::board::Scene;
use super::clean::clean_line;
use super::map;
use crate::tabletop::board::{Graph, Topology};
use crate::tabletop::{Space, UnitId};

pub fn text(scene: &Scene, topology: &Topology) -> String {
    let Some(graph) = topology.graph() else {
        return String::new();
    };
    match map::text(scene, topology, graph) {
        Some(map) => map + &legend(scene, topology, graph),
        None => list(scene, topology, graph),
    }
}

/// What there is to tell of a region: its fields, then its units.
fn facts(scene: &Scene, units: &BTreeMap<Space, Vec<UnitId>>, space: Space) -> Vec<String> {
    let here = units.get(&space).into_iter().flatten();
    let mut facts = scene.fields(space);
    facts.extend(here.map(|id| scene.describe(*id)));
    facts
}

/// Under a map: the regions that have more to tell than is drawn.
fn legend(scene: &Scene, topology: &Topology, graph: &Graph) -> String {
    let units = scene.units(topology.board());
    let mut out = String::new();
    for (index, region) in graph.regions().iter().enumerate() {
        let space = Space::new(index as i32, 0, topology.board());
        let id = clean_line(&region.id);
        let facts = facts(scene, &units, space);
        let name = map::name(graph, index);
        // The words of an id are those of its label, or there is a word more to tell.
        let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
        let is_plain = plain(&name) == plain(&id);
        if facts.is_empty() && is_plain {
            continue;
        }
        let mut line = format!("  {id}");
        if !is_plain {
            line += &format!(" ({name})");
        }
        if !facts.is_empty() {
            line += &format!("  {}", facts.join("; "));
        }
        out += &scene.style.wrap(&line, 6);
        out.push('\n');
    }
    out
}

fn list(scene: &Scene, topology: &Topology, graph: &Graph) -> String {
    let units = scene.units(topology.board());
    let mut out = String::new();
    for (index, region) in graph.regions().iter().enumerate() {
        let space = Space::new(index as i32, 0, topology.board());
        let mark = if scene.offered.contains(&space) { "*" } else { " " };
        let mut line = format!("{mark} {}", scene.style.paint("bold", &clean_line(&region.id)));
        if region.label != region.id && !region.label.is_empty() {
            line += &format!(" ({})", clean_line(&region.label));
        }
        let near: Vec<String> = topology
            .neighbours(space)
            .map(|s| clean_line(&graph.regions()[s.q as usize].id))
            .collect();
        if !near.is_empty() {
            line += &format!(" {} {}", scene.style.pick("↔", "--"), near.join(", "));
        }
        let facts = facts(scene, &units, space);
        out += &scene.style.wrap(&line, 6);
        out.push('\n');
        for fact in facts {
            out += &scene.style.wrap(&format!("      {fact}"), 8);
            out.push('\n');
        }
    }
    out
}
