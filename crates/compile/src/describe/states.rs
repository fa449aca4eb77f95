//! The part `model`: states and their transitions. See [`super`] for its shape.

use serde_json::{Value, json};
use statewright_rom::ids::{InitialId, RegionId, StateId, TransitionExtraId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::U16;

use super::model::ticks;
use super::names::NameTable;

/// All states, in pre-order.
pub(super) fn states(names: &NameTable<'_>) -> Value {
    names
        .rom
        .state_ids()
        .filter_map(|id| Some(state(names, id, names.rom.state(id)?)))
        .collect()
}

fn state(names: &NameTable<'_>, id: StateId, record: &StateRecord) -> Value {
    let absent = StateExtra {
        suspend: U16::new(NONE),
        resume: U16::new(NONE),
        exit_ready: U16::new(NONE),
        clock: 0xFF,
        done_event: U16::new(NONE),
        ..StateExtra::default()
    };
    let extra = names.rom.state_extra(id).copied().unwrap_or(absent);
    let transitions = match record.kind.get() {
        StateKind::Choice => Vec::new(),
        StateKind::Atomic | StateKind::Compound | StateKind::Orthogonal | StateKind::Final => {
            transitions(names, record)
        }
    };
    json!({
        "path": names.state(id.raw()),
        "kind": record.kind.get().name(),
        "regions": names.rom.region_ids_of(id).filter_map(|region| self::region(names, region)).collect::<Vec<_>>(),
        "history": history(names, id),
        "history_reset_on_done": record.flags.get() & state_flag::HISTORY_RESET != 0,
        "entry": names.actions(record.entry),
        "exit": names.actions(record.exit),
        "suspend": names.actions(extra.suspend),
        "resume": names.actions(extra.resume),
        "activity": names.condition(record.activity),
        "defer": names.rom.deferrals_of(id).iter().map(|d| names.event(d.event.get())).collect::<Vec<_>>(),
        "owns": owns(names, extra.channels.get()),
        "timers": timers(names, record),
        "scratch": scratch(names, id),
        "exit_ready": names.condition(extra.exit_ready),
        "min_active": ticks(extra.min_active_ticks.get()),
        "clock": extra.clock != 0xFF,
        "transitions": transitions,
        "branches": branches(names, id),
    })
}

fn region(names: &NameTable<'_>, id: RegionId) -> Option<Value> {
    let record = names.rom.region(id)?;
    let initial = InitialId::read(record.initial)
        .and_then(|initial| names.rom.initials().get(initial.index()))?;
    Some(json!({
        "name": names.region(id.index()),
        "initial": { "to": names.targets(initial.targets), "do": names.actions(initial.effect) },
        "stack": names.rom.stack_of(id).map(|stack| stack.depth),
        "children": names.rom.children(id).map(|child| names.state(child.raw())).collect::<Vec<_>>(),
    }))
}

fn history(names: &NameTable<'_>, id: StateId) -> Vec<Value> {
    let first = names
        .rom
        .state_extra(id)
        .map_or(0, |extra| usize::from(extra.first_history.get()));
    let point = |(index, record): (usize, &HistoryRecord)| {
        json!({
            "name": names.history_name(index),
            "deep": record.deep != 0,
            "default": names.targets(record.default),
            "do": names.actions(record.effect),
            "restore_on_entry": record.restore != 0,
        })
    };
    (first..).zip(names.rom.history_of(id)).map(point).collect()
}

fn owns(names: &NameTable<'_>, mask: u32) -> Vec<String> {
    (0..MAX_CHANNELS)
        .filter(|&channel| mask & (1 << channel) != 0)
        .map(|channel| names.channel(channel))
        .collect()
}

fn timers(names: &NameTable<'_>, record: &StateRecord) -> Vec<Value> {
    let first = usize::from(record.first_timer.get());
    let own = names
        .rom
        .timers()
        .iter()
        .enumerate()
        .skip(first)
        .take(usize::from(record.timer_count));
    let timer = |(index, record): (usize, &TimerRecord)| {
        let (class, event) = names.timer_fires(record);
        json!({ "name": names.timer(index), "class": class, "event": event })
    };
    own.filter(|(_, record)| record.kind == TimerKind::State)
        .map(timer)
        .collect()
}

fn scratch(names: &NameTable<'_>, id: StateId) -> Vec<Value> {
    let all = names.rom.scratch();
    // Scratch lies in the order of its owners.
    let first = all.partition_point(|record| record.owner.get() < id.raw());
    let own = all
        .iter()
        .enumerate()
        .skip(first)
        .take_while(|(_, record)| record.owner.get() == id.raw());
    own.map(|(index, record)| json!({ "name": names.scratch(index), "slots": record.count }))
        .collect()
}

fn transitions(names: &NameTable<'_>, record: &StateRecord) -> Vec<Value> {
    let first = usize::from(record.first_transition.get());
    let own = names
        .rom
        .transitions()
        .iter()
        .enumerate()
        .skip(first)
        .take(usize::from(record.transition_count.get()));
    own.map(|(index, record)| transition(names, index, record))
        .collect()
}

fn transition(names: &NameTable<'_>, index: usize, record: &TransitionRecord) -> Value {
    let extra = TransitionExtraId::read(record.extra)
        .and_then(|id| names.rom.transition_extras().get(id.index()));
    let flags = record.flags.get();
    let has = |flag: u16| flags & flag != 0;
    let pick = |words: &[(u16, &'static str)]| {
        words
            .iter()
            .find(|(flag, _)| has(*flag))
            .map(|(_, word)| *word)
    };
    json!({
        "name": names.transition(index),
        "trigger": names.trigger(record.trigger.get()),
        "if": names.condition(record.guard),
        "to": names.targets(record.targets),
        "do": names.actions(record.effect),
        "kind": pick(&[(transition_flag::INTERNAL, "internal"), (transition_flag::LOCAL, "local")]).unwrap_or("external"),
        "stack": pick(&[(transition_flag::PUSH, "push"), (transition_flag::POP, "pop")]),
        "priority": statewright_rom::priority(record.flags),
        "interrupt": has(transition_flag::INTERRUPT),
        "score": extra.and_then(|extra| names.condition(extra.score)),
        "threshold": extra.filter(|_| has(transition_flag::SCORED)).map(|extra| threshold(names, extra)),
        "cooldown": extra.and_then(|extra| ticks(extra.cooldown_ticks.get())),
        "debounce": extra.and_then(|extra| ticks(extra.debounce_ticks.get())),
        "latch": has(transition_flag::LATCH),
    })
}

fn threshold(names: &NameTable<'_>, extra: &TransitionExtra) -> Value {
    names.value(ValueType::F32, [extra.threshold.get().to_bits(), 0, 0])
}

impl NameTable<'_> {
    /// Text of a trigger.
    pub(super) fn trigger(&self, column: u16) -> String {
        if let Some(special) = SpecialTrigger::from_number(column) {
            return match special {
                SpecialTrigger::Any => "on *".to_owned(),
                SpecialTrigger::Always | SpecialTrigger::Done | SpecialTrigger::Failed => {
                    special.name().to_owned()
                }
            };
        }
        match column {
            event if usize::from(event) < self.rom.events().len() => {
                format!("on {}", self.event(event))
            }
            column => self.timer_trigger(usize::from(column) - self.rom.events().len()),
        }
    }

    fn timer_trigger(&self, timer: usize) -> String {
        match self.rom.timers().get(timer) {
            Some(record) if record.kind == TimerKind::After => {
                format!("after {}t", record.ticks.get())
            }
            _ => format!("timer {}", self.timer(timer)),
        }
    }

    /// A transition in a few words, for lists.
    pub(super) fn transition_shown(&self, record: &TransitionRecord) -> String {
        let to = self.targets(record.targets);
        let trigger = self.trigger(record.trigger.get());
        if to.is_empty() {
            trigger
        } else {
            format!("{trigger} -> {}", to.join(" + "))
        }
    }
}

fn branches(names: &NameTable<'_>, id: StateId) -> Vec<Value> {
    let branch = |record: &BranchRecord| {
        json!({
            "if": names.condition(record.guard),
            "to": names.targets(record.targets),
            "do": names.actions(record.effect),
        })
    };
    names.rom.branches_of(id).iter().map(branch).collect()
}
