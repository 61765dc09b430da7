//! The tables that stand in READMEs of `content/` are those of the definitions as they are.
use std::fs;
use std::path::Path;

use super::cards::{self, Row, TIME};
use super::{load_session, readme};
use crate::cli::common::Problem;
use crate::pack::Sources;
use crate::script::vm::Budget;
use crate::session::recording::Setup;
use crate::session::{Content, Session};

/// A game whose README has tables.
struct Told {
    game: String,
    content: Content,
    setup: Setup,
    /// The hash of the definitions that they were made from.
    from: String,
    lines: Vec<String>,
}

fn told() -> Vec<Told> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut games: Vec<String> = fs::read_dir(root.join("content"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| {
            fs::read_to_string(entry.path().join("README.md")).is_ok_and(|text| text.contains(readme::OPEN))
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    games.sort();
    let games: Vec<Told> = games.into_iter().map(|game| read(root, game)).collect();
    assert!(games.len() >= 2, "only {} games have tables", games.len());
    games
}

fn read(root: &Path, game: String) -> Told {
    let budget = Budget {
        step_time: TIME,
        ..Budget::default()
    };
    let setup = Setup {
        game: game.clone(),
        ..Setup::default()
    };
    let content = Content::new(Sources::at(root), budget);
    let catalogue = content.catalogue(&setup).unwrap();
    let file = readme::find(&catalogue, &game, "README")
        .map_err(message)
        .unwrap();
    let (from, tables) = file.tables().map_err(message).unwrap();
    let lines = tables.lines().map(str::to_owned).collect();
    Told {
        game,
        content,
        setup,
        from,
        lines,
    }
}

fn message(problem: Problem) -> String {
    problem.message
}

impl Told {
    fn session(&self) -> Session {
        load_session(&self.content, &self.setup).map_err(message).unwrap()
    }
}

#[test]
fn the_tables_are_of_the_definitions_as_they_are() {
    for told in told() {
        assert_eq!(
            told.from,
            cards::from(&told.content.catalogue(&told.setup).unwrap()),
            "definitions of {0} have changed since its README's tables were made: \
             run `ludex solve {0} --cards --write README` with an optimised build",
            told.game
        );
    }
}

fn figures(line: &str) -> Vec<&str> {
    line.trim_matches('|').split(" | ").map(str::trim).collect()
}

/// Whether a sample may come to this where the whole comes to that.
fn fits(name: &str, sampled: &str, whole: &str) -> bool {
    let (Ok(part), Ok(all)) = (sampled.parse::<f64>(), whole.parse::<f64>()) else {
        return sampled == whole;
    };
    if name.ends_with("least") {
        part >= all
    } else if name.ends_with("most") {
        part <= all
    } else {
        // A few cases say little of the mean.
        (part - all).abs() < 3.0
    }
}

fn misfits(row: &Row, header: &str, line: &str) -> Vec<String> {
    let (names, whole) = (figures(header), figures(line));
    let sampled: Vec<(String, String)> = row.figures().collect();
    assert_eq!(names, sampled.iter().map(|(name, _)| name).collect::<Vec<_>>());
    assert_eq!(names.len(), whole.len(), "{line}");
    let told = sampled.iter().zip(whole);
    told.filter(|((name, part), all)| !fits(name, part, all))
        .map(|((name, part), all)| {
            format!(
                "{}, {name}: a sample comes to {part}, the table says {all}",
                row.id
            )
        })
        .collect()
}

/// Of every other row; all of them would take long where nothing is optimised.
#[test]
fn samples_agree_with_the_tables() {
    let sampled = |told: Told| {
        let mut session = told.session();
        let entries = cards::entries(&mut session).map_err(message).unwrap();
        let mut wrong = Vec::new();
        for (entry, line) in entries.iter().zip(&told.lines[2..]).step_by(2) {
            let row = cards::row(&mut session, "sample", entry)
                .map_err(message)
                .unwrap();
            wrong.extend(misfits(&row, &told.lines[0], line));
        }
        assert!(wrong.is_empty(), "{}:\n{}", told.game, wrong.join("\n"));
        assert!(
            told.lines.len() > entries.len() + 2,
            "{} lacks the rates of games",
            told.game
        );
    };
    std::thread::scope(|scope| {
        for told in told() {
            scope.spawn(move || sampled(told));
        }
    });
}

/// The check finds what it is for.
#[test]
fn figures_that_have_drifted_are_told() {
    let told = told().remove(0);
    let mut session = told.session();
    let entries = cards::entries(&mut session).map_err(message).unwrap();
    let row = cards::row(&mut session, "sample", &entries[0])
        .map_err(message)
        .unwrap();
    let (header, line) = (&told.lines[0], &told.lines[2]);
    let names = figures(header);
    assert_eq!(misfits(&row, header, line), [""; 0]);
    for (at, name) in names.iter().enumerate() {
        let mut drifted = figures(line);
        drifted[at] = match *name {
            name if name.ends_with("least") => "99",
            name if name.ends_with("most") => "-1",
            "mean" => "99.5",
            _ => "another text",
        };
        let wrong = misfits(&row, header, &format!("| {} |", drifted.join(" | ")));
        assert!(wrong.len() == 1 && wrong[0].contains(name), "{name}: {wrong:?}");
    }
}
