//! The bytes of an agent at hand, and everything else as soon as somebody asks for it.
//!
//! Between two calls code works on the bytes by their type, as [`Bare`](super::Bare) does. A function of the user's
//! that wants to see its agent, or whatever else needs the rest, finds the agent attached for as long as it takes:
//! two pointers are exchanged before and after.

use statewright_rom::ids::{TimerId, TransitionId};

use super::{CallSite, Fuse, Host, Linkage, Mode, Quiet, Status, Step, Work};
use crate::context::{Context, TakenFor};
use crate::host::Verdict;
use crate::instance::ram::AnySlot;
use crate::instance::{Instance, RawParts, flag};
use crate::poll::{Halt, has_only_deferred};

/// An agent of any tier that can be attached.
#[derive(Debug)]
pub struct AnyCalling<'r, 'a> {
    agent: AnySlot<'r, 'a>,
    cx: &'r mut Context<'a>,
}

impl<'r, 'a> AnyCalling<'r, 'a> {
    /// The agent whose turn it is; another one of its tier is attached instead.
    #[inline(always)]
    pub(crate) fn new<I: Instance>(agent: &'r mut &'a mut I, cx: &'r mut Context<'a>) -> Self {
        let agent = I::slot(agent);
        Self { agent, cx }
    }

    /// Of the tier that code was written for.
    #[inline(always)]
    pub fn of<I: Instance>(self) -> Option<Calling<'r, 'a, I>> {
        let (instance, cx) = (I::of_slot(self.agent)?, self.cx);
        Some(Calling { instance, cx })
    }
}

/// An agent that can be attached.
#[derive(Debug)]
pub struct Calling<'r, 'a, I> {
    instance: &'r mut &'a mut I,
    cx: &'r mut Context<'a>,
}

/// An agent that is attached for as long as this lives, unwinding included.
struct Attached<'x, 'a, I: Instance> {
    instance: &'x mut &'a mut I,
    cx: &'x mut Context<'a>,
}

impl<I: Instance> Drop for Attached<'_, '_, I> {
    #[inline(always)]
    fn drop(&mut self) {
        I::exchange(&mut self.cx.ram, self.instance);
    }
}

impl<'a, I: Instance> Calling<'_, 'a, I> {
    /// What polling came to, with the rest.
    #[inline(always)]
    pub fn polled(&mut self, quiet: Quiet) -> Step {
        Fuse::new(self.cx).polled(quiet)
    }

    #[inline(always)]
    fn attached<R>(&mut self, work: impl FnOnce(&mut Context<'a>) -> R) -> R {
        let attached = Attached {
            instance: &mut *self.instance,
            cx: &mut *self.cx,
        };
        I::exchange(&mut attached.cx.ram, attached.instance);
        work(&mut *attached.cx)
    }
}

impl<'a, I: Instance> Work<I> for Calling<'_, 'a, I> {
    const BARE: bool = false;

    type Again<'x>
        = Calling<'x, 'a, I>
    where
        Self: 'x;

    #[inline(always)]
    fn again(&mut self) -> Calling<'_, 'a, I> {
        Calling {
            instance: &mut *self.instance,
            cx: &mut *self.cx,
        }
    }

    #[inline(always)]
    fn bytes(&self) -> Option<&I> {
        Some(&**self.instance)
    }

    #[inline(always)]
    fn with_parts(&mut self, work: impl FnOnce(RawParts<'_>)) {
        work(self.instance.raw_parts());
    }

    #[inline(always)]
    fn apart<R>(&mut self, _: R, work: impl FnOnce(Fuse<'_, '_>) -> R) -> R {
        self.attached(|cx| work(Fuse::new(cx)))
    }

    #[inline(always)]
    fn now(&self) -> u32 {
        self.cx.now
    }

    #[inline(always)]
    fn has_only_deferred(&self) -> bool {
        has_only_deferred(self.cx.rom, &**self.instance)
    }

    #[inline]
    fn parameter(&self, word: usize, words: usize) -> u32 {
        let row = self.cx.variant().index().wrapping_mul(words);
        let value = self.cx.rom.parameter_values().get(row.wrapping_add(word));
        value.map_or(0, |value| value.word.get())
    }

    #[inline]
    fn payload(&self) -> [u32; 3] {
        match self.cx.fixed_cause {
            TakenFor::Event(event) => {
                let [x, y, z, _] = event.words();
                [x, y, z]
            }
            TakenFor::Nothing | TakenFor::Timer(_) => [0; 3],
        }
    }

    /// Whoever calls code on it sees to it that the agent ends if user code unwinds.
    #[inline(always)]
    fn begin(&mut self) {}

    #[inline(always)]
    fn failure(&self) -> Quiet {
        match self.cx.check_fault() {
            Ok(()) => Quiet::Settled,
            Err(_) => Quiet::Failed,
        }
    }

    #[inline(always)]
    fn finish(&mut self) -> Quiet {
        if self.cx.check_fault().is_err() {
            return Quiet::Failed;
        }
        if self.instance.header().has(flag::WORK) {
            self.attached(Context::show_posted);
        }
        Quiet::Done
    }

    #[inline]
    fn stop_asking(&mut self, halt: Halt) {
        self.cx.halt = halt;
    }

    #[inline(always)]
    fn taking(&mut self, transition: u16) {
        self.cx.fixed_transition = TransitionId::new(transition);
    }

    #[inline(always)]
    fn taken(&mut self, moved: bool) {
        self.cx.fixed_transition = None;
        if moved && self.instance.header().event_count != 0 {
            self.attached(Context::clear_marks);
        }
    }

    #[inline(always)]
    fn because_of_timer(&mut self, timer: u16) {
        self.cx.fixed_cause = TimerId::new(timer).map_or(TakenFor::Nothing, TakenFor::Timer);
    }

    #[inline(always)]
    fn mark_fresh(&mut self, line: u8, depth: u8) {
        self.cx.mark_fresh_at(line, depth);
    }

    #[inline(always)]
    fn ask_guard<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> Verdict {
        match L::is_plain::<N>() {
            true => L::plain_guard::<N>(host, call),
            false => self.attached(|cx| L::guard::<N>(host, Fuse::new(cx).look(call))),
        }
    }

    #[inline(always)]
    fn ask_score<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> f32 {
        match L::is_plain::<N>() {
            true => L::plain_score::<N>(host, call),
            false => self.attached(|cx| L::score::<N>(host, Fuse::new(cx).look(call))),
        }
    }

    #[inline(always)]
    fn ask_value<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> [u32; 3] {
        match L::is_plain::<N>() {
            true => L::plain_value::<N>(host, call),
            false => self.attached(|cx| L::value::<N>(host, Fuse::new(cx).look(call))),
        }
    }

    #[inline(always)]
    fn run_action<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        call: &'static CallSite,
    ) {
        match L::is_plain::<N>() {
            true => L::plain_action::<N>(host, call),
            false => self.attached(|cx| L::action::<N>(host, Fuse::new(cx).act(call))),
        }
    }

    #[inline(always)]
    fn run_activity<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        mode: Mode,
        call: &'static CallSite,
    ) -> Status {
        match L::is_plain::<N>() {
            true => L::plain_activity::<N>(host, mode, call),
            false => self.attached(|cx| L::activity::<N>(host, mode, Fuse::new(cx).act(call))),
        }
    }
}
