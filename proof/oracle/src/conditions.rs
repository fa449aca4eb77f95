//! Cooldown, debounce, min-active, exit_ready and latches (SEL-6).

use std::collections::BTreeSet;

use crate::oracle::{Env, Oracle, Site};
use crate::report::Outcome;
use crate::timers::is_due;
use crate::world::Cause;

impl Oracle {
    /// A cooldown that has not ended.
    pub(crate) fn cooldown_allows(&self, transition: usize, now: u32) -> Result<(), Outcome> {
        match self.cooldowns.get(&transition) {
            Some(&ready) if !is_due(ready, now) => Err(Outcome::Cooldown),
            _ => Ok(()),
        }
    }

    /// The guard, and the debounce that follows from it.
    pub(crate) fn guard_allows(
        &mut self,
        env: &mut Env<'_>,
        transition: usize,
        cause: &Cause,
    ) -> Result<(), Outcome> {
        let model = self.model.clone();
        let record = &model.transitions[transition];
        if let Some(guard) = &record.guard {
            let site = Site {
                state: record.source,
                transition: Some(transition),
                cause: cause.clone(),
            };
            let verdict = self.guard(env, guard, &site);
            if !verdict.holds {
                self.debounces.remove(&transition);
                return Err(Outcome::GuardFalse(verdict.code));
            }
        }
        let Some(delay) = &record.debounce else {
            return Ok(());
        };
        let site = Site {
            state: record.source,
            transition: Some(transition),
            cause: cause.clone(),
        };
        let deadline = match self.debounces.get(&transition) {
            Some(&deadline) => deadline,
            None => env.tick.wrapping_add(self.delay(env, delay, &site)),
        };
        self.debounces.insert(transition, deadline);
        if is_due(deadline, env.tick) {
            Ok(())
        } else {
            Err(Outcome::Debounce)
        }
    }

    /// Min-active of all states of the exit set in exit order, then their exit_ready guards in exit
    /// order.
    pub(crate) fn exit_allows(
        &mut self,
        env: &mut Env<'_>,
        transition: usize,
        exits: &BTreeSet<usize>,
        cause: &Cause,
    ) -> Result<(), Outcome> {
        let model = self.model.clone();
        let order = self.active_exit_order(exits);
        for &state in &order {
            let Some(least) = &model.states[state].min_active else {
                continue;
            };
            let site = Site {
                state,
                transition: Some(transition),
                cause: cause.clone(),
            };
            if self.ticks_in_state(state, env.tick) < self.delay(env, least, &site) {
                return Err(Outcome::MinActive);
            }
        }
        for &state in &order {
            if let Some(ready) = &model.states[state].exit_ready {
                let site = Site {
                    state,
                    transition: Some(transition),
                    cause: cause.clone(),
                };
                if !self.guard(env, ready, &site).holds {
                    return Err(Outcome::ExitNotReady);
                }
            }
        }
        Ok(())
    }

    /// A transition marked `latch` that its source may not yet take waits in the slot; the first
    /// stored stays.
    pub(crate) fn latch(&mut self, transition: usize) -> bool {
        let record = &self.model.transitions[transition];
        let stores = record.latch && !self.latched.contains_key(&record.source);
        if stores {
            self.latched.insert(record.source, transition);
        }
        stores
    }

    /// Just before the effect: the cooldown starts, debounce, slot and result are cleared.
    pub(crate) fn before_effect(&mut self, env: &mut Env<'_>, transition: usize, cause: &Cause) {
        use crate::model::Trigger;
        let model = self.model.clone();
        let record = &model.transitions[transition];
        if let Some(delay) = &record.cooldown {
            let site = Site {
                state: record.source,
                transition: Some(transition),
                cause: cause.clone(),
            };
            let ticks = self.delay(env, delay, &site);
            // A ready tick of 0 is stored as 1.
            let ready = env.tick.wrapping_add(ticks).max(1);
            for of_list in model.listed_with(transition) {
                self.cooldowns.insert(of_list, ready);
            }
        }
        self.debounces.remove(&transition);
        if self.latched.get(&record.source) == Some(&transition) {
            self.latched.remove(&record.source);
        }
        if matches!(record.trigger, Trigger::Done | Trigger::Failed) {
            self.results.remove(&record.source);
        }
    }
}
