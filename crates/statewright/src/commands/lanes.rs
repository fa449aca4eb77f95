//! Lanes: which are critical, and what becomes of several commands of one agent (CMD-1, CMD-2).

use std::collections::HashSet;

use statewright_rom::Rom;
use statewright_rom::code::arith;
pub use statewright_rom::layout::MergeRule as Merge;
use statewright_rom::layout::{BuiltInLane, LaneKey, LaneScope, MAX_LANES};

use super::record::{CommandRef, Lane};
use super::walk::Walk;
use crate::agent_id::AgentId;
use crate::value::Type;

/// Rules of all lanes of a machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneRules {
    pub(super) merge: [Merge; MAX_LANES],
    /// One bit per lane.
    pub(crate) critical: u32,
    /// One bit per lane that sums up.
    pub(crate) accumulate: u32,
    /// One bit per lane where the last command of each name remains.
    pub(super) by_name: u32,
    /// One bit per lane where equal commands of all agents count once.
    pub(super) of_crowd: u32,
    /// One bit per lane with a cap.
    pub(super) capped: u32,
    /// Most commands of an agent and tick; 0 = no cap.
    pub(super) caps: [u16; MAX_LANES],
}

/// What a host says of a lane, whatever the machine says ([`Program::set_lane`]). What is `None`
/// stays as it is.
///
/// [`Program::set_lane`]: crate::Program::set_lane
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneRule {
    /// May its commands use the reserved part of the budget (CMD-2)?
    pub critical: Option<bool>,
    /// Most commands of one agent and tick; more are dropped, flagged and counted. 0 = no cap.
    pub cap: Option<u16>,
}

/// Bits for lanes.
const _: () = assert!(MAX_LANES == u32::BITS as usize);

impl Default for LaneRules {
    fn default() -> Self {
        Self::NONE
    }
}

impl LaneRules {
    /// Lanes that no machine has keep everything.
    pub(super) const NONE: Self = Self {
        merge: [Merge::StrictOrder; MAX_LANES],
        critical: 0,
        accumulate: 0,
        by_name: 0,
        of_crowd: 0,
        capped: 0,
        caps: [0; MAX_LANES],
    };

    pub(crate) fn new(rom: &Rom<'_>) -> Self {
        let mut rules = Self::default();
        for lane in BuiltInLane::ALL {
            let number = usize::from(lane.number());
            rules.put(number, lane.merge(), lane.is_critical());
            rules.by_name |= u32::from(lane.key() == LaneKey::Name) << number;
        }
        for record in rom.lanes().iter().chain(rom.built_in_lanes()) {
            let number = usize::from(record.number);
            rules.put(number, record.merge.get(), record.critical == 1);
            set_bit(&mut rules.by_name, number, record.key == LaneKey::Name);
            set_bit(
                &mut rules.of_crowd,
                number,
                record.scope == LaneScope::Crowd,
            );
            rules.set_cap(number, record.cap.get());
        }
        rules
    }

    fn put(&mut self, number: usize, merge: Merge, critical: bool) {
        if let Some(cell) = self.merge.get_mut(number) {
            *cell = merge;
        }
        set_bit(&mut self.critical, number, critical);
        set_bit(&mut self.accumulate, number, merge == Merge::Accumulate);
    }

    fn set_cap(&mut self, number: usize, cap: u16) {
        if let Some(cell) = self.caps.get_mut(number) {
            *cell = cap;
        }
        set_bit(&mut self.capped, number, cap > 0);
    }

    /// What the host says of a lane.
    pub(crate) fn set(&mut self, lane: Lane, rule: LaneRule) {
        let number = usize::from(lane.number());
        if let Some(critical) = rule.critical {
            set_bit(&mut self.critical, number, critical);
        }
        if let Some(cap) = rule.cap {
            self.set_cap(number, cap);
        }
    }

    /// What holds of a lane.
    pub(crate) fn rule(&self, lane: Lane) -> LaneRule {
        let number = usize::from(lane.number());
        LaneRule {
            critical: Some(self.critical >> (number & 31) & 1 == 1),
            cap: Some(self.caps.get(number).copied().unwrap_or(0)),
        }
    }

    /// How a lane is read.
    pub(crate) fn reading(&self, lane: Lane) -> Reading {
        let has = |bits: u32| bits >> (lane.number() & 31) & 1 != 0;
        Reading {
            lane,
            merge: self.merge(lane),
            by_name: has(self.by_name),
            of_crowd: has(self.of_crowd),
        }
    }

    pub(crate) fn merge(&self, lane: Lane) -> Merge {
        self.merge
            .get(usize::from(lane.number()))
            .copied()
            .unwrap_or(Merge::StrictOrder)
    }
}

fn set_bit(bits: &mut u32, number: usize, on: bool) {
    let bit = 1_u32.checked_shl(number as u32).unwrap_or(0);
    *bits = if on { *bits | bit } else { *bits & !bit };
}

/// A lane and what its rules leave of its commands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub(crate) lane: Lane,
    merge: Merge,
    by_name: bool,
    of_crowd: bool,
}

/// Commands of a lane that were there already, of any agent: for lanes that deduplicate in the
/// whole crowd. Others keep nothing here, so reading them allocates nothing.
pub(crate) type Seen<'a> = HashSet<(u8, u32, u8, &'a [u8])>;

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
    reading: Reading,
}

impl<'a> Net<'a> {
    pub(crate) fn new(walk: Walk<'a>, reading: Reading) -> Self {
        // No agent has generation 0.
        Self {
            agent: walk.clone(),
            walk,
            current: AgentId::default(),
            reading,
        }
    }

    /// The next one; `seen` has what other agents said.
    #[inline]
    pub(crate) fn next(&mut self, seen: &mut Seen<'a>) -> Option<CommandRef<'a>> {
        let lane = self.reading.lane;
        match self.reading.merge {
            Merge::StrictOrder | Merge::Accumulate => {
                self.walk.find(|command| command.lane() == lane)
            }
            Merge::Deduplicate if self.reading.of_crowd => self.walk.find(|command| {
                let head = command.head();
                let mut is_new = || seen.insert((head.what, head.name, head.ty, command.payload));
                command.lane() == lane && (!head.is_said() || is_new())
            }),
            Merge::LastWriterWins | Merge::Deduplicate => self.next_that_remains(),
        }
    }

    fn next_that_remains(&mut self) -> Option<CommandRef<'a>> {
        loop {
            let before = self.walk.clone();
            let command = self.walk.next()?;
            if command.agent() != self.current {
                (self.current, self.agent) = (command.agent(), before);
            }
            if command.lane() == self.reading.lane && self.remains(&command) {
                return Some(command);
            }
        }
    }

    fn remains(&self, command: &CommandRef<'_>) -> bool {
        let by_name = self.reading.by_name;
        match self.reading.merge {
            Merge::StrictOrder | Merge::Accumulate => true,
            Merge::LastWriterWins => !self
                .others(&self.walk)
                .any(|later| later.head().takes_over(&command.head(), by_name)),
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
        let (current, lane) = (self.current, self.reading.lane);
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
