//! `ludex solve GAME --cards`: what a game's solver measures of its entries and of whole games, as tables in a README.
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::game::Progress;
use super::trials::{Rate, rates};
use super::{Args, Format, load_session, text_of};
use crate::cli::common::Problem;
use crate::cli::out;
use crate::pack::kept;
use crate::pack::model::Catalogue;
use crate::pack::names;
use crate::session::recording::Setup;
use crate::session::{Content, Session};
use crate::tabletop::Value;
use crate::view::clean_line;

/// A table of all layouts may take this long, also where nothing is optimised.
pub const TIME: Duration = Duration::from_secs(3600);

/// What one entry comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub id: String,
    columns: Vec<(String, Figure)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Figure {
    Number(f64),
    Text(String),
}

impl Figure {
    fn text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            // A bar would end the column.
            Self::Text(text) => clean_line(text).replace('|', "\\|"),
        }
    }

    fn json(&self) -> Json {
        match self {
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
        }
    }
}

impl Row {
    fn read(id: &str, value: &Value) -> Option<Self> {
        let Value::List(items) = value else { return None };
        let column = |item: &Value| {
            let Value::Map(map) = item else { return None };
            let figure = match map.get("value")? {
                Value::Number(number) => Figure::Number(*number),
                Value::Text(text) => Figure::Text(text.to_string()),
                _ => return None,
            };
            Some((text_of(map.get("name")?)?, figure))
        };
        Some(Self {
            id: id.to_owned(),
            columns: items.iter().map(column).collect::<Option<_>>()?,
        })
    }
}

pub fn solve(args: &Args, chosen: &[String], content: &Content, setup: &Setup) -> Result<ExitCode, Problem> {
    let catalogue = content
        .catalogue(setup)
        .map_err(crate::cli::setup::load_problem)?;
    let mut session = load_session(content, setup)?;
    let all = entries(&mut session)?;
    for id in chosen {
        if !all.contains(id) {
            let help = names::did_you_mean(id, all.iter().map(String::as_str)).unwrap_or_default();
            return Err(Problem::wrong_use(format!(
                "--cards={id}: `{}` has no such card; {help}",
                args.game
            )));
        }
    }
    let file = match &args.write {
        Some(_) if !chosen.is_empty() => {
            return Err(Problem::wrong_use(
                "--write takes the tables of all cards: write --cards without names",
            ));
        }
        Some(name) => Some(super::readme::find(&catalogue, &args.game, name)?),
        None => None,
    };
    let mut told = Progress::default();
    let mut rows = Vec::new();
    for (number, id) in all.iter().enumerate() {
        if !chosen.is_empty() && !chosen.contains(id) {
            continue;
        }
        told.tell(&format!("card {} of {}: {id}", number + 1, all.len()));
        rows.push(row(&mut session, "measure", id)?);
    }
    drop(session);
    let rates = if chosen.is_empty() {
        rates(content, setup, &catalogue, &mut told)?
    } else {
        Vec::new()
    };
    told.clear();
    let text = text(&rows, &rates);
    if let Some(file) = file {
        let changed = file.write(&from(&catalogue), &text)?;
        let done = if changed { "written" } else { "unchanged" };
        out::line(&format!("{}: {done}", file.path.display()));
    } else if args.format == Format::Json {
        out::line(&json(&args.game, &rows, &rates).to_string());
    } else {
        out::print(&text);
    }
    Ok(ExitCode::SUCCESS)
}

/// What the solver can measure.
pub fn entries(session: &mut Session) -> Result<Vec<String>, Problem> {
    let found = session.program().solve("entries", "").map_err(Problem::failed)?;
    let ids = match &found {
        Value::List(items) => items.iter().map(text_of).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    ids.ok_or_else(|| Problem::failed("`entries` of rules/solve.luau must return a list of ids"))
}

/// What the solver says of one entry, asked `measure` or `sample`.
pub fn row(session: &mut Session, question: &str, id: &str) -> Result<Row, Problem> {
    let found = session.program().solve(question, id).map_err(Problem::failed)?;
    Row::read(id, &found).ok_or_else(|| {
        Problem::failed(format!(
            "`{question}` of rules/solve.luau must return a list of {{ name =, value = }} with numbers or texts"
        ))
    })
}

/// The definitions that the figures rest on, as a short hash: who changes one sees that the tables are old.
pub fn from(catalogue: &Catalogue) -> String {
    let mut text = String::new();
    for kind in catalogue.kinds.values() {
        for entry in &kind.entries {
            text += &format!("{}/{} {}\n", kind.name, entry.id, entry.data);
        }
    }
    format!("{:08x}", kept::key(&text) as u32)
}

/// The tables in Markdown.
fn text(rows: &[Row], rates: &[Rate]) -> String {
    let mut text = String::new();
    if let Some(first) = rows.first() {
        let names: Vec<String> = first.columns.iter().map(|(name, _)| clean_line(name)).collect();
        let is_number = |figure: &Figure| matches!(figure, Figure::Number(_));
        let rule: Vec<&str> = first
            .columns
            .iter()
            .map(|(_, figure)| if is_number(figure) { "---:" } else { "---" })
            .collect();
        text += &format!("| {} |\n| {} |\n", names.join(" | "), rule.join(" | "));
        for row in rows {
            let figures: Vec<String> = row.columns.iter().map(|(_, figure)| figure.text()).collect();
            text += &format!("| {} |\n", figures.join(" | "));
        }
    }
    if let Some(first) = rates.first() {
        text += &format!(
            "\n| {} | {} of {} games (seeds 1 to {}) |\n| --- | ---: |\n",
            first.option, first.result, first.games, first.games
        );
        for rate in rates {
            text += &format!("| {} | {} |\n", rate.value, rate.count);
        }
    }
    text
}

fn json(game: &str, rows: &[Row], rates: &[Rate]) -> Json {
    let row = |row: &Row| {
        let columns: Vec<Json> = row
            .columns
            .iter()
            .map(|(name, figure)| json!({"name": name, "value": figure.json()}))
            .collect();
        json!({"id": row.id, "columns": columns})
    };
    let rate = |rate: &Rate| json!({"option": rate.option, "value": rate.value, "result": rate.result, "count": rate.count, "games": rate.games});
    json!({
        "game": game,
        "cards": rows.iter().map(row).collect::<Vec<_>>(),
        "rates": rates.iter().map(rate).collect::<Vec<_>>(),
    })
}
