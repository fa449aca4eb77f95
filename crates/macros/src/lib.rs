//! Macros of Statewright. Use them through the crate `statewright`.

use proc_macro::TokenStream;

/// Collects the functions of an `impl` block.
#[proc_macro_attribute]
pub fn functions(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Shows the fields of a blackboard to machine files.
#[proc_macro_derive(Board, attributes(board))]
pub fn board(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Makes a plain struct a command.
#[proc_macro_derive(Command, attributes(command))]
pub fn command(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
