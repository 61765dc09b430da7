//! The state hash: equal states of two sessions, processes or machines hash alike.
use xxhash_rust::xxh3::Xxh3;

use super::agenda::Step;
use super::state::Tabletop;
use super::unit::Place;
use super::{Space, Value};

/// Feeds a hash with contents only: never an index that depends on loading order, never an address.
pub(super) struct Sink(Xxh3);

impl Sink {
    pub(super) fn new() -> Self {
        Self(Xxh3::new())
    }

    fn byte(&mut self, byte: u8) {
        self.0.update(&[byte]);
    }

    fn int(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.int(text.len() as u64);
        self.0.update(text.as_bytes());
    }

    fn space(&mut self, s: Space) {
        self.byte(s.board);
        self.0.update(&s.q.to_le_bytes());
        self.0.update(&s.r.to_le_bytes());
    }

    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::Nil => self.byte(0),
            Value::Bool(b) => self.byte(1 + u8::from(*b)),
            Value::Number(n) => {
                self.byte(3);
                // -0 and 0 are one number.
                self.int(if *n == 0.0 { 0 } else { n.to_bits() });
            }
            Value::Text(t) => {
                self.byte(4);
                self.text(t);
            }
            Value::Space(s) => {
                self.byte(5);
                self.space(*s);
            }
            Value::Unit(u) => {
                self.byte(6);
                self.int(u64::from(*u));
            }
            Value::List(items) => {
                self.byte(7);
                self.int(items.len() as u64);
                items.iter().for_each(|v| self.value(v));
            }
            Value::Map(map) => {
                self.byte(8);
                self.int(map.len() as u64);
                for (key, value) in map.iter() {
                    self.text(key);
                    self.value(value);
                }
            }
        }
    }

    pub(super) fn step(&mut self, step: &Step) {
        self.text(&step.name);
        self.int(step.arguments.len() as u64);
        for (key, value) in &step.arguments {
            self.text(key);
            self.value(value);
        }
    }

    pub(super) fn finish(self) -> u64 {
        self.0.digest()
    }
}

impl Tabletop {
    /// The hash of the whole state: units, piles, streams, fields of spaces, agenda, log and result.
    pub fn hash(&self) -> u64 {
        let mut sink = Sink::new();
        sink.int(self.seed);
        self.hash_units(&mut sink);
        for (pile, decl) in self.piles.iter().zip(&self.declared.piles) {
            sink.text(&decl.name);
            sink.byte(pile.visibility as u8);
            sink.int(pile.units.len() as u64);
            pile.units.iter().for_each(|u| sink.int(u64::from(*u)));
        }
        for (stream, name) in self.streams.iter().zip(&self.declared.streams) {
            sink.text(name);
            let (key, drawn) = stream.state();
            sink.0.update(&key);
            sink.int(drawn);
        }
        let mut spaces: Vec<_> = self.space_fields.iter().collect();
        spaces.sort_unstable_by_key(|(key, _)| **key);
        for ((space, slot), value) in spaces {
            sink.space(*space);
            sink.text(&self.declared.boards[space.board as usize].fields[*slot as usize].name);
            sink.value(value);
        }
        sink.int(self.agenda.len() as u64);
        self.agenda.iter().for_each(|s| sink.step(s));
        sink.int(self.log.last().map_or(0, |l| l.hash));
        match &self.result {
            Some(result) => sink.text(result),
            None => sink.byte(0),
        }
        sink.finish()
    }

    fn hash_units(&self, sink: &mut Sink) {
        sink.int(self.units.len() as u64);
        for unit in &self.units {
            let Some(unit) = unit else {
                sink.byte(0);
                continue;
            };
            sink.byte(1);
            sink.text(&self.declared.kinds[unit.kind as usize].name);
            match unit.definition {
                Some(d) => sink.text(&self.declared.definitions[d as usize].reference),
                None => sink.byte(0),
            }
            sink.int(u64::from(unit.number));
            sink.text(unit.side.as_deref().unwrap_or(""));
            match unit.place {
                Place::Off => sink.byte(0),
                Place::Board(space) => sink.space(space),
                Place::Pile(pile) => sink.text(&self.declared.piles[pile as usize].name),
            }
            sink.byte(unit.facing);
            sink.byte(unit.face);
            unit.fields.iter().for_each(|v| sink.value(v));
        }
    }
}
