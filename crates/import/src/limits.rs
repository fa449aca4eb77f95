//! Every limit of import, in one place.

/// Longest file that is read.
pub const MAX_BYTES: usize = 4 << 20;
/// Deepest nesting of states, boxes or brackets in a file.
pub const MAX_DEPTH: usize = 64;
/// Most states side by side in a parallel state; no tier has room for more.
pub const MAX_REGIONS: usize = 64;
/// Most transitions that the wildcards of one state may stand for.
pub const MAX_TRANSITIONS: usize = 4096;
/// Most comparisons of wildcards with events in one file.
pub const MAX_MATCHES: usize = 4_000_000;
/// "Did you mean" looks at every name, so it is offered only so often.
pub(crate) const MAX_SUGGESTIONS: usize = 8;
