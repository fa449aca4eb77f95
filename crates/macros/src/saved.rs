//! `#[derive(Saved)]`: how a struct or an enum is written into a snapshot and read again.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Expr, Field, Fields, Generics, Ident, Index,
    LitInt, LitStr, Member, Result, Token, parse_quote,
};

use crate::problems::Problems;

/// Options of a type, a field or a variant.
#[derive(Default)]
struct Options {
    /// Of a type: as its bytes lie in memory.
    bytes: bool,
    /// Of a type: as serde writes it.
    serde: bool,
    /// Of a type: which version this is.
    version: Option<LitInt>,
    /// Of a type: what makes this version of an earlier one.
    upgrade: Option<syn::Path>,
    /// Of a field: not at all.
    skip: bool,
    /// Of a field: what it is if it was not saved.
    default: Option<TokenStream>,
    /// Of a field or a variant: what it was called before.
    was: Vec<LitStr>,
}

impl Options {
    fn is_of_type(&self) -> bool {
        self.bytes || self.serde || self.version.is_some() || self.upgrade.is_some()
    }

    fn is_of_field(&self) -> bool {
        self.skip || self.default.is_some()
    }
}

/// What each option is for.
const KNOWN: &str = "`saved` knows `skip`, `default`, `default = VALUE` and `was = \"NAME\"` before a field, `was = \"NAME\"` before a variant, `bytes`, `serde`, `version = NUMBER` and `upgrade = FUNCTION` before a type";

/// One field: its name in patterns, its local name, its type.
struct Part {
    member: Member,
    local: Ident,
    ty: syn::Type,
    skip: bool,
    default: Option<TokenStream>,
    was: Vec<LitStr>,
}

/// The functions.
struct Bodies {
    /// How many bytes it takes, if they are always as many, and how it is written into these.
    fixed: TokenStream,
    save: TokenStream,
    load: TokenStream,
    load_over: TokenStream,
    form: TokenStream,
}

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let options = problems.keep(options(&input.attrs)).unwrap_or_default();
    if options.skip {
        problems.add(&input.ident, "`#[saved(skip)]` stands before a field");
    } else if options.is_of_field() || !options.was.is_empty() {
        problems.add(&input.ident, KNOWN);
    }
    let bodies = if options.bytes {
        Some(as_bytes(&input.ident, &options))
    } else if options.serde {
        Some(by_serde())
    } else {
        bodies(input, &options, &mut problems)
    };
    let code = bodies.map(|bodies| implementation(input, &bodies));
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn bodies(input: &DeriveInput, options: &Options, problems: &mut Problems) -> Option<Bodies> {
    match &input.data {
        Data::Struct(data) => {
            let parts = parts(&data.fields, problems);
            let form = form(input, options, false, &[variant_form("", &[], &parts)]);
            Some(of_struct(&parts, form))
        }
        Data::Enum(data) => of_enum(input, options, data, problems),
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
        fixed,
        save,
        load,
        load_over,
        form,
    } = bodies;
    quote! {
        #[automatically_derived]
        #[allow(unused_variables, non_snake_case)]
        impl #generics ::statewright::Saved for #ident #types #bounds {
            #fixed

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

            fn form(forms: &mut ::statewright::form::Forms) -> ::statewright::form::Form {
                #form
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

fn as_bytes(ident: &Ident, options: &Options) -> Bodies {
    let (name, version) = (ident.to_string(), version(options));
    Bodies {
        fixed: quote! {
            const BYTES: ::core::option::Option<usize> =
                ::core::option::Option::Some(::core::mem::size_of::<Self>());

            #[inline]
            fn save_into(&self, place: &mut [u8]) {
                ::statewright::macros::save_bytes_into(self, place);
            }
        },
        form: quote! {
            ::statewright::form::Form::memory(#name, #version, ::core::mem::size_of::<Self>())
        },
        save: quote!(::statewright::macros::save_bytes(self, bytes)),
        load: quote!(::statewright::macros::load_bytes(bytes)),
        load_over: quote! {
            *self = ::statewright::macros::load_bytes(bytes)?;
            ::core::option::Option::Some(())
        },
    }
}

/// Others describe it, and know what is missing.
fn by_serde() -> Bodies {
    Bodies {
        fixed: TokenStream::new(),
        form: quote!(::statewright::macros::serde_form()),
        save: quote!(::statewright::macros::save_serde(self, bytes)),
        load: quote!(::statewright::macros::load_serde(bytes)),
        load_over: quote! {
            *self = ::statewright::macros::load_serde(bytes)?;
            ::core::option::Option::Some(())
        },
    }
}

fn version(options: &Options) -> TokenStream {
    let version = options.version.as_ref();
    version.map_or_else(|| quote!(0), |version| quote!(#version))
}

/// What the bytes mean, by name (SAVE-2).
fn form(
    input: &DeriveInput,
    options: &Options,
    is_enum: bool,
    variants: &[TokenStream],
) -> TokenStream {
    let (name, version) = (input.ident.to_string(), version(options));
    let upgrade = match &options.upgrade {
        Some(path) => quote! {
            ::core::option::Option::Some(|machine, from, bytes, out| {
                let mut value = <Self as ::statewright::Saved>::load(machine, bytes)?;
                let upgrade: fn(&mut Self, u32) = #path;
                upgrade(&mut value, from);
                ::statewright::Saved::save(&value, out);
                ::core::option::Option::Some(())
            })
        },
        None => quote!(::core::option::Option::None),
    };
    quote! {
        forms.named(::core::any::type_name::<Self>(), |forms| {
            let variants = ::std::vec![#(#variants),*];
            ::statewright::macros::saved_type(#name, #version, #is_enum, variants, #upgrade)
        })
    }
}

fn variant_form(name: &str, was: &[LitStr], parts: &[Part]) -> TokenStream {
    let fields = parts.iter().filter(|part| !part.skip).map(|part| {
        let (ty, was, saved) = (&part.ty, &part.was, part.saved());
        let name = match &part.member {
            Member::Named(ident) => ident.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let default = match &part.default {
            Some(value) => quote! {
                ::core::option::Option::Some(|out| {
                    let value: #ty = #value;
                    ::statewright::Saved::save(&value, out);
                })
            },
            None => quote!(::core::option::Option::None),
        };
        quote!(::statewright::macros::saved_field(#name, &[#(#was),*], #saved::form(forms), #default))
    });
    quote!(::statewright::macros::saved_variant(#name, &[#(#was),*], ::std::vec![#(#fields),*]))
}

fn of_struct(parts: &[Part], form: TokenStream) -> Bodies {
    let pattern = pattern(parts);
    let (save, load, load_over) = (saves(parts), loads(parts), loads_over(parts));
    Bodies {
        fixed: fixed(parts),
        form,
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
fn of_enum(
    input: &DeriveInput,
    options: &Options,
    data: &DataEnum,
    problems: &mut Problems,
) -> Option<Bodies> {
    if data.variants.is_empty() || data.variants.len() > 256 {
        problems.add(&input.ident, "an enum that is saved has 1 to 256 variants");
        return None;
    }
    let (mut saves_all, mut loads_all, mut over_all) = (Vec::new(), Vec::new(), Vec::new());
    let mut forms = Vec::new();
    for (number, variant) in (0..=u8::MAX).zip(&data.variants) {
        let (ident, parts) = (&variant.ident, parts(&variant.fields, problems));
        let own = problems
            .keep(self::options(&variant.attrs))
            .unwrap_or_default();
        if own.is_of_type() || own.is_of_field() {
            problems.add(variant, KNOWN);
        }
        forms.push(variant_form(&ident.to_string(), &own.was, &parts));
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
        // Variants have different fields.
        fixed: TokenStream::new(),
        form: form(input, options, true, &forms),
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
        } else if options.is_of_type() {
            problems.add(field, KNOWN);
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
            default: options.default,
            was: options.was,
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

/// All that is saved side by side, if each part says how many bytes it takes.
fn fixed(parts: &[Part]) -> TokenStream {
    let pattern = pattern(parts);
    let saved = || parts.iter().filter(|part| !part.skip);
    let bytes = saved().map(|part| {
        let saved = part.saved();
        quote!(#saved::BYTES)
    });
    let each = saved().map(|Part { local, ty, .. }| {
        let save = quote_spanned!(ty.span()=> ::statewright::macros::save_part::<#ty>);
        quote!(let place = #save(#local, place);)
    });
    quote! {
        const BYTES: ::core::option::Option<usize> =
            ::statewright::macros::saved_bytes(&[#(#bytes),*]);

        #[inline]
        fn save_into(&self, place: &mut [u8]) {
            let Self #pattern = self;
            #(#each)*
        }
    }
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
            } else if option.path.is_ident("serde") {
                options.serde = true;
            } else if option.path.is_ident("skip") {
                options.skip = true;
            } else if option.path.is_ident("version") {
                options.version = Some(option.value()?.parse()?);
            } else if option.path.is_ident("upgrade") {
                options.upgrade = Some(option.value()?.parse()?);
            } else if option.path.is_ident("was") {
                options.was.push(option.value()?.parse()?);
            } else if option.path.is_ident("default") {
                options.default = Some(match option.input.peek(Token![=]) {
                    true => option.value()?.parse::<Expr>()?.to_token_stream(),
                    false => quote!(::core::default::Default::default()),
                });
            } else {
                return Err(option.error(KNOWN));
            }
            Ok(())
        })?;
    }
    Ok(options)
}
