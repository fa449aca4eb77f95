//! A whole crowd as bytes, and back (SYS-6 in small: the same machine, the same version).
//!
//! The bytes begin with [`MAGIC`], the checksum of everything behind it, and [`BYTE_ORDER`].
//! Numbers of the crowd are little-endian everywhere; blackboards that are plain bytes lie there as
//! the computer holds them, so that one of another byte order refuses them.

use std::collections::BTreeSet;
use std::fmt;

use statewright_kernel::{Counters, Event};
use statewright_rom::ids::VariantId;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::{FromBytes, IntoBytes};

use super::agents::Agents;
use super::mailbox::Envelope;
use super::{Crowd, Input, Totals};
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

/// A snapshot that was read and found right, for crowds of its machine ([`Input::Restore`]).
#[derive(Debug)]
pub struct Restored<B> {
    pub(super) agents: Agents<B>,
    pub(super) now: u64,
    pub(super) stopping: BTreeSet<u32>,
    pub(super) envelopes: Vec<Envelope>,
    pub(super) totals: Totals,
    /// Of the machine that it is for.
    pub(super) hashes: [u64; 2],
}

impl<B> Restored<B> {
    /// Is it of this machine?
    pub(super) fn is_of(&self, machine: &Machine) -> bool {
        self.hashes == hashes(machine)
    }
}

/// What tells machines and their versions apart.
fn hashes(machine: &Machine) -> [u64; 2] {
    let rom = machine.rom();
    [rom.structure_hash(), rom.parameter_hash()]
}

/// Writing.
impl<B: Board + Saved, C> Crowd<B, C> {
    /// The whole crowd as bytes: agents, blackboards, events under way, time, counters. The same
    /// crowd gives the same bytes on every computer of one byte order. Damage is found by a
    /// checksum.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.agents.instances.bytes().len() + 64);
        self.snapshot_into(&mut bytes);
        bytes
    }

    /// The same into bytes that are used again and again.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
        let Self {
            agents,
            schedule,
            mailbox,
            totals,
            ..
        } = self;
        bytes.clear();
        bytes.extend_from_slice(&MAGIC);
        // The checksum comes last.
        bytes.extend_from_slice(&[0; 8]);
        bytes.extend_from_slice(&BYTE_ORDER.to_ne_bytes());
        let [structure, parameters] = hashes(self.machine());
        let numbers = [
            structure,
            parameters,
            schedule.now,
            agents.seed,
            agents.spawned,
            totals.lost_messages,
        ];
        let counts = [
            agents.generations.len(),
            agents.free.len(),
            schedule.stopping.len(),
            agents.variants.len(),
            mailbox.envelopes().len(),
        ];
        let numbers = numbers
            .into_iter()
            .chain(totals.counters.values())
            .chain(counts.map(|count| count as u64));
        numbers.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        let indices = agents
            .generations
            .iter()
            .chain(&agents.free)
            .chain(&schedule.stopping);
        indices.for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        agents
            .variants
            .iter()
            .for_each(|variant| bytes.extend_from_slice(&variant.raw().to_le_bytes()));
        for envelope in mailbox.envelopes() {
            bytes.extend_from_slice(&envelope.to.index().to_le_bytes());
            bytes.extend_from_slice(&envelope.to.generation().to_le_bytes());
            bytes.extend_from_slice(envelope.event.as_bytes());
        }
        bytes.extend_from_slice(agents.instances.bytes());
        agents.boards.iter().for_each(|board| board.save(bytes));
        let checksum = xxh3_64(&bytes[BODY..]);
        bytes[MAGIC.len()..BODY].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Reading.
impl<B: Board + Saved, C> Crowd<B, C> {
    /// Becomes what a snapshot holds. If it is refused, nothing changes.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        let restored = self.read_snapshot(snapshot)?;
        self.enter(Input::Restore(Box::new(restored)));
        Ok(())
    }

    /// Reads a snapshot of the crowd's machine.
    pub fn read_snapshot(&self, snapshot: &[u8]) -> Result<Restored<B>, SnapshotError> {
        let machine = self.machine();
        let mut reader = open(snapshot, machine)?;
        let numbers = Numbers::read(&mut reader)?;
        let generations = reader.u32s(numbers.slots)?;
        let free = read_free(&mut reader, &generations, numbers.free)?;
        let stopping = read_stopping(&mut reader, &generations, numbers.stopping)?;
        let variants = read_variants(&mut reader, machine, &numbers)?;
        let envelopes = (0..numbers.envelopes)
            .map(|_| read_envelope(&mut reader))
            .collect::<Result<_, _>>()?;
        let size = usize::from(machine.rom().capacity().bytes);
        let bytes = numbers
            .slots
            .checked_mul(size)
            .ok_or(SnapshotError::Length)?;
        let instances = reader.take(bytes)?;
        let boards = read_boards(machine, reader.bytes, numbers.slots)?;
        let mut agents = Agents {
            boards,
            generations,
            free,
            variants,
            spawned: numbers.spawned,
            ..Agents::new(machine, numbers.seed)
        };
        agents.instances.fill(instances);
        Ok(Restored {
            agents,
            now: numbers.now,
            stopping,
            envelopes,
            totals: numbers.totals,
            hashes: hashes(machine),
        })
    }
}

/// What stands before the machine's own: magic, checksum, byte order, machine.
fn open<'b>(snapshot: &'b [u8], machine: &Machine) -> Result<Reader<'b>, SnapshotError> {
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
    let (found, expected) = ([reader.u64()?, reader.u64()?], hashes(machine));
    if found != expected {
        return Err(SnapshotError::Machine { found, expected });
    }
    Ok(reader)
}

/// Numbers at the head of a snapshot.
struct Numbers {
    now: u64,
    seed: u64,
    spawned: u64,
    totals: Totals,
    /// How many of each follow.
    slots: usize,
    free: usize,
    stopping: usize,
    variants: usize,
    envelopes: usize,
}

impl Numbers {
    fn read(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
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
        Ok(Self {
            now,
            seed,
            spawned,
            totals: Totals {
                counters: Counters::from_values(values),
                lost_messages,
            },
            slots: reader.count()?,
            free: reader.count()?,
            stopping: reader.count()?,
            variants: reader.count()?,
            envelopes: reader.count()?,
        })
    }
}

/// Indices without agent: exactly those, each once.
fn read_free(
    reader: &mut Reader<'_>,
    generations: &[u32],
    count: usize,
) -> Result<Vec<u32>, SnapshotError> {
    let free = reader.u32s(count)?;
    let is_free = |index: &u32| {
        let generation = generations.get(*index as usize);
        generation.is_some_and(|generation| generation % 2 == 0)
    };
    let expected = generations
        .iter()
        .filter(|generation| *generation % 2 == 0)
        .count();
    let mut sorted = free.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if sorted.len() != free.len() || free.len() != expected || !free.iter().all(is_free) {
        return Err(SnapshotError::Content("free places"));
    }
    Ok(free)
}

/// Agents that stop in the next tick, ascending.
fn read_stopping(
    reader: &mut Reader<'_>,
    generations: &[u32],
    count: usize,
) -> Result<BTreeSet<u32>, SnapshotError> {
    let stopping = reader.u32s(count)?;
    let is_alive = |index: &u32| {
        let generation = generations.get(*index as usize);
        generation.is_some_and(|generation| generation % 2 == 1)
    };
    if !stopping.is_sorted_by(|one, next| one < next) || !stopping.iter().all(is_alive) {
        return Err(SnapshotError::Content("agents that stop"));
    }
    Ok(stopping.into_iter().collect())
}

fn read_variants(
    reader: &mut Reader<'_>,
    machine: &Machine,
    numbers: &Numbers,
) -> Result<Vec<VariantId>, SnapshotError> {
    let known = machine.rom().variants().len().max(1);
    let one = |_| {
        let raw = reader.take(2)?;
        VariantId::new(u16::from_le_bytes([raw[0], raw[1]]))
            .filter(|variant| variant.index() < known)
            .ok_or(SnapshotError::Content("variants"))
    };
    let variants = (0..numbers.variants)
        .map(one)
        .collect::<Result<Vec<_>, _>>()?;
    if variants.len() > numbers.slots {
        return Err(SnapshotError::Content("variants"));
    }
    Ok(variants)
}

fn read_envelope(reader: &mut Reader<'_>) -> Result<Envelope, SnapshotError> {
    let to = AgentId::new(reader.u32()?, reader.u32()?);
    let event = Event::read_from_bytes(reader.take(size_of::<Event>())?);
    Ok(Envelope {
        to,
        event: event.map_err(|_| SnapshotError::Length)?,
    })
}

/// Blackboards, to the end of the bytes.
fn read_boards<B: Saved>(
    machine: &Machine,
    mut bytes: &[u8],
    count: usize,
) -> Result<Vec<B>, SnapshotError> {
    let boards = (0..count)
        .map(|_| B::load(machine, &mut bytes))
        .collect::<Option<Vec<_>>>()
        .ok_or(SnapshotError::Length)?;
    if bytes.is_empty() {
        Ok(boards)
    } else {
        Err(SnapshotError::Length)
    }
}
