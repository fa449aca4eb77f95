//! The machine as code (`statewright_fuse`), and how it is tied to the functions of a type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::build::Built;
use super::input::Input;
use super::value_type;

/// Whether the machine is written as code: with the functions of one type, unless the user says no.
fn is_fused(input: &Input) -> bool {
    input.fused && input.functions.len() == 1
}

/// The code itself, without any reference to the functions.
pub fn code(input: &Input, built: &Built) -> Option<TokenStream> {
    let rom = built.output.rom.as_rom();
    let symbols = &built.output.symbols;
    let border = quote!(::statewright::macros::fused);
    let functions = is_fused(input).then(|| statewright_fuse::fuse(&rom, symbols, &border))??;
    let instance = statewright_fuse::instance(rom.tier());
    let names = symbols.functions.iter().map(|symbol| &symbol.name);
    let keys = rom.keys().iter().zip(&symbols.keys).map(|(key, symbol)| {
        let ty = format_ident!("{}", value_type::spelled(key.ty.get()).variant);
        let name = &symbol.name;
        quote!((#name, ::statewright::Type::#ty))
    });
    Some(quote! {
        /// The machine as code.
        #[doc(hidden)]
        #[allow(unused_variables, unused_mut, unused_parens, unused_braces, unused_comparisons, unreachable_code, clippy::all)]
        pub(super) mod fused {
            #functions

            /// Stands for the code.
            #[derive(Clone, Copy, Debug)]
            pub struct Code;

            impl ::statewright::macros::FusedMachine for Code {
                type Instance = #instance;
                const FUNCTIONS: &'static [&'static str] = &[#(#names),*];
                const KEYS: &'static [(&'static str, ::statewright::Type)] = &[#(#keys),*];

                const NEEDS: Needs = NEEDS;
                const TIMERS: u8 = TIMERS;
                const POLLED: &'static [u16] = POLLED;

                #[inline(always)]
                fn bare<L: Linkage<H>, H: Host>(
                    bytes: AnyBare<'_, '_>, host: &mut H, phase: Phase<'_>
                ) -> Step {
                    bare::<L, H>(bytes, host, phase)
                }

                #[inline(always)]
                fn calling<L: Linkage<H>, H: Host>(
                    agent: AnyCalling<'_, '_>, host: &mut H, phase: Phase<'_>
                ) -> Step {
                    calling::<L, H>(agent, host, phase)
                }

                #[inline(always)]
                fn polls<L: Linkage<H>, H: Host>(agent: AnyCalling<'_, '_>, host: &mut H) -> Quiet {
                    polls::<L, H>(agent, host)
                }

                #[inline(always)]
                fn fused<L: Linkage<H>, H: Host>(
                    fuse: Fuse<'_, '_>, host: &mut H, phase: Phase<'_>
                ) -> Step {
                    fused::<L, H>(fuse, host, phase)
                }
            }
        }
    })
}

/// Ties the code to the functions of the type, as far as these can be linked. It stands beside the
/// module: there the user's type has its name.
pub fn tie(input: &Input, code: Option<&TokenStream>) -> Option<TokenStream> {
    let (functions, module) = (input.functions.first()?, &input.module);
    code.map(|_| {
        quote! {
            const _: () = {
                #[allow(unused_imports)]
                use ::statewright::macros::Unfused as _;

                impl ::statewright::macros::Tied for #module::fused::Code {
                    const CODE: ::core::option::Option<::statewright::macros::AnyFused> =
                        ::statewright::macros::FusedWith::<#functions, #module::fused::Code>::CODE;
                }
            };
        }
    })
}

/// The code as `fn machine()` hands it over.
pub fn reference(code: Option<&TokenStream>) -> TokenStream {
    match code {
        Some(_) => quote!(<fused::Code as ::statewright::macros::Tied>::CODE),
        None => quote!(::core::option::Option::None),
    }
}
