//! Which event of one machine is which of another.
//!
//! ```text
//!  from guards to bosses          Hit ─▶ Hit      the same name, both carry i32
//!                                 Seen ─▶ Spotted the same stable id, given in both files
//!                                 Noise ─▶ –      bosses do not know it
//! ```

use std::ops::Range;

use statewright_kernel::Event;
use statewright_rom::ids::EventId;
use statewright_rom::layout::{PayloadKind, StableGroup};

use crate::machine::Machine;

/// Tables for every pair of crowds.
#[derive(Debug, Default)]
pub(super) struct Links {
    crowds: usize,
    /// By sender, receiver and event of the sender; what is left out starts with the next pair.
    events: Vec<Option<EventId>>,
    /// Where the table of a pair lies, by sender and receiver.
    pairs: Vec<Range<usize>>,
}

impl Links {
    /// For these machines, by number of the crowd; `None` for one that left.
    pub(super) fn update(&mut self, machines: &[Option<&Machine>]) {
        self.crowds = machines.len();
        self.events.clear();
        self.pairs.clear();
        for from in machines {
            for to in machines {
                let first = self.events.len();
                if let (Some(from), Some(to)) = (from, to) {
                    self.events.extend(link(from, to));
                }
                self.pairs.push(first..self.events.len());
            }
        }
    }

    /// The receiver's event for one of the sender's.
    pub(super) fn event(&self, from: usize, to: usize, event: EventId) -> Option<EventId> {
        let pair = self.pairs.get(from * self.crowds + to)?;
        let table = self.events.get(pair.clone())?;
        table.get(event.index()).copied().flatten()
    }
}

/// Which event of one machine is which of another, for hosts that bring messages to agents of several
/// machines themselves: the same stable id, or else the same name, if both carry the same
/// ([`Machine::link_events`]).
#[derive(Clone, Debug)]
pub struct EventLinks {
    events: Vec<Option<EventId>>,
    to: Machine,
}

impl EventLinks {
    /// The receiver's own event, in the class that it has there; `None` if it knows none.
    pub fn translate(&self, event: Event) -> Option<Event> {
        let there = self.events.get(event.id()?.index()).copied().flatten()?;
        let class = self.to.event_type(there).ok()?.class;
        Some(Event::new(there, class).with_words(event.payload.map(|word| word.get())))
    }
}

impl Machine {
    /// Which of its events another machine knows.
    pub fn link_events(&self, to: &Machine) -> EventLinks {
        EventLinks {
            events: link(self, to),
            to: to.clone(),
        }
    }
}

/// Per event of one machine, that of the other: the same stable id, or else the same name; what they
/// carry must be the same as well.
fn link(from: &Machine, to: &Machine) -> Vec<Option<EventId>> {
    let [ours, theirs] = [from, to].map(events);
    let find = |one: &LinkedEvent| {
        let (found, _, there) = find((from, one), (to, &theirs))?;
        (there == one.2).then_some(found)
    };
    ours.iter().map(find).collect()
}

/// The event of another machine with the same stable id, or else the same name, whatever they carry.
pub(super) fn namesake(from: &Machine, to: &Machine, event: EventId) -> Option<EventId> {
    let ours = events(from);
    let found = find((from, ours.get(event.index())?), (to, &events(to)));
    found.map(|(found, ..)| found)
}

fn find(
    (from, &(id, stable, _)): (&Machine, &LinkedEvent),
    (to, theirs): (&Machine, &[LinkedEvent]),
) -> Option<LinkedEvent> {
    let same_id = theirs.iter().find(|(_, other, _)| *other == stable);
    let name = from.symbols().of(id).filter(|name| !name.is_empty());
    let same_name = || {
        let mut theirs = theirs.iter();
        theirs.find(|(other, ..)| name.is_some() && to.symbols().of(*other) == name)
    };
    same_id.or_else(same_name).copied()
}

/// Number, stable id and payload.
type LinkedEvent = (EventId, u64, PayloadKind);

fn events(machine: &Machine) -> Vec<LinkedEvent> {
    let rom = machine.rom();
    let stable = rom.stable_ids_of(StableGroup::Events).iter();
    let events = (0..).zip(stable.zip(rom.events()));
    let events = events.filter_map(|(index, (stable, record))| {
        Some((
            EventId::from_index(index)?,
            stable.id.get(),
            record.carries(),
        ))
    });
    events.collect()
}
