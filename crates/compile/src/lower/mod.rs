//! Pass *emit*, first half: the model and its allocation become records. Plans are added by
//! [`crate::plan`].

mod data;
mod header;

use std::collections::HashMap;

use statewright_author::graph::{StackOperation, StateKind, TransitionKind};
use statewright_rom::layout::*;
use zerocopy::byteorder::little_endian::{F32, U16, U32};

pub use header::{INTERNAL_FIRST_MICROSTEPS, set_tier};

use crate::allocate::Allocation;
use crate::check::choice_lengths;
use crate::model::{Model, TimerKind, Transition, Trigger};
use crate::numbers;
use crate::ops::Ops;
use crate::stable::StableIds;
use crate::tables::Tables;
use crate::tree::{Node, StateIndex};

/// Records of a machine without plans, features and hashes.
pub struct Lowered {
    /// The records.
    pub tables: Tables,
    /// For each transition of the ROM its index in the model.
    pub transition_order: Vec<usize>,
}

struct Lowering<'m, 'a> {
    model: &'m Model<'a>,
    allocation: &'m Allocation,
    tables: Tables,
    target_sets: HashMap<Vec<(TargetKind, usize)>, usize>,
    /// For each transition of the model its index in the ROM.
    transition_index: Vec<usize>,
    /// Choices in the order of their branches in the ROM.
    choices: Vec<StateIndex>,
}

/// Lowers a model.
pub fn lower(model: &Model<'_>, allocation: &Allocation, ids: &StableIds) -> Lowered {
    let transition_order = selection_order(model);
    let mut transition_index = vec![0; transition_order.len()];
    for (to, &from) in transition_order.iter().enumerate() {
        transition_index[from] = to;
    }
    let mut lowering = Lowering {
        model,
        allocation,
        tables: Tables::default(),
        target_sets: HashMap::new(),
        transition_index,
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
    Ops::emit(&model.ops, &mut lowering.tables);
    lowering.channels();
    Lowered {
        tables: lowering.tables,
        transition_order,
    }
}

/// Transitions by source, higher priority first, then declaration (SEL-3).
fn selection_order(model: &Model<'_>) -> Vec<usize> {
    let mut order = Vec::with_capacity(model.transitions.len());
    for part in &model.parts {
        let mut own: Vec<usize> = part.transitions.clone().collect();
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
    let mut choices: Vec<StateIndex> = (0..model.tree.states.len()).filter(is_choice).collect();
    choices.sort_by_key(|&choice| std::cmp::Reverse(lengths[choice]));
    choices
}

fn index(value: Option<usize>) -> U16 {
    U16::new(value.map_or(NONE, |value| value as u16))
}

fn byte(value: Option<u32>) -> u8 {
    value.map_or(0xFF, |value| value as u8)
}

impl Lowering<'_, '_> {
    /// The index of a target set; equal sets share one. Targets lie in the order of the tree.
    fn target_set(&mut self, targets: &[Node]) -> Option<usize> {
        if targets.is_empty() {
            return None;
        }
        let mut key: Vec<(TargetKind, usize)> = targets
            .iter()
            .map(|&target| match target {
                Node::History(history) => (TargetKind::History, history),
                Node::State(state) if self.model.tree.states[state].kind == StateKind::Choice => {
                    (TargetKind::Choice, state)
                }
                Node::State(state) => (TargetKind::State, state),
            })
            .collect();
        let anchor = |&(kind, index): &(TargetKind, usize)| match kind {
            TargetKind::History => self.model.tree.histories[index].owner,
            TargetKind::State | TargetKind::Choice => index,
        };
        key.sort_by_key(|entry| (anchor(entry), entry.0, entry.1));
        if let Some(&known) = self.target_sets.get(&key) {
            return Some(known);
        }
        let set = self.tables.target_sets.len();
        self.tables.target_sets.push(TargetSet {
            first: U32::new(self.tables.targets.len() as u32),
            count: U16::new(key.len() as u16),
            reserved: U16::new(0),
        });
        self.tables
            .targets
            .extend(key.iter().map(|&(kind, index)| TargetRecord {
                index: U16::new(index as u16),
                kind: kind.into(),
                reserved: 0,
            }));
        self.target_sets.insert(key, set);
        Some(set)
    }

    fn regions(&mut self) {
        for (region, node) in self.model.tree.regions.iter().enumerate() {
            let entry = &self.model.initials[region];
            let targets = self.target_set(&entry.targets);
            self.tables.initials.push(InitialRecord {
                targets: index(targets),
                effect: index(entry.effect),
            });
            let stack = self
                .allocation
                .stacks
                .iter()
                .position(|stack| stack.region == region);
            self.tables.regions.push(RegionRecord {
                owner: U16::new(node.owner as u16),
                first_child: index(node.children.first().copied()),
                initial: U16::new(region as u16),
                leaf: self.allocation.region_leaf[region] as u8,
                stack: byte(stack.map(|stack| stack as u32)),
            });
        }
    }

    fn states(&mut self) {
        let mut first_transition = 0;
        let mut first_branch = vec![0; self.model.tree.states.len()];
        let mut next_branch = 0;
        for &choice in &self.choices {
            first_branch[choice] = next_branch;
            next_branch += self.model.parts[choice].branches.len();
        }
        for (state, node) in self.model.tree.states.iter().enumerate() {
            let part = &self.model.parts[state];
            let choice = node.kind == StateKind::Choice;
            let (first, count) = if choice {
                (first_branch[state], part.branches.len())
            } else {
                (first_transition, part.transitions.len())
            };
            first_transition += part.transitions.len();
            let (first_timer, timer_count, timer_mask) = self.owned_timers(state);
            let extra = self.state_extra(state);
            self.tables.states.push(StateRecord {
                parent: index(node.parent),
                subtree_end: U16::new(node.end as u16),
                region: index(node.region),
                first_region: index((!node.regions.is_empty()).then_some(node.regions.start)),
                region_count: node.regions.len() as u8,
                depth: node.depth as u8,
                kind: numbers::state_kind(node.kind).into(),
                leaf: node
                    .region
                    .map_or(0, |region| self.allocation.region_leaf[region] as u8),
                flags: U16::new(self.state_flags(state)),
                entry: index(part.entry),
                exit: index(part.exit),
                activity: index(part.activity),
                first_transition: U16::new(if count == 0 { 0 } else { first as u16 }),
                transition_count: U16::new(count as u16),
                first_timer: U16::new(first_timer as u16),
                timer_count: timer_count as u8,
                timer_mask,
                extra: index(extra),
                row: U16::new(NONE),
            });
        }
    }

    /// Firing timers of a state (they are consecutive), and the slots of all its timers as bits.
    fn owned_timers(&self, state: StateIndex) -> (usize, usize, u8) {
        let of_state = |timer: &crate::model::Timer<'_>| {
            timer.owner == state && timer.kind != TimerKind::Machine
        };
        let range = self.timers_of(state);
        let mut mask = 0;
        let mut first = 0;
        let mut count = 0;
        for t in range {
            let timer = &self.model.timers[t];
            if !of_state(timer) {
                continue;
            }
            mask |= 1u8.checked_shl(self.allocation.timers[t]).unwrap_or(0);
            if matches!(timer.kind, TimerKind::After | TimerKind::State) {
                first = if count == 0 { t } else { first };
                count += 1;
            }
        }
        (first, count, mask)
    }

    /// Timers that may belong to a state: each group of the table is sorted by owner.
    fn timers_of(&self, state: StateIndex) -> Vec<usize> {
        let timers = &self.model.timers;
        let group = |t: usize| match timers[t].kind {
            TimerKind::Machine => 0,
            TimerKind::State | TimerKind::After => 1,
            TimerKind::Clock => 2,
            TimerKind::Debounce => 3,
        };
        let mut found = Vec::new();
        for wanted in 1..=3 {
            let key = (wanted, state);
            let mut low = 0;
            let mut high = timers.len();
            while low < high {
                let middle = (low + high) / 2;
                if (group(middle), timers[middle].owner) < key {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            while low < timers.len() && (group(low), timers[low].owner) == key {
                found.push(low);
                low += 1;
            }
        }
        found
    }

    fn state_flags(&self, state: StateIndex) -> u16 {
        let part = &self.model.parts[state];
        let node = &self.model.tree.states[state];
        let transitions = &self.model.transitions[part.transitions.clone()];
        let set = |on: bool, flag: u16| if on { flag } else { 0 };
        set(part.activity.is_some(), state_flag::ACTIVITY)
            | set(
                transitions.iter().any(|t| t.trigger.is_eventless()),
                state_flag::EVENTLESS,
            )
            | set(
                transitions.iter().any(|t| t.authored.interrupt),
                state_flag::INTERRUPTS,
            )
            | set(!part.defers.is_empty(), state_flag::DEFERS)
            | set(
                node.authored.history.iter().any(|h| h.restore_on_entry),
                state_flag::RESTORES,
            )
            | set(
                node.authored.history_reset_on_done,
                state_flag::HISTORY_RESET,
            )
    }

    fn state_extra(&mut self, state: StateIndex) -> Option<usize> {
        let part = &self.model.parts[state];
        let node = &self.model.tree.states[state];
        let clock = self
            .timers_of(state)
            .into_iter()
            .find(|&t| self.model.timers[t].kind == TimerKind::Clock);
        let scratch_count: u32 = node.authored.scratch.iter().map(|s| s.slots.value).sum();
        let result = self.allocation.result[state];
        let record = StateExtra {
            state: U16::new(state as u16),
            suspend: index(part.suspend),
            resume: index(part.resume),
            exit_ready: index(part.exit_ready),
            min_active_ticks: U32::new(part.min_active),
            channels: U32::new(
                part.owns
                    .iter()
                    .fold(0, |mask, &(channel, _)| mask | (1u32 << channel)),
            ),
            first_history: U16::new(if node.histories.is_empty() {
                0
            } else {
                node.histories.start as u16
            }),
            first_deferral: U16::new(if part.defers.is_empty() {
                0
            } else {
                self.tables.deferrals.len() as u16
            }),
            deferral_count: U16::new(part.defers.len() as u16),
            history_count: node.histories.len() as u8,
            clock: byte(clock.map(|t| self.allocation.timers[t])),
            result_slot: byte(result.map(|(slot, _)| slot)),
            result_bit: result.map_or(0, |(_, bit)| bit as u8),
            latch_slot: byte(self.allocation.latch[state]),
            scratch_slot: byte(self.allocation.scratch[state]),
            scratch_count: scratch_count as u8,
            done_event: index(self.done_event(state)),
            reserved: 0,
        };
        let absent = StateExtra {
            state: record.state,
            suspend: U16::new(NONE),
            resume: U16::new(NONE),
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
        let event = |&(event, _): &(usize, _)| DeferralRecord {
            state: record.state,
            event: U16::new(event as u16),
        };
        self.tables.deferrals.extend(part.defers.iter().map(event));
        self.tables.state_extras.push(record);
        Some(self.tables.state_extras.len() - 1)
    }

    /// The event that a completed state raises: the one declared as `done.state.NAME` (EVT-10).
    fn done_event(&self, state: StateIndex) -> Option<usize> {
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
        found.filter(|_| !node.regions.is_empty() && state != 0)
    }

    fn transitions(&mut self, order: &[usize]) {
        for &from in order {
            let transition = &self.model.transitions[from];
            let targets = self.target_set(&transition.targets);
            let extra = self.transition_extra(from);
            self.tables.transitions.push(TransitionRecord {
                source: U16::new(transition.source as u16),
                targets: index(targets),
                trigger: U16::new(self.trigger(transition.trigger)),
                guard: index(transition.guard),
                effect: index(transition.effect),
                flags: U16::new(transition_flags(transition)),
                domain: U16::new(transition.source as u16),
                extra: index(extra),
            });
        }
    }

    fn trigger(&self, trigger: Trigger) -> u16 {
        match trigger {
            Trigger::Event(event) => event as u16,
            Trigger::Any => SpecialTrigger::Any.number(),
            Trigger::Timer(timer) => self.timer_column(timer) as u16,
            Trigger::Always => SpecialTrigger::Always.number(),
            Trigger::Done => SpecialTrigger::Done.number(),
            Trigger::Failed => SpecialTrigger::Failed.number(),
        }
    }

    /// Column that a firing timer dispatches: the event it stands for, or its own.
    fn timer_column(&self, timer: usize) -> usize {
        self.model.timers[timer]
            .event
            .unwrap_or(self.model.machine.events.len() + timer)
    }

    fn transition_extra(&mut self, from: usize) -> Option<usize> {
        let transition = &self.model.transitions[from];
        let debounce = (transition.debounce > 0)
            .then(|| self.debounce_timer(from))
            .flatten();
        let stack = transition.stack.and_then(|(_, region)| {
            self.allocation
                .stacks
                .iter()
                .position(|s| s.region == region)
        });
        let record = TransitionExtra {
            transition: U16::new(self.transition_index[from] as u16),
            score: index(transition.score),
            threshold: F32::new(if transition.score.is_some() {
                transition.threshold
            } else {
                0.0
            }),
            cooldown_ticks: U32::new(transition.cooldown),
            debounce_ticks: U32::new(transition.debounce),
            cooldown_slot: byte(self.allocation.cooldown[from]),
            debounce_timer: byte(debounce.map(|t| self.allocation.timers[t])),
            stack: byte(stack.map(|stack| stack as u32)),
            reserved: [0; 13],
        };
        let needed = transition.score.is_some()
            || transition.cooldown > 0
            || transition.debounce > 0
            || transition.authored.latch
            || transition.stack.is_some();
        if !needed {
            return None;
        }
        self.tables.transition_extras.push(record);
        Some(self.tables.transition_extras.len() - 1)
    }

    fn debounce_timer(&self, transition: usize) -> Option<usize> {
        let owned = self.timers_of(self.model.transitions[transition].source);
        let is_its = |&t: &usize| {
            let timer = &self.model.timers[t];
            timer.kind == TimerKind::Debounce && timer.transition == Some(transition)
        };
        owned.into_iter().find(is_its)
    }

    fn branches(&mut self) {
        let model = self.model;
        let branches = std::mem::take(&mut self.choices)
            .into_iter()
            .flat_map(|choice| model.parts[choice].branches.clone());
        for branch in branches.map(|branch| &model.branches[branch]) {
            let targets = self.target_set(&branch.entry.targets);
            self.tables.branches.push(BranchRecord {
                owner: U16::new(branch.owner as u16),
                guard: index(branch.guard),
                targets: index(targets),
                effect: index(branch.entry.effect),
            });
        }
    }

    fn history(&mut self) {
        for (history, node) in self.model.tree.histories.iter().enumerate() {
            let entry = &self.model.history_defaults[history];
            let default = self.target_set(&entry.targets);
            self.tables.history.push(HistoryRecord {
                owner: U16::new(node.owner as u16),
                default: index(default),
                effect: index(entry.effect),
                slot: self.allocation.history[history] as u8,
                slot_count: self.allocation.history_count[history] as u8,
                deep: u8::from(node.authored.deep),
                restore: u8::from(node.authored.restore_on_entry),
                reserved: [0; 6],
            });
        }
    }

    fn timers(&mut self) {
        for (number, timer) in self.model.timers.iter().enumerate() {
            let fires = timer.kind.fires();
            let class = timer
                .authored
                .and_then(|t| t.class.as_ref())
                .map_or(EventClass::default(), |class| {
                    numbers::event_class(class.value)
                });
            self.tables.timers.push(TimerRecord {
                owner: U16::new(timer.owner as u16),
                transition: index(timer.transition.map(|t| self.transition_index[t])),
                ticks: U32::new(timer.ticks),
                column: index(fires.then(|| self.timer_column(number))),
                kind: timer.kind.into(),
                place: self.allocation.timers[number] as u8,
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
    ) | set(transition.authored.interrupt, transition_flag::INTERRUPT)
        | set(transition.score.is_some(), transition_flag::SCORED)
        | set(stack == Some(StackOperation::Push), transition_flag::PUSH)
        | set(stack == Some(StackOperation::Pop), transition_flag::POP)
        | set(transition.authored.latch, transition_flag::LATCH)
        | (u16::from(transition.priority) << PRIORITY_SHIFT)
}
