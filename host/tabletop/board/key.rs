//! Text keys of spaces: `(3,-1)`, a region's id, and with several boards `map:(3,-1)`.
use thiserror::Error;

use super::Topology;
use crate::tabletop::Space;

/// Why a text names no space.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    #[error("`{text}` is no space: write `{example}`")]
    Malformed { text: String, example: String },
    #[error("`{text}` names no board: write `{example}`")]
    NoBoard { text: String, example: String },
    #[error("there is no board `{name}`{}", nearest(.close, .names))]
    UnknownBoard {
        name: String,
        close: Option<String>,
        names: Vec<String>,
    },
    #[error("board `{board}` has no region `{id}`{}", nearest(.close, .ids))]
    UnknownRegion {
        board: String,
        id: String,
        close: Option<String>,
        ids: Vec<String>,
    },
    #[error("`{text}` lies off the board `{board}`")]
    OffBoard { text: String, board: String },
}

fn nearest(close: &Option<String>, all: &[String]) -> String {
    match close {
        Some(close) => format!("; did you mean `{close}`?"),
        None => format!("; there are: {}", all.join(", ")),
    }
}

/// The known name that is most like `name`, if any is much like it; of equals the first.
fn close_to<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    known
        .map(|other| (strsim::damerau_levenshtein(name, other), other))
        .filter(|&(edits, other)| edits <= 1 + other.chars().count() / 4)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, other)| other.to_owned())
}

/// The key of `space`; the board is named only if there are several.
pub fn format(boards: &[Topology], space: Space) -> String {
    let board = boards.get(usize::from(space.board));
    let region = board
        .and_then(Topology::graph)
        .filter(|_| space.r == 0)
        .and_then(|graph| graph.regions().get(usize::try_from(space.q).ok()?));
    let place = match region {
        Some(region) => region.id.clone(),
        None => format!("({},{})", space.q, space.r),
    };
    match board {
        Some(board) if boards.len() > 1 => format!("{}:{place}", board.name()),
        _ => place,
    }
}

/// The space that `text` names. With one board its name may be left out; spaces in the text don't matter.
///
/// # Errors
/// Says what is wrong and how the key is written, with the nearest right name.
pub fn parse(boards: &[Topology], text: &str) -> Result<Space, KeyError> {
    let (board, place) = match (text.split_once(':'), boards) {
        (Some((name, place)), _) => (find_board(boards, name.trim())?, place.trim()),
        (None, [only]) => (only, text.trim()),
        (None, _) => {
            let example = boards.first().map_or_else(
                || "board:(0,0)".into(),
                |first| {
                    let place = if text.trim().is_empty() {
                        "(0,0)"
                    } else {
                        text.trim()
                    };
                    format!("{}:{place}", first.name())
                },
            );
            return Err(KeyError::NoBoard {
                text: text.into(),
                example,
            });
        }
    };
    let Some(graph) = board.graph() else {
        let Some((q, r)) = coordinates(place) else {
            let prefix = if boards.len() > 1 {
                format!("{}:", board.name())
            } else {
                String::new()
            };
            return Err(KeyError::Malformed {
                text: text.into(),
                example: format!("{prefix}(3,-1)"),
            });
        };
        let off = || KeyError::OffBoard {
            text: text.into(),
            board: board.name().into(),
        };
        let narrow = |value: i64| i32::try_from(value).map_err(|_| off());
        let space = Space::new(narrow(q)?, narrow(r)?, board.board());
        return if board.contains(space) {
            Ok(space)
        } else {
            Err(off())
        };
    };
    match graph.find(place) {
        Some(index) => Ok(Space::new(index as i32, 0, board.board())),
        None => Err(KeyError::UnknownRegion {
            board: board.name().into(),
            id: place.into(),
            close: close_to(place, graph.regions().iter().map(|region| region.id.as_str())),
            ids: graph.regions().iter().map(|region| region.id.clone()).collect(),
        }),
    }
}

fn find_board<'a>(boards: &'a [Topology], name: &str) -> Result<&'a Topology, KeyError> {
    boards
        .iter()
        .find(|board| board.name() == name)
        .ok_or_else(|| KeyError::UnknownBoard {
            name: name.into(),
            close: close_to(name, boards.iter().map(Topology::name)),
            names: boards.iter().map(|board| board.name().to_owned()).collect(),
        })
}

fn coordinates(text: &str) -> Option<(i64, i64)> {
    let (q, r) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    Some((q.trim().parse().ok()?, r.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tabletop::board::{Region, Shape};

    fn boards(count: usize) -> Vec<Topology> {
        let region = |id: &str| Region {
            id: id.into(),
            label: id.into(),
            at: (0.0, 0.0),
        };
        let shapes = [
            (
                "map",
                Shape::Hex {
                    flat: false,
                    spaces: None,
                },
            ),
            (
                "isle",
                Shape::Graph {
                    regions: vec![region("north"), region("south")],
                    edges: vec![(0, 1)],
                },
            ),
            (
                "grid",
                Shape::Square {
                    diagonal: true,
                    spaces: Some(vec![(0, 0)]),
                },
            ),
        ];
        let built = shapes.into_iter().take(count).enumerate();
        built
            .map(|(board, (name, shape))| Topology::new(board as u8, name, shape).unwrap())
            .collect()
    }

    #[test]
    fn keys_come_back() {
        for (count, space, key) in [
            (1, Space::new(3, -1, 0), "(3,-1)"),
            (3, Space::new(3, -1, 0), "map:(3,-1)"),
            (3, Space::new(1, 0, 1), "isle:south"),
            (3, Space::new(0, 0, 2), "grid:(0,0)"),
        ] {
            let boards = boards(count);
            assert_eq!(format(&boards, space), key);
            assert_eq!(parse(&boards, key), Ok(space));
        }
        assert_eq!(parse(&boards(1), " map: ( -0 , 2 ) "), Ok(Space::new(0, 2, 0)));
    }

    #[test]
    fn faults_are_told() {
        let told = |count, text| parse(&boards(count), text).unwrap_err().to_string();
        assert_eq!(told(1, "3,-1"), "`3,-1` is no space: write `(3,-1)`");
        assert_eq!(told(3, "map:x"), "`map:x` is no space: write `map:(3,-1)`");
        assert_eq!(told(3, "(1,1)"), "`(1,1)` names no board: write `map:(1,1)`");
        assert_eq!(
            told(3, "mpa:(1,1)"),
            "there is no board `mpa`; did you mean `map`?"
        );
        assert_eq!(
            told(3, "zebra:(1,1)"),
            "there is no board `zebra`; there are: map, isle, grid"
        );
        assert_eq!(
            told(3, "isle:suoth"),
            "board `isle` has no region `suoth`; did you mean `south`?"
        );
        assert_eq!(
            told(3, "isle:west"),
            "board `isle` has no region `west`; there are: north, south"
        );
        assert_eq!(told(3, "grid:(0,1)"), "`grid:(0,1)` lies off the board `grid`");
        assert_eq!(told(1, "(1000001,0)"), "`(1000001,0)` lies off the board `map`");
        assert_eq!(
            told(1, "(99999999999,0)"),
            "`(99999999999,0)` lies off the board `map`"
        );
    }
}
