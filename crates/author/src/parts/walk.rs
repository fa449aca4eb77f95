//! Visits everything in a graph that has a span or names something, in the order of the tree.
//!
//! Structs are taken apart field by field, so that a new field is a compile error here: somebody
//! has to say whether parts must rename it.

use crate::duration::DurationSource;
use crate::expr::NameUse;
use crate::graph::*;
use crate::span::{Name, Span, Spanned};

/// What a name that is referred to names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refers {
    /// A state or history point.
    State,
    /// An event.
    Event,
    /// A blackboard key, or scratch.
    Key,
    /// A parameter.
    Parameter,
    /// A channel.
    Channel,
    /// A lane.
    Lane,
    /// A timer.
    Timer,
    /// A user function.
    Function,
    /// A transition set.
    TransitionSet,
    /// Something that is found in the state itself: a region, a child, an argument.
    Local,
}

/// Sees what a graph is made of. States come in pre-order.
pub(super) trait Visitor {
    /// Where something stands.
    fn span(&mut self, span: &mut Span);
    /// A name that is declared here.
    fn declares(&mut self, name: &mut Name) {
        self.span(&mut name.span);
    }
    /// A name that is referred to.
    fn refers(&mut self, to: Refers, name: &mut Name);
    /// Text of an expression, an action or a call.
    fn code(&mut self, code: &mut ExprSource);
    /// The states named next are the initial ones of a region, whose children come first; `None`
    /// at their end.
    fn initial_of(&mut self, _region: Option<&Name>) {}
    /// What follows belongs to the next state.
    fn enter_state(&mut self) {}
    /// What follows belongs to the state around it again.
    fn leave_state(&mut self) {}
}

fn spanned<T>(value: &mut Option<Spanned<T>>, v: &mut impl Visitor) {
    if let Some(value) = value {
        v.span(&mut value.span);
    }
}

fn names(list: &mut [Name], to: Refers, v: &mut impl Visitor) {
    list.iter_mut().for_each(|name| v.refers(to, name));
}

fn code(code: &mut Option<ExprSource>, v: &mut impl Visitor) {
    if let Some(code) = code {
        v.code(code);
    }
}

/// What a duration says in code is renamed like any other code.
fn duration(duration: &mut Spanned<DurationSource>, v: &mut impl Visitor) {
    match &mut duration.value {
        DurationSource::Literal(_) | DurationSource::Range(..) => v.span(&mut duration.span),
        DurationSource::Code(text) => {
            let mut code = ExprSource::new(std::mem::take(text), duration.span);
            v.code(&mut code);
            (*text, duration.span) = (code.value, code.span);
        }
    }
}

fn maybe_duration(given: &mut Option<Spanned<DurationSource>>, v: &mut impl Visitor) {
    given.iter_mut().for_each(|each| duration(each, v));
}

/// A whole machine.
pub(super) fn machine(machine: &mut Machine, v: &mut impl Visitor) {
    let Machine {
        source: _,
        name,
        id,
        doc: _,
        tier,
        tick_rate,
        policies,
        budgets,
        fail_safe,
        reload_entry,
        events,
        blackboard,
        parameters,
        variants,
        channels,
        lanes,
        built_in_lanes,
        timers,
        observers,
        functions,
        undeclared_functions: _,
        transition_sets,
        root,
        meta: _,
    } = machine;
    v.span(&mut name.span);
    spanned(id, v);
    spanned(tier, v);
    spanned(tick_rate, v);
    self::policies(policies, v);
    self::budgets(budgets, v);
    for state in [fail_safe, reload_entry].into_iter().flatten() {
        v.refers(Refers::State, state);
    }
    events.iter_mut().for_each(|each| event(each, v));
    blackboard.iter_mut().for_each(|each| key(each, v));
    parameters.iter_mut().for_each(|each| parameter(each, v));
    variants.iter_mut().for_each(|each| variant(each, v));
    channels.iter_mut().for_each(|each| channel(each, v));
    lanes.iter_mut().for_each(|each| lane(each, v));
    built_in_lanes.iter_mut().for_each(|each| lane(each, v));
    timers.iter_mut().for_each(|each| timer(each, v));
    observers.iter_mut().for_each(|each| observer(each, v));
    functions.iter_mut().for_each(|each| function(each, v));
    transition_sets.iter_mut().for_each(|each| set(each, v));
    state(root, v);
}

fn policies(policies: &mut Policies, v: &mut impl Visitor) {
    let Policies {
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
        scxml_details,
        reload_resets,
    } = policies;
    for policy in [
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
        scxml_details,
        reload_resets,
    ] {
        spanned(policy, v);
    }
}

fn budgets(budgets: &mut Budgets, v: &mut impl Visitor) {
    let Budgets {
        events_per_tick,
        microsteps_per_tick,
        clamp_limit,
        command_bytes,
    } = budgets;
    for budget in [
        events_per_tick,
        microsteps_per_tick,
        clamp_limit,
        command_bytes,
    ] {
        spanned(budget, v);
    }
}

/// A declared event.
pub(super) fn event(event: &mut Event, v: &mut impl Visitor) {
    let Event {
        name,
        id,
        doc: _,
        payload,
        class,
        coalesce: _,
        ttl,
        indirect: _,
        ephemeral: _,
        sent: _,
        meta: _,
    } = event;
    v.declares(name);
    spanned(id, v);
    spanned(payload, v);
    spanned(class, v);
    spanned(ttl, v);
}

/// A declared key.
pub(super) fn key(key: &mut Key, v: &mut impl Visitor) {
    let Key {
        name,
        doc: _,
        ty,
        default,
        meta: _,
        host: _,
    } = key;
    v.declares(name);
    v.span(&mut ty.span);
    spanned(default, v);
}

fn parameter(parameter: &mut Parameter, v: &mut impl Visitor) {
    let Parameter {
        name,
        doc: _,
        ty,
        value,
        meta: _,
        host: _,
    } = parameter;
    v.declares(name);
    v.span(&mut ty.span);
    v.span(&mut value.span);
}

fn variant(variant: &mut Variant, v: &mut impl Visitor) {
    let Variant {
        name,
        doc: _,
        values,
    } = variant;
    v.declares(name);
    for (parameter, value) in values {
        v.refers(Refers::Parameter, parameter);
        v.span(&mut value.span);
    }
}

/// A declared channel.
pub(super) fn channel(channel: &mut Channel, v: &mut impl Visitor) {
    let Channel {
        name,
        doc: _,
        lane,
        release,
    } = channel;
    v.declares(name);
    if let Some(lane) = lane {
        v.refers(Refers::Lane, lane);
    }
    if let Some(release) = release {
        v.span(&mut release.span);
    }
}

/// A declared lane.
pub(super) fn lane(lane: &mut Lane, v: &mut impl Visitor) {
    let Lane {
        name,
        doc: _,
        merge,
        critical,
        key,
        scope,
        cap,
    } = lane;
    v.declares(name);
    spanned(merge, v);
    spanned(critical, v);
    spanned(key, v);
    spanned(scope, v);
    spanned(cap, v);
}

fn timer(timer: &mut Timer, v: &mut impl Visitor) {
    let Timer {
        name,
        id,
        doc: _,
        instances,
        class,
        event,
    } = timer;
    v.declares(name);
    spanned(id, v);
    spanned(instances, v);
    spanned(class, v);
    if let Some(event) = event {
        v.refers(Refers::Event, event);
    }
}

fn observer(observer: &mut Observer, v: &mut impl Visitor) {
    let Observer {
        event,
        actions,
        span,
    } = observer;
    v.span(span);
    if let Some(event) = event {
        v.refers(Refers::Event, event);
    }
    self::actions(actions, v);
}

/// A declared function.
pub(super) fn function(function: &mut Function, v: &mut impl Visitor) {
    let Function {
        name,
        doc: _,
        kind,
        rng: _,
        returns,
        parameters,
    } = function;
    v.declares(name);
    v.span(&mut kind.span);
    spanned(returns, v);
    for (name, ty) in parameters {
        v.refers(Refers::Local, name);
        v.span(&mut ty.span);
    }
}

fn set(set: &mut TransitionSet, v: &mut impl Visitor) {
    let TransitionSet {
        name,
        transitions,
        uses,
    } = set;
    v.declares(name);
    names(uses, Refers::TransitionSet, v);
    transitions.iter_mut().for_each(|each| transition(each, v));
}

fn state(state: &mut State, v: &mut impl Visitor) {
    v.enter_state();
    let State {
        name,
        span,
        id,
        doc: _,
        muted: _,
        is_final,
        choice,
        regions,
        history,
        history_reset_on_done: _,
        entry,
        exit,
        suspend,
        resume,
        update,
        activity,
        transitions,
        decisions,
        uses,
        part,
        any_state,
        defers,
        timers,
        owns,
        scratch,
        exit_ready,
        min_active,
        clock: _,
        meta: _,
    } = state;
    v.declares(name);
    v.span(span);
    spanned(id, v);
    if let Some(span) = is_final {
        v.span(span);
    }
    choice.iter_mut().flatten().for_each(|each| branch(each, v));
    history.iter_mut().for_each(|each| history_point(each, v));
    for list in [entry, exit, suspend, resume, update] {
        actions(list, v);
    }
    code(activity, v);
    transitions.iter_mut().for_each(|each| transition(each, v));
    decisions.iter_mut().for_each(|each| decision(each, v));
    names(uses, Refers::TransitionSet, v);
    if let Some(part) = part {
        part_use(part, v);
    }
    any_state.iter_mut().for_each(|each| any(each, v));
    names(defers, Refers::Event, v);
    timers.iter_mut().for_each(|each| timer(each, v));
    names(owns, Refers::Channel, v);
    scratch.iter_mut().for_each(|each| self::scratch(each, v));
    code(exit_ready, v);
    maybe_duration(min_active, v);
    regions.iter_mut().for_each(|each| region(each, v));
    v.leave_state();
}

/// Names in `with` and `map` of a part that has been joined mean nothing any more; one that has
/// not is renamed by nobody.
fn part_use(part: &mut PartUse, v: &mut impl Visitor) {
    let PartUse {
        file,
        with,
        map,
        joined: _,
    } = part;
    v.span(&mut file.span);
    for (parameter, value) in with {
        v.span(&mut parameter.span);
        v.span(&mut value.span);
    }
    for (from, to) in map {
        v.span(&mut from.span);
        v.span(&mut to.span);
    }
}

fn region(region: &mut Region, v: &mut impl Visitor) {
    let Region {
        name,
        id,
        span,
        initial,
        stack_depth,
        states,
    } = region;
    if let Some(name) = name {
        v.declares(name);
    }
    spanned(id, v);
    v.span(span);
    spanned(stack_depth, v);
    if let Some(Initial {
        targets,
        effect,
        span,
    }) = initial
    {
        v.span(span);
        v.initial_of(name.as_ref());
        names(targets, Refers::State, v);
        v.initial_of(None);
        actions(effect, v);
    }
    states.iter_mut().for_each(|each| state(each, v));
}

fn history_point(point: &mut HistoryPoint, v: &mut impl Visitor) {
    let HistoryPoint {
        name,
        id,
        deep: _,
        default,
        effect,
        restore_on_entry: _,
        span,
    } = point;
    v.declares(name);
    spanned(id, v);
    v.span(span);
    names(default, Refers::State, v);
    actions(effect, v);
}

fn scratch(scratch: &mut Scratch, v: &mut impl Visitor) {
    let Scratch {
        name,
        id,
        slots,
        ty,
    } = scratch;
    v.declares(name);
    spanned(id, v);
    spanned(ty, v);
    v.span(&mut slots.span);
}

fn trigger(trigger: &mut Trigger, v: &mut impl Visitor) {
    match trigger {
        Trigger::Event(event) => v.refers(Refers::Event, event),
        Trigger::Events(events) => {
            v.span(&mut events.span);
            names(&mut events.value, Refers::Event, v);
        }
        Trigger::Timer(timer) => v.refers(Refers::Timer, timer),
        Trigger::After(time) | Trigger::Every(time) => duration(time, v),
        Trigger::Any(span)
        | Trigger::Always(span)
        | Trigger::Done(span)
        | Trigger::Failed(span) => v.span(span),
    }
}

fn transition(transition: &mut Transition, v: &mut impl Visitor) {
    let Transition {
        name,
        id,
        doc: _,
        span,
        trigger,
        targets,
        sync,
        kind,
        stack,
        guard,
        effect,
        priority,
        interrupt,
        score,
        threshold,
        cooldown,
        debounce,
        stay,
        latch,
        muted: _,
        meta: _,
    } = transition;
    for mark in [interrupt, stay, latch].into_iter().flatten() {
        v.span(mark);
    }
    if let Some(name) = name {
        v.declares(name);
    }
    spanned(id, v);
    v.span(span);
    self::trigger(trigger, v);
    names(targets, Refers::State, v);
    for (region, target) in sync {
        v.refers(Refers::Local, region);
        v.refers(Refers::State, target);
    }
    spanned(kind, v);
    spanned(stack, v);
    code(guard, v);
    actions(effect, v);
    spanned(priority, v);
    code(score, v);
    code(threshold, v);
    maybe_duration(cooldown, v);
    maybe_duration(debounce, v);
}

fn branch(branch: &mut Branch, v: &mut impl Visitor) {
    let Branch {
        guard,
        targets,
        effect,
        span,
    } = branch;
    v.span(span);
    code(guard, v);
    names(targets, Refers::State, v);
    actions(effect, v);
}

fn decision(decision: &mut Decision, v: &mut impl Visitor) {
    let Decision {
        trigger,
        guard,
        then,
        otherwise,
        priority,
        effect,
        muted: _,
        span,
    } = decision;
    v.span(span);
    self::trigger(trigger, v);
    v.code(guard);
    for branch in [then, otherwise].into_iter().flatten() {
        let DecisionBranch { target, reenter } = branch;
        v.refers(Refers::State, target);
        reenter.iter_mut().for_each(|span| v.span(span));
    }
    spanned(priority, v);
    actions(effect, v);
}

fn any(any: &mut AnyTransition, v: &mut impl Visitor) {
    let AnyTransition {
        transition,
        include,
        exclude,
    } = any;
    self::transition(transition, v);
    names(include, Refers::Local, v);
    names(exclude, Refers::Local, v);
}

fn actions(list: &mut [Action], v: &mut impl Visitor) {
    for Action {
        kind,
        muted: _,
        span,
    } in list
    {
        v.span(span);
        action(kind, v);
    }
}

fn action(kind: &mut ActionKind, v: &mut impl Visitor) {
    match kind {
        ActionKind::Text(text) => v.code(text),
        ActionKind::Call {
            function,
            arguments,
        } => {
            v.refers(Refers::Function, function);
            for Argument { name, value } in arguments {
                if let Some(name) = name {
                    v.refers(Refers::Local, name);
                }
                match value {
                    ArgumentValue::Literal(value) => v.span(&mut value.span),
                    ArgumentValue::Code(code) => v.code(code),
                }
            }
        }
        ActionKind::Set { key, value } | ActionKind::Add { key, value } => {
            v.refers(Refers::Key, key);
            v.code(value);
        }
        ActionKind::Raise { event, payload } => {
            v.refers(Refers::Event, event);
            code(payload, v);
        }
        ActionKind::Send { event, payload, to } => {
            v.refers(Refers::Event, event);
            code(payload, v);
            code(to, v);
        }
        ActionKind::Emit {
            command,
            lane,
            payload,
        } => {
            v.span(&mut command.span);
            v.refers(Refers::Lane, lane);
            code(payload, v);
        }
        ActionKind::StartTimer { timer, after } => {
            v.refers(Refers::Timer, timer);
            duration(after, v);
        }
        ActionKind::StopTimer { timer } => v.refers(Refers::Timer, timer),
        ActionKind::ClearHistory { state } => v.refers(Refers::State, state),
        ActionKind::If {
            condition,
            then,
            otherwise,
        } => {
            v.code(condition);
            actions(then, v);
            actions(otherwise, v);
        }
    }
}

/// Moves all spans behind the texts that came before.
pub(super) struct Moved {
    /// By so many bytes.
    pub(super) by: u32,
}

impl Visitor for Moved {
    fn span(&mut self, span: &mut Span) {
        *span = span.moved_by(self.by);
    }
    fn refers(&mut self, _: Refers, name: &mut Name) {
        self.span(&mut name.span);
    }
    fn code(&mut self, code: &mut ExprSource) {
        self.span(&mut code.span);
    }
}

/// Forgets all spans, so that two declarations can be compared.
pub(super) struct Spanless;

impl Visitor for Spanless {
    fn span(&mut self, span: &mut Span) {
        *span = Span::default();
    }
    fn refers(&mut self, _: Refers, name: &mut Name) {
        self.span(&mut name.span);
    }
    fn code(&mut self, code: &mut ExprSource) {
        self.span(&mut code.span);
    }
}

impl From<NameUse> for Refers {
    fn from(kind: NameUse) -> Self {
        match kind {
            NameUse::Value => Self::Key,
            NameUse::Function => Self::Function,
            NameUse::State => Self::State,
        }
    }
}
