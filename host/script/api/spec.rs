//! What only spec files get: `test`, what a case is given, and what serves both.
use std::ffi::CStr;

use mlua::ffi;

use super::{Record, raw_fn};
use crate::script::call::{Answer, Call};
use crate::tabletop::Value;

/// Functions of the spec prelude.
pub const PRELUDE: &[(&CStr, mlua::lua_CFunction)] = &[
    (c"asserted", raw_fn!(asserted)),
    (c"explanations", raw_fn!(explanations)),
    (c"hint", super::flow::HINT),
];

/// The global `test`.
pub const TEST: (&CStr, mlua::lua_CFunction) = (c"test", raw_fn!(test));

/// What the manual tells of specs; only spec files have these. The examples stand in a case's function.
pub const RECORDS: &[Record] = &[
    Record::spec(
        "test",
        "(name: string, case: (t: Case) -> ()) -> ()",
        "A case. It begins with the pack's blank tabletop, is run live and again with every step replayed and \
         every state saved and opened, and fails without an assertion. Its name names the rules that it proves.",
        "test(\"STONES-1: a new game has taken no turn\", function(t)\n    t.game()\n    t.equal(game.turns, 0)\nend)",
    ),
    Record::spec(
        "t.equal",
        "(actual: any, expected: any, note: string?) -> ()",
        "Asserts that two values are the same; tables are compared by what they hold.",
        "t.equal({ 1, { at = vector(2, 0) } }, { 1, { at = vector(2, 0) } }, \"where the stone lies\")",
    ),
    Record::spec(
        "t.check",
        "(condition: any, note: string?) -> ()",
        "Asserts that a condition holds; the note is what a failure says.",
        "t.check(board.distance(vector(0, 0), vector(1, 1)) == 1, \"corners touch\")",
    ),
    Record::spec(
        "t.raises",
        "(fn: () -> (), text: string?) -> string",
        "Asserts that a function raises an error whose message has a text, and answers the message.",
        "t.raises(function()\n    board.space(\"(9,9)\")\nend, \"lies off the board\")",
    ),
    Record::spec(
        "t.start",
        "(step: string, arguments: { [string]: any }?) -> ()",
        "Runs a step, on the tabletop as the case has set it, up to its first decision or its end. Steps that \
         waited are dropped. Set the scene before: while a decision is open it may not be changed.",
        "game.turns = 1\nt.start(\"api.turn\")\nt.equal(t.seat(), \"blue\")",
    ),
    Record::spec(
        "t.game",
        "(settings: { seed: number?, options: { [string]: any }? }?) -> ()",
        "Begins a new game, with the seed 1 and the options' defaults unless told, up to its first decision.",
        "t.game({ seed = 7, options = { size = \"large\" } })\nt.equal(options.size, \"large\")",
    ),
    Record::spec(
        "t.answer",
        "(...string) -> ()",
        "Answers the open decision with the keys of options, for the seat that is asked, and runs on to the next \
         decision. The case fails if the answer is refused or the step raises an error.",
        "t.game()\nt.answer(\"(2,0)\")\nt.equal(game.turns, 1)",
    ),
    Record::spec(
        "t.refused",
        "(keys: string | { string }, code: string?) -> string",
        "Asserts that an answer is refused, with a code of rules.toml if one is given, and changes nothing; \
         answers the reason in words.",
        "t.game()\nlocal reason = t.refused(\"(2,2)\", \"not_offered\")\nt.check(string.find(reason, \"(2,2)\", 1, true))",
    ),
    Record::spec(
        "t.options",
        "() -> { string }",
        "The keys of the open decision's options, none when no decision is open.",
        "t.game()\nt.equal(t.options()[1], \"(0,0)\")\nt.equal(#t.options(), 5)",
    ),
    Record::spec(
        "t.offers",
        "(key: string) -> ()",
        "Asserts that the open decision has an option with this key.",
        "t.game()\nt.offers(\"(4,0)\")",
    ),
    Record::spec(
        "t.offers_not",
        "(key: string) -> ()",
        "Asserts that the open decision has no option with this key.",
        "t.game()\nt.offers_not(\"(0,1)\")",
    ),
    Record::spec(
        "t.prompt",
        "() -> string?",
        "The open decision's prompt.",
        "t.game()\nt.equal(t.prompt(), \"Lay or charge a stone\")",
    ),
    Record::spec(
        "t.seat",
        "() -> string",
        "The seat that is asked; the first seat when no decision is open.",
        "t.game()\nt.answer(\"(0,0)\")\nt.equal(t.seat(), \"blue\")",
    ),
    Record::spec(
        "t.result",
        "() -> string?",
        "What the game ended with, nothing while it goes on.",
        "t.game()\nt.equal(t.result(), nil)\nfor _, key in { \"(0,0)\", \"(0,0)\", \"(1,0)\" } do\n    t.answer(key)\nend\nt.equal(t.result(), \"done\")",
    ),
    Record::spec(
        "t.undo",
        "() -> ()",
        "Takes the last answer back, whatever has been seen since.",
        "t.game()\nt.answer(\"(0,0)\")\nt.undo()\nt.equal(game.turns, 0)",
    ),
    Record::spec(
        "t.concede",
        "() -> ()",
        "The seat that is asked gives up.",
        "t.game()\nt.concede()\nt.check(t.result())",
    ),
    Record::spec(
        "t.shuffles",
        "(stream: string, keys: { string }) -> ()",
        "The next shuffle with a dice stream puts the cards with these keys on top, in this order.",
        "for _ = 1, 4 do\n    units.make(\"stones\", { pile = piles.bag })\nend\nlocal third = piles.bag:list()[3]\n\
         t.shuffles(\"luck\", { third.key })\npiles.bag:shuffle(\"luck\")\nt.equal(piles.bag:list()[1], third)",
    ),
    Record::spec(
        "t.rolls",
        "(stream: string, numbers: { number }) -> ()",
        "The next rolls of a dice stream give these numbers, of a die with named faces the face with that number \
         from 1.",
        "t.rolls(\"luck\", { 6, 1 })\nt.equal({ dice.int(\"luck\", 1, 6), dice.int(\"luck\", 1, 6) }, { 6, 1 })",
    ),
    Record::spec(
        "t.load",
        "(changes: { [string]: string | false }) -> { string }",
        "Loads the pack with some files changed, by their paths in it, or removed (false), and answers what \
         `ludex check` says of it; the case goes on with the pack as it is.",
        "t.equal(t.load({}), {})\nlocal problems = t.load({ [\"stones/ruby.toml\"] = \"weight = \" })\n\
         t.check(string.find(problems[1], \"stones/ruby.toml\", 1, true))",
    ),
    Record::spec(
        "t.advice",
        "(changes: { [string]: string | false }) -> { string }",
        "Does what `t.load` does, and where all can be played, answers what `advise` of `rules/content.luau` reports.",
        "local checks = [[return { check = function() end, advise = function(all, report)\n    \
         report(all.stones[1], \"weight\", \"this one is heavy\")\nend }]]\n\
         t.equal(t.advice({ [\"rules/content.luau\"] = checks }), { \"stones:stones/ruby weight: this one is heavy\" })",
    ),
    Record::spec(
        "t.why",
        "() -> { { text: string } }",
        "The explanations of automatic choices so far, oldest first.",
        "t.equal(#t.why(), 0)",
    ),
    Record::spec(
        "t.view",
        "(seat: string?) -> { piles: { [string]: { count: number, seen: { string | false } } } }",
        "What a seat sees of the piles, or somebody without a seat: the cards' keys, false for a hidden one.",
        "units.make(\"stones\", { pile = piles.bag })\nt.equal(t.view(\"red\").piles.bag, { count = 1, seen = { false } })",
    ),
];
fn asserted(c: &mut Call) -> Answer {
    c.world().assertions += 1;
    Ok(0)
}

/// The explanations of automatic choices so far, oldest first.
fn explanations(c: &mut Call) -> Answer {
    let list: Vec<Value> = c.world().explanations().cloned().collect();
    c.push_value(&Value::List(list.into()));
    Ok(1)
}

fn test(c: &mut Call) -> Answer {
    let name = c.text(1)?.to_owned();
    c.function(2)?;
    if c.world().cases.iter().any(|(known, _)| *known == name) {
        return Err(format!("the case \"{name}\" is there twice"));
    }
    let reference = unsafe { ffi::lua_ref(c.l, 2) };
    c.world().cases.push((name, reference));
    Ok(0)
}
