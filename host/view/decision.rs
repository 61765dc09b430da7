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
    let prompt = clean(&decision.prompt);
    let (first, rest) = prompt.split_once('\n').unwrap_or((&prompt, ""));
    text += first;
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
    let rest = rest.lines().map(|line| format!("\n  {line}"));
    text + &rest.collect::<String>()
}

/// The options, grouped, numbered in the order of the decision.
pub fn options(decision: &Decision, style: Style) -> String {
    let numbered = is_numbered(decision);
    let mut groups: Vec<Option<&str>> = Vec::new();
    for option in &decision.options {
        if !groups.contains(&option.group.as_deref()) {
            groups.push(option.group.as_deref());
        }
    }
    let mut out = String::new();
    for group in groups {
        let own = decision
            .options
            .iter()
            .enumerate()
            .filter(|(_, o)| o.group.as_deref() == group);
        let items: Vec<String> = own
            .map(|(at, option)| item(option, numbered.then_some(at + 1), style))
            .collect();
        let indent = if let Some(name) = group {
            out += &format!("  {}\n", style.paint("bold", &clean_line(name)));
            4
        } else {
            2
        };
        out += &columns(&items, indent, style);
    }
    out
}

fn item(option: &Choice, number: Option<usize>, style: Style) -> String {
    let key = clean_line(&option.key);
    let mut text = match number {
        Some(number) => format!("{} {key}", style.paint("bold", &format!("{number})"))),
        None => style.paint("bold", &key),
    };
    if option.label != option.key {
        text += &format!("  {}", clean_line(&option.label));
    }
    if let Some(seat) = &option.seat {
        text += &format!(" ({})", clean_line(seat));
    }
    text
}

/// Short items share lines; long ones get a line each.
fn columns(items: &[String], indent: usize, style: Style) -> String {
    let widest = items.iter().map(|item| visible(item)).max().unwrap_or(0);
    let room = style.width.saturating_sub(indent).max(10);
    let count = if items.len() > 4 {
        (room / (widest + 3)).max(1)
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
