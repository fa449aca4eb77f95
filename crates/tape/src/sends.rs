//! Events that were sent, on their way to the thread that writes: there they become records. The tick only
//! copies them, since most of a run is these.

use statewright::{Envelope, Sent};

use crate::record::{LONGEST_SEND, put_sends};

/// Bytes of one as most are: what decides when a block is full.
const MOST_ARE: usize = 6;

/// Events, and where they stand among records.
#[derive(Debug, Default)]
pub(crate) struct Sends {
    /// How many bytes of records stand before how many events.
    places: Vec<(usize, usize)>,
    events: Vec<Envelope>,
}

impl Sends {
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// How many bytes they become, as most are.
    pub(crate) fn bytes(&self) -> usize {
        self.events.len() * MOST_ARE
    }

    /// How many bytes they become at most.
    pub(crate) fn most_bytes(&self) -> usize {
        self.events.len() * LONGEST_SEND
    }

    /// Events behind so many bytes of records; how many.
    pub(crate) fn add(&mut self, at: usize, sent: Sent<'_>) -> u64 {
        let before = self.events.len();
        sent.append_to(&mut self.events);
        let count = self.events.len() - before;
        match self.places.last_mut() {
            Some((last, events)) if *last == at => *events += count,
            _ => self.places.push((at, count)),
        }
        count as u64
    }

    /// Records with these events among them.
    pub(crate) fn write(&self, records: &[u8], out: &mut Vec<u8>) {
        let (mut from, mut first) = (0, 0);
        for &(at, count) in &self.places {
            out.extend_from_slice(records.get(from..at).unwrap_or_default());
            let events = self.events.get(first..first + count).unwrap_or_default();
            put_sends(out, events.iter().copied());
            (from, first) = (at, first + count);
        }
        out.extend_from_slice(records.get(from..).unwrap_or_default());
    }

    /// None any more; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.events.clear();
    }
}
