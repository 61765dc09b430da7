//! What hostile scripts do, and what must be said of it.

/// Bodies of a step, and what the error must say.
pub const STEPS: &[(&str, &str, &str)] = &[
    (
        "an endless loop",
        "while true do end",
        "the step ran longer than 400 ms",
    ),
    (
        "an endless repeat",
        "repeat until false",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop that swallows errors",
        "while true do pcall(function() while true do end end) end",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in xpcall's handler",
        "xpcall(function() error(\"x\") end, function() while true do end end)",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in attempt",
        "attempt(function() while true do end end)",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine",
        "imagine(function() while true do end end) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine's policy",
        "imagine(function() return choose({ options = { 1, 2 } }) end, { policy = function() while true do end end }) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "a loop in imagine's until",
        "imagine(function() end, { [\"until\"] = function() while true do end end }) log(\"went on\")",
        "the step ran longer than 400 ms",
    ),
    (
        "imagine within imagine without end",
        "local function deeper() imagine(deeper) end deeper()",
        "",
    ),
    (
        "a loop in a memo",
        "local slow = memo(function() while true do end end) slow(1)",
        "the step ran longer than 400 ms",
    ),
    (
        "a memo that asks",
        "local ask = memo(function() return choose({ options = { 1 } }) end) ask(1)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a comparator",
        "table.sort({ 3, 1, 2 }, function(a, b) return choose({ options = { a, b } }) == a end)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a gsub callback",
        "string.gsub(\"abc\", \"%a\", function() return choose({ options = { \"x\" } }) end)",
        "choose works only while a step runs",
    ),
    (
        "a choice in a metamethod",
        "local t = setmetatable({}, { __index = function() return choose({ options = { 1 } }) end }) local x = t.y",
        "choose works only while a step runs",
    ),
    (
        "too many units",
        "for i = 1, 200000 do units.make(\"stones\") end",
        "",
    ),
    (
        "spaces beyond the edge",
        "units.make(\"stones\", { space = vector(2000000, 0) })",
        "is not a space",
    ),
    (
        "a space of fractions",
        "units.make(\"stones\", { space = vector(0.5, 0) })",
        "is not a space",
    ),
    (
        "a space that is no number",
        "units.make(\"stones\", { space = vector(0 / 0, 0) })",
        "is not a space",
    ),
    (
        "a field that is no number",
        "game.count = 0 / 0",
        "not a number (0/0) can't be kept in a field",
    ),
    (
        "a field that is infinite",
        "game.count = 1e308 * 10",
        "nor can infinity",
    ),
    (
        "a text in a number field",
        "game.count = \"three\"",
        "`count` is a number; it can't hold a text",
    ),
    (
        "a misspelt field",
        "game.cuont = 3",
        "`game` has no field `cuont`; did you mean `count`?",
    ),
    (
        "a function in a list",
        "units.make(\"stones\", { notes = { function() end } })",
        "a function can't be kept in a field",
    ),
    (
        "a list in a ring",
        "local t = {} t[1] = t units.make(\"stones\", { notes = t })",
        "lists and maps nest at most 16 deep",
    ),
    (
        "a handle that is gone",
        "local s = units.make(\"stones\") s:remove() s.charge = 1",
        "no longer exists",
    ),
    (
        "a handle out of an imagined world",
        "local s imagine(function() s = units.make(\"stones\") end) s.charge = 1",
        "no longer exists",
    ),
    (
        "a frozen list",
        "local s = units.make(\"stones\", { notes = { 1 } }) s.notes[1] = 2",
        "readonly",
    ),
    ("the units' metatable", "getmetatable(game).__index = nil", ""),
    ("another metatable for game", "setmetatable(game, {})", ""),
    ("rawset on the API", "rawset(units, \"make\", nil)", "readonly"),
    ("a new global", "cheat = 1", "cheat"),
    ("a builtin replaced", "string.format = nil", "readonly"),
    ("the string metatable", "getmetatable(\"\").__index = {}", ""),
    ("table.freeze undone", "table.insert(options, 1)", ""),
    (
        "a step that pushes itself twice without end",
        "next({ \"start\", \"start\" })",
        "",
    ),
    (
        "a thousand steps of nothing",
        "next({ \"start\" })",
        "steps ran without a decision",
    ),
    (
        "steps without end",
        "for i = 1, 20000 do next({ \"idle\" }) end",
        "the agenda holds at most 2000 steps",
    ),
    (
        "a log of megabytes",
        "local s = string.rep(\"x\", 1000000) while true do log(s) end",
        "the s",
    ),
    (
        "steps with megabytes of arguments",
        "local s = string.rep(\"x\", 1000000) while true do next({ { \"idle\", q = s } }) end",
        "the script used more than 16 MiB of memory",
    ),
    (
        "a field written over and over",
        "local s, t = string.rep(\"x\", 1000000), units.make(\"stones\") for i = 1, 1e9 do t.notes = { s } end",
        "the script used more than 16 MiB of memory",
    ),
    (
        "a search with states beyond memory",
        "local s = string.rep(\"x\", 9000) search.find({ start = 1, limit = 200000, goal = function() return false end, next = function(n) return { { to = n + 1 }, { to = s .. n } } end })",
        "",
    ),
    (
        "a gap between far too many",
        "local a = {} for i = 1, 20000 do a[i] = vector(i, 0) end board.gap(a, a)",
        "the step ran longer than 400 ms",
    ),
    (
        "placements without number",
        "local a = {} for i = 1, 5000 do a[i] = vector(i, 0) end board.placements(a, a, { rotate = true, mirror = true })",
        "",
    ),
    (
        "a match of thousands",
        "local a = {} for i = 1, 5000 do a[i] = vector(i, 0) end board.match(a, a, { rotate = true, mirror = true })",
        "the step ran longer than 400 ms",
    ),
    (
        "a reach of a great shape",
        "local a = {} for i = 1, 5000 do a[i] = vector(i, 0) end board.reach(vector(0, 0), { budget = 1000, shape = a })",
        "the step ran longer than 400 ms",
    ),
    (
        "options without number",
        "local a = {} for i = 1, 20000 do a[i] = i end choose({ options = a })",
        "choose offers at most 10000 options, not 20000",
    ),
    (
        "a label of megabytes",
        "choose({ options = { { key = \"a\", label = string.rep(\"x\", 1000000) } } })",
        "the label has 1000000 bytes; at most 2000 are shown",
    ),
    (
        "a step that is not there",
        "next({ \"satrt\" })",
        "there is no step `trap.satrt`; did you mean `trap.start`?",
    ),
    (
        "an argument that is a function",
        "next({ { \"idle\", fn = function() end } })",
        "a function can't be kept in a field",
    ),
    (
        "no options",
        "choose({ prompt = \"?\", options = {} })",
        "choose has no options",
    ),
    (
        "two options with one key",
        "choose({ prompt = \"?\", options = { \"a\", \"a\" } })",
        "offers `a` twice",
    ),
    (
        "an option that is no number",
        "choose({ prompt = \"?\", options = { 1, 0 / 0 } })",
        "option 2: the number NaN is no option; give a finite one, or a text",
    ),
    (
        "a memo that asks itself",
        "local f f = memo(function(n) return f(n + 1) end) f(1)",
        "stack overflow: a function, memo or metamethod calls itself without an end",
    ),
    (
        "an option that is a function",
        "choose({ prompt = \"?\", options = { function() end } })",
        "an option is a unit, a space",
    ),
    (
        "an option with an escape for a key",
        "choose({ prompt = \"?\", options = { \"\\27[2Jgo\" } })",
        "is no key",
    ),
    (
        "a seat that is not there",
        "choose({ prompt = \"?\", seat = \"three\", options = { \"a\" } })",
        "asks the seat `three`",
    ),
    ("an error that is nil", "error(nil)", ""),
    ("an error that is a table", "error({ code = 7 })", ""),
    ("an error that is a number", "error(7)", "7"),
    (
        "an error whose text raises",
        "error(setmetatable({}, { __tostring = function() error(\"again\") end }))",
        "",
    ),
    ("a very long error", "error(string.rep(\"x\", 500000))", ""),
    ("a text beyond the limit", "log(string.rep(\"x\", 2000000))", ""),
    (
        "no result and no next step",
        "",
        "no step is left and the game has no result",
    ),
    ("an empty result", "finish(\"\")", "a result is a short text"),
    (
        "a stream that is not there",
        "dice.int(\"lcuk\", 1, 6)",
        "there is no dice stream `lcuk`; did you mean `luck`?",
    ),
    (
        "an empty range",
        "dice.int(\"luck\", 6, 1)",
        "the range 6 to 1 is empty",
    ),
    (
        "a pile put into itself at a bad place",
        "piles.bag:put(units.make(\"stones\"), 99)",
        "expected a whole number from 1 to 1",
    ),
    ("a yield by hand", "coroutine.yield()", "coroutine"),
    (
        "a table walked by table keys",
        "local t = { [{}] = 1, [{}] = 2 } for k in t do log(\"x\") end",
        "",
    ),
    ("the clock", "log(tostring(os.time()))", "os"),
    ("unseeded chance", "log(tostring(math.random()))", ""),
];

/// Rules that would keep something from one step to the next, and what is said of them.
pub const KEEPERS: &[(&str, &str, &str)] = &[
    (
        "a table beside a step",
        "local T = { n = 0 } function step.start() T.n += 1 finish(\"r\" .. T.n) end",
        "attempt to modify a readonly table",
    ),
    (
        "the table of steps",
        "function step.start() rawset(step, \"n\", 1) finish(\"r\") end",
        "attempt to modify a readonly table",
    ),
    (
        "a variable beside a step",
        "local n = 0 function step.start() n += 1 finish(\"r\" .. n) end",
        "a rule cannot keep state in `n`; keep it in a field of `game` or a unit",
    ),
    (
        "a table that a memo reaches",
        "local T = { n = 0 } local count = memo(function() T.n += 1 return T.n end) function step.start() finish(\"r\" .. count()) end",
        "attempt to modify a readonly table",
    ),
    (
        "a table within what a memo gives",
        "local deep = memo(function() return { { n = 0 } } end) function step.start() deep()[1].n += 1 finish(\"r\") end",
        "attempt to modify a readonly table",
    ),
    (
        "a table beside a plan",
        "local T = { n = 0 } local plan = search.plan({ unbounded = true, pieces = 2, patterns = { far = { places = { { at = vector(0, 0) }, { at = vector(1, 1) } } } }, left = function() T.n += 1 return 1 end, next = function() return {} end }) function step.start() finish(search.can(plan, { from = 1, layout = { vector(0, 0), vector(1, 0) }, to = \"far\" })) end",
        "attempt to modify a readonly table",
    ),
];
