//! What the scripts of one VM act on: the tabletop, the content and the caches between them and Lua.
use std::ffi::c_int;
use std::sync::Arc;

use mlua::ffi;
use mlua::lua_State;
use rustc_hash::FxHashMap as HashMap;

use super::atoms;
use crate::pack::model::Catalogue;
use crate::tabletop::{Space, Tabletop, UnitId};

/// What a name means on a unit of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    Unknown,
    BuiltIn(u8),
    Field(u16),
}

/// The world of one VM. It is boxed and never moves: raw functions hold its address.
pub struct World {
    pub tabletop: Tabletop,
    pub catalogue: Arc<Catalogue>,
    /// By kind, then atom.
    members: Vec<Vec<Member>>,
    /// Registry references of frozen tables, and the version of the tabletop that they were made for.
    lists: HashMap<(UnitId, u16), (c_int, u64)>,
    pub(super) kinds: HashMap<u16, (c_int, u64)>,
    pub(super) piles: HashMap<u16, (c_int, u64)>,
    pub(super) neighbours: HashMap<Space, c_int>,
    pub(super) spaces: HashMap<usize, c_int>,
    /// By definition index: registry reference of its frozen table.
    pub(super) definitions: Vec<Option<c_int>>,
    /// Whether a step runs that may `choose`, and how deep rules imagine.
    pub running: bool,
    /// The step function prefix that `next` resolves short names by.
    pub prefix: Arc<str>,
    /// Set by the driver: which step names exist.
    pub steps: Vec<Arc<str>>,
    /// Where each was defined, in the same order while packs load.
    pub step_places: Vec<String>,
    /// Tables of step functions by prefix, and what scripts hold of them, as registry references.
    pub(super) step_tables: Vec<(Box<str>, c_int, c_int)>,
    /// Step functions as registry references, once all is loaded.
    pub(super) functions: HashMap<Arc<str>, c_int>,
    /// Whether loading is over.
    pub loaded: bool,
    /// What scripts see while a plan asks about a state: a tabletop on which nothing is. The real one waits here.
    aside: Option<Box<Tabletop>>,
    /// Whether that is now.
    pub is_aside: bool,
    /// For each nested `imagine`: journal mark, push point, prefix, running.
    pub(super) imagined: Vec<(usize, usize, Arc<str>, bool)>,
    /// Merged code of definitions with overlays, as registry references.
    pub(super) codes: HashMap<String, c_int>,
    pub(super) vm: *const super::vm::Vm,
    /// Added to the tabletop's version, so that it never repeats when tabletops are swapped.
    pub generation: u64,
    /// Option values of the session.
    pub options: std::collections::BTreeMap<String, crate::tabletop::Value>,
    /// Cases that spec files registered, with their functions as registry references.
    pub cases: Vec<(String, c_int)>,
    /// Assertions that ran in the present case.
    pub assertions: u32,
    /// Loaded dice, for specs: by stream, what comes next.
    pub loaded_rolls: HashMap<u16, std::collections::VecDeque<i64>>,
    pub loaded_shuffles: HashMap<u16, std::collections::VecDeque<Vec<String>>>,
    /// Lines for the person at the REPL; scripts call `print` there.
    pub printed: Vec<String>,
    /// The search over a plan that runs.
    pub search: super::api::search::Running,
    /// What packs registered while they loaded, by registry and name, as registry references.
    pub(super) registries: std::collections::BTreeMap<(String, String), c_int>,
    /// Whether explanations are kept; simulations do without.
    pub explaining: bool,
    /// The last explanations, with where the journal was.
    explanations: Vec<(crate::tabletop::Mark, crate::tabletop::Value)>,
    /// Triggered rules that run now, outermost first: where the journal was, the rule and what it belongs to.
    pub(super) triggers: Vec<(crate::tabletop::Mark, Box<str>, crate::tabletop::Value)>,
}

impl World {
    /// A world over a tabletop. Interns every declared name: do it before any script loads.
    pub fn new(tabletop: Tabletop, catalogue: Arc<Catalogue>) -> Box<Self> {
        let definitions = vec![None; tabletop.declared().definitions.len()];
        let mut world = Box::new(Self {
            tabletop,
            catalogue,
            members: Vec::new(),
            lists: HashMap::default(),
            kinds: HashMap::default(),
            piles: HashMap::default(),
            neighbours: HashMap::default(),
            spaces: HashMap::default(),
            definitions,
            running: false,
            prefix: "".into(),
            steps: Vec::new(),
            step_places: Vec::new(),
            step_tables: Vec::new(),
            functions: HashMap::default(),
            loaded: false,
            aside: None,
            is_aside: false,
            imagined: Vec::new(),
            codes: HashMap::default(),
            vm: std::ptr::null(),
            generation: 0,
            options: Default::default(),
            cases: Vec::new(),
            assertions: 0,
            loaded_rolls: HashMap::default(),
            loaded_shuffles: HashMap::default(),
            printed: Vec::new(),
            search: Default::default(),
            registries: Default::default(),
            explaining: true,
            explanations: Vec::new(),
            triggers: Vec::new(),
        });
        world.members = world.member_tables();
        world
    }

    fn member_tables(&self) -> Vec<Vec<Member>> {
        let declared = self.tabletop.declared();
        let mut tables = Vec::new();
        for (index, kind) in declared.kinds.iter().enumerate() {
            let mut table = Vec::new();
            let mut set = |name: &str, member: Member| {
                if let Some(atom) = atoms::intern(name) {
                    let atom = atom as usize;
                    if table.len() <= atom {
                        table.resize(atom + 1, Member::Unknown);
                    }
                    table[atom] = member;
                }
            };
            if index != 0 {
                // Of the built-in names, those from `list` to `seen` are methods of piles.
                for built_in in (0..=atoms::built_in::MOVE).chain([21]) {
                    set(atoms::BUILT_IN[built_in], Member::BuiltIn(built_in as u8));
                }
            }
            for (slot, field) in kind.fields.iter().enumerate() {
                set(&field.name, Member::Field(slot as u16));
            }
            tables.push(table);
        }
        tables
    }

    /// What the name with an atom means on a unit of a kind.
    #[inline]
    pub fn member(&self, kind: u16, atom: c_int) -> Member {
        self.members[kind as usize]
            .get(atom as usize)
            .copied()
            .unwrap_or(Member::Unknown)
    }

    /// The bits of a unit's handle.
    #[inline]
    pub fn handle(&self, id: UnitId) -> u64 {
        // The game is there for good: its handle outlives any swap of tabletops.
        if id == crate::tabletop::GAME {
            return 0;
        }
        let born = self.tabletop.unit(id).map_or(0, |u| u.born);
        u64::from(born) << 32 | u64::from(id)
    }

    /// The unit of a handle, unless it is gone or a rollback took it away.
    #[inline]
    pub fn living(&self, bits: u64) -> Result<UnitId, String> {
        if bits == 0 {
            return Ok(crate::tabletop::GAME);
        }
        let id = bits as u32;
        if id == crate::tabletop::GAME {
            // It is on every tabletop, also on one that was opened later.
            return Ok(id);
        }
        match self.tabletop.unit(id) {
            Some(unit) if u64::from(unit.born) == bits >> 32 => Ok(id),
            _ => Err(format!("unit {id} no longer exists")),
        }
    }

    /// Pushes the list or map of a field as a frozen table, from the cache if it is still right.
    ///
    /// # Safety
    /// `l` is the state of this world's VM.
    pub(super) unsafe fn push_cached_field(world: *mut Self, l: *mut lua_State, unit: UnitId, slot: u16) {
        unsafe {
            let version = (*world).tabletop.versions().lists;
            let lists = &mut (*world).lists;
            if let Some((reference, at)) = lists.get(&(unit, slot))
                && *at == version
            {
                super::call::push_reference(l, *reference);
                return;
            }
            let value = match (*world).tabletop.unit(unit) {
                Some(unit) => unit.fields[slot as usize].clone(),
                None => crate::tabletop::Value::Nil,
            };
            super::call::push_value(l, world, &value);
            let reference = ffi::lua_ref(l, -1);
            let lists = &mut (*world).lists;
            if let Some((old, _)) = lists.insert((unit, slot), (reference, version)) {
                ffi::lua_unref(l, old);
            }
        }
    }

    /// Swaps in another tabletop, such as one opened from a save. Caches are kept by version, so they
    /// must be dropped: handles of the old tabletop no longer count.
    ///
    /// # Safety
    /// `l` is the state of this world's VM.
    pub unsafe fn replace_tabletop(&mut self, l: *mut lua_State, tabletop: Tabletop) {
        let caches = [&mut self.kinds, &mut self.piles];
        for cache in caches {
            for (_, (reference, _)) in cache.drain() {
                unsafe { ffi::lua_unref(l, reference) };
            }
        }
        for (_, (reference, _)) in self.lists.drain() {
            unsafe { ffi::lua_unref(l, reference) };
        }
        self.generation += self.tabletop.versions().any + 1;
        self.imagined.clear();
        self.triggers.clear();
        self.explanations.clear();
        self.tabletop = tabletop;
    }

    /// Whether an explanation given now would be kept.
    pub fn is_explaining(&self) -> bool {
        self.explaining && self.imagined.is_empty()
    }

    /// The last explanations of automatic choices, oldest first: maps with a `text`. Those that were
    /// rolled back are gone.
    pub fn explanations(&mut self) -> impl Iterator<Item = &crate::tabletop::Value> {
        self.explanations_mut().iter().map(|(_, explanation)| explanation)
    }

    /// The last explanation, with where the journal was.
    pub fn last_explanation(&mut self) -> Option<(crate::tabletop::Mark, crate::tabletop::Value)> {
        self.explanations_mut().last().cloned()
    }

    /// The texts of the last explanations, oldest first.
    pub fn explained(&mut self) -> Vec<String> {
        let text = |explanation: &crate::tabletop::Value| match explanation {
            crate::tabletop::Value::Map(map) => match map.get("text") {
                Some(crate::tabletop::Value::Text(text)) => Some(text.to_string()),
                _ => None,
            },
            _ => None,
        };
        self.explanations().filter_map(text).collect()
    }

    pub(super) fn explanations_mut(&mut self) -> &mut Vec<(crate::tabletop::Mark, crate::tabletop::Value)> {
        let lowest = self.tabletop.take_lowest();
        self.explanations.retain(|(mark, _)| *mark <= lowest);
        &mut self.explanations
    }

    /// Forgets the triggered rules that began beyond a mark of the journal, which an error ended.
    pub(super) fn drop_triggers_beyond(&mut self, mark: crate::tabletop::Mark) {
        while self.triggers.pop_if(|(at, ..)| *at >= mark).is_some() {}
    }

    /// Ends the imagining that began beyond a mark of the journal; its changes are rolled back by the caller.
    pub fn end_imagining_beyond(&mut self, mark: usize) {
        self.drop_triggers_beyond(crate::tabletop::Mark::at(mark));
        while let Some((at, push_point, prefix, running)) = self.imagined.pop_if(|(at, ..)| *at >= mark) {
            self.tabletop.rollback(crate::tabletop::Mark::at(at));
            self.tabletop.end_imagining();
            self.tabletop.set_push_point(push_point);
            self.prefix = prefix;
            self.running = running;
        }
    }

    /// A number that never repeats while anything changes, also over swapped tabletops.
    pub fn version(&self) -> u64 {
        self.tabletop.versions().any + self.generation
    }

    /// The prefix by which the steps are named that the step of this name puts on the agenda.
    pub fn set_prefix(&mut self, step: &str) {
        let prefix = step.rsplit_once('.').map_or("", |(prefix, _)| prefix);
        if *self.prefix != *prefix {
            self.prefix = prefix.into();
        }
    }

    /// Rises with what memos of the board look at.
    pub fn board_version(&self) -> u64 {
        self.tabletop.versions().board + self.generation
    }

    /// Swaps the tabletop for a bare one, while a plan asks about a state: what it learns is kept, so it may
    /// depend on nothing else.
    pub(super) fn step_aside(&mut self) {
        let declared = self.tabletop.declared();
        let bare = self
            .aside
            .get_or_insert_with(|| Box::new(Tabletop::bare(declared.clone())));
        std::mem::swap(&mut self.tabletop, bare);
        self.is_aside = true;
    }

    /// Ends that; whether scripts changed the bare tabletop.
    pub(super) fn step_back(&mut self) -> bool {
        let changed = self.tabletop.journal_len() > 0;
        self.tabletop.rollback(crate::tabletop::Mark::at(0));
        if let Some(real) = &mut self.aside {
            std::mem::swap(&mut self.tabletop, real);
        }
        self.is_aside = false;
        changed
    }

    /// Whether the running step was killed by its budget.
    pub fn is_killed(&self) -> bool {
        // The VM is boxed beside this world and lives as long.
        unsafe { self.vm.as_ref() }.is_some_and(|vm| vm.killed().is_some())
    }

    /// The registry reference of a step's function.
    pub fn step_function(&self, name: &str) -> Option<c_int> {
        self.functions.get(name).copied()
    }
}
