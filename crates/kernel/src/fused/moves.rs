//! What transitions that are code leave to the tables (EXEC-1, RAM-7).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use super::{CallSite, Fuse, Host};
use crate::instance::event::{Class, Event};
use crate::tick::Tick;

/// What is taken.
impl Fuse<'_, '_> {
    /// Keeps an event of the inbox for later (EVT-5).
    #[inline(never)]
    pub fn defer(&mut self, event: &Event) {
        let mut event = *event;
        event.stamp.set(self.cx.now);
        event.class = event.class.min(Class::Critical as u8);
        event.flags = 0;
        self.cx.defer(event, None);
    }

    /// The timer that fires first of those whose slots are due; 0xFFFF if none of them fires.
    #[inline(never)]
    pub fn due_timer(&self, due: u8) -> u16 {
        let due = self.cx.due_timer(due);
        due.map_or(NONE, |due| due.timer.raw())
    }
}

/// What is left to the tables.
impl Fuse<'_, '_> {
    /// Carries out a transition whose way is found at run time. A fault is looked at after it.
    #[inline(never)]
    pub fn carry_out(&mut self, host: &mut dyn Host, transition: u16) {
        let cause = self.cx.fixed_cause.cause();
        let Some(id) = self.cx.proved(TransitionId::new(transition)) else {
            return;
        };
        if let Err(fault) = Tick::new(self.cx, host, None).commit_found(id, cause) {
            self.cx.raise(fault);
        }
    }

    /// Records the history points of a state that is about to be left (EXEC-4).
    #[inline(never)]
    pub fn record(&mut self, state: u16) {
        if let Some(state) = self.cx.proved(StateId::new(state)) {
            self.cx.record_points(state);
        }
    }

    /// Frees the channels of a state that is left (CODE-7).
    #[inline(never)]
    pub fn release(&mut self, host: &mut dyn Host, call: &'static CallSite) {
        let site = self.cx.fixed_site(call);
        Tick::new(self.cx, host, None).release_channels(&site);
    }

    /// What begins when the transition is taken, just before its effect.
    #[inline(never)]
    pub fn begin_transition(&mut self, host: &mut dyn Host) {
        let cause = self.cx.fixed_cause.cause();
        let candidate = self
            .cx
            .fixed_transition
            .and_then(|id| self.cx.candidate(id));
        if let Some(candidate) = candidate {
            Tick::new(self.cx, host, None).begin(&candidate, cause);
        }
    }

    /// Arms the timers of a state that is entered whose durations are found now.
    #[inline(never)]
    pub fn arm_computed(&mut self, host: &mut dyn Host, call: &'static CallSite) {
        let site = self.cx.fixed_site(call);
        Tick::new(self.cx, host, None).arm_computed_timers(&site);
    }

    /// An `every` is taken whose duration is found now.
    #[inline(never)]
    pub fn move_on_computed(&mut self, host: &mut dyn Host, timer: u16) {
        let found = TimerId::new(timer).and_then(|id| Some((id, self.cx.rom.timer(id)?)));
        if let Some((timer, record)) = self.cx.proved(found)
            && let Some(slot) = self.cx.proved(TimerSlot::new(record.place))
        {
            Tick::new(self.cx, host, None).move_on(timer, record, slot);
        }
    }
}
