//! Smaller machines that still have a property: one part after the other is left out while the
//! property holds.
//!
//! The parts are numbered by a walk over the graph, large ones first, so that an edit is just a
//! number. Parts that are needed (a name that is referred to) stay because the property, such as
//! "this very diagnostic", does not hold without them.

use statewright_author::graph::{
    Action, ActionKind, AnyTransition, Branch, Decision, Event, HistoryPoint, Machine, Policies,
    Region, State, Timer, Transition, Trigger,
};
use statewright_author::span::Span;

/// Most machines that are tried.
const MAX_TRIES: usize = 20_000;

/// The smallest machine found that has the property. The given one must have it.
pub fn shrink(machine: &Machine, has_property: impl Fn(&Machine) -> bool) -> Machine {
    let mut smallest = machine.clone();
    let mut edit = 0;
    let mut since_success = 0;
    for _ in 0..MAX_TRIES {
        let mut smaller = smallest.clone();
        let mut cursor = Cursor {
            left: edit,
            done: false,
        };
        cursor.machine(&mut smaller);
        if !cursor.done {
            if since_success == 0 || edit == 0 {
                break;
            }
            // Something was left out in this round, so what was needed before may be free now.
            (edit, since_success) = (0, 0);
            continue;
        }
        if has_property(&smaller) {
            smallest = smaller;
            since_success += 1;
        } else {
            edit += 1;
        }
    }
    smallest
}

/// Counts edits down to the one that is to be made.
struct Cursor {
    left: usize,
    done: bool,
}

impl Cursor {
    /// Whether this is the edit.
    fn hit(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.done = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.done
    }

    /// Half of a long list, or one item of any.
    fn list<T>(&mut self, list: &mut Vec<T>) {
        if list.len() > 3 {
            let half = list.len() / 2;
            if self.hit() {
                list.truncate(half);
            } else if self.hit() {
                list.drain(..half);
            }
        }
        for index in (0..list.len()).rev() {
            if self.hit() {
                list.remove(index);
                return;
            }
        }
    }

    fn option<T>(&mut self, option: &mut Option<T>) {
        if option.is_some() && self.hit() {
            *option = None;
        }
    }

    fn flag(&mut self, flag: &mut bool) {
        if *flag && self.hit() {
            *flag = false;
        }
    }

    fn marked(&mut self, mark: &mut Option<Span>) {
        if mark.is_some() && self.hit() {
            *mark = None;
        }
    }

    fn machine(&mut self, machine: &mut Machine) {
        self.state(&mut machine.root);
        self.list(&mut machine.transition_sets);
        for set in &mut machine.transition_sets {
            self.list(&mut set.transitions);
            self.list(&mut set.uses);
            set.transitions
                .iter_mut()
                .for_each(|transition| self.transition(transition));
        }
        self.list(&mut machine.observers);
        machine
            .observers
            .iter_mut()
            .for_each(|observer| self.actions(&mut observer.actions));
        self.declarations(machine);
        self.option(&mut machine.fail_safe);
        self.option(&mut machine.reload_entry);
        self.option(&mut machine.id);
        self.option(&mut machine.doc);
        self.option(&mut machine.meta);
        self.option(&mut machine.tier);
        self.option(&mut machine.tick_rate);
        let Policies {
            reverse_exit_order,
            immediate_update,
            posted_next_tick,
            internal_first,
            done_events,
            strict_writes,
            scxml_details,
            reload_resets,
        } = &mut machine.policies;
        self.option(reverse_exit_order);
        self.option(immediate_update);
        self.option(posted_next_tick);
        self.option(internal_first);
        self.option(done_events);
        self.option(strict_writes);
        self.option(scxml_details);
        self.option(reload_resets);
        let budgets = &mut machine.budgets;
        self.option(&mut budgets.events_per_tick);
        self.option(&mut budgets.microsteps_per_tick);
        self.option(&mut budgets.clamp_limit);
        self.option(&mut budgets.command_bytes);
    }

    fn declarations(&mut self, machine: &mut Machine) {
        if !machine.functions.is_empty() && self.hit() {
            machine.functions.clear();
        }
        self.list(&mut machine.functions);
        self.list(&mut machine.variants);
        self.list(&mut machine.parameters);
        self.list(&mut machine.blackboard);
        self.list(&mut machine.channels);
        self.list(&mut machine.lanes);
        self.list(&mut machine.built_in_lanes);
        self.list(&mut machine.timers);
        machine
            .timers
            .iter_mut()
            .for_each(|timer| self.timer(timer));
        self.list(&mut machine.events);
        machine
            .events
            .iter_mut()
            .for_each(|event| self.event(event));
        for key in &mut machine.blackboard {
            self.option(&mut key.default);
            self.option(&mut key.doc);
            self.option(&mut key.meta);
        }
        for variant in &mut machine.variants {
            self.list(&mut variant.values);
        }
        for channel in &mut machine.channels {
            self.option(&mut channel.lane);
            self.option(&mut channel.release);
        }
    }

    fn event(&mut self, event: &mut Event) {
        self.option(&mut event.payload);
        self.option(&mut event.class);
        self.option(&mut event.ttl);
        self.option(&mut event.id);
        self.option(&mut event.doc);
        self.option(&mut event.meta);
        self.flag(&mut event.coalesce);
        self.flag(&mut event.indirect);
        self.flag(&mut event.ephemeral);
    }

    fn timer(&mut self, timer: &mut Timer) {
        self.option(&mut timer.instances);
        self.option(&mut timer.class);
        self.option(&mut timer.event);
        self.option(&mut timer.id);
        self.option(&mut timer.doc);
    }

    fn state(&mut self, state: &mut State) {
        if !state.regions.is_empty() && self.hit() {
            state.regions.clear();
        }
        if state.regions.len() > 2 {
            self.list(&mut state.regions);
        }
        for region in &mut state.regions {
            self.list(&mut region.states);
        }
        if let [first] | [first, _] = &mut state.regions[..]
            && first.name.is_some()
            && self.hit()
        {
            *first = Region {
                name: None,
                id: None,
                ..first.clone()
            };
            state.regions.truncate(1);
        }
        self.lists(state);
        self.option(&mut state.activity);
        self.option(&mut state.exit_ready);
        self.option(&mut state.min_active);
        self.option(&mut state.is_final);
        self.option(&mut state.choice);
        self.option(&mut state.id);
        self.option(&mut state.doc);
        self.option(&mut state.meta);
        self.flag(&mut state.clock);
        self.flag(&mut state.muted);
        self.flag(&mut state.history_reset_on_done);
        for region in &mut state.regions {
            self.option(&mut region.stack_depth);
            self.option(&mut region.id);
            if let Some(initial) = &mut region.initial {
                self.actions(&mut initial.effect);
                if initial.targets.len() > 1 {
                    self.list(&mut initial.targets);
                }
            }
            self.option(&mut region.initial);
            region.states.iter_mut().for_each(|child| self.state(child));
        }
    }

    fn lists(&mut self, state: &mut State) {
        self.list(&mut state.transitions);
        state
            .transitions
            .iter_mut()
            .for_each(|transition| self.transition(transition));
        self.list(&mut state.decisions);
        state
            .decisions
            .iter_mut()
            .for_each(|decision| self.decision(decision));
        self.list(&mut state.any_state);
        state.any_state.iter_mut().for_each(|any| self.any(any));
        self.list(&mut state.history);
        state.history.iter_mut().for_each(|point| self.point(point));
        state
            .choice
            .iter_mut()
            .flatten()
            .for_each(|branch| self.branch(branch));
        if let Some(branches) = &mut state.choice {
            self.list(branches);
        }
        self.list(&mut state.uses);
        self.list(&mut state.defers);
        self.list(&mut state.timers);
        self.list(&mut state.owns);
        self.list(&mut state.scratch);
        self.actions(&mut state.entry);
        self.actions(&mut state.exit);
        self.actions(&mut state.suspend);
        self.actions(&mut state.resume);
        self.actions(&mut state.update);
        state.timers.iter_mut().for_each(|timer| self.timer(timer));
    }

    fn actions(&mut self, actions: &mut Vec<Action>) {
        self.list(actions);
        for action in actions {
            if let ActionKind::If {
                then, otherwise, ..
            } = &mut action.kind
            {
                self.actions(then);
                self.actions(otherwise);
            }
        }
    }

    fn transition(&mut self, transition: &mut Transition) {
        if let Trigger::Events(events) = &mut transition.trigger {
            self.list(&mut events.value);
        }
        self.actions(&mut transition.effect);
        self.option(&mut transition.guard);
        self.option(&mut transition.cooldown);
        self.option(&mut transition.debounce);
        self.option(&mut transition.threshold);
        self.option(&mut transition.score);
        self.option(&mut transition.kind);
        self.option(&mut transition.stack);
        self.option(&mut transition.priority);
        self.option(&mut transition.name);
        self.option(&mut transition.id);
        self.option(&mut transition.doc);
        self.option(&mut transition.meta);
        self.marked(&mut transition.latch);
        self.marked(&mut transition.stay);
        self.marked(&mut transition.interrupt);
        self.list(&mut transition.targets);
        self.list(&mut transition.sync);
    }

    fn decision(&mut self, decision: &mut Decision) {
        self.actions(&mut decision.effect);
        for branch in [&mut decision.then, &mut decision.otherwise] {
            if let Some(branch) = branch {
                self.option(&mut branch.reenter);
            }
            self.option(branch);
        }
        self.option(&mut decision.priority);
    }

    fn any(&mut self, any: &mut AnyTransition) {
        self.transition(&mut any.transition);
        self.list(&mut any.include);
        self.list(&mut any.exclude);
    }

    fn point(&mut self, point: &mut HistoryPoint) {
        self.actions(&mut point.effect);
        self.list(&mut point.default);
        self.flag(&mut point.deep);
        self.flag(&mut point.restore_on_entry);
        self.option(&mut point.id);
    }

    fn branch(&mut self, branch: &mut Branch) {
        self.actions(&mut branch.effect);
        self.option(&mut branch.guard);
        if branch.targets.len() > 1 {
            self.list(&mut branch.targets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Size, machine, without_spans};

    fn states(state: &State) -> usize {
        1 + state
            .regions
            .iter()
            .flat_map(|region| &region.states)
            .map(states)
            .sum::<usize>()
    }

    #[test]
    fn shrinking_keeps_the_property_and_nothing_else() {
        let large = machine(15, Size::LARGE);
        assert!(states(&large.root) > 5 && !large.events.is_empty());
        let small = shrink(&large, |m| states(&m.root) > 3 && !m.events.is_empty());
        assert_eq!((states(&small.root), small.events.len()), (4, 1));
        assert!(small.blackboard.is_empty() && small.root.transitions.is_empty());
    }

    #[test]
    fn a_machine_without_parts_stays() {
        let empty = Machine::default();
        assert_eq!(
            without_spans(&shrink(&empty, |_| true)),
            without_spans(&empty)
        );
    }
}
