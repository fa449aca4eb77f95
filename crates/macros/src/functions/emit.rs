//! Writes the list of functions.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use statewright_text::camel_case;
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Type};

use super::mark::{Mark, MarkedKind};
use super::signature::Parameter;

/// A function to be listed.
pub struct Function {
    /// Under which `#[cfg(…)]` it exists.
    pub conditions: Vec<Attribute>,
    pub name: LitStr,
    /// The name of the user's `fn`.
    pub place: Span,
    pub mark: Mark,
    /// How it is called.
    pub path: TokenStream,
    pub parameters: Vec<Parameter>,
    pub returns: TokenStream,
}

/// The body of `fn functions()`.
pub fn list(functions: &[Function], board: &Type, context: &Type) -> TokenStream {
    let steps = functions.iter().map(step);
    quote! {{
        let list = ::statewright::Functions::<#board, #context>::new();
        #(#steps)*
        list
    }}
}

/// The functions as constants under each of their names, for machines that are fused with them.
pub fn callbacks(functions: &[Function]) -> TokenStream {
    let entries = functions.iter().map(|function| {
        let (conditions, closure) = (&function.conditions, closure(function));
        let kind = format_ident!("{}", function.mark.kind.variant());
        let entries = spellings(function)
            .map(|name| quote!(#(#conditions)* (#name, ::statewright::Callback::#kind(#closure))));
        quote!(#(#entries),*)
    });
    quote!(&[#(#entries),*])
}

/// Those of them that look at nothing but blackboard and context, in the same way.
pub fn plain_callbacks(functions: &[Function]) -> TokenStream {
    let plain = functions.iter().filter(|function| {
        let needs_no_view =
            |parameter: &Parameter| matches!(parameter, Parameter::Context | Parameter::Mode);
        function.parameters.iter().all(needs_no_view)
    });
    let entries = plain.map(|function| {
        let (conditions, closure) = (&function.conditions, closure_with(function, &quote!()));
        let kind = format_ident!("{}", function.mark.kind.variant());
        let entries = spellings(function).map(|name| {
            quote!(#(#conditions)* (#name, ::statewright::macros::PlainCallback::#kind(#closure)))
        });
        quote!(#(#entries),*)
    });
    quote!(&[#(#entries),*])
}

/// The names that a function answers to.
fn spellings(function: &Function) -> impl Iterator<Item = String> + use<> {
    let name = function.name.value();
    let other = Some(camel_case(&name)).filter(|other| *other != name);
    std::iter::once(name).chain(other)
}

/// What is known of the functions while the user's program is compiled, under each of their names.
pub fn signatures(functions: &[Function]) -> TokenStream {
    let entries = functions.iter().map(|function| {
        let (conditions, kind) = (&function.conditions, format_ident!("{}", function.mark.kind.variant()));
        let (spellings, takes) = (spellings(function), types(&function.parameters));
        let returns = match returns(function) {
            Some(ty) => quote!(::core::option::Option::Some(#ty)),
            None => quote!(::core::option::Option::None),
        };
        let entries = spellings.map(|name| {
            quote! {
                #(#conditions)*
                ::statewright::Signature {
                    name: #name, kind: ::statewright::Kind::#kind, arguments: &[#(#takes),*], returns: #returns
                }
            }
        });
        quote!(#(#entries),*)
    });
    quote!(&[#(#entries),*])
}

/// The type that a value function gives.
fn returns(function: &Function) -> Option<TokenStream> {
    let ty = &function.returns;
    (function.mark.kind == MarkedKind::Value)
        .then(|| quote_spanned!(ty.span()=> <#ty as ::statewright::Value>::TYPE))
}

/// Adds one function.
fn step(function: &Function) -> TokenStream {
    let Function {
        conditions,
        name,
        place,
        mark,
        ..
    } = function;
    let kind = format_ident!("{}", mark.kind.variant());
    let closure = closure(function);
    let types = match types(&function.parameters).as_slice() {
        [] => quote!(&[]),
        [only] => only.clone(),
        parts => quote!(&<[&[::statewright::Type]]>::concat(&[#(#parts),*])),
    };
    let uses_rng = mark.rng.then(|| quote!(.uses_rng()));
    let returns = returns(function).map(|ty| quote!(.returns(#ty)));
    let callback = quote!(::statewright::Callback::#kind(#closure));
    // The place of a call is that of its name and parentheses: a caller of `add` is where the user's
    // function is.
    let add = quote_spanned!(*place=> .add(#name, #callback));
    quote! {
        #(#conditions)*
        let list = list #add.arguments(#types) #returns #uses_rng;
    }
}

/// The function as the facade calls it.
fn closure(function: &Function) -> TokenStream {
    closure_with(function, &quote!(, _view))
}

/// The same with a view of the agent or without.
fn closure_with(function: &Function, view: &TokenStream) -> TokenStream {
    let (reads, arguments) = arguments(&function.parameters);
    let path = &function.path;
    // At the type that the function returns: there a wrong one is shown.
    let call = quote!(#path(me #(, #arguments)*));
    let span = function.returns.span();
    let has_mode = function
        .parameters
        .iter()
        .any(|parameter| matches!(parameter, Parameter::Mode));
    match function.mark.kind {
        MarkedKind::Guard => {
            let verdict =
                quote_spanned!(span=> <::statewright::Verdict as ::core::convert::From<_>>::from);
            quote!(|me, _context #view| { #reads #verdict(#call) })
        }
        MarkedKind::Scorer => quote!(|me, _context #view| { #reads #call }),
        MarkedKind::Value => {
            let ty = &function.returns;
            let words = quote_spanned!(span=> <#ty as ::statewright::Value>::to_words);
            quote!(|me, _context #view| { #reads #words(#call) })
        }
        MarkedKind::Action => quote!(|me, _context #view| { #reads #call; }),
        MarkedKind::Activity if has_mode => quote!(|me, _context, mode #view| { #reads #call }),
        MarkedKind::Activity => quote! {|me, _context, mode #view| {
            // It is not told that its state is left.
            if let ::statewright::Mode::Cancel = mode {
                return ::statewright::Status::Running;
            }
            #reads
            #call
        }},
    }
}

/// Reads literals before the call, which borrows the view; gives what is passed.
fn arguments(parameters: &[Parameter]) -> (TokenStream, Vec<TokenStream>) {
    let (mut reads, mut passed, mut index) =
        (TokenStream::new(), Vec::new(), LiteralIndex::default());
    for (number, parameter) in parameters.iter().enumerate() {
        let local = format_ident!("argument_{number}");
        let read = match parameter {
            Parameter::View => Err(quote!(_view)),
            Parameter::Context => Err(quote!(_context)),
            Parameter::Mode => Err(quote!(mode)),
            Parameter::Value(ty) => Ok(quote!(_view.argument::<#ty>(#index))),
            Parameter::Text => Ok(quote!(_view.argument_text(#index))),
            Parameter::Struct(ty) => Ok(quote!(_view.arguments::<#ty>(#index))),
        };
        index.pass(parameter);
        passed.push(match read {
            Ok(read) => {
                reads.extend(quote!(let #local = #read;));
                quote!(#local)
            }
            Err(given) => given,
        });
    }
    (reads, passed)
}

/// The index of the next literal. How many a struct takes is known only to the compiler.
#[derive(Default)]
struct LiteralIndex {
    before: usize,
    structs: Vec<TokenStream>,
}

impl LiteralIndex {
    fn pass(&mut self, parameter: &Parameter) {
        match parameter {
            Parameter::Value(_) | Parameter::Text => self.before += 1,
            Parameter::Struct(ty) => self
                .structs
                .push(quote!(<#ty as ::statewright::Arguments>::TYPES.len())),
            Parameter::View | Parameter::Context | Parameter::Mode => {}
        }
    }
}

impl ToTokens for LiteralIndex {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { before, structs } = self;
        tokens.extend(quote!(#before #(+ #structs)*));
    }
}

/// Types of the literals, in order, per parameter.
fn types(parameters: &[Parameter]) -> Vec<TokenStream> {
    let one = |parameter: &Parameter| match parameter {
        Parameter::Value(ty) => {
            Some(quote_spanned!(ty.span()=> &[<#ty as ::statewright::Value>::TYPE]))
        }
        Parameter::Text => Some(quote!(&[::statewright::Type::Symbol])),
        Parameter::Struct(ty) => {
            Some(quote_spanned!(ty.span()=> <#ty as ::statewright::Arguments>::TYPES))
        }
        Parameter::View | Parameter::Context | Parameter::Mode => None,
    };
    parameters.iter().filter_map(one).collect()
}
