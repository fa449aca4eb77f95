//! Transitions of each state: own, decisions, sets, any-state lists of the parent; then by priority
//! (CODE-8).

use statewright_author::duration::DurationSource;
use statewright_author::graph::{self, StackOperation, StateKind, TransitionKind};
use statewright_author::span::Spanned;

use crate::code::{Reader, Site};
use crate::model::{Kind, Target, Timer, Transition, Trigger};

/// A transition as it is written, with its guard's sign and the state its names are looked up from.
pub(crate) struct Written {
    pub(crate) graph: graph::Transition,
    pub(crate) negated: bool,
    /// It is a branch of a decision.
    pub(crate) decided: bool,
    pub(crate) scope: usize,
    /// The list of events it was written with, if that has several (LANG-1).
    pub(crate) list: Option<usize>,
}

/// LANG-1: one transition per event of a list, in list order, alike in everything.
fn one_per_event(all: Vec<Written>) -> Vec<Written> {
    let mut single = Vec::new();
    for (number, written) in all.into_iter().enumerate() {
        let graph::Trigger::Events(events) = &written.graph.trigger else {
            single.push(written);
            continue;
        };
        for event in &events.value {
            single.push(Written {
                graph: graph::Transition {
                    trigger: graph::Trigger::Event(event.clone()),
                    ..written.graph.clone()
                },
                list: Some(number),
                ..written
            });
        }
    }
    single
}

impl Reader<'_> {
    /// The transitions of a state in declaration order, muted ones left out.
    pub(crate) fn written(&self, state: usize) -> Vec<Written> {
        let node = &self.tree.states[state];
        if matches!(node.graph.kind(), StateKind::Final | StateKind::Choice) {
            return Vec::new();
        }
        let plain = |graph: &graph::Transition| Written {
            graph: graph.clone(),
            negated: false,
            decided: false,
            scope: state,
            list: None,
        };
        let mut list: Vec<Written> = node.graph.transitions.iter().map(plain).collect();
        list.extend(
            node.graph
                .decisions
                .iter()
                .flat_map(|decision| expand(decision, state)),
        );
        let mut seen = Vec::new();
        for name in &node.graph.uses {
            self.of_set(&name.value, &mut seen, &mut |graph| list.push(plain(graph)));
        }
        if let Some(parent) = node.parent {
            let own = &node.graph.name.value;
            let region = node
                .region
                .and_then(|region| self.tree.regions[region].graph.name.as_ref());
            let with_region = region.map(|region| format!("{}/{own}", region.value));
            let names = |list: &[statewright_author::span::Name]| {
                list.iter()
                    .any(|name| name.value == *own || Some(&name.value) == with_region.as_ref())
            };
            for any in &self.tree.states[parent].graph.any_state {
                if (any.include.is_empty() || names(&any.include)) && !names(&any.exclude) {
                    list.push(Written {
                        graph: any.transition.clone(),
                        negated: false,
                        decided: false,
                        scope: parent,
                        list: None,
                    });
                }
            }
        }
        list.retain(|written| !written.graph.muted);
        one_per_event(list)
    }

    /// The transitions of a set, then those of the sets it uses; each set once (LANG-14).
    fn of_set(&self, name: &str, seen: &mut Vec<String>, add: &mut dyn FnMut(&graph::Transition)) {
        if seen.iter().any(|known| known == name) {
            return;
        }
        seen.push(name.to_owned());
        let mut sets = self.machine.transition_sets.iter();
        let set = sets.find(|set| set.name.value == name);
        let set = set.expect("a declared set");
        set.transitions.iter().for_each(&mut *add);
        for used in &set.uses {
            self.of_set(&used.value, seen, add);
        }
    }

    /// The `after` and `every` timers of a state, in the order of its transitions; those that count
    /// as one are one.
    pub(crate) fn entry_timers(&mut self, state: usize) -> Vec<Timer> {
        let mut timers: Vec<Timer> = Vec::new();
        let mut sources: Vec<DurationSource> = Vec::new();
        for (place, written) in self.written(state).into_iter().enumerate() {
            let (source, every) = match &written.graph.trigger {
                graph::Trigger::After(duration) => (&duration.value, false),
                graph::Trigger::Every(duration) => (&duration.value, true),
                _ => continue,
            };
            let same = (0..timers.len())
                .find(|&at| timers[at].every == every && self.are_one(&sources[at], source));
            if let Some(same) = same {
                timers[same].serves.push(place);
                continue;
            }
            let site = Site {
                scope: written.scope,
                own: state,
            };
            timers.push(Timer {
                name: None,
                owner: Some(state),
                after: Some(self.delay(source, site)),
                every,
                serves: vec![place],
                class: Default::default(),
                event: None,
                instances: 1,
            });
            sources.push(source.clone());
        }
        timers
    }

    /// The transitions of a state by priority, then declaration.
    pub(crate) fn transitions(&mut self, state: usize, timers: &[Timer]) -> Vec<Transition> {
        let mut list: Vec<Transition> = self
            .written(state)
            .iter()
            .enumerate()
            .map(|(place, written)| self.transition(state, place, written, timers))
            .collect();
        list.sort_by_key(|transition| std::cmp::Reverse(transition.priority));
        list
    }

    fn transition(
        &mut self,
        source: usize,
        place: usize,
        written: &Written,
        timers: &[Timer],
    ) -> Transition {
        let Written {
            graph,
            negated,
            decided,
            scope,
            list,
        } = written;
        let site = Site {
            scope: *scope,
            own: source,
        };
        let targets: Vec<Target> = if graph.sync.is_empty() {
            graph
                .targets
                .iter()
                .map(|name| self.tree.target(*scope, &name.value))
                .collect()
        } else {
            graph
                .sync
                .iter()
                .map(|(region, name)| self.sync_target(source, &region.value, &name.value))
                .collect()
        };
        // A branch that names its own state means to stay; `reenter` has made the others external.
        let stays = *decided
            && graph.kind.is_none()
            && matches!(targets[..], [Target::State(own)] if own == source);
        let targets = if stays { Vec::new() } else { targets };
        let effect = if stays { &[][..] } else { &graph.effect[..] };
        let guard = graph.guard.as_ref().map(|guard| match negated {
            true => self.negated(&guard.value, site),
            false => self.code(&guard.value, site),
        });
        Transition {
            source,
            trigger: self.trigger(source, *scope, place, &graph.trigger, timers),
            kind: self.kind(source, graph, &targets),
            targets,
            guard,
            effect: self.actions(effect, site),
            priority: graph.priority.as_ref().map_or(0, |priority| priority.value),
            interrupt: graph.interrupt.is_some(),
            score: self.maybe(&graph.score, site),
            threshold: self.maybe(&graph.threshold, site),
            cooldown: graph
                .cooldown
                .as_ref()
                .map(|duration| self.delay(&duration.value, site)),
            debounce: graph
                .debounce
                .as_ref()
                .map(|duration| self.delay(&duration.value, site)),
            latch: graph.latch.is_some(),
            stay: graph.stay.is_some() || stays,
            list: *list,
        }
    }

    fn sync_target(&self, source: usize, region: &str, name: &str) -> Target {
        let regions = &self.tree.states[source].regions;
        let named = |number: &&usize| {
            self.tree.regions[**number]
                .graph
                .name
                .as_ref()
                .is_some_and(|n| n.value == region)
        };
        let region = *regions
            .iter()
            .find(named)
            .expect("a region of the sync group");
        self.tree.target_in_region(region, name)
    }

    fn trigger(
        &self,
        source: usize,
        scope: usize,
        place: usize,
        trigger: &graph::Trigger,
        timers: &[Timer],
    ) -> Trigger {
        match trigger {
            graph::Trigger::Event(name) => Trigger::Event(self.event(&name.value)),
            graph::Trigger::Events(_) => unreachable!("one transition per event"),
            graph::Trigger::Any(_) => Trigger::Any,
            graph::Trigger::After(_) | graph::Trigger::Every(_) => {
                let own =
                    |timer: &Timer| timer.owner == Some(source) && timer.serves.contains(&place);
                let timer = timers.iter().position(own);
                Trigger::Timer(timer.expect("a timer for each `after` and `every`"))
            }
            graph::Trigger::Timer(name) => Trigger::Timer(self.timer(scope, &name.value)),
            graph::Trigger::Always(_) => Trigger::Always,
            graph::Trigger::Done(_) => Trigger::Done,
            graph::Trigger::Failed(_) => Trigger::Failed,
        }
    }

    /// EXEC-2: local if every target lies inside the source, else external. EXEC-8: the region of a
    /// pop.
    fn kind(&self, source: usize, graph: &graph::Transition, targets: &[Target]) -> Kind {
        match graph.stack.as_ref().map(|stack| stack.value) {
            Some(StackOperation::Push) => return Kind::Push,
            Some(StackOperation::Pop) => {
                let region = self
                    .tree
                    .up(source)
                    .filter_map(|state| self.tree.states[state].region);
                let mut stacks =
                    region.filter(|&region| self.tree.regions[region].graph.stack_depth.is_some());
                return Kind::Pop(stacks.next().expect("a pop inside a region with a stack"));
            }
            None => {}
        }
        if targets.is_empty() {
            return Kind::Internal;
        }
        let end = self.tree.states[source].end;
        let inside = |target: &Target| match *target {
            Target::State(state) => source < state && state < end,
            Target::Point(point) => (source..end).contains(&self.tree.points[point].owner),
        };
        match graph.kind.as_ref().map(|kind| kind.value) {
            Some(TransitionKind::External) => Kind::External,
            Some(TransitionKind::Local) => Kind::Local,
            Some(TransitionKind::Internal) => Kind::Internal,
            None if targets.iter().all(inside) => Kind::Local,
            None => Kind::External,
        }
    }
}

/// A decision is two transitions, the second with the negated guard.
fn expand(decision: &graph::Decision, state: usize) -> Vec<Written> {
    let way = |branch: &Option<graph::DecisionBranch>, negated: bool| {
        branch.as_ref().map(|branch| Written {
            graph: graph::Transition {
                trigger: decision.trigger.clone(),
                guard: Some(decision.guard.clone()),
                targets: vec![branch.target.clone()],
                kind: branch
                    .reenter
                    .map(|span| Spanned::new(TransitionKind::External, span)),
                priority: decision.priority.clone(),
                effect: decision.effect.clone(),
                muted: decision.muted,
                ..graph::Transition::default()
            },
            negated,
            decided: true,
            scope: state,
            list: None,
        })
    };
    way(&decision.then, false)
        .into_iter()
        .chain(way(&decision.otherwise, true))
        .collect()
}
