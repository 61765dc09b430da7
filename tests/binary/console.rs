//! The console in a terminal.
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
