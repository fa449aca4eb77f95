//! `#[derive(Board)]`: shows the fields of a blackboard to machine files.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Field, LitStr, Member, Result, Type};

use crate::fields;
use crate::problems::Problems;
use crate::shape::is_value;

/// A field that machine files see.
struct Shown<'a> {
    name: LitStr,
    member: &'a Member,
    ty: &'a Type,
}

impl Shown<'_> {
    /// Its type as a value, at the user's own word. Local names must not be written so: a word from
    /// a macro does not see them.
    fn value(&self) -> TokenStream {
        let ty = self.ty;
        quote_spanned!(ty.span()=> <#ty as ::statewright::Value>)
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
                format!("two fields are shown as `{}`", next.name.value()),
            ),
            None => shown.push(next),
        }
    }
    let (code, problems) = (implementation(input, &shown), problems.into_tokens());
    quote!(#code #problems)
}

fn implementation(input: &DeriveInput, shown: &[Shown<'_>]) -> TokenStream {
    let (ident, (generics, types, bounds)) = (&input.ident, input.generics.split_for_impl());
    let fields = shown.iter().map(|shown| {
        let (name, value) = (&shown.name, shown.value());
        quote!((#name, #value::TYPE))
    });
    let reads = shown.iter().enumerate().map(|(index, shown)| {
        let (member, value) = (shown.member, shown.value());
        quote!(#index => #value::to_words(self.#member))
    });
    let writes = shown.iter().enumerate().map(|(index, shown)| {
        let (member, value) = (shown.member, shown.value());
        quote!(#index => self.#member = #value::from_words(words))
    });
    quote! {
        #[automatically_derived]
        impl #generics ::statewright::Board for #ident #types #bounds {
            const FIELDS: &'static [(&'static str, ::statewright::Type)] = &[#(#fields),*];

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
    }
}

/// A field is shown if its type is one of the machine file's, or if it is given a name for it.
fn show<'a>(member: &'a Member, field: &'a Field) -> Result<Option<Shown<'a>>> {
    let options = options(field)?;
    let own = field
        .ident
        .as_ref()
        .map(|ident| LitStr::new(&ident.unraw().to_string(), ident.span()));
    let is_shown = !options.skip && (options.name.is_some() || is_value(&field.ty));
    let name = options.name.or(own).filter(|_| is_shown);
    Ok(name.map(|name| Shown {
        name,
        member,
        ty: &field.ty,
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
