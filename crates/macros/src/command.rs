//! `#[derive(Command)]`: makes a plain struct a command.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use statewright_rom::layout::BuiltInLane;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Expr, Field, LitStr, Member, Result};

use crate::fields;
use crate::problems::Problems;

/// Options of a command.
#[derive(Default)]
struct Options {
    lane: Option<TokenStream>,
    name: Option<LitStr>,
    merge: Option<Expr>,
}

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    if let Some(generic) = input.generics.params.first() {
        problems.add(
            generic,
            "commands are told apart by their name, so each is one type: remove this",
        );
        return problems.into_tokens();
    }
    let fields = problems.keep(fields::of_struct(input, "a command"));
    let options = problems.keep(options(input));
    let code = fields
        .zip(options)
        .map(|(fields, options)| implementation(input, &fields, options));
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn implementation(
    input: &DeriveInput,
    fields: &[(Member, &Field)],
    options: Options,
) -> TokenStream {
    let (ident, lane) = (&input.ident, options.lane);
    let name = options
        .name
        .unwrap_or_else(|| LitStr::new(&ident.unraw().to_string(), ident.span()));
    let merge = options.merge.map(|merge| {
        quote! {
            #[inline]
            fn merge(&mut self, later: &Self) -> bool {
                let merge: fn(&mut Self, &Self) -> bool = #merge;
                merge(self, later)
            }
        }
    });
    // At the user's own words: there a wrong type is shown.
    let types = fields.iter().map(|(_, field)| &field.ty);
    let types: Vec<_> = types
        .map(|ty| quote_spanned!(ty.span()=> <#ty as ::statewright::commands::Field>))
        .collect();
    let members: Vec<_> = fields.iter().map(|(member, _)| member).collect();
    quote! {
        #[automatically_derived]
        impl ::statewright::commands::Command for #ident {
            const NAME: &'static str = #name;
            const LANE: ::statewright::commands::Lane = #lane;
            const BYTES: usize = 0 #(+ #types::BYTES)*;

            #[inline]
            fn write(&self, bytes: &mut [u8]) {
                #(let bytes = #types::put(self.#members, bytes);)*
                debug_assert!(bytes.is_empty(), "room for another command");
            }

            #[inline]
            fn read(mut bytes: &[u8]) -> ::core::option::Option<Self> {
                let command = Self { #(#members: #types::take(&mut bytes)?),* };
                bytes.is_empty().then_some(command)
            }

            #merge
        }

        const _: () = ::core::assert!(
            <#ident as ::statewright::commands::Command>::BYTES <= 512,
            "a command has at most 512 bytes",
        );
    }
}

fn options(input: &DeriveInput) -> Result<Options> {
    let mut options = Options::default();
    for attribute in input
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("command"))
    {
        attribute.parse_nested_meta(|option| {
            if option.path.is_ident("lane") {
                options.lane = Some(lane(&option.value()?.parse()?)?);
            } else if option.path.is_ident("name") {
                options.name = Some(option.value()?.parse()?);
            } else if option.path.is_ident("merge") {
                options.merge = Some(option.value()?.parse()?);
            } else {
                return Err(option.error(
                    "`command` knows `command(lane = AUDIO)`, `command(name = \"Name\")` and `command(merge = Self::add)`",
                ));
            }
            Ok(())
        })?;
    }
    if options.lane.is_none() {
        let text = format!(
            "where does it go? Write `#[command(lane = …)]` with {}",
            lanes()
        );
        return Err(Error::new(input.ident.span(), text));
    }
    Ok(options)
}

/// `AUDIO` and `own(0)` are those of `Lane`; a longer path is one of the user's own.
fn lane(expression: &Expr) -> Result<TokenStream> {
    let own = match expression {
        Expr::Path(path) => match path.path.get_ident() {
            Some(name) if lane_constants().any(|lane| name == &lane) => true,
            Some(name) => {
                return Err(Error::new(
                    name.span(),
                    format!("no such lane: write {}", lanes()),
                ));
            }
            None => false,
        },
        Expr::Call(call) => matches!(&*call.func, Expr::Path(path) if path.path.is_ident("own")),
        _ => {
            return Err(Error::new_spanned(
                expression,
                format!("not a lane: write {}", lanes()),
            ));
        }
    };
    let lane = expression.to_token_stream();
    Ok(if own {
        quote!(::statewright::commands::Lane::#lane)
    } else {
        lane
    })
}

/// Constants of `Lane`: those that every machine has.
fn lane_constants() -> impl Iterator<Item = String> {
    BuiltInLane::NAMES.into_iter().map(str::to_uppercase)
}

fn lanes() -> String {
    let constants: Vec<String> = lane_constants().map(|lane| format!("`{lane}`")).collect();
    format!(
        "one of {}, or for the machine's own lanes `own(0)` and so on, or the path of its constant, such as `dog::lanes::LEDGER`",
        constants.join(", ")
    )
}
