//! What the last tick of a crowd left for the host (CMD-1 to CMD-4).

use statewright_kernel::Fault;
use statewright_rom::ids::FunctionId;

use super::Crowd;
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::commands::{CommandRef, Lane, LostCommand};
use crate::context::Context;
use crate::pipeline::{LaneCommands, Panicked};

/// Commands.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Commands of the last tick as they were written, in the order of agents and of emission
    /// (CMD-3).
    pub fn commands(&self) -> impl Iterator<Item = CommandRef<'_>> {
        self.last.commands()
    }

    /// Lanes that the last tick has commands in, by number.
    pub fn lanes(&self) -> impl Iterator<Item = Lane> + use<B, C> {
        self.last.lanes()
    }

    /// What the merge rule leaves of one lane of the last tick, in the order of agents and of
    /// emission (CMD-1). Allocates nothing.
    pub fn lane(&self, lane: impl Into<Lane>) -> LaneCommands<'_> {
        self.last.lane(lane.into(), &self.program.rules)
    }

    /// Hands all commands of the last tick over, lane by lane in the order of their numbers, each
    /// lane as in [`Self::lane`]. After it there are none, and their pages are free. Messages
    /// and staged writes are done already; they are shown all the same.
    ///
    /// Where the host must look at the crowd meanwhile, it goes over [`Self::lanes`] and
    /// [`Self::lane`] instead.
    pub fn commit(&mut self, take: impl FnMut(CommandRef<'_>)) {
        self.last.commit(&self.program.rules, take);
    }

    /// The same with the lanes side by side on the threads of rayon's pool: `take` gets each lane
    /// once, and each lane is in order.
    #[cfg(feature = "parallel")]
    pub fn commit_parallel(&mut self, take: impl Fn(Lane, LaneCommands<'_>) + Sync) {
        self.last.commit_parallel(&self.program.rules, take);
    }
}

/// Agents that were cut short.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Agents that reached a cap in the last tick (TICK-4).
    pub fn clamped(&self) -> impl Iterator<Item = AgentId> {
        self.last.clamped()
    }

    /// Agents whose queue had no room for an event in the last tick (EVT-3).
    pub fn overflowed(&self) -> impl Iterator<Item = AgentId> {
        self.last.overflowed()
    }

    /// Commands that agents lost in the last tick, and why (CMD-2), in the order of agents and of
    /// emission: the first [`MAX_LOST`](crate::commands::MAX_LOST). `counters` has them all.
    ///
    /// ```
    /// use statewright::commands::WhyLost;
    /// use statewright::prelude::*;
    ///
    /// #[derive(Clone, Copy, Command)]
    /// #[command(lane = AUDIO)]
    /// struct Bark { loudness: f32 }
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.state("yard", |s| {
    ///         s.entry("Bark");
    ///     });
    /// })?;
    /// let bark = Functions::<(), ()>::new().action("Bark", |_, _, cx| {
    ///     while cx.emit(Bark { loudness: 1.0 }) {}
    /// });
    /// let mut dogs = Crowd::new(machine.bind(bark)?, 1);
    /// let dog = dogs.spawn(());
    /// dogs.tick(&());
    ///
    /// let lost: Vec<_> = dogs.lost_commands().collect();
    /// assert_eq!((lost.len(), lost[0].agent(), lost[0].why()), (1, dog, WhyLost::Reserved));
    /// assert_eq!(lost[0].told(&machine), format!(
    ///     "{dog} lost `Bark` (4 bytes) for lane audio: the rest of the agent's budget is for critical lanes"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn lost_commands(&self) -> impl Iterator<Item = LostCommand> {
        self.last.lost_commands()
    }
}

/// Agents that ended.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Agents that a fault ended in the last tick: what the kernel found wrong. Panics of user code
    /// are in [`Self::panicked`].
    pub fn faults(&self) -> impl Iterator<Item = (AgentId, Fault)> + '_ {
        self.last.faults()
    }

    /// Agents that a panic in user code ended in the last tick, and why. They are none of those in
    /// [`Self::faults`].
    pub fn panicked(&self) -> impl Iterator<Item = &Panicked> {
        self.last.panicked()
    }

    /// Agents that a call of a missing function ended in the last tick, and the function. There are
    /// none unless the machine was bound with
    /// [`Machine::bind_for_development`](crate::Machine::bind_for_development).
    pub fn unbound_calls(&self) -> impl Iterator<Item = (AgentId, FunctionId)> + '_ {
        self.last.unbound_calls()
    }
}
