//! Events and their queue: next event, admission, coalescing, age, deferral (EVT-1 to EVT-5,
//! EVT-10).

use statewright_author::value::Class;

use crate::oracle::Oracle;
use crate::report::Quarantine;

/// An event (EVT-1).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Number of its type.
    pub id: usize,
    /// Its class.
    pub class: Class,
    /// Raised by the agent itself (EVT-10).
    pub internal: bool,
    /// Kept for later (EVT-5).
    pub deferred: bool,
    /// Not visible before the end of the tick (TICK-7).
    pub hidden: bool,
    /// Tick of admission or delivery.
    pub stamp: u32,
    /// Its payload.
    pub payload: [u32; 4],
}

/// What became of a posted event (EVT-3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Posted {
    /// It is queued; another one may have had to go.
    Admitted {
        /// The event that was evicted.
        evicted: Option<Event>,
    },
    /// It replaced payload and stamp of a queued one.
    Coalesced,
    /// There was no place.
    Dropped,
}

/// Where the next event comes from (EVT-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A due timer.
    Timer(usize),
    /// A place in the queue.
    Queued(usize),
    /// The head of the inbox.
    Inbox,
}

const CLASSES: [Class; 4] = [Class::Critical, Class::Interrupt, Class::Normal, Class::Low];

/// Low and Normal events use the general places.
fn is_general(event: &Event) -> bool {
    matches!(event.class, Class::Low | Class::Normal)
}

impl Oracle {
    /// The host posts an external event.
    pub fn post(
        &mut self,
        tick: u32,
        event: usize,
        class: Option<Class>,
        payload: [u32; 4],
    ) -> Posted {
        let posted = self.admit(tick, event, class, payload, false, false);
        if let Some(reason) = self.fault.take() {
            self.quarantine(reason);
        }
        self.update_flags();
        posted
    }

    /// Admission (EVT-3).
    pub(crate) fn admit(
        &mut self,
        tick: u32,
        id: usize,
        class: Option<Class>,
        payload: [u32; 4],
        internal: bool,
        hidden: bool,
    ) -> Posted {
        let declared = &self.model.events[id];
        // Classes do not exist with `internal_first` (EVT-10).
        let class = if self.model.internal_first {
            Class::Normal
        } else {
            class.unwrap_or(declared.class)
        };
        if !self.running() {
            self.counters.dropped_ended += 1;
            return Posted::Dropped;
        }
        // A paused agent stores ages instead of stamps (SYS-9).
        let stamp = if self.flags.paused { 0 } else { tick };
        if declared.coalesce
            && let Some(queued) = self
                .queue
                .iter_mut()
                .find(|queued| queued.id == id && queued.hidden == hidden)
        {
            queued.payload = payload;
            queued.stamp = stamp;
            self.counters.coalesced += 1;
            return Posted::Coalesced;
        }
        let event = Event {
            id,
            class,
            internal,
            deferred: false,
            hidden,
            stamp,
            payload,
        };
        if !self.has_place_for(&event) {
            self.remove_expired(tick);
        }
        if self.has_place_for(&event) {
            self.queue.push(event);
            return Posted::Admitted { evicted: None };
        }
        if let Some(place) = self.evicted_by(&event) {
            let evicted = self.queue.remove(place);
            self.counters.evicted[evicted.class as usize] += 1;
            self.queue.push(event);
            return Posted::Admitted {
                evicted: Some(evicted),
            };
        }
        self.counters.dropped_overflow[class as usize] += 1;
        self.flags.queue_overflow = true;
        if self.model.internal_first {
            self.fault.get_or_insert(Quarantine::QueueOverflow);
        }
        Posted::Dropped
    }

    fn has_place_for(&self, event: &Event) -> bool {
        let places = self.model.places;
        let free = self.queue.len() < places;
        let general = self
            .queue
            .iter()
            .filter(|queued| is_general(queued))
            .count();
        // The single place of tier 64 is not reserved, nor is any with `internal_first`.
        free && (places == 1
            || self.model.internal_first
            || !is_general(event)
            || general < places - 1)
    }

    /// The place of the oldest event of the lowest class below that of an Interrupt or Critical
    /// event, if no place is free.
    fn evicted_by(&self, event: &Event) -> Option<usize> {
        if is_general(event) || self.queue.len() < self.model.places {
            return None;
        }
        let lowest = self.queue.iter().map(|queued| queued.class).min()?;
        (lowest < event.class)
            .then(|| self.queue.iter().position(|queued| queued.class == lowest))?
    }

    fn has_expired(&self, event: &Event, tick: u32) -> bool {
        // While paused, stamps are ages.
        let age = if self.flags.paused {
            event.stamp
        } else {
            tick.wrapping_sub(event.stamp)
        };
        self.model.events[event.id]
            .ttl
            .is_some_and(|ttl| age >= ttl)
    }

    /// A place is needed: all that are too old go first (EVT-5).
    fn remove_expired(&mut self, tick: u32) {
        let old: Vec<bool> = self
            .queue
            .iter()
            .map(|event| self.has_expired(event, tick))
            .collect();
        let mut old = old.into_iter();
        let before = self.queue.len();
        self.queue
            .retain(|_| !old.next().expect("one for each event"));
        self.counters.expired += (before - self.queue.len()) as u64;
    }

    /// The next event (EVT-2). One that is too old and would be next is removed on the way.
    pub(crate) fn next_event(&mut self, tick: u32, inbox: Option<&Event>) -> Option<Next> {
        loop {
            let next = if self.model.internal_first {
                self.next_internal_first(tick, inbox)
            } else {
                CLASSES
                    .into_iter()
                    .find_map(|class| self.next_of_class(class, tick, inbox))
            };
            match next {
                Some(Next::Queued(place)) if self.has_expired(&self.queue[place], tick) => {
                    self.queue.remove(place);
                    self.counters.expired += 1;
                }
                other => return other,
            }
        }
    }

    fn next_of_class(&self, class: Class, tick: u32, inbox: Option<&Event>) -> Option<Next> {
        let timer = self.due_timer_of_class(class, tick).map(Next::Timer);
        timer
            .or_else(|| self.first_queued(|event| event.class == class))
            .or_else(|| {
                inbox
                    .filter(|event| event.class == class)
                    .map(|_| Next::Inbox)
            })
    }

    /// Internal events, due timers, external events, inbox (EVT-10).
    fn next_internal_first(&self, tick: u32, inbox: Option<&Event>) -> Option<Next> {
        self.first_queued(|event| event.internal)
            .or_else(|| self.due_timer_by_deadline(tick).map(Next::Timer))
            .or_else(|| self.first_queued(|event| !event.internal))
            .or_else(|| inbox.map(|_| Next::Inbox))
    }

    fn first_queued(&self, wanted: impl Fn(&Event) -> bool) -> Option<Next> {
        let visible = |event: &Event| !event.deferred && !event.hidden && wanted(event);
        self.queue.iter().position(visible).map(Next::Queued)
    }

    /// An event that was taken is kept for later, at its old place or at the end, if a general
    /// place stays free (EVT-5).
    pub(crate) fn defer(&mut self, tick: u32, event: Event, place: Option<usize>) {
        // An event of the inbox is not queued yet: it coalesces as if it were posted (EVT-3).
        if place.is_none()
            && self.model.events[event.id].coalesce
            && let Some(queued) = self
                .queue
                .iter_mut()
                .find(|queued| queued.id == event.id && !queued.hidden)
        {
            queued.payload = event.payload;
            queued.stamp = event.stamp;
            self.counters.coalesced += 1;
            return;
        }
        let event = Event {
            deferred: true,
            ..event
        };
        let mut place = place;
        if !self.may_defer(&event) {
            // What is too old goes; its old place moves with those before it.
            let gone = |place: usize| {
                self.queue[..place]
                    .iter()
                    .filter(|before| self.has_expired(before, tick))
                    .count()
            };
            place = place.map(|place| place - gone(place));
            self.remove_expired(tick);
        }
        if self.may_defer(&event) {
            self.counters.deferred += 1;
            self.queue.insert(place.unwrap_or(self.queue.len()), event);
        } else {
            self.counters.deferral_refused += 1;
        }
    }

    /// min(n-1 - queued Low and Normal, n - queued) >= 1 with the event back in the queue.
    fn may_defer(&self, event: &Event) -> bool {
        let places = self.model.places as i64;
        let general = self
            .queue
            .iter()
            .chain([event])
            .filter(|queued| is_general(queued))
            .count() as i64;
        let queued = self.queue.len() as i64 + 1;
        (places - 1 - general).min(places - queued) >= 1
    }
}
