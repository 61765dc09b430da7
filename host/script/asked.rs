//! What a game is asked beside its steps: `rules/score.luau` and `rules/solve.luau`.
use std::ffi::c_int;

use mlua::ffi;

use super::Program;
use super::call::text_at;
use super::vm::{ScriptError, hint_and, shown};
use crate::tabletop::Value;

/// What `rules/solve.luau` may be asked, and needn't answer beside the first.
const QUESTIONS: [&str; 8] = [
    "goal", "advance", "left", "most", "entries", "measure", "sample", "trials",
];

impl Program {
    /// Finds the functions once the packs' scripts are loaded.
    pub(super) fn load_asked(&mut self, pack: &str) -> Result<(), Vec<ScriptError>> {
        let module = format!("@{pack}/rules/score");
        if self.catalogue().scripts.contains_key(&module) {
            self.score = Some(self.function_of(&module)?);
        }
        let module = format!("@{pack}/rules/solve");
        if self.catalogue().scripts.contains_key(&module) {
            self.solver = self.functions_of(&module)?;
        }
        Ok(())
    }

    /// The reference of the function that a module returns.
    fn function_of(&mut self, module: &str) -> Result<c_int, Vec<ScriptError>> {
        let value = self.vm.require(module).map_err(|e| vec![e])?;
        if !value.is_function() {
            return Err(vec![ScriptError::at(
                &format!("{module}.luau"),
                None,
                format!("a function must be returned here, not a {}", value.type_name()),
            )]);
        }
        let mut reference = 0;
        let kept = unsafe {
            self.vm
                .lua()
                .exec_raw::<()>(value, |l| reference = ffi::lua_ref(l, -1))
        };
        kept.map_err(|e| vec![ScriptError::from(e)])?;
        Ok(reference)
    }

    /// The names and references of the functions in the table that a module returns; every fault of it otherwise.
    fn functions_of(&mut self, module: &str) -> Result<Vec<(String, c_int)>, Vec<ScriptError>> {
        let chunk = format!("{module}.luau");
        let wrong = |what: String| ScriptError::at(&chunk, None, what);
        let value = self.vm.require(module).map_err(|e| vec![e])?;
        if !value.is_table() {
            return Err(vec![wrong(format!(
                "a table of functions by name must be returned here, not a {}: `return {{ goal = function(information) ... end }}`",
                value.type_name()
            ))]);
        }
        let mut found = Vec::new();
        let mut strangers = Vec::new();
        let listed = unsafe {
            self.vm.lua().exec_raw::<()>(value, |l| {
                let mut place = 0;
                loop {
                    place = ffi::lua_rawiter(l, 1, place);
                    if place < 0 {
                        break;
                    }
                    let kind = ffi::lua_type(l, -1);
                    match text_at(l, -2) {
                        Some(name) if kind == ffi::LUA_TFUNCTION && QUESTIONS.contains(&name) => {
                            found.push((name.to_string(), ffi::lua_ref(l, -1)));
                        }
                        name => {
                            let kind = std::ffi::CStr::from_ptr(ffi::lua_typename(l, kind));
                            let name = name.map(|name| name.to_string()).unwrap_or_default();
                            strangers.push((name, kind.to_string_lossy().into_owned()));
                        }
                    }
                    ffi::lua_pop(l, 2);
                }
                ffi::lua_settop(l, 0);
            })
        };
        listed.map_err(|e| vec![ScriptError::from(e)])?;
        strangers.sort();
        let mut problems: Vec<ScriptError> = strangers
            .iter()
            .map(|(name, kind)| {
                wrong(if QUESTIONS.contains(&name.as_str()) {
                    format!("`{name}` must be a function, not a {kind}")
                } else {
                    let known = format!("it may return {}", QUESTIONS.join(", "));
                    format!(
                        "`ludex solve` asks for no `{}`{}",
                        shown(name.as_bytes()),
                        hint_and(name, QUESTIONS, &known)
                    )
                })
            })
            .collect();
        let told = |question: &str| strangers.iter().any(|(name, _)| name == question);
        if !found.iter().any(|(name, _)| name == QUESTIONS[0]) && !told(QUESTIONS[0]) {
            problems.push(wrong(format!(
                "the function `{}` is missing, which `ludex solve` needs",
                QUESTIONS[0]
            )));
        }
        if problems.is_empty() {
            Ok(found)
        } else {
            Err(problems)
        }
    }

    pub fn has_score(&self) -> bool {
        self.score.is_some()
    }

    /// `score(seat)`: what the game says a state is worth to a seat.
    pub fn score(&mut self, seat: &str) -> Result<f64, ScriptError> {
        let Some(score) = self.score else {
            return Err(ScriptError::new(
                "this game has no rules/score.luau, which bots that look ahead need",
            ));
        };
        let result = self.call(score, |l, _| unsafe {
            ffi::lua_pushlstring_(l, seat.as_ptr().cast(), seat.len());
            1
        })?;
        match result {
            Value::Number(n) => Ok(n),
            other => Err(ScriptError::new(format!(
                "rules/score.luau must return a number, not a {}",
                other.type_name()
            ))),
        }
    }

    /// Whether the game's `rules/solve.luau` answers a question.
    pub fn can_solve(&self, question: &str) -> bool {
        self.solver.iter().any(|(name, _)| name == question)
    }

    /// What a function of `rules/solve.luau` says of the state and a text: `player` or `all` for what it may rest on,
    /// or an entry.
    pub fn solve(&mut self, question: &str, about: &str) -> Result<Value, ScriptError> {
        let Some((_, function)) = self.solver.iter().find(|(name, _)| name == question) else {
            let lacks = if self.solver.is_empty() {
                "this game has no rules/solve.luau, so there is nothing to solve".to_owned()
            } else {
                format!("this game's rules/solve.luau has no function `{question}`, which is needed for this")
            };
            return Err(ScriptError::new(lacks));
        };
        self.call(*function, |l, _| unsafe {
            ffi::lua_pushlstring_(l, about.as_ptr().cast(), about.len());
            1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::QUESTIONS;

    #[test]
    fn the_readme_tells_every_question_and_no_other() {
        let readme = include_str!("../../README.md");
        let (_, told) = readme
            .split_once("| function | what it returns |")
            .expect("a table");
        let told = told.lines().skip(2).take_while(|line| line.starts_with('|'));
        let told: Vec<&str> = told
            .filter_map(|line| line.strip_prefix("| `")?.split('(').next())
            .collect();
        assert_eq!(told, QUESTIONS);
    }
}
