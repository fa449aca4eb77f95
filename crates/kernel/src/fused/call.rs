//! Where a call of user code stands, and with what.

use statewright_rom::Coded;
use statewright_rom::ids::{FunctionId, StateId, TransitionId};
use statewright_rom::layout::ActionOp;
use zerocopy::byteorder::little_endian::{U16, U32};

use crate::context::Site;
use crate::host::Cause;

/// A call of user code: function, first argument and how many, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct CallSite {
    /// Whether arguments are computed.
    pub(crate) kind: Coded<ActionOp>,
    pub(crate) function: U16,
    pub(crate) arguments: (U32, u8),
    pub(crate) site: Site,
}

impl CallSite {
    /// Of a state, and of a transition unless its number is 0xFFFF, without an event.
    pub const fn new(state: u16, transition: u16) -> Self {
        Self {
            kind: ActionOp::Call.coded(),
            function: U16::new(0),
            arguments: (U32::new(0), 0),
            site: Site {
                state: match StateId::new(state) {
                    Some(state) => state,
                    None => StateId::ROOT,
                },
                transition: TransitionId::new(transition),
                cause: Cause::None,
            },
        }
    }

    /// The same with a function that is called with so many literal arguments from one on.
    #[must_use]
    pub const fn calling(self, function: u16, first: u32, count: u8) -> Self {
        Self {
            function: U16::new(function),
            arguments: (U32::new(first), count),
            ..self
        }
    }

    /// Its state.
    pub const fn state(&self) -> StateId {
        self.site.state
    }

    /// Its function.
    pub fn function(&self) -> FunctionId {
        FunctionId::read(self.function).unwrap_or(FunctionId::FIRST)
    }

    /// The same where arguments are computed before the call.
    #[must_use]
    pub const fn computed(self) -> Self {
        Self {
            kind: ActionOp::CallWith.coded(),
            ..self
        }
    }
}
