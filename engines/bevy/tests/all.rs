//! What the crate promises, in apps without a window.

mod agents;
mod assets;
mod bad_input;
mod common;
mod compare;
mod determinism;
mod examples;
mod snapshots;
mod tapes;
mod traces;
