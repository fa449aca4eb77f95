//! Every limit of import, in one place.

/// Longest file that is read.
pub const MAX_BYTES: usize = 4 << 20;
/// Deepest nesting of states, boxes or brackets in a file.
pub const MAX_DEPTH: usize = 64;
