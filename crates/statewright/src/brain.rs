//! Brains inside leaf states: a behaviour tree, a utility step or anything else that thinks a
//! little in each tick.

use statewright_kernel::{Mode, Status};

use crate::cx::ActionCx;

/// Something that thinks step by step. It lives in the blackboard; an activity lets it think:
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Brain, think};
///
/// /// Counts to three.
/// #[derive(Default)]
/// struct Counting(u32);
///
/// impl Brain<()> for Counting {
///     fn step(&mut self, _: &(), _: &mut ActionCx) -> Status {
///         self.0 += 1;
///         if self.0 == 3 { Status::Succeeded } else { Status::Running }
///     }
///
///     fn cancel(&mut self) {
///         self.0 = 0;
///     }
/// }
///
/// struct Child { brain: Counting }
/// impl Board for Child {}
///
/// #[functions]
/// impl Child {
///     #[activity]
///     fn count(&mut self, mode: Mode, cx: &mut ActionCx) -> Status {
///         think(&mut self.brain, mode, &(), cx)
///     }
/// }
/// ```
pub trait Brain<C> {
    /// One step, in a tick in which its state is active.
    fn step(&mut self, context: &C, cx: &mut ActionCx<'_, '_, '_>) -> Status;

    /// Its state is left: what was begun is given up.
    fn cancel(&mut self) {}
}

/// Lets a brain think, or tells it that its state is left.
pub fn think<C>(
    brain: &mut impl Brain<C>,
    mode: Mode,
    context: &C,
    cx: &mut ActionCx<'_, '_, '_>,
) -> Status {
    match mode {
        Mode::Run => brain.step(context, cx),
        Mode::Cancel => {
            brain.cancel();
            Status::Running
        }
    }
}
