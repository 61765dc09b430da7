//! The API that scripts see. One record for each function: the installer, the help, completion, the
//! type definitions and the test that runs every example read it.
mod arguments;
pub mod board;
mod choose;
pub mod content;
pub mod dice;
pub mod flow;
pub mod library;
pub mod piles;
pub mod search;
pub mod spec;
pub mod types;
pub mod units;

use std::ffi::CStr;

/// How a function gets into the VM.
#[derive(Clone, Copy)]
pub enum Body {
    /// A raw function of the host.
    Raw(&'static CStr, mlua::lua_CFunction),
    /// Written in the host's own Luau prelude, under the record's name.
    Prelude,
    /// A method that the handles' metatable answers.
    Method,
    /// Only in spec files: `test`, or what a case is given as `t`.
    Spec,
}

/// One documented API function.
#[derive(Clone, Copy)]
pub struct Record {
    /// `dice.int`, `log`, `pile:put`.
    pub name: &'static str,
    /// Luau type without the name.
    pub signature: &'static str,
    pub doc: &'static str,
    /// Runs as a test in a game with stones; see `tests/api.rs`.
    pub example: &'static str,
    pub body: Body,
}

impl Record {
    pub const fn raw(
        name: &'static str,
        debug: &'static CStr,
        function: mlua::lua_CFunction,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            signature,
            doc,
            example,
            body: Body::Raw(debug, function),
        }
    }

    pub const fn method(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            signature,
            doc,
            example,
            body: Body::Method,
        }
    }

    pub const fn prelude(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            signature,
            doc,
            example,
            body: Body::Prelude,
        }
    }

    pub const fn spec(
        name: &'static str,
        signature: &'static str,
        doc: &'static str,
        example: &'static str,
    ) -> Self {
        Self {
            name,
            signature,
            doc,
            example,
            body: Body::Spec,
        }
    }
}

/// The raw function over a plain function, as a constant.
macro_rules! raw_fn {
    ($body:path) => {{
        unsafe extern "C-unwind" fn enter(l: *mut mlua::lua_State) -> std::ffi::c_int {
            unsafe { $crate::script::call::enter_with(l, $body) }
        }
        enter
    }};
}
pub(crate) use raw_fn;

/// Every record that rules may call, in the order of the manual.
pub fn records() -> impl Iterator<Item = &'static Record> + Clone {
    let tables = [units::RECORDS, piles::RECORDS, dice::RECORDS]
        .into_iter()
        .chain(board::RECORDS);
    tables
        .chain([content::RECORDS, flow::RECORDS, library::RECORDS, search::RECORDS])
        .flatten()
}

/// The records of the manual: what rules may call, and what spec files have besides.
pub fn documented() -> impl Iterator<Item = &'static Record> + Clone {
    records().chain(spec::RECORDS)
}
