//! What the crate promises, in apps without a window.

mod agents;
mod assets;
mod bad_input;
mod common;
mod compare;
mod determinism;
mod disabled;
mod examples;
mod lost;
mod misfits;
mod restored;
mod snapshots;
mod stops;
mod taken_off;
