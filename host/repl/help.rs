//! `:help`: commands, API functions from their records, library modules from their comments.
use super::commands::COMMANDS;
use super::library::{self, Module};
use super::topics;
use crate::pack::model::Catalogue;
use crate::script::api::{Record, documented};
use crate::script::vm::hint;
use crate::view::Style;

/// The help for a name; the list of commands for none.
pub fn text(catalogue: &Catalogue, name: &str, style: Style) -> Result<String, String> {
    if name.is_empty() {
        return Ok(overview(catalogue, style));
    }
    let command = |name: &str| COMMANDS.iter().find(|(command, ..)| *command == name);
    let told = |(command, arguments, doc): &(&str, &str, &str)| {
        format!("{}\n  {doc}\n", format!(":{command} {arguments}").trim_end())
    };
    if let Some(found) = name.strip_prefix(':').and_then(command) {
        return Ok(told(found));
    }
    if let Some(record) = documented().find(|record| record.name == name) {
        return Ok(record_text(record, style));
    }
    let members: Vec<&Record> = documented()
        .filter(|r| table_of(r).is_some_and(|table| table == name))
        .collect();
    if !members.is_empty() {
        return Ok(members
            .iter()
            .map(|r| format!("{}{}\n", r.name, r.signature))
            .collect());
    }
    if let Some(topic) = topics::text(catalogue, name, style) {
        return Ok(topic + &command(name).map_or(String::new(), told));
    }
    let modules = library::modules(catalogue);
    let short = |module: &Module| module.id.rsplit('/').next().unwrap_or_default().to_owned();
    if let Some(module) = modules.iter().find(|m| m.id == name || short(m) == name) {
        return Ok(module_text(module, style));
    }
    if let Some(found) = command(name) {
        return Ok(told(found));
    }
    for module in &modules {
        if let Some(function) = module.functions.iter().find(|f| f.name == name) {
            let doc = paragraphs(&function.doc, style);
            return Ok(format!(
                "{}{}    (in {})\n{doc}",
                function.name, function.signature, module.id
            ));
        }
    }
    if let Some(rule) = catalogue.rules.get(name) {
        return Ok(style.wrap(&format!("{}: {}\n", rule.id, rule.text), 2));
    }
    let functions = modules
        .iter()
        .flat_map(|m| m.functions.iter().map(|f| f.name.clone()));
    let known: Vec<String> = names()
        .chain(modules.iter().map(|m| m.id.clone()))
        .chain(functions)
        .collect();
    Err(format!(
        "error: there is no help for `{name}`{}\n",
        hint(name, known.iter().map(String::as_str))
    ))
}

/// Everything that help is there for, besides libraries.
pub fn names() -> impl Iterator<Item = String> {
    let tables = documented().filter_map(table_of).map(str::to_owned);
    let commands = COMMANDS.iter().map(|(name, ..)| (*name).to_owned());
    let functions = documented().map(|r| r.name.to_owned());
    tables.chain(functions).chain(topics::names()).chain(commands)
}

fn table_of(record: &'static Record) -> Option<&'static str> {
    record.name.split_once(['.', ':']).map(|(table, _)| table)
}

fn overview(catalogue: &Catalogue, style: Style) -> String {
    let mut text = String::from(
        "A line of Luau runs as a step may; an expression prints its value. `name = value` makes a variable.\n",
    );
    for (name, arguments, doc) in COMMANDS {
        text += &format!("  {:<16} {doc}\n", format!(":{name} {arguments}"));
    }
    let mut tables: Vec<&str> = documented().filter_map(table_of).collect();
    tables.dedup();
    let plain = documented().filter(|r| table_of(r).is_none()).map(|r| r.name);
    let api: Vec<&str> = tables.into_iter().chain(plain).chain(topics::GLOBALS).collect();
    text += &style.wrap(&format!("API (`:help NAME`): {}\n", api.join(", ")), 2);
    let modules: Vec<String> = library::modules(catalogue).into_iter().map(|m| m.id).collect();
    if !modules.is_empty() {
        text += &style.wrap(&format!("Libraries: {}\n", modules.join(", ")), 2);
    }
    text
}

fn record_text(record: &Record, style: Style) -> String {
    let example: String = record
        .example
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect();
    format!(
        "{}{}\n{}{example}",
        record.name,
        record.signature,
        style.wrap(&format!("  {}\n", record.doc), 2)
    )
}

fn module_text(module: &Module, style: Style) -> String {
    let mut text = format!("{}\n{}", module.id, paragraphs(&module.doc, style));
    for function in &module.functions {
        text += &format!("  {}{}\n", function.name, function.signature);
    }
    text
}

/// A doc comment, indented, its fenced examples further; the fences are left out.
fn paragraphs(doc: &[String], style: Style) -> String {
    let mut text = String::new();
    let mut prose = String::new();
    let mut fenced = false;
    let flush = |prose: &mut String, text: &mut String| {
        if !prose.is_empty() {
            *text += &style.wrap(&format!("  {}\n", prose.trim_end()), 2);
            prose.clear();
        }
    };
    for line in doc {
        if line.trim_start().starts_with("```") {
            flush(&mut prose, &mut text);
            fenced = !fenced;
        } else if fenced {
            text += &format!("    {line}\n");
        } else if line.trim().is_empty() {
            flush(&mut prose, &mut text);
        } else {
            prose += line.trim();
            prose.push(' ');
        }
    }
    flush(&mut prose, &mut text);
    text
}
