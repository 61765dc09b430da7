//! From source to checked bytecode, and the cache of what was compiled.
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use mlua::ffi;
use xxhash_rust::xxh3::xxh3_128;

use super::budget::Bytes;
use super::bytecode::{Chunk, GlobalUse, Write};
use super::each;
use super::error::ScriptError;
use super::rewrite::order_loops;

/// Bytecode with what the host knows about it.
#[derive(Debug)]
pub struct Compiled {
    pub bytecode: Vec<u8>,
    /// Uses of globals, each name once for reads and once for writes, by its first line.
    pub globals: Vec<GlobalUse>,
    /// For each function by `bytecodeid`, the first outer variable that it writes.
    writes: Vec<Option<Write>>,
}

/// Why a source doesn't compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub line: Option<u32>,
    pub message: String,
}

impl Refused {
    pub fn at(self, chunk: &str) -> ScriptError {
        ScriptError::at(chunk, self.line, self.message)
    }
}

impl Compiled {
    /// The outer variable that a function writes, if there is one.
    pub fn kept(&self, bytecodeid: i32) -> Option<&Write> {
        self.writes.get(usize::try_from(bytecodeid).ok()?)?.as_ref()
    }
}

/// Compiles a source of at most `limit` bytes.
pub fn compile(source: &str, limit: usize) -> Result<Compiled, Refused> {
    let refuse = |line, message: &str| Refused {
        line,
        message: message.into(),
    };
    if source.len() > limit {
        let message = format!(
            "the source has {}; the limit is {}",
            Bytes(source.len()),
            Bytes(limit)
        );
        return Err(Refused { line: None, message });
    }
    if source.bytes().any(|byte| byte < b'\t') {
        return Err(refuse(
            None,
            "this is not Luau source: it has bytes that no text has",
        ));
    }
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let ordered = order_loops(source).map_err(|e| Refused {
        line: Some(e.line),
        message: e.message,
    })?;
    let (bytecode, chunk) = to_chunk(&ordered, 1)?;
    if let Some(line) = chunk.unordered(each::NAME) {
        return Err(refuse(
            Some(line),
            "this loop can't be put in order; name its list before the loop",
        ));
    }
    let mut writes = chunk.writes();
    if writes.iter().any(|writes| !writes.is_empty()) {
        // Once more, with the names of variables.
        let (_, named) = to_chunk(&ordered, 2)?;
        let named_writes = named.writes();
        if let Some(write) = named.kept(&named_writes).first() {
            return Err(Refused {
                line: Some(write.line),
                message: write.sentence(),
            });
        }
        if !chunk.kept(&writes).is_empty() || named_writes.len() != writes.len() {
            return Err(refuse(
                None,
                "this chunk keeps state in a variable; keep it in a field of `game` or a unit",
            ));
        }
        writes = named_writes;
    }
    let writes = writes
        .into_iter()
        .map(|writes| writes.into_iter().next())
        .collect();
    let mut first = BTreeMap::new();
    for GlobalUse { name, line, writes } in chunk.globals() {
        let known = first.entry((name, writes)).or_insert(line);
        *known = line.min(*known);
    }
    let uses = first
        .into_iter()
        .map(|((name, writes), line)| GlobalUse { name, line, writes });
    let mut globals: Vec<_> = uses.collect();
    globals.sort_by_key(|use_| use_.line);
    Ok(Compiled {
        bytecode,
        globals,
        writes,
    })
}

/// Every use of a global in a source, each with its line; `None` if the source doesn't compile.
pub fn global_uses(source: &str) -> Option<Vec<GlobalUse>> {
    let (_, chunk) = to_chunk(&order_loops(source).ok()?, 1).ok()?;
    Some(chunk.globals())
}

/// Whether more text could make an unfinished source whole, for consoles that read line by line.
pub fn is_unfinished(source: &str) -> bool {
    if is_source(source) || is_expression(source) {
        return false;
    }
    let message = |source: &str| {
        syntax_error(source)
            .map(|refused| refused.message)
            .unwrap_or_default()
    };
    let lacks_end = |source: &str| {
        let message = message(source);
        message.ends_with("got <eof>") || message.contains("unfinished")
    };
    // A text in long brackets may go over lines, one in quotes may not.
    let in_brackets = || {
        const MALFORMED: &str = "Malformed string";
        let ends = ["]]", "]=]", "]==]"];
        message(source).starts_with(MALFORMED)
            && ends
                .iter()
                .any(|end| !message(&format!("{source}{end}")).starts_with(MALFORMED))
    };
    lacks_end(source) || lacks_end(&format!("return {source}")) || in_brackets()
}

/// What keeps a text from being read as statements, if anything does.
pub fn syntax_error(source: &str) -> Option<Refused> {
    to_chunk(source, 0).err()
}

/// Whether a text compiles as statements.
pub fn is_source(source: &str) -> bool {
    to_bytecode(source, 0).first() != Some(&0)
}

/// Whether a text compiles as a list of expressions.
pub fn is_expression(source: &str) -> bool {
    is_source(&format!("return {source}\n"))
}

fn to_chunk(source: &str, debug: i32) -> Result<(Vec<u8>, Chunk), Refused> {
    let bytecode = to_bytecode(source, debug);
    if let Some((0, message)) = bytecode.split_first() {
        // `:12: message`
        let text = String::from_utf8_lossy(message);
        let parts = text.strip_prefix(':').and_then(|rest| rest.split_once(": "));
        return Err(
            match parts.and_then(|(line, message)| Some((line.parse().ok()?, message))) {
                Some((line, message)) => Refused {
                    line: Some(line),
                    message: message.replace(each::NAME, ""),
                },
                None => Refused {
                    line: None,
                    message: text.into_owned(),
                },
            },
        );
    }
    match Chunk::read(&bytecode) {
        Some(chunk) => Ok((bytecode, chunk)),
        None => Err(Refused {
            line: None,
            message: "the compiler's output can't be checked".into(),
        }),
    }
}

fn to_bytecode(source: &str, debug: i32) -> Vec<u8> {
    // The replacement refuses what the fast call would let through.
    let replaced = [c"setmetatable".as_ptr(), std::ptr::null()];
    // Their fields change, and Luau would resolve `game.points` once, when a chunk loads.
    let living = [c"game".as_ptr(), c"options".as_ptr(), std::ptr::null()];
    let mut options = ffi::lua_CompileOptions::default();
    options.mutableGlobals = living.as_ptr();
    // Level 2 inlines functions, and traces would miss their calls.
    options.optimizationLevel = 1;
    options.debugLevel = debug;
    options.vectorCtor = c"vector".as_ptr();
    options.disabledBuiltins = replaced.as_ptr();
    // SAFETY: source and options outlive the call, which keeps none of them.
    unsafe { ffi::luau_compile(source.as_bytes(), options) }
}

/// Compiled modules by the hash of their source, shared by VMs and threads.
#[derive(Default)]
pub struct BytecodeCache {
    modules: Mutex<Modules>,
}

#[derive(Default)]
struct Modules {
    by_hash: HashMap<u128, Arc<Compiled>>,
    bytes: usize,
}

/// Bytecode that the cache holds; a day of edits stays far below.
const CACHED: usize = 64 << 20;

impl BytecodeCache {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The compiled source, from the cache if it was seen before.
    pub fn compile(&self, source: &str, limit: usize) -> Result<Arc<Compiled>, Refused> {
        let hash = xxh3_128(source.as_bytes());
        if let Some(compiled) = self.lock().by_hash.get(&hash) {
            return Ok(compiled.clone());
        }
        let compiled = Arc::new(compile(source, limit)?);
        let mut modules = self.lock();
        modules.bytes += compiled.bytecode.len();
        if modules.bytes > CACHED {
            *modules = Modules {
                bytes: compiled.bytecode.len(),
                ..Modules::default()
            };
        }
        modules.by_hash.insert(hash, compiled.clone());
        Ok(compiled)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Modules> {
        // Nothing that holds the lock can leave the map half changed.
        self.modules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(source: &str) -> (Option<u32>, String) {
        let refused = compile(source, 1 << 20).expect_err(source);
        (refused.line, refused.message)
    }

    #[test]
    fn refuses_variables_that_functions_keep() {
        let message = "a rule cannot keep state in `count`; keep it in a field of `game` or a unit";
        let sources = [
            "local count = 0\nlocal function f()\n count += 1\nend\nreturn f",
            "local count = 0\nreturn { f = function()\n count = 2\nend }",
            "local count\nlocal function g() return function()\n count = 1 end end\nreturn g",
            "do\nlocal count = 0 function M()\n count = 1 end end",
        ];
        for source in sources {
            assert_eq!(refusal(source), (Some(3), message.into()), "{source}");
        }
    }

    #[test]
    fn lets_functions_write_what_is_their_own() {
        let sources = [
            "local even, odd\nfunction even(n) return n == 0 or odd(n - 1) end\nodd = function(n) return even(n) end",
            "return function() local n = 0 local function add() n += 1 end add() return n end",
            "local t = {} return function() return t end",
            "local x = 1 x = 2 return function() return x end",
        ];
        for source in sources {
            assert!(compile(source, 1 << 20).is_ok(), "{source}");
        }
    }

    #[test]
    fn names_the_line_of_what_does_not_parse() {
        assert_eq!(refusal("local x = 1\nlocal = 2").0, Some(2));
        assert_eq!(
            refusal("\u{1}abc"),
            (
                None,
                "this is not Luau source: it has bytes that no text has".into()
            )
        );
        let long = "-".repeat((1 << 20) + 1);
        assert_eq!(
            refusal(&long),
            (None, "the source has 1048577 bytes; the limit is 1 MiB".into())
        );
    }

    #[test]
    fn every_loop_is_seen_in_the_bytecode() {
        let (_, chunk) = to_chunk("for k, v in t do end", 1).expect("compiles");
        assert_eq!(chunk.unordered(each::NAME), Some(1));
        let source =
            order_loops("local f = 1\nfor k, v in a and b.c or d(1, f), 2 do end for k in pairs(x) do end");
        let (_, chunk) = to_chunk(&source.expect("rewritten"), 1).expect("compiles");
        assert_eq!(chunk.unordered(each::NAME), None);
    }

    #[test]
    fn the_cache_compiles_once() {
        let cache = BytecodeCache::new();
        let first = cache.compile("return 1", 100).expect("compiles");
        let second = cache.compile("return 1", 100).expect("compiles");
        assert!(Arc::ptr_eq(&first, &second));
    }
}
