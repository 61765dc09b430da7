//! Laws of pieces on random boards: groups, sight, moves along rays, patterns.
use std::collections::BTreeSet;

use super::laws::{Luck, endless, holed};
use super::layout::Layout;
use super::pattern::{Mode, Pattern, Place};
use super::rays::{self, Spec};
use super::sight::{Graze, Line, Policy, sight, sight_explain};
use crate::tabletop::Space;

#[test]
fn groups_are_what_a_flood_fill_finds() {
    let mut luck = Luck::new(5);
    for round in 0..100 {
        let boards = if round % 2 == 0 {
            endless()
        } else {
            holed(&mut luck)
        };
        for board in boards {
            let count = [2, 3, 6, 8, 20, 64, 70][luck.below(7) as usize];
            let size = (count as f64).sqrt() as i32 / 2 + 1;
            let spaces = luck.spaces(count, size.max(if count > 64 { 5 } else { size }));
            let on_board = spaces.iter().all(|&space| board.contains(space));
            // The slow way: merge labels until nothing changes.
            let mut labels: Vec<usize> = (0..spaces.len()).collect();
            for _ in 0..spaces.len() {
                for a in 0..spaces.len() {
                    for b in 0..spaces.len() {
                        if board.adjacent(spaces[a], spaces[b]) {
                            labels[a] = labels[a].min(labels[b]);
                        }
                    }
                }
            }
            let groups: BTreeSet<usize> = labels.into_iter().collect();
            assert_eq!(board.components(&spaces).len(), groups.len());
            assert_eq!(board.connected(&spaces), groups.len() == 1 && on_board);
        }
    }
}

#[test]
fn sight_is_symmetric_where_the_policy_is() {
    let mut luck = Luck::new(6);
    for round in 0..100 {
        let boards = if round % 2 == 0 {
            endless()
        } else {
            holed(&mut luck)
        };
        for board in boards {
            let walls: BTreeSet<Space> = luck.spaces(12, 3).into_iter().collect();
            let (a, b) = (luck.space(4), luck.space(4));
            let opaque = |space: Space| walls.contains(&space);
            let direction = luck.below(board.direction_names().len() as u32) as u8;
            let graze = |luck: &mut Luck| Graze::ALL[luck.below(3) as usize].1;
            let (border, corner) = (graze(&mut luck), graze(&mut luck));
            let back = Line::Edge(board.opposite(direction).unwrap());
            for (line, reverse) in [
                (Line::Centres, Line::Centres),
                (Line::Edges, Line::Edges),
                (Line::Edge(direction), back),
            ] {
                let policy = |line| Policy { line, border, corner };
                let seen = sight(&board, a, b, policy(line), opaque);
                assert_eq!(
                    seen,
                    sight(&board, b, a, policy(reverse), opaque),
                    "{a:?} {b:?} {:?}",
                    policy(line)
                );
                let explained = sight_explain(&board, a, b, policy(line), opaque);
                assert_eq!((explained.clear, explained.blockers.is_empty()), (seen, seen));
                assert!(
                    explained
                        .blockers
                        .iter()
                        .all(|&space| opaque(space) && board.contains(space))
                );
                // A stricter rule never sees more.
                let [strict, lax, both] =
                    Graze::ALL.map(|(_, graze)| sight(&board, a, b, Policy::new(line, graze), opaque));
                assert!(strict <= both && both <= lax);
                // Opening the view helps, and nothing is hidden by what isn't on the board.
                assert!(!seen || sight(&board, a, b, policy(line), |space| opaque(space) && space.q > 0));
                assert_eq!(
                    seen,
                    sight(&board, a, b, policy(line), |space| opaque(space)
                        || !board.contains(space))
                );
            }
        }
    }
}

#[test]
fn moves_along_rays_are_those_that_the_judge_allows() {
    let mut luck = Luck::new(7);
    for round in 0..150 {
        let boards = if round % 2 == 0 {
            endless()
        } else {
            holed(&mut luck)
        };
        for board in boards {
            let count = [2, 3, 6, 6, 8, 66][luck.below(6) as usize];
            let mut pieces = luck.spaces(count, if count > 8 { 4 } else { 2 });
            pieces.retain(|&piece| board.contains(piece));
            if pieces.is_empty() {
                continue;
            }
            let directions: Vec<u8> = (0..8).filter(|_| luck.below(3) > 0).collect();
            let spec = Spec {
                directions: &directions,
                min: luck.below(3),
                max: (luck.below(2) == 0).then(|| luck.below(5)),
                passes: luck.below(2),
                pushes: luck.below(3) == 0,
                connected: luck.below(3) > 0,
            };
            let piece = luck.below(pieces.len() as u32) as usize;
            let Ok(found) = rays::moves(&board, &pieces, piece, &spec) else {
                assert!(spec.max.is_none() && board.is_unbounded());
                continue;
            };
            let mut judged = Vec::new();
            for direction in 0..9 {
                judged.extend(
                    (0..14).filter_map(|length| {
                        rays::judge(&board, &pieces, piece, direction, length, &spec).ok()
                    }),
                );
            }
            assert_eq!(found, judged, "{pieces:?} {piece} {spec:?}");
            for made in &found {
                let mut after = pieces.clone();
                for (index, to) in made.shifts() {
                    after[index] = to;
                }
                let different: BTreeSet<Space> = after.iter().copied().collect();
                assert_eq!(different.len(), after.len(), "no two on one space");
                assert!(after.iter().all(|&space| board.contains(space)));
                assert!(!spec.connected || board.connected(&after));
                if let Some(layout) = Layout::new(&pieces) {
                    assert_eq!(&*layout.after(made), after);
                }
            }
        }
    }
}

#[test]
fn a_pattern_read_off_the_pieces_is_found_in_every_orientation() {
    let mut luck = Luck::new(8);
    for _ in 0..60 {
        for board in endless() {
            let lattice = board.lattice().unwrap();
            let pieces = luck.spaces(6, 2);
            let orientations = lattice.orientations(true, true);
            let image = orientations[luck.below(orientations.len() as u32) as usize];
            // The pieces as they would lie before `image` was applied: its inverse is among the orientations.
            let turned = |space: &Space| Place {
                offset: lattice.orient((space.q, space.r), image),
                needs: None,
            };
            let pattern = Pattern::new(pieces.iter().map(turned));
            let found = pattern.matches(lattice, &pieces, Mode::Exact, &orientations, None, |_, _| true);
            assert_eq!(found.len(), 1);
            let covered: BTreeSet<Space> = found[0].spaces.iter().copied().collect();
            assert_eq!(covered, pieces.iter().copied().collect());
            let part = Pattern::new(pattern.places()[..3].to_vec());
            let parts = part.matches(lattice, &pieces, Mode::Subset, &orientations, None, |_, _| true);
            assert!(!parts.is_empty() && parts.is_sorted());
            assert!(
                part.matches(lattice, &pieces, Mode::Exact, &orientations, None, |_, _| true)
                    .is_empty()
            );
        }
    }
}
