//! One instance: where its leaves land, and what follows from that (LOAD-3).
//!
//! ```text
//! old tree          new tree          old leaf   lands in
//! root              root              A1         A     A1 is gone: its nearest ancestor that is there
//! ├── A             ├── A             B          B     wherever it is now
//! │   ├── A1        │   └── A2
//! │   └── A2        └── C             A and B together: kept if no two children of one region
//! └── …B            │   └── B         are active, else the agent begins anew
//! ```

use statewright_kernel::{Instance, RawParts, check, flag, renew, with_tier};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::carry::Carry;
use crate::levels::{Level, Levels, View};
use crate::outcome::{Anew, Completed, Fate, Lost, Mapped};
use crate::places::are_shared;
use crate::plan::Plan;
use crate::time::Times;

/// Maps instances of one machine to another at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Mapper<'a> {
    plan: &'a Plan,
    old: &'a Rom<'a>,
    new: &'a Rom<'a>,
    /// The next tick.
    now: u32,
}

/// What stays of a running agent.
struct Stays {
    levels: Levels,
    /// A leaf was replaced by a state around it.
    state_gone: bool,
}

impl<'a> Mapper<'a> {
    /// For agents whose next tick is `now`; `None` if the plan is not of these machines.
    pub fn new(plan: &'a Plan, old: &'a Rom<'a>, new: &'a Rom<'a>, now: u32) -> Option<Self> {
        let fits = plan.is_of(old, new);
        fits.then_some(Self {
            plan,
            old,
            new,
            now,
        })
    }

    /// What an instance of the old machine is in the new one. `N` is of the tier of the new machine.
    pub fn map<O: Instance, N: Instance>(&self, old: &O) -> (N, Mapped) {
        let fresh = || N::of_machine(self.new.machine_id(), 0, 0);
        let mut new = fresh();
        let view = View::of(old);
        let mut mapped = if check(self.old, old).is_err() {
            self.quarantined(&view, new.raw_parts())
        } else {
            self.any(&view, new.raw_parts())
        };
        if let Fate::Kept | Fate::Completed(_) = mapped.fate
            && !self.settle(&mut new, &mut mapped)
        {
            new = fresh();
            let why = if view.header.stack_depth > 0 {
                Anew::Stack
            } else {
                Anew::Inconsistent
            };
            mapped = self.anew(&view, new.raw_parts(), why);
        }
        renew(self.new, &mut new);
        (new, mapped)
    }

    /// The plan, the old machine and the new one.
    pub(crate) fn parts(&self) -> (&'a Plan, &'a Rom<'a>, &'a Rom<'a>) {
        (self.plan, self.old, self.new)
    }

    /// What an agent becomes that is in one leaf and has nothing.
    pub(crate) fn alone<N: Instance>(&self, leaf: StateId) -> Option<(N, Mapped)> {
        with_tier!(self.old, O => {
            let mut old = O::of_machine(self.old.machine_id(), 0, 0);
            let parts = old.raw_parts();
            parts.header.flags.set(flag::STARTED);
            parts.leaves.first_mut()?.set(leaf.raw());
            Some(self.map(&old))
        })
    }

    /// Is a kept configuration legal, whole or as a part of one? Says which.
    fn settle<N: Instance>(&self, new: &mut N, mapped: &mut Mapped) -> bool {
        let before = new.header().flags.get();
        new.header_mut().flags.set(before & !flag::INCOMPLETE);
        let is_whole = check(self.new, new).is_ok();
        let why = match mapped.fate {
            Fate::Completed(why @ (Completed::TimerWaits | Completed::Before)) => Some(why),
            Fate::Completed(why) if !is_whole => Some(why),
            _ if !is_whole => Some(Completed::RegionAdded),
            _ => self.ends_something(new).then_some(Completed::NowFinal),
        };
        let Some(why) = why else {
            mapped.fate = Fate::Kept;
            return true;
        };
        mapped.fate = Fate::Completed(why);
        new.header_mut().flags.set(before | flag::INCOMPLETE);
        check(self.new, new).is_ok()
    }

    /// Is a leaf final that was not, or is the root complete?
    fn ends_something<N: Instance>(&self, new: &N) -> bool {
        let kind = |rom: &Rom<'_>, state| rom.state(state).map(|record| record.kind.get());
        let is_final = |leaf: &StateId| kind(self.new, *leaf) == Some(StateKind::Final);
        let leaves = || {
            let raw = new.raw_leaves().iter();
            raw.filter_map(|&leaf| StateId::read(leaf))
        };
        let became_final = |leaf: StateId| {
            let origin = self.plan.origin(leaf);
            let before = origin.and_then(|origin| kind(self.old, origin));
            before != Some(StateKind::Final)
        };
        let completes = |leaf: StateId| {
            let mut around = self.new.path_up(leaf).skip(2);
            around.all(|state| kind(self.new, state) == Some(StateKind::Orthogonal))
        };
        leaves().filter(is_final).any(became_final)
            || leaves().all(|leaf| is_final(&leaf) && completes(leaf))
    }

    fn any(&self, old: &View<'_>, new: RawParts<'_>) -> Mapped {
        let flags = old.header.flags.get();
        if flags & flag::ENDED != 0 {
            return self.without_states(old, new, Fate::Ended, flags);
        }
        let anew = self.plan.anew();
        if let Some(why @ Anew::AnotherMachine) = anew {
            return self.anew(old, new, why);
        }
        if flags & flag::STARTED == 0 {
            return match flags & flag::INCOMPLETE {
                0 => self.without_states(old, new, Fate::Unstarted, flags),
                _ => self.without_states(old, new, Fate::Anew(Anew::Before), flags),
            };
        }
        if let Some(why) = anew {
            return self.anew(old, new, why);
        }
        match self.stays(old) {
            Ok(stays) => self.goes_on(old, new, stays),
            Err(why) => self.anew(old, new, why),
        }
    }

    /// An agent that is in some state goes on.
    fn goes_on(&self, old: &View<'_>, new: RawParts<'_>, stays: Stays) -> Mapped {
        let flags = old.header.flags.get();
        let mut carry = self.carry(old, new, flags);
        let alive = Levels::of(self.old, old);
        carry.header(flags);
        _ = carry.machine_parts();
        carry.queue();
        carry.clamp_counter();
        let mut levels = stays.levels;
        let timers = carry.timers(&alive, &mut levels);
        carry.scratch(&alive, &levels);
        carry.results(&alive, &levels);
        carry.latches(&alive, &levels);
        carry.leaves(&levels);
        let why = if timers.waits {
            Some(Completed::TimerWaits)
        } else if flags & flag::INCOMPLETE != 0 {
            Some(Completed::Before)
        } else {
            stays.state_gone.then_some(Completed::StateGone)
        };
        Mapped {
            fate: why.map_or(Fate::Kept, Fate::Completed),
            lost: carry.lost,
            released: self.released(alive.active(), levels.active()),
            on_old_deadline: timers.on_old_deadline,
        }
    }

    /// An agent starts again: what the machine keeps for life is kept (TICK-4).
    fn anew(&self, old: &View<'_>, new: RawParts<'_>, why: Anew) -> Mapped {
        let flags = old.header.flags.get();
        let alive = Levels::of(self.old, old);
        let mut carry = self.carry(old, new, flags);
        let kept = flag::STICKY | flag::PAUSED | flag::TRACED;
        carry.header(flags & kept | flag::INCOMPLETE);
        let held = carry.machine_parts();
        carry.lose_root_scratch(held);
        carry.lose_states(&alive);
        Mapped {
            fate: Fate::Anew(why),
            lost: carry.lost,
            released: self.released(alive.active(), Levels::new().active()),
            on_old_deadline: false,
        }
    }

    /// An agent that is in no state.
    fn without_states(&self, old: &View<'_>, new: RawParts<'_>, fate: Fate, flags: u16) -> Mapped {
        let mut carry = self.carry(old, new, flags);
        carry.header(flags);
        let held = carry.machine_parts();
        carry.lose_root_scratch(held);
        carry.queue();
        carry.clamp_counter();
        Mapped {
            fate,
            lost: carry.lost,
            released: 0,
            on_old_deadline: false,
        }
    }

    fn quarantined(&self, old: &View<'_>, new: RawParts<'_>) -> Mapped {
        let flags = old.header.flags.get();
        let mut carry = self.carry(old, new, flags);
        carry.header(flags & (flag::STARTED | flag::STICKY | flag::TRACED) | flag::QUARANTINED);
        Mapped {
            fate: Fate::Quarantined,
            lost: Lost::default(),
            released: 0,
            on_old_deadline: false,
        }
    }

    fn carry<'i>(&self, old: &'i View<'i>, new: RawParts<'i>, flags: u16) -> Carry<'i>
    where
        'a: 'i,
    {
        let rate = |rom: &Rom<'_>| rom.header().tick_rate.get();
        Carry {
            plan: self.plan,
            old_rom: self.old,
            new_rom: self.new,
            old,
            new,
            times: Times {
                now: self.now,
                old_rate: rate(self.old),
                new_rate: rate(self.new),
            },
            is_paused: flags & flag::PAUSED != 0,
            lost: Lost::default(),
        }
    }

    /// Channels that states of the old level own and none of the new one does.
    fn released(&self, old: &Level, new: &Level) -> u32 {
        let owned = |rom: &Rom<'_>, level: &Level| {
            let leaves = level.raw_leaves().filter_map(StateId::new);
            let states = leaves.flat_map(|leaf| rom.path_up(leaf));
            let channels = |state| {
                rom.state_extra(state)
                    .map_or(0, |extra| extra.channels.get())
            };
            states.fold(0, |all, state| all | channels(state))
        };
        let (held, still) = (owned(self.old, old), owned(self.new, new));
        let is_lost = |&channel: &u32| {
            let id = ChannelId::from_index(channel as usize);
            let to = id.and_then(|id| self.plan.channel(id));
            held >> channel & 1 == 1 && to.is_none_or(|to| still >> to.index() & 1 == 0)
        };
        (0..u32::BITS)
            .filter(is_lost)
            .fold(0, |lost, channel| lost | 1 << channel)
    }
}

/// Where leaves land.
impl Mapper<'_> {
    fn stays(&self, old: &View<'_>) -> Result<Stays, Anew> {
        let alive = Levels::of(self.old, old);
        let mut levels = Levels::new();
        let mut state_gone = false;
        let active = || alive.active().raw_leaves().filter_map(StateId::new);
        // Of an agent that is to be completed, a leaf place may hold a state around another.
        let is_innermost = |&leaf: &StateId| !active().any(|other| self.old.is_inside(other, leaf));
        for leaf in active().filter(is_innermost) {
            let land = self.plan.land(leaf);
            state_gone |= self.plan.state(leaf) != Some(land);
            for state in self.new.path_up(land) {
                self.stand(levels.active_mut(), state)?;
            }
        }
        for frame in alive.iter().skip(1) {
            levels.push(self.frame(&alive, frame)?);
        }
        self.check_pushes(&levels)?;
        if are_shared(self.new, &levels) {
            return Err(Anew::Places);
        }
        Ok(Stays { levels, state_gone })
    }

    /// A state is active; where another one stands, one must lie in the other.
    fn stand(&self, level: &mut Level, state: StateId) -> Result<(), Anew> {
        let record = self.new.state(state).ok_or(Anew::Inconsistent)?;
        let cell = level.leaves.get_mut(usize::from(record.leaf));
        let cell = cell.ok_or(Anew::Inconsistent)?;
        match StateId::new(*cell) {
            Some(inner) if self.new.is_ancestor_or_self(state, inner) => {}
            Some(outer) if !self.new.is_ancestor_or_self(outer, state) => {
                return Err(Anew::Inconsistent);
            }
            Some(_) | None => *cell = state.raw(),
        }
        Ok(())
    }

    /// A frame whose leaves, and those that were pushed over it, all are leaves of the same region.
    fn frame(&self, alive: &Levels, frame: &Level) -> Result<Level, Anew> {
        let (region, number) = frame.frame.ok_or(Anew::Stack)?;
        let to = self.plan.region(region).ok_or(Anew::Stack)?;
        let stack = self.new.stack_of(to).ok_or(Anew::Stack)?;
        if number >= stack.depth {
            return Err(Anew::Stack);
        }
        let owner = self
            .new
            .region(to)
            .map_or(NONE, |record| record.owner.get());
        let mut level = Level {
            leaves: [NONE; MAX_LEAVES],
            armed: 0,
            floor: owner.saturating_add(1),
            frame: Some((to, number)),
        };
        for leaf in frame.raw_leaves().filter_map(StateId::new) {
            let leaf = self.leaf_in(to, leaf)?;
            let record = self.new.state(leaf).ok_or(Anew::Stack)?;
            let cell = level.leaves.get_mut(usize::from(record.leaf));
            let cell = cell.filter(|cell| **cell == NONE).ok_or(Anew::Stack)?;
            *cell = leaf.raw();
        }
        let (first, end) = self.old.region_span(region).ok_or(Anew::Stack)?;
        // Frames above it are looked at by themselves.
        let pushed = alive.active().raw_leaves();
        for leaf in pushed.filter(|leaf| (first..end).contains(leaf)) {
            let leaf = StateId::new(leaf).ok_or(Anew::Stack)?;
            self.leaf_in(to, leaf)?;
        }
        Ok(level)
    }

    /// The leaf of a region that an old leaf is now.
    fn leaf_in(&self, region: RegionId, old: StateId) -> Result<StateId, Anew> {
        let (first, end) = self.new.region_span(region).ok_or(Anew::Stack)?;
        let leaf = self.plan.state(old).ok_or(Anew::Stack)?;
        let record = self.new.state(leaf).ok_or(Anew::Stack)?;
        let fits = record.kind.get().is_leaf() && (first..end).contains(&leaf.raw());
        if fits { Ok(leaf) } else { Err(Anew::Stack) }
    }

    /// Does the new machine have a push from a state of each frame?
    fn check_pushes(&self, levels: &Levels) -> Result<(), Anew> {
        let can_push = |frame: &Level| {
            let Some((region, _)) = frame.frame else {
                return true;
            };
            let pushes = self.plan.pushes.get(region.index());
            pushes.is_some_and(|pushes| pushes.can_push(self.new, frame.raw_leaves()))
        };
        if levels.iter().all(can_push) {
            Ok(())
        } else {
            Err(Anew::Stack)
        }
    }
}

/// Writes the leaves of all levels where they belong.
pub(crate) fn write_leaves(rom: &Rom<'_>, levels: &Levels, new: &mut RawParts<'_>) {
    for (cell, leaf) in new.leaves.iter_mut().zip(levels.active().leaves) {
        *cell = U16::new(leaf);
    }
    new.header.armed = levels.active().armed;
    for level in levels.iter() {
        let Some((region, frame)) = level.frame else {
            continue;
        };
        let (Some(stack), Some(record)) = (rom.stack_of(region), rom.region(region)) else {
            continue;
        };
        let Some(slot) = stack.frame_slot(frame) else {
            continue;
        };
        let leaves = level.leaves.iter().skip(record.leaf.into());
        let values = leaves
            .take(stack.leaves.into())
            .map(|&leaf| if leaf == NONE { 0 } else { leaf })
            .chain([u16::from(level.armed)]);
        let cells = new.slots.iter_mut().skip(slot.index());
        cells
            .zip(values)
            .for_each(|(cell, value)| *cell = U16::new(value));
        new.header.stack_depth = new.header.stack_depth.saturating_add(1);
    }
}

/// A time of an instance.
pub(crate) fn set_time(new: &mut RawParts<'_>, slot: TimerSlot, time: u32) {
    if let Some(cell) = new.timers.get_mut(slot.index()) {
        *cell = U32::new(time);
    }
}
