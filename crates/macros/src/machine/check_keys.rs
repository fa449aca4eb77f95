//! Checks of the user's build: the blackboard has a field for every key that the machine declares.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use statewright_rom::layout::ValueType;
use statewright_symbols::SymbolKind;
use syn::spanned::Spanned;

use super::build::Built;
use super::input::Input;
use super::value_type::{Spelled, spelled};

/// One constant per key, so that everything is reported at once.
pub fn checks(input: &Input, built: &Built) -> TokenStream {
    let Some(board) = input.board.as_ref().or(input.functions.first()) else {
        return TokenStream::new();
    };
    let rom = built.output.rom.as_rom();
    let keys = rom
        .keys()
        .iter()
        .zip(built.output.symbols.list(SymbolKind::Key));
    keys.map(|(record, symbol)| {
        let place = format!("{}:{}:{}", built.path, symbol.line, symbol.column);
        let key = needed(&symbol.name, record.ty.get(), &place);
        // At the type: there the user has something to do, if the field itself cannot be shown.
        quote_spanned! {board.span()=>
            const _: () = {
                #[allow(unused_imports)]
                use ::statewright::macros::Listed as _;
                #key
                ::statewright::macros::must(::statewright::macros::Check::<#board, Key>::PROBLEM)
            };
        }
    })
    .collect()
}

/// A type that stands for a key, with what is said if the blackboard does not have it.
fn needed(name: &str, ty: ValueType, place: &str) -> TokenStream {
    let Spelled { word, field, .. } = spelled(ty);
    let declares = format!("{place} declares the blackboard key `{name}` as {word}");
    let missing = format!("{declares}, but there is no such field: add `{name}: {field}`");
    let skipped = format!("{declares}, but `#[board(skip)]` hides the field from it: remove that");
    let hidden = format!(
        "{declares}, but the type of the field is none of machine files: write `{field}`, or implement `statewright::Value` for it"
    );
    let others = ValueType::ALL
        .iter()
        .filter(|other| **other != ty)
        .map(|other| {
            let Spelled {
                word: found,
                variant,
                ..
            } = spelled(*other);
            let variant = format_ident!("{variant}");
            let text = format!("{declares}, but the field is {found}: write `{field}`");
            quote!((::statewright::Type::#variant, #text))
        });
    quote! {
        struct Key;

        impl ::statewright::macros::NeededKey for Key {
            const NAME: &'static str = #name;
            const MISSING: &'static str = #missing;
            const SKIPPED: &'static str = #skipped;
            const HIDDEN: &'static str = #hidden;
            const OTHERS: &'static [(::statewright::Type, &'static str)] = &[#(#others),*];
        }
    }
}
