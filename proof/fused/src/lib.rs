//! Random machines as generated Rust: what `machine!` would write for them, made by the build script.
//!
//! The functions of these machines are those of the other proofs, reached by their numbers, so that
//! calls, arguments, commands and bytes can be compared with the kernel's tables and with the
//! reference interpreter.

use statewright_differential::kernel_side::FusedCode;
use statewright_kernel::fused::ByNumber;

/// A machine as code.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// The seed that it is made of.
    pub seed: u64,
    /// Features of its ROM.
    pub features: u32,
    /// Which of [`SHAPES`] its code has.
    pub shapes: [bool; SHAPES.len()],
    /// The mistake of the generator that its code has; 0 for none.
    pub mistake: u8,
    /// The code.
    pub code: FusedCode,
}

#[allow(
    missing_docs,
    unused_variables,
    unused_mut,
    unused_parens,
    unused_braces,
    unused_comparisons,
    unreachable_code,
    clippy::all
)]
mod machines {
    use super::{ByNumber, FusedCode, Machine};

    include!(concat!(env!("OUT_DIR"), "/machines.rs"));
}

pub use machines::{MACHINES, SHAPES};
