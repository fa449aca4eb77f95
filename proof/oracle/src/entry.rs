//! Entries: where they lead (EXEC-3, EXEC-7) and the entry of one state.
//!
//! Settling happens before the first exit, in pre-order; it evaluates the guards of branches and
//! fills an [`EntryPlan`].

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::graph::StateKind;

use crate::exit::Owner;
use crate::model::Target;
use crate::oracle::{Env, Oracle, Site};

/// How a state becomes active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// It is entered.
    Enter,
    /// It is resumed from the top frame of this region.
    Resume(usize),
}

/// An effect that does not stand in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Of the initial of a region.
    Initial(usize),
    /// Of the default of a history point.
    Default(usize),
    /// Of a branch of a choice state.
    Branch(usize, usize),
}

/// Targets behind choices, and the branches that led there.
pub(crate) type Settled = (Vec<Target>, Vec<Effect>);

/// When an effect runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// Right after the entry of a state; if it stays active, before the first entry inside it.
    After(usize),
    /// Right before the entry of a state: effects of the initial that leads to it.
    Before(usize),
}

/// What is to be entered.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryPlan {
    /// States, in pre-order.
    pub(crate) states: BTreeMap<usize, (EntryKind, Owner)>,
    /// Effects and where they run.
    pub(crate) effects: Vec<(Moment, Effect, Owner)>,
}

impl EntryPlan {
    /// Final states that are entered, not resumed.
    pub(crate) fn entered_finals(&self, model: &crate::model::Model) -> BTreeSet<usize> {
        let is_final = |&(&state, (kind, _)): &(&usize, &(EntryKind, Owner))| {
            *kind == EntryKind::Enter && model.states[state].kind == StateKind::Final
        };
        self.states
            .iter()
            .filter(is_final)
            .map(|(&state, _)| state)
            .collect()
    }

    /// In SCXML the effect of a history default belongs to the entry of its state: if that stays
    /// active, it does not run.
    fn leave_out_defaults(&mut self) {
        let states = &self.states;
        self.effects.retain(|(moment, effect, _)| {
            let stays = matches!(moment, Moment::After(outer) if !states.contains_key(outer));
            !(stays && matches!(effect, Effect::Default(_)))
        });
    }

    /// Adds what one transition enters. Effects of states that stay active run before its own first
    /// entry.
    pub(crate) fn add(&mut self, own: Self, scxml_details: bool) {
        let first = own.states.keys().next().copied();
        let mut own = own;
        if scxml_details {
            own.leave_out_defaults();
        }
        let settled = |(moment, effect, owner): (Moment, Effect, Owner)| {
            let moment = match (moment, first) {
                (Moment::After(outer), Some(first)) if !own.states.contains_key(&outer) => {
                    Moment::Before(first)
                }
                _ => moment,
            };
            (moment, effect, owner)
        };
        self.effects.extend(own.effects.into_iter().map(settled));
        self.states.extend(own.states);
    }
}

/// Whether a point belongs to a state or to one around it, which then stays active.
fn owner_reaches(model: &crate::model::Model, point: usize, state: usize) -> bool {
    let owner = model.points[point].owner;
    owner == state || model.around(owner, state)
}

impl Oracle {
    /// A choice is replaced by the branch that is taken, until there is none (EXEC-7). Returns the
    /// targets and the branches.
    pub(crate) fn resolve_choices(
        &mut self,
        env: &mut Env<'_>,
        targets: &[Target],
        owner: &Owner,
    ) -> Settled {
        let model = self.model.clone();
        let mut targets = targets.to_vec();
        let mut branches = Vec::new();
        while let [Target::State(choice)] = targets[..]
            && model.states[choice].kind == StateKind::Choice
        {
            let site = Site {
                state: choice,
                transition: owner.0,
                cause: owner.1.clone(),
            };
            let list = &model.states[choice].branches;
            let mut chosen = None;
            for (index, branch) in list.iter().enumerate() {
                let holds = branch
                    .guard
                    .as_ref()
                    .is_none_or(|guard| self.guard(env, guard, &site).holds);
                if holds {
                    chosen = Some(index);
                    break;
                }
            }
            let chosen = chosen.expect("the last branch has no guard");
            branches.push(Effect::Branch(choice, chosen));
            targets = list[chosen].targets.clone();
        }
        self.foresee_defaults(env, &targets, owner);
        (targets, branches)
    }

    /// Asks the choices that defaults of history points lead to, with the target that names the
    /// point: before anything that is entered by an initial (EXEC-7). Where they lead is kept until
    /// the owner of the point is reached.
    fn foresee_defaults(&mut self, env: &mut Env<'_>, targets: &[Target], owner: &Owner) {
        for target in targets {
            if let Target::Point(point) = *target
                && self.history[point].is_none()
            {
                let default = self.model.points[point].default.clone();
                let found = self.resolve_choices(env, &default, owner);
                self.foreseen.insert(point, found);
            }
        }
    }

    /// Enters a state, aiming at targets inside it.
    pub(crate) fn settle_state(
        &mut self,
        env: &mut Env<'_>,
        state: usize,
        targets: Vec<Target>,
        owner: &Owner,
        plan: &mut EntryPlan,
    ) {
        let model = self.model.clone();
        plan.states.insert(state, (EntryKind::Enter, owner.clone()));
        let record = &model.states[state];
        // Entered without a target inside: the first point with `restore: on_entry` is used
        // (EXEC-4).
        let restore = record
            .points
            .iter()
            .find(|&&point| model.points[point].on_entry);
        let targets = match restore {
            Some(&point) if targets.is_empty() => vec![Target::Point(point)],
            _ => targets,
        };
        self.settle_regions(env, state, &record.regions, targets, owner, plan);
    }

    /// Enters regions of a state, aiming at targets inside it; regions without one by their
    /// initial.
    pub(crate) fn settle_regions(
        &mut self,
        env: &mut Env<'_>,
        state: usize,
        regions: &[usize],
        targets: Vec<Target>,
        owner: &Owner,
        plan: &mut EntryPlan,
    ) {
        let model = self.model.clone();
        let targets = self.settle_points(env, state, targets, owner, plan);
        let covered =
            |&target: &Target| regions.iter().any(|&region| self.target_in(region, target));
        assert!(
            targets.iter().all(covered),
            "targets {targets:?} lie in regions {regions:?} of state {state}"
        );
        for &region in regions {
            let mut inside: Vec<Target> = targets
                .iter()
                .copied()
                .filter(|&target| self.target_in(region, target))
                .collect();
            let settled_before = plan.effects.len();
            if inside.is_empty() {
                plan.effects
                    .push((Moment::After(state), Effect::Initial(region), owner.clone()));
                let (resolved, branches) =
                    self.resolve_choices(env, &model.regions[region].initial, owner);
                plan.effects.extend(
                    branches
                        .into_iter()
                        .map(|branch| (Moment::After(state), branch, owner.clone())),
                );
                inside = self.settle_points(env, state, resolved, owner, plan);
            }
            let child = match inside[0] {
                Target::State(target) => model.child_towards(state, target),
                Target::Point(point) => model.child_towards(state, model.points[point].owner),
            };
            // What the initial of a region brings along runs when the region is entered.
            plan.effects[settled_before..]
                .iter_mut()
                .for_each(|(moment, ..)| *moment = Moment::Before(child));
            inside.retain(|&target| target != Target::State(child));
            self.settle_state(env, child, inside, owner, plan);
        }
    }

    /// History points of a state, or of one around it, become what they remember, or their default
    /// (EXEC-4). The points of states further inside wait until their owner is reached.
    pub(crate) fn settle_points(
        &mut self,
        env: &mut Env<'_>,
        state: usize,
        targets: Vec<Target>,
        owner: &Owner,
        plan: &mut EntryPlan,
    ) -> Vec<Target> {
        let model = self.model.clone();
        let mut settled = Vec::new();
        for target in targets {
            let point = match target {
                Target::Point(point) if owner_reaches(&model, point, state) => point,
                other => {
                    settled.push(other);
                    continue;
                }
            };
            if let Some(states) = &self.history[point] {
                settled.extend(states.iter().map(|&state| Target::State(state)));
                continue;
            }
            plan.effects
                .push((Moment::After(state), Effect::Default(point), owner.clone()));
            let (resolved, branches) = match self.foreseen.remove(&point) {
                Some(found) => found,
                None => self.resolve_choices(env, &model.points[point].default, owner),
            };
            plan.effects.extend(
                branches
                    .into_iter()
                    .map(|branch| (Moment::After(state), branch, owner.clone())),
            );
            settled.extend(self.settle_points(env, state, resolved, owner, plan));
        }
        settled
    }

    /// Whether a target lies in a region; a history point lies where its owner does.
    pub(crate) fn target_in(&self, region: usize, target: Target) -> bool {
        match target {
            Target::State(state) => self.model.in_region(region, state),
            Target::Point(point) => self.model.in_region(region, self.model.points[point].owner),
        }
    }

    /// Carries out entries in pre-order, with the effects on the way.
    pub(crate) fn carry_out_entries(&mut self, env: &mut Env<'_>, mut plan: EntryPlan) {
        let model = self.model.clone();
        if model.scxml_details {
            plan.leave_out_defaults();
        }
        let mut waiting = plan.effects;
        // Frames that are popped stay at hand until everything is resumed.
        let mut popped = BTreeMap::new();
        for (kind, _) in plan.states.values() {
            if let EntryKind::Resume(region) = *kind {
                popped
                    .entry(region)
                    .or_insert_with(|| self.pop_frame(region));
            }
        }
        for (&state, (kind, owner)) in &plan.states {
            let stays =
                |outer: usize| !plan.states.contains_key(&outer) && model.around(outer, state);
            let (now, later) = waiting.into_iter().partition(|(moment, ..)| match *moment {
                Moment::After(outer) => stays(outer),
                Moment::Before(child) => child == state,
            });
            waiting = later;
            self.run_entry_effects(env, now);
            let site = Site {
                state,
                transition: owner.0,
                cause: owner.1.clone(),
            };
            match kind {
                EntryKind::Enter => {
                    self.enter_state(env, &site);
                    if model.scxml_details && model.states[state].kind == StateKind::Final {
                        self.tell_completed_around(env.tick, state);
                    }
                }
                EntryKind::Resume(region) => self.resume_state(env, &site, &popped[region]),
            }
            let (now, later) = waiting
                .into_iter()
                .partition(|(moment, ..)| *moment == Moment::After(state));
            waiting = later;
            self.run_entry_effects(env, now);
        }
        assert!(waiting.is_empty(), "every effect has an entry after it");
    }

    fn pop_frame(&mut self, region: usize) -> crate::snapshot::Frame {
        let frames = self.frames.get_mut(&region).expect("a pop has a frame");
        let frame = frames.pop().expect("a pop has a frame");
        if frames.is_empty() {
            self.frames.remove(&region);
        }
        frame
    }

    fn run_entry_effects(&mut self, env: &mut Env<'_>, effects: Vec<(Moment, Effect, Owner)>) {
        for (_, effect, owner) in effects {
            self.run_effect(env, effect, &owner);
        }
    }

    /// Runs an effect that does not stand in a transition.
    pub(crate) fn run_effect(&mut self, env: &mut Env<'_>, effect: Effect, owner: &Owner) {
        let model = self.model.clone();
        let (state, actions) = match effect {
            Effect::Initial(region) => (model.regions[region].owner, &model.regions[region].effect),
            Effect::Default(point) => (model.points[point].owner, &model.points[point].effect),
            Effect::Branch(choice, branch) => {
                (choice, &model.states[choice].branches[branch].effect)
            }
        };
        self.run_actions(
            env,
            actions,
            &Site {
                state,
                transition: owner.0,
                cause: owner.1.clone(),
            },
        );
    }

    /// Entry of one state: active, scratch zeroed, result and latch cleared, clock set, `after`
    /// and `every` timers armed in declaration order, entry action.
    fn enter_state(&mut self, env: &mut Env<'_>, site: &Site) {
        let model = self.model.clone();
        let state = site.state;
        let record = &model.states[state];
        self.active.insert(state);
        self.entered.insert(state);
        // The machine's own scratch outlives a reload (LOAD-3).
        let zeroed = state != 0 || !self.flags.incomplete;
        for &scratch in record.scratch.iter().filter(|_| zeroed) {
            self.scratch[scratch] = vec![0; model.scratch[scratch].slots];
        }
        self.results.remove(&state);
        self.latched.remove(&state);
        if record.has_clock {
            self.clocks.insert(state, env.tick);
        }
        for &timer in &record.timers {
            if let Some(delay) = &model.timers[timer].after {
                let ticks = self.delay(env, delay, site);
                self.start_timer(timer, ticks, env.tick);
            }
        }
        self.run_actions(env, &record.entry, site);
    }
}
