//! The tables in the games' READMEs are those of the definitions as they are.
use super::cards::{self, Row, TIME};
use super::{load_session, readme};
use crate::pack::Sources;
use crate::script::vm::Budget;
use crate::session::Content;
use crate::session::recording::Setup;

const GAMES: [&str; 2] = ["aqua-rove", "rove-modules"];

fn game(id: &str) -> (Content, Setup) {
    let budget = Budget {
        step_time: TIME,
        ..Budget::default()
    };
    let setup = Setup {
        game: id.to_owned(),
        ..Setup::default()
    };
    (
        Content::new(Sources::at(env!("CARGO_MANIFEST_DIR")), budget),
        setup,
    )
}

/// The hash and the lines that stand in a game's README.
fn kept(content: &Content, setup: &Setup) -> (String, Vec<String>) {
    let catalogue = content.catalogue(setup).unwrap();
    let file = readme::find(&catalogue, &setup.game, "README").unwrap();
    let (from, tables) = file.tables().unwrap();
    (from, tables.lines().map(str::to_owned).collect())
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split(" | ").map(str::trim).collect()
}

#[test]
fn the_tables_are_of_the_definitions_as_they_are() {
    for id in GAMES {
        let (content, setup) = game(id);
        let (from, _) = kept(&content, &setup);
        assert_eq!(
            from,
            cards::from(&content.catalogue(&setup).unwrap()),
            "definitions of {id} have changed since its README's tables were made: \
             run `ludex solve {id} --cards --write README` with an optimised build"
        );
    }
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
    let (names, whole) = (cells(header), cells(line));
    let sampled: Vec<(String, String)> = row.cells().collect();
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

/// Every other row; all of them would take long where nothing is optimised.
fn samples_agree(id: &str) {
    let (content, setup) = game(id);
    let (_, lines) = kept(&content, &setup);
    let told = |problem: crate::cli::common::Problem| problem.message;
    let mut session = load_session(&content, &setup).map_err(told).unwrap();
    let entries = cards::entries(&mut session).map_err(told).unwrap();
    let mut wrong = Vec::new();
    for (entry, line) in entries.iter().zip(&lines[2..]).step_by(2) {
        let row = cards::row(&mut session, "sample", entry).map_err(told).unwrap();
        wrong.extend(misfits(&row, &lines[0], line));
    }
    assert!(wrong.is_empty(), "{id}:\n{}", wrong.join("\n"));
    assert!(lines.len() > entries.len() + 2, "{id} lacks the rates of games");
}

#[test]
fn samples_of_aqua_rove_agree_with_its_table() {
    samples_agree("aqua-rove");
}

#[test]
fn samples_of_rove_modules_agree_with_its_table() {
    samples_agree("rove-modules");
}

/// The check finds what it is for.
#[test]
fn a_figure_that_has_drifted_is_told() {
    let (content, setup) = game("aqua-rove");
    let (_, lines) = kept(&content, &setup);
    let mut session = load_session(&content, &setup)
        .map_err(|problem| problem.message)
        .unwrap();
    let row = cards::row(&mut session, "sample", "spiral")
        .map_err(|problem| problem.message)
        .unwrap();
    let at = lines
        .iter()
        .position(|line| line.starts_with("| Spiral |"))
        .expect("its row");
    let drifted = lines[at]
        .replacen(" | 5 | ", " | 3 | ", 1)
        .replace("slide E W", "slide N S");
    assert_eq!(
        misfits(&row, &lines[0], &drifted),
        [
            "spiral, most: a sample comes to 4, the table says 3",
            "spiral, movement: a sample comes to 2, Rudder + Gadget, slide E W, push N S, the table says 2, Rudder + Gadget, slide N S, push N S",
        ]
    );
}
