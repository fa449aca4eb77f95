//! Transitions of a state, with all sugar expanded (CODE-8): its own, then decisions, then the sets
//! it uses, then the any-state transitions of the state around it.

use std::borrow::Cow;
use std::collections::HashMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::graph::{self, StackOperation, StateKind, TransitionKind};
use statewright_author::span::{Name, Spanned};

use statewright_rom::layout::MAX_RECORDS;

use super::Resolver;
use super::scope::Site;
use crate::expr::{Constant, Expected, Facts};
use crate::index::{
    EventIndex, ExpressionIndex, IndexVec, RegionIndex, StateIndex, TransitionIndex,
};
use crate::model::{EmitUse, Shared, TimerKind, Transition, Trigger, trigger_span};
use crate::tree::{Target, follows_scxml, shown};

/// Remembers where transitions were written that several states may have.
pub(super) fn share<'t, 'a: 't>(
    added: impl Iterator<Item = &'t mut Transition<'a>>,
    shared: Shared,
) {
    added.for_each(|transition| transition.shared = Some(shared));
}

/// Several names in one text, such as `Hit|Shot`, as the list that they should be.
fn as_list(text: &str) -> Option<String> {
    let spaced = text.replace(" or ", "|");
    let names: Vec<String> = spaced
        .split(['|', ',', ';'])
        .map(|name| format!("\"{}\"", name.trim()))
        .collect();
    let whole = names.len() > 1 && names.iter().all(|name| name.len() > 2);
    whole.then(|| format!("`[{}]`", names.join(", ")))
}

impl<'a> Resolver<'a> {
    pub(super) fn state_transitions(
        &mut self,
        source: StateIndex,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        let state = self.tree.states[source].authored;
        if matches!(
            self.tree.states[source].kind,
            StateKind::Final | StateKind::Choice
        ) {
            return;
        }
        for transition in &state.transitions {
            self.add(Cow::Borrowed(transition), source, source, out);
        }
        for decision in state.decisions.iter().filter(|decision| !decision.muted) {
            for transition in decision.transitions() {
                self.add_written(Cow::Owned(transition), true, source, source, out);
            }
        }
        self.sets_of_state(source, out);
        if let Some(parent) = self.tree.states[source].parent {
            let first = out.len();
            self.any_state(source, parent, out);
            share(out.iter_mut().skip(first), Shared::Any(parent));
        }
        match self.tree.states[source].regions.is_empty() {
            true => self.check_any_without_children(source),
            false => self.check_any_lists(source),
        }
    }

    /// Any-state transitions of the parent, where this child is included.
    fn any_state(
        &mut self,
        source: StateIndex,
        parent: StateIndex,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        let listed = |list: &[Name]| {
            let mut entries = list.iter();
            entries.any(|entry| self.tree.is_called(source, &entry.value))
        };
        let has = |any: &&graph::AnyTransition| {
            (any.include.is_empty() || listed(&any.include)) && !listed(&any.exclude)
        };
        let lists = self.tree.states[parent].authored.any_state.iter();
        let having: Vec<&'a graph::AnyTransition> = lists.filter(has).collect();
        for any in having {
            self.add(Cow::Borrowed(&any.transition), source, parent, out);
        }
    }

    /// Any-state transitions belong to the children.
    fn check_any_without_children(&mut self, state: StateIndex) {
        let state = self.tree.states[state].authored;
        // A region that could not be read or is empty has been reported.
        if let Some(any) = state.any_state.first().filter(|_| state.regions.is_empty()) {
            let text = format!(
                "`any_state` in state `{}`, which has no children",
                shown(state)
            );
            let span = trigger_span(&any.transition.trigger);
            self.report(
                Diagnostic::new(DiagnosticCode::BadAnyState, span, text)
                    .label("belongs to no state")
                    .help("put it into `transitions`, or into the `any_state` of the state around"),
            );
        }
    }

    /// Include and exclude lists name direct children, by the name of their region where two have
    /// one name.
    fn check_any_lists(&mut self, state: StateIndex) {
        let regions = self.tree.states[state].regions.clone();
        let children: Vec<StateIndex> = regions
            .flat_map(|region| self.tree.regions[region].children.iter().copied())
            .collect();
        // By both of their names: the lists can be long.
        let mut called: HashMap<String, Vec<StateIndex>> = HashMap::new();
        for &child in &children {
            for name in self.tree.called(child) {
                called.entry(name).or_default().push(child);
            }
        }
        for any in &self.tree.states[state].authored.any_state {
            for name in any.include.iter().chain(&any.exclude) {
                match called.get(&name.value).map_or(0, Vec::len) {
                    0 => self.not_a_child(name, state, &children),
                    1 => {}
                    _ => self.report(*self.tree.ambiguous_child(name, &called[&name.value])),
                }
            }
        }
    }

    fn not_a_child(&mut self, name: &Name, state: StateIndex, children: &[StateIndex]) {
        let owner = self.state_shown(state);
        let text = format!("`{}` is not a child of {owner}", name.value);
        let problem =
            Diagnostic::new(DiagnosticCode::BadAnyState, name.span, text).label("not a child");
        let shown = self.diagnostics.has_room();
        let known = children.iter().filter(|_| shown);
        let known = known.map(|&child| self.tree.states[child].authored.name.value.as_str());
        let problem = problem.suggest(&name.value, known);
        self.diagnostics.push(match problem.help {
            Some(_) => problem,
            None => problem.help(format!("name states directly inside {owner}")),
        });
    }

    /// Resolves one transition that is no branch of a decision.
    pub(super) fn add(
        &mut self,
        authored: Cow<'a, graph::Transition>,
        source: StateIndex,
        scope: StateIndex,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        self.add_written(authored, false, source, scope, out);
    }

    /// Resolves one transition. `scope` is the state from which its targets are looked up. `decided`:
    /// it is a branch of a decision, which means to stay if it names its own state (LANG-13).
    fn add_written(
        &mut self,
        authored: Cow<'a, graph::Transition>,
        decided: bool,
        source: StateIndex,
        scope: StateIndex,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        // Sets and any-state lists multiply: past the limit one more is enough to report it.
        if authored.muted || out.len() > MAX_RECORDS {
            return;
        }
        let triggers = self.triggers(&authored, source, scope, out.next_index());
        let targets = self.targets(&authored, source, scope);
        let Some(&trigger) = triggers.first() else {
            return;
        };
        let stays = decided && authored.kind.is_none() && targets == [Target::State(source)];
        let (authored, targets) = match stays {
            true => (Cow::Owned(authored.staying()), Vec::new()),
            false => (authored, targets),
        };
        let first_emit = self.usage.emits.len();
        let kind = self.kind(&authored, source, &targets);
        let stack = authored
            .stack
            .as_ref()
            .and_then(|stack| self.stack(stack, &authored, source, &targets));
        let site = self
            .transition_site(&triggers, trigger, source)
            .with_names_of(scope);
        let guard = authored
            .guard
            .as_ref()
            .and_then(|code| self.guard(code, &site));
        let effect_site = if authored.latch.is_some() {
            Site::no_event(
                source,
                "a latched transition may be taken later, when the payload is gone",
            )
            .with_names_of(scope)
        } else {
            site.clone()
        };
        let effect = self.action_list(&authored.effect, &effect_site);
        let score = authored
            .score
            .as_ref()
            .and_then(|code| self.score(code, &site));
        let (threshold, threshold_code) = self.threshold(&authored, &site);
        let cooldown = self.maybe_armed(authored.cooldown.as_ref(), &effect_site);
        let debounce = self.maybe_asked(authored.debounce.as_ref());
        let transition = Transition {
            source,
            shared: None,
            place: None,
            trigger,
            targets,
            kind,
            stack,
            decided,
            never: guard
                .as_ref()
                .is_some_and(|guard| guard.constant == Some(false)),
            guard: guard.and_then(|guard| guard.index),
            effect,
            priority: authored
                .priority
                .as_ref()
                .map_or(0, |p| p.value.min(15) as u8),
            score,
            threshold,
            threshold_code,
            cooldown,
            debounce,
            authored,
        };
        match &triggers[..] {
            [_] => _ = out.push(transition),
            list => self.add_list(&transition, list, first_emit, out),
        }
    }

    /// One transition for each event of a list, alike in everything: their code is compiled once
    /// (LANG-1).
    fn add_list(
        &mut self,
        first: &Transition<'a>,
        list: &[Trigger],
        first_emit: usize,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        let emits = self.usage.emits[first_emit..].to_vec();
        for (place, &trigger) in list.iter().enumerate() {
            if out.len() > MAX_RECORDS {
                return;
            }
            // Its commands meet those of other regions for every event of the list.
            let runs_for = |emit: &EmitUse| EmitUse {
                trigger: emit.trigger.map(|_| trigger),
                ..*emit
            };
            let further = emits.iter().filter(|_| place > 0).map(runs_for);
            self.usage.emits.extend(further);
            out.push(Transition {
                place: Some(place),
                trigger,
                ..first.clone()
            });
        }
    }

    /// The least score that counts: a number, or an expression over parameters (LANG-12).
    fn threshold(
        &mut self,
        authored: &graph::Transition,
        site: &Site,
    ) -> (f32, Option<ExpressionIndex>) {
        let code = authored.threshold.as_ref();
        let site = &site.threshold();
        let compiled =
            code.and_then(|code| Some((code, self.expression(code, None, Expected::F32, site)?)));
        let Some((code, compiled)) = compiled else {
            return (0.0, None);
        };
        if let Some(Constant::F32(number)) = compiled.constant {
            return (number, None);
        }
        let parameters = Facts {
            parameters: compiled.facts.parameters.clone(),
            ..Facts::default()
        };
        if compiled.facts != parameters {
            let text = "a threshold is made of numbers and parameters only";
            self.report(
                Diagnostic::new(DiagnosticCode::ThresholdNotFixed, code.span, text)
                    .label("depends on something else")
                    .help("move it into the score: subtract it there, and compare with 0"),
            );
            return (0.0, None);
        }
        (0.0, Some(self.actions.expression(compiled)))
    }

    fn transition_site(&self, all: &[Trigger], trigger: Trigger, source: StateIndex) -> Site {
        let events: Vec<EventIndex> = all.iter().filter_map(|trigger| trigger.event()).collect();
        let site = match trigger {
            Trigger::Event(_) => Site::events(source, self.machine, &events),
            Trigger::Any => Site::state(source, "a transition on any event"),
            Trigger::Timer(_) => Site::no_event(source, "a timer carries no payload"),
            _ => Site::no_event(source, "an eventless transition has no event"),
        };
        site.of(trigger)
    }

    /// What starts it, in the order written: several events only of a list. Empty if nothing of it
    /// is legal.
    fn triggers(
        &mut self,
        authored: &graph::Transition,
        source: StateIndex,
        scope: StateIndex,
        index: TransitionIndex,
    ) -> Vec<Trigger> {
        match &authored.trigger {
            graph::Trigger::Events(events) => self.events_of_list(events),
            other => Vec::from_iter(self.trigger(other, source, scope, index)),
        }
    }

    /// The events of a list (LANG-1), each once.
    fn events_of_list(&mut self, list: &Spanned<Vec<Name>>) -> Vec<Trigger> {
        let bad = |span, text: String| Diagnostic::new(DiagnosticCode::BadEventList, span, text);
        if list.value.is_empty() {
            let text = "a list of events without an event".to_owned();
            self.report(
                bad(list.span, text)
                    .label("empty")
                    .help("name the events that start it, or write `\"*\"` for any event"),
            );
        }
        let mut found: Vec<(EventIndex, &Name)> = Vec::new();
        for name in &list.value {
            let Some(event) = self.event_of_trigger(name) else {
                continue;
            };
            match found.iter().find(|(other, _)| *other == event) {
                Some((_, first)) => self.report(
                    bad(
                        name.span,
                        format!("event `{}` stands in the list twice", name.value),
                    )
                    .label("named again")
                    .related(first.span, "named here")
                    .help("remove one of them: the first is always taken"),
                ),
                None => found.push((event, name)),
            }
        }
        let triggers = found.into_iter();
        triggers.map(|(event, _)| Trigger::Event(event)).collect()
    }

    /// An event that starts a transition.
    fn event_of_trigger(&mut self, name: &Name) -> Option<EventIndex> {
        let found = self.names.events.get(&name.value);
        match found {
            Some(event) => _ = self.usage.handled.insert(event),
            None => {
                let problem = self.names.events.not_found(name);
                let problem = match as_list(&name.value) {
                    Some(list) => problem.help(format!("for several events write a list: {list}")),
                    None => problem,
                };
                self.report(problem);
            }
        }
        found
    }

    fn trigger(
        &mut self,
        authored: &graph::Trigger,
        source: StateIndex,
        scope: StateIndex,
        index: TransitionIndex,
    ) -> Option<Trigger> {
        Some(match authored {
            graph::Trigger::Event(name) => Trigger::Event(self.event_of_trigger(name)?),
            graph::Trigger::Events(list) => self.events_of_list(list).first().copied()?,
            graph::Trigger::Any(_) => {
                self.usage.handles_any = true;
                Trigger::Any
            }
            graph::Trigger::After(duration) => {
                let site = Site::state(source, "`after` is found on entry, which");
                let duration = self.armed(duration, &site.with_names_of(scope));
                Trigger::Timer(self.entry_timer(TimerKind::After, source, index, duration))
            }
            graph::Trigger::Every(duration) => {
                let site = Site::state(source, "`every` is found on entry, which");
                let duration = self.armed(duration, &site.with_names_of(scope));
                Trigger::Timer(self.entry_timer(TimerKind::Every, source, index, duration))
            }
            graph::Trigger::Timer(name) => Trigger::Timer(self.timer_with_trigger(name, scope)?),
            graph::Trigger::Always(_) => Trigger::Always,
            graph::Trigger::Done(_) => Trigger::Done,
            graph::Trigger::Failed(_) => Trigger::Failed,
        })
    }

    fn targets(
        &mut self,
        authored: &graph::Transition,
        source: StateIndex,
        scope: StateIndex,
    ) -> Vec<Target> {
        let mut targets = self.targets_named(&authored.targets, scope);
        if let (Some(to), Some((region, _))) = (authored.targets.first(), authored.sync.first()) {
            // Text is refused before; a builder can say both.
            self.report(
                Diagnostic::new(
                    DiagnosticCode::FieldsExclude,
                    region.span,
                    "`to` and `sync` exclude each other",
                )
                .label("not with the other one")
                .related(to.span, "this one is given, too")
                .help("keep one of them"),
            );
            return targets;
        }
        if let Some((first, _)) = authored
            .sync
            .first()
            .filter(|_| self.tree.states[source].kind != StateKind::Orthogonal)
        {
            let text = format!(
                "`sync` in state `{}`, which has no regions",
                shown(self.tree.states[source].authored)
            );
            self.report(
                Diagnostic::new(DiagnosticCode::BadSyncGroup, first.span, text)
                    .label("not a region of this state")
                    .help("put the transition on the orthogonal state whose regions it changes"),
            );
            return targets;
        }
        for (region, target) in &authored.sync {
            targets.extend(self.sync_target(region, target, source));
        }
        for (&target, name) in targets.iter().zip(&authored.targets) {
            if target == Target::State(StateIndex::ROOT) {
                self.diagnostics.push(
                    Diagnostic::new(DiagnosticCode::RootTarget, name.span, "the root cannot be a target")
                        .label("always active")
                        .help("name a state inside the machine; to start over, name the one that `initial` names"),
                );
            }
        }
        targets.retain(|&target| target != Target::State(StateIndex::ROOT));
        targets
    }

    /// A target of a sync group (EXEC-5): region of the source, target inside it.
    fn sync_target(&mut self, region: &Name, target: &Name, source: StateIndex) -> Option<Target> {
        let Some(index) = self.tree.region_named(source, &region.value) else {
            let text = format!(
                "no region named `{}` in state `{}`",
                region.value,
                self.tree.path(source)
            );
            let regions = self.tree.states[source].authored.regions.iter();
            let shown = self.diagnostics.has_room();
            let known = regions
                .filter_map(|r| r.name.as_ref().map(|name| name.value.as_str()))
                .filter(|_| shown);
            let problem = Diagnostic::new(DiagnosticCode::UnknownRegion, region.span, text)
                .label("not found");
            let problem = problem.suggest(&region.value, known);
            self.report(problem);
            return None;
        };
        let found = self.target_in_region(target, index)?;
        if !self.is_inside_region(found, index) {
            let text = format!("`{}` is not in region `{}`", target.value, region.value);
            let inside = self.tree.regions[index].children.first();
            let inside = inside.map_or("…", |&child| {
                self.tree.states[child].authored.name.value.as_str()
            });
            let help = format!(
                "name a state of region `{}`, such as `{inside}`",
                region.value
            );
            self.report(
                Diagnostic::new(DiagnosticCode::BadSyncGroup, target.span, text)
                    .label("lies elsewhere")
                    .related(region.span, "must lie in this region")
                    .help(help),
            );
            return None;
        }
        Some(found)
    }

    /// EXEC-2: the kind given must be possible; without one it follows from source and targets.
    fn kind(
        &mut self,
        authored: &graph::Transition,
        source: StateIndex,
        targets: &[Target],
    ) -> TransitionKind {
        let is_pop = matches!(&authored.stack, Some(stack) if stack.value == StackOperation::Pop);
        let no_targets = authored.targets.is_empty() && authored.sync.is_empty();
        let inside = !targets.is_empty()
            && targets
                .iter()
                .all(|&target| self.is_target_inside(target, source));
        let natural = match (no_targets, is_pop, inside || !authored.sync.is_empty()) {
            (true, false, _) => TransitionKind::Internal,
            (_, _, true) => TransitionKind::Local,
            _ => TransitionKind::External,
        };
        let Some(given) = &authored.kind else {
            return natural;
        };
        let wrong = match given.value {
            TransitionKind::Internal if !no_targets || is_pop => {
                "an internal transition has no target"
            }
            TransitionKind::Local if natural == TransitionKind::Internal => {
                "a local transition needs a target"
            }
            TransitionKind::Local
                if natural != TransitionKind::Local && !self.may_be_local(source, targets) =>
            {
                "the targets of a local transition lie inside its source"
            }
            TransitionKind::External if no_targets && !is_pop => {
                "an external transition needs a target"
            }
            TransitionKind::External if !authored.sync.is_empty() => "a sync group is local",
            TransitionKind::External if source == StateIndex::ROOT => "the root is never left",
            _ => return given.value,
        };
        let kind = match given.value {
            TransitionKind::Internal => "internal",
            TransitionKind::Local => "local",
            TransitionKind::External => "external",
        };
        self.report(
            Diagnostic::new(
                DiagnosticCode::KindMismatch,
                given.span,
                format!("this transition cannot be {kind}: {wrong}"),
            )
            .label("does not fit")
            .help("leave `kind` out to get the one that fits"),
        );
        natural
    }

    /// In SCXML what a history point of a state around the source remembers decides whether a
    /// transition is local.
    fn may_be_local(&self, source: StateIndex, targets: &[Target]) -> bool {
        let around = |target: &Target| match *target {
            Target::State(_) => false,
            Target::History(history) => self
                .tree
                .is_inside(source, self.tree.histories[history].owner),
        };
        let is_known = !targets.is_empty() && follows_scxml(self.machine);
        is_known
            && targets
                .iter()
                .all(|&target| self.is_target_inside(target, source) || around(&target))
    }

    /// Whether entering a target leaves `source` active: a history point of the source restores
    /// what is inside it.
    fn is_target_inside(&self, target: Target, source: StateIndex) -> bool {
        match target {
            Target::State(state) => self.tree.is_inside(state, source),
            Target::History(history) => self
                .tree
                .contains(source, self.tree.histories[history].owner),
        }
    }

    /// EXEC-8: a push goes from one child of a region to another; a pop belongs inside a region
    /// with a stack.
    fn stack(
        &mut self,
        stack: &Spanned<StackOperation>,
        authored: &graph::Transition,
        source: StateIndex,
        targets: &[Target],
    ) -> Option<(StackOperation, RegionIndex)> {
        let found = match stack.value {
            StackOperation::Push => self.push_region(authored, source, targets),
            StackOperation::Pop => self.pop_region(authored, source),
        };
        match found {
            Ok(region) => Some((stack.value, region)),
            Err((text, help)) => {
                self.report(
                    Diagnostic::new(DiagnosticCode::BadStackOperation, stack.span, text)
                        .label("not possible")
                        .help(help),
                );
                None
            }
        }
    }

    fn push_region(
        &self,
        authored: &graph::Transition,
        source: StateIndex,
        targets: &[Target],
    ) -> Result<RegionIndex, (String, String)> {
        let [Target::State(target)] = *targets else {
            return Err((
                "a push needs exactly one state as target".into(),
                "name one state in `to`".into(),
            ));
        };
        if !authored.sync.is_empty() || authored.interrupt.is_some() && source == StateIndex::ROOT {
            return Err((
                "a push cannot start here".into(),
                "put it on the states that may be suspended".into(),
            ));
        }
        let common = self.tree.common_ancestor(source, target);
        let region = |inner| {
            self.tree
                .child_towards(common, inner)
                .and_then(|child| self.tree.states[child].region)
        };
        match (region(source), region(target)) {
            (Some(a), Some(b)) if a == b => {
                if self.tree.regions[a].authored.stack_depth.is_none() {
                    let owner = self.state_shown(common);
                    let stack_of = match &self.tree.regions[a].authored.name {
                        Some(name) => format!("region `{}`", name.value),
                        None => owner.clone(),
                    };
                    return Err((
                        format!("{stack_of} has no stack for this push"),
                        format!(
                            "add `\"stack\": 1` to {stack_of}: how many pushes may be open at once"
                        ),
                    ));
                }
                Ok(a)
            }
            _ => Err((
                "source and target of a push must be different states of one region".into(),
                "push to a state beside the source".into(),
            )),
        }
    }

    fn pop_region(
        &self,
        authored: &graph::Transition,
        source: StateIndex,
    ) -> Result<RegionIndex, (String, String)> {
        if !authored.targets.is_empty() || !authored.sync.is_empty() {
            return Err((
                "a pop has no target: it returns to what was suspended".into(),
                "remove `to`".into(),
            ));
        }
        std::iter::once(source)
            .chain(self.tree.ancestors(source))
            .filter_map(|state| self.tree.states[state].region)
            .find(|&region| self.tree.regions[region].authored.stack_depth.is_some())
            .ok_or_else(|| {
                let text = "no state around this pop has a stack".to_owned();
                (text, "add `\"stack\": 1` to the state, or to the machine, whose children push and pop".to_owned())
            })
    }
}

impl Resolver<'_> {
    /// A state as messages name it.
    fn state_shown(&self, state: StateIndex) -> String {
        match state {
            StateIndex::ROOT => "the machine".to_owned(),
            _ => format!("state `{}`", shown(self.tree.states[state].authored)),
        }
    }
}
