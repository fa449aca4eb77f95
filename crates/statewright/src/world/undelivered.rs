//! Messages that nobody gets: from where, which event, why, and how many.

use std::collections::BTreeMap;

use statewright_bytes::{Reader, Writer};
use statewright_rom::ids::EventId;

use super::World;
use super::conflicts::Conflict;
use super::member::Member;
use super::snapshot::WorldSnapshotError;
use crate::agent_id::CrowdNumber;
use crate::context::Context;
use crate::event::said;

/// How many there were of each since the world began; in an order that is always the same.
pub(super) type Failures = BTreeMap<Failure, u64>;

/// A message that nobody gets: the crowd of its sender, its event there, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Failure {
    pub(super) from: CrowdIndex,
    /// [`NO_EVENT`] if it was none.
    pub(super) event: u16,
    pub(super) reason: Reason,
}

/// A crowd by its place in the world, or one that left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CrowdIndex {
    At(usize),
    Left,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// The machine of this crowd does not know the event.
    Unknown(CrowdIndex),
    /// There is no crowd with this number.
    NoCrowd(CrowdNumber),
    /// There is no such group.
    NoGroup,
}

/// The number of no event.
const NO_EVENT: u16 = u16::MAX;

impl Failure {
    pub(super) fn new(from: usize, event: Option<EventId>, reason: Reason) -> Self {
        Self {
            from: CrowdIndex::At(from),
            event: event.map_or(NO_EVENT, EventId::raw),
            reason,
        }
    }

    /// The same with other places of crowds. Whose crowd left has no name any more, and neither has
    /// its event.
    fn moved(self, place: impl Fn(CrowdIndex) -> CrowdIndex) -> Self {
        let from = place(self.from);
        let event = match from {
            CrowdIndex::At(_) => self.event,
            CrowdIndex::Left => NO_EVENT,
        };
        let reason = match self.reason {
            Reason::Unknown(to) => Reason::Unknown(place(to)),
            Reason::NoCrowd(_) | Reason::NoGroup => self.reason,
        };
        Self {
            from,
            event,
            reason,
        }
    }
}

/// Messages that nobody got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// Name of the crowd of the senders; empty if it left the world.
    pub from: String,
    /// Name of the event in their machine; empty if their crowd left the world.
    pub event: String,
    /// Why, in words.
    pub reason: String,
    /// How many there were since the world began.
    pub count: u64,
}

/// The same failures with other places of crowds; those that become equal are counted together.
pub(super) fn moved(
    failures: &Failures,
    place: impl Fn(CrowdIndex) -> CrowdIndex + Copy,
) -> Failures {
    let mut moved = Failures::new();
    for (failure, count) in failures {
        *moved.entry(failure.moved(place)).or_default() += count;
    }
    moved
}

/// Where a crowd is among those that are there.
pub(super) fn among(present: &[usize], index: CrowdIndex) -> CrowdIndex {
    let place = match index {
        CrowdIndex::At(index) => present.iter().position(|&one| one == index),
        CrowdIndex::Left => None,
    };
    place.map_or(CrowdIndex::Left, CrowdIndex::At)
}

impl<C: Context + ?Sized> World<C> {
    /// Messages that nobody got since the world began, by sender, event and reason: events that the
    /// receiver's machine does not know, agents of crowds that are not in this world, groups that are
    /// gone. Those for agents that were gone when they should have arrived are counted by their
    /// crowd ([`Crowd::lost_messages`](crate::Crowd::lost_messages)). Snapshots hold it.
    pub fn undelivered(&self) -> impl Iterator<Item = Undelivered> {
        let failed = moved(&self.failed, |index| among(&self.order, index));
        failed.into_iter().map(|(failure, count)| {
            let sender = self.member_at(failure.from);
            let event = sender.zip(EventId::new(failure.event));
            Undelivered {
                from: sender.map_or_else(String::new, |member| member.name.clone()),
                event: event.map_or_else(String::new, |(member, event)| {
                    member.machine().event_name(event).to_owned()
                }),
                reason: self.say(failure.reason, event),
                count,
            }
        })
    }

    /// By its place among those that are there.
    fn member_at(&self, place: CrowdIndex) -> Option<&Member<C>> {
        match place {
            CrowdIndex::At(place) => self.members.get(*self.order.get(place)?)?.as_ref(),
            CrowdIndex::Left => None,
        }
    }

    fn say(&self, reason: Reason, event: Option<(&Member<C>, EventId)>) -> String {
        match reason {
            Reason::Unknown(to) => match self.member_at(to) {
                Some(member) => say_unknown(member, event),
                None => "the crowd did not know the event, and left the world".to_owned(),
            },
            Reason::NoCrowd(CrowdNumber::NONE) => "the receiver is nobody".to_owned(),
            Reason::NoCrowd(number) => format!("crowd {number} is not in this world"),
            Reason::NoGroup => "the group is gone".to_owned(),
        }
    }
}

/// Why a crowd does not know an event of a sender, who may have left.
fn say_unknown<C: Context + ?Sized>(
    member: &Member<C>,
    event: Option<(&Member<C>, EventId)>,
) -> String {
    let conflict = event.and_then(|(sender, event)| Conflict::find(sender, member, event));
    if let Some(Conflict {
        sides: [here, there],
    }) = conflict
    {
        return format!("{there}, not {}", said(here.carries));
    }
    let (machine, crowd) = (member.machine().name(), &member.name);
    let perhaps = match event {
        Some(_) => "",
        None => ", or it carried something else there",
    };
    format!("`{machine}` of crowd `{crowd}` does not know the event{perhaps}")
}

/// In snapshots. Places there are those among the crowds of the snapshot.
const LEFT: u32 = u32::MAX;

/// Bytes of one failure.
const SIZE: usize = 20;

/// Kinds of reasons.
const UNKNOWN: u16 = 0;
const NO_CROWD: u16 = 1;
const NO_GROUP: u16 = 2;

pub(super) fn put_failures(bytes: &mut Vec<u8>, failures: &Failures) {
    let number = |index| match index {
        CrowdIndex::At(index) => index as u32,
        CrowdIndex::Left => LEFT,
    };
    bytes.put_u64(failures.len() as u64);
    for (failure, &count) in failures {
        let (kind, detail) = match failure.reason {
            Reason::Unknown(to) => (UNKNOWN, number(to)),
            Reason::NoCrowd(crowd) => (NO_CROWD, crowd.get()),
            Reason::NoGroup => (NO_GROUP, 0),
        };
        bytes.put_u32(number(failure.from));
        bytes.put_u16(failure.event);
        bytes.put_u16(kind);
        bytes.put_u32(detail);
        bytes.put_u64(count);
    }
}

/// Which crowds the snapshot has, and which events their machines, is not known here.
pub(super) fn read_failures(reader: &mut Reader<'_>) -> Result<Failures, WorldSnapshotError> {
    let damaged = WorldSnapshotError::Content("undelivered messages");
    let place = |number: u32| match number {
        LEFT => CrowdIndex::Left,
        number => CrowdIndex::At(number as usize),
    };
    let mut failures = Failures::new();
    for _ in 0..reader.count(SIZE)? {
        let (from, event) = (place(reader.u32()?), reader.u16()?);
        let reason = match (reader.u16()?, reader.u32()?) {
            (UNKNOWN, to) => Reason::Unknown(place(to)),
            (NO_CROWD, 0) => Reason::NoCrowd(CrowdNumber::NONE),
            (NO_CROWD, crowd) => Reason::NoCrowd(CrowdNumber::new(crowd).ok_or(damaged.clone())?),
            (NO_GROUP, 0) => Reason::NoGroup,
            _ => return Err(damaged),
        };
        let failure = Failure {
            from,
            event,
            reason,
        };
        let is_next = failures
            .last_key_value()
            .is_none_or(|(last, _)| *last < failure);
        let count = reader.u64()?;
        if !is_next || count == 0 {
            return Err(damaged);
        }
        failures.insert(failure, count);
    }
    Ok(failures)
}
