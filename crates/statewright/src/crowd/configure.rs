//! What the host chooses for a crowd. Settings are in no snapshot: runs that shall be equal need the
//! same ones.

use std::sync::Arc;

use statewright_kernel::Mismatch;

use super::snapshot::MANY;
use super::{Crowd, Input};
use crate::agent_id::CrowdNumber;
use crate::board::{Board, NotStrict};
use crate::commands::Pool;
use crate::context::Context;
use crate::pipeline::{TickSettings, WrongBudget, WrongSettings, check_budget};

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// The same with another first tick than 0, for a crowd that joins a world under way.
    ///
    /// # Panics
    ///
    /// If the crowd has agents: their clocks and timers know the time. If the tick is above 2^62:
    /// time would come to an end.
    #[must_use]
    pub fn starting_at(mut self, tick: u64) -> Self {
        assert!(
            self.agents.slots() == 0,
            "a crowd with agents cannot change its time"
        );
        assert!(
            self.can_start_at(tick),
            "the first tick of a crowd is at most 2^62"
        );
        self.enter(Input::StartAt(tick));
        self
    }

    pub(super) fn can_start_at(&self, tick: u64) -> bool {
        self.agents.slots() == 0 && tick <= MANY / 2
    }

    /// The same with a number of the host's choice, which ids of its agents know it by. Needed where
    /// two crowds of one machine have one seed: otherwise ids of one could be taken for those of
    /// the other.
    ///
    /// ```
    /// use statewright::CrowdNumber;
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Ant", |m| {
    ///     m.state("walk", |_| {});
    /// })?;
    /// let crowd = |number| {
    ///     let program = machine.bind(Functions::<(), ()>::new()).unwrap();
    ///     Crowd::new(program, 1).numbered(CrowdNumber::new(number).unwrap())
    /// };
    /// let (mut red, mut blue) = (crowd(1), crowd(2));
    /// let [a, b] = [red.spawn(()), blue.spawn(())];
    /// assert_eq!(a.to_string(), "agent 0.1 of crowd 1");
    /// assert!(red.contains(a) && !red.contains(b));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the crowd has or had agents: their ids know the number that it has.
    #[must_use]
    pub fn numbered(mut self, number: CrowdNumber) -> Self {
        assert!(
            self.agents.slots() == 0,
            "a crowd with agents cannot change its number"
        );
        self.enter(Input::Number(number));
        self
    }

    /// What ids of its agents know it by. It follows from the machine and the seed unless the host
    /// chose one ([`Self::numbered`]).
    pub fn number(&self) -> CrowdNumber {
        self.agents.number
    }

    /// How ticks are carried out.
    pub fn settings(&self) -> &TickSettings {
        &self.settings
    }

    /// Carries ticks out in another way from now on.
    pub fn set_settings(&mut self, settings: TickSettings) -> Result<(), WrongSettings> {
        settings.check(self.program.strict)?;
        self.enter(Input::Settings(settings));
        Ok(())
    }

    fn change_settings(&mut self, change: impl FnOnce(&mut TickSettings)) {
        let mut settings = self.settings;
        change(&mut settings);
        self.enter(Input::Settings(settings));
    }

    /// Whether agents that have nothing to do sleep, as they do unless told. Changes nothing but
    /// speed.
    pub fn set_sleeping(&mut self, sleeping: bool) {
        self.change_settings(|settings| settings.sleeping = sleeping);
    }

    /// What happens to agents of another machine, which only a snapshot of other bytes could bring.
    pub fn set_mismatch(&mut self, mismatch: Mismatch) {
        self.change_settings(|settings| settings.mismatch = mismatch);
    }

    /// Agents per piece of work when several threads work, 1,024 unless told. Changes nothing but
    /// speed.
    pub fn set_chunk_size(&mut self, agents: usize) {
        self.change_settings(|settings| settings.chunk_size = agents);
    }

    /// Bytes of commands that one agent may write per tick: what the machine file says
    /// (`command_bytes`, else 1,024; no more than a page of 4,096) unless told. The last
    /// quarter is for critical commands alone. A command takes its own bytes in whole words and
    /// 24 more.
    pub fn set_budget(&mut self, bytes: usize) -> Result<(), WrongBudget> {
        check_budget(bytes)?;
        self.change_settings(|settings| settings.budget = Some(bytes));
        Ok(())
    }

    /// Whether an event for which there is no room in its agent's queue ends that agent, as a fault
    /// does ([`Self::faults`] lists it), instead of being dropped and counted (EVT-3). For
    /// development: what is lost so is seldom noticed otherwise.
    pub fn set_quarantine_overflow(&mut self, quarantine: bool) {
        self.change_settings(|settings| settings.quarantine_overflow = quarantine);
    }

    /// Whether commands are forgotten while the tick runs: for hosts that read none. What the crowd
    /// itself carries out, messages and writes in strict mode, is not; and nothing else that
    /// agents do changes.
    pub fn set_forgets_commands(&mut self, forgets: bool) {
        self.change_settings(|settings| settings.forgets_commands = forgets);
    }

    /// Strict mode, as the machine file says (`strict_writes`) unless told: what actions write to the
    /// blackboard waits for the end of the tick, so that every read in a tick, by the machine file
    /// or by a function in Rust, sees the values from before it (CODE-5). Writes to keys wait in
    /// the lane [`Lane::BLACKBOARD`](crate::commands::Lane::BLACKBOARD).
    ///
    /// Refused if functions in Rust could write to fields that cannot be held back.
    pub fn set_strict(&mut self, strict: bool) -> Result<(), NotStrict> {
        if strict {
            self.program.strict?;
        }
        self.change_settings(|settings| settings.strict = Some(strict));
        Ok(())
    }

    /// Takes pages for commands from this pool, which other crowds may share. A pool that is too
    /// small for a tick refuses it ([`Self::try_tick`]). Without this call a crowd has a pool
    /// of its own that grows with it.
    #[must_use]
    pub fn with_pool(mut self, pool: Arc<Pool>) -> Self {
        self.enter(Input::Pool(pool));
        self
    }

    /// The pool that pages come from. That of a crowd without [`Self::with_pool`] is its own: when
    /// it needs more pages than are free there, it goes on with a new one, and whoever was
    /// given the old one keeps it.
    pub fn pool(&self) -> &Arc<Pool> {
        self.pages.pool()
    }

    /// Counts from zero again.
    pub fn reset_counters(&mut self) {
        self.enter(Input::ResetCounters);
    }
}
