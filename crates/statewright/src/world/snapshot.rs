//! A whole world as bytes, and back: its time, its groups, messages that nobody got, and a snapshot
//! of each crowd under its name.

use std::fmt;

use statewright_bytes::{ByteOrder, Format, HeadError, ReadError, Reader, Writer, seal};
use statewright_rom::ids::EventId;

use super::groups::{Groups, Slot};
use super::undelivered::{
    CrowdIndex, Failure, Failures, Reason, among, moved, put_failures, read_failures,
};
use super::{World, WorldInput};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::context::Context;
use crate::crowd::{LoadError, SnapshotError};

/// First bytes and version of every snapshot of a world.
pub const FORMAT: Format = Format {
    magic: *b"SWWD",
    version: 2,
    byte_order: ByteOrder::OfThisComputer,
    former: &[],
};

/// Why a snapshot was not made, or was refused; the world is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorldSnapshotError {
    /// The blackboards of a crowd cannot be saved.
    Unsaved(String),
    /// The bytes are no snapshot of a world, one of another version of the format, damaged, or from
    /// a computer with another byte order.
    Head(HeadError),
    /// It ends too early, or goes on behind its end.
    Length,
    /// Something in it cannot be.
    Content(&'static str),
    /// A crowd of the snapshot is not in the world.
    MissingCrowd(String),
    /// A crowd of the world is not in the snapshot.
    NewCrowd(String),
    /// The snapshot of a crowd was refused.
    Crowd {
        /// Name of the crowd.
        crowd: String,
        /// Why.
        error: SnapshotError,
    },
    /// What a save holds of a crowd was refused.
    Load {
        /// Name of the crowd.
        crowd: String,
        /// Why.
        error: LoadError,
    },
}

impl fmt::Display for WorldSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsaved(crowd) => write!(
                f,
                "blackboards of crowd `{crowd}` cannot be saved: it joined by `join_unsaved`"
            ),
            Self::Head(HeadError::Magic(_) | HeadError::Truncated { .. }) => {
                f.write_str("these bytes are no snapshot of a world")
            }
            Self::Head(error) => SnapshotError::Head(*error).fmt(f),
            Self::Length => {
                f.write_str("the snapshot of the world has another length than it says")
            }
            Self::Content(what) => write!(f, "the snapshot of the world is damaged: {what}"),
            Self::MissingCrowd(crowd) => write!(
                f,
                "the snapshot has a crowd `{crowd}` that is not in this world: let it join first"
            ),
            Self::NewCrowd(crowd) => write!(
                f,
                "the snapshot knows no crowd `{crowd}`: let it leave first, or restore another snapshot"
            ),
            Self::Crowd { crowd, error } => write!(f, "crowd `{crowd}`: {error}"),
            Self::Load { crowd, error } => write!(f, "crowd `{crowd}`: {error}"),
        }
    }
}

impl std::error::Error for WorldSnapshotError {}

impl From<ReadError> for WorldSnapshotError {
    fn from(_: ReadError) -> Self {
        Self::Length
    }
}

/// What was read of a snapshot, besides its crowds: they keep their own.
#[derive(Debug)]
pub(super) struct Restored {
    now: u64,
    /// In which the crowds run, by index here.
    order: Vec<usize>,
    groups: Groups,
    failed: Failures,
}

/// Writing.
impl<C: Context + ?Sized> World<C> {
    /// The whole world as bytes: all crowds, groups, time, and
    /// [messages that nobody got](Self::undelivered). The same world gives the same bytes on
    /// every computer of one byte order.
    pub fn snapshot(&self) -> Result<Vec<u8>, WorldSnapshotError> {
        let mut bytes = Vec::new();
        self.snapshot_into(&mut bytes)?;
        Ok(bytes)
    }

    /// The same into bytes that are used again and again.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) -> Result<(), WorldSnapshotError> {
        bytes.clear();
        // A world has no machine of its own: its crowds have.
        bytes.put(&FORMAT.head([0; 2]).to_bytes());
        self.put_shared(bytes);
        // They run in this order.
        bytes.put_u64(self.order.len() as u64);
        let mut crowd = Vec::new();
        for (_, member) in self.members() {
            if !member.save(&mut crowd) {
                bytes.clear();
                return Err(WorldSnapshotError::Unsaved(member.name.clone()));
            }
            bytes.put_text(&member.name);
            bytes.put_u64(crowd.len() as u64);
            bytes.put(&crowd);
        }
        seal(bytes);
        Ok(())
    }

    /// What belongs to no crowd alone.
    pub(super) fn put_shared(&self, bytes: &mut Vec<u8>) {
        bytes.put_u64(self.now);
        put_groups(bytes, &self.groups);
        let present = &self.order;
        put_failures(bytes, &moved(&self.failed, |index| among(present, index)));
    }
}

fn put_groups(bytes: &mut Vec<u8>, groups: &Groups) {
    bytes.put_u64(groups.slots.len() as u64);
    for slot in &groups.slots {
        bytes.put_u32(slot.generation);
        bytes.put_u64(slot.members.len() as u64);
        let members = slot.members.iter();
        members.for_each(|member| bytes.put_u64(member.bits()));
    }
    bytes.put_u64(groups.free.len() as u64);
    groups.free.iter().for_each(|&index| bytes.put_u32(index));
}

/// Reading.
impl<C: Context + ?Sized> World<C> {
    /// Becomes what a snapshot holds. The world must have exactly its crowds, by name; in which
    /// order they joined does not matter, from now on they run in that of the snapshot. If it is
    /// refused, nothing changes.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), WorldSnapshotError> {
        self.prepare_restore(snapshot)?;
        self.enter(WorldInput::Restore(snapshot));
        Ok(())
    }

    /// Reads a snapshot; nothing changes yet.
    pub(super) fn prepare_restore(&mut self, snapshot: &[u8]) -> Result<(), WorldSnapshotError> {
        let (_, content) = FORMAT.open(snapshot).map_err(WorldSnapshotError::Head)?;
        let mut reader = Reader::new(content);
        let shared = Shared::read(&mut reader)?;
        let crowds = read_crowds(&mut reader)?;
        let names: Vec<&str> = crowds.iter().map(|(name, _)| *name).collect();
        self.check_names(&names)?;
        let failed = self.place_failures(&shared.failed, &names)?;
        // All are read before any of them changes.
        let mut prepared = Vec::with_capacity(crowds.len());
        for (name, bytes) in &crowds {
            prepared.push(self.prepare_crowd(name, bytes)?);
        }
        self.keep_shared(shared, failed, &names, &prepared)
    }

    /// All crowds were read: the rest is kept until it takes effect.
    pub(super) fn keep_shared(
        &mut self,
        shared: Shared,
        failed: Failures,
        names: &[&str],
        prepared: &[(CrowdNumber, u64)],
    ) -> Result<(), WorldSnapshotError> {
        if prepared.iter().any(|&(_, at)| at != shared.now) {
            return Err(WorldSnapshotError::Content(
                "crowds live in different times",
            ));
        }
        let mut numbers: Vec<CrowdNumber> = prepared.iter().map(|&(number, _)| number).collect();
        numbers.sort_unstable();
        if numbers.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(WorldSnapshotError::Content("two crowds have one number"));
        }
        let order = names.iter().filter_map(|name| self.place(name));
        self.restored = Some(Restored {
            now: shared.now,
            order: order.collect(),
            groups: shared.groups,
            failed,
        });
        Ok(())
    }

    /// What was read takes effect.
    pub(super) fn complete_restore(&mut self) {
        let Some(restored) = self.restored.take() else {
            return debug_assert!(false, "a snapshot was read");
        };
        let members = self.members.iter_mut().flatten();
        members.for_each(|member| member.complete());
        (self.now, self.order) = (restored.now, restored.order);
        (self.groups, self.failed) = (restored.groups, restored.failed);
        self.forget_frames();
    }

    /// Failures of a snapshot with the places that its crowds have in this world. Senders have such
    /// events.
    pub(super) fn place_failures(
        &self,
        failed: &Failures,
        crowds: &[&str],
    ) -> Result<Failures, WorldSnapshotError> {
        let places: Vec<Option<usize>> = crowds.iter().map(|name| self.place(name)).collect();
        if !failed.keys().all(|failure| self.can_be(failure, &places)) {
            return Err(WorldSnapshotError::Content("undelivered messages"));
        }
        Ok(moved(failed, |index| match index {
            CrowdIndex::At(index) => match places.get(index).copied().flatten() {
                Some(index) => CrowdIndex::At(index),
                None => CrowdIndex::Left,
            },
            CrowdIndex::Left => CrowdIndex::Left,
        }))
    }

    /// Where the crowd of a name is.
    fn place(&self, name: &str) -> Option<usize> {
        let mut members = self.members();
        let found = members.find(|(_, member)| member.name == name);
        found.map(|(index, _)| index)
    }

    /// Is each crowd of a failure one of these, and its event one of the sender's?
    fn can_be(&self, failure: &Failure, places: &[Option<usize>]) -> bool {
        let is_known = |index| match index {
            CrowdIndex::At(index) => places.get(index).copied().flatten().is_some(),
            CrowdIndex::Left => true,
        };
        let to = match failure.reason {
            Reason::Unknown(to) => is_known(to),
            Reason::NoCrowd(_) | Reason::NoGroup => true,
        };
        let Some(event) = EventId::new(failure.event) else {
            return to && is_known(failure.from);
        };
        let sender = match failure.from {
            CrowdIndex::At(index) => places.get(index).copied().flatten(),
            CrowdIndex::Left => None,
        };
        let sender = sender.and_then(|index| self.members.get(index)?.as_ref());
        to && sender.is_some_and(|member| member.machine().event_type(event).is_ok())
    }

    /// The crowds of the snapshot are those of the world.
    pub(super) fn check_names(&self, crowds: &[&str]) -> Result<(), WorldSnapshotError> {
        for name in crowds {
            if !self.names().any(|known| known == *name) {
                return Err(WorldSnapshotError::MissingCrowd((*name).to_owned()));
            }
        }
        let mut names = self.names();
        let new = names.find(|name| !crowds.contains(name));
        new.map_or(Ok(()), |name| {
            Err(WorldSnapshotError::NewCrowd(name.to_owned()))
        })
    }

    fn prepare_crowd(
        &mut self,
        name: &str,
        bytes: &[u8],
    ) -> Result<(CrowdNumber, u64), WorldSnapshotError> {
        let mut members = self.members.iter_mut().flatten();
        let member = members.find(|member| member.name == name);
        let Some(read) = member.and_then(|member| member.prepare(bytes)) else {
            return Err(WorldSnapshotError::Unsaved(name.to_owned()));
        };
        read.map_err(|error| WorldSnapshotError::Crowd {
            crowd: name.to_owned(),
            error,
        })
    }
}

/// What belongs to no crowd alone.
pub(super) struct Shared {
    pub(super) now: u64,
    pub(super) groups: Groups,
    /// Crowds by their place among those of the snapshot.
    pub(super) failed: Failures,
}

impl Shared {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WorldSnapshotError> {
        Ok(Self {
            now: reader.u64()?,
            groups: read_groups(reader)?,
            failed: read_failures(reader)?,
        })
    }

    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        bytes.put_u64(self.now);
        put_groups(bytes, &self.groups);
        put_failures(bytes, &self.failed);
    }
}

fn read_groups(reader: &mut Reader<'_>) -> Result<Groups, WorldSnapshotError> {
    let mut groups = Groups::default();
    for _ in 0..reader.count(12)? {
        let generation = reader.u32()?;
        let count = reader.count(8)?;
        let mut members = Vec::with_capacity(count);
        for _ in 0..count {
            members.push(AgentId::from_bits(reader.u64()?));
        }
        if generation > AgentId::GENERATIONS || (generation.is_multiple_of(2) && count > 0) {
            return Err(WorldSnapshotError::Content("groups"));
        }
        groups.slots.push(Slot {
            generation,
            members,
            seen: None,
        });
    }
    for _ in 0..reader.count(4)? {
        groups.free.push(reader.u32()?);
    }
    let mut free = groups.free.clone();
    free.sort_unstable();
    let is_free =
        |slot: &Slot| slot.generation.is_multiple_of(2) && slot.generation < AgentId::GENERATIONS;
    let slots = (0_u32..).zip(&groups.slots);
    let expected = slots
        .filter(|(_, slot)| is_free(slot))
        .map(|(index, _)| index);
    if !free.iter().copied().eq(expected) {
        return Err(WorldSnapshotError::Content("places of groups"));
    }
    Ok(groups)
}

/// Names and snapshots of the crowds, to the end.
fn read_crowds<'b>(
    reader: &mut Reader<'b>,
) -> Result<Vec<(&'b str, &'b [u8])>, WorldSnapshotError> {
    let mut crowds: Vec<(&str, &[u8])> = Vec::new();
    for _ in 0..reader.count(12)? {
        let name = reader.text()?;
        let length = reader.count(1)?;
        if crowds.iter().any(|(known, _)| *known == name) {
            return Err(WorldSnapshotError::Content("two crowds have one name"));
        }
        crowds.push((name, reader.take(length)?));
    }
    if reader.rest().is_empty() {
        Ok(crowds)
    } else {
        Err(WorldSnapshotError::Length)
    }
}
