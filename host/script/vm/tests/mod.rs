//! The VM from outside: what rules see, and what the host is told.
mod kills;
mod modules;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use mlua::Value;

use super::{Budget, BytecodeCache, ModuleSource, Modules, Outcome, ScriptError, Vm, hint};

/// Modules from a list of `("@pack/path", source)`; every pack may require every other.
pub struct Files(BTreeMap<String, String>);

impl Modules for Files {
    fn source(&self, id: &str) -> Option<ModuleSource> {
        let source = self.0.get(id)?;
        Some(ModuleSource {
            chunk: format!("{id}.luau"),
            source: source.as_str().into(),
        })
    }

    fn may_require(&self, from: &str, target: &str) -> Result<(), String> {
        if target.starts_with("@hidden/") {
            let hint = hint(
                target,
                self.0
                    .keys()
                    .map(String::as_str)
                    .filter(|id| !id.starts_with("@hidden")),
            );
            return Err(format!("`{from}` doesn't depend on `{target}`{hint}"));
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

pub fn vm_with(files: &[(&str, &str)], budget: Budget) -> Vm {
    let files = files
        .iter()
        .map(|(id, source)| (id.to_string(), source.to_string()))
        .collect();
    let vm = Vm::new(Rc::new(Files(files)), budget, BytecodeCache::new()).expect("a VM");
    // SAFETY: `choose` yields its arguments, as the session's does.
    unsafe {
        vm.lua()
            .exec_raw::<()>((), |state| {
                crate::script::vm::raw::push_function(state, choose, c"choose", 0);
                mlua::ffi::lua_setglobal(state, c"choose".as_ptr());
            })
            .expect("set");
    }
    vm.freeze().expect("frozen");
    vm
}

unsafe extern "C-unwind" fn choose(state: *mut mlua::lua_State) -> i32 {
    unsafe { mlua::ffi::lua_yield(state, mlua::ffi::lua_gettop(state)) }
}

pub fn vm(files: &[(&str, &str)]) -> Vm {
    vm_with(
        files,
        Budget {
            step_time: Duration::from_secs(20),
            ..Budget::default()
        },
    )
}

/// Runs a source as a step: its results as text, or its error.
pub fn run(vm: &Vm, source: &str) -> Result<String, ScriptError> {
    vm.start_budget();
    let thread = vm.lua().create_thread(vm.load("@stones/step.luau", source)?)?;
    match vm.resume(&thread, ()) {
        Outcome::Returned(values) => Ok(values.iter().map(show).collect::<Vec<_>>().join(" ")),
        Outcome::Yielded(_) => Ok("yielded".into()),
        Outcome::Failed(error) | Outcome::Killed(_, error) => Err(error),
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string_lossy(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Nil => "nil".into(),
        other => other.type_name().into(),
    }
}

#[track_caller]
fn gives(source: &str, expected: &str) {
    let result = run(&vm(&[]), source);
    assert_eq!(
        result.as_deref().map_err(ToString::to_string),
        Ok(expected),
        "{source}"
    );
}

#[track_caller]
fn fails(source: &str, expected: &str) {
    let error = run(&vm(&[]), source).expect_err(source);
    assert_eq!(
        error.to_string(),
        format!("@stones/step.luau:{expected}"),
        "{source}"
    );
}

#[test]
fn runs_a_script() {
    gives(
        "local t = {} for i = 1, 3 do t[i] = i * 2 end return table.concat(t, ',')",
        "2,4,6",
    );
}

#[test]
fn no_address_is_ever_printed() {
    gives(
        "return tostring({}), tostring(tostring), `{ {} }`, ('%s %*'):format({}, pairs)",
        "table function table table function",
    );
    gives(
        "return tostring(vector(1, -2)), tostring(vector(1, 2, 3)), `{vector.create(0, 1)}`",
        "(1,-2) board 3:(1,2) (0,1)",
    );
    gives(
        "return tostring(setmetatable({}, { __tostring = function() return 'me' end }))",
        "me",
    );
    gives(
        "return string.format('%d %5.1f %s %s %%', 3, 2.5, nil, true)",
        "3   2.5 nil true %",
    );
}

#[test]
fn iterates_in_the_order_of_keys() {
    let walk = "local keys = {} for k, v in t do table.insert(keys, tostring(k) .. '=' .. tostring(v)) end return table.concat(keys, ' ')";
    gives(
        &format!(
            "local t = {{ zebra = 1, apple = 2, [true] = 3, [10] = 4, [2] = 5, [vector(1, 0)] = 6 }} {walk}"
        ),
        "true=3 2=5 10=4 apple=2 zebra=1 (1,0)=6",
    );
    gives(&format!("local t = {{ 'a', 'b', 'c' }} {walk}"), "1=a 2=b 3=c");
    gives(&format!("local t = {{ 'a', 'b', x = 1 }} {walk}"), "1=a 2=b x=1");
    gives(&format!("local t = {{ 'a', nil, 'c' }} {walk}"), "1=a 3=c");
    gives(
        "local n = 0 for k in pairs({ b = 1, a = 2 }) do n = n * 10 + #k end return n",
        "11",
    );
    gives(
        "local s = '' for k, v in string.gmatch('a=1,b=2', '(%w)=(%w)') do s ..= k .. v end return s",
        "a1b2",
    );
    gives(
        "local t = { a = 1, b = 2, c = 3 } for k in t do t[k] = nil t.c = nil end return (t.c)",
        "nil",
    );
    gives(
        "local s = '' for a, b in setmetatable({}, { __iter = function() return function(_, i) i = (i or 0) + 1 if i < 4 then return i, i end end end }) do s ..= a end return s",
        "123",
    );
    fails(
        "for k in { [{}] = 1 } do end",
        "1: this table has tables, functions or the like as keys; such keys have no order that is the same in every run. Walk a list instead",
    );
    fails(
        "local x\nfor k in x do end",
        "2: `for ... in` needs a table or an iterator; this is nil",
    );
}

#[test]
fn globals_are_strict() {
    fails(
        "local a = 1\nreturn tablle",
        "2: there is no global `tablle`; did you mean `table`?",
    );
    fails(
        "x = 1",
        "1: `x` would be a global variable; declare it with `local x`",
    );
    fails(
        "return print(1)",
        "1: `print` is not available to rules; use `log`",
    );
    fails(
        "return math.flor(1)",
        "1: `math` has no `flor`; did you mean `floor`?",
    );
    fails(
        "return math.random(1)",
        "1: `math.random` is not available to rules; use `dice`",
    );
    fails(
        "return ('x'):uper()",
        "1: `string` has no `uper`; did you mean `upper`?",
    );
}

#[test]
fn shared_tables_are_frozen() {
    fails("table.insert = nil", "1: attempt to modify a readonly table");
    fails("string.format = nil", "1: attempt to modify a readonly table");
    gives(
        "return getmetatable(''), getmetatable(vector(1, 1)), getmetatable(math)",
        "false false false",
    );
    fails("setmetatable(math, {})", "1: cannot change a protected metatable");
    fails(
        "setmetatable({}, { __mode = 'k' })",
        "1: weak tables (`__mode`) are not available: they would make play differ",
    );
    fails(
        "local m = {} setmetatable({}, m) m.__mode = 'k'",
        "1: attempt to modify a readonly table",
    );
}

#[test]
fn pcall_yields_and_reports() {
    let vm = vm(&[]);
    let source = "local ok, value = pcall(function() return choose('?') + 1 end) return ok, value";
    vm.start_budget();
    let thread = vm
        .lua()
        .create_thread(vm.load("@stones/step.luau", source).expect("loads"))
        .expect("thread");
    assert!(matches!(vm.resume(&thread, ()), Outcome::Yielded(values) if values.len() == 1));
    match vm.resume(&thread, 41) {
        Outcome::Returned(values) => assert_eq!(values.iter().map(show).collect::<Vec<_>>(), ["true", "42"]),
        other => panic!("{other:?}"),
    }
    gives("return pcall(error, 'a')", "false a");
    gives("return pcall(error, { code = 1 })", "false table");
    gives("return xpcall(function(a) return a end, pairs, 5)", "true 5");
    gives(
        "return xpcall(function() error('x', 0) end, function(e) return e .. '!' end)",
        "false x!",
    );
    gives(
        "return xpcall(function() error('x', 0) end, function(e) error('y', 0) end)",
        "false y",
    );
    gives("return pcall(pcall)", "false missing argument #1");
}

#[test]
fn error_values_of_any_kind_become_text() {
    fails(
        "error({ code = 'no_points', at = { 1, 2 } })",
        "1: an error value was raised: { at = { [1] = 1, [2] = 2 }, code = \"no_points\" }",
    );
    fails("error({ message = 'no charge' })", "1: no charge");
    fails("error(nil)", "1: an error without a message was raised");
    fails("error(12)", "1: 12");
    fails("error(pairs)", "1: an error value was raised: function");
    fails(
        "error(setmetatable({}, { __tostring = function() return 'mine' end }))",
        "1: mine",
    );
    fails(
        "error(setmetatable({}, { __tostring = function() error('again') end }))",
        "1: an error whose text can't be made was raised",
    );
    fails("error('at level two', 2)", "1: at level two");
}

#[test]
fn positions_survive_callbacks_and_threads() {
    fails(
        "\n\ntable.sort({ 1, 2, 3 }, function(a, b)\n return a.x < b end)",
        "4: attempt to index number with 'x'",
    );
    fails(
        "string.gsub('abc', '.',\n function() error('in gsub') end)",
        "2: in gsub",
    );
    fails(
        "\nstring.rep('x', 2^40)",
        "2: `string.rep` would make a text of 1099511627776 bytes; the limit is 1 MiB",
    );
    let error = run(
        &vm(&[]),
        "local function inner()\n error('deep')\nend\nlocal function outer()\n inner()\n return 1\nend\nouter()\nreturn 1",
    );
    let trace = error.expect_err("fails").trace;
    let trace: Vec<_> = trace
        .iter()
        .map(|frame| (frame.line, frame.function.as_deref()))
        .collect();
    assert_eq!(trace, [(2, Some("inner")), (5, Some("outer")), (8, None)]);
}
