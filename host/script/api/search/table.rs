//! The host's side of `search.table`: steps of all states, or of all layouts of a plan, to a goal.
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::find::key;
use super::handle::{self, Held};
use super::plan::{Planned, take_owned};
use crate::pack::kept;
use crate::script::call::{Answer, Call};
use crate::tabletop::search::Distances;
use crate::tabletop::search::ground::Ground;
use crate::tabletop::search::reverse::{Full, Reverse};
use crate::tabletop::{Space, Value};

/// States or layouts of a table, unless told and at most.
const STATES: i64 = 1_000_000;
const LAYOUTS: i64 = 10_000_000;
const MOST: i64 = 100_000_000;
/// Tables of one thread may hold about so many bytes.
const BYTES: usize = 512 << 20;
/// Layouts between two looks at a script's budget.
const SLICE: usize = 4096;
/// A table that took longer is kept on disk.
const WORTH_KEEPING: Duration = Duration::from_millis(500);

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// Steps of states that a script names.
struct States {
    graph: Reverse,
    /// Named and not expanded yet, from `next` on.
    open: Vec<Value>,
    next: usize,
    bytes: usize,
}

impl Held for States {
    const TAG: c_int = 22;
    const NAME: &'static str = "a table of search.table";
}

/// Steps of all layouts of a plan.
struct Layouts {
    distances: Distances,
    ground: Rc<Ground>,
    board: u8,
    key: u128,
    begun: Instant,
    done: bool,
    bytes: usize,
}

impl Held for Layouts {
    const TAG: c_int = 23;
    const NAME: &'static str = "a table of search.table";
}

impl Drop for States {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(self.bytes));
    }
}

impl Drop for Layouts {
    fn drop(&mut self) {
        HELD.set(HELD.get().saturating_sub(self.bytes));
    }
}

/// Counts bytes in before they are taken.
fn hold(c: &Call, bytes: usize) -> Result<(), String> {
    if HELD.get() + bytes > BYTES {
        unsafe { mlua::ffi::lua_gc(c.l, mlua::ffi::LUA_GCCOLLECT, 0) };
    }
    if HELD.get() + bytes > BYTES {
        return Err(format!(
            "tables of search.table would hold more than {} MiB",
            BYTES >> 20
        ));
    }
    HELD.set(HELD.get() + bytes);
    Ok(())
}

const TOO_MANY: &str = "the table has too many states; `limit` bounds them";

/// `(limit?)`
pub fn open(c: &mut Call) -> Answer {
    let limit = if c.is_none(1) {
        STATES
    } else {
        c.whole(1, 1, MOST)?
    } as usize;
    let states = States {
        graph: Reverse::new(limit),
        open: Vec::new(),
        next: 0,
        bytes: 0,
    };
    handle::push(c, states)?;
    Ok(1)
}

/// Bytes of a state and its edges, about.
const STATE: usize = 200;

fn named(c: &mut Call, index: c_int) -> Result<u32, String> {
    let value = c
        .value(index)
        .map_err(|e| format!("a state of a table is a plain value: {e}"))?;
    let bytes = key(&value);
    let states = handle::get::<States>(c, 1)?;
    let (number, fresh) = states.graph.name(&bytes).map_err(|Full| TOO_MANY)?;
    if fresh {
        let held = STATE + 4 * bytes.len();
        hold(c, held)?;
        let states = handle::get::<States>(c, 1)?;
        states.bytes += held;
        states.open.push(value);
    }
    Ok(number)
}

/// `(table, state)`: a state to begin with.
pub fn name(c: &mut Call) -> Answer {
    named(c, 2)?;
    Ok(0)
}

/// `(table, state)`: a goal, also if nothing leads there.
pub fn goal(c: &mut Call) -> Answer {
    let number = named(c, 2)?;
    handle::get::<States>(c, 1)?.graph.add_goal(number);
    Ok(0)
}

/// `(table, most)`: the next states to expand, and the number of the first; nothing if all were.
pub fn take(c: &mut Call) -> Answer {
    let most = c.whole(2, 1, 1 << 20)? as usize;
    let states = handle::get::<States>(c, 1)?;
    let first = states.next;
    let until = states.open.len().min(first + most);
    let list: Vec<Value> = states.open[first..until].iter_mut().map(std::mem::take).collect();
    states.next = until;
    if list.is_empty() {
        return Ok(0);
    }
    c.push_value(&Value::List(list.into()));
    c.push_number(first as f64);
    Ok(2)
}

/// `(table, number, state)`: one step leads from the state of a number to another.
pub fn link(c: &mut Call) -> Answer {
    let from = c.whole(2, 0, MOST)? as u32;
    let to = named(c, 3)?;
    let states = handle::get::<States>(c, 1)?;
    states.graph.link(from, to).map_err(|Full| TOO_MANY)?;
    Ok(0)
}

pub fn finish(c: &mut Call) -> Answer {
    let states = handle::get::<States>(c, 1)?;
    states.graph.finish();
    states.open = Vec::new();
    let counts = counts(&states.graph.counts());
    c.push_value(&counts);
    Ok(1)
}

/// `(table, state)`
pub fn of(c: &mut Call) -> Answer {
    let bytes = key(&c.value(2)?);
    match handle::get::<States>(c, 1)?.graph.of(&bytes) {
        Some(steps) => c.push_number(f64::from(steps)),
        None => c.push_nil(),
    }
    Ok(1)
}

fn counts(counts: &[u32]) -> Value {
    Value::List(
        counts
            .iter()
            .map(|&count| Value::Number(f64::from(count)))
            .collect(),
    )
}

/// `(plan, moves, pattern, limit?)`
pub fn open_layouts(c: &mut Call) -> Answer {
    take_owned(c)?;
    let limit = if c.is_none(4) {
        LAYOUTS
    } else {
        c.whole(4, 1, MOST)?
    } as usize;
    let planned = handle::get::<Planned>(c, 1)?;
    let moves = planned.move_set(c.text(2)?)?;
    let target = planned.pattern(c.text(3)?)?;
    let (ground, board) = (planned.plan.ground().clone(), planned.board);
    let mut distances = planned.plan.distances(moves, target, limit).ok_or(
        "no table can be made: there are more layouts than `limit`, the pattern isn't exact, or a change has no way back",
    )?;
    let key = kept::key(&ground.describe(moves, target));
    let done = kept::read(key).is_some_and(|bytes| distances.restore(&bytes));
    let bytes = distances.shapes().layouts() * 2;
    hold(c, bytes)?;
    let begun = Instant::now();
    let layouts = Layouts {
        distances,
        ground,
        board,
        key,
        begun,
        done,
        bytes,
    };
    handle::push(c, layouts)?;
    Ok(1)
}

/// Goes on; tells whether all is found.
pub fn run_layouts(c: &mut Call) -> Answer {
    let table = handle::get::<Layouts>(c, 1)?;
    if !table.done {
        table.done = table.distances.run(&table.ground, SLICE);
        if table.done && table.begun.elapsed() > WORTH_KEEPING {
            kept::write(table.key, table.distances.bytes());
        }
    }
    c.push_bool(table.done);
    Ok(1)
}

pub fn count_layouts(c: &mut Call) -> Answer {
    let counts = counts(handle::get::<Layouts>(c, 1)?.distances.counts());
    c.push_value(&counts);
    Ok(1)
}

/// `(table, layout)`
pub fn of_layout(c: &mut Call) -> Answer {
    let spaces: Vec<Space> = crate::script::api::arguments::space_list(c, 2)?;
    let table = handle::get::<Layouts>(c, 1)?;
    let count = table.ground.count();
    let layout = super::run::packed(&spaces, count, table.board)?;
    match table.distances.of(layout.pack()) {
        Some(steps) => c.push_number(f64::from(steps)),
        None => c.push_nil(),
    }
    Ok(1)
}
