//! What only spec files get: `test`, and the count of assertions.
use std::ffi::CStr;

use mlua::ffi;

use super::raw_fn;
use crate::script::call::{Answer, Call};
use crate::tabletop::Value;

/// Functions of the spec prelude.
pub const PRELUDE: &[(&CStr, mlua::lua_CFunction)] = &[
    (c"asserted", raw_fn!(asserted)),
    (c"explanations", raw_fn!(explanations)),
    (c"hint", super::flow::HINT),
];

/// The global `test`.
pub const TEST: (&CStr, mlua::lua_CFunction) = (c"test", raw_fn!(test));

fn asserted(c: &mut Call) -> Answer {
    c.world().assertions += 1;
    Ok(0)
}

/// The explanations of automatic choices so far, oldest first.
fn explanations(c: &mut Call) -> Answer {
    let list: Vec<Value> = c.world().explanations().cloned().collect();
    c.push_value(&Value::List(list.into()));
    Ok(1)
}

fn test(c: &mut Call) -> Answer {
    let name = c.text(1)?.to_owned();
    c.function(2)?;
    if c.world().cases.iter().any(|(known, _)| *known == name) {
        return Err(format!("the case \"{name}\" is there twice"));
    }
    let reference = unsafe { ffi::lua_ref(c.l, 2) };
    c.world().cases.push((name, reference));
    Ok(0)
}
