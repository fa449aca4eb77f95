//! Finds what has no stable id of its own (ROM-6).

use crate::graph::{Machine, Region, State, Timer, Transition};
use crate::span::{Name, Source};

/// What can have a stable id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemKind {
    /// The machine itself.
    Machine,
    /// A state.
    State,
    /// A region with a name.
    Region,
    /// A history point.
    History,
    /// An event type.
    Event,
    /// A timer of the machine or of a state.
    Timer,
    /// A scratch declaration.
    Scratch,
    /// A transition with a name.
    Transition,
}

/// A step from a part of the graph to one in it, by the index in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathSegment {
    /// In [`State::regions`].
    Region(usize),
    /// In [`Region::states`].
    State(usize),
    /// In [`State::history`].
    History(usize),
    /// In [`Machine::events`].
    Event(usize),
    /// In [`Machine::timers`] at the start of a path, else in [`State::timers`].
    Timer(usize),
    /// In [`State::scratch`].
    Scratch(usize),
    /// In [`State::transitions`], or of a set.
    Transition(usize),
    /// In [`State::any_state`].
    AnyState(usize),
    /// In [`Machine::transition_sets`].
    TransitionSet(usize),
}

/// Something of a machine file that has no stable id of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingId {
    /// What it is.
    pub kind: ItemKind,
    /// Where it is in the graph, from the machine or from [`Machine::root`] on. Empty for the
    /// machine.
    pub path: Vec<PathSegment>,
    /// Its name, with its span in the file.
    pub name: Name,
}

/// All that has a name and no stable id, in the order of the graph. Nothing for a machine that was
/// built in Rust: there is no file to write to.
pub fn missing_ids(machine: &Machine) -> Vec<MissingId> {
    let mut finder = Finder::default();
    if matches!(machine.source, Source::File { .. }) {
        finder.machine(machine);
    }
    finder.found
}

#[derive(Default)]
struct Finder {
    found: Vec<MissingId>,
    path: Vec<PathSegment>,
}

impl Finder {
    fn machine(&mut self, machine: &Machine) {
        self.note(ItemKind::Machine, &machine.name, machine.id.is_some());
        for (at, event) in machine.events.iter().enumerate() {
            self.note_at(
                PathSegment::Event(at),
                ItemKind::Event,
                &event.name,
                event.id.is_some(),
            );
        }
        self.timers(&machine.timers);
        for (at, set) in machine.transition_sets.iter().enumerate() {
            self.path.push(PathSegment::TransitionSet(at));
            self.transitions(&set.transitions);
            self.path.pop();
        }
        self.inside(&machine.root);
    }

    fn state(&mut self, state: &State) {
        self.note(ItemKind::State, &state.name, state.id.is_some());
        self.timers(&state.timers);
        self.inside(state);
    }

    /// What is in a state, the root included.
    fn inside(&mut self, state: &State) {
        for (at, point) in state.history.iter().enumerate() {
            self.note_at(
                PathSegment::History(at),
                ItemKind::History,
                &point.name,
                point.id.is_some(),
            );
        }
        for (at, scratch) in state.scratch.iter().enumerate() {
            self.note_at(
                PathSegment::Scratch(at),
                ItemKind::Scratch,
                &scratch.name,
                scratch.id.is_some(),
            );
        }
        self.transitions(&state.transitions);
        for (at, any) in state.any_state.iter().enumerate() {
            self.transition(PathSegment::AnyState(at), &any.transition);
        }
        for (at, region) in state.regions.iter().enumerate() {
            self.path.push(PathSegment::Region(at));
            self.region(region);
            self.path.pop();
        }
    }

    fn region(&mut self, region: &Region) {
        if let Some(name) = &region.name {
            self.note(ItemKind::Region, name, region.id.is_some());
        }
        for (at, state) in region.states.iter().enumerate() {
            self.path.push(PathSegment::State(at));
            self.state(state);
            self.path.pop();
        }
    }

    fn timers(&mut self, timers: &[Timer]) {
        for (at, timer) in timers.iter().enumerate() {
            self.note_at(
                PathSegment::Timer(at),
                ItemKind::Timer,
                &timer.name,
                timer.id.is_some(),
            );
        }
    }

    fn transitions(&mut self, transitions: &[Transition]) {
        for (at, transition) in transitions.iter().enumerate() {
            self.transition(PathSegment::Transition(at), transition);
        }
    }

    fn transition(&mut self, segment: PathSegment, transition: &Transition) {
        if let Some(name) = &transition.name {
            self.note_at(segment, ItemKind::Transition, name, transition.id.is_some());
        }
    }

    fn note_at(&mut self, segment: PathSegment, kind: ItemKind, name: &Name, has_id: bool) {
        self.path.push(segment);
        self.note(kind, name, has_id);
        self.path.pop();
    }

    fn note(&mut self, kind: ItemKind, name: &Name, has_id: bool) {
        if !has_id {
            self.found.push(MissingId {
                kind,
                path: self.path.clone(),
                name: name.clone(),
            });
        }
    }
}
