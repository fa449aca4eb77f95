//! Nothing but the bytes of an agent, for code that needs no more.

use statewright_rom::Rom;
use statewright_rom::ids::VariantId;

use super::{CallSite, Fuse, Host, Linkage, Mode, Polled, Quiet, Status, Step, Work};
use crate::host::Verdict;
use crate::instance::event::Event;
use crate::instance::ram::Ram;
use crate::instance::{Instance, RawParts};
use crate::poll::{Halt, has_only_deferred};

/// What all agents of a batch have in common, and what came of the last one.
#[derive(Debug)]
pub struct Shared<'a> {
    rom: &'a Rom<'a>,
    now: u32,
    variants: &'a [VariantId],
    /// Place of the agent in its batch.
    place: usize,
    /// The event that is taken.
    event: Option<&'a Event>,
    /// Where asking ended.
    halt: Halt,
}

impl<'a> Shared<'a> {
    #[inline(always)]
    pub(crate) fn new(rom: &'a Rom<'a>, now: u32, variants: &'a [VariantId]) -> Self {
        Self {
            rom,
            now,
            variants,
            place: 0,
            event: None,
            halt: Halt::NONE,
        }
    }
}

/// What code asks of an agent besides its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Parameters: those of its variant.
    pub variant: bool,
    /// What its event carries.
    pub payload: bool,
    /// Polling calls functions that look at more than the blackboard, or does what needs more than bytes: agents that
    /// poll are [`Calling`](super::Calling).
    pub calls: bool,
}

impl Needs {
    /// That is not known.
    pub const ALL: Self = Self {
        variant: true,
        payload: true,
        calls: false,
    };
}

/// An agent of any tier as nothing but bytes.
#[derive(Debug)]
pub struct AnyBare<'r, 'a> {
    ram: Ram<'r>,
    shared: &'r mut Shared<'a>,
}

impl<'r, 'a> AnyBare<'r, 'a> {
    /// The agent at a place, which takes an event or none.
    #[inline(always)]
    pub(crate) fn new(
        ram: Ram<'r>,
        shared: &'r mut Shared<'a>,
        (place, event): (usize, Option<&'a Event>),
        needs: Needs,
    ) -> Self {
        if needs.variant {
            shared.place = place;
        }
        if needs.payload {
            shared.event = event;
        }
        Self { ram, shared }
    }

    /// Of the tier that code was written for.
    #[inline(always)]
    pub fn of<I: Instance>(self) -> Option<Bare<'r, 'a, I>> {
        let (instance, shared) = (I::of_ram(self.ram)?, self.shared);
        Some(Bare { instance, shared })
    }
}

/// An agent as nothing but bytes.
#[derive(Debug)]
pub struct Bare<'r, 'a, I> {
    instance: &'r mut I,
    shared: &'r mut Shared<'a>,
}

impl<I> Bare<'_, '_, I> {
    /// What polling came to, with the rest.
    #[inline(always)]
    pub fn polled(&self, quiet: Quiet) -> Step {
        match quiet {
            Quiet::Done => Step::Polled(Polled::Done),
            Quiet::Settled => Step::Polled(Polled::Settled),
            Quiet::Halted => Step::Polled(Polled::Halted(self.shared.halt)),
            Quiet::Slow | Quiet::Failed => Step::Tables,
        }
    }
}

impl<'a, I: Instance> Work<I> for Bare<'_, 'a, I> {
    const BARE: bool = true;

    type Again<'x>
        = Bare<'x, 'a, I>
    where
        Self: 'x;

    #[inline(always)]
    fn again(&mut self) -> Bare<'_, 'a, I> {
        Bare {
            instance: self.instance,
            shared: self.shared,
        }
    }

    #[inline(always)]
    fn bytes(&self) -> Option<&I> {
        Some(self.instance)
    }

    #[inline(always)]
    fn with_parts(&mut self, work: impl FnOnce(RawParts<'_>)) {
        work(self.instance.raw_parts());
    }

    #[inline(always)]
    fn apart<R>(&mut self, otherwise: R, _: impl FnOnce(Fuse<'_, '_>) -> R) -> R {
        otherwise
    }

    #[inline(always)]
    fn now(&self) -> u32 {
        self.shared.now
    }

    #[inline(always)]
    fn has_only_deferred(&self) -> bool {
        has_only_deferred(self.shared.rom, self.instance)
    }

    #[inline]
    fn parameter(&self, word: usize, words: usize) -> u32 {
        let variant = self.shared.variants.get(self.shared.place);
        let row = variant.map_or(0, |variant| variant.index().wrapping_mul(words));
        let values = self.shared.rom.parameter_values();
        let value = values.get(row.wrapping_add(word));
        value.map_or(0, |value| value.word.get())
    }

    #[inline]
    fn payload(&self) -> [u32; 3] {
        self.shared.event.map_or([0; 3], |event| {
            let [x, y, z, _] = event.words();
            [x, y, z]
        })
    }

    #[inline(always)]
    fn begin(&mut self) {}

    #[inline(always)]
    fn failure(&self) -> Quiet {
        Quiet::Settled
    }

    #[inline(always)]
    fn finish(&mut self) -> Quiet {
        Quiet::Done
    }

    #[inline]
    fn stop_asking(&mut self, halt: Halt) {
        self.shared.halt = halt;
    }

    #[inline(always)]
    fn taking(&mut self, _: u16) {}

    /// It had no queued events, and nobody could post one.
    #[inline(always)]
    fn taken(&mut self, _: bool) {}

    #[inline(always)]
    fn because_of_timer(&mut self, _: u16) {}

    /// Whoever is taken so far rests afterwards, and runs nothing.
    #[inline(always)]
    fn mark_fresh(&mut self, _: u8, _: u8) {}

    #[inline(always)]
    fn ask_guard<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> Verdict {
        L::plain_guard::<N>(host, call)
    }

    #[inline(always)]
    fn ask_score<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> f32 {
        L::plain_score::<N>(host, call)
    }

    #[inline(always)]
    fn ask_value<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &H,
        call: &'static CallSite,
    ) -> [u32; 3] {
        L::plain_value::<N>(host, call)
    }

    #[inline(always)]
    fn run_action<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        call: &'static CallSite,
    ) {
        L::plain_action::<N>(host, call);
    }

    #[inline(always)]
    fn run_activity<L: Linkage<H>, H: Host, const N: u16>(
        &mut self,
        host: &mut H,
        mode: Mode,
        call: &'static CallSite,
    ) -> Status {
        L::plain_activity::<N>(host, mode, call)
    }
}
