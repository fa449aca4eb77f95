//! Switches of the fast paths. In a plain build all are on and every test below is constant; the
//! feature `switches` makes them choosable, to prove that they change no byte and to measure what
//! each is worth.

/// A fast path that can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Trick {
    /// An instance at rest is seen by one compare of its header.
    Glance,
    /// Transitions that always go the same way are carried out from one list.
    Jumps,
    /// An instance that has nothing to do but its activities only runs them.
    Activities,
    /// An event for an empty queue is put there without asking whether there is room.
    Post,
    /// Instances are fetched before their turn.
    Prefetch,
}

impl Trick {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Glance,
        Self::Jumps,
        Self::Activities,
        Self::Post,
        Self::Prefetch,
    ];
}

#[cfg(feature = "switches")]
mod state {
    use core::sync::atomic::{AtomicU8, Ordering};

    static OFF: AtomicU8 = AtomicU8::new(0);

    /// Switches one fast path on or off, for all threads.
    pub fn set(trick: super::Trick, on: bool) {
        let bit = 1 << trick as u8;
        if on {
            OFF.fetch_and(!bit, Ordering::SeqCst)
        } else {
            OFF.fetch_or(bit, Ordering::SeqCst)
        };
    }

    #[inline]
    pub(crate) fn has(trick: super::Trick) -> bool {
        OFF.load(Ordering::Relaxed) & 1 << trick as u8 == 0
    }
}

#[cfg(not(feature = "switches"))]
mod state {
    #[inline(always)]
    pub(crate) const fn has(_: super::Trick) -> bool {
        true
    }
}

pub(crate) use state::has;
#[cfg(feature = "switches")]
pub use state::set;
