//! What the design rules out, checked over the sources: game words, imports against the direction, long files,
//! words outside the vocabulary, clocks and chance where there must be none, folders without a README.
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The parts in the order of import: each may use those before it.
const PARTS: [&str; 10] = [
    "tabletop", "pack", "script", "session", "view", "players", "sim", "repl", "serve", "cli",
];
/// Parts beside each other, which don't import one another.
const BESIDE: [&str; 3] = ["sim", "repl", "serve"];

/// Words of games. The host knows boards, dice and units, and nothing of what they stand for.
const GAME_WORDS: [&str; 22] = [
    "hp",
    "attack",
    "attacks",
    "attacker",
    "rover",
    "rovers",
    "adversary",
    "adversaries",
    "mission",
    "missions",
    "troop",
    "troops",
    "monster",
    "monsters",
    "hero",
    "heroes",
    "weapon",
    "weapons",
    "armor",
    "armour",
    "mana",
    "spell",
];

/// Words of one hex-tactics game, which the library that such games share must not hold.
const ONE_GAME: [&str; 12] = [
    "rover",
    "rovers",
    "adversary",
    "adversaries",
    "ether",
    "infuse",
    "lyst",
    "lysts",
    "glyph",
    "glyphs",
    "aura",
    "miasma",
];

/// Words of one game of modules, which the library that such games share must not hold.
const ONE_GAME_OF_MODULES: [&str; 11] = [
    "brain",
    "coil",
    "engine",
    "gadget",
    "gripper",
    "laser",
    "motor",
    "propeller",
    "rudder",
    "sensor",
    "sonar",
];

/// Words with the one that is used instead.
const VOCABULARY: [(&str, &str); 15] = [
    ("defence", "defense"),
    ("cell", "space"),
    ("cells", "spaces"),
    ("tile", "space"),
    ("tiles", "spaces"),
    ("color", "colour"),
    ("colors", "colours"),
    ("colored", "coloured"),
    ("neighbor", "neighbour"),
    ("neighbors", "neighbours"),
    ("center", "centre"),
    ("centers", "centres"),
    ("gray", "grey"),
    ("dices", "dice"),
    ("savegame", "save"),
];
/// Names of other people's that hold such a word.
const FOREIGN: [&str; 12] = [
    "NO_COLOR",
    "CARGO_TERM_COLOR",
    "CLICOLOR",
    "std::cell",
    "RefCell",
    "OnceCell",
    "Cell",
    "UnsafeCell",
    "ColorChoice",
    "ColorMode",
    "color_mode",
    "text-decoration-color",
];

/// A long file wants splitting.
const LINES: usize = 500;

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The files under a folder of the repository with one of the endings, with their text.
fn files(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(&Path::new(ROOT).join(folder), &mut found);
    let wanted = |path: &PathBuf| {
        path.extension()
            .is_some_and(|e| endings.iter().any(|wanted| e == *wanted))
    };
    let name = |path: &PathBuf| {
        path.strip_prefix(ROOT)
            .expect("in the repository")
            .display()
            .to_string()
    };
    let read = |path: PathBuf| Some((name(&path), fs::read_to_string(&path).ok()?));
    found.into_iter().filter(wanted).filter_map(read).collect()
}

/// The words of a line in small letters: `MaxHp`, `max_hp` and `max hp` are the same two.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in line.chars() {
        if !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && before.is_ascii_lowercase()) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_ascii_alphabetic() {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn none(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// Lines of the files that hold one of the words.
fn with_words(files: &[(String, String)], forbidden: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, text) in files {
        for (number, line) in text.lines().enumerate() {
            let words = words(line);
            if let Some(word) = forbidden.iter().find(|word| words.iter().any(|w| w == *word)) {
                found.push(format!("{name}:{}: `{word}`: {}", number + 1, line.trim()));
            }
        }
    }
    found
}

#[test]
fn words_are_found_in_every_spelling() {
    assert_eq!(
        words("let maxHp = MAX_HP; // Attack-dice"),
        ["let", "max", "hp", "max", "hp", "attack", "dice"]
    );
    let faulty = [(
        "x.rs".to_owned(),
        "fn fine() {}\nfn roll_attack() {}\n".to_owned(),
    )];
    assert_eq!(
        with_words(&faulty, &GAME_WORDS),
        ["x.rs:2: `attack`: fn roll_attack() {}"]
    );
}

#[test]
fn the_host_knows_no_game() {
    none(with_words(&files("host", &["rs", "luau"]), &GAME_WORDS));
}

#[test]
fn the_shared_tactics_know_no_one_game() {
    none(with_words(&files("scripts/tactics", &["luau"]), &ONE_GAME));
}

#[test]
fn the_shared_modules_know_no_one_game() {
    let shared = files("scripts/modules", &["luau", "md"]);
    none(with_words(&shared, &ONE_GAME_OF_MODULES));
}

#[test]
fn one_vocabulary() {
    let mut problems = Vec::new();
    let folders = ["host", "scripts", "content", "schema"];
    for (name, text) in folders
        .iter()
        .flat_map(|f| files(f, &["rs", "luau", "toml", "json", "md"]))
    {
        for (number, line) in text.lines().enumerate() {
            let ours = FOREIGN
                .iter()
                .fold(line.to_owned(), |line, foreign| line.replace(foreign, " "));
            let words = words(&ours);
            if let Some((word, instead)) = VOCABULARY
                .iter()
                .find(|(word, _)| words.iter().any(|w| w == *word))
            {
                problems.push(format!(
                    "{name}:{}: `{word}`; write `{instead}`: {}",
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    none(problems);
}

#[test]
fn every_rust_file_says_what_it_is() {
    let all = ["host", "tests"].iter().flat_map(|f| files(f, &["rs"]));
    none(
        all.filter(|(_, text)| !text.starts_with("//!"))
            .map(|(name, _)| format!("{name} opens without `//!`"))
            .collect(),
    );
}

#[test]
fn no_file_is_long() {
    let mut problems = Vec::new();
    for (name, text) in ["host", "scripts", "content", "tests"]
        .iter()
        .flat_map(|f| files(f, &["rs", "luau"]))
    {
        let lines = text.lines().count();
        if lines > LINES {
            problems.push(format!("{name} has {lines} lines; split it (at most {LINES})"));
        }
    }
    none(problems);
}

/// The parts that a text of the host imports by `crate::part`.
fn imports(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    lines.flat_map(|(number, line)| {
        line.match_indices("crate::").map(move |(at, _)| {
            let rest = &line[at + "crate::".len()..];
            (
                number + 1,
                &rest[..rest
                    .find(|c: char| !c.is_alphanumeric() && c != '_')
                    .unwrap_or(rest.len())],
            )
        })
    })
}

/// Why a part may not import another.
fn against(from: &str, to: &str) -> Option<String> {
    let place = |part: &str| PARTS.iter().position(|p| *p == part);
    let (Some(here), Some(there)) = (place(from), place(to)) else {
        return None;
    };
    let beside = BESIDE.contains(&from) && BESIDE.contains(&to) && from != to;
    (there > here || beside).then(|| format!("`{from}` may not import `{to}`"))
}

#[test]
fn imports_point_one_way() {
    assert!(against("script", "session").is_some() && against("sim", "repl").is_some());
    assert!(against("cli", "tabletop").is_none() && against("pack", "pack").is_none());
    let mut problems = Vec::new();
    for (name, text) in files("host", &["rs"]) {
        let mut parts = name.split('/').skip(1);
        let Some(part) = parts.next().filter(|p| !p.ends_with(".rs")) else {
            continue;
        };
        if !PARTS.contains(&part) {
            problems.push(format!(
                "{name}: the part `{part}` is not in the list of this test"
            ));
        }
        for (line, other) in imports(&text) {
            problems.extend(against(part, other).map(|why| format!("{name}:{line}: {why}")));
        }
    }
    none(problems);
}

#[test]
fn parts_keep_to_their_means() {
    // Part, what it must not use, and the files that may all the same.
    let rules: [(&str, &[&str], &[&str]); 7] = [
        (
            "tabletop",
            &["mlua", "std::fs", "std::time", "std::env", "std::io"],
            &[],
        ),
        ("pack", &["mlua", "SystemTime", "Instant"], &[]),
        ("script", &["std::fs", "SystemTime"], &[]),
        ("session", &["SystemTime"], &[]),
        (
            "",
            &[
                "thread_rng",
                "rand::rng",
                "from_os_rng",
                "StdRng",
                "SmallRng",
                "RandomState",
            ],
            &["host/cli/common.rs"],
        ),
        ("view", &["mlua", "std::fs"], &[]),
        ("players", &["SystemTime"], &[]),
    ];
    let mut problems = Vec::new();
    for (part, banned, except) in rules {
        for (name, text) in files(&format!("host/{part}"), &["rs"]) {
            if except.contains(&name.as_str()) {
                continue;
            }
            for (number, line) in text
                .lines()
                .enumerate()
                .filter(|(_, l)| !l.trim_start().starts_with("//"))
            {
                let used = banned.iter().find(|b| line.contains(**b));
                problems.extend(
                    used.map(|b| format!("{name}:{}: `{b}` has no place here: {}", number + 1, line.trim())),
                );
            }
        }
    }
    none(problems);
}

#[test]
fn only_the_command_line_may_need_unix() {
    let mut problems = Vec::new();
    for (name, text) in files("host", &["rs"]) {
        // Tests may make what only Unix has, such as links.
        let is_test = name.ends_with("tests.rs");
        if !is_test
            && !name.starts_with("host/cli/")
            && (text.contains("std::os::unix") || text.contains("cfg(unix)"))
        {
            problems.push(format!("{name} needs Unix"));
        }
    }
    none(problems);
}

#[test]
fn every_folder_says_what_belongs_there() {
    let mut folders: Vec<PathBuf> = ["host", "scripts", "content", "schema", "tests"]
        .iter()
        .map(PathBuf::from)
        .collect();
    for parent in ["host", "scripts", "tests"] {
        let inside = fs::read_dir(Path::new(ROOT).join(parent))
            .into_iter()
            .flatten()
            .flatten();
        let inside = inside
            .filter(|e| e.path().is_dir())
            .map(|e| Path::new(parent).join(e.file_name()));
        folders.extend(inside);
    }
    // Below those, every folder of code; a pack of tests is told by the folder that it lies in.
    for (name, _) in files("host", &["rs"])
        .into_iter()
        .chain(files("scripts", &["luau"]))
        .chain(files("content", &["luau"]))
    {
        let folder = Path::new(&name).parent().map(PathBuf::from).unwrap_or_default();
        let in_tests = folder
            .components()
            .skip(1)
            .any(|part| part.as_os_str() == "tests");
        if !in_tests || folder.starts_with("host") {
            folders.push(folder);
        }
    }
    folders.sort();
    folders.dedup();
    let lacks = |folder: &PathBuf| !Path::new(ROOT).join(folder).join("README.md").is_file();
    none(
        folders
            .iter()
            .filter(|f| lacks(f))
            .map(|f| format!("{} has no README.md", f.display()))
            .collect(),
    );
}
