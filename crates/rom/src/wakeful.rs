//! Which states keep an agent awake, and why (SYS-2).

use crate::code::op;
use crate::ids::*;
use crate::layout::*;
use crate::view::Rom;

/// Why the agents of a state want every tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeful {
    /// It has an activity.
    Activity,
    /// It has update actions (LANG-10).
    Update,
    /// An eventless transition asks user code.
    Asks(FunctionId),
    /// An eventless transition asks how long the state is active.
    Time,
    /// An eventless transition looks at the payload of an event.
    Payload,
    /// An eventless transition depends on chance.
    Chance,
    /// An eventless transition looks at scratch, which functions of the host write.
    Scratch,
    /// An `always` transition without a condition waits for something else.
    Unconditional,
    /// An eventless transition has a score, a cooldown, a debounce time, a stack or a choice, or
    /// may be stored.
    Timing,
    /// The machine has states that are not left at any time, and this one has an eventless
    /// transition.
    ExitConditions,
}

impl Rom<'_> {
    /// Why a state by itself keeps its agents awake; `None` if they may sleep. Eventless
    /// transitions that look at nothing but blackboard keys, parameters and active states do
    /// not: nothing changes for them while an agent sleeps and nobody writes to its blackboard.
    pub fn wakeful(&self, state: StateId) -> Option<Wakeful> {
        let record = self.state(state)?;
        if record.activity.get() != NONE {
            return Some(Wakeful::Activity);
        }
        if record.flags.get() & state_flag::UPDATE != 0 {
            return Some(Wakeful::Update);
        }
        if record.kind == StateKind::Choice {
            return None;
        }
        self.transitions_of(state)
            .iter()
            .find_map(|transition| self.wakeful_transition(transition))
    }

    /// May an agent sleep in a leaf although it polls? Not if that may be for a transition that
    /// waits (SEL-6).
    pub fn may_sleep_in(&self, leaf: StateId) -> bool {
        !self.has(feature::LATCH)
            && self
                .path_up(leaf)
                .all(|state| self.wakeful(state).is_none())
    }

    /// Does an agent in a leaf poll, as far as its states say? Whoever does not is never asked
    /// whether it may sleep all the same.
    pub fn polls_in(&self, leaf: StateId) -> bool {
        let has_eventless = |state: StateId| {
            let mut triggers = self.transitions_of(state).iter();
            triggers.any(|one| {
                SpecialTrigger::read(one.trigger).is_some_and(SpecialTrigger::is_eventless)
            })
        };
        self.path_up(leaf).any(|state| {
            let record = self.state(state);
            let runs = record.is_some_and(|record| {
                record.activity.get() != NONE || record.flags.get() & state_flag::UPDATE != 0
            });
            runs || has_eventless(state)
        })
    }

    fn wakeful_transition(&self, transition: &TransitionRecord) -> Option<Wakeful> {
        const UNSTEADY: u16 = transition_flag::SCORED
            | transition_flag::PUSH
            | transition_flag::POP
            | transition_flag::LATCH
            | transition_flag::CHOICE;
        let trigger = SpecialTrigger::read(transition.trigger).filter(|it| it.is_eventless())?;
        if transition.extra.get() != NONE || transition.flags.get() & UNSTEADY != 0 {
            return Some(Wakeful::Timing);
        }
        if self.has(feature::EXIT_CONDITIONS) {
            return Some(Wakeful::ExitConditions);
        }
        match OpId::read(transition.guard).and_then(|guard| self.op(guard)) {
            None if trigger == SpecialTrigger::Always => Some(Wakeful::Unconditional),
            None => None,
            Some(guard) if guard.kind != ActionOp::Evaluate => {
                FunctionId::read(guard.a).map(Wakeful::Asks)
            }
            Some(guard) => ExpressionId::read(guard.a)
                .and_then(|expression| self.wakeful_expression(expression)),
        }
    }

    fn wakeful_expression(&self, expression: ExpressionId) -> Option<Wakeful> {
        self.code_of(expression)
            .iter()
            .find_map(|instruction| match instruction.op {
                op::CALL_GUARD | op::CALL_VALUE => {
                    let guard = OpId::read(instruction.b).and_then(|guard| self.op(guard));
                    Some(Wakeful::Asks(
                        guard
                            .and_then(|guard| FunctionId::read(guard.a))
                            .unwrap_or(FunctionId::FIRST),
                    ))
                }
                op::TICKS_IN_STATE => Some(Wakeful::Time),
                op::PAYLOAD | op::PAYLOAD_FIELD => Some(Wakeful::Payload),
                op::RANDOM | op::RANDOM_I32 | op::RANDOM_F32 => Some(Wakeful::Chance),
                op::SCRATCH => Some(Wakeful::Scratch),
                _ => None,
            })
    }
}
