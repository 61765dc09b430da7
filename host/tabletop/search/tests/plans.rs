//! Plans against plain breadth-first search.
use super::super::plan::Worth;
use super::*;

/// Six places of which the first needs a piece, taken from a layout.
fn target_of(pieces: Pieces, icon: u8) -> Target {
    let (row, column) = pieces.corner();
    let places: Vec<Place> = (0..6)
        .map(|i| {
            let spot = pieces.at[i];
            Place {
                row: (spot >> 4) - row,
                column: (spot & 15) - column,
                needs: (i as u8 == icon).then_some(icon),
            }
        })
        .collect();
    Target::new(&[&places], 6, true)
}

/// `paid` steps at a cost and one swap, one free relocation: states are (paid left, swap left, free left). A plan
/// that tells more says what is paid for and what states are worth.
fn means_plan(grid: &Grid, paid: u8, tells_more: bool) -> (Plan, BTreeMap<(u8, bool, bool), u16>) {
    let mut plan = Plan::new(grid.clone(), 6);
    let walk = plan.add_moves(WAYS.to_vec());
    let swap = plan.add_moves(vec![SWAP]);
    let fly = plan.add_moves(vec![anywhere(1)]);
    if tells_more {
        plan.set_paid(walk);
    }
    let mut states = BTreeMap::new();
    for paid in 0..=paid {
        for (swaps, flies) in [(false, false), (false, true), (true, false), (true, true)] {
            let state = plan.add_state().unwrap();
            states.insert((paid, swaps, flies), state);
            let free = u8::from(flies);
            if tells_more {
                let has = u32::from(swaps) << 1 | u32::from(flies);
                plan.weigh(
                    state,
                    Worth {
                        class: 0,
                        amount: paid,
                        has,
                        wants: has,
                    },
                );
            }
            plan.measure(
                state,
                Means {
                    steps: paid + free,
                    free,
                    gratis: 0,
                    swaps: u8::from(swaps),
                    pushes: paid > 0,
                    sure: paid,
                    aim: Aim::Target,
                },
            );
        }
    }
    for (&(paid, swaps, flies), &state) in &states {
        let mut edges = Vec::new();
        if paid > 0 {
            let to = states[&(paid - 1, swaps, flies)];
            edges.push(Edge {
                to,
                moves: Some(walk),
                cost: [1, 0, 0],
                label: 1,
                ..Edge::default()
            });
        }
        if swaps {
            let to = states[&(paid, false, flies)];
            edges.push(Edge {
                to,
                moves: Some(swap),
                cost: [0, 0, 1],
                near: Some((2, 3)),
                label: 2,
                ..Edge::default()
            });
        }
        if flies {
            let to = states[&(paid, swaps, false)];
            edges.push(Edge {
                to,
                moves: Some(fly),
                cost: [0, 0, 1],
                label: 3,
                ..Edge::default()
            });
        }
        plan.expand(state, edges);
    }
    (plan, states)
}

/// The cheapest cost by plain search over everything.
fn plainly(plan: &Plan, start: u16, pieces: Pieces, target: &Target) -> Option<Cost> {
    let mut open = BTreeSet::from([([0u8; 3], start, pieces.pack())]);
    let mut done = BTreeSet::new();
    while let Some((cost, state, key)) = open.pop_first() {
        if !done.insert((state, key)) {
            continue;
        }
        let pieces = Pieces::unpack(key, 6);
        let mut layout = Expansion::new(plan.grid(), pieces);
        if target.is_in(&layout) || plan.node(state).means.unwrap().aim == Aim::Nothing {
            return Some(cost);
        }
        for edge in plan.node(state).edges.as_deref().unwrap() {
            let there = |pattern: u16| plan.ground().patterns[usize::from(pattern)].is_in(&layout);
            if edge.near.is_some_and(|(a, b)| !layout.adjacent(a, b))
                || edge.apart.is_some_and(|(a, b)| layout.adjacent(a, b))
                || edge.when.is_some_and(|pattern| !there(pattern))
            {
                continue;
            }
            let sum = [
                cost[0] + edge.cost[0],
                cost[1] + edge.cost[1],
                cost[2] + edge.cost[2],
            ];
            let Some(moves) = edge.moves else {
                open.insert((sum, edge.to, key));
                continue;
            };
            for way in &plan.ground().moves[usize::from(moves)] {
                layout.each(way, |change| {
                    open.insert((sum, edge.to, change.apply(&pieces).pack()));
                });
            }
        }
    }
    None
}

#[test]
fn the_cheapest_way_is_that_of_plain_search() {
    ways_of_plain_search(false);
}

#[test]
fn what_a_plan_tells_more_changes_no_answer() {
    ways_of_plain_search(true);
}

fn ways_of_plain_search(tells_more: bool) {
    let grid = Grid::new(&steps(&board())).unwrap();
    let (mut plan, states) = means_plan(&grid, 2, tells_more);
    let mut luck = Luck(11);
    let mut search = Search::default();
    let (mut ways, mut none) = (0, 0);
    for round in 0..24 {
        let from = wander(&grid, &mut luck, 3);
        let goal = if round % 2 == 0 {
            wander(&grid, &mut luck, 3)
        } else {
            let near = successors(&grid, from, &WAYS);
            Pieces::unpack(near[luck.below(near.len())], 6)
        };
        let goal = match round % 3 {
            0 => goal,
            _ => {
                let near = successors(&grid, goal, &[WAYS[4], WAYS[5], SWAP]);
                Pieces::unpack(near[luck.below(near.len())], 6)
            }
        };
        let target = target_of(goal, luck.below(6) as u8);
        let number = plan.add_pattern(target.clone());
        let start = states[&((round % 3) as u8, round % 2 == 0, round % 5 < 2)];
        let expected = plainly(&plan, start, from, &target);
        for (order, whole) in [(Order::Cheapest, true), (Order::Any, true), (Order::Any, false)] {
            search.begin(&plan, start, from, (0, 0), &[number], order, whole, 1_000_000);
            let progress = search.run(&plan, usize::MAX);
            assert_eq!(
                progress == Progress::Found,
                expected.is_some(),
                "round {round} {order:?}"
            );
            assert!(matches!(progress, Progress::Found | Progress::Exhausted));
            if expected.is_some() {
                ways += 1;
                if order == Order::Cheapest {
                    assert_eq!(search.cost(), expected, "round {round}");
                }
                if whole {
                    follow(&plan, &search, from, &target);
                }
            } else {
                none += 1;
            }
        }
    }
    assert!(ways > 8 && none > 8, "{ways} {none}");
}

/// Steps, neighbours that trade places, pieces beside some that go beside others; and a state that one may go to
/// once either of two pieces stands where the target wants it.
#[test]
fn states_may_aim_at_what_leads_to_the_target() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let mut luck = Luck(23);
    let mut search = Search::default();
    let (mut eased, mut ways, mut none) = (0, 0, 0);
    for round in 0..60 {
        let from = wander(&grid, &mut luck, 3);
        let goal = match round % 3 {
            0 => wander(&grid, &mut luck, 3),
            _ => {
                let near = successors(&grid, from, &WAYS);
                let next = Pieces::unpack(near[luck.below(near.len())], 6);
                let after = successors(&grid, next, &[WAYS[4], WAYS[5], SWAP]);
                Pieces::unpack(after[luck.below(after.len())], 6)
            }
        };
        let (row, column) = goal.corner();
        let places = |needs: &[u8]| -> Vec<Place> {
            let spots = goal.spots().iter().enumerate();
            spots
                .map(|(i, spot)| Place {
                    row: (spot >> 4) - row,
                    column: (spot & 15) - column,
                    needs: needs.contains(&(i as u8)).then_some(i as u8),
                })
                .collect()
        };
        let mut plan = Plan::new(grid.clone(), 6);
        let walk = plan.add_moves(WAYS.to_vec());
        let trade = plan.add_moves(vec![TRADE]);
        let fly = plan.add_moves(vec![FLY]);
        let one = places(&[1]);
        let other = places(&[4]);
        let target = Target::new(&[&places(&[1, 4])], 6, true);
        let number = plan.add_pattern(target.clone());
        let easier = plan.add_pattern(Target::new(&[&one, &other], 6, true));
        // By number: steps left, whether it may trade, and whether it may ease.
        let state = |left: u8, may_trade: bool, may_ease: bool| {
            u16::from(left) * 4 + u16::from(may_trade) * 2 + u16::from(may_ease)
        };
        let there = state(3, false, false);
        for left in 0..3u8 {
            for (may_trade, may_ease) in [(false, false), (false, true), (true, false), (true, true)] {
                assert_eq!(plan.add_state(), Some(state(left, may_trade, may_ease)));
                let means = Means {
                    steps: left + u8::from(may_trade),
                    free: u8::from(may_trade),
                    swaps: u8::from(may_trade),
                    pushes: left > 0,
                    aim: if may_ease { Aim::Other(1) } else { Aim::Target },
                    ..Means::default()
                };
                plan.measure(state(left, may_trade, may_ease), means);
            }
        }
        plan.add_state();
        let aim = Aim::Nothing;
        plan.measure(
            there,
            Means {
                aim,
                ..Means::default()
            },
        );
        plan.expand(there, Vec::new());
        for left in 0..3u8 {
            for (may_trade, may_ease) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut edges = Vec::new();
                let edge = |to, moves, cost| Edge {
                    to,
                    moves,
                    cost,
                    ..Edge::default()
                };
                if left > 0 {
                    let to = state(left - 1, may_trade, may_ease);
                    edges.push(edge(to, Some(walk), [1, 0, 0]));
                }
                if may_trade {
                    let to = state(left, false, may_ease);
                    let apart = Some((0, 5));
                    edges.push(edge(to, Some(trade), [0, 0, 1]));
                    edges.push(Edge {
                        apart,
                        ..edge(to, Some(fly), [0, 0, 1])
                    });
                }
                if may_ease {
                    let when = Some(easier);
                    edges.push(Edge {
                        when,
                        ..edge(there, None, [0, 0, 1])
                    });
                }
                plan.expand(state(left, may_trade, may_ease), edges);
            }
        }
        let start = state(2, round % 2 == 0, round % 4 < 3);
        let expected = plainly(&plan, start, from, &target);
        for (order, whole) in [(Order::Cheapest, true), (Order::Any, true), (Order::Any, false)] {
            search.begin(
                &plan,
                start,
                from,
                (0, 0),
                &[number, easier],
                order,
                whole,
                1_000_000,
            );
            let found = search.run(&plan, usize::MAX) == Progress::Found;
            assert_eq!(found, expected.is_some(), "round {round} {order:?}");
            if order == Order::Cheapest && found {
                assert_eq!(search.cost(), expected, "round {round}");
                eased += usize::from(plan.node(search.end()).means.unwrap().aim == Aim::Nothing);
            }
        }
        ways += usize::from(expected.is_some());
        none += usize::from(expected.is_none());
    }
    assert!(ways > 10 && none > 10 && eased > 3, "{ways} {none} {eased}");
}

/// Plays a path on the board and finds the target at its end.
fn follow(plan: &Plan, search: &Search, from: Pieces, target: &Target) {
    let mut at: Vec<(i32, i32)> = spaces(from).iter().map(|s| (s.q, s.r)).collect();
    let low = (
        at.iter().map(|s| s.0).min().unwrap(),
        at.iter().map(|s| s.1).min().unwrap(),
    );
    for place in &mut at {
        *place = (place.0 - low.0, place.1 - low.1);
    }
    for leg in search.path(plan) {
        assert!(!leg.moved.is_empty());
        for (piece, space) in leg.moved {
            at[usize::from(piece)] = space;
        }
    }
    let (end, _) = Pieces::new(&at).expect("pieces stay apart");
    assert!(target.is_in(&Expansion::new(plan.grid(), end)));
}

#[test]
fn a_limit_is_told_apart_from_none() {
    let grid = Grid::new(&steps(&board())).unwrap();
    let (mut plan, states) = means_plan(&grid, 4, false);
    let from = Pieces::new(&[(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
        .unwrap()
        .0;
    let places: Vec<Place> = (0..6)
        .map(|i| Place {
            row: 0,
            column: i,
            needs: (i == 2).then_some(2),
        })
        .collect();
    let number = plan.add_pattern(Target::new(&[&places], 6, true));
    let never = plan.add_pattern(Target::new(&[&places[..5]], 6, true));
    let mut search = Search::default();
    let start = states[&(4, false, true)];
    let mut ask = |target, order, limit| {
        search.begin(&plan, start, from, (0, 0), &[target], order, true, limit);
        search.run(&plan, usize::MAX)
    };
    assert_eq!(ask(number, Order::Cheapest, 20), Progress::Limit);
    assert_ne!(ask(number, Order::Cheapest, 1_000_000), Progress::Limit);
    assert_eq!(ask(never, Order::Any, 20), Progress::Exhausted);
}
