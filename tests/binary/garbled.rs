//! Recordings that were torn or garbled: told as such, never a panic.
use std::fs;
use std::time::Duration;

use super::support::{Chance, Ran, Scene};

const PLAY: &str = "play tic-tac-toe --root ROOT --pack tic-tac-toe --seed 7";

fn scene() -> Scene {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    scene
}

/// A recording with all kinds of lines.
fn recording(scene: &Scene) -> Vec<u8> {
    let input = "(0,0)\n(1,1)\n(2,2)\nundo\n(0,1)\n(0,2)\nundo 2\n(1,0)\nconcede yes\n";
    let ran = scene.run(&format!("{PLAY} --save game.ludex"), input);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    fs::read(scene.path("game.ludex")).unwrap()
}

#[test]
fn a_torn_or_garbled_recording_is_told_as_such() {
    let scene = scene();
    let whole = recording(&scene);
    let mut chance = Chance(77);
    let fine = |ran: Ran, what: &str| {
        assert!(matches!(ran.status, Some(0..=2)), "{what}: {ran:?}");
        assert!(
            ran.status == Some(0)
                || !ran.err.is_empty()
                || ran.out.contains("differs")
                || ran.out.contains("can't"),
            "{what}: {ran:?}"
        );
    };
    for number in 0..12 {
        let at = chance.below(whole.len() as u64) as usize;
        scene.write("torn.ludex", &whole[..at]);
        fine(
            scene.run("replay torn.ludex --verify --root ROOT", ""),
            &format!("torn at {at}"),
        );
        let mut garbled = whole.clone();
        let at = chance.below(whole.len() as u64) as usize;
        garbled[at] = chance.below(256) as u8;
        scene.write("garbled.ludex", &garbled);
        let line = if number % 2 == 0 {
            "replay garbled.ludex --verify --root ROOT"
        } else {
            "play --resume garbled.ludex --root ROOT"
        };
        fine(scene.run(line, ""), &format!("garbled at {at}: {}", garbled[at]));
    }
}

#[test]
fn a_recording_that_contradicts_itself_is_told_as_such() {
    let scene = Scene::new();
    let ran = scene.run(
        "play rove-modules --root ROOT --seed 7 --save game.ludex",
        "quit\n",
    );
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let whole = scene.read("game.ludex");
    let cases = [
        (
            r#""setup":{"game":"rove-modules","seed":7"#,
            r#""setup":{"game":"rove-modules","seed":8"#,
            "damaged.ludex:1: this is no line of a recording: the setup has seed 8, the tabletop seed 7",
        ),
        (
            r#"{"kind":1,"definition":1,"number":1}"#,
            r#"{"kind":1,"definition":0,"number":1}"#,
            "the save contradicts itself: unit 8 has the name of another",
        ),
        (
            r#"{"kind":1,"definition":1,"number":1}"#,
            r#"{"kind":1,"definition":1,"number":1,"face":1}"#,
            "the save contradicts itself: unit 8 has a face that its kind lacks",
        ),
        (
            r#"{"kind":3,"definition":15,"number":1"#,
            r#"{"kind":3,"definition":15,"number":1,"facing":8"#,
            "the save contradicts itself: unit 1 has a facing beyond the eighth direction",
        ),
    ];
    for (from, to, message) in cases {
        assert!(whole.contains(from), "{from} in {whole}");
        scene.write("damaged.ludex", whole.replacen(from, to, 1));
        for line in [
            "play --resume damaged.ludex --root ROOT",
            "replay damaged.ludex --root ROOT",
        ] {
            let ran = scene.run(line, "quit\n");
            let told = format!("{}{}", ran.out, ran.err);
            assert!(told.contains(message), "{to}: {ran:?}");
            assert_ne!(ran.status, Some(0), "{to}: {ran:?}");
        }
    }
}

/// As above, at a great many places, without a process for each.
#[test]
fn no_byte_of_a_recording_can_make_the_host_panic() {
    use ludex::pack::Sources;
    use ludex::script::vm::Budget;
    use ludex::session::recording::Recording;
    use ludex::session::resume::Changed;
    use ludex::session::{Content, Recorded};

    let scene = scene();
    let whole = recording(&scene);
    let content = Content::new(Sources::at(env!("CARGO_MANIFEST_DIR")), Budget::default());
    let mut chance = Chance(78);
    let started = std::time::Instant::now();
    let (mut opened, mut refused) = (0, 0);
    for number in 0..4_000 {
        let mut bytes = whole.clone();
        let at = chance.below(whole.len() as u64) as usize;
        match number % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] = b"0123456789-.eE\"{}[],:ntf"[chance.below(24) as usize],
            2 => _ = bytes.remove(at),
            _ => bytes.insert(at, b"0123456789-.eE\"{}[],:ntf"[chance.below(24) as usize]),
        }
        let path = scene.write("garbled.ludex", &bytes);
        if Recording::read(&path).is_err() {
            refused += 1;
            continue;
        }
        // Where it can be read it is opened, which takes longer.
        if started.elapsed() > Duration::from_secs(20) {
            break;
        }
        for changed in [None, Some(Changed::Saved), Some(Changed::Replay)] {
            if let Ok((mut table, _)) = Recorded::resume(content.clone(), &path, changed) {
                _ = table.session().decision();
                opened += 1;
            }
        }
    }
    assert!(opened > 20 && refused > 20, "{opened} opened, {refused} refused");
}
