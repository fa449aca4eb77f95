//! From the author graph to the [`Model`]: every name becomes a number.

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::graph::{self, Payload, Policies, StateKind};
use statewright_author::value::{Literal, ParameterType, Tier, ValueType};

use crate::code::{BUILT_IN_LANES, Reader, Site};
use crate::model::{
    Branch, Channel, EventType, Key, Model, Observer, Parameter, Point, Region, Scratch, State,
    Target, Timer,
};
use crate::numbers::Tree;

const GAMEPLAY: &str = "gameplay";
const RELEASE: &str = "release";

/// Resolves a machine for a tier.
pub(crate) fn resolve(machine: &graph::Machine, tier: Tier) -> Model {
    let tree = Tree::new(&machine.root);
    let declared = |function: &graph::Function| {
        let parameters = function
            .parameters
            .iter()
            .map(|(name, ty)| (name.value.clone(), ty.value))
            .collect();
        (function.name.value.clone(), parameters)
    };
    let mut reader = Reader {
        machine,
        tree: &tree,
        tick_rate: machine.tick_rate.as_ref().map_or(60, |rate| rate.value),
        timers: Vec::new(),
        functions: machine.functions.iter().map(declared).collect(),
        clocks: BTreeSet::new(),
        named_states: BTreeMap::new(),
    };
    let timers = all_timers(&mut reader);
    let mut model = declarations(&mut reader, machine, tier);
    model.timers = timers;
    model.points = points(&mut reader);
    model.regions = regions(&mut reader);
    let mut ids = crate::identity::identities(&reader);
    let mut by_state = Vec::new();
    for number in 0..tree.states.len() {
        let first = model.transitions.len();
        model
            .transitions
            .extend(reader.transitions(number, &model.timers));
        let transitions = (first..model.transitions.len()).collect();
        let known = crate::identity::transitions(&reader, &ids, number);
        let priority = |written: &crate::transitions::Written| {
            let given = written.graph.priority.as_ref();
            given.map_or(0, |priority| priority.value)
        };
        let written = reader.written(number);
        let mut ranked: Vec<(u32, &String)> = written.iter().map(priority).zip(&known).collect();
        ranked.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
        ids.transitions
            .extend(ranked.into_iter().map(|(_, id)| id.clone()));
        by_state.push(known);
        let scratch = scratch(&mut model, number, tree.states[number].graph);
        let mut state = state(&mut reader, number);
        let owned = |timer: &usize| model.timers[*timer].owner == Some(number);
        state.timers = (0..model.timers.len()).filter(owned).collect();
        state.transitions = transitions;
        state.scratch = scratch;
        model.states.push(state);
    }
    observers(&mut reader, &mut model);
    ids.timers = crate::identity::timers(&reader, &ids, &model, &by_state);
    model.ids = ids;
    for (number, state) in model.states.iter_mut().enumerate() {
        state.has_clock = state.kind != StateKind::Choice
            && (state.has_clock || state.min_active.is_some() || reader.clocks.contains(&number));
    }
    model.functions = reader.functions;
    let gives = |function: &graph::Function| {
        let ty = function.returns.as_ref()?;
        Some((function.name.value.clone(), ty.value))
    };
    model.values = machine.functions.iter().filter_map(gives).collect();
    model.named_states = reader.named_states;
    model
}

/// Order of timers: of the machine, then by state the named ones before those of `after` and `every`.
fn all_timers(reader: &mut Reader<'_>) -> Vec<Timer> {
    let mut timers: Vec<Timer> = reader
        .machine
        .timers
        .iter()
        .map(|timer| named(reader, timer, None))
        .collect();
    for state in 0..reader.tree.states.len() {
        let graph = reader.tree.states[state].graph;
        timers.extend(
            graph
                .timers
                .iter()
                .map(|timer| named(reader, timer, Some(state))),
        );
        timers.extend(reader.entry_timers(state));
    }
    // Other timers have no name that could be looked up: no name is empty.
    reader.timers = timers
        .iter()
        .map(|timer| (timer.name.clone().unwrap_or_default(), timer.owner))
        .collect();
    timers
}

fn named(reader: &Reader<'_>, timer: &graph::Timer, owner: Option<usize>) -> Timer {
    Timer {
        name: Some(timer.name.value.clone()),
        owner,
        after: None,
        every: false,
        serves: Vec::new(),
        class: timer
            .class
            .as_ref()
            .map_or_else(Default::default, |class| class.value),
        event: timer.event.as_ref().map(|name| reader.event(&name.value)),
        instances: timer
            .instances
            .as_ref()
            .map_or(1, |instances| instances.value as usize),
    }
}

/// Everything that stands at the top of the file, and the caps of the tier (RAM-2).
fn declarations(reader: &mut Reader<'_>, machine: &graph::Machine, tier: Tier) -> Model {
    let (places, events, microsteps) = match tier {
        Tier::Crowd => (1, 4, 8),
        Tier::Standard => (3, 8, 16),
        Tier::Hero => (6, 16, 32),
    };
    let Policies {
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        scxml_details,
        reload_resets,
        // Writes are given to the host either way.
        strict_writes: _,
    } = &machine.policies;
    let on = |policy: &Option<statewright_author::span::Spanned<bool>>| {
        policy.as_ref().is_some_and(|p| p.value)
    };
    let internal_first = on(internal_first);
    let given = |cap: &Option<statewright_author::span::Spanned<u32>>, default: u32| {
        cap.as_ref().map_or(default, |cap| cap.value)
    };
    let budgets = &machine.budgets;
    Model {
        states: Vec::new(),
        regions: Vec::new(),
        points: Vec::new(),
        transitions: Vec::new(),
        timers: Vec::new(),
        events: machine
            .events
            .iter()
            .map(|event| event_type(reader, event))
            .collect(),
        keys: machine
            .blackboard
            .iter()
            .map(|key| Key {
                name: key.name.value.clone(),
                ty: key.ty.value,
            })
            .collect(),
        parameters: machine
            .parameters
            .iter()
            .map(|parameter| values(machine, parameter, reader.tick_rate))
            .collect(),
        channels: machine
            .channels
            .iter()
            .map(|channel| self::channel(reader, channel))
            .collect(),
        ids: crate::identity::Identities::default(),
        critical_lanes: critical_lanes(machine),
        observers: Vec::new(),
        scratch: Vec::new(),
        functions: BTreeMap::new(),
        values: BTreeMap::new(),
        named_states: BTreeMap::new(),
        fail_safe: machine
            .fail_safe
            .as_ref()
            .map(|name| reader.tree.target(0, &name.value)),
        reload_entry: machine
            .reload_entry
            .as_ref()
            .map(|name| reader.tree.target(0, &name.value)),
        tick_rate: reader.tick_rate,
        reverse_exits: on(reverse_exit_order),
        immediate_update: on(immediate_update),
        posted_next_tick: on(posted_next_tick),
        internal_first,
        done_events: on(done_events),
        scxml_details: on(scxml_details),
        reload_resets: on(reload_resets),
        places,
        events_per_tick: given(&budgets.events_per_tick, events),
        microsteps_per_tick: given(
            &budgets.microsteps_per_tick,
            if internal_first { 256 } else { microsteps },
        ),
        clamp_limit: given(&budgets.clamp_limit, 5),
    }
}

fn event_type(reader: &Reader<'_>, event: &graph::Event) -> EventType {
    // An indirect event carries an index (EVT-6).
    let index = event.indirect.then_some(Payload::Value(ValueType::I32));
    EventType {
        name: event.name.value.clone(),
        payload: index.or(event.payload.as_ref().map(|payload| payload.value)),
        class: event
            .class
            .as_ref()
            .map_or_else(Default::default, |class| class.value),
        coalesce: event.coalesce,
        ttl: event.ttl.as_ref().map(|ttl| reader.ticks(&ttl.value)),
    }
}

fn values(machine: &graph::Machine, parameter: &graph::Parameter, tick_rate: u32) -> Parameter {
    let plain = parameter.value.value.clone();
    let in_variant = |variant: &graph::Variant| {
        let given = variant
            .values
            .iter()
            .find(|(name, _)| name.value == parameter.name.value);
        given.map_or_else(|| plain.clone(), |(_, value)| value.value.clone())
    };
    let variants = machine.variants.iter().map(in_variant);
    let seconds = |value: Literal| match value {
        Literal::Text(text) if parameter.ty.value == ParameterType::Duration => {
            crate::durations::seconds_of(&text, tick_rate)
        }
        value => value,
    };
    Parameter {
        name: parameter.name.value.clone(),
        ty: parameter.ty.value.value(),
        values: std::iter::once(plain.clone())
            .chain(variants)
            .map(seconds)
            .collect(),
    }
}

fn channel(reader: &Reader<'_>, channel: &graph::Channel) -> Channel {
    Channel {
        lane: reader.lane(channel.lane.as_ref().map_or(GAMEPLAY, |lane| &lane.value)),
        release: channel
            .release
            .as_ref()
            .map_or(RELEASE, |name| &name.value)
            .to_owned(),
    }
}

fn points(reader: &mut Reader<'_>) -> Vec<Point> {
    let tree = reader.tree;
    let mut list = Vec::new();
    for node in &tree.points {
        list.push(Point {
            owner: node.owner,
            deep: node.graph.deep,
            default: node
                .graph
                .default
                .iter()
                .map(|name| tree.target(node.owner, &name.value))
                .collect(),
            effect: reader.actions(&node.graph.effect, Site::of(node.owner)),
            on_entry: node.graph.restore_on_entry,
        });
    }
    list
}

fn regions(reader: &mut Reader<'_>) -> Vec<Region> {
    let tree = reader.tree;
    let mut list = Vec::new();
    for (number, node) in tree.regions.iter().enumerate() {
        let (initial, effect) = match &node.graph.initial {
            Some(initial) => {
                let target = |name: &statewright_author::span::Name| {
                    tree.target_in_region(number, &name.value)
                };
                let effect = reader.actions(&initial.effect, Site::of(node.owner));
                (initial.targets.iter().map(target).collect(), effect)
            }
            None => (Vec::new(), Vec::new()),
        };
        // A region with a single state needs no `initial`.
        let only = || {
            vec![Target::State(
                *node.children.first().expect("a region has a state"),
            )]
        };
        list.push(Region {
            owner: node.owner,
            children: node.children.clone(),
            initial: if initial.is_empty() { only() } else { initial },
            effect,
            stack: node
                .graph
                .stack_depth
                .as_ref()
                .map_or(0, |depth| depth.value as usize),
        });
    }
    list
}

fn scratch(model: &mut Model, owner: usize, graph: &graph::State) -> Vec<usize> {
    let first = model.scratch.len();
    let one = |scratch: &graph::Scratch| Scratch {
        name: scratch.name.value.clone(),
        owner,
        slots: scratch.slots.value as usize,
        ty: scratch.ty.as_ref().map(|ty| ty.value),
    };
    model.scratch.extend(graph.scratch.iter().map(one));
    (first..model.scratch.len()).collect()
}

fn state(reader: &mut Reader<'_>, number: usize) -> State {
    let tree = reader.tree;
    let node = &tree.states[number];
    let graph = node.graph;
    let site = Site::of(number);
    let channel = |name: &statewright_author::span::Name| {
        let found = reader
            .machine
            .channels
            .iter()
            .position(|channel| channel.name.value == name.value);
        found.expect("a declared channel")
    };
    let owns: BTreeSet<usize> = graph.owns.iter().map(channel).collect();
    State {
        name: graph.name.value.clone(),
        kind: graph.kind(),
        parent: node.parent,
        region: node.region,
        end: node.end,
        post: node.post,
        regions: node.regions.clone(),
        points: node.points.clone(),
        reset_on_done: graph.history_reset_on_done,
        entry: reader.actions(&graph.entry, site),
        exit: reader.actions(&graph.exit, site),
        suspend: reader.actions(&graph.suspend, site),
        resume: reader.actions(&graph.resume, site),
        update: reader.actions(&graph.update, site),
        activity: graph
            .activity
            .as_ref()
            .map(|activity| reader.call(&activity.value, Site::of(number))),
        transitions: Vec::new(),
        defers: graph
            .defers
            .iter()
            .map(|name| reader.event(&name.value))
            .collect(),
        timers: Vec::new(),
        owns: owns.into_iter().collect(),
        scratch: Vec::new(),
        exit_ready: reader.maybe(&graph.exit_ready, site),
        min_active: graph
            .min_active
            .as_ref()
            .map(|duration| reader.delay(&duration.value, site)),
        has_clock: graph.clock,
        branches: graph
            .choice
            .iter()
            .flatten()
            .map(|branch| self::branch(reader, number, branch))
            .collect(),
    }
}

fn branch(reader: &mut Reader<'_>, choice: usize, branch: &graph::Branch) -> Branch {
    Branch {
        guard: reader.maybe(&branch.guard, Site::of(choice)),
        targets: branch
            .targets
            .iter()
            .map(|name| reader.tree.target(choice, &name.value))
            .collect(),
        effect: reader.actions(&branch.effect, Site::of(choice)),
    }
}

fn observers(reader: &mut Reader<'_>, model: &mut Model) {
    for observer in &reader.machine.observers {
        let event = observer
            .event
            .as_ref()
            .map(|name| reader.event(&name.value));
        model.observers.push(Observer {
            event,
            actions: reader.actions(&observer.actions, Site::of(0)),
        });
    }
}

/// Which lanes may use the reserved part of the budget (CMD-2): navigation and gameplay, and what
/// the machine says otherwise.
fn critical_lanes(machine: &graph::Machine) -> Vec<bool> {
    let built_in = BUILT_IN_LANES.iter().map(|name| {
        let mut declared = machine.built_in_lanes.iter();
        let said = declared.find(|lane| lane.name.value == *name);
        let said = said.and_then(|lane| lane.critical.as_ref());
        said.map_or(["navigation", "gameplay"].contains(name), |said| said.value)
    });
    let own = machine.lanes.iter();
    let own = own.map(|lane| lane.critical.as_ref().is_some_and(|said| said.value));
    built_in.chain(own).collect()
}
