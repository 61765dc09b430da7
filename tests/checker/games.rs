//! Games that the host plays, read as positions, with what the game says of them.
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ludex::pack::{Selection, Sources, load};
use ludex::script::Program;
use ludex::script::console::Console;
use ludex::script::vm::{Budget, BytecodeCache};
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::{Place, Tabletop, Value};

use super::cards::{HIDDEN, Means, NONE, Pile, members};
use super::layout::{Layout, MODULES, Spot};
use super::rules::{Act, Pack, Rules};

/// What a player knows at a decision.
#[derive(Clone, Debug)]
pub struct Position {
    pub mission: u8,
    pub layout: Layout,
    pub means: Means,
}

/// What the game says of a position.
#[derive(Clone, Debug)]
pub struct Said {
    pub quickly: bool,
    pub verdict: String,
}

/// How every complaint of the comparison begins.
pub const DISAGREE: &str = "game and checker disagree: ";

/// What the loss check takes as known, for the console: hand, deck, discard pile and what is unseen.
const KNOWN: &str = "known = function()
    local state = loss.state()
    local function text(list)
        local ids = {}
        for i, id in list do
            ids[i] = id or '?'
        end
        return table.concat(ids, ' ')
    end
    table.sort(state.hand)
    return `{text(state.hand)}|{text(state.deck)}|{text(state.discard)}|{text(state.unseen)}`
end";

/// A session that plays one game after another.
pub struct Table {
    session: Session,
    console: Console,
    pub pack: Pack,
    start: String,
    /// The deck as it lay at the last look, and whether it was turned over before.
    deck: Vec<u8>,
    turned: bool,
}

impl Table {
    /// `root` is the folder with `content/` and `scripts/` that the game is played by.
    pub fn new(root: &Path, game: &str, difficulty: &str) -> Self {
        let sources = Sources::at(root);
        let catalogue = Arc::new(load(&sources, &Selection::game(game)).expect("the pack loads"));
        let start = catalogue.game.as_ref().expect("a game").start.clone();
        let options = BTreeMap::from([("difficulty".to_owned(), Value::from(difficulty))]);
        let cache = Arc::new(BytecodeCache::default());
        // The search has its own limit; a slow machine is no reason to fail.
        let budget = Budget {
            step_time: std::time::Duration::from_secs(120),
            ..Budget::default()
        };
        let program = Program::load(catalogue, 1, &options, budget, cache).expect("the scripts load");
        let mut session = Session::over(program, Memory::Present);
        let console = session.edit(Program::console).expect("a console").value;
        let mut table = Self {
            session,
            console,
            pack: Pack::read(root, game),
            start,
            deck: Vec::new(),
            turned: false,
        };
        table.evaluate(&format!("loss = require('@{game}/rules/loss')"));
        table.evaluate(KNOWN);
        table
    }

    /// The game's verdict on a position that need not be its own.
    pub fn verdict(&mut self, at: &Position) -> String {
        let id = |card: u8| self.pack.cards[card as usize].id.clone();
        let texts = |cards: Vec<u8>| {
            let of = |&card: &u8| {
                if card == HIDDEN {
                    "false".to_owned()
                } else {
                    format!("'{}'", id(card))
                }
            };
            format!("{{{}}}", cards.iter().map(of).collect::<Vec<_>>().join(", "))
        };
        let means = &at.means;
        let spaces = at.layout.map(|s| format!("vector({}, {})", s.0, s.1)).join(", ");
        let play = if means.play == NONE {
            "nil".into()
        } else {
            format!("'{}'", id(means.play))
        };
        let source = format!(
            "loss.verdict({{ mission = '{}', where = {{{spaces}}}, active = {}, points = {}, play = {play}, hand = {}, \
             deck = {}, discard = {}, unseen = {} }})",
            id(at.mission),
            means.active,
            means.points,
            texts(members(means.hand).collect()),
            texts(means.deck.list().to_vec()),
            texts(means.discard.list().iter().rev().copied().collect()),
            texts(members(means.unseen).collect()),
        );
        self.evaluate(&source)
    }

    fn evaluate(&mut self, source: &str) -> String {
        let console = &self.console;
        let shown = self.session.edit(|program| program.evaluate(console, source));
        let shown = shown.unwrap_or_else(|e| panic!("{source}: {e}"));
        shown
            .value
            .first()
            .map(|s| s.text(1_000))
            .unwrap_or_default()
            .replace('"', "")
    }

    pub fn deal(&mut self, seed: u64) {
        let mut tabletop = Tabletop::new(self.session.tabletop().declared().clone(), seed);
        tabletop.begin(&self.start);
        self.session.restart(tabletop);
        self.turned = false;
        self.deck = self.cards("deck");
    }

    /// The open decision's options; `None` once the game is over.
    pub fn offered(&mut self) -> Option<BTreeSet<String>> {
        match self.session.status() {
            Status::Ended(_) => None,
            Status::Failed(error) => panic!("{error}"),
            Status::Decision => {
                let decision = self.session.decision().expect("a decision");
                Some(decision.options.iter().map(|o| o.key.clone()).collect())
            }
        }
    }

    pub fn result(&self) -> Option<String> {
        self.session.tabletop().result().map(|r| r.to_string())
    }

    /// Gives the answers of an action.
    pub fn answer(&mut self, keys: &[String]) {
        for key in keys {
            let answered = self.session.answer("rover", std::slice::from_ref(key));
            answered.unwrap_or_else(|r| panic!("{DISAGREE}{keys:?}: {key} is refused: {r}"));
        }
    }

    pub fn said(&mut self) -> Said {
        Said {
            quickly: self.evaluate("loss.quickly()") == "true",
            verdict: self.evaluate("loss.now()"),
        }
    }

    /// The cards of a pile, top first.
    fn cards(&self, pile: &str) -> Vec<u8> {
        let tabletop = self.session.tabletop();
        let number = tabletop.declared().pile(pile).expect("a pile");
        let units = tabletop.pile(number).iter().rev();
        units
            .map(|&unit| self.pack.card(&tabletop.unit_key(unit)))
            .collect()
    }

    fn spot(&self, module: usize) -> (Spot, bool) {
        let tabletop = self.session.tabletop();
        let unit = tabletop
            .unit_by_key(&self.pack.modules[module].id)
            .expect("a module");
        let unit = tabletop.unit(unit).expect("a unit");
        let Place::Board(space) = unit.place else {
            panic!("{} is off the board", self.pack.modules[module].id);
        };
        ((space.q as i8, space.r as i8), unit.face == 0)
    }

    /// Whether the host shows the rover just those places of a pile, counted from its top (RM-SET-10, AQ-SET-08).
    fn must_see(&self, pile: &str, known: &dyn Fn(usize) -> bool) {
        let tabletop = self.session.tabletop();
        let number = tabletop.declared().pile(pile).expect("a pile");
        let lie = tabletop.pile(number).iter().rev().copied();
        let wanted: Vec<_> = lie
            .enumerate()
            .map(|(i, card)| known(i).then_some(card))
            .collect();
        let seen = tabletop.seen(Some("rover"), number);
        assert!(
            seen == wanted,
            "{DISAGREE}of {pile} the rover sees {seen:?}, not {wanted:?}"
        );
    }

    /// What the loss check takes as known, and what it must be at a position: in the same form.
    pub fn known(&mut self, at: &Position) -> (String, String) {
        let id = |&card: &u8| match card {
            HIDDEN => "?",
            card => self.pack.cards[card as usize].id.as_str(),
        };
        let text = |cards: &[u8]| cards.iter().map(id).collect::<Vec<_>>().join(" ");
        let means = &at.means;
        let set = |set: u16| text(&members(set).collect::<Vec<_>>());
        let discard: Vec<u8> = means.discard.list().iter().rev().copied().collect();
        let (hand, unseen) = (set(means.hand), set(means.unseen));
        let wanted = format!("{hand}|{}|{}|{unseen}", text(means.deck.list()), text(&discard));
        (self.evaluate("known()"), wanted)
    }

    /// The position; to be asked for at every main decision, since a deck that was turned over is known from then on.
    pub fn look(&mut self) -> Position {
        let deck = self.cards("deck");
        self.turned |= !self.deck.ends_with(&deck);
        self.deck.clone_from(&deck);
        let turned = self.turned;
        let known = |place: usize| place == 0 || turned;
        let nothing_hidden = |_: usize| true;
        self.must_see("deck", &known);
        for open in ["discard", "hand", "play", "missions"] {
            self.must_see(open, &nothing_hidden);
        }
        let mut means = Means {
            active: 0,
            points: 0,
            play: self.cards("play").first().copied().unwrap_or(NONE),
            hand: self.cards("hand").iter().fold(0, |set, card| set | (1 << card)),
            deck: (0..deck.len())
                .map(|i| if known(i) { deck[i] } else { HIDDEN })
                .collect(),
            discard: self.cards("discard").into_iter().rev().collect::<Pile>(),
            unseen: (0..deck.len())
                .filter(|&i| !known(i))
                .fold(0, |set, i| set | (1 << deck[i])),
        };
        let mut layout = [(0, 0); MODULES];
        for (module, spot) in layout.iter_mut().enumerate() {
            let (at, active) = self.spot(module);
            *spot = at;
            means.active |= u8::from(active) << module;
        }
        let mission = self.cards("missions")[0];
        means.points = self.evaluate("game.points").parse().expect("a number");
        Position {
            mission,
            layout,
            means,
        }
    }
}

/// An action with what it leads to.
pub struct Choice {
    pub act: Act,
    pub keys: Vec<String>,
    pub layout: Layout,
    pub means: Means,
    pub completes: bool,
}

/// What the checker's rules allow at a position.
pub fn options(rules: &dyn Rules, at: &Position) -> Vec<Choice> {
    let mut found = Vec::new();
    rules.each(
        at.mission,
        &at.layout,
        &at.means,
        &mut |act, layout, means, completes| {
            let keys = rules.pack().keys(act);
            found.push(Choice {
                act,
                keys,
                layout: *layout,
                means: means.clone(),
                completes,
            });
        },
    );
    found
}

/// The keys at the place of the first that isn't answered yet.
pub fn keys_after<'a>(options: &'a [Choice], answered: &[String]) -> BTreeSet<&'a str> {
    let next = |option: &'a Choice| {
        let begins = option.keys.starts_with(answered);
        begins.then(|| option.keys.get(answered.len())).flatten()
    };
    options.iter().filter_map(next).map(String::as_str).collect()
}

/// What a completed mission leads to: the card in play goes, the next mission comes, a card is drawn, and the next
/// mission may be complete already.
pub fn after_completion(rules: &dyn Rules, layout: &Layout, means: &Means, found: &mut Vec<Position>) {
    let mut cleared = means.clone();
    cleared.clear_play();
    cleared.each_top(|mission, means| {
        let mut go_on = |means: Means| {
            if rules.mission(mission).is_in(layout) {
                after_completion(rules, layout, &means, found);
            } else {
                found.push(Position {
                    mission,
                    layout: *layout,
                    means,
                });
            }
        };
        if means.may_draw() {
            means.each_draw(&mut go_on);
        } else {
            go_on(means);
        }
    });
}

/// Whether what was foreseen came: hidden cards may have been any, and what has become visible is known now.
pub fn is_as_foreseen(foreseen: &Position, came: &Position) -> bool {
    let (a, b) = (&foreseen.means, &came.means);
    let alike = |(&one, &other): (&u8, &u8)| {
        one == other || (one == HIDDEN && (other == HIDDEN || a.unseen & (1 << other) != 0))
    };
    foreseen.mission == came.mission
        && foreseen.layout == came.layout
        && (a.active, a.points, a.play, a.hand) == (b.active, b.points, b.play, b.hand)
        && a.discard == b.discard
        && a.deck.len() == b.deck.len()
        && a.deck.list().iter().zip(b.deck.list()).all(alike)
}
