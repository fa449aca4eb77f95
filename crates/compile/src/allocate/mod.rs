//! Pass *allocate*: leaves, timers and slots of the instance, by who can be alive together (RAM-4,
//! RAM-5, RAM-7).
//!
//! Comes in as the resolved model; goes out as where everything lies that needs room, the tier,
//! and the list of who pays for what.

mod interference;
mod packing;

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph;
use statewright_author::value::Tier;
use statewright_rom::layout::{TIERS, TierCapacity};

pub use interference::{PushConflicts, interfere};

use crate::Options;
use crate::model::{Model, TimerKind, Trigger};
use crate::numbers;
use crate::tree::{HistoryIndex, RegionIndex, StateIndex};

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
    pub region_leaf: Vec<u32>,
    /// Leaves that each state and what is inside it use.
    pub leaf_need: Vec<u32>,
    /// First timer slot of each timer.
    pub timers: Vec<u32>,
    /// First slot of each history point.
    pub history: Vec<u32>,
    /// Slots of each history point.
    pub history_count: Vec<u32>,
    /// First slot of each transition's cooldown.
    pub cooldown: Vec<Option<u32>>,
    /// Slot and bit of each state's activity result.
    pub result: Vec<Option<(u32, u32)>>,
    /// Slot of each state's latched transition.
    pub latch: Vec<Option<u32>>,
    /// First scratch slot of each state.
    pub scratch: Vec<Option<u32>>,
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
        let mut own = vec![0; model.tree.states.len()];
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
        for history in 0..model.tree.histories.len() {
            next += self.allocate_history(model, history, next);
        }
        for transition in &model.transitions {
            let slot = (transition.cooldown > 0).then_some(next);
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
        for region in 0..model.tree.regions.len() {
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
            let part = &model.parts[state];
            let transitions = &model.transitions[part.transitions.clone()];
            part.activity.is_some()
                && transitions
                    .iter()
                    .any(|t| matches!(t.trigger, Trigger::Done | Trigger::Failed))
        };
        let own: Vec<u32> = (0..model.tree.states.len())
            .map(|state| u32::from(uses_result(state)))
            .collect();
        let cells = packing::pack(&model.tree, &own, conflicts);
        for (state, &count) in own.iter().enumerate() {
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
            let transitions = &model.transitions[model.parts[state].transitions.clone()];
            u32::from(transitions.iter().any(|t| t.authored.latch))
        };
        let scratch = |state: StateIndex| -> u32 {
            model.tree.states[state]
                .authored
                .scratch
                .iter()
                .map(|scratch| scratch.slots.value.min(MAX_COUNT))
                .sum()
        };
        let own: Vec<u32> = (0..model.tree.states.len())
            .map(|state| latches(state) + scratch(state))
            .collect();
        let slots = packing::pack(&model.tree, &own, conflicts);
        for state in 0..own.len() {
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
        for state in 0..model.tree.states.len() {
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

    /// Whether the machine fits a tier; `cost` is that of its most expensive transition (EXEC-9).
    fn fits(&self, tier: usize, cost: u16) -> bool {
        let capacity = &TIERS[tier];
        let limits = [capacity.leaves, capacity.timers, capacity.slots];
        self.need
            .iter()
            .zip(limits)
            .all(|(&need, limit)| need <= u32::from(limit))
            && cost <= capacity.cost
    }

    /// The smallest tier that fits, unless the machine asks for one. Deferral needs more than the
    /// smallest (EVT-5).
    pub fn choose_tier(
        &mut self,
        model: &Model<'_>,
        cost: u16,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) {
        let asked = model.machine.tier.as_ref();
        let defers = model.parts.iter().any(|part| !part.defers.is_empty());
        // With a given tier, costs and deferral are reported where they stand.
        let (cost, first) = if asked.is_some() && !options.dev {
            (0, 0)
        } else {
            (cost, usize::from(defers))
        };
        let smallest = (first..TIERS.len()).find(|&tier| self.fits(tier, cost));
        let largest = (first..TIERS.len()).find(|&tier| self.fits(tier, 0));
        self.tier = match (asked, smallest.or(largest)) {
            (None, Some(_)) => smallest.unwrap_or(TIERS.len() - 1),
            (Some(asked), Some(tier)) if tier <= number(asked.value) => number(asked.value),
            (Some(asked), Some(tier)) if options.dev => {
                let text = format!(
                    "the machine needs tier {}, not {}",
                    tier_name(tier),
                    asked.value
                );
                let problem = Diagnostic::new(Code::TierPromoted, asked.span, text)
                    .label(format!("raised to {}", tier_name(tier)));
                let problem = self.with_users(problem, model, asked.value as usize);
                let problem = match problem.notes.is_empty() {
                    true if defers => {
                        problem.note("deferred events need a queue of more than one place")
                    }
                    true => problem
                        .note("one of the transitions exits and enters too many states for it"),
                    false => problem,
                };
                diagnostics
                    .push(problem.help(format!("write `\"tier\": \"{}\"`", tier_name(tier))));
                tier
            }
            (asked, smallest) => {
                diagnostics.push(self.too_small(model, asked.map(|tier| tier.value), smallest));
                TIERS.len() - 1
            }
        };
    }

    fn too_small(
        &self,
        model: &Model<'_>,
        asked: Option<Tier>,
        smallest: Option<usize>,
    ) -> Diagnostic {
        let span = model
            .machine
            .tier
            .as_ref()
            .map_or(model.machine.name.span, |tier| tier.span);
        let tier = match (asked, smallest) {
            (Some(asked), Some(_)) => asked as usize,
            _ => TIERS.len() - 1,
        };
        let text = match smallest {
            Some(_) => format!(
                "the machine does not fit tier {} ({} bytes)",
                tier_name(tier),
                TIERS[tier].bytes
            ),
            None => {
                format!(
                    "the machine fits no tier: the largest is {} ({} bytes)",
                    tier_name(tier),
                    TIERS[tier].bytes
                )
            }
        };
        let problem = Diagnostic::new(Code::TierTooSmall, span, text).label("too small");
        self.with_users(problem, model, tier).help(match smallest {
            Some(tier) => format!(
                "write `\"tier\": \"{}\"`, or remove some of these",
                tier_name(tier)
            ),
            None => "remove some of these, or split the machine into several".to_owned(),
        })
    }

    /// Adds tables of who uses what, one for each resource that does not fit.
    fn with_users(&self, mut problem: Diagnostic, model: &Model<'_>, tier: usize) -> Diagnostic {
        let capacity = &TIERS[tier];
        let limits = [capacity.leaves, capacity.timers, capacity.slots];
        let resources = [Resource::Leaves, Resource::Timers, Resource::Slots];
        for ((resource, need), limit) in resources.into_iter().zip(self.need).zip(limits) {
            if need > u32::from(limit) {
                let title = format!(
                    "{need} {} are needed at once, tier {} has {limit}:",
                    resource.as_str(),
                    tier_name(tier)
                );
                problem = problem.note(format!("{title}\n{}", self.users(model, resource)));
            }
        }
        problem
    }

    /// Who uses a resource: how many, which state, what for.
    fn users(&self, model: &Model<'_>, resource: Resource) -> String {
        const MOST_LINES: usize = 16;
        const MOST_CHARACTERS: usize = 32;
        let all: Vec<&Payment> = self
            .payments
            .iter()
            .filter(|payment| payment.resource == resource)
            .collect();
        let shown = &all[..all.len().min(MOST_LINES)];
        let paths: Vec<String> = shown
            .iter()
            .map(|payment| model.tree.path(payment.state))
            .collect();
        let width = paths
            .iter()
            .map(|path| path.chars().count())
            .max()
            .unwrap_or(0)
            .min(MOST_CHARACTERS);
        let line = |(payment, path): (&&Payment, &String)| {
            let shared = if payment.shared {
                ""
            } else {
                ", kept for the life of the machine"
            };
            format!(
                "{:>4}  {path:width$}  {}{shared}",
                payment.count, payment.why
            )
        };
        let mut lines: Vec<String> = shown.iter().zip(&paths).map(line).collect();
        // The first leaf belongs to the machine itself and has no payment.
        if resource == Resource::Leaves {
            lines.insert(
                0,
                format!("{:>4}  {:width$}  the machine itself", 1, "root"),
            );
        }
        if all.len() > MOST_LINES {
            lines.push(format!("      and {} more", all.len() - MOST_LINES));
        }
        if shown.iter().any(|payment| payment.shared) && resource != Resource::Leaves {
            lines.push("states that are never active together share".to_owned());
        }
        lines.join("\n")
    }
}

/// Name of a tier by its number.
pub fn tier_name(tier: usize) -> &'static str {
    Tier::WORDS.get(tier).copied().unwrap_or("?")
}

/// The place of a tier among [`TIERS`].
fn number(tier: Tier) -> usize {
    usize::from(numbers::tier(tier).number())
}

/// What a timer is for, in words.
pub fn timer_shown(model: &Model<'_>, timer: &crate::model::Timer<'_>) -> String {
    let name = timer.authored.map_or("", |timer| timer.name.value.as_str());
    let to = || leads_to(model, timer);
    match timer.kind {
        TimerKind::After => {
            let authored = timer
                .transition
                .map(|t| &model.transitions[t].authored.trigger);
            let duration = match authored {
                Some(graph::Trigger::After(duration)) => duration.value.to_string(),
                _ => format!("{}t", timer.ticks),
            };
            format!("after {duration} to {}", to())
        }
        TimerKind::State => format!("timer `{name}`"),
        TimerKind::Machine => format!("machine timer `{name}`"),
        TimerKind::Clock => format!(
            "clock ({})",
            model.parts[timer.owner].clock.unwrap_or("asked for")
        ),
        TimerKind::Debounce => format!("debounce of the transition to {}", to()),
    }
}

/// Where the transitions of a timer lead, in words.
fn leads_to(model: &Model<'_>, timer: &crate::model::Timer<'_>) -> String {
    const MOST_SHOWN: usize = 3;
    let target = |&t: &usize| match &model.transitions[t] {
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
