//! The threads of Bevy's compute pool as those that tick agents.

use std::sync::{Arc, Mutex, PoisonError};

use bevy_tasks::{ComputeTaskPool, TaskPool};
use statewright::Workers;

/// Bevy's [`ComputeTaskPool`], or a pool of one's own; this thread alone where there is none.
#[derive(Clone, Debug, Default)]
pub struct BevyPool(pub Option<Arc<TaskPool>>);

impl Workers for BevyPool {
    fn run<J: FnOnce() + Send>(&self, jobs: impl Iterator<Item = J> + Send) {
        match &self.0 {
            Some(pool) => run_on(Some(pool), jobs),
            None => run_on(ComputeTaskPool::try_get().map(|pool| &**pool), jobs),
        }
    }
}

/// Each thread takes the next job until there is none. One job is done here: it is not worth waking
/// anybody.
fn run_on<J: FnOnce() + Send>(pool: Option<&TaskPool>, mut jobs: impl Iterator<Item = J> + Send) {
    let Some(first) = jobs.next() else {
        return;
    };
    let Some(second) = jobs.next() else {
        return first();
    };
    let threads = pool.map_or(1, TaskPool::thread_num);
    let all = [first, second].into_iter().chain(jobs);
    let Some(pool) = pool.filter(|_| threads > 1) else {
        return all.for_each(|job| job());
    };
    let all = Mutex::new(all.fuse());
    let work = || {
        // Bound: each round takes a job.
        while let Some(job) = next(&all) {
            job();
        }
    };
    pool.scope(|scope| {
        for _ in 0..threads {
            scope.spawn(async { work() });
        }
    });
}

/// The next one; nobody else has to wait while it is worked on.
fn next<T: Iterator>(items: &Mutex<T>) -> Option<T::Item> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bevy_tasks::TaskPoolBuilder;

    use super::*;

    #[test]
    fn every_job_runs_once_on_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            for count in [0, 1, 2, 100] {
                let ran: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                run_on(
                    Some(&pool),
                    ran.iter()
                        .map(|one| || _ = one.fetch_add(1, Ordering::Relaxed)),
                );
                assert!(ran.iter().all(|one| one.load(Ordering::Relaxed) == 1));
            }
        }
    }
}
