//! Expressions from text to bytecode and back (CODE-4): fixed cases, diagnostics, and random ones
//! against an oracle.

mod diagnostics;
#[path = "../../../rom/tests/evaluator/mod.rs"]
mod evaluator;
mod generate;
mod oracle;
mod properties;
mod results;
mod scope;
