//! What the crate promises, in apps without a window.

mod agents;
mod assets;
mod bad_input;
mod common;
mod compare;
mod determinism;
mod examples;
#[cfg(feature = "gizmos")]
mod labels;
#[cfg(feature = "reflect")]
mod reflected;
mod snapshots;
