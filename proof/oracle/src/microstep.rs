//! One microstep (EXEC-1): record history, settle entries, all exits, all effects, all entries.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::{Effect, EntryKind, EntryPlan};
use crate::exit::{ExitKind, ExitPlan, Owner};
use crate::model::Kind;
use crate::oracle::{Env, Oracle, Site};
use crate::select::Candidate;
use crate::snapshot::Frame;
use crate::world::Cause;

impl Oracle {
    /// Commits the accepted transitions together; they are in the order of effects.
    pub(crate) fn microstep(&mut self, env: &mut Env<'_>, accepted: &[Candidate]) {
        self.counters.transitions += accepted.len() as u64;
        let exits = self.plan_exits(accepted);
        for candidate in accepted {
            if self.model.transitions[candidate.transition]
                .stack()
                .is_none()
            {
                self.record_history(&candidate.exits);
            }
        }
        let (entries, branches) = self.settle(env, accepted);
        let moves = !exits.states.is_empty() || !entries.states.is_empty();
        let finals = entries.entered_finals(&self.model);
        self.carry_out_exits(env, &exits);
        self.carry_out_effects(env, accepted, &branches);
        self.carry_out_entries(env, entries);
        let cause = accepted
            .first()
            .map_or(Cause::None, |candidate| candidate.cause.clone());
        self.finish_microstep(env, &finals, moves, &cause);
    }

    /// After the entries: marks, history of complete states, done events, termination.
    pub(crate) fn finish_microstep(
        &mut self,
        env: &mut Env<'_>,
        entered_finals: &BTreeSet<usize>,
        moves: bool,
        cause: &Cause,
    ) {
        self.check_configuration();
        if moves {
            self.queue
                .iter_mut()
                .for_each(|event| event.deferred = false);
        }
        self.reset_completed_history();
        let made = |state: &usize| {
            entered_finals
                .iter()
                .any(|&child| self.model.around(*state, child))
        };
        let completed: BTreeSet<usize> = self.complete_states().into_iter().filter(made).collect();
        self.raise_done_events(env.tick, &completed);
        if self.is_complete(0) {
            self.terminate(env, cause);
            env.report.terminated = true;
        } else if let Some(reason) = self.fault.take() {
            self.quarantine(reason);
            env.report.quarantine = Some(reason);
        }
    }

    fn plan_exits(&self, accepted: &[Candidate]) -> ExitPlan {
        let mut plan = ExitPlan::default();
        for candidate in accepted {
            let owner: Owner = (Some(candidate.transition), candidate.cause.clone());
            let kind = self.model.transitions[candidate.transition].kind;
            let exit = match (kind, &candidate.domain) {
                (Kind::Push, Some(domain)) => ExitKind::Suspend(
                    *domain
                        .regions
                        .iter()
                        .next()
                        .expect("a push stays in one region"),
                ),
                _ => ExitKind::Exit,
            };
            plan.states.extend(
                candidate
                    .exits
                    .iter()
                    .map(|&state| (state, (exit, owner.clone()))),
            );
            if kind == Kind::Push {
                continue;
            }
            // Frames of a region that loses its active child are unwound, unless the transition
            // stays in it. One that leaves the whole state around (in SCXML a region is
            // a state) does not.
            for &region in self.frames.keys() {
                let child = self.active_child(region);
                let stays = match kind {
                    Kind::Pop(popped) => popped == region,
                    _ => {
                        let around = self.model.regions[region].owner;
                        self.stays_in(candidate.transition, region)
                            && !candidate.exits.contains(&around)
                    }
                };
                if child.is_some_and(|child| candidate.exits.contains(&child)) && !stays {
                    plan.unwound.insert(region, owner.clone());
                }
            }
        }
        plan
    }

    /// Settles the entries of all transitions. Also returns the branches that each transition
    /// itself leads through.
    fn settle(
        &mut self,
        env: &mut Env<'_>,
        accepted: &[Candidate],
    ) -> (EntryPlan, Vec<Vec<Effect>>) {
        let model = self.model.clone();
        let mut plan = EntryPlan::default();
        let mut all_branches = Vec::new();
        for candidate in accepted {
            let record = &model.transitions[candidate.transition];
            let owner: Owner = (Some(candidate.transition), candidate.cause.clone());
            let mut branches = Vec::new();
            match (record.kind, &candidate.domain) {
                (Kind::Internal, _) | (_, None) => {}
                (Kind::Pop(region), _) => {
                    let top = self
                        .frames
                        .get(&region)
                        .and_then(|frames| frames.last())
                        .expect("a pop has a frame");
                    let resumed = top
                        .states
                        .iter()
                        .map(|&state| (state, (EntryKind::Resume(region), owner.clone())));
                    plan.states.extend(resumed);
                }
                (_, Some(domain)) => {
                    let (targets, path) = self.resolve_choices(env, &record.targets, &owner);
                    branches = path;
                    let regions: Vec<usize> = domain.regions.iter().copied().collect();
                    let mut own = EntryPlan::default();
                    self.settle_regions(env, domain.state, &regions, targets, &owner, &mut own);
                    plan.add(own, self.model.scxml_details);
                }
            }
            all_branches.push(branches);
        }
        (plan, all_branches)
    }

    /// All exits and suspensions, in order; new frames are complete afterwards, unwound ones gone.
    pub(crate) fn carry_out_exits(&mut self, env: &mut Env<'_>, plan: &ExitPlan) {
        let mut pushed: BTreeMap<usize, Frame> = BTreeMap::new();
        for step in self.exit_steps(plan) {
            let site = Site {
                state: step.state,
                transition: step.owner.0,
                cause: step.owner.1.clone(),
            };
            match step.kind {
                ExitKind::Exit => self.exit_state(env, &site),
                ExitKind::ExitSuspended => self.exit_suspended_state(env, &site),
                ExitKind::Suspend(region) => {
                    let frame = pushed.entry(region).or_default();
                    self.suspend_state(env, &site, frame);
                }
            }
        }
        for &region in plan.unwound.keys() {
            self.drop_frames(region);
        }
        for (region, mut frame) in pushed {
            frame.leaves = self.leaves_among(&frame.states);
            self.frames.entry(region).or_default().push(frame);
        }
    }

    fn carry_out_effects(
        &mut self,
        env: &mut Env<'_>,
        accepted: &[Candidate],
        branches: &[Vec<Effect>],
    ) {
        let model = self.model.clone();
        for (candidate, path) in accepted.iter().zip(branches) {
            let transition = candidate.transition;
            let record = &model.transitions[transition];
            self.before_effect(env, transition, &candidate.cause);
            let site = Site {
                state: record.source,
                transition: Some(transition),
                cause: candidate.cause.clone(),
            };
            self.run_actions(env, &record.effect, &site);
            for &branch in path {
                self.run_effect(env, branch, &(Some(transition), candidate.cause.clone()));
            }
        }
    }
}
