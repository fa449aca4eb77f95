//! Checks of the user's build: every function that the machine calls is there.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use statewright_author::value::ValueType;
use statewright_rom::layout::function_kind;
use syn::spanned::Spanned;

use super::build::Built;
use super::input::Input;
use crate::spelling::snake_case;

/// One constant per function, so that all missing ones are reported at once.
pub fn checks(input: &Input, built: &Built) -> TokenStream {
    let Some(first) = input.functions.first() else { return TokenStream::new() };
    let (types, rom) = (&input.functions, built.output.rom.as_rom());
    let lists = quote!(&[#(<#types as ::statewright::Named>::FUNCTIONS),*]);
    let calls = rom.linker().iter().zip(&built.output.symbols.functions);
    let checks = calls.map(|(record, symbol)| {
        let kind = Kind::of(record.kind);
        let (name, variant) = (&symbol.name, format_ident!("{}", kind.variant));
        let owners = quote!(#(#types),*).to_string();
        let call = format!("{}:{}:{} calls the {} `{name}`", built.path, symbol.line, symbol.column, kind.word);
        let missing = format!("{call}, but `{owners}` has none: add `{}`", kind.example(built, name));
        let other = format!("{call}, but in `{owners}` it is something else: mark it `#[{}]`", kind.word);
        // At the type: there the user has something to do.
        quote_spanned! {first.span()=>
            const _: () = match ::statewright::macros::find(#lists, #name, ::statewright::Kind::#variant) {
                ::statewright::macros::Found::Yes => {}
                ::statewright::macros::Found::Missing => ::core::panic!(#missing),
                ::statewright::macros::Found::OtherKind => ::core::panic!(#other),
            };
        }
    });
    checks.collect()
}

/// How a kind of function is written.
struct Kind {
    word: &'static str,
    variant: &'static str,
    receiver: &'static str,
    returns: &'static str,
}

impl Kind {
    fn of(number: u8) -> Self {
        let (word, variant, receiver, returns) = match number {
            function_kind::GUARD => ("guard", "Guard", "&self", " -> bool"),
            function_kind::SCORER => ("scorer", "Scorer", "&self", " -> f32"),
            function_kind::ACTIVITY => ("activity", "Activity", "&mut self", " -> Status"),
            _ => ("action", "Action", "&mut self", ""),
        };
        Self { word, variant, receiver, returns }
    }

    /// What the user could write.
    fn example(&self, built: &Built, name: &str) -> String {
        let Self { word, receiver, returns, .. } = self;
        let own = name.rsplit("::").next().unwrap_or(name);
        let mark = if own == name { (*word).to_owned() } else { format!("{word}(name = \"{name}\")") };
        let declared = built.graph.functions.iter().find(|function| function.name.value == name);
        let parameters = declared.map(|function| function.parameters.as_slice()).unwrap_or_default();
        let parameters: String =
            parameters.iter().map(|(name, ty)| format!(", {}: {}", name.value, rust_type(ty.value))).collect();
        format!("#[{mark}] fn {}({receiver}{parameters}){returns}", snake_case(own))
    }
}

fn rust_type(ty: ValueType) -> &'static str {
    match ty {
        ValueType::I32 => "i32",
        ValueType::F32 => "f32",
        ValueType::Bool => "bool",
        ValueType::Entity => "AgentId",
        ValueType::Vec2 => "[f32; 2]",
        ValueType::Vec3 => "[f32; 3]",
        ValueType::Symbol => "&str",
    }
}
