//! A machine as the text of a machine file, nested shape. Reading it gives the same graph, places aside.

use serde_json::{Map, Value, json};
use statewright_author::graph::{
    Action, ActionKind, AnyTransition, Argument, Branch, Code, Decision, Event, Function, HistoryPoint, Initial,
    Machine, Meta, Payload, Region, StableId, StackOperation, State, Timer, Transition, TransitionKind, Trigger,
};
use statewright_author::place::{Name, Source, Spanned};
use statewright_author::value::Literal;

/// The text of a machine file.
///
/// What the nested shape cannot say is left out: timers of the root, the id of the only region of a compound.
pub fn to_text(machine: &Machine) -> String {
    let mut text = serde_json::to_string_pretty(&Value::Object(whole(machine))).unwrap_or_default();
    text.push('\n');
    text
}

/// A machine without its places, as text: two of them are equal exactly if the graphs are, wherever they stand.
pub fn without_places(machine: &Machine) -> String {
    let machine = Machine { source: Source::default(), ..machine.clone() };
    let shown = format!("{machine:?}");
    let mut parts = shown.split("Place { start: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("Place");
        text.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}

/// An object under construction: only what is there is written.
#[derive(Default)]
struct Object(Map<String, Value>);

impl Object {
    fn put(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    fn maybe(&mut self, key: &str, value: Option<impl Into<Value>>) -> &mut Self {
        if let Some(value) = value {
            self.put(key, value);
        }
        self
    }

    fn flag(&mut self, key: &str, on: bool) -> &mut Self {
        self.maybe(key, on.then_some(true))
    }

    fn name(&mut self, key: &str, name: Option<&Name>) -> &mut Self {
        self.maybe(key, name.map(text))
    }

    fn code(&mut self, key: &str, code: Option<&Code>) -> &mut Self {
        self.name(key, code)
    }

    fn shown<T: std::fmt::Display>(&mut self, key: &str, value: Option<&Spanned<T>>) -> &mut Self {
        self.maybe(key, value.map(|value| value.value.to_string()))
    }

    fn id(&mut self, id: &StableId) -> &mut Self {
        self.maybe("id", id.as_ref().map(|id| format!("{:016x}", id.value)))
    }

    fn doc(&mut self, doc: Option<&String>) -> &mut Self {
        self.maybe("doc", doc.cloned())
    }

    fn meta(&mut self, meta: &Meta) -> &mut Self {
        self.maybe("meta", meta.clone())
    }

    fn list(&mut self, key: &str, items: Vec<Value>) -> &mut Self {
        self.maybe(key, (!items.is_empty()).then_some(items))
    }

    fn names(&mut self, key: &str, names: &[Name]) -> &mut Self {
        self.list(key, names.iter().map(text).collect())
    }

    fn map(&mut self, key: &str, entries: impl Iterator<Item = (String, Value)>) -> &mut Self {
        let map: Map<String, Value> = entries.collect();
        self.maybe(key, (!map.is_empty()).then_some(map))
    }

    fn actions(&mut self, key: &str, actions: &[Action]) -> &mut Self {
        let mut items: Vec<Value> = actions.iter().map(action).collect();
        match items.len() {
            0 => self,
            1 => self.put(key, items.remove(0)),
            _ => self.put(key, items),
        }
    }

    fn targets(&mut self, key: &str, targets: &[Name]) -> &mut Self {
        match targets {
            [] => self,
            [only] => self.put(key, text(only)),
            several => self.put(key, several.iter().map(text).collect::<Vec<_>>()),
        }
    }

    fn done(&mut self) -> Value {
        Value::Object(std::mem::take(&mut self.0))
    }
}

fn text(name: &Name) -> Value {
    Value::String(name.value.clone())
}

fn count(number: &Option<Spanned<u32>>) -> Option<Value> {
    number.as_ref().map(|number| json!(number.value))
}

fn literal(value: &Literal) -> Value {
    match value {
        Literal::Int(value) => json!(value),
        Literal::Float(value) => json!(value),
        Literal::Bool(value) => json!(value),
        Literal::Text(value) => json!(value),
        Literal::Vector(parts) => json!(parts),
    }
}

fn whole(machine: &Machine) -> Map<String, Value> {
    let mut object = Object::default();
    object.put("machine", text(&machine.name)).id(&machine.id).doc(machine.doc.as_ref());
    object.shown("tier", machine.tier.as_ref()).maybe("tick_rate", count(&machine.tick_rate));
    policies(machine, &mut object);
    budgets(machine, &mut object);
    object.name("fail_safe", machine.fail_safe.as_ref()).name("reload_entry", machine.reload_entry.as_ref());
    declarations(machine, &mut object);
    behavior(&machine.root, &mut object);
    object.meta(&machine.meta);
    object.0
}

fn policies(machine: &Machine, object: &mut Object) {
    let policies = &machine.policies;
    let word = |on: &Option<Spanned<bool>>, yes: &str, no: &str| {
        on.as_ref().map(|on| Value::from(if on.value { yes } else { no }))
    };
    let truth = |on: &Option<Spanned<bool>>| on.as_ref().map(|on| json!(on.value));
    let given = [
        ("exit_order", word(&policies.reverse_exit_order, "reverse", "post_order")),
        ("immediate_update", truth(&policies.immediate_update)),
        ("posted", word(&policies.posted_next_tick, "next_tick", "same_tick")),
        ("internal_first", truth(&policies.internal_first)),
        ("done_events", truth(&policies.done_events)),
        ("strict_writes", truth(&policies.strict_writes)),
    ];
    object.map("policies", given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
}

fn budgets(machine: &Machine, object: &mut Object) {
    let budgets = &machine.budgets;
    let given = [
        ("events_per_tick", count(&budgets.events_per_tick)),
        ("microsteps_per_tick", count(&budgets.microsteps_per_tick)),
        ("clamp_limit", count(&budgets.clamp_limit)),
        ("command_bytes", count(&budgets.command_bytes)),
    ];
    object.map("budgets", given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
}

fn declarations(machine: &Machine, object: &mut Object) {
    let key = |name: &Name| name.value.clone();
    object.map("events", machine.events.iter().map(|e| (key(&e.name), event(e))));
    object.map(
        "blackboard",
        machine.blackboard.iter().map(|k| {
            let mut entry = Object::default();
            entry.doc(k.doc.as_ref()).shown("type", Some(&k.ty));
            entry.maybe("default", k.default.as_ref().map(|value| literal(&value.value))).meta(&k.meta);
            (key(&k.name), entry.done())
        }),
    );
    object.map(
        "parameters",
        machine.parameters.iter().map(|p| {
            let mut entry = Object::default();
            entry.doc(p.doc.as_ref()).shown("type", Some(&p.ty)).put("value", literal(&p.value.value)).meta(&p.meta);
            (key(&p.name), entry.done())
        }),
    );
    object.map(
        "variants",
        machine.variants.iter().map(|v| {
            let mut entry = Object::default();
            entry.maybe("$doc", v.doc.clone());
            for (name, value) in &v.values {
                entry.put(&name.value, literal(&value.value));
            }
            (key(&v.name), entry.done())
        }),
    );
    object.map(
        "channels",
        machine.channels.iter().map(|c| {
            let mut entry = Object::default();
            entry.doc(c.doc.as_ref()).name("lane", c.lane.as_ref()).name("release", c.release.as_ref());
            (key(&c.name), entry.done())
        }),
    );
    object.map(
        "lanes",
        machine.lanes.iter().map(|l| {
            let mut entry = Object::default();
            entry.doc(l.doc.as_ref()).shown("merge", Some(&l.merge)).flag("critical", l.critical);
            (key(&l.name), entry.done())
        }),
    );
    object.map("functions", machine.functions.iter().map(|f| (key(&f.name), function(f))));
    let observer = |observer: &statewright_author::graph::Observer| {
        let on = observer.event.as_ref().map_or(json!("*"), text);
        Object::default().put("on", on).actions("do", &observer.actions).done()
    };
    object.list("observers", machine.observers.iter().map(observer).collect());
    object.map("timers", machine.timers.iter().map(timer));
    object.map(
        "transition_sets",
        machine
            .transition_sets
            .iter()
            .map(|set| (key(&set.name), Value::Array(set.transitions.iter().map(|t| transition(t).done()).collect()))),
    );
}

fn event(event: &Event) -> Value {
    let payload = event.payload.as_ref().map(|payload| match payload.value {
        Payload::Value(ty) => json!(ty.as_str()),
        Payload::U32 => json!("u32"),
        Payload::U64 => json!("u64"),
        Payload::Vec4 => json!("vec4"),
        Payload::Bytes(bytes) => json!({ "bytes": bytes }),
    });
    let mut object = Object::default();
    object.id(&event.id).doc(event.doc.as_ref()).maybe("payload", payload).shown("class", event.class.as_ref());
    object.flag("coalesce", event.coalesce).shown("ttl", event.ttl.as_ref()).flag("indirect", event.indirect);
    object.meta(&event.meta).done()
}

fn function(function: &Function) -> Value {
    let mut object = Object::default();
    object.doc(function.doc.as_ref()).shown("kind", Some(&function.kind)).flag("rng", function.rng);
    let parameters = function.parameters.iter();
    object.map("parameters", parameters.map(|(name, ty)| (name.value.clone(), json!(ty.value.as_str()))));
    object.done()
}

fn timer(timer: &Timer) -> (String, Value) {
    let mut object = Object::default();
    object.id(&timer.id).doc(timer.doc.as_ref()).maybe("instances", count(&timer.instances));
    object.shown("class", timer.class.as_ref()).name("event", timer.event.as_ref());
    (timer.name.value.clone(), object.done())
}

fn state(state: &State) -> Value {
    let mut object = Object::default();
    object.id(&state.id).doc(state.doc.as_ref()).flag("muted", state.muted).flag("final", state.is_final.is_some());
    if let Some(branches) = &state.choice {
        object.put("choice", branches.iter().map(branch).collect::<Vec<_>>());
    }
    object.map("timers", state.timers.iter().map(timer));
    behavior(state, &mut object);
    object.meta(&state.meta).done()
}

/// What the root has, too.
fn behavior(state: &State, object: &mut Object) {
    object.actions("entry", &state.entry).actions("exit", &state.exit);
    object.actions("suspend", &state.suspend).actions("resume", &state.resume);
    object.code("activity", state.activity.as_ref());
    object.names("defer", &state.defers).names("owns", &state.owns);
    let scratch = |scratch: &statewright_author::graph::Scratch| {
        let slots = json!(scratch.slots.value);
        (scratch.name.value.clone(), Object::default().id(&scratch.id).put("slots", slots).done())
    };
    object.map("scratch", state.scratch.iter().map(scratch));
    object.code("exit_ready", state.exit_ready.as_ref()).shown("min_active", state.min_active.as_ref());
    object.flag("clock", state.clock);
    object.list("transitions", state.transitions.iter().map(|t| transition(t).done()).collect());
    object.list("decisions", state.decisions.iter().map(decision).collect());
    object.names("use", &state.uses);
    object.list("any_state", state.any_state.iter().map(any_transition).collect());
    object.map("history", state.history.iter().map(history));
    object.maybe("history_reset", state.history_reset_on_done.then_some("on_done"));
    match &state.regions[..] {
        [] => {}
        [only] if only.name.is_none() => region(only, object),
        several => {
            let entry = |each: &Region| {
                let mut inner = Object::default();
                inner.id(&each.id);
                region(each, &mut inner);
                (each.name.as_ref().map_or(String::new(), |name| name.value.clone()), inner.done())
            };
            object.map("regions", several.iter().map(entry));
        }
    }
}

fn region(region: &Region, object: &mut Object) {
    object.maybe("stack", count(&region.stack_depth));
    object.maybe("initial", region.initial.as_ref().map(initial));
    let states: Map<String, Value> =
        region.states.iter().map(|child| (child.name.value.clone(), state(child))).collect();
    object.put("states", states);
}

fn initial(initial: &Initial) -> Value {
    let mut object = Object::default();
    object.targets("to", &initial.targets);
    if initial.effect.is_empty() {
        return object.0.remove("to").unwrap_or_default();
    }
    object.actions("do", &initial.effect).done()
}

fn branch(branch: &Branch) -> Value {
    Object::default()
        .code("if", branch.guard.as_ref())
        .targets("to", &branch.targets)
        .actions("do", &branch.effect)
        .done()
}

fn history(point: &HistoryPoint) -> (String, Value) {
    let mut object = Object::default();
    object.id(&point.id).flag("deep", point.deep).targets("default", &point.default).actions("do", &point.effect);
    object.maybe("restore", point.restore_on_entry.then_some("on_entry"));
    (point.name.value.clone(), object.done())
}

fn trigger(trigger: &Trigger, object: &mut Object) {
    match trigger {
        Trigger::Event(event) => object.put("on", text(event)),
        Trigger::Any(_) => object.put("on", "*"),
        Trigger::After(duration) => object.shown("after", Some(duration)),
        Trigger::Timer(timer) => object.put("timer", text(timer)),
        Trigger::Always(_) => object.put("when", "always"),
        Trigger::Done(_) => object.put("when", "done"),
        Trigger::Failed(_) => object.put("when", "failed"),
    };
}

fn transition(transition: &Transition) -> Object {
    let kind = transition.kind.as_ref().map(|kind| match kind.value {
        TransitionKind::Internal => "internal",
        TransitionKind::Local => "local",
        TransitionKind::External => "external",
    });
    let stack = transition.stack.as_ref().map(|stack| match stack.value {
        StackOperation::Push => "push",
        StackOperation::Pop => "pop",
    });
    let mut object = Object::default();
    object.name("name", transition.name.as_ref()).id(&transition.id).doc(transition.doc.as_ref());
    trigger(&transition.trigger, &mut object);
    object.code("if", transition.guard.as_ref()).targets("to", &transition.targets);
    object.map("sync", transition.sync.iter().map(|(region, target)| (region.value.clone(), text(target))));
    object.actions("do", &transition.effect).maybe("kind", kind).maybe("stack", stack);
    object.maybe("priority", count(&transition.priority)).flag("interrupt", transition.interrupt);
    object.code("score", transition.score.as_ref());
    object.maybe("threshold", transition.threshold.as_ref().map(|number| json!(number.value)));
    object.shown("cooldown", transition.cooldown.as_ref()).shown("debounce", transition.debounce.as_ref());
    object.flag("latch", transition.latch).flag("muted", transition.muted).meta(&transition.meta);
    object
}

fn any_transition(any: &AnyTransition) -> Value {
    transition(&any.transition).names("include", &any.include).names("exclude", &any.exclude).done()
}

fn decision(decision: &Decision) -> Value {
    let mut object = Object::default();
    trigger(&decision.trigger, &mut object);
    object.code("if", Some(&decision.guard));
    object.name("then", decision.then.as_ref()).name("else", decision.otherwise.as_ref());
    object.actions("do", &decision.effect).maybe("priority", count(&decision.priority));
    object.flag("muted", decision.muted).done()
}

fn action(action: &Action) -> Value {
    let mut object = Object::default();
    match &action.kind {
        ActionKind::Text(code) => return text(code),
        ActionKind::Call { function, arguments } => object.put("call", text(function)).maybe("with", with(arguments)),
        ActionKind::Set { key, value } => object.put("set", text(key)).code("to", Some(value)),
        ActionKind::Add { key, value } => object.put("add", text(key)).code("by", Some(value)),
        ActionKind::Raise { event, payload } => object.put("raise", text(event)).code("payload", payload.as_ref()),
        ActionKind::Send { event, payload, to } => {
            object.put("send", text(event)).code("payload", payload.as_ref()).code("to", to.as_ref())
        }
        ActionKind::Emit { command, lane, payload } => {
            object.put("emit", text(command)).put("lane", text(lane)).code("payload", payload.as_ref())
        }
        ActionKind::StartTimer { timer, after } => object.put("start", text(timer)).shown("after", Some(after)),
        ActionKind::StopTimer { timer } => object.put("stop", text(timer)),
        ActionKind::ClearHistory { state } => object.put("clear_history", text(state)),
        ActionKind::If { condition, then, otherwise } => {
            object.code("if", Some(condition)).actions("then", then).actions("else", otherwise)
        }
    };
    object.flag("muted", action.muted).done()
}

/// Arguments by position, or by name if the first has one.
fn with(arguments: &[Argument]) -> Option<Value> {
    let first = arguments.first()?;
    Some(if first.name.is_some() {
        let named = |a: &Argument| Some((a.name.as_ref()?.value.clone(), literal(&a.value.value)));
        Value::Object(arguments.iter().filter_map(named).collect())
    } else {
        Value::Array(arguments.iter().map(|a| literal(&a.value.value)).collect())
    })
}
