//! Bounded search for rules: over states that they name, and over layouts of pieces. What calls back
//! into rules is in `search.luau`.
mod edges;
mod find;
mod handle;
mod plan;
mod run;
mod table;

use std::ffi::CStr;

pub use plan::Running;

use super::{Record, raw_fn};

pub const RECORDS: &[Record] = &[
    Record::prelude(
        "search.find",
        "(question: Find) -> ({any}?, any)",
        "The cheapest way from `start` to a state for which `goal(state)` is true. States are plain values of at most 10,000 bytes; `next(state)` lists edges `{ to =, cost =, label = }`. A cost (1 unless given) is a number or a list of up to four, of which earlier ones outweigh all later ones; `bound(state)`, what is still to pay at least, makes the search faster. `limit` bounds the states kept (10,000 unless given), `most` the cost, `depth` the edges. Returns the list of labels (where there is none, of states) and the cost; or nil and \"no\" if there is no way, nil and \"unknown\" if the limit was reached.",
        "local way, cost = search.find({\n    start = 1,\n    next = function(n) return { { to = n * 2, label = \"double\" }, { to = n + 1, label = \"add\" } } end,\n    goal = function(n) return n == 9 end,\n})\nassert(cost == 4 and #way == 4 and way[4] == \"add\")\nassert(select(2, search.find({ start = 1, next = function() return {} end, goal = function() return false end })) == \"no\")",
    ),
    Record::prelude(
        "search.plan",
        "(definition: PlanDefinition) -> Plan",
        "Declares a search over layouts of up to eight linked `pieces` on a `board` (the first one unless named) without bounds, together with states of your own that changes use up. `moves` names sets of changes: `{ piece = 1, dirs = {\"n\"}, min =, max =, passes =, pushes = true }` as `board.rays` has them, `{ place = {1, 2} }` for one of these pieces that is set down on any empty space (`from_beside = {3}` only if it stands beside one of those, `to_beside = {3}` only beside one of those), `{ swap = true }` for two that trade places (`beside = true` only neighbours); all pieces stay linked. `patterns` names patterns: `{ exact = true, places = { { at = space, needs = 1 }, { at = space } } }`, or several `forms` of which any one will do. `next(state)` lists edges `{ to =, moves =, near = {1, 2}, apart = {1, 2}, when =, unless =, fits =, cost = {points, cards, uses}, label = }`: a state may become another, with one change of the set `moves`, if two pieces are neighbours or are not, if a pattern is there or is not (`fits`: one of the question's, by number; one that the question doesn't have never does). `left(state)` returns how many steps (changes that are no swaps) may follow at most, or a table `{ steps =, free =, gratis =, swaps =, pushes =, sure =, aim = }` of all that bounds them. All of them (and `worth`) are asked once for each state, and see nothing of the tabletop. With `unbounded = true` a bounded board is taken for one without bounds: then only \"no\" is certain. Declare plans while a module loads.",
        EXAMPLE_PLAN,
    ),
    Record::prelude(
        "search.can",
        "(plan: Plan, question: PlanQuestion) -> string",
        "Whether the pattern `to` can be brought about `from` a state and a `layout` (the pieces' spaces in order): \"yes\", \"no\", or \"unknown\" if more than `limit` pairs of state and layout (100,000 unless given) would have to be kept.",
        EXAMPLE_CAN,
    ),
    Record::prelude(
        "search.way",
        "(plan: Plan, question: PlanQuestion) -> ({Leg}?, any)",
        "The cheapest way to do what `search.can` asks, as a list of `{ label =, piece =, moved = { { piece, space } } }`, and its cost; or nil and \"no\" or \"unknown\". The cheapest is found if each step costs at least one of the first kind, or is free by `left` and costs at least one of the last kind, or nothing at all. `cheapest = false` is content with any.",
        EXAMPLE_WAY,
    ),
    Record::prelude(
        "search.distance",
        "(plan: Plan, question: Distance) -> (number?, string?)",
        "How many changes of the set `by`, at most `most`, bring about the pattern `to` from a layout; or nil and \"no\" or \"unknown\".",
        EXAMPLE_DISTANCE,
    ),
    Record::prelude(
        "search.table",
        "(question: TableQuestion) -> Table",
        "The fewest steps to a goal from every state at once: `at(state)` tells them, nil where no way leads, and `counts[n + 1]` how many states are `n` steps away. Either `states` to begin with, `successors(state)`, which lists the states one step on (with `batch = n` it is given up to `n` states and returns a list of lists), and `goals`, a list of states or `function(state)`; `limit` bounds the states (1,000,000 unless given). Or all layouts of a `plan`: `by` names its set of changes, `to` an exact pattern of it, and `at` takes a layout; `limit` bounds the layouts (10,000,000 unless given), and a table that took long is kept in the user's data directory.",
        EXAMPLE_TABLE,
    ),
];

/// Three stones of which only the first slides: twice, to stand below the third.
macro_rules! example {
    ($text:literal) => {
        concat!(
            "local plan = search.plan({\n    unbounded = true, pieces = 3,\n    moves = { slide = { { piece = 1, dirs = { \"n\", \"e\", \"s\", \"w\" } } } },\n    patterns = {\n        bend = { exact = true, places = { { at = vector(0, 0), needs = 3 }, { at = vector(1, 0) }, { at = vector(0, 1) } } },\n    },\n    left = function(points) return points end,\n    next = function(points)\n        return if points > 0 then { { to = points - 1, moves = \"slide\", cost = { 1 }, label = \"slide\" } } else {}\n    end,\n})\nlocal layout = { vector(5, 5), vector(7, 6), vector(6, 6) }\n",
            $text
        )
    };
}

const EXAMPLE_PLAN: &str =
    example!("assert(search.can(plan, { from = 3, layout = layout, to = \"bend\" }) == \"yes\")");
const EXAMPLE_CAN: &str = example!(
    "assert(search.can(plan, { from = 2, layout = layout, to = \"bend\" }) == \"yes\")\nassert(search.can(plan, { from = 1, layout = layout, to = \"bend\" }) == \"no\")\nassert(search.can(plan, { from = 2, layout = layout, to = \"bend\", limit = 0 }) ~= \"no\")"
);
const EXAMPLE_WAY: &str = example!(
    "local way, cost = search.way(plan, { from = 3, layout = layout, to = \"bend\" })\nassert(#way == 2 and cost[1] == 2 and way[1].label == \"slide\")\nassert(way[2].piece == 1 and way[2].moved[1][2] == vector(6, 7))"
);
const EXAMPLE_DISTANCE: &str = example!(
    "assert(search.distance(plan, { by = \"slide\", layout = layout, to = \"bend\" }) == 2)\nlocal distance, why = search.distance(plan, { by = \"slide\", layout = layout, to = \"bend\", most = 1 })\nassert(distance == nil and why == \"no\")"
);

const EXAMPLE_TABLE: &str = example!(
    "local far = search.table({ plan = plan, by = \"slide\", to = \"bend\" })\nassert(far.at(layout) == 2 and far.counts[1] == 2)\n-- One way only: up by one, or doubled.\nlocal steps = search.table({\n    states = { 1 }, goals = { 10 },\n    successors = function(n) return if n < 10 then { n + 1, n * 2 } else {} end,\n})\nassert(steps.at(1) == 4 and steps.at(5) == 1 and steps.at(18) == nil)"
);

/// Functions that only the prelude gets.
pub const PRELUDE: &[(&CStr, mlua::lua_CFunction)] = &[
    (c"hint", super::flow::HINT),
    (c"open", raw_fn!(find::open)),
    (c"add", raw_fn!(find::add)),
    (c"take", raw_fn!(find::take)),
    (c"trace", raw_fn!(find::trace)),
    (c"ask", raw_fn!(run::ask)),
    (c"plan", raw_fn!(plan::declare)),
    (c"own", raw_fn!(plan::own)),
    (c"begin", raw_fn!(run::begin)),
    (c"begin_distance", raw_fn!(run::begin_distance)),
    (c"unmeasured", raw_fn!(run::unmeasured)),
    (c"measure", raw_fn!(run::measure)),
    (c"weigh", raw_fn!(run::weigh)),
    (c"expand", raw_fn!(edges::expand)),
    (c"run", raw_fn!(run::run)),
    (c"way", raw_fn!(run::way)),
    (c"steps", raw_fn!(run::steps)),
    (c"table_open", raw_fn!(table::open)),
    (c"table_name", raw_fn!(table::name)),
    (c"table_goal", raw_fn!(table::goal)),
    (c"table_take", raw_fn!(table::take)),
    (c"table_link", raw_fn!(table::link)),
    (c"table_finish", raw_fn!(table::finish)),
    (c"table_of", raw_fn!(table::of)),
    (c"layouts_open", raw_fn!(table::open_layouts)),
    (c"layouts_run", raw_fn!(table::run_layouts)),
    (c"layouts_count", raw_fn!(table::count_layouts)),
    (c"layouts_of", raw_fn!(table::of_layout)),
];
