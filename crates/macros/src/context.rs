//! `borrowed!(Town<'_>)`: the context of functions that borrow the world for one tick.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Lifetime, Type, parse_quote};

use crate::problems::Problems;

/// The macro.
pub fn expand(input: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let Some(ty) = problems.keep(syn::parse2::<Type>(input)) else {
        return problems.into_tokens();
    };
    let borrowed = family(&ty);
    if borrowed == ty {
        problems.add(
            &ty,
            "this borrows nothing: write `'_` for the lifetime of a tick, `borrowed!(Town<'_>)`, or leave `borrowed!` out",
        );
        return problems.into_tokens();
    }
    borrowed.into_token_stream()
}

/// What a crowd has as its context: a type that borrows (`Town<'_>`) stands for one type per
/// lifetime, any other for itself.
pub fn family(ty: &Type) -> Type {
    let lifetime = Lifetime::new("'w", proc_macro2::Span::mixed_site());
    let mut found = false;
    let named = name_elided(ty.to_token_stream(), &lifetime, &mut found);
    if !found {
        return ty.clone();
    }
    parse_quote!(::statewright::Borrowed<dyn for<#lifetime> ::statewright::Lends<#lifetime, Context = #named>>)
}

/// Writes a lifetime where there is `'_`.
fn name_elided(tokens: TokenStream, lifetime: &Lifetime, found: &mut bool) -> TokenStream {
    let mut named = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let elided = format_ident!("_");
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Punct(mark), Some(TokenTree::Ident(name)))
                if mark.as_char() == '\'' && *name == elided =>
            {
                tokens.next();
                named.extend(quote!(#lifetime));
                *found = true;
            }
            (TokenTree::Group(group), _) => {
                let inside = name_elided(group.stream(), lifetime, found);
                let mut inside = Group::new(group.delimiter(), inside);
                inside.set_span(group.span());
                named.extend([TokenTree::Group(inside)]);
            }
            (token, _) => named.extend([token]),
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_elided_lifetime_becomes_that_of_the_tick() {
        let family = family(&parse_quote!((Town<'_>, &'_ [Box<dyn Shop<'_>>])));
        let wanted = ":: statewright :: Borrowed < dyn for < 'w > :: statewright :: Lends < 'w , \
                      Context = (Town < 'w > , & 'w [Box < dyn Shop < 'w > >]) > >";
        assert_eq!(family.to_token_stream().to_string(), wanted);
    }

    #[test]
    fn a_type_that_borrows_nothing_is_its_own_context() {
        let terrain: Type = parse_quote!(world::Terrain<'static, u8>);
        assert_eq!(family(&terrain), terrain);
    }
}
