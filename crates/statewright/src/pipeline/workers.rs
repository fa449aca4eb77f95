//! Who runs the jobs of a tick: this thread, or the threads of a pool of the host's choice.

use statewright_kernel::Instance;

use super::env::TickEnv;
use super::job::ChunkJob;
use crate::board::Board;

/// Threads that run pieces of work side by side: rayon's ([`RayonPool`]) or those
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
///     fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J>) {
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
    /// Runs all jobs, each once, in any order, and returns when all are done.
    fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J>);
}

/// The threads of rayon's pool that the caller runs in.
#[cfg(feature = "parallel")]
#[derive(Clone, Copy, Debug, Default)]
pub struct RayonPool;

#[cfg(feature = "parallel")]
impl Workers for RayonPool {
    fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J>) {
        rayon::in_place_scope(|scope| jobs.for_each(|job| scope.spawn(move |_| job())));
    }
}

/// Who runs jobs. Apart from [`Workers`], so that one thread asks nothing of blackboards and
/// context.
pub(crate) trait Runner<B, C> {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = ChunkJob<'j, I, B>>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 'j;
}

/// This thread alone.
pub(crate) struct Here;

impl<B: Board, C> Runner<B, C> for Here {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = ChunkJob<'j, I, B>>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 'j,
    {
        jobs.for_each(|job| job.run(env));
    }
}

/// Spread over workers.
pub(crate) struct Spread<'w, W>(pub(crate) &'w W);

impl<B: Board + Send, C: Sync, W: Workers> Runner<B, C> for Spread<'_, W> {
    fn run<'j, I: Instance + Send + 'j>(
        &self,
        jobs: impl Iterator<Item = ChunkJob<'j, I, B>>,
        env: &TickEnv<'_, B, C>,
    ) where
        B: 'j,
    {
        self.0.run(jobs.map(|job| move || job.run(env)));
    }
}
