//! How code reaches user code that looks at nothing but the blackboard: without a view of the agent, so that its bytes
//! are enough.

use statewright_kernel::fused::{ByNumber, CallSite, Linkage};
use statewright_kernel::{ActionCx, GuardCx, Mode, Status, Verdict};

use crate::kernel_side::{KernelHost, kind_of, status_of};
use crate::log::{Called, Kind};
use crate::scripted_user_code::UserAction;

/// Asks the host for everything by its number; the functions of a mask need no view.
#[derive(Clone, Copy, Debug)]
pub struct Plainly<const PLAIN: u64>;

impl<'s, const PLAIN: u64> Linkage<KernelHost<'s>> for Plainly<PLAIN> {
    fn guard<const N: u16>(host: &KernelHost<'s>, view: GuardCx<'_, '_>) -> Verdict {
        ByNumber::guard::<N>(host, view)
    }

    fn score<const N: u16>(host: &KernelHost<'s>, view: GuardCx<'_, '_>) -> f32 {
        ByNumber::score::<N>(host, view)
    }

    fn value<const N: u16>(host: &KernelHost<'s>, view: GuardCx<'_, '_>) -> [u32; 3] {
        ByNumber::value::<N>(host, view)
    }

    fn action<const N: u16>(host: &mut KernelHost<'s>, actor: ActionCx<'_, '_>) {
        ByNumber::action::<N>(host, actor);
    }

    fn activity<const N: u16>(
        host: &mut KernelHost<'s>,
        mode: Mode,
        actor: ActionCx<'_, '_>,
    ) -> Status {
        ByNumber::activity::<N>(host, mode, actor)
    }

    fn read_key<const N: u16>(host: &KernelHost<'s>) -> [u32; 3] {
        ByNumber::read_key::<N>(host)
    }

    fn write_key<const N: u16>(host: &mut KernelHost<'s>, words: [u32; 3]) {
        ByNumber::write_key::<N>(host, words);
    }

    #[inline(always)]
    fn is_plain<const N: u16>() -> bool {
        const { (N as u32) < u64::BITS && PLAIN >> N & 1 == 1 }
    }

    fn plain_guard<const N: u16>(host: &KernelHost<'s>, call: &'static CallSite) -> Verdict {
        host.judge_plainly(N, call)
    }

    fn plain_score<const N: u16>(host: &KernelHost<'s>, call: &'static CallSite) -> f32 {
        host.rate_plainly(N, call)
    }

    fn plain_value<const N: u16>(host: &KernelHost<'s>, call: &'static CallSite) -> [u32; 3] {
        host.value_plainly(N, call)
    }

    fn plain_action<const N: u16>(host: &mut KernelHost<'s>, call: &'static CallSite) {
        host.act_plainly(N, call);
    }

    fn plain_activity<const N: u16>(
        host: &mut KernelHost<'s>,
        mode: Mode,
        call: &'static CallSite,
    ) -> Status {
        host.run_plainly(N, mode, call)
    }
}

/// Calls without a view.
impl KernelHost<'_> {
    fn judge_plainly(&self, function: u16, call: &CallSite) -> Verdict {
        let called = self.called_plainly(Kind::Guard, function, call);
        let result = self.user_code.borrow_mut().guard(called);
        Verdict {
            holds: result.holds,
            code: result.code,
        }
    }

    fn rate_plainly(&self, function: u16, call: &CallSite) -> f32 {
        let called = self.called_plainly(Kind::Score, function, call);
        self.user_code.borrow_mut().score(called).0
    }

    fn value_plainly(&self, function: u16, call: &CallSite) -> [u32; 3] {
        let called = self.called_plainly(Kind::Value, function, call);
        let rom = self.compiled.output.rom.as_rom();
        let record = rom.function(call.function()).expect("the function");
        self.user_code.borrow_mut().value(called, record.ty.get()).0
    }

    fn act_plainly(&mut self, function: u16, call: &CallSite) {
        let called = self.called_plainly(Kind::Action, function, call);
        self.do_plainly(called);
    }

    fn run_plainly(&mut self, function: u16, mode: Mode, call: &CallSite) -> Status {
        let called = self.called_plainly(kind_of(mode), function, call);
        let name = called.function.clone();
        self.do_plainly(called);
        status_of(self.user_code.get_mut().activity(&name))
    }

    /// Such a function does nothing but write keys.
    fn do_plainly(&mut self, called: Called) {
        let user_code = self.user_code.get_mut();
        for action in user_code.act(called) {
            match action {
                UserAction::Set(key, words) => user_code.keys[key] = words,
                other => panic!("{other:?} needs a view"),
            }
        }
    }
}
