//! One number for all that a crowd is between two ticks (TAPE-3).
//!
//! ```text
//! digest = sum over agents of hash(instance bytes, seed: id and variant)  ── order does not matter,
//!        + hash(time, free places, stops, events under way, parameters, counters)   one agent can change
//! ```
//!
//! A sum, so that one agent can change without the others being looked at again: a crowd that
//! [keeps](Crowd::keep_digest) its digest hashes only agents that had a turn or an input. Who had a
//! turn for nothing has the same bytes and the same hash, so that sleeping and waking do not matter,
//! nor do threads and chunks. Rejected: one hash over all bytes in a row, which has no cheaper way than
//! to begin again.

use statewright_kernel::{
    self as kernel, InboxEvent, Instance, Instance64, Instance128, Instance256, flag,
};
use statewright_rom::ids::VariantId;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};
use zerocopy::IntoBytes;

use super::agent_set::AgentSet;
use super::agents::Agents;
use super::instances::with_instances;
use super::{Crowd, Input, Missing};
use crate::agent_id::AgentId;
use crate::board::Board;
use crate::context::Context;
use crate::saved::Saved;

/// Digests.
impl<B: Board, C: Context + ?Sized> Crowd<B, C> {
    /// One number for all that the crowd is: agents with their ids and variants, events under way,
    /// changed parameters, time and counters, but no blackboards ([`Self::boards_digest`]) and no
    /// commands ([`Self::commands_digest`]). Equal crowds have equal digests on every computer; those
    /// that differ in any of it have, but for one case in 2^64, different ones. For lockstep: peers
    /// exchange it after every tick.
    ///
    /// Looks at every agent unless the crowd [keeps](Self::keep_digest) its digest.
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let machine = Machine::build("Dog", |m| {
    ///     m.event("Call");
    ///     m.initial("sit");
    ///     m.state("sit", |s| {
    ///         s.on("Call").go("walk");
    ///     });
    ///     m.state("walk", |_| {});
    /// })?;
    /// let program = std::sync::Arc::new(machine.bind(Functions::<(), ()>::new())?);
    /// let [mut here, mut there] = [(); 2].map(|()| Crowd::new(program.clone(), 1));
    /// let [dog, _] = [here.spawn(()), there.spawn(())];
    /// here.tick(&());
    /// there.tick(&());
    /// assert_eq!(here.digest(), there.digest());
    ///
    /// here.send(dog, machine.event("Call")?, ())?;
    /// here.tick(&());
    /// there.tick(&());
    /// assert_ne!(here.digest(), there.digest());
    /// assert_ne!(here.agent_digest(dog)?, there.agent_digest(dog)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn digest(&self) -> u64 {
        let kept = self.watch.as_ref().and_then(|watch| watch.digests.as_ref());
        let agents = match kept {
            Some(kept) => kept.sum_now(&self.agents),
            None => sum(&self.agents),
        };
        let owed = self.owed.iter().fold(agents, |sum, index| {
            let index = index as usize;
            sum.wrapping_sub(digest_at(&self.agents, index))
                .wrapping_add(self.renewed_digest(index))
        });
        owed.wrapping_add(self.digest_of_the_rest())
    }

    /// Whoever is to find out anew what it has to do (LOAD-2) has done so, as in a snapshot: peers of whom one was
    /// restored right behind a reload have equal digests before the tick, too.
    fn renewed_digest(&self, index: usize) -> u64 {
        let rom = self.machine().rom();
        with_instances!(&self.agents.instances, list => {
            let mut instance = list[index];
            kernel::renew(&rom, &mut instance);
            seed_at(&self.agents, index).map_or(0, |seed| digest_of(&instance, seed))
        })
    }

    /// The part of the [digest](Self::digest) that is one agent's: its bytes, id and variant.
    pub fn agent_digest(&self, agent: AgentId) -> Result<u64, Missing> {
        let index = self.agents.index(agent)?;
        Ok(match self.owed.contains(index) {
            true => self.renewed_digest(index),
            false => digest_at(&self.agents, index),
        })
    }

    /// One number for the commands of the last tick: who said what, in which lane and in which order.
    /// Commands that were [committed](Self::commit) are gone.
    pub fn commands_digest(&self) -> u64 {
        let mut hash = Xxh3::new();
        for command in self.last.commands() {
            // Its head has the length of what follows.
            hash.update(command.head);
            hash.update(command.bytes());
        }
        hash.digest()
    }

    /// Whether the digest is kept from tick to tick: then agents that nothing happened to are not
    /// looked at again. Eight bytes per agent. Changes nothing but speed.
    pub fn keep_digest(&mut self, keep: bool) {
        if keep {
            let kept = Kept::of(&self.agents);
            self.watch.get_or_insert_default().digests = Some(kept);
        } else {
            self.forget_watch(|watch| watch.digests = None);
        }
    }

    /// Whether it is kept.
    pub fn keeps_digest(&self) -> bool {
        let watch = self.watch.as_ref();
        watch.is_some_and(|watch| watch.digests.is_some())
    }

    /// Indices of agents that had a turn or an input up to the end of the last tick: nothing of the
    /// others changed, nor of their blackboards. Nothing if the digest is not kept.
    pub fn looked_at(&self) -> Option<&[u32]> {
        let kept = self.watch.as_ref()?.digests.as_ref()?;
        Some(&kept.looked_at)
    }

    fn digest_of_the_rest(&self) -> u64 {
        let (agents, schedule, totals) = (&self.agents, &self.schedule, &self.totals);
        let mut hash = Xxh3::new();
        let mut put = |number: u64| hash.update(&number.to_le_bytes());
        let numbers = [
            schedule.now,
            agents.seed,
            agents.spawned,
            totals.lost_messages,
        ];
        numbers.into_iter().for_each(&mut put);
        put(agents.number.get().into());
        totals.counters.values().into_iter().for_each(&mut put);
        // Each list begins with its length: what ends one could else begin the next.
        put(agents.free.len() as u64);
        agents.free.iter().for_each(|&index| put(index.into()));
        put(schedule.stopping.len() as u64);
        schedule.stopping.iter().for_each(|index| put(index.into()));
        put(self.parameters.changes().len() as u64);
        for change in self.parameters.changes() {
            put(u64::from(change.variant.raw()) << 16 | u64::from(change.parameter.raw()));
            change.words.iter().for_each(|&word| put(word.into()));
        }
        for envelope in self.mailbox.envelopes(agents.roster()) {
            hash.update(&envelope.to.bits().to_le_bytes());
            hash.update(envelope.event.as_bytes());
        }
        hash.digest()
    }
}

/// Blackboards.
impl<B: Board + Saved, C: Context + ?Sized> Crowd<B, C> {
    /// One number for the blackboards of all agents, as snapshots hold them: the same on every
    /// computer of one byte order.
    pub fn boards_digest(&self) -> u64 {
        let mut saved = Vec::new();
        let one = |agent: AgentId| self.board_digest_at(agent.index(), &mut saved);
        self.agents.ids().map(one).fold(0, u64::wrapping_add)
    }

    /// The part of the [digest of blackboards](Self::boards_digest) that belongs to whoever is at an
    /// index; 0 if nobody is. `saved` is used for its memory.
    pub fn board_digest_at(&self, index: u32, saved: &mut Vec<u8>) -> u64 {
        let (Some(agent), Some(board)) =
            (self.agent_at(index), self.agents.boards.get(index as usize))
        else {
            return 0;
        };
        match B::BYTES {
            Some(bytes) => {
                saved.resize(bytes, 0);
                board.save_into(saved);
            }
            None => {
                saved.clear();
                board.save(saved);
            }
        }
        xxh3_64_with_seed(saved, agent.bits())
    }
}

/// Digests of agents by index, and their sum; 0 where nobody is.
#[derive(Debug, Default)]
pub(super) struct Kept {
    agents: Vec<u64>,
    sum: u64,
    /// Those whose digest may be another one by now.
    stale: AgentSet,
    /// Those that were looked at again when the last tick was over.
    looked_at: Vec<u32>,
}

impl Kept {
    pub(super) fn of(agents: &Agents<impl Sized>) -> Self {
        let all: Vec<u64> = (0..agents.slots())
            .map(|index| digest_at(agents, index))
            .collect();
        Self {
            sum: all.iter().copied().fold(0, u64::wrapping_add),
            agents: all,
            stale: AgentSet::default(),
            looked_at: Vec::new(),
        }
    }

    fn known(&self, index: usize) -> u64 {
        self.agents.get(index).copied().unwrap_or(0)
    }

    /// The sum as it is now; nothing is kept of it.
    fn sum_now(&self, agents: &Agents<impl Sized>) -> u64 {
        self.stale.iter().fold(self.sum, |sum, index| {
            let index = index as usize;
            let (old, new) = (self.known(index), digest_at(agents, index));
            sum.wrapping_sub(old).wrapping_add(new)
        })
    }

    /// Looks again at those who may have changed.
    pub(super) fn refresh(&mut self, agents: &Agents<impl Sized>) {
        let Self {
            agents: digests,
            sum,
            stale,
            looked_at,
        } = self;
        digests.resize(agents.slots(), 0);
        stale.list(looked_at);
        looked_at.truncate(looked_at.partition_point(|&index| (index as usize) < digests.len()));
        with_instances!(&agents.instances, list => {
            for index in looked_at.iter().map(|&index| index as usize) {
                let new = digest_in(agents, list, index);
                *sum = sum.wrapping_sub(digests[index]).wrapping_add(new);
                digests[index] = new;
            }
        });
        stale.clear();
    }

    /// Those who have a turn may change.
    pub(super) fn note_turns(&mut self, turns: &[u32], inbox: &[InboxEvent]) {
        let receivers = inbox.iter().map(|event| event.place);
        for index in turns.iter().copied().chain(receivers) {
            self.stale.insert(index as usize);
        }
    }

    /// Some are others than they were.
    pub(super) fn note_some(&mut self, some: &AgentSet) {
        some.iter()
            .for_each(|index| _ = self.stale.insert(index as usize));
    }

    /// Some went back to what they were, and those behind so many slots are gone.
    pub(super) fn note_rewind(&mut self, some: &AgentSet, slots: usize) {
        let gone = self.agents.drain(slots.min(self.agents.len())..);
        self.sum = gone.fold(self.sum, u64::wrapping_sub);
        self.stale.clear_from(slots);
        self.note_some(some);
    }

    /// An input comes; the agent that it may change.
    pub(super) fn note(
        &mut self,
        input: &Input<impl Sized>,
        next: impl FnOnce() -> Option<AgentId>,
    ) {
        let agent = match input {
            Input::Spawn { .. } => next(),
            Input::Despawn(agent)
            | Input::Reset(agent)
            | Input::Pause(agent)
            | Input::Resume(agent)
            | Input::SetVariant(agent, _)
            | Input::ClearFlags(agent)
            | Input::Written(agent)
            | Input::Instance(agent, _) => Some(*agent),
            // What they change is none of an agent's bytes, or not before the next turn; after a
            // restore and a reload everything is looked at again, and who went back is noted.
            Input::Stop(_)
            | Input::Send(_)
            | Input::Broadcast(_)
            | Input::SetParameter(_)
            | Input::Settings(_)
            | Input::Pool(_)
            | Input::StartAt(_)
            | Input::Number(_)
            | Input::ResetCounters
            | Input::Restore(_)
            | Input::Reload(_)
            | Input::Rewind(_) => None,
        };
        if let Some(agent) = agent {
            self.stale.insert(agent.index() as usize);
        }
    }
}

fn sum(agents: &Agents<impl Sized>) -> u64 {
    let all = 0..agents.slots();
    with_instances!(&agents.instances, list => {
        all.map(|index| digest_in(agents, list, index)).fold(0, u64::wrapping_add)
    })
}

/// The digest of whoever is at an index; 0 if nobody is.
fn digest_at(agents: &Agents<impl Sized>, index: usize) -> u64 {
    with_instances!(&agents.instances, list => digest_in(agents, list, index))
}

/// The same; the instances are those of the agents.
#[inline]
fn digest_in<I: kernel::Instance>(agents: &Agents<impl Sized>, list: &[I], index: usize) -> u64 {
    match (list.get(index), seed_at(agents, index)) {
        (Some(instance), Some(seed)) => digest_of(instance, seed),
        _ => 0,
    }
}

/// Id and variant of whoever is at an index, in one number.
#[inline]
fn seed_at(agents: &Agents<impl Sized>, index: usize) -> Option<u64> {
    let generation = agents.generations.get(index).copied().unwrap_or(0);
    (generation % 2 == 1).then(|| {
        let agent = agents.roster().id(index as u32, generation);
        seed_of(agent, agents.variant(index))
    })
}

/// Ids of one crowd differ below bit 46; variants have 16 bits.
#[inline]
fn seed_of(agent: AgentId, variant: VariantId) -> u64 {
    agent.bits() ^ u64::from(variant.raw()).rotate_right(16)
}

/// The digest of an agent that is in no crowd; nothing if these bytes are no instance.
pub(super) fn digest_of_bytes(bytes: &[u8], agent: AgentId, variant: VariantId) -> Option<u64> {
    fn of<I: kernel::Instance + Copy>(bytes: &[u8], seed: u64) -> Option<u64> {
        let instance = I::read_from_bytes(bytes).ok()?;
        Some(digest_of(&instance, seed))
    }
    let seed = seed_of(agent, variant);
    let small = of::<Instance64>(bytes, seed);
    let middle = || of::<Instance128>(bytes, seed);
    small
        .or_else(middle)
        .or_else(|| of::<Instance256>(bytes, seed))
}

/// Who is traced is none of the agent's business.
#[inline]
fn digest_of<I: kernel::Instance + Copy>(instance: &I, seed: u64) -> u64 {
    let mut instance = *instance;
    let flags = &mut Instance::header_mut(&mut instance).flags;
    flags.set(flags.get() & !flag::TRACED);
    xxh3_64_with_seed(instance.as_bytes(), seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_bit_counts<I: Instance + Copy>() {
        let instance = I::of_machine(7, 8, 9);
        let digest = digest_of(&instance, 5);
        assert_ne!(digest_of(&instance, 6), digest);
        for bit in 0..size_of::<I>() * 8 {
            let mut bytes = instance.as_bytes().to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = I::read_from_bytes(&bytes).unwrap();
            let flags = changed.header().flags.get() ^ instance.header().flags.get();
            let same = digest_of(&changed, 5) == digest;
            assert_eq!(same, flags == flag::TRACED, "bit {bit}");
        }
    }

    #[test]
    fn tape_3_every_bit_of_an_agent_but_traced_changes_its_digest() {
        every_bit_counts::<Instance64>();
        every_bit_counts::<Instance128>();
        every_bit_counts::<Instance256>();
    }
}
