//! References between definitions: `id`, `kind/id`, `pack:id` or `pack:kind/id`.
use super::diagnostic::Diagnostic;
use super::kinds::Drafts;
use super::names;
use super::node::{Data, Node};
use super::read::Reading;
use super::schema::{each_object, find, kind_names, locate};

/// A reference taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'a> {
    pub pack: Option<&'a str>,
    pub kind: Option<&'a str>,
    pub id: &'a str,
}

/// Takes a reference apart; whether it leads anywhere is another question.
pub fn parse(text: &str) -> Reference<'_> {
    let (pack, rest) = match text.split_once(':') {
        Some((pack, rest)) => (Some(pack), rest),
        None => (None, text),
    };
    match rest.split_once('/') {
        Some((kind, id)) => Reference {
            pack,
            kind: Some(kind),
            id,
        },
        None => Reference {
            pack,
            kind: None,
            id: rest,
        },
    }
}

/// Checks that the kinds that a schema's `x-ref` names are there.
pub fn check_kinds(drafts: &Drafts, reading: &mut Reading) {
    for draft in drafts.values() {
        let Some(schema) = &draft.schema else { continue };
        let mut unknown = Vec::new();
        each_object(schema.root(), "", &mut |pointer, map| {
            for kind in map.get("x-ref").into_iter().flat_map(kind_names) {
                if !drafts.contains_key(kind) {
                    unknown.push((format!("{pointer}/x-ref"), kind.to_owned()));
                }
            }
        });
        let Some(source) = reading.files.get(draft.file) else {
            continue;
        };
        for (pointer, kind) in unknown {
            let message = format!("`x-ref` names the kind `{kind}`, and there is none");
            let problem =
                Diagnostic::in_text(source, "unknown-kind", locate(&source.text, &pointer), message);
            let help = names::did_you_mean(&kind, drafts.keys().map(String::as_str));
            reading.problems.push(problem.maybe_help(help));
        }
    }
}

/// Checks every value that a schema marks with `x-ref`.
pub fn check(drafts: &Drafts, reading: &mut Reading) {
    for draft in drafts.values() {
        for entry in &draft.entries {
            for mark in &entry.marks.refs {
                let Some(found) = find(&entry.node, &mark.pointer) else {
                    continue;
                };
                match &found.node.data {
                    Data::List(items) => items
                        .iter()
                        .for_each(|item| one(drafts, reading, item, &mark.names)),
                    _ => one(drafts, reading, found.node, &mark.names),
                }
            }
        }
    }
}

fn one(drafts: &Drafts, reading: &mut Reading, node: &Node, kinds: &[String]) {
    let Some(text) = node.text() else { return };
    if let Err((message, help)) = resolve(drafts, text, kinds) {
        let problem = Diagnostic::at(&reading.files, "broken-reference", node.place, message);
        reading.problem(problem.maybe_help(help));
    }
}

fn resolve(drafts: &Drafts, text: &str, kinds: &[String]) -> Result<(), (String, Option<String>)> {
    let reference = parse(text);
    if let Some(kind) = reference.kind
        && !kinds.iter().any(|known| known == kind)
    {
        let message = format!(
            "`{text}` leads to `{kind}`, and a reference to {} belongs here",
            names::either(kinds.iter().map(String::as_str))
        );
        return Err((
            message,
            names::nearest(kind, kinds.iter().map(String::as_str))
                .map(|near| format!("did you mean `{near}/{}`?", reference.id)),
        ));
    }
    let wanted: Vec<&str> = match reference.kind {
        Some(kind) => vec![kind],
        None => kinds.iter().map(String::as_str).collect(),
    };
    let all = || {
        wanted
            .iter()
            .filter_map(|kind| drafts.get(*kind))
            .flat_map(|draft| &draft.entries)
    };
    let here = all().filter(|entry| reference.pack.is_none_or(|pack| pack == entry.pack));
    if here.clone().any(|entry| entry.id == reference.id) {
        return Ok(());
    }
    let noun = names::either(wanted.iter().copied());
    match all().find(|entry| entry.id == reference.id) {
        Some(entry) => {
            let message = format!(
                "`{}` isn't in the pack `{}`",
                reference.id,
                reference.pack.unwrap_or_default()
            );
            Err((message, Some(format!("it is in `{}`", entry.pack))))
        }
        None => {
            let message = format!("there is no `{}` among {noun}", reference.id);
            Err((
                message,
                names::did_you_mean(reference.id, here.map(|entry| entry.id.as_str())),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_four_forms() {
        let parts = |text| {
            let Reference { pack, kind, id } = parse(text);
            (pack, kind, id)
        };
        assert_eq!(parts("gate"), (None, None, "gate"));
        assert_eq!(parts("cards/gate"), (None, Some("cards"), "gate"));
        assert_eq!(parts("ember:gate"), (Some("ember"), None, "gate"));
        assert_eq!(parts("ember:cards/gate"), (Some("ember"), Some("cards"), "gate"));
    }
}
