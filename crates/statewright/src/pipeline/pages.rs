//! Where the pages of a tick's commands come from (CMD-2): set aside before anybody runs, so that
//! nobody runs out halfway.

use std::sync::Arc;

use statewright_kernel::InboxEvent;

use super::output::TickOutput;
use crate::commands::{Pool, PoolTooSmall, agents_per_page};

/// The pool of an owner of ticks.
#[derive(Debug)]
pub(crate) struct PageSupply {
    pool: Arc<Pool>,
    /// The pool is the owner's own and as large as it needs.
    grows: bool,
}

impl Default for PageSupply {
    fn default() -> Self {
        Self {
            pool: Arc::default(),
            grows: true,
        }
    }
}

impl PageSupply {
    /// From a pool that others may share.
    pub(crate) fn shared(pool: Arc<Pool>) -> Self {
        Self { pool, grows: false }
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Sets pages aside for a tick and ends the commands of the last one. How many pages. If there
    /// are too few, nothing changes.
    ///
    /// `most` is a bound that is had without counting: at worst so many agents run, in so many
    /// chunks. `exact` counts, and is asked only if the bound is more than a shared pool has.
    pub(crate) fn promise(
        &mut self,
        output: &mut TickOutput,
        budget: usize,
        (agents, chunks): (usize, usize),
        exact: impl FnOnce(usize) -> usize,
    ) -> Result<usize, PoolTooSmall> {
        let (per_page, held) = (agents_per_page(budget), held_pages(output));
        // Counting everybody once would be time spent for a few pages that are never made.
        let mut needed = (agents / per_page + chunks).min(agents);
        let mut promised = self.pool.promise(needed, held);
        if promised.is_err() && !self.grows {
            needed = exact(per_page);
            promised = self.pool.promise(needed, held);
        }
        match promised {
            Ok(()) => {
                needed = needed.max(held);
                let chunks = output.chunks_mut().iter_mut();
                chunks
                    .filter(|chunk| chunk.ran)
                    .for_each(|chunk| chunk.writer.recycle());
            }
            // It is too small, or others use it, too.
            Err(_) if self.grows => {
                output.clear_commands();
                Pool::grow(&mut self.pool, needed);
                self.pool.promise(needed, 0)?;
            }
            Err(error) => return Err(error),
        }
        Ok(needed)
    }

    /// Pages that were promised and not taken are free again.
    pub(crate) fn keep(&self, promised: usize, output: &TickOutput) {
        let held = held_pages(output);
        debug_assert!(held <= promised, "{held} pages of {promised}");
        self.pool.release(promised - held);
    }
}

fn held_pages(output: &TickOutput) -> usize {
    output.ran().map(|chunk| chunk.writer.pages()).sum()
}

/// Pages that everybody who may run can fill, chunk by chunk: agents that are awake or have events,
/// both in order.
pub(crate) fn pages_needed(
    mut awake: &[u32],
    mut inbox: &[InboxEvent],
    chunk_of: impl Fn(u32) -> usize,
    per_page: usize,
) -> usize {
    let mut pages = 0;
    let (mut chunk, mut agents) = (0, 0_usize);
    // Bound: each round takes an agent off a list.
    while let Some(index) = [
        awake.first().copied(),
        inbox.first().map(|event| event.place),
    ]
    .into_iter()
    .flatten()
    .min()
    {
        let of = chunk_of(index);
        if of != chunk {
            pages += agents.div_ceil(per_page);
            (chunk, agents) = (of, 0);
        }
        agents += 1;
        awake = awake.strip_prefix(&[index]).unwrap_or(awake);
        while let [first, rest @ ..] = inbox
            && first.place == index
        {
            inbox = rest;
        }
    }
    pages + agents.div_ceil(per_page)
}

#[cfg(test)]
mod tests {
    use statewright_kernel::Event;

    use super::*;

    #[test]
    fn cmd_2_agents_count_once_and_chunks_apart() {
        let event = |place| InboxEvent {
            place,
            event: Event::default(),
        };
        let inbox = [event(0), event(0), event(2), event(9)];
        let needed = |awake: &[u32], inbox: &[InboxEvent], size: usize| {
            pages_needed(awake, inbox, |index| index as usize / size, 4)
        };
        assert_eq!(needed(&[0, 1, 8], &inbox, 100), 2, "five agents");
        assert_eq!(needed(&[0, 1, 8], &inbox, 5), 2, "three and two");
        assert_eq!(needed(&[0, 1, 8], &inbox, 1), 5);
        assert_eq!(needed(&[], &[], 1), 0);
    }
}
