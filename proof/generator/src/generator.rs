//! The state of the generator, and the machine as the sum of its parts.

use statewright_author::graph::{Budgets, Machine, Meta, Observer, Policies, Scratch, StableId};
use statewright_author::span::{Span, Spanned};
use statewright_author::value::{ScratchType, Tier};

use crate::code::Site;
use crate::declare::Declarations;
use crate::extra::Extra;
use crate::plan::{Plan, Target};
use crate::rng::Rng;
use crate::size::Size;
use crate::text::{name, spanned};
use crate::together::Together;

/// The generator while it works.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) rng: Rng,
    pub(crate) size: Size,
    pub(crate) declared: Declarations,
    pub(crate) plan: Plan,
    /// How often, in percent, something has an explicit stable id.
    ids: u32,
    /// How often, in percent, something has documentation or editor data.
    notes: u32,
    seed: u64,
    pub(crate) together: Option<Together>,
}

impl Generator {
    pub(crate) fn new(seed: u64, size: Size) -> Self {
        let mut rng = Rng::new(seed);
        let ids = rng.one(&[0, 0, 30, 100]);
        let notes = rng.one(&[0, 0, 0, 20]);
        Self {
            rng,
            size,
            declared: Declarations::default(),
            plan: Plan::default(),
            ids,
            notes,
            seed,
            together: None,
        }
    }

    /// The whole machine.
    pub(crate) fn machine(mut self) -> Machine {
        self.declare();
        let taken = self.declare_timers();
        let extra = Extra::of_seed(self.seed);
        self.plan = Plan::grow(&mut self.rng, self.size, taken, extra);
        self.name_state_timers();
        self.name_scratch();
        let (sets, users) = self.transition_sets();
        let owners = self.channel_owners();
        self.together = self.choose_together(self.seed);
        let root = self.state(0, &users, &owners);
        let both = self.together.take().map(|together| together.event());
        let nested = self.events_of_nest();
        Machine {
            name: name("Random"),
            id: self.id(),
            doc: self.doc(),
            tier: self
                .rng
                .chance(30)
                .then(|| spanned(self.rng.one(&Tier::ALL))),
            tick_rate: self
                .rng
                .chance(50)
                .then(|| spanned(self.rng.between(1, 240))),
            policies: self.policies(),
            budgets: self.budgets(),
            fail_safe: self.entry_point(),
            reload_entry: self.entry_point(),
            observers: self.observers(),
            events: std::mem::take(&mut self.declared.events)
                .into_iter()
                .chain(both)
                .chain(nested)
                .collect(),
            blackboard: std::mem::take(&mut self.declared.keys),
            parameters: std::mem::take(&mut self.declared.parameters),
            variants: std::mem::take(&mut self.declared.variants),
            channels: std::mem::take(&mut self.declared.channels),
            lanes: std::mem::take(&mut self.declared.lanes),
            built_in_lanes: std::mem::take(&mut self.declared.built_in_lanes),
            functions: std::mem::take(&mut self.declared.functions),
            timers: std::mem::take(&mut self.declared.timers),
            transition_sets: sets,
            root,
            meta: self.meta(),
            ..Machine::default()
        }
    }

    /// Scratch with a type, before any code is written that could use it (LANG-8).
    fn name_scratch(&mut self) {
        for state in 0..self.plan.nodes.len() {
            if self.plan.nodes[state].slots == 0 || !self.rng.chance(60) {
                continue;
            }
            let scratch = Scratch {
                name: name(self.rng.one(&["tally", "seen_it"])),
                id: self.id(),
                slots: spanned(1),
                ty: Some(spanned(self.rng.one(&ScratchType::ALL))),
            };
            let node = &mut self.plan.nodes[state];
            node.slots -= 1;
            node.scratch.push(scratch);
        }
    }

    /// Maybe a stable id (ROM-6). Random 64-bit numbers never meet.
    pub(crate) fn id(&mut self) -> StableId {
        self.rng
            .chance(self.ids)
            .then(|| spanned(self.rng.next_u64() | 1))
    }

    pub(crate) fn doc(&mut self) -> Option<String> {
        self.rng
            .chance(self.notes)
            .then(|| "What it is for: \"ünü\\sual\" things.".to_owned())
    }

    pub(crate) fn meta(&mut self) -> Meta {
        self.rng
            .chance(self.notes)
            .then(|| serde_json::json!({ "x": 1.5, "y": -3, "tags": ["a", null, true] }))
    }

    fn policies(&mut self) -> Policies {
        let mut maybe = |percent| -> Option<Spanned<bool>> {
            self.rng
                .chance(percent)
                .then(|| spanned(self.rng.chance(70)))
        };
        let mut policies = Policies {
            reverse_exit_order: maybe(10),
            immediate_update: maybe(15),
            posted_next_tick: maybe(15),
            internal_first: None,
            done_events: maybe(10),
            strict_writes: maybe(15),
            scxml_details: maybe(15),
            // By the seed, see `machine`.
            reload_resets: None,
        };
        if self.plan.allows_one_region {
            policies.scxml_details = Some(spanned(true));
        }
        policies.internal_first = match self.declared.internal_first {
            true => Some(spanned(true)),
            false => self.rng.chance(10).then(|| spanned(false)),
        };
        policies
    }

    fn budgets(&mut self) -> Budgets {
        let mut maybe = |least, most| {
            self.rng
                .chance(15)
                .then(|| spanned(self.rng.between(least, most)))
        };
        Budgets {
            events_per_tick: maybe(1, 4096),
            microsteps_per_tick: maybe(1, 4096),
            clamp_limit: maybe(1, 255),
            command_bytes: maybe(64, 4096),
        }
    }

    /// A fail-safe or a reload entry: any target.
    fn entry_point(&mut self) -> Option<statewright_author::span::Name> {
        if !self.rng.chance(20) {
            return None;
        }
        let target = self.any_target()?;
        self.plan
            .reference(&mut self.rng, Some(0), target)
            .map(name)
    }

    /// Any state but the root, or a history point.
    pub(crate) fn any_target(&mut self) -> Option<Target> {
        let points: Vec<usize> = (0..self.plan.points.len()).collect();
        match self.rng.pick(&points) {
            Some(&point) if self.rng.chance(15) => Some(Target::Point(point)),
            _ => {
                let states: Vec<usize> = (1..self.plan.nodes.len()).collect();
                self.rng.pick(&states).map(|&state| Target::State(state))
            }
        }
    }

    /// Observers post and emit; they do not write the blackboard (EVT-8).
    fn observers(&mut self) -> Vec<Observer> {
        let mut observers = Vec::new();
        while self.rng.chance(self.size.rare) && observers.len() < 3 {
            let event = match self.rng.pick(&self.declared.events) {
                Some(event) if self.rng.chance(70) => Some(event.clone()),
                _ => None,
            };
            let payload = event
                .as_ref()
                .and_then(|event| self.readable_payload(event));
            let site = Site {
                payload,
                ..Site::observer()
            };
            let actions = self.some_actions(&site);
            let event = event.map(|event| event.name);
            observers.push(Observer {
                event,
                actions,
                span: Span::default(),
            });
        }
        observers
    }
}
