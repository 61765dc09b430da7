//! Reading the edges that a rule lists for one state of a plan.
use std::ffi::c_int;

use mlua::ffi;

use super::handle;
use super::plan::Planned;
use super::run::running;
use crate::script::call::{Answer, Call, text_at};
use crate::script::vm::hint;
use crate::tabletop::search::Edge;

const NAMES: [&str; 9] = [
    "to", "moves", "near", "apart", "when", "unless", "fits", "cost", "label",
];

/// `(plan, ticket, edges)`: the edges of the state for which `run` asked.
pub fn expand(c: &mut Call) -> Answer {
    let state = running(c)?.1.search.waiting();
    c.table(3)
        .map_err(|_| "`next` returns a list of edges".to_owned())?;
    let count = unsafe { ffi::lua_objlen(c.l, 3) };
    let mut edges = Vec::with_capacity(count);
    for i in 1..=count {
        unsafe { ffi::lua_settop(c.l, 3) };
        if unsafe { ffi::lua_rawgeti_(c.l, 3, i as c_int) } != ffi::LUA_TTABLE {
            return Err(format!(
                "edge {i}: expected a table such as {{ to = state, moves = \"slide\" }}"
            ));
        }
        match edge(c).map_err(|e| format!("edge {i}: {e}"))? {
            Some(edge) => edges.push(edge),
            // There is no room for more states; the search ends by itself.
            None => return Ok(0),
        }
    }
    handle::get::<Planned>(c, 1)?.plan.expand(state, edges);
    Ok(0)
}

/// The edge in the table at place 4.
fn edge(c: &mut Call) -> Result<Option<Edge>, String> {
    let planned = handle::get::<Planned>(c, 1)?;
    let mut edge = Edge::default();
    let mut to = None;
    let mut place = 0;
    loop {
        unsafe { ffi::lua_settop(c.l, 4) };
        place = unsafe { ffi::lua_rawiter(c.l, 4, place) };
        if place < 0 {
            break;
        }
        let name = if unsafe { ffi::lua_type(c.l, 5) } == ffi::LUA_TSTRING {
            unsafe { text_at(c.l, 5) }
        } else {
            None
        };
        match name.unwrap_or_default() {
            "to" => {
                let state = c
                    .value(6)
                    .map_err(|e| format!("a state of a plan is a plain value: {e}"))?;
                match planned.state(state)? {
                    Some(state) => to = Some(state),
                    None => return Ok(None),
                }
            }
            "moves" => edge.moves = Some(planned.move_set(name_at(c)?)?),
            "when" => edge.when = Some(planned.pattern(name_at(c)?)?),
            "unless" => edge.unless = Some(planned.pattern(name_at(c)?)?),
            "fits" => {
                let number = c
                    .whole(6, 1, 255)
                    .map_err(|_| "`fits` is the number of a pattern of `to`")?;
                edge.fits = Some(number as u8 - 1);
            }
            "label" => {
                let label = name_at(c)?;
                edge.label = match planned.label_numbers.get(label) {
                    Some(&number) => number,
                    None => {
                        let (number, label) =
                            (planned.labels.len() as u32, std::sync::Arc::<str>::from(label));
                        planned.labels.push(label.clone());
                        planned.label_numbers.insert(label, number);
                        number
                    }
                };
            }
            "near" => {
                edge.near = Some(pair(
                    c,
                    planned.plan.count(),
                    "`near` names two pieces by number",
                )?)
            }
            "apart" => {
                edge.apart = Some(pair(
                    c,
                    planned.plan.count(),
                    "`apart` names two pieces by number",
                )?)
            }
            "cost" => {
                c.table(6)
                    .map_err(|_| "`cost` is a list of up to three whole numbers".to_owned())?;
                for kind in 0..unsafe { ffi::lua_objlen(c.l, 6) } {
                    let cost = number(
                        c,
                        kind as c_int + 1,
                        0,
                        127,
                        "`cost` is a list of up to three whole numbers",
                    )?;
                    *edge
                        .cost
                        .get_mut(kind)
                        .ok_or("`cost` is a list of up to three whole numbers")? = cost;
                }
            }
            other => return Err(format!("an edge has no setting `{other}`{}", hint(other, NAMES))),
        }
    }
    edge.to = to.ok_or("an edge needs the state `to` which it leads")?;
    Ok(Some(edge))
}

fn name_at(c: &Call) -> Result<&str, String> {
    c.text(6)
        .map_err(|_| format!("expected a name, got {}", c.type_name(6)))
}

/// Two pieces in the list at place 6.
fn pair(c: &mut Call, count: u8, problem: &str) -> Result<(u8, u8), String> {
    let pair = (
        number(c, 1, 1, count, problem)? - 1,
        number(c, 2, 1, count, problem)? - 1,
    );
    if unsafe { ffi::lua_objlen(c.l, 6) } > 2 {
        return Err(problem.into());
    }
    Ok(pair)
}

/// Item `item` of the list at place 6.
fn number(c: &Call, item: c_int, low: u8, high: u8, problem: &str) -> Result<u8, String> {
    if unsafe { ffi::lua_type(c.l, 6) } != ffi::LUA_TTABLE {
        return Err(problem.into());
    }
    unsafe { ffi::lua_rawgeti_(c.l, 6, item) };
    let number = c
        .whole(7, i64::from(low), i64::from(high))
        .map_err(|_| problem.to_owned())?;
    unsafe { ffi::lua_settop(c.l, 6) };
    Ok(number as u8)
}
