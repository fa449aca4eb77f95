//! Pass *normalize*, second half: names become indices, sugar is expanded (CODE-8), code is
//! compiled.
//!
//! Goes on after a mistake, so that all of them are reported; what could not be resolved is left
//! out of the model, which is only used further when there were no errors.

mod actions;
mod data;
mod scope;
mod states;
mod timers;
mod transitions;

use std::collections::BTreeMap;

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Action, ActionKind, Machine};
use statewright_author::limits::MAX_DURATION_TICKS;
use statewright_author::span::{Name, Spanned};
use statewright_author::value::Duration;

use statewright_rom::layout::ActionOp;

use crate::model::{Entry, Model, Timer, Usage};
use crate::names::Names;
use crate::ops::Ops;
use crate::tree::{Node, StateIndex, Tree};

/// Ticks per second where a machine does not say (SEL-1).
pub const DEFAULT_TICK_RATE: u32 = 60;

/// Lane of release commands that name none.
const GAMEPLAY_LANE: usize = 2;

/// State of the pass.
struct Resolver<'a> {
    machine: &'a Machine,
    tree: Tree<'a>,
    names: Names<'a>,
    tick_rate: u32,
    ops: Ops,
    timers: Vec<Timer<'a>>,
    /// State-owned named timers: (owner, name) to index in `timers`.
    state_timers: BTreeMap<(StateIndex, &'a str), usize>,
    /// Machine-level timers by declaration to index in `timers`.
    machine_timers: Vec<usize>,
    /// Timers of `after` transitions: (owner, ticks) to index in `timers`.
    after_timers: BTreeMap<(StateIndex, u32), usize>,
    clocks: BTreeMap<StateIndex, &'static str>,
    usage: Usage,
    diagnostics: Diagnostics,
}

/// Resolves a machine. The diagnostics of earlier stages are taken along.
pub fn resolve<'a>(machine: &'a Machine, mut diagnostics: Diagnostics) -> (Model<'a>, Diagnostics) {
    let tree = Tree::new(machine, &mut diagnostics);
    let names = Names::new(machine, &mut diagnostics);
    let mut resolver = Resolver {
        machine,
        tree,
        names,
        tick_rate: machine
            .tick_rate
            .as_ref()
            .map_or(DEFAULT_TICK_RATE, |rate| rate.value),
        ops: Ops::default(),
        timers: Vec::new(),
        state_timers: BTreeMap::new(),
        machine_timers: Vec::new(),
        after_timers: BTreeMap::new(),
        clocks: BTreeMap::new(),
        usage: Usage::default(),
        diagnostics,
    };
    let data = resolver.data();
    resolver.named_timers();
    let (mut parts, transitions, branches) = resolver.states();
    let initials = resolver.initials();
    let history_defaults = resolver.history_defaults();
    let observers = resolver.observers();
    let channel_commands = resolver.channel_commands();
    let fail_safe = machine
        .fail_safe
        .as_ref()
        .and_then(|name| resolver.node(name, 0));
    let reload_entry = machine
        .reload_entry
        .as_ref()
        .and_then(|name| resolver.node(name, 0));
    for (&state, &why) in &resolver.clocks {
        parts[state].clock = Some(why);
    }
    let mut transitions = transitions;
    resolver.order_timers(&mut transitions, &parts);
    let Resolver {
        tree,
        names,
        tick_rate,
        ops,
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
        ops,
        parts,
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

    /// The state or history point that a name means in a state.
    fn node(&mut self, name: &Name, from: StateIndex) -> Option<Node> {
        match self.tree.find(name, from) {
            Ok(node) => Some(node),
            Err(problem) => {
                self.report(*problem);
                None
            }
        }
    }

    /// All targets that could be found.
    fn nodes(&mut self, names: &[Name], from: StateIndex) -> Vec<Node> {
        names
            .iter()
            .filter_map(|name| self.node(name, from))
            .collect()
    }

    /// A duration in ticks.
    fn ticks(&mut self, duration: &Spanned<Duration>) -> u32 {
        duration.value.ticks(self.tick_rate).unwrap_or_else(|| {
            let days = f64::from(MAX_DURATION_TICKS) / f64::from(self.tick_rate.max(1)) / 86_400.0;
            let text = format!(
                "{} is too long: the longest is {MAX_DURATION_TICKS} ticks, {days:.1} days at {} per second",
                duration.value, self.tick_rate
            );
            self.report(
                Diagnostic::new(Code::BadDuration, duration.span, text)
                    .label("too long")
                    .help("count in the blackboard if something may take that long, or use a lower `tick_rate`"),
            );
            1
        })
    }

    /// Ticks of an optional duration; 0 = none.
    fn optional_ticks(&mut self, duration: Option<&Spanned<Duration>>) -> u32 {
        duration.map_or(0, |duration| self.ticks(duration))
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
    fn check_observer(&mut self, authored: &[Action], list: Option<usize>) {
        let mut live = Vec::new();
        plain_actions(authored, &mut live);
        let mut ops = list.map_or(Vec::new(), |list| self.ops.list_ops(list).to_vec());
        ops.retain(|op| !op.kind.get().leaves_out());
        if ops.len() != live.len() {
            // Something in it could not be compiled and has been reported.
            return;
        }
        for (op, action) in ops.iter().zip(live) {
            let what = match op.kind.get() {
                ActionOp::Set | ActionOp::Add => "write the blackboard",
                ActionOp::StartTimer => "start a timer",
                ActionOp::StopTimer => "stop a timer",
                ActionOp::ClearHistory => "clear history",
                ActionOp::Call
                | ActionOp::Evaluate
                | ActionOp::Raise
                | ActionOp::Send
                | ActionOp::Emit
                | ActionOp::Unless
                | ActionOp::Skip => continue,
            };
            self.report(
                Diagnostic::new(Code::ObserverChanges, action.span, format!("an observer cannot {what}"))
                    .label("changes something")
                    .note("observers run between the choice of a transition and its effect, for every event")
                    .help("do it in the effect of a transition, or raise an event here that a transition handles"),
            );
        }
    }

    /// Release command and lane of each channel (CODE-7).
    fn channel_commands(&mut self) -> Vec<(usize, usize)> {
        let machine = self.machine;
        let mut commands = Vec::new();
        for channel in &machine.channels {
            let lane = channel
                .lane
                .as_ref()
                .and_then(|lane| self.names.lane(lane, &mut self.diagnostics));
            let command = channel
                .release
                .as_ref()
                .map_or("release", |name| name.value.as_str());
            commands.push((self.ops.string(command), lane.unwrap_or(GAMEPLAY_LANE)));
        }
        commands
    }

    fn history_defaults(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for index in 0..self.tree.histories.len() {
            let (point, owner) = (
                self.tree.histories[index].authored,
                self.tree.histories[index].owner,
            );
            let targets = self.nodes(&point.default, owner);
            for (&target, name) in targets.iter().zip(&point.default) {
                let inside =
                    matches!(target, Node::State(state) if self.tree.is_inside(state, owner));
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
    Diagnostic::new(Code::HistoryDefaultOutside, name.span, text)
        .label("lies outside")
        .related(point.span, "of this history point")
        .help("name a state inside, or leave `default` out to use the initial one")
}

/// A guard or score that was compiled: its op and what its constant value is, if it has one.
struct Condition {
    op: Option<usize>,
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
