//! What the running step may still take: long loops of the host ask here whether to give up.
//!
//! Lua sees neither the host's allocations nor its loops, so the host counts the first by thread and looks
//! at the step's deadline in the second. Who gives up early may return anything: the step is ended at once.
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Milliseconds, told by the part that runs steps: nothing here reads a clock.
pub static NOW: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Bytes that this thread allocated and didn't give back. What another thread frees for it stays counted.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(isize::MAX) };
    static DEADLINE: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// The system's allocator with a count for each thread.
pub struct Counting;

// SAFETY: all work is the system's; counting touches nothing that needs an allocation or a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.set(HELD.get() - layout.size() as isize);
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.set(HELD.get() + size as isize - layout.size() as isize);
        unsafe { System.realloc(place, layout, size) }
    }
}

/// Bytes that this thread holds.
#[inline]
pub fn held() -> isize {
    HELD.get()
}

/// Limits of one step: a value of [`NOW`], and bytes that the thread may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub deadline: u64,
    pub most: isize,
}

/// Sets the limits of this thread; the earlier ones are given back, to be set again afterwards.
#[inline]
pub fn limit(limits: Limits) -> Limits {
    Limits {
        deadline: DEADLINE.replace(limits.deadline),
        most: MOST.replace(limits.most),
    }
}

/// Whether the running step holds more than it may.
#[inline]
pub fn is_hoarding() -> bool {
    HELD.get() > MOST.get()
}

/// Whether the running step has no time or no memory left.
#[inline]
pub fn is_spent() -> bool {
    is_hoarding() || NOW.load(Ordering::Relaxed) >= DEADLINE.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_until_it_is_given_back() {
        let outer = limit(Limits {
            deadline: u64::MAX,
            most: held() + 10_000,
        });
        assert!(!is_spent());
        let hoard = vec![0u8; 20_000];
        assert!(is_hoarding() && is_spent());
        drop(hoard);
        assert!(!is_spent());
        limit(outer);
    }
}
