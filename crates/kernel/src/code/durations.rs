//! How long: ticks of a duration, found where it is armed or asked (LANG-3).

use statewright_rom::ids::{ExpressionId, StateId, TimerId, TimerSlot, TransitionId};
use statewright_rom::layout::*;

use crate::code::eval::evaluate;
use crate::context::{Context, Site};
use crate::host::Cause;
use crate::host::trace::Trace;
use crate::instance::rng::Rng;
use crate::tick::Tick;

/// What needs no host: ticks and parameters.
impl Context<'_> {
    /// Ticks of a debounce or a min-active time; 0 for none.
    #[inline]
    pub(crate) fn ticks_asked(&self, word: DurationWord) -> u32 {
        self.rom.ticks_asked(word, self.variant())
    }

    fn draw_ticks(&mut self, low: u32, high: u32) -> u32 {
        let count = high.saturating_sub(low).saturating_add(1);
        let drawn = Rng::new(&mut self.ram.header_mut().rng).below(count);
        low.saturating_add(drawn).clamp(1, MAX_TICKS)
    }
}

impl Tick<'_, '_> {
    /// Ticks of a duration that begins now; 0 for none.
    #[inline]
    pub(crate) fn ticks(&mut self, word: DurationWord, site: &Site) -> u32 {
        match word.known() {
            Some(ticks) => ticks,
            None => self.computed_ticks(word, site),
        }
    }

    #[cold]
    #[inline(never)]
    fn computed_ticks(&mut self, word: DurationWord, site: &Site) -> u32 {
        let Some(record) = self.cx.proved(self.cx.rom.computed_duration(word)) else {
            return 1;
        };
        let rng = self.rng_before();
        let ticks = match record.kind.get() {
            DurationKind::Parameter => self.cx.rom.parameter_ticks(record, self.cx.variant()),
            DurationKind::Range => self.cx.draw_ticks(record.low.get(), record.high.get()),
            DurationKind::Expression => {
                let expression = self.cx.proved(ExpressionId::read(record.index));
                let [seconds, ..] =
                    expression.map_or([0; 3], |it| evaluate(self.cx, self.host, it, site, None));
                self.cx.rom.ticks_of(f32::from_bits(seconds))
            }
        };
        self.tell_notes();
        self.tell_draws(None, rng);
        ticks
    }

    /// Arms the timers of a state that is entered whose durations are not in the ROM, in
    /// declaration order.
    #[cold]
    #[inline(never)]
    pub(crate) fn arm_computed_timers(&mut self, site: &Site) {
        for timer in self.cx.rom.timers_of(site.state) {
            if timer.kind.get().is_armed_on_entry() && timer.duration.known().is_none() {
                let ticks = self.ticks(timer.duration, site);
                let deadline = self.cx.now.wrapping_add(ticks);
                let slots = timer.timer_slots().take(1);
                slots.for_each(|slot| self.cx.arm(slot, deadline));
            }
        }
    }

    /// An `every` is taken: its deadline moves on by the smallest multiple of its duration that lies
    /// after now (LANG-2). So nothing drifts, and what was missed is not made up for.
    ///
    /// ```text
    /// deadline 10, every 4, taken at 10 ─▶ 14     taken at 13 ─▶ 14     taken at 14 ─▶ 18
    /// ```
    pub(crate) fn move_on(&mut self, timer: TimerId, record: &TimerRecord, slot: TimerSlot) {
        let Some(state) = self.cx.proved(StateId::read(record.owner)) else {
            return;
        };
        let site = Site {
            state,
            transition: TransitionId::read(record.transition),
            cause: Cause::Timer(timer),
        };
        let step = self.ticks(record.duration, &site).max(1);
        let deadline = self.cx.time(slot);
        let late = self.cx.now.wrapping_sub(deadline);
        let missed = late.wrapping_sub(late.checked_rem(step).unwrap_or(0));
        let next = deadline.wrapping_add(missed).wrapping_add(step);
        self.cx.arm(slot, next);
    }

    /// Tells the tracer of an `every` that goes on.
    #[cold]
    pub(crate) fn trace_moved_on(&mut self, timer: TimerId, slot: TimerSlot) {
        if !self.host.is_outline() {
            let deadline = self.cx.time(slot);
            self.host.trace(&Trace::TimerSet(timer, deadline));
        }
    }
}
