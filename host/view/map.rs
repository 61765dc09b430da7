//! A board of regions drawn as a map: each where its position says, joined by lines.
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::board::Scene;
use super::clean::clean_line;
use super::style::Style;
use crate::tabletop::Space;
use crate::tabletop::board::{Graph, Topology};

/// More regions are told as a list.
const MOST: usize = 60;
/// Lines that a map may take.
const TALLEST: usize = 36;
/// A character is about so many times as high as it is wide.
const ASPECT: f64 = 2.2;
/// Columns and lines that stay free between two regions.
const APART: (i32, i32) = (5, 1);

/// What is written at a region: its name, and the glyphs of what lies there.
struct Label {
    name: String,
    /// Glyphs with their colours.
    glyphs: Vec<(String, String)>,
    width: i32,
    height: i32,
    offered: bool,
}

/// Where a region's text stands; `right` and `bottom` belong to it.
#[derive(Clone, Copy)]
struct Area {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    middle: i32,
}

/// The map; `None` if the regions have no positions of their own or it doesn't fit.
pub fn text(scene: &Scene, topology: &Topology, graph: &Graph) -> Option<String> {
    let regions = graph.regions();
    let at: Vec<(f64, f64)> = regions.iter().map(|region| region.at).collect();
    let apart = |a: usize| (0..a).all(|b| at[a] != at[b]);
    if regions.len() < 2 || regions.len() > MOST || !(0..regions.len()).all(apart) {
        return None;
    }
    let labels = labels(scene, topology, graph);
    let areas = layout(&at, &labels, scene.style.width as i32)?;
    let mut canvas = Canvas::over(&areas);
    let mut behind = Vec::new();
    for (a, from) in areas.iter().enumerate() {
        for b in graph
            .neighbours(a as i32)
            .iter()
            .map(|b| *b as usize)
            .filter(|b| *b > a)
        {
            if !canvas.join(*from, areas[b], &areas, scene.style) {
                behind.push(format!(
                    "{} {} {}",
                    name(graph, a),
                    scene.style.pick("↔", "--"),
                    name(graph, b)
                ));
            }
        }
    }
    for (label, area) in labels.iter().zip(&areas) {
        let mark = if label.offered { "*" } else { "" };
        canvas.write(area.left, area.top, &format!("{mark}{}", label.name), "bold");
        let mut column = area.left;
        for (glyph, colour) in &label.glyphs {
            canvas.write(column, area.bottom, glyph, colour);
            column += glyph.width() as i32 + 1;
        }
    }
    let mut out = canvas.text(scene.style);
    if !behind.is_empty() {
        // Their lines would pass behind a third region.
        out += &scene
            .style
            .wrap(&format!("also joined: {}", behind.join(", ")), 2);
        out.push('\n');
    }
    Some(out)
}

/// What people call a region.
pub fn name(graph: &Graph, index: usize) -> String {
    let region = &graph.regions()[index];
    clean_line(if region.label.is_empty() {
        &region.id
    } else {
        &region.label
    })
}

fn labels(scene: &Scene, topology: &Topology, graph: &Graph) -> Vec<Label> {
    let units = scene.units(topology.board());
    let label = |index: usize| {
        let space = Space::new(index as i32, 0, topology.board());
        let here = units.get(&space).map_or(&[][..], |here| here);
        let mut name = name(graph, index);
        if !scene.fields(space).is_empty() {
            name += " ~";
        }
        let offered = scene.offered.contains(&space);
        let least = (name.width() + usize::from(offered)).max(11);
        let mut glyphs: Vec<(String, String)> = Vec::new();
        let mut width = 0;
        for (number, id) in here.iter().enumerate() {
            let (glyph, colour) = scene.glyph(&[*id]);
            let left = here.len() - number;
            // Room stays for what says how many more there are.
            if width + glyph.width() + if left > 1 { 4 } else { 0 } > least {
                let more = format!("+{left}");
                width += more.width() + 1;
                glyphs.push((more, String::new()));
                break;
            }
            width += glyph.width() + 1;
            glyphs.push((glyph, colour.to_owned()));
        }
        let width = (name.width() + usize::from(offered)).max(width.saturating_sub(1));
        Label {
            height: if glyphs.is_empty() { 1 } else { 2 },
            width: width as i32,
            name,
            glyphs,
            offered,
        }
    };
    (0..graph.regions().len()).map(label).collect()
}

/// The areas at the smallest scale at which no two touch, nearly as wide as high; `None` if they don't fit.
fn layout(at: &[(f64, f64)], labels: &[Label], width: i32) -> Option<Vec<Area>> {
    let range = |values: &dyn Fn(&(f64, f64)) -> f64| {
        let (low, high) = at
            .iter()
            .map(values)
            .fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        (low, high - low)
    };
    let ((left, across), (top, down)) = (range(&|p| p.0), range(&|p| p.1));
    let mut best: Option<(f64, Vec<Area>)> = None;
    for height in 0..=TALLEST {
        let lines = if down > 0.0 { height as f64 / down } else { 0.0 };
        for step in 0..12 {
            let stretch = 0.6 * 1.3_f64.powi(step);
            let columns = match (down > 0.0, across > 0.0) {
                (_, false) => 0.0,
                (true, true) => lines * ASPECT * stretch,
                (false, true) => height as f64 * 4.0 / across,
            };
            let cost = height as f64 * 0.2 + stretch.ln().abs() * if stretch < 1.0 { 3.0 } else { 1.5 };
            if best.as_ref().is_some_and(|(least, _)| *least <= cost) {
                continue;
            }
            let place = |((x, y), label): (&(f64, f64), &Label)| {
                let middle = ((x - left) * columns).round() as i32;
                let top = ((y - top) * lines).round() as i32;
                Area {
                    left: middle - label.width / 2,
                    right: middle - label.width / 2 + label.width - 1,
                    top,
                    bottom: top + label.height - 1,
                    middle,
                }
            };
            let mut areas: Vec<Area> = at.iter().zip(labels).map(place).collect();
            let edge = areas.iter().map(|area| area.left).min()?;
            for area in &mut areas {
                // Two columns as every board is indented, and no column less than zero.
                area.left += 2 - edge;
                area.right += 2 - edge;
                area.middle += 2 - edge;
            }
            let fits = areas.iter().all(|area| area.right < width);
            if fits && (0..areas.len()).all(|a| (0..a).all(|b| are_apart(areas[a], areas[b]))) {
                best = Some((cost, areas));
            }
        }
    }
    best.map(|(_, areas)| areas)
}

fn are_apart(a: Area, b: Area) -> bool {
    let across = a.left > b.right + APART.0 || b.left > a.right + APART.0;
    let down = a.top > b.bottom + APART.1 || b.top > a.bottom + APART.1;
    across || down
}

impl Area {
    /// Whether a character is of the text or touches it sideways.
    fn holds(self, x: i32, y: i32) -> bool {
        (self.left - 1..=self.right + 1).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// Characters with their colours, line by line.
struct Canvas {
    lines: Vec<Vec<(String, String)>>,
}

impl Canvas {
    fn over(areas: &[Area]) -> Self {
        let width = areas.iter().map(|area| area.right + 1).max().unwrap_or(0);
        let height = areas.iter().map(|area| area.bottom + 1).max().unwrap_or(0);
        let blank = (" ".to_owned(), String::new());
        Self {
            lines: vec![vec![blank; width as usize]; height as usize],
        }
    }

    fn at(&mut self, x: i32, y: i32) -> Option<&mut (String, String)> {
        let line = self.lines.get_mut(usize::try_from(y).ok()?)?;
        line.get_mut(usize::try_from(x).ok()?)
    }

    fn write(&mut self, left: i32, y: i32, text: &str, colour: &str) {
        let mut x = left;
        for c in text.chars() {
            let width = c.width().unwrap_or(0);
            if width == 0 {
                // It belongs to the character before.
                if let Some(here) = self.at(x - 1, y) {
                    here.0.push(c);
                }
                continue;
            }
            if let Some(here) = self.at(x, y) {
                *here = (c.into(), colour.into());
            }
            for beside in 1..width as i32 {
                if let Some(here) = self.at(x + beside, y) {
                    here.0.clear();
                }
            }
            x += width as i32;
        }
    }

    /// Draws the line between two areas; false, and nothing drawn, if a third one lies in its way.
    fn join(&mut self, a: Area, b: Area, all: &[Area], style: Style) -> bool {
        // From the line of each that is nearest to the other.
        let (x0, y0) = (a.middle, b.top.clamp(a.top, a.bottom));
        let (x1, y1) = (b.middle, a.top.clamp(b.top, b.bottom));
        let (across, down) = (x1 - x0, y1 - y0);
        let steps = across.abs().max(down.abs());
        let point = |step: i32| {
            let part =
                |length: i32| (f64::from(length) * f64::from(step) / f64::from(steps.max(1))).round() as i32;
            (x0 + part(across), y0 + part(down))
        };
        let path: Vec<(i32, i32)> = (0..=steps)
            .map(point)
            .filter(|(x, y)| !a.holds(*x, *y) && !b.holds(*x, *y))
            .collect();
        if path
            .iter()
            .any(|(x, y)| all.iter().any(|area| area.holds(*x, *y)))
        {
            return false;
        }
        let falls = (across > 0) == (down > 0);
        for (number, (x, y)) in path.iter().enumerate() {
            let (next_x, next_y) = path.get(number + 1).copied().unwrap_or(if number > 0 {
                // The last one goes on as it came.
                (2 * x - path[number - 1].0, 2 * y - path[number - 1].1)
            } else {
                (x + across.signum(), y + down.signum())
            });
            let sign = match (next_x != *x, next_y != *y) {
                (true, true) if falls => style.pick("╲", "\\"),
                (true, true) => style.pick("╱", "/"),
                (true, false) => style.pick("─", "-"),
                (false, _) => style.pick("│", "|"),
            };
            if let Some(here) = self.at(*x, *y) {
                let crossed = here.0 != " " && here.0 != sign;
                let sign = if crossed { style.pick("┼", "+") } else { sign };
                *here = (sign.into(), "dim".into());
            }
        }
        true
    }

    fn text(&self, style: Style) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let end = line
                .iter()
                .rposition(|(text, _)| text.trim() != "")
                .map_or(0, |at| at + 1);
            for run in line[..end].chunk_by(|a, b| a.1 == b.1) {
                let text: String = run.iter().map(|(text, _)| text.as_str()).collect();
                out += &style.paint(&run[0].1, &text);
            }
            out.push('\n');
        }
        out
    }
}
