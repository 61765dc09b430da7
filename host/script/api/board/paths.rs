//! Where a piece can go: reach, cheapest path, nearest goals; for pieces of one space or of several.
use std::cell::Cell;
use std::ffi::{CStr, c_int};

use mlua::ffi;
use mlua::lua_State;

use super::super::arguments::{Failure, Reply, Rule, Settings, in_setting, space_list};
use super::super::{Record, raw_fn};
use super::directions::direction;
use super::{board_of, declared};
use crate::script::call::{Answer, Call, push_space};
use crate::tabletop::board::footprint::{Footprint, nearest_pairs};
use crate::tabletop::board::paths::Travel;
use crate::tabletop::board::{Topology, key};
use crate::tabletop::{Declarations, Space, effort};

pub const RECORDS: &[Record] = &[
    Record::raw(
        "board.reach",
        c"reach",
        raw_fn!(reach),
        "(from: Space, travel: Travel) -> ({Space}, {[Space]: number})",
        "Where a piece can stop, in order, and what getting there costs. `budget` is the most that all steps may cost. `cost` is what a step costs: a number, a function of `(from, to)`, or a table keyed by the space entered; nil or false can't be entered, what a table doesn't name costs 1. `may_pass` and `may_stop` say where one may go on and where one may end: a function, a list of those where one may, or a table keyed by space with `false` for no. None of them is asked of the start, which is always reached at cost 0. `shape` (offsets) and `facing` make it a piece of several spaces: then every space covered must allow it, a table costs what the dearest space newly covered costs, and a function of cost gets those spaces as third argument.",
        "local spaces, cost = board.reach(vector(0, 0), {\n    budget = 2,\n    cost = function(from, to) return if to == vector(1, 1) then nil else 1 end,\n})\nassert(#spaces == 7 and cost[vector(2, 1)] == 2 and cost[vector(1, 1)] == nil)\nassert(#board.reach(vector(0, 0), { budget = 1, may_stop = { [vector(1, 0)] = false } }) == 3)",
    ),
    Record::raw(
        "board.path",
        c"path",
        raw_fn!(path),
        "(from: Space, to: Goal, travel: Travel?) -> ({Space}?, number?)",
        "A cheapest path, both ends included, and its cost; nil if there is none. `to` is a space, a list of them, a table keyed by space or a function. Of equally cheap paths the one of fewest steps, then the one to the first goal, then the one whose spaces come first. `travel` as for `board.reach`; without a `budget` there is no limit.",
        "local wall = { [vector(1, 0)] = false, [vector(1, 1)] = false }\nlocal path, cost = board.path(vector(0, 0), vector(2, 0), { cost = wall })\nassert(cost == 4 and #path == 5)",
    ),
    Record::raw(
        "board.nearest",
        c"nearest",
        raw_fn!(nearest),
        "(from: Space, to: Goal, travel: Travel?) -> ({Space}, number?)",
        "All goals that cost least to get to, in order, and that cost: where rules let a player choose among equals. `to` and `travel` as for `board.path`.",
        "local found, cost = board.nearest(vector(2, 2), { vector(0, 2), vector(4, 4), vector(2, 3), vector(1, 1) })\nassert(#found == 2 and found[1] == vector(1, 1) and cost == 1)",
    ),
    Record::raw(
        "board.footprint",
        c"footprint",
        raw_fn!(footprint),
        "(shape: {Space}, anchor: Space, facing: Direction?, free: Spaces?) -> {Space}?",
        "The spaces that a piece of several spaces covers, in order: `shape` holds its offsets from the anchor at facing 0. Nil if one is off the board, if `free` says no to one (a function, a list of those that are free, or a table keyed by space with `false` for no), or if the shape can't be turned so.",
        "local bar = { vector(0, 0), vector(1, 0) }\nassert(board.footprint(bar, vector(2, 2), \"e\")[2] == vector(2, 3))\nassert(board.footprint(bar, vector(4, 0)) == nil)",
    ),
    Record::raw(
        "board.gap",
        c"gap",
        raw_fn!(gap),
        "(a: {Space}, b: {Space}) -> (number?, {{Space}})",
        "The distance between the nearest spaces of two lists, and all pairs that are so near; nil and none if a list is empty.",
        "local distance, pairs = board.gap({ vector(0, 0), vector(1, 0) }, { vector(4, 0) })\nassert(distance == 3 and pairs[1][1] == vector(1, 0))",
    ),
];

const SETTINGS: [&CStr; 6] = [c"budget", c"cost", c"may_pass", c"may_stop", c"shape", c"facing"];
/// Steps that one question may look at: nothing interrupts the search between a script's answers.
const STEPS: u32 = 1_000_000;
/// The greatest cost of a step, and the greatest budget.
const COST_LIMIT: u32 = 1_000_000_000;

/// How a piece travels, as a script told it.
struct Plan {
    budget: Option<u32>,
    cost: Cost,
    may_pass: Rule,
    may_stop: Rule,
    shape: Option<(Footprint, u8)>,
    /// Steps that may still be looked at.
    left: Cell<u32>,
}

enum Cost {
    Flat(u32),
    Rule(Rule),
}

impl Plan {
    fn read(c: &Call, index: c_int, topology: &Topology) -> Result<Self, String> {
        let settings = Settings::read(c, index, &SETTINGS)?;
        let budget = settings.whole(c, c"budget", i64::from(COST_LIMIT))?;
        let cost = match settings.get(c, c"cost") {
            None => Cost::Flat(1),
            Some(at) if unsafe { ffi::lua_type(c.l, at) } == ffi::LUA_TNUMBER => Cost::Flat(
                c.whole(at, 0, i64::from(COST_LIMIT))
                    .map_err(|e| in_setting(c"cost", &e))? as u32,
            ),
            Some(at) => match Rule::read(c, at).map_err(|e| in_setting(c"cost", &e))? {
                Rule::List(_) => {
                    return Err("`cost`: a list says nothing of costs; use a table keyed by space".into());
                }
                rule => Cost::Rule(rule),
            },
        };
        let facing = match settings.get(c, c"facing") {
            None => 0,
            Some(at) => direction(c, topology, at).map_err(|e| in_setting(c"facing", &e))?,
        };
        let shape = match settings.get(c, c"shape") {
            None => None,
            Some(at) => Some((shape(c, at).map_err(|e| in_setting(c"shape", &e))?, facing)),
        };
        let (may_pass, may_stop) = (settings.rule(c, c"may_pass")?, settings.rule(c, c"may_stop")?);
        Ok(Self {
            budget,
            cost,
            may_pass,
            may_stop,
            shape,
            left: Cell::new(STEPS),
        })
    }

    fn covered(&self, board: &Topology, anchor: Space) -> Vec<Space> {
        match &self.shape {
            None => vec![anchor],
            Some((shape, facing)) => shape.places(board, anchor, *facing).unwrap_or_default(),
        }
    }

    /// What the step from `from` to `to` costs, if it can be made.
    fn step(
        &self,
        l: *mut lua_State,
        board: &Topology,
        failure: &Failure,
        from: Space,
        to: Space,
    ) -> Option<u32> {
        if failure.is_set() {
            return None;
        }
        if effort::is_spent() {
            failure.note("the step's budget is used up".into());
            return None;
        }
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => {
                failure.note(format!(
                    "this looks at more than {STEPS} steps: give a smaller `budget`, or bound the board"
                ));
                return None;
            }
        }
        let entered = match &self.shape {
            None => None,
            Some((shape, facing)) => {
                let mut entered = shape.fits(board, to, *facing, |_| true)?;
                let before = self.covered(board, from);
                entered.retain(|space| before.binary_search(space).is_err());
                Some(entered)
            }
        };
        let rule = match &self.cost {
            Cost::Flat(cost) => return Some(*cost),
            Cost::Rule(rule) => rule,
        };
        let ask = |space: Space| {
            let reply = rule.ask(l, failure, space, || unsafe {
                push_space(l, from);
                push_space(l, to);
                match &entered {
                    None => 2,
                    Some(entered) => {
                        push_list(l, entered);
                        3
                    }
                }
            });
            price(reply, failure)
        };
        match (&entered, rule) {
            (Some(entered), Rule::Table(_)) => {
                let costs: Option<Vec<u32>> = entered.iter().map(|space| ask(*space)).collect();
                costs?.into_iter().max().or(Some(1))
            }
            _ => ask(to),
        }
    }

    /// The journey of this plan, for the board's own algorithms.
    #[expect(clippy::type_complexity, reason = "closures have no shorter type")]
    fn travel<'a>(
        &'a self,
        l: *mut lua_State,
        board: &'a Topology,
        failure: &'a Failure,
    ) -> Travel<
        impl FnMut(Space, Space) -> Option<u32> + 'a,
        impl FnMut(Space) -> bool + 'a,
        impl FnMut(Space) -> bool + 'a,
    > {
        let all = move |rule: &Rule, anchor: Space| {
            self.covered(board, anchor)
                .into_iter()
                .all(|space| rule.holds(l, failure, space, true))
        };
        Travel {
            budget: self.budget.unwrap_or(u32::MAX),
            cost: move |from, to| self.step(l, board, failure, from, to),
            may_pass: move |anchor| all(&self.may_pass, anchor),
            may_stop: move |anchor| all(&self.may_stop, anchor),
        }
    }
}

fn price(reply: Reply, failure: &Failure) -> Option<u32> {
    match reply {
        Reply::Silent => Some(1),
        Reply::Nil | Reply::Boolean(false) => None,
        Reply::Number(n) if n.fract() == 0.0 && (0.0..=f64::from(COST_LIMIT)).contains(&n) => Some(n as u32),
        Reply::Number(n) => {
            failure.note(format!(
                "`cost`: expected a whole number from 0 to {COST_LIMIT}, or nil, got {n}"
            ));
            None
        }
        Reply::Boolean(true) | Reply::Other(_) => {
            let got = if let Reply::Other(what) = reply {
                what
            } else {
                "true"
            };
            failure.note(format!(
                "`cost`: expected a whole number, or nil for a step that can't be made, got {got}"
            ));
            None
        }
    }
}

unsafe fn push_list(l: *mut lua_State, spaces: &[Space]) {
    unsafe {
        ffi::lua_createtable(l, spaces.len() as c_int, 0);
        for (i, space) in spaces.iter().enumerate() {
            push_space(l, *space);
            ffi::lua_rawseti_(l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(l, -1, 1);
    }
}

/// The offsets of a list.
fn shape(c: &Call, index: c_int) -> Result<Footprint, String> {
    let offsets = space_list(c, index)?;
    if offsets.is_empty() {
        return Err(format!("argument {index}: a shape has at least one offset"));
    }
    Ok(Footprint::new(offsets.into_iter().map(|s| (s.q, s.r))))
}

fn start(declared: &Declarations, from: Space) -> Result<&Topology, String> {
    let board = board_of(declared, from)?;
    if board.contains(from) {
        return Ok(board);
    }
    Err(format!(
        "{} is not a space of its board",
        key::format(&declared.topologies, from)
    ))
}

fn reach(c: &mut Call) -> Answer {
    let declared = declared(c);
    let from = c.space(1)?;
    let board = start(&declared, from)?;
    let plan = Plan::read(c, 2, board)?;
    if plan.budget.is_none() {
        return Err("`board.reach` needs a `budget`: the most that all steps may cost".into());
    }
    let failure = Failure::default();
    let found = plan.travel(c.l, board, &failure).reach(board, from);
    failure.check()?;
    let found = found.map_err(|e| e.to_string())?;
    c.push_spaces(found.iter().map(|r| r.space));
    unsafe {
        ffi::lua_createtable(c.l, 0, found.len() as c_int);
        for reached in &found {
            push_space(c.l, reached.space);
            ffi::lua_pushnumber(c.l, f64::from(reached.cost));
            ffi::lua_rawset(c.l, -3);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(2)
}

/// What argument 2 says that a journey may end on.
fn goal(c: &Call) -> Result<Rule, String> {
    match unsafe { ffi::lua_type(c.l, 2) } {
        ffi::LUA_TVECTOR => Ok(Rule::List([c.space(2)?].into())),
        _ => Rule::read(c, 2).map_err(|e| format!("argument 2: a goal is a space, or: {e}")),
    }
}

fn path(c: &mut Call) -> Answer {
    let declared = declared(c);
    let from = c.space(1)?;
    let board = start(&declared, from)?;
    let (goal, plan) = (goal(c)?, Plan::read(c, 3, board)?);
    let failure = Failure::default();
    let found = plan
        .travel(c.l, board, &failure)
        .path(board, from, |space| goal.holds(c.l, &failure, space, false));
    failure.check()?;
    match found.map_err(|e| e.to_string())? {
        None => {
            c.push_nil();
            Ok(1)
        }
        Some(path) => {
            c.push_spaces(path.spaces.into_iter());
            c.push_number(f64::from(path.cost));
            Ok(2)
        }
    }
}

fn nearest(c: &mut Call) -> Answer {
    let declared = declared(c);
    let from = c.space(1)?;
    let board = start(&declared, from)?;
    let (goal, plan) = (goal(c)?, Plan::read(c, 3, board)?);
    let failure = Failure::default();
    let holds = |space| goal.holds(c.l, &failure, space, false);
    let found = plan.travel(c.l, board, &failure).nearest(board, from, holds);
    failure.check()?;
    let found = found.map_err(|e| e.to_string())?;
    c.push_spaces(found.iter().map(|r| r.space));
    match found.first() {
        Some(first) => c.push_number(f64::from(first.cost)),
        None => c.push_nil(),
    }
    Ok(2)
}

fn footprint(c: &mut Call) -> Answer {
    unsafe { ffi::lua_rawcheckstack(c.l, 20) };
    let declared = declared(c);
    let (shape, anchor) = (shape(c, 1)?, c.space(2)?);
    let board = board_of(&declared, anchor)?;
    let facing = if c.is_none(3) { 0 } else { direction(c, board, 3)? };
    let free = if c.is_none(4) {
        Rule::Default
    } else {
        Rule::read(c, 4)?
    };
    let failure = Failure::default();
    let covered = shape.fits(board, anchor, facing, |space| {
        free.holds(c.l, &failure, space, true)
    });
    failure.check()?;
    match covered {
        Some(covered) => c.push_spaces(covered.into_iter()),
        None => c.push_nil(),
    }
    Ok(1)
}

fn gap(c: &mut Call) -> Answer {
    let (a, b) = (space_list(c, 1)?, space_list(c, 2)?);
    let declared = declared(c);
    let found = match a.first() {
        None => None,
        Some(first) => nearest_pairs(board_of(&declared, *first)?, &a, &b),
    };
    let (distance, pairs) = match found {
        Some((distance, pairs)) => (Some(distance), pairs),
        None => (None, Vec::new()),
    };
    match distance {
        Some(distance) => c.push_number(f64::from(distance)),
        None => c.push_nil(),
    }
    unsafe {
        ffi::lua_createtable(c.l, pairs.len() as c_int, 0);
        for (i, (from, to)) in pairs.into_iter().enumerate() {
            push_list(c.l, &[from, to]);
            ffi::lua_rawseti_(c.l, -2, i as c_int + 1);
        }
        ffi::lua_setreadonly(c.l, -1, 1);
    }
    Ok(2)
}
