//! Folders that harm: links in circles, files that aren't, bytes that aren't text.
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::load_tests::{stones, text, write};
use super::{Selection, Sources, load};

fn told(root: &Path) -> String {
    match load(&Sources::at(root), &Selection::game("stones")) {
        Ok(catalogue) => text(&catalogue.warnings),
        Err(problems) => text(&problems),
    }
}

fn root() -> TempDir {
    let folder = TempDir::new().unwrap();
    stones(folder.path());
    folder
}

#[cfg(unix)]
#[test]
fn links_are_followed_but_not_in_circles() {
    use std::os::unix::fs::symlink;
    let (folder, other) = (root(), TempDir::new().unwrap());
    let pack = folder.path().join("content/stones");
    write(&pack, &[("drafts/basalt.txt", "name = \"Basalt\"\n")]);
    symlink("../drafts/basalt.txt", pack.join("stones/basalt.toml")).unwrap();
    assert_eq!(told(folder.path()), "");
    // A pack that nobody read could show any file of its user's.
    write(other.path(), &[("basalt.toml", "name = \"Basalt\"\n")]);
    symlink(other.path().join("basalt.toml"), pack.join("stones/far.toml")).unwrap();
    symlink(other.path(), pack.join("rules/far")).unwrap();
    symlink("/proc/self", pack.join("proc")).unwrap();
    let leaves =
        "error[link-leaves-pack]: the link leads out of the pack's folder, and nothing is read there\n";
    assert_eq!(
        told(folder.path()),
        format!(
            "content/stones/proc: {leaves}content/stones/rules/far: {leaves}content/stones/stones/far.toml: {leaves}"
        )
    );
    for gone in ["proc", "rules/far", "stones/far.toml"] {
        fs::remove_file(pack.join(gone)).unwrap();
    }
    fs::rename(pack.join("pack.toml"), other.path().join("pack.toml")).unwrap();
    symlink(other.path().join("pack.toml"), pack.join("pack.toml")).unwrap();
    assert_eq!(told(folder.path()), format!("content/stones/pack.toml: {leaves}"));
    fs::remove_file(pack.join("pack.toml")).unwrap();
    fs::rename(other.path().join("pack.toml"), pack.join("pack.toml")).unwrap();
    symlink("..", pack.join("stones/up")).unwrap();
    symlink("nowhere", pack.join("stones/gone.toml")).unwrap();
    symlink("nowhere", pack.join("stones/gone")).unwrap();
    assert_eq!(
        told(folder.path()),
        "content/stones/stones/gone.toml: error[unreadable-file]: the link leads nowhere\n\
         content/stones/stones/up: error[symlink-loop]: the link leads back to a folder that it lies in\n"
    );
}

#[cfg(unix)]
#[test]
fn a_linked_pack_loads() {
    let (folder, other) = (root(), TempDir::new().unwrap());
    let pack = folder.path().join("content/stones");
    fs::rename(&pack, other.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(other.path().join("elsewhere"), &pack).unwrap();
    assert_eq!(told(folder.path()), "");
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_not_opened() {
    let folder = root();
    let pipe = folder.path().join("content/stones/stones/pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        return; // A system without pipes has none to trip over.
    }
    assert_eq!(
        told(folder.path()),
        "content/stones/stones/pipe.toml: error[not-a-file]: this isn't a plain file\n"
    );
}

#[test]
fn a_huge_file_is_refused() {
    let folder = root();
    let huge = "#".repeat((1 << 20) + 1);
    write(folder.path(), &[("content/stones/stones/huge.toml", &huge)]);
    assert_eq!(
        told(folder.path()),
        "content/stones/stones/huge.toml: error[huge-file]: the file is too large: at most 1048576 bytes are read\n"
    );
}

#[test]
fn deep_folders_end() {
    let folder = root();
    let deep = format!("content/stones/rules/{}a.luau", "a/".repeat(40));
    write(folder.path(), &[(&deep, "return {}")]);
    let told = told(folder.path());
    assert!(
        told.contains("error[too-deep]: folders are nested more than 16 deep\n"),
        "{told}"
    );
}

#[test]
fn deep_nesting_is_an_error_and_no_crash() {
    let folder = root();
    let deep = |open: &str, count| format!("a = {}", open.repeat(count));
    let keys = format!("{}b = 1\n", "a.".repeat(20_000));
    for source in [deep("[", 100_000), deep("{a=", 100_000), keys] {
        write(folder.path(), &[("content/stones/stones/deep.toml", &source)]);
        assert!(told(folder.path()).contains("deep.toml"));
    }
    fs::remove_file(folder.path().join("content/stones/stones/deep.toml")).unwrap();
    for schema in [
        "[".repeat(100_000),
        r##"{"$ref": "#"}"##.into(),
        r#"{"type": []}"#.into(),
    ] {
        write(
            folder.path(),
            &[("content/stones/schema/deep.schema.json", &schema)],
        );
        told(folder.path());
    }
}

#[cfg(unix)]
#[test]
fn a_way_back_from_a_link_stays_as_it_was_typed() {
    let folder = root();
    std::os::unix::fs::symlink("/usr/bin", folder.path().join("link")).unwrap();
    let typed = folder.path().join("link/../x");
    assert_eq!(crate::pack::typed::tidy(typed.clone()), typed);
}

#[test]
fn a_schema_that_doubles_at_each_level_is_told_in_time() {
    let twice = |target: &str| format!(r#"{{"allOf": [{{"$ref": "{target}"}}, {{"$ref": "{target}"}}]}}"#);
    let deep = format!("x = {}1{}\n", "{ x = ".repeat(40), " }".repeat(40));
    let around = |target: &str| {
        format!(
            r##"{{"$ref": "#/$defs/a", "$defs": {{"a": {{"$anchor": "again", "properties": {{"x": {}}}}}}}}}"##,
            twice(target)
        )
    };
    let folder = root();
    for target in ["#/$defs/a", "#", "#again"] {
        let files = [
            ("content/stones/schema/deep.schema.json", around(target)),
            ("content/stones/deep/one.toml", deep.clone()),
        ];
        write(
            folder.path(),
            &files.each_ref().map(|(path, text)| (*path, text.as_str())),
        );
        let told = told(folder.path());
        let message = "one.toml:1:1: error[heavy-schema]: its schema leads back to itself so often that comparing them \
                       would take too long\n";
        assert!(told.contains(message), "{target}: {told}");
        // Few levels are fine, and so is one way back.
        write(
            folder.path(),
            &[("content/stones/deep/one.toml", "x = { x = { x = {} } }\n")],
        );
        assert!(!told_of_deep(folder.path()), "{target}");
    }
    let once = r##"{"properties": {"x": {"$ref": "#"}, "y": {"type": "number"}}}"##;
    write(
        folder.path(),
        &[
            ("content/stones/schema/deep.schema.json", once),
            ("content/stones/deep/one.toml", &deep.replace('1', "{ y = true }")),
        ],
    );
    let told = told(folder.path());
    assert!(told.contains("error[wrong-type]"), "{told}");
}

fn told_of_deep(folder: &Path) -> bool {
    told(folder).contains("heavy-schema")
}

/// Whatever the bytes are, loading gives a catalogue or diagnostics.
#[test]
fn no_bytes_make_the_loader_fall_over() {
    let folder = root();
    let pack = folder.path().join("content/stones");
    let paths = [
        "pack.toml",
        "game.toml",
        "rules.toml",
        "stones/flint.toml",
        "schema/stones.schema.json",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        // A plain xorshift: which bytes are changed doesn't matter, only that they are many.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let alphabet = b"[]{}=\"',.#\n\\\x00\xff\xc3 1a-";
    for path in paths {
        let good = fs::read(pack.join(path)).unwrap();
        for _ in 0..60 {
            let mut bytes = good.clone();
            for _ in 0..=next(3) {
                let at = next(bytes.len());
                match next(3) {
                    0 => bytes[at] = alphabet[next(alphabet.len())],
                    1 => _ = bytes.remove(at),
                    _ => bytes.insert(at, alphabet[next(alphabet.len())]),
                }
            }
            fs::write(pack.join(path), &bytes).unwrap();
            told(folder.path());
        }
        fs::write(pack.join(path), &good).unwrap();
    }
    assert_eq!(told(folder.path()), "");
}

#[test]
fn files_of_the_binary_load_like_those_on_disk() {
    let folder = root();
    let on_disk = load(&Sources::at(folder.path()), &Selection::game("stones")).unwrap();
    let mut files: Vec<(&'static str, &'static str)> = Vec::new();
    collect(folder.path(), folder.path(), &mut files);
    files.sort_unstable();
    let table = super::embedded::Table(files.leak());
    let carried = load(&Sources::embedded(table), &Selection::game("stones")).unwrap();
    assert_eq!(carried.packs[0].hash, on_disk.packs[0].hash);
    assert_eq!(carried.packs[0].folder, None);
    let keys = |catalogue: &super::model::Catalogue| catalogue.scripts.keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&carried), keys(&on_disk));
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(&'static str, &'static str)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if !path.file_name().unwrap().to_str().unwrap().starts_with('.') {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/");
            files.push((name.leak(), fs::read_to_string(&path).unwrap().leak()));
        }
    }
}

#[test]
fn two_named_packs_of_one_id_are_told() {
    let (folder, one, two) = (root(), TempDir::new().unwrap(), TempDir::new().unwrap());
    for other in [&one, &two] {
        write(
            other.path(),
            &[(
                "pack.toml",
                "id = \"ember\"\nversion = \"0.1.0\"\nludex = \"0.1\"\n",
            )],
        );
    }
    let sources = Sources::at(folder.path())
        .with_pack(one.path())
        .with_pack(two.path());
    assert!(load(&sources, &Selection::game("stones")).is_ok());
    let with = Selection {
        with: vec!["ember".into()],
        ..Selection::default()
    };
    let problems = load(&sources, &with).unwrap_err();
    let (one, two) = (one.path().display(), two.path().display());
    assert_eq!(
        text(&problems),
        format!(
            "{two}/pack.toml:1:6: error[duplicate-pack]: there are two packs with the id `ember`\n    \
             1 | id = \"ember\"\n      |      ^^^^^^^\n  {one}/pack.toml:1:6: the other one\n  \
             help: change the id of one, or leave one away\n"
        )
    );
}

#[test]
fn a_named_pack_stands_for_one_of_the_same_id() {
    let (folder, other) = (root(), TempDir::new().unwrap());
    write(
        other.path(),
        &[
            (
                "pack.toml",
                "id = \"stones\"\nversion = \"9.0.0\"\nludex = \"0.1\"\n",
            ),
            (
                "game.toml",
                "title = \"Other\"\nstart = \"o.go\"\nseats = [\"a\"]\n",
            ),
        ],
    );
    let sources = Sources::at(folder.path()).with_pack(other.path());
    assert_eq!(
        load(&sources, &Selection::game("stones")).unwrap().packs[0].version,
        "9.0.0"
    );
    let missing = Sources::at(folder.path()).with_pack(other.path().join("no"));
    let problems = load(&missing, &Selection::game("no")).unwrap_err();
    assert_eq!(problems[0].message, "there is no such folder");
}
