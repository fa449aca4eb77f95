//! The queue of an instance: admission, eviction, coalescing, age, and which event is next (EVT-2
//! to EVT-5).

use statewright_rom::ids::{EventId, TimerId, TimerSlot};
use statewright_rom::layout::{EventRecord, event_flag as type_flag, policy};

use crate::context::Context;
use crate::counters::{Loss, count};
use crate::fault::Fault;
use crate::instance::event::{Class, Event, event_flag};
use crate::instance::flag;

/// What became of a posted event (EVT-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is queued.
    Admitted,
    /// It replaced the payload of a queued one.
    Coalesced,
    /// It is lost, and counted.
    Dropped,
}

/// The next event (EVT-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A due timer and the slot of its run.
    Timer(TimerId, TimerSlot),
    /// A position in the queue.
    Queued(usize),
    /// The head of the inbox.
    Inbox,
}

/// Admission.
impl Context<'_> {
    /// Puts an event into the queue if there is room for its class (EVT-3).
    pub(crate) fn admit(&mut self, mut event: Event) -> Admission {
        if self.has_policy(policy::INTERNAL_FIRST) {
            event.class = Class::Normal as u8;
        }
        let ended = self.ram.header().flags.get() & flag::ENDED != 0;
        if ended {
            return self.drop_event(&event, Loss::Ended);
        }
        if known_event(self, &event).is_none() {
            return self.drop_event(&event, Loss::Unknown);
        }
        if self.is_coalescing(&event) && self.coalesce(&event) {
            self.lose(&event, Loss::Coalesced);
            return Admission::Coalesced;
        }
        if !self.has_room(event.class) {
            self.remove_expired(None);
        }
        if !self.has_room(event.class) && !self.evict_for(event.class) {
            if self.has_policy(policy::INTERNAL_FIRST) || self.rom.quarantines_overflow() {
                self.raise(Fault::QueueOverflow);
            }
            self.ram.set_flag(flag::QUEUE_OVERFLOW);
            return self.drop_event(&event, Loss::Overflow);
        }
        self.push_event(event);
        self.ram.set_flag(flag::WORK);
        Admission::Admitted
    }

    fn is_coalescing(&self, event: &Event) -> bool {
        let record = self.event_of(event);
        record.is_some_and(|record| record.flags & type_flag::COALESCE != 0)
    }

    /// The type of an event that was let in or checked.
    fn event_of(&self, event: &Event) -> Option<&EventRecord> {
        self.event(self.proved(event.id())?)
    }

    fn drop_event(&mut self, event: &Event, loss: Loss) -> Admission {
        self.lose(event, loss);
        Admission::Dropped
    }

    /// Gives payload and stamp to a queued event of the same type, if there is one. What may not be
    /// seen before the next tick does not change what may (TICK-7).
    fn coalesce(&mut self, event: &Event) -> bool {
        let alike = |queued: &&mut Event| {
            queued.id == event.id && queued.has(event_flag::HIDDEN) == event.has(event_flag::HIDDEN)
        };
        let Some(queued) = self.ram.queue_mut().iter_mut().find(alike) else {
            return false;
        };
        queued.payload = event.payload;
        queued.stamp = event.stamp;
        true
    }

    /// Is there a place for an event of a class? One place is kept for interrupts where there are
    /// several; with `internal_first` there are none to keep it for (EVT-10).
    fn has_room(&self, class: u8) -> bool {
        let (places, queue) = (self.ram.events().len(), self.ram.queue());
        let general =
            class <= Class::Normal as u8 && places > 1 && !self.has_policy(policy::INTERNAL_FIRST);
        queue.len() < places && (!general || general_count(queue) < places.saturating_sub(1))
    }

    /// Removes the oldest event of the lowest class below the given one.
    fn evict_for(&mut self, class: u8) -> bool {
        if class < Class::Interrupt as u8 || self.ram.queue().len() < self.ram.events().len() {
            return false;
        }
        let lower = self
            .ram
            .queue()
            .iter()
            .enumerate()
            .filter(|(_, queued)| queued.class < class);
        let lowest = lower.min_by_key(|(_, queued)| queued.class);
        let position = lowest.map(|(position, _)| position);
        let Some(evicted) = position.and_then(|position| self.remove_event(position)) else {
            return false;
        };
        self.lose(&evicted, Loss::Evicted);
        true
    }
}

/// Queued events of the classes Low and Normal.
fn general_count(queue: &[Event]) -> usize {
    queue
        .iter()
        .filter(|event| event.class <= Class::Normal as u8)
        .count()
}

/// Age (EVT-5).
impl Context<'_> {
    fn has_expired(&self, event: &Event) -> bool {
        let ttl = self
            .event_of(event)
            .map_or(0, |record| record.ttl_ticks.get());
        // The stamps of a paused instance are ages (SYS-9).
        let paused = self.ram.has(flag::PAUSED);
        let age = if paused {
            event.stamp.get()
        } else {
            self.now.wrapping_sub(event.stamp.get())
        };
        ttl > 0 && age >= ttl
    }

    fn has_expired_at(&self, position: usize) -> bool {
        let event = self.proved(self.ram.queue().get(position));
        event.is_some_and(|event| self.has_expired(event))
    }

    fn expire(&mut self, position: usize) {
        if let Some(event) = self.remove_event(position) {
            self.lose(&event, Loss::Expired);
        }
    }

    /// Removes all expired events but one. Bound: the places of the queue.
    fn remove_expired(&mut self, kept: Option<usize>) {
        for position in (0..self.ram.queue().len())
            .rev()
            .filter(|&position| Some(position) != kept)
        {
            if self.has_expired_at(position) {
                self.expire(position);
            }
        }
    }
}

/// Taking (EVT-2).
impl Context<'_> {
    /// The next event; removes expired ones that stand in front. Bound: each round but the last
    /// removes an event.
    #[inline]
    pub(crate) fn next_event(&mut self, inbox: Option<&Event>) -> Option<Next> {
        if self.ram.header().event_count == 0 && self.ram.header().armed == 0 {
            return inbox.map(|_| Next::Inbox);
        }
        self.next_of_all(inbox)
    }

    #[inline(never)]
    fn next_of_all(&mut self, inbox: Option<&Event>) -> Option<Next> {
        let due = self.due_mask();
        loop {
            let next = self.choose(due, inbox)?;
            let Next::Queued(position) = next else {
                return Some(next);
            };
            if !self.has_expired_at(position) {
                return Some(next);
            }
            self.expire(position);
        }
    }

    fn choose(&self, due: u8, inbox: Option<&Event>) -> Option<Next> {
        if self.ram.header().event_count == 0 && due == 0 {
            return inbox.map(|_| Next::Inbox);
        }
        if self.ram.header().event_count == 0 && inbox.is_none() {
            let timer = self.due_timer(due);
            return timer.map(|due| Next::Timer(due.timer, due.slot));
        }
        if self.has_policy(policy::INTERNAL_FIRST) {
            return self.choose_internal_first(due, inbox);
        }
        let timer = self
            .due_timer(due)
            .map(|due| (due.class, Next::Timer(due.timer, due.slot)));
        let queued = self
            .best_queued()
            .map(|(class, position)| (class, Next::Queued(position)));
        let inbox = inbox.map(|event| (event.class.min(Class::Critical as u8), Next::Inbox));
        // Later ones win only with a higher class.
        [timer, queued, inbox]
            .into_iter()
            .flatten()
            .reduce(|best, other| if other.0 > best.0 { other } else { best })
            .map(|b| b.1)
    }

    /// EVT-10: internal events, then due timers, then external ones.
    fn choose_internal_first(&self, due: u8, inbox: Option<&Event>) -> Option<Next> {
        let visible = |internal: bool| {
            let wanted = move |event: &&Event| {
                is_visible(event) && event.has(event_flag::INTERNAL) == internal
            };
            self.ram
                .queue()
                .iter()
                .position(|event| wanted(&event))
                .map(Next::Queued)
        };
        visible(true)
            .or_else(|| {
                self.due_timer(due)
                    .map(|due| Next::Timer(due.timer, due.slot))
            })
            .or_else(|| visible(false))
            .or_else(|| inbox.map(|_| Next::Inbox))
    }

    /// The oldest visible event of the highest class.
    fn best_queued(&self) -> Option<(u8, usize)> {
        let visible = self
            .ram
            .queue()
            .iter()
            .enumerate()
            .filter(|(_, event)| is_visible(event));
        visible
            .map(|(position, event)| (event.class, position))
            .reduce(|best, other| if other.0 > best.0 { other } else { best })
    }

    /// Is there an event that could be taken?
    pub(crate) fn has_visible_event(&self) -> bool {
        self.ram.queue().iter().any(is_visible)
    }
}

fn is_visible(event: &Event) -> bool {
    event.flags & (event_flag::DEFERRED | event_flag::HIDDEN) == 0
}

/// Deferral (EVT-5).
impl Context<'_> {
    /// Keeps an event for later: one of the queue where it lies, one of the inbox at the end. Drops
    /// it if no general place would stay free.
    pub(crate) fn defer(&mut self, mut event: Event, queued_at: Option<usize>) -> bool {
        if queued_at.is_none() && self.is_coalescing(&event) && self.coalesce(&event) {
            self.lose(&event, Loss::Coalesced);
            return true;
        }
        if !self.leaves_general_place(&event, queued_at) {
            self.remove_expired(queued_at);
        }
        // Removing expired ones moves the event forward.
        let queued_at = queued_at.and_then(|_| {
            let mut queue = self.ram.queue().iter();
            self.proved(queue.position(|queued| *queued == event))
        });
        if !self.leaves_general_place(&event, queued_at) {
            queued_at.map(|position| self.remove_event(position));
            self.lose(&event, Loss::Deferral);
            return false;
        }
        event.flags |= event_flag::DEFERRED;
        match queued_at.and_then(|position| self.ram.queue_mut().get_mut(position)) {
            Some(queued) => *queued = event,
            None => self.push_event(event),
        }
        count(&mut self.counters.deferred);
        true
    }

    /// Would a general place be free with the event in the queue?
    fn leaves_general_place(&self, event: &Event, queued_at: Option<usize>) -> bool {
        let (places, queue) = (self.ram.events().len(), self.ram.queue());
        let own = usize::from(queued_at.is_none());
        let own_general = if event.class <= Class::Normal as u8 {
            own
        } else {
            0
        };
        let general = general_count(queue).saturating_add(own_general);
        general.saturating_add(1) < places && queue.len().saturating_add(own) < places
    }

    /// A change of configuration: everything may be taken again.
    pub(crate) fn clear_marks(&mut self) {
        self.ram
            .queue_mut()
            .iter_mut()
            .for_each(|event| event.flags &= !event_flag::DEFERRED);
    }

    /// The end of a tick: hidden events become visible, and the flag says whether there is work.
    pub(crate) fn show_posted(&mut self) {
        if self.ram.header().event_count == 0 {
            return self.ram.clear_flag(flag::WORK);
        }
        self.ram
            .queue_mut()
            .iter_mut()
            .for_each(|event| event.flags &= !event_flag::HIDDEN);
        let work = self.has_visible_event();
        self.ram.put_flag(flag::WORK, work);
    }
}

/// The event id of an event that exists in the machine.
pub(crate) fn known_event(cx: &Context<'_>, event: &Event) -> Option<EventId> {
    event.id().filter(|&id| cx.rom.event(id).is_some())
}
