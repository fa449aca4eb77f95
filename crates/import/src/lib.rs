//! Charts of other tools, read as machines.
//!
//! In comes the text of a file in another format, out go an author graph and everything that is wrong with the file, like from
//! [`statewright_author::text::read`]: places are places of the imported file, so what the compiler says later points into
//! it, too. Nothing is dropped in silence: what a format says is mapped, refused (SW0802) or named as left out (SW0805).
#![forbid(unsafe_code)]

pub mod bytes;
mod diagram;
mod graphs;
pub mod limits;
pub mod mermaid;
pub mod plantuml;
mod report;
pub mod scxml;
pub mod xstate;

pub use bytes::read_bytes;
