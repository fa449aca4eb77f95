//! Stable ids of everything that outlives an edit (ROM-6): given by the author, or the hash of
//! owner, kind and name. What a part gives is hashed with the id of the state that uses it, so that
//! a part may be used many times (LANG-5).

use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{self, StableId};
use statewright_author::span::Span;
use xxhash_rust::xxh3::xxh3_64;

use crate::index::{
    EventIndex, HistoryIndex, Index, IndexVec, RegionIndex, StateIndex, TimerIndex, TransitionIndex,
};
use crate::model::{Model, TimerKind, Transition, Trigger};

/// Stable ids by group, each in the order of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StableIds {
    /// The machine's own.
    pub machine: u64,
    /// Per state.
    pub states: IndexVec<StateIndex, u64>,
    /// Per region.
    pub regions: IndexVec<RegionIndex, u64>,
    /// Per event.
    pub events: IndexVec<EventIndex, u64>,
    /// Per timer.
    pub timers: IndexVec<TimerIndex, u64>,
    /// Per transition, in declaration order.
    pub transitions: IndexVec<TransitionIndex, u64>,
    /// Per history point.
    pub history: IndexVec<HistoryIndex, u64>,
    /// Per scratch, by state.
    pub scratch: Vec<u64>,
    /// Per use of a part, the id of the state.
    users: Vec<u64>,
}

/// The id that follows from owner, kind and name.
pub fn derive(owner: u64, kind: &str, name: &str) -> u64 {
    let mut bytes = owner.to_le_bytes().to_vec();
    bytes.extend_from_slice(kind.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(name.as_bytes());
    xxh3_64(&bytes)
}

fn given(id: &StableId, otherwise: impl FnOnce() -> u64) -> u64 {
    id.as_ref().map_or_else(otherwise, |id| id.value)
}

/// The id that a file gives: as it stands, or in a part for this use of it.
fn given_here(
    model: &Model<'_>,
    users: &[u64],
    id: &StableId,
    otherwise: impl FnOnce() -> u64,
) -> u64 {
    let Some(id) = id else {
        return otherwise();
    };
    let part = model.machine.source.part_at(id.span);
    match part.and_then(|part| users.get(part)) {
        Some(&user) => derive(user, "part", &format!("{:016x}", id.value)),
        None => id.value,
    }
}

impl StableIds {
    /// Collects the ids and reports those that meet.
    pub fn new(model: &Model<'_>, diagnostics: &mut Diagnostics) -> Self {
        let machine = given(&model.machine.id, || {
            derive(0, "machine", &model.machine.name.value)
        });
        let mut ids = Self {
            machine,
            users: vec![0; model.machine.source.parts().len()],
            ..Self::default()
        };
        ids.add_tree(model);
        let events = &model.machine.events;
        ids.events = events
            .iter()
            .map(|e| given(&e.id, || derive(machine, "event", &e.name.value)))
            .collect();
        ids.add_transitions(model);
        ids.add_timers(model);
        ids.add_scratch(model);
        ids.check(model, diagnostics);
        ids
    }

    fn add_tree(&mut self, model: &Model<'_>) {
        for state in &model.tree.states {
            let owner = state
                .parent
                .map_or(self.machine, |parent| self.states[parent]);
            let name = &state.authored.name.value;
            // The root shares the file's top level with the machine, so its id follows from the
            // machine's.
            let id = match state.parent {
                None => derive(self.machine, "root", ""),
                Some(_) => given_here(model, &self.users, &state.authored.id, || {
                    derive(owner, "state", name)
                }),
            };
            if let Some(used) = state.authored.part.as_ref().and_then(|part| part.joined) {
                self.users[used] = id;
            }
            self.states.push(id);
        }
        for (index, region) in model.tree.regions.enumerate() {
            let owner = self.states[region.owner];
            let first = model.tree.states[region.owner].regions.start;
            let ordinal = index.position() - first.position();
            let name = region
                .authored
                .name
                .as_ref()
                .map_or_else(|| ordinal.to_string(), |name| name.value.clone());
            let id = given_here(model, &self.users, &region.authored.id, || {
                derive(owner, "region", &name)
            });
            self.regions.push(id);
        }
        for point in &model.tree.histories {
            let owner = self.states[point.owner];
            let id = given_here(model, &self.users, &point.authored.id, || {
                derive(owner, "history", &point.authored.name.value)
            });
            self.history.push(id);
        }
    }

    /// Unnamed transitions are told apart by trigger and ordinal, so that a new target or guard
    /// keeps the id.
    fn add_transitions(&mut self, model: &Model<'_>) {
        for state in &model.resolved {
            let mut ordinals: HashMap<String, usize> = HashMap::new();
            for transition in &model.transitions[state.transitions.clone()] {
                let owner = self.states[transition.source];
                let authored = &transition.authored;
                let key = match &authored.name {
                    Some(name) => format!("name {}", name.value),
                    None => self.trigger_key(model, transition),
                };
                let ordinal = ordinals.entry(key.clone()).or_default();
                // Shared transitions (sets, any-state) have one `id` in the file but one source
                // each.
                let id = match &authored.id {
                    Some(_) if is_own(model, transition) => {
                        given_here(model, &self.users, &authored.id, || 0)
                    }
                    Some(id) => derive(owner, "transition", &format!("{:016x}", id.value)),
                    None => derive(owner, "transition", &format!("{key} {ordinal}")),
                };
                *ordinal += 1;
                self.transitions.push(id);
            }
        }
    }

    /// What an unnamed transition is told apart by. Events and timers count by their ids, so that
    /// renaming one that has an `id` changes nothing.
    fn trigger_key(&self, model: &Model<'_>, transition: &Transition<'_>) -> String {
        match (transition.trigger, &transition.authored.trigger) {
            (Trigger::Event(event), _) => format!("event {:016x}", self.events[event]),
            (Trigger::Any, _) => "any".to_owned(),
            (Trigger::Timer(_), graph::Trigger::After(_)) => "after".to_owned(),
            (Trigger::Timer(_), graph::Trigger::Every(_)) => "every".to_owned(),
            (Trigger::Timer(timer), _) => {
                let id = model.timers[timer]
                    .authored
                    .map_or(0, |named| self.named_timer(model, timer, named));
                format!("timer {id:016x}")
            }
            (Trigger::Always, _) => "always".to_owned(),
            (Trigger::Done, _) => "done".to_owned(),
            (Trigger::Failed, _) => "failed".to_owned(),
        }
    }

    fn named_timer(&self, model: &Model<'_>, timer: TimerIndex, named: &graph::Timer) -> u64 {
        let owner = match model.timers[timer].kind {
            TimerKind::Machine => self.machine,
            TimerKind::State
            | TimerKind::After
            | TimerKind::Every
            | TimerKind::Clock
            | TimerKind::Debounce => self.states[model.timers[timer].owner],
        };
        given_here(model, &self.users, &named.id, || {
            derive(owner, "timer", &named.name.value)
        })
    }

    fn add_timers(&mut self, model: &Model<'_>) {
        for (index, timer) in model.timers.enumerate() {
            let owner = self.states[timer.owner];
            let of_transition = |kind| {
                derive(
                    timer.transition.map_or(0, |t| self.transitions[t]),
                    kind,
                    "",
                )
            };
            let id = match (timer.kind, timer.authored) {
                (_, Some(named)) => self.named_timer(model, index, named),
                (TimerKind::Clock, None) => derive(owner, "clock", ""),
                (TimerKind::Debounce, None) => of_transition("debounce"),
                (TimerKind::Every, None) => of_transition("every"),
                (_, None) => of_transition("after"),
            };
            self.timers.push(id);
        }
    }

    fn add_scratch(&mut self, model: &Model<'_>) {
        for (index, state) in model.tree.states.enumerate() {
            for item in &state.authored.scratch {
                let id = given_here(model, &self.users, &item.id, || {
                    derive(self.states[index], "scratch", &item.name.value)
                });
                self.scratch.push(id);
            }
        }
    }

    fn check(&self, model: &Model<'_>, diagnostics: &mut Diagnostics) {
        let tree = &model.tree;
        let states = tree
            .states
            .iter()
            .map(|s| (&s.authored.id, s.authored.name.span));
        let regions = tree
            .regions
            .iter()
            .map(|r| (&r.authored.id, r.authored.span));
        let events = model.machine.events.iter().map(|e| (&e.id, e.name.span));
        let points = tree
            .histories
            .iter()
            .map(|h| (&h.authored.id, h.authored.name.span));
        let transitions = model.transitions.iter().map(|t| (&t.authored.id, t.span()));
        let timers = model
            .timers
            .iter()
            .map(|timer| match (timer.authored, timer.transition) {
                (Some(named), _) => (&named.id, named.name.span),
                (None, Some(transition)) => (&None, model.transitions[transition].span()),
                (None, None) => (&None, tree.states[timer.owner].authored.name.span),
            });
        let scratch = tree
            .states
            .iter()
            .flat_map(|s| &s.authored.scratch)
            .map(|s| (&s.id, s.name.span));
        check_group("states", &self.states, states, diagnostics);
        check_group("regions", &self.regions, regions, diagnostics);
        check_group("events", &self.events, events, diagnostics);
        check_group("timers", &self.timers, timers, diagnostics);
        check_group("transitions", &self.transitions, transitions, diagnostics);
        check_group("history points", &self.history, points, diagnostics);
        check_group("scratch", &self.scratch, scratch, diagnostics);
    }
}

/// Whether a transition was written in its own source, not in a set or an any-state list.
pub fn is_own(model: &Model<'_>, transition: &Transition<'_>) -> bool {
    let source = model.tree.states[transition.source].authored;
    source
        .transitions
        .as_ptr_range()
        .contains(&std::ptr::from_ref(transition.authored.as_ref()))
}

/// Reports ids of one group that meet. Ids that both follow from names meet because the names do,
/// or those of their owners: that has been reported.
fn check_group<'i>(
    what: &str,
    ids: &[u64],
    authored: impl Iterator<Item = (&'i StableId, Span)>,
    diagnostics: &mut Diagnostics,
) {
    let consequences = diagnostics.has_errors();
    let mut seen: HashMap<u64, (Span, bool)> = HashMap::new();
    for (&id, (authored, span)) in ids.iter().zip(authored) {
        let span = authored.as_ref().map_or(span, |id| id.span);
        let given = authored.is_some();
        match seen.get(&id) {
            Some(&(first, first_given)) if given || first_given || !consequences => diagnostics
                .push(
                    Diagnostic::new(
                        DiagnosticCode::DuplicateStableId,
                        span,
                        format!("two {what} have the stable id {id:x}"),
                    )
                    .label("the same id again")
                    .related(first, "first used here")
                    .help("remove one `id`: `statewright fmt --ids` writes a fresh one"),
                ),
            _ => {}
        }
        seen.insert(id, (span, given));
    }
}
