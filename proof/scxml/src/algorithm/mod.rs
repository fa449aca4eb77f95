//! Appendix D of the recommendation, "Algorithm for SCXML Interpretation", under its own names.
//!
//! Left out is what this crate does not support: invoke, scripts, late binding. Sets of states are
//! `BTreeSet`s of places in the document, so that they are in document order; reversed, they are in
//! exit order.

mod content;
mod domain;
mod entry_set;
mod event_loop;
mod microstep;
mod select;
mod tree;
