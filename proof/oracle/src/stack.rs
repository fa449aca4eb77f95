//! Push and pop (EXEC-8): frames of suspended states, whose time stands still.

use crate::model::Kind;
use crate::oracle::{Env, Oracle, Site};
use crate::report::Outcome;
use crate::snapshot::Frame;

impl Oracle {
    /// Whether a push has a free frame, and a pop a used one.
    pub(crate) fn stack_allows(&self, transition: usize) -> Result<(), Outcome> {
        let used = |region: usize| self.frames.get(&region).map_or(0, Vec::len);
        match self.model.transitions[transition].kind {
            Kind::Push => {
                let region = self.push_region(transition);
                if used(region) < self.model.regions[region].stack {
                    Ok(())
                } else {
                    Err(Outcome::StackFull)
                }
            }
            Kind::Pop(region) if used(region) == 0 => Err(Outcome::StackEmpty),
            _ => Ok(()),
        }
    }

    /// The region in which a push goes from one child to another.
    pub(crate) fn push_region(&self, transition: usize) -> usize {
        let domain = self.domain(transition).expect("a push is not internal");
        *domain
            .regions
            .iter()
            .next()
            .expect("a push stays in one region")
    }

    /// Whether a state lies in a frame.
    pub(crate) fn is_suspended(&self, state: usize) -> bool {
        self.frames
            .values()
            .flatten()
            .any(|frame| frame.states.contains(&state))
    }

    /// Suspends one active state: its action, its channels, then its time stands still.
    pub(crate) fn suspend_state(&mut self, env: &mut Env<'_>, site: &Site, frame: &mut Frame) {
        let model = self.model.clone();
        let state = site.state;
        // Taking the push ends its debounce, which would be suspended with its source (SEL-6).
        if let Some(push) = &site.transition {
            self.debounces.remove(push);
        }
        self.run_actions(env, &model.states[state].suspend, site);
        self.release_channels(env, site);
        self.active.remove(&state);
        frame.states.insert(state);
        let freeze = |x: u32| env.tick.wrapping_sub(x);
        for timer in &model.states[state].timers {
            if let Some(list) = self.timers.remove(timer) {
                frame
                    .timers
                    .insert(*timer, list.into_iter().map(freeze).collect());
            }
        }
        for transition in &model.states[state].transitions {
            if let Some(deadline) = self.debounces.remove(transition) {
                frame.debounces.insert(*transition, freeze(deadline));
            }
        }
        if let Some(entered) = self.clocks.remove(&state) {
            frame.clocks.insert(state, freeze(entered));
        }
    }

    /// Resumes one suspended state: its time runs again, then its action.
    pub(crate) fn resume_state(&mut self, env: &mut Env<'_>, site: &Site, frame: &Frame) {
        let model = self.model.clone();
        let state = site.state;
        self.active.insert(state);
        self.entered.insert(state);
        let thaw = |x: &u32| env.tick.wrapping_sub(*x);
        for timer in &model.states[state].timers {
            if let Some(list) = frame.timers.get(timer) {
                self.timers.insert(*timer, list.iter().map(thaw).collect());
            }
        }
        for transition in &model.states[state].transitions {
            if let Some(deadline) = frame.debounces.get(transition) {
                self.debounces.insert(*transition, thaw(deadline));
            }
        }
        if let Some(entered) = frame.clocks.get(&state) {
            self.clocks.insert(state, thaw(entered));
        }
        self.run_actions(env, &model.states[state].resume, site);
    }
}
