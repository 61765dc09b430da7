//! The console in a terminal.
use unicode_width::UnicodeWidthStr;

use super::support::{Scene, Terminal, words};

fn console(scene: &Scene) -> Terminal {
    scene.pack("stones");
    let mut console = Terminal::open(scene.ludex(words("repl stones --root ROOT --pack stones --seed 7")));
    console.wait_for("see `:options`)\n> ");
    console
}

#[test]
fn what_waits_for_more_lines_has_a_prompt_of_its_own() {
    let scene = Scene::new();
    let mut console = console(&scene);
    console.type_line("for i = 7, 8 do");
    console.wait_for("\n. ");
    console.type_line("print(i * i)");
    console.wait_for("\n. ");
    console.type_line("end");
    console.wait_for("\n49\n64\n> ");
    // What belongs together comes back together.
    console.type_line("\u{1b}[A");
    console.wait_for("\n49\n64\n> ");
    // An empty line gives up, and so does Ctrl-C.
    console.type_line("{ 1,");
    console.wait_for("\n. ");
    console.type_line("");
    console.wait_for("error: ");
    console.wait_for("\n> ");
    console.type_line("{ 2,");
    console.wait_for("\n. ");
    console.type_line("\u{3}");
    console.wait_for("\n> ");
    console.type_line("3 + 3");
    console.wait_for("\n6\n> ");
}

#[test]
fn long_lines_break_between_words() {
    let scene = Scene::new();
    scene.pack("stones");
    let command = scene.ludex(words("repl stones --root ROOT --pack stones --seed 7"));
    let mut console = Terminal::sized(command, 60);
    console.wait_for("\n> ");
    for (line, last) in [
        (":help", "\n> "),
        (":help board", "\n> "),
        ("units.all()", "\n> "),
        ("board.shift(5, 6, 7, 8)", "\n> "),
        (":rules", "`:help` lists the\n  commands\n> "),
    ] {
        console.type_line(line);
        let told = console.wait_for(last);
        let long = told.lines().find(|line| line.width() > 60);
        assert_eq!(long, None, "{told}");
    }
}
