//! `#[derive(Value)]`: a type around one value.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Field, Member};

use crate::fields;
use crate::problems::Problems;

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let code = match problems
        .keep(fields::of_struct(input, "a value"))
        .as_deref()
    {
        Some([(member, field)]) => implementation(input, member, field),
        Some(_) => {
            problems.add(
                &input.ident,
                format!(
                    "a value of machine files is a struct with one field: write `struct {}(i32);`",
                    input.ident
                ),
            );
            TokenStream::new()
        }
        None => TokenStream::new(),
    };
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn implementation(input: &DeriveInput, member: &Member, field: &Field) -> TokenStream {
    let (ident, (generics, types, bounds)) = (&input.ident, input.generics.split_for_impl());
    let ty = &field.ty;
    let value = quote_spanned!(ty.span()=> <#ty as ::statewright::Value>);
    quote! {
        #[automatically_derived]
        impl #generics ::statewright::Value for #ident #types #bounds {
            const TYPE: ::statewright::Type = #value::TYPE;

            #[inline]
            fn from_words(words: [u32; 3]) -> Self {
                Self { #member: #value::from_words(words) }
            }

            #[inline]
            fn to_words(self) -> [u32; 3] {
                #value::to_words(self.#member)
            }
        }
    }
}
