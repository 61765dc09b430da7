//! A board of regions as text: each region with its neighbours and what lies in it.
use super::board::Scene;
use super::clean::clean_line;
use super::pieces;
use crate::tabletop::Space;
use crate::tabletop::board::Topology;

pub fn text(scene: &Scene, topology: &Topology) -> String {
    let Some(graph) = topology.graph() else {
        return String::new();
    };
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
        let mut facts = scene.fields(space);
        for id in units.get(&space).into_iter().flatten() {
            let Some(unit) = scene.tabletop.unit(*id) else {
                continue;
            };
            let glyph = pieces::glyph(scene.tabletop, scene.catalogue, unit);
            let told = pieces::describe(scene.tabletop, scene.catalogue, scene.viewer, scene.style, *id);
            facts.push(format!("{glyph} {told}"));
        }
        out += &scene.style.wrap(&line, 6);
        out.push('\n');
        for fact in facts {
            out += &scene.style.wrap(&format!("      {fact}"), 8);
            out.push('\n');
        }
    }
    out
}
