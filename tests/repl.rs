//! `ludex repl` over a pipe: what is typed, and the whole of what comes back.
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

mod common;
use common::copy;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const ASKS: &str = "red: Lay or charge a stone (5 options, see `:options`)";
const GREETING: &str =
    "Stones, seed 7. `:help` lists the commands.\nred: Lay or charge a stone (5 options, see `:options`)\n";

fn command(pack: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command
        .args(["repl", "stones", "--seed", "7", "--root", ROOT, "--pack"])
        .arg(pack);
    command.env("LUDEX_DATA", std::env::temp_dir().join("ludex-repl-tests"));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn stones() -> std::path::PathBuf {
    Path::new(ROOT).join("tests/packs/stones")
}

/// What the lines bring, after the greeting; and the exit status.
fn run(lines: &str) -> (String, i32) {
    let mut child = command(&stones()).spawn().expect("the binary runs");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(lines.as_bytes())
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let rest = text
        .strip_prefix(GREETING)
        .unwrap_or_else(|| panic!("another greeting: {text}"));
    (rest.to_owned(), output.status.code().unwrap_or(-1))
}

/// Compares whole outputs of lines that all do well.
fn talk(lines: &str, expected: &str) {
    assert_eq!(run(lines), (expected.to_owned(), 0), "{lines}");
}

/// The same where at least one line fails.
fn fail(lines: &str, expected: &str) {
    assert_eq!(run(lines), (expected.to_owned(), 1), "{lines}");
}

#[test]
fn values_are_printed_readably() {
    talk(
        "1 + 2\n\"a\\n\\\"b\\\"\", nil, true\n0.1 + 0.2\n",
        "3\n\"a\\n\\\"b\\\"\"\nnil\ntrue\n0.30000000000000004\n",
    );
    talk(
        "vector(3, 1)\nvector(0.5, 1)\npiles.bag\nboard.distance\n",
        "(3,1)\nvector(0.5, 1, 0)\npiles.bag {}\nfunction distance\n",
    );
    talk(
        "{ 1, { a = { [vector(1, 1)] = \"x\" } }, [\"two words\"] = 2 }\n{}\n",
        "{ 1, { a = { [(1,1)] = \"x\" } }, [\"two words\"] = 2 }\n{}\n",
    );
    talk(
        "content.get(\"stones/ruby\")\n",
        "{\n  ability = { { id = \"glow\" } },\n  id = \"ruby\",\n  kind = \"stones\",\n  name = \"Ruby\",\n  pack = \"stones\",\n  worth = 5,\n}\n",
    );
    talk(
        "game\noptions.size\n",
        "game { turns = 0, notes = {} }\n\"small\"\n",
    );
    talk("options\n", "options { size = \"small\" }\n");
    talk(
        "\"\\27[2J\"\nprint(\"\\27[2J\", 1)\n",
        "\"\\u{1b}[2J\"\n\\u{1b}[2J 1\n",
    );
}

#[test]
fn cycles_depth_and_length_are_capped() {
    talk(
        "t = { name = \"t\" }\nt.t = t\nt\n",
        "{ name = \"t\", t = (the table itself) }\n",
    );
    talk(
        "d = { { { { { { 1 } } } } } }\nd\n",
        "{ { { { { { ... } } } } } }\n",
    );
    let (text, status) = run("list = table.create(100, 7)\nlist\n");
    assert_eq!(status, 0);
    assert_eq!(text.lines().count(), 63, "{text}");
    assert!(text.ends_with("  7,\n  ... 40 more\n}\n"), "{text}");
}

#[test]
fn units_show_their_fields_and_a_line_can_make_and_change_them() {
    talk(
        "r = units.make(\"stones/ruby\", { space = vector(2, 2), side = \"red\" })\nr.charge += 4\nr\n{ units.all()[1].key }\n{ mine = { r } }\n:units\n",
        "ruby { kind = \"stones\", side = \"red\", space = (2,2), face = \"dull\", charge = 4 }\n\
         { \"ruby\" }\n\
         { mine = { ruby } }\n\
         ruby: red, dull, charge 4, on (2,2)\n",
    );
    talk(
        ":units\n:units stones\n",
        "There are no units.\nThere are no units.\n",
    );
    fail(
        ":units stone\n",
        "error: there is no kind of unit `stone`; did you mean `stones`?\n",
    );
}

#[test]
fn an_error_has_its_place_and_changes_nothing() {
    fail(
        "r = units.make(\"stones\")\ndo\nr.charge = 9\nr.chrge = 1\nend\nr.charge\n",
        "error: line 3: `stones` has no field `chrge`; did you mean `charge`?\n0\n",
    );
    fail(
        "content.code(content.get(\"stones/ruby\")).glow(3)\n",
        "error: @stones/stones/ruby.luau:5: attempt to index number with 'charge'\n",
    );
    fail("x = x + 1\n", "error: there is no global `x`\n");
    fail(
        "unts.all()\n",
        "error: there is no global `unts`; did you mean `units`?\n",
    );
    fail(
        "board = 3\n",
        "error: `board` belongs to the API; choose another name\n",
    );
    fail(
        "1 +* 2\n",
        "error: Expected identifier when parsing expression, got '*'\n",
    );
    fail(
        "options.siz\n",
        "error: there is no option `siz`; did you mean `size`? Options are declared in game.toml\n",
    );
    fail(
        "options.colour\n",
        "error: there is no option `colour`; options are declared in game.toml\n",
    );
    fail("error({ message = \"mine\" })\n", "error: mine\n");
    fail(
        "while true do end\n1\n",
        "error: the step ran longer than 2 s\n1\n",
    );
    fail(
        "choose({ options = { \"a\" } })\n",
        "error: a line can't wait for a decision; put a step on the agenda with `next`\n",
    );
}

#[test]
fn input_goes_on_until_it_is_whole() {
    talk(
        "for i = 1, 2 do\n  print(i)\nend\nx = {\n  1,\n}\n#x\n",
        "1\n2\n1\n",
    );
    talk("s = [[\ntwo\nlines]]\ns\n", "\"two\\nlines\"\n");
    talk("-- a comment\n\n1 +\n2\n", "3\n");
    // An empty line or the end of the input ends it all the same.
    fail(
        "for i = 1, 2 do\n\n1\n",
        "error: line 2: Expected 'end' (to close 'do' at line 1), got <eof>\n1\n",
    );
    fail(
        "f(",
        "error: Expected identifier when parsing expression, got <eof>\n",
    );
}

#[test]
fn variables_and_functions_stay_and_locals_don_t() {
    talk(
        "function twice(n) return 2 * n end\nn = twice(4)\nn\nlocal m = 1\nlocal total = 0 for _, s in board.spaces() do total += 1 end print(total)\nattempt(function() n += 1 end)\nn\n",
        "8\nA local lasts as long as its line; `name = value` makes a variable that stays.\n25\ntrue\n9\n",
    );
    fail(
        "local m = 1\nm\n",
        "A local lasts as long as its line; `name = value` makes a variable that stays.\nerror: there is no global `m`\n",
    );
}

#[test]
fn answers_lines_and_undo_follow_each_other() {
    talk(
        ":options\n:answer (2,0)\n:answer 3\nunits.get(\"ruby\").charge\nunits.get(\"ruby\").charge = 5\n:undo\nunits.get(\"ruby\").charge\n:undo 2\nunits.all()\n:answer (0,0)\n",
        "red: Lay or charge a stone\n  1) (0,0)   2) (1,0)   3) (2,0)   4) (3,0)   5) (4,0)\n\
         | red plays (2,0).\nblue: Lay or charge a stone (5 options, see `:options`)\n\
         | blue plays (2,0).\nred: Lay or charge a stone (5 options, see `:options`)\n\
         1\n\
         Undone.\nred: Lay or charge a stone (5 options, see `:options`)\n\
         1\n\
         Undone.\nred: Lay or charge a stone (5 options, see `:options`)\n\
         {}\n\
         | red plays (0,0).\nblue: Lay or charge a stone (5 options, see `:options`)\n",
    );
    fail(
        ":answer (0,9)\n",
        "Refused: `(0,9)` is not offered; did you mean `(0,0)`? (not_offered)\n",
    );
    fail(":undo\n", "Refused: there is nothing to undo (nothing_to_undo)\n");
    fail(":undo x\n", "error: `:undo` takes a number, not `x`\n");
}

#[test]
fn a_change_comes_before_the_open_step() {
    // The step asks another seat now, and takes the answer; undoing both ends where it began.
    talk(
        "game.turns = 1\n:answer (1,0)\ngame.turns\n:undo\n:undo\ngame.turns\n",
        "blue: Lay or charge a stone (5 options, see `:options`)\n\
         | blue plays (1,0).\nred: Lay or charge a stone (5 options, see `:options`)\n\
         2\n\
         Undone.\nblue: Lay or charge a stone (5 options, see `:options`)\n\
         Undone.\nred: Lay or charge a stone (5 options, see `:options`)\n\
         0\n",
    );
    talk(
        "finish(\"won\")\n:options\n:undo\nresult()\n"
            .replace(":options\n", "")
            .as_str(),
        &format!("The game is over: won.\nUndone.\n{ASKS}\nnil\n"),
    );
    talk("log(\"A note.\")\n:log\n", "| A note.\n| A note.\n");
}

#[test]
fn a_line_that_only_looks_leaves_no_trace() {
    talk(
        "imagine(function() units.make(\"stones\") return #units.all() end)\nunits.all()\n",
        "1\n{}\n",
    );
    let (text, status) = run(":time units.make(\"stones\").key\n#units.all()\n");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        (lines[0], lines[2], lines.len(), status),
        ("\"stones\"", "0", 3, 0),
        "{text}"
    );
    assert!(
        lines[1].ends_with(" safepoints") && lines[1].contains(" ms, "),
        "{text}"
    );
}

#[test]
fn help_is_made_from_the_records_and_the_library() {
    talk(
        ":help unit:exists\n",
        "unit:exists(self: Unit) -> boolean\n  Whether the unit is still in the game.\n    assert(units.make(\"stones\"):exists())\n",
    );
    talk(
        ":help :undo\n",
        ":undo [N]\n  take back the last line or answer, or the last N\n",
    );
    talk(
        ":help ST-TURN-01\n",
        "ST-TURN-01: Each turn one stone gains a charge, or a new stone is laid.\n",
    );
    fail(
        ":help board.distanc\n",
        "error: there is no help for `board.distanc`; did you mean `board.distance`?\n",
    );
    fail(
        ":hlep\n",
        "error: there is no command `:hlep`; did you mean `:help`?\n",
    );
    fail(
        ":foo\n",
        "error: there is no command `:foo`; `:help` lists the commands\n",
    );
    fail(
        ":answer\n",
        "error: `:answer` needs a key: (0,0) (1,0) (2,0) (3,0) (4,0)\n",
    );
    talk(
        ":help game\n",
        "game\n  The game's own fields, declared in game.toml; writes are journaled.\n  \
         game.turns: number  Turns taken.\n  game.notes: list  Whatever is worth noting.\n",
    );
    talk(
        ":help options\n",
        "options\n  The session's options, declared in game.toml.\n  \
         options.size: text (small, large)  Nothing depends on it.\n\
         :options\n  what the open decision offers\n",
    );
    talk(
        ":help Move\n",
        "Move\n  A unit with the space that it moves to.\n    export type Move = { Unit | Space }\n",
    );
    let (text, _) = run(":help Unit\n");
    assert!(
        text.starts_with("Unit\n    declare extern type Unit with\n        id: number\n"),
        "{text}"
    );
    assert!(
        text.ends_with("        function exists(self): boolean\n    end\n"),
        "{text}"
    );
    let (text, status) = run(":help\n:help board\n:help @std/flow\n:help flow.steps\n");
    assert_eq!(status, 0);
    for expected in [
        "  :answer KEY ...  ",
        "board.neighbours(space: Space) -> {Space}\n",
        "@std/flow\n",
        "flow.steps(prefix: string)",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn the_board_is_drawn() {
    talk(
        "r = units.make(\"stones/ruby\", { space = vector(2, 2) })\npiles.bag:put(units.make(\"stones\"))\n:board\n",
        "   0 1 2 3 4\n0  * * * * *\n1  . . . . .\n2  . . o . .\n3  . . . . .\n4  . . . . .\n  (2,2)  o ruby: dull\nbag (1): stones: dull\n",
    );
}

#[test]
fn sessions_and_scripts_are_saved_and_loaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let (save, script) = (folder.path().join("mine.ludex"), folder.path().join("scene.luau"));
    fs::write(&script, "local function lay(q)\n    units.make(\"stones\", { space = vector(q, 4) })\nend\nlay(0)\nlay(1)\nreturn #units.all()\n")
        .expect("written");
    let (save, script) = (save.display(), script.display());
    talk(
        &format!(
            ":load {script}\n:answer (0,0)\n:save {save}\n:undo 2\n#units.all()\n:load {save}\n#units.all()\n:answer (4,0)\n"
        ),
        &format!(
            "2\n| red plays (0,0).\nblue: Lay or charge a stone (5 options, see `:options`)\nSaved in {save}.\n\
             Undone.\n{ASKS}\n0\n\
             Loaded {save}.\nblue: Lay or charge a stone (5 options, see `:options`)\n3\n\
             | blue plays (4,0).\n{ASKS}\n"
        ),
    );
    fail(
        ":load nowhere.luau\n:save\n",
        "error: nowhere.luau: there is no such file\nerror: `:save` needs the name of a file\n",
    );
}

/// A console that is talked to line by line.
struct Talk {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Talk {
    fn begin(pack: &Path) -> Self {
        let mut child = command(pack).spawn().expect("the binary runs");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, out }
    }

    /// What a line brings.
    fn say(&mut self, line: &str) -> String {
        let input = self.child.stdin.as_mut().expect("a pipe");
        writeln!(input, "{line}\nprint(\"--\")").expect("it reads");
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(
                self.out.read_line(&mut line).expect("it answers") > 0,
                "it ended after {text}"
            );
            if line == "--\n" {
                return text;
            }
            text += &line;
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        _ = self.out.read_to_string(&mut String::new());
        _ = self.child.wait();
    }
}

#[test]
fn changed_rules_are_loaded_and_broken_ones_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("stones");
    copy(&stones(), &pack);
    let mut talk = Talk::begin(&pack);
    assert_eq!(
        talk.say("n = 3 f = function() return 1 end r = units.make(\"stones/ruby\")"),
        GREETING
    );
    assert_eq!(
        talk.say(":answer (0,0)"),
        "| red plays (0,0).\nblue: Lay or charge a stone (5 options, see `:options`)\n"
    );
    let rules = pack.join("rules/turn.luau");
    let source = fs::read_to_string(&rules).expect("read");
    fs::write(&rules, source.replace("Lay or charge", "Choose")).expect("written");
    let told = talk.say(":reload");
    assert!(
        told.ends_with("blue: Choose a stone (5 options, see `:options`)\n"),
        "{told}"
    );
    assert!(
        told.contains("- `f` held something of the old rules and is gone\n"),
        "{told}"
    );
    assert_eq!(talk.say("n, r.key"), "3\n\"ruby\"\n");
    // A fault leaves the last good rules running.
    fs::write(&rules, source.replace("game.turns += 1", "game.turns +=")).expect("written");
    let told = talk.say(":reload");
    assert!(
        told.starts_with("Not reloaded; the rules from before go on.\n") && told.contains("turn.luau:20"),
        "{told}"
    );
    // A step that raises waits, and goes on when it is mended.
    fs::write(&rules, source.replace("game.turns += 1", "game.trns += 1")).expect("written");
    talk.say(":reload");
    let told = talk.say(":answer (1,0)");
    assert_eq!(
        told,
        "The step failed. error: @stones/rules/turn.luau:18: `game` has no field `trns`; did you mean `turns`? Fields are declared in game.toml\nMend the rules and `:reload`, or `:undo`.\n"
    );
    fs::write(&rules, &source).expect("written");
    let told = talk.say(":reload");
    assert!(
        told.ends_with("| blue plays (1,0).\nred: Lay or charge a stone (5 options, see `:options`)\n"),
        "{told}"
    );
}

#[test]
fn a_saved_file_is_noticed_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let pack = folder.path().join("stones");
    copy(&stones(), &pack);
    let mut talk = Talk::begin(&pack);
    talk.say("1");
    let rules = pack.join("rules/turn.luau");
    let source = fs::read_to_string(&rules).expect("read");
    fs::write(&rules, source.replace("Lay or charge", "Choose")).expect("written");
    for _ in 0..100 {
        let told = talk.say("1");
        if told != "1\n" {
            assert_eq!(
                told,
                "Reloaded: rules/turn.luau.\nred: Choose a stone (5 options, see `:options`)\n1\n"
            );
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the change was never noticed");
}

#[test]
fn wrong_use_is_told_on_stderr() {
    let output = Command::new(env!("CARGO_BIN_EXE_ludex"))
        .args(["repl", "stons", "--root", ROOT])
        .output()
        .expect("runs");
    assert_ne!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert!(String::from_utf8_lossy(&output.stderr).contains("stons"));
}
