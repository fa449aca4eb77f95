//! What user functions hold: a [`GuardCx`] for guards, scorers and value functions, an [`ActionCx`] for
//! actions and activities (CODE-1, SEL-5).

use statewright_rom::Rom;
use statewright_rom::ids::*;
use statewright_rom::layout::{ArgumentRecord, ScratchRecord};

use crate::context::Context;
use crate::counters::Loss;
use crate::events::queue::Admission;
use crate::host::Call;
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::flag;
use crate::instance::rng::Rng;

/// What guards, scorers, actions and activities may all look at.
macro_rules! looking {
    ($who:ident) => {
        impl<'a> $who<'_, 'a> {
            /// Everything about this call (CODE-1).
            pub fn call(&self) -> Call<'_> {
                self.cx.call()
            }

            /// State and transition of this call, as in [`Self::call`]; cheaper.
            #[inline]
            pub fn site(&self) -> (StateId, Option<TransitionId>) {
                self.cx.site_of_call()
            }

            /// The function of this call, as in [`Self::call`]; cheaper.
            #[inline]
            pub fn function(&self) -> FunctionId {
                self.cx.function_of_call()
            }

            /// The arguments of this call, as in [`Self::call`]; cheaper.
            #[inline]
            pub fn arguments(&self) -> &[ArgumentRecord] {
                self.cx.arguments_of_call()
            }

            /// The agent.
            #[inline]
            pub fn agent(&self) -> u64 {
                self.cx.agent()
            }

            /// The tick.
            #[inline]
            pub fn tick(&self) -> u32 {
                self.cx.now
            }

            /// The machine.
            pub fn rom(&self) -> &'a Rom<'a> {
                self.cx.rom
            }

            /// Is a state active?
            pub fn is_active(&self, state: StateId) -> bool {
                self.cx.is_active(state)
            }

            /// Ticks since a state was entered, 0 while it is not active; `None` if it has no
            /// clock.
            pub fn ticks_in_state(&self, state: StateId) -> Option<u32> {
                self.cx.ticks_in_state(state)
            }

            /// Words of a parameter in the agent's variant.
            pub fn parameter(&self, parameter: ParameterId) -> [u32; 3] {
                parameter_words(self.cx, parameter)
            }

            /// Words of scratch; none while its owner is not active.
            pub fn scratch(&self, scratch: ScratchId) -> impl Iterator<Item = u16> + '_ {
                scratch_slots(self.cx, scratch).map(|slot| self.cx.slot(slot))
            }

            /// What the rng holds, without advancing it: for tools that compare runs.
            pub fn peek_rng(&self) -> u32 {
                self.cx.ram.header().rng.get()
            }
        }
    };
}

/// What a guard, a scorer or a value function may look at.
#[derive(Debug)]
pub struct GuardCx<'c, 'a> {
    cx: &'c mut Context<'a>,
}

impl<'c, 'a> GuardCx<'c, 'a> {
    #[inline]
    pub(crate) fn new(cx: &'c mut Context<'a>) -> Self {
        Self { cx }
    }

    /// Random numbers, if the function is declared to use them (SEL-5).
    pub fn rng(&mut self) -> Option<Rng<'_>> {
        let function = self.cx.rom.function(self.function());
        let declared = self
            .cx
            .proved(function)
            .is_some_and(|function| function.rng != 0);
        if declared {
            Some(Rng::new(&mut self.cx.ram.header_mut().rng))
        } else {
            None
        }
    }
}

/// Slots of scratch; none while its owner is not active, because they may belong to another state
/// then (RAM-5).
pub(crate) fn scratch_slots(
    cx: &Context<'_>,
    scratch: ScratchId,
) -> impl Iterator<Item = SlotId> + Clone + use<> {
    let active = |record: &&ScratchRecord| {
        StateId::read(record.owner).is_some_and(|owner| cx.is_active(owner))
    };
    let record = cx.rom.scratch().get(scratch.index()).filter(active);
    let slots = record.map(ScratchRecord::slots);
    slots.into_iter().flatten()
}

/// The first word of a parameter's value, which is all of most.
#[inline]
pub(crate) fn parameter_word(cx: &Context<'_>, parameter: ParameterId) -> u32 {
    let word = cx.rom.parameter_word(cx.variant(), parameter);
    word.unwrap_or(0)
}

#[inline]
pub(crate) fn parameter_words(cx: &Context<'_>, parameter: ParameterId) -> [u32; 3] {
    match cx.rom.parameter_value(cx.variant(), parameter) {
        [x] => [x.word.get(), 0, 0],
        [x, y] => [x.word.get(), y.word.get(), 0],
        [x, y, z, ..] => [x.word.get(), y.word.get(), z.word.get()],
        [] => [0; 3],
    }
}

/// What an action or activity may look at and do.
#[derive(Debug)]
pub struct ActionCx<'c, 'a> {
    cx: &'c mut Context<'a>,
}

/// Looking.
impl<'c, 'a> ActionCx<'c, 'a> {
    #[inline]
    pub(crate) fn new(cx: &'c mut Context<'a>) -> Self {
        Self { cx }
    }

    /// Raised by reset and reload: a token for work outside (EVT-7).
    pub fn generation(&self) -> u16 {
        self.cx.ram.header().generation.get()
    }
}

/// Doing.
impl ActionCx<'_, '_> {
    /// Random numbers.
    pub fn rng(&mut self) -> Rng<'_> {
        Rng::new(&mut self.cx.ram.header_mut().rng)
    }

    /// Posts an external event to the agent itself; the class is the type's unless given (EVT-1).
    pub fn post(&mut self, event: EventId, class: Option<Class>, payload: [u32; 4]) -> Admission {
        self.cx.post_own(event, class, payload, 0)
    }

    /// Posts an internal event to the agent itself (EVT-10).
    pub fn raise(&mut self, event: EventId, payload: [u32; 4]) -> Admission {
        self.cx.post_own(event, None, payload, event_flag::INTERNAL)
    }

    /// Starts a named timer, at least one tick ahead. A timer of a state that is not active is not
    /// started, nor is any by an observer.
    pub fn start_timer(&mut self, timer: TimerId, ticks: u32) {
        if !self.cx.observing {
            self.cx.start_timer(timer, ticks);
        }
    }

    /// Stops a named timer. Observers stop none.
    pub fn stop_timer(&mut self, timer: TimerId) {
        if !self.cx.observing {
            self.cx.stop_timer(timer);
        }
    }

    /// Writes one word of scratch; past its end, while its owner is not active, or in an observer,
    /// nothing happens: `false`.
    pub fn set_scratch(&mut self, scratch: ScratchId, word: u8, value: u16) -> bool {
        let slot = scratch_slots(self.cx, scratch)
            .nth(usize::from(word))
            .filter(|_| !self.cx.observing);
        if let Some(slot) = slot {
            self.cx.set_slot(slot, value);
        }
        slot.is_some()
    }

    /// Forgets what the history points of a state remember (EXEC-4). Observers change no history.
    pub fn clear_history(&mut self, state: StateId) {
        if !self.cx.observing {
            self.cx.clear_history(state);
        }
    }

    /// The host dropped a command of this agent: the flag is set and it is counted (CMD-2).
    pub fn command_dropped(&mut self, critical: bool) {
        self.cx.command_dropped(critical);
    }
}

impl Context<'_> {
    pub(crate) fn command_dropped(&mut self, critical: bool) {
        crate::counters::count(&mut self.counters.commands_dropped);
        self.ram
            .set_flag(flag::COMMAND_DROPPED | if critical { flag::CRITICAL_DROPPED } else { 0 });
    }

    /// Posts from inside a tick (TICK-2).
    pub(crate) fn post_own(
        &mut self,
        id: EventId,
        class: Option<Class>,
        payload: [u32; 4],
        flags: u8,
    ) -> Admission {
        let Some(record) = self.rom.event(id) else {
            self.lose(&Event::new(id, class.unwrap_or_default()), Loss::Unknown);
            return Admission::Dropped;
        };
        let class = class.unwrap_or(record.class.get());
        let mut event = Event::new(id, class).with_words(payload);
        event.stamp.set(self.now);
        event.flags = flags
            | if self.hides_posts() {
                event_flag::HIDDEN
            } else {
                0
            };
        self.admit(event)
    }
}

looking!(GuardCx);
looking!(ActionCx);
