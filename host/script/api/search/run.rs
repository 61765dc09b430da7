//! The host's side of a running search of a plan.
use std::ffi::c_int;

use mlua::ffi;

use super::handle;
use super::plan::{Planned, Question, Running};
use crate::script::api::arguments::space_list;
use crate::script::call::{Answer, Call};
use crate::tabletop::search::plan::Worth;
use crate::tabletop::search::{Means, Order, Pieces, Progress};
use crate::tabletop::{Space, Value};

/// The most pairs of state and layout that a search may keep: about 50 MB.
const PAIRS: i64 = 1_000_000;
/// Unless told.
const DEFAULT_PAIRS: i64 = 100_000;
/// How many expansions go by before a script's budget is looked at.
const SLICE: usize = 256;

/// `(plan, state, layout, pattern, limit?, cheapest?, whole?)`; returns the ticket of the search.
pub fn begin(c: &mut Call) -> Answer {
    let state = c
        .value(2)
        .map_err(|e| format!("a state of a plan is a plain value: {e}"))?;
    let flag = |index| unsafe { ffi::lua_toboolean(c.l, index) } != 0;
    let (cheapest, whole) = (flag(6), flag(7));
    let (pieces, origin) = layout(c, 3)?;
    let limit = if c.is_none(5) {
        DEFAULT_PAIRS
    } else {
        c.whole(5, 0, PAIRS)?
    } as usize;
    let planned = handle::get::<Planned>(c, 1)?;
    let target = planned.pattern(c.text(4)?)?;
    planned.tidy();
    let state = planned.state(state).ok_or("the plan has too many states")?;
    ticket(
        c,
        Question {
            state,
            pieces,
            origin,
            target,
            cheapest,
            whole,
            limit,
        },
    )
}

/// `(plan, moves, layout, pattern, most?, limit?)`; returns the ticket of the search.
pub fn begin_distance(c: &mut Call) -> Answer {
    let (pieces, origin) = layout(c, 3)?;
    let most = if c.is_none(5) { 16 } else { c.whole(5, 0, 100)? } as u8;
    let limit = if c.is_none(6) {
        DEFAULT_PAIRS
    } else {
        c.whole(6, 0, PAIRS)?
    } as usize;
    let planned = handle::get::<Planned>(c, 1)?;
    let moves = planned.move_set(c.text(2)?)?;
    let target = planned.pattern(c.text(4)?)?;
    planned.tidy();
    let state = planned.chain(moves, most).ok_or("the plan has too many states")?;
    ticket(
        c,
        Question {
            state,
            pieces,
            origin,
            target,
            cheapest: true,
            whole: true,
            limit,
        },
    )
}

fn ticket(c: &mut Call, question: Question) -> Answer {
    let running = &mut c.world().search;
    running.question = Some(question);
    running.ticket = running.ticket.wrapping_add(1);
    let ticket = running.ticket;
    c.push_number(f64::from(ticket));
    Ok(1)
}

fn layout(c: &mut Call, index: c_int) -> Result<(Pieces, (i32, i32)), String> {
    let spaces: Vec<Space> = space_list(c, index)?;
    let planned = handle::get::<Planned>(c, 1)?;
    let (count, given) = (planned.plan.count(), spaces.len());
    if given != usize::from(count) {
        return Err(format!(
            "the plan has {count} pieces; the layout has {given} spaces"
        ));
    }
    let places: Vec<(i32, i32)> = spaces.iter().map(|space| (space.q, space.r)).collect();
    if let Some(off) = spaces.iter().find(|space| space.board != planned.board) {
        return Err(format!(
            "the plan is for board {}; a space of board {} was given",
            planned.board, off.board
        ));
    }
    match Pieces::new(&places) {
        Some((pieces, origin)) if planned.plan.grid().linked(&pieces) => Ok((pieces, origin)),
        _ => Err("the pieces of a layout stand on different spaces and are linked".into()),
    }
}

/// The plan of the running search, and the search.
pub(super) fn running(c: &mut Call) -> Result<(&mut Planned, &mut Running), String> {
    let ticket = c.number(2)?;
    let planned = handle::get::<Planned>(c, 1)?;
    let running = &mut c.world().search;
    if ticket != f64::from(running.ticket) {
        return Err("`next` and `left` of a plan can't search plans themselves: another search was begun before this one had ended".into());
    }
    Ok((planned, running))
}

/// A state whose means are still to be told, or nil.
pub fn unmeasured(c: &mut Call) -> Answer {
    let (planned, _) = running(c)?;
    let state = planned
        .unmeasured
        .last()
        .map(|&state| planned.states[usize::from(state)].clone());
    c.push_value(&state.unwrap_or_default());
    Ok(1)
}

/// `(plan, ticket, class, amount, has, wants?)`, of the state that is unmeasured.
pub fn weigh(c: &mut Call) -> Answer {
    let told = |_| {
        "`worth` returns a class, an amount from 0 to 255, and one or two sets as `bit32` makes them"
            .to_owned()
    };
    let class = super::find::key(&c.value(3).map_err(told)?);
    let amount = c.whole(4, 0, 255).map_err(told)? as u8;
    let has = c.whole(5, 0, i64::from(u32::MAX)).map_err(told)? as u32;
    let wants = if c.is_none(6) {
        has
    } else {
        c.whole(6, 0, i64::from(u32::MAX)).map_err(told)? as u32
    };
    let (planned, _) = running(c)?;
    let fresh = planned.classes.len() as u16;
    let class = *planned.classes.entry(class).or_insert(fresh);
    if let Some(&state) = planned.unmeasured.last() {
        planned.plan.weigh(
            state,
            Worth {
                class,
                amount,
                has,
                wants,
            },
        );
    }
    Ok(0)
}

/// `(plan, ticket, steps, free?, swaps?, pushes?, gratis?, sure?)`
pub fn measure(c: &mut Call) -> Answer {
    let number = |c: &Call, index| {
        if c.is_none(index) {
            return Ok(0);
        }
        let high = c.number(index).map_err(|_| MEASURES.to_owned())?.min(100.0);
        if high < 0.0 || high.fract() != 0.0 {
            Err(MEASURES.to_owned())
        } else {
            Ok(high as u8)
        }
    };
    let (steps, free, swaps, gratis) = (number(c, 3)?, number(c, 4)?, number(c, 5)?, number(c, 7)?);
    let sure = number(c, 8)?;
    let pushes = unsafe { ffi::lua_toboolean(c.l, 6) } != 0;
    let (planned, _) = running(c)?;
    if let Some(state) = planned.unmeasured.pop() {
        planned.plan.measure(
            state,
            Means {
                steps,
                free: free.min(steps),
                gratis,
                swaps,
                pushes,
                sure,
            },
        );
    }
    Ok(0)
}

const MEASURES: &str = "`left` returns how many steps may follow at most, how many of them are free, how many swaps, whether pieces may be pushed, how many of the free ones cost nothing at all, and how many paid steps are sure";

/// Goes on: `expand` with a state, `paused`, or how the search ended.
pub fn run(c: &mut Call) -> Answer {
    let (planned, running) = running(c)?;
    if let Some(q) = running.question.take() {
        let order = if q.cheapest { Order::Cheapest } else { Order::Any };
        running.search.begin(
            &planned.plan,
            q.state,
            q.pieces,
            q.origin,
            q.target,
            order,
            q.whole,
            q.limit,
        );
    }
    let progress = if planned.full {
        Progress::Limit
    } else {
        running.search.run(&planned.plan, SLICE)
    };
    let wanted = match progress {
        Progress::Expand(state) => Some(planned.states[usize::from(state)].clone()),
        _ => None,
    };
    c.push_text(match progress {
        Progress::Expand(_) => "expand",
        Progress::Paused => "paused",
        Progress::Found => "yes",
        Progress::Exhausted => "no",
        Progress::Limit => "unknown",
    });
    c.push_value(&wanted.unwrap_or_default());
    Ok(2)
}

/// The way that was found: legs and cost.
pub fn way(c: &mut Call) -> Answer {
    let planned = handle::get::<Planned>(c, 1)?;
    let search = &c.world().search.search;
    let (legs, cost) = (search.path(&planned.plan), search.cost().unwrap_or_default());
    let piece = |piece: u8| Value::Number(f64::from(piece) + 1.0);
    let legs: Vec<Value> = legs
        .into_iter()
        .map(|leg| {
            let moved = leg.moved.iter().map(|&(moved, (q, r))| {
                Value::List([piece(moved), Value::Space(Space::new(q, r, planned.board))].into())
            });
            let mut map = std::collections::BTreeMap::from([("moved".into(), Value::List(moved.collect()))]);
            if let Some(label) = planned.labels.get(leg.label as usize) {
                map.insert("label".into(), Value::Text(label.clone()));
            }
            if let Some(mover) = leg.mover {
                map.insert("piece".into(), piece(mover));
            }
            Value::Map(map.into())
        })
        .collect();
    c.push_value(&Value::List(legs.into()));
    c.push_value(&Value::List(
        cost.iter().map(|kind| Value::Number(f64::from(*kind))).collect(),
    ));
    Ok(2)
}

/// How many steps the way that was found takes.
pub fn steps(c: &mut Call) -> Answer {
    let cost = c.world().search.search.cost().unwrap_or_default();
    c.push_number(f64::from(cost[0]));
    Ok(1)
}
