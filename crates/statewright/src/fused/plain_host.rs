//! User code that needs no view of its agent, and nothing else: the host of an agent that is ticked by itself.

use std::cell::Cell;

use statewright_kernel::fused::CallSite;
use statewright_kernel::{ActionCx, Command, GuardCx, Host, Mode, Status, Verdict};
use statewright_rom::ids::{FunctionId, KeyId};

use crate::pipeline::CallPlace;

/// A call of a function that needs no view of the agent: dropped only if it unwinds.
struct Unwinding<'c>(&'c Cell<Option<CallPlace>>, &'static CallSite);

impl Drop for Unwinding<'_> {
    #[cold]
    fn drop(&mut self) {
        let place = CallPlace::new(self.1.function(), self.1.state());
        self.0.set(Some(place));
    }
}

/// Calls a function that needs no view of the agent; if it unwinds, somebody is told from where.
#[inline(always)]
pub(crate) fn call_plain<R>(
    unwound: &Cell<Option<CallPlace>>,
    call: &'static CallSite,
    code: impl FnOnce() -> R,
) -> R {
    let unwinding = Unwinding(unwound, call);
    let result = code();
    std::mem::forget(unwinding);
    result
}

/// User code of an agent that is ticked by itself, on nothing but its bytes.
pub(crate) struct PlainHost<'h, B, C> {
    pub(crate) board: &'h mut B,
    pub(crate) context: &'h C,
    /// The call that unwound.
    pub(crate) unwound: &'h Cell<Option<CallPlace>>,
}

impl<B, C> PlainHost<'_, B, C> {
    /// Asks a function.
    #[inline(always)]
    pub(crate) fn ask_plain<R>(&self, call: &'static CallSite, code: fn(&B, &C) -> R) -> R {
        call_plain(self.unwound, call, || code(self.board, self.context))
    }

    /// Lets a function act.
    #[inline(always)]
    pub(crate) fn act_plain<R>(
        &mut self,
        call: &'static CallSite,
        code: impl FnOnce(&mut B, &C) -> R,
    ) -> R {
        call_plain(self.unwound, call, || code(self.board, self.context))
    }
}

/// Code that works on bytes calls none of these.
impl<B, C> Host for PlainHost<'_, B, C> {
    fn guard(&self, _: FunctionId, _: GuardCx<'_, '_>) -> Verdict {
        Verdict::from(false)
    }

    fn score(&self, _: FunctionId, _: GuardCx<'_, '_>) -> f32 {
        0.0
    }

    fn value(&self, _: FunctionId, _: GuardCx<'_, '_>) -> [u32; 3] {
        [0; 3]
    }

    fn action(&mut self, _: FunctionId, _: ActionCx<'_, '_>) {}

    fn activity(&mut self, _: FunctionId, _: Mode, _: ActionCx<'_, '_>) -> Status {
        Status::Running
    }

    fn command(&mut self, _: &Command) -> bool {
        false
    }

    fn read_key(&self, _: KeyId) -> [u32; 3] {
        [0; 3]
    }

    fn write_key(&mut self, _: KeyId, _: [u32; 3]) {}
}
