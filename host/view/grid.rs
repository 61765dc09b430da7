//! Hex and square boards as text, with coordinates at the edges (square) or in the spaces (hex).
use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr;

use super::board::Scene;
use super::style::pad;
use crate::tabletop::Space;
use crate::tabletop::board::{Lattice, Topology};

/// The most spaces that are drawn; a larger board is told by its legend alone.
const DRAWN: usize = 2_000;

/// The board, or its legend alone if it doesn't fit.
pub fn text(scene: &Scene, topology: &Topology) -> String {
    let spaces = shown(scene, topology);
    let hex = topology.lattice() == Some(Lattice::Hex);
    let drawn = if hex {
        hexagons(scene, topology, &spaces)
    } else {
        squares(scene, topology, &spaces)
    };
    let legend = scene.legend(topology.board());
    match drawn {
        Some(drawn) if hex || has_more_to_tell(scene, topology) => format!("{drawn}{legend}"),
        Some(drawn) => drawn,
        None => {
            let told = format!("  (the board doesn't fit into {} columns)", scene.style.width);
            format!("{}\n{legend}", scene.style.wrap(&told, 2))
        }
    }
}

/// Whether units have more to tell than their glyphs do.
fn has_more_to_tell(scene: &Scene, topology: &Topology) -> bool {
    let declared = scene.tabletop.declared();
    !declared.boards[topology.board() as usize].fields.is_empty()
        || scene.tabletop.units().any(|(_, unit)| {
            let kind = &declared.kinds[unit.kind as usize];
            unit.definition.is_some() || !kind.fields.is_empty() || !kind.faces.is_empty()
        })
}

/// The spaces to draw: all of a bounded board, else those in use with what surrounds them.
fn shown(scene: &Scene, topology: &Topology) -> Vec<Space> {
    let board = topology.board();
    if let Some(spaces) = topology.spaces().filter(|spaces| spaces.len() <= DRAWN) {
        return spaces;
    }
    let units = scene.units(board);
    let marked = scene.marked(board);
    let used = units
        .keys()
        .chain(&marked)
        .chain(scene.offered.iter().filter(|space| space.board == board));
    let mut near = BTreeSet::new();
    for space in used {
        near.insert(*space);
        near.extend(topology.neighbours(*space));
        if near.len() > DRAWN {
            return Vec::new();
        }
    }
    near.into_iter().collect()
}

fn bounds(values: impl Iterator<Item = i32> + Clone) -> Option<(i32, i32)> {
    Some((values.clone().min()?, values.max()?))
}

fn squares(scene: &Scene, topology: &Topology, spaces: &[Space]) -> Option<String> {
    let (left, right) = bounds(spaces.iter().map(|s| s.q))?;
    let (top, bottom) = bounds(spaces.iter().map(|s| s.r))?;
    let units = scene.units(topology.board());
    let marked = scene.marked(topology.board());
    let on_board: BTreeSet<Space> = spaces.iter().copied().collect();
    let label = |n: i32| n.to_string();
    let side = (top..=bottom).map(|r| label(r).width()).max()?;
    let widest = units
        .values()
        .map(|here| scene.glyph(here).0.width())
        .max()
        .unwrap_or(1);
    let wide = widest.max((left..=right).map(|q| label(q).width()).max()?).max(1);
    let columns = (right - left + 1) as usize;
    if side + 1 + columns * (wide + 1) > scene.style.width || columns * spaces.len().max(1) > DRAWN * 40 {
        return None;
    }
    let mut out = " ".repeat(side + 1);
    for q in left..=right {
        out += &format!(" {}", scene.style.paint("dim", &pad(&label(q), wide)));
    }
    out = out.trim_end().to_owned() + "\n";
    for r in top..=bottom {
        let name = label(r);
        let mut line = format!(
            "{}{} ",
            " ".repeat(side - name.width()),
            scene.style.paint("dim", &name)
        );
        for q in left..=right {
            let space = Space::new(q, r, topology.board());
            let (text, colour) = match units.get(&space) {
                Some(here) => scene.glyph(here),
                None if !on_board.contains(&space) => (String::new(), ""),
                None if scene.offered.contains(&space) => ("*".into(), "bold"),
                None if marked.contains(&space) => ("~".into(), "blue"),
                None => (scene.style.pick("·", ".").into(), "dim"),
            };
            let room = " ".repeat(wide.saturating_sub(text.width()));
            line += &format!(" {}{room}", scene.style.paint(colour, &text));
        }
        out += line.trim_end();
        out.push('\n');
    }
    Some(out)
}

/// Each hex shows its coordinates, or the glyph of what stands there.
fn hexagons(scene: &Scene, topology: &Topology, spaces: &[Space]) -> Option<String> {
    let units = scene.units(topology.board());
    let marked = scene.marked(topology.board());
    let flat = topology.is_flat();
    // Half columns across and rows down.
    let at = |s: &Space| {
        if flat {
            (s.q * 2, s.r * 2 + s.q)
        } else {
            (s.q * 2 + s.r, s.r)
        }
    };
    let (left, right) = bounds(spaces.iter().map(|s| at(s).0))?;
    let (top, bottom) = bounds(spaces.iter().map(|s| at(s).1))?;
    // With it the columns of its part before the middle: commas stand below each other, glyphs about them.
    let text = |space: &Space| match units.get(space) {
        Some(here) => {
            let (glyph, colour) = scene.glyph(here);
            let text = format!("[{glyph}]");
            let middle = text.width() / 2;
            (text, middle, colour)
        }
        None => {
            let (mark, colour) = match () {
                () if scene.offered.contains(space) => ("*", "bold"),
                () if marked.contains(space) => ("~", "blue"),
                () => ("", "dim"),
            };
            let before = space.q.to_string();
            (format!("{before},{}{mark}", space.r), before.width(), colour)
        }
    };
    let before = spaces.iter().map(|space| text(space).1).max()?;
    let parts = spaces.iter().map(text);
    let widest = before + parts.map(|(text, middle, _)| text.width() - middle).max()?;
    // A whole step across is two halves.
    let half = widest / 2 + 1;
    let width = (right - left) as usize * half + widest;
    if width > scene.style.width {
        return None;
    }
    let mut out = String::new();
    for row in top..=bottom {
        let mut here: Vec<&Space> = spaces.iter().filter(|space| at(space).1 == row).collect();
        here.sort_by_key(|space| at(space).0);
        let mut line = String::new();
        let mut column = 0;
        for space in here {
            let (text, middle, colour) = text(space);
            let goal = (at(space).0 - left) as usize * half + before - middle;
            line += &" ".repeat(goal.saturating_sub(column));
            column = goal.max(column) + text.width();
            line += &scene.style.paint(colour, &text);
        }
        out += line.trim_end();
        out.push('\n');
    }
    Some(out)
}
