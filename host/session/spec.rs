//! Running spec cases: each on a fresh tabletop, live and again with every step replayed and every
//! state saved and opened before each answer.
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::decision::Refusal;
use super::run::{Memory, Open, Session, Status};
use crate::pack::model::Catalogue;
use crate::script::vm::{Budget, BytecodeCache, ScriptError};
use crate::script::{Asked, Program};
use crate::tabletop::{Step, Tabletop, Value};

/// Loads a variant of the pack under test: changed files by path, `None` for removed ones. Answers the messages, also
/// those that only advise if asked to.
pub type LoadVariant<'a> = dyn Fn(&BTreeMap<String, Option<String>>, bool) -> Vec<String> + 'a;

/// A spec file's cases, ready to run.
pub struct Spec<'a> {
    session: Session,
    blank: Tabletop,
    start: String,
    options: BTreeMap<String, Value>,
    cases: Vec<(String, std::ffi::c_int)>,
    load_variant: &'a LoadVariant<'a>,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub struct CaseResult {
    pub name: String,
    pub assertions: u32,
    pub failure: Option<String>,
}

impl<'a> Spec<'a> {
    /// Loads a spec file (a module id such as `@rove/tests/grid.spec`) with its content.
    pub fn load(
        catalogue: Arc<Catalogue>,
        module: &str,
        options: BTreeMap<String, Value>,
        budget: Budget,
        cache: Arc<BytecodeCache>,
        load_variant: &'a LoadVariant<'a>,
    ) -> Result<Self, Vec<ScriptError>> {
        let start = catalogue
            .game
            .as_ref()
            .map(|g| g.start.clone())
            .unwrap_or_default();
        let mut program = Program::load_as(catalogue, 1, &options, budget, cache, true)?;
        let blank = program.tabletop().clone();
        program.vm().start_budget();
        program.vm().require(module).map_err(|e| vec![e])?;
        let cases = program.take_cases()?;
        let session = Session::over(program, Memory::All);
        Ok(Self {
            session,
            blank,
            start,
            options,
            cases,
            load_variant,
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.cases.iter().map(|(name, _)| name.as_str())
    }

    /// Runs the case with a number, live and replayed.
    pub fn run(&mut self, index: usize) -> CaseResult {
        let name = self.cases[index].0.clone();
        let (assertions, live) = self.run_once(index, false);
        let failure = match live {
            Err(problem) => Some(problem),
            Ok(_) if assertions == 0 => Some("the case asserted nothing".to_owned()),
            Ok(hash) => match self.run_once(index, true).1 {
                Err(problem) => Some(format!("replayed: {problem}")),
                Ok(again) if again != hash => Some("replayed, the case ended in another state".to_owned()),
                Ok(_) => None,
            },
        };
        CaseResult {
            name,
            assertions,
            failure,
        }
    }

    fn run_once(&mut self, index: usize, replayed: bool) -> (u32, Result<u64, String>) {
        self.reset(self.blank.clone());
        let world = self.session.program().world_mut();
        world.assertions = 0;
        world.options = self.options.clone();
        world.loaded_rolls.clear();
        world.loaded_shuffles.clear();
        let (case, mut asked) = self.session.program().start_case(self.cases[index].1);
        let outcome = loop {
            match asked {
                Asked::Done => break Ok(self.session.tabletop().hash()),
                Asked::Failed(error) => break Err(error.to_string()),
                Asked::Request(name, values) => {
                    let answer = self.serve(&name, &values, replayed);
                    asked = self.session.program().answer_case(&case, answer);
                }
            }
        };
        self.session.program().end_case(case);
        (self.session.program().world_mut().assertions, outcome)
    }

    fn reset(&mut self, tabletop: Tabletop) {
        let session = &mut self.session;
        session.program.replace_tabletop(tabletop);
        session.open = None;
        session.decision = None;
        session.tape.clear();
        session.history.clear();
        session.status = Status::Ended("nothing has begun".into());
    }

    fn serve(&mut self, name: &str, values: &[Value], replayed: bool) -> Result<Value, String> {
        match name {
            "start" => self.start(values),
            "game" => self.game(values),
            "answer" => {
                self.again(replayed)?;
                let keys = texts(values.first());
                let seat = self.seat();
                match self.session.answer(&seat, &keys) {
                    Ok(()) => self.settled(),
                    Err(refusal) => Err(format!("{} was refused: {refusal}", keys.join(", "))),
                }
            }
            "refused" => {
                self.again(replayed)?;
                self.refused(values)
            }
            "options" => Ok(Value::List(match self.decision()? {
                Some(decision) => decision
                    .options
                    .iter()
                    .map(|o| Value::from(o.key.as_str()))
                    .collect(),
                None => Arc::from([]),
            })),
            "prompt" => Ok(self
                .decision()?
                .map_or(Value::Nil, |d| Value::from(d.prompt.as_str()))),
            "seat" => Ok(Value::from(self.seat().as_str())),
            "result" => Ok(self
                .session
                .tabletop()
                .result()
                .map_or(Value::Nil, |r| Value::Text(r.clone()))),
            "undo" => self
                .session
                .undo(1, true)
                .map(|()| Value::Nil)
                .map_err(|r| r.to_string()),
            "concede" => {
                let seat = self.seat();
                self.session
                    .concede(&seat)
                    .map(|()| Value::Nil)
                    .map_err(|r| r.to_string())
            }
            "shuffles" => {
                let stream = self.stream(values.first())?;
                let keys = texts(values.get(1));
                let loaded = &mut self.session.program().world_mut().loaded_shuffles;
                loaded.entry(stream).or_default().push_back(keys);
                Ok(Value::Nil)
            }
            "rolls" => {
                let stream = self.stream(values.first())?;
                let Some(Value::List(numbers)) = values.get(1) else {
                    return Err("t.rolls takes a list of numbers".into());
                };
                let numbers: VecDeque<i64> = numbers
                    .iter()
                    .filter_map(|n| {
                        if let Value::Number(n) = n {
                            Some(*n as i64)
                        } else {
                            None
                        }
                    })
                    .collect();
                self.session
                    .program()
                    .world_mut()
                    .loaded_rolls
                    .entry(stream)
                    .or_default()
                    .extend(numbers);
                Ok(Value::Nil)
            }
            "load" => self.load_changed(values, false),
            "advice" => self.load_changed(values, true),
            "view" => Ok(self.view(values)),
            other => Err(format!("there is no request `{other}`")),
        }
    }

    fn decision(&mut self) -> Result<Option<Arc<super::Decision>>, String> {
        match self.session.status() {
            Status::Decision => match self.session.decision() {
                Ok(decision) => Ok(Some(decision)),
                Err(_) => self.settled().map(|_| None),
            },
            _ => Ok(None),
        }
    }

    fn seat(&mut self) -> String {
        let open = self
            .decision()
            .ok()
            .flatten()
            .and_then(|d| d.seats.first().cloned());
        let first = || {
            self.session
                .tabletop()
                .declared()
                .seats
                .first()
                .map(|s| s.to_string())
        };
        open.or_else(first).unwrap_or_default()
    }

    fn stream(&self, value: Option<&Value>) -> Result<u16, String> {
        let Some(Value::Text(name)) = value else {
            return Err("expected the name of a dice stream".into());
        };
        let declared = self.session.tabletop().declared();
        declared.stream(name).ok_or_else(|| {
            let hint = crate::script::vm::hint(name, declared.streams.iter().map(|s| &**s));
            format!("there is no dice stream `{name}`{hint}")
        })
    }

    /// A failed step fails the case.
    fn settled(&self) -> Result<Value, String> {
        match self.session.status() {
            Status::Failed(error) => Err(error.to_string()),
            _ => Ok(Value::Nil),
        }
    }

    fn start(&mut self, values: &[Value]) -> Result<Value, String> {
        let (Some(Value::Text(name)), arguments) = (values.first(), values.get(1)) else {
            return Err("t.start takes the name of a step".into());
        };
        if self.session.program.world_mut().step_function(name).is_none() {
            let world = self.session.program.world_mut();
            let hint = crate::script::vm::hint(name, world.steps.iter().map(|s| &**s));
            return Err(format!("there is no step `{name}`{hint}"));
        }
        let arguments = match arguments {
            Some(Value::Map(map)) => (**map).clone(),
            _ => BTreeMap::new(),
        };
        let session = &mut self.session;
        session.program.drop_thread();
        session.open = None;
        session.tape.clear();
        session.history.clear();
        let tabletop = session.program.tabletop_mut();
        while tabletop.pop_step().is_some() {}
        tabletop.set_result(None);
        tabletop
            .push_steps(vec![Step {
                name: name.clone(),
                arguments,
            }])
            .map_err(|e| e.to_string())?;
        session.go_on();
        self.settled()
    }

    fn game(&mut self, values: &[Value]) -> Result<Value, String> {
        let mut seed = 1;
        if let Some(Value::Map(settings)) = values.first() {
            for (key, value) in settings.iter() {
                match (&**key, value) {
                    ("seed", Value::Number(n)) => seed = *n as u64,
                    ("options", Value::Map(options)) => {
                        for (name, value) in options.iter() {
                            let known = &mut self.session.program.world_mut().options;
                            if known.insert(name.to_string(), value.clone()).is_none() {
                                return Err(format!("the game has no option `{name}`"));
                            }
                        }
                    }
                    (key, _) => {
                        return Err(format!(
                            "t.game has no setting `{key}`; it takes seed and options"
                        ));
                    }
                }
            }
        }
        let tabletop = Tabletop::new(self.blank.declared().clone(), seed);
        self.reset(tabletop);
        let start = self.start.clone();
        self.session.program.tabletop_mut().begin(&start);
        self.session.go_on();
        self.settled()
    }

    /// Replays the open step from its tape, and checks that its state survives a save.
    fn again(&mut self, replayed: bool) -> Result<(), String> {
        if !replayed {
            return Ok(());
        }
        let before = self.session.tabletop().hash();
        let saved = self.session.tabletop().save();
        let text = serde_json::to_string(&saved).map_err(|e| e.to_string())?;
        let saved = serde_json::from_str(&text).map_err(|e: serde_json::Error| e.to_string())?;
        let opened = Tabletop::open(&saved).map_err(|e| e.to_string())?;
        let (opened, _) = opened
            .migrate(self.blank.declared().clone())
            .map_err(|o| format!("{o:?}"))?;
        if opened.hash() != before {
            return Err("a save of the state opens as another state".into());
        }
        if let (Some(Open { .. }), Status::Decision) = (&self.session.open, &self.session.status) {
            self.session.retry();
            if self.session.tabletop().hash() != before {
                return Err(
                    "the open step, run again, led to another state: is the scene changed while a decision is open? Call t.start after it"
                        .into(),
                );
            }
        }
        Ok(())
    }

    fn refused(&mut self, values: &[Value]) -> Result<Value, String> {
        let keys = texts(values.first());
        let wanted = match values.get(1) {
            Some(Value::Text(code)) => Some(code.clone()),
            _ => None,
        };
        let before = self.session.tabletop().hash();
        let seat = self.seat();
        let refusal: Refusal = match self.session.answer(&seat, &keys) {
            Ok(()) => return Err(format!("{} was accepted", keys.join(", "))),
            Err(refusal) => refusal,
        };
        self.settled()?;
        if self.session.tabletop().hash() != before {
            return Err("the refused answer changed the state".into());
        }
        match wanted {
            Some(code) if *code != *refusal.code => Err(format!(
                "{} was refused with `{}` ({}), not `{code}`",
                keys.join(", "),
                refusal.code,
                refusal.message
            )),
            _ => Ok(Value::from(refusal.message.as_str())),
        }
    }

    fn load_changed(&mut self, values: &[Value], advise: bool) -> Result<Value, String> {
        // An empty table is a list as well as a map.
        let map = match values.first() {
            Some(Value::Map(map)) => map.clone(),
            Some(Value::List(items)) if items.is_empty() => Arc::default(),
            _ => return Err("t.load and t.advice take a map of files".into()),
        };
        let mut changes = BTreeMap::new();
        for (path, value) in map.iter() {
            let content = match value {
                Value::Text(text) => Some(text.to_string()),
                Value::Bool(false) => None,
                _ => return Err(format!("{path}: a file is a text, or false to remove it")),
            };
            changes.insert(path.to_string(), content);
        }
        let messages = (self.load_variant)(&changes, advise);
        Ok(Value::List(
            messages.iter().map(|m| Value::from(m.as_str())).collect(),
        ))
    }

    fn view(&self, values: &[Value]) -> Value {
        let seat = match values.first() {
            Some(Value::Text(seat)) if !seat.is_empty() => Some(seat.clone()),
            _ => None,
        };
        let tabletop = self.session.tabletop();
        let mut piles = BTreeMap::new();
        for (index, pile) in tabletop.declared().piles.iter().enumerate() {
            let seen = tabletop.seen(seat.as_deref(), index as u16);
            let list: Vec<Value> = seen
                .iter()
                .map(|card| card.map_or(Value::Bool(false), |u| Value::from(tabletop.unit_key(u).as_str())))
                .collect();
            let mut shown = BTreeMap::new();
            shown.insert("count".into(), Value::Number(list.len() as f64));
            shown.insert("seen".into(), Value::List(list.into()));
            piles.insert(pile.name.clone(), Value::Map(Arc::new(shown)));
        }
        let mut view = BTreeMap::new();
        view.insert("piles".into(), Value::Map(Arc::new(piles)));
        Value::Map(Arc::new(view))
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::List(items)) => items
            .iter()
            .map(|item| match item {
                Value::Text(text) => text.to_string(),
                Value::Number(n) => n.to_string(),
                other => format!("{other:?}"),
            })
            .collect(),
        Some(Value::Text(text)) => vec![text.to_string()],
        _ => Vec::new(),
    }
}
