//! Looks for problems on a thread of its own, in the newest text of each document only: a text that
//! is replaced while it waits is never looked at.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use statewright_language::{Analysis, Files};

use super::Incoming;
use super::texts::Texts;

/// A text that is to be looked at.
struct Job {
    name: String,
    edition: u64,
    /// All texts as they were when it was asked for.
    texts: Arc<Texts>,
}

/// What was found in a text.
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) edition: u64,
    pub(super) analysis: Arc<Analysis>,
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<BTreeMap<String, Job>>,
    arrived: Condvar,
}

/// The thread's other end.
#[derive(Clone)]
pub(super) struct Checker {
    queue: Arc<Queue>,
}

impl Checker {
    /// Starts the thread; it ends with the program.
    pub(super) fn start(found: Sender<Incoming>) -> Self {
        let queue = Arc::new(Queue::default());
        let of_thread = Arc::clone(&queue);
        thread::spawn(move || {
            loop {
                let job = of_thread.next();
                if let Some(checked) = check(job)
                    && found.send(Incoming::Checked(checked)).is_err()
                {
                    return;
                }
            }
        });
        Self { queue }
    }

    /// Asks for the problems of a text, instead of those of an older one.
    pub(super) fn ask(&self, name: &str, edition: u64, texts: Arc<Texts>) {
        let job = Job {
            name: name.to_owned(),
            edition,
            texts,
        };
        let mut jobs = self
            .queue
            .jobs
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        jobs.insert(name.to_owned(), job);
        self.queue.arrived.notify_one();
    }
}

impl Queue {
    fn next(&self) -> Job {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((_, job)) = jobs.pop_first() {
                return job;
            }
            jobs = self
                .arrived
                .wait(jobs)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A mistake of ours in one text must not end the server: that text shows no problems then.
fn check(job: Job) -> Option<Checked> {
    let text = job.texts.text(&job.name)?;
    let analysis = catch_unwind(AssertUnwindSafe(|| {
        let analysis = Analysis::with(&job.name, &text, job.texts.as_ref());
        analysis.compiled();
        analysis
    }));
    Some(Checked {
        name: job.name,
        edition: job.edition,
        analysis: Arc::new(analysis.ok()?),
    })
}
