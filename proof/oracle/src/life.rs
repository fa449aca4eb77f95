//! Stop, reset, termination, quarantine (SYS-10, EXEC-6, TICK-3, EVT-10) and the fail-safe
//! (TICK-4).

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::EntryPlan;
use crate::exit::{ExitKind, ExitPlan, Owner};
use crate::oracle::{Env, Oracle};
use crate::report::Quarantine;
use crate::world::{Cause, World};

pub(crate) const NOBODY: Owner = (None, Cause::None);

impl Oracle {
    /// Runs all exits and terminates.
    pub fn stop(&mut self, world: &mut dyn World, tick: u32, variant: usize) {
        if !self.running() {
            return;
        }
        self.resume(tick);
        let mut env = Env::new(world, tick, variant);
        self.terminate(&mut env, &Cause::None);
        self.update_flags();
    }

    /// Runs nothing, clears all but the rng and raises the generation.
    pub fn reset(&mut self) {
        let fresh = Self {
            model: self.model.clone(),
            agent: self.agent,
            counters: self.counters.clone(),
            rng: self.rng,
            generation: self.generation.wrapping_add(1),
            flags: Default::default(),
            clamped: 0,
            active: BTreeSet::new(),
            entered: BTreeSet::new(),
            history: vec![None; self.model.points.len()],
            foreseen: BTreeMap::new(),
            timers: BTreeMap::new(),
            clocks: BTreeMap::new(),
            pending: BTreeSet::new(),
            debounces: BTreeMap::new(),
            cooldowns: BTreeMap::new(),
            results: BTreeMap::new(),
            latched: BTreeMap::new(),
            scratch: self
                .model
                .scratch
                .iter()
                .map(|scratch| vec![0; scratch.slots])
                .collect(),
            queue: Vec::new(),
            frames: BTreeMap::new(),
            fault: None,
            quarantined_by: None,
            in_tick: false,
            observing: false,
        };
        *self = fresh;
        self.counters.resets += 1;
    }

    /// Exits everything, the root last; then nothing is left but history, cooldowns and rng.
    pub(crate) fn terminate(&mut self, env: &mut Env<'_>, cause: &Cause) {
        let all = self.active.clone();
        if !self.flags.incomplete {
            self.record_history(&all);
        }
        self.exit_everything(env, all, &(None, cause.clone()));
        self.forget_what_runs();
        self.clocks.clear();
        self.results.clear();
        self.fault = None;
        self.flags.incomplete = false;
        self.flags.terminated = true;
        self.counters.terminations += 1;
    }

    /// Exits active states in exit order, and the frames of all regions.
    fn exit_everything(&mut self, env: &mut Env<'_>, states: BTreeSet<usize>, owner: &Owner) {
        let active = |region: &&usize| self.active_child(**region).is_some();
        let plan = ExitPlan {
            states: states
                .into_iter()
                .map(|state| (state, (ExitKind::Exit, owner.clone())))
                .collect(),
            unwound: self
                .frames
                .keys()
                .filter(active)
                .map(|&region| (region, owner.clone()))
                .collect(),
        };
        self.carry_out_exits(env, &plan);
    }

    /// Queue, armed timers, debounces and latches.
    fn forget_what_runs(&mut self) {
        self.queue.clear();
        self.timers.clear();
        self.pending.clear();
        self.debounces.clear();
        self.latched.clear();
    }

    /// No active leaf, no timers, an empty queue, no frames; rng and history keep their values
    /// (TICK-3).
    pub(crate) fn quarantine(&mut self, reason: Quarantine) {
        self.active.clear();
        self.forget_what_runs();
        self.clocks.clear();
        self.results.clear();
        self.frames.clear();
        self.fault = None;
        self.flags.paused = false;
        self.flags.incomplete = false;
        self.flags.quarantined = true;
        self.quarantined_by = Some(reason);
        self.counters.quarantines += 1;
    }

    /// Everything below the root is exited, the fail-safe state (default: the initial) entered
    /// (TICK-4).
    pub(crate) fn fail_safe(&mut self, env: &mut Env<'_>) {
        let model = self.model.clone();
        env.report.fail_safe = true;
        self.counters.fail_safes += 1;
        let exits: BTreeSet<usize> = self
            .active
            .iter()
            .copied()
            .filter(|&state| state != 0)
            .collect();
        self.record_history(&exits);
        let mut entries = EntryPlan::default();
        let (targets, branches) = self.resolve_choices(
            env,
            &model.fail_safe.into_iter().collect::<Vec<_>>(),
            &NOBODY,
        );
        self.settle_regions(
            env,
            0,
            &model.states[0].regions,
            targets,
            &NOBODY,
            &mut entries,
        );
        let finals = entries.entered_finals(&self.model);
        self.exit_everything(env, exits, &NOBODY);
        self.forget_what_runs();
        self.clamped = 0;
        for branch in branches {
            self.run_effect(env, branch, &NOBODY);
        }
        self.carry_out_entries(env, entries);
        self.finish_microstep(env, &finals, true, &Cause::None);
    }
}
