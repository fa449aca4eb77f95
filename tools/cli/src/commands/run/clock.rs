//! How long processors worked for this program, as the system tells.

use statewright_simulate::Clock;

/// Processor time of all threads of this program together.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(super) fn processor() -> Option<Clock> {
    use nix::time::{ClockId, clock_gettime};
    let now = || clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(std::time::Duration::from);
    now().ok()?;
    Some(Box::new(move || now().unwrap_or_default()))
}

/// Not known without code of the system's own.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn processor() -> Option<Clock> {
    None
}
