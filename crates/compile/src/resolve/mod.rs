//! Pass *normalize*, second half: names become indices, sugar is expanded (CODE-8), code is
//! compiled.
//!
//! Goes on after a mistake, so that all of them are reported; what could not be resolved is left
//! out of the model, which is only used further when there were no errors.

mod actions;
mod data;
mod durations;
mod scope;
mod sets;
mod states;
mod timers;
mod transitions;

use std::collections::BTreeMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Action, ActionKind, Machine};
use statewright_author::span::{Name, Span};

use statewright_rom::layout::ActionOp;

use crate::actions::ActionTables;
use crate::index::{
    ActionListIndex, ChannelIndex, ConditionIndex, HistoryIndex, Index, IndexVec, LaneIndex,
    MachineTimerIndex, RegionIndex, StateIndex, StringIndex, TimerIndex,
};
use crate::model::{Entry, Model, Timer, TimerKind, Usage};
use crate::names::Declarations;
use crate::tree::{Target, Tree};

/// Lane of release commands that name none.
const GAMEPLAY_LANE: usize = 2;

/// State of the pass.
struct Resolver<'a> {
    machine: &'a Machine,
    tree: Tree<'a>,
    names: Declarations<'a>,
    tick_rate: u32,
    actions: ActionTables,
    timers: IndexVec<TimerIndex, Timer<'a>>,
    /// State-owned named timers, by owner and name.
    state_timers: BTreeMap<(StateIndex, &'a str), TimerIndex>,
    /// Machine-level timers, by declaration.
    machine_timers: IndexVec<MachineTimerIndex, TimerIndex>,
    /// Timers of `after` and `every` transitions that others may share, by owner, kind and
    /// duration.
    shared_timers: BTreeMap<(StateIndex, TimerKind, u32), TimerIndex>,
    clocks: BTreeMap<StateIndex, &'static str>,
    usage: Usage,
    diagnostics: Diagnostics,
}

/// Resolves a machine. The diagnostics of earlier stages are taken along.
pub fn resolve<'a>(machine: &'a Machine, mut diagnostics: Diagnostics) -> (Model<'a>, Diagnostics) {
    let tree = Tree::new(machine, &mut diagnostics);
    let names = Declarations::new(machine, &mut diagnostics);
    let mut resolver = Resolver {
        machine,
        tree,
        names,
        tick_rate: machine.ticks_per_second(),
        actions: ActionTables::default(),
        timers: IndexVec::default(),
        state_timers: BTreeMap::new(),
        machine_timers: IndexVec::default(),
        shared_timers: BTreeMap::new(),
        clocks: BTreeMap::new(),
        usage: Usage::default(),
        diagnostics,
    };
    let data = resolver.data();
    resolver.named_timers();
    resolver.check_sets();
    resolver.parameters_given();
    let (mut resolved, transitions, branches) = resolver.states();
    let initials = resolver.initials();
    let history_defaults = resolver.history_defaults();
    let observers = resolver.observers();
    let channel_commands = resolver.channel_commands();
    let fail_safe = machine
        .fail_safe
        .as_ref()
        .and_then(|name| resolver.target(name, StateIndex::ROOT));
    let reload_entry = machine
        .reload_entry
        .as_ref()
        .and_then(|name| resolver.target(name, StateIndex::ROOT));
    for (&state, &why) in &resolver.clocks {
        resolved[state].clock = Some(why);
    }
    let mut transitions = transitions;
    resolver.order_timers(&mut transitions, &resolved);
    let Resolver {
        tree,
        names,
        tick_rate,
        actions,
        timers,
        usage,
        diagnostics,
        ..
    } = resolver;
    let model = Model {
        machine,
        tree,
        names,
        tick_rate,
        actions,
        resolved,
        transitions,
        branches,
        initials,
        history_defaults,
        timers,
        observers,
        channel_commands,
        fail_safe,
        reload_entry,
        data,
        usage,
    };
    (model, diagnostics)
}

impl<'a> Resolver<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether the name that stands there is no state of its part. That has been reported, and it
    /// stands for the part's root: nothing more can be said of it.
    fn is_unknown_in_part(&self, span: Span) -> bool {
        let mut found = self.diagnostics.iter();
        found.any(|problem| {
            let code = problem.code;
            problem.span == span
                && matches!(
                    code,
                    DiagnosticCode::UnknownState | DiagnosticCode::AmbiguousState
                )
        })
    }

    /// The state or history point that a name means in a state.
    fn target(&mut self, name: &Name, from: StateIndex) -> Option<Target> {
        match self.tree.find(name, from) {
            Ok(node) => Some(node),
            Err(problem) => {
                self.report(*problem);
                None
            }
        }
    }

    /// The same for a name in a region.
    fn target_in_region(&mut self, name: &Name, region: RegionIndex) -> Option<Target> {
        match self.tree.find_in_region(name, region) {
            Ok(node) => Some(node),
            Err(problem) => {
                self.report(*problem);
                None
            }
        }
    }

    /// All targets that could be found.
    fn targets_named(&mut self, names: &[Name], from: StateIndex) -> Vec<Target> {
        names
            .iter()
            .filter_map(|name| self.target(name, from))
            .collect()
    }

    fn observers(&mut self) -> Vec<crate::model::Observer> {
        let machine = self.machine;
        let mut observers = Vec::new();
        for observer in &machine.observers {
            let event = match &observer.event {
                None => None,
                Some(name) => match self.names.events.find(name, &mut self.diagnostics) {
                    Some(event) => Some(event),
                    None => continue,
                },
            };
            match event {
                Some(event) => {
                    self.usage.handled.insert(event);
                }
                None => self.usage.handles_any = true,
            }
            let site = scope::Site::observer(self.machine, event);
            let actions = self.action_list(&observer.actions, &site);
            self.check_observer(&observer.actions, actions);
            observers.push(crate::model::Observer { event, actions });
        }
        observers
    }

    /// Observers may call, post and emit; they may not change what the commit after them relies on
    /// (EVT-8).
    fn check_observer(&mut self, authored: &[Action], list: Option<ActionListIndex>) {
        let mut live = Vec::new();
        plain_actions(authored, &mut live);
        let mut records = list.map_or(Vec::new(), |list| self.actions.actions_of(list).to_vec());
        records.retain(|record| !record.kind.get().leaves_out());
        if records.len() != live.len() {
            // Something in it could not be compiled and has been reported.
            return;
        }
        for (record, action) in records.iter().zip(live) {
            let what = match record.kind.get() {
                ActionOp::Set | ActionOp::Add => "write the blackboard",
                ActionOp::SetScratch | ActionOp::AddScratch => "write scratch",
                ActionOp::StartTimer => "start a timer",
                ActionOp::StopTimer => "stop a timer",
                ActionOp::ClearHistory => "clear history",
                ActionOp::Call
                | ActionOp::CallWith
                | ActionOp::Evaluate
                | ActionOp::Raise
                | ActionOp::Send
                | ActionOp::Emit
                | ActionOp::Unless
                | ActionOp::Skip => continue,
            };
            self.report(
                Diagnostic::new(DiagnosticCode::ObserverChanges, action.span, format!("an observer cannot {what}"))
                    .label("changes something")
                    .note("observers run between the choice of a transition and its effect, for every event")
                    .help("do it in the effect of a transition, or raise an event here that a transition handles"),
            );
        }
    }

    /// Release command and lane of each channel (CODE-7).
    fn channel_commands(&mut self) -> IndexVec<ChannelIndex, (StringIndex, LaneIndex)> {
        let machine = self.machine;
        let mut commands = IndexVec::default();
        for channel in &machine.channels {
            let lane = channel
                .lane
                .as_ref()
                .and_then(|lane| self.names.lane(lane, &mut self.diagnostics));
            let (command, span) = match &channel.release {
                Some(name) => (name.value.as_str(), name.span),
                None => ("release", channel.name.span),
            };
            commands.push((
                self.actions.string(command, span),
                lane.unwrap_or(LaneIndex::new(GAMEPLAY_LANE)),
            ));
        }
        commands
    }

    fn history_defaults(&mut self) -> IndexVec<HistoryIndex, Entry> {
        let mut entries = IndexVec::default();
        for index in self.tree.histories.indices() {
            let (point, owner) = (
                self.tree.histories[index].authored,
                self.tree.histories[index].owner,
            );
            let targets = self.targets_named(&point.default, owner);
            for (&target, name) in targets.iter().zip(&point.default) {
                let inside =
                    matches!(target, Target::State(state) if self.tree.is_inside(state, owner));
                if !inside {
                    self.report(history_default_outside(name, &point.name));
                }
            }
            let site = scope::Site::state(owner, "the default of a history point");
            let effect = self.action_list(&point.effect, &site);
            entries.push(Entry { targets, effect });
        }
        entries
    }
}

fn history_default_outside(name: &Name, point: &Name) -> Diagnostic {
    let text = format!(
        "`{}` is not a state inside the one that has history point `{}`",
        name.value, point.value
    );
    Diagnostic::new(DiagnosticCode::HistoryDefaultOutside, name.span, text)
        .label("lies outside")
        .related(point.span, "of this history point")
        .help("name a state inside, or leave `default` out to use the initial one")
}

/// A guard or score that was compiled, and what its constant value is, if it has one.
struct Condition {
    index: Option<ConditionIndex>,
    constant: Option<bool>,
}

/// Actions that are not muted, those inside conditions too, in order.
fn plain_actions<'a>(actions: &'a [Action], out: &mut Vec<&'a Action>) {
    for action in actions.iter().filter(|action| !action.muted) {
        match &action.kind {
            ActionKind::If {
                then, otherwise, ..
            } => {
                plain_actions(then, out);
                plain_actions(otherwise, out);
            }
            _ => out.push(action),
        }
    }
}
