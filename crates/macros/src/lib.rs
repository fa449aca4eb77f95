//! Macros of Statewright. Use them through the crate `statewright`.
#![forbid(unsafe_code)]

mod arguments;
mod board;
mod command;
mod fields;
mod functions;
mod machine;
mod problems;
mod shape;
mod spelling;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Collects the functions of an `impl` block.
#[proc_macro_attribute]
pub fn functions(options: TokenStream, item: TokenStream) -> TokenStream {
    functions::expand(options.into(), item.into()).into()
}

/// Shows the fields of a blackboard to machine files.
#[proc_macro_derive(Board, attributes(board))]
pub fn board(input: TokenStream) -> TokenStream {
    board::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Makes a plain struct a command.
#[proc_macro_derive(Command, attributes(command))]
pub fn command(input: TokenStream) -> TokenStream {
    command::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Reads literal arguments of a call into a struct.
#[proc_macro_derive(Arguments)]
pub fn arguments(input: TokenStream) -> TokenStream {
    arguments::expand(&parse_macro_input!(input as DeriveInput)).into()
}

/// Compiles a machine file.
#[proc_macro]
pub fn machine(input: TokenStream) -> TokenStream {
    machine::expand(input.into()).into()
}
