//! Which path the next tick of an agent takes, for those who measure: the router's answer under
//! names that may be seen outside. It decides nothing, and no tick asks it.

use statewright_rom::Rom;

use crate::batch::inbox::Inbox;
use crate::fast::{FastPath, IdleMask, Route, Router, Start};
use crate::instance::Instance;
use crate::instance::event::Event;

statewright_rom::numbers! {
    /// The path of a tick.
    Path: u8 {
        /// Nothing to do: seen by a look at the header.
        Resting = 0 "at rest",
        /// One event that nobody handles: one look.
        Ignored = 1 "ignored",
        /// One event that always leads the same way.
        Jump = 2 "jump",
        /// Nothing to do but to poll, along the plans of the leaves.
        Polling = 3 "polling",
        /// The slow path from its first phase on.
        Slow = 4 "slow",
        /// Ended, paused, or of another machine.
        Stands = 5 "ended",
    }
}

/// The path of the next tick of an instance with at most one event in its inbox, in a batch without
/// a trace.
pub fn path_of<I: Instance>(rom: &Rom<'_>, instance: &I, event: Option<&Event>, now: u32) -> Path {
    let idle = IdleMask::new(rom, I::TIER);
    let router = Router { rom, idle, now };
    match event.map(|event| router.single(instance, event, false)) {
        Some(FastPath::Ignore) => return Path::Ignored,
        Some(FastPath::Jump(_)) => return Path::Jump,
        Some(FastPath::Together | FastPath::Slow) | None => {}
    }
    let inbox = Inbox::Own(event.map_or(&[], core::slice::from_ref));
    match router.route(instance, inbox, false) {
        Route::Foreign | Route::Ended | Route::Paused => Path::Stands,
        Route::Resting => Path::Resting,
        Route::Run(Start::JumpInbox) => match event {
            Some(event) => path_of_leaves(rom, instance, event),
            None => Path::Slow,
        },
        Route::Run(Start::JumpQueued(None)) => Path::Ignored,
        Route::Run(Start::JumpQueued(Some(_))) => Path::Jump,
        Route::Run(Start::Poll) => match event {
            Some(event) => path_of_leaves(rom, instance, event),
            None if instance.has_due_timer(now) => Path::Slow,
            None => Path::Polling,
        },
        Route::Run(Start::JumpTimer | Start::Slow) => Path::Slow,
    }
}

/// What an event comes to where several leaves are asked.
fn path_of_leaves<I: Instance>(rom: &Rom<'_>, instance: &I, event: &Event) -> Path {
    match FastPath::of_all(rom, instance.raw_leaves(), event) {
        FastPath::Ignore => Path::Ignored,
        FastPath::Jump(_) | FastPath::Together => Path::Jump,
        FastPath::Slow => Path::Slow,
    }
}
