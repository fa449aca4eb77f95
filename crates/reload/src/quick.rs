//! Many agents: what does not depend on the agent is found once per leaf.
//!
//! Most agents of a crowd are in one leaf that is there in the new machine, run, and have nothing queued,
//! suspended or waiting. What becomes of such an agent is known before it is looked at:
//!
//! ```text
//! leaf of the old machine ─▶ an instance of the new one, as the longer way makes it of an agent that has
//!                            nothing; which times and words it gets from the agent; which words it must
//!                            not have, because what becomes of them depends on their value
//! ```
//!
//! Everybody else goes the longer way, [`Mapper::map`]. Both come to the same bytes: `cargo xtask reloads`
//! compares them.

use statewright_kernel::{Header, Instance, flag};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use crate::map::Mapper;
use crate::outcome::{Fate, Lost, Mapped};
use crate::plan::Plan;

/// A mapper with what is known of each leaf.
#[derive(Clone, Debug)]
pub struct Quick<'a, N> {
    mapper: Mapper<'a>,
    machine: u32,
    /// By state of the old machine.
    leaves: Vec<Option<Recipe<N>>>,
}

/// What becomes of an agent that is in one leaf.
#[derive(Clone, Debug)]
struct Recipe<N> {
    /// Of an agent that has nothing.
    base: N,
    /// Places of clocks.
    clocks: Vec<(u8, u8)>,
    timers: Vec<TimerCopy>,
    /// Timers that run on, by their old places.
    carried: u8,
    /// Timers that go the longer way if they run.
    longer: u8,
    words: Vec<(u8, u8)>,
    /// Words of agents that go the longer way if there is something in them, one bit each.
    asked: u32,
    released: u32,
}

/// A timer that runs on.
#[derive(Clone, Copy, Debug)]
struct TimerCopy {
    from: u8,
    to: u8,
    on_entry: bool,
    changed: bool,
}

impl<'a, N: Instance> Quick<'a, N> {
    /// Looks at every leaf.
    pub fn new(mapper: Mapper<'a>) -> Self {
        let (plan, old, new) = mapper.parts();
        let leaves = old.state_ids().map(|leaf| {
            let is_leaf = old.state(leaf).is_some_and(|record| record.leaf == 0);
            let found = is_leaf.then(|| mapper.alone::<N>(leaf)).flatten();
            found.and_then(|(base, mapped)| Recipe::new(plan, old, new, leaf, base, mapped))
        });
        Self {
            mapper,
            machine: old.machine_id(),
            leaves: leaves.collect(),
        }
    }

    /// Looks at none: for fewer agents than leaves.
    pub fn of_few(mapper: Mapper<'a>) -> Self {
        Self {
            mapper,
            machine: 0,
            leaves: Vec::new(),
        }
    }

    /// What an instance of the old machine is in the new one, as [`Mapper::map`] has it.
    #[inline]
    pub fn map<O: Instance>(&self, old: &O) -> (N, Mapped) {
        match self.at_once(old) {
            Some(mapped) => mapped,
            None => self.mapper.map(old),
        }
    }

    /// What an instance is in the new machine if its leaf alone decides that.
    #[inline]
    pub fn at_once<O: Instance>(&self, old: &O) -> Option<(N, Mapped)> {
        let header = old.header();
        let (first, others) = old.raw_leaves().split_first()?;
        let recipe = self.leaves.get(usize::from(first.get()))?.as_ref()?;
        let flags = header.flags.get();
        let is_plain = flags & UNLIKE == flag::STARTED
            && header.machine.get() == self.machine
            && header.event_count == 0
            && header.stack_depth == 0
            && header.armed & recipe.longer == 0
            && others.iter().all(|leaf| leaf.get() == NONE);
        if !is_plain {
            return None;
        }
        recipe.filled(old, header, flags)
    }
}

/// Of these flags an agent that its leaf decides has only Started.
const UNLIKE: u16 = flag::STARTED | flag::ENDED | flag::PAUSED | flag::INCOMPLETE;

impl<N: Instance> Recipe<N> {
    /// `None` if more than the leaf decides.
    fn new(
        plan: &Plan,
        old: &Rom<'_>,
        new: &Rom<'_>,
        leaf: StateId,
        base: N,
        mapped: Mapped,
    ) -> Option<Self> {
        let to = plan.state(leaf)?;
        let same_rate = old.header().tick_rate == new.header().tick_rate;
        if mapped.fate != Fate::Kept || mapped.lost != Lost::default() || !same_rate {
            return None;
        }
        let mut recipe = Self {
            base,
            clocks: Vec::new(),
            timers: Vec::new(),
            carried: 0,
            longer: 0,
            words: Vec::new(),
            asked: 0,
            released: mapped.released,
        };
        recipe.times(plan, Alive(old, leaf), Alive(new, to))?;
        recipe.slots(plan, Alive(old, leaf), Alive(new, to));
        Some(recipe)
    }

    fn times(&mut self, plan: &Plan, old: Alive<'_>, new: Alive<'_>) -> Option<()> {
        for (record, own) in new.0.timers().iter().zip(&plan.timers) {
            let from = own.from.and_then(|from| old.0.timer(from));
            let Some(from) = from.filter(|_| record.kind != TimerKind::Machine) else {
                continue;
            };
            if !old.has(from.owner) || !new.has(record.owner) {
                continue;
            }
            let (from, to) = (from.place, record.place);
            if record.kind == TimerKind::Clock {
                self.clocks.push((from, to));
                continue;
            }
            let on_entry = record.kind.get().is_armed_on_entry();
            if on_entry && own.changed && plan.restarts_timers {
                return None;
            }
            self.carried |= TimerSlot::new(from)?.bit();
            self.timers.push(TimerCopy {
                from,
                to,
                on_entry,
                changed: own.changed,
            });
        }
        let machine_timers = old.0.timers().iter();
        let machine_timers = machine_timers.filter(|timer| timer.kind == TimerKind::Machine);
        self.longer = machine_timers
            .flat_map(TimerRecord::timer_slots)
            .fold(0, |all, slot| all | slot.bit());
        Some(())
    }

    fn slots(&mut self, plan: &Plan, old: Alive<'_>, new: Alive<'_>) {
        let mut copied = 0;
        let mut copy = |from: SlotId, to: SlotId| {
            copied |= bit(from);
            self.words.push((from.index() as u8, to.index() as u8));
        };
        for plan in &plan.cooldowns {
            copy(plan.from, plan.to);
            copy(plan.from.offset(1), plan.to.offset(1));
        }
        for (record, from) in new.0.scratch().iter().zip(&plan.scratch) {
            let from = from.and_then(|from| old.0.scratch().get(from.index()));
            let from = from.filter(|from| old.has(from.owner) && new.has(record.owner));
            if let Some(from) = from {
                from.slots()
                    .zip(record.slots())
                    .for_each(|(from, to)| copy(from, to));
            }
        }
        // What depends on its value, or is lost.
        let rom = old.0;
        let history = rom.history().iter().flat_map(HistoryRecord::slots);
        let scratch = rom.scratch().iter().filter(|record| old.has(record.owner));
        let cooldowns = rom
            .transition_extras()
            .iter()
            .filter_map(TransitionExtra::cooldown);
        let extras = rom
            .state_extras()
            .iter()
            .filter(|extra| old.has(extra.state));
        let waiting =
            extras.flat_map(|extra| [extra.latch(), extra.result().map(|(slot, _)| slot)]);
        let frames = rom
            .stacks()
            .iter()
            .flat_map(|stack| (0..stack.depth).filter_map(|frame| stack.frame_slot(frame)));
        let lossy = scratch
            .flat_map(ScratchRecord::slots)
            .chain(cooldowns.flat_map(|slot| [slot, slot.offset(1)]))
            .filter(|&slot| copied & bit(slot) == 0);
        let all = history.chain(waiting.flatten()).chain(frames).chain(lossy);
        self.asked = all.fold(0, |all, slot| all | bit(slot));
    }

    #[inline]
    fn filled<O: Instance>(&self, old: &O, header: &Header, flags: u16) -> Option<(N, Mapped)> {
        let (times, slots) = (old.raw_timers(), old.raw_slots());
        let is_asked = |(at, slot): (usize, &U16)| slot.get() != 0 && self.asked >> at & 1 == 1;
        if self.asked != 0 && slots.iter().enumerate().any(is_asked) {
            return None;
        }
        let mut new = self.base;
        let parts = new.raw_parts();
        let mut on_old_deadline = false;
        for copy in &self.timers {
            let time = times.get(usize::from(copy.from))?;
            if header.armed >> copy.from & 1 == 1 {
                *parts.timers.get_mut(usize::from(copy.to))? = *time;
                parts.header.armed |= 1 << copy.to;
                on_old_deadline |= copy.on_entry && copy.changed;
            } else if copy.on_entry && time.get() != 0 {
                // It waits to begin.
                return None;
            }
        }
        for &(from, to) in &self.clocks {
            *parts.timers.get_mut(usize::from(to))? = *times.get(usize::from(from))?;
        }
        for &(from, to) in &self.words {
            *parts.slots.get_mut(usize::from(to))? = *slots.get(usize::from(from))?;
        }
        let found = parts.header.flags.get() & flag::POLLS;
        let kept = flags & !(flag::WORK | flag::POLLS);
        parts.header.flags.set(kept | found);
        parts.header.rng = header.rng;
        parts.header.clamped = header.clamped;
        parts
            .header
            .generation
            .set(header.generation.get().wrapping_add(1));
        let lost = header.armed & !self.carried;
        let mapped = Mapped {
            fate: Fate::Kept,
            lost: Lost {
                timers: lost.count_ones().into(),
                ..Lost::default()
            },
            released: self.released,
            on_old_deadline,
        };
        Some((new, mapped))
    }
}

/// The bit of a slot; a machine has at most 24.
fn bit(slot: SlotId) -> u32 {
    const _: () = assert!(MAX_SLOTS <= u32::BITS as usize);
    1 << slot.index()
}

/// A machine, and the one leaf that is active in it.
#[derive(Clone, Copy)]
struct Alive<'r>(&'r Rom<'r>, StateId);

impl Alive<'_> {
    /// Is a state active, or the owner of something that the machine has for life?
    fn has(self, state: U16) -> bool {
        let state = StateId::read(state);
        state.is_some_and(|state| self.0.is_ancestor_or_self(state, self.1))
    }
}
