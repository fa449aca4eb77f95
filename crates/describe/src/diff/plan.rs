//! From two descriptions to the plan: everything is paired, then compared field by field.
//!
//! What belongs to a state (regions, transitions, history points, scratch, timers) is found by stable
//! id wherever it went, and by name only in the same state:
//!
//! ```text
//! old                        new
//! idle  on Hit -> flee (7)   rest  on Hit -> hide (7)     same id: changed, though `idle` is `rest`
//!       on Go -> work  (8)         on Go -> work  (9)     same name in the same state: found by name
//! work  on Hit -> flee (5)   work  …
//!                            rest  on Hit -> flee (5)     same id elsewhere: moved
//! ```

use std::collections::HashMap;
use std::hash::Hash;

use statewright_rom::ids::*;

use super::fields::Fields;
use super::matching::{Item, matches};
use super::{Fate, Kept, MachineDiff, Mapping, ReloadKind};
use crate::Description;
use crate::layout::{Hex64, TimerPlace};
use crate::model::{Event, Function, Lane, MachineTimer, Model, Observer, Trigger};
use crate::refer::{EventRef, Rename, StateRef, rename_targets};
use crate::state::{History, Region, Scratch, State, Transition};

/// What became of everything in `old`.
pub fn diff(old: &Description, new: &Description) -> MachineDiff {
    let structure_changed = old.layout.hashes.structure != new.layout.hashes.structure;
    let parameters_changed = old.layout.hashes.parameters != new.layout.hashes.parameters;
    let found = Found::new(old, new);
    // From here on the new machine speaks of states and events as the old one does.
    let new = &found.renames(old).applied(new);
    let sides = Sides {
        old: Side::new(old, &|state| old_path(old, state)),
        new: Side::new(new, &|state| found.old_path(old, state)),
    };
    let (a, b) = (&old.model, &new.model);
    // Agents begin anew, whatever it is that changed (LOAD-3).
    let resets = b.policies.reload_resets && (structure_changed || parameters_changed);
    MachineDiff {
        kind: match (structure_changed || resets, parameters_changed) {
            (true, _) => ReloadKind::Structure,
            (false, true) => ReloadKind::Parameters,
            (false, false) => ReloadKind::Nothing,
        },
        structure_changed,
        parameters_changed,
        resets,
        is_another_machine: old.layout.stable_ids.machine != new.layout.stable_ids.machine,
        machine: a.differences(b),
        policies: a.policies.differences(&b.policies),
        budgets: a.budgets.differences(&b.budgets),
        events: map(events(old), events(new)),
        keys: by_name(&a.blackboard, &b.blackboard, KeyId::from_index, |key| {
            &key.name
        }),
        parameters: by_name(&a.parameters, &b.parameters, ParameterId::from_index, |p| {
            &p.name
        }),
        variants: by_name(&a.variants, &b.variants, variant, |variant| &variant.name),
        channels: by_name(&a.channels, &b.channels, ChannelId::from_index, |c| &c.name),
        lanes: map(lanes(a), lanes(b)),
        machine_timers: map(machine_timers(old), machine_timers(new)),
        observers: map(observers(a), observers(b)),
        functions: map(functions(a), functions(b)),
        states: map(sides.old.states(), sides.new.states()),
        regions: map(sides.old.regions(), sides.new.regions()),
        timers: map(sides.old.timers(), sides.new.timers()),
        history: map(sides.old.history(), sides.new.history()),
        scratch: map(sides.old.scratch(), sides.new.scratch()),
        transitions: map(sides.old.transitions(), sides.new.transitions()),
    }
}

/// The plain variant is not among those that are described.
fn variant(index: usize) -> Option<VariantId> {
    VariantId::from_index(index + 1)
}

fn lanes(model: &Model) -> Vec<Thing<'_, LaneId, Lane>> {
    let lanes = model.lanes.iter();
    lanes
        .map(|lane| thing(lane.id, lane, None, lane.name.clone()))
        .collect()
}

/// Something with all it takes to find it again.
struct Thing<'d, I, T> {
    id: I,
    value: &'d T,
    item: Item,
    /// What it belongs to, as the old machine calls it.
    owner: Option<String>,
}

/// Pairs two lists and compares what was paired.
fn map<I: Copy + PartialEq, T: Fields>(
    old: Vec<Thing<'_, I, T>>,
    new: Vec<Thing<'_, I, T>>,
) -> Mapping<I, T::Field> {
    let (old, old_items): (Vec<_>, Vec<_>) = old.into_iter().map(parted).unzip();
    let (new, new_items): (Vec<_>, Vec<_>) = new.into_iter().map(parted).unzip();
    let found = matches(&old_items, &new_items);
    let mut is_new = vec![true; new.len()];
    let mut mapping = Mapping::default();
    for ((id, value, owner), found) in old.into_iter().zip(found) {
        let fate = found.map_or(Fate::Gone, |(place, by)| {
            is_new[place] = false;
            let (to, other, other_owner) = &new[place];
            Fate::Kept(Kept {
                to: *to,
                by,
                moved: id != *to || owner != *other_owner,
                changed: value.differences(other),
            })
        });
        mapping.old.push((id, fate));
    }
    let only_new = new.iter().zip(is_new).filter(|(_, is_new)| *is_new);
    mapping.new = only_new.map(|((id, ..), _)| *id).collect();
    mapping
}

type Parted<'d, I, T> = ((I, &'d T, Option<String>), Item);

fn parted<I, T>(thing: Thing<'_, I, T>) -> Parted<'_, I, T> {
    ((thing.id, thing.value, thing.owner), thing.item)
}

/// The same for lists without stable ids.
fn by_name<'d, I: Copy + PartialEq, T: Fields>(
    old: &'d [T],
    new: &'d [T],
    id: fn(usize) -> Option<I>,
    name: impl Fn(&'d T) -> &'d str,
) -> Mapping<I, T::Field> {
    let things = |list: &'d [T]| {
        let thing = |(index, value): (usize, &'d T)| {
            Some(thing(id(index)?, value, None, name(value).to_owned()))
        };
        list.iter().enumerate().filter_map(thing).collect()
    };
    map(things(old), things(new))
}

fn thing<I, T>(id: I, value: &T, stable: Option<Hex64>, name: String) -> Thing<'_, I, T> {
    Thing {
        id,
        value,
        item: Item { id: stable, name },
        owner: None,
    }
}

fn events<'d>(side: &'d Description) -> Vec<Thing<'d, EventId, Event>> {
    let ids = &side.layout.stable_ids.events;
    let one = |event: &'d Event| {
        let id = ids.get(event.id.index()).copied();
        thing(event.id, event, id, event.name.clone())
    };
    side.model.events.iter().map(one).collect()
}

fn machine_timers<'d>(side: &'d Description) -> Vec<Thing<'d, TimerId, MachineTimer>> {
    let ids = &side.layout.stable_ids.timers;
    let one = |timer: &'d MachineTimer| {
        let id = ids.get(timer.id.index()).copied();
        thing(timer.id, timer, id, timer.name.clone())
    };
    side.model.timers.iter().map(one).collect()
}

fn observers<'d>(model: &'d Model) -> Vec<Thing<'d, ObserverId, Observer>> {
    let one = |(index, observer): (usize, &'d Observer)| {
        let id = ObserverId::from_index(index)?;
        Some(thing(id, observer, None, observer.shown()))
    };
    model.observers.iter().enumerate().filter_map(one).collect()
}

fn functions<'d>(model: &'d Model) -> Vec<Thing<'d, FunctionId, Function>> {
    let one = |function: &'d Function| thing(function.id, function, None, function.name.clone());
    model.functions.iter().map(one).collect()
}

fn old_path(old: &Description, state: StateId) -> String {
    let state = old.model.states.get(state.index());
    state.map_or(String::new(), |state| state.path.clone())
}

/// Both machines, with what states are called in the old one.
struct Sides<'d> {
    old: Side<'d>,
    new: Side<'d>,
}

/// One machine.
struct Side<'d> {
    described: &'d Description,
    /// Paths of states as the old machine calls them.
    paths: Vec<String>,
    /// The state around each state.
    parents: Vec<Option<StateId>>,
}

impl<'d> Side<'d> {
    fn new(described: &'d Description, path: &dyn Fn(StateId) -> String) -> Self {
        let states = &described.model.states;
        let mut parents = vec![None; states.len()];
        for state in states {
            for child in state.regions.iter().flat_map(|region| &region.children) {
                if let Some(parent) = parents.get_mut(child.id.index()) {
                    *parent = Some(state.id);
                }
            }
        }
        Self {
            described,
            paths: states.iter().map(|state| path(state.id)).collect(),
            parents,
        }
    }

    fn path(&self, state: StateId) -> String {
        self.paths.get(state.index()).cloned().unwrap_or_default()
    }

    fn states(&self) -> Vec<Thing<'d, StateId, State>> {
        let ids = &self.described.layout.stable_ids.states;
        let one = |state: &'d State| Thing {
            owner: self.parents[state.id.index()].map(|parent| self.path(parent)),
            ..thing(
                state.id,
                state,
                ids.get(state.id.index()).copied(),
                state.path.clone(),
            )
        };
        self.described.model.states.iter().map(one).collect()
    }

    /// Things that states have, called by the state and what they are called in it.
    fn parts<I: Copy, T>(
        &self,
        list: impl Fn(&'d State) -> &'d [T],
        ids: &[Hex64],
        id: impl Fn(&T) -> (I, usize),
        shown: impl Fn(&T) -> String,
    ) -> Vec<Thing<'d, I, T>> {
        let mut parts = Vec::new();
        for state in &self.described.model.states {
            let owner = self.path(state.id);
            for part in list(state) {
                let ((id, index), name) = (id(part), format!("{owner}{}", shown(part)));
                parts.push(Thing {
                    owner: Some(owner.clone()),
                    ..thing(id, part, ids.get(index).copied(), name)
                });
            }
        }
        parts
    }

    fn regions(&self) -> Vec<Thing<'d, RegionId, Region>> {
        let ids = &self.described.layout.stable_ids.regions;
        let id = |region: &Region| (region.id, region.id.index());
        self.parts(|state| &state.regions, ids, id, super::words::region_shown)
    }

    fn transitions(&self) -> Vec<Thing<'d, TransitionId, Transition>> {
        let ids = &self.described.layout.stable_ids.transitions;
        let id = |transition: &Transition| (transition.id, transition.id.index());
        let shown = super::words::transition_shown;
        self.parts(|state| &state.transitions, ids, id, shown)
    }

    fn history(&self) -> Vec<Thing<'d, HistoryId, History>> {
        let ids = &self.described.layout.stable_ids.history;
        let id = |point: &History| (point.id, point.id.index());
        self.parts(
            |state| &state.history,
            ids,
            id,
            |point| format!("/{}", point.name),
        )
    }

    fn scratch(&self) -> Vec<Thing<'d, ScratchId, Scratch>> {
        let ids = &self.described.layout.stable_ids.scratch;
        let id = |scratch: &Scratch| (scratch.id, scratch.id.index());
        self.parts(
            |state| &state.scratch,
            ids,
            id,
            |scratch| format!("/{}", scratch.name),
        )
    }

    fn timers(&self) -> Vec<Thing<'d, TimerId, TimerPlace>> {
        let ids = &self.described.layout.stable_ids.timers;
        let timer = |(index, timer): (usize, &'d TimerPlace)| {
            let owner = self.path(timer.owner.id);
            let name = format!("{owner}: {}", timer.purpose());
            Some(Thing {
                owner: Some(owner),
                ..thing(
                    TimerId::from_index(index)?,
                    timer,
                    ids.get(index).copied(),
                    name,
                )
            })
        };
        let timers = self.described.layout.timers.iter();
        timers.enumerate().filter_map(timer).collect()
    }
}

/// States and events of the new machine that the old one has, too.
struct Found {
    /// By number in the new machine.
    states: HashMap<StateId, StateId>,
    events: HashMap<EventId, EventId>,
}

impl Found {
    fn new(old: &Description, new: &Description) -> Self {
        let states = |side: &Description| {
            let ids = &side.layout.stable_ids.states;
            let item = |state: &State| Item {
                id: ids.get(state.id.index()).copied(),
                name: state.path.clone(),
            };
            let states = side.model.states.iter();
            states.map(|state| (state.id, item(state))).unzip()
        };
        let events = |side: &Description| {
            let events = events(side).into_iter();
            events.map(|event| (event.id, event.item)).unzip()
        };
        Self {
            states: backwards(states(old), states(new)),
            events: backwards(events(old), events(new)),
        }
    }

    /// What the old machine calls a state of the new one. One that it does not have gets a name that
    /// no state can have, so that nothing in it is found by name.
    fn old_path(&self, old: &Description, state: StateId) -> String {
        match self.states.get(&state) {
            Some(known) => old_path(old, *known),
            None => format!("\0{state}"),
        }
    }

    fn renames(&self, old: &Description) -> Renames {
        let states = self.states.iter();
        let states = states.map(|(to, from)| (*to, old_path(old, *from)));
        let events = self.events.iter().filter_map(|(to, from)| {
            let event = old.model.events.get(from.index())?;
            Some((*to, event.name.clone()))
        });
        Renames {
            states: states.collect(),
            events: events.collect(),
        }
    }
}

type Items<I> = (Vec<I>, Vec<Item>);

fn backwards<I: Copy + Eq + Hash>(old: Items<I>, new: Items<I>) -> HashMap<I, I> {
    let found = matches(&old.1, &new.1);
    let pairs = old.0.into_iter().zip(found);
    pairs
        .filter_map(|(from, found)| Some((new.0[found?.0], from)))
        .collect()
}

/// What the old machine calls states and events of the new one.
pub(super) struct Renames {
    states: HashMap<StateId, String>,
    events: HashMap<EventId, String>,
}

impl Renames {
    pub(super) fn new(old: &Description, new: &Description) -> Self {
        Found::new(old, new).renames(old)
    }

    /// The new machine with references to states and events in the words of the old one, so that a
    /// new name is no change of all that refers to it. Their own names stay.
    pub(super) fn applied(&self, new: &Description) -> Description {
        let mut renamed = new.clone();
        let model = &mut renamed.model;
        let entrances = [&mut model.fail_safe, &mut model.reload_entry];
        for entrance in entrances.into_iter().flatten() {
            rename_targets(&mut entrance.0, self);
        }
        for observer in &mut model.observers {
            observer
                .event
                .iter_mut()
                .for_each(|event| self.event(event));
            observer
                .actions
                .iter_mut()
                .for_each(|action| action.rename(self));
        }
        let fired = model.timers.iter_mut().flat_map(|timer| &mut timer.event);
        fired.for_each(|event| self.event(event));
        model
            .states
            .iter_mut()
            .for_each(|state| self.in_state(state));
        renamed
    }

    fn in_state(&self, state: &mut State) {
        for region in &mut state.regions {
            rename_targets(&mut region.initial.to, self);
            region
                .initial
                .actions
                .iter_mut()
                .for_each(|action| action.rename(self));
            region
                .children
                .iter_mut()
                .for_each(|child| self.state(child));
        }
        for point in &mut state.history {
            rename_targets(&mut point.default, self);
            point
                .actions
                .iter_mut()
                .for_each(|action| action.rename(self));
        }
        let lists = [
            &mut state.entry,
            &mut state.exit,
            &mut state.suspend,
            &mut state.resume,
            &mut state.update,
        ];
        let actions = lists.into_iter().flatten();
        actions.for_each(|action| action.rename(self));
        state.defer.iter_mut().for_each(|event| self.event(event));
        let fired = state.timers.iter_mut().flat_map(|timer| &mut timer.event);
        fired.for_each(|event| self.event(event));
        for transition in &mut state.transitions {
            if let Trigger::Event(event) = &mut transition.trigger {
                self.event(event);
            }
            rename_targets(&mut transition.to, self);
            transition
                .actions
                .iter_mut()
                .for_each(|action| action.rename(self));
        }
        for branch in &mut state.branches {
            rename_targets(&mut branch.to, self);
            branch
                .actions
                .iter_mut()
                .for_each(|action| action.rename(self));
        }
    }
}

impl Rename for Renames {
    fn state(&self, state: &mut StateRef) {
        if let Some(name) = self.states.get(&state.id) {
            state.name.clone_from(name);
        }
    }

    fn event(&self, event: &mut EventRef) {
        if let Some(name) = self.events.get(&event.id) {
            event.name.clone_from(name);
        }
    }
}
