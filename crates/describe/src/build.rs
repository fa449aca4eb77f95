//! From a ROM to the model: one function per kind of thing.

use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_symbols::{SymbolId, SymbolKind};
use zerocopy::byteorder::little_endian::U16;

use crate::kinds::{ParameterType, PayloadKind, StateKind, TimerKind, ValueType, Word};
use crate::model::*;
use crate::names::NameTable;
use crate::refer::{Entrance, EventRef, Named};
use crate::state::*;
use crate::value::Value;

/// The decompiled machine.
pub(crate) fn model(names: &NameTable<'_>) -> Model {
    let header = names.rom.header();
    Model {
        machine: names.machine(),
        tier: Word(names.rom.tier()),
        tick_rate: header.tick_rate.get(),
        policies: Policies::read(header.policies),
        budgets: Budgets {
            events_per_tick: header.events_per_tick.get(),
            microsteps_per_tick: header.microsteps_per_tick.get(),
            clamp_limit: header.clamp_limit,
            command_bytes: header.command_bytes.get(),
        },
        fail_safe: entrance(names, header.fail_safe),
        reload_entry: entrance(names, header.reload_entry),
        events: numbered(names.rom.events(), |id, record| event(names, id, record)),
        blackboard: numbered(names.rom.keys(), |id: KeyId, record| Key {
            name: names.key(id).name,
            ty: Word(record.ty.get()),
            default: names.value(record.ty.get(), record.default.map(|word| word.get())),
        }),
        parameters: numbered(names.rom.parameters(), |id: ParameterId, record| {
            Parameter {
                name: names.named(SymbolKind::Parameter, id.index()),
                ty: Word(ParameterType::of(record)),
                value: parameter(names, VariantId::PLAIN, id, record.ty.get()),
            }
        }),
        variants: variants(names),
        channels: numbered(names.rom.channels(), |id: ChannelId, record| Channel {
            name: names.named(SymbolKind::Channel, id.index()),
            release: names.string(record.command.get()),
            lane: names.lane(usize::from(record.lane.get())),
        }),
        lanes: names
            .rom
            .lanes()
            .iter()
            .chain(names.rom.built_in_lanes())
            .filter_map(|record| lane(names, record))
            .collect(),
        timers: machine_timers(names),
        observers: names
            .rom
            .observers()
            .iter()
            .map(|record| observer(names, record))
            .collect(),
        functions: functions(names),
        states: names
            .rom
            .state_ids()
            .filter_map(|id| Some(state(names, id, names.rom.state(id)?)))
            .collect(),
    }
}

/// Ticks, where 0 means none.
fn ticks(ticks: u32) -> Option<u32> {
    (ticks > 0).then_some(ticks)
}

/// Records with their ids; the format has no more than there are ids for (ROM-3).
fn numbered<'r, I: SymbolId, T, D>(records: &'r [T], item: impl Fn(I, &'r T) -> D) -> Vec<D> {
    run(records, 0, records.len(), item)
}

/// The same for a run of them.
fn run<'r, I: SymbolId, T, D>(
    records: &'r [T],
    first: usize,
    count: usize,
    item: impl Fn(I, &'r T) -> D,
) -> Vec<D> {
    let own = records.iter().enumerate().skip(first).take(count);
    own.filter_map(|(index, record)| Some(item(I::from_index(index)?, record)))
        .collect()
}

fn entrance(names: &NameTable<'_>, set: U16) -> Option<Entrance> {
    TargetSetId::read(set).map(|_| Entrance(names.targets(set)))
}

fn lane(names: &NameTable<'_>, record: &LaneRecord) -> Option<Lane> {
    Some(Lane {
        id: LaneId::from_index(record.number.into())?,
        name: names.lane(record.number.into()),
        merge: Word(record.merge.get()),
        critical: record.critical != 0,
        key: Word(record.key.get()),
        scope: Word(record.scope.get()),
        cap: Some(record.cap.get()).filter(|cap| *cap > 0),
    })
}

fn event(names: &NameTable<'_>, id: EventId, record: &EventRecord) -> Event {
    Event {
        id,
        name: names.event(id).name,
        class: Word(record.class.get()),
        payload: carried(record.payload.get()),
        payload_bytes: record.payload_bytes,
        coalesce: record.flags & event_flag::COALESCE != 0,
        ttl: ticks(record.ttl_ticks.get()),
        indirect: record.flags & event_flag::INDIRECT != 0,
        ephemeral: record.flags & event_flag::EPHEMERAL != 0,
    }
}

/// What an event carries, if anything.
fn carried(payload: PayloadKind) -> Option<Word<PayloadKind>> {
    (payload != PayloadKind::Empty).then_some(Word(payload))
}

/// Value of a parameter in a variant.
fn parameter(
    names: &NameTable<'_>,
    variant: VariantId,
    parameter: ParameterId,
    ty: ValueType,
) -> Value {
    let mut words = [0; 3];
    let records = names.rom.parameter_value(variant, parameter);
    for (word, record) in words.iter_mut().zip(records) {
        *word = record.word.get();
    }
    names.value(ty, words)
}

fn variants(names: &NameTable<'_>) -> Vec<Variant> {
    let count = names.rom.variants().len();
    run(names.rom.variants(), 1, count, |variant: VariantId, _| {
        Variant {
            name: names.named(SymbolKind::Variant, variant.index()),
            values: numbered(names.rom.parameters(), |id: ParameterId, record| {
                let name = names.named(SymbolKind::Parameter, id.index());
                (name, parameter(names, variant, id, record.ty.get()))
            }),
        }
    })
}

/// The event that a timer fires as, if it is one.
fn fires_as(names: &NameTable<'_>, record: &TimerRecord) -> Option<EventRef> {
    let event = EventId::read(record.column)?;
    (event.index() < names.rom.events().len()).then(|| names.event(event))
}

fn machine_timers(names: &NameTable<'_>) -> Vec<MachineTimer> {
    let timers = numbered(names.rom.timers(), |id: TimerId, record| {
        (record.kind == TimerKind::Machine).then(|| MachineTimer {
            id,
            name: names.timer(id).name,
            instances: record.instances,
            class: Word(record.class.get()),
            event: fires_as(names, record),
        })
    });
    timers.into_iter().flatten().collect()
}

fn observer(names: &NameTable<'_>, record: &ObserverRecord) -> Observer {
    let event = EventId::read(record.event).filter(|_| !SpecialTrigger::Any.is(record.event));
    Observer {
        event: event.map(|event| names.event(event)),
        actions: names.actions(record.actions),
    }
}

fn functions(names: &NameTable<'_>) -> Vec<Function> {
    let mut functions = numbered(names.rom.linker(), |id: FunctionId, record| Function {
        id,
        name: names.named(SymbolKind::Function, id.index()),
        kind: Word(record.kind.get()),
        returns: (record.kind == FunctionKind::Value).then(|| Word(record.ty.get())),
        rng: record.rng != 0,
    });
    functions.sort_by(|a, b| (a.kind, &a.name, a.rng).cmp(&(b.kind, &b.name, b.rng)));
    functions
}

fn state(names: &NameTable<'_>, id: StateId, record: &StateRecord) -> State {
    let absent = StateExtra {
        suspend: U16::new(NONE),
        resume: U16::new(NONE),
        update: U16::new(NONE),
        exit_ready: U16::new(NONE),
        clock: 0xFF,
        done_event: U16::new(NONE),
        ..StateExtra::default()
    };
    let extra = names.rom.state_extra(id).copied().unwrap_or(absent);
    let kind = record.kind.get();
    State {
        id,
        path: names.state(id).name,
        kind: Word(kind),
        regions: names
            .rom
            .region_ids_of(id)
            .filter_map(|region| self::region(names, region))
            .collect(),
        history: history(names, id),
        history_reset_on_done: record.flags.get() & state_flag::HISTORY_RESET != 0,
        entry: names.actions(record.entry),
        exit: names.actions(record.exit),
        suspend: names.actions(extra.suspend),
        resume: names.actions(extra.resume),
        update: names.actions(extra.update),
        activity: names.condition(record.activity),
        defer: names
            .rom
            .deferrals_of(id)
            .iter()
            .filter_map(|deferral| EventId::read(deferral.event))
            .map(|event| names.event(event))
            .collect(),
        owns: owns(names, extra.channels.get()),
        timers: timers(names, record),
        scratch: scratch(names, id),
        exit_ready: names.condition(extra.exit_ready),
        min_active: names.length(extra.min_active),
        clock: extra.clock != 0xFF,
        transitions: match kind {
            StateKind::Choice => Vec::new(),
            StateKind::Atomic | StateKind::Compound | StateKind::Orthogonal | StateKind::Final => {
                transitions(names, record)
            }
        },
        branches: branches(names, id),
    }
}

fn region(names: &NameTable<'_>, id: RegionId) -> Option<Region> {
    let initial = names.rom.initial_of(id)?;
    Some(Region {
        id,
        name: names.region(id.index()),
        initial: Initial {
            to: names.targets(initial.targets),
            actions: names.actions(initial.effect),
        },
        stack: names.rom.stack_of(id).map(|stack| stack.depth),
        children: names
            .rom
            .children(id)
            .map(|child| names.state(child))
            .collect(),
    })
}

fn history(names: &NameTable<'_>, id: StateId) -> Vec<History> {
    let extra = names.rom.state_extra(id);
    let first = extra.map_or(0, |extra| usize::from(extra.first_history.get()));
    let count = names.rom.history_of(id).len();
    run(names.rom.history(), first, count, |id, record| History {
        id,
        name: names.history_name(id),
        deep: record.deep != 0,
        default: names.targets(record.default),
        actions: names.actions(record.effect),
        restore_on_entry: record.restore != 0,
    })
}

fn owns(names: &NameTable<'_>, mask: u32) -> Vec<Named<ChannelId>> {
    (0..MAX_CHANNELS)
        .filter(|&channel| mask & (1 << channel) != 0)
        .filter_map(ChannelId::from_index)
        .map(|id| Named {
            id,
            name: names.named(SymbolKind::Channel, id.index()),
        })
        .collect()
}

fn timers(names: &NameTable<'_>, record: &StateRecord) -> Vec<StateTimer> {
    let first = usize::from(record.first_timer.get());
    let count = usize::from(record.timer_count);
    let own = run(names.rom.timers(), first, count, |id: TimerId, record| {
        (record.kind == TimerKind::State).then(|| StateTimer {
            id,
            name: names.timer(id).name,
            class: Word(record.class.get()),
            event: fires_as(names, record),
        })
    });
    own.into_iter().flatten().collect()
}

fn scratch(names: &NameTable<'_>, id: StateId) -> Vec<Scratch> {
    let all = names.rom.scratch();
    // Scratch lies in the order of its owners.
    let first = all.partition_point(|record| record.owner.get() < id.raw());
    let own = all[first..].iter();
    let count = own
        .take_while(|record| record.owner.get() == id.raw())
        .count();
    run(all, first, count, |id: ScratchId, record| Scratch {
        id,
        name: names.named(SymbolKind::Scratch, id.index()),
        slots: record.count,
        ty: match record.ty.get() {
            ScratchType::Raw => None,
            ty => Some(Word(ty)),
        },
    })
}

fn transitions(names: &NameTable<'_>, record: &StateRecord) -> Vec<Transition> {
    let first = usize::from(record.first_transition.get());
    let count = usize::from(record.transition_count.get());
    run(names.rom.transitions(), first, count, |id, record| {
        transition(names, id, record)
    })
}

fn transition(names: &NameTable<'_>, id: TransitionId, record: &TransitionRecord) -> Transition {
    let extra = names.rom.transition_extra(id);
    let flags = record.flags.get();
    let has = |flag: u16| flags & flag != 0;
    Transition {
        id,
        name: names.transition(id.index()),
        trigger: names.trigger(record.trigger.get()),
        guard: names.condition(record.guard),
        to: names.targets(record.targets),
        actions: names.actions(record.effect),
        kind: match (has(transition_flag::INTERNAL), has(transition_flag::LOCAL)) {
            (true, _) => TransitionKind::Internal,
            (false, true) => TransitionKind::Local,
            (false, false) => TransitionKind::External,
        },
        stack: match (has(transition_flag::PUSH), has(transition_flag::POP)) {
            (true, _) => Some(StackUse::Push),
            (false, true) => Some(StackUse::Pop),
            (false, false) => None,
        },
        priority: statewright_rom::priority(record.flags),
        interrupt: has(transition_flag::INTERRUPT),
        score: extra.and_then(|extra| names.condition(extra.score)),
        threshold: extra.filter(|_| has(transition_flag::SCORED)).map(|extra| {
            match ExpressionId::read(extra.threshold_code) {
                None => Threshold::Number(crate::value::readable(extra.threshold.get())),
                Some(code) => Threshold::Code(names.expression(code.raw())),
            }
        }),
        cooldown: extra.and_then(|extra| names.length(extra.cooldown_time)),
        debounce: extra.and_then(|extra| names.length(extra.debounce_time)),
        stay: has(transition_flag::STAY),
        latch: has(transition_flag::LATCH),
        listed: has(transition_flag::LISTED),
    }
}

fn branches(names: &NameTable<'_>, id: StateId) -> Vec<Branch> {
    let branch = |record: &BranchRecord| Branch {
        guard: names.condition(record.guard),
        to: names.targets(record.targets),
        actions: names.actions(record.effect),
    };
    names.rom.branches_of(id).iter().map(branch).collect()
}
