//! What both games have in common, and the numbers that their packs give.
use std::path::Path;

use super::cards::Means;
use super::layout::{Arrow, COMPASS, Kind, Layout, MODULES, Pattern, Spot};

/// An ability's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Put(usize, Spot),
    /// A module's neighbouring space, by direction.
    Shift(usize, usize),
    Swap(usize, usize),
    Discard(u8),
    /// There is nothing to choose.
    Plain,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Move {
        module: usize,
        dir: usize,
        length: i8,
    },
    Play(u8),
    /// The ability of `of`, used by `by`.
    Use {
        by: usize,
        of: usize,
        what: What,
    },
}

/// At most so much may still be done: changes of one module each (those paid among them), trades of places, and
/// whether a change may push several modules at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    pub steps: u32,
    pub swaps: u32,
    pub pushes: bool,
    /// Whether one name of the mission may be left out.
    pub eases: bool,
}

/// What follows an action: the layout, the means, and whether the mission is completed by it.
pub type Found<'a> = &'a mut dyn FnMut(Act, &Layout, &Means, bool);

/// A game's rules, as far as one mission goes.
pub trait Rules {
    fn pack(&self) -> &Pack;
    /// The pattern of a mission.
    fn mission(&self, card: u8) -> &Pattern {
        &self.pack().cards[card as usize].mission
    }
    /// Every legal action with what may come of it.
    fn each(&self, mission: u8, layout: &Layout, means: &Means, found: Found);
    /// The points that a card gives at its best.
    fn worth(&self, card: u8) -> u32;
    /// The draws that may come at most.
    fn draws(&self, means: &Means) -> usize;
    fn reach(&self, means: &Means) -> Reach;
    /// Makes means equal that give the same chances.
    fn forget(&self, means: &mut Means);
    /// The most points in the best case: unspent, of the hand, of every draw.
    fn most_points(&self, means: &Means) -> u32 {
        let hand: u32 = super::cards::members(means.hand).map(|c| self.worth(c)).sum();
        u32::from(means.points) + hand + self.best_draws(means)
    }
    /// What the draws that may come are worth at most.
    fn best_draws(&self, means: &Means) -> u32 {
        let draws = self.draws(means);
        let best = |set: u16| {
            super::cards::members(set)
                .map(|c| self.worth(c))
                .max()
                .unwrap_or(0)
        };
        let all = (1 << self.pack().cards.len()) - 1;
        let of = |place: usize| match means.deck.list().get(place) {
            Some(&super::cards::HIDDEN) => best(means.unseen),
            Some(&card) => self.worth(card),
            // Whatever will have been discarded by then.
            None => best(all),
        };
        (0..draws).map(of).sum()
    }
}

/// A card: its mission, and what its other side says, of which each game has a part.
#[derive(Clone, Debug)]
pub struct Card {
    pub id: String,
    pub mission: Pattern,
    pub base: u8,
    /// ROVE: the points and the pattern of a match.
    pub matched: u8,
    pub pattern: Option<Pattern>,
    /// Aqua ROVE: the pair that gives a point more, and the arrows.
    pub pair: Option<(usize, usize)>,
    pub arrows: Vec<Arrow>,
}

/// A module with the arrows of both sides, if it has any.
#[derive(Clone, Debug)]
pub struct Module {
    pub id: String,
    pub active: Vec<Arrow>,
    pub spent: Vec<Arrow>,
}

/// Modules and cards, each in the order of their ids.
#[derive(Clone, Debug)]
pub struct Pack {
    pub modules: Vec<Module>,
    pub cards: Vec<Card>,
}

impl Pack {
    pub fn read(root: &Path, game: &str) -> Self {
        let folder = root.join("content").join(game);
        let modules = tables(&folder.join("modules"));
        let mut letters = ['?'; MODULES];
        for (letter, (_, table)) in letters.iter_mut().zip(&modules) {
            *letter = text(&table["letter"]).chars().next().expect("a letter");
        }
        let ids: Vec<String> = modules.iter().map(|(id, _)| id.clone()).collect();
        let modules = modules
            .iter()
            .map(|(id, table)| Module {
                id: id.clone(),
                active: arrows(table.get("arrows_active")),
                spent: arrows(table.get("arrows_spent")),
            })
            .collect();
        let card = |(id, table): &(String, toml::Table)| card(id, table, &ids, &letters);
        let cards = tables(&folder.join("cards")).iter().map(card).collect();
        Self { modules, cards }
    }

    /// The number of the module with an id.
    pub fn module(&self, id: &str) -> usize {
        self.modules.iter().position(|m| m.id == id).expect("a module")
    }

    pub fn card(&self, id: &str) -> u8 {
        self.cards.iter().position(|c| c.id == id).expect("a card") as u8
    }

    /// The answers that carry out an action: option by option.
    pub fn keys(&self, act: Act) -> Vec<String> {
        let id = |module: usize| &self.modules[module].id;
        match act {
            Act::Move { module, dir, length } => vec![format!("{}-{}-{length}", id(module), COMPASS[dir].0)],
            Act::Play(card) => vec![format!("play-{}", self.cards[card as usize].id)],
            Act::Use { by, of, what } => {
                let mut keys = vec![format!("use-{}", id(by))];
                if by != of {
                    keys.push(id(of).clone());
                }
                match what {
                    What::Put(mover, (x, y)) if id(of) == "coil" && mover == of => {
                        keys.push(format!("({x},{y})"))
                    }
                    What::Put(mover, (x, y)) => keys.push(format!("{}-to-({x},{y})", id(mover))),
                    What::Shift(mover, dir) => keys.push(format!("{}-{}", id(mover), COMPASS[dir].0)),
                    What::Swap(one, other) => keys.push(format!("{}-{}", id(one), id(other))),
                    What::Discard(card) => keys.push(format!("discard-{}", self.cards[card as usize].id)),
                    What::Plain => {}
                }
                keys
            }
        }
    }
}

fn text(value: &toml::Value) -> &str {
    value.as_str().expect("a text")
}

fn texts(value: &toml::Value) -> Vec<String> {
    let list = value.as_array().expect("a list");
    list.iter().map(|v| text(v).to_owned()).collect()
}

/// The files of a folder by stem, in order.
fn tables(folder: &Path) -> Vec<(String, toml::Table)> {
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder of the pack")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let source = std::fs::read_to_string(&path).expect("a file");
            (stem, source.parse().expect("TOML"))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn arrows(value: Option<&toml::Value>) -> Vec<Arrow> {
    let list = value.and_then(toml::Value::as_array).cloned().unwrap_or_default();
    list.iter()
        .map(|arrow| Arrow {
            kind: match text(&arrow["kind"]) {
                "slide" => Kind::Slide,
                "step" => Kind::Step,
                "leap" => Kind::Leap,
                "push" => Kind::Push,
                other => panic!("no arrow is a {other}"),
            },
            dirs: texts(&arrow["dirs"])
                .iter()
                .map(|dir| {
                    COMPASS
                        .iter()
                        .position(|(name, _)| name == dir)
                        .expect("a direction")
                })
                .collect(),
        })
        .collect()
}

fn card(id: &str, table: &toml::Table, ids: &[String], letters: &[char; MODULES]) -> Card {
    let movement = &table["movement"];
    let count = |key: &str| {
        movement
            .get(key)
            .map_or(0, |v| v.as_integer().expect("a number") as u8)
    };
    let pair = movement.get("pair").map(|pair| {
        let find = |i: usize| ids.iter().position(|id| *id == text(&pair[i])).expect("a module");
        (find(0), find(1))
    });
    Card {
        id: id.to_owned(),
        mission: Pattern::parse(&texts(&table["mission"]["rows"]), letters),
        base: count("base") + count("points"),
        matched: count("matched"),
        pattern: movement
            .get("rows")
            .map(|rows| Pattern::parse(&texts(rows), letters)),
        pair,
        arrows: arrows(movement.get("arrows")),
    }
}
