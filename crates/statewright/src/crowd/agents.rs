//! Who there is: instances, blackboards, ids and variants, side by side by index.

use std::fmt;

use statewright_kernel as kernel;
use statewright_rom::ids::VariantId;

use super::instances::{Instances, with_instances};
use crate::board::Board;
use crate::machine::Machine;
use crate::value::AgentId;

/// The handle of an agent that is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(pub AgentId);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} is not in the crowd: it was despawned, or belongs to another crowd",
            self.0
        )
    }
}

impl std::error::Error for Missing {}

/// Why an agent was not added; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnError {
    /// There are 2^32 agents already.
    TooMany,
    /// The blackboard is one of another machine.
    BoardDoesNotFit {
        /// Name of the crowd's machine.
        machine: String,
    },
    /// The machine has no such variant: it is one of another machine.
    UnknownVariant {
        /// Name of the crowd's machine.
        machine: String,
        /// The variant.
        variant: VariantId,
    },
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str("a crowd has at most 2^32 agents"),
            Self::BoardDoesNotFit { machine } => write!(
                f,
                "the blackboard was made for another machine than `{machine}`, with other keys: make it with the machine of the crowd"
            ),
            Self::UnknownVariant { machine, variant } => write_unknown(f, machine, *variant),
        }
    }
}

impl std::error::Error for SpawnError {}

/// Why an agent keeps the variant that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariantError {
    /// There is no such agent.
    Missing(Missing),
    /// The machine has no such variant: it is one of another machine.
    UnknownVariant {
        /// Name of the crowd's machine.
        machine: String,
        /// The variant.
        variant: VariantId,
    },
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => missing.fmt(f),
            Self::UnknownVariant { machine, variant } => write_unknown(f, machine, *variant),
        }
    }
}

impl std::error::Error for VariantError {}

impl From<Missing> for VariantError {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

fn write_unknown(f: &mut fmt::Formatter<'_>, machine: &str, variant: VariantId) -> fmt::Result {
    write!(
        f,
        "`{machine}` has no variant {variant}: it is one of another machine"
    )
}

/// Does a machine have a variant? Every machine has the plain one.
pub(super) fn has_variant(machine: &Machine, variant: VariantId) -> bool {
    variant.index() < machine.rom().variants().len().max(1)
}

/// Agents side by side. What lies at an index without agent is a leftover.
#[derive(Clone, Debug)]
pub(super) struct Agents<B> {
    pub(super) instances: Instances,
    pub(super) boards: Vec<B>,
    /// How many agents began and ended at an index: odd while there is one.
    pub(super) generations: Vec<u32>,
    /// Indices without agent; the last is used first.
    pub(super) free: Vec<u32>,
    /// One per index, if any agent has one; may end early, the rest is plain.
    pub(super) variants: Vec<VariantId>,
    pub(super) seed: u64,
    pub(super) spawned: u64,
}

impl<B> Agents<B> {
    /// None yet, of a machine.
    pub(super) fn new(machine: &Machine, seed: u64) -> Self {
        Self {
            instances: Instances::new(&machine.rom()),
            boards: Vec::new(),
            generations: Vec::new(),
            free: Vec::new(),
            variants: Vec::new(),
            seed,
            spawned: 0,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.generations.len() - self.free.len()
    }

    /// How many indices there are, in use or not.
    pub(super) fn slots(&self) -> usize {
        self.generations.len()
    }

    pub(super) fn reserve(&mut self, more: usize) {
        self.instances.reserve(more);
        self.boards.reserve(more);
        self.generations.reserve(more);
    }

    /// All of them, by index.
    pub(super) fn ids(&self) -> impl Iterator<Item = AgentId> + '_ {
        (0_u32..)
            .zip(&self.generations)
            .filter(|(_, generation)| *generation % 2 == 1)
            .map(|(index, &generation)| AgentId::new(index, generation))
    }

    /// Where an agent lies.
    #[inline]
    pub(super) fn index(&self, agent: AgentId) -> Result<usize, Missing> {
        if is_alive(&self.generations, agent) {
            Ok(agent.index() as usize)
        } else {
            Err(Missing(agent))
        }
    }

    /// Who has the next agent's place: its id, or none if there are 2^32 already.
    pub(super) fn next_id(&self) -> Option<AgentId> {
        let slot = self.free.last().copied();
        let index = slot.or_else(|| u32::try_from(self.slots()).ok())?;
        let generation = self.generations.get(index as usize).copied().unwrap_or(0);
        Some(AgentId::new(index, generation.wrapping_add(1)))
    }
}

/// Life.
impl<B: Board> Agents<B> {
    /// An agent begins at a free index, or one behind the last: the one of [`Self::next_id`].
    pub(super) fn spawn(
        &mut self,
        machine: &Machine,
        board: B,
        variant: Option<VariantId>,
    ) -> usize {
        let index = self.free.pop().map_or(self.slots(), |index| index as usize);
        match self.boards.get_mut(index) {
            Some(old) => *old = board,
            None => {
                self.boards.push(board);
                self.generations.push(0);
            }
        }
        self.generations[index] = self.generations[index].wrapping_add(1);
        // Each agent has random numbers of its own, also where another one was before.
        self.instances
            .put(machine.id(), self.seed, self.spawned, index);
        self.spawned += 1;
        match (variant, self.variants.get_mut(index)) {
            (Some(variant), _) => self.set_variant(index, variant),
            (None, Some(old)) => *old = VariantId::PLAIN,
            (None, None) => {}
        }
        index
    }

    /// An agent ends; its blackboard stays until somebody else takes its index.
    pub(super) fn despawn(&mut self, index: usize) {
        self.generations[index] = self.generations[index].wrapping_add(1);
        self.free.push(index as u32);
    }
}

/// Variants.
impl<B> Agents<B> {
    pub(super) fn variant(&self, index: usize) -> VariantId {
        self.variants
            .get(index)
            .copied()
            .unwrap_or(VariantId::PLAIN)
    }

    pub(super) fn set_variant(&mut self, index: usize, variant: VariantId) {
        self.variants.resize(self.slots(), VariantId::PLAIN);
        self.variants[index] = variant;
    }

    /// Where anybody has a variant, everybody does: those behind the end the plain one.
    pub(super) fn complete_variants(&mut self) {
        if !self.variants.is_empty() {
            self.variants.resize(self.slots(), VariantId::PLAIN);
        }
    }
}

/// Instances.
impl<B> Agents<B> {
    /// Flags of an agent.
    pub(super) fn flags(&self, index: usize) -> u16 {
        with_instances!(&self.instances, list => kernel::Instance::header(&list[index]).flags.get())
    }
}

/// Is there such an agent?
#[inline]
pub(super) fn is_alive(generations: &[u32], agent: AgentId) -> bool {
    agent.generation() % 2 == 1
        && generations.get(agent.index() as usize) == Some(&agent.generation())
}
