#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Charts of other tools, read as machines, and machines written as SCXML.
//!
//! In comes the text of a file in another format, out go an author graph and everything that is
//! wrong with the file, like from [`statewright_author::text::read`]: spans are spans of the imported file, so what the compiler says later points into
//! it, too. Nothing is dropped in silence: what a format says is mapped, refused (SW0802) or named
//! as left out (SW0805).
#![forbid(unsafe_code)]

pub mod bytes;
mod diagram;
pub mod export;
mod graphs;
pub mod limits;
mod literal;
pub mod mermaid;
pub mod plantuml;
mod report;
pub mod scxml;
pub mod xstate;

pub use bytes::read_bytes;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;

/// A format of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// The W3C's state charts.
    Scxml,
    /// Machine configurations of XState v5, as JSON.
    Xstate,
    /// Mermaid state diagrams.
    Mermaid,
    /// PlantUML state diagrams.
    PlantUml,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Scxml, Self::Xstate, Self::Mermaid, Self::PlantUml];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scxml => "scxml",
            Self::Xstate => "xstate",
            Self::Mermaid => "mermaid",
            Self::PlantUml => "plantuml",
        }
    }

    /// How the names of its files end.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Scxml => &["scxml"],
            Self::Xstate => &["xstate.json"],
            Self::Mermaid => &["mmd", "mermaid"],
            Self::PlantUml => &["puml", "plantuml", "pu", "wsd"],
        }
    }

    /// The format of a file by its name.
    pub fn of_name(name: &str) -> Option<Self> {
        let ends = |end: &&str| {
            let dot = name.len().checked_sub(end.len() + 1);
            dot.and_then(|dot| name.get(dot..))
                .is_some_and(|tail| tail[1..].eq_ignore_ascii_case(end) && tail.starts_with('.'))
        };
        Self::ALL
            .into_iter()
            .find(|format| format.extensions().iter().any(ends))
    }

    /// Reads the bytes of a file.
    pub fn read(self, name: &str, bytes: &[u8]) -> (Machine, Diagnostics) {
        read_bytes(
            name,
            bytes,
            match self {
                Self::Scxml => scxml::read,
                Self::Xstate => xstate::read,
                Self::Mermaid => mermaid::read,
                Self::PlantUml => plantuml::read,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.scxml", Some(Format::Scxml)),
            ("dir/A.SCXML", Some(Format::Scxml)),
            ("light.xstate.json", Some(Format::Xstate)),
            ("x.mmd", Some(Format::Mermaid)),
            ("x.puml", Some(Format::PlantUml)),
            ("x.sw.json", None),
            ("scxml", None),
            ("é", None),
        ] {
            assert_eq!(Format::of_name(name), format, "{name}");
        }
    }
}
