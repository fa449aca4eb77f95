//! A whole crowd as bytes, and back (SYS-6 in small: the same machine, the same version).
//!
//! The bytes begin with [`MAGIC`], the checksum of everything behind it, and [`BYTE_ORDER`].
//! Numbers of the crowd are little-endian everywhere; blackboards that are plain bytes lie there as
//! the computer holds them, so that one of another byte order refuses them.

use std::fmt;

use statewright_kernel::{Counters, Event};
use statewright_rom::ids::VariantId;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes, IntoBytes};

use super::Crowd;
use super::mail::Letter;
use crate::board::Board;
use crate::machine::Machine;
use crate::value::AgentId;

/// A blackboard that snapshots can hold. Plain bytes are one, in the byte order of the computer;
/// other types say how they are written and read.
pub trait Saved: Sized {
    /// Writes it behind what is there.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Reads it from the head of the bytes and moves them on; `None` if they are none.
    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self>;
}

impl<T: FromBytes + IntoBytes + zerocopy::Immutable> Saved for T {
    fn save(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.as_bytes());
    }

    fn load(_: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let (value, rest) = T::read_from_prefix(bytes).ok()?;
        *bytes = rest;
        Some(value)
    }
}

/// Why a snapshot was refused; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// The bytes are no snapshot of a crowd, or of another version of this library.
    Format,
    /// It was changed since it was saved: its checksum is another.
    Damaged,
    /// It comes from a computer with another byte order, where plain blackboards look different.
    ByteOrder,
    /// It is of another machine, or of another version of the machine.
    Machine {
        /// Hashes of the snapshot's machine.
        found: [u64; 2],
        /// Hashes of this one.
        expected: [u64; 2],
    },
    /// It ends too early, or does not end where it should.
    Length,
    /// Something in it cannot be.
    Content(&'static str),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => {
                f.write_str("these bytes are no snapshot of a crowd, or one of another version of Statewright")
            }
            Self::Damaged => f.write_str("the snapshot is damaged: it was changed or cut off since it was saved"),
            Self::ByteOrder => f.write_str(
                "the snapshot comes from a computer with another byte order: it can only be restored on such a one",
            ),
            Self::Machine { found, expected } => write!(
                f,
                "the snapshot is of another machine or version (structure {:016x}, parameters {:016x}; here {:016x}, {:016x})",
                found[0], found[1], expected[0], expected[1]
            ),
            Self::Length => f.write_str("the snapshot is cut off or has something behind its end"),
            Self::Content(what) => write!(f, "the snapshot is damaged: {what}"),
        }
    }
}

impl std::error::Error for SnapshotError {}

/// The last letter is the version of the format.
const MAGIC: [u8; 8] = *b"SWcrowd2";
/// Reads as another number where bytes stand the other way round.
const BYTE_ORDER: u64 = 0x0102_0304_0506_0708;
/// Where that what the checksum is of begins.
const BODY: usize = MAGIC.len() + 8;
/// Ticks, agents and lost messages of a crowd stay below: no crowd lives that long, and none that
/// was restored counts past the end.
pub(super) const MANY: u64 = 1 << 63;

/// Reads numbers from the head of bytes.
struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], SnapshotError> {
        let (head, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or(SnapshotError::Length)?;
        self.bytes = rest;
        Ok(head)
    }

    fn u32(&mut self) -> Result<u32, SnapshotError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(
            bytes.try_into().map_err(|_| SnapshotError::Length)?,
        ))
    }

    fn u64(&mut self) -> Result<u64, SnapshotError> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(
            bytes.try_into().map_err(|_| SnapshotError::Length)?,
        ))
    }

    /// A count of things of at least one byte each.
    fn count(&mut self) -> Result<usize, SnapshotError> {
        let count = self.u64()?;
        usize::try_from(count)
            .ok()
            .filter(|&count| count <= self.bytes.len())
            .ok_or(SnapshotError::Length)
    }

    fn u32s(&mut self, count: usize) -> Result<Vec<u32>, SnapshotError> {
        (0..count).map(|_| self.u32()).collect()
    }
}

impl<B: Board + Saved, C> Crowd<B, C> {
    /// The whole crowd as bytes: agents, blackboards, events under way, time, counters. The same
    /// crowd gives the same bytes on every computer of one byte order. Damage is found by a
    /// checksum.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.store.bytes().len() + 64);
        self.snapshot_into(&mut bytes);
        bytes
    }

    /// The same into bytes that are used again and again.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.extend_from_slice(&MAGIC);
        // The checksum comes last.
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&BYTE_ORDER.to_ne_bytes());
        let rom = self.machine().rom();
        let numbers = [
            rom.structure_hash(),
            rom.parameter_hash(),
            self.now,
            self.seed,
            self.spawned,
            self.lost_messages,
        ];
        let counts = [
            self.lives.len(),
            self.free.len(),
            self.stopping.len(),
            self.variants.len(),
            self.mail.letters().len(),
        ];
        let numbers = numbers
            .into_iter()
            .chain(self.counters.values())
            .chain(counts.map(|count| count as u64));
        numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        let places = self.lives.iter().chain(&self.free).chain(&self.stopping);
        places.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        self.variants
            .iter()
            .for_each(|variant| bytes.extend_from_slice(&variant.raw().to_le_bytes()));
        for letter in self.mail.letters() {
            bytes.extend_from_slice(&letter.to.index().to_le_bytes());
            bytes.extend_from_slice(&letter.to.generation().to_le_bytes());
            bytes.extend_from_slice(letter.event.as_bytes());
        }
        bytes.extend_from_slice(self.store.bytes());
        self.boards.iter().for_each(|board| board.save(bytes));
        let checksum = xxh3_64(&bytes[BODY..]);
        bytes[MAGIC.len()..BODY].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Becomes what a snapshot holds. If it is refused, nothing changes.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = Reader { bytes: snapshot };
        if reader.take(MAGIC.len()).ok() != Some(&MAGIC) {
            return Err(SnapshotError::Format);
        }
        if reader.u64()? != xxh3_64(reader.bytes) {
            return Err(SnapshotError::Damaged);
        }
        if *reader.take(8)? != BYTE_ORDER.to_ne_bytes() {
            return Err(SnapshotError::ByteOrder);
        }
        let machine = self.machine().clone();
        let rom = machine.rom();
        let (found, expected) = (
            [reader.u64()?, reader.u64()?],
            [rom.structure_hash(), rom.parameter_hash()],
        );
        if found != expected {
            return Err(SnapshotError::Machine { found, expected });
        }
        let [now, seed, spawned, lost_messages] =
            [reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?];
        if now.max(spawned).max(lost_messages) > MANY {
            return Err(SnapshotError::Content(
                "more ticks, agents or lost messages than any crowd has",
            ));
        }
        let mut values = Counters::default().values();
        for value in &mut values {
            *value = reader.u64()?;
        }
        let [places, free, stopping] = [reader.count()?, reader.count()?, reader.count()?];
        let [variants, letters] = [reader.count()?, reader.count()?];
        let lives = reader.u32s(places)?;
        let free = reader.u32s(free)?;
        let dead = lives.iter().filter(|life| *life % 2 == 0).count();
        let is_dead = |place: &u32| lives.get(*place as usize).is_some_and(|life| life % 2 == 0);
        let mut sorted = free.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != free.len() || free.len() != dead || !free.iter().all(is_dead) {
            return Err(SnapshotError::Content("free places"));
        }
        let stopping = reader.u32s(stopping)?;
        let is_alive = |place: &u32| lives.get(*place as usize).is_some_and(|life| life % 2 == 1);
        if !stopping.is_sorted_by(|one, next| one < next) || !stopping.iter().all(is_alive) {
            return Err(SnapshotError::Content("agents that stop"));
        }
        let known = rom.variants().len().max(1);
        let variants = (0..variants)
            .map(|_| {
                let raw = reader.take(2)?;
                VariantId::new(u16::from_le_bytes([raw[0], raw[1]]))
                    .filter(|variant| variant.index() < known)
                    .ok_or(SnapshotError::Content("variants"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !variants.is_empty() && variants.len() > places {
            return Err(SnapshotError::Content("variants"));
        }
        let letters = (0..letters)
            .map(|_| {
                let to = AgentId::new(reader.u32()?, reader.u32()?);
                let event = Event::read_from_bytes(reader.take(size_of::<Event>())?);
                Ok(Letter {
                    to,
                    event: event.map_err(|_| SnapshotError::Length)?,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let size = usize::from(rom.capacity().bytes);
        let instances = reader.take(places.checked_mul(size).ok_or(SnapshotError::Length)?)?;
        let mut rest = reader.bytes;
        let boards = (0..places)
            .map(|_| B::load(&machine, &mut rest))
            .collect::<Option<Vec<_>>>();
        let boards = boards.ok_or(SnapshotError::Length)?;
        if !rest.is_empty() {
            return Err(SnapshotError::Length);
        }
        self.store.fill(instances);
        (self.boards, self.lives, self.free, self.variants) = (boards, lives, free, variants);
        self.stopping = stopping.into_iter().collect();
        (self.now, self.seed, self.spawned, self.lost_messages) =
            (now, seed, spawned, lost_messages);
        self.counters = Counters::from_values(values);
        self.mail.replace(letters);
        self.parts.clear();
        self.wake_by_state();
        self.restart_trace();
        Ok(())
    }
}
