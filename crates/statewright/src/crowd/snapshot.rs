//! A whole crowd as bytes, and back (SYS-6 in small: the same machine, the same version).
//!
//! The bytes begin with the head of [`FORMAT`] and are sealed by its checksum. Numbers of the crowd
//! are little-endian everywhere; blackboards that are saved as plain bytes lie there as the computer
//! holds them, so that one of another byte order refuses them.

use std::fmt;

use statewright_bytes::{ByteOrder, Format, HeadError, ReadError, Reader, Writer, seal};
use statewright_kernel::{Counters, Event};
use statewright_rom::ids::{ParameterId, VariantId};
use zerocopy::{FromBytes, IntoBytes};

use super::agent_set::AgentSet;
use super::agents::{Agents, RETIRED};
use super::instances::with_instances;
use super::mailbox::Envelope;
use super::{Crowd, Input, Totals};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::context::Context;
use crate::machine::Machine;
use crate::parameters::{ParameterChange, Parameters, hashes};
use crate::saved::Saved;
use crate::saved::many::{load_all, save_all};

/// Why a snapshot was refused; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// The bytes are no snapshot of a crowd, one of another version of the format, damaged, or from
    /// a computer with another byte order, where plain blackboards look different.
    Head(HeadError),
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
            Self::Head(error) => fmt_head(*error, f),
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

fn fmt_head(error: HeadError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error {
        HeadError::Magic(_) | HeadError::Truncated { .. } => {
            f.write_str("these bytes are no snapshot of a crowd")
        }
        HeadError::Version { found, expected } => write!(
            f,
            "the snapshot is of version {found} of the format, this version of Statewright reads {expected}"
        ),
        HeadError::ByteOrder { .. } => f.write_str(
            "the snapshot comes from a computer with another byte order: it can only be restored on such a one",
        ),
        HeadError::Checksum { .. } => {
            f.write_str("the snapshot is damaged: it was changed or cut off since it was saved")
        }
    }
}

impl std::error::Error for SnapshotError {}

impl From<ReadError> for SnapshotError {
    fn from(_: ReadError) -> Self {
        Self::Length
    }
}

/// First bytes and version of every snapshot.
pub const FORMAT: Format = Format {
    magic: *b"SWCS",
    version: 4,
    byte_order: ByteOrder::OfThisComputer,
    former: &[(b"SWcrowd1", 1), (b"SWcrowd2", 2)],
};
/// Ticks, agents and lost messages of a crowd stay below: no crowd lives that long, and none that
/// was restored counts past the end.
pub(super) const MANY: u64 = 1 << 63;

/// A snapshot that was read and found right, for crowds of its machine ([`Input::Restore`]).
#[derive(Debug)]
pub struct Restored<B> {
    pub(super) agents: Agents<B>,
    pub(super) now: u64,
    pub(super) stopping: AgentSet,
    pub(super) envelopes: Vec<Envelope>,
    pub(super) parameters: Parameters,
    pub(super) totals: Totals,
    /// Of the machine that it is for.
    pub(super) hashes: [u64; 2],
    /// Free places that were read so far; kept for its memory.
    seen: AgentSet,
    /// Changed parameters as they were read; kept for its memory.
    changes: Vec<ParameterChange>,
}

impl<B> Restored<B> {
    /// What an empty crowd would be, to be read over.
    pub(super) fn empty(machine: &Machine) -> Self {
        Self {
            agents: Agents::new(machine, 0),
            now: 0,
            stopping: AgentSet::default(),
            envelopes: Vec::new(),
            parameters: Parameters::default(),
            totals: Totals::default(),
            hashes: hashes(machine),
            seen: AgentSet::default(),
            changes: Vec::new(),
        }
    }

    /// The same agents with other blackboards, one for each index.
    pub(super) fn with_boards<O>(self, boards: Vec<O>) -> Restored<O> {
        Restored {
            agents: self.agents.with_boards(boards),
            now: self.now,
            stopping: self.stopping,
            envelopes: self.envelopes,
            parameters: self.parameters,
            totals: self.totals,
            hashes: self.hashes,
            seen: self.seen,
            changes: self.changes,
        }
    }

    /// Is it of this machine?
    pub(super) fn is_of(&self, machine: &Machine) -> bool {
        self.hashes == hashes(machine)
    }
}

/// Writing.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// The whole crowd as bytes: agents, blackboards, events under way, changed parameters, time, counters. The same
    /// crowd gives the same bytes on every computer of one byte order. Damage is found by a
    /// checksum.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.agents.instances.bytes().len() + 64);
        self.snapshot_into(&mut bytes);
        bytes
    }

    /// The same into bytes that are used again and again.
    pub fn snapshot_into(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        bytes.put(&FORMAT.head(hashes(self.machine())).to_bytes());
        self.put_agents(bytes);
        save_all(&self.agents.boards, bytes);
        seal(bytes);
    }
}

impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// All but the blackboards: the same bytes on every computer.
    pub(super) fn put_agents(&self, bytes: &mut Vec<u8>) {
        let Self {
            agents,
            schedule,
            mailbox,
            parameters,
            totals,
            ..
        } = self;
        let parts = Parts {
            agents,
            now: schedule.now,
            stopping: &schedule.stopping,
            parameters,
            totals,
        };
        let envelopes = mailbox.envelopes(agents.roster());
        parts.put(bytes, mailbox.len(), envelopes);
        self.put_owed(bytes);
    }

    /// Whoever is to find out anew what it has to do (LOAD-2) has done so in the snapshot: nobody who
    /// restores it would know that it is owed a turn. `bytes` end with the instances.
    fn put_owed(&self, bytes: &mut [u8]) {
        let rom = self.machine().rom();
        let first = bytes.len() - self.agents.instances.bytes().len();
        with_instances!(&self.agents.instances, list => {
            for index in self.owed.iter() {
                let mut instance = list[index as usize];
                statewright_kernel::renew(&rom, &mut instance);
                let size = instance.as_bytes().len();
                let at = first + index as usize * size;
                bytes[at..at + size].copy_from_slice(instance.as_bytes());
            }
        });
    }
}

/// What bytes of a crowd hold, besides events under way and blackboards.
pub(super) struct Parts<'c, B> {
    pub(super) agents: &'c Agents<B>,
    pub(super) now: u64,
    pub(super) stopping: &'c AgentSet,
    pub(super) parameters: &'c Parameters,
    pub(super) totals: &'c Totals,
}

impl<B> Parts<'_, B> {
    /// Writes it, with so many events under way.
    pub(super) fn put(
        &self,
        bytes: &mut Vec<u8>,
        letters: usize,
        envelopes: impl Iterator<Item = Envelope>,
    ) {
        let Self {
            agents,
            stopping,
            parameters,
            totals,
            ..
        } = *self;
        let numbers = [
            self.now,
            agents.seed,
            agents.spawned,
            totals.lost_messages,
            agents.number.get().into(),
        ];
        let counts = [
            agents.generations.len(),
            agents.free.len(),
            stopping.len(),
            agents.variants.len(),
            letters,
            parameters.changes().len(),
        ];
        let numbers = numbers
            .into_iter()
            .chain(totals.counters.values())
            .chain(counts.map(|count| count as u64));
        numbers.for_each(|number| bytes.put_u64(number));
        bytes.put_u32s(&agents.generations);
        bytes.put_u32s(&agents.free);
        stopping.iter().for_each(|number| bytes.put_u32(number));
        let variants = agents.variants.iter();
        variants.for_each(|variant| bytes.put_u16(variant.raw()));
        for envelope in envelopes {
            bytes.put_u64(envelope.to.bits());
            bytes.put(envelope.event.as_bytes());
        }
        for change in parameters.changes() {
            bytes.put_u16(change.variant.raw());
            bytes.put_u16(change.parameter.raw());
            change.words.iter().for_each(|&word| bytes.put_u32(word));
        }
        bytes.put(agents.instances.bytes());
    }
}

/// Reading.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// Becomes what a snapshot holds. If it is refused, nothing changes.
    ///
    /// The crowd keeps what it was as memory for the next restore: going back again and again, as
    /// for rollback, allocates nothing, and needs room for two crowds. Blackboards from before are
    /// dropped or [loaded over](Saved::load_over) by the next restore.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        self.prepare_restore(snapshot)?;
        self.complete_restore();
        Ok(())
    }

    /// Reads a snapshot into the memory that is kept for it; the crowd is as it was. Number and next
    /// tick that it will have.
    pub(crate) fn prepare_restore(
        &mut self,
        snapshot: &[u8],
    ) -> Result<(CrowdNumber, u64), SnapshotError> {
        let spare = self.spare.take();
        let mut spare = spare.unwrap_or_else(|| Box::new(Restored::empty(self.machine())));
        let read = spare.read(snapshot, self.machine());
        let found = (spare.agents.number, spare.now);
        self.spare = Some(spare);
        read.map(|()| found)
    }

    /// What [`Self::prepare_restore`] read takes effect.
    pub(crate) fn complete_restore(&mut self) {
        if let Some(spare) = self.spare.take() {
            self.enter(Input::Restore(spare));
        }
    }

    /// Reads a snapshot of the crowd's machine, into memory of its own.
    pub fn read_snapshot(&self, snapshot: &[u8]) -> Result<Restored<B>, SnapshotError> {
        let mut restored = Restored::empty(self.machine());
        restored.read(snapshot, self.machine())?;
        Ok(restored)
    }
}

impl<B: Saved> Restored<B> {
    /// Becomes what a snapshot holds, in the memory that is there. If it is refused, this is of no
    /// use but to be read over again.
    fn read(&mut self, snapshot: &[u8], machine: &Machine) -> Result<(), SnapshotError> {
        let mut reader = open(&FORMAT, snapshot, machine)?;
        self.read_agents(&mut reader, machine)?;
        let slots = self.agents.slots();
        read_boards(machine, reader.rest(), slots, &mut self.agents.boards)
    }
}

impl<B> Restored<B> {
    /// All but the blackboards.
    pub(super) fn read_agents(
        &mut self,
        reader: &mut Reader<'_>,
        machine: &Machine,
    ) -> Result<(), SnapshotError> {
        let numbers = Numbers::read(reader)?;
        let Agents {
            instances,
            boards: _,
            number,
            generations,
            free,
            retired,
            variants,
            seed,
            spawned,
        } = &mut self.agents;
        read_u32s(generations, numbers.slots, reader)?;
        read_u32s(free, numbers.free, reader)?;
        *retired = check_free(free, generations, &mut self.seen)?;
        read_stopping(reader, generations, numbers.stopping, &mut self.stopping)?;
        read_variants(reader, machine, &numbers, variants)?;
        read_list(&mut self.envelopes, numbers.envelopes, || {
            read_envelope(reader, numbers.number)
        })?;
        read_list(&mut self.changes, numbers.changes, || {
            read_change(reader, machine)
        })?;
        if !self
            .changes
            .is_sorted_by(|one, next| one.place() < next.place())
        {
            return Err(SnapshotError::Content("parameters"));
        }
        self.parameters.replace(machine, &self.changes);
        let size = usize::from(machine.rom().capacity().bytes);
        let bytes = numbers.slots.checked_mul(size);
        instances.fill(reader.take(bytes.ok_or(SnapshotError::Length)?)?);
        (*number, *seed, *spawned) = (numbers.number, numbers.seed, numbers.spawned);
        (self.now, self.totals) = (numbers.now, numbers.totals);
        self.hashes = hashes(machine);
        Ok(())
    }
}

/// Head and machine are right; what comes behind them.
pub(super) fn open<'b>(
    format: &Format,
    snapshot: &'b [u8],
    machine: &Machine,
) -> Result<Reader<'b>, SnapshotError> {
    let (head, content) = format.open(snapshot).map_err(SnapshotError::Head)?;
    let (found, expected) = (head.hashes(), hashes(machine));
    if found != expected {
        return Err(SnapshotError::Machine { found, expected });
    }
    Ok(Reader::new(content))
}

/// Reads so many numbers, in the memory of a list.
fn read_u32s(
    list: &mut Vec<u32>,
    count: usize,
    reader: &mut Reader<'_>,
) -> Result<(), SnapshotError> {
    let size = count.checked_mul(size_of::<u32>());
    let bytes = reader.take(size.ok_or(SnapshotError::Length)?)?;
    let numbers = bytes.as_chunks().0.iter();
    list.clear();
    list.extend(numbers.map(|number| u32::from_le_bytes(*number)));
    Ok(())
}

/// Reads so many, in the memory of a list.
pub(super) fn read_list<T>(
    list: &mut Vec<T>,
    count: usize,
    mut one: impl FnMut() -> Result<T, SnapshotError>,
) -> Result<(), SnapshotError> {
    list.clear();
    for _ in 0..count {
        list.push(one()?);
    }
    Ok(())
}

/// Numbers at the head of a snapshot.
struct Numbers {
    now: u64,
    seed: u64,
    spawned: u64,
    totals: Totals,
    number: CrowdNumber,
    /// How many of each follow.
    slots: usize,
    free: usize,
    stopping: usize,
    variants: usize,
    envelopes: usize,
    changes: usize,
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
        let number = u32::try_from(reader.u64()?).ok();
        let number = number.and_then(CrowdNumber::new);
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
            number: number.ok_or(SnapshotError::Content("the number of the crowd"))?,
            slots: reader.count(1)?,
            free: reader.count(1)?,
            stopping: reader.count(1)?,
            variants: reader.count(1)?,
            envelopes: reader.count(1)?,
            changes: reader.count(1)?,
        })
    }
}

/// Indices without agent: exactly those, each once. How many are not used again.
fn check_free(
    free: &[u32],
    generations: &[u32],
    seen: &mut AgentSet,
) -> Result<usize, SnapshotError> {
    let is_free = |index: u32| {
        let generation = generations.get(index as usize);
        generation.is_some_and(|generation| generation % 2 == 0 && *generation != RETIRED)
    };
    let highest = generations.iter().copied().max().unwrap_or(0);
    if highest > RETIRED || generations.len() > AgentId::INDICES as usize {
        return Err(SnapshotError::Content("indices and their generations"));
    }
    let retired = generations.iter().filter(|&&one| one == RETIRED).count();
    let expected = generations
        .iter()
        .filter(|generation| *generation % 2 == 0)
        .count();
    seen.clear();
    let mut free_once = free
        .iter()
        .map(|&index| is_free(index) && seen.insert(index as usize));
    if free.len() + retired != expected || !free_once.all(|is_right| is_right) {
        return Err(SnapshotError::Content("free places"));
    }
    Ok(retired)
}

/// Agents that stop in the next tick, ascending.
fn read_stopping(
    reader: &mut Reader<'_>,
    generations: &[u32],
    count: usize,
    stopping: &mut AgentSet,
) -> Result<(), SnapshotError> {
    stopping.clear();
    let mut before = None;
    for _ in 0..count {
        let index = reader.u32()?;
        let generation = generations.get(index as usize);
        let is_alive = generation.is_some_and(|generation| generation % 2 == 1);
        if !is_alive || before.is_some_and(|before| before >= index) {
            return Err(SnapshotError::Content("agents that stop"));
        }
        stopping.insert(index as usize);
        before = Some(index);
    }
    Ok(())
}

fn read_variants(
    reader: &mut Reader<'_>,
    machine: &Machine,
    numbers: &Numbers,
    variants: &mut Vec<VariantId>,
) -> Result<(), SnapshotError> {
    let known = machine.rom().variants().len().max(1);
    read_list(variants, numbers.variants, || {
        VariantId::new(reader.u16()?)
            .filter(|variant| variant.index() < known)
            .ok_or(SnapshotError::Content("variants"))
    })?;
    if variants.len() > numbers.slots {
        return Err(SnapshotError::Content("variants"));
    }
    Ok(())
}

/// A changed parameter: one that the machine has, with a value that it can have.
pub(super) fn read_change(
    reader: &mut Reader<'_>,
    machine: &Machine,
) -> Result<ParameterChange, SnapshotError> {
    let wrong = SnapshotError::Content("parameters");
    let (variant, parameter) = (reader.u16()?, reader.u16()?);
    let words = [reader.u32()?, reader.u32()?, reader.u32()?];
    let (Some(variant), Some(parameter)) = (VariantId::new(variant), ParameterId::new(parameter))
    else {
        return Err(wrong);
    };
    let Some(record) = machine.rom().parameter(parameter) else {
        return Err(wrong);
    };
    let change = ParameterChange {
        variant,
        parameter,
        ty: record.ty.get(),
        words,
    };
    match Parameters::default().check(machine, &change) {
        Ok(()) => Ok(change),
        Err(_) => Err(wrong),
    }
}

pub(super) fn read_envelope(
    reader: &mut Reader<'_>,
    number: CrowdNumber,
) -> Result<Envelope, SnapshotError> {
    let to = AgentId::from_bits(reader.u64()?);
    if to.crowd() != number {
        return Err(SnapshotError::Content(
            "an event for an agent of another crowd",
        ));
    }
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
    boards: &mut Vec<B>,
) -> Result<(), SnapshotError> {
    load_all(machine, &mut bytes, count, boards).ok_or(SnapshotError::Length)?;
    if bytes.is_empty() {
        Ok(())
    } else {
        Err(SnapshotError::Length)
    }
}
