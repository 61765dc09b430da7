//! Moves along rays, with every refusal and its rank.
use super::*;
use crate::tabletop::board::Shape;

const N: u8 = 0;
const NE: u8 = 1;
const E: u8 = 2;
const SE: u8 = 3;
const S: u8 = 4;
const W: u8 = 6;
const ALL: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

const SLIDE: Spec = Spec {
    directions: &ALL,
    min: 1,
    max: None,
    passes: 0,
    pushes: false,
    connected: true,
};
const STEP: Spec = Spec {
    max: Some(1),
    ..SLIDE
};
const LEAP: Spec = Spec { passes: 1, ..SLIDE };
const PUSH: Spec = Spec { pushes: true, ..STEP };

fn grid() -> Topology {
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

fn stones(places: &[(i32, i32)]) -> Vec<Space> {
    places.iter().map(|&(q, r)| Space::new(q, r, 0)).collect()
}

/// Three by two; the pieces are numbered by row.
fn block() -> Vec<Space> {
    stones(&[(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
}

fn row() -> Vec<Space> {
    stones(&[(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)])
}

fn end(
    pieces: &[Space],
    piece: usize,
    direction: u8,
    length: u32,
    spec: Spec,
) -> Result<(i32, i32), Refusal> {
    judge(&grid(), pieces, piece, direction, length, &spec).map(|made| (made.to.q, made.to.r))
}

fn count(pieces: &[Space], spec: Spec) -> usize {
    (0..pieces.len())
        .map(|piece| moves(&grid(), pieces, piece, &spec).unwrap().len())
        .sum()
}

#[test]
fn slides_pass_over_pieces_and_land_on_empty_spaces() {
    let spread = stones(&[(0, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]);
    assert_eq!(end(&spread, 0, E, 1, SLIDE), Ok((1, 0)));
    assert_eq!(end(&spread, 0, E, 2, SLIDE), Ok((2, 0)));
    assert_eq!(end(&spread, 0, E, 3, SLIDE), Err(Refusal::Occupied));
    assert_eq!(end(&spread, 0, E, 4, SLIDE), Ok((4, 0)));
    assert_eq!(end(&spread, 0, E, 5, SLIDE), Err(Refusal::Disconnected));
    assert_eq!(end(&row(), 1, N, 2, SLIDE), Err(Refusal::Disconnected));
    assert_eq!(end(&row(), 1, N, 1, SLIDE), Ok((1, -1)));
}

#[test]
fn leaps_must_pass_somebody() {
    let spread = stones(&[(0, 0), (0, 1), (1, 1), (2, 0), (2, 1), (3, 1)]);
    assert_eq!(end(&spread, 0, E, 1, LEAP), Err(Refusal::NothingPassed));
    assert_eq!(end(&spread, 0, E, 3, LEAP), Ok((3, 0)));
    assert_eq!(end(&spread, 0, E, 4, LEAP), Ok((4, 0)));
    assert_eq!(end(&spread, 0, E, 5, LEAP), Err(Refusal::Disconnected));
    assert_eq!(end(&block(), 5, W, 2, LEAP), Err(Refusal::Occupied));
    assert_eq!(end(&block(), 5, W, 3, LEAP), Ok((-1, 1)));
    // Pieces beside a diagonal are not passed.
    let corner = stones(&[(0, 0), (1, 0), (0, 1), (2, 1), (1, 2), (3, 1)]);
    assert_eq!(end(&corner, 0, SE, 2, LEAP), Err(Refusal::NothingPassed));
    assert_eq!(end(&corner, 0, SE, 2, SLIDE), Ok((2, 2)));
}

#[test]
fn pushes_shift_the_chain_up_to_the_first_gap() {
    let shifts = |pieces: &[Space], piece, direction, length, spec: Spec| {
        let made = judge(&grid(), pieces, piece, direction, length, &spec).unwrap();
        made.shifts()
            .map(|(piece, to)| (piece, to.q, to.r))
            .collect::<Vec<_>>()
    };
    assert_eq!(shifts(&block(), 2, N, 1, PUSH), [(2, 2, -1)]);
    assert_eq!(
        shifts(&block(), 2, W, 1, PUSH),
        [(2, 1, 0), (1, 0, 0), (0, -1, 0)]
    );
    assert_eq!(shifts(&row(), 0, E, 1, PUSH).len(), 6);
    let gap = stones(&[(0, 0), (1, 0), (1, 1), (2, 1), (3, 1), (3, 0)]);
    assert_eq!(shifts(&gap, 0, E, 1, PUSH), [(0, 1, 0), (1, 2, 0)]);
    let twice = Spec {
        max: None,
        connected: false,
        ..PUSH
    };
    assert_eq!(shifts(&gap, 0, E, 2, twice), [(0, 2, 0), (1, 3, 0), (5, 4, 0)]);
    let broken = stones(&[(-1, 0), (0, 0), (1, 0), (2, 0), (3, 0), (4, 0)]);
    assert_eq!(end(&broken, 1, E, 1, PUSH), Err(Refusal::Disconnected));
    assert_eq!(end(&broken, 1, N, 1, PUSH), Ok((0, -1)));
}

#[test]
fn reasons_have_a_rank() {
    let spec = Spec {
        directions: &[E],
        min: 2,
        max: Some(3),
        passes: 1,
        ..SLIDE
    };
    let board = Topology::new(
        0,
        "grid",
        Shape::Square {
            diagonal: true,
            spaces: Some((0..4).flat_map(|q| [(q, 0), (q, 1)]).collect()),
        },
    )
    .unwrap();
    let told = |pieces: &[(i32, i32)], direction, length| {
        judge(&board, &stones(pieces), 0, direction, length, &spec)
            .map(|made| made.to.q)
            .map_err(Refusal::code)
    };
    let pair = [(0, 0), (1, 0), (2, 0)];
    assert_eq!(told(&pair, W, 0), Err("zero_length"));
    assert_eq!(told(&pair, W, 9), Err("bad_direction"));
    assert_eq!(told(&pair, E, 1), Err("too_short"));
    assert_eq!(told(&pair, E, 4), Err("too_far"));
    assert_eq!(told(&pair, E, 2), Err("occupied"));
    assert_eq!(told(&[(2, 0), (2, 1)], E, 3), Err("nothing_passed"));
    assert_eq!(told(&[(2, 0), (3, 0)], E, 2), Err("off_board"));
    assert_eq!(told(&[(0, 0), (1, 0), (0, 1)], E, 3), Err("disconnected"));
    assert_eq!(told(&pair, E, 3), Ok(3));
    let board = grid();
    assert_eq!(judge(&board, &[], 0, E, 1, &SLIDE), Err(Refusal::BadDirection));
    assert_eq!(
        judge(&board, &block(), 0, E, u32::MAX, &SLIDE),
        Err(Refusal::OffBoard)
    );
    let every_push = Spec { max: None, ..PUSH };
    assert_eq!(
        judge(&board, &block(), 0, E, u32::MAX, &every_push),
        Err(Refusal::OffBoard)
    );
}

#[test]
fn a_block_has_as_many_moves_as_counted_by_hand() {
    let block = stones(&[(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]);
    let straight = [N, E, S, W];
    let diagonal = [NE, SE, 5, 7];
    assert_eq!(count(&block, STEP), 22);
    assert_eq!(
        count(
            &block,
            Spec {
                directions: &straight,
                ..SLIDE
            }
        ),
        24
    );
    assert_eq!(
        count(
            &block,
            Spec {
                directions: &diagonal,
                ..SLIDE
            }
        ),
        20
    );
    assert_eq!(
        count(
            &block,
            Spec {
                directions: &straight,
                ..PUSH
            }
        ),
        24
    );
}

#[test]
fn moves_without_end_are_told() {
    let board = grid();
    assert_eq!(
        moves(
            &board,
            &block(),
            0,
            &Spec {
                connected: false,
                ..SLIDE
            }
        ),
        Err(TooMany)
    );
    assert_eq!(moves(&board, &block()[..1], 0, &SLIDE), Err(TooMany));
    assert_eq!(
        moves(
            &board,
            &row(),
            0,
            &Spec {
                max: None,
                directions: &[E],
                ..PUSH
            }
        ),
        Err(TooMany)
    );
    assert_eq!(
        moves(
            &board,
            &row(),
            0,
            &Spec {
                max: Some(3),
                directions: &[E],
                ..PUSH
            }
        )
        .unwrap()
        .len(),
        3
    );
    assert_eq!(moves(&board, &row(), 9, &SLIDE), Ok(vec![]));
}
