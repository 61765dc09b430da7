//! What a step and a VM may use, and how a step that used more was ended.
use std::fmt;
use std::time::Duration;

/// Limits of one VM. A pack can't change them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Wall time of a step, checked to about 5 ms.
    pub step_time: Duration,
    /// Safepoints of a step: calls, returns, loop turns, pattern match attempts. Deterministic.
    pub safepoints: u64,
    /// Bytes of Lua memory of the VM.
    pub memory: usize,
    /// Bytes of a text that string functions make or read, and of a source file.
    pub text: usize,
}

impl Budget {
    /// What a step has unless `--budget` says otherwise.
    pub const DEFAULT: Self = Self {
        step_time: Duration::from_secs(2),
        safepoints: 100_000_000,
        memory: 64 << 20,
        text: 1 << 20,
    };
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Why a step was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kill {
    Time,
    Safepoints,
    Memory,
}

impl Kill {
    /// The sentence of an error, with the limit that was passed.
    pub fn message(self, budget: &Budget) -> String {
        match self {
            Self::Time => format!("the step ran longer than {}", Span(budget.step_time)),
            Self::Safepoints => {
                format!(
                    "the step took more than {} calls and loop turns",
                    budget.safepoints
                )
            }
            Self::Memory => format!("the script used more than {} of memory", Bytes(budget.memory)),
        }
    }
}

struct Span(Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0.as_millis() {
            ms if ms % 1000 == 0 => write!(f, "{} s", ms / 1000),
            ms => write!(f, "{ms} ms"),
        }
    }
}

pub(super) struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            n if n >= 1 << 20 && n % (1 << 20) == 0 => write!(f, "{} MiB", n >> 20),
            n if n >= 1 << 10 && n % (1 << 10) == 0 => write!(f, "{} KiB", n >> 10),
            n => write!(f, "{n} bytes"),
        }
    }
}
