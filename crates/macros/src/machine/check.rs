//! Checks of the user's build: every function that the machine calls is there and takes what it is
//! called with.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use statewright_rom::Rom;
use statewright_rom::layout::{FunctionKind, LinkerRecord};
use statewright_text::snake_case;
use syn::spanned::Spanned;

use super::build::Built;
use super::input::Input;
use super::value_type::{self, Spelled};

/// One constant per function and list of arguments, so that everything is reported at once.
pub fn checks(input: &Input, built: &Built) -> TokenStream {
    let Some(first) = input.functions.first() else {
        return TokenStream::new();
    };
    let (types, rom) = (&input.functions, built.output.rom.as_rom());
    let lists = quote!(&[#(<#types as ::statewright::Named>::FUNCTIONS),*]);
    let owners = quote!(#(#types),*).to_string();
    let mut checks = TokenStream::new();
    for (index, (record, symbol)) in rom
        .linker()
        .iter()
        .zip(&built.output.symbols.functions)
        .enumerate()
    {
        let (kind, name) = (FunctionForm::of(record), &symbol.name);
        let (variant, calls) = (format_ident!("{}", kind.variant), calls(&rom, index));
        let at = format!("{}:{}:{}", built.path, symbol.line, symbol.column);
        for (number, given) in calls.iter().enumerate() {
            // The file is known by the place of the first call; which of several lists of arguments
            // stands there is not.
            let at = if calls.len() == 1 { &at } else { &built.path };
            let types = given.as_deref().unwrap_or_default();
            let words = types
                .iter()
                .map(|ty| ty.word)
                .collect::<Vec<_>>()
                .join(", ");
            let example = kind.example(built, name, types);
            let call = format!("{at} calls the {} `{name}`", kind.word);
            // What is wrong with all calls is said once.
            let report = |text: String| match number {
                0 => quote_spanned!(first.span()=> ::core::panic!(#text)),
                _ => quote!({}),
            };
            let missing = report(format!("{call}, but `{owners}` has none: add `{example}`"));
            let other_kind = report(format!(
                "{call}, but in `{owners}` it is something else: mark it `#[{}]`",
                kind.word
            ));
            let arguments = format!(
                "{call} with ({words}), but in `{owners}` it takes something else: write `{example}`"
            );
            let value = format!(
                "{call}, which must give {}, but in `{owners}` it gives something else: write `{example}`",
                kind.gives.as_ref().map_or("nothing", |ty| ty.word)
            );
            let returns = match &kind.gives {
                Some(ty) => {
                    let ty = format_ident!("{}", ty.variant);
                    quote!(::core::option::Option::Some(::statewright::Type::#ty))
                }
                None => quote!(::core::option::Option::None),
            };
            let types = types.iter().map(|ty| format_ident!("{}", ty.variant));
            let given = match given {
                Some(_) => {
                    quote!(::core::option::Option::Some(&[#(::statewright::Type::#types),*]))
                }
                None => quote!(::core::option::Option::None),
            };
            // At the type: there the user has something to do.
            checks.extend(quote_spanned! {first.span()=>
                const _: () = match ::statewright::macros::find(
                    #lists, #name, ::statewright::Kind::#variant, #given, #returns
                ) {
                    ::statewright::macros::Found::Yes => {}
                    ::statewright::macros::Found::Missing => #missing,
                    ::statewright::macros::Found::OtherKind => #other_kind,
                    ::statewright::macros::Found::OtherArguments => ::core::panic!(#arguments),
                    ::statewright::macros::Found::OtherValue => ::core::panic!(#value),
                };
            });
        }
    }
    checks
}

/// The different lists of arguments that a function is called with; none if the compiler found that
/// it is never called.
fn calls(rom: &Rom<'_>, function: usize) -> Vec<Option<Vec<Spelled>>> {
    let mut calls = Vec::new();
    for op in rom
        .ops()
        .iter()
        .filter(|op| op.kind.get().calls() && usize::from(op.a.get()) == function)
    {
        let given = Some(
            rom.arguments_of(op)
                .iter()
                .map(|argument| value_type::spelled(argument.ty.get()))
                .collect(),
        );
        if !calls.contains(&given) {
            calls.push(given);
        }
    }
    if calls.is_empty() { vec![None] } else { calls }
}

/// How a kind of function is written.
struct FunctionForm {
    word: &'static str,
    variant: &'static str,
    receiver: &'static str,
    /// Empty for nothing.
    returns: &'static str,
    /// What a value function gives.
    gives: Option<Spelled>,
}

impl FunctionForm {
    fn of(record: &LinkerRecord) -> Self {
        let kind = record.kind.get();
        let gives = value_type::spelled(record.ty.get());
        let (variant, receiver, returns) = match kind {
            FunctionKind::Guard => ("Guard", "&self", "bool"),
            FunctionKind::Scorer => ("Scorer", "&self", "f32"),
            FunctionKind::Activity => ("Activity", "&mut self", "Status"),
            FunctionKind::Action => ("Action", "&mut self", ""),
            FunctionKind::Value => ("Value", "&self", gives.field),
        };
        Self {
            word: kind.name(),
            variant,
            receiver,
            returns,
            gives: (kind == FunctionKind::Value).then_some(gives),
        }
    }

    /// What the user could write, for a call with these arguments.
    fn example(&self, built: &Built, name: &str, given: &[Spelled]) -> String {
        let Self {
            word,
            receiver,
            returns,
            ..
        } = self;
        let own = name.rsplit("::").next().unwrap_or(name);
        let mark = if own == name {
            (*word).to_owned()
        } else {
            format!("{word}(name = \"{name}\")")
        };
        let declared = built
            .graph
            .functions
            .iter()
            .find(|function| function.name.value == name);
        let names = declared
            .map(|function| function.parameters.as_slice())
            .unwrap_or_default();
        let parameter = |(index, argument): (usize, &Spelled)| {
            let name = names.get(index).map_or_else(
                || format!("argument_{}", index + 1),
                |(name, _)| name.value.clone(),
            );
            format!(", {name}: {}", argument.rust)
        };
        let parameters: String = given.iter().enumerate().map(parameter).collect();
        let arrow = if returns.is_empty() { "" } else { " -> " };
        format!(
            "#[{mark}] fn {}({receiver}{parameters}){arrow}{returns}",
            snake_case(own)
        )
    }
}
