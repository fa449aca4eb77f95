//! Observers (EVT-8): in declaration order, those of the event and of `any` together.

use crate::oracle::{Env, Oracle, Site};
use crate::world::Cause;

impl Oracle {
    /// Runs the observers of an event.
    pub(crate) fn run_observers(&mut self, env: &mut Env<'_>, event: usize, cause: &Cause) {
        let model = self.model.clone();
        let site = Site {
            state: 0,
            transition: None,
            cause: cause.clone(),
        };
        self.observing = true;
        for observer in &model.observers {
            if observer.event.is_none_or(|wanted| wanted == event) {
                self.run_actions(env, &observer.actions, &site);
            }
        }
        self.observing = false;
    }
}
