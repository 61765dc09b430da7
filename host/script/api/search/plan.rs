//! Declaring a plan: reading its pieces, moves and patterns.
use std::collections::{BTreeMap, HashMap};
use std::ffi::c_int;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use super::handle::{self, Held};
use crate::script::call::{Answer, Call};
use crate::script::vm::{freeze_deep, hint};
use crate::tabletop::board::Topology;
use crate::tabletop::search::ground::Ground;
use crate::tabletop::search::plan::Plan;
use crate::tabletop::search::{Aim, FORMS, Grid, Means, PIECES, Pieces, Place, Search, Target, Way};
use crate::tabletop::{Space, Value};

/// A plan with the names that its script uses.
pub struct Planned {
    pub plan: Plan,
    pub board: u8,
    pub moves: BTreeMap<Arc<str>, u16>,
    pub patterns: BTreeMap<Arc<str>, u16>,
    /// The states' values by number, and their numbers by canonical bytes.
    pub states: Vec<Value>,
    pub numbers: HashMap<Vec<u8>, u16>,
    pub labels: Vec<Arc<str>>,
    pub label_numbers: HashMap<Arc<str>, u32>,
    /// The classes of their worth, by canonical bytes.
    pub classes: HashMap<Vec<u8>, u16>,
    /// States whose means a script is still to tell.
    pub unmeasured: Vec<u16>,
    /// By set of moves: states that count steps down, the first one being 0.
    pub chains: HashMap<u16, Vec<u16>>,
    /// Whether a state found no room.
    pub full: bool,
    /// The address of the table that scripts have of it. A clone with other functions would mix up its states.
    owner: usize,
}

/// The search that runs over a plan of this VM: one at a time, so that its room is there once.
#[derive(Default)]
pub struct Running {
    pub search: Search,
    /// Tells a search from those before it.
    pub ticket: u32,
    pub question: Option<Question>,
    /// What the plans of this VM declare.
    pub grounds: Vec<Weak<Ground>>,
}

/// What the running search is to begin with.
pub struct Question {
    pub state: u16,
    pub pieces: Pieces,
    pub origin: (i32, i32),
    /// The target, then what states may aim at instead.
    pub targets: Vec<u16>,
    pub cheapest: bool,
    pub whole: bool,
    pub limit: usize,
}

impl Held for Planned {
    const TAG: c_int = 21;
    const NAME: &'static str = "a plan of search.plan";
}

impl Planned {
    /// The number of a state, which is new if it was never named. `None` if there is no room for it.
    pub fn state(&mut self, value: Value) -> Result<Option<u16>, String> {
        let key = super::find::key_of_state(&value)?;
        if let Some(&number) = self.numbers.get(&key) {
            return Ok(Some(number));
        }
        let Some(number) = self.plan.add_state() else {
            self.full = true;
            return Ok(None);
        };
        self.states.push(value);
        self.numbers.insert(key, number);
        self.unmeasured.push(number);
        Ok(Some(number))
    }

    /// The state from which so many changes of a set may follow.
    pub fn chain(&mut self, moves: u16, steps: u8) -> Option<u16> {
        let chain = self.chains.entry(moves).or_default();
        while chain.len() <= usize::from(steps) {
            let number = self.plan.add_state()?;
            let left = chain.len() as u8;
            self.states.push(Value::Nil);
            self.plan.measure(
                number,
                Means {
                    steps: left,
                    free: 0,
                    gratis: 0,
                    swaps: left,
                    pushes: true,
                    sure: 0,
                    aim: Aim::Target,
                },
            );
            let back = chain.last().map(|&to| crate::tabletop::search::Edge {
                to,
                moves: Some(moves),
                cost: [1, 0, 0],
                ..Default::default()
            });
            self.plan.expand(number, Vec::from_iter(back));
            chain.push(number);
        }
        Some(chain[usize::from(steps)])
    }

    /// Drops all states when they are many, so that a plan doesn't grow for ever.
    pub fn tidy(&mut self) {
        if self.plan.states() > 1 << 13 {
            self.plan.forget();
            self.states.clear();
            self.numbers.clear();
            self.classes.clear();
            self.chains.clear();
            self.unmeasured.clear();
        }
        self.full = false;
    }

    pub fn pattern(&self, name: &str) -> Result<u16, String> {
        known(&self.patterns, "pattern", name)
    }

    pub fn move_set(&self, name: &str) -> Result<u16, String> {
        known(&self.moves, "set of moves", name)
    }
}

fn known(names: &BTreeMap<Arc<str>, u16>, what: &str, name: &str) -> Result<u16, String> {
    names.get(name).copied().ok_or_else(|| {
        format!(
            "the plan has no {what} `{name}`{}",
            hint(name, names.keys().map(|n| &**n))
        )
    })
}

/// `(board?, pieces, moves, patterns, unbounded?, paid?)`
pub fn declare(c: &mut Call) -> Answer {
    let declared = c.world().tabletop.declared().clone();
    let board = match c.optional_text(1)? {
        None => 0,
        Some(name) => declared
            .boards
            .iter()
            .position(|b| &*b.name == name)
            .ok_or_else(|| {
                format!(
                    "there is no board `{name}`{}",
                    hint(name, declared.boards.iter().map(|b| &*b.name))
                )
            })?,
    };
    let topology = declared
        .topologies
        .get(board)
        .ok_or("the game declares no board")?;
    let unbounded = unsafe { mlua::ffi::lua_toboolean(c.l, 5) } != 0;
    let grid = grid_of(topology, unbounded)?;
    let count = c
        .whole(2, 1, PIECES as i64)
        .map_err(|_| format!("a plan has 1 to {PIECES} pieces"))? as u8;
    let (moves, patterns) = (c.value(3)?, c.value(4)?);
    let mut planned = Planned {
        plan: Plan::new(grid, count),
        board: board as u8,
        moves: BTreeMap::new(),
        patterns: BTreeMap::new(),
        states: Vec::new(),
        numbers: HashMap::new(),
        classes: HashMap::new(),
        labels: Vec::new(),
        label_numbers: HashMap::new(),
        unmeasured: Vec::new(),
        chains: HashMap::new(),
        full: false,
        owner: 0,
    };
    for (name, ways) in named(&moves, "moves")? {
        let ways = list(ways, "a set of moves")?
            .iter()
            .map(|way| way_of(way, topology, count));
        let ways = ways
            .collect::<Result<Vec<Way>, String>>()
            .map_err(|e| format!("moves `{name}`: {e}"))?;
        let number = planned.plan.add_moves(ways);
        planned.moves.insert(name.clone(), number);
    }
    for (name, pattern) in named(&patterns, "patterns")? {
        let target = target_of(pattern, count).map_err(|e| format!("pattern `{name}`: {e}"))?;
        let number = planned.plan.add_pattern(target);
        planned.patterns.insert(name.clone(), number);
    }
    if let Some(paid) = c.optional_text(6)? {
        let moves = planned.move_set(paid)?;
        planned.plan.set_paid(moves);
    }
    let grounds = &mut c.world().search.grounds;
    grounds.retain(|ground| ground.strong_count() > 0);
    let shared = grounds
        .iter()
        .filter_map(Weak::upgrade)
        .any(|ground| planned.plan.share(&ground));
    if !shared {
        grounds.push(Rc::downgrade(planned.plan.ground()));
    }
    handle::push(c, planned)?;
    Ok(1)
}

/// `(plan, table)`: the table that stands for the plan in scripts, with its functions.
pub fn own(c: &mut Call) -> Answer {
    let address = unsafe { mlua::ffi::lua_topointer(c.l, 2) } as usize;
    handle::get::<Planned>(c, 1)?.owner = address;
    if c.world().loaded {
        // Of what a module declares, this is done when it has loaded.
        unsafe {
            mlua::ffi::lua_settop(c.l, 2);
            freeze_deep(c.l, false)?;
        }
    }
    Ok(0)
}

/// Puts the plan of the table that is the first argument in its place.
pub fn take_owned(c: &mut Call) -> Result<(), String> {
    let wrong = || "expected the plan that `search.plan` returned, not a copy of it".to_owned();
    c.table(1).map_err(|_| wrong())?;
    let address = unsafe {
        mlua::ffi::lua_rawgetfield(c.l, 1, c"handle".as_ptr());
        let address = mlua::ffi::lua_topointer(c.l, 1) as usize;
        mlua::ffi::lua_replace(c.l, 1);
        address
    };
    if handle::get::<Planned>(c, 1).map_err(|_| wrong())?.owner != address {
        return Err(wrong());
    }
    Ok(())
}

fn grid_of(topology: &Topology, as_if: bool) -> Result<Grid, String> {
    let unfit = || {
        format!(
            "a plan needs a hex or square board without bounds; `{}` is none",
            topology.name()
        )
    };
    if !as_if && !topology.is_unbounded() {
        return Err(unfit());
    }
    let origin = Space::new(0, 0, 0);
    let steps = (0..topology.direction_names().len())
        .map(|direction| {
            topology
                .step(origin, direction as u8, 1)
                .map(|space| (space.q, space.r))
        })
        .collect::<Option<Vec<_>>>();
    steps.and_then(|steps| Grid::new(&steps)).ok_or_else(unfit)
}

type Map = BTreeMap<Arc<str>, Value>;

fn named<'a>(
    value: &'a Value,
    what: &str,
) -> Result<impl Iterator<Item = (&'a Arc<str>, &'a Value)>, String> {
    match value {
        Value::Map(map) => Ok(Some(map.iter()).into_iter().flatten()),
        Value::List(items) if items.is_empty() => Ok(None.into_iter().flatten()),
        _ => Err(format!("the {what} of a plan are a table by name")),
    }
}

fn list<'a>(value: &'a Value, what: &str) -> Result<&'a [Value], String> {
    if let Value::List(items) = value {
        Ok(items)
    } else {
        Err(format!("expected {what} as a list"))
    }
}

fn map<'a>(value: &'a Value, names: &[&str]) -> Result<&'a Map, String> {
    let Value::Map(map) = value else {
        return Err(format!("expected a table with {}", names.join(", ")));
    };
    match map.keys().find(|key| !names.contains(&&***key)) {
        Some(wrong) => Err(format!(
            "there is no setting `{wrong}`{}",
            hint(wrong, names.iter().copied())
        )),
        None => Ok(map),
    }
}

fn whole(map: &Map, name: &str, low: u8, high: u8) -> Result<Option<u8>, String> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Number(n)) if n.fract() == 0.0 && *n >= f64::from(low) => {
            Ok(Some(n.min(f64::from(high)) as u8))
        }
        Some(_) => Err(format!("`{name}` is a whole number from {low}")),
    }
}

fn piece(map: &Map, name: &str, count: u8) -> Result<Option<u8>, String> {
    match map.get(name) {
        None => Ok(None),
        Some(Value::Number(n)) if n.fract() == 0.0 && *n >= 1.0 && *n <= f64::from(count) => {
            Ok(Some(*n as u8 - 1))
        }
        Some(_) => Err(format!("`{name}` is the number of a piece, 1 to {count}")),
    }
}

/// The bits of the pieces that a list numbers; none if it isn't given.
fn pieces(map: &Map, name: &str, count: u8) -> Result<u8, String> {
    let Some(numbers) = map.get(name) else {
        return Ok(0);
    };
    let wrong = || format!("`{name}` is a list of numbers of pieces, 1 to {count}");
    let mut bits = 0;
    for number in list(numbers, &format!("`{name}`"))? {
        match number {
            Value::Number(n) if n.fract() == 0.0 && *n >= 1.0 && *n <= f64::from(count) => {
                bits |= 1 << (*n as u8 - 1);
            }
            _ => return Err(wrong()),
        }
    }
    if bits == 0 { Err(wrong()) } else { Ok(bits) }
}

fn flag(map: &Map, name: &str) -> Result<bool, String> {
    match map.get(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(format!("`{name}` is true or false")),
    }
}

fn way_of(value: &Value, topology: &Topology, count: u8) -> Result<Way, String> {
    let map = map(
        value,
        &[
            "piece",
            "dirs",
            "min",
            "max",
            "passes",
            "pushes",
            "place",
            "from_beside",
            "to_beside",
            "swap",
            "beside",
        ],
    )?;
    if map.contains_key("place") {
        return Ok(Way::Place {
            pieces: pieces(map, "place", count)?,
            from: pieces(map, "from_beside", count)?,
            to: pieces(map, "to_beside", count)?,
        });
    }
    if flag(map, "swap")? {
        let beside = flag(map, "beside")?;
        return Ok(Way::Swap { beside });
    }
    let Some(piece) = piece(map, "piece", count)? else {
        return Err("a change names a `piece` with `dirs`, pieces to `place`, or is a `swap`".into());
    };
    let names = topology.direction_names();
    let mut directions = 0;
    match map.get("dirs") {
        None => directions = ((1u16 << names.len()) - 1) as u8,
        Some(dirs) => {
            for dir in list(dirs, "`dirs`")? {
                let Value::Text(dir) = dir else {
                    return Err("`dirs` are names of directions".into());
                };
                let number = names.iter().position(|name| *name == &**dir);
                directions |= 1
                    << number.ok_or_else(|| {
                        format!(
                            "there is no direction `{dir}`{}",
                            hint(dir, names.iter().copied())
                        )
                    })?;
            }
        }
    }
    let pushes = flag(map, "pushes")?;
    let max = whole(map, "max", 1, 16)?;
    let min = whole(map, "min", 0, 16)?.unwrap_or(1);
    let passes = whole(map, "passes", 0, 16)?.unwrap_or(0);
    if pushes && (max != Some(1) || min > 1 || passes > 0) {
        return Err("a push of a plan goes one space: give `max = 1` and no `passes`".into());
    }
    Ok(Way::Ray {
        piece,
        directions,
        min,
        max: max.unwrap_or(16),
        passes,
        pushes,
    })
}

fn target_of(value: &Value, count: u8) -> Result<Target, String> {
    let pattern = map(value, &["exact", "places", "forms"])?;
    let exact = flag(pattern, "exact")?;
    let forms: Vec<Vec<Place>> = match (pattern.get("forms"), pattern.get("places")) {
        (None, places) => vec![places_of(places.unwrap_or(&Value::Nil), count)?],
        (Some(_), Some(_)) => return Err("a pattern has `places`, or several `forms` of them".into()),
        (Some(forms), None) => list(forms, "`forms`")?
            .iter()
            .map(|places| places_of(places, count))
            .collect::<Result<_, _>>()?,
    };
    if forms.len() > FORMS || forms.iter().any(|places| places.len() != forms[0].len()) {
        return Err(format!(
            "the `forms` of a pattern are at most {FORMS}, with as many places each"
        ));
    }
    let forms: Vec<&[Place]> = forms.iter().map(Vec::as_slice).collect();
    Ok(Target::new(&forms, count, exact))
}

fn places_of(value: &Value, count: u8) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for place in list(value, "`places`")? {
        let place = map(place, &["at", "needs"])?;
        let Some(Value::Space(at)) = place.get("at") else {
            return Err("a place has a space `at`".into());
        };
        places.push((*at, piece(place, "needs", count)?));
    }
    let q = places.iter().map(|(at, _)| at.q).min().unwrap_or(0);
    let r = places.iter().map(|(at, _)| at.r).min().unwrap_or(0);
    let near = |a: i32, b: i32| a.abs_diff(b).min(255) as u8;
    let places = places.iter().map(|(at, needs)| Place {
        row: near(at.r, r),
        column: near(at.q, q),
        needs: *needs,
    });
    Ok(places.collect())
}
