//! The library as a game uses it: one program, one module per subject.

#[cfg(all(feature = "compile", feature = "macros"))]
mod boards;
mod calls;
#[cfg(all(feature = "compile", feature = "parallel"))]
mod commands;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod context;
mod crowd;
mod development;
#[cfg(feature = "compile")]
mod digest;
#[cfg(feature = "compile")]
mod files;
mod first;
#[cfg(feature = "compile")]
mod frames;
#[cfg(all(feature = "compile", feature = "macros"))]
mod fused;
#[cfg(feature = "compile")]
mod guards;
mod handles;
#[cfg(feature = "compile")]
mod ids;
#[cfg(feature = "compile")]
mod inputs;
#[cfg(feature = "compile")]
mod inspect;
#[cfg(feature = "compile")]
mod ladders;
#[cfg(feature = "compile")]
mod lanes;
mod macros;
mod names;
#[cfg(feature = "compile")]
mod parameters;
#[cfg(feature = "compile")]
mod places;
mod plain;
#[cfg(feature = "compile")]
mod reload;
#[cfg(all(feature = "compile", feature = "macros"))]
mod saved;
#[cfg(all(feature = "compile", feature = "parallel"))]
mod segments;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod slices;
mod snapshots;
#[cfg(all(feature = "compile", feature = "macros"))]
mod solo;
mod stopping;
#[cfg(all(feature = "compile", feature = "macros"))]
mod strict;
#[cfg(feature = "compile")]
mod trace;
#[cfg(feature = "compile")]
mod trace_answers;
#[cfg(all(feature = "compile", feature = "macros"))]
mod values;
#[cfg(all(feature = "compile", feature = "macros"))]
mod ways;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod world;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod world_inputs;
#[cfg(all(feature = "compile", feature = "macros", feature = "parallel"))]
mod world_words;
