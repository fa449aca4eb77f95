//! The thread that writes: blocks wait for it in a queue with an end (TAPE-4).

use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::file::{Counts, EndReason, Kind, TapeWriter, WriteError};
use crate::sends::Sends;

/// Blocks that may wait: some megabytes.
const WAITING: usize = 16;

/// Memory of blocks that were written, for those that come: the tick's thread would else ask the
/// system for pages that this one gives back.
#[derive(Clone, Debug, Default)]
struct Spare(Arc<Mutex<Vec<Memory>>>);

/// Of records, and of events among them.
type Memory = (Vec<u8>, Sends);

impl Spare {
    fn take(&self) -> Option<Memory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, mut memory: Memory) {
        memory.0.clear();
        memory.1.clear();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < WAITING {
            all.push(memory);
        }
    }
}

/// A block on its way to the file.
#[derive(Debug)]
pub(crate) struct Block {
    /// Of which crowd of a world; the queue knows.
    pub(crate) crowd: u16,
    pub(crate) kind: Kind,
    pub(crate) tick: u64,
    pub(crate) raw: Vec<u8>,
    /// Events that are to stand among records.
    pub(crate) sends: Sends,
    pub(crate) counts: Counts,
}

/// What both sides know.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// 0 while the recording runs, else one more than the number of an [`EndReason`].
    ended: AtomicU8,
}

impl Shared {
    /// The recording ends; the first reason counts.
    pub(crate) fn end(&self, why: EndReason) {
        let number = why as u8 + 1;
        let (order, fail) = (Ordering::AcqRel, Ordering::Acquire);
        // Somebody was earlier: that reason stays.
        _ = self.ended.compare_exchange(0, number, order, fail);
    }

    /// Why it ended, if it did.
    pub(crate) fn ended(&self) -> Option<EndReason> {
        let number = self.ended.load(Ordering::Acquire);
        number.checked_sub(1).and_then(EndReason::of)
    }
}

/// What a finished thread gives back.
pub(crate) type Written<W> = Result<(W, Vec<Counts>, u64), WriteError>;

/// The end of the queue that blocks go into.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    blocks: SyncSender<Block>,
    wait: bool,
    crowd: u16,
    spare: Spare,
}

impl Queue {
    /// A queue, and the thread behind it.
    pub(crate) fn new<W: Write + Send + 'static>(
        writer: TapeWriter<W>,
        wait: bool,
        shared: Arc<Shared>,
    ) -> std::io::Result<(Self, JoinHandle<Written<W>>)> {
        let (blocks, waiting) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("statewright tape".to_owned());
        let spare = Spare::default();
        let given_back = spare.clone();
        let thread = thread.spawn(move || write_all(writer, &waiting, &shared, &given_back))?;
        let queue = Self {
            blocks,
            wait,
            crowd: 0,
            spare,
        };
        Ok((queue, thread))
    }

    /// The same for another crowd of the world.
    pub(crate) fn of_crowd(&self, crowd: u16) -> Self {
        Self {
            crowd,
            ..self.clone()
        }
    }

    /// Memory for a block.
    pub(crate) fn memory(&self) -> Memory {
        self.spare.take().unwrap_or_default()
    }

    /// Nothing more comes, whoever still holds an end of the queue.
    pub(crate) fn close(&self) {
        // If nobody listens any more, it is closed.
        _ = self.blocks.send(Block {
            crowd: self.crowd,
            kind: Kind::Index,
            tick: 0,
            raw: Vec::new(),
            sends: Sends::default(),
            counts: Counts::default(),
        });
    }

    /// Sends a block to the file; `false` if there will be no more: the file takes nothing, or is too
    /// slow for a host that does not wait.
    pub(crate) fn send(&self, block: Block, shared: &Shared) -> bool {
        if shared.ended().is_some() {
            // Another crowd of the world ended it for all.
            return false;
        }
        let block = Block {
            crowd: self.crowd,
            ..block
        };
        if self.wait {
            return self.blocks.send(block).is_ok();
        }
        match self.blocks.try_send(block) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                shared.end(EndReason::Slow);
                false
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}

fn write_all<W: Write>(
    mut writer: TapeWriter<W>,
    waiting: &Receiver<Block>,
    shared: &Shared,
    spare: &Spare,
) -> Written<W> {
    let (mut tick, mut records) = (0, Vec::new());
    for block in waiting {
        if block.kind == Kind::Index {
            break;
        }
        tick = block.tick;
        let place = (block.kind, tick);
        let raw = match block.sends.is_empty() {
            true => &block.raw,
            false => {
                records.clear();
                block.sends.write(&block.raw, &mut records);
                &records
            }
        };
        if let Err(error) = writer.block_of(block.crowd, place, raw, block.counts) {
            shared.end(EndReason::Failed);
            return Err(error);
        }
        // Checkpoints have much larger blocks, which only one in many needs again.
        if block.kind == Kind::Records {
            spare.put((block.raw, block.sends));
        }
    }
    writer.close(shared.ended().unwrap_or_default(), tick)
}
