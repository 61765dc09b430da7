//! What only a terminal shows: maps, narrow windows, colours, hand-over, the offer to go on.
use unicode_width::UnicodeWidthStr;

use super::support::{Scene, Terminal, words};

const TIC_TAC_TOE: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe";
const HIGH_CARD: &str = "play high-card --root ROOT --pack high-card --seed 7";

fn open(scene: &Scene, line: &str, columns: u16) -> Terminal {
    Terminal::sized(scene.ludex(words(line)), columns)
}

const ISLE: &str = r#"title = "Isle"
start = "isle.turn"
seats = ["a", "b"]

[boards.map]
topology = "graph"
edges = [
    ["harbour", "market"], ["market", "castle"], ["castle", "gate"], ["gate", "market"], ["harbour", "reef"],
    ["reef", "castle"], ["harbour", "wood"], ["wood", "gate"], ["market", "old-town"], ["harbour", "old-town"],
]
fields.flooded = { type = "boolean", default = false }
regions = [
    { id = "harbour", label = "Harbour", at = [0, 4] },
    { id = "market", label = "Market Square", at = [3, 4] },
    { id = "old-town", label = "Old Town", at = [6, 4] },
    { id = "castle", label = "Castle", at = [3, 1] },
    { id = "gate", at = [6, 0] },
    { id = "reef", label = "Reef", at = [0, 0] },
    { id = "wood", label = "Wood", at = [6, 6] },
]

[units.crew]
glyph = "{side}"
colour = "red"
faces = ["fresh", "tired"]
"#;

const ISLE_RULES: &str = r#"local step = require("@std/flow").steps("isle")

function step.turn()
	local home = board.space("harbour")
	units.make("crew", { space = home, side = "a" })
	units.make("crew", { space = home, side = "b", face = "tired" })
	for _ = 1, 9 do
		units.make("crew", { space = board.space("castle"), side = "a" })
	end
	board.set(board.space("reef"), "flooded", true)
	choose({ prompt = "Go", seat = "a", options = board.neighbours(home) })
	finish("done")
end
"#;

fn isle(scene: &Scene) {
    scene.write(
        "isle/pack.toml",
        "id = \"isle\"\nversion = \"0.1.0\"\nludex = \"0.1\"\n",
    );
    scene.write("isle/game.toml", ISLE);
    scene.write("isle/rules/turn.luau", ISLE_RULES);
}

#[test]
fn regions_with_positions_are_drawn_as_a_map() {
    let scene = Scene::new();
    isle(&scene);
    for columns in [80, 100] {
        let mut game = open(&scene, "play isle --root ROOT --pack isle --seed 7", columns);
        let screen = game.wait_for("a: Go");
        let map = screen.split("\n\n").nth(1).unwrap();
        assert!(map.starts_with(MAP), "{columns}:\n{map}");
    }
    // Over a pipe in plain characters.
    let ran = scene.run("play isle --root ROOT --pack isle --seed 7", "");
    let plain = MAP
        .replace(['─'], "-")
        .replace('│', "|")
        .replace('╲', "\\")
        .replace('╱', "/")
        .replace('↔', "--");
    assert!(ran.out.contains(&plain), "{}", ran.out);
    // Too narrow, and without positions: the list.
    let mut game = open(&scene, "play isle --root ROOT --pack isle --seed 7", 30);
    let list = "  harbour (Harbour) ↔ market,\n      old-town, reef, wood\n";
    assert!(game.wait_for("a: Go").contains(list));
    let bare = ISLE.lines().map(|line| match line.find(", at = ") {
        Some(at) => format!("{} }},\n", &line[..at]),
        None => format!("{line}\n"),
    });
    scene.write("isle/game.toml", bare.collect::<String>());
    let mut game = open(&scene, "play isle --root ROOT --pack isle --seed 7", 100);
    let list = "  harbour (Harbour) ↔ market, old-town, reef, wood\n      a crew: a, fresh\n";
    assert!(game.wait_for("a: Go").contains(list));
}

/// A line behind a third region would seem to end there.
const MAP: &str = "  *Reef ~ ────                 ───── gate
     │        ╲─ Castle     ──╱   ────
     │           a a a a +5    ──╱
     │                │     ──╱
     │                │ ───╱
  Harbour ──── *Market Square ──── *Old Town
  a b     ───────────╲
                      ────────────── *Wood
also joined: Harbour ↔ Old Town, gate ↔ Wood
  harbour  a crew: a, fresh; b crew-2: b, tired
  market (Market Square)
  castle  a crew-3: a, fresh; ";

/// Nothing is wider than the window but a word that is.
#[test]
fn narrow_windows_are_kept() {
    let scene = Scene::new();
    isle(&scene);
    for name in ["tic-tac-toe", "high-card", "crossroads"] {
        scene.pack(name);
    }
    let games = [
        ("isle", "--pack isle", "a: Go"),
        ("tic-tac-toe", "--pack tic-tac-toe", "Mark a"),
        ("high-card", "--pack high-card --bot o=random", "card"),
        ("crossroads", "--pack crossroads", "road?"),
        ("rove-modules", "", "no points"),
    ];
    for columns in [20_u16, 40] {
        for (name, more, prompt) in games {
            let line = format!("play {name} --root ROOT {more} --seed 7");
            let mut game = open(&scene, &line, columns);
            let mut screen = game.wait_for(prompt);
            screen += &game.wait_for("\n> ");
            game.type_line("help");
            let help = game.wait_for("command.");
            assert!(help.contains("concede"), "{help}");
            screen += &help;
            for line in screen.lines() {
                let words = line.split_whitespace().count();
                let fits = line.trim_end().width() <= usize::from(columns) || words == 1;
                assert!(fits, "{name} in {columns} columns:\n{line}\n\n{screen}");
            }
        }
    }
}

#[test]
fn colours_are_shown_unless_they_are_not_wanted() {
    let scene = Scene::new();
    isle(&scene);
    let line = "play isle --root ROOT --pack isle --seed 7";
    let coloured = |name: &str, value: &str| {
        let mut command = scene.ludex(words(line));
        command.env(name, value);
        let mut game = Terminal::sized(command, 80);
        let screen = game.wait_for("a: Go");
        // What is offered is marked without colour too.
        assert!(screen.contains("*Market Square"), "{screen}");
        let escape = |code: &str| String::from_utf8_lossy(&game.raw).contains(&format!("\u{1b}[{code}m"));
        (escape("31"), escape("1"), escape("2"))
    };
    assert_eq!(coloured("NO_COLOR", ""), (true, true, true));
    assert_eq!(coloured("NO_COLOR", "1"), (false, false, false));
}

#[test]
fn one_hands_over_before_hidden_cards_are_shown() {
    let scene = Scene::new();
    scene.pack("high-card");
    let mut game = open(&scene, HIGH_CARD, 80);
    let screen = game.wait_for("Hand over to x, and press Enter. ");
    assert!(!screen.contains("hand_x"), "{screen}");
    game.type_line("");
    let screen = game.wait_for("> ");
    let own = screen.lines().find(|line| line.starts_with("hand_x")).unwrap();
    let other = screen.lines().find(|line| line.starts_with("hand_o")).unwrap();
    assert!(!own.contains("hidden") && other.contains("hidden"), "{screen}");
    let cards = own.split(": ").nth(1).unwrap().to_owned();
    game.raw.clear();
    game.type_line("1");
    let screen = game.wait_for("Hand over to o, and press Enter. ");
    // What x saw is wiped from the screen and from what can be scrolled back to.
    assert!(
        String::from_utf8_lossy(&game.raw).contains("\u{1b}[2J\u{1b}[3J\u{1b}[H"),
        "{screen}"
    );
    assert!(!screen.contains(&cards), "{screen}");
    // Any line goes on, and it is no answer.
    game.type_line("1");
    let screen = game.wait_for("> ");
    let own = screen.lines().find(|line| line.starts_with("hand_o")).unwrap();
    let other = screen.lines().find(|line| line.starts_with("hand_x")).unwrap();
    assert!(!own.contains("hidden") && other.contains("hidden"), "{screen}");
    assert!(screen.contains("o: "), "{screen}");
    game.type_line("quit");
    assert_eq!(game.end().0, Some(0));
    // Against a bot nobody looks away.
    let mut game = open(&scene, &format!("{HIGH_CARD} --bot o=random"), 80);
    assert!(!game.wait_for("> ").contains("Hand over"));
}

#[test]
fn an_unfinished_game_is_offered() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let mut game = open(&scene, TIC_TAC_TOE, 100);
    let screen = game.wait_for("x: Mark a space");
    assert!(!screen.contains("unfinished"), "{screen}");
    game.type_line("(1,1)");
    game.wait_for("o: Mark a space");
    game.type_line("quit");
    game.end();

    let mut game = open(&scene, TIC_TAC_TOE, 100);
    let screen = game.wait_for("Go on with it? [Y/n] ");
    let sessions = scene.path("data/sessions/tic-tac-toe");
    let file = format!("There is an unfinished session ({}/", sessions.display());
    assert!(screen.contains(&file), "{screen}");
    game.type_line("");
    let screen = game.wait_for("o: Mark a space");
    assert!(screen.contains("1  * x *"), "{screen}");
    game.type_line("quit");
    game.end();

    // Who says no begins anew, and who says how the game is to be isn't asked.
    let mut game = open(&scene, TIC_TAC_TOE, 100);
    game.wait_for("Go on with it? [Y/n] ");
    game.type_line("n");
    let screen = game.wait_for("x: Mark a space");
    assert!(screen.contains("1  * * *"), "{screen}");
    game.type_line("concede yes");
    game.wait_for("The game is over: lost.");
    game.type_line("quit");
    game.end();
    let mut game = open(&scene, &format!("{TIC_TAC_TOE} --seed 3"), 100);
    assert!(!game.wait_for("x: Mark a space").contains("unfinished"));
    // The one that was conceded isn't offered, the first still is.
    let mut game = open(&scene, TIC_TAC_TOE, 100);
    game.wait_for("Go on with it? [Y/n] ");
}

#[test]
fn undo_is_offered_at_the_end_only_where_it_works() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    let line = format!("{TIC_TAC_TOE} --seed 7");
    let mut game = open(&scene, &line, 100);
    for key in ["(0,0)", "(0,1)", "(1,0)", "(1,1)", "(2,0)"] {
        game.wait_for(": Mark a space");
        game.type_line(key);
    }
    game.wait_for("The game is over: x wins.\n`undo` takes back the last answer; `quit` leaves.");
    game.type_line("undo");
    game.wait_for("x: Mark a space");
    game.type_line("concede yes");
    let screen = game.wait_for("`quit` leaves.");
    assert!(
        screen.ends_with("The game is over: lost.\n`quit` leaves."),
        "{screen}"
    );
    game.type_line("undo");
    game.wait_for("conceding is final");
}
