//! Switches of the fast paths. In a plain build all are on and every test below is constant; the
//! feature `toggles` makes them choosable, to prove that they change no byte and to measure what
//! each is worth.

/// A fast path that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Optimization {
    /// An instance at rest is seen by one compare of its header.
    IdleMask,
    /// Transitions that always go the same way are carried out from one list.
    Jumps,
    /// An instance that only polls follows the plans of its leaves, and so does every eventless round.
    Polling,
    /// An event for an empty queue is put there without asking whether there is room.
    Post,
    /// Instances are fetched before their turn.
    Prefetch,
    /// Transitions that leave one leaf each are carried out along its line.
    Lines,
    /// Expressions that are one word changed step by step need no stack.
    Straight,
}

impl Optimization {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::IdleMask,
        Self::Jumps,
        Self::Polling,
        Self::Post,
        Self::Prefetch,
        Self::Lines,
        Self::Straight,
    ];
}

#[cfg(feature = "toggles")]
mod state {
    use core::sync::atomic::{AtomicU8, Ordering};

    static OFF: AtomicU8 = AtomicU8::new(0);

    /// Switches one fast path on or off, for all threads.
    pub fn set(optimization: super::Optimization, on: bool) {
        let bit = 1 << optimization as u8;
        if on {
            OFF.fetch_and(!bit, Ordering::SeqCst)
        } else {
            OFF.fetch_or(bit, Ordering::SeqCst)
        };
    }

    #[inline]
    pub(crate) fn has(optimization: super::Optimization) -> bool {
        OFF.load(Ordering::Relaxed) & 1 << optimization as u8 == 0
    }
}

#[cfg(not(feature = "toggles"))]
mod state {
    #[inline(always)]
    pub(crate) const fn has(_: super::Optimization) -> bool {
        true
    }
}

pub(crate) use state::has;
#[cfg(feature = "toggles")]
pub use state::set;
