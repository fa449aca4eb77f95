//! `#[derive(Saved)]`: how a struct or an enum is written into a snapshot and read again.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Field, Fields, Generics, Ident, Index, Member,
    Result, parse_quote,
};

use crate::problems::Problems;

/// Options of a type or a field.
#[derive(Default)]
struct Options {
    /// Of a type: as its bytes lie in memory.
    bytes: bool,
    /// Of a field: not at all.
    skip: bool,
}

/// One field: its name in patterns, its local name, its type.
struct Part {
    member: Member,
    local: Ident,
    ty: syn::Type,
    skip: bool,
}

/// The three functions.
struct Bodies {
    save: TokenStream,
    load: TokenStream,
    load_over: TokenStream,
}

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let options = problems.keep(options(&input.attrs)).unwrap_or_default();
    if options.skip {
        problems.add(&input.ident, "`#[saved(skip)]` stands before a field");
    }
    let bodies = if options.bytes {
        Some(as_bytes())
    } else {
        bodies(input, &mut problems)
    };
    let code = bodies.map(|bodies| implementation(input, &bodies));
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn bodies(input: &DeriveInput, problems: &mut Problems) -> Option<Bodies> {
    match &input.data {
        Data::Struct(data) => Some(of_struct(&parts(&data.fields, problems))),
        Data::Enum(data) => of_enum(input, data, problems),
        Data::Union(data) => {
            problems.push(Error::new(
                data.union_token.span,
                "nobody can tell what a union holds: write a struct or an enum, or `#[saved(bytes)]`",
            ));
            None
        }
    }
}

fn implementation(input: &DeriveInput, bodies: &Bodies) -> TokenStream {
    let bounds = with_bounds(&input.generics);
    let (ident, (generics, types, bounds)) = (&input.ident, bounds.split_for_impl());
    let Bodies {
        save,
        load,
        load_over,
    } = bodies;
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, non_snake_case)]
        impl #generics ::statewright::Saved for #ident #types #bounds {
            fn save(&self, bytes: &mut ::std::vec::Vec<u8>) {
                #save
            }

            fn load(
                machine: &::statewright::Machine,
                bytes: &mut &[u8],
            ) -> ::core::option::Option<Self> {
                #load
            }

            fn load_over(
                &mut self,
                machine: &::statewright::Machine,
                bytes: &mut &[u8],
            ) -> ::core::option::Option<()> {
                #load_over
            }
        }
    }
}

/// Whatever stands for a type must be saved, too.
fn with_bounds(generics: &Generics) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::statewright::Saved));
    }
    generics
}

fn as_bytes() -> Bodies {
    Bodies {
        save: quote!(::statewright::macros::save_bytes(self, bytes)),
        load: quote!(::statewright::macros::load_bytes(bytes)),
        load_over: quote! {
            *self = ::statewright::macros::load_bytes(bytes)?;
            ::core::option::Option::Some(())
        },
    }
}

fn of_struct(parts: &[Part]) -> Bodies {
    let pattern = pattern(parts);
    let (save, load, load_over) = (saves(parts), loads(parts), loads_over(parts));
    Bodies {
        save: quote!(let Self #pattern = self; #save),
        load: quote!(::core::option::Option::Some(Self #load)),
        load_over: quote! {
            let Self #pattern = self;
            #load_over
            ::core::option::Option::Some(())
        },
    }
}

/// A byte says which variant it is.
fn of_enum(input: &DeriveInput, data: &DataEnum, problems: &mut Problems) -> Option<Bodies> {
    if data.variants.is_empty() || data.variants.len() > 256 {
        problems.add(&input.ident, "an enum that is saved has 1 to 256 variants");
        return None;
    }
    let (mut saves_all, mut loads_all, mut over_all) = (Vec::new(), Vec::new(), Vec::new());
    for (number, variant) in (0..=u8::MAX).zip(&data.variants) {
        let (ident, parts) = (&variant.ident, parts(&variant.fields, problems));
        let (pattern, saves) = (pattern(&parts), saves(&parts));
        let (loads, over) = (loads(&parts), loads_over(&parts));
        saves_all.push(quote! {
            Self::#ident #pattern => {
                ::statewright::Saved::save(&#number, bytes);
                #saves
            }
        });
        loads_all.push(quote!(#number => Self::#ident #loads));
        over_all.push(quote!((#number, Self::#ident #pattern) => { #over }));
    }
    let number = quote!(<u8 as ::statewright::Saved>::load(machine, bytes)?);
    Some(Bodies {
        save: quote!(match self { #(#saves_all)* }),
        load: quote! {
            ::core::option::Option::Some(match #number {
                #(#loads_all,)*
                _ => return ::core::option::Option::None,
            })
        },
        // Memory of the same variant is used again; another one is read anew.
        load_over: quote! {
            let before = *bytes;
            match (#number, &mut *self) {
                #(#over_all)*
                _ => {
                    *bytes = before;
                    *self = <Self as ::statewright::Saved>::load(machine, bytes)?;
                }
            }
            ::core::option::Option::Some(())
        },
    })
}

fn parts(fields: &Fields, problems: &mut Problems) -> Vec<Part> {
    let part = |(number, field): (usize, &Field)| {
        let options = problems.keep(options(&field.attrs)).unwrap_or_default();
        if options.bytes {
            problems.add(field, "`#[saved(bytes)]` stands before a type");
        }
        let member = match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(number)),
        };
        Part {
            member,
            local: format_ident!("part_{number}"),
            ty: field.ty.clone(),
            skip: options.skip,
        }
    };
    fields.iter().enumerate().map(part).collect()
}

fn pattern(parts: &[Part]) -> TokenStream {
    let each = parts
        .iter()
        .map(|Part { member, local, .. }| quote!(#member: #local));
    quote!({ #(#each),* })
}

impl Part {
    /// Its type as one that is saved, at the user's own word.
    fn saved(&self) -> TokenStream {
        let ty = &self.ty;
        quote_spanned!(ty.span()=> <#ty as ::statewright::Saved>)
    }
}

fn saves(parts: &[Part]) -> TokenStream {
    let each = parts.iter().filter(|part| !part.skip).map(|part| {
        let (local, saved) = (&part.local, part.saved());
        quote!(#saved::save(#local, bytes);)
    });
    quote!(#(#each)*)
}

fn loads(parts: &[Part]) -> TokenStream {
    let each = parts.iter().map(|part| {
        let (member, saved) = (&part.member, part.saved());
        if part.skip {
            quote!(#member: ::core::default::Default::default())
        } else {
            quote!(#member: #saved::load(machine, bytes)?)
        }
    });
    quote!({ #(#each),* })
}

fn loads_over(parts: &[Part]) -> TokenStream {
    let each = parts.iter().map(|part| {
        let (local, saved) = (&part.local, part.saved());
        if part.skip {
            quote!(*#local = ::core::default::Default::default();)
        } else {
            quote!(#saved::load_over(#local, machine, bytes)?;)
        }
    });
    quote!(#(#each)*)
}

fn options(attributes: &[Attribute]) -> Result<Options> {
    let mut options = Options::default();
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("saved"))
    {
        attribute.parse_nested_meta(|option| {
            if option.path.is_ident("bytes") {
                options.bytes = true;
            } else if option.path.is_ident("skip") {
                options.skip = true;
            } else {
                return Err(option.error(
                    "`saved` knows `saved(skip)` before a field and `saved(bytes)` before a type",
                ));
            }
            Ok(())
        })?;
    }
    Ok(options)
}
