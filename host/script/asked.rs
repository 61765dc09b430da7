//! What a game is asked beside its steps: `rules/score.luau` and `rules/solve.luau`.
use std::ffi::c_int;

use mlua::ffi;

use super::Program;
use super::call::text_at;
use super::vm::{ScriptError, hint};
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
            return Err(vec![ScriptError::new(format!(
                "{module}.luau must return a function"
            ))]);
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

    /// The names and references of the functions in the table that a module returns.
    fn functions_of(&mut self, module: &str) -> Result<Vec<(String, c_int)>, Vec<ScriptError>> {
        let wrong = |what: String| vec![ScriptError::new(format!("{module}.luau {what}"))];
        let value = self.vm.require(module).map_err(|e| vec![e])?;
        if !value.is_table() {
            return Err(wrong(format!(
                "must return a table of functions: {}",
                QUESTIONS.join(", ")
            )));
        }
        let mut found = Vec::new();
        let mut stranger = None;
        let listed = unsafe {
            self.vm.lua().exec_raw::<()>(value, |l| {
                let mut place = 0;
                loop {
                    place = ffi::lua_rawiter(l, 1, place);
                    if place < 0 {
                        break;
                    }
                    match text_at(l, -2) {
                        Some(name)
                            if ffi::lua_type(l, -1) == ffi::LUA_TFUNCTION && QUESTIONS.contains(&&*name) =>
                        {
                            found.push((name.to_string(), ffi::lua_ref(l, -1)));
                        }
                        name => stranger = Some(name.map(|name| name.to_string()).unwrap_or_default()),
                    }
                    ffi::lua_pop(l, 2);
                }
                ffi::lua_settop(l, 0);
            })
        };
        listed.map_err(|e| vec![ScriptError::from(e)])?;
        if let Some(name) = stranger {
            let hint = hint(&name, QUESTIONS);
            return Err(wrong(format!(
                "may only return functions that are asked for; `{name}` isn't one{hint}"
            )));
        }
        if !found.iter().any(|(name, _)| name == QUESTIONS[0]) {
            return Err(wrong(format!("lacks the function `{}`", QUESTIONS[0])));
        }
        Ok(found)
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
