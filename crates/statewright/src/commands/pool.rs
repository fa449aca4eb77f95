//! The pool that pages of commands come from and go back to (CMD-2). Bounded, without locks, shared
//! by threads and by crowds.
//!
//! Pages are promised before a tick and taken during it, so that nobody runs out halfway. They are
//! made when first needed and never given up: after a while nothing is allocated.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crossbeam_queue::ArrayQueue;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// A page of records. None goes beyond its end.
pub(crate) type Page = [u8; PAGE_BYTES];

/// Pages for the commands of one or more crowds, up to a limit.
///
/// ```
/// use statewright::commands::Pool;
///
/// // Room for 1,000 agents that write all they may.
/// let pool = std::sync::Arc::new(Pool::new(Pool::pages_for(1_000, 1_024)));
/// assert_eq!(pool.limit(), 250);
/// ```
pub struct Pool {
    free: ArrayQueue<Box<Page>>,
    limit: usize,
    /// Pages that are held, or that a tick may take at any moment.
    promised: AtomicUsize,
    made: AtomicUsize,
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("limit", &self.limit)
            .field("in_use", &self.in_use())
            .field("made", &self.made())
            .finish_non_exhaustive()
    }
}

/// A pool without pages.
impl Default for Pool {
    fn default() -> Self {
        Self::new(0)
    }
}

/// A pool has fewer free pages than a tick might need. Nothing ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolTooSmall {
    /// Pages that the tick might need.
    pub needed: usize,
    /// Pages that are free.
    pub free: usize,
    /// Pages that the pool may have.
    pub limit: usize,
}

impl fmt::Display for PoolTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            needed,
            free,
            limit,
        } = self;
        write!(
            f,
            "the pool of command pages is too small: this tick may need {needed}, but {free} of {limit} are free"
        )
    }
}

impl std::error::Error for PoolTooSmall {}

impl Pool {
    /// A pool of at most so many pages of 4 KiB. None is made yet.
    pub fn new(pages: usize) -> Self {
        Self {
            free: ArrayQueue::new(pages.max(1)),
            limit: pages,
            promised: AtomicUsize::new(0),
            made: AtomicUsize::new(0),
        }
    }

    /// The most pages that so many agents of one thread can fill in a tick; exact, for agents that
    /// use their budget as badly as can be.
    ///
    /// Why: a page is left when a record of some agent does not fit, so what the agents that end in
    /// it wrote there is more than a page less one budget. That takes at least `PAGE_BYTES /
    /// budget` of them.
    pub const fn pages_for(agents: usize, budget: usize) -> usize {
        agents.div_ceil(agents_per_page(budget))
    }

    /// The most pages that there may be.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Pages that hold commands, or that ticks under way may take.
    pub fn in_use(&self) -> usize {
        self.promised.load(Ordering::Relaxed)
    }

    /// Pages that were made so far.
    pub fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// Sets pages aside, all or none. Those that the caller holds already count: if it works, they
    /// are promised to it all the same.
    pub(crate) fn promise(&self, needed: usize, held: usize) -> Result<(), PoolTooSmall> {
        let more = needed.saturating_sub(held);
        let add = |promised: usize| promised.checked_add(more).filter(|&sum| sum <= self.limit);
        // Acquire: whoever made room put the pages back before.
        match self
            .promised
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, add)
        {
            Ok(_) => Ok(()),
            Err(promised) => Err(PoolTooSmall {
                needed,
                free: self.limit - promised + held,
                limit: self.limit,
            }),
        }
    }

    /// Ends the promise for pages that are back or were not taken.
    pub(crate) fn release(&self, pages: usize) {
        self.promised.fetch_sub(pages, Ordering::Release);
    }

    /// One of the pages that were promised.
    pub(crate) fn take(&self) -> Box<Page> {
        self.free.pop().unwrap_or_else(|| {
            self.made.fetch_add(1, Ordering::Relaxed);
            Box::new([0; PAGE_BYTES])
        })
    }

    /// A page comes back; it stays promised.
    pub(crate) fn put(&self, page: Box<Page>) {
        let full = self.free.push(page).is_err();
        debug_assert!(!full, "more pages came back than were promised");
    }

    /// A larger one in its place, for an owner who holds no page of it. Whoever else has a share in
    /// the old one keeps it, with its limit and its promises; pages that lie about there move
    /// along.
    pub(crate) fn grow(this: &mut Arc<Self>, needed: usize) {
        let larger = Self::new(needed.next_power_of_two());
        while larger.made() < larger.limit
            && let Some(page) = this.free.pop()
        {
            this.made.fetch_sub(1, Ordering::Relaxed);
            larger.made.fetch_add(1, Ordering::Relaxed);
            larger.put(page);
        }
        *this = Arc::new(larger);
    }
}

/// How many agents at least end in a page that is left. Records are whole words.
pub(crate) const fn agents_per_page(budget: usize) -> usize {
    match PAGE_BYTES.checked_div(budget / 4 * 4) {
        None | Some(0) => 1,
        Some(agents) => agents,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cmd_2_promises_are_kept_all_or_none() {
        let pool = Pool::new(3);
        pool.promise(2, 0).unwrap();
        assert_eq!(
            pool.promise(2, 0),
            Err(PoolTooSmall {
                needed: 2,
                free: 1,
                limit: 3
            })
        );
        let pages = [pool.take(), pool.take()];
        assert_eq!((pool.in_use(), pool.made()), (2, 2));
        pages.into_iter().for_each(|page| pool.put(page));
        pool.promise(3, 2).unwrap();
        let _pages = [pool.take(), pool.take(), pool.take()];
        assert_eq!(pool.made(), 3, "two were used again");
    }

    #[test]
    fn cmd_2_a_pool_without_pages_promises_nothing() {
        assert!(Pool::new(0).promise(1, 0).is_err());
        assert!(Pool::new(0).promise(0, 0).is_ok());
    }

    #[test]
    fn cmd_2_threads_share_a_pool_without_making_too_much() {
        let pool = Pool::new(4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1_000 {
                        while pool.promise(2, 0).is_err() {
                            std::hint::spin_loop();
                        }
                        let pages = [pool.take(), pool.take()];
                        pages.into_iter().for_each(|page| pool.put(page));
                        pool.release(2);
                    }
                });
            }
        });
        assert_eq!(pool.in_use(), 0);
        assert!(pool.made() <= 4, "{pool:?}");
    }
}
