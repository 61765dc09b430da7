//! Bots never see what is hidden: other hidden cards, the same choice.
use std::collections::BTreeMap;

use ludex::pack::Sources;
use ludex::players::Bot;
use ludex::script::vm::Budget;
use ludex::session::Content;
use ludex::session::recording::Setup;
use ludex::session::run::{Memory, Session, Status};
use ludex::tabletop::Tabletop;
use ludex::tabletop::dice::{Stream, derive_key};

use crate::harness::{pack, root};

struct Scene {
    content: Content,
    setup: Setup,
}

impl Scene {
    fn new(options: &[(&str, ludex::tabletop::Value)]) -> Self {
        let sources = Sources::at(root()).with_pack(pack("high-card"));
        let options: BTreeMap<_, _> = options
            .iter()
            .map(|(k, v)| ((*k).to_owned(), v.clone()))
            .collect();
        let setup = Setup {
            game: "high-card".into(),
            seed: 7,
            options,
            ..Setup::default()
        };
        Self {
            content: Content::new(sources, Budget::default()),
            setup,
        }
    }

    fn session(&self) -> Session {
        Session::new(self.content.load(&self.setup).unwrap(), Memory::All)
    }

    /// The session with what `seat` can't see dealt anew.
    fn permuted(&self, session: &Session, seat: &str, number: u64) -> Session {
        let program = self.content.load(&self.setup).unwrap();
        let saved = ludex::session::recording::checkpoint(session);
        let opened = Tabletop::open(&saved.tabletop).unwrap();
        let (mut tabletop, _) = opened.migrate(program.tabletop().declared().clone()).unwrap();
        let mut chance = Stream::at(derive_key(number, "other cards", "test"), 0);
        tabletop.reshuffle_hidden(Some(seat), &mut chance);
        tabletop.forget_journal();
        Session::resume(program, tabletop, saved.tape)
    }
}

fn choice(session: &mut Session, bot: Bot, answers: usize) -> Vec<usize> {
    let decision = session.decision().unwrap();
    let seat = decision.seats[0].clone();
    bot.choose(session, &decision, &seat, answers).unwrap()
}

#[test]
fn hidden_cards_change_no_choice() {
    for open in [false, true] {
        let scene = Scene::new(&[("open", ludex::tabletop::Value::Bool(open))]);
        for bot in [Bot::Random, Bot::Greedy, Bot::Search] {
            let mut session = scene.session();
            let mut answers = 0;
            while let Status::Decision = session.status() {
                let decision = session.decision().unwrap();
                let seat = decision.seats[0].clone();
                let chosen = choice(&mut session, bot, answers);
                for number in 0..2 {
                    let mut other = scene.permuted(&session, &seat, number);
                    let same = other.decision().unwrap();
                    assert_eq!(same.options, decision.options);
                    assert_eq!(
                        choice(&mut other, bot, answers),
                        chosen,
                        "{bot:?} answer {answers}"
                    );
                }
                let keys: Vec<String> = chosen
                    .iter()
                    .map(|n| decision.options[n - 1].key.clone())
                    .collect();
                session.answer(&seat, &keys).unwrap();
                answers += 1;
            }
        }
    }
}

#[test]
fn looking_ahead_leaves_no_trace() {
    let scene = Scene::new(&[]);
    let mut session = scene.session();
    let mut plain = scene.session();
    let mut answers = 0;
    while let Status::Decision = session.status() {
        let decision = session.decision().unwrap();
        let chosen = choice(&mut session, Bot::Search, answers);
        assert_eq!(session.tabletop().hash(), plain.tabletop().hash());
        assert_eq!(session.tabletop().chance(), plain.tabletop().chance());
        assert_eq!(
            (session.undoable(), session.decision().unwrap()),
            (plain.undoable(), decision.clone())
        );
        let keys: Vec<String> = chosen
            .iter()
            .map(|n| decision.options[n - 1].key.clone())
            .collect();
        for session in [&mut session, &mut plain] {
            session.answer(&decision.seats[0], &keys).unwrap();
        }
        answers += 1;
    }
    for _ in 0..answers {
        session.undo(1, true).unwrap();
        plain.undo(1, true).unwrap();
        assert_eq!(session.tabletop().hash(), plain.tabletop().hash());
    }
}
