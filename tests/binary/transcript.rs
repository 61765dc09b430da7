//! Whole sessions over a pipe: what is typed and all that is printed, compared whole.
//!
//! `tests/transcripts/NAME.in` holds command lines after `$ `, each followed by its input; `NAME.out` is what
//! comes of them. `LUDEX_BLESS=1` writes the latter anew; read the difference before you keep it.
use std::fs;

use super::support::{Scene, repository};

#[test]
fn every_transcript_goes_as_written() {
    let bless = std::env::var_os("LUDEX_BLESS").is_some();
    let folder = repository().join("tests/transcripts");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| {
            Some(
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".in")?
                    .to_owned(),
            )
        })
        .collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let told = transcript(&fs::read_to_string(folder.join(format!("{name}.in"))).unwrap());
        let file = folder.join(format!("{name}.out"));
        if bless {
            fs::write(&file, &told).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        if told != expected {
            let at = told
                .lines()
                .zip(expected.lines())
                .take_while(|(a, b)| a == b)
                .count();
            let near = |text: &str| {
                let lines = text.lines().skip(at.saturating_sub(5)).take(12);
                lines.collect::<Vec<_>>().join("\n")
            };
            panic!(
                "{name} differs in line {}\nexpected:\n{}\ntold:\n{}",
                at + 1,
                near(&expected),
                near(&told)
            );
        }
    }
}

fn transcript(input: &str) -> String {
    let scene = Scene::new();
    let mut text = String::new();
    for part in input.split("$ ").filter(|part| !part.is_empty()) {
        let (line, typed) = part.split_once('\n').unwrap_or((part, ""));
        let ran = scene.run(&format!("{line} --root ROOT"), typed);
        text += &format!("$ ludex {line}\n{}{}", ran.out, ran.err);
        if ran.status != Some(0) {
            text += &format!("[status {}]\n", ran.status.unwrap());
        }
        text += "\n";
    }
    text
}
