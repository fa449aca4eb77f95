//! Groups: agents of any crowds that are spoken to together, such as a squad.
//!
//! A group has an id like an agent's, with a crowd number of its own: so whoever can send to an
//! agent, in Rust or in a machine file, can send to a group.

use std::fmt;

use crate::agent_id::{AgentId, CrowdNumber};
use crate::event::WrongEvent;
use crate::value::{Type, Value};

/// A group of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(AgentId);

impl GroupId {
    /// As a receiver of messages: what [`ActionCx::send`](crate::ActionCx::send) and `send` in
    /// machine files take.
    pub const fn receiver(self) -> AgentId {
        self.0
    }

    /// The group that messages to this receiver go to; `None` if it is an agent.
    pub fn of(receiver: AgentId) -> Option<Self> {
        (receiver.crowd() == CrowdNumber::GROUPS).then_some(Self(receiver))
    }

    fn index(self) -> usize {
        self.0.index() as usize
    }
}

impl From<GroupId> for AgentId {
    fn from(group: GroupId) -> Self {
        group.receiver()
    }
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group {}.{}", self.0.index(), self.0.generation())
    }
}

/// As an entity, for payloads and blackboards.
impl Value for GroupId {
    const TYPE: Type = Type::Entity;

    fn from_words(words: [u32; 3]) -> Self {
        Self(AgentId::from_words(words))
    }

    fn to_words(self) -> [u32; 3] {
        self.0.to_words()
    }
}

/// What became of an event for a group, or for all agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// Those who get it in their next tick.
    pub reached: usize,
    /// Those whose machine does not know the event.
    pub unknown: usize,
    /// Those whose machine has it with another payload ([`World::conflicts`] says which).
    ///
    /// [`World::conflicts`]: crate::World::conflicts
    pub conflicting: usize,
}

/// Why a group did not do something; nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupError {
    /// The group was dissolved, or is one of another world.
    Gone(GroupId),
    /// There is no such agent in the world.
    Missing(AgentId),
    /// The agent is in the group already.
    Member(AgentId),
    /// The agent is not in the group.
    NoMember(AgentId),
    /// Nobody is in the group any more.
    Nobody(GroupId),
    /// The event is none of this world, or cannot carry this.
    Event(WrongEvent),
    /// There are 2^28 groups already.
    TooMany,
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(group) => write!(
                f,
                "{group} is not in this world: it was dissolved, or is one of another world"
            ),
            Self::Missing(agent) => write!(f, "{agent} is not in this world"),
            Self::Member(agent) => write!(f, "{agent} is in the group already"),
            Self::NoMember(agent) => write!(f, "{agent} is not in the group"),
            Self::Nobody(group) => write!(f, "nobody of {group} is left"),
            Self::Event(error) => error.fmt(f),
            Self::TooMany => f.write_str("a world has at most 2^28 groups"),
        }
    }
}

impl std::error::Error for GroupError {}

/// All groups. Members in the order in which they joined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Groups {
    pub(super) slots: Vec<Slot>,
    /// Slots without group; the last is used first.
    pub(super) free: Vec<u32>,
}

/// One group, or the place of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slot {
    /// Odd while there is a group.
    pub(super) generation: u32,
    pub(super) members: Vec<AgentId>,
    /// How many had gone from the world when it was last asked who of the members is there.
    pub(super) seen: Option<u64>,
}

/// Members of a group, taken out while they are spoken to.
#[derive(Debug)]
pub(super) struct Members {
    group: GroupId,
    pub(super) list: Vec<AgentId>,
    pub(super) seen: Option<u64>,
}

/// Life.
impl Groups {
    /// The id of the next new one; `None` if there are 2^28 already.
    pub(super) fn next_id(&self) -> Option<GroupId> {
        let behind = || u32::try_from(self.slots.len()).ok();
        let index = self.free.last().copied().or_else(behind);
        let index = index.filter(|&index| index < AgentId::INDICES)?;
        let slot = self.slots.get(index as usize);
        let generation = slot.map_or(0, |slot| slot.generation) + 1;
        Some(GroupId(AgentId::pack(
            CrowdNumber::GROUPS,
            index,
            generation,
        )))
    }

    /// A new one: that of [`Self::next_id`].
    pub(super) fn add(&mut self) -> Option<GroupId> {
        let group = self.next_id()?;
        if self.free.pop().is_none() {
            self.slots.push(Slot::default());
        }
        self.slots.get_mut(group.index())?.generation += 1;
        Some(group)
    }

    /// The end of one.
    pub(super) fn remove(&mut self, group: GroupId) {
        let Some(slot) = self.slot_mut(group) else {
            return debug_assert!(false, "{group} was checked");
        };
        (slot.members, slot.seen) = (Vec::new(), None);
        slot.generation += 1;
        // One whose ids are used up is not used again.
        if slot.generation < AgentId::GENERATIONS {
            self.free.push(group.0.index());
        }
    }
}

/// Members.
impl Groups {
    pub(super) fn members(&self, group: GroupId) -> Result<&[AgentId], GroupError> {
        let slot = self.slots.get(group.index());
        let slot = slot.filter(|slot| slot.is(group));
        slot.map(|slot| slot.members.as_slice())
            .ok_or(GroupError::Gone(group))
    }

    /// An agent who is there becomes the last member.
    pub(super) fn join(&mut self, group: GroupId, agent: AgentId) {
        match self.slot_mut(group) {
            Some(slot) => slot.members.push(agent),
            None => debug_assert!(false, "{group} was checked"),
        }
    }

    pub(super) fn leave(&mut self, group: GroupId, agent: AgentId) {
        match self.slot_mut(group) {
            Some(slot) => slot.members.retain(|&member| member != agent),
            None => debug_assert!(false, "{group} was checked"),
        }
    }

    /// Agents of a crowd are members of no group any more.
    pub(super) fn forget(&mut self, crowd: CrowdNumber) {
        for slot in &mut self.slots {
            slot.members.retain(|member| member.crowd() != crowd);
        }
    }

    /// All members, to be [put back](Self::put_back); `None` if the group is gone.
    pub(super) fn take(&mut self, group: GroupId) -> Option<Members> {
        let slot = self.slot_mut(group)?;
        Some(Members {
            group,
            list: std::mem::take(&mut slot.members),
            seen: slot.seen,
        })
    }

    pub(super) fn put_back(&mut self, members: Members) {
        if let Some(slot) = self.slot_mut(members.group) {
            (slot.members, slot.seen) = (members.list, members.seen);
        }
    }

    fn slot_mut(&mut self, group: GroupId) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(group.index());
        slot.filter(|slot| slot.is(group))
    }
}

impl Slot {
    fn is(&self, group: GroupId) -> bool {
        self.generation % 2 == 1
            && self.generation == group.0.generation()
            && group.0.crowd() == CrowdNumber::GROUPS
    }
}
