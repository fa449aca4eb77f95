#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Pictures of machines.
//!
//! Comes in: a compiled machine with its names ([`Chart`]). Goes out: text. [`svg()`] lays the
//! machine out by itself and draws nested boxes, lanes and labeled lines; [`mermaid()`], [`dot()`]
//! and [`plantuml()`] write what other tools draw. Everything is the same bytes for the same
//! machine, and nothing that comes from a name is ever more than text.
#![forbid(unsafe_code)]

mod bridges;
mod chart;
mod dot;
mod escape;
mod heat;
mod layout;
mod mermaid;
mod metrics;
mod outline;
mod page;
mod path;
mod plantuml;
mod scene;
mod shared;
mod short;
mod svg;
mod theme;
mod timeline;
mod words;

pub use chart::{Branch, Chart, History, Kind, Node, Region, State, Transition};
pub use dot::dot;
pub use escape::{visible, xml};
pub use heat::Heat;
pub use layout::Direction;
pub use mermaid::mermaid;
pub use page::{Facts, page};
pub use plantuml::plantuml;
pub use shared::Shared;
pub use svg::{Drawing, Options, svg};
pub use theme::Theme;
pub use timeline::{Track, timeline};
pub use words::Label;
