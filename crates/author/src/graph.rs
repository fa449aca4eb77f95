//! The author graph: a machine as its author wrote it.
//!
//! Comes in from the text form ([`crate::text`]) or the builder ([`crate::builder`]); goes out to
//! the compiler and to any tool that shows or edits machines. Nothing here is resolved or checked:
//! names are plain text, a reference may point nowhere, expressions are source text. Lists are in
//! declaration order, which is the order that all rules mean.

mod part;

pub use part::{JoinedPart, PartUse};

use crate::duration::DurationSource;
use crate::span::{Name, Source, Span, Spanned};
use crate::value::{
    Class, Duration, FunctionKind, LaneKey, LaneScope, Literal, MergeRule, ParameterType,
    ScratchType, Tier, ValueType,
};

/// A stable id given by the author (ROM-6).
pub type StableId = Option<Spanned<u64>>;

/// Free-form data of editors, kept and never looked at.
pub type Meta = Option<serde_json::Value>;

/// Source text of a guard, a score or any other expression (CODE-4).
pub type ExprSource = Spanned<String>;

/// Ticks per second where a machine does not say (SEL-1).
pub const DEFAULT_TICK_RATE: u32 = 60;

/// A whole machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// What the spans of this graph refer to.
    pub source: Source,
    /// The machine's name.
    pub name: Name,
    /// Its stable id.
    pub id: StableId,
    /// What it is for.
    pub doc: Option<String>,
    /// The instance size; the smallest that fits if not given.
    pub tier: Option<Spanned<Tier>>,
    /// Ticks per second; 60 if not given (SEL-1).
    pub tick_rate: Option<Spanned<u32>>,
    /// How the machine departs from the default rules.
    pub policies: Policies,
    /// Caps per tick.
    pub budgets: Budgets,
    /// State entered when the machine is clamped too often (TICK-4); the initial one if not given.
    pub fail_safe: Option<Name>,
    /// State entered when a reload cannot keep an instance (SYS-5); the initial one if not given.
    pub reload_entry: Option<Name>,
    /// Event types.
    pub events: Vec<Event>,
    /// Blackboard schema (CODE-5).
    pub blackboard: Vec<Key>,
    /// Machine-wide parameters (CODE-3).
    pub parameters: Vec<Parameter>,
    /// Named sets of parameter values (CODE-3).
    pub variants: Vec<Variant>,
    /// Channels that states may own (CODE-7).
    pub channels: Vec<Channel>,
    /// Command lanes beyond the built-in ones (CMD-1).
    pub lanes: Vec<Lane>,
    /// Built-in lanes that are declared anew, by their names.
    pub built_in_lanes: Vec<Lane>,
    /// Timers that outlive states (EVT-9).
    pub timers: Vec<Timer>,
    /// Observers (EVT-8).
    pub observers: Vec<Observer>,
    /// Declared user functions. If a file has any but value functions, every function that it uses
    /// must be declared; value functions always must.
    pub functions: Vec<Function>,
    /// Texts that may use functions without declaring them, although others that the machine is made
    /// of declare theirs (LANG-5): a use of a part, or `None` for the machine's own.
    pub undeclared_functions: Vec<Option<usize>>,
    /// Transition lists shared by several states (CODE-8).
    pub transition_sets: Vec<TransitionSet>,
    /// The root state. Its name is not used: messages call it `root`.
    pub root: State,
    /// Editor data.
    pub meta: Meta,
}

impl Machine {
    /// Ticks per second (SEL-1).
    pub fn ticks_per_second(&self) -> u32 {
        let given = self.tick_rate.as_ref();
        given.map_or(DEFAULT_TICK_RATE, |rate| rate.value)
    }
}

/// How a machine departs from the default rules; `None` is the default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Policies {
    /// Exits in reverse pre-order instead of post-order (EXEC-1).
    pub reverse_exit_order: Option<Spanned<bool>>,
    /// A state entered in this tick runs its activity in the same tick (TICK-5).
    pub immediate_update: Option<Spanned<bool>>,
    /// Events posted by callbacks become visible in the next tick only (TICK-7).
    pub posted_next_tick: Option<Spanned<bool>>,
    /// Internal events first (EVT-10).
    pub internal_first: Option<Spanned<bool>>,
    /// Completion posts `done.state.X` events (EVT-10).
    pub done_events: Option<Spanned<bool>>,
    /// Blackboard writes are staged until commit (CODE-5).
    pub strict_writes: Option<Spanned<bool>>,
    /// Domains and history defaults as in SCXML (EXEC-2, EXEC-4).
    pub scxml_details: Option<Spanned<bool>>,
    /// In a reload to this machine all agents begin anew (LOAD-3).
    pub reload_resets: Option<Spanned<bool>>,
}

/// Caps of a machine; `None` is the tier's default (RAM-2).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budgets {
    /// Events handled in one tick.
    pub events_per_tick: Option<Spanned<u32>>,
    /// Microsteps in one tick.
    pub microsteps_per_tick: Option<Spanned<u32>>,
    /// Clamped ticks in a row before the fail-safe (TICK-4).
    pub clamp_limit: Option<Spanned<u32>>,
    /// Command bytes per agent and tick (CMD-2).
    pub command_bytes: Option<Spanned<u32>>,
}

/// An event type (EVT-1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: Name,
    /// Its stable id.
    pub id: StableId,
    /// What it means.
    pub doc: Option<String>,
    /// Type of the payload; none if not given.
    pub payload: Option<Spanned<Payload>>,
    /// Class used unless the sender gives one.
    pub class: Option<Spanned<Class>>,
    /// A newer event replaces a queued one (EVT-3).
    pub coalesce: bool,
    /// How long a deferred event stays good (EVT-5).
    pub ttl: Option<Spanned<Duration>>,
    /// The payload is an index into the blackboard (EVT-6).
    pub indirect: bool,
    /// It means something for a moment only: saved games are to leave it out.
    pub ephemeral: bool,
    /// Posted by user code or only sent on to others: nobody here needs to handle it.
    pub sent: bool,
    /// Editor data.
    pub meta: Meta,
}

/// What an event carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// One typed value.
    Value(ValueType),
    /// An unsigned number.
    U32,
    /// A long unsigned number.
    U64,
    /// Four floats.
    Vec4,
    /// So many raw bytes.
    Bytes(u32),
}

impl Payload {
    /// Its size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Value(value) => value.words() * 4,
            Self::U32 => 4,
            Self::U64 => 8,
            Self::Vec4 => 16,
            Self::Bytes(count) => count,
        }
    }
}

/// A blackboard key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<String>,
    /// Its type.
    pub ty: Spanned<ValueType>,
    /// Value before the first tick; zero if not given.
    pub default: Option<Spanned<Literal>>,
    /// For user code: nothing in the file needs to use it.
    pub host: bool,
    /// Editor data.
    pub meta: Meta,
}

/// A machine-wide parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<String>,
    /// Its type.
    pub ty: Spanned<ParameterType>,
    /// Its value where no variant says otherwise; of a duration its text.
    pub value: Spanned<Literal>,
    /// For user code: nothing in the file needs to use it.
    pub host: bool,
    /// Editor data.
    pub meta: Meta,
}

/// Parameter values of one variant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<String>,
    /// Parameter and value.
    pub values: Vec<(Name, Spanned<Literal>)>,
}

/// A channel such as `locomotion` (CODE-7).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Channel {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<String>,
    /// Lane of the release command; `gameplay` if not given.
    pub lane: Option<Name>,
    /// Name of the release command; `release` if not given.
    pub release: Option<Name>,
}

/// A lane (CMD-1). What a built-in one does not say stays as it is in every machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub doc: Option<String>,
    /// How commands merge; strict order if not given.
    pub merge: Option<Spanned<MergeRule>>,
    /// May use the reserved part of the budget (CMD-2); no if not given.
    pub critical: Option<Spanned<bool>>,
    /// What the last writer wins; the lane if not given.
    pub key: Option<Spanned<LaneKey>>,
    /// Among whose commands equal ones are told; one agent's if not given.
    pub scope: Option<Spanned<LaneScope>>,
    /// Most commands of one agent and tick.
    pub cap: Option<Spanned<u32>>,
}

/// A named timer: of a state (disarmed when it is left, EVT-7) or of the machine (EVT-9).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timer {
    /// Its name.
    pub name: Name,
    /// Its stable id.
    pub id: StableId,
    /// What it is for.
    pub doc: Option<String>,
    /// How many may run at once (machine-level only); 1 if not given.
    pub instances: Option<Spanned<u32>>,
    /// Class it fires with; Normal if not given (EVT-2).
    pub class: Option<Spanned<Class>>,
    /// Fires as this event instead of its own trigger.
    pub event: Option<Name>,
}

/// Runs for every event, handled or not (EVT-8).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observer {
    /// The event; `None` is any.
    pub event: Option<Name>,
    /// What to do.
    pub actions: Vec<Action>,
    /// Where it stands.
    pub span: Span,
}

/// Declaration of a user function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// What it does.
    pub doc: Option<String>,
    /// What it is.
    pub kind: Spanned<FunctionKind>,
    /// What a value function gives (LANG-11); none of the other kinds gives a value.
    pub returns: Option<Spanned<ValueType>>,
    /// It uses the rng (SEL-5).
    pub rng: bool,
    /// Names and types of its parameters, in order.
    pub parameters: Vec<(Name, Spanned<ValueType>)>,
}

/// Transitions under a name, used by several states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TransitionSet {
    /// Its name.
    pub name: Name,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// Sets used, after its own transitions (LANG-14).
    pub uses: Vec<Name>,
}

/// A state. Its kind follows from what it has: see [`State::kind`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Its name, unique among its siblings.
    pub name: Name,
    /// Where the whole state stands.
    pub span: Span,
    /// Its stable id.
    pub id: StableId,
    /// What it is for.
    pub doc: Option<String>,
    /// Left out of the compiled machine (CODE-8).
    pub muted: bool,
    /// A final state (EXEC-6).
    pub is_final: Option<Span>,
    /// Branches of a choice state (EXEC-7).
    pub choice: Option<Vec<Branch>>,
    /// One unnamed region: a compound state. Two or more: an orthogonal one.
    pub regions: Vec<Region>,
    /// History points (EXEC-4).
    pub history: Vec<HistoryPoint>,
    /// Forget history when the state completes (EXEC-4).
    pub history_reset_on_done: bool,
    /// Entry actions.
    pub entry: Vec<Action>,
    /// Exit actions.
    pub exit: Vec<Action>,
    /// Actions when a push suspends the state (EXEC-8).
    pub suspend: Vec<Action>,
    /// Actions when a pop resumes the state (EXEC-8).
    pub resume: Vec<Action>,
    /// Actions of every tick while the state is active, before its activity (LANG-10).
    pub update: Vec<Action>,
    /// Runs every tick while the state is active (TICK-6): a call such as `Patrol` or `Patrol(3)`.
    pub activity: Option<ExprSource>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// Decisions (CODE-8), which count as declared after the transitions.
    pub decisions: Vec<Decision>,
    /// Transition sets used, after the state's own transitions (CODE-8).
    pub uses: Vec<Name>,
    /// The part whose root this state is (LANG-5).
    pub part: Option<Box<PartUse>>,
    /// Transitions for the children of this state (CODE-8).
    pub any_state: Vec<AnyTransition>,
    /// Events kept for later (EVT-5).
    pub defers: Vec<Name>,
    /// Timers of the state.
    pub timers: Vec<Timer>,
    /// Channels (CODE-7).
    pub owns: Vec<Name>,
    /// Scratch slots (RAM-7).
    pub scratch: Vec<Scratch>,
    /// Guard that must hold before the state may be left (SEL-6).
    pub exit_ready: Option<ExprSource>,
    /// Time before the state may be left (SEL-6).
    pub min_active: Option<Spanned<DurationSource>>,
    /// Keeps its time in state even if no expression reads it.
    pub clock: bool,
    /// Editor data.
    pub meta: Meta,
}

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    /// No children.
    Atomic,
    /// One region without a name.
    Compound,
    /// Regions with names: several, or in a machine with the policy `scxml_details` one.
    Orthogonal,
    /// Completes its parent.
    Final,
    /// Chooses a branch; never active.
    Choice,
}

impl State {
    /// What this state is, by what it has.
    pub fn kind(&self) -> StateKind {
        if self.choice.is_some() {
            StateKind::Choice
        } else if self.is_final.is_some() {
            StateKind::Final
        } else {
            match &self.regions[..] {
                [] => StateKind::Atomic,
                [only] if only.name.is_none() => StateKind::Compound,
                _ => StateKind::Orthogonal,
            }
        }
    }
}

/// A region: one with a name of an orthogonal state, or the only one of a compound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// Its name; `None` for the only region of a compound.
    pub name: Option<Name>,
    /// Its stable id.
    pub id: StableId,
    /// Where it stands.
    pub span: Span,
    /// Where default entry goes.
    pub initial: Option<Initial>,
    /// How many frames a push may save here (EXEC-8).
    pub stack_depth: Option<Spanned<u32>>,
    /// The states.
    pub states: Vec<State>,
}

/// Where default entry goes, and what it does on the way (EXEC-3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Initial {
    /// One or several descendants.
    pub targets: Vec<Name>,
    /// Runs between the parent's entry and the child's.
    pub effect: Vec<Action>,
    /// Where it stands.
    pub span: Span,
}

/// A history point (EXEC-4).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryPoint {
    /// Its name; it is a target like a child of the state.
    pub name: Name,
    /// Its stable id.
    pub id: StableId,
    /// Remembers leaves instead of direct children.
    pub deep: bool,
    /// Where to go while nothing is remembered; the state's initial if empty.
    pub default: Vec<Name>,
    /// Effect of the default.
    pub effect: Vec<Action>,
    /// Used by every default entry, too.
    pub restore_on_entry: bool,
    /// Where it stands.
    pub span: Span,
}

/// Slots that are zeroed when their owner is entered (RAM-7).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scratch {
    /// Its name.
    pub name: Name,
    /// Its stable id.
    pub id: StableId,
    /// How many 16-bit slots; one if it has a type.
    pub slots: Spanned<u32>,
    /// What expressions read and write (LANG-8); without it only Rust does.
    pub ty: Option<Spanned<ScratchType>>,
}

/// What starts a transition (SEL-1).
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// An event type.
    Event(Name),
    /// Any of several event types (LANG-1).
    Events(Spanned<Vec<Name>>),
    /// Any event.
    Any(Span),
    /// So long after entry.
    After(Spanned<DurationSource>),
    /// So long after entry, and again and again (LANG-2).
    Every(Spanned<DurationSource>),
    /// A named timer of the source, of a state around it, or of the machine.
    Timer(Name),
    /// Whenever its guard holds.
    Always(Span),
    /// While the source is complete or its activity has succeeded.
    Done(Span),
    /// While the activity of the source has failed.
    Failed(Span),
}

impl Default for Trigger {
    fn default() -> Self {
        Self::Always(Span::default())
    }
}

/// How a transition treats its source (EXEC-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransitionKind {
    /// Effect only.
    Internal,
    /// The source stays active.
    Local,
    /// The source is exited and entered.
    External,
}

/// What a transition does with the stack of its region (EXEC-8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOperation {
    /// Suspends the region and enters the target.
    Push,
    /// Leaves the pushed state and resumes what was suspended.
    Pop,
}

/// A transition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transition {
    /// Its name.
    pub name: Option<Name>,
    /// Its stable id.
    pub id: StableId,
    /// What it is for.
    pub doc: Option<String>,
    /// Where it stands.
    pub span: Span,
    /// What starts it.
    pub trigger: Trigger,
    /// Where it goes; empty is internal.
    pub targets: Vec<Name>,
    /// Sync group: region and target in it (EXEC-5).
    pub sync: Vec<(Name, Name)>,
    /// Given kind; else EXEC-2 decides.
    pub kind: Option<Spanned<TransitionKind>>,
    /// Push or pop.
    pub stack: Option<Spanned<StackOperation>>,
    /// Must hold.
    pub guard: Option<ExprSource>,
    /// Runs between exits and entries.
    pub effect: Vec<Action>,
    /// 0 to 15, higher first (SEL-3); 0 if not given.
    pub priority: Option<Spanned<u32>>,
    /// Stands alone before all others (SEL-2): where it says so.
    pub interrupt: Option<Span>,
    /// Score for utility selection (SEL-3).
    pub score: Option<ExprSource>,
    /// Least score that counts: a number, or an expression over parameters (LANG-12); 0 if not given.
    pub threshold: Option<ExprSource>,
    /// A candidate without target: if it wins, nothing happens (LANG-6). Where it says so.
    pub stay: Option<Span>,
    /// Time before it may be taken again (SEL-6).
    pub cooldown: Option<Spanned<DurationSource>>,
    /// Time its guard must stay true (SEL-6).
    pub debounce: Option<Spanned<DurationSource>>,
    /// Waits until the source may be left (SEL-6): where it says so.
    pub latch: Option<Span>,
    /// Left out of the compiled machine (CODE-8).
    pub muted: bool,
    /// Editor data.
    pub meta: Meta,
}

/// A branch of a choice state (EXEC-7).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Branch {
    /// Must hold; the last branch has none.
    pub guard: Option<ExprSource>,
    /// Where it goes.
    pub targets: Vec<Name>,
    /// Runs with the transition's effect.
    pub effect: Vec<Action>,
    /// Where it stands.
    pub span: Span,
}

/// Two transitions on one condition (CODE-8).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// What starts it; always if not given.
    pub trigger: Trigger,
    /// The condition.
    pub guard: ExprSource,
    /// Where to go if it holds.
    pub then: Option<DecisionBranch>,
    /// Where to go if it does not.
    pub otherwise: Option<DecisionBranch>,
    /// 0 to 15, for both.
    pub priority: Option<Spanned<u32>>,
    /// Effect of both.
    pub effect: Vec<Action>,
    /// Left out of the compiled machine.
    pub muted: bool,
    /// Where it stands.
    pub span: Span,
}

/// One way of a decision. One that names the decision's own state means to stay (LANG-13).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionBranch {
    /// Where to go.
    pub target: Name,
    /// External whatever the target is: the own state is left and entered again.
    pub reenter: Option<Span>,
}

impl Decision {
    /// The two transitions that it stands for: one on its condition, one on the opposite. Whether a
    /// target is the own state, so that nothing happens (LANG-13), only those know who look it up.
    pub fn transitions(&self) -> Vec<Transition> {
        // A decision without a trigger is best recognized by its condition.
        let trigger = match self.trigger {
            Trigger::Always(span) if span == self.span => Trigger::Always(self.guard.span),
            _ => self.trigger.clone(),
        };
        let external = |span: Span| Spanned::new(TransitionKind::External, span);
        let transition = |branch: &DecisionBranch, guard: ExprSource| Transition {
            trigger: trigger.clone(),
            targets: vec![branch.target.clone()],
            kind: branch.reenter.map(external),
            guard: Some(guard),
            effect: self.effect.clone(),
            priority: self.priority.clone(),
            span: self.span,
            ..Transition::default()
        };
        let then = self
            .then
            .iter()
            .map(|branch| transition(branch, self.guard.clone()));
        let opposite = Spanned::new(format!("!({})", self.guard.value), self.guard.span);
        let otherwise = self
            .otherwise
            .iter()
            .map(|branch| transition(branch, opposite.clone()));
        then.chain(otherwise).collect()
    }
}

impl Transition {
    /// What a branch of a decision becomes that names its own state: nothing happens (LANG-13).
    pub fn staying(&self) -> Self {
        Self {
            targets: Vec::new(),
            effect: Vec::new(),
            stay: Some(self.targets.first().map_or(self.span, |to| to.span)),
            ..self.clone()
        }
    }
}

/// A transition that children of a state have in common (CODE-8).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnyTransition {
    /// The transition; its source is each child in turn.
    pub transition: Transition,
    /// Only these children, if any is named.
    pub include: Vec<Name>,
    /// Not these.
    pub exclude: Vec<Name>,
}

/// One step of an action list.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it does.
    pub kind: ActionKind,
    /// Left out of the compiled machine (CODE-8).
    pub muted: bool,
    /// Where it stands.
    pub span: Span,
}

/// An argument of a call; named arguments are matched by the function's declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// Its name, if given.
    pub name: Option<Name>,
    /// Its value.
    pub value: ArgumentValue,
}

/// What an argument of a call is (LANG-4).
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// Always the same.
    Literal(Spanned<Literal>),
    /// Computed before each call.
    Code(ExprSource),
}

impl ArgumentValue {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Literal(literal) => literal.span,
            Self::Code(code) => code.span,
        }
    }

    /// Its value, if it is always the same.
    pub fn literal(&self) -> Option<&Spanned<Literal>> {
        match self {
            Self::Literal(literal) => Some(literal),
            Self::Code(_) => None,
        }
    }
}

/// What an action does (CODE-3, CODE-4).
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    /// Text of one of the forms `Shout`, `Shout(3, "hey")`, `health = 100`, `health -= 10`, `ammo
    /// += 1`.
    Text(ExprSource),
    /// Calls a user function.
    Call {
        /// The function.
        function: Name,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// Writes a blackboard key.
    Set {
        /// The key.
        key: Name,
        /// Its new value.
        value: ExprSource,
    },
    /// Adds to a blackboard key.
    Add {
        /// The key.
        key: Name,
        /// What to add.
        value: ExprSource,
    },
    /// Posts an internal event to the agent itself.
    Raise {
        /// The event.
        event: Name,
        /// Its payload.
        payload: Option<ExprSource>,
    },
    /// Posts an external event to the agent itself, or to another one through the message lane
    /// (CMD-4).
    Send {
        /// The event.
        event: Name,
        /// Its payload.
        payload: Option<ExprSource>,
        /// The receiver, an entity; the agent itself if not given.
        to: Option<ExprSource>,
    },
    /// Emits a command.
    Emit {
        /// The command's name.
        command: Name,
        /// Its lane.
        lane: Name,
        /// Its payload.
        payload: Option<ExprSource>,
    },
    /// Starts a named timer.
    StartTimer {
        /// The timer.
        timer: Name,
        /// When it fires.
        after: Spanned<DurationSource>,
    },
    /// Stops a named timer.
    StopTimer {
        /// The timer.
        timer: Name,
    },
    /// Forgets what the history points of a state remember.
    ClearHistory {
        /// The state.
        state: Name,
    },
    /// Runs one of two lists.
    If {
        /// The condition.
        condition: ExprSource,
        /// Runs if it holds.
        then: Vec<Action>,
        /// Runs if it does not.
        otherwise: Vec<Action>,
    },
}
