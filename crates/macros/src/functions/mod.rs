//! `#[functions]`: collects the marked functions of an `impl` block or an inline module.
//!
//! The stages: options, [`mark`] finds and removes marks, [`signature`] understands each function,
//! [`emit`] writes the list.

mod emit;
mod mark;
mod options;
mod signature;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, Item, ItemImpl, ItemMod, Signature, Type, Visibility, parse_quote};

use crate::context;
use crate::problems::Problems;
use emit::Function;
use options::Options;
use signature::{Receiver, Understood};

/// The attribute.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut problems = Problems::default();
    let options = problems.keep(syn::parse2(options)).unwrap_or_default();
    let code = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(block)) => on_impl(options, block, &mut problems),
        Ok(Item::Mod(module)) => on_module(options, module, &mut problems),
        Ok(other) => {
            problems.add(
                &item,
                "`#[functions]` stands before `impl Body { … }` or `mod body { … }`",
            );
            other.into_token_stream()
        }
        Err(error) => {
            problems.push(error);
            item
        }
    };
    let problems = problems.into_tokens();
    quote!(#code #problems)
}

fn on_impl(options: Options, mut block: ItemImpl, problems: &mut Problems) -> TokenStream {
    if let Some((_, path, _)) = &block.trait_ {
        problems.add(path, "`#[functions]` stands before the type's own `impl Body { … }`, not before that of a trait");
        return block.into_token_stream();
    }
    if let Some(board) = &options.board {
        problems.add(
            board,
            "the blackboard is the type of the `impl` block: leave `board` out",
        );
    }
    let (board, context) = ((*block.self_ty).clone(), options.context());
    let mut functions = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            let found = Found {
                attributes: &mut method.attrs,
                signature: &method.sig,
            };
            let receiver = Receiver::Method;
            functions.extend(collect(
                found,
                &receiver,
                &context,
                |name| quote!(<#board>::#name),
                problems,
            ));
        }
    }
    let context = context::family(&context);
    let (generics, _, bounds) = block.generics.split_for_impl();
    let list = emit::list(&functions, &board, &context);
    let signatures = emit::signatures(&functions);
    // Types of a family would be known only where they are named.
    let linked = block
        .generics
        .params
        .is_empty()
        .then(|| linked(&functions, &board, &context));
    let list = match linked {
        Some(_) => quote!({ ::statewright::macros::fusing(#list) }),
        None => list,
    };
    quote! {
        #block

        #linked

        #[automatically_derived]
        impl #generics ::statewright::Behavior<#context> for #board #bounds {
            fn functions() -> ::statewright::Functions<Self, #context> #list
        }

        #[automatically_derived]
        impl #generics ::statewright::Named for #board #bounds {
            const FUNCTIONS: &'static [::statewright::Signature] = #signatures;
        }
    }
}

/// What machines are fused with.
fn linked(functions: &[Function], board: &Type, context: &Type) -> TokenStream {
    let callbacks = emit::callbacks(functions);
    let plain = emit::plain_callbacks(functions);
    quote! {
        #[automatically_derived]
        impl ::statewright::macros::Linked for #board {
            type Board = Self;
            type Context = #context;
            const CALLBACKS: &'static [(&'static str, ::statewright::Callback<Self, #context>)] = #callbacks;
            const PLAIN: &'static [(&'static str, ::statewright::macros::PlainCallback<Self, #context>)] = #plain;
        }
    }
}

fn on_module(options: Options, mut module: ItemMod, problems: &mut Problems) -> TokenStream {
    let Some(board) = options.board.clone() else {
        problems.add(
            &module.ident,
            "whose functions are these? Write `#[functions(board = Body)]` before the module",
        );
        return module.into_token_stream();
    };
    let Some((_, items)) = &mut module.content else {
        problems.add(
            &module,
            "a macro cannot see into another file: write the module here, `mod name { … }`",
        );
        return module.into_token_stream();
    };
    let context = options.context();
    let mut functions = Vec::new();
    for item in items.iter_mut() {
        if let Item::Fn(function) = item {
            let found = Found {
                attributes: &mut function.attrs,
                signature: &function.sig,
            };
            let receiver = Receiver::First(&board);
            functions.extend(collect(
                found,
                &receiver,
                &context,
                ToTokens::to_token_stream,
                problems,
            ));
        }
    }
    items.extend(module_items(&functions, &board, &context::family(&context)));
    module.into_token_stream()
}

/// What a module gets besides what is written in it.
fn module_items(functions: &[Function], board: &Type, context: &Type) -> [Item; 4] {
    let list = emit::list(functions, board, context);
    let signatures = emit::signatures(functions);
    let public: Visibility = parse_quote!(pub);
    [
        parse_quote! {
            /// The functions of this module.
            #public fn functions() -> ::statewright::Functions<#board, #context> #list
        },
        parse_quote! {
            /// Stands for the functions of this module in `machine!(…, functions = …)`.
            #[derive(Clone, Copy, Debug)]
            #[allow(dead_code)]
            #public struct List;
        },
        parse_quote! {
            #[automatically_derived]
            impl ::statewright::Named for List {
                const FUNCTIONS: &'static [::statewright::Signature] = #signatures;
            }
        },
        // Their blackboard answers for them; it may be private, so that it cannot be named elsewhere.
        parse_quote! {
            #[automatically_derived]
            impl<__Key: ::statewright::macros::NeededKey> ::statewright::macros::Offers<__Key> for List {
                const CHECK: () = {
                    #[allow(unused_imports)]
                    use ::statewright::macros::Listed as _;
                    ::statewright::macros::must(::statewright::macros::Check::<#board, __Key>::PROBLEM)
                };
            }
        },
    ]
}

/// A function or method that may carry a mark.
struct Found<'a> {
    attributes: &'a mut Vec<Attribute>,
    signature: &'a Signature,
}

/// A marked function, if it is right.
fn collect(
    found: Found<'_>,
    receiver: &Receiver<'_>,
    context: &Type,
    path: impl FnOnce(&syn::Ident) -> TokenStream,
    problems: &mut Problems,
) -> Option<Function> {
    let mark = mark::take(found.attributes, problems)?;
    let conditions = found
        .attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .cloned()
        .collect();
    let Understood {
        parameters,
        returns,
    } = signature::understand(found.signature, mark.kind, receiver, context, problems)?;
    let path = path(&found.signature.ident);
    Some(Function {
        conditions,
        name: mark.name(&found.signature.ident),
        place: found.signature.ident.span(),
        mark,
        path,
        parameters,
        returns,
    })
}
