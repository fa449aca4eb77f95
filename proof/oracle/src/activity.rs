//! Update actions and activities: phase (3) of a tick (TICK-5, TICK-6, LANG-10).

use std::collections::BTreeSet;

use crate::actor::Actor;
use crate::model::Trigger;
use crate::oracle::{Env, Oracle, Site};
use crate::world::{Cause, Mode, Status};

impl Oracle {
    /// Leaf by leaf in order, each leaf to root, each ancestor once.
    pub(crate) fn run_activities(&mut self, env: &mut Env<'_>) {
        let model = self.model.clone();
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        for leaf in self.leaves() {
            for state in model.up(leaf) {
                let fresh = self.entered.contains(&state) && !model.immediate_update;
                if !seen.insert(state) || fresh {
                    continue;
                }
                let site = Site {
                    state,
                    transition: None,
                    cause: Cause::None,
                };
                // LANG-10: in every tick, also when the activity has a result.
                self.run_actions(env, &model.states[state].update, &site);
                if !self.results.contains_key(&state) {
                    let status = self.call_activity(env, &site, Mode::Run);
                    if status != Status::Running && self.takes_results(state) {
                        self.results.insert(state, status);
                    }
                }
            }
        }
    }

    /// Without `done` or `failed` transitions the result is ignored.
    fn takes_results(&self, state: usize) -> bool {
        let waits = |&transition: &usize| {
            matches!(
                self.model.transitions[transition].trigger,
                Trigger::Done | Trigger::Failed
            )
        };
        self.model.states[state].transitions.iter().any(waits)
    }

    /// Calls the activity of a state, if it has one.
    pub(crate) fn call_activity(&mut self, env: &mut Env<'_>, site: &Site, mode: Mode) -> Status {
        let model = self.model.clone();
        let Some(activity) = &model.states[site.state].activity else {
            return Status::Running;
        };
        let arguments = self.given(env, activity, site);
        let call = self.call(env, &activity.function, &arguments, site);
        env.world.activity(
            &call,
            mode,
            &mut Actor {
                oracle: self,
                tick: env.tick,
            },
        )
    }
}
