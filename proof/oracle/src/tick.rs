//! One whole tick (TICK-1 to TICK-5, TICK-7).

use crate::oracle::{Env, Oracle};
use crate::queue::{Event, Next};
use crate::report::{Quarantine, TickReport};
use crate::select::{Choice, Occasion};
use crate::world::{Cause, World};

impl Oracle {
    /// One whole tick. The inbox is in order; the report says how many were taken from its front.
    pub fn tick(
        &mut self,
        world: &mut dyn World,
        tick: u32,
        variant: usize,
        inbox: &[Event],
    ) -> TickReport {
        let mut env = Env::new(world, tick, variant);
        if !self.flags.paused && self.running() {
            self.in_tick = true;
            self.run_tick(&mut env, inbox);
            self.in_tick = false;
            self.update_flags();
        }
        if !self.running() {
            // Terminated and quarantined agents drop events, counted (SYS-10).
            let dropped = inbox.len() - env.report.inbox_taken;
            self.counters.dropped_ended += dropped as u64;
            env.report.inbox_taken = inbox.len();
        }
        env.report
    }

    fn run_tick(&mut self, env: &mut Env<'_>, inbox: &[Event]) {
        self.entered.clear();
        // (0)
        if !self.flags.started || self.flags.incomplete {
            self.make_whole(env);
        }
        // (1), (2)
        let clamped = self.run_loop(env, inbox);
        if !self.running() {
            return;
        }
        // The fail-safe ends the tick before (3).
        if !self.count_clamp(env, clamped) {
            // (3)
            self.run_activities(env);
            if let Some(reason) = self.fault.take() {
                self.quarantine(reason);
                env.report.quarantine = Some(reason);
            }
        }
        // (4)
        self.queue.iter_mut().for_each(|event| event.hidden = false);
    }

    /// Eventless rounds and events until there is nothing left or a cap is reached; true if that
    /// clamps the tick (TICK-4).
    fn run_loop(&mut self, env: &mut Env<'_>, inbox: &[Event]) -> bool {
        let mut first = true;
        loop {
            // (1) Eventless selection and commit until none is enabled.
            loop {
                if !self.running() {
                    return false;
                }
                if env.report.microsteps >= self.model.microsteps_per_tick {
                    if self.model.internal_first {
                        self.quarantine(Quarantine::MicrostepCap);
                        env.report.quarantine = Some(Quarantine::MicrostepCap);
                    }
                    return true;
                }
                let choice = self.select(env, Occasion::Eventless { first }, &Cause::None);
                first = false;
                let Choice::Commit(accepted) = choice else {
                    break;
                };
                self.commit(env, &accepted);
            }
            // (2) The next event.
            if env.report.events >= self.model.events_per_tick {
                let more = self
                    .queue
                    .iter()
                    .any(|event| !event.deferred && !event.hidden);
                // A machine that must not lose events goes on in the next tick (EVT-10).
                return more && !self.model.internal_first;
            }
            match self.next_event(env.tick, inbox.get(env.report.inbox_taken)) {
                None => return false,
                Some(Next::Timer(timer)) => self.handle_timer(env, timer),
                Some(Next::Queued(place)) => {
                    let event = self.queue.remove(place);
                    self.handle_event(env, event, Some(place));
                }
                Some(Next::Inbox) => {
                    let event = Event {
                        deferred: false,
                        hidden: false,
                        stamp: env.tick,
                        ..inbox[env.report.inbox_taken].clone()
                    };
                    env.report.inbox_taken += 1;
                    self.handle_event(env, event, None);
                }
            }
        }
    }

    fn commit(&mut self, env: &mut Env<'_>, accepted: &[crate::select::Candidate]) {
        env.report.microsteps += 1;
        self.counters.microsteps += 1;
        self.microstep(env, accepted);
    }

    fn count_event(&mut self, env: &mut Env<'_>) {
        env.report.events += 1;
        self.counters.events += 1;
    }

    /// An event that was taken: select, run observers, then commit, defer or drop.
    fn handle_event(&mut self, env: &mut Env<'_>, event: Event, place: Option<usize>) {
        self.count_event(env);
        let cause = Cause::Event {
            id: event.id,
            payload: event.payload,
        };
        match self.select(env, Occasion::Event(event.id), &cause) {
            Choice::Defer => self.defer(env.tick, event, place),
            Choice::Commit(accepted) => {
                self.run_observers(env, event.id, &cause);
                self.commit(env, &accepted);
            }
            what @ (Choice::Nothing | Choice::Stored | Choice::Stay) => {
                self.counters.unhandled += u64::from(matches!(what, Choice::Nothing));
                self.run_observers(env, event.id, &cause);
                if let Some(reason) = self.fault.take() {
                    self.quarantine(reason);
                    env.report.quarantine = Some(reason);
                }
            }
        }
    }

    /// A due timer: taking it disarms it (EVT-7), or moves it on (LANG-2). One that stands for an event is dispatched as
    /// that.
    fn handle_timer(&mut self, env: &mut Env<'_>, timer: usize) {
        if self.model.timers[timer].every {
            self.move_on(env, timer);
        } else {
            self.take_timer(timer, env.tick);
        }
        self.count_event(env);
        let (occasion, cause) = match self.model.timers[timer].event {
            Some(id) => (
                Occasion::TimerAsEvent(id),
                Cause::Event {
                    id,
                    payload: [0; 4],
                },
            ),
            None => (Occasion::Timer(timer), Cause::Timer(timer)),
        };
        match self.select(env, occasion, &cause) {
            Choice::Commit(accepted) => self.commit(env, &accepted),
            Choice::Stored | Choice::Stay => {}
            Choice::Defer | Choice::Nothing => self.counters.unhandled += 1,
        }
    }

    /// Counts clamped ticks in a row; true if the fail-safe was entered.
    fn count_clamp(&mut self, env: &mut Env<'_>, clamped: bool) -> bool {
        if !clamped {
            self.clamped = 0;
            return false;
        }
        env.report.clamped = true;
        self.counters.clamps += 1;
        self.flags.budget_exceeded = true;
        let count = u32::from(self.clamped) + 1;
        if count <= self.model.clamp_limit {
            self.clamped = u8::try_from(count).expect("the limit is at most 255");
            return false;
        }
        self.fail_safe(env);
        true
    }
}
