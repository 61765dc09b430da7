//! The boards that `game.toml` declares: their spaces as sorted lists, regions and edges.
use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::Diagnostic;
use super::fields;
use super::files::Place;
use super::model::{BoardDef, BoardShape, Region};
use super::names;
use super::node::{Node, Pair};
use super::read::Reading;
use crate::tabletop::space::COORDINATE_LIMIT;

/// The most spaces of a bounded board, and the most boards.
const SPACE_LIMIT: i64 = 1_000_000;
const BOARD_LIMIT: usize = 256;

/// Reads the boards in order of declaration.
pub fn read(table: Option<&Node>, reading: &mut Reading) -> Vec<BoardDef> {
    let pairs = table.map(Node::pairs).unwrap_or_default();
    if let Some(pair) = pairs.get(BOARD_LIMIT) {
        let message = format!("there are more than {BOARD_LIMIT} boards");
        reading.problem(Diagnostic::at(
            &reading.files,
            "too-many-boards",
            pair.place,
            message,
        ));
    }
    pairs.iter().map(|pair| board(pair, reading)).collect()
}

fn board(pair: &Pair, reading: &mut Reading) -> BoardDef {
    let node = &pair.value;
    let topology = node.get("topology").and_then(Node::text).unwrap_or("square");
    let own: &[&str] = match topology {
        "hex" => &["flat", "size", "radius", "spaces"],
        "graph" => &["regions", "edges"],
        _ => &["neighbours", "size", "spaces"],
    };
    for key in [
        "flat",
        "neighbours",
        "size",
        "radius",
        "spaces",
        "regions",
        "edges",
    ] {
        if let Some(found) = node.pair(key).filter(|_| !own.contains(&key)) {
            let message = format!("a {topology} board has no `{key}`");
            let problem = Diagnostic::at(&reading.files, "unknown-key", found.place, message);
            reading.problem(problem.help(format!("it may have {}", names::list(own.iter().copied()))));
        }
    }
    let shape = match topology {
        "hex" => {
            let flat = node.get("flat").and_then(Node::boolean).unwrap_or(false);
            BoardShape::Hex {
                flat,
                spaces: spaces(node, own, reading),
            }
        }
        "graph" => graph(pair, reading),
        _ => {
            let neighbours = if node.get("neighbours").and_then(Node::integer) == Some(8) {
                8
            } else {
                4
            };
            BoardShape::Square {
                neighbours,
                spaces: spaces(node, own, reading),
            }
        }
    };
    BoardDef {
        name: pair.key.clone(),
        shape,
        fields: fields::read(node.get("fields"), &[], reading),
    }
}

/// The spaces of a bounded board, sorted; `None` if nothing bounds it.
fn spaces(node: &Node, own: &[&str], reading: &mut Reading) -> Option<Vec<(i32, i32)>> {
    let bounds = ["size", "radius", "spaces"]
        .into_iter()
        .filter(|key| own.contains(key));
    let given: Vec<&Pair> = bounds.filter_map(|key| node.pair(key)).collect();
    if let [first, second, ..] = given[..] {
        let message = format!(
            "`{}` and `{}` both say which spaces there are",
            first.key, second.key
        );
        let problem = Diagnostic::at(&reading.files, "two-bounds", second.place, message);
        reading.problem(problem.help("keep one of them"));
    }
    let mut list: Vec<(i32, i32)> = Vec::new();
    match given.first()?.key.as_str() {
        "size" => {
            let size = node.get("size")?;
            let sides: Vec<i64> = size.items().iter().filter_map(Node::integer).collect();
            let [width, height] = sides[..] else { return None };
            if width < 1 || height < 1 || width.saturating_mul(height) > SPACE_LIMIT {
                if width > 0 && height > 0 {
                    let message = format!("the board has more than {SPACE_LIMIT} spaces");
                    reading.problem(Diagnostic::at(
                        &reading.files,
                        "too-many-spaces",
                        size.place,
                        message,
                    ));
                }
                return None;
            }
            list.extend((0..width as i32).flat_map(|q| (0..height as i32).map(move |r| (q, r))));
        }
        "radius" => {
            let radius = node
                .get("radius")?
                .integer()
                .filter(|radius| (0..=500).contains(radius))? as i32;
            for q in -radius..=radius {
                list.extend(((-radius).max(-q - radius)..=radius.min(radius - q)).map(|r| (q, r)));
            }
        }
        _ => {
            let mut places: BTreeMap<(i32, i32), Place> = BTreeMap::new();
            for item in node.get("spaces")?.items() {
                let Some(text) = item.text() else { continue };
                let Some(space) = parse_space(text) else {
                    let message = format!("`{text}` isn't a space");
                    let problem = Diagnostic::at(&reading.files, "bad-space", item.place, message);
                    let help = format!("write \"(q,r)\" with whole numbers within {COORDINATE_LIMIT}");
                    reading.problem(problem.help(help));
                    continue;
                };
                match places.get(&space) {
                    Some(first) => {
                        let message = format!("the space `{text}` is listed twice");
                        let problem = Diagnostic::at(&reading.files, "duplicate-space", item.place, message);
                        reading.problem(problem.related(&reading.files, *first, "the first"));
                    }
                    None => _ = places.insert(space, item.place),
                }
            }
            list.extend(places.into_keys());
        }
    }
    Some(list)
}

/// `(3,-1)`, with or without spaces around the numbers.
fn parse_space(text: &str) -> Option<(i32, i32)> {
    let (q, r) = text
        .trim()
        .strip_prefix('(')?
        .strip_suffix(')')?
        .split_once(',')?;
    let number = |text: &str| {
        text.trim()
            .parse()
            .ok()
            .filter(|n: &i32| n.abs() <= COORDINATE_LIMIT)
    };
    Some((number(q)?, number(r)?))
}

fn graph(pair: &Pair, reading: &mut Reading) -> BoardShape {
    let node = &pair.value;
    if node.get("regions").is_none() {
        let message = format!("the graph board `{}` has no regions", pair.key);
        let problem = Diagnostic::at(&reading.files, "missing-key", pair.place, message);
        reading.problem(problem.help(format!("write [[boards.{}.regions]] with an `id` each", pair.key)));
    }
    let mut regions: Vec<Region> = Vec::new();
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    for item in node.get("regions").map(Node::items).unwrap_or_default() {
        let Some((id, place)) = item
            .get("id")
            .and_then(|id| Some((id.text()?.to_owned(), id.place)))
        else {
            continue;
        };
        if let Some(first) = places.insert(id.clone(), place) {
            let message = format!("the region `{id}` is declared twice");
            let problem = Diagnostic::at(&reading.files, "duplicate-id", place, message);
            reading.problem(problem.related(&reading.files, first, "the first"));
            continue;
        }
        let label = item.get("label").and_then(Node::text).unwrap_or(&id).to_owned();
        let at: Vec<f64> = item
            .get("at")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::number)
            .collect();
        let at = if let [x, y] = at[..] {
            (x, y)
        } else {
            (regions.len() as f64, 0.0)
        };
        regions.push(Region { id, label, at });
    }
    let mut edges = Vec::new();
    let mut seen = BTreeSet::new();
    for edge in node.get("edges").map(Node::items).unwrap_or_default() {
        let ends: Vec<Option<usize>> = edge
            .items()
            .iter()
            .map(|end| region(end, &regions, reading))
            .collect();
        let [Some(from), Some(to)] = ends[..] else {
            continue;
        };
        if from == to {
            let message = format!("the edge joins `{}` to itself", regions[from].id);
            reading.problem(Diagnostic::at(&reading.files, "bad-edge", edge.place, message));
        } else if !seen.insert((from.min(to), from.max(to))) {
            let message = format!("`{}` and `{}` are joined twice", regions[from].id, regions[to].id);
            let problem = Diagnostic::at(&reading.files, "bad-edge", edge.place, message);
            reading.problem(problem.help("an edge goes both ways; delete one"));
        } else {
            edges.push((from, to));
        }
    }
    BoardShape::Graph { regions, edges }
}

fn region(end: &Node, regions: &[Region], reading: &mut Reading) -> Option<usize> {
    let id = end.text()?;
    let found = regions.iter().position(|region| region.id == id);
    if found.is_none() {
        let help = names::did_you_mean(id, regions.iter().map(|region| region.id.as_str()));
        let problem = Diagnostic::at(
            &reading.files,
            "unknown-region",
            end.place,
            format!("there is no region `{id}`"),
        );
        reading.problem(problem.maybe_help(help));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_two_numbers_in_brackets() {
        assert_eq!(parse_space("(3,-1)"), Some((3, -1)));
        assert_eq!(parse_space(" ( 3 , -1 ) "), Some((3, -1)));
        for wrong in ["3,1", "(3)", "(1.5,0)", "(1,2,3)", "(1000001,0)", ""] {
            assert_eq!(parse_space(wrong), None, "{wrong}");
        }
    }
}
