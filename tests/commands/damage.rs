//! Recordings that were changed by something else: what is told of them.
use std::fs;

use crate::harness::Desk;

/// File, line, what is wrong there, and what to do.
#[test]
fn a_changed_recording_is_told_with_its_place() {
    let desk = Desk::new();
    desk.play("tic-tac-toe", &["--save", "{desk}/s"], "(0,0)\n(1,1)\n(2,2)\n")
        .well();
    let whole = fs::read_to_string(desk.path("s")).unwrap();
    let told = |from: &str, to: &str| {
        assert!(whole.contains(from), "{whole}");
        fs::write(desk.path("s"), whole.replacen(from, to, 1)).unwrap();
        desk.run(&["play", "--resume", "{desk}/s"], "").failed(1)
    };
    assert_eq!(
        told("\"seat\":\"x\"", "\"seat\":x\""),
        "{desk}/s:2:25: this is no line of a recording: this is no JSON: expected value; to go on with what comes before it, delete this line and all that follow in a copy of the file\n"
    );
    let cut = "name a recording of `ludex play`, or another copy of this one\n";
    let fields = told(r#""fields":[{"number":0.0}]"#, r#""fields":[]"#);
    assert_eq!(
        fields,
        format!(
            "{{desk}}/s:1: the tabletop saved here is damaged:\n  the save contradicts itself: unit 0 has other fields than its kind\nnothing can be read without it: {cut}"
        )
    );
    let kind = told(r#""kinds":[{"name":"#, r#""kinds":[{"nam":"#);
    assert!(
        kind.starts_with("{desk}/s:1:")
            && kind.contains(": `state.tabletop.kinds[0]`: missing field `name`;"),
        "{kind}"
    );
    let list = told(r#""units":["#, r#""units":5,"things":["#);
    assert!(
        list.contains("`state.tabletop.units`: expected a list, found `5`; nothing"),
        "{list}"
    );
    let long = "y".repeat(100_000);
    let text = told(r#""chance":0"#, &format!(r#""chance":"{long}""#));
    assert!(
        text.contains("`state.tabletop.chance`: expected a whole number from 0, found the text \"yyy")
            && text.len() < 500,
        "{text}"
    );
    // The second answer is in the line of its own.
    let at = 1 + whole.lines().position(|line| line.contains("(1,1)")).unwrap();
    let differs = told("\"(1,1)\"", "\"(0,0)\"");
    let start = format!("{{desk}}/s:{at}: with the same content the course differs at answer 2,");
    assert!(differs.starts_with(&start), "{differs}");
    let hash = whole.find("\"hash\":\"").unwrap() + 8;
    let hash = &whole[hash..hash + 64];
    let other = format!("{}{}", &hash[..63], if hash.ends_with('0') { '1' } else { '0' });
    let packs = told(hash, &other);
    assert!(packs.contains(hash) && packs.contains(&other), "{packs}");
    // A replay tells the same.
    let text = whole.replacen(r#""fields":[{"number":0.0}]"#, r#""fields":[]"#, 1);
    fs::write(desk.path("s"), text).unwrap();
    let done = desk.run(&["replay", "{desk}/s", "--verify"], "");
    assert_eq!(
        done.out,
        format!(
            "segment 1 (start): can't be checked:\n  line 1 is damaged; nothing can be read without it: {}:\n  the save contradicts itself: unit 0 has other fields than its kind\n",
            cut.trim_end()
        )
    );
}
