//! A progress bar on standard error, if that is a terminal and the work takes more than a second.

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::console::Console;

/// Work shorter than this has no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The progress of some files; the bar goes away with it.
pub(crate) struct Progress {
    done: Arc<AtomicU64>,
    bar: Arc<Mutex<Option<ProgressBar>>>,
    /// Dropped to stop the thread that waits.
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts to wait. `verb` is what is done with the files, such as `checking`.
    pub(crate) fn new(console: &Console, verb: &'static str, total: usize) -> Self {
        let (done, bar) = (Arc::new(AtomicU64::new(0)), Arc::clone(&console.bar));
        let is_wanted = !console.is_quiet() && io::stderr().is_terminal();
        let waiting =
            is_wanted.then(|| show_later(verb, total as u64, Arc::clone(&done), Arc::clone(&bar)));
        Self { done, bar, waiting }
    }

    /// One more is done.
    pub(crate) fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.waiting.take() {
            drop(stop);
            // It cannot fail in a way that matters: it only draws.
            _ = thread.join();
        }
        if let Some(bar) = self
            .bar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            bar.finish_and_clear();
        }
    }
}

fn show_later(
    verb: &'static str,
    total: u64,
    done: Arc<AtomicU64>,
    slot: Arc<Mutex<Option<ProgressBar>>>,
) -> (Sender<()>, JoinHandle<()>) {
    let (stop, stopped) = channel();
    let thread = std::thread::spawn(move || {
        if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        let template = if total > 1 {
            "{spinner} {msg} [{bar:30}] {pos} of {len} files"
        } else {
            "{spinner} {msg} {elapsed}"
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total)
            .with_style(style.progress_chars("=> "))
            .with_message(verb);
        bar.set_position(done.load(Ordering::Relaxed));
        bar.enable_steady_tick(Duration::from_millis(120));
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    });
    (stop, thread)
}

/// The progress of a run: a line that stays alive.
pub(crate) struct Ticks {
    bar: Option<ProgressBar>,
    slot: Arc<Mutex<Option<ProgressBar>>>,
    drawn: Cell<Instant>,
}

impl Ticks {
    /// How often the line is drawn at most.
    const PAUSE: Duration = Duration::from_millis(100);

    pub(crate) fn new(console: &Console, ticks: u64) -> Self {
        let is_wanted = !console.is_quiet() && io::stderr().is_terminal();
        let bar = is_wanted.then(|| {
            let style =
                ProgressStyle::with_template("{spinner} tick {pos} of {len} [{bar:30}] {msg}");
            let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::new(ticks).with_style(style.progress_chars("=> "));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        let slot = Arc::clone(&console.bar);
        slot.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone_from(&bar);
        Self {
            bar,
            slot,
            drawn: Cell::new(Instant::now()),
        }
    }

    /// So many ticks are done.
    pub(crate) fn show(&self, ticks: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = self
            .bar
            .as_ref()
            .filter(|_| self.drawn.get().elapsed() >= Self::PAUSE)
        {
            self.drawn.set(Instant::now());
            bar.set_position(ticks);
            bar.set_message(message());
        }
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
    }
}
