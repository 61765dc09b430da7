//! Every tie of sight, each from both ends.
use super::*;
use crate::tabletop::board::Shape;

fn at(q: i32, r: i32) -> Space {
    Space::new(q, r, 0)
}

fn hex() -> Topology {
    Topology::new(
        0,
        "map",
        Shape::Hex {
            flat: false,
            spaces: None,
        },
    )
    .unwrap()
}

fn square() -> Topology {
    Topology::new(
        0,
        "grid",
        Shape::Square {
            diagonal: true,
            spaces: None,
        },
    )
    .unwrap()
}

/// Whether sight is clear under each graze rule, in the order of [`Graze::ALL`].
fn under_each(board: &Topology, line: Line, a: Space, b: Space, walls: &[Space]) -> [bool; 3] {
    Graze::ALL.map(|(_, graze)| {
        let policy = Policy::new(line, graze);
        let seen = sight(board, a, b, policy, |space| walls.contains(&space));
        assert_eq!(
            sight(board, b, a, policy, |space| walls.contains(&space)),
            seen,
            "{a:?} {b:?} {graze:?}"
        );
        seen
    })
}

fn centres(board: &Topology, a: Space, b: Space, walls: &[Space]) -> [bool; 3] {
    under_each(board, Line::Centres, a, b, walls)
}

#[test]
fn a_space_in_the_way_blocks_whatever_a_graze_means() {
    assert_eq!(centres(&hex(), at(0, 0), at(3, 0), &[at(2, 0)]), [false; 3]);
    assert_eq!(centres(&square(), at(0, 0), at(3, 0), &[at(2, 0)]), [false; 3]);
    assert_eq!(
        centres(&hex(), at(0, 0), at(3, 0), &[at(0, 0), at(3, 0), at(4, 0)]),
        [true; 3]
    );
}

#[test]
fn along_a_hex_edge_with_one_or_two_blockers() {
    assert_eq!(
        centres(&hex(), at(0, 0), at(1, 1), &[at(1, 0)]),
        [false, true, true]
    );
    assert_eq!(
        centres(&hex(), at(0, 0), at(1, 1), &[at(1, 0), at(0, 1)]),
        [false, true, false]
    );
    assert_eq!(
        centres(&hex(), at(0, 0), at(2, 2), &[at(1, 0), at(1, 2)]),
        [false, true, true]
    );
    assert_eq!(centres(&hex(), at(0, 0), at(2, 2), &[at(1, 1)]), [false; 3]);
}

#[test]
fn through_a_hex_corner() {
    let met = meetings(&hex(), at(0, 0), at(1, 4), Line::Centres);
    let corners: Vec<Space> = met
        .iter()
        .filter(|met| met.1 == Meeting::Corner)
        .map(|met| met.0)
        .collect();
    assert!(!corners.is_empty());
    for wall in corners {
        assert_eq!(centres(&hex(), at(0, 0), at(1, 4), &[wall]), [false, true, true]);
    }
}

#[test]
fn through_a_square_corner() {
    assert_eq!(
        centres(&square(), at(0, 0), at(1, 1), &[at(1, 0)]),
        [false, true, true]
    );
    assert_eq!(
        centres(&square(), at(0, 0), at(1, 1), &[at(1, 0), at(0, 1)]),
        [false, true, false]
    );
    // Blockers on both sides, but at different corners.
    assert_eq!(
        centres(&square(), at(0, 0), at(2, 2), &[at(1, 0), at(1, 2)]),
        [false, true, true]
    );
}

#[test]
fn along_square_borders() {
    // From the right edge of one to the left edge of the other, along no border at all.
    let edge = |walls: &[Space]| {
        let policy = Policy::new(Line::Edge(1), Graze::BlocksWhenBoth);
        sight(&square(), at(0, 0), at(4, -1), policy, |space| {
            walls.contains(&space)
        })
    };
    assert!(edge(&[]));
    // From a corner to a corner: between two rows.
    let between = |graze, walls: &[Space]| {
        let policy = Policy::new(Line::Edge(3), graze);
        sight(&square(), at(0, 0), at(4, 1), policy, |space| {
            walls.contains(&space)
        })
    };
    assert!(between(Graze::Clear, &[at(2, 0), at(2, 1)]));
    assert!(!between(Graze::Blocks, &[at(2, 0)]));
    assert!(between(Graze::BlocksWhenBoth, &[at(2, 0)]));
    assert!(!between(Graze::BlocksWhenBoth, &[at(2, 0), at(2, 1)]));
    // The two share the one point between them.
    assert!(!between(Graze::BlocksWhenBoth, &[at(1, 0), at(2, 1)]));
    assert!(between(Graze::BlocksWhenBoth, &[at(1, 0), at(3, 1)]));
    // Diagonal neighbours share the corner where the line both starts and ends.
    let policy = Policy::new(Line::Edge(3), Graze::Blocks);
    assert!(sight(&square(), at(0, 0), at(1, 1), policy, |_| true));
}

#[test]
fn neighbours_by_an_edge_always_see_each_other() {
    let around = [
        at(1, -1),
        at(0, 1),
        at(0, -1),
        at(2, -1),
        at(1, 1),
        at(-1, 0),
        at(2, 0),
    ];
    for line in [Line::Centres, Line::Edges, Line::Edge(0)] {
        for (_, graze) in Graze::ALL {
            assert!(sight(
                &hex(),
                at(0, 0),
                at(1, 0),
                Policy::new(line, graze),
                |space| around.contains(&space)
            ));
        }
    }
}

#[test]
fn the_edge_of_the_map_is_no_wall() {
    let row = Some((0..5).map(|q| (q, 0)).chain([(0, 1), (4, 1), (2, 2)]).collect());
    let board = Topology::new(
        0,
        "map",
        Shape::Hex {
            flat: false,
            spaces: row,
        },
    )
    .unwrap();
    // (0,1) to (4,1) and (4,0) to (2,2) run over places that aren't there.
    for (a, b) in [(at(0, 1), at(4, 1)), (at(4, 0), at(2, 2)), (at(0, 0), at(4, 0))] {
        let everything_off_the_board = |space: Space| !board.contains(space);
        for (_, graze) in Graze::ALL {
            for line in [Line::Centres, Line::Edges] {
                assert!(sight(
                    &board,
                    a,
                    b,
                    Policy::new(line, graze),
                    everything_off_the_board
                ));
            }
        }
    }
    // On the rim a border has a blocker on one side and nothing on the other.
    let spaces = Some(vec![(0, 0), (1, 1), (1, 0)]);
    let rim = Topology::new(0, "map", Shape::Hex { flat: false, spaces }).unwrap();
    assert_eq!(
        centres(&rim, at(0, 0), at(1, 1), &[at(1, 0), at(0, 1)]),
        [false, true, true]
    );
}

#[test]
fn from_the_faced_edge_to_the_opposite_one() {
    let crossed = |facing, q, r| -> Vec<(i32, i32)> {
        let met = meetings(&hex(), at(0, 0), at(q, r), Line::Edge(facing));
        met.iter()
            .filter(|met| met.1 == Meeting::Inside)
            .map(|met| (met.0.q, met.0.r))
            .collect()
    };
    assert_eq!(crossed(0, 4, 0), [(1, 0), (2, 0), (3, 0)]);
    assert_eq!(crossed(0, 3, -1), [(1, 0), (2, -1)]);
    assert_eq!(crossed(0, 4, -2), [(1, 0), (2, -1), (3, -2)]);
    assert_eq!(crossed(0, 4, -1), [(1, 0), (2, -1), (2, 0), (3, -1)]);
    assert_eq!(crossed(0, 2, 1), [(1, 0), (1, 1)]);
    assert_eq!(crossed(0, 1, 1), [(0, 1), (1, 0)]);
    assert_eq!(crossed(1, 4, -2), [(1, -1), (2, -1), (3, -1)]);
    assert_eq!(crossed(0, 2, -2), [(1, -1)]);
    let policy = Policy::new(Line::Edge(0), Graze::Clear);
    assert!(sight(&hex(), at(0, 0), at(2, -2), policy, |space| space == at(1, 0)));
    assert!(!sight(&hex(), at(0, 0), at(2, -2), policy, |space| space == at(1, -1)));
}

#[test]
fn edges_look_past_a_wall_beside_the_line_but_not_one_on_it() {
    let seen = under_each(&hex(), Line::Edges, at(0, 0), at(2, 0), &[at(1, 0)]);
    assert_eq!(seen, [false, false, false]);
    let beside = under_each(&hex(), Line::Edges, at(0, 0), at(1, 1), &[at(1, 0)]);
    assert_eq!(beside, [true; 3]);
}

#[test]
fn an_explanation_names_what_blocks() {
    let walls = [at(1, 0), at(0, 1), at(2, 1)];
    let explain = |graze| {
        sight_explain(
            &hex(),
            at(0, 0),
            at(1, 1),
            Policy::new(Line::Centres, graze),
            |space| walls.contains(&space),
        )
    };
    assert_eq!(
        explain(Graze::Clear),
        Explained {
            clear: true,
            blockers: vec![]
        }
    );
    for graze in [Graze::Blocks, Graze::BlocksWhenBoth] {
        assert_eq!(
            explain(graze),
            Explained {
                clear: false,
                blockers: vec![at(0, 1), at(1, 0)]
            }
        );
    }
}

#[test]
fn regions_see_their_neighbours_and_boards_see_no_other() {
    use crate::tabletop::board::Region;
    let region = |id: &str| Region {
        id: id.into(),
        label: String::new(),
        at: (0.0, 0.0),
    };
    let regions = ["a", "b", "c"].map(region).into();
    let graph = Topology::new(
        0,
        "isle",
        Shape::Graph {
            regions,
            edges: vec![(0, 1), (1, 2)],
        },
    )
    .unwrap();
    assert_eq!(
        centres(&graph, at(0, 0), at(1, 0), &[at(0, 0), at(1, 0)]),
        [true; 3]
    );
    assert_eq!(centres(&graph, at(0, 0), at(2, 0), &[]), [false; 3]);
    assert_eq!(centres(&hex(), at(0, 0), Space::new(0, 0, 1), &[]), [false; 3]);
}
