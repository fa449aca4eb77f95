//! Phase (0): starting (TICK-1), and completing what a reload left of a configuration (LOAD-3).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use statewright_author::graph::StateKind;

use crate::entry::EntryPlan;
use crate::life::NOBODY;
use crate::model::Target;
use crate::oracle::{Env, Oracle, Site};
use crate::world::Cause;

impl Oracle {
    /// Every region that must be active and has no active child is entered by default: a microstep
    /// that is not counted. Of an agent without any active state that is the whole machine.
    pub(crate) fn make_whole(&mut self, env: &mut Env<'_>) {
        self.flags.started = true;
        self.start_pending_timers(env);
        let is_final = |state: &usize| self.model.states[*state].kind == StateKind::Final;
        let mut finals: BTreeSet<usize> = self.active.iter().copied().filter(is_final).collect();
        let plan = if self.active.is_empty() {
            self.settle_machine(env)
        } else {
            self.settle_missing(env)
        };
        finals.extend(plan.entered_finals(&self.model));
        self.carry_out_entries(env, plan);
        self.flags.incomplete = false;
        self.finish_microstep(env, &finals, true, &Cause::None);
    }

    /// The root and everything below it: after a reload towards the reload entry.
    fn settle_machine(&mut self, env: &mut Env<'_>) -> EntryPlan {
        let entry = self.model.reload_entry.filter(|_| self.flags.incomplete);
        let entry: Vec<Target> = entry.into_iter().collect();
        let (targets, branches) = self.resolve_choices(env, &entry, &NOBODY);
        let mut plan = EntryPlan::default();
        let effects = branches.into_iter();
        plan.effects
            .extend(effects.map(|effect| (crate::entry::Moment::After(0), effect, NOBODY)));
        self.settle_state(env, 0, targets, &NOBODY, &mut plan);
        plan
    }

    /// Region by region, in the order of their first children.
    fn settle_missing(&mut self, env: &mut Env<'_>) -> EntryPlan {
        let model = self.model.clone();
        let regions = self
            .active
            .iter()
            .flat_map(|&state| &model.states[state].regions);
        let mut missing: Vec<usize> = regions
            .copied()
            .filter(|&region| self.active_child(region).is_none())
            .collect();
        missing.sort_by_key(|&region| model.regions[region].children[0]);
        let mut plan = EntryPlan::default();
        // What history says about the regions of a state, found with the first of them.
        let mut remembered: BTreeMap<usize, Vec<Target>> = BTreeMap::new();
        for &region in &missing {
            let owner = model.regions[region].owner;
            let mut own = EntryPlan::default();
            if let Entry::Vacant(vacant) = remembered.entry(owner) {
                let points = model.states[owner].points.iter();
                let point = points.copied().find(|&point| model.points[point].on_entry);
                let point = point.into_iter().map(Target::Point).collect();
                vacant.insert(self.settle_points(env, owner, point, &NOBODY, &mut own));
            }
            let inside = remembered[&owner].iter().copied();
            let inside = inside.filter(|&target| self.target_in(region, target));
            let inside: Vec<Target> = inside.collect();
            self.settle_regions(env, owner, &[region], inside, &NOBODY, &mut own);
            plan.add(own, model.scxml_details);
        }
        plan
    }

    /// Timers that began with the reload, by state and then as declared (LOAD-4).
    fn start_pending_timers(&mut self, env: &mut Env<'_>) {
        let model = self.model.clone();
        for &state in &self.active.clone() {
            for &timer in &model.states[state].timers {
                if !self.pending.remove(&timer) {
                    continue;
                }
                let delay = model.timers[timer].after.as_ref();
                let site = Site {
                    state,
                    transition: None,
                    cause: Cause::None,
                };
                let ticks = self.delay(env, delay.expect("it is armed on entry"), &site);
                self.start_timer(timer, ticks, env.tick);
            }
        }
    }
}
