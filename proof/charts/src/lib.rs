//! The second oracle at work: an SCXML document runs twice, imported on the kernel and by the
//! letter of the recommendation in `statewright-scxml-oracle`, and both must do the same: the same
//! configurations, and the same exits, actions and entries in the same order.
//!
//! - `machine` the imported side, `order` what happened in words that both sides share
//! - `compare` one document against itself
//! - `fixture` cases written by hand from the recommendation
//! - `export` a document against what import and export make of it
#![forbid(unsafe_code)]

mod compare;
mod export;
pub mod fixture;
mod machine;
mod order;

pub use compare::{Difference, Tally, compare, compare_document};
pub use export::{compare_back, compare_export, export};
pub use machine::{Imported, import, import_through_text};
