//! An instance read from its bytes and the ROM alone, in the form of the oracle: also a proof of
//! the byte layout (RAM-2, RAM-3).

use std::collections::{BTreeMap, BTreeSet};

use statewright_oracle::{Class, Event, Flags, Frame, Snapshot, Status};
use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

/// Offsets of leaves, timers, slots and events by tier (RAM-2).
const OFFSETS: [[usize; 4]; 3] = [[16, 20, 28, 40], [16, 24, 40, 56], [16, 32, 64, 112]];

/// An instance as bytes.
pub struct Bytes<'a> {
    rom: &'a Rom<'a>,
    bytes: &'a [u8],
    offsets: [usize; 4],
}

impl<'a> Bytes<'a> {
    /// The bytes of an instance of a machine.
    pub fn new(rom: &'a Rom<'a>, bytes: &'a [u8]) -> Self {
        assert_eq!(
            bytes.len(),
            usize::from(rom.capacity().bytes),
            "the size of the tier"
        );
        Self {
            rom,
            bytes,
            offsets: OFFSETS[usize::from(rom.tier().number())],
        }
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from(self.u16(at)) | u32::from(self.u16(at + 2)) << 16
    }

    fn leaf(&self, number: u8) -> Option<usize> {
        let raw = self.u16(self.offsets[0] + 2 * usize::from(number));
        (raw != NONE).then_some(usize::from(raw))
    }

    fn time(&self, place: u8) -> u32 {
        self.u32(self.offsets[1] + 4 * usize::from(place))
    }

    fn slot(&self, slot: u8) -> u16 {
        self.u16(self.offsets[2] + 2 * usize::from(slot))
    }

    fn is_armed(&self, place: u8) -> bool {
        self.bytes[6] >> place & 1 == 1
    }

    fn event(&self, position: usize) -> Event {
        let at = self.offsets[3] + 24 * position;
        let flags = self.bytes[at + 3];
        Event {
            id: usize::from(self.u16(at)),
            class: [Class::Low, Class::Normal, Class::Interrupt, Class::Critical]
                [usize::from(self.bytes[at + 2])],
            internal: flags & 2 != 0,
            deferred: flags & 1 != 0,
            hidden: flags & 4 != 0,
            stamp: self.u32(at + 4),
            payload: std::array::from_fn(|word| self.u32(at + 8 + 4 * word)),
        }
    }

    /// Its flags.
    pub fn flags(&self) -> Flags {
        let has = |bit: u32| self.u16(4) >> bit & 1 == 1;
        Flags {
            started: has(0),
            terminated: has(1),
            paused: has(2),
            quarantined: has(3),
            budget_exceeded: has(4),
            queue_overflow: has(5),
            command_dropped: has(6),
            critical_dropped: has(7),
            work: has(8),
            polls: has(9),
            incomplete: has(11),
        }
    }

    fn states_of(&self, leaves: impl Iterator<Item = usize>) -> BTreeSet<usize> {
        let ids = leaves.filter_map(StateId::from_index);
        ids.flat_map(|leaf| self.rom.path_up(leaf))
            .map(StateId::index)
            .collect()
    }

    /// Active leaves, in order.
    pub fn leaves(&self) -> Vec<usize> {
        let places = 0..self.rom.capacity().leaves;
        let mut leaves: Vec<usize> = places.filter_map(|number| self.leaf(number)).collect();
        leaves.sort_unstable();
        leaves
    }

    /// The instance in plain numbers.
    pub fn snapshot(&self) -> Snapshot {
        let leaves = self.leaves();
        let active = self.states_of(leaves.iter().copied());
        let frames = self.frames();
        let suspended = frames
            .values()
            .flatten()
            .flat_map(|frame| frame.states.iter().copied());
        let alive: BTreeSet<usize> = active.iter().copied().chain(suspended).collect();
        let count = usize::from(self.bytes[7]);
        let unused = self.offsets[3] + 24 * count;
        assert!(
            self.bytes[unused..].iter().all(|&byte| byte == 0),
            "unused event places are zero (RAM-3)"
        );
        let used: usize = frames.values().map(Vec::len).sum();
        assert_eq!(
            usize::from(self.bytes[15]),
            used,
            "byte 15 counts the frames"
        );
        Snapshot {
            flags: self.flags(),
            history: self.history(),
            timers: self.timers(&active),
            clocks: self.clocks(&active, |x| x),
            debounces: self.debounces(&active),
            cooldowns: self.cooldowns(),
            results: alive
                .iter()
                .filter_map(|&state| self.result(state))
                .collect(),
            latched: alive
                .iter()
                .filter_map(|&state| self.latched(state))
                .collect(),
            scratch: self.scratch(&alive),
            queue: (0..count).map(|position| self.event(position)).collect(),
            frames,
            rng: self.u32(8),
            generation: self.u16(12),
            clamped: self.bytes[14],
            leaves,
        }
    }

    fn state(&self, state: usize) -> StateId {
        StateId::from_index(state).expect("a state")
    }

    fn timers(&self, active: &BTreeSet<usize>) -> Vec<(usize, u32)> {
        let mut timers = Vec::new();
        for (number, timer) in self.rom.timers().iter().enumerate() {
            let runs = match timer.kind.get() {
                TimerKind::Machine => true,
                TimerKind::After | TimerKind::Every | TimerKind::State => {
                    active.contains(&usize::from(timer.owner.get()))
                }
                TimerKind::Clock | TimerKind::Debounce => false,
            };
            let places = timer.place..timer.place + timer.instances;
            timers.extend(
                places
                    .filter(|&p| runs && self.is_armed(p))
                    .map(|place| (number, self.time(place))),
            );
        }
        timers.sort_unstable();
        timers
    }

    fn clocks(&self, states: &BTreeSet<usize>, time: impl Fn(u32) -> u32) -> Vec<(usize, u32)> {
        let clock = |&state: &usize| {
            let extra = self
                .rom
                .state_extra(self.state(state))
                .filter(|extra| extra.clock != 0xFF)?;
            Some((state, time(self.time(extra.clock))))
        };
        states.iter().filter_map(clock).collect()
    }

    fn debounces(&self, active: &BTreeSet<usize>) -> Vec<(usize, u32)> {
        let extras = self
            .rom
            .transition_extras()
            .iter()
            .filter(|extra| extra.debounce_timer != 0xFF);
        let running = extras.filter(|extra| {
            let source = self.rom.transitions()[usize::from(extra.transition.get())].source;
            active.contains(&usize::from(source.get())) && self.is_armed(extra.debounce_timer)
        });
        let mut list: Vec<(usize, u32)> = running
            .map(|extra| {
                (
                    usize::from(extra.transition.get()),
                    self.time(extra.debounce_timer),
                )
            })
            .collect();
        list.sort_unstable();
        list
    }

    fn cooldowns(&self) -> Vec<(usize, u32)> {
        let extras = self
            .rom
            .transition_extras()
            .iter()
            .filter(|extra| extra.cooldown_slot != 0xFF);
        let ready = |slot: u8| u32::from(self.slot(slot)) | u32::from(self.slot(slot + 1)) << 16;
        let all = extras.map(|extra| {
            (
                usize::from(extra.transition.get()),
                ready(extra.cooldown_slot),
            )
        });
        let mut list: Vec<(usize, u32)> = all.filter(|&(_, ready)| ready != 0).collect();
        list.sort_unstable();
        list
    }

    fn result(&self, state: usize) -> Option<(usize, Status)> {
        let extra = self
            .rom
            .state_extra(self.state(state))
            .filter(|extra| extra.result_slot != 0xFF)?;
        match self.slot(extra.result_slot) >> extra.result_bit & 3 {
            0 => None,
            1 => Some((state, Status::Succeeded)),
            _ => Some((state, Status::Failed)),
        }
    }

    fn latched(&self, state: usize) -> Option<(usize, usize)> {
        let extra = self
            .rom
            .state_extra(self.state(state))
            .filter(|extra| extra.latch_slot != 0xFF)?;
        usize::from(self.slot(extra.latch_slot))
            .checked_sub(1)
            .map(|transition| (state, transition))
    }

    fn scratch(&self, alive: &BTreeSet<usize>) -> Vec<(usize, Vec<u16>)> {
        let all = self.rom.scratch().iter().enumerate();
        all.filter(|(_, scratch)| alive.contains(&usize::from(scratch.owner.get())))
            .map(|(number, s)| {
                (
                    number,
                    (s.slot..s.slot + s.count)
                        .map(|slot| self.slot(slot))
                        .collect(),
                )
            })
            .collect()
    }

    fn history(&self) -> Vec<Option<Vec<usize>>> {
        let remembered = |point: &HistoryRecord| {
            let slots = (point.slot..point.slot + point.slot_count)
                .map(|slot| usize::from(self.slot(slot)));
            let mut states: Vec<usize> = slots.filter(|&state| state != 0).collect();
            states.sort_unstable();
            (!states.is_empty()).then_some(states)
        };
        self.rom.history().iter().map(remembered).collect()
    }

    fn frames(&self) -> BTreeMap<usize, Vec<Frame>> {
        let mut frames = BTreeMap::new();
        for (region, record) in self
            .rom
            .regions()
            .iter()
            .enumerate()
            .filter(|(_, region)| region.stack != 0xFF)
        {
            let stack = &self.rom.stacks()[usize::from(record.stack)];
            let list: Vec<Frame> = (0..stack.depth)
                .map(|frame| stack.first_slot + frame * stack.frame_slots)
                .take_while(|&first| self.slot(first) != 0)
                .map(|first| self.frame(usize::from(record.owner.get()), stack, first))
                .collect();
            if !list.is_empty() {
                frames.insert(region, list);
            }
        }
        frames
    }

    fn frame(&self, owner: usize, stack: &StackRecord, first: u8) -> Frame {
        let mut leaves: Vec<usize> = (first..first + stack.leaves)
            .map(|slot| usize::from(self.slot(slot)))
            .filter(|&leaf| leaf != 0)
            .collect();
        leaves.sort_unstable();
        let armed = self.slot(first + stack.leaves) as u8;
        let owner = self.state(owner);
        let mut states = self.states_of(leaves.iter().copied());
        states.retain(|&state| self.rom.is_inside(self.state(state), owner));
        let mut frame = Frame {
            leaves,
            clocks: self.clocks(&states, |x| x).into_iter().collect(),
            ..Frame::default()
        };
        for (number, timer) in self.rom.timers().iter().enumerate() {
            let fires_for_state = match timer.kind.get() {
                TimerKind::After | TimerKind::Every | TimerKind::State => true,
                TimerKind::Machine | TimerKind::Clock | TimerKind::Debounce => false,
            };
            if fires_for_state
                && states.contains(&usize::from(timer.owner.get()))
                && armed >> timer.place & 1 == 1
            {
                frame
                    .timers
                    .entry(number)
                    .or_default()
                    .push(self.time(timer.place));
            }
        }
        for extra in self
            .rom
            .transition_extras()
            .iter()
            .filter(|extra| extra.debounce_timer != 0xFF)
        {
            let source = self.rom.transitions()[usize::from(extra.transition.get())].source;
            if states.contains(&usize::from(source.get())) && armed >> extra.debounce_timer & 1 == 1
            {
                frame.debounces.insert(
                    usize::from(extra.transition.get()),
                    self.time(extra.debounce_timer),
                );
            }
        }
        frame.states = states;
        frame
    }
}
