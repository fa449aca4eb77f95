//! Pass *emit*, first half: the model and its allocation become records. Plans are added by
//! [`crate::plan`].

mod data;
mod header;

use std::collections::HashMap;

use statewright_author::graph::{StackOperation, StateKind, TransitionKind};
use statewright_author::span::Span;
use statewright_rom::ids::{StackId, StateExtraId, TransitionExtraId, TransitionId};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{F32, U16, U32};

pub use header::{INTERNAL_FIRST_MICROSTEPS, set_tier};

use crate::actions::narrow;
use crate::allocate::Allocation;
use crate::check::choice_lengths;
use crate::index::{
    EventIndex, Index, IndexVec, StateIndex, TargetSetIndex, TimerIndex, TransitionIndex,
};
use crate::model::{LAST_TIMER_RANK, Model, Timer, TimerKind, Transition, Trigger, timer_rank};
use crate::numbers;
use crate::stable::StableIds;
use crate::tables::Tables;
use crate::tree::Target;

/// Records of a machine without plans, features and hashes.
pub struct Lowered {
    /// The records.
    pub tables: Tables,
    /// For each transition of the ROM the one of the model.
    pub transition_order: IndexVec<TransitionId, TransitionIndex>,
}

struct Lowering<'m, 'a> {
    model: &'m Model<'a>,
    allocation: &'m Allocation,
    tables: Tables,
    target_sets: HashMap<Vec<(TargetKind, u16)>, TargetSetIndex>,
    /// For each transition of the model the one of the ROM.
    transition_ids: IndexVec<TransitionIndex, TransitionId>,
    /// Choices in the order of their branches in the ROM.
    choices: Vec<StateIndex>,
}

/// Lowers a model.
pub fn lower(model: &Model<'_>, allocation: &Allocation, ids: &StableIds) -> Lowered {
    let transition_order = selection_order(model);
    let mut transition_ids = IndexVec::filled(Index::new(0), &model.transitions);
    for (to, &from) in transition_order.enumerate() {
        transition_ids[from] = to;
    }
    let mut lowering = Lowering {
        model,
        allocation,
        tables: Tables::default(),
        target_sets: HashMap::new(),
        transition_ids,
        choices: choice_order(model),
    };
    lowering.regions();
    lowering.states();
    lowering.transitions(&transition_order);
    lowering.branches();
    lowering.history();
    lowering.timers();
    lowering.events();
    lowering.data();
    lowering.observers();
    lowering.stacks();
    lowering.scratch();
    lowering.stable_ids(ids, &transition_order);
    lowering.header();
    model.actions.emit(&mut lowering.tables);
    lowering.channels();
    Lowered {
        tables: lowering.tables,
        transition_order,
    }
}

/// Transitions by source, higher priority first, then declaration (SEL-3).
fn selection_order(model: &Model<'_>) -> IndexVec<TransitionId, TransitionIndex> {
    let mut order = IndexVec::default();
    for state in &model.resolved {
        let mut own: Vec<TransitionIndex> = state.transitions.clone().collect();
        own.sort_by_key(|&t| std::cmp::Reverse(model.transitions[t].priority));
        order.extend(own);
    }
    order
}

/// Choices so that each comes before those it leads to; the loader proves by this order that
/// choices end (EXEC-7).
fn choice_order(model: &Model<'_>) -> Vec<StateIndex> {
    let lengths = choice_lengths(model);
    let is_choice = |&state: &StateIndex| model.tree.states[state].kind == StateKind::Choice;
    let mut choices: Vec<StateIndex> = model.tree.states.indices().filter(is_choice).collect();
    choices.sort_by_key(|&choice| std::cmp::Reverse(lengths[choice]));
    choices
}

/// An index in a field of a record.
fn field(index: impl Index) -> U16 {
    U16::new(narrow(index))
}

/// An index that may be absent in a field of a record.
fn maybe(index: Option<impl Index>) -> U16 {
    U16::new(index.map_or(NONE, narrow))
}

fn byte(value: Option<u32>) -> u8 {
    value.map_or(0xFF, |value| value as u8)
}

impl Lowering<'_, '_> {
    /// A target set; equal sets share one. Targets lie in the order of the tree.
    fn target_set(&mut self, targets: &[Target]) -> Option<TargetSetIndex> {
        if targets.is_empty() {
            return None;
        }
        let tree = &self.model.tree;
        let mut entries: Vec<(StateIndex, (TargetKind, u16))> = targets
            .iter()
            .map(|&target| {
                let entry = match target {
                    Target::History(history) => (TargetKind::History, narrow(history)),
                    Target::State(state) if tree.states[state].kind == StateKind::Choice => {
                        (TargetKind::Choice, narrow(state))
                    }
                    Target::State(state) => (TargetKind::State, narrow(state)),
                };
                (tree.anchor(target), entry)
            })
            .collect();
        entries.sort_unstable();
        let key: Vec<(TargetKind, u16)> = entries.into_iter().map(|(_, entry)| entry).collect();
        if let Some(&known) = self.target_sets.get(&key) {
            return Some(known);
        }
        let set = TargetSetIndex::new(self.tables.target_sets.len());
        self.tables.target_sets.push(TargetSet {
            first: U32::new(self.tables.targets.len() as u32),
            count: U16::new(key.len() as u16),
            reserved: U16::new(0),
        });
        self.tables
            .targets
            .extend(key.iter().map(|&(kind, index)| TargetRecord {
                index: U16::new(index),
                kind: kind.into(),
                reserved: 0,
            }));
        self.target_sets.insert(key, set);
        Some(set)
    }

    fn regions(&mut self) {
        for (region, node) in self.model.tree.regions.enumerate() {
            let entry = &self.model.initials[region];
            let targets = self.target_set(&entry.targets);
            self.tables.initials.push(InitialRecord {
                targets: maybe(targets),
                effect: maybe(entry.effect),
            });
            let stack = self.allocation.stack_of(region);
            self.tables.regions.push(RegionRecord {
                owner: field(node.owner),
                first_child: maybe(node.children.first().copied()),
                initial: field(region),
                leaf: self.allocation.region_leaf[region] as u8,
                stack: StackId::to_raw(stack),
            });
        }
    }

    fn states(&mut self) {
        let mut first_transition = 0;
        let mut first_branch = IndexVec::filled(0, &self.model.tree.states);
        let mut next_branch = 0;
        for &choice in &self.choices {
            first_branch[choice] = next_branch;
            next_branch += self.model.resolved[choice].branches.len();
        }
        for (state, node) in self.model.tree.states.enumerate() {
            let resolved = &self.model.resolved[state];
            let choice = node.kind == StateKind::Choice;
            let (first, count) = if choice {
                (first_branch[state], resolved.branches.len())
            } else {
                (first_transition, resolved.transitions.len())
            };
            first_transition += resolved.transitions.len();
            let (first_timer, timer_count, timer_mask) = self.owned_timers(state);
            let extra = self.state_extra(state);
            self.tables.states.push(StateRecord {
                parent: maybe(node.parent),
                subtree_end: field(node.end),
                region: maybe(node.region),
                first_region: maybe((!node.regions.is_empty()).then_some(node.regions.start)),
                region_count: node.regions.len() as u8,
                depth: node.depth as u8,
                kind: numbers::state_kind(node.kind).into(),
                leaf: node
                    .region
                    .map_or(0, |region| self.allocation.region_leaf[region] as u8),
                flags: U16::new(self.state_flags(state)),
                entry: maybe(resolved.entry),
                exit: maybe(resolved.exit),
                activity: maybe(resolved.activity),
                first_transition: U16::new(if count == 0 { 0 } else { first as u16 }),
                transition_count: U16::new(count as u16),
                first_timer: U16::new(first_timer.map_or(0, narrow)),
                timer_count: timer_count as u8,
                timer_mask,
                extra: maybe(extra),
                row: U16::new(NONE),
            });
        }
    }

    /// Firing timers of a state (they are consecutive), and the slots of all its timers as bits.
    fn owned_timers(&self, state: StateIndex) -> (Option<TimerIndex>, usize, u8) {
        let of_state = |timer: &Timer<'_>| timer.owner == state && timer.kind != TimerKind::Machine;
        let range = self.timers_of(state);
        let mut mask = 0;
        let mut first = None;
        let mut count = 0;
        for t in range {
            let timer = &self.model.timers[t];
            if !of_state(timer) {
                continue;
            }
            mask |= 1u8.checked_shl(self.allocation.timers[t]).unwrap_or(0);
            if timer.kind.fires() {
                first = first.or(Some(t));
                count += 1;
            }
        }
        (first, count, mask)
    }

    /// Timers that may belong to a state: those of one rank are sorted by owner.
    fn timers_of(&self, state: StateIndex) -> Vec<TimerIndex> {
        let timers = &self.model.timers;
        let key_of = |timer: &Timer<'_>| (timer_rank(timer.kind), timer.owner);
        let mut found = Vec::new();
        for rank in timer_rank(TimerKind::State)..=LAST_TIMER_RANK {
            let key = (rank, state);
            let first = timers.partition_point(|timer| key_of(timer) < key);
            let own = timers.enumerate().skip(first);
            let own = own.take_while(|(_, timer)| key_of(timer) == key);
            found.extend(own.map(|(index, _)| index));
        }
        found
    }

    fn state_flags(&self, state: StateIndex) -> u16 {
        let resolved = &self.model.resolved[state];
        let node = &self.model.tree.states[state];
        let transitions = &self.model.transitions[resolved.transitions.clone()];
        let set = |on: bool, flag: u16| if on { flag } else { 0 };
        set(resolved.activity.is_some(), state_flag::ACTIVITY)
            | set(resolved.update.is_some(), state_flag::UPDATE)
            | set(
                transitions.iter().any(|t| t.trigger.is_eventless()),
                state_flag::EVENTLESS,
            )
            | set(
                transitions.iter().any(|t| t.authored.interrupt.is_some()),
                state_flag::INTERRUPTS,
            )
            | set(!resolved.defers.is_empty(), state_flag::DEFERS)
            | set(
                node.authored.history.iter().any(|h| h.restore_on_entry),
                state_flag::RESTORES,
            )
            | set(
                node.authored.history_reset_on_done,
                state_flag::HISTORY_RESET,
            )
    }

    fn state_extra(&mut self, state: StateIndex) -> Option<StateExtraId> {
        let resolved = &self.model.resolved[state];
        let node = &self.model.tree.states[state];
        let clock = self
            .timers_of(state)
            .into_iter()
            .find(|&t| self.model.timers[t].kind == TimerKind::Clock);
        let scratch_count: u32 = node.authored.scratch.iter().map(|s| s.slots.value).sum();
        let result = self.allocation.result[state];
        let record = StateExtra {
            state: field(state),
            suspend: maybe(resolved.suspend),
            resume: maybe(resolved.resume),
            update: maybe(resolved.update),
            exit_ready: maybe(resolved.exit_ready),
            min_active: resolved.min_active,
            channels: U32::new(
                resolved
                    .owns
                    .iter()
                    .fold(0, |mask, &(channel, _)| mask | (1u32 << channel.position())),
            ),
            first_history: U16::new(if node.histories.is_empty() {
                0
            } else {
                narrow(node.histories.start)
            }),
            first_deferral: U16::new(if resolved.defers.is_empty() {
                0
            } else {
                self.tables.deferrals.len() as u16
            }),
            deferral_count: U16::new(resolved.defers.len() as u16),
            history_count: node.histories.len() as u8,
            clock: byte(clock.map(|t| self.allocation.timers[t])),
            result_slot: byte(result.map(|(slot, _)| slot)),
            result_bit: result.map_or(0, |(_, bit)| bit as u8),
            latch_slot: byte(self.allocation.latch[state]),
            scratch_slot: byte(self.allocation.scratch[state]),
            scratch_count: scratch_count as u8,
            done_event: maybe(self.done_event(state)),
            zero: 0,
            reserved: U16::new(0),
        };
        let absent = StateExtra {
            state: record.state,
            suspend: U16::new(NONE),
            resume: U16::new(NONE),
            update: U16::new(NONE),
            exit_ready: U16::new(NONE),
            clock: 0xFF,
            result_slot: 0xFF,
            latch_slot: 0xFF,
            scratch_slot: 0xFF,
            done_event: U16::new(NONE),
            ..StateExtra::default()
        };
        if record == absent {
            return None;
        }
        let event = |&(event, _): &(EventIndex, Span)| DeferralRecord {
            state: record.state,
            event: field(event),
        };
        self.tables
            .deferrals
            .extend(resolved.defers.iter().map(event));
        self.tables.state_extras.push(record);
        StateExtraId::from_index(self.tables.state_extras.len() - 1)
    }

    /// The event that a completed state raises: the one declared as `done.state.NAME` (EVT-10).
    fn done_event(&self, state: StateIndex) -> Option<EventIndex> {
        let machine = self.model.machine;
        if !machine
            .policies
            .done_events
            .as_ref()
            .is_some_and(|policy| policy.value)
        {
            return None;
        }
        let node = &self.model.tree.states[state];
        let name = format!("done.state.{}", node.authored.name.value);
        let found = machine
            .events
            .iter()
            .position(|event| event.name.value == name);
        // The root ends the instance instead.
        found
            .filter(|_| !node.regions.is_empty() && state != StateIndex::ROOT)
            .map(EventIndex::new)
    }

    fn transitions(&mut self, order: &[TransitionIndex]) {
        for &from in order {
            let transition = &self.model.transitions[from];
            let targets = self.target_set(&transition.targets);
            let extra = self.transition_extra(from);
            self.tables.transitions.push(TransitionRecord {
                source: field(transition.source),
                targets: maybe(targets),
                trigger: U16::new(self.trigger(transition.trigger)),
                guard: maybe(transition.guard),
                effect: maybe(transition.effect),
                flags: U16::new(transition_flags(transition)),
                domain: field(transition.source),
                extra: maybe(extra),
            });
        }
    }

    fn trigger(&self, trigger: Trigger) -> u16 {
        match trigger {
            Trigger::Event(event) => narrow(event),
            Trigger::Any => SpecialTrigger::Any.number(),
            Trigger::Timer(timer) => self.timer_column(timer),
            Trigger::Always => SpecialTrigger::Always.number(),
            Trigger::Done => SpecialTrigger::Done.number(),
            Trigger::Failed => SpecialTrigger::Failed.number(),
        }
    }

    /// Column that a firing timer dispatches: the event it stands for, or its own.
    fn timer_column(&self, timer: TimerIndex) -> u16 {
        match self.model.timers[timer].event {
            Some(event) => narrow(event),
            None => (self.model.machine.events.len() + timer.position()) as u16,
        }
    }

    fn transition_extra(&mut self, from: TransitionIndex) -> Option<TransitionExtraId> {
        let transition = &self.model.transitions[from];
        let debounce = transition
            .debounce
            .is_some()
            .then(|| self.debounce_timer(from))
            .flatten();
        let stack = transition
            .stack
            .and_then(|(_, region)| self.allocation.stack_of(region));
        let record = TransitionExtra {
            transition: field(self.transition_ids[from]),
            score: maybe(transition.score),
            threshold: F32::new(if transition.score.is_some() {
                transition.threshold
            } else {
                0.0
            }),
            cooldown_time: transition.cooldown,
            debounce_time: transition.debounce,
            cooldown_slot: byte(self.allocation.cooldown[from]),
            debounce_timer: byte(debounce.map(|t| self.allocation.timers[t])),
            stack: StackId::to_raw(stack),
            zero: 0,
            threshold_code: maybe(
                transition
                    .threshold_code
                    .filter(|_| transition.score.is_some()),
            ),
            reserved: [0; 10],
        };
        let needed = transition.score.is_some()
            || transition.cooldown.is_some()
            || transition.debounce.is_some()
            || transition.authored.latch.is_some()
            || transition.stack.is_some();
        if !needed {
            return None;
        }
        self.tables.transition_extras.push(record);
        TransitionExtraId::from_index(self.tables.transition_extras.len() - 1)
    }

    fn debounce_timer(&self, transition: TransitionIndex) -> Option<TimerIndex> {
        let owned = self.timers_of(self.model.transitions[transition].source);
        let is_its = |&t: &TimerIndex| {
            let timer = &self.model.timers[t];
            timer.kind == TimerKind::Debounce && timer.transition == Some(transition)
        };
        owned.into_iter().find(is_its)
    }

    fn branches(&mut self) {
        let model = self.model;
        let branches = std::mem::take(&mut self.choices)
            .into_iter()
            .flat_map(|choice| model.resolved[choice].branches.clone());
        for branch in branches.map(|branch| &model.branches[branch]) {
            let targets = self.target_set(&branch.entry.targets);
            self.tables.branches.push(BranchRecord {
                owner: field(branch.owner),
                guard: maybe(branch.guard),
                targets: maybe(targets),
                effect: maybe(branch.entry.effect),
            });
        }
    }

    fn history(&mut self) {
        for (history, node) in self.model.tree.histories.enumerate() {
            let entry = &self.model.history_defaults[history];
            let default = self.target_set(&entry.targets);
            self.tables.history.push(HistoryRecord {
                owner: field(node.owner),
                default: maybe(default),
                effect: maybe(entry.effect),
                slot: self.allocation.history[history] as u8,
                slot_count: self.allocation.history_count[history] as u8,
                deep: u8::from(node.authored.deep),
                restore: u8::from(node.authored.restore_on_entry),
                reserved: [0; 6],
            });
        }
    }

    fn timers(&mut self) {
        for (index, timer) in self.model.timers.enumerate() {
            let fires = timer.kind.fires();
            let class = timer
                .authored
                .and_then(|t| t.class.as_ref())
                .map_or(EventClass::default(), |class| {
                    numbers::event_class(class.value)
                });
            self.tables.timers.push(TimerRecord {
                owner: field(timer.owner),
                transition: maybe(timer.transition.map(|t| self.transition_ids[t])),
                duration: timer.duration,
                column: U16::new(if fires {
                    self.timer_column(index)
                } else {
                    NONE
                }),
                kind: timer.kind.into(),
                place: self.allocation.timers[index] as u8,
                instances: timer.instances as u8,
                class: class.into(),
                reserved: U16::new(0),
            });
        }
    }
}

fn transition_flags(transition: &Transition<'_>) -> u16 {
    let set = |on: bool, flag: u16| if on { flag } else { 0 };
    let stack = transition.stack.map(|(operation, _)| operation);
    set(
        transition.kind == TransitionKind::Internal,
        transition_flag::INTERNAL,
    ) | set(
        transition.kind == TransitionKind::Local,
        transition_flag::LOCAL,
    ) | set(
        transition.authored.interrupt.is_some(),
        transition_flag::INTERRUPT,
    ) | set(transition.score.is_some(), transition_flag::SCORED)
        | set(stack == Some(StackOperation::Push), transition_flag::PUSH)
        | set(stack == Some(StackOperation::Pop), transition_flag::POP)
        | set(transition.authored.latch.is_some(), transition_flag::LATCH)
        | set(transition.authored.stay.is_some(), transition_flag::STAY)
        | set(transition.is_repeated(), transition_flag::LISTED)
        | (u16::from(transition.priority) << PRIORITY_SHIFT)
}
