//! Whose bytes a job changed: for hosts that tell others only of those (an ECS with change detection).
//!
//! A turn that changes nothing is not seen from outside, and the kernel does not count its stores. So
//! the bytes of everybody who has a turn are put aside before it and compared after it.

use std::cell::Cell;

use statewright_kernel::Instance;

use super::job::ChunkJob;

thread_local! {
    /// Kept for its memory, per thread: a copy per chunk would double that of a crowd where everybody
    /// is awake.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Instances as they were, in the order of the list that [`Before::of`] left in the chunk.
pub(super) struct Before {
    bytes: Vec<u8>,
}

impl Before {
    /// Puts aside whoever of a job may have a turn.
    pub(super) fn of<I: Instance, B>(job: &mut ChunkJob<'_, I, B>) -> Self {
        let first = job.first;
        let list = &mut job.chunk.changed;
        list.clear();
        match job.awake {
            None => list.extend((first as u32..).take(job.instances.len())),
            Some(awake) => {
                list.extend_from_slice(awake);
                list.extend(job.inbox.iter().map(|event| event.place));
                list.extend_from_slice(job.stops);
                // Nearly always nobody but those who are awake, in order.
                if list.len() > awake.len() || !list.is_sorted() {
                    list.sort_unstable();
                }
                list.dedup();
            }
        }
        let mut bytes = SPARE.take();
        bytes.clear();
        for &index in &*list {
            bytes.extend_from_slice(job.instances[index as usize - first].as_bytes());
        }
        Self { bytes }
    }

    /// Leaves those in the list whose bytes are others now.
    pub(super) fn list_changed<I: Instance, B>(self, job: &mut ChunkJob<'_, I, B>) {
        let (first, instances) = (job.first, &*job.instances);
        let mut before = self.bytes.chunks_exact(size_of::<I>());
        job.chunk.changed.retain(|&index| {
            let now = instances[index as usize - first].as_bytes();
            before.next().is_some_and(|before| before != now)
        });
        SPARE.set(self.bytes);
    }
}
