//! Exits: their order (EXEC-1, EXEC-8), and the exit of one state (TICK-6, CODE-7).

use std::collections::{BTreeMap, BTreeSet};

use crate::oracle::{Env, Oracle, Site};
use crate::world::{Cause, Command, Mode};

/// What happens to a state that stops being active or suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitKind {
    /// An active state is exited.
    Exit,
    /// An active state is suspended into a frame of this region.
    Suspend(usize),
    /// A suspended state is exited.
    ExitSuspended,
}

/// On whose behalf.
pub(crate) type Owner = (Option<usize>, Cause);

/// What is to be exited.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExitPlan {
    /// Active states.
    pub(crate) states: BTreeMap<usize, (ExitKind, Owner)>,
    /// Regions whose frames are unwound.
    pub(crate) unwound: BTreeMap<usize, Owner>,
}

/// One step of the exits.
#[derive(Clone, Debug)]
pub(crate) struct ExitStep {
    pub(crate) state: usize,
    pub(crate) kind: ExitKind,
    pub(crate) owner: Owner,
}

impl Oracle {
    /// Active states in exit order.
    pub(crate) fn active_exit_order(&self, exits: &BTreeSet<usize>) -> Vec<usize> {
        let owner: Owner = (None, Cause::None);
        let states = exits
            .iter()
            .map(|&state| (state, (ExitKind::Exit, owner.clone())))
            .collect();
        let plan = ExitPlan {
            states,
            unwound: BTreeMap::new(),
        };
        self.exit_steps(&plan)
            .into_iter()
            .map(|step| step.state)
            .collect()
    }

    /// All steps of a plan: post-order, or reverse pre-order; active states of a region first, then
    /// its frames from the top, then the state around.
    pub(crate) fn exit_steps(&self, plan: &ExitPlan) -> Vec<ExitStep> {
        let mut steps = Vec::new();
        if !self.active.is_empty() {
            self.walk_active(0, plan, &mut steps);
        }
        steps
    }

    /// Regions of a state in exit order.
    fn exit_regions(&self, state: usize) -> Vec<usize> {
        let mut regions = self.model.states[state].regions.clone();
        if self.model.reverse_exits {
            regions.reverse();
        }
        regions
    }

    fn walk_active(&self, state: usize, plan: &ExitPlan, steps: &mut Vec<ExitStep>) {
        for region in self.exit_regions(state) {
            if let Some(child) = self.active_child(region) {
                self.walk_active(child, plan, steps);
            }
            if let Some(owner) = plan.unwound.get(&region) {
                self.walk_frames(region, owner, steps);
            }
        }
        if let Some((kind, owner)) = plan.states.get(&state) {
            steps.push(ExitStep {
                state,
                kind: *kind,
                owner: owner.clone(),
            });
        }
    }

    /// The frames of a region, from the top.
    fn walk_frames(&self, region: usize, owner: &Owner, steps: &mut Vec<ExitStep>) {
        for frame in self.frames.get(&region).into_iter().flatten().rev() {
            let child = self
                .child_among(region, &frame.states)
                .expect("a frame has a child of its region");
            self.walk_suspended(child, &frame.states, owner, steps);
        }
    }

    fn walk_suspended(
        &self,
        state: usize,
        frame: &BTreeSet<usize>,
        owner: &Owner,
        steps: &mut Vec<ExitStep>,
    ) {
        for region in self.exit_regions(state) {
            if let Some(child) = self.child_among(region, frame) {
                self.walk_suspended(child, frame, owner, steps);
            }
            self.walk_frames(region, owner, steps);
        }
        steps.push(ExitStep {
            state,
            kind: ExitKind::ExitSuspended,
            owner: owner.clone(),
        });
    }

    /// Forgets the frames of a region, and those inside them.
    pub(crate) fn drop_frames(&mut self, region: usize) {
        for frame in self.frames.remove(&region).unwrap_or_default() {
            for state in frame.states {
                for inner in self.model.clone().states[state].regions.iter() {
                    self.drop_frames(*inner);
                }
            }
        }
    }

    /// Exits an active state: cancel, exit action, releases; then it is no longer active.
    pub(crate) fn exit_state(&mut self, env: &mut Env<'_>, site: &Site) {
        let model = self.model.clone();
        self.cancel_activity(env, site);
        self.run_actions(env, &model.states[site.state].exit, site);
        self.release_channels(env, site);
        self.active.remove(&site.state);
        self.disarm(site.state);
        self.clocks.remove(&site.state);
        self.latched.remove(&site.state);
        self.results.remove(&site.state);
    }

    /// Exits a suspended state: cancel and exit action, no release.
    pub(crate) fn exit_suspended_state(&mut self, env: &mut Env<'_>, site: &Site) {
        let model = self.model.clone();
        self.cancel_activity(env, site);
        self.run_actions(env, &model.states[site.state].exit, site);
        self.latched.remove(&site.state);
        self.results.remove(&site.state);
    }

    /// Leaving a state calls its activity once with Cancelled, unless it has a result.
    fn cancel_activity(&mut self, env: &mut Env<'_>, site: &Site) {
        if !self.results.contains_key(&site.state) {
            self.call_activity(env, site, Mode::Cancel);
        }
    }

    /// The release commands of the channels that a state owns, in their order.
    pub(crate) fn release_channels(&mut self, env: &mut Env<'_>, site: &Site) {
        let model = self.model.clone();
        for &channel in &model.states[site.state].owns {
            let record = &model.channels[channel];
            let command = Command::Release {
                channel,
                lane: record.lane,
                name: record.release.clone(),
                state: site.state,
                transition: site.transition,
            };
            // A release is always critical (CODE-7).
            self.emit(env, &command, true);
        }
    }
}
