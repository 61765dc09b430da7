//! `ludex replay`: a recording once more, every segment whose content is at hand.
use std::path::PathBuf;
use std::process::ExitCode;

use super::common::{Places, Problem, typed};
use super::setup::load_problem;
use super::{FAILED, out};
use crate::session::damage::{remedy, shortened};
use crate::session::recording::{Line, Recording, Segment, stamps_of};
use crate::session::replay::{Course, open, replay};
use crate::session::resume::changes;
use crate::session::run::Status;
use crate::session::{Content, Session};
use crate::view::decision::lines;
use crate::view::{clean, clean_line};

/// Play a recording once more: tell its course, or verify that it goes as recorded.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  ludex play rove-modules --save game.ludex\n  ludex replay game.ludex            tell the course: answers and log\n  ludex replay game.ludex --verify   compare the state after every answer"
)]
pub struct Args {
    /// The recording.
    #[arg(value_parser = typed())]
    file: PathBuf,
    /// Compare the state's hash after every answer; tell only where it differs (status 1, also if there was nothing to
    /// compare)
    #[arg(long)]
    verify: bool,
    #[command(flatten)]
    places: Places,
}

/// What became of a segment.
enum Outcome {
    AsRecorded(Course),
    Differs(String),
    Unchecked(Vec<String>),
}

pub fn run(args: &Args) -> ExitCode {
    match replay_all(args) {
        Ok(code) => code,
        Err(problem) => out::fail(problem.status, problem.message),
    }
}

fn replay_all(args: &Args) -> Result<ExitCode, Problem> {
    let recording = Recording::read(&args.file).map_err(Problem::wrong_use)?;
    let mut content = args.places.content()?;
    for folder in args.places.folders()? {
        content.sources = content.sources.with_pack(folder);
    }
    let (mut checked, mut wrong, mut compared, mut uncompared) = (0, 0, 0, 0);
    let segments = recording.segments();
    let all = segments.len();
    let mut at = 0;
    for (number, (segment, lines)) in segments.into_iter().enumerate() {
        let place = recording.number(at);
        at += 1 + lines.len();
        let name = format!(
            "segment {} ({})",
            number + 1,
            clean_line(&shortened(&segment.reason))
        );
        if !args.verify {
            let setup = &segment.setup;
            out::line(&format!(
                "{name}: {}, seed {}",
                clean_line(&shortened(&setup.game)),
                setup.seed
            ));
        }
        match check(&content, segment, lines, place, !args.verify) {
            Outcome::AsRecorded(course) => {
                checked += 1;
                // To undo, to concede and the end have states to compare too.
                uncompared += course.uncompared;
                let states = lines.iter().filter(|line| !matches!(line, Line::State(_)));
                compared += states.count() - course.uncompared;
                let beside = match course.uncompared {
                    0 => String::new(),
                    1 => "; 1 not compared, since a limit ended its step".into(),
                    n => format!("; {n} not compared, since a limit ended their steps"),
                };
                out::line(&format!(
                    "{name}: {}, as recorded{beside}",
                    out::count(course.answers, "answer")
                ));
            }
            Outcome::Differs(what) => {
                checked += 1;
                wrong += 1;
                out::line(&format!(
                    "{name}: differs first at {}",
                    clean(&what).replace('\n', "\n  ")
                ));
            }
            Outcome::Unchecked(why) => {
                out::line(&format!("{name}: can't be checked:"));
                for line in why {
                    out::line(&format!("  {}", clean_line(&shortened(&line))));
                }
            }
        }
    }
    let unchecked = all - checked;
    if args.verify && wrong == 0 && compared == 0 {
        let why = match unchecked {
            0 if uncompared > 0 => "a limit ended the step of every answer".into(),
            0 => "no answer is recorded".into(),
            _ if checked == 0 => "no segment can be checked".into(),
            _ => format!(
                "{unchecked} of {all} segments can't be checked, and no answer is recorded in the others"
            ),
        };
        let file = clean_line(&args.file.display().to_string());
        return Err(Problem::failed(format!("{file}: nothing was verified: {why}")));
    }
    if args.verify && unchecked > 0 {
        out::line(&format!(
            "{unchecked} of {} can't be checked",
            out::count(all, "segment")
        ));
    }
    Ok(if wrong > 0 || checked == 0 {
        FAILED.into()
    } else {
        ExitCode::SUCCESS
    })
}

/// `place` is the number of the segment's line.
fn check(content: &Content, segment: &Segment, lines: &[Line], place: usize, tell: bool) -> Outcome {
    let text = |problem: String| Outcome::Unchecked(problem.lines().map(str::to_owned).collect());
    let catalogue = match content.catalogue(&segment.setup) {
        Ok(catalogue) => catalogue,
        Err(error) => return text(load_problem(error).message),
    };
    let packs = changes(&segment.packs, &stamps_of(&catalogue));
    if !packs.is_empty() {
        return Outcome::Unchecked(packs.iter().map(ToString::to_string).collect());
    }
    let program = match content.program(&catalogue, &segment.setup) {
        Ok(program) => program,
        Err(error) => return text(error.to_string()),
    };
    let mut session = match open(&segment.state, program) {
        Ok((session, notes)) if notes.is_empty() => session,
        // The content is what it was: nothing was to be brought along, and what doesn't fit was changed in the file.
        Ok((_, notes)) => {
            let notes: Vec<String> = notes.into_iter().map(|note| note.0).collect();
            return Outcome::Differs(format!("its start: {}", notes.join("; ")));
        }
        Err(mut damages) => {
            damages.insert(0, format!("line {place} is damaged; {}:", remedy(place)));
            return Outcome::Unchecked(damages);
        }
    };
    let mut shown = session.tabletop().log().len();
    let mut below = String::new();
    let told = replay(&mut session, lines, true, |session, line| {
        if tell {
            tell_log(session, &mut shown);
            tell_line(session, line, &mut below);
        }
    });
    if tell {
        tell_log(&session, &mut shown);
    }
    match told {
        Ok(course) => Outcome::AsRecorded(course),
        Err(difference) => Outcome::Differs(difference.to_string()),
    }
}

fn tell_log(session: &Session, shown: &mut usize) {
    let log = session.tabletop().log();
    for line in &log[(*shown).min(log.len())..] {
        out::line(&format!("    {}", clean_line(&line.text)));
    }
    *shown = log.len();
}

/// `below` is what stood below the last prompt's first line: told again only where it has changed.
fn tell_line(session: &mut Session, line: &Line, below: &mut String) {
    match line {
        Line::Answer { seat, answer, .. } => {
            let (prompt, rest) = session.decision().map(|d| lines(&d.prompt)).unwrap_or_default();
            let answer = if answer.is_empty() {
                "none".into()
            } else {
                clean_line(&answer.join(" "))
            };
            let picture = if rest == *below {
                String::new()
            } else {
                rest.replace('\n', "\n    ")
            };
            out::line(&format!("  {}: {prompt}: {answer}{picture}", clean_line(seat)));
            *below = rest;
        }
        Line::Undo { count, free, .. } => {
            let free = if *free { " (over dice or seen cards)" } else { "" };
            out::line(&format!("  undo {count}{free}"));
        }
        Line::Concede { seat, .. } => out::line(&format!("  {} concedes", clean_line(seat))),
        Line::End { result, .. } => out::line(&format!("  the end: {}", clean_line(result))),
        Line::State(_) | Line::Segment(_) => {}
    }
    if let Status::Failed(error) = session.status() {
        out::line(&format!(
            "  the step has failed: {}",
            clean_line(&error.to_string())
        ));
    }
}
