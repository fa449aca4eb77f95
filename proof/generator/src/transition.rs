//! Transitions of one state, or of several that share them (SEL-1 to SEL-6).

use statewright_author::graph::{
    ExprSource, Parameter, StackOperation, StateKind, Transition, Trigger,
};
use statewright_author::span::{Name, Span};
use statewright_author::value::{ParameterType, ValueType};

use crate::code::Site;
use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{code, name, spanned};

/// Priorities from here on belong to scored transitions, so that a state never mixes scored and
/// plain ones of one trigger and priority (SEL-3).
pub(crate) const SCORED_PRIORITY: u32 = 12;

/// Who has a transition.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// The states that it becomes a transition of.
    pub(crate) sources: Vec<usize>,
    /// The state whose any-state list it stands in.
    pub(crate) any_of: Option<usize>,
    /// It stands in a set, so its names must mean the same everywhere.
    pub(crate) in_set: bool,
}

impl Spot {
    /// A transition of one state.
    pub(crate) fn own(state: usize) -> Self {
        Self {
            sources: vec![state],
            any_of: None,
            in_set: false,
        }
    }

    /// The state from which its targets are named; `None` if there are several.
    fn scope(&self) -> Option<usize> {
        self.any_of.or(self.only())
    }

    /// The only source, if it is written there.
    fn only(&self) -> Option<usize> {
        match (self.any_of, &self.sources[..]) {
            (None, &[only]) if !self.in_set => Some(only),
            _ => None,
        }
    }

    fn site(&self) -> Site {
        self.only().map_or(Site::shared(), Site::of)
    }
}

impl Generator {
    /// A transition that can be compiled where it stands.
    pub(crate) fn transition(&mut self, spot: &Spot) -> Transition {
        let mut transition = Transition {
            trigger: self.trigger(spot),
            ..Transition::default()
        };
        let targets = self.aim(spot, &mut transition);
        let must_move = matches!(transition.trigger, Trigger::Done(_) | Trigger::Failed(_));
        if must_move && targets.is_empty() && transition.stack.is_none() {
            transition.trigger = Trigger::Any(Span::default());
        }
        // A sync group is always local. The root and its children could not agree on a kind.
        let plain = transition.stack.is_none() && transition.sync.is_empty();
        let agree = spot.sources.len() == 1 || !spot.sources.contains(&0);
        if plain && agree && self.rng.chance(20) {
            transition.kind = Some(spanned(self.written_kind(&spot.sources, &targets)));
        }
        self.conditions(spot, &mut transition);
        self.scored(spot, &mut transition);
        self.coded(spot, &mut transition);
        transition.name = self
            .rng
            .chance(15)
            .then(|| name(self.rng.one(&["go", "back off", "weiter"])));
        transition.id = self.id();
        transition.doc = self.doc();
        transition.meta = self.meta();
        transition
    }

    /// One that is left out and could not be compiled.
    pub(crate) fn muted_transition(&mut self) -> Transition {
        Transition {
            trigger: Trigger::Event(name("no such event")),
            targets: vec![name("nowhere")],
            muted: true,
            ..Transition::default()
        }
    }

    fn trigger(&mut self, spot: &Spot) -> Trigger {
        let span = Span::default();
        match self.rng.weighted(&[45, 5, 15, 10, 15, 10, 5]) {
            1 => Trigger::Any(span),
            2 if self.pay_timer(spot) => {
                let duration = spanned(self.delay(&spot.site()));
                if self.rng.chance(40) {
                    Trigger::Every(duration)
                } else {
                    Trigger::After(duration)
                }
            }
            3 => self.timer_trigger(spot),
            4 => Trigger::Always(span),
            5 if spot.sources.iter().all(|&source| self.completes(source)) => Trigger::Done(span),
            6 if spot
                .sources
                .iter()
                .all(|&source| self.plan.nodes[source].result) =>
            {
                Trigger::Failed(span)
            }
            _ => self.event_trigger(),
        }
    }

    pub(crate) fn event_trigger(&mut self) -> Trigger {
        let Some(event) = self.rng.pick(&self.declared.events) else {
            return Trigger::Any(Span::default());
        };
        let mut list = vec![event.name.clone()];
        // A list of events (LANG-1), each once.
        while list.len() < 3 && self.rng.chance(20) {
            let more = self.rng.pick(&self.declared.events);
            list.extend(
                more.map(|event| event.name.clone())
                    .filter(|name| !list.contains(name)),
            );
        }
        Trigger::of_events(list, Span::default())
    }

    pub(crate) fn timer_trigger(&mut self, spot: &Spot) -> Trigger {
        let timers = self.trigger_timers(spot.scope());
        match self.rng.pick(&timers) {
            Some(timer) => Trigger::Timer(name(timer.clone())),
            None => self.event_trigger(),
        }
    }

    /// Whether `done` of a state is possible and has its place: by a result, or by final children
    /// (EXEC-6).
    pub(crate) fn completes(&self, state: usize) -> bool {
        let node = &self.plan.nodes[state];
        let is_final = |&child: &usize| self.plan.nodes[child].kind == StateKind::Final;
        let ends = !node.regions.is_empty()
            && node
                .regions
                .iter()
                .all(|region| region.children.iter().any(is_final));
        node.result || (ends && !node.activity)
    }

    /// Writes the targets and returns what they mean.
    fn aim(&mut self, spot: &Spot, transition: &mut Transition) -> Vec<Target> {
        if spot.sources.iter().all(|&source| self.may_pop(source)) && self.rng.chance(30) {
            transition.stack = Some(spanned(StackOperation::Pop));
            return Vec::new();
        }
        if self.rng.chance(50)
            && let Some(target) = self.push_target(&spot.sources)
        {
            transition.stack = Some(spanned(StackOperation::Push));
            transition.targets = self.names_of(spot.scope(), &[target]);
            return vec![target];
        }
        if let [source] = spot.sources[..]
            && !spot.in_set
            && self.plan.nodes[source].kind == StateKind::Orthogonal
            && self.rng.chance(25)
        {
            return self.sync_group(source, transition);
        }
        if let Some(target) = self.pushed_point(&spot.sources)
            && self.rng.chance(30)
        {
            transition.targets = self.names_of(spot.scope(), &[target]);
            return vec![target];
        }
        let targets = match self.rng.weighted(&[70, 15, 15]) {
            1 => self.several_targets(&spot.sources, 0),
            2 => None,
            _ => self.single_target(&spot.sources).map(|target| vec![target]),
        };
        let targets = targets.unwrap_or_default();
        transition.targets = self.names_of(spot.scope(), &targets);
        targets
    }

    /// One target in some regions of an orthogonal source (EXEC-5).
    fn sync_group(&mut self, source: usize, transition: &mut Transition) -> Vec<Target> {
        let targets = self.region_targets(source, 1);
        for &(number, target) in &targets {
            let region = self.plan.nodes[source].regions[number]
                .name
                .clone()
                .unwrap_or_default();
            let text = self
                .plan
                .reference_in_region(&mut self.rng, (source, number), target)
                .unwrap_or_default();
            transition.sync.push((name(region), name(text)));
        }
        targets.into_iter().map(|(_, target)| target).collect()
    }

    /// Cooldown, debounce, latch, interrupt.
    fn conditions(&mut self, spot: &Spot, transition: &mut Transition) {
        let rare = self.size.rare / 2;
        let always = matches!(transition.trigger, Trigger::Always(_));
        if always && self.rng.chance(40) && self.pay_timer(spot) {
            transition.debounce = Some(spanned(self.asked_delay()));
        }
        let moves = !transition.targets.is_empty() || !transition.sync.is_empty();
        if moves && self.rng.chance(rare) && self.pay_latch(spot) {
            transition.latch = Some(Span::default());
        }
        // Those of a list share theirs.
        let is_list = matches!(transition.trigger, Trigger::Events(_));
        let cooldown = if is_list { rare.max(30) } else { rare };
        if self.rng.chance(cooldown) && self.pay_cooldown(spot) {
            // What a latched one waited for is gone when it is taken.
            let site = if transition.latch.is_some() {
                spot.site()
            } else {
                self.guard_site(spot, transition)
            };
            transition.cooldown = Some(spanned(self.delay(&site)));
        }
        let may_interrupt = always
            || matches!(
                transition.trigger,
                Trigger::Event(_) | Trigger::Events(_) | Trigger::Any(_)
            );
        transition.interrupt = (may_interrupt && self.rng.chance(rare)).then(Span::default);
    }

    fn scored(&mut self, spot: &Spot, transition: &mut Transition) {
        if self.rng.chance(15) {
            transition.priority = Some(spanned(self.rng.between(SCORED_PRIORITY, 15)));
            transition.score = Some(self.score(&self.guard_site(spot, transition)));
            transition.threshold = if self.rng.chance(50) {
                Some(self.threshold())
            } else {
                None
            };
            self.stay(transition);
        } else {
            transition.priority = self
                .rng
                .chance(40)
                .then(|| spanned(self.rng.below(SCORED_PRIORITY)));
        }
    }

    /// Some scored ones stay (LANG-6): those that would win without end, and others. What was paid
    /// for their conditions is lost.
    fn stay(&mut self, transition: &mut Transition) {
        let may_not = matches!(transition.trigger, Trigger::Done(_) | Trigger::Failed(_))
            || transition.stack.is_some();
        let moves = !transition.targets.is_empty() || !transition.sync.is_empty();
        let waits = transition.cooldown.is_some() || transition.debounce.is_some();
        let must = matches!(transition.trigger, Trigger::Always(_)) && !moves && !waits;
        if may_not || !(must || self.rng.chance(30)) {
            return;
        }
        *transition = Transition {
            trigger: transition.trigger.clone(),
            priority: transition.priority.take(),
            score: transition.score.take(),
            threshold: transition.threshold.take(),
            stay: Some(Span::default()),
            ..Transition::default()
        };
    }

    /// A number, or a parameter and a number (LANG-12).
    pub(crate) fn threshold(&mut self) -> ExprSource {
        let number = self.float();
        let float =
            |parameter: &&Parameter| parameter.ty.value == ParameterType::Value(ValueType::F32);
        let parameter = self.declared.parameters.iter().find(float);
        match parameter.map(|parameter| parameter.name.value.clone()) {
            Some(parameter) if self.rng.chance(60) => {
                code(format!("{parameter} - {:?}", number.abs()))
            }
            _ => code(number.to_string()),
        }
    }

    /// Guard and effect. An `always` that nothing else holds back has a guard: else it might go in
    /// circles.
    fn coded(&mut self, spot: &Spot, transition: &mut Transition) {
        let site = self.guard_site(spot, transition);
        let free = transition.cooldown.is_none()
            && transition.debounce.is_none()
            && transition.score.is_none();
        let must = free && matches!(transition.trigger, Trigger::Always(_));
        if must || self.rng.chance(50) {
            transition.guard = Some(self.guard(&site));
        }
        if transition.stay.is_some() {
            return;
        }
        let payload = site.payload.filter(|_| transition.latch.is_none());
        transition.effect = self.actions(&Site { payload, ..site });
    }

    /// Guards and scores see the payload of the event.
    fn guard_site(&self, spot: &Spot, transition: &Transition) -> Site {
        Site {
            payload: self.payload_of(&transition.trigger),
            ..spot.site()
        }
    }

    /// The payload that code of a trigger may read.
    pub(crate) fn payload_of(
        &self,
        trigger: &Trigger,
    ) -> Option<statewright_author::graph::Payload> {
        let payload = |event: &Name| {
            let mut declared = self.declared.events.iter();
            let declared = declared.find(|declared| declared.name.value == event.value)?;
            self.readable_payload(declared)
        };
        // That of a list, if all carry the same (LANG-1).
        let (first, rest) = trigger.events().split_first()?;
        payload(first).filter(|first| rest.iter().all(|event| payload(event) == Some(*first)))
    }

    /// Takes one timer of each source; false if one has none.
    pub(crate) fn pay_timer(&mut self, spot: &Spot) -> bool {
        if let Some(parent) = spot.any_of {
            let left = self.plan.nodes[parent].any_timers;
            self.plan.nodes[parent].any_timers = left.saturating_sub(1);
            return left > 0;
        }
        let rich = spot
            .sources
            .iter()
            .all(|&source| self.plan.nodes[source].timers > 0);
        for &source in spot.sources.iter().filter(|_| rich) {
            self.plan.nodes[source].timers -= 1;
        }
        rich
    }

    /// Takes two slots per source for the life of the machine.
    fn pay_cooldown(&mut self, spot: &Spot) -> bool {
        let price = 2 * spot.sources.len() as u32;
        let rich = self.plan.lasting_slots >= price;
        if rich {
            self.plan.lasting_slots -= price;
        }
        rich
    }

    /// One slot per source, once.
    fn pay_latch(&mut self, spot: &Spot) -> bool {
        let nodes = &mut self.plan.nodes;
        let rich = spot
            .sources
            .iter()
            .all(|&source| nodes[source].latch || nodes[source].slots > 0);
        for &source in spot.sources.iter().filter(|_| rich) {
            if !nodes[source].latch {
                nodes[source].latch = true;
                nodes[source].slots -= 1;
            }
        }
        rich
    }
}
