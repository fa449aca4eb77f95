//! `#[derive(Board)]`: shows the fields of a blackboard to machine files.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Field, LitStr, Member, Result, Type, parse_quote};

use crate::fields;
use crate::problems::Problems;

/// A field that machine files see if its type is one of theirs: the compiler knows that, not the
/// macro.
struct Shown<'a> {
    name: LitStr,
    member: &'a Member,
    ty: &'a Type,
    /// Its type must be one of theirs.
    asked: bool,
}

/// What the compiler knows of its type, at the user's own word. Local names must not be written so: a
/// word from a macro does not see them.
impl Shown<'_> {
    /// Its type in machine files, if it has one.
    fn ty(&self) -> TokenStream {
        let ty = self.ty;
        if self.asked {
            quote_spanned!(ty.span()=> ::core::option::Option::Some(<#ty as ::statewright::Value>::TYPE))
        } else {
            quote_spanned!(ty.span()=> ::statewright::macros::Probe::<#ty>::TYPE)
        }
    }

    /// A function that reads it from a reference.
    fn read(&self) -> TokenStream {
        let ty = self.ty;
        if self.asked {
            quote_spanned!(ty.span()=> ::statewright::macros::read_value::<#ty>)
        } else {
            quote_spanned!(ty.span()=> ::statewright::macros::Probe::<#ty>::read)
        }
    }

    /// A function that writes it.
    fn write(&self) -> TokenStream {
        let ty = self.ty;
        if self.asked {
            quote_spanned!(ty.span()=> ::statewright::macros::write_value::<#ty>)
        } else {
            quote_spanned!(ty.span()=> ::statewright::macros::Probe::<#ty>::write)
        }
    }
}

/// Options of a field.
#[derive(Default)]
struct Options {
    skip: bool,
    name: Option<LitStr>,
}

/// The derive macro.
pub fn expand(input: &DeriveInput) -> TokenStream {
    let mut problems = Problems::default();
    let all = problems
        .keep(fields::with_names(input, "a blackboard"))
        .unwrap_or_default();
    let mut shown: Vec<Shown<'_>> = Vec::new();
    for (member, field) in &all {
        let Some(next) = problems.keep(show(member, field)).flatten() else {
            continue;
        };
        match shown
            .iter()
            .find(|other| other.name.value() == next.name.value())
        {
            Some(_) => problems.add(
                &next.name,
                format!(
                    "two fields are shown as `{}`: write `#[board(skip)]` before one",
                    next.name.value()
                ),
            ),
            None => shown.push(next),
        }
    }
    let skipped: Vec<(LitStr, &Type)> = all.iter().filter_map(|(_, field)| skip(field)).collect();
    let code = implementation(input, &shown, &skipped);
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn implementation(
    input: &DeriveInput,
    shown: &[Shown<'_>],
    skipped: &[(LitStr, &Type)],
) -> TokenStream {
    let (ident, (generics, types, bounds)) = (&input.ident, input.generics.split_for_impl());
    let fields = shown.iter().map(|shown| {
        let (name, ty) = (&shown.name, shown.ty());
        quote!((#name, #ty))
    });
    // The same twice: constants of an implementation cannot refer to what stands beside it.
    let fields = quote!(const { &::statewright::macros::Fields::new([#(#fields),*]) });
    let place = |index: usize| quote!(_ if field == const { #fields.place(#index) });
    let reads = shown.iter().enumerate().map(|(index, shown)| {
        let (member, place, read) = (shown.member, place(index), shown.read());
        quote!(#place => #read(&self.#member))
    });
    let writes = shown.iter().enumerate().map(|(index, shown)| {
        let (member, place, write) = (shown.member, place(index), shown.write());
        quote!(#place => #write(&mut self.#member, words))
    });
    let offers = offers(input, shown, skipped);
    let skipped = skipped.iter().map(|(name, _)| name);
    quote! {
        const _: () = {
            #[allow(unused_imports)]
            use ::statewright::macros::Unshown as _;

            #[automatically_derived]
            impl #generics ::statewright::Board for #ident #types #bounds {
                const FIELDS: &'static [(&'static str, ::statewright::Type)] = #fields.shown();
                const HIDDEN: ::core::option::Option<&'static [&'static str]> =
                    ::core::option::Option::Some(#fields.hidden());
                const SKIPPED: &'static [&'static str] = &[#(#skipped),*];

                #[inline]
                fn read(&self, field: usize) -> [u32; 3] {
                    match field {
                        #(#reads,)*
                        _ => [0; 3],
                    }
                }

                #[inline]
                fn write(&mut self, field: usize, words: [u32; 3]) {
                    match field {
                        #(#writes,)*
                        _ => {}
                    }
                }
            }

            #offers
        };
    }
}

/// What `machine!` asks about each key. It stands here, and not there, so that the error is shown at
/// the field.
fn offers(input: &DeriveInput, shown: &[Shown<'_>], skipped: &[(LitStr, &Type)]) -> TokenStream {
    let ident = &input.ident;
    let mut with_key = input.generics.clone();
    with_key
        .params
        .push(parse_quote!(__Key: ::statewright::macros::NeededKey));
    let (generics, _, _) = with_key.split_for_impl();
    let (_, types, bounds) = input.generics.split_for_impl();
    let names = shown.iter().map(|shown| &shown.name);
    let names = names.chain(skipped.iter().map(|(name, _)| name));
    let arms = shown.iter().enumerate().map(|(index, shown)| {
        let (ty, found) = (shown.ty, shown.ty());
        let check = quote_spanned! {ty.span()=>
            ::statewright::macros::must(::statewright::macros::misfit::<__Key>(#found))
        };
        quote!(::core::option::Option::Some(#index) => #check)
    });
    let skips = (shown.len()..).zip(skipped).map(|(index, (_, ty))| {
        let check = quote_spanned! {ty.span()=>
            ::statewright::macros::must(::core::option::Option::Some(__Key::SKIPPED))
        };
        quote!(::core::option::Option::Some(#index) => #check)
    });
    let missing = quote_spanned! {ident.span()=>
        ::statewright::macros::must(::core::option::Option::Some(__Key::MISSING))
    };
    quote! {
        #[automatically_derived]
        impl #generics ::statewright::macros::Offers<__Key> for #ident #types #bounds {
            const CHECK: () = match ::statewright::macros::position(&[#(#names),*], __Key::NAME) {
                #(#arms,)*
                #(#skips,)*
                _ => #missing,
            };
        }
    }
}

/// Name and type of a field that is skipped.
fn skip(field: &Field) -> Option<(LitStr, &Type)> {
    let skips = options(field).is_ok_and(|options| options.skip);
    let ident = field.ident.as_ref().filter(|_| skips)?;
    let name = LitStr::new(&ident.unraw().to_string(), ident.span());
    Some((name, &field.ty))
}

/// Every field that is not skipped.
fn show<'a>(member: &'a Member, field: &'a Field) -> Result<Option<Shown<'a>>> {
    let options = options(field)?;
    let own = field
        .ident
        .as_ref()
        .map(|ident| LitStr::new(&ident.unraw().to_string(), ident.span()));
    let asked = options.name.is_some();
    let name = options.name.or(own).filter(|_| !options.skip);
    Ok(name.map(|name| Shown {
        name,
        member,
        ty: &field.ty,
        asked,
    }))
}

fn options(field: &Field) -> Result<Options> {
    let mut options = Options::default();
    for attribute in field
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("board"))
    {
        attribute.parse_nested_meta(|option| {
            if option.path.is_ident("skip") {
                options.skip = true;
            } else if option.path.is_ident("name") {
                options.name = Some(option.value()?.parse()?);
            } else {
                return Err(
                    option.error("`board` knows `board(skip)` and `board(name = \"name\")`")
                );
            }
            Ok(())
        })?;
    }
    match &options.name {
        Some(name) if options.skip => Err(Error::new(
            name.span(),
            "a field that is skipped needs no name",
        )),
        _ => Ok(options),
    }
}
