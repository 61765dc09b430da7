//! An open decision as text: what is asked, and the options with the words that answer it.
use super::clean::{clean, clean_line};
use super::style::{Style, visible};
use crate::session::{Choice, Decision, Kind};

/// Whether options are answered by number: not where a key is itself a number.
pub fn is_numbered(decision: &Decision) -> bool {
    !decision
        .options
        .iter()
        .any(|option| option.key.parse::<f64>().is_ok())
}

/// The prompt with who is asked and how many options make an answer. Its further lines are indented: a pack's
/// text must not look like a prompt of Ludex.
pub fn prompt(decision: &Decision, seats: usize) -> String {
    let mut text = String::new();
    if seats > 1 {
        text += &format!("{}: ", clean_line(&decision.seats.join(" or ")));
    }
    let (first, rest) = lines(&decision.prompt);
    text += &first;
    let many = match decision.kind {
        Kind::One | Kind::Path => None,
        Kind::Some => Some(""),
        Kind::Ordered => Some(" in order"),
    };
    text += &many.map_or(String::new(), |many| match (decision.min, decision.max) {
        (low, high) if low == high => format!(" (choose {low}{many})"),
        (0, high) => format!(" (choose up to {high}{many}, or `none`)"),
        (low, high) => format!(" (choose {low} to {high}{many})"),
    });
    text + &rest
}

/// A prompt's first line, and the further ones, each after a line end and indented.
pub fn lines(prompt: &str) -> (String, String) {
    let prompt = clean(prompt);
    let (first, rest) = prompt.split_once('\n').unwrap_or((&prompt, ""));
    let rest = rest.lines().map(|line| format!("\n  {line}"));
    (first.to_owned(), rest.collect())
}

/// The options, grouped, numbered in the order of the decision. `is_new` says whether an option's detail is to be
/// shown; `whole` shows labels also where the key says enough.
pub fn options(decision: &Decision, style: Style, whole: bool, is_new: &dyn Fn(&Choice) -> bool) -> String {
    let numbered = is_numbered(decision);
    let mut groups: Vec<Option<&str>> = Vec::new();
    for option in &decision.options {
        if !groups.contains(&option.group.as_deref()) {
            groups.push(option.group.as_deref());
        }
    }
    let mut out = String::new();
    for group in groups {
        let own = decision.options.iter().enumerate();
        let own: Vec<(usize, &Choice)> = own.filter(|(_, o)| o.group.as_deref() == group).collect();
        let name = group.map(|name| style.paint("bold", &clean_line(name)));
        let is_brief =
            |option: &Choice| option.brief && !whole && !(option.detail.is_some() && is_new(option));
        let items = own.iter().map(|(at, option)| {
            let detail = option.detail.as_deref().filter(|_| is_new(option));
            item(
                option,
                numbered.then_some(at + 1),
                style,
                is_brief(option),
                detail,
            )
        });
        let items: Vec<String> = items.collect();
        let brief: Vec<bool> = own.iter().map(|(_, option)| is_brief(option)).collect();
        match name {
            Some(name) if brief.iter().all(|brief| *brief) => {
                out += &packed(&format!("  {name}:"), &items, style);
            }
            name => {
                let indent = if name.is_some() { 4 } else { 2 };
                out += &name.map_or(String::new(), |name| format!("  {name}\n"));
                let mut left = &items[..];
                for run in brief.chunk_by(|a, b| a == b) {
                    let (now, rest) = left.split_at(run.len());
                    left = rest;
                    out += &if run[0] {
                        packed(&" ".repeat(indent - 2), now, style)
                    } else {
                        columns(now, indent, style)
                    };
                }
            }
        }
    }
    out
}

fn item(
    option: &Choice,
    number: Option<usize>,
    style: Style,
    is_brief: bool,
    detail: Option<&str>,
) -> String {
    let key = clean_line(&option.key);
    let mut text = match number {
        Some(number) => format!("{} {key}", style.paint("bold", &format!("{number})"))),
        None => style.paint("bold", &key),
    };
    if option.label != option.key && !is_brief {
        text += &format!("  {}", clean_line(&option.label));
    }
    if let Some(detail) = detail {
        text += &format!(": {}", clean_line(detail));
    }
    if let Some(seat) = &option.seat {
        text += &format!(" ({})", clean_line(seat));
    }
    text
}

/// Items in a row behind a heading, in as many lines as they take.
fn packed(heading: &str, items: &[String], style: Style) -> String {
    let mut out = heading.to_owned();
    let mut column = visible(heading);
    for item in items {
        let width = visible(item) + 2;
        if column + width > style.width && column > 4 {
            out += "\n    ";
            column = 4;
        }
        out += &format!("  {item}");
        column += width;
    }
    out.push('\n');
    out
}

/// Short items share lines; long ones get a line each.
fn columns(items: &[String], indent: usize, style: Style) -> String {
    let widest = items.iter().map(|item| visible(item)).max().unwrap_or(0);
    let room = style.width.saturating_sub(indent).max(10);
    let count = if items.len() > 2 {
        ((room + 3) / (widest + 3)).max(1)
    } else {
        1
    };
    let mut out = String::new();
    for row in items.chunks(count) {
        let mut line = " ".repeat(indent);
        for item in row {
            line += item;
            line += &" ".repeat((widest + 3).saturating_sub(visible(item)));
        }
        let line = line.trim_end();
        out += &if count == 1 {
            style.wrap(line, indent + 4)
        } else {
            line.to_owned()
        };
        out.push('\n');
    }
    out
}
