//! Fused machines: what `machine!` generates for a machine and the functions of a type, and how it
//! comes together with a program.
//!
//! ```text
//!   machine!(…, functions = Body)         #[functions] impl Body
//!     M: FusedMachine   the code            T: Linked   callbacks by name
//!            └───────────┐  ┌───────────────────┘
//!                   Fused<B, C>      in the machine, without its types
//!                        │
//!   machine.bind(Body::functions()) ─▶ is it made of these very functions and fields? ─▶ Program
//! ```
//!
//! Numbers of functions and keys become the user's functions and fields while the program is compiled,
//! so that the compiler sees through every call. A program that is bound to anything else, and a host
//! that traces or measures, goes by the tables of the ROM: to the same bytes.

#[cfg(feature = "macros")]
mod link;
#[cfg_attr(
    not(feature = "macros"),
    allow(dead_code, reason = "only what `machine!` writes makes use of it")
)]
mod plain_host;

use std::any::Any;

use statewright_kernel::Event;
use statewright_kernel::fused::{AnyBare, AnyCalling, Fuse, Needs, Phase, Quiet, Step, Taking};

use crate::context::Context;
use crate::host::FusedHost;
use crate::pipeline::FusedBatch;
pub(crate) use plain_host::{PlainHost, call_plain};

#[cfg(feature = "macros")]
pub use link::{FusedMachine, FusedWith, Linked, PlainCallback, Tied, Unfused};

/// A whole tick of many agents, for a context of any lifetime.
pub(crate) type AnyBatch<B, C> =
    for<'j, 'a, 'c, 'w> fn(FusedBatch<'j, 'a, 'c, B, <C as Context>::Of<'w>>);

/// The same for the context of one tick.
pub(crate) type BatchCode<B, C> = for<'j, 'a, 'c> fn(FusedBatch<'j, 'a, 'c, B, C>);

/// How a host gets at the machine as code.
pub(crate) trait FusedBy<B, C>: Copy {
    /// Is there code?
    const IS_THERE: bool;

    /// What it asks of an agent besides its bytes.
    #[inline(always)]
    fn needs(self) -> Needs {
        Needs::ALL
    }

    /// Timer places that the machine uses, a bit each.
    #[inline(always)]
    fn timers(self) -> u8 {
        u8::MAX
    }

    /// A part of a tick on nothing but the bytes of the agent.
    #[inline(always)]
    fn run_bare(
        self,
        bare: AnyBare<'_, '_>,
        host: &mut PlainHost<'_, B, C>,
        phase: Phase<'_>,
    ) -> Step {
        let _ = (bare, host, phase);
        Step::Tables
    }

    /// The same for an agent that polls and is attached where that is needed.
    #[inline(always)]
    fn run_calling(
        self,
        agent: AnyCalling<'_, '_>,
        host: &mut FusedHost<'_, '_, B, C>,
        phase: Phase<'_>,
    ) -> Step {
        let _ = (agent, host, phase);
        Step::Tables
    }

    /// All of a tick of such an agent, if it only polls.
    #[inline(always)]
    fn run_polls(self, agent: AnyCalling<'_, '_>, host: &mut FusedHost<'_, '_, B, C>) -> Quiet {
        let _ = (agent, host);
        Quiet::Slow
    }

    /// A part of a tick.
    fn run(self, fuse: Fuse<'_, '_>, host: &mut FusedHost<'_, '_, B, C>, phase: Phase<'_>) -> Step;
}

/// There is no code: by the tables of the ROM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByTables;

impl<B, C> FusedBy<B, C> for ByTables {
    const IS_THERE: bool = false;

    #[inline(always)]
    fn run(self, _: Fuse<'_, '_>, _: &mut FusedHost<'_, '_, B, C>, _: Phase<'_>) -> Step {
        Step::Tables
    }
}

/// One event of an agent by itself, on nothing but its bytes, for a context of any lifetime.
pub(crate) type AnyAlone<B, C> =
    for<'w> fn(AnyBare<'_, '_>, PlainHost<'_, B, <C as Context>::Of<'w>>, &Event) -> Taking;

/// A machine as code for a blackboard and a context.
pub struct Fused<B, C: Context + ?Sized> {
    pub(crate) batch: AnyBatch<B, C>,
    pub(crate) alone: AnyAlone<B, C>,
    /// Field of the blackboard per key, as the code has it.
    pub(crate) fields: &'static [usize],
}

impl<B, C: Context + ?Sized> Clone for Fused<B, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, C: Context + ?Sized> Copy for Fused<B, C> {}

/// Code for a machine, whatever its types are.
pub type AnyFused = &'static (dyn Any + Send + Sync);

/// How functions of a type find the code that was made of them.
pub struct Fusing<B, C: Context + ?Sized> {
    /// The code behind one without types, if it is of these.
    pub(crate) find: fn(AnyFused) -> Option<Fused<B, C>>,
    /// So many functions at the head of the list are those of the type.
    pub(crate) own: usize,
}

impl<B, C: Context + ?Sized> Clone for Fusing<B, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, C: Context + ?Sized> Copy for Fusing<B, C> {}
