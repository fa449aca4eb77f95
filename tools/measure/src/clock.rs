//! The clock: CPU time of this thread, so that other programs on the machine disturb less.

use std::time::Duration;

/// CPU time of this thread so far.
#[cfg(unix)]
pub fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time since the first call: where there is no simple thread clock, wall time must do.
#[cfg(not(unix))]
pub fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
