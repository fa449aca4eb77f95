//! Some agents of a crowd as bytes, and a crowd of just these: for tapes of chosen agents (TAPE-2, TAPE-5). A
//! host that owns its memory ([`Slices`](crate::Slices)) says itself what its agents are.
//!
//! ```text
//! head of FORMAT │ next tick, crowd, counts │ id, variant, stops │ events for them │ parameters │ instances │ blackboards
//! ```
//!
//! Writing looks at nobody else. Ids stay what they are, since agents know them: a crowd of agent 70,000 alone
//! has as many places as that takes, and nobody at all others.

use statewright_bytes::{ByteOrder, Format, Reader, Writer, seal};
use statewright_kernel::{self as kernel, Instance64};
use statewright_rom::ids::VariantId;
use zerocopy::{FromBytes, IntoBytes};

use super::agents::has_variant;
use super::digest::digest_of_bytes;
use super::instances::with_instances;
use super::snapshot::{MANY, Restored, SnapshotError, open, read_change, read_envelope, read_list};
use super::{Crowd, Envelope, Input, Totals};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::context::Context;
use crate::machine::Machine;
use crate::parameters::{ParameterChange, Parameters, hashes};
use crate::saved::Saved;

/// First bytes and version of every part of a crowd.
pub const FORMAT: Format = Format {
    magic: *b"SWCP",
    version: 1,
    byte_order: ByteOrder::OfThisComputer,
    former: &[],
};
/// Most bytes of the places of a crowd that is made of a part: no few bytes take more memory. Whoever replays compares two
/// such crowds, and all that may take 256 MiB (SAVE-5).
const MOST_BYTES: usize = 96 << 20;

/// Bytes of one agent before the instances: index, generation, variant, whether it stops.
const MEMBER: usize = 4 + 4 + 2 + 1;

/// Bytes of a place beside instance and blackboard: its generation, itself among free ones, its variant.
const PLACE: usize = 4 + 4 + 2;

/// One agent of a part.
#[derive(Clone, Copy, Debug)]
struct Member {
    index: u32,
    generation: u32,
    variant: VariantId,
    /// Whether it stops in the next tick.
    stops: bool,
}

/// Writing.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// Some agents as bytes, with their blackboards, the events that are under way to them, changed parameters
    /// and the time. They are in ascending order of their indices; who is not in the crowd is left out. Nobody else is looked
    /// at.
    pub fn part_into(&self, agents: &[AgentId], bytes: &mut Vec<u8>) {
        begin(self.machine(), bytes);
        let roster = self.agents.roster();
        let there = || agents.iter().filter(|&&agent| roster.has(agent));
        let letters = self.mailbox.envelopes(roster);
        let is_chosen = |agent: AgentId| {
            let place = agents.binary_search_by_key(&agent.index(), |one| one.index());
            place.is_ok_and(|place| agents.get(place) == Some(&agent))
        };
        let letters = letters.filter(|letter| roster.has(letter.to) && is_chosen(letter.to));
        let letters: Vec<_> = letters.collect();
        let members = there().map(|agent| {
            let index = agent.index() as usize;
            Member {
                index: agent.index(),
                generation: agent.generation(),
                variant: self.agents.variant(index),
                stops: self.schedule.stopping.contains(index),
            }
        });
        let at = (self.schedule.now, self.agents.number);
        put_head(at, members, &letters, self.parameters.changes(), bytes);
        self.put_instances(there().map(|agent| agent.index() as usize), bytes);
        for agent in there() {
            self.agents.boards[agent.index() as usize].save(bytes);
        }
        seal(bytes);
    }

    /// Whoever is to find out anew what it has to do (LOAD-2) has done so, as in a snapshot.
    fn put_instances(&self, indices: impl Iterator<Item = usize>, bytes: &mut Vec<u8>) {
        let rom = self.machine().rom();
        with_instances!(&self.agents.instances, list => {
            for index in indices {
                let mut instance = list[index];
                if self.owed.contains(index) {
                    kernel::renew(&rom, &mut instance);
                }
                bytes.put(instance.as_bytes());
            }
        });
    }
}

/// First bytes of a part.
fn begin(machine: &Machine, bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.put(&FORMAT.head(hashes(machine)).to_bytes());
}

/// All but instances and blackboards.
fn put_head(
    (now, number): (u64, CrowdNumber),
    members: impl Iterator<Item = Member> + Clone,
    letters: &[Envelope],
    changes: &[ParameterChange],
    bytes: &mut Vec<u8>,
) {
    bytes.put_u64(now);
    bytes.put_u32(number.get());
    let counts = [members.clone().count(), letters.len(), changes.len()];
    counts.iter().for_each(|&count| bytes.put_u32(count as u32));
    for member in members {
        bytes.put_u32(member.index);
        bytes.put_u32(member.generation);
        bytes.put_u16(member.variant.raw());
        bytes.put_u8(member.stops.into());
    }
    for letter in letters {
        bytes.put_u64(letter.to.bits());
        bytes.put(letter.event.as_bytes());
    }
    for change in changes {
        bytes.put_u16(change.variant.raw());
        bytes.put_u16(change.parameter.raw());
        change.words.iter().for_each(|&word| bytes.put_u32(word));
    }
}

/// One agent of a host that owns its memory, as a part of a crowd holds it.
#[derive(Clone, Copy, Debug)]
pub struct PartAgent<'p> {
    /// Who it is.
    pub agent: AgentId,
    /// The variant of its parameters.
    pub variant: VariantId,
    /// Its instance, as bytes.
    pub instance: &'p [u8],
}

impl PartAgent<'_> {
    /// What [`Crowd::agent_digest`] is of the same agent; nothing if these bytes are no instance.
    pub fn digest(&self) -> Option<u64> {
        digest_of_bytes(self.instance, self.agent, self.variant)
    }

    /// How many ticks in a row it reached a cap (TICK-4); nothing if these bytes are no instance.
    pub fn clamped_ticks(&self) -> Option<u8> {
        let (header, _) = kernel::Header::read_from_prefix(self.instance).ok()?;
        Some(header.clamped)
    }
}

/// What [`Crowd::part_into`] writes, of agents in ascending order of their indices that are in no crowd: before
/// the tick `now`, with the events that are under way to them. Their blackboards are not in it: whoever makes a crowd
/// of it adds some.
pub fn part_of(
    machine: &Machine,
    now: u64,
    agents: &[PartAgent<'_>],
    letters: &[Envelope],
    parameters: &Parameters,
    bytes: &mut Vec<u8>,
) {
    begin(machine, bytes);
    let members = agents.iter().map(|one| Member {
        index: one.agent.index(),
        generation: one.agent.generation(),
        variant: one.variant,
        stops: false,
    });
    let number = agents
        .first()
        .map_or(CrowdNumber::NONE, |one| one.agent.crowd());
    put_head((now, number), members, letters, parameters.changes(), bytes);
    agents.iter().for_each(|one| bytes.put(one.instance));
    seal(bytes);
}

/// Reading.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// Becomes what a part holds: these agents and nobody else. If it is refused, nothing changes.
    pub fn restore_part(&mut self, part: &[u8]) -> Result<(), SnapshotError> {
        // What is kept of an earlier restore would be a third crowd beside these two.
        self.spare = None;
        let mut restored = Box::new(Restored::empty(self.machine()));
        restored.read_part(part, self.machine())?;
        self.enter(Input::Restore(restored));
        self.spare = None;
        Ok(())
    }
}

/// The agents of a part, in order; nothing of them is proved.
pub fn agents_of_part(part: &[u8]) -> Result<Vec<AgentId>, SnapshotError> {
    let (_, content) = FORMAT.open(part).map_err(SnapshotError::Head)?;
    let mut reader = Reader::new(content);
    let counts = Counts::read(&mut reader)?;
    (0..counts.agents)
        .map(|_| {
            let (index, generation) = (reader.u32()?, reader.u32()?);
            reader.take(MEMBER - 2 * size_of::<u32>())?;
            Ok(AgentId::pack(counts.number, index, generation))
        })
        .collect()
}

/// Numbers at the head of a part.
struct Counts {
    now: u64,
    number: CrowdNumber,
    agents: usize,
    letters: usize,
    changes: usize,
}

impl Counts {
    fn read(reader: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let (now, number) = (reader.u64()?, reader.u32()?);
        // Agents of a host that owns its memory are in no crowd.
        let number = match number {
            0 => Some(CrowdNumber::NONE),
            number => CrowdNumber::new(number),
        };
        if now > MANY {
            return Err(SnapshotError::Content("more ticks than any crowd has"));
        }
        let mut count = || Ok::<_, SnapshotError>(reader.u32()? as usize);
        let (agents, letters, changes) = (count()?, count()?, count()?);
        // Each takes some bytes, an agent those of its instance, too: no number makes anybody reserve more.
        let of_agents = agents.saturating_mul(MEMBER + size_of::<Instance64>());
        if of_agents.max(letters).max(changes) > reader.rest().len() {
            return Err(SnapshotError::Length);
        }
        Ok(Self {
            now,
            number: number.ok_or(SnapshotError::Content("the number of the crowd"))?,
            agents,
            letters,
            changes,
        })
    }
}

fn read_member(reader: &mut Reader<'_>, machine: &Machine) -> Result<Member, SnapshotError> {
    let (index, generation) = (reader.u32()?, reader.u32()?);
    let (variant, stops) = (VariantId::new(reader.u16()?), reader.u8()?);
    let is_there = generation % 2 == 1 && generation < AgentId::GENERATIONS;
    if index >= AgentId::INDICES || !is_there || stops > 1 {
        return Err(SnapshotError::Content("agents"));
    }
    let variant = variant.filter(|&variant| has_variant(machine, variant));
    Ok(Member {
        index,
        generation,
        variant: variant.ok_or(SnapshotError::Content("variants"))?,
        stops: stops == 1,
    })
}

impl<B: Saved> Restored<B> {
    fn read_part(&mut self, part: &[u8], machine: &Machine) -> Result<(), SnapshotError> {
        let mut reader = open(&FORMAT, part, machine)?;
        let counts = Counts::read(&mut reader)?;
        let mut members = Vec::new();
        read_list(&mut members, counts.agents, || {
            read_member(&mut reader, machine)
        })?;
        if !members.is_sorted_by(|one, next| one.index < next.index) {
            return Err(SnapshotError::Content("agents"));
        }
        read_list(&mut self.envelopes, counts.letters, || {
            read_envelope(&mut reader, counts.number)
        })?;
        let mut changes = Vec::new();
        read_list(&mut changes, counts.changes, || {
            read_change(&mut reader, machine)
        })?;
        if !changes.is_sorted_by(|one, next| one.place() < next.place()) {
            return Err(SnapshotError::Content("parameters"));
        }
        self.parameters.replace(machine, &changes);
        self.place(&members, &mut reader, machine)?;
        (self.now, self.agents.number) = (counts.now, counts.number);
        self.totals = Totals::default();
        self.hashes = hashes(machine);
        Ok(())
    }

    /// Instances and blackboards come to the places of their agents.
    fn place(
        &mut self,
        members: &[Member],
        reader: &mut Reader<'_>,
        machine: &Machine,
    ) -> Result<(), SnapshotError> {
        let slots = members.last().map_or(0, |last| last.index as usize + 1);
        let size = usize::from(machine.rom().capacity().bytes);
        let instances = reader.take(
            members
                .len()
                .checked_mul(size)
                .ok_or(SnapshotError::Length)?,
        )?;
        let (boards, mut first) = (reader.rest(), reader.rest());
        if !members.is_empty() {
            B::load(machine, &mut first).ok_or(SnapshotError::Length)?;
        }
        let first = &boards[..boards.len() - first.len()];
        // Where nobody is there is a copy of the first blackboard, which may have memory of its own.
        let place = size + size_of::<B>() + 2 * first.len() + PLACE;
        if slots.saturating_mul(place) > MOST_BYTES {
            return Err(SnapshotError::Content(
                "an agent so far behind the others that a crowd with its place takes too much memory",
            ));
        }
        let agents = &mut self.agents;
        agents.generations = vec![0; slots];
        agents.instances.blank(slots);
        for (member, instance) in members.iter().zip(instances.chunks_exact(size)) {
            let index = member.index as usize;
            agents.generations[index] = member.generation;
            agents.instances.replace(index, instance);
            if member.variant != VariantId::PLAIN {
                agents.set_variant(index, member.variant);
            }
            if member.stops {
                self.stopping.insert(index);
            }
        }
        let is_free = |index: &u32| agents.generations[*index as usize] == 0;
        agents.free.reserve_exact(slots - members.len());
        agents.free.extend((0..slots as u32).rev().filter(is_free));
        agents.boards.reserve_exact(slots);
        let mut rest = boards;
        for generation in &agents.generations {
            let board = match generation {
                // A leftover, as of somebody who was there.
                0 => B::load(machine, &mut { first }),
                _ => B::load(machine, &mut rest),
            };
            agents.boards.push(board.ok_or(SnapshotError::Length)?);
        }
        match rest.is_empty() {
            true => Ok(()),
            false => Err(SnapshotError::Length),
        }
    }
}
