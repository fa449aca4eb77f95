//! What belongs to each state: actions, activity, conditions, deferrals, channels, branches,
//! initials.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::graph::{ExprSource, StateKind};
use statewright_author::span::Span;
use statewright_author::value::FunctionKind;

use super::Resolver;
use super::actions::given;
use super::scope::Site;
use crate::index::{
    BranchIndex, ChannelIndex, ConditionIndex, EventIndex, IndexRange, IndexVec, RegionIndex,
    StateIndex, TransitionIndex,
};
use crate::model::{Branch, Entry, ResolvedState, Transition};
use crate::tree::{Target, shown};

/// What the states become, their transitions, their branches.
type AllStates<'a> = (
    IndexVec<StateIndex, ResolvedState>,
    IndexVec<TransitionIndex, Transition<'a>>,
    IndexVec<BranchIndex, Branch<'a>>,
);

impl<'a> Resolver<'a> {
    /// All states, with their transitions and branches.
    pub(super) fn states(&mut self) -> AllStates<'a> {
        let mut resolved = IndexVec::default();
        let mut transitions = IndexVec::default();
        let mut branches = IndexVec::default();
        for index in self.tree.states.indices() {
            let mut state = self.state(index);
            let first = transitions.next_index();
            self.state_transitions(index, &mut transitions);
            state.transitions = IndexRange::new(first, transitions.next_index());
            let first = branches.next_index();
            self.state_branches(index, &mut branches);
            state.branches = IndexRange::new(first, branches.next_index());
            resolved.push(state);
        }
        (resolved, transitions, branches)
    }

    fn state(&mut self, index: StateIndex) -> ResolvedState {
        let state = self.tree.states[index].authored;
        let entry = self.action_list(&state.entry, &Site::state(index, "an entry action"));
        let exit = self.action_list(&state.exit, &Site::state(index, "an exit action"));
        let suspend = self.action_list(&state.suspend, &Site::state(index, "a suspend action"));
        let resume = self.action_list(&state.resume, &Site::state(index, "a resume action"));
        let update = self.action_list(&state.update, &Site::state(index, "an update action"));
        let activity = state
            .activity
            .as_ref()
            .and_then(|code| self.activity(code, index));
        let exit_ready = state.exit_ready.as_ref().and_then(|code| {
            let condition = self.guard(code, &Site::state(index, "an exit-ready guard"))?;
            condition.index
        });
        let min_active = self.maybe_asked(state.min_active.as_ref());
        if min_active.is_some() {
            self.clocks.entry(index).or_insert("min_active");
        }
        if state.clock {
            self.clocks.entry(index).or_insert("clock: true");
        }
        ResolvedState {
            entry,
            exit,
            suspend,
            resume,
            update,
            activity,
            exit_ready,
            min_active,
            defers: self.deferrals(index),
            owns: self.channels(index),
            ..ResolvedState::default()
        }
    }

    fn activity(&mut self, code: &ExprSource, state: StateIndex) -> Option<ConditionIndex> {
        match statewright_author::expr::parse_call(&code.value) {
            Ok(call) => {
                let (name, arguments) = call.spanned(code);
                let site = Site::state(state, "an activity");
                let arguments = given(&arguments);
                let call = self.call(&name, FunctionKind::Activity, &arguments, &site)?;
                Some(self.actions.condition(call))
            }
            Err(error) => {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::NotAnAction,
                        code.span.within(error.range),
                        error.message,
                    )
                    .help("an activity is a function, such as `Patrol` or `Patrol(3)`"),
                );
                None
            }
        }
    }

    fn deferrals(&mut self, index: StateIndex) -> Vec<(EventIndex, Span)> {
        let mut events: Vec<(EventIndex, Span)> = Vec::new();
        for name in &self.tree.states[index].authored.defers {
            let Some(event) = self.names.events.find(name, &mut self.diagnostics) else {
                continue;
            };
            self.usage.handled.insert(event);
            if events.iter().all(|&(seen, _)| seen != event) {
                events.push((event, name.span));
            }
        }
        events.sort_unstable_by_key(|&(event, _)| event);
        events
    }

    fn channels(&mut self, index: StateIndex) -> Vec<(ChannelIndex, Span)> {
        let owns = &self.tree.states[index].authored.owns;
        owns.iter()
            .filter_map(|name| {
                Some((
                    self.names.channels.find(name, &mut self.diagnostics)?,
                    name.span,
                ))
            })
            .collect()
    }

    fn state_branches(
        &mut self,
        index: StateIndex,
        branches: &mut IndexVec<BranchIndex, Branch<'a>>,
    ) {
        let Some(list) = &self.tree.states[index].authored.choice else {
            return;
        };
        for authored in list {
            let site = Site::state(index, "a choice");
            let guard = authored
                .guard
                .as_ref()
                .and_then(|code| self.guard(code, &site)?.index);
            let targets = self.targets_named(&authored.targets, index);
            // A file's branch without a legal `to` has been reported.
            let reported = |d: &Diagnostic| {
                authored.span.start <= d.span.start && d.span.end <= authored.span.end
            };
            if authored.targets.is_empty() && !self.diagnostics.iter().any(reported) {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::NeedsTarget,
                        authored.span,
                        "a branch of a choice has no target",
                    )
                    .label("leads nowhere")
                    .help("add `\"to\"`"),
                );
            }
            let effect = self.action_list(&authored.effect, &site);
            branches.push(Branch {
                authored,
                owner: index,
                guard,
                entry: Entry { targets, effect },
            });
        }
    }

    /// Where each region starts.
    pub(super) fn initials(&mut self) -> IndexVec<RegionIndex, Entry> {
        let regions = self.tree.regions.indices();
        regions.map(|region| self.initial(region)).collect()
    }

    fn initial(&mut self, region: RegionIndex) -> Entry {
        let (authored, owner) = (
            self.tree.regions[region].authored,
            self.tree.regions[region].owner,
        );
        if self.tree.regions[region].children.is_empty() {
            // Reported; no name can be found in it.
            return Entry::default();
        }
        let Some(initial) = authored.initial.as_ref() else {
            return self.implied_initial(region);
        };
        let effect = self.action_list(
            &initial.effect,
            &Site::state(owner, "the effect of an initial"),
        );
        if initial.targets.is_empty() {
            return Entry {
                effect,
                ..self.implied_initial(region)
            };
        }
        let mut targets = Vec::new();
        for name in &initial.targets {
            let Some(target) = self.target_in_region(name, region) else {
                continue;
            };
            if self.is_inside_region(target, region) || self.is_own_history(target, owner) {
                targets.push(target);
            } else if !self.is_unknown_in_part(name.span) {
                let text = format!(
                    "initial `{}` is not inside {}",
                    name.value,
                    self.region_shown(region)
                );
                let inside = self.tree.regions[region].children.first();
                let inside = inside.map_or("…", |&child| {
                    self.tree.states[child].authored.name.value.as_str()
                });
                let help = format!("name a state that is inside, such as `{inside}`");
                self.report(
                    Diagnostic::new(DiagnosticCode::InitialOutside, name.span, text)
                        .label("lies elsewhere")
                        .help(help),
                );
            }
        }
        Entry { targets, effect }
    }

    /// A history point of a compound state that says itself where it leads while it remembers
    /// nothing.
    fn is_own_history(&self, target: Target, owner: StateIndex) -> bool {
        let Target::History(history) = target else {
            return false;
        };
        let point = &self.tree.histories[history];
        point.owner == owner
            && self.tree.states[owner].kind == StateKind::Compound
            && !point.authored.default.is_empty()
    }

    /// A region with a single state needs no `initial`; any other does.
    fn implied_initial(&mut self, region: RegionIndex) -> Entry {
        let children: Vec<StateIndex> = self.tree.regions[region].children.clone();
        let startable: Vec<StateIndex> = children
            .iter()
            .copied()
            .filter(|&c| self.tree.states[c].kind != StateKind::Choice)
            .collect();
        if let [only] = startable[..]
            && children.len() == 1
        {
            return Entry {
                targets: vec![Target::State(only)],
                effect: None,
            };
        }
        if let Some(&first) = children.first() {
            let authored = self.tree.regions[region].authored;
            let owner = self.tree.states[self.tree.regions[region].owner].authored;
            let span = match &authored.name {
                Some(name) => name.span,
                None if owner.name.value.is_empty() => self.machine.name.span,
                None => owner.name.span,
            };
            let first = &self.tree.states[first].authored.name.value;
            let text = format!("{} does not say where it starts", self.region_shown(region));
            self.report(
                Diagnostic::new(DiagnosticCode::MissingInitial, span, text)
                    .label("has several states")
                    .help(format!(
                        "add `\"initial\": \"{first}\"`, or another of its states"
                    )),
            );
        }
        Entry::default()
    }

    pub(super) fn is_inside_region(&self, target: Target, region: RegionIndex) -> bool {
        let owner = self.tree.regions[region].owner;
        let anchor = self.tree.anchor(target);
        let child = self.tree.child_towards(owner, anchor);
        child.is_some_and(|child| self.tree.states[child].region == Some(region))
    }

    fn region_shown(&self, region: RegionIndex) -> String {
        let node = &self.tree.regions[region];
        match &node.authored.name {
            Some(name) => format!("region `{}`", name.value),
            None if node.owner == StateIndex::ROOT => "the machine".to_owned(),
            None => format!("state `{}`", shown(self.tree.states[node.owner].authored)),
        }
    }
}
