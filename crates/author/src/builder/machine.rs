//! The machine itself: what stands beside its states.

use super::part::Context;
use super::{HistoryBuilder, InitialBuilder, RegionBuilder, StateBuilder, TransitionBuilder};
use crate::diagnostic::Diagnostics;
use crate::graph::{Machine, Policies, State};
use crate::names::check_name;
use crate::span::{Source, Spanned};
use crate::value::Tier;

/// Runs the description and puts the parts together.
pub(super) fn build(
    name: String,
    describe: impl FnOnce(&mut MachineBuilder<'_>),
) -> (Machine, Diagnostics) {
    let mut cx = Context::new();
    let name = cx.declared("machine", check_name, name, Context::MACHINE);
    let mut machine = Machine {
        name,
        ..Machine::default()
    };
    let mut root = State {
        span: Context::MACHINE,
        ..State::default()
    };
    let root_builder = StateBuilder {
        cx: &mut cx,
        item: &mut root,
        span: Context::MACHINE,
    };
    describe(&mut MachineBuilder {
        machine: &mut machine,
        root: root_builder,
    });
    machine.root = root;
    machine.source = Source::Builder {
        parts: Vec::new(),
        machine: machine.name.value.clone(),
        steps: cx.steps,
    };
    (machine, cx.diagnostics)
}

/// Builds a machine. The methods for states and transitions are those of its root state.
#[derive(Debug)]
pub struct MachineBuilder<'a> {
    pub(super) machine: &'a mut Machine,
    pub(super) root: StateBuilder<'a>,
}

/// How a machine may depart from the default rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Exits in reverse pre-order instead of post-order (EXEC-1).
    ReverseExitOrder,
    /// A state entered in this tick runs its activity in the same tick (TICK-5).
    ImmediateUpdate,
    /// Events posted by callbacks become visible in the next tick only (TICK-7).
    PostedNextTick,
    /// Internal events first (EVT-10).
    InternalFirst,
    /// Completion posts `done.state.X` events (EVT-10).
    DoneEvents,
    /// Blackboard writes are staged until commit (CODE-5).
    StrictWrites,
    /// Domains and history defaults as in SCXML (EXEC-2, EXEC-4).
    ScxmlDetails,
    /// In a reload to this machine all agents begin anew (LOAD-3).
    ReloadResets,
}

impl Policy {
    fn of(self, policies: &mut Policies) -> (&mut Option<Spanned<bool>>, &'static str) {
        match self {
            Self::ReverseExitOrder => (&mut policies.reverse_exit_order, "reverse_exit_order"),
            Self::ImmediateUpdate => (&mut policies.immediate_update, "immediate_update"),
            Self::PostedNextTick => (&mut policies.posted_next_tick, "posted_next_tick"),
            Self::InternalFirst => (&mut policies.internal_first, "internal_first"),
            Self::DoneEvents => (&mut policies.done_events, "done_events"),
            Self::StrictWrites => (&mut policies.strict_writes, "strict_writes"),
            Self::ScxmlDetails => (&mut policies.scxml_details, "scxml_details"),
            Self::ReloadResets => (&mut policies.reload_resets, "reload_resets"),
        }
    }
}

/// Methods for fields of the machine that may be given once.
macro_rules! machine_fields {
    ($($doc:literal $name:ident: $type:ty => $($field:ident).+;)+) => {
        $(#[doc = $doc]
        pub fn $name(&mut self, value: $type) -> &mut Self {
            let span = Context::MACHINE;
            let value = Spanned::new(value.into(), span);
            self.root.cx.set(&mut self.machine.$($field).+, stringify!($name), value, span);
            self
        })+
    };
}

impl MachineBuilder<'_> {
    machine_fields! {
        "The machine's stable id (ROM-6)." id: u64 => id;
        "The instance size; the smallest that fits if not given." tier: Tier => tier;
        "Ticks per second; 60 if not given (SEL-1)." tick_rate: u32 => tick_rate;
        "State entered when the machine is clamped too often (TICK-4)." fail_safe: impl Into<String> => fail_safe;
        "State entered when a reload cannot keep an instance (SYS-5)." reload_entry: impl Into<String> => reload_entry;
        "Events handled in one tick (RAM-2)." events_per_tick: u32 => budgets.events_per_tick;
        "Microsteps in one tick (RAM-2)." microsteps_per_tick: u32 => budgets.microsteps_per_tick;
        "Clamped ticks in a row before the fail-safe (TICK-4)." clamp_limit: u32 => budgets.clamp_limit;
        "Command bytes per agent and tick (CMD-2)." command_bytes: u32 => budgets.command_bytes;
    }

    /// What the machine is for.
    pub fn doc(&mut self, doc: impl Into<String>) -> &mut Self {
        self.root
            .cx
            .set(&mut self.machine.doc, "doc", doc.into(), Context::MACHINE);
        self
    }

    /// Editor data.
    pub fn meta(&mut self, data: impl Into<serde_json::Value>) -> &mut Self {
        self.root.cx.set(
            &mut self.machine.meta,
            "meta",
            data.into(),
            Context::MACHINE,
        );
        self
    }

    /// Turns a policy on, or off for all readers to see.
    pub fn policy(&mut self, policy: Policy, on: bool) -> &mut Self {
        let (field, name) = policy.of(&mut self.machine.policies);
        self.root.cx.set(
            field,
            name,
            Spanned::new(on, Context::MACHINE),
            Context::MACHINE,
        );
        self
    }

    /// The root state, for what has no method here.
    pub fn root(&mut self) -> StateBuilder<'_> {
        StateBuilder {
            cx: self.root.cx,
            item: self.root.item,
            span: Context::MACHINE,
        }
    }

    /// Adds a state.
    pub fn state(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut StateBuilder<'_>),
    ) -> &mut Self {
        self.root.state(name, describe);
        self
    }

    /// Adds a final state.
    pub fn final_state(&mut self, name: impl Into<String>) -> &mut Self {
        self.root.final_state(name);
        self
    }

    /// Adds a region; all states must then be in regions.
    pub fn region(
        &mut self,
        name: impl Into<String>,
        describe: impl FnOnce(&mut RegionBuilder<'_>),
    ) -> &mut Self {
        self.root.region(name, describe);
        self
    }

    /// Says where the machine starts.
    pub fn initial(&mut self, target: impl Into<String>) -> InitialBuilder<'_> {
        self.root.initial(target)
    }

    /// Adds a history point of the whole machine.
    pub fn history(&mut self, name: impl Into<String>) -> HistoryBuilder<'_> {
        self.root.history(name)
    }

    /// Adds a transition of the root on an event; with `interrupt` a global one (SEL-2).
    pub fn on(&mut self, event: impl Into<String>) -> TransitionBuilder<'_> {
        self.root.on(event)
    }

    /// Adds a transition of the root on any event.
    pub fn on_any(&mut self) -> TransitionBuilder<'_> {
        self.root.on_any()
    }

    /// Adds a transition of the root on a named timer.
    pub fn on_timer(&mut self, timer: impl Into<String>) -> TransitionBuilder<'_> {
        self.root.on_timer(timer)
    }

    /// Adds a transition of the root whenever its guard holds.
    pub fn always(&mut self) -> TransitionBuilder<'_> {
        self.root.always()
    }

    /// Begins a transition that all states of the first level have (CODE-8).
    pub fn any_state(&mut self) -> super::AnyState<'_> {
        self.root.any_state()
    }
}
