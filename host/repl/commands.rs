//! The commands of the console: lines that begin with a colon.
use std::time::Instant;

use super::{Done, Repl, Reply, help, told};
use crate::pack::{trouble, typed_path};
use crate::players::person;
use crate::script::vm::{hint, nearest};
use crate::session::Fault;
use crate::session::resume::Changed;
use crate::session::{Decision, Recorded};
use crate::view::board::{self, Scene};
use crate::view::{Viewer, clean, clean_line, decision, pieces, piles};

/// Each with its arguments and what it does.
pub const COMMANDS: [(&str, &str, &str); 12] = [
    (
        "help",
        "[NAME]",
        "this list, or the doc of a function, a table or a library module",
    ),
    ("board", "", "the boards with what lies on them, and the piles"),
    ("units", "[KIND]", "every unit with its fields"),
    ("options", "", "what the open decision offers"),
    (
        "answer",
        "KEY ...",
        "answer the open decision: keys, numbers or unique beginnings",
    ),
    ("undo", "[N]", "take back the last line or answer, or the last N"),
    (
        "reload",
        "",
        "load changed rules (saved files are noticed by themselves)",
    ),
    (
        "load",
        "FILE",
        "run a .luau file as a line, or go on from a saved session",
    ),
    ("save", "FILE", "write the session to a file that can be resumed"),
    (
        "time",
        "EXPR",
        "run an expression once, take its changes back, and tell how long it took",
    ),
    ("log", "", "the game's log"),
    ("quit", "", "leave"),
];

impl Repl {
    /// Runs a command, its colon taken off.
    pub(super) fn command(&mut self, line: &str) -> Reply {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match name {
            "help" | "h" | "?" => {
                help::text(&self.table.session().catalogue().clone(), rest, self.style).into()
            }
            "board" => Ok(self.board()).into(),
            "units" => self.units(rest).into(),
            "options" => self.options().into(),
            "answer" | "a" => self.answer(rest).into(),
            "undo" => self.undo_some(rest).into(),
            "reload" => {
                let folders: Vec<String> = Vec::new();
                self.reload(&folders)
            }
            "load" => self.load(rest).into(),
            "save" => self.save_to(rest).into(),
            "time" => self.time(rest).into(),
            "log" => Ok(self.log()).into(),
            "quit" | "q" => Reply {
                quit: true,
                ..Reply::default()
            },
            _ => {
                let near = nearest(name, COMMANDS.iter().map(|(name, ..)| *name));
                let help = near.map_or("`:help` lists the commands".into(), |near| {
                    format!("did you mean `:{near}`?")
                });
                Reply::failed(format!("error: there is no command `:{name}`; {help}\n"))
            }
        }
    }

    fn board(&mut self) -> String {
        let offered = self
            .table
            .session()
            .decision()
            .map(|open| offered(&open, self.table.session()))
            .unwrap_or_default();
        let style = self.style;
        let session = self.table.session();
        let catalogue = session.catalogue().clone();
        let tabletop = session.tabletop();
        let scene = Scene {
            tabletop,
            catalogue: &catalogue,
            viewer: &Viewer::All,
            style,
            offered: &offered,
        };
        board::text(&scene) + &piles::text(tabletop, &catalogue, &Viewer::All, style)
    }

    fn units(&mut self, kind: &str) -> Result<String, String> {
        let style = self.style;
        let session = self.table.session();
        let catalogue = session.catalogue().clone();
        let tabletop = session.tabletop();
        let declared = tabletop.declared();
        if !kind.is_empty() && declared.kind(kind).is_none_or(|k| k == 0) {
            let hint = hint(kind, declared.kinds.iter().skip(1).map(|k| &*k.name));
            return Err(format!("error: there is no kind of unit `{kind}`{hint}\n"));
        }
        let mut text = String::new();
        for (id, unit) in tabletop.units() {
            let own = &declared.kinds[usize::from(unit.kind)].name;
            if kind.is_empty() || **own == *kind {
                let place = told_place(tabletop, id);
                let told = pieces::describe(tabletop, &catalogue, &Viewer::All, style, id);
                text += &style.wrap(&format!("{told}{place}"), 4);
                text.push('\n');
            }
        }
        Ok(if text.is_empty() {
            "There are no units.\n".into()
        } else {
            text
        })
    }

    fn options(&mut self) -> Result<String, String> {
        let open = self
            .table
            .session()
            .decision()
            .map_err(|refusal| format!("{refusal}\n"))?;
        let seats = self.table.session().tabletop().declared().seats.len();
        Ok(format!(
            "{}\n{}",
            decision::prompt(&open, seats),
            decision::options(&open, self.style, true, &|_| true)
        ))
    }

    fn answer(&mut self, rest: &str) -> Result<String, String> {
        let refused = |fault: Fault| format!("Refused: {fault}\n");
        let open = self
            .table
            .session()
            .decision()
            .map_err(|refusal| format!("Refused: {refusal}\n"))?;
        if rest.is_empty() {
            let keys: Vec<String> = open.options.iter().map(|o| clean_line(&o.key)).collect();
            let message = format!("error: `:answer` needs a key: {}", keys.join(" "));
            return Err(self.style.wrap(&message, 2) + "\n");
        }
        let keys = person::read(&open, rest).map_err(|refusal| format!("Refused: {refusal}\n"))?;
        let named = open
            .options
            .iter()
            .find(|o| Some(&o.key) == keys.first())
            .and_then(|o| o.seat.clone());
        let seat = named.or_else(|| open.seats.first().cloned()).unwrap_or_default();
        self.table.answer(&seat, &keys).map_err(refused)?;
        self.done.push(Done::Answer);
        Ok(String::new())
    }

    fn undo_some(&mut self, rest: &str) -> Result<String, String> {
        let count = match rest {
            "" => 1,
            count => count
                .parse::<usize>()
                .map_err(|_| format!("error: `:undo` takes a number, not `{count}`\n"))?,
        };
        for _ in 0..count {
            self.undo().map_err(|problem| format!("Refused: {problem}\n"))?;
        }
        self.shown = self.table.session().tabletop().log().len();
        self.situation.clear();
        Ok("Undone.\n".into())
    }

    fn load(&mut self, rest: &str) -> Result<String, String> {
        if rest.is_empty() {
            return Err("error: `:load` needs the name of a file\n".into());
        }
        let path = &*typed_path(rest);
        let shown = path.display();
        if path
            .extension()
            .is_some_and(|ending| ending == "luau" || ending == "lua")
        {
            let source = std::fs::read_to_string(path)
                .map_err(|error| format!("error: {shown}: {}\n", trouble::with_file(&error)))?;
            return self.evaluate(&source);
        }
        let (mut table, done) = Recorded::resume(self.table.content(), path, Some(Changed::Saved))
            .map_err(|error| format!("error: {}\n", clean(&error.to_string())))?;
        // What is tried here is no part of that session.
        table.detach();
        self.replace(table)?;
        let notes = done
            .packs
            .iter()
            .map(ToString::to_string)
            .chain(done.notes.iter().cloned());
        Ok(format!("Loaded {shown}.\n") + &notes.map(|note| format!("- {note}\n")).collect::<String>())
    }

    fn save_to(&mut self, rest: &str) -> Result<String, String> {
        if rest.is_empty() {
            return Err("error: `:save` needs the name of a file\n".into());
        }
        let path = typed_path(rest);
        self.save(&path).map_err(|error| format!("error: {error}\n"))?;
        Ok(format!("Saved in {}.\n", path.display()))
    }

    fn time(&mut self, source: &str) -> Result<String, String> {
        if source.is_empty() {
            return Err("error: `:time` needs an expression\n".into());
        }
        let program = self.table.session().program();
        let mark = program.tabletop().mark();
        let push_point = program.tabletop().push_point();
        let start = Instant::now();
        let result = program.evaluate(&self.console, source);
        let took = start.elapsed();
        let safepoints = program.vm().used_safepoints();
        program.tabletop_mut().rollback(mark);
        program.tabletop_mut().set_push_point(push_point);
        let mut text: String = program
            .take_printed()
            .iter()
            .map(|line| clean(line) + "\n")
            .collect();
        text += &self.values(&result.map_err(|error| told::error(&error))?);
        Ok(text + &format!("{:.3} ms, {safepoints} safepoints\n", took.as_secs_f64() * 1000.0))
    }

    fn log(&mut self) -> String {
        let log = self.table.session().tabletop().log();
        log.iter()
            .map(|line| format!("| {}\n", clean_line(&line.text)))
            .collect()
    }
}

/// The spaces that a decision offers.
fn offered(open: &Decision, session: &crate::session::Session) -> Vec<crate::tabletop::Space> {
    let boards = &session.tabletop().declared().topologies;
    open.options
        .iter()
        .filter_map(|o| crate::tabletop::board::key::parse(boards, &o.key).ok())
        .collect()
}

fn told_place(tabletop: &crate::tabletop::Tabletop, id: crate::tabletop::UnitId) -> String {
    use crate::tabletop::Place;
    match tabletop.unit(id).map(|unit| unit.place) {
        Some(Place::Board(space)) => format!(", on {}", crate::view::value::space(tabletop, space)),
        Some(Place::Pile(pile)) => format!(", in {}", tabletop.declared().piles[usize::from(pile)].name),
        _ => String::new(),
    }
}
