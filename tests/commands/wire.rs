//! `play --json`: every line fits the schema, a seat's view shows only what it may see.
use serde_json::{Value as Json, json};

use crate::harness::{Desk, Talk, edit, pack, root};

fn validator() -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("schema/wire.schema.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn talk(desk: &Desk, game: &str, more: &[&str]) -> Talk {
    let folder = pack(game).display().to_string();
    let mut args = vec!["play", game, "--pack", &folder, "--seed", "7", "--json"];
    args.extend(more);
    desk.talk(&args)
}

#[test]
fn every_line_fits_the_schema() {
    let schema = validator();
    let fits = |object: &Json| {
        let faults: Vec<String> = schema.iter_errors(object).map(|e| format!("{e:?}")).collect();
        assert!(faults.is_empty(), "{object}\n{}", faults.join("\n"));
    };
    let desk = Desk::new();
    let folder = |game: &str| pack(game).display().to_string();
    let lines = |inputs: &[Json]| {
        inputs
            .iter()
            .map(|input| format!("{input}\n"))
            .collect::<String>()
    };
    let commands = [
        json!({"cmd": "why"}),
        json!({"cmd": "rules"}),
        json!({"cmd": "rules", "id": "CR-01"}),
        json!({"cmd": "save"}),
        json!({"cmd": "view"}),
        json!({"cmd": "reload"}),
        json!({"id": 1, "answer": ["river"]}),
        json!({"id": 1, "answer": ["roll"]}),
        json!({"id": 2, "answer": "pick"}),
        json!({"id": 3, "answer": ["red", "blue"]}),
        json!({"cmd": "undo", "count": 2}),
        json!({"cmd": "undo"}),
        json!({"id": 5, "answer": ["fail"], "seat": "a"}),
    ];
    commands.iter().for_each(&fits);
    let wrong = "no json\n{}\n{\"cmd\":\"fly\"}\n{\"id\":6,\"answer\":[1]}\n{\"cmd\":\"undo\",\"count\":0}\n";
    for (game, seat) in [
        ("crossroads", "a"),
        ("tic-tac-toe", "o"),
        ("high-card", "x"),
        ("rove-modules", ""),
    ] {
        let mut args = vec!["play", game, "--seed", "7", "--json"];
        let place = folder(game);
        if game != "rove-modules" {
            args.extend(["--pack", &place]);
        }
        if !seat.is_empty() {
            args.extend(["--as", seat]);
        }
        let done = desk.run(&args, &(lines(&commands) + wrong));
        assert!(done.out.lines().count() > 10, "{}{}", done.out, done.err);
        done.out
            .lines()
            .for_each(|line| fits(&serde_json::from_str(line).unwrap()));
    }
}

/// The shapes by example, in the help and in the README: the same, true to the schema, and none left out.
#[test]
fn help_and_readme_show_every_line() {
    let help = Desk::new().run(&["play", "--help"], "").well();
    let (_, shapes) = help.split_once("\n\nWith --json, ").unwrap();
    let shapes = format!("With --json, {shapes}");
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains(&format!("```text\n{shapes}```\n")), "{shapes}");
    let schema = validator();
    let mut named = std::collections::BTreeSet::new();
    // An object may go on in the next line, further in.
    for shape in shapes
        .replace("\n    ", "")
        .lines()
        .filter(|line| line.starts_with("  {"))
    {
        let object: Json = serde_json::from_str(shape).unwrap();
        assert!(schema.is_valid(&object), "{shape}");
        let name = object.get("type").or(object.get("cmd")).and_then(Json::as_str);
        named.insert(name.unwrap_or("answer").to_owned());
    }
    let schema = std::fs::read_to_string(root().join("schema/wire.schema.json")).unwrap();
    let schema: Json = serde_json::from_str(&schema).unwrap();
    let lines = schema["oneOf"].as_array().unwrap().iter();
    let lines = lines.map(|line| line["$ref"].as_str().unwrap().trim_start_matches("#/$defs/"));
    let commands = schema["$defs"]["command"]["properties"]["cmd"]["enum"].as_array();
    let commands = commands.unwrap().iter().filter_map(Json::as_str);
    for name in lines.filter(|name| *name != "command").chain(commands) {
        assert!(named.contains(name), "`{name}` is not shown");
    }
}

#[test]
fn refusals_name_code_rule_and_message() {
    let desk = Desk::new();
    let mut talk = talk(&desk, "crossroads", &[]);
    talk.next();
    talk.say(&json!({"id": 1, "answer": ["river"]}).to_string());
    assert_eq!(
        talk.next(),
        json!({"type": "error", "code": "blocked", "rule": "CR-01", "message": "That road is blocked."})
    );
    talk.say(&json!({"id": 9, "answer": ["walk"]}).to_string());
    assert_eq!(talk.next()["code"], "stale");
    talk.say(&json!({"id": 1, "answer": ["walk", "roll"]}).to_string());
    assert_eq!(talk.next()["code"], "too_many");
    talk.say(&json!({"id": 1, "answer": ["fail"]}).to_string());
    let failed = talk.next();
    assert_eq!(
        (&failed["code"], &failed["line"]),
        (&json!("step_failed"), &json!(21))
    );
    talk.say(&json!({"id": 2, "answer": ["walk"]}).to_string());
    assert_eq!(talk.next()["code"], "busy");
    talk.say(&json!({"cmd": "undo"}).to_string());
    let decision = talk.next();
    assert_eq!(decision["type"], "decision");
    talk.say(&json!({"id": decision["id"], "answer": ["end"]}).to_string());
    assert_eq!(talk.next(), json!({"type": "end", "result": "home"}));
    talk.say(&json!({"id": 9, "answer": ["walk"]}).to_string());
    assert_eq!(talk.next()["code"], "game_over");
}

#[test]
fn a_seat_sees_its_own_hand_only() {
    let desk = Desk::new();
    let mut talk = talk(&desk, "high-card", &["--as", "x"]);
    let heard = talk.hear_out();
    let (state, decision) = (&heard[0], &heard[1]);
    assert_eq!((&state["view"], state.get("hash")), (&json!("x"), None));
    let cards = |pile: &str| state["piles"][pile]["cards"].as_array().unwrap().clone();
    assert!(cards("hand_x").iter().all(Json::is_object));
    assert!(cards("hand_o").iter().all(Json::is_null) && cards("hand_o").len() == 3);
    assert!(cards("deck").iter().all(Json::is_null));
    let heard = {
        let key = &decision["options"][0]["key"];
        talk.say(&json!({"id": decision["id"], "answer": [key]}).to_string());
        talk.hear_out()
    };
    let other = heard.last().unwrap();
    assert_eq!(
        (&other["seats"], &other["options"], &other["waiting"]),
        (&json!(["o"]), &json!([]), &json!(true))
    );
    talk.say(&json!({"id": other["id"], "answer": ["cards"]}).to_string());
    assert_eq!(talk.next()["code"], "wrong_seat");
    talk.say(&json!({"id": other["id"], "answer": ["cards"], "seat": "o"}).to_string());
    assert_eq!(talk.next()["code"], "wrong_seat");
}

/// Either may play first, each from an own hand.
#[test]
fn a_seat_is_not_sent_the_options_of_another() {
    let desk = Desk::new();
    let folder = desk.copy("high-card");
    let turn = folder.join("rules/turn.luau");
    edit(
        &turn,
        "choose({ prompt = \"Play a card\", seat = \"x\", options = options_of(hands.x) })",
        "choose({ prompt = \"Play a card\", seats = { \"x\", \"o\" }, options = both() })",
    );
    edit(
        &turn,
        "function step.round()",
        "local function both()\n\
         \tlocal list = {}\n\
         \tfor seat, hand in { x = hands.x, o = hands.o } do\n\
         \t\tfor _, option in options_of(hand) do\n\
         \t\t\toption.seat = seat\n\
         \t\t\ttable.insert(list, option)\n\
         \t\tend\n\
         \tend\n\
         \treturn list\n\
         end\n\n\
         function step.round()",
    );
    let folder = folder.display().to_string();
    let seen = |more: &[&str]| {
        let mut args = vec!["play", "high-card", "--pack", &folder, "--seed", "7", "--json"];
        args.extend(more);
        let decision = desk.talk(&args).next();
        let options = decision["options"].as_array().unwrap().clone();
        let seats = options
            .iter()
            .map(|option| option["seat"].as_str().unwrap().to_owned());
        seats.collect::<Vec<_>>()
    };
    assert_eq!(seen(&["--as", "x"]), ["x", "x", "x"]);
    assert_eq!(seen(&["--as", "o"]), ["o", "o", "o"]);
    assert_eq!(seen(&[]).len(), 6);
}

#[test]
fn a_refused_answer_tells_nothing_of_anothers_options() {
    let desk = Desk::new();
    let mut talk = talk(&desk, "high-card", &["--as", "x"]);
    let decision = talk.next();
    let other = talk.answer(&decision, 0);
    for key in ["cards", "cards-2", "cards-7"] {
        talk.say(&json!({"id": other["id"], "answer": [key]}).to_string());
        let told = talk.next();
        assert_eq!(told["message"], "this is for o to decide, not for x");
    }
}
