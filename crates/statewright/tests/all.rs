//! The library as a game uses it: one program, one module per subject.

mod calls;
#[cfg(all(feature = "compile", feature = "parallel"))]
mod commands;
mod crowd;
mod development;
mod first;
#[cfg(feature = "compile")]
mod inputs;
#[cfg(feature = "compile")]
mod lanes;
mod macros;
mod names;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod slices;
mod snapshots;
mod stopping;
#[cfg(feature = "compile")]
mod trace;
