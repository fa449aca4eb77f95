//! Why user code ended an agent: where it was called, and what the panic said (TICK-3).

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;

use statewright_rom::ids::{FunctionId, StateId};

use crate::agent_id::AgentId;
use crate::machine::Machine;

/// Longest message that is kept, in bytes: a panic may print a whole world.
const MESSAGE_BYTES: usize = 500;

/// So many agents of a crowd are remembered with their message.
const REMEMBERED: usize = 256;

/// A call of user code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallPlace {
    function: FunctionId,
    state: StateId,
}

impl CallPlace {
    pub(crate) fn new(function: FunctionId, state: StateId) -> Self {
        Self { function, state }
    }

    /// Who and where: ``agent 5.1 of crowd 9, `Feed` in `duty/work`: ``.
    pub(crate) fn words(self, agent: AgentId, machine: &Machine) -> String {
        let function = machine.function_name(self.function);
        let state = machine.state_name(self.state);
        format!("{agent}, `{function}` in `{state}`: ")
    }
}

/// An agent that a panic in user code ended, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panicked {
    /// The agent.
    pub agent: AgentId,
    /// The function that panicked, if it was one of the machine's.
    pub function: Option<FunctionId>,
    /// The state that it was called for.
    pub state: Option<StateId>,
    /// What the panic said, up to 500 bytes; empty if it carried no text. Where in the code it
    /// happened is known to the panic hook alone, which prints it.
    pub message: String,
    place: String,
}

/// The message with agent, function and state before it.
impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place, self.message)
    }
}

impl Panicked {
    #[cold]
    pub(super) fn new(
        agent: AgentId,
        call: Option<CallPlace>,
        machine: &Machine,
        panic: &(dyn Any + Send),
    ) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or_default();
        let place = match call {
            Some(call) => call.words(agent, machine),
            None => format!("{agent}: "),
        };
        // What our own functions say begins with the place.
        let message = text.strip_prefix(&place).unwrap_or(text);
        Self {
            agent,
            function: call.map(|call| call.function),
            state: call.map(|call| call.state),
            message: message[..message.floor_char_boundary(MESSAGE_BYTES)].to_owned(),
            place,
        }
    }
}

/// What ended agents that are still there, the latest ones. No part of snapshots: it is for people.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panics {
    list: VecDeque<Panicked>,
}

impl Panics {
    pub(crate) fn remember(&mut self, panicked: &Panicked) {
        if self.list.len() == REMEMBERED {
            self.list.pop_front();
        }
        self.list.push_back(panicked.clone());
    }

    pub(crate) fn of(&self, agent: AgentId) -> Option<&Panicked> {
        self.list.iter().rev().find(|seen| seen.agent == agent)
    }

    /// Agents at some indices are others now.
    pub(crate) fn forget(&mut self, is_another: impl Fn(usize) -> bool) {
        self.list
            .retain(|seen| !is_another(seen.agent.index() as usize));
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }
}
