#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Authoring: what a person writes, before it is compiled.
//!
//! A machine arrives as a text file or from the Rust builder and becomes one [`graph::Machine`].
//! Nothing here knows the ROM; problems are [`diagnostic::Diagnostic`]s with spans in the file or
//! the builder.
#![forbid(unsafe_code)]

pub mod builder;
pub mod codes;
pub mod diagnostic;
pub mod duration;
mod expand;
pub mod expr;
pub mod format;
pub mod graph;
pub mod limits;
pub mod names;
pub mod parts;
pub mod render;
pub mod span;
pub mod text;
pub mod value;

pub use statewright_text::similar;
