//! The model that a machine means, straight from its author graph: what `describe` must say about
//! its ROM.
//!
//! Shape and texts are those of the documentation of `statewright_describe`.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use statewright_author::duration::DurationSource;
use statewright_author::graph::{
    Branch, Lane, Machine, Payload, StackOperation, StateKind, Timer, TransitionKind, Trigger,
};
use statewright_author::span::{Name, Spanned};
use statewright_author::value::{
    BuiltInLane, Class, Duration, FunctionKind, LaneKey, LaneScope, Literal, MergeRule, Tier,
    ValueType,
};

use super::durations::{fixed_length, parameter_value};
use super::moves::{Move, moves};
use super::tree::{Target, Tree};

mod code;

/// The model of a machine in a tier.
pub fn project(machine: &Machine, tier: Tier) -> Value {
    let tree = Tree::new(machine);
    let projector = Projector {
        tree: &tree,
        clocks: RefCell::default(),
        functions: RefCell::default(),
    };
    projector.model(tier)
}

struct Projector<'t, 'a> {
    tree: &'t Tree<'a>,
    /// States whose time is read.
    clocks: RefCell<BTreeSet<usize>>,
    /// Functions in use.
    functions: RefCell<BTreeSet<(FunctionKind, String)>>,
}

impl Projector<'_, '_> {
    fn model(&self, tier: Tier) -> Value {
        let machine = self.tree.machine;
        let on =
            |policy: &Option<Spanned<bool>>| policy.as_ref().is_some_and(|policy| policy.value);
        let policies = &machine.policies;
        let path = |name: &Option<Name>| {
            name.as_ref()
                .map(|name| self.tree.target_path(self.tree.find(0, &name.value)))
        };
        let mut model = json!({
            "machine": machine.name.value,
            "tier": tier.as_str(),
            "tick_rate": self.tree.tick_rate(),
            "policies": {
                "reverse_exit_order": on(&policies.reverse_exit_order),
                "immediate_update": on(&policies.immediate_update),
                "posted_next_tick": on(&policies.posted_next_tick),
                "internal_first": on(&policies.internal_first),
                "done_events": on(&policies.done_events),
                "strict_writes": on(&policies.strict_writes),
                "scxml_details": on(&policies.scxml_details),
                "reload_resets": on(&policies.reload_resets),
            },
            "budgets": self.budgets(tier),
            "fail_safe": path(&machine.fail_safe),
            "reload_entry": path(&machine.reload_entry),
            "events": self.events(),
            "blackboard": self.blackboard(),
            "parameters": self.parameters(),
            "variants": self.variants(),
            "channels": self.channels(),
            "lanes": self.lanes(),
            "timers": machine.timers.iter().map(|timer| {
                let (class, event) = fires(timer);
                let instances = timer.instances.as_ref().map_or(1, |count| count.value);
                json!({ "name": timer.name.value, "instances": instances, "class": class, "event": event })
            }).collect::<Value>(),
            "observers": self.observers(),
            "functions": null,
            "states": self.states(),
        });
        model["functions"] = self.used_functions();
        self.set_clocks(&mut model);
        model
    }

    /// RAM-2, TICK-4, CMD-2, EVT-10.
    fn budgets(&self, tier: Tier) -> Value {
        let machine = self.tree.machine;
        let given = |budget: &Option<Spanned<u32>>, usual: u32| {
            budget.as_ref().map_or(usual, |budget| budget.value)
        };
        let (events, microsteps) = match tier {
            Tier::Crowd => (4, 8),
            Tier::Standard => (8, 16),
            Tier::Hero => (16, 32),
        };
        let internal = machine
            .policies
            .internal_first
            .as_ref()
            .is_some_and(|on| on.value);
        json!({
            "events_per_tick": given(&machine.budgets.events_per_tick, events),
            "microsteps_per_tick": given(&machine.budgets.microsteps_per_tick, if internal { 256 } else { microsteps }),
            "clamp_limit": given(&machine.budgets.clamp_limit, 5),
            "command_bytes": given(&machine.budgets.command_bytes, 1024),
        })
    }

    /// Lanes of the machine's own, then built-in ones by number.
    fn lanes(&self) -> Value {
        let machine = self.tree.machine;
        let name = |lane: &Lane| lane.name.value.clone();
        let built_in = BuiltInLane::ALL.into_iter().filter_map(|built_in| {
            let mut lanes = machine.built_in_lanes.iter();
            lanes.find(|lane| name(lane) == built_in.as_str())
        });
        let one = |lane: &Lane| {
            let merge = match name(lane).as_str() {
                "animation" | "navigation" | "blackboard" => MergeRule::LastWriterWins,
                "audio" | "vfx" => MergeRule::Deduplicate,
                _ => MergeRule::StrictOrder,
            };
            let critical = ["navigation", "gameplay"].contains(&name(lane).as_str());
            let key = if name(lane) == "blackboard" {
                LaneKey::Name
            } else {
                LaneKey::Lane
            };
            json!({
                "name": name(lane),
                "merge": lane.merge.as_ref().map_or(merge, |merge| merge.value).as_str(),
                "critical": lane.critical.as_ref().map_or(critical, |critical| critical.value),
                "key": lane.key.as_ref().map_or(key, |key| key.value).as_str(),
                "scope": lane.scope.as_ref().map_or(LaneScope::Agent, |scope| scope.value).as_str(),
                "cap": lane.cap.as_ref().map(|cap| cap.value),
            })
        };
        machine.lanes.iter().chain(built_in).map(one).collect()
    }

    fn events(&self) -> Value {
        let event = |event: &statewright_author::graph::Event| {
            let payload = event.payload.as_ref().map(|payload| match payload.value {
                Payload::Value(ty) => ty.as_str(),
                Payload::U32 => "u32",
                Payload::U64 => "u64",
                Payload::Vec4 => "vec4",
                Payload::Bytes(_) => "bytes",
            });
            let bytes = event
                .payload
                .as_ref()
                .map_or(0, |payload| payload.value.bytes());
            json!({
                "name": event.name.value,
                "class": event.class.as_ref().map_or(Class::Normal, |class| class.value).as_str(),
                "payload": payload,
                "payload_bytes": if event.indirect { 4 } else { bytes },
                "coalesce": event.coalesce,
                "ttl": self.ticks(event.ttl.as_ref()),
                "indirect": event.indirect,
                "ephemeral": event.ephemeral,
            })
        };
        self.tree.machine.events.iter().map(event).collect()
    }

    fn blackboard(&self) -> Value {
        let key = |key: &statewright_author::graph::Key| {
            let default = key
                .default
                .as_ref()
                .map_or_else(|| zero(key.ty.value), |value| value_of(&value.value));
            json!({ "name": key.name.value, "type": key.ty.value.as_str(), "default": default })
        };
        self.tree.machine.blackboard.iter().map(key).collect()
    }

    fn parameters(&self) -> Value {
        let parameters = self.tree.machine.parameters.iter();
        parameters
            .map(|p| json!({ "name": p.name.value, "type": p.ty.value.as_str(), "value": value_of(&parameter_value(self.tree, p, &p.value.value)) }))
            .collect()
    }

    fn variants(&self) -> Value {
        let variant = |variant: &statewright_author::graph::Variant| {
            let mut values = Map::new();
            for parameter in &self.tree.machine.parameters {
                let own = variant
                    .values
                    .iter()
                    .find(|(name, _)| name.value == parameter.name.value);
                let value = own.map_or(&parameter.value.value, |(_, value)| &value.value);
                values.insert(
                    parameter.name.value.clone(),
                    value_of(&parameter_value(self.tree, parameter, value)),
                );
            }
            json!({ "name": variant.name.value, "values": values })
        };
        self.tree.machine.variants.iter().map(variant).collect()
    }

    fn channels(&self) -> Value {
        let text = |name: &Option<Name>, usual: &str| {
            name.as_ref()
                .map_or(usual.to_owned(), |name| name.value.clone())
        };
        let channels = self.tree.machine.channels.iter();
        channels
            .map(|channel| {
                json!({
                    "name": channel.name.value,
                    "release": text(&channel.release, "release"),
                    "lane": text(&channel.lane, "gameplay"),
                })
            })
            .collect()
    }

    fn observers(&self) -> Value {
        let observers = self.tree.machine.observers.iter();
        let shown = observers.map(|observer| {
            let event = observer.event.as_ref().map(|event| event.value.clone());
            json!({ "event": event, "do": self.actions(&observer.actions, 0) })
        });
        shown
            .filter(|observer| observer["do"] != json!([]))
            .collect()
    }

    /// Functions that were seen on the way, by kind and name.
    fn used_functions(&self) -> Value {
        let rng = |name: &str| {
            self.tree
                .machine
                .functions
                .iter()
                .any(|function| function.name.value == name && function.rng)
        };
        let functions = self.functions.borrow();
        functions
            .iter()
            .map(|(kind, name)| {
                json!({
                    "name": name, "kind": kind.as_str(), "returns": self.gives(name),
                    "rng": rng(name),
                })
            })
            .collect()
    }

    /// What a value function gives (LANG-11).
    fn gives(&self, name: &str) -> Option<&'static str> {
        let mut functions = self.tree.machine.functions.iter();
        let declared = functions.find(|function| function.name.value == name)?;
        declared.returns.as_ref().map(|ty| ty.value.as_str())
    }

    /// RAM-7: a clock is kept for whoever reads it.
    fn set_clocks(&self, model: &mut Value) {
        for &state in self.clocks.borrow().iter() {
            model["states"][state]["clock"] = json!(true);
        }
    }

    fn ticks(&self, duration: Option<&Spanned<Duration>>) -> Option<u32> {
        duration.and_then(|duration| duration.value.ticks(self.tree.tick_rate()))
    }

    /// Ticks as a number, any other duration as text.
    fn length(&self, duration: Option<&Spanned<DurationSource>>, state: usize) -> Value {
        match duration {
            None => Value::Null,
            Some(duration) => match duration.value.literal() {
                Some(time) => json!(time.ticks(self.tree.tick_rate())),
                None => json!(self.length_text(duration, state)),
            },
        }
    }

    fn length_text(&self, duration: &Spanned<DurationSource>, state: usize) -> String {
        fixed_length(self.tree, &duration.value).unwrap_or_else(|| {
            let code = Spanned::new(duration.value.to_string(), duration.span);
            self.expression(&code, state)
        })
    }

    fn paths(&self, targets: &[Target]) -> Vec<String> {
        targets
            .iter()
            .map(|&target| self.tree.target_path(target))
            .collect()
    }

    fn states(&self) -> Value {
        let all = moves(self.tree);
        (0..self.tree.states.len())
            .map(|state| self.state(state, &all[state]))
            .collect()
    }

    fn state(&self, index: usize, moves: &[Move]) -> Value {
        let state = self.tree.states[index].authored;
        let kind = match self.tree.kind(index) {
            StateKind::Atomic => "atomic",
            StateKind::Compound => "compound",
            StateKind::Orthogonal => "orthogonal",
            StateKind::Final => "final",
            StateKind::Choice => "choice",
        };
        let machine = self.tree.machine;
        let events = machine.events.iter().map(|event| &event.name.value);
        let defer: Vec<&String> = events
            .filter(|event| state.defers.iter().any(|d| d.value == **event))
            .collect();
        let channels = machine.channels.iter().map(|channel| &channel.name.value);
        let owns: Vec<&String> = channels
            .filter(|channel| state.owns.iter().any(|o| o.value == **channel))
            .collect();
        let timer = |timer: &Timer| {
            let (class, event) = fires(timer);
            json!({ "name": timer.name.value, "class": class, "event": event })
        };
        let scratch = state.scratch.iter().map(|s| {
            let ty = s.ty.as_ref().map(|ty| ty.value.as_str());
            json!({ "name": s.name.value, "slots": s.slots.value, "type": ty })
        });
        json!({
            "path": self.tree.states[index].path,
            "kind": kind,
            "regions": self.tree.states[index].regions.iter().map(|&region| self.region(region)).collect::<Value>(),
            "history": self.history(index),
            "history_reset_on_done": state.history_reset_on_done,
            "entry": self.actions(&state.entry, index),
            "exit": self.actions(&state.exit, index),
            "suspend": self.actions(&state.suspend, index),
            "resume": self.actions(&state.resume, index),
            "update": self.actions(&state.update, index),
            "activity": state.activity.as_ref().map(|code| self.call_text(code, FunctionKind::Activity, index)),
            "defer": defer,
            "owns": owns,
            "timers": state.timers.iter().map(timer).collect::<Value>(),
            "scratch": scratch.collect::<Value>(),
            "exit_ready": state.exit_ready.as_ref().map(|code| self.expression(code, index)),
            "min_active": self.length(state.min_active.as_ref(), index),
            "clock": state.clock || state.min_active.is_some(),
            "transitions": moves.iter().map(|m| self.transition(m)).collect::<Value>(),
            "branches": state.choice.iter().flatten().map(|branch| self.branch(branch, index)).collect::<Value>(),
        })
    }

    fn region(&self, region: usize) -> Value {
        let node = &self.tree.regions[region];
        let effect = node
            .authored
            .initial
            .as_ref()
            .map_or(&[][..], |initial| &initial.effect);
        json!({
            "name": node.authored.name.as_ref().map(|name| &name.value),
            "initial": { "to": self.paths(&self.tree.initial(region)), "do": self.actions(effect, node.owner) },
            "stack": node.authored.stack_depth.as_ref().map(|depth| depth.value),
            "children": node.children.iter().map(|&child| &self.tree.states[child].path).collect::<Vec<_>>(),
        })
    }

    fn history(&self, owner: usize) -> Value {
        let points = self.tree.states[owner].authored.history.iter();
        let shown = points.map(|point| {
            let default = point
                .default
                .iter()
                .map(|name| self.tree.find(owner, &name.value))
                .collect();
            json!({
                "name": point.name.value,
                "deep": point.deep,
                "default": self.paths(&self.tree.in_order(default)),
                "do": self.actions(&point.effect, owner),
                "restore_on_entry": point.restore_on_entry,
            })
        });
        shown.collect()
    }

    fn transition(&self, m: &Move) -> Value {
        let t = &m.authored;
        let trigger = match &t.trigger {
            Trigger::Event(event) => format!("on {}", event.value),
            Trigger::Events(_) => unreachable!("one transition per event"),
            Trigger::Any(_) => "on *".to_owned(),
            Trigger::After(duration) => format!("after {}", self.length_text(duration, m.source)),
            Trigger::Every(duration) => format!("every {}", self.length_text(duration, m.source)),
            Trigger::Timer(name) => format!("timer {}", name.value),
            Trigger::Always(_) => "always".to_owned(),
            Trigger::Done(_) => "done".to_owned(),
            Trigger::Failed(_) => "failed".to_owned(),
        };
        let threshold = t.threshold.as_ref().map_or(json!(0.0), |threshold| {
            match threshold.value.parse::<f64>() {
                Ok(number) => json!(number),
                Err(_) => json!(self.expression(threshold, m.source)),
            }
        });
        json!({
            "name": t.name.as_ref().map(|name| &name.value),
            "trigger": trigger,
            "if": t.guard.as_ref().map(|code| self.expression(code, m.source)),
            "to": self.paths(&m.targets),
            "do": self.actions(&t.effect, m.source),
            "kind": match m.kind {
                TransitionKind::Internal => "internal",
                TransitionKind::Local => "local",
                TransitionKind::External => "external",
            },
            "stack": m.stack.map(|(operation, _)| match operation {
                StackOperation::Push => "push",
                StackOperation::Pop => "pop",
            }),
            "priority": m.priority(),
            "interrupt": t.interrupt.is_some(),
            "score": t.score.as_ref().map(|code| self.score(code, m.source)),
            "threshold": t.score.as_ref().map(|_| threshold),
            "cooldown": self.length(t.cooldown.as_ref(), m.source),
            "debounce": self.length(t.debounce.as_ref(), m.source),
            "stay": t.stay.is_some(),
            "latch": t.latch.is_some(),
            "listed": m.listed,
        })
    }

    fn branch(&self, branch: &Branch, choice: usize) -> Value {
        let targets = branch
            .targets
            .iter()
            .map(|name| self.tree.find(choice, &name.value))
            .collect();
        json!({
            "if": branch.guard.as_ref().map(|code| self.expression(code, choice)),
            "to": self.paths(&self.tree.in_order(targets)),
            "do": self.actions(&branch.effect, choice),
        })
    }
}

fn fires(timer: &Timer) -> (&'static str, Option<&String>) {
    let class = timer
        .class
        .as_ref()
        .map_or(Class::Normal, |class| class.value);
    (
        class.as_str(),
        timer.event.as_ref().map(|event| &event.value),
    )
}

fn zero(ty: ValueType) -> Value {
    match ty {
        ValueType::I32 | ValueType::Entity => json!(0),
        ValueType::F32 => json!(0.0),
        ValueType::Bool => json!(false),
        ValueType::Vec2 => json!([0.0, 0.0]),
        ValueType::Vec3 => json!([0.0, 0.0, 0.0]),
        ValueType::Symbol => json!(""),
    }
}

fn value_of(literal: &Literal) -> Value {
    match literal {
        Literal::Int(value) => json!(value),
        Literal::Float(value) => json!(value),
        Literal::Bool(value) => json!(value),
        Literal::Text(value) => json!(value),
        Literal::Vector(parts) => json!(parts),
    }
}
