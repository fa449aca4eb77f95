//! Imported and exported charts: one program, one module per subject.

mod common;
mod damage;
mod diagnostics;
mod export;
mod mermaid;
mod pictures;
mod plantuml;
mod scxml_hostile;
mod xstate;
