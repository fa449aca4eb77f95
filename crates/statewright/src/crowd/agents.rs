//! Who there is: instances, blackboards, ids and variants, side by side by index.

use std::fmt;

use statewright_kernel as kernel;
use statewright_rom::ids::VariantId;

use super::instances::{Instances, with_instances};
use crate::agent_id::{AgentId, CrowdNumber};
use crate::board::Board;
use crate::handle::WrongHandle;
use crate::machine::Machine;
use crate::world::GroupId;

/// The id of somebody who is not in the crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It was despawned, or never there.
    Gone(AgentId),
    /// It is of another crowd.
    Foreign {
        /// The agent.
        agent: AgentId,
        /// The crowd that was asked.
        crowd: CrowdNumber,
    },
    /// Its crowd is not in the world that was asked.
    NoCrowd(AgentId),
    /// It is a group of a world.
    Group(GroupId),
    /// It is `AgentId::default()`, which no agent has.
    Nobody,
}

impl Missing {
    /// Of an id that belongs to no crowd which is known.
    #[cold]
    pub(crate) fn of_no_crowd(agent: AgentId) -> Self {
        match GroupId::of(agent) {
            Some(group) => Self::Group(group),
            None if agent == AgentId::default() => Self::Nobody,
            None => Self::NoCrowd(agent),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(agent) => {
                write!(
                    f,
                    "{agent} is not in the crowd: it was despawned, or never there"
                )
            }
            Self::Foreign { agent, crowd } => write!(
                f,
                "{agent} is not in this crowd, which is crowd {crowd}: ask the crowd that it belongs to"
            ),
            Self::NoCrowd(agent) => write!(
                f,
                "{agent} is not in this world: its crowd left it, or never joined"
            ),
            Self::Group(group) => write!(
                f,
                "{group} is a group, not an agent: `World::send_to_group` speaks to its members"
            ),
            Self::Nobody => {
                f.write_str("the id is `AgentId::default()`, which is nobody's: it was never set")
            }
        }
    }
}

impl std::error::Error for Missing {}

/// Why a crowd cannot say something of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookError {
    /// There is no such agent.
    Missing(Missing),
    /// It was asked about something that its machine does not have.
    Handle(WrongHandle),
}

impl fmt::Display for LookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(error) => error.fmt(f),
            Self::Handle(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LookError {}

impl From<Missing> for LookError {
    fn from(error: Missing) -> Self {
        Self::Missing(error)
    }
}

impl From<WrongHandle> for LookError {
    fn from(error: WrongHandle) -> Self {
        Self::Handle(error)
    }
}

/// Why an agent was not added; the crowd is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpawnError {
    /// There are 2^28 agents already.
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
    /// The variant is one of another machine, or gone from this version.
    Variant(WrongHandle),
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooMany => f.write_str("a crowd has at most 2^28 agents"),
            Self::BoardDoesNotFit { machine } => write!(
                f,
                "the blackboard was made for another machine than `{machine}`, with other keys: make it with the machine of the crowd"
            ),
            Self::UnknownVariant { machine, variant } => write_unknown(f, machine, *variant),
            Self::Variant(error) => error.fmt(f),
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
    /// The variant is one of another machine, or gone from this version.
    Variant(WrongHandle),
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => missing.fmt(f),
            Self::UnknownVariant { machine, variant } => write_unknown(f, machine, *variant),
            Self::Variant(error) => error.fmt(f),
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
    /// What ids of these agents know the crowd by.
    pub(super) number: CrowdNumber,
    /// How many agents began and ended at an index: odd while there is one, [`RETIRED`] if there
    /// will be none any more.
    pub(super) generations: Vec<u32>,
    /// Indices without agent; the last is used first.
    pub(super) free: Vec<u32>,
    /// Indices that are not used again.
    pub(super) retired: usize,
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
            number: CrowdNumber::of(machine, seed),
            generations: Vec::new(),
            free: Vec::new(),
            retired: 0,
            variants: Vec::new(),
            seed,
            spawned: 0,
        }
    }

    /// The same agents with other blackboards.
    pub(super) fn with_boards<O>(self, boards: Vec<O>) -> Agents<O> {
        Agents {
            instances: self.instances,
            boards,
            number: self.number,
            generations: self.generations,
            free: self.free,
            retired: self.retired,
            variants: self.variants,
            seed: self.seed,
            spawned: self.spawned,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.generations.len() - self.free.len() - self.retired
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

    /// There are no more than so many indices.
    pub(super) fn truncate(&mut self, slots: usize) {
        self.instances.truncate(slots);
        self.boards.truncate(slots);
        self.generations.truncate(slots);
    }

    /// All of them, by index.
    pub(super) fn ids(&self) -> impl Iterator<Item = AgentId> + '_ {
        let number = self.number;
        (0_u32..)
            .zip(&self.generations)
            .filter(|(_, generation)| *generation % 2 == 1)
            .map(move |(index, &generation)| AgentId::pack(number, index, generation))
    }

    /// Those of its instances at whose index somebody is.
    pub(super) fn present<'a, I>(&'a self, instances: &'a [I]) -> impl Iterator<Item = &'a I> {
        let all = instances.iter().zip(&self.generations);
        all.filter(|(_, generation)| *generation % 2 == 1)
            .map(|(instance, _)| instance)
    }

    /// Where an agent lies.
    #[inline]
    pub(super) fn index(&self, agent: AgentId) -> Result<usize, Missing> {
        if self.roster().has(agent) {
            Ok(agent.index() as usize)
        } else {
            Err(self.missing(agent))
        }
    }

    #[cold]
    fn missing(&self, agent: AgentId) -> Missing {
        if agent.crowd() == self.number {
            return Missing::Gone(agent);
        }
        let crowd = self.number;
        match Missing::of_no_crowd(agent) {
            Missing::NoCrowd(agent) => Missing::Foreign { agent, crowd },
            other => other,
        }
    }

    /// Who is there, by id.
    #[inline]
    pub(super) fn roster(&self) -> Roster<'_> {
        Roster::new(self.number, &self.generations)
    }

    /// Who has the next agent's place: its id, or none if there are 2^28 already.
    pub(super) fn next_id(&self) -> Option<AgentId> {
        let slot = self.free.last().copied();
        let behind = || u32::try_from(self.slots()).ok();
        let index = slot
            .or_else(behind)
            .filter(|&index| index < AgentId::INDICES)?;
        let generation = self.generations.get(index as usize).copied().unwrap_or(0);
        Some(AgentId::pack(self.number, index, generation + 1))
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
        self.generations[index] += 1;
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
        self.generations[index] += 1;
        if self.generations[index] == RETIRED {
            self.retired += 1;
        } else {
            self.free.push(index as u32);
        }
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

/// The generation of an index whose ids are used up: no id has it.
pub(super) const RETIRED: u32 = AgentId::GENERATIONS;
const _: () = assert!(RETIRED.is_multiple_of(2), "nobody is there");

/// Who is there, by id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roster<'a> {
    /// The bits that ids of the crowd have in common: made once per tick, not once per id.
    crowd: AgentId,
    /// Per index; those without one are the first of theirs.
    generations: &'a [u32],
}

impl<'a> Roster<'a> {
    #[inline]
    pub(crate) fn new(number: CrowdNumber, generations: &'a [u32]) -> Self {
        Self {
            crowd: AgentId::pack(number, 0, 0),
            generations,
        }
    }

    /// Is there such an agent?
    #[inline]
    pub(crate) fn has(self, agent: AgentId) -> bool {
        let generation = self.generations.get(agent.index() as usize);
        generation
            .is_some_and(|&generation| generation % 2 == 1 && agent.is_of(self.crowd, generation))
    }

    /// Who is at an index.
    #[inline]
    pub(crate) fn at(self, index: usize) -> AgentId {
        let generation = self.generations.get(index).copied().unwrap_or(1);
        self.id(index as u32, generation)
    }

    /// The id of somebody who was at an index.
    #[inline]
    pub(crate) fn id(self, index: u32, generation: u32) -> AgentId {
        self.crowd.with(index, generation)
    }
}
