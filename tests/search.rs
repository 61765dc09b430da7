//! Search as rules use it: bounds, order, mistakes told with their place, and scripts that would hoard.
use std::sync::Arc;

mod common;

fn run(chunk: &str) -> Result<(), String> {
    common::run(&common::catalogue("stones"), &Arc::default(), chunk)
}

/// Three stones of which the first slides; `extra` goes into the definition.
fn plan(extra: &str, chunk: &str) -> String {
    format!(
        "local plan = search.plan({{ unbounded = true, pieces = 3,\n\
         moves = {{ slide = {{ {{ piece = 1, dirs = {{ \"n\", \"e\", \"s\", \"w\" }} }} }} }},\n\
         patterns = {{ row = {{ exact = true, places = {{ {{ at = vector(0, 0) }}, {{ at = vector(1, 0) }}, {{ at = vector(2, 0), needs = 1 }} }} }} }},\n\
         left = function(n) return n end,\n\
         next = function(n) return if n > 0 then {{ {{ to = n - 1, moves = \"slide\", cost = {{ 1 }}, label = \"slide\" }} }} else {{}} end,\n\
         {extra} }})\nlocal layout = {{ vector(0, 0), vector(1, 0), vector(2, 0) }}\n{chunk}"
    )
}

#[test]
fn named_states_are_searched_in_the_order_of_cost() {
    let chunk = r#"
local function next(n)
	return { { to = n * 2, cost = { 1, 0 }, label = "double" }, { to = n + 1, cost = { 0, 1 }, label = "add" } }
end
local way, cost = search.find({ start = 1, next = next, goal = function(n) return n == 6 end, limit = 100 })
assert(#way == 5 and cost[1] == 0 and cost[2] == 5)
way, cost = search.find({ start = 1, next = next, goal = function(n) return n == 6 end, limit = 100, depth = 3 })
assert(#way == 3 and cost[1] == 1 and cost[2] == 2)
local none, why = search.find({ start = 1, next = next, goal = function(n) return n == 0 end, limit = 100 })
assert(none == nil and why == "unknown")
none, why = search.find({ start = 1, next = next, goal = function(n) return n == 0 end, limit = 100, most = { 0, 20 } })
assert(none == nil and why == "no")
-- States are told apart by value; without labels the states are the way.
way = search.find({
	start = { at = vector(0, 0), left = 2 },
	next = function(s) return if s.left > 0 then { { to = { at = s.at + vector(1, 0), left = s.left - 1 } } } else {} end,
	goal = function(s) return s.at == vector(2, 0) end,
	bound = function(s) return 2 - s.at.x end,
})
assert(#way == 2 and way[2].left == 0)
-- It works where nothing may be chosen.
local remembered = memo(function(goal)
	return (search.find({ start = 1, next = next, goal = function(n) return n == goal end }))
end)
assert(#remembered(3) == 2)
"#;
    assert_eq!(run(chunk), Ok(()));
}

#[test]
fn plans_answer_alike_however_often_they_are_asked() {
    let chunk = plan(
        "",
        r#"
for _ = 1, 3 do
	assert(search.can(plan, { from = 2, layout = layout, to = "row" }) == "yes")
	assert(search.can(plan, { from = 1, layout = layout, to = "row" }) == "yes")
	assert(search.can(plan, { from = 0, layout = layout, to = "row" }) == "no")
	local way, cost = search.way(plan, { from = 3, layout = layout, to = "row" })
	assert(#way == 1 and cost[1] == 1 and way[1].moved[1][2] == vector(3, 0))
	assert(search.distance(plan, { by = "slide", layout = layout, to = "row" }) == 1)
end
"#,
    );
    assert_eq!(run(&chunk), Ok(()));
}

#[test]
fn mistakes_are_told() {
    let cases = [
        (plan("left = 3,", ""), "search.plan needs the functions `left` and `next`"),
        (plan("peices = 3,", ""), "search.plan has no setting `peices`; did you mean `pieces`?"),
        (
            plan("", "search.can(plan, { from = 1, layout = layout, to = \"rwo\" })"),
            "the plan has no pattern `rwo`; did you mean `row`?",
        ),
        (
            plan("", "search.can(plan, { from = 1, layout = { vector(0, 0) }, to = \"row\" })"),
            "the plan has 3 pieces; the layout has 1 spaces",
        ),
        (
            plan("", "search.can(plan, { from = 1, layout = { vector(0, 0), vector(1, 0), vector(9, 0) }, to = \"row\" })"),
            "the pieces of a layout must stand on different spaces and be linked; here they aren't",
        ),
        (
            plan("next = function() return { { to = 1, moves = \"slid\" } } end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "edge 1: the plan has no set of moves `slid`; did you mean `slide`?",
        ),
        (
            plan("next = function() return { { moves = \"slide\" } } end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "edge 1: an edge needs the state `to` which it leads",
        ),
        (
            "search.plan({ pieces = 2, left = function() end, next = function() end })".to_owned(),
            "a plan needs a hex or square board without bounds; `grid` is none",
        ),
        (
            "local plan\nplan = search.plan({ unbounded = true, pieces = 2, patterns = { far = { places = { { at = vector(0, 0) }, { at = vector(1, 1) } } } },\nleft = function() return 5 end,\nnext = function(n) if n == 9 then return {} end search.can(plan, { from = 9, layout = { vector(0, 0), vector(1, 0) }, to = \"far\" }) return {} end })\nsearch.can(plan, { from = 1, layout = { vector(0, 0), vector(1, 0) }, to = \"far\" })".to_owned(),
            "`next`, `left` and `worth` of a plan can't search plans themselves",
        ),
        (
            plan("left = function(n) return game.turns end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "nothing on the tabletop can be read or changed there",
        ),
        (
            plan("next = function(n) game.turns = 3 return {} end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "nothing on the tabletop can be read or changed there",
        ),
        (
            plan("next = function(n) units.make(\"stones\") return {} end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "nothing on the tabletop can be read or changed there",
        ),
        (
            plan("", "local other = table.clone(plan) search.can(other, { from = 1, layout = layout, to = \"row\" })"),
            "expected the plan that `search.plan` returned, not a copy of it",
        ),
        (
            plan("", "search.can({ handle = plan.handle, next = log, left = log }, { from = 1, layout = layout, to = \"row\" })"),
            "expected the plan that `search.plan` returned, not a copy of it",
        ),
        (
            plan("left = function() return { 1, 2 } end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "`left`: expected a number of steps, or a table such as { steps = 3, free = 1 }, got a list",
        ),
        (
            plan("", "search.can(plan, { from = string.rep(\"x\", 20000), layout = layout, to = \"row\" })"),
            "a state of a search has at most 10000 bytes; this one has 20005",
        ),
        (
            plan("next = function(n) return { { to = 1, moves = \"slide\", near = { 1, 2, 3 } } } end,", "search.can(plan, { from = 1, layout = layout, to = \"row\" })"),
            "edge 1: `near` names two pieces by number",
        ),
        (
            plan("", "search.can(plan, { from = 1, layout = layout, to = \"row\", limit = 1e9 })"),
            "`limit` of a search is a whole number from 0 to 1000000",
        ),
        ("search.find({ start = 1, next = 1 })".to_owned(), "search.find needs the functions `next` and `goal`"),
    ];
    for (chunk, wanted) in cases {
        let problem = run(&chunk).expect_err(wanted);
        assert!(problem.starts_with("@stones/rules/example.luau:"), "{problem}");
        assert!(problem.contains(wanted), "{problem}\nwanted: {wanted}");
    }
}

#[test]
fn hoarding_ends_in_an_error() {
    let plans = "local kept = {}\nfor i = 1, 1000 do\nkept[i] = search.plan({ unbounded = true, pieces = 2, left = function() return 0 end, next = function() return {} end })\nend";
    let problem = run(plans).unwrap_err();
    assert!(
        problem.contains("plans and searches are kept; declare plans once"),
        "{problem}"
    );
    let searches = r#"
for round = 1, 20 do
	pcall(function()
		local n = 0
		search.find({ start = 0, limit = 200000, goal = function() return false end, next = function(state)
			n += 1
			if n == 1000 then
				error("enough")
			end
			local edges = {}
			for i = 1, 100 do
				edges[i] = { to = state * 100 + i }
			end
			return edges
		end })
	end)
end"#;
    // Either all is well, since the collector came, or an error says what is wrong; nothing else.
    if let Err(problem) = run(searches) {
        assert!(
            problem.contains("keep too many states") || problem.contains("longer than"),
            "{problem}"
        );
    }
}

#[test]
fn tables_tell_the_steps_from_everywhere() {
    let chunk = plan(
        "",
        r#"
-- Tens and units in two batches; what leads nowhere has no steps.
local steps = search.table({
	states = { 0 }, goals = function(n) return n == 12 end, batch = 5,
	successors = function(list)
		local after = {}
		for i, n in list do
			after[i] = if n < 20 then { n + 10, n + 1 } else {}
		end
		return after
	end,
})
assert(steps.at(0) == 3 and steps.at(2) == 1 and steps.at(12) == 0 and steps.at(13) == nil and steps.at(99) == nil)
assert(steps.counts[1] == 1 and steps.counts[2] == 2)
local far = search.table({ plan = plan, by = "slide", to = "row" })
for _, layout in { layout, { vector(2, 0), vector(0, 0), vector(1, 0) }, { vector(0, 1), vector(1, 0), vector(2, 0) } } do
	assert(far.at(layout) == search.distance(plan, { by = "slide", layout = layout, to = "row" }))
end
assert(far.counts[1] == 2)
"#,
    );
    assert_eq!(run(&chunk), Ok(()));
    let wrong = [
        (
            "search.table({ states = { 1 }, successors = function() return 5 end, goals = {} })",
            "`successors` of search.table returns a list of states",
        ),
        (
            "search.table({ states = { 1, 2 }, successors = function() return { {} } end, goals = {}, batch = 2 })",
            "`successors` of search.table with `batch` returns a list for each of the states, in order",
        ),
        (
            "search.table({ states = { 1 }, successors = function(n) return { n + 1 } end, goals = {}, limit = 9 })",
            "the table has too many states; `limit` bounds them",
        ),
        (
            "search.table({ plan = 3, by = \"slide\", to = \"row\" })",
            "expected the plan that `search.plan` returned, not a copy of it",
        ),
        (
            "search.table({ states = { 1 }, successors = function() return {} end, goals = {}, batch = 0 })",
            "`batch` of search.table is a whole number from 1 to 100,000",
        ),
    ];
    for (chunk, message) in wrong {
        let told = run(chunk).expect_err(chunk);
        assert!(told.contains(message), "{told}");
    }
}
