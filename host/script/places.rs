//! Where things that scripts define were defined.
use mlua::ffi;

use super::Program;
use super::call::push_reference;
use super::vm::raw::c_text;

impl Program {
    /// File and line of a step's function: `content/pebbles/rules/turn.luau:18`.
    pub fn step_place(&self, name: &str) -> Option<String> {
        let function = self.world.step_function(name)?;
        let l = self.main;
        let (chunk, line) = unsafe {
            let mut debug = std::mem::zeroed::<ffi::lua_Debug>();
            push_reference(l, function);
            // The function is the stack's top; what is told of it lives as long as its chunk.
            ffi::lua_getinfo(l, -1, c"s".as_ptr(), &mut debug);
            ffi::lua_pop(l, 1);
            (c_text(debug.short_src), debug.linedefined)
        };
        let module = chunk.trim_end_matches(".luau");
        let file = self
            .world
            .catalogue
            .scripts
            .get(module)
            .map_or(chunk.as_str(), |script| &script.file);
        Some(format!("{file}:{line}"))
    }
}
