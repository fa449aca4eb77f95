//! `machine!`: compiles a machine file while the user's program is compiled (CODE-2).
//!
//! The stages: [`input`] what the user wrote, [`build`] the compiled file, [`constants`] its names
//! as constants, [`fused`] the machine as code, [`check`] whether all functions are there, [`check_keys`] whether all fields are, and
//! here the module around them.

mod build;
mod check;
mod check_keys;
mod constants;
mod fused;
mod input;
mod value_type;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use statewright_symbols::{Symbol, SymbolKind};

use build::Built;
use input::Input;

/// The macro.
pub fn expand(input: TokenStream) -> TokenStream {
    let built = syn::parse2::<Input>(input)
        .and_then(|input| build::build(&input.path).map(|built| (input, built)));
    match built {
        Ok((input, built)) => module(&input, &built),
        Err(error) => error.to_compile_error(),
    }
}

fn module(input: &Input, built: &Built) -> TokenStream {
    let Input {
        attributes,
        visibility,
        module,
        ..
    } = input;
    let doc = doc(
        built.graph.doc.as_deref(),
        &format!("Machine `{}`.", built.graph.name.value),
    );
    let code = fused::code(input, built);
    let (file, parts, machine) = (&built.file, &built.parts, machine(built, code.as_ref()));
    let constants = constants::modules(built);
    let (checks, key_checks) = (
        check::checks(input, built),
        check_keys::checks(input, built),
    );
    let warnings = warnings(input, built);
    let tie = fused::tie(input, code.as_ref());
    quote! {
        #(#attributes)*
        #[doc = #doc]
        #[allow(dead_code)]
        #visibility mod #module {
            // The module is made anew when one of its files changes.
            const _: &[u8] = ::core::include_bytes!(#file);
            #(const _: &[u8] = ::core::include_bytes!(#parts);)*
            #warnings
            #machine
            #constants
            #code
        }
        #tie
        #checks
        #key_checks
    }
}

/// Warnings of the build. Stable Rust has no other way for a macro to warn than the use of something
/// deprecated, with the text as its note.
fn warnings(input: &Input, built: &Built) -> TokenStream {
    if input.allows_warnings {
        return TokenStream::new();
    }
    let span = input.path.span().resolved_at(Span::call_site());
    let name = Ident::new("MACHINE_FILE_HAS_A_WARNING", span);
    let way_out = "; `warnings = allow` in `machine!` keeps them quiet";
    let one = |warning: &String| {
        let note = format!("{warning}{way_out}");
        quote! {
            const _: () = {
                #[deprecated(note = #note)]
                const #name: () = ();
                #name
            };
        }
    };
    built.warnings.iter().map(one).collect()
}

/// `fn machine()`.
fn machine(built: &Built, code: Option<&TokenStream>) -> TokenStream {
    let bytes = Literal::byte_string(built.output.rom.as_bytes());
    let hash = built.output.rom.as_rom().header().head.structure_hash.get();
    let (symbols, warnings) = (symbols(built), &built.warnings);
    let fused = fused::reference(code);
    quote! {
        static ROM: &[u8] = #bytes;

        /// Structure hash of the machine that the constants of this module are of: another machine
        /// (`Machine::structure_hash`) may mean something else by their numbers.
        pub const STRUCTURE_HASH: u64 = #hash;

        /// The machine, compiled together with this program. The first call loads it.
        pub fn machine() -> ::statewright::Machine {
            static MACHINE: ::std::sync::OnceLock<::statewright::Machine> = ::std::sync::OnceLock::new();
            MACHINE.get_or_init(|| ::statewright::macros::load(ROM, #symbols, &[#(#warnings),*], #fused)).clone()
        }
    }
}

/// Names and spans behind the numbers. The ROM they are tied to has their hashes.
fn symbols(built: &Built) -> TokenStream {
    let symbols = &built.output.symbols;
    let (machine, file, parts) = (&symbols.machine, &symbols.file, &symbols.parts);
    let lists = SymbolKind::ALL.iter().map(|&kind| {
        let field = quote::format_ident!("{}", kind.list());
        let own = symbols.list(kind).iter().map(|symbol| {
            let Symbol {
                name,
                line,
                column,
                part,
            } = symbol;
            quote!((#name, #line, #column, #part))
        });
        quote!(#field: ::statewright::macros::symbols(&[#(#own),*]))
    });
    quote! {
        ::statewright::macros::SymbolTable {
            machine: ::std::string::String::from(#machine),
            file: ::std::string::String::from(#file),
            parts: ::std::vec![#(::std::string::String::from(#parts)),*],
            #(#lists,)*
            ..::std::default::Default::default()
        }
    }
}

/// What the author wrote about something, then what it is.
fn doc(own: Option<&str>, what: &str) -> String {
    match own.map(str::trim).filter(|own| !own.is_empty()) {
        Some(own) => format!("{own}\n\n{what}"),
        None => what.to_owned(),
    }
}
