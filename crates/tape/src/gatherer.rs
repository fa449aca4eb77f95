//! Records wait here until there are enough of them for a block; then the block goes to a file, or into a ring in
//! memory (TAPE-4, TAPE-5). Whoever records writes records, and need not know where they go.

use std::sync::{Arc, Mutex, PoisonError};

use statewright::{Envelope, Sent};

use crate::file::{CheckpointBlocks, Counts, EndReason, Kind, MOST_BLOCK, TapeReload, WriteError};
use crate::flight::Ring;
use crate::queue::{Block, Queue, Shared};
use crate::record::{LONGEST_SEND, put_sends};
use crate::sends::Sends;

/// What the host said of its context for the next tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextDigest(Arc<Mutex<Option<u64>>>);

impl ContextDigest {
    pub(crate) fn set(&self, digest: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(digest);
    }

    fn take(&self) -> Option<u64> {
        let mut digest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        digest.take()
    }
}

/// Where blocks go.
pub(crate) enum Gathering {
    /// To a file, behind a queue.
    Queue {
        queue: Queue,
        shared: Arc<Shared>,
        context: ContextDigest,
    },
    /// Into memory, for a while.
    Ring(Arc<Mutex<Ring>>),
}

impl Gathering {
    /// Takes a block; `false` if there will be no more.
    fn take(&self, block: Block) -> bool {
        match self {
            Self::Queue { queue, shared, .. } => queue.send(block, shared),
            Self::Ring(ring) => {
                ring.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .add(block);
                true
            }
        }
    }
}

/// Records go out in blocks of about so many bytes.
const GATHERED: usize = 64 << 10;
/// Events that become records before anybody looks whether a block is full.
const PIECE: usize = 1024;
const _: () = assert!(GATHERED + PIECE * LONGEST_SEND < MOST_BLOCK);

/// Records that wait to go out.
pub(crate) struct Gatherer {
    /// Nothing after the recording ended.
    to: Option<Gathering>,
    pub(crate) records: Vec<u8>,
    /// Events among them that the thread which writes makes records of.
    sends: Sends,
    pub(crate) counts: Counts,
    /// Tick of the first of them.
    first: u64,
}

impl Gatherer {
    /// From a tick on.
    pub(crate) fn new(to: Gathering, first: u64) -> Self {
        Self {
            to: Some(to),
            records: Vec::new(),
            sends: Sends::default(),
            counts: Counts::default(),
            first,
        }
    }

    /// Whether anybody still takes what is recorded.
    pub(crate) fn is_open(&self) -> bool {
        self.to.is_some()
    }

    /// The ring that blocks go to, if they go into memory.
    pub(crate) fn ring(&self) -> Option<Arc<Mutex<Ring>>> {
        match &self.to {
            Some(Gathering::Ring(ring)) => Some(Arc::clone(ring)),
            Some(Gathering::Queue { .. }) | None => None,
        }
    }

    /// What the host said of the context of the tick.
    pub(crate) fn context(&self) -> Option<u64> {
        match &self.to {
            Some(Gathering::Queue { context, .. }) => context.take(),
            Some(Gathering::Ring(_)) | None => None,
        }
    }

    /// There will be no more.
    pub(crate) fn end(&mut self, why: EndReason) {
        if let Some(Gathering::Queue { shared, .. }) = self.to.take() {
            shared.end(why);
        }
    }

    /// Events that were sent.
    pub(crate) fn add_sends(&mut self, events: Sent<'_>, now: u64) {
        match &self.to {
            None => {}
            Some(Gathering::Queue { .. }) => {
                let from = self.records.len();
                self.counts.inputs += self.sends.add(from, events);
                self.go_on(from, now);
            }
            // What is kept in memory is as short as on a tape.
            Some(Gathering::Ring(_)) => self.put_sends(events, now),
        }
    }

    /// Events as records, in pieces: those for chosen agents are told at once, however many a tick has.
    pub(crate) fn put_sends(&mut self, mut events: impl Iterator<Item = Envelope>, now: u64) {
        loop {
            let from = self.records.len();
            let count = put_sends(&mut self.records, events.by_ref().take(PIECE));
            self.counts.inputs += count;
            self.go_on(from, now);
            if count < PIECE as u64 {
                return;
            }
        }
    }

    fn send(&mut self, kind: Kind, tick: u64, raw: Vec<u8>) {
        self.send_block(Block {
            crowd: 0,
            kind,
            tick,
            raw,
            sends: Sends::default(),
            counts: Counts::default(),
        });
    }

    fn send_block(&mut self, block: Block) {
        let to = self.to.as_ref();
        if !to.is_some_and(|to| to.take(block)) {
            self.to = None;
        }
    }

    /// Bytes of records that wait, or become such.
    fn gathered(&self) -> usize {
        self.records.len() + self.sends.bytes()
    }

    /// Sends out what was gathered.
    pub(crate) fn flush(&mut self, next: u64) {
        if self.gathered() > 0 {
            let (raw, sends) = match &self.to {
                Some(Gathering::Queue { queue, .. }) => {
                    let (records, sends) = queue.memory();
                    (
                        std::mem::replace(&mut self.records, records),
                        std::mem::replace(&mut self.sends, sends),
                    )
                }
                // What is kept takes as little as it can.
                Some(Gathering::Ring(_)) | None => {
                    let records = self.records.clone();
                    self.records.clear();
                    (records, Sends::default())
                }
            };
            let block = Block {
                crowd: 0,
                kind: Kind::Records,
                tick: self.first,
                raw,
                sends,
                counts: std::mem::take(&mut self.counts),
            };
            self.send_block(block);
        }
        self.first = next;
    }

    /// The same, if it is enough for a block.
    pub(crate) fn flush_enough(&mut self, next: u64) {
        if self.gathered() > GATHERED {
            self.flush(next);
        }
    }

    /// Sends out what was gathered if it is enough for a block, which is never larger than a tape has
    /// room for. `from` is where the last record begins.
    pub(crate) fn go_on(&mut self, from: usize, now: u64) {
        if self.gathered() <= GATHERED {
            return;
        }
        if self.records.len() - from > MOST_BLOCK {
            self.records.truncate(from);
            self.flush(now);
            self.end(EndReason::TooLarge);
        } else if self.records.len() + self.sends.most_bytes() > MOST_BLOCK {
            let last = self.records.split_off(from);
            self.flush(now);
            self.records = last;
        }
        self.flush(now);
    }

    /// A checkpoint, behind what was gathered.
    pub(crate) fn put_checkpoint(
        &mut self,
        blocks: &CheckpointBlocks<'_>,
        now: u64,
    ) -> Result<(), WriteError> {
        self.flush(now);
        for (kind, raw) in blocks.cut()? {
            self.send(kind, now, raw);
        }
        Ok(())
    }

    /// Another version of the machine, behind what was gathered: whole, so that nobody needs a file beside
    /// the tape.
    pub(crate) fn put_reload(&mut self, reload: TapeReload) -> Result<(), WriteError> {
        let now = reload.tick;
        self.flush(now);
        let blocks = reload.blocks()?;
        if let Some(ring) = self.ring() {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            ring.reloaded(reload.version);
        }
        for (kind, raw) in blocks {
            self.send(kind, now, raw);
        }
        Ok(())
    }
}

impl Drop for Gatherer {
    fn drop(&mut self) {
        let now = self.first;
        self.flush(now);
    }
}
