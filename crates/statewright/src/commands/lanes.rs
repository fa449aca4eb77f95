//! Lanes: which are critical, and what becomes of several commands of one agent (CMD-1, CMD-2).

use statewright_rom::Rom;
use statewright_rom::code::arith;
pub use statewright_rom::layout::MergeRule as Merge;
use statewright_rom::layout::{BuiltInLane, MAX_LANES};

use super::record::{CommandRef, Lane};
use super::walk::Walk;
use crate::agent_id::AgentId;
use crate::value::Type;

/// `ActionCx::emit` relies on it.
const _: () = {
    let mut lane = 0;
    while lane < BuiltInLane::COUNT {
        assert!(!matches!(BuiltInLane::ALL[lane].merge(), Merge::Accumulate));
        lane += 1;
    }
};

/// Rules of all lanes of a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneRules {
    pub(super) merge: [Merge; MAX_LANES],
    /// One bit per lane.
    pub(crate) critical: u32,
    /// One bit per lane that sums up.
    pub(crate) accumulate: u32,
}

/// Bits for lanes.
const _: () = assert!(MAX_LANES == u32::BITS as usize);

/// Lanes that no machine has keep everything.
impl Default for LaneRules {
    fn default() -> Self {
        Self {
            merge: [Merge::StrictOrder; MAX_LANES],
            critical: 0,
            accumulate: 0,
        }
    }
}

impl LaneRules {
    pub(crate) fn new(rom: &Rom<'_>) -> Self {
        let mut rules = Self::default();
        let own = rom
            .lanes()
            .iter()
            .map(|record| (record.merge.get(), record.critical == 1));
        let built_in = BuiltInLane::ALL.map(|lane| (lane.merge(), false));
        let all = built_in.into_iter().chain(own);
        for ((place, cell), (merge, critical)) in rules.merge.iter_mut().enumerate().zip(all) {
            *cell = merge;
            rules.critical |= u32::from(critical) << place;
            rules.accumulate |= u32::from(merge == Merge::Accumulate) << place;
        }
        rules
    }

    pub(crate) fn merge(&self, lane: Lane) -> Merge {
        self.merge
            .get(usize::from(lane.number()))
            .copied()
            .unwrap_or(Merge::StrictOrder)
    }
}

/// Adds the words of an `emit` to those of an earlier one; `false` if its type has no sum.
pub(crate) fn add(ty: u8, sum: &mut [u8], payload: &[u8]) -> bool {
    let words = match Type::from_number(ty) {
        Some(Type::I32 | Type::F32) => 1,
        Some(Type::Vec2) => 2,
        Some(Type::Vec3) => 3,
        Some(Type::Bool | Type::Entity | Type::Symbol) | None => return false,
    };
    let word = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).map_or(0, u32::from_le_bytes);
    for (sum, payload) in sum
        .chunks_exact_mut(4)
        .zip(payload.chunks_exact(4))
        .take(words)
    {
        let (a, b) = (word(sum), word(payload));
        let both = if ty == Type::I32.number() {
            add_integers(a, b)
        } else {
            add_floats(a, b)
        };
        sum.copy_from_slice(&both.to_le_bytes());
    }
    true
}

fn add_integers(a: u32, b: u32) -> u32 {
    a.cast_signed()
        .saturating_add(b.cast_signed())
        .cast_unsigned()
}

fn add_floats(a: u32, b: u32) -> u32 {
    // Not a number stays so: that is a mistake to be seen.
    arith::f32_add(f32::from_bits(a), f32::from_bits(b))
        .clamp(f32::MIN, f32::MAX)
        .to_bits()
}

/// What the merge rule leaves of one lane of one chunk, in the order of agents and emission.
/// Allocates nothing: it looks ahead and back among the commands of one agent, which the budget
/// keeps few.
#[derive(Clone, Debug)]
pub(crate) struct Net<'a> {
    walk: Walk<'a>,
    /// At the first command of the agent.
    agent: Walk<'a>,
    current: AgentId,
    lane: Lane,
    merge: Merge,
}

impl<'a> Net<'a> {
    pub(crate) fn new(walk: Walk<'a>, lane: Lane, merge: Merge) -> Self {
        // No agent has generation 0.
        Self {
            agent: walk.clone(),
            walk,
            current: AgentId::default(),
            lane,
            merge,
        }
    }

    fn next_that_remains(&mut self) -> Option<CommandRef<'a>> {
        loop {
            let before = self.walk.clone();
            let command = self.walk.next()?;
            if command.agent() != self.current {
                (self.current, self.agent) = (command.agent(), before);
            }
            if command.lane() == self.lane && self.remains(&command) {
                return Some(command);
            }
        }
    }

    fn remains(&self, command: &CommandRef<'_>) -> bool {
        match self.merge {
            Merge::StrictOrder | Merge::Accumulate => true,
            Merge::LastWriterWins => !self
                .others(&self.walk)
                .any(|later| later.head().is_like(&command.head())),
            Merge::Deduplicate => {
                // The search ends at the command itself at the latest.
                let equal = |one: &CommandRef<'_>| {
                    one.head().is_like(&command.head()) && one.is_equal(command)
                };
                self.others(&self.agent)
                    .find(equal)
                    .is_none_or(|first| std::ptr::eq(first.payload, command.payload))
            }
        }
    }

    /// Commands of the current agent from a place on.
    fn others(&self, from: &Walk<'a>) -> impl Iterator<Item = CommandRef<'a>> {
        let (current, lane) = (self.current, self.lane);
        from.clone()
            .take_while(move |command| command.agent() == current)
            .filter(move |one| one.lane() == lane)
    }
}

impl CommandRef<'_> {
    /// Same type and content?
    fn is_equal(&self, other: &CommandRef<'_>) -> bool {
        self.head().ty == other.head().ty && self.payload == other.payload
    }
}

impl<'a> Iterator for Net<'a> {
    type Item = CommandRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<CommandRef<'a>> {
        match self.merge {
            Merge::StrictOrder | Merge::Accumulate => {
                let lane = self.lane;
                self.walk.find(|command| command.lane() == lane)
            }
            Merge::LastWriterWins | Merge::Deduplicate => self.next_that_remains(),
        }
    }
}
