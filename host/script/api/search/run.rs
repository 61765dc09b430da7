//! The host's side of a running search of a plan.
use std::ffi::c_int;

use mlua::ffi;

use super::handle;
use super::plan::{Planned, Question, Running, take_owned};
use crate::script::api::arguments::space_list;
use crate::script::call::{Answer, Call, push_function, text_at};
use crate::script::handle::ASIDE;
use crate::script::vm::{hint, note_trace};
use crate::tabletop::search::plan::Worth;
use crate::tabletop::search::{Aim, Means, Order, Pieces, Progress};
use crate::tabletop::{Space, Value};

/// The most pairs of state and layout that a search may keep: about 50 MB.
const PAIRS: i64 = 1_000_000;
/// Unless told.
const DEFAULT_PAIRS: i64 = 100_000;
/// How many expansions go by before a script's budget is looked at.
const SLICE: usize = 256;

/// `(plan, state, layout, pattern, limit?, cheapest?, whole?)`; returns the ticket of the search.
pub fn begin(c: &mut Call) -> Answer {
    take_owned(c)?;
    let state = c
        .value(2)
        .map_err(|e| format!("a state of a plan is a plain value: {e}"))?;
    let flag = |index| unsafe { ffi::lua_toboolean(c.l, index) } != 0;
    let (cheapest, whole) = (flag(6), flag(7));
    let (pieces, origin) = layout(c, 3)?;
    let limit = pairs(c, 5)?;
    let planned = handle::get::<Planned>(c, 1)?;
    let targets = targets(c, planned)?;
    planned.tidy();
    let state = planned.state(state)?.ok_or("the plan has too many states")?;
    ticket(
        c,
        Question {
            state,
            pieces,
            origin,
            targets,
            cheapest,
            whole,
            limit,
        },
    )
}

/// `(plan, moves, layout, pattern, most?, limit?)`; returns the ticket of the search.
pub fn begin_distance(c: &mut Call) -> Answer {
    take_owned(c)?;
    let (pieces, origin) = layout(c, 3)?;
    let most = if c.is_none(5) {
        16
    } else {
        c.whole(5, 0, 100)
            .map_err(|_| "`most` of search.distance is a whole number from 0 to 100".to_owned())?
    } as u8;
    let limit = pairs(c, 6)?;
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
            targets: vec![target],
            cheapest: true,
            whole: true,
            limit,
        },
    )
}

/// The setting `limit` at a place.
fn pairs(c: &Call, index: c_int) -> Result<usize, String> {
    if c.is_none(index) {
        return Ok(DEFAULT_PAIRS as usize);
    }
    let limit = c.whole(index, 0, PAIRS);
    let limit = limit.map_err(|_| format!("`limit` of a search is a whole number from 0 to {PAIRS}"))?;
    Ok(limit as usize)
}

/// The pattern at place 4, or the list of the target and what states aim at instead.
fn targets(c: &mut Call, planned: &Planned) -> Result<Vec<u16>, String> {
    if unsafe { ffi::lua_type(c.l, 4) } != ffi::LUA_TTABLE {
        let name = c
            .text(4)
            .map_err(|_| "`to` is a pattern or a list of patterns".to_owned())?;
        return Ok(vec![planned.pattern(name)?]);
    }
    let mut targets = Vec::new();
    for i in 1..=unsafe { ffi::lua_objlen(c.l, 4) } {
        unsafe { ffi::lua_rawgeti_(c.l, 4, i as c_int) };
        let name = c
            .text(-1)
            .map_err(|_| "`to` is a pattern or a list of patterns".to_owned())?;
        targets.push(planned.pattern(name)?);
        unsafe { ffi::lua_settop(c.l, -2) };
    }
    if targets.is_empty() || targets.len() > 255 {
        return Err("`to` is a pattern or a list of patterns".into());
    }
    Ok(targets)
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
    let (count, board) = (planned.plan.count(), planned.board);
    let (pieces, origin) = placed(&spaces, count, board)?;
    if !planned.plan.grid().linked(&pieces) {
        return Err(APART.into());
    }
    Ok((pieces, origin))
}

const APART: &str = "the pieces of a layout must stand on different spaces and be linked; here they aren't";

/// The layout of so many pieces on these spaces of a board.
pub(super) fn packed(spaces: &[Space], count: u8, board: u8) -> Result<Pieces, String> {
    placed(spaces, count, board).map(|(pieces, _)| pieces)
}

fn placed(spaces: &[Space], count: u8, board: u8) -> Result<(Pieces, (i32, i32)), String> {
    let given = spaces.len();
    if given != usize::from(count) {
        return Err(format!(
            "the plan has {count} pieces; the layout has {given} spaces"
        ));
    }
    let places: Vec<(i32, i32)> = spaces.iter().map(|space| (space.q, space.r)).collect();
    if let Some(off) = spaces.iter().find(|space| space.board != board) {
        return Err(format!(
            "the plan is for board {board}; a space of board {} was given",
            off.board
        ));
    }
    Pieces::new(&places).ok_or_else(|| APART.into())
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

/// `(function, state)`: what a plan's function says of a state, which it must not know anything but.
pub fn ask(c: &mut Call) -> Answer {
    if c.world().is_aside {
        return Err("`next`, `left` and `worth` of a plan can't search plans themselves".into());
    }
    let l = c.l;
    c.world().step_aside();
    let running = std::mem::replace(&mut c.world().running, false);
    let failed = unsafe {
        push_function(l, note_trace, c"ask", c.world_ptr());
        ffi::lua_insert(l, 1);
        ffi::lua_pcall(l, 1, ffi::LUA_MULTRET, 1) != ffi::LUA_OK
    };
    c.world().running = running;
    let changed = c.world().step_back();
    if failed {
        return Err(String::new());
    }
    if changed {
        return Err(ASIDE.into());
    }
    Ok(c.count() - 1)
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

/// `(plan, ticket, left)`, of the state that is unmeasured: its steps, or a table of all that is left.
pub fn measure(c: &mut Call) -> Answer {
    let means = means(c).map_err(|e| format!("`left`: {e}"))?;
    let (planned, _) = running(c)?;
    if let Some(state) = planned.unmeasured.pop() {
        planned.plan.measure(state, means);
    }
    Ok(0)
}

const MEANS: [&str; 7] = ["steps", "free", "gratis", "swaps", "pushes", "sure", "aim"];

fn means(c: &mut Call) -> Result<Means, String> {
    let mut means = Means::default();
    unsafe { ffi::lua_settop(c.l, 3) };
    if unsafe { ffi::lua_type(c.l, 3) } == ffi::LUA_TNUMBER {
        means.steps = amount(c, 3, "steps")?;
        return Ok(means);
    }
    c.table(3)
        .map_err(|_| "expected a number of steps, or a table such as { steps = 3, free = 1 }".to_owned())?;
    if unsafe { ffi::lua_objlen(c.l, 3) } > 0 {
        return Err(
            "expected a number of steps, or a table such as { steps = 3, free = 1 }, got a list".into(),
        );
    }
    let mut place = 0;
    loop {
        unsafe { ffi::lua_settop(c.l, 3) };
        place = unsafe { ffi::lua_rawiter(c.l, 3, place) };
        if place < 0 {
            break;
        }
        let name = if unsafe { ffi::lua_type(c.l, 4) } == ffi::LUA_TSTRING {
            unsafe { text_at(c.l, 4) }
        } else {
            None
        };
        let is_flag = unsafe { ffi::lua_type(c.l, 5) } == ffi::LUA_TBOOLEAN;
        match name.unwrap_or_default() {
            "steps" => means.steps = amount(c, 5, "steps")?,
            "free" => means.free = amount(c, 5, "free")?,
            "gratis" => means.gratis = amount(c, 5, "gratis")?,
            "swaps" => means.swaps = amount(c, 5, "swaps")?,
            "sure" => means.sure = amount(c, 5, "sure")?,
            "pushes" if is_flag => means.pushes = unsafe { ffi::lua_toboolean(c.l, 5) } != 0,
            "pushes" => return Err("`pushes` is true or false".into()),
            "aim" if unsafe { ffi::lua_type(c.l, 5) } == ffi::LUA_TSTRING && c.text(5)? == "nothing" => {
                means.aim = Aim::Nothing;
            }
            "aim" => {
                means.aim = match c.whole(5, 1, 255) {
                    Ok(1) => Aim::Target,
                    Ok(number) => Aim::Other(number as u8 - 1),
                    Err(_) => return Err("`aim` is the number of a pattern of `to`, or \"nothing\"".into()),
                }
            }
            other => return Err(format!("there is no setting `{other}`{}", hint(other, MEANS))),
        }
    }
    means.free = means.free.min(means.steps);
    Ok(means)
}

/// An amount, of which more than 100 is as good as 100.
fn amount(c: &Call, index: c_int, name: &str) -> Result<u8, String> {
    match c.number(index) {
        Ok(number) if number >= 0.0 && number.fract() == 0.0 => Ok(number.min(100.0) as u8),
        _ => Err(format!("`{name}` is a whole number from 0")),
    }
}

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
            &q.targets,
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
