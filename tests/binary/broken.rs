//! `ludex check` on broken packs: everything that it prints, compared in full.
//!
//! `LUDEX_BLESS=1` writes the expected texts of the scripts anew; read the difference before you keep it.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::support::{Ran, Scene, copy, repository, run};

fn folders(name: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(repository().join("tests/packs").join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    all.sort();
    all
}

fn check(root: &Path, more: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command
        .args(["check", "content/broken", "--root", "."])
        .args(more)
        .current_dir(root);
    command.env("LUDEX_DATA", root.join("no-data"));
    run(command, b"")
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// A load's messages and `check`'s last line.
fn whole(messages: &str) -> (String, i32) {
    let of = |severity: &str| {
        let marks = [format!(": {severity}["), format!("{severity}[")];
        let is_one =
            |line: &&str| !line.starts_with(' ') && (line.contains(&marks[0]) || line.starts_with(&marks[1]));
        messages.lines().filter(is_one).count()
    };
    let (errors, warnings) = (of("error"), of("warning"));
    let last = format!(
        "1 pack checked, {}, {}\n",
        count(errors, "error"),
        count(warnings, "warning")
    );
    (messages.to_owned() + &last, i32::from(errors > 0))
}

#[test]
fn every_kind_of_broken_pack_is_told_in_full() {
    let mut wrong = Vec::new();
    let mut kinds = 0;
    for root in folders("broken") {
        let messages = fs::read_to_string(root.join("expected.txt")).unwrap();
        // Conflicts between packs that are active together are no matter of one pack's check; and a pack
        // that is named may lie in a folder of any name.
        if root.join("with.txt").exists() || messages.contains("[wrong-folder]") {
            continue;
        }
        kinds += 1;
        let (expected, status) = whole(&messages);
        let ran = check(&root, &[]);
        if (&*ran.out, ran.status, &*ran.err) != (&*expected, Some(status), "") {
            wrong.push(format!(
                "{}\nexpected:\n{expected}\ntold:\n{}{}",
                root.display(),
                ran.out,
                ran.err
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(kinds >= 40, "only {kinds} kinds");
}

#[test]
fn two_faults_in_two_files_are_both_told() {
    let ran = check(&repository().join("tests/packs/broken/two-files"), &[]);
    assert!(
        ran.out.contains("stones/agate.toml:1:8") && ran.out.contains("stones/flint.toml:2:1"),
        "{ran:?}"
    );
}

/// Each folder holds `expected.txt` and what is laid over a sound game.
#[test]
fn every_kind_of_broken_script_is_told_in_full() {
    let bless = std::env::var_os("LUDEX_BLESS").is_some();
    let mut wrong = Vec::new();
    for case in folders("broken-scripts") {
        let scene = Scene::new();
        fs::rename(scene.pack("tic-tac-toe"), scene.path("broken")).unwrap();
        scene.edit("broken/pack.toml", "id = \"tic-tac-toe\"", "id = \"broken\"");
        fs::remove_dir_all(scene.path("broken/tests")).unwrap();
        copy(&case, &scene.path("broken"));
        fs::remove_file(scene.path("broken/expected.txt")).ok();
        let ran = scene.run("check broken --root ROOT", "");
        let file = case.join("expected.txt");
        if bless {
            fs::write(&file, &ran.out).unwrap();
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        let status = i32::from(ran.out.contains(": error["));
        if ran.out != expected || ran.status != Some(status) || !ran.err.is_empty() {
            wrong.push(format!(
                "{}\nexpected:\n{expected}\ntold:\n{}{}",
                case.display(),
                ran.out,
                ran.err
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What every problem has in all three forms: where, what kind, what is wrong.
#[test]
fn json_and_sarif_tell_the_same() {
    for name in [
        "two-files",
        "duplicate-id",
        "unknown-key",
        "columns-of-characters",
        "no-manifest",
        "lone-script",
    ] {
        let root = repository().join("tests/packs/broken").join(name);
        let text = fs::read_to_string(root.join("expected.txt")).unwrap();
        let parse =
            |format| -> Json { serde_json::from_str(&check(&root, &["--format", format]).out).unwrap() };
        let json = parse("json");
        let problems = json
            .as_array()
            .or_else(|| json["problems"].as_array())
            .expect("a list of problems");
        let heads: Vec<&str> = text
            .lines()
            .filter(|l| !l.starts_with(' ') && (l.contains("error[") || l.contains("warning[")))
            .collect();
        assert_eq!(problems.len(), heads.len(), "{name}: {json:#}");
        let sarif = parse("sarif");
        let results = sarif_results(&sarif);
        assert_eq!(results.len(), heads.len(), "{name}: {sarif:#}");
        for ((head, problem), result) in heads.iter().zip(problems).zip(results) {
            let text = |key: &str| problem[key].as_str().unwrap_or_default();
            assert!(head.starts_with(text("file")), "{head} {problem}");
            assert!(
                head.contains(&format!(
                    "{}[{}]: {}",
                    text("severity"),
                    text("code"),
                    text("message")
                )),
                "{head} {problem}"
            );
            assert_eq!(result["ruleId"], problem["code"]);
            assert_eq!(result["level"], problem["severity"]);
            assert!(
                result["message"]["text"]
                    .as_str()
                    .unwrap()
                    .starts_with(text("message"))
            );
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], problem["file"]);
            if let Some(region) = place.get("region") {
                assert_eq!(region["startLine"], problem["line"]);
                assert_eq!(region["startColumn"], problem["column"]);
                let marked = format!(
                    "{}:{}:{}: ",
                    text("file"),
                    region["startLine"],
                    region["startColumn"]
                );
                assert!(head.starts_with(&marked), "{head} {region}");
            }
        }
    }
}

/// The results of a log, once its structure is that of SARIF 2.1.0.
fn sarif_results(log: &Json) -> &Vec<Json> {
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    let runs = log["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "ludex");
    assert!(driver["version"].is_string());
    let rules: Vec<&Json> = driver["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| &rule["id"])
        .collect();
    assert_eq!(runs[0]["columnKind"], "unicodeCodePoints");
    let results = runs[0]["results"].as_array().unwrap();
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        assert!(
            ["error", "warning", "note", "none"].contains(&result["level"].as_str().unwrap()),
            "{result}"
        );
        assert!(result["message"]["text"].is_string(), "{result}");
        let related = result["relatedLocations"].as_array().into_iter().flatten();
        for place in result["locations"].as_array().unwrap().iter().chain(related) {
            let place = &place["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.contains([' ', '\\', '%']), "{uri}");
            if let Some(region) = place.get("region") {
                let number = |key: &str| region[key].as_u64().unwrap();
                assert!(number("startLine") >= 1 && number("startColumn") >= 1, "{region}");
                assert!(
                    region.get("endColumn").is_none() || number("endColumn") > number("startColumn"),
                    "{region}"
                );
            }
        }
    }
    results
}

/// Neither pack alone would tell it.
#[test]
fn two_packs_of_one_id_are_told_with_both_places() {
    let scene = Scene::new();
    scene.pack("tic-tac-toe");
    copy(&scene.path("tic-tac-toe"), &scene.path("copy"));
    let told = "copy/pack.toml:1:6: error[duplicate-pack]: there are two packs with the id `tic-tac-toe`
    1 | id = \"tic-tac-toe\"
      |      ^^^^^^^^^^^^^
  tic-tac-toe/pack.toml:1:6: the other one
  help: change the id of one, or leave one away
";
    let ran = scene.run("check tic-tac-toe copy --root ROOT", "");
    let counts = "2 packs checked, 1 error, 0 warnings\n";
    assert_eq!((ran.out, ran.status), (format!("{told}{counts}"), Some(1)));
    scene.pack("high-card");
    let line = "check high-card --pack tic-tac-toe --pack copy --root ROOT";
    let ran = scene.run(line, "");
    let counts = "1 pack checked, 0 errors, 1 warning\n";
    let told = told.replace("error[", "warning[");
    assert_eq!((ran.out, ran.status), (format!("{told}{counts}"), Some(0)));
    // One folder named twice is one pack.
    let ran = scene.run(
        "check tic-tac-toe ./tic-tac-toe --pack tic-tac-toe --root ROOT",
        "",
    );
    assert_eq!(ran.out, "2 packs checked, 0 errors, 0 warnings\n");
}
