//! Who runs the jobs of a tick: this thread, or the threads of a pool of the host's choice.

use std::sync::{Mutex, PoisonError};

use statewright_kernel::Instance;

use super::env::TickEnv;
use super::settings::TickSettings;
use super::split::Jobs;
use crate::board::Board;

/// Threads that run pieces of work side by side: rayon's (`RayonPool`, with the feature `parallel`) or those
/// of an engine. Nothing of a tick depends on how many there are, or on who runs what.
///
/// ```
/// use statewright::Workers;
/// use statewright::prelude::*;
///
/// /// A thread for each piece of work: simple, and slow.
/// struct ThreadEach;
///
/// impl Workers for ThreadEach {
///     fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J> + Send) {
///         std::thread::scope(|scope| jobs.for_each(|job| drop(scope.spawn(job))));
///     }
/// }
///
/// let machine = Machine::build("Ant", |m| {
///     m.state("walk", |_| {});
/// })?;
/// let mut ants = Crowd::new(machine.bind(Functions::<(), ()>::new())?, 1);
/// (0..100).for_each(|_| drop(ants.spawn(())));
/// ants.set_chunk_size(10);
/// assert_eq!(ants.tick_on(&ThreadEach, &()).ran, 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Workers {
    /// Runs all jobs, each once, in any order, and returns when all are done. Threads may take jobs
    /// from the iterator one after the other, behind a lock, so that nobody has to keep a list of
    /// them.
    fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J> + Send);
}

/// The threads of rayon's pool that the caller runs in.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, Debug, Default)]
pub struct RayonPool;

#[cfg(feature = "parallel")]
impl Workers for RayonPool {
    /// Each thread takes the next job until there is none: what rayon spawns would lie in memory of
    /// its own, job by job.
    fn run<J: FnOnce() + Send>(&self, mut jobs: impl Iterator<Item = J> + Send) {
        let Some(first) = jobs.next() else {
            return;
        };
        let Some(second) = jobs.next() else {
            // Not worth waking anybody.
            return first();
        };
        let jobs = Mutex::new([first, second].into_iter().chain(jobs).fuse());
        on_threads(rayon::current_num_threads(), &|| {
            // Bound: each round takes a job.
            while let Some(job) = next(&jobs) {
                job();
            }
        });
    }
}

/// The next one; nobody else has to wait while it is worked on.
fn next<T: Iterator>(items: &Mutex<T>) -> Option<T::Item> {
    let mut items = items.lock().unwrap_or_else(PoisonError::into_inner);
    items.next()
}

/// Does the same on so many threads, or on fewer one after the other. Calls itself as often as the
/// number can be halved.
#[cfg(feature = "parallel")]
fn on_threads(count: usize, work: &(impl Fn() + Sync)) {
    if count <= 1 {
        return work();
    }
    let half = count / 2;
    rayon::join(|| on_threads(half, work), || on_threads(count - half, work));
}

/// Workers whose type is not known any more: what a world gives to crowds whose blackboards it does
/// not know.
pub(crate) trait ErasedWorkers {
    /// Does the same so many times, side by side.
    fn repeat(&self, count: usize, work: &(dyn Fn() + Sync));
}

impl<W: Workers> ErasedWorkers for W {
    fn repeat(&self, count: usize, work: &(dyn Fn() + Sync)) {
        self.run((0..count).map(|_| work));
    }
}

/// Workers again, who were lent without their type.
pub(crate) struct Lent<'w>(pub(crate) &'w dyn ErasedWorkers);

impl Workers for Lent<'_> {
    fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J> + Send) {
        // Jobs of a tick say how many there are at most; each time of so many takes one.
        let (_, most) = jobs.size_hint();
        let jobs = Mutex::new(jobs.fuse());
        match most {
            Some(most) => self.0.repeat(most, &|| {
                if let Some(job) = next(&jobs) {
                    job();
                }
            }),
            None => {
                while let Some(job) = next(&jobs) {
                    job();
                }
            }
        }
    }
}

/// Who runs jobs. Apart from [`Workers`], so that one thread asks nothing of blackboards and
/// context.
pub(crate) trait Runner<B, C> {
    /// Most agents of one job; `None` for as many as there are.
    fn chunk_size(settings: &TickSettings) -> Option<usize>;

    fn run<'j, 's, I: Instance + Send + 's>(
        &self,
        jobs: Jobs<'j, 's, I, B>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 's,
        's: 'j;
}

/// This thread alone.
pub(crate) struct Here;

impl<B: Board, C> Runner<B, C> for Here {
    fn chunk_size(_: &TickSettings) -> Option<usize> {
        None
    }

    fn run<'j, 's, I: Instance + Send + 's>(
        &self,
        jobs: Jobs<'j, 's, I, B>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 's,
        's: 'j,
    {
        jobs.for_each(|job| job.run(env));
    }
}

/// Spread over workers.
pub(crate) struct Spread<'w, W>(pub(crate) &'w W);

impl<B: Board + Send, C: Sync, W: Workers> Runner<B, C> for Spread<'_, W> {
    fn chunk_size(settings: &TickSettings) -> Option<usize> {
        Some(settings.chunk_size)
    }

    fn run<'j, 's, I: Instance + Send + 's>(
        &self,
        jobs: Jobs<'j, 's, I, B>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 's,
        's: 'j,
    {
        self.0.run(jobs.map(|job| move || job.run(env)));
    }
}
