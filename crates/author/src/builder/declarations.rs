//! What a machine declares beside its states: events, keys, parameters, channels, lanes, timers,
//! functions and so on.

use super::action::{Action, append};
use super::part::{Context, Part, Rule, fields, text};
use super::{
    ChannelBuilder, EventBuilder, FunctionBuilder, KeyBuilder, LaneBuilder, MachineBuilder,
    ObserverBuilder, ParameterBuilder, Time, TimerBuilder, TransitionSetBuilder, VariantBuilder,
};
use crate::graph::{
    Channel, Event, Function, Key, Lane, Observer, Parameter, Payload, Timer, TransitionSet,
    Variant,
};
use crate::names::{check_event, check_function, check_identifier, check_key, check_name};
use crate::span::{Name, Span, Spanned};
use crate::value::{
    BuiltInLane, Class, Duration, FunctionKind, LaneKey, LaneScope, Literal, MergeRule,
    ParameterType, ValueType,
};

/// A step of the machine and the checked name of what is declared there.
pub(super) fn declare(
    cx: &mut Context,
    parent: Span,
    what: &str,
    rule: Rule,
    name: String,
) -> (Name, Span) {
    let span = cx.step(parent, what, &name);
    (cx.declared(what, rule, name, span), span)
}

impl MachineBuilder<'_> {
    fn declare(&mut self, what: &str, rule: Rule, name: impl Into<String>) -> (Name, Span) {
        declare(self.root.cx, Context::MACHINE, what, rule, name.into())
    }

    /// Adds an event type.
    pub fn event(&mut self, name: impl Into<String>) -> EventBuilder<'_> {
        let (name, span) = self.declare("event", check_event, name);
        Part::push(
            self.root.cx,
            &mut self.machine.events,
            Event {
                name,
                ..Event::default()
            },
            span,
        )
    }

    /// Adds a blackboard key of the type of its default (text is a symbol).
    pub fn key(&mut self, name: impl Into<String>, default: impl Into<Literal>) -> KeyBuilder<'_> {
        let default = default.into();
        let mut key = self.key_of(name, default.natural_type());
        key.default(default);
        key
    }

    /// Adds a blackboard key of a type.
    pub fn key_of(&mut self, name: impl Into<String>, ty: ValueType) -> KeyBuilder<'_> {
        let (name, span) = self.declare("key", check_key, name);
        let key = Key {
            host: false,
            name,
            doc: None,
            ty: Spanned::new(ty, span),
            default: None,
            meta: None,
        };
        Part::push(self.root.cx, &mut self.machine.blackboard, key, span)
    }

    /// Adds a parameter of the type of its value (text is a symbol).
    pub fn parameter(
        &mut self,
        name: impl Into<String>,
        value: impl Into<Literal>,
    ) -> ParameterBuilder<'_> {
        let (name, span) = self.declare("parameter", check_key, name);
        let value = value.into();
        let ty = Spanned::new(value.natural_type().into(), span);
        let parameter = Parameter {
            host: false,
            name,
            doc: None,
            ty,
            value: Spanned::new(value, span),
            meta: None,
        };
        Part::push(self.root.cx, &mut self.machine.parameters, parameter, span)
    }

    /// Adds a parameter that is a duration (LANG-3).
    pub fn duration(
        &mut self,
        name: impl Into<String>,
        time: impl Into<Time>,
    ) -> ParameterBuilder<'_> {
        let (name, span) = self.declare("parameter", check_key, name);
        let value = self.root.cx.duration(time.into(), Duration::parse, span);
        let parameter = Parameter {
            host: false,
            name,
            doc: None,
            ty: Spanned::new(ParameterType::Duration, span),
            value: Spanned::new(Literal::Text(value.value.to_string()), span),
            meta: None,
        };
        Part::push(self.root.cx, &mut self.machine.parameters, parameter, span)
    }

    /// Adds a variant: other values of parameters.
    pub fn variant(&mut self, name: impl Into<String>) -> VariantBuilder<'_> {
        let (name, span) = self.declare("variant", check_name, name);
        Part::push(
            self.root.cx,
            &mut self.machine.variants,
            Variant {
                name,
                ..Variant::default()
            },
            span,
        )
    }

    /// Adds a channel.
    pub fn channel(&mut self, name: impl Into<String>) -> ChannelBuilder<'_> {
        let (name, span) = self.declare("channel", check_name, name);
        Part::push(
            self.root.cx,
            &mut self.machine.channels,
            Channel {
                name,
                ..Channel::default()
            },
            span,
        )
    }

    /// Adds a lane.
    pub fn lane(&mut self, name: impl Into<String>, merge: MergeRule) -> LaneBuilder<'_> {
        let (name, span) = self.declare("lane", check_name, name);
        let lane = Lane {
            name,
            merge: Some(Spanned::new(merge, span)),
            ..Lane::default()
        };
        Part::push(self.root.cx, &mut self.machine.lanes, lane, span)
    }

    /// Declares a built-in lane anew: what is not said stays as it is.
    pub fn built_in_lane(&mut self, lane: BuiltInLane) -> LaneBuilder<'_> {
        let (name, span) = self.declare("lane", check_name, lane.as_str());
        let lane = Lane {
            name,
            ..Lane::default()
        };
        Part::push(self.root.cx, &mut self.machine.built_in_lanes, lane, span)
    }

    /// Adds a timer that outlives states (EVT-9). For one of the root state, use
    /// [`MachineBuilder::root`].
    pub fn timer(&mut self, name: impl Into<String>) -> TimerBuilder<'_> {
        let (name, span) = self.declare("timer", check_name, name);
        Part::push(
            self.root.cx,
            &mut self.machine.timers,
            Timer {
                name,
                ..Timer::default()
            },
            span,
        )
    }

    /// Adds an observer of an event (EVT-8).
    pub fn observe(&mut self, event: impl Into<String>) -> ObserverBuilder<'_> {
        let event = event.into();
        let span = self.root.cx.step(Context::MACHINE, "observer of", &event);
        let observer = Observer {
            event: Some(text(event, span)),
            actions: Vec::new(),
            span,
        };
        Part::push(self.root.cx, &mut self.machine.observers, observer, span)
    }

    /// Adds an observer of all events (EVT-8).
    pub fn observe_any(&mut self) -> ObserverBuilder<'_> {
        let span = self
            .root
            .cx
            .step(Context::MACHINE, "observer of any event", "");
        let observer = Observer {
            event: None,
            actions: Vec::new(),
            span,
        };
        Part::push(self.root.cx, &mut self.machine.observers, observer, span)
    }

    /// Declares a user function. If one is declared that is no value function, all that are used
    /// must be.
    pub fn function(&mut self, name: impl Into<String>, kind: FunctionKind) -> FunctionBuilder<'_> {
        let (name, span) = self.declare("function", check_function, name);
        let kind = Spanned::new(kind, span);
        let function = Function {
            name,
            doc: None,
            kind,
            returns: None,
            rng: false,
            parameters: Vec::new(),
        };
        Part::push(self.root.cx, &mut self.machine.functions, function, span)
    }

    /// Declares a function that gives expressions a value of a type (LANG-11).
    pub fn value_function(
        &mut self,
        name: impl Into<String>,
        returns: ValueType,
    ) -> FunctionBuilder<'_> {
        let function = self.function(name, FunctionKind::Value);
        function.item.returns = Some(Spanned::new(returns, function.span));
        function
    }

    /// Adds a set of transitions that states share (CODE-8).
    pub fn transition_set(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut TransitionSetBuilder<'_>),
    ) -> &mut Self {
        let (name, span) = self.declare("transition set", check_name, name);
        let set = TransitionSet {
            name,
            ..TransitionSet::default()
        };
        describe(&mut Part::push(
            self.root.cx,
            &mut self.machine.transition_sets,
            set,
            span,
        ));
        self
    }
}

fields!(Event {
    id, doc, meta,
    once("What it carries: a [`ValueType`] or a [`Payload`].", payload: impl Into<Payload>),
    once("Its class unless the sender gives one.", class: Class),
    flag("A newer one replaces a queued one (EVT-3).", coalesce: bool),
    time("How long a deferred one stays good (EVT-5).", ttl: impl Into<Time>),
    flag("The payload is an index into the blackboard (EVT-6).", indirect: bool),
    flag("It means something for a moment only: saved games are to leave it out.", ephemeral: bool),
    flag("Posted by user code or only sent on to others: nobody here needs to handle it.", sent: bool),
});
fields!(Key {
    doc, meta,
    once("Its value before the first tick.", default: impl Into<Literal>),
    flag("For user code: nothing in the file needs to use it.", host: bool),
});
fields!(Parameter {
    doc, meta,
    flag("For user code: nothing in the file needs to use it.", host: bool),
});
fields!(Variant { doc });
fields!(Channel {
    doc,
    once("Lane of the release command.", lane: impl Into<String>),
    once("Name of the release command.", release: impl Into<String>),
});
fields!(Lane {
    doc,
    once("How commands of one agent and tick merge (CMD-1).", merge: MergeRule),
    once("May it use the reserved part of the budget (CMD-2)?", critical: bool),
    once("What the last writer wins (CMD-1).", key: LaneKey),
    once("Among whose commands equal ones are told (CMD-1).", scope: LaneScope),
    once("Most commands of one agent and tick (CMD-2).", cap: u32),
});
fields!(Timer {
    id, doc,
    once("How many may run at once; only for timers of the machine.", instances: u32),
    once("The class it fires with (EVT-2).", class: Class),
    once("Fires as this event instead.", event: impl Into<String>),
});
fields!(Function { doc, flag("It uses the rng (SEL-5).", rng: bool) });

impl ParameterBuilder<'_> {
    /// Gives it a type other than the one its value suggests.
    pub fn ty(&mut self, ty: ValueType) -> &mut Self {
        self.item.ty.value = ty.into();
        self
    }
}

impl VariantBuilder<'_> {
    /// Sets a parameter.
    pub fn set(&mut self, parameter: impl Into<String>, value: impl Into<Literal>) -> &mut Self {
        self.item.values.push((
            text(parameter, self.span),
            Spanned::new(value.into(), self.span),
        ));
        self
    }
}

impl ObserverBuilder<'_> {
    /// Adds an action.
    pub fn run(&mut self, action: impl Into<Action>) -> &mut Self {
        append(
            self.cx,
            &mut self.item.actions,
            "action",
            action.into(),
            self.span,
        );
        self
    }
}

impl FunctionBuilder<'_> {
    /// Adds a literal parameter.
    pub fn parameter(&mut self, name: impl Into<String>, ty: ValueType) -> &mut Self {
        let name = self
            .cx
            .declared("parameter", check_identifier, name.into(), self.span);
        self.item
            .parameters
            .push((name, Spanned::new(ty, self.span)));
        self
    }
}
