//! Pass *allocate*: leaves, timers and slots of the instance, by who can be alive together (RAM-4,
//! RAM-5, RAM-7).
//!
//! Comes in as the resolved model; goes out as where everything lies that needs room, the tier, and
//! the list of who pays for what.
//!
//! An instance has 64 to 256 bytes, so what cannot be alive together lies in the same bytes. What
//! lives as long as the machine (machine timers, history, cooldowns, stacks) has room of its own and
//! comes first; what lives as long as a state (its timers, results, latches, scratch) is packed by
//! the tree ([`packing`]), and only pushes disturb that ([`interference`]). Leaves are numbered by
//! the same tree:
//!
//! ```text
//! root                              leaf   what may be active there
//! ├── idle                          0      idle; walk or run (region legs); rest
//! ├── fight                         1      aim or fire (region arms)
//! │   ├─ legs: walk, run
//! │   └─ arms: aim, fire            The first region of an orthogonal state goes on with the
//! └── rest                          number of the region around it, so a machine without
//!                                   regions needs one leaf, however deep it is.
//! ```

mod interference;
mod packing;
mod tier;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph;
use statewright_rom::ids::StackId;
use statewright_rom::layout::{TIERS, TierCapacity};

pub use interference::{PushConflicts, interfere};
pub use tier::tier_name;

use crate::index::{HistoryIndex, IndexVec, RegionIndex, StateIndex, TimerIndex, TransitionIndex};
use crate::model::{Model, TimerKind, Trigger};

/// Counts beyond this fit no tier, so larger ones are not told apart.
const MAX_COUNT: u32 = 1000;

/// A stack of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackAllocation {
    /// The region.
    pub region: RegionIndex,
    /// First slot.
    pub slot: u32,
    /// Frames.
    pub depth: u32,
    /// Leaves of the region.
    pub leaves: u32,
}

impl StackAllocation {
    /// Slots of one frame.
    pub fn frame_slots(&self) -> u32 {
        self.leaves + 1
    }
}

/// What an instance is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Active leaves.
    Leaves,
    /// Timers.
    Timers,
    /// 16-bit slots.
    Slots,
}

impl Resource {
    /// The word shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Leaves => "leaves",
            Self::Timers => "timers",
            Self::Slots => "slots",
        }
    }
}

/// Who pays for what, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// The state that pays.
    pub state: StateIndex,
    /// What it pays for, in words.
    pub why: String,
    /// Of which resource.
    pub resource: Resource,
    /// The first of them.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Other states may use the same ones while this one is not active.
    pub shared: bool,
}

/// Where everything lies.
#[derive(Debug, Default)]
pub struct Allocation {
    /// Leaf number of each region.
    pub region_leaf: IndexVec<RegionIndex, u32>,
    /// Leaves that each state and what is inside it use.
    pub leaf_need: IndexVec<StateIndex, u32>,
    /// First timer slot of each timer.
    pub timers: IndexVec<TimerIndex, u32>,
    /// First slot of each history point.
    pub history: IndexVec<HistoryIndex, u32>,
    /// Slots of each history point.
    pub history_count: IndexVec<HistoryIndex, u32>,
    /// First slot of each transition's cooldown.
    pub cooldown: IndexVec<TransitionIndex, Option<u32>>,
    /// Slot and bit of each state's activity result.
    pub result: IndexVec<StateIndex, Option<(u32, u32)>>,
    /// Slot of each state's latched transition.
    pub latch: IndexVec<StateIndex, Option<u32>>,
    /// First scratch slot of each state.
    pub scratch: IndexVec<StateIndex, Option<u32>>,
    /// Stacks, by region.
    pub stacks: Vec<StackAllocation>,
    /// Leaves, timers, slots needed.
    pub need: [u32; 3],
    /// 0 crowd, 1 standard, 2 hero.
    pub tier: usize,
    /// Who pays for what, by state.
    pub payments: Vec<Payment>,
}

impl Allocation {
    /// Capacities of the tier.
    pub fn capacity(&self) -> TierCapacity {
        TIERS[self.tier]
    }

    /// The stack of a region. More than there are numbers for fit no tier.
    pub fn stack_of(&self, region: RegionIndex) -> Option<StackId> {
        let mut stacks = self.stacks.iter();
        let position = stacks.position(|stack| stack.region == region)?;
        StackId::from_index(position)
    }
}

/// Allocates everything. The tier is chosen by [`Allocation::choose_tier`] once the costs are known.
pub fn allocate(model: &Model<'_>, diagnostics: &mut Diagnostics) -> (Allocation, PushConflicts) {
    let conflicts = PushConflicts::new(model, diagnostics);
    let leaves = packing::number_leaves(&model.tree);
    let mut allocation = Allocation {
        region_leaf: leaves.region,
        leaf_need: leaves.need,
        ..Allocation::default()
    };
    allocation.need[0] = allocation.leaf_need.first().copied().unwrap_or(1);
    allocation.allocate_timers(model, &conflicts);
    allocation.allocate_slots(model, &conflicts);
    allocation.pay_leaves(model);
    allocation
        .payments
        .sort_by_key(|payment| (payment.state, payment.resource, payment.first));
    (allocation, conflicts)
}

impl Allocation {
    fn allocate_timers(&mut self, model: &Model<'_>, conflicts: &PushConflicts) {
        let mut lasting = 0;
        let mut own = IndexVec::filled(0, &model.tree.states);
        for timer in &model.timers {
            if timer.kind == TimerKind::Machine {
                lasting += timer.instances;
            } else {
                own[timer.owner] += 1;
            }
        }
        let shared = packing::pack(&model.tree, &own, conflicts);
        let mut next_lasting = 0;
        let mut next = shared.base.clone();
        for timer in &model.timers {
            let machine = timer.kind == TimerKind::Machine;
            let slot = if machine {
                next_lasting += timer.instances;
                next_lasting - timer.instances
            } else {
                next[timer.owner] += 1;
                lasting + next[timer.owner] - 1
            };
            self.timers.push(slot);
            let why = timer_shown(model, timer);
            self.pay(
                timer.owner,
                why,
                Resource::Timers,
                slot,
                timer.instances,
                !machine,
            );
        }
        self.need[1] = lasting + shared.total;
    }

    fn allocate_slots(&mut self, model: &Model<'_>, conflicts: &PushConflicts) {
        let mut next = 0;
        for history in model.tree.histories.indices() {
            next += self.allocate_history(model, history, next);
        }
        for transition in &model.transitions {
            // A list of events has one cooldown (LANG-1).
            if transition.is_repeated() {
                let shared = self.cooldown.last().copied().flatten();
                self.cooldown.push(shared);
                continue;
            }
            let slot = transition.cooldown.is_some().then_some(next);
            if let Some(first) = slot {
                self.pay(
                    transition.source,
                    "cooldown".into(),
                    Resource::Slots,
                    first,
                    2,
                    false,
                );
                next += 2;
            }
            self.cooldown.push(slot);
        }
        for region in model.tree.regions.indices() {
            next += self.allocate_stack(model, region, next);
        }
        next = self.allocate_results(model, conflicts, next);
        self.need[2] = self.allocate_state_slots(model, conflicts, next);
    }

    /// One slot per region (shallow) or per leaf number below (deep).
    fn allocate_history(&mut self, model: &Model<'_>, history: HistoryIndex, slot: u32) -> u32 {
        let node = &model.tree.histories[history];
        let owner = &model.tree.states[node.owner];
        let count = if node.authored.deep {
            self.leaf_need[node.owner]
        } else {
            owner.regions.len() as u32
        };
        self.history.push(slot);
        self.history_count.push(count);
        let kind = if node.authored.deep {
            "deep"
        } else {
            "shallow"
        };
        let why = format!("{kind} history `{}`", node.authored.name.value);
        self.pay(node.owner, why, Resource::Slots, slot, count, false);
        count
    }

    fn allocate_stack(&mut self, model: &Model<'_>, region: RegionIndex, slot: u32) -> u32 {
        let node = &model.tree.regions[region];
        let Some(depth) = &node.authored.stack_depth else {
            return 0;
        };
        let leaves = node
            .children
            .iter()
            .map(|&child| self.leaf_need[child])
            .max()
            .unwrap_or(1);
        let stack = StackAllocation {
            region,
            slot,
            depth: depth.value.min(MAX_COUNT),
            leaves,
        };
        let count = stack.depth * stack.frame_slots();
        self.pay(
            node.owner,
            format!("stack of depth {}", stack.depth),
            Resource::Slots,
            slot,
            count,
            false,
        );
        self.stacks.push(stack);
        count
    }

    /// Two bits per activity whose result is used, eight activities to a slot.
    fn allocate_results(
        &mut self,
        model: &Model<'_>,
        conflicts: &PushConflicts,
        first: u32,
    ) -> u32 {
        let uses_result = |state: StateIndex| {
            let resolved = &model.resolved[state];
            let transitions = &model.transitions[resolved.transitions.clone()];
            resolved.activity.is_some()
                && transitions
                    .iter()
                    .any(|t| matches!(t.trigger, Trigger::Done | Trigger::Failed))
        };
        let states = model.tree.states.indices();
        let own: IndexVec<StateIndex, u32> =
            states.map(|state| u32::from(uses_result(state))).collect();
        let cells = packing::pack(&model.tree, &own, conflicts);
        for (state, &count) in own.enumerate() {
            let bits =
                (count > 0).then(|| (first + cells.base[state] / 8, cells.base[state] % 8 * 2));
            if let Some((slot, _)) = bits {
                self.pay(
                    state,
                    "result of the activity (2 bits)".into(),
                    Resource::Slots,
                    slot,
                    1,
                    true,
                );
            }
            self.result.push(bits);
        }
        first + cells.total.div_ceil(8)
    }

    /// Latched transitions and scratch.
    fn allocate_state_slots(
        &mut self,
        model: &Model<'_>,
        conflicts: &PushConflicts,
        first: u32,
    ) -> u32 {
        let latches = |state: StateIndex| {
            let transitions = &model.transitions[model.resolved[state].transitions.clone()];
            u32::from(transitions.iter().any(|t| t.authored.latch.is_some()))
        };
        let scratch = |state: StateIndex| -> u32 {
            model.tree.states[state]
                .authored
                .scratch
                .iter()
                .map(|scratch| scratch.slots.value.min(MAX_COUNT))
                .sum()
        };
        let states = model.tree.states.indices();
        let own: IndexVec<StateIndex, u32> = states
            .map(|state| latches(state) + scratch(state))
            .collect();
        let slots = packing::pack(&model.tree, &own, conflicts);
        for state in own.indices() {
            let mut at = first + slots.base[state];
            let latch = (latches(state) > 0).then_some(at);
            if let Some(slot) = latch {
                self.pay(
                    state,
                    "latched transition".into(),
                    Resource::Slots,
                    slot,
                    1,
                    true,
                );
                at += 1;
            }
            self.latch.push(latch);
            self.scratch.push((scratch(state) > 0).then_some(at));
            for item in &model.tree.states[state].authored.scratch {
                let why = format!("scratch `{}`", item.name.value);
                self.pay(state, why, Resource::Slots, at, item.slots.value, true);
                at += item.slots.value;
            }
        }
        first + slots.total
    }

    fn pay_leaves(&mut self, model: &Model<'_>) {
        for state in model.tree.states.indices() {
            let regions = model.tree.states[state].regions.clone();
            for region in regions.skip(1) {
                let name = model.tree.regions[region]
                    .authored
                    .name
                    .as_ref()
                    .map_or("", |name| name.value.as_str());
                let why = format!("region `{name}`");
                self.pay(
                    state,
                    why,
                    Resource::Leaves,
                    self.region_leaf[region],
                    1,
                    true,
                );
            }
        }
    }

    fn pay(
        &mut self,
        state: StateIndex,
        why: String,
        resource: Resource,
        first: u32,
        count: u32,
        shared: bool,
    ) {
        self.payments.push(Payment {
            state,
            why,
            resource,
            first,
            count,
            shared,
        });
    }
}

/// What a timer is for, in words.
pub fn timer_shown(model: &Model<'_>, timer: &crate::model::Timer<'_>) -> String {
    let name = timer.authored.map_or("", |timer| timer.name.value.as_str());
    let to = || leads_to(model, timer);
    match timer.kind {
        TimerKind::After => format!("after {} to {}", authored_duration(model, timer), to()),
        TimerKind::Every => format!("every {} to {}", authored_duration(model, timer), to()),
        TimerKind::State => format!("timer `{name}`"),
        TimerKind::Machine => format!("machine timer `{name}`"),
        TimerKind::Clock => format!(
            "clock ({})",
            model.resolved[timer.owner].clock.unwrap_or("asked for")
        ),
        TimerKind::Debounce => format!("debounce of the transition to {}", to()),
    }
}

/// The duration of a timer that is armed on entry, as written.
fn authored_duration(model: &Model<'_>, timer: &crate::model::Timer<'_>) -> String {
    let transition = timer.transition.map(|t| &model.transitions[t].authored);
    match transition.map(|transition| &transition.trigger) {
        Some(graph::Trigger::After(duration) | graph::Trigger::Every(duration)) => {
            duration.value.to_string()
        }
        _ => String::new(),
    }
}

/// Where the transitions of a timer lead, in words.
fn leads_to(model: &Model<'_>, timer: &crate::model::Timer<'_>) -> String {
    const MOST_SHOWN: usize = 3;
    let target = |&t: &TransitionIndex| match &model.transitions[t] {
        transition if transition.stack.is_some() && transition.targets.is_empty() => {
            "what was suspended".to_owned()
        }
        transition => crate::model::targets_shown(model, &transition.targets),
    };
    let mut targets: Vec<String> = timer
        .transition
        .iter()
        .chain(&timer.sharing)
        .take(MOST_SHOWN)
        .map(target)
        .collect();
    targets.dedup();
    if timer.sharing.len() >= MOST_SHOWN {
        targets.push("…".to_owned());
    }
    targets.join(" or ")
}
