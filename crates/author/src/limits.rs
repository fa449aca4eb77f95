//! Every limit of the authoring side, in one place.

/// Longest machine file that is read.
pub const MAX_TEXT_BYTES: usize = 64 << 20;
/// Deepest nesting of brackets in a machine file.
pub const MAX_NESTING: usize = 128;
/// Longest name, in bytes.
pub const MAX_NAME_BYTES: usize = 128;
/// Longest expression, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 4096;
/// Deepest nesting of an expression.
pub const MAX_EXPRESSION_DEPTH: usize = 64;
/// Problems shown per machine; the rest is counted.
pub const MAX_DIAGNOSTICS: usize = 200;
/// Deadlines compare with wrap-around, so a duration must stay below half the range of u32 (EVT-7).
pub const MAX_DURATION_TICKS: u32 = (1 << 31) - 1;
/// Payload bytes an event carries itself (EVT-1); more must be indirect (EVT-6).
pub const MAX_PAYLOAD_BYTES: u32 = 16;
