//! What library modules say of themselves, read from their comments.
use crate::pack::model::{Catalogue, Script};

/// A documented function of a module.
pub struct Function {
    /// `flow.steps`.
    pub name: String,
    /// The rest of its line: `(prefix: string): {...}`.
    pub signature: String,
    pub doc: Vec<String>,
}

/// A module of a library.
pub struct Module {
    /// `@std/flow`.
    pub id: String,
    pub doc: Vec<String>,
    pub functions: Vec<Function>,
}

/// The modules of all libraries, in order.
pub fn modules(catalogue: &Catalogue) -> Vec<Module> {
    // The libraries' own specs lie beside them as a pack.
    let ids: Vec<&str> = catalogue
        .libraries
        .iter()
        .map(|l| l.id.as_str())
        .filter(|id| *id != "tests")
        .collect();
    let ours = catalogue
        .scripts
        .iter()
        .filter(|(_, script)| ids.contains(&&*script.pack) && !script.test);
    ours.map(|(id, script)| module(id, script)).collect()
}

fn module(id: &str, script: &Script) -> Module {
    let mut module = Module {
        id: id.to_owned(),
        doc: Vec::new(),
        functions: Vec::new(),
    };
    let mut comment: Vec<String> = Vec::new();
    let mut at_head = true;
    let mut lines = script.source.lines();
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("---") {
            comment.push(text.strip_prefix(' ').unwrap_or(text).to_owned());
            continue;
        }
        if at_head {
            module.doc = std::mem::take(&mut comment);
            at_head = false;
        }
        if let Some(rest) = line.strip_prefix("function ") {
            let end = rest.find(['(', '<']).unwrap_or(rest.len());
            if !comment.is_empty() {
                let (name, signature) = rest.split_at(end);
                let mut signature = signature.trim_end().to_owned();
                // Its parameters may go over several lines.
                while signature.matches('(').count() > signature.matches(')').count() {
                    let Some(more) = lines.next() else { break };
                    let gap = if signature.ends_with('(') || more.trim_start().starts_with(')') {
                        ""
                    } else {
                        " "
                    };
                    signature = format!(
                        "{}{gap}{}",
                        signature.trim_end_matches(if gap.is_empty() { ',' } else { '\0' }),
                        more.trim()
                    );
                }
                let doc = std::mem::take(&mut comment);
                module.functions.push(Function {
                    name: name.to_owned(),
                    signature,
                    doc,
                });
            }
        }
        comment.clear();
    }
    module
}
