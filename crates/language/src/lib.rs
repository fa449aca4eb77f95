#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A text that is being typed is broken most of the time. `repair` makes JSON of it with as few
//! insertions as it can, so that everything else works on what the reader of `statewright-author`
//! gives: `walk` goes over the JSON tree with the shapes of the file format, `names` finds every
//! name in it and what it means, and one file per feature answers from that. Problems alone are those
//! of the text as it is.
//!
//! Offsets are bytes of the text that was given. Which fields there are, which names mean what and
//! what is wrong is known elsewhere: `statewright_author::text::shape` and the compiler.
#![forbid(unsafe_code)]

mod analysis;
mod built_in;
mod code;
mod complete;
mod edit;
mod files;
mod fix;
mod form;
mod format;
mod hint;
mod hover;
mod names;
mod outline;
mod parts;
mod project;
mod rename;
mod repair;
mod resolve;
mod rust;
mod walk;

pub use analysis::{Analysis, Compiled, Place};
pub use complete::{Completion, CompletionKind, Completions};
pub use edit::{Edit, apply};
pub use files::{Files, NoFiles};
pub use fix::QuickFix;
pub use hint::Hint;
pub use hover::Hover;
pub use names::Target;
pub use outline::Symbol;
pub use project::Reference;
pub use rename::{Refusal, Renaming};
