//! Mistakes of the user: all that a macro finds, each at its place.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::Error;
use syn::spanned::Spanned;

/// Where the compiler shows what is wrong with code that we write about something. Names in that code are ours, also if the user's
/// code comes from a macro of their own.
pub fn place_of(what: &impl Spanned) -> Span {
    what.span().resolved_at(Span::call_site())
}

/// Mistakes found so far.
#[derive(Default)]
pub struct Problems(Option<Error>);

impl Problems {
    /// Notes a mistake at what it is about.
    pub fn add(&mut self, at: impl ToTokens, text: impl std::fmt::Display) {
        self.push(Error::new_spanned(at, text));
    }

    /// Notes a mistake that was found elsewhere.
    pub fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// The value, or a note of why there is none.
    pub fn keep<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Errors of the user's build.
    pub fn into_tokens(self) -> TokenStream {
        self.0.map(|error| error.to_compile_error()).unwrap_or_default()
    }
}
