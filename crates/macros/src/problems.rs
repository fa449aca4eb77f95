//! Mistakes of the user: all that a macro finds, each at its place.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::Error;

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
        self.0
            .map(|error| error.to_compile_error())
            .unwrap_or_default()
    }
}
