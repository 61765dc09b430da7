//! JSON pointers: into a located table, into a schema, and into a schema's text.
use serde_json::Value as Json;

use crate::pack::node::{Data, Node, Pair};

/// What a pointer leads to.
pub struct Found<'a> {
    pub node: &'a Node,
    /// The key that holds the value, if a table does.
    pub pair: Option<&'a Pair>,
    /// `ability.scorch.reach`, `tags[2]`: the way to it in words; items go by their id if they have one.
    pub path: String,
}

/// The parts of a pointer, unescaped.
pub fn parts(pointer: &str) -> impl Iterator<Item = String> {
    pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
}

/// Follows a pointer through a located table.
pub fn find<'a>(root: &'a Node, pointer: &str) -> Option<Found<'a>> {
    let mut found = Found {
        node: root,
        pair: None,
        path: String::new(),
    };
    for part in parts(pointer) {
        match &found.node.data {
            Data::Table(_) => {
                let pair = found.node.pair(&part)?;
                let dot = if found.path.is_empty() { "" } else { "." };
                found.path = format!("{}{dot}{part}", found.path);
                (found.node, found.pair) = (&pair.value, Some(pair));
            }
            Data::List(items) => {
                let index: usize = part.parse().ok()?;
                let item = items.get(index)?;
                found.path = match item.get("id").and_then(Node::text) {
                    Some(id) => format!("{}.{id}", found.path),
                    None => format!("{}[{}]", found.path, index + 1),
                };
                (found.node, found.pair) = (item, None);
            }
            _ => return None,
        }
    }
    Some(found)
}

/// The pointer without its last part.
pub fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The bytes of the value that a pointer leads to in a JSON text; of its nearest holder if it isn't there.
pub fn locate(text: &str, pointer: &str) -> std::ops::Range<usize> {
    let mut scan = Scan {
        text: text.as_bytes(),
        at: 0,
    };
    scan.space();
    for part in parts(pointer) {
        let holder = scan.at;
        if !scan.enter(&part) {
            scan.at = holder;
            break;
        }
    }
    let start = scan.at;
    scan.value();
    start..scan.at.max(start + 1).min(text.len().max(start))
}

/// A walk over JSON that is known to be well formed.
struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Moves from a holder to the value of one of its keys or indices.
    fn enter(&mut self, part: &str) -> bool {
        let is_map = match self.text.get(self.at) {
            Some(b'{') => true,
            Some(b'[') => false,
            _ => return false,
        };
        self.at += 1;
        for index in 0.. {
            self.space();
            if matches!(self.text.get(self.at), None | Some(b'}' | b']')) {
                return false;
            }
            let key = if is_map {
                let start = self.at;
                self.value();
                let key = serde_json::from_slice::<String>(&self.text[start..self.at]).unwrap_or_default();
                self.space();
                self.at += 1; // the colon
                self.space();
                key
            } else {
                index.to_string()
            };
            if key == part {
                return true;
            }
            self.value();
            self.space();
            if self.text.get(self.at) == Some(&b',') {
                self.at += 1;
            }
        }
        false
    }

    /// Moves past a value.
    fn value(&mut self) {
        let mut stream = serde_json::Deserializer::from_slice(&self.text[self.at..]).into_iter::<Json>();
        if stream.next().is_some_and(|value| value.is_ok()) {
            self.at += stream.byte_offset();
        } else {
            self.at = self.text.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_finds_its_text() {
        let text = r#"{ "a": [1, {"b/c": "x"}], "d": true }"#;
        let at = |pointer| &text[locate(text, pointer)];
        assert_eq!(at("/a/1/b~1c"), "\"x\"");
        assert_eq!(at("/d"), "true");
        assert_eq!(at("/a/7"), r#"[1, {"b/c": "x"}]"#);
    }
}
