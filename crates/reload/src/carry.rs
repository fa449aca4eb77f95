//! What an instance keeps beside its leaves: times, slots, queue (LOAD-4, LOAD-5).
//!
//! Places that nobody owns stay zero: the new instance begins empty, and only what has an owner that is
//! alive is written.

use statewright_kernel::{Event, RawParts, event_flag};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::levels::{Level, Levels, View};
use crate::map::{set_time, write_leaves};
use crate::outcome::Lost;
use crate::plan::Plan;
use crate::time::{Form, Times};

/// A time without its timer running: it begins in the next tick, which knows how long it lasts.
const PENDING: u32 = 1;

/// One instance on its way.
pub(crate) struct Carry<'i> {
    pub(crate) plan: &'i Plan,
    pub(crate) old_rom: &'i Rom<'i>,
    pub(crate) new_rom: &'i Rom<'i>,
    pub(crate) old: &'i View<'i>,
    pub(crate) new: RawParts<'i>,
    pub(crate) times: Times,
    pub(crate) is_paused: bool,
    pub(crate) lost: Lost,
}

/// What the timers of an agent say about it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timed {
    /// A timer begins whose duration only a tick can find.
    pub(crate) waits: bool,
    /// One runs on that would last another time now.
    pub(crate) on_old_deadline: bool,
}

/// The whole.
impl Carry<'_> {
    pub(crate) fn header(&mut self, flags: u16) {
        self.new.header.flags.set(flags);
        self.new.header.rng = self.old.header.rng;
        let generation = self.old.header.generation.get().wrapping_add(1);
        self.new.header.generation.set(generation);
    }

    pub(crate) fn clamp_counter(&mut self) {
        self.new.header.clamped = self.old.header.clamped;
    }

    pub(crate) fn leaves(&mut self, levels: &Levels) {
        write_leaves(self.new_rom, levels, &mut self.new);
    }

    /// History, cooldowns and the machine's own scratch: they live as long as the agent. How much of
    /// that scratch held something.
    pub(crate) fn machine_parts(&mut self) -> u64 {
        self.history();
        self.cooldowns();
        let mut held = 0;
        for (index, record) in self.new_rom.scratch().iter().enumerate() {
            let from = self.plan.scratch.get(index).copied().flatten();
            if let Some(from) = from.filter(|_| record.owner.get() == StateId::ROOT.raw())
                && self.scratch_owner(from) == Some(StateId::ROOT)
            {
                held += u64::from(self.copy_scratch(from, record));
            }
        }
        held
    }

    /// The machine's own scratch of an agent that is in no state any more, but for so much of it.
    pub(crate) fn lose_root_scratch(&mut self, held: u64) {
        let all = self.old_rom.scratch().iter().filter(|record| {
            let mut slots = record.slots();
            record.owner.get() == StateId::ROOT.raw()
                && slots.any(|slot| self.old.slot(slot.index()) != 0)
        });
        self.lost.scratch += (all.count() as u64).saturating_sub(held);
    }

    /// All that belongs to states is lost.
    pub(crate) fn lose_states(&mut self, alive: &Levels) {
        self.lost.timers += running(alive);
        self.lost.events += u64::from(self.old.header.event_count);
        self.lost.latches += self.count_latches(alive);
        self.lost.results += self.count_results(alive);
        self.lost.scratch += self.count_scratch(alive, |owner| owner != StateId::ROOT);
    }

    fn form(&self, level: &Level) -> Form {
        if level.is_active() && !self.is_paused {
            Form::Runs
        } else {
            Form::Turned
        }
    }

    /// How the times of the machine are kept.
    fn own_form(&self) -> Form {
        if self.is_paused {
            Form::Turned
        } else {
            Form::Runs
        }
    }

    fn set_slot(&mut self, slot: SlotId, value: u16) {
        if let Some(cell) = self.new.slots.get_mut(slot.index()) {
            *cell = U16::new(value);
        }
    }
}

/// Timers (LOAD-4).
impl Carry<'_> {
    pub(crate) fn timers(&mut self, alive: &Levels, levels: &mut Levels) -> Timed {
        let mut timed = Timed::default();
        let mut carried = 0;
        for (index, record) in self.new_rom.timers().iter().enumerate() {
            let Some(plan) = self.plan.timers.get(index).copied() else {
                continue;
            };
            let from = plan.from.and_then(|from| self.old_rom.timer(from));
            if record.kind == TimerKind::Machine {
                carried += self.machine_timer(from, record, levels);
                continue;
            }
            let owner = StateId::read(record.owner);
            let Some(at) = owner.and_then(|owner| levels.find(self.new_rom, owner)) else {
                continue;
            };
            let Some(slot) = TimerSlot::new(record.place) else {
                continue;
            };
            // Where it ran, if its owner was alive.
            let before = from.and_then(|from| {
                let owner = StateId::read(from.owner)?;
                let level = alive.get(alive.find(self.old_rom, owner)?)?;
                Some((from, level))
            });
            let Some(level) = levels.get_mut(at) else {
                continue;
            };
            let form = self.form(level);
            let armed = before.filter(|(from, level)| level.armed >> from.place & 1 == 1);
            match record.kind.get() {
                TimerKind::Clock => {
                    let time = match before {
                        Some((from, before)) => {
                            let time = self.old.time(from.place.into());
                            self.times.beginning(time, self.form(before), form)
                        }
                        None => self.beginning_now(form),
                    };
                    set_time(&mut self.new, slot, time);
                }
                TimerKind::After | TimerKind::Every | TimerKind::State | TimerKind::Debounce => {
                    let on_entry = record.kind.get().is_armed_on_entry();
                    let restarts = on_entry && plan.changed && self.plan.restarts_timers;
                    if let Some((from, before)) = armed {
                        carried += 1;
                        if !restarts {
                            let time = self.old.time(from.place.into());
                            let time = self.times.deadline(time, self.form(before), form);
                            set_time(&mut self.new, slot, time);
                            level.armed |= slot.bit();
                            timed.on_old_deadline |= on_entry && plan.changed;
                            continue;
                        }
                    }
                    // One that is spent stays so; one that waited to begin goes on waiting.
                    let waited = before.is_some_and(|(from, _)| {
                        armed.is_none() && self.old.time(from.place.into()) != 0
                    });
                    let begins = on_entry
                        && level.is_active()
                        && (before.is_none() || waited || armed.is_some());
                    if begins {
                        timed.waits |= self.begin(record, slot, level);
                    }
                }
                TimerKind::Machine => {}
            }
        }
        self.lost.timers += running(alive).saturating_sub(carried);
        timed
    }

    /// A timer begins now; whether only a tick knows how long it lasts.
    fn begin(&mut self, record: &TimerRecord, slot: TimerSlot, level: &mut Level) -> bool {
        let Some(ticks) = record.duration.known() else {
            set_time(&mut self.new, slot, PENDING);
            return true;
        };
        let ahead = ticks.max(1);
        let time = match self.form(level) {
            Form::Runs => self.times.now.wrapping_add(ahead),
            Form::Turned => 0_u32.wrapping_sub(ahead),
        };
        set_time(&mut self.new, slot, time);
        level.armed |= slot.bit();
        false
    }

    fn beginning_now(&self, form: Form) -> u32 {
        match form {
            Form::Runs => self.times.now,
            Form::Turned => 0,
        }
    }

    /// The runs of a name, in start order; if there are too many, those that began first are lost
    /// (EVT-9).
    fn machine_timer(
        &mut self,
        from: Option<&TimerRecord>,
        to: &TimerRecord,
        levels: &mut Levels,
    ) -> u64 {
        let Some(from) = from else {
            return 0;
        };
        let armed = self.old.header.armed;
        let running = || from.timer_slots().filter(|slot| armed & slot.bit() != 0);
        let surplus = running().count().saturating_sub(to.instances.into());
        let form = self.own_form();
        let mut carried = 0;
        for (slot, old) in to.timer_slots().zip(running().skip(surplus)) {
            let time = self.times.deadline(self.old.time(old.index()), form, form);
            set_time(&mut self.new, slot, time);
            levels.active_mut().armed |= slot.bit();
            carried += 1;
        }
        carried
    }
}

/// Timers that run, on all levels.
fn running(alive: &Levels) -> u64 {
    let counts = alive
        .iter()
        .map(|level| u64::from(level.armed.count_ones()));
    counts.sum()
}

/// Slots (LOAD-5).
impl Carry<'_> {
    /// What the new point would remember; nothing if any of it does not map, or could not have been
    /// recorded.
    fn history(&mut self) {
        let had = self.old_rom.history().iter().filter(|point| {
            let mut slots = point.slots();
            slots.any(|slot| self.old.slot(slot.index()) != 0)
        });
        let mut lost = had.count() as u64;
        for (index, record) in self.new_rom.history().iter().enumerate() {
            let from = self.plan.history.get(index).copied().flatten();
            let Some(from) = from.and_then(|from| self.old_rom.history_point(from)) else {
                continue;
            };
            if let Some(places) = self.remembered(from, record) {
                let found = places.iter().any(|&state| state != 0);
                lost = lost.saturating_sub(found.into());
                for (slot, state) in record.slots().zip(places) {
                    self.set_slot(slot, state);
                }
            }
        }
        self.lost.history += lost;
    }

    /// By slot of the new point.
    fn remembered(&self, from: &HistoryRecord, to: &HistoryRecord) -> Option<[u16; MAX_SLOTS]> {
        let owner = StateId::read(to.owner)?;
        let mut places = [0; MAX_SLOTS];
        let mut count = 0;
        for slot in from.slots() {
            let raw = self.old.slot(slot.index());
            if raw == 0 {
                continue;
            }
            let state = self.plan.state(StateId::new(raw)?)?;
            let place = self.history_place(to, owner, state)?;
            let cell = places.get_mut(place).filter(|cell| **cell == 0)?;
            *cell = state.raw();
            count += 1;
        }
        let whole = to.deep == 1 || count == 0 || count == usize::from(to.slot_count);
        let together = to.deep == 0 || self.are_together(owner, &places);
        (whole && together).then_some(places)
    }

    /// The number of the slot in which a point of a state remembers another one.
    fn history_place(&self, to: &HistoryRecord, owner: StateId, state: StateId) -> Option<usize> {
        let record = self.new_rom.state(state)?;
        if to.deep == 1 {
            let mask = self.new_rom.leaf_mask(owner);
            let is_leaf = record.kind.get().is_leaf() && self.new_rom.is_inside(state, owner);
            let below = mask & ((1_u32 << record.leaf) - 1);
            return is_leaf.then_some(below.count_ones() as usize);
        }
        let mut regions = self.new_rom.region_ids_of(owner);
        let region = RegionId::read(record.region)?;
        let place = regions.position(|own| own == region)?;
        (record.kind != StateKind::Choice).then_some(place)
    }

    /// Can leaves be active together?
    fn are_together(&self, owner: StateId, places: &[u16]) -> bool {
        let mut level = [NONE; MAX_LEAVES];
        let states = places.iter().filter(|&&raw| raw != 0);
        let mut paths = states
            .filter_map(|&raw| StateId::new(raw))
            .flat_map(|leaf| self.new_rom.path_up(leaf))
            .filter(|&state| self.new_rom.is_inside(state, owner));
        paths.all(|state| {
            let record = self.new_rom.state(state);
            let cell = record.and_then(|record| level.get_mut(usize::from(record.leaf)));
            let Some(cell) = cell else {
                return false;
            };
            match StateId::new(*cell) {
                Some(inner) if self.new_rom.is_ancestor_or_self(state, inner) => true,
                Some(outer) if !self.new_rom.is_ancestor_or_self(outer, state) => false,
                Some(_) | None => {
                    *cell = state.raw();
                    true
                }
            }
        })
    }

    fn cooldowns(&mut self) {
        let wide = |view: &View<'_>, slot: SlotId| {
            let low = u32::from(view.slot(slot.index()));
            low | u32::from(view.slot(slot.index() + 1)) << 16
        };
        let extras = self.old_rom.transition_extras().iter();
        // A list of events has one cooldown (LANG-1).
        let first = extras.filter(|extra| {
            let record = self
                .old_rom
                .transitions()
                .get(usize::from(extra.transition.get()));
            record.is_some_and(|record| record.flags.get() & transition_flag::LISTED == 0)
        });
        let begun = first.filter_map(TransitionExtra::cooldown);
        let mut lost = begun.filter(|&slot| wide(self.old, slot) != 0).count() as u64;
        let form = self.own_form();
        for plan in &self.plan.cooldowns {
            let ready = wide(self.old, plan.from);
            if ready != 0 {
                let ready = self.times.deadline(ready, form, form).max(1);
                self.set_slot(plan.to, ready as u16);
                self.set_slot(plan.to.offset(1), (ready >> 16) as u16);
                lost = lost.saturating_sub(1);
            }
        }
        self.lost.cooldowns += lost;
    }

    fn scratch_owner(&self, old: ScratchId) -> Option<StateId> {
        StateId::read(self.old_rom.scratch().get(old.index())?.owner)
    }

    /// Whether something was in it.
    fn copy_scratch(&mut self, from: ScratchId, to: &ScratchRecord) -> bool {
        let Some(from) = self.old_rom.scratch().get(from.index()) else {
            return false;
        };
        let mut held = false;
        for (from, to) in from.slots().zip(to.slots()) {
            let word = self.old.slot(from.index());
            held |= word != 0;
            self.set_slot(to, word);
        }
        held
    }

    /// Scratch of states whose owner is alive; that of the machine is there already.
    pub(crate) fn scratch(&mut self, alive: &Levels, levels: &Levels) {
        let mut lost = self.count_scratch(alive, |_| true);
        for (index, record) in self.new_rom.scratch().iter().enumerate() {
            let from = self.plan.scratch.get(index).copied().flatten();
            let owner = StateId::read(record.owner);
            let (Some(from), Some(owner)) = (from, owner) else {
                continue;
            };
            let was_alive = self.scratch_owner(from);
            let was_alive = was_alive.and_then(|owner| alive.find(self.old_rom, owner));
            if was_alive.is_some() && levels.find(self.new_rom, owner).is_some() {
                lost = lost.saturating_sub(self.copy_scratch(from, record).into());
            }
        }
        self.lost.scratch += lost;
    }

    /// Scratch of the old machine that holds something.
    fn count_scratch(&self, alive: &Levels, counts: impl Fn(StateId) -> bool) -> u64 {
        let all = self.old_rom.scratch().iter().filter(|record| {
            let owner = StateId::read(record.owner).filter(|&owner| counts(owner));
            let is_alive = owner.and_then(|owner| alive.find(self.old_rom, owner));
            let mut slots = record.slots();
            is_alive.is_some() && slots.any(|slot| self.old.slot(slot.index()) != 0)
        });
        all.count() as u64
    }

    pub(crate) fn results(&mut self, alive: &Levels, levels: &Levels) {
        let mut lost = self.count_results(alive);
        for plan in &self.plan.results {
            let (slot, bit) = plan.from;
            let result = self.old.slot(slot.index()) >> bit & 3;
            let stays = result != 0
                && alive.find(self.old_rom, plan.origin).is_some()
                && levels.find(self.new_rom, plan.state).is_some();
            if stays {
                let (slot, bit) = plan.to;
                let others = self
                    .new
                    .slots
                    .get(slot.index())
                    .map_or(0, |slot| slot.get());
                self.set_slot(slot, others | result << bit);
                lost = lost.saturating_sub(1);
            }
        }
        self.lost.results += lost;
    }

    fn count_results(&self, alive: &Levels) -> u64 {
        let all = self.old_rom.state_extras().iter().filter(|extra| {
            let held = extra
                .result()
                .is_some_and(|(slot, bit)| self.old.slot(slot.index()) >> bit & 3 != 0);
            held && self.is_alive(alive, extra)
        });
        all.count() as u64
    }

    fn is_alive(&self, alive: &Levels, extra: &StateExtra) -> bool {
        let state = StateId::read(extra.state);
        let level = state.and_then(|state| alive.find(self.old_rom, state));
        level.is_some()
    }

    pub(crate) fn latches(&mut self, alive: &Levels, levels: &Levels) {
        let mut lost = self.count_latches(alive);
        for plan in &self.plan.latches {
            let waits = self.old.slot(plan.from.index()).checked_sub(1);
            let to = waits
                .and_then(TransitionId::new)
                .and_then(|old| self.plan.transition(old));
            // It can wait only in its own state, and only if it may.
            let to = to.filter(|&to| {
                let record = self.new_rom.transition(to);
                record.is_some_and(|record| {
                    StateId::read(record.source) == Some(plan.state)
                        && record.flags.get() & transition_flag::LATCH != 0
                })
            });
            let stays = alive.find(self.old_rom, plan.origin).is_some()
                && levels.find(self.new_rom, plan.state).is_some();
            if let Some(to) = to.filter(|_| stays) {
                self.set_slot(plan.to, to.raw().saturating_add(1));
                lost = lost.saturating_sub(1);
            }
        }
        self.lost.latches += lost;
    }

    fn count_latches(&self, alive: &Levels) -> u64 {
        let all = self.old_rom.state_extras().iter().filter(|extra| {
            let held = extra
                .latch()
                .is_some_and(|slot| self.old.slot(slot.index()) != 0);
            held && self.is_alive(alive, extra)
        });
        all.count() as u64
    }
}

/// The queue (LOAD-5).
impl Carry<'_> {
    /// Events that map, in their order; if there are too many, the youngest of the lowest class goes
    /// first.
    pub(crate) fn queue(&mut self) {
        let count = usize::from(self.old.header.event_count);
        let mut kept = [Event::default(); MAX_EVENT_PLACES];
        let mut used = 0;
        for event in self.old.events.iter().take(count) {
            let to = event.id().and_then(|id| self.plan.event(id));
            if let Some((to, cell)) = to.zip(kept.get_mut(used)) {
                *cell = self.moved(event, to);
                used += 1;
            }
        }
        while used > self.new.events.len() {
            let youngest = kept
                .iter()
                .take(used)
                .enumerate()
                .rev()
                .min_by_key(|(_, event)| event.class);
            let Some((place, _)) = youngest else {
                break;
            };
            kept.copy_within(place + 1..used, place);
            used -= 1;
        }
        let cells = self.new.events.iter_mut();
        cells
            .zip(&kept)
            .take(used)
            .for_each(|(cell, event)| *cell = *event);
        self.new.header.event_count = used as u8;
        self.lost.events += (count - used) as u64;
    }

    fn moved(&self, event: &Event, to: EventId) -> Event {
        let mut event = *event;
        event.id = U16::new(to.raw());
        event.flags &= !event_flag::DEFERRED;
        let form = self.own_form();
        let stamp = self.times.beginning(event.stamp.get(), form, form);
        event.stamp = U32::new(stamp);
        event
    }
}
