//! States with everything that stands in them.

use statewright_author::graph::{
    Branch, HistoryPoint, Initial, Region, Scratch, State, StateKind, Timer,
};
use statewright_author::span::{Name, Span};
use statewright_author::value::FunctionKind;

use crate::code::Site;
use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{code, name, spanned};
use crate::transition::Spot;

impl Generator {
    /// Named timers, before anything refers to them. The root's would be the machine's.
    pub(crate) fn name_state_timers(&mut self) {
        for state in 1..self.plan.nodes.len() {
            let mut used = Vec::new();
            while self.plan.nodes[state].timers > 0 && self.rng.chance(30) {
                self.plan.nodes[state].timers -= 1;
                let timer = self.timer(&mut used);
                self.plan.nodes[state].named_timers.push(timer);
            }
        }
    }

    /// Which state owns which channels: at most one child of a region at a time (CODE-7).
    pub(crate) fn channel_owners(&mut self) -> Vec<Vec<Name>> {
        let mut owners = vec![Vec::new(); self.plan.nodes.len()];
        for channel in self.declared.channels.clone() {
            let composite = |&state: &usize| !self.plan.nodes[state].regions.is_empty();
            let states: Vec<usize> = (0..self.plan.nodes.len()).filter(composite).collect();
            if self.rng.chance(15) {
                // The root is active together with everything.
                owners[0].push(channel.name);
                continue;
            }
            let owner = self.rng.one(&states);
            let regions = self.plan.nodes[owner].regions.clone();
            let region = &regions[self.rng.below(regions.len() as u32) as usize];
            let most = if region.stack.is_some() {
                1
            } else {
                region.children.len()
            };
            for &child in self.rng.some(&region.children, 50).iter().take(most) {
                if matches!(
                    self.plan.nodes[child].kind,
                    StateKind::Atomic | StateKind::Compound | StateKind::Orthogonal
                ) {
                    owners[child].push(channel.name.clone());
                }
            }
        }
        owners
    }

    /// A state and everything inside it.
    pub(crate) fn state(
        &mut self,
        index: usize,
        users: &[Vec<Name>],
        owners: &[Vec<Name>],
    ) -> State {
        let node = self.plan.nodes[index].clone();
        let mut state = State {
            name: name(&*node.name),
            ..State::default()
        };
        if index != 0 {
            state.id = self.id();
            state.doc = self.doc();
            state.meta = self.meta();
        }
        match node.kind {
            StateKind::Choice => {
                state.choice = Some(self.branches(index));
                return state;
            }
            StateKind::Final => {
                state.is_final = Some(Span::default());
                state.entry = self.actions(&Site::of(index));
                state.exit = self.actions(&Site::of(index));
                return state;
            }
            _ => {}
        }
        state.uses = users[index].clone();
        state.owns = owners[index].clone();
        self.behavior(index, &mut state);
        state.any_state = self.any_state(index);
        state.history = self.history(index);
        state.history_reset_on_done = !node.points.is_empty() && self.rng.chance(20);
        for region in 0..node.regions.len() {
            let region = self.region(index, region, users, owners);
            state.regions.push(region);
        }
        self.react_together(index, &mut state);
        self.react_in_nest(index, &mut state);
        state
    }

    fn behavior(&mut self, index: usize, state: &mut State) {
        let site = Site::of(index);
        let node = self.plan.nodes[index].clone();
        state.entry = self.actions(&site);
        state.exit = self.actions(&site);
        if self.may_pop(index) || self.rng.chance(5) {
            state.suspend = self.actions(&site);
            state.resume = self.actions(&site);
        }
        if self.rng.chance(self.size.rare / 2) {
            state.update = self.actions(&site);
        }
        if node.activity {
            let depth = self.size.expression;
            let call = self.function_call(FunctionKind::Activity, &site, depth);
            state.activity = Some(code(call.to_string()));
        }
        state.timers = node
            .named_timers
            .iter()
            .map(|timer| self.state_timer(timer))
            .collect();
        for _ in 0..self.rng.between(0, self.size.transitions) {
            let muted = self.rng.chance(self.size.rare / 8);
            let transition = if muted {
                self.muted_transition()
            } else {
                self.transition(&Spot::own(index))
            };
            state.transitions.push(transition);
        }
        state.decisions = self.decisions(index);
        if !self.declared.internal_first && self.rng.chance(self.size.rare / 2) {
            let events: Vec<Name> = self
                .declared
                .events
                .iter()
                .map(|event| event.name.clone())
                .collect();
            state.defers = self.rng.some(&events, 30);
        }
        self.limits(index, state);
    }

    /// A timer as it is declared: its name and event are known before.
    fn state_timer(&mut self, named: &Timer) -> Timer {
        Timer {
            name: named.name.clone(),
            event: named.event.clone(),
            ..self.timer(&mut Vec::new())
        }
    }

    /// Conditions for leaving, clock and scratch.
    fn limits(&mut self, index: usize, state: &mut State) {
        let rare = self.size.rare / 2;
        if self.rng.chance(rare) {
            state.exit_ready = Some(self.guard(&Site::of(index)));
        }
        if self.plan.nodes[index].clock {
            state.clock = self.rng.chance(40);
            state.min_active = self.rng.chance(40).then(|| spanned(self.asked_delay()));
        }
        state.scratch = self.plan.nodes[index].scratch.clone();
        let slots = self.plan.nodes[index].slots;
        if slots > 0 && self.rng.chance(60) {
            let first = self.rng.between(1, slots);
            state.scratch.push(Scratch {
                name: name("count"),
                id: self.id(),
                slots: spanned(first),
                ty: None,
            });
            if slots > first {
                state.scratch.push(Scratch {
                    name: name("läuft"),
                    id: self.id(),
                    slots: spanned(slots - first),
                    ty: None,
                });
            }
            self.plan.nodes[index].slots = 0;
        }
    }

    fn branches(&mut self, choice: usize) -> Vec<Branch> {
        let count = self.rng.between(1, 3);
        (1..=count)
            .map(|number| {
                let site = Site::of(choice);
                let targets = self.branch_targets(choice);
                Branch {
                    guard: (number < count).then(|| self.guard(&site)),
                    targets: self.names_of(Some(choice), &targets),
                    effect: self.actions(&site),
                    span: Span::default(),
                }
            })
            .collect()
    }

    fn history(&mut self, owner: usize) -> Vec<HistoryPoint> {
        let mut restores = self.rng.chance(30);
        let points = self.plan.nodes[owner].points.clone();
        points
            .into_iter()
            .map(|point| {
                let targets = self.default_targets(owner);
                let planned = self.plan.points[point].clone();
                HistoryPoint {
                    name: name(planned.name),
                    id: self.id(),
                    deep: planned.deep,
                    default: self.names_of(Some(owner), &targets),
                    effect: self.actions(&Site::of(owner)),
                    restore_on_entry: std::mem::take(&mut restores),
                    span: Span::default(),
                }
            })
            .collect()
    }

    fn region(
        &mut self,
        owner: usize,
        number: usize,
        users: &[Vec<Name>],
        owners: &[Vec<Name>],
    ) -> Region {
        let planned = self.plan.nodes[owner].regions[number].clone();
        let targets = self.initial_targets(owner, number);
        let mut region = Region {
            id: if planned.name.is_some() {
                self.id()
            } else {
                None
            },
            name: planned.name.map(name),
            initial: self.initial((owner, number), &targets),
            stack_depth: planned.stack.map(spanned),
            ..Region::default()
        };
        for &child in &planned.children {
            let child = self.state(child, users, owners);
            region.states.push(child);
        }
        if self.rng.chance(self.size.rare / 6) {
            let at = self.rng.below(region.states.len() as u32 + 1) as usize;
            region.states.insert(at, muted_state());
        }
        region
    }

    fn initial(&mut self, place: (usize, usize), targets: &[Target]) -> Option<Initial> {
        let (owner, _) = place;
        if targets.is_empty() {
            return None;
        }
        let effect = if self.rng.chance(25) {
            self.some_actions(&Site::of(owner))
        } else {
            Vec::new()
        };
        let (plan, rng) = (&self.plan, &mut self.rng);
        let names = targets
            .iter()
            .filter_map(|&target| plan.reference_in_region(rng, place, target));
        Some(Initial {
            targets: names.map(name).collect(),
            effect,
            span: Span::default(),
        })
    }
}

/// Left out, and could not be compiled.
fn muted_state() -> State {
    State {
        name: name("left out"),
        muted: true,
        exit_ready: Some(code("this is not an expression")),
        uses: vec![name("no such set")],
        ..State::default()
    }
}
