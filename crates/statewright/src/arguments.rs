//! Literal arguments of a call as one struct of the user's own (CODE-3).

use crate::value::Type;

/// Literal arguments of a call, read into one struct; `#[derive(Arguments)]` implements it, by the
/// order of the fields.
///
/// ```
/// use statewright::prelude::*;
///
/// #[derive(Arguments)]
/// struct Shout { power: i32, far: bool }
///
/// assert_eq!(Shout::TYPES, [statewright::Type::I32, statewright::Type::Bool]);
/// ```
#[diagnostic::on_unimplemented(
    message = "machine files have no literal for `{Self}`",
    label = "not an argument",
    note = "arguments are `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, `AgentId`, `Entity`, `Symbol`, `&str`, or a struct of these with `#[derive(Arguments)]`"
)]
pub trait Arguments: Sized {
    /// Types of the arguments, in order.
    const TYPES: &'static [Type];

    /// From the words of each argument by its place, counted from 0.
    fn read(words: impl Fn(usize) -> [u32; 3]) -> Self;
}
