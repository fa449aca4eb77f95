//! Events that two machines of a world know by one name, or one stable id, but with different
//! payloads: nobody gets one for the other.

use std::fmt;

use statewright_rom::ids::EventId;
use statewright_rom::layout::PayloadKind;

use super::World;
use super::links::namesake;
use super::member::Member;
use crate::context::Context;
use crate::event::{WrongEvent, said};

/// One event in two machines that carries something else in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The event in the crowd that runs first, and in the other.
    pub sides: [ConflictSide; 2],
}

/// An event of a crowd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictSide {
    /// Name of the crowd.
    pub crowd: String,
    /// Name of its machine.
    pub machine: String,
    /// Name of the event there.
    pub event: String,
    /// What it carries there.
    pub carries: PayloadKind,
}

impl fmt::Display for ConflictSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            crowd,
            machine,
            event,
            carries,
        } = self;
        let carries = said(*carries);
        write!(
            f,
            "event `{event}` of `{machine}` (crowd `{crowd}`) carries {carries}"
        )
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = &self.sides;
        write!(
            f,
            "{one}, but {other}: nobody gets one for the other; let both carry the same, or give one another name"
        )
    }
}

impl Conflict {
    /// Of an event of a crowd with that of another; `None` if that has none, or the same.
    pub(super) fn find<C: Context + ?Sized>(
        from: &Member<C>,
        to: &Member<C>,
        event: EventId,
    ) -> Option<Self> {
        let there = namesake(from.machine(), to.machine(), event)?;
        let sides = [side(from, event)?, side(to, there)?];
        (sides[0].carries != sides[1].carries).then_some(Self { sides })
    }
}

fn side<C: Context + ?Sized>(member: &Member<C>, event: EventId) -> Option<ConflictSide> {
    let machine = member.machine();
    Some(ConflictSide {
        crowd: member.name.clone(),
        machine: machine.name().to_owned(),
        event: machine.event_name(event).to_owned(),
        carries: machine.event_type(event).ok()?.payload,
    })
}

impl From<Conflict> for WrongEvent {
    fn from(conflict: Conflict) -> Self {
        let [here, there] = conflict.sides;
        Self::Conflict {
            event: here.event,
            machine: here.machine,
            carries: here.carries,
            receiver: there.machine,
            there: there.carries,
        }
    }
}

impl<C: Context + ?Sized> World<C> {
    /// Events that two crowds know by one name, or one stable id, but with different payloads: for
    /// a look after all have joined. They are no error, because two machines may mean different
    /// things by one word; but an agent that sends such an event to the other crowd is
    /// [not heard](Self::undelivered).
    ///
    /// ```
    /// use statewright::prelude::*;
    /// use statewright::World;
    ///
    /// let mut world: World<()> = World::new();
    /// for (name, payload) in [("Dog", "i32"), ("Cat", "f32")] {
    ///     let text = format!(r#"{{ "machine": "{name}", "events": {{ "Fetch": {{ "payload": "{payload}" }} }},
    ///       "states": {{ "sit": {{}} }} }}"#);
    ///     let machine = Machine::from_text(name, &text)?;
    ///     world.join(name, Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1))?;
    /// }
    /// let conflicts: Vec<String> = world.conflicts().iter().map(|one| one.to_string()).collect();
    /// assert_eq!(conflicts, [
    ///     "event `Fetch` of `Dog` (crowd `Dog`) carries i32, but event `Fetch` of `Cat` (crowd `Cat`) carries f32: \
    ///      nobody gets one for the other; let both carry the same, or give one another name",
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut found: Vec<Conflict> = Vec::new();
        for (place, (_, from)) in self.members().enumerate() {
            for (other, (_, to)) in self.members().enumerate() {
                for event in from.machine().event_ids() {
                    let Some(Conflict { mut sides }) = Conflict::find(from, to, event) else {
                        continue;
                    };
                    if place > other {
                        sides.swap(0, 1);
                    }
                    // Nearly all show from both sides.
                    if !found.iter().any(|known| known.sides == sides) {
                        found.push(Conflict { sides });
                    }
                }
            }
        }
        found
    }
}
