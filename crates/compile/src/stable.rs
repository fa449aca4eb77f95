//! Stable ids of everything that outlives an edit (ROM-6): given by the author, or the hash of
//! owner, kind and name.
//!
//! What a part has is known by the id that it has in the part's own machine, hashed with the id of the
//! state that uses the part (LANG-5): a part may be used many times, and an id that is written into its
//! file because something gets another name changes nothing where it is used.

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
    /// Per state, its id in the machine of its own file.
    inner: IndexVec<StateIndex, u64>,
    /// By the place of the part's text.
    users: Vec<User>,
}

/// A use of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct User {
    /// The state.
    state: StateIndex,
    /// Its id.
    id: u64,
    /// The part's machine as it is on its own.
    machine: u64,
    /// The root of that.
    root: u64,
}

/// Something that may have an id.
struct Item<'i> {
    /// Where it stands: in the file itself or in a part.
    span: Span,
    id: &'i StableId,
    owner: StateIndex,
    kind: &'static str,
    name: &'i str,
}

/// The id that follows from owner, kind and name.
pub fn derive(owner: u64, kind: &str, name: &str) -> u64 {
    let mut bytes = owner.to_le_bytes().to_vec();
    bytes.extend_from_slice(kind.as_bytes());
    bytes.push(0);
    bytes.extend_from_slice(name.as_bytes());
    xxh3_64(&bytes)
}

/// What the id of a state follows from: its name. Of children of one name in different regions the
/// first keeps that, so that a region that comes later changes no id (LANG-7).
fn own_name(model: &Model<'_>, state: StateIndex) -> String {
    let name = &model.tree.states[state].authored.name.value;
    let later = model.tree.has_namesake_before(state);
    match model.tree.region_of_namesake(state).filter(|_| later) {
        Some(region) => format!("{region}/{name}"),
        None => name.clone(),
    }
}

fn given(id: &StableId, otherwise: impl FnOnce() -> u64) -> u64 {
    id.as_ref().map_or_else(otherwise, |id| id.value)
}

/// The id of something in a machine that uses the part it stands in.
fn here(user: Option<User>, inner: u64) -> u64 {
    match user {
        Some(user) => derive(user.id, "part", &format!("{inner:016x}")),
        None => inner,
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
            users: vec![User::default(); model.machine.source.parts().len()],
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

    /// The use of the part that something stands in.
    fn user(&self, model: &Model<'_>, span: Span) -> Option<User> {
        let part = model.machine.source.part_at(span)?;
        self.users.get(part).copied()
    }

    /// The id of something in the machine of its own file, and here.
    fn ids(&self, model: &Model<'_>, item: &Item<'_>) -> (u64, u64) {
        let user = self.user(model, item.span);
        let owner = match user {
            None => self.states[item.owner],
            // What the root of a part has belongs to the state that uses it.
            Some(user) if user.state == item.owner => user.root,
            Some(_) => self.inner[item.owner],
        };
        let inner = given(item.id, || derive(owner, item.kind, item.name));
        (inner, here(user, inner))
    }

    fn add_tree(&mut self, model: &Model<'_>) {
        for (index, state) in model.tree.states.enumerate() {
            // The root shares the file's top level with the machine, so its id follows from the
            // machine's.
            let root = derive(self.machine, "root", "");
            let name = own_name(model, index);
            let (inner, id) = state.parent.map_or((root, root), |owner| {
                let item = Item {
                    span: state.authored.name.span,
                    id: &state.authored.id,
                    owner,
                    kind: "state",
                    name: &name,
                };
                self.ids(model, &item)
            });
            let part = state.authored.part.as_ref();
            if let Some(joined) = part.and_then(|part| part.joined.as_ref()) {
                let machine = given(&joined.id, || derive(0, "machine", &joined.machine));
                self.users[joined.text] = User {
                    state: index,
                    id,
                    machine,
                    root: derive(machine, "root", ""),
                };
            }
            self.inner.push(inner);
            self.states.push(id);
        }
        for (index, region) in model.tree.regions.enumerate() {
            let first = model.tree.states[region.owner].regions.start;
            let ordinal = (index.position() - first.position()).to_string();
            let named = region.authored.name.as_ref();
            let item = Item {
                span: region.authored.span,
                id: &region.authored.id,
                owner: region.owner,
                kind: "region",
                name: named.map_or(ordinal.as_str(), |name| &name.value),
            };
            let (_, id) = self.ids(model, &item);
            self.regions.push(id);
        }
        for point in &model.tree.histories {
            let item = Item {
                span: point.authored.name.span,
                id: &point.authored.id,
                owner: point.owner,
                kind: "history",
                name: &point.authored.name.value,
            };
            let (_, id) = self.ids(model, &item);
            self.history.push(id);
        }
    }

    /// Unnamed transitions are told apart by trigger and ordinal, so that a new target or guard
    /// keeps the id.
    fn add_transitions(&mut self, model: &Model<'_>) {
        for state in &model.resolved {
            let mut ordinals: HashMap<(Option<usize>, String), usize> = HashMap::new();
            for transition in &model.transitions[state.transitions.clone()] {
                let source = transition.source;
                let part = model.machine.source.part_at(transition.authored.span);
                let authored = &transition.authored;
                let key = match &authored.name {
                    Some(name) => format!("name {}", name.value),
                    None => self.trigger_key(model, transition),
                };
                // A state and its part count theirs apart, as their files do. A list of events with a
                // name is one transition of that name.
                let count: &mut usize = ordinals.entry((part, key.clone())).or_default();
                let is_new = authored.name.is_none() || !transition.is_repeated();
                *count += usize::from(is_new);
                let name = match &authored.id {
                    Some(id) => format!("{:016x}", id.value),
                    None => format!("{key} {}", *count - 1),
                };
                // Shared transitions (sets, any-state) have one `id` in the file but one source
                // each.
                let own_id = is_own(model, transition).then_some(&authored.id);
                let item = Item {
                    span: authored.span,
                    id: own_id.unwrap_or(&None),
                    owner: source,
                    kind: "transition",
                    name: &name,
                };
                let (_, id) = self.ids(model, &item);
                self.transitions.push(self.in_list(transition, id));
            }
        }
    }

    /// Each event of a list has an id of its own, made of that of the list and that of the event
    /// (LANG-1). Without a name or an id it is the same as if it were written alone.
    fn in_list(&self, transition: &Transition<'_>, id: u64) -> u64 {
        let authored = &transition.authored;
        let has_one = authored.id.is_some() || authored.name.is_some();
        match (transition.trigger, transition.place) {
            (Trigger::Event(event), Some(_)) if has_one => {
                derive(id, "on", &format!("{:016x}", self.events[event]))
            }
            _ => id,
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
        let item = Item {
            span: named.name.span,
            id: &named.id,
            owner: model.timers[timer].owner,
            kind: "timer",
            name: &named.name.value,
        };
        match model.timers[timer].kind {
            TimerKind::Machine => self.machine_timer(model, &item),
            TimerKind::State
            | TimerKind::After
            | TimerKind::Every
            | TimerKind::Clock
            | TimerKind::Debounce => self.ids(model, &item).1,
        }
    }

    /// A timer of the machine, or of the machine that a part is on its own: `fight/alarm`.
    fn machine_timer(&self, model: &Model<'_>, item: &Item<'_>) -> u64 {
        let user = self.user(model, item.span);
        let (machine, name) = match user {
            None => (self.machine, item.name),
            Some(user) => (
                user.machine,
                item.name.rsplit('/').next().unwrap_or_default(),
            ),
        };
        here(user, given(item.id, || derive(machine, item.kind, name)))
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
                let item = Item {
                    span: item.name.span,
                    id: &item.id,
                    owner: index,
                    kind: "scratch",
                    name: &item.name.value,
                };
                let (_, id) = self.ids(model, &item);
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
