//! What becomes of every number of a machine: found once, by stable id, without any agent (LOAD-1).
//!
//! Keys, variants, parameters and channels have no stable ids: they are known by name.

use std::collections::HashMap;

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_symbols::machine_id;

use crate::code::are_alike;
use crate::outcome::Anew;
use crate::stacks::Pushes;

/// How much a reload changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing.
    Nothing,
    /// New behavior; the bytes of agents mean the same (LOAD-2).
    Parameters,
    /// Agents are mapped.
    Structure,
}

/// From which numbers of the old machine those of the new one come, and where those of the old one go.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Structure and parameter hash of both machines.
    hashes: [[u64; 2]; 2],
    is_another_machine: bool,
    asked_anew: bool,
    /// The new file says so.
    resets: bool,
    pub(crate) restarts_timers: bool,
    /// By old number: where a state went.
    states: Vec<Option<StateId>>,
    /// By old number: where an agent stands that was in a state.
    lands: Vec<StateId>,
    /// By new number: where a state comes from.
    origins: Vec<Option<StateId>>,
    regions: Vec<Option<RegionId>>,
    /// By old number; none if it carries something else.
    events: Vec<Option<EventId>>,
    transitions: Vec<Option<TransitionId>>,
    /// By new number.
    pub(crate) timers: Vec<TimerPlan>,
    pub(crate) history: Vec<Option<HistoryId>>,
    pub(crate) scratch: Vec<Option<ScratchId>>,
    pub(crate) cooldowns: Vec<CooldownPlan>,
    pub(crate) results: Vec<ResultPlan>,
    pub(crate) latches: Vec<LatchPlan>,
    /// By old number: the same channel.
    channels: Vec<Option<ChannelId>>,
    /// By old number; none if it is gone.
    variants: Vec<Option<VariantId>>,
    /// By new region.
    pub(crate) pushes: Vec<Pushes>,
}

/// Where a timer comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimerPlan {
    pub(crate) from: Option<TimerId>,
    /// It lasts another time now.
    pub(crate) changed: bool,
}

/// Two slots of both machines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CooldownPlan {
    pub(crate) from: SlotId,
    pub(crate) to: SlotId,
}

/// Bits of the result of an activity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultPlan {
    pub(crate) state: StateId,
    pub(crate) origin: StateId,
    pub(crate) from: (SlotId, u32),
    pub(crate) to: (SlotId, u32),
}

/// Slots of a latched transition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LatchPlan {
    pub(crate) state: StateId,
    pub(crate) origin: StateId,
    pub(crate) from: SlotId,
    pub(crate) to: SlotId,
}

impl Plan {
    /// What becomes of everything in `old`.
    pub fn new(old: &Rom<'_>, new: &Rom<'_>) -> Self {
        let mut states: Vec<Option<StateId>> =
            pairs(old, new, StableGroup::States, StateId::from_index);
        // Every agent is in the root, whatever the machine is called.
        if let Some(root) = states.first_mut() {
            *root = Some(StateId::ROOT);
        }
        let origins = inverse(
            &states,
            new.states().len(),
            StateId::from_index,
            StateId::index,
        );
        let transitions: Vec<Option<TransitionId>> =
            pairs(old, new, StableGroup::Transitions, TransitionId::from_index);
        let came_from = inverse(
            &transitions,
            new.transitions().len(),
            TransitionId::from_index,
            TransitionId::index,
        );
        Self {
            hashes: [hashes(old), hashes(new)],
            is_another_machine: machine_id(old) != machine_id(new),
            asked_anew: false,
            resets: new.header().policies & policy::RELOAD_RESETS != 0,
            restarts_timers: false,
            lands: lands(old, new, &states),
            regions: pairs(old, new, StableGroup::Regions, RegionId::from_index),
            events: events(old, new),
            timers: timers(old, new),
            history: history(old, new),
            scratch: scratch(old, new),
            cooldowns: cooldowns(old, new, &came_from),
            results: results(old, new, &origins),
            latches: latches(old, new, &origins),
            channels: by_name(
                old.channels().iter().map(|one| one.name_hash.get()),
                new.channels().iter().map(|one| one.name_hash.get()),
                ChannelId::from_index,
            ),
            variants: variants(old, new),
            pushes: Pushes::all(new),
            states,
            origins,
            transitions,
        }
    }

    /// All agents start again, whatever they were doing.
    pub fn with_all_anew(mut self) -> Self {
        self.asked_anew = true;
        self
    }

    /// Timers that last another time now begin anew instead of keeping their deadline (LOAD-4).
    pub fn with_restarted_timers(mut self) -> Self {
        self.restarts_timers = true;
        self
    }

    /// Was it asked for that all agents start again?
    pub fn is_asked_anew(&self) -> bool {
        self.asked_anew
    }

    /// Do timers that last another time now begin anew?
    pub fn restarts_timers(&self) -> bool {
        self.restarts_timers
    }

    /// How much changes.
    pub fn extent(&self) -> Extent {
        let [[old, before], [new, after]] = self.hashes;
        let restarts = self.restarts_timers && self.changes_timers();
        let resets = self.resets && before != after;
        if old != new || self.asked_anew || resets || restarts {
            Extent::Structure
        } else if before != after {
            Extent::Parameters
        } else {
            Extent::Nothing
        }
    }

    /// Does a timer that is in both machines last another time now?
    pub fn changes_timers(&self) -> bool {
        self.timers.iter().any(|timer| timer.changed)
    }

    /// Structure and parameter hash of both machines, the old one first.
    pub fn hashes(&self) -> [[u64; 2]; 2] {
        self.hashes
    }

    /// Is it a plan of these machines?
    pub fn is_of(&self, old: &Rom<'_>, new: &Rom<'_>) -> bool {
        self.hashes == [hashes(old), hashes(new)]
    }

    /// Do all agents start again because the new machine is another one?
    pub fn is_another_machine(&self) -> bool {
        self.is_another_machine
    }

    /// Why all agents that run start again, if they do. A file that says so is loaded anew only if
    /// something is different: a file saved without a change ends nothing.
    pub fn anew(&self) -> Option<Anew> {
        let [old, new] = self.hashes;
        if self.is_another_machine {
            Some(Anew::AnotherMachine)
        } else if self.asked_anew {
            Some(Anew::Asked)
        } else {
            (self.resets && old != new).then_some(Anew::File)
        }
    }

    /// Where a state went.
    pub fn state(&self, old: StateId) -> Option<StateId> {
        self.states.get(old.index()).copied().flatten()
    }

    /// Where a state comes from.
    pub fn origin(&self, new: StateId) -> Option<StateId> {
        self.origins.get(new.index()).copied().flatten()
    }

    /// Where an agent stands that was in a state.
    pub(crate) fn land(&self, old: StateId) -> StateId {
        self.lands
            .get(old.index())
            .copied()
            .unwrap_or(StateId::ROOT)
    }

    pub(crate) fn region(&self, old: RegionId) -> Option<RegionId> {
        self.regions.get(old.index()).copied().flatten()
    }

    /// What an event is that agents of the old machine got, if it carries the same.
    pub fn event(&self, old: EventId) -> Option<EventId> {
        self.events.get(old.index()).copied().flatten()
    }

    pub(crate) fn transition(&self, old: TransitionId) -> Option<TransitionId> {
        self.transitions.get(old.index()).copied().flatten()
    }

    /// The same channel.
    pub fn channel(&self, old: ChannelId) -> Option<ChannelId> {
        self.channels.get(old.index()).copied().flatten()
    }

    /// The variant of the same name.
    pub fn variant(&self, old: VariantId) -> Option<VariantId> {
        self.variants.get(old.index()).copied().flatten()
    }
}

fn hashes(rom: &Rom<'_>) -> [u64; 2] {
    [rom.structure_hash(), rom.parameter_hash()]
}

/// By old number, the thing of a group that has the same stable id.
fn pairs<I>(
    old: &Rom<'_>,
    new: &Rom<'_>,
    group: StableGroup,
    id: fn(usize) -> Option<I>,
) -> Vec<Option<I>> {
    let ids = |rom: &Rom<'_>| -> Vec<u64> {
        let records = rom.stable_ids_of(group).iter();
        records.map(|record| record.id.get()).collect()
    };
    by_name(ids(old).into_iter(), ids(new).into_iter(), id)
}

/// By old number, the thing that goes by the same number of 64 bits.
fn by_name<I>(
    old: impl Iterator<Item = u64>,
    new: impl Iterator<Item = u64>,
    id: impl Fn(usize) -> Option<I>,
) -> Vec<Option<I>> {
    let places: HashMap<u64, usize> = new.enumerate().map(|(place, id)| (id, place)).collect();
    old.map(|one| places.get(&one).and_then(|&place| id(place)))
        .collect()
}

/// By new number, what goes there.
fn inverse<I: Copy>(
    forward: &[Option<I>],
    count: usize,
    id: fn(usize) -> Option<I>,
    index: fn(I) -> usize,
) -> Vec<Option<I>> {
    let mut back = vec![None; count];
    for (place, to) in forward.iter().enumerate() {
        if let Some(cell) = to.and_then(|to| back.get_mut(index(to))) {
            *cell = id(place);
        }
    }
    back
}

/// A state that is gone or is a choice now is replaced by its nearest ancestor in the old machine that is
/// neither (LOAD-3). The root always is.
fn lands(old: &Rom<'_>, new: &Rom<'_>, states: &[Option<StateId>]) -> Vec<StateId> {
    let stands = |state: StateId| {
        let to = states.get(state.index()).copied().flatten()?;
        let kind = new.state(to)?.kind.get();
        (kind != StateKind::Choice).then_some(to)
    };
    let land = |state: StateId| old.path_up(state).find_map(stands);
    old.state_ids()
        .map(|state| land(state).unwrap_or(StateId::ROOT))
        .collect()
}

fn events(old: &Rom<'_>, new: &Rom<'_>) -> Vec<Option<EventId>> {
    let mut events = pairs(old, new, StableGroup::Events, EventId::from_index);
    let carries = |rom: &Rom<'_>, id: EventId| {
        let record = rom.event(id);
        record.map(|record| (record.carries(), record.payload_bytes))
    };
    for (place, event) in events.iter_mut().enumerate() {
        let own = EventId::from_index(place).and_then(|id| carries(old, id));
        *event = event.filter(|&to| carries(new, to) == own);
    }
    events
}

fn timers(old: &Rom<'_>, new: &Rom<'_>) -> Vec<TimerPlan> {
    let forward = pairs(old, new, StableGroup::Timers, TimerId::from_index);
    let count = new.timers().len();
    let back = inverse(&forward, count, TimerId::from_index, TimerId::index);
    let plan = |(record, from): (&TimerRecord, Option<TimerId>)| {
        let own = from.and_then(|from| old.timer(from));
        let own = own.filter(|own| is_like(own.kind.get(), record.kind.get()));
        TimerPlan {
            from: from.filter(|_| own.is_some()),
            changed: own
                .is_some_and(|own| !lasts_as_long((old, own.duration), (new, record.duration))),
        }
    };
    new.timers().iter().zip(back).map(plan).collect()
}

/// Can the time of a timer go on as that of another kind?
fn is_like(old: TimerKind, new: TimerKind) -> bool {
    use TimerKind::{After, Clock, Debounce, Every, Machine, State};
    match (old, new) {
        (Clock, Clock) | (Debounce, Debounce) | (Machine, Machine) => true,
        (After | Every | State, After | Every | State) => true,
        (After | Every | State | Machine | Clock | Debounce, _) => false,
    }
}

/// Is a duration the same, in seconds?
fn lasts_as_long(old: (&Rom<'_>, DurationWord), new: (&Rom<'_>, DurationWord)) -> bool {
    let rate = |rom: &Rom<'_>| u64::from(rom.header().tick_rate.get().max(1));
    let scaled = |ticks: u32| (u64::from(ticks) * rate(new.0)).div_ceil(rate(old.0));
    if let (Some(before), Some(after)) = (old.1.known(), new.1.known()) {
        return scaled(before) == u64::from(after);
    }
    let records = old
        .0
        .computed_duration(old.1)
        .zip(new.0.computed_duration(new.1));
    records.is_some_and(
        |(before, after)| match (before.kind.get(), after.kind.get()) {
            (DurationKind::Range, DurationKind::Range) => {
                let same = |before: u32, after: u32| scaled(before) == u64::from(after);
                same(before.low.get(), after.low.get()) && same(before.high.get(), after.high.get())
            }
            (DurationKind::Parameter, DurationKind::Parameter) => {
                let name = |rom: &Rom<'_>, record: &DurationRecord| {
                    let parameter = ParameterId::read(record.index);
                    parameter.and_then(|id| Some(rom.parameter(id)?.name_hash))
                };
                name(old.0, before) == name(new.0, after)
            }
            (DurationKind::Expression, DurationKind::Expression) => {
                let own = ExpressionId::read(before.index);
                let both = own.zip(ExpressionId::read(after.index));
                both.is_some_and(|(own, other)| are_alike((old.0, own), (new.0, other)))
            }
            (DurationKind::Range | DurationKind::Parameter | DurationKind::Expression, _) => false,
        },
    )
}

/// By new number; one that remembers something else than before is another one.
fn history(old: &Rom<'_>, new: &Rom<'_>) -> Vec<Option<HistoryId>> {
    let forward = pairs(old, new, StableGroup::History, HistoryId::from_index);
    let count = new.history().len();
    let mut back = inverse(&forward, count, HistoryId::from_index, HistoryId::index);
    for (from, record) in back.iter_mut().zip(new.history()) {
        *from = from.filter(|&from| {
            let own = old.history_point(from);
            own.is_some_and(|own| own.deep == record.deep)
        });
    }
    back
}

/// By new number; scratch of another size is other scratch.
fn scratch(old: &Rom<'_>, new: &Rom<'_>) -> Vec<Option<ScratchId>> {
    let forward = pairs(old, new, StableGroup::Scratch, ScratchId::from_index);
    let count = new.scratch().len();
    let mut back = inverse(&forward, count, ScratchId::from_index, ScratchId::index);
    for (from, record) in back.iter_mut().zip(new.scratch()) {
        *from = from.filter(|&from| {
            let own = old.scratch().get(from.index());
            own.is_some_and(|own| own.count == record.count)
        });
    }
    back
}

/// Each slot once: those of a list of events share one (LANG-1), and the first that has an origin
/// counts.
fn cooldowns(
    old: &Rom<'_>,
    new: &Rom<'_>,
    came_from: &[Option<TransitionId>],
) -> Vec<CooldownPlan> {
    let mut plans: Vec<CooldownPlan> = Vec::new();
    for extra in new.transition_extras() {
        let origin = came_from.get(usize::from(extra.transition.get()));
        let from = origin
            .copied()
            .flatten()
            .and_then(|origin| old.transition_extra(origin)?.cooldown());
        let (Some(to), Some(from)) = (extra.cooldown(), from) else {
            continue;
        };
        if !plans.iter().any(|plan| plan.to == to) {
            plans.push(CooldownPlan { from, to });
        }
    }
    plans
}

/// Results of the same function.
fn results(old: &Rom<'_>, new: &Rom<'_>, origins: &[Option<StateId>]) -> Vec<ResultPlan> {
    let plan = |extra: &StateExtra| {
        let state = StateId::read(extra.state)?;
        let origin = origins.get(state.index()).copied().flatten()?;
        let same = activity(new, state) == activity(old, origin);
        let (from, to) = (old.state_extra(origin)?.result()?, extra.result()?);
        same.then_some(ResultPlan {
            state,
            origin,
            from,
            to,
        })
    };
    new.state_extras().iter().filter_map(plan).collect()
}

/// Hash of the function of a state's activity.
fn activity(rom: &Rom<'_>, state: StateId) -> Option<u32> {
    let call = rom.op(OpId::read(rom.state(state)?.activity)?)?;
    Some(rom.function(FunctionId::read(call.a)?)?.hash.get())
}

fn latches(old: &Rom<'_>, new: &Rom<'_>, origins: &[Option<StateId>]) -> Vec<LatchPlan> {
    let plan = |extra: &StateExtra| {
        let state = StateId::read(extra.state)?;
        let origin = origins.get(state.index()).copied().flatten()?;
        Some(LatchPlan {
            state,
            origin,
            from: old.state_extra(origin)?.latch()?,
            to: extra.latch()?,
        })
    };
    new.state_extras().iter().filter_map(plan).collect()
}

/// The plain one is in every machine.
fn variants(old: &Rom<'_>, new: &Rom<'_>) -> Vec<Option<VariantId>> {
    let hashes = |rom: &Rom<'_>| -> Vec<u64> {
        let hashes = rom.variants().iter().map(|one| one.name_hash.get());
        let plain = rom.variants().is_empty().then_some(0);
        hashes.chain(plain).collect()
    };
    by_name(
        hashes(old).into_iter(),
        hashes(new).into_iter(),
        VariantId::from_index,
    )
}
