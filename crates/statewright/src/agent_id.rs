//! Who an agent is: its crowd, its index there, and its generation at that index, in 64 bits.
//!
//! ```text
//!  63          46 45          28 27                    0
//!  ┌─────────────┬──────────────┬───────────────────────┐
//!  │ crowd       │ generation   │ index                 │
//!  └─────────────┴──────────────┴───────────────────────┘
//! ```
//!
//! An id is a value like any other: it lies in blackboards, payloads, commands and snapshots. So it
//! must be the same on every computer and in every run, and cannot come from a counter of the
//! process: the number of a crowd follows from what the host gives it.

use std::fmt;

use statewright_rom::layout::StableGroup;
use xxhash_rust::xxh3::xxh3_64_with_seed;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::machine::Machine;
use crate::value::{Type, Value};

const INDEX_BITS: u32 = 28;
const GENERATION_BITS: u32 = 18;
const CROWD_BITS: u32 = 18;
const _: () = assert!(INDEX_BITS + GENERATION_BITS + CROWD_BITS == u64::BITS);

/// A crowd, as ids of agents know it: 1 to 262,142. Crowds that may meet each other's ids have
/// numbers of their own: those of different machines, or with different seeds, do by themselves in
/// all but one of 262,142 cases, and a [`World`](crate::World) makes sure of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CrowdNumber(u32);

impl CrowdNumber {
    /// No crowd: of ids that a host gives to its own slices.
    pub const NONE: Self = Self(0);
    /// The highest one.
    pub const MAX: Self = Self((1 << CROWD_BITS) - 2);
    /// No crowd, but the groups of a world: their ids stand where those of agents do.
    pub(crate) const GROUPS: Self = Self((1 << CROWD_BITS) - 1);

    /// A number of the host's choice; `None` for 0 and above [`Self::MAX`].
    pub const fn new(number: u32) -> Option<Self> {
        if number == 0 || number > Self::MAX.0 {
            None
        } else {
            Some(Self(number))
        }
    }

    /// The number that a crowd has unless told: it follows from the machine's stable id and the
    /// seed.
    pub(crate) fn of(machine: &Machine, seed: u64) -> Self {
        let rom = machine.rom();
        let stable = rom.stable_ids_of(StableGroup::Machine).first();
        let stable = stable.map_or(0, |record| record.id.get());
        let hash = xxh3_64_with_seed(&stable.to_le_bytes(), seed);
        Self(1 + (hash % u64::from(Self::MAX.0)) as u32)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for CrowdNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An agent. Ids of agents that are gone never mean their successors: the generation tells them
/// apart. Those of other crowds mean nobody here: the number of the crowd does. Crowds give ids to
/// their agents; a host that owns its memory gives its own
/// ([`Slices::agents`](crate::Slices::agents)). The id of 64 zero bits is nobody's.
#[derive(
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
)]
#[repr(transparent)]
pub struct AgentId(u64);

impl AgentId {
    /// Indices are below: so many agents fit into a crowd.
    pub const INDICES: u32 = 1 << INDEX_BITS;
    /// Generations are below. An index whose last generation is gone is not used again, so that no
    /// id ever means two agents.
    pub const GENERATIONS: u32 = 1 << GENERATION_BITS;

    /// The id with this index and generation, of no crowd.
    ///
    /// # Panics
    ///
    /// If the index is not below [`Self::INDICES`] or the generation not below
    /// [`Self::GENERATIONS`].
    #[inline]
    pub const fn new(index: u32, generation: u32) -> Self {
        assert!(index < Self::INDICES, "an index has 28 bits");
        assert!(generation < Self::GENERATIONS, "a generation has 18 bits");
        Self::pack(CrowdNumber::NONE, index, generation)
    }

    /// The same index and generation in a crowd.
    #[must_use]
    #[inline]
    pub const fn in_crowd(self, crowd: CrowdNumber) -> Self {
        Self::pack(crowd, self.index(), self.generation())
    }

    #[inline]
    pub(crate) const fn pack(crowd: CrowdNumber, index: u32, generation: u32) -> Self {
        Self((crowd.0 as u64) << (INDEX_BITS + GENERATION_BITS)).with(index, generation)
    }

    /// With index and generation, to an id of the crowd that has neither.
    #[inline]
    pub(crate) const fn with(self, index: u32, generation: u32) -> Self {
        Self(self.0 | (generation as u64) << INDEX_BITS | index as u64)
    }

    /// Is it of this crowd, and of this generation at its index? The crowd is given as an id that has
    /// neither.
    #[inline]
    pub(crate) const fn is_of(self, crowd: Self, generation: u32) -> bool {
        (self.0 ^ crowd.0) >> INDEX_BITS == generation as u64
    }

    /// All of it.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// From all of it.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Its index in the crowd, free again after its end.
    #[inline]
    pub const fn index(self) -> u32 {
        self.0 as u32 & (Self::INDICES - 1)
    }

    /// Tells it from those who had this index before it: 1 for the first, 3 for the second, and so
    /// on.
    #[inline]
    pub const fn generation(self) -> u32 {
        (self.0 >> INDEX_BITS) as u32 & (Self::GENERATIONS - 1)
    }

    /// The crowd that it belongs to.
    #[inline]
    pub const fn crowd(self) -> CrowdNumber {
        CrowdNumber((self.0 >> (INDEX_BITS + GENERATION_BITS)) as u32)
    }
}

/// Its index, for filters of traces.
impl From<AgentId> for u32 {
    fn from(agent: AgentId) -> Self {
        agent.index()
    }
}

impl From<AgentId> for u64 {
    fn from(agent: AgentId) -> Self {
        agent.bits()
    }
}

/// As people read it: the bits alone tell nobody anything.
impl fmt::Debug for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "agent {}.{}", self.index(), self.generation())?;
        match self.crowd() {
            CrowdNumber::NONE => Ok(()),
            CrowdNumber::GROUPS => f.write_str(" of all groups"),
            crowd => write!(f, " of crowd {crowd}"),
        }
    }
}

impl Value for AgentId {
    const TYPE: Type = Type::Entity;

    fn from_words([low, high, _]: [u32; 3]) -> Self {
        Self(u64::from(high) << 32 | u64::from(low))
    }

    fn to_words(self) -> [u32; 3] {
        [self.0 as u32, (self.0 >> 32) as u32, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_holds_crowd_generation_and_index_up_to_their_last_bits() {
        let (index, generation) = (AgentId::INDICES - 1, AgentId::GENERATIONS - 1);
        let agent = AgentId::new(index, generation).in_crowd(CrowdNumber::GROUPS);
        assert_eq!(agent.bits(), u64::MAX);
        let agent = agent.in_crowd(CrowdNumber::MAX);
        assert_eq!((agent.index(), agent.generation()), (index, generation));
        assert_eq!(agent.crowd(), CrowdNumber::MAX);
        assert_eq!(AgentId::from_words(agent.to_words()), agent);
        let small = AgentId::new(5, 3).in_crowd(CrowdNumber::new(9).unwrap());
        assert_eq!(
            (small.index(), small.generation(), small.crowd().get()),
            (5, 3, 9)
        );
        assert_eq!(small.to_string(), "agent 5.3 of crowd 9");
        assert_eq!(AgentId::new(5, 3).to_string(), "agent 5.3");
        assert_eq!(format!("{:?}", Some(small)), "Some(agent 5.3 of crowd 9)");
    }

    #[test]
    fn numbers_of_crowds_are_neither_none_nor_too_high() {
        assert_eq!(CrowdNumber::new(0), None);
        assert_eq!(CrowdNumber::new(262_143), None);
        assert_eq!(CrowdNumber::new(262_142), Some(CrowdNumber::MAX));
    }

    #[test]
    #[should_panic(expected = "an index has 28 bits")]
    fn an_index_that_does_not_fit_is_refused() {
        let _ = AgentId::new(1 << 28, 1);
    }
}
