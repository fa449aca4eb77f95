//! Actions of every kind, to be given to `entry`, `exit`, `run` and the like. Plain text is an
//! action, too: `"Shout"`, `"Shout(3)"`, `"health -= 10"`.

use super::Time;
use super::part::{Context, text};
use crate::duration::DurationSource;
use crate::graph::{self, ActionKind};
use crate::names::check_function;
use crate::span::{Span, Spanned};
use crate::value::Literal;

/// An action that has no span yet.
#[derive(Clone, Debug)]
pub struct Action {
    kind: PendingKind,
    muted: bool,
}

#[derive(Clone, Debug)]
enum PendingKind {
    Text(String),
    Call(Call),
    Set(String, String),
    Add(String, String),
    Raise(Raise),
    Send(Send),
    Emit(Emit),
    Start(String, Time),
    Stop(String),
    ClearHistory(String),
    When(When),
}

/// Text of one of the forms `Shout`, `Shout(3)`, `health = 100`, `health -= 10`.
pub fn run(code: impl Into<String>) -> Action {
    PendingKind::Text(code.into()).into()
}

/// Calls a user function: `call("Fire").with("power", 3)`.
pub fn call(function: impl Into<String>) -> Call {
    Call {
        function: function.into(),
        arguments: Vec::new(),
    }
}

/// Writes a blackboard key: `set("health", "100")`.
pub fn set(key: impl Into<String>, value: impl Into<String>) -> Action {
    PendingKind::Set(key.into(), value.into()).into()
}

/// Adds to a blackboard key: `add("ammo", "-1")`.
pub fn add(key: impl Into<String>, value: impl Into<String>) -> Action {
    PendingKind::Add(key.into(), value.into()).into()
}

/// Posts an internal event to the agent itself.
pub fn raise(event: impl Into<String>) -> Raise {
    Raise {
        event: event.into(),
        payload: None,
    }
}

/// Posts an event to the agent itself, or to another one: `send("Help").to("leader")`.
pub fn send(event: impl Into<String>) -> Send {
    Send {
        event: event.into(),
        payload: None,
        to: None,
    }
}

/// Emits a command on a lane.
pub fn emit(command: impl Into<String>, lane: impl Into<String>) -> Emit {
    Emit {
        command: command.into(),
        lane: lane.into(),
        payload: None,
    }
}

/// Starts a named timer.
pub fn start(timer: impl Into<String>, after: impl Into<Time>) -> Action {
    PendingKind::Start(timer.into(), after.into()).into()
}

/// Stops a named timer.
pub fn stop(timer: impl Into<String>) -> Action {
    PendingKind::Stop(timer.into()).into()
}

/// Forgets what the history points of a state remember.
pub fn clear_history(state: impl Into<String>) -> Action {
    PendingKind::ClearHistory(state.into()).into()
}

/// Runs actions if a condition holds: `when("health < 30").run("Flee").otherwise("Fight")`.
pub fn when(condition: impl Into<String>) -> When {
    When {
        condition: condition.into(),
        then: Vec::new(),
        otherwise: Vec::new(),
    }
}

impl Action {
    /// Leaves it out of the compiled machine (CODE-8).
    #[must_use]
    pub fn muted(self) -> Self {
        Self {
            muted: true,
            ..self
        }
    }
}

impl From<PendingKind> for Action {
    fn from(kind: PendingKind) -> Self {
        Self { kind, muted: false }
    }
}

impl From<&str> for Action {
    fn from(code: &str) -> Self {
        run(code)
    }
}

impl From<String> for Action {
    fn from(code: String) -> Self {
        run(code)
    }
}

/// An action with more to say about it.
macro_rules! action_with_options {
    ($($name:ident)+) => {
        $(impl From<$name> for Action {
            fn from(action: $name) -> Self {
                PendingKind::$name(action).into()
            }
        }

        impl $name {
            /// Leaves it out of the compiled machine (CODE-8).
            #[must_use]
            pub fn muted(self) -> Action {
                Action::from(self).muted()
            }
        })+
    };
}

action_with_options!(Call Raise Send Emit When);

/// A call of a user function.
#[derive(Clone, Debug)]
pub struct Call {
    function: String,
    arguments: Vec<(Option<String>, PendingArgument)>,
}

#[derive(Clone, Debug)]
enum PendingArgument {
    Literal(Literal),
    Code(String),
}

impl Call {
    /// Adds an argument by the name that the function's declaration gives it.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Literal>) -> Self {
        let value = PendingArgument::Literal(value.into());
        self.arguments.push((Some(name.into()), value));
        self
    }

    /// Adds an argument by name that an expression computes before each call (LANG-4).
    #[must_use]
    pub fn with_computed(mut self, name: impl Into<String>, code: impl Into<String>) -> Self {
        let value = PendingArgument::Code(code.into());
        self.arguments.push((Some(name.into()), value));
        self
    }

    /// Adds an argument by position that an expression computes before each call (LANG-4).
    #[must_use]
    pub fn computed(mut self, code: impl Into<String>) -> Self {
        let value = PendingArgument::Code(code.into());
        self.arguments.push((None, value));
        self
    }

    /// Adds an argument by position.
    #[must_use]
    pub fn argument(mut self, value: impl Into<Literal>) -> Self {
        let value = PendingArgument::Literal(value.into());
        self.arguments.push((None, value));
        self
    }
}

/// An internal event to post.
#[derive(Clone, Debug)]
pub struct Raise {
    event: String,
    payload: Option<String>,
}

impl Raise {
    /// Gives the payload, an expression.
    #[must_use]
    pub fn payload(self, value: impl Into<String>) -> Self {
        Self {
            payload: Some(value.into()),
            ..self
        }
    }
}

/// An event to send.
#[derive(Clone, Debug)]
pub struct Send {
    event: String,
    payload: Option<String>,
    to: Option<String>,
}

impl Send {
    /// Gives the payload, an expression.
    #[must_use]
    pub fn payload(self, value: impl Into<String>) -> Self {
        Self {
            payload: Some(value.into()),
            ..self
        }
    }

    /// Names the receiver, an expression that gives an entity.
    #[must_use]
    pub fn to(self, entity: impl Into<String>) -> Self {
        Self {
            to: Some(entity.into()),
            ..self
        }
    }
}

/// A command to emit.
#[derive(Clone, Debug)]
pub struct Emit {
    command: String,
    lane: String,
    payload: Option<String>,
}

impl Emit {
    /// Gives the payload, an expression.
    #[must_use]
    pub fn payload(self, value: impl Into<String>) -> Self {
        Self {
            payload: Some(value.into()),
            ..self
        }
    }
}

/// Two lists of actions, of which one runs.
#[derive(Clone, Debug)]
pub struct When {
    condition: String,
    then: Vec<Action>,
    otherwise: Vec<Action>,
}

impl When {
    /// Adds an action that runs if the condition holds.
    #[must_use]
    pub fn run(mut self, action: impl Into<Action>) -> Self {
        self.then.push(action.into());
        self
    }

    /// Adds an action that runs if the condition does not hold.
    #[must_use]
    pub fn otherwise(mut self, action: impl Into<Action>) -> Self {
        self.otherwise.push(action.into());
        self
    }
}

/// Appends an action to a list, at a step of its own such as `state idle > entry 2`.
pub(super) fn append(
    cx: &mut Context,
    list: &mut Vec<graph::Action>,
    name: &str,
    action: Action,
    parent: Span,
) {
    let span = cx.step(parent, name, list.len() + 1);
    let kind = spanned(cx, action.kind, span);
    list.push(graph::Action {
        kind,
        muted: action.muted,
        span,
    });
}

fn spanned(cx: &mut Context, kind: PendingKind, span: Span) -> ActionKind {
    let at = |code: String| text(code, span);
    match kind {
        PendingKind::Text(code) => ActionKind::Text(at(code)),
        PendingKind::Call(call) => called(cx, call, span),
        PendingKind::Set(key, value) => ActionKind::Set {
            key: at(key),
            value: at(value),
        },
        PendingKind::Add(key, value) => ActionKind::Add {
            key: at(key),
            value: at(value),
        },
        PendingKind::Raise(raise) => ActionKind::Raise {
            event: at(raise.event),
            payload: raise.payload.map(at),
        },
        PendingKind::Send(send) => ActionKind::Send {
            event: at(send.event),
            payload: send.payload.map(at),
            to: send.to.map(at),
        },
        PendingKind::Emit(emit) => ActionKind::Emit {
            command: at(emit.command),
            lane: at(emit.lane),
            payload: emit.payload.map(at),
        },
        PendingKind::Start(timer, after) => ActionKind::StartTimer {
            timer: at(timer),
            after: cx.duration(after, DurationSource::parse, span),
        },
        PendingKind::Stop(timer) => ActionKind::StopTimer { timer: at(timer) },
        PendingKind::ClearHistory(state) => ActionKind::ClearHistory { state: at(state) },
        PendingKind::When(when) => {
            let condition = at(when.condition);
            let (mut then, mut otherwise) = (Vec::new(), Vec::new());
            when.then
                .into_iter()
                .for_each(|action| append(cx, &mut then, "then", action, span));
            when.otherwise
                .into_iter()
                .for_each(|action| append(cx, &mut otherwise, "else", action, span));
            ActionKind::If {
                condition,
                then,
                otherwise,
            }
        }
    }
}

fn called(cx: &mut Context, call: Call, span: Span) -> ActionKind {
    let argument = |(name, value): (Option<String>, PendingArgument)| graph::Argument {
        name: name.map(|name| text(name, span)),
        value: match value {
            PendingArgument::Literal(literal) => {
                graph::ArgumentValue::Literal(Spanned::new(literal, span))
            }
            PendingArgument::Code(code) => graph::ArgumentValue::Code(Spanned::new(code, span)),
        },
    };
    let arguments = call.arguments.into_iter().map(argument).collect();
    ActionKind::Call {
        function: cx.declared("function", check_function, call.function, span),
        arguments,
    }
}
