//! A reader of the bytecode that the pinned Luau emits, for what the host checks before it runs a
//! chunk: variables that functions write, globals, and that every generic loop is ordered.
use std::collections::BTreeSet;

/// A function of a chunk. Its index in `Chunk::protos` is Luau's `bytecodeid`.
#[derive(Debug, Default)]
pub struct Proto {
    code: Vec<u32>,
    constants: Vec<Constant>,
    children: Vec<usize>,
    lines: Vec<u32>,
    /// Names of upvalues; empty without debug information.
    upvalues: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Chunk {
    strings: Vec<String>,
    protos: Vec<Proto>,
    main: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Constant {
    Other,
    Text(usize),
    Import(u32),
    Closure(usize),
}

/// A variable of an outer function that a function writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// The upvalue's index in the function.
    pub upvalue: usize,
    pub line: u32,
    /// The variable's name, if the chunk has debug information.
    pub name: String,
}

impl Write {
    pub fn sentence(&self) -> String {
        format!(
            "a rule cannot keep state in `{}`; keep it in a field of `game` or a unit",
            self.name
        )
    }
}

/// A use of a global variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalUse {
    pub name: String,
    pub line: u32,
    pub writes: bool,
}

// Opcodes and layout of Luau 0.740, bytecode version 9.
const SETGLOBAL: u8 = 8;
const GETGLOBAL: u8 = 7;
const SETUPVAL: u8 = 10;
const GETIMPORT: u8 = 12;
const NEWCLOSURE: u8 = 19;
const CALL: u8 = 21;
const FORGPREP_NEXT: u8 = 61;
const DUPCLOSURE: u8 = 64;
const CAPTURE: u8 = 70;
const FORGPREP: u8 = 76;
/// Opcodes followed by a word that is no instruction.
const WIDE: [u8; 30] = [
    7, 8, 12, 15, 16, 20, 27, 28, 29, 30, 31, 32, 53, 55, 58, 60, 66, 74, 75, 77, 78, 79, 80, 83, 84, 85, 86,
    87, 88, 90,
];
const CAPTURE_REF: u8 = 1;
const CAPTURE_UPVAL: u8 = 2;

#[derive(Clone, Copy)]
struct Instruction {
    at: usize,
    op: u8,
    a: u8,
    b: u8,
    d: i16,
    aux: u32,
}

impl Proto {
    fn instructions(&self) -> Vec<Instruction> {
        let mut list = Vec::new();
        let mut at = 0;
        while at < self.code.len() {
            let word = self.code[at];
            let op = word as u8;
            let aux = self.code.get(at + 1).copied().unwrap_or_default();
            list.push(Instruction {
                at,
                op,
                a: (word >> 8) as u8,
                b: (word >> 16) as u8,
                d: (word >> 16) as i16,
                aux,
            });
            at += 1 + usize::from(WIDE.contains(&op));
        }
        list
    }

    fn line(&self, at: usize) -> u32 {
        self.lines.get(at).copied().unwrap_or_default()
    }
}

impl Chunk {
    /// Reads a chunk; `None` if it is not as the pinned version writes it.
    pub fn read(bytecode: &[u8]) -> Option<Self> {
        let mut reader = Reader {
            bytes: bytecode,
            at: 0,
        };
        let version = reader.byte()?;
        if !(4..=9).contains(&version) {
            return None;
        }
        let types = reader.byte()?;
        let count = reader.size()?;
        let strings = (0..count).map(|_| reader.text()).collect::<Option<_>>()?;
        if types == 3 {
            while reader.byte()? != 0 {
                reader.size()?;
            }
        }
        let count = reader.size()?;
        let mut chunk = Self {
            strings,
            ..Self::default()
        };
        for _ in 0..count {
            let proto = chunk.proto(&mut reader)?;
            chunk.protos.push(proto);
        }
        chunk.main = reader.size()?;
        (reader.at == bytecode.len() && chunk.main < chunk.protos.len()).then_some(chunk)
    }

    fn string(&self, id: usize) -> String {
        id.checked_sub(1)
            .and_then(|index| self.strings.get(index))
            .cloned()
            .unwrap_or_default()
    }

    fn proto(&self, reader: &mut Reader) -> Option<Proto> {
        let mut proto = Proto::default();
        reader.skip(5)?;
        let types = reader.size()?;
        reader.skip(types)?;
        let count = reader.size()?;
        proto.code = (0..count).map(|_| reader.word()).collect::<Option<_>>()?;
        let count = reader.size()?;
        proto.constants = (0..count).map(|_| reader.constant()).collect::<Option<_>>()?;
        let count = reader.size()?;
        proto.children = (0..count).map(|_| reader.size()).collect::<Option<_>>()?;
        reader.size()?;
        reader.size()?;
        if reader.byte()? != 0 {
            proto.lines = reader.lines(proto.code.len())?;
        }
        if reader.byte()? != 0 {
            for _ in 0..reader.size()? {
                for _ in 0..3 {
                    reader.size()?;
                }
                reader.skip(1)?;
            }
            for _ in 0..reader.size()? {
                let id = reader.size()?;
                proto.upvalues.push(self.string(id));
            }
        }
        Some(proto)
    }

    /// For each function, the variables outside it that it or a function inside it writes.
    pub fn writes(&self) -> Vec<Vec<Write>> {
        // Functions come before those that hold them, so one pass sees all inner ones first.
        let mut writes: Vec<Vec<Write>> = vec![Vec::new(); self.protos.len()];
        for (id, proto) in self.protos.iter().enumerate() {
            let mut own = BTreeSet::new();
            let name = |upvalue: usize| proto.upvalues.get(upvalue).cloned().unwrap_or_default();
            for instruction in proto.instructions() {
                if instruction.op == SETUPVAL {
                    let upvalue = instruction.b.into();
                    own.insert(Write {
                        upvalue,
                        line: proto.line(instruction.at),
                        name: name(upvalue),
                    });
                }
            }
            for (child, captures) in proto.closures() {
                for write in writes.get(child).into_iter().flatten() {
                    if let Some((CAPTURE_UPVAL, upvalue)) = captures.get(write.upvalue) {
                        own.insert(Write {
                            upvalue: (*upvalue).into(),
                            ..write.clone()
                        });
                    }
                }
            }
            writes[id] = own.into_iter().collect();
        }
        writes
    }

    /// Of `writes`, those of functions to variables of the chunk itself, by line.
    pub fn kept(&self, writes: &[Vec<Write>]) -> Vec<Write> {
        let mut kept = Vec::new();
        for (child, captures) in self.protos[self.main].closures() {
            for write in &writes[child] {
                if let Some((CAPTURE_REF, _)) = captures.get(write.upvalue) {
                    kept.push(write.clone());
                }
            }
        }
        kept.sort_by_key(|write| write.line);
        kept
    }

    pub fn globals(&self) -> Vec<GlobalUse> {
        let mut uses = Vec::new();
        for proto in &self.protos {
            for instruction in proto.instructions() {
                let (name, writes) = match instruction.op {
                    SETGLOBAL => (self.constant_text(proto, instruction.aux as usize), true),
                    GETGLOBAL => (self.constant_text(proto, instruction.aux as usize), false),
                    GETIMPORT => (self.import(proto, instruction), false),
                    _ => continue,
                };
                uses.push(GlobalUse {
                    name,
                    line: proto.line(instruction.at),
                    writes,
                });
            }
        }
        uses
    }

    /// The line of a generic loop whose list doesn't come from a call of `name`.
    pub fn unordered(&self, name: &str) -> Option<u32> {
        self.protos.iter().find_map(|proto| {
            let code = proto.instructions();
            let loops = code
                .iter()
                .enumerate()
                .filter(|(_, i)| matches!(i.op, FORGPREP | FORGPREP_NEXT));
            loops
                .into_iter()
                .find(|(index, prepare)| !self.is_ordered(proto, &code[..*index], prepare.a, name))
                .map(|(_, prepare)| proto.line(prepare.at))
        })
    }

    fn is_ordered(&self, proto: &Proto, before: &[Instruction], register: u8, name: &str) -> bool {
        let Some((call, rest)) = before.split_last() else {
            return false;
        };
        if call.op != CALL || call.a != register {
            return false;
        }
        // Arguments live above the function's register, so the last write to it loads the function.
        let load = rest
            .iter()
            .rev()
            .find(|i| i.a == register && matches!(i.op, GETIMPORT | GETGLOBAL));
        load.is_some_and(|load| match load.op {
            GETIMPORT => load.aux >> 30 == 1 && self.import(proto, *load) == name,
            _ => self.constant_text(proto, load.aux as usize) == name,
        })
    }

    /// The first name of an import path.
    fn import(&self, proto: &Proto, instruction: Instruction) -> String {
        self.constant_text(proto, (instruction.aux >> 20 & 1023) as usize)
    }

    fn constant_text(&self, proto: &Proto, index: usize) -> String {
        match proto.constants.get(index) {
            Some(Constant::Text(id)) => self.string(*id),
            _ => String::new(),
        }
    }
}

impl Proto {
    /// The functions made here, each with the kind and index of what it captures.
    fn closures(&self) -> Vec<(usize, Vec<(u8, u8)>)> {
        let mut closures: Vec<(usize, Vec<(u8, u8)>)> = Vec::new();
        for instruction in self.instructions() {
            match instruction.op {
                NEWCLOSURE => {
                    if let Some(child) = self.children.get(instruction.d as usize) {
                        closures.push((*child, Vec::new()));
                    }
                }
                DUPCLOSURE => {
                    if let Some(Constant::Closure(child)) = self.constants.get(instruction.d as usize) {
                        closures.push((*child, Vec::new()));
                    }
                }
                CAPTURE => {
                    if let Some((_, captures)) = closures.last_mut() {
                        captures.push((instruction.a, instruction.b));
                    }
                }
                _ => {}
            }
        }
        closures
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn skip(&mut self, count: usize) -> Option<()> {
        self.at = self.at.checked_add(count).filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    fn byte(&mut self) -> Option<u8> {
        self.skip(1)?;
        Some(self.bytes[self.at - 1])
    }

    fn word(&mut self) -> Option<u32> {
        self.skip(4)?;
        Some(u32::from_le_bytes(
            self.bytes[self.at - 4..self.at].try_into().ok()?,
        ))
    }

    /// An integer of variable length.
    fn size(&mut self) -> Option<usize> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 127) << shift;
            if byte & 128 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn text(&mut self) -> Option<String> {
        let length = self.size()?;
        self.skip(length)?;
        Some(String::from_utf8_lossy(&self.bytes[self.at - length..self.at]).into_owned())
    }

    fn constant(&mut self) -> Option<Constant> {
        let kind = self.byte()?;
        match kind {
            0 => {}
            1 => self.skip(1)?,
            2 => self.skip(8)?,
            3 => return Some(Constant::Text(self.size()?)),
            4 => return Some(Constant::Import(self.word()?)),
            5 => {
                for _ in 0..self.size()? {
                    self.size()?;
                }
            }
            6 => return Some(Constant::Closure(self.size()?)),
            7 => self.skip(16)?,
            8 => {
                for _ in 0..self.size()? {
                    self.size()?;
                    self.skip(4)?;
                }
            }
            9 => {
                self.skip(1)?;
                self.size()?;
            }
            _ => return None,
        }
        Some(Constant::Other)
    }

    fn lines(&mut self, count: usize) -> Option<Vec<u32>> {
        let gap = self.byte()?;
        let mut offset = 0u8;
        let mut offsets = Vec::with_capacity(count);
        for _ in 0..count {
            offset = offset.wrapping_add(self.byte()?);
            offsets.push(offset);
        }
        let intervals = if count == 0 { 0 } else { ((count - 1) >> gap) + 1 };
        let mut line = 0i32;
        let mut bases = Vec::with_capacity(intervals);
        for _ in 0..intervals {
            line = line.wrapping_add(self.word()? as i32);
            bases.push(line as u32);
        }
        Some(
            offsets
                .iter()
                .enumerate()
                .map(|(at, offset)| bases[at >> gap] + u32::from(*offset))
                .collect(),
        )
    }
}
