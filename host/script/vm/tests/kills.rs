//! Kills and the host's hooks around a step.
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;
use std::sync::Mutex;
use std::time::Duration;

use super::super::{Budget, BytecodeCache, Kill, Outcome, Protect, Vm};
use super::{Files, run, vm, vm_with};

/// Wherever the budget ends a step, it is a kill, and the next step is as good as the first.
#[test]
fn a_kill_at_any_safepoint_is_clean() {
    let source = "
        local m = { __index = function(_, k) return k end }
        local t = setmetatable({ 3, 1, 2, x = 1 }, m)
        local ok, value = pcall(function()
            table.sort(t, function(a, b) return a < b end)
            local s = ('abc'):gsub('.', function(c) return c .. t.y end)
            for k, v in t do s ..= tostring(k) end
            local _, e = xpcall(error, function(e) return e .. '!' end, 'no')
            return s .. tostring(setmetatable({}, { __tostring = function() return e end }))
        end)
        return ok, value";
    let expected = "true aybycy123xno!";
    let vm = vm(&[]);
    assert_eq!(run(&vm, source).as_deref(), Ok(expected));
    let needed = vm.used_safepoints();
    for safepoints in 0..needed + 3 {
        let vm = vm_with(
            &[],
            Budget {
                safepoints,
                step_time: Duration::from_secs(20),
                ..Budget::default()
            },
        );
        match run(&vm, source) {
            Ok(value) => assert!(safepoints >= needed && value == expected, "{safepoints}"),
            Err(error) => assert!(
                error.kill == Some(Kill::Safepoints) && safepoints < needed,
                "{safepoints}"
            ),
        }
    }
}

#[test]
fn the_host_marks_and_undoes_around_pcall() {
    static LOG: Mutex<Vec<(u64, bool)>> = Mutex::new(Vec::new());
    let begin = |data: *mut c_void| data as u64;
    let end = |_, mark, failed| LOG.lock().expect("unpoisoned").push((mark, failed));
    let vm = vm(&[]);
    vm.set_protect(Some(Protect {
        data: 7 as *mut c_void,
        begin,
        end,
    }));
    let source =
        "pcall(error, 'x') pcall(function() choose() end) xpcall(error, function(e) return e end) return 1";
    vm.start_budget();
    let thread = vm
        .lua()
        .create_thread(vm.load("@stones/step.luau", source).expect("loads"))
        .expect("thread");
    assert!(matches!(vm.resume(&thread, ()), Outcome::Yielded(_)));
    assert_eq!(*LOG.lock().expect("unpoisoned"), [(7, true)]);
    assert!(matches!(vm.resume(&thread, ()), Outcome::Returned(_)));
    assert_eq!(
        *LOG.lock().expect("unpoisoned"),
        [(7, true), (7, false), (7, true)]
    );
}

/// A step that runs another thread, as look-ahead does, is killed with it.
#[test]
fn a_kill_in_a_nested_thread_ends_both() {
    thread_local!(static VM: Cell<*const Vm> = const { Cell::new(ptr::null()) });
    let files = Rc::new(Files(BTreeMap::new()));
    let budget = Budget {
        safepoints: 10_000,
        ..Budget::default()
    };
    let vm = Vm::new(files, budget, BytecodeCache::new()).expect("a VM");
    let imagine = |_: &mlua::Lua, function: mlua::Function| {
        // SAFETY: the test keeps the VM alive while scripts run.
        let vm = unsafe { &*VM.get() };
        vm.call(&function, ()).map(|_| ()).map_err(mlua::Error::external)
    };
    vm.set_global("imagine", vm.lua().create_function(imagine).expect("made"))
        .expect("set");
    vm.freeze().expect("frozen");
    VM.set(&raw const vm);
    for source in [
        "imagine(function() while true do end end) return 1",
        "while true do pcall(imagine, function() while true do end end) end",
        "imagine(function() imagine(function() pcall(function() while true do end end) end) end)",
        "imagine(function() table.sort({ 2, 1 }, function() imagine(function() while true do end end) end) end)",
    ] {
        let error = run(&vm, source).expect_err(source);
        assert_eq!(
            error.to_string(),
            "@stones/step.luau:1: the step took more than 10000 calls and loop turns"
        );
        assert_eq!(error.kill, Some(Kill::Safepoints));
        assert_eq!(
            run(&vm, "imagine(function() return 1 end) return 2").as_deref(),
            Ok("2")
        );
    }
    let error = run(&vm, "local a = 1\nimagine(function()\n error('inside') end)").expect_err("fails");
    assert_eq!(error.to_string(), "@stones/step.luau:3: inside");
    assert_eq!(
        run(&vm, "return pcall(imagine, function() error('inside') end)").as_deref(),
        Ok("false @stones/step.luau:1: inside")
    );
}
