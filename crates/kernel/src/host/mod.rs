//! The border to user code: what a host implements and what its functions are given (CODE-1).
//!
//! The kernel knows hosts as `dyn Host`, so that it is compiled once and not per host; the fast
//! paths (`fast`) know the type and call it directly. A guard gets `&self` and a [`GuardCx`]: there is
//! nothing it could write through (SEL-5).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{ArgumentRecord, ValueType};

use crate::fused::{AnyBare, AnyCalling, Fuse, Needs, Phase, Quiet, Step};
use crate::host::cx::{ActionCx, GuardCx};
use crate::host::trace::Trace;
use crate::instance::event::Event;

pub(crate) mod cx;
pub(crate) mod notes;
pub(crate) mod trace;
pub(crate) mod trace_timers;

/// What a guard says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// Why not, in the guard's own numbers (SEL-7).
    pub code: u16,
}

impl From<bool> for Verdict {
    fn from(holds: bool) -> Self {
        Self { holds, code: 0 }
    }
}

/// Why an activity is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Its state is active (TICK-6).
    Run,
    /// Its state is being left.
    Cancel,
}

/// What an activity says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Call me again.
    Running,
    /// Done, well.
    Succeeded,
    /// Done, badly.
    Failed,
}

/// What made the kernel call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// No event: eventless transitions, start, stop, fail-safe, activities.
    #[default]
    None,
    /// An event with its payload.
    Event(EventId, [u32; 4]),
    /// A timer.
    Timer(TimerId),
}

/// One call of a user function: everything that is known about it (CODE-1).
#[derive(Clone, Copy, Debug)]
pub struct Call<'r> {
    /// The function.
    pub function: FunctionId,
    /// Its arguments, computed ones with their values.
    pub arguments: &'r [ArgumentRecord],
    /// The agent.
    pub agent: u64,
    /// The tick.
    pub tick: u32,
    /// The variant of the agent's parameters.
    pub variant: VariantId,
    /// The state that the call belongs to.
    pub state: StateId,
    /// The region that the state is a child of; the root has none.
    pub region: Option<RegionId>,
    /// The transition that is judged or carried out.
    pub transition: Option<TransitionId>,
    /// What made the kernel call.
    pub cause: Cause,
}

/// What a command says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// `emit`: a named command with a payload of up to three words.
    Emit {
        /// Text of its name.
        name: StringId,
        /// Type of the payload; `None` without one.
        ty: Option<ValueType>,
        /// Its words; unused ones are 0.
        payload: [u32; 3],
    },
    /// A channel is free again (CODE-7).
    Release {
        /// The channel.
        channel: ChannelId,
    },
    /// An event for another agent (CMD-4).
    Send {
        /// The receiver.
        to: [u32; 2],
        /// The event.
        event: EventId,
        /// Its payload.
        payload: [u32; 4],
    },
}

/// A command that leaves the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The agent.
    pub agent: u64,
    /// The lane.
    pub lane: LaneId,
    /// Whether it may use the reserved part of the budget (CMD-2).
    pub critical: bool,
    /// The state that it belongs to.
    pub state: StateId,
    /// The transition that it belongs to.
    pub transition: Option<TransitionId>,
    /// What it says.
    pub kind: CommandKind,
}

/// User code.
pub trait Host {
    /// Asks a guard.
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict;

    /// Asks a scorer.
    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32;

    /// Asks a value function (LANG-11): words of its type, the others 0.
    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3];

    /// Runs an action.
    fn action(&mut self, function: FunctionId, actor: ActionCx<'_, '_>);

    /// Runs or cancels an activity; what it says when canceled is not looked at.
    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status;

    /// Takes a command; `false` if there is no room for it (CMD-2).
    fn command(&mut self, command: &Command) -> bool;

    /// May commands of a lane use the reserved part of the budget (CMD-2)? What the machine says,
    /// unless the host knows better.
    fn is_critical(&self, rom: &Rom<'_>, lane: LaneId) -> bool {
        rom.is_critical_lane(lane)
    }

    /// Words of a blackboard key (CODE-5).
    fn read_key(&self, key: KeyId) -> [u32; 3];

    /// The first word of a blackboard key, which is all of most.
    #[inline]
    fn read_word(&self, key: KeyId) -> u32 {
        self.read_key(key)[0]
    }

    /// Writes the words of a blackboard key.
    fn write_key(&mut self, key: KeyId, words: [u32; 3]);

    /// Whether this tick is traced; asked once per tick.
    fn is_tracing(&self) -> bool {
        false
    }

    /// Whether the outline of a traced tick is enough: events, transitions and leaves (level 1 of
    /// SYS-3). Such a tick may take the fast paths.
    fn is_outline(&self) -> bool {
        false
    }

    /// Something happened; only called while tracing.
    fn trace(&mut self, trace: &Trace) {
        let _ = trace;
    }

    /// Whether the host has code that was generated for the machine. Not asked where a tick is traced.
    #[doc(hidden)]
    #[inline]
    fn is_fused(&self) -> bool {
        false
    }

    /// What that code asks of an agent besides its bytes, as [`Hosts::needs`].
    #[doc(hidden)]
    #[inline]
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    /// Timer places that agents of that machine use, a bit each, as [`Hosts::timers`].
    #[doc(hidden)]
    #[inline]
    fn timers(&self) -> u8 {
        u8::MAX
    }

    /// A part of a tick by that code; [`Step::Tables`] if it leaves the part to the tables: nothing is
    /// done then.
    #[doc(hidden)]
    #[inline]
    fn fused(&mut self, fuse: Fuse<'_, '_>, phase: Phase<'_>) -> Step {
        let _ = (fuse, phase);
        Step::Tables
    }

    /// The same on nothing but the bytes of the agent; [`Step::Tables`] if more is needed: nothing is done
    /// then. What polling came to is `Settled` if everybody was asked and nothing was run.
    #[doc(hidden)]
    #[inline]
    fn bare(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step {
        let _ = (bare, phase);
        Step::Tables
    }

    /// The same of an agent that polls and is attached where that is needed.
    #[doc(hidden)]
    #[inline]
    fn calling(&mut self, agent: AnyCalling<'_, '_>, phase: Phase<'_>) -> Step {
        let _ = (agent, phase);
        Step::Tables
    }

    /// All of a tick of such an agent, if it only polls; the context has the rest.
    #[doc(hidden)]
    #[inline]
    fn polls(&mut self, agent: AnyCalling<'_, '_>) -> Quiet {
        let _ = agent;
        Quiet::Slow
    }
}

/// A host of a known type or of any: what asks and evaluates is compiled once for `dyn Host`, and once more for
/// hosts whose agents poll, where a key is read and a function called without a detour.
pub(crate) trait AnyHost: Host {
    /// As whatever host.
    fn any(&self) -> &(dyn Host + '_);

    /// The same, for acting.
    fn any_mut(&mut self) -> &mut (dyn Host + '_);
}

impl<H: Host> AnyHost for H {
    #[inline]
    fn any(&self) -> &(dyn Host + '_) {
        self
    }

    #[inline]
    fn any_mut(&mut self) -> &mut (dyn Host + '_) {
        self
    }
}

impl AnyHost for dyn Host + '_ {
    #[inline]
    fn any(&self) -> &(dyn Host + '_) {
        self
    }

    #[inline]
    fn any_mut(&mut self) -> &mut (dyn Host + '_) {
        self
    }
}

/// Code for the bytes of one agent. No closure: whatever is called at two places is to be inlined at both.
#[doc(hidden)]
pub trait BareCode {
    /// Timer places that agents of its machine use, as [`Hosts::timers`].
    fn timers(&self) -> u8;

    /// A part of its tick.
    fn run(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step;
}

/// The same by the host of the agent, who is asked for then.
struct ByHost<'h, H: ?Sized> {
    hosts: &'h mut H,
    place: usize,
    agent: u64,
}

impl<H: Hosts + ?Sized> BareCode for ByHost<'_, H> {
    #[inline(always)]
    fn timers(&self) -> u8 {
        self.hosts.timers()
    }

    #[inline(always)]
    fn run(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step {
        self.hosts.of(self.place, self.agent).bare(bare, phase)
    }
}

/// Turns of agents on nothing but their bytes, one after the other.
#[doc(hidden)]
pub trait BareTurns<X> {
    /// The turn of the agent at a place; `code` does a part of its tick. Whether the others go on.
    fn turn(&mut self, place: usize, item: X, code: impl BareCode) -> bool;
}

/// Turns of agents that poll, one after the other.
#[doc(hidden)]
pub trait CallingTurns<X> {
    /// The turn of the agent at a place, with its host. Whether the others go on.
    fn turn(&mut self, place: usize, item: X, host: impl Host) -> bool;
}

/// User code of many agents: gives each agent of a batch its host, when it has something to do.
pub trait Hosts {
    /// The host of one agent.
    type Host<'h>: Host
    where
        Self: 'h;

    /// The host of the agent at a place of the batch.
    fn of(&mut self, place: usize, agent: u64) -> Self::Host<'_>;

    /// The same host once more, in the same turn of its agent.
    #[inline]
    fn again(&mut self, place: usize, agent: u64) -> Self::Host<'_> {
        self.of(place, agent)
    }

    /// It will soon be the turn of the agent at a place: a good time to
    /// [`prefetch`](crate::prefetch()) what its host will touch.
    #[inline]
    fn fetch(&self, place: usize) {
        let _ = place;
    }

    /// Whether hosts have code that was generated for the machine ([`Host::is_fused`]).
    #[doc(hidden)]
    #[inline]
    fn are_fused(&self) -> bool {
        false
    }

    /// Timer places that agents of the machine use, as far as that code knows, a bit each: only these are looked at,
    /// and an agent with another one goes the slow path.
    #[doc(hidden)]
    #[inline]
    fn timers(&self) -> u8 {
        u8::MAX
    }

    /// What that code asks of an agent besides its bytes.
    #[doc(hidden)]
    #[inline(always)]
    fn needs(&self) -> Needs {
        Needs::ALL
    }

    /// Turns of neighbors, the first at a place and with a number, by that code on nothing but their bytes: as their
    /// hosts would have them ([`Host::bare`]), which nobody has to ask for. Ends behind the last, or with
    /// whoever says so.
    #[doc(hidden)]
    #[inline(always)]
    fn each_bare<X, T: BareTurns<X>>(
        &mut self,
        (first, agent): (usize, u64),
        items: impl Iterator<Item = X>,
        mut turns: T,
    ) -> T {
        for ((place, agent), item) in (first..).zip(agent..).zip(items) {
            let code = ByHost {
                hosts: &mut *self,
                place,
                agent,
            };
            if !turns.turn(place, item, code) {
                break;
            }
        }
        turns
    }

    /// The same of so many neighbors, as their hosts would have them ([`Host::calling`]).
    #[doc(hidden)]
    #[inline(always)]
    fn each_calling<X, T: CallingTurns<X>>(
        &mut self,
        (first, agent, count): (usize, u64, usize),
        items: impl Iterator<Item = X>,
        mut turns: T,
    ) -> T {
        let places = (first..).take(count);
        for ((place, agent), item) in places.zip(agent..).zip(items) {
            if !turns.turn(place, item, self.of(place, agent)) {
                break;
            }
        }
        turns
    }

    /// Whether the agent at a place is traced in more than outline; it goes the slow path then.
    #[inline]
    fn traces_steps(&self, place: usize) -> bool {
        let _ = place;
        false
    }

    /// Nobody handles the event of an agent that has no other, and its host was not asked for.
    #[inline]
    fn pass(&mut self, place: usize, agent: u64, event: &Event) {
        let _ = (place, agent, event);
    }
}

/// One host for all.
impl<H: Host> Hosts for H {
    type Host<'h>
        = &'h mut H
    where
        H: 'h;

    fn of(&mut self, _: usize, _: u64) -> &mut H {
        self
    }

    #[inline]
    fn are_fused(&self) -> bool {
        self.is_fused()
    }

    #[inline]
    fn needs(&self) -> Needs {
        Host::needs(self)
    }

    #[inline]
    fn timers(&self) -> u8 {
        Host::timers(self)
    }

    #[inline]
    fn traces_steps(&self, _: usize) -> bool {
        self.is_tracing() && !self.is_outline()
    }

    #[inline]
    fn pass(&mut self, _: usize, _: u64, event: &Event) {
        crate::fast::trace_ignored(self, event);
    }
}

impl<H: Host + ?Sized> Host for &mut H {
    fn guard(&self, function: FunctionId, view: GuardCx<'_, '_>) -> Verdict {
        (**self).guard(function, view)
    }

    fn score(&self, function: FunctionId, view: GuardCx<'_, '_>) -> f32 {
        (**self).score(function, view)
    }

    fn value(&self, function: FunctionId, view: GuardCx<'_, '_>) -> [u32; 3] {
        (**self).value(function, view)
    }

    fn action(&mut self, function: FunctionId, actor: ActionCx<'_, '_>) {
        (**self).action(function, actor);
    }

    fn activity(&mut self, function: FunctionId, mode: Mode, actor: ActionCx<'_, '_>) -> Status {
        (**self).activity(function, mode, actor)
    }

    fn command(&mut self, command: &Command) -> bool {
        (**self).command(command)
    }

    fn is_critical(&self, rom: &Rom<'_>, lane: LaneId) -> bool {
        (**self).is_critical(rom, lane)
    }

    fn read_key(&self, key: KeyId) -> [u32; 3] {
        (**self).read_key(key)
    }

    #[inline]
    fn read_word(&self, key: KeyId) -> u32 {
        (**self).read_word(key)
    }

    fn write_key(&mut self, key: KeyId, words: [u32; 3]) {
        (**self).write_key(key, words);
    }

    fn is_tracing(&self) -> bool {
        (**self).is_tracing()
    }

    fn is_outline(&self) -> bool {
        (**self).is_outline()
    }

    fn trace(&mut self, trace: &Trace) {
        (**self).trace(trace);
    }

    #[inline]
    fn is_fused(&self) -> bool {
        (**self).is_fused()
    }

    #[inline]
    fn fused(&mut self, fuse: Fuse<'_, '_>, phase: Phase<'_>) -> Step {
        (**self).fused(fuse, phase)
    }

    #[inline]
    fn needs(&self) -> Needs {
        (**self).needs()
    }

    #[inline]
    fn timers(&self) -> u8 {
        (**self).timers()
    }

    #[inline]
    fn bare(&mut self, bare: AnyBare<'_, '_>, phase: Phase<'_>) -> Step {
        (**self).bare(bare, phase)
    }

    #[inline]
    fn calling(&mut self, agent: AnyCalling<'_, '_>, phase: Phase<'_>) -> Step {
        (**self).calling(agent, phase)
    }

    #[inline]
    fn polls(&mut self, agent: AnyCalling<'_, '_>) -> Quiet {
        (**self).polls(agent)
    }
}
