//! `#[derive(Arguments)]`: literal arguments of a call as one struct.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Field, Member, Type};

use crate::problems::Problems;
use crate::{fields, shape};

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let all = problems
        .keep(fields::of_struct(input, "a list of arguments"))
        .unwrap_or_default();
    let right: Vec<_> = all
        .iter()
        .filter(|(_, field)| is_right(field, &mut problems))
        .collect();
    // Without a wrong field the struct cannot be made: one message is enough.
    let code = (right.len() == all.len()).then(|| implementation(input, &right));
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn implementation(input: &DeriveInput, fields: &[&(Member, &Field)]) -> TokenStream {
    let (ident, (generics, names, bounds)) = (&input.ident, input.generics.split_for_impl());
    let values: Vec<_> = fields.iter().map(|(_, field)| value(&field.ty)).collect();
    let reads =
        fields.iter().zip(&values).enumerate().map(
            |(index, ((member, _), value))| quote!(#member: #value::from_words(words(#index))),
        );
    quote! {
        #[automatically_derived]
        impl #generics ::statewright::Arguments for #ident #names #bounds {
            const TYPES: &'static [::statewright::Type] = &[#(#values::TYPE),*];

            #[inline]
            fn read(words: impl ::core::ops::Fn(usize) -> [u32; 3]) -> Self {
                Self { #(#reads),* }
            }
        }
    }
}

/// A type as a value, at the user's own word.
fn value(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::statewright::Value>)
}

fn is_right(field: &Field, problems: &mut Problems) -> bool {
    let ty = &field.ty;
    if shape::is_value(ty) {
        return true;
    }
    let remedy = if shape::is_text(ty) || shape::instead(ty) == Some("&str") {
        "take `Symbol`; `cx.text(symbol)` gives its text".to_owned()
    } else if let Some(instead) = shape::instead(ty) {
        format!("take `{instead}`")
    } else {
        "take `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, `AgentId`, `Entity` or `Symbol`"
            .to_owned()
    };
    let shown = quote!(#ty);
    problems.add(
        ty,
        format!("an argument cannot be `{shown}` here: {remedy}"),
    );
    false
}
