//! `#[derive(Arguments)]`: literal arguments of a call as one struct.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Field, Member};

use crate::problems::{Problems, place_of};
use crate::{fields, shape};

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let all = problems.keep(fields::of_struct(input, "a list of arguments")).unwrap_or_default();
    let right: Vec<_> = all.iter().filter(|(_, field)| is_right(field, &mut problems)).collect();
    // Without a wrong field the struct cannot be made: one message is enough.
    let code = (right.len() == all.len()).then(|| implementation(input, &right));
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn implementation(input: &DeriveInput, fields: &[&(Member, &Field)]) -> TokenStream {
    let (ident, (generics, names, bounds)) = (&input.ident, input.generics.split_for_impl());
    let types =
        fields.iter().map(|(_, Field { ty, .. })| quote_spanned!(place_of(ty)=> <#ty as ::statewright::Value>::TYPE));
    let reads = fields.iter().enumerate().map(|(place, (member, Field { ty, .. }))| {
        quote_spanned!(place_of(ty)=> #member: <#ty as ::statewright::Value>::from_words(words(#place)))
    });
    quote! {
        #[automatically_derived]
        impl #generics ::statewright::Arguments for #ident #names #bounds {
            const TYPES: &'static [::statewright::Type] = &[#(#types),*];

            #[inline]
            fn read(words: impl ::core::ops::Fn(usize) -> [u32; 3]) -> Self {
                Self { #(#reads),* }
            }
        }
    }
}

fn is_right(field: &Field, problems: &mut Problems) -> bool {
    let ty = &field.ty;
    if shape::is_value(ty) {
        return true;
    }
    let remedy = if shape::is_text(ty) || shape::instead(ty) == Some("&str") {
        "take `Symbol`; `act.text(symbol)` gives its text".to_owned()
    } else if let Some(instead) = shape::instead(ty) {
        format!("take `{instead}`")
    } else {
        "take `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, `AgentId`, `Entity` or `Symbol`".to_owned()
    };
    let shown = quote!(#ty);
    problems.add(ty, format!("an argument cannot be `{shown}` here: {remedy}"));
    false
}
