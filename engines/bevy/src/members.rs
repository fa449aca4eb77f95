//! Who is in the groups that are spoken to: found once for all that is said to groups in a step, however
//! much it is.

use bevy_ecs::system::Query;
use statewright::AgentId;

use crate::agent::{Group, Groups, StableId};

/// All who may be in groups.
pub(crate) type MayBe<'w, 's> = Query<'w, 's, (&'static StableId, &'static Groups)>;

/// Members by group, each group in the order of agents. Kept for its memory.
#[derive(Debug, Default)]
pub(crate) struct Members {
    asked: Vec<Group>,
    list: Vec<(Group, AgentId)>,
}

impl Members {
    /// Finds everybody in these groups. Nobody is looked at if there are none.
    pub(crate) fn find(&mut self, asked: impl Iterator<Item = Group>, all: &MayBe<'_, '_>) {
        self.asked.clear();
        self.list.clear();
        self.asked.extend(asked);
        if self.asked.is_empty() {
            return;
        }
        self.asked.sort_unstable();
        self.asked.dedup();
        for (id, groups) in all.iter().filter(|(id, _)| id.slot().is_some()) {
            let asked = |group: &&Group| self.asked.binary_search(group).is_ok();
            let own = groups.0.iter().filter(asked);
            self.list.extend(own.map(|&group| (group, id.get())));
        }
        let key = |&(group, id): &(Group, AgentId)| (group, id.index());
        self.list.sort_unstable_by_key(key);
        // Whoever says a group twice is in it once.
        self.list.dedup();
    }

    /// Everybody in a group that was asked for.
    pub(crate) fn of(&self, group: Group) -> impl Iterator<Item = AgentId> {
        let first = self.list.partition_point(|(other, _)| *other < group);
        let own = self.list[first..].iter();
        own.take_while(move |(other, _)| *other == group)
            .map(|(_, id)| *id)
    }
}
