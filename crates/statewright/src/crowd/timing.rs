//! How long the user functions of a crowd take. Who measures is no input: nothing depends on it.

use statewright_rom::ids::FunctionId;

use super::Crowd;
use crate::board::Board;
use crate::context::Context;
use crate::pipeline::{FunctionTime, SlowCall, Timing};

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// Measures user functions from the next tick on, or not any more; what was found so far stays
    /// until [`Self::reset_timing`]. Without it a tick asks no clock.
    ///
    /// ```
    /// use std::time::Instant;
    ///
    /// use statewright::Timing;
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Bell", |m| {
    ///     m.event("Pull");
    ///     m.state("still", |s| {
    ///         s.on("Pull").run("Ring");
    ///     });
    /// })?;
    /// let functions = Functions::<(), ()>::new().action("Ring", |_, _, _| {});
    /// let mut bells = Crowd::new(machine.bind(functions)?, 1);
    /// let start = Instant::now();
    /// let nanoseconds = move || start.elapsed().as_nanos() as u64;
    /// bells.set_timing(Some(Timing::new(nanoseconds).with_budget(1_000_000_000)));
    /// bells.spawn(());
    /// bells.tick(&());
    /// bells.broadcast(machine.event("Pull")?, ())?;
    /// bells.tick(&());
    ///
    /// for (function, time) in bells.function_times() {
    ///     println!("{}: {} calls, {} ns, {} ns at worst", machine.function_name(function), time.calls, time.total, time.worst);
    /// #   assert_eq!(time.calls, 1);
    /// }
    /// for call in bells.slow_calls() {
    ///     println!("{} took {} ns in {}", call.agent, call.time, machine.function_name(call.function));
    /// }
    /// # assert_eq!((bells.function_times().count(), bells.slow_call_count()), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_timing(&mut self, timing: Option<Timing>) {
        self.measured.timing = timing;
    }

    /// How long each function took that was called while it was measured, by number.
    pub fn function_times(&self) -> impl Iterator<Item = (FunctionId, FunctionTime)> {
        self.measured.times.functions()
    }

    /// The first 1,024 calls that took longer than the budget, by tick and agent.
    pub fn slow_calls(&self) -> &[SlowCall] {
        self.measured.times.slow()
    }

    /// How many calls took longer than the budget.
    pub fn slow_call_count(&self) -> u64 {
        self.measured.times.slow_count()
    }

    /// Forgets what was measured.
    pub fn reset_timing(&mut self) {
        self.measured.times.clear();
    }
}
