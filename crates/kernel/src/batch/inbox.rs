//! The inbox of one agent for one tick: a borrowed tail of its queue, never copied (EVT-4).

use core::fmt;

use crate::instance::event::Event;

/// An event for one agent of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboxEvent {
    /// The agent's place in the batch.
    pub place: u32,
    /// The event.
    pub event: Event,
}

/// Events for a batch: sorted by place, those of one agent in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct SortedInbox<'b> {
    events: &'b [InboxEvent],
}

/// The event of an inbox that stands where it must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsorted {
    /// Its index: it belongs to an earlier instance than the one before it.
    pub index: usize,
}

impl fmt::Display for Unsorted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.index;
        write!(
            f,
            "event {index} of the inbox belongs to an earlier instance than the one before it: sort the inbox"
        )
    }
}

impl core::error::Error for Unsorted {}

impl<'b> SortedInbox<'b> {
    /// No events.
    pub const EMPTY: Self = Self { events: &[] };

    /// Events that are sorted by place.
    pub fn new(events: &'b [InboxEvent]) -> Result<Self, Unsorted> {
        let mut last = 0;
        for (index, event) in events.iter().enumerate() {
            if event.place < last {
                return Err(Unsorted { index });
            }
            last = event.place;
        }
        Ok(Self { events })
    }

    /// Events of which the caller knows that they are sorted. If they are not, agents miss events;
    /// nothing worse happens.
    #[inline]
    pub fn assume(events: &'b [InboxEvent]) -> Self {
        debug_assert!(
            events.is_sorted_by_key(|event| event.place),
            "the caller knows that they are sorted"
        );
        Self { events }
    }

    /// The events.
    #[inline]
    pub fn events(&self) -> &'b [InboxEvent] {
        self.events
    }
}

/// Events for one agent, in order.
#[derive(Clone, Copy, Debug)]
pub enum Inbox<'i> {
    /// Of one agent alone.
    Own(&'i [Event]),
    /// Its part of a batch's inbox.
    Part(&'i [InboxEvent]),
}

impl<'i> Inbox<'i> {
    /// No events.
    pub const EMPTY: Self = Self::Own(&[]);

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Own(events) => events.len(),
            Self::Part(events) => events.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The event, if there is no other.
    #[inline]
    pub(crate) fn only(&self) -> Option<&'i Event> {
        match self {
            Self::Own([event]) => Some(event),
            Self::Part([event]) => Some(&event.event),
            _ => None,
        }
    }

    /// The event at a place.
    pub fn get(&self, place: usize) -> Option<&'i Event> {
        match self {
            Self::Own(events) => events.get(place),
            Self::Part(events) => events.get(place).map(|event| &event.event),
        }
    }
}

impl<'i> From<&'i [Event]> for Inbox<'i> {
    fn from(events: &'i [Event]) -> Self {
        Self::Own(events)
    }
}
