//! Timers: named ones, those of `after`, `every` and debounce, and clocks (RAM-7, EVT-7, EVT-9).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::graph;
use statewright_author::span::Name;
use statewright_rom::layout::DurationWord;

use super::Resolver;
use crate::index::{Index, IndexVec, StateIndex, TimerIndex, TransitionIndex};
use crate::model::{ResolvedState, Timer, TimerKind, Transition, Trigger, timer_rank};
use crate::tree::duplicate_name;

impl<'a> Resolver<'a> {
    /// Named timers, so that actions and triggers can refer to them: the machine's first, then by
    /// state.
    pub(super) fn named_timers(&mut self) {
        for authored in &self.machine.timers {
            let instances = authored
                .instances
                .as_ref()
                .map_or(1, |count| count.value.clamp(1, 1000));
            let timer = self.named_timer(authored, StateIndex::ROOT, TimerKind::Machine, instances);
            let index = self.timers.push(timer);
            self.machine_timers.push(index);
        }
        for owner in self.tree.states.indices() {
            for authored in &self.tree.states[owner].authored.timers {
                if let Some(instances) = &authored.instances {
                    let text = format!(
                        "timer `{}` belongs to a state and runs once at a time",
                        authored.name.value
                    );
                    self.report(
                        Diagnostic::new(DiagnosticCode::BadValue, instances.span, text)
                            .label("not possible here")
                            .help("declare the timer at the top of the machine to run it several times"),
                    );
                }
                match self
                    .state_timers
                    .get(&(owner, authored.name.value.as_str()))
                {
                    Some(&first) => {
                        let first = self.timers[first]
                            .authored
                            .map_or(authored.name.span, |t| t.name.span);
                        self.report(duplicate_name("timer", &authored.name, first));
                    }
                    None => {
                        let timer = self.named_timer(authored, owner, TimerKind::State, 1);
                        let index = self.timers.push(timer);
                        self.state_timers
                            .insert((owner, &authored.name.value), index);
                    }
                }
            }
        }
    }

    fn named_timer(
        &mut self,
        authored: &'a graph::Timer,
        owner: StateIndex,
        kind: TimerKind,
        instances: u32,
    ) -> Timer<'a> {
        let event = authored
            .event
            .as_ref()
            .and_then(|name| self.names.events.find(name, &mut self.diagnostics));
        Timer {
            authored: Some(authored),
            event,
            instances,
            ..plain(kind, owner, None, DurationWord::NOTHING)
        }
    }

    /// The timer that a name means in a state: of the state, of one around it, or of the machine.
    pub(super) fn timer(&mut self, name: &Name, from: StateIndex) -> Option<TimerIndex> {
        let around = std::iter::once(from).chain(self.tree.ancestors(from));
        let of_state = around
            .into_iter()
            .find_map(|s| self.state_timers.get(&(s, name.value.as_str())).copied());
        let found = of_state.or_else(|| {
            self.names
                .timers
                .get(&name.value)
                .map(|t| self.machine_timers[t])
        });
        if found.is_none() {
            let elsewhere = self
                .state_timers
                .iter()
                .find(|((_, timer), _)| *timer == name.value);
            let problem = match elsewhere {
                Some((&(owner, _), &timer)) => {
                    let text = format!(
                        "timer `{}` belongs to state `{}`",
                        name.value,
                        self.tree.path(owner)
                    );
                    let span = self.timers[timer]
                        .authored
                        .map_or(name.span, |t| t.name.span);
                    Diagnostic::new(DiagnosticCode::TimerOutOfScope, name.span, text)
                        .label("not around here")
                        .related(span, "declared here")
                        .help("declare it in a state that contains both, or at the top of the machine")
                }
                None => self.names.timers.not_found(name),
            };
            self.report(problem);
        }
        found
    }

    /// The timer that a trigger names: one that fires as an event has no trigger of its own.
    pub(super) fn timer_with_trigger(
        &mut self,
        name: &Name,
        from: StateIndex,
    ) -> Option<TimerIndex> {
        let timer = self.timer(name, from)?;
        let Timer {
            authored, event, ..
        } = self.timers[timer];
        let Some(event) = event else {
            return Some(timer);
        };
        let event = &self.machine.events[event.position()].name.value;
        let declared = authored
            .and_then(|timer| timer.event.as_ref())
            .map_or(name.span, |event| event.span);
        let text = format!(
            "timer `{}` fires as event `{event}` and has no trigger of its own",
            name.value
        );
        self.report(
            Diagnostic::new(DiagnosticCode::TimerIsEvent, name.span, text)
                .label("never comes")
                .related(declared, "fires as this event")
                .help(format!(
                    "write `\"on\": \"{event}\"`, or remove `event` from the timer"
                )),
        );
        None
    }

    /// The timer of an `after` or `every` transition that gets the number `transition`. Those of
    /// one state that wait for the same share one, so that SEL-3 decides between them; what is
    /// drawn or computed is one's own.
    pub(super) fn entry_timer(
        &mut self,
        kind: TimerKind,
        owner: StateIndex,
        transition: TransitionIndex,
        duration: DurationWord,
    ) -> TimerIndex {
        let next = self.timers.next_index();
        let timer = if self.actions.is_same_every_time(duration) {
            let key = (owner, kind, duration.raw());
            *self.shared_timers.entry(key).or_insert(next)
        } else {
            next
        };
        match self.timers.get_mut(timer) {
            Some(shared) => shared.sharing.push(transition),
            None => {
                let timer = plain(kind, owner, Some(transition), duration);
                self.timers.push(timer);
            }
        }
        timer
    }

    /// Adds clocks and debounces, then sorts: firing timers first, each group by owner, in
    /// declaration order.
    pub(super) fn order_timers(
        &mut self,
        transitions: &mut IndexVec<TransitionIndex, Transition<'a>>,
        resolved: &IndexVec<StateIndex, ResolvedState>,
    ) {
        for (owner, state) in resolved.enumerate() {
            if state.clock.is_some() {
                let clock = plain(TimerKind::Clock, owner, None, DurationWord::NOTHING);
                self.timers.push(clock);
            }
        }
        for (index, transition) in transitions.enumerate() {
            if transition.debounce.is_some() {
                self.timers.push(plain(
                    TimerKind::Debounce,
                    transition.source,
                    Some(index),
                    transition.debounce,
                ));
            }
        }
        let mut order: Vec<TimerIndex> = self.timers.indices().collect();
        // Named timers of a state count as declared before its `after` and `every` transitions. The
        // sort is stable.
        order.sort_by_key(|&t| {
            (
                timer_rank(self.timers[t].kind),
                self.timers[t].owner,
                self.timers[t].kind.is_armed_on_entry(),
            )
        });
        let mut renumbered = IndexVec::filled(TimerIndex::new(0), &self.timers);
        for (to, &from) in order.iter().enumerate() {
            renumbered[from] = TimerIndex::new(to);
        }
        for transition in transitions {
            if let Trigger::Timer(timer) = &mut transition.trigger {
                *timer = renumbered[*timer];
            }
        }
        self.usage.started = self
            .usage
            .started
            .iter()
            .map(|&timer| renumbered[timer])
            .collect();
        self.actions.renumber_timers(&renumbered);
        self.timers = order
            .into_iter()
            .map(|from| self.timers[from].clone())
            .collect();
    }
}

fn plain<'a>(
    kind: TimerKind,
    owner: StateIndex,
    transition: Option<TransitionIndex>,
    duration: DurationWord,
) -> Timer<'a> {
    Timer {
        kind,
        owner,
        authored: None,
        transition,
        sharing: Vec::new(),
        duration,
        event: None,
        instances: 1,
    }
}
