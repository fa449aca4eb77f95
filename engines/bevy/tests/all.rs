//! What the crate promises, in apps without a window.

mod agents;
mod assets;
mod bad_input;
mod common;
mod compare;
mod determinism;
mod disabled;
mod examples;
#[cfg(feature = "gizmos")]
mod labels;
mod lost;
mod misfits;
#[cfg(feature = "reflect")]
mod reflected;
mod restored;
mod snapshots;
mod stops;
mod taken_off;
mod tapes;
mod traces;
