//! Modules: how they load, freeze and fail.
use mlua::Value;

use super::super::{Budget, Kill};
use super::{run, vm, vm_with};

fn module_error(files: &[(&str, &str)], id: &str) -> String {
    let vm = vm(files);
    let error = vm.require(id).expect_err(id).to_string();
    assert_eq!(run(&vm, "return 1").as_deref(), Ok("1"));
    error
}

#[test]
fn modules_load_once_and_are_frozen() {
    let files = [
        (
            "@a/main",
            "local lib = require('./lib/list') return { lib = lib, same = lib == require('@a/lib/list') }",
        ),
        (
            "@a/lib/list",
            "local kept = { 1 } local t = { inner = {} } function t.get() return kept end return t",
        ),
    ];
    let vm = vm(&files);
    let Value::Table(main) = vm.require("@a/main").expect("loads") else {
        panic!("no table")
    };
    assert!(main.get::<bool>("same").expect("set"));
    let read = |source: &str| {
        let function = vm.load("@a/use.luau", source).expect("loads");
        vm.call(&function, ()).expect_err(source).to_string()
    };
    assert_eq!(
        read("require('./main').x = 1"),
        "@a/use.luau:1: attempt to modify a readonly table"
    );
    assert_eq!(
        read("require('./main').lib.inner.x = 1"),
        "@a/use.luau:1: attempt to modify a readonly table"
    );
    assert_eq!(
        read("require('./main').lib.get()[1] = 2"),
        "@a/use.luau:1: attempt to modify a readonly table"
    );
}

#[test]
fn a_rule_cannot_keep_state() {
    let message = "@a/x.luau:2: a rule cannot keep state in `n`; keep it in a field of `game` or a unit";
    let sources = [
        "local n = 0 return { add = function()\n n += 1 return n end }",
        "local function make() local n = 0 return function()\n n += 1 return n end end return { add = make() }",
        "local n = {}\nlocal m = { add = function() return function()\n n = {} end end } return m",
    ];
    for source in &sources[..2] {
        assert_eq!(module_error(&[("@a/x", source)], "@a/x"), message);
    }
    assert!(
        module_error(&[("@a/x", sources[2])], "@a/x")
            .ends_with("3: a rule cannot keep state in `n`; keep it in a field of `game` or a unit")
    );
}

#[test]
fn module_errors_name_the_place() {
    let broken = [
        ("@a/main", "\nlocal x = require('./x')"),
        ("@a/x", "\n\nerror('boom')"),
    ];
    assert_eq!(module_error(&broken, "@a/main"), "@a/x.luau:3: boom");
    let error = vm(&broken).require("@a/main").expect_err("fails");
    let trace: Vec<_> = error
        .trace
        .iter()
        .map(|frame| format!("{}:{}", frame.chunk, frame.line))
        .collect();
    assert_eq!(trace, ["@a/x.luau:3", "@a/main.luau:2"]);
    let files = [("@a/main", "return require('./x')"), ("@a/x", "local x =\nlocal")];
    assert_eq!(
        module_error(&files, "@a/main"),
        "@a/x.luau:2: Expected identifier when parsing expression, got 'local'"
    );
    let circle = [
        ("@a/x", "return require('./y')"),
        ("@a/y", "return require('./x')"),
    ];
    assert_eq!(
        module_error(&circle, "@a/x"),
        "@a/y.luau:1: modules require each other in a circle: @a/x -> @a/y -> @a/x"
    );
    assert_eq!(
        module_error(&[("@a/x", "return require('./z')")], "@a/x"),
        "@a/x.luau:1: there is no module `@a/z`; did you mean `@a/x`?"
    );
    let nothing = [("@a/x", "return require('./y')"), ("@a/y", "local a = 1")];
    assert_eq!(
        module_error(&nothing, "@a/x"),
        "@a/x.luau:1: `@a/y` returns nothing; a module ends with `return`"
    );
    assert!(vm(&nothing).require("@a/y").expect("loads").is_nil());
    assert_eq!(
        module_error(
            &[("@a/x", "return require('@hidden/y')"), ("@hidden/y", "")],
            "@a/x"
        ),
        "@a/x.luau:1: `a` doesn't depend on `@hidden/y`"
    );
}

#[test]
fn modules_load_under_the_budget() {
    let files = [
        ("@a/loop", "local a = 1\nwhile true do end"),
        ("@a/big", "local s = 'x'\nwhile true do s ..= s end"),
    ];
    let vm = vm_with(
        &files,
        Budget {
            safepoints: 10_000,
            memory: 4 << 20,
            ..Budget::default()
        },
    );
    let error = |id| {
        vm.start_budget();
        let error = vm.require(id).expect_err(id);
        assert_eq!(run(&vm, "return 1").as_deref(), Ok("1"));
        (error.to_string(), error.kill)
    };
    let message = "@a/loop.luau:2: the step took more than 10000 calls and loop turns";
    assert_eq!(error("@a/loop"), (message.into(), Some(Kill::Safepoints)));
    let message = "@a/big.luau:2: the script used more than 4 MiB of memory";
    assert_eq!(error("@a/big"), (message.into(), Some(Kill::Memory)));
    let caught = run(&vm, "pcall(require, '@a/loop') return 'caught'").expect_err("killed");
    assert_eq!(caught.kill, Some(Kill::Safepoints));
}

#[test]
fn checks_without_running() {
    let vm = vm(&[]);
    assert_eq!(vm.compile_check("@a/x.luau", "while true do end"), Ok(()));
    let error = vm
        .compile_check("@a/x.luau", "local a = 1\nreturn tabel.x")
        .expect_err("refused");
    assert_eq!(
        error.to_string(),
        "@a/x.luau:2: there is no global `tabel`; did you mean `table`?"
    );
}

#[test]
fn a_chain_of_modules_has_an_end() {
    let name = |number: usize| format!("@a/m{number}");
    let mut files: Vec<(String, String)> = (1..150)
        .map(|number| (name(number), format!("return require('./m{}')", number + 1)))
        .collect();
    files.push((name(150), "return 1".into()));
    let files: Vec<(&str, &str)> = files.iter().map(|(id, source)| (&**id, &**source)).collect();
    let vm = vm(&files);
    let told = "modules require each other more than 100 deep: @a/m1 -> @a/m2 -> ... -> @a/m100 -> @a/m101";
    let of = |number: usize| {
        vm.require(&name(number))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    let error = of(1).unwrap_err();
    assert!(error.contains(told), "{error}");
    // Whatever needs it fails alike, at once.
    assert_eq!(of(100).unwrap_err(), error);
    assert_eq!(of(101), Ok(()));
}
