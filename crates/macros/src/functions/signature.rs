//! Understands the parameters and the result of a marked function.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{FnArg, GenericParam, PatType, ReturnType, Signature, Type, TypeReference};

use super::mark::MarkedKind;
use crate::problems::Problems;
use crate::shape;

/// Where the blackboard comes in.
pub enum Receiver<'a> {
    /// `&self`.
    Method,
    /// The first parameter, of this type.
    First(&'a Type),
}

/// A parameter behind the receiver.
pub enum Parameter {
    /// `&mut GuardCx` or `&mut ActionCx`.
    View,
    /// The context.
    Context,
    /// `Mode`.
    Mode,
    /// A literal of the machine file.
    Value(Type),
    /// A text of the machine file.
    Text,
    /// A struct of literals.
    Struct(Type),
}

/// A function that is right.
pub struct Understood {
    pub parameters: Vec<Parameter>,
    /// The type that it returns; nothing for actions.
    pub returns: TokenStream,
}

/// What a function takes and gives; `None` if something is wrong with it.
pub fn understand(
    signature: &Signature,
    kind: MarkedKind,
    receiver: &Receiver<'_>,
    context: &Type,
    problems: &mut Problems,
) -> Option<Understood> {
    let mut own = Own {
        kind,
        context,
        problems,
        wrong: false,
    };
    own.check_plain(signature);
    let mut inputs = signature.inputs.iter();
    own.check_receiver(signature, inputs.next(), receiver);
    let parameters: Vec<_> = inputs.filter_map(|input| own.parameter(input)).collect();
    let returns = own.returns(signature);
    (!own.wrong).then_some(Understood {
        parameters,
        returns,
    })
}

/// The checks of one function.
struct Own<'a> {
    kind: MarkedKind,
    context: &'a Type,
    problems: &'a mut Problems,
    wrong: bool,
}

impl Own<'_> {
    fn refuse(&mut self, at: impl ToTokens, text: impl std::fmt::Display) {
        self.problems.add(at, text);
        self.wrong = true;
    }

    /// Machines call plain functions at once: nothing to choose, to wait for or to promise.
    fn check_plain(&mut self, signature: &Signature) {
        let who = self.kind.a_word();
        if let Some(word) = &signature.asyncness {
            self.refuse(
                word,
                format!("{who} is called and done within a tick: remove `async`"),
            );
        }
        if let Some(word) = &signature.unsafety {
            self.refuse(
                word,
                format!("machines call {who} like any other: remove `unsafe`"),
            );
        }
        let generic = signature
            .generics
            .params
            .iter()
            .find(|param| !matches!(param, GenericParam::Lifetime(_)));
        if let Some(generic) = generic {
            self.refuse(
                generic,
                format!("a machine file cannot choose a type: write {who} without generics"),
            );
        }
    }

    fn check_receiver(
        &mut self,
        signature: &Signature,
        first: Option<&FnArg>,
        receiver: &Receiver<'_>,
    ) {
        let (changes, remedy) = match (first, receiver) {
            (Some(FnArg::Receiver(own)), Receiver::Method) if own.reference.is_some() => {
                (own.mutability.is_some(), "&self".to_owned())
            }
            (Some(FnArg::Typed(PatType { ty, .. })), Receiver::First(board))
                if is_reference_to(ty, board) =>
            {
                let changes = matches!(
                    shape::plain(ty),
                    Type::Reference(TypeReference {
                        mutability: Some(_),
                        ..
                    })
                );
                (changes, format!("&{}", board.to_token_stream()))
            }
            _ => return self.no_receiver(signature, first, receiver),
        };
        if changes && self.kind.only_looks() {
            self.refuse(
                first,
                format!("{} changes nothing: take `{remedy}`", self.kind.a_word()),
            );
        }
    }

    fn no_receiver(
        &mut self,
        signature: &Signature,
        first: Option<&FnArg>,
        receiver: &Receiver<'_>,
    ) {
        let (what, changed) = match receiver {
            Receiver::Method => ("&self".to_owned(), "&mut self".to_owned()),
            Receiver::First(board) => (
                format!("me: &{}", quote!(#board)),
                format!("me: &mut {}", quote!(#board)),
            ),
        };
        let or = if self.kind.only_looks() {
            String::new()
        } else {
            format!(" or `{changed}`")
        };
        let text = format!(
            "{} is given its agent's blackboard: take `{what}`{or} first",
            self.kind.a_word()
        );
        match first {
            Some(first) => self.refuse(first, text),
            None => self.refuse(&signature.ident, text),
        }
    }

    fn parameter(&mut self, input: &FnArg) -> Option<Parameter> {
        let FnArg::Typed(PatType { ty, .. }) = input else {
            return None;
        };
        match shape::plain(ty) {
            ty if shape::is_text(ty) => Some(Parameter::Text),
            Type::Reference(reference) => self.reference(reference),
            ty if shape::is_named(ty, &["Mode"]) => self.mode(ty),
            ty if shape::is_value(ty) => Some(Parameter::Value(ty.clone())),
            ty => self.literals(ty),
        }
    }

    fn reference(&mut self, reference: &TypeReference) -> Option<Parameter> {
        let ty = &*reference.elem;
        let (looks, who) = (self.kind.only_looks(), self.kind.a_word());
        if shape::is_like(ty, self.context) {
            if reference.mutability.is_some() {
                self.refuse(
                    reference,
                    format!("the context belongs to all agents: take `&{}`", quote!(#ty)),
                );
            }
            return Some(Parameter::Context);
        }
        match (
            shape::is_named(ty, &["GuardCx"]),
            shape::is_named(ty, &["ActionCx"]),
        ) {
            (true, _) if looks => return Some(Parameter::View),
            (_, true) if !looks => return Some(Parameter::View),
            (true, _) => self.refuse(
                reference,
                format!("{who} is given more than `GuardCx`: take `&mut ActionCx`"),
            ),
            (_, true) => self.refuse(
                reference,
                format!("{who} changes nothing: take `&GuardCx` instead of `ActionCx`"),
            ),
            _ => self.unknown_reference(reference),
        }
        None
    }

    fn unknown_reference(&mut self, reference: &TypeReference) {
        let (context, view) = (
            self.context,
            if self.kind.only_looks() {
                "`&GuardCx`"
            } else {
                "`&mut ActionCx`"
            },
        );
        let text = format!(
            "{} can take {view}, the context `&{}`, `&str` and literals of the machine file, but not this; \
             for another context write `#[functions(context = …)]`",
            self.kind.a_word(),
            quote!(#context),
        );
        self.refuse(reference, text);
    }

    fn mode(&mut self, ty: &Type) -> Option<Parameter> {
        if self.kind != MarkedKind::Activity {
            self.refuse(
                ty,
                format!(
                    "only activities are run and canceled: {} has no `Mode`",
                    self.kind.a_word()
                ),
            );
        }
        Some(Parameter::Mode)
    }

    fn literals(&mut self, ty: &Type) -> Option<Parameter> {
        if let Some(instead) = shape::instead(ty) {
            let found = quote!(#ty);
            self.refuse(
                ty,
                format!("machine files have no literal for `{found}`: take `{instead}`"),
            );
            return None;
        }
        if shape::last_name(ty).is_none() {
            let text = "machine files have no literal for this type: take `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, \
                        `AgentId`, `Entity`, `Symbol`, `&str`, or a struct of these with `#[derive(Arguments)]`";
            self.refuse(ty, text);
            return None;
        }
        Some(Parameter::Struct(ty.clone()))
    }

    fn returns(&mut self, signature: &Signature) -> TokenStream {
        let who = self.kind.a_word();
        let wanted = match self.kind {
            MarkedKind::Guard => "`bool` or `Verdict`",
            MarkedKind::Scorer => "`f32`",
            MarkedKind::Activity => "`Status`",
            MarkedKind::Value => {
                "`i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, `AgentId`, `Entity` or `Symbol`"
            }
            MarkedKind::Action => "",
        };
        match &signature.output {
            ReturnType::Type(_, ty) if self.kind == MarkedKind::Action && !is_unit(ty) => {
                self.refuse(
                    ty,
                    "an action returns nothing: remove this, or make it an activity, which returns `Status`",
                );
                TokenStream::new()
            }
            ReturnType::Type(_, ty) if is_another(ty, self.kind) => {
                self.refuse(
                    ty,
                    format!("{who} returns {wanted}: `{}` does not", signature.ident),
                );
                TokenStream::new()
            }
            ReturnType::Type(_, ty) => ty.to_token_stream(),
            ReturnType::Default if self.kind == MarkedKind::Action => quote!(()),
            ReturnType::Default => {
                self.refuse(
                    &signature.ident,
                    format!("{who} must answer: return {wanted}"),
                );
                TokenStream::new()
            }
        }
    }
}

/// Is this certainly none of the types that such a function returns? What a name of the user's own
/// means only the compiler knows.
fn is_another(ty: &Type, kind: MarkedKind) -> bool {
    const PLAIN: [&str; 17] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize", "String",
    ];
    let allowed: &[&str] = match kind {
        MarkedKind::Guard => &["bool"],
        MarkedKind::Scorer => &["f32"],
        MarkedKind::Value => &["i32", "f32", "bool"],
        MarkedKind::Action | MarkedKind::Activity => &[],
    };
    let is_plain = |path: &syn::TypePath| {
        let mut plain = PLAIN.iter().filter(|name| !allowed.contains(name));
        plain.any(|name| path.path.is_ident(name))
    };
    is_unit(ty) || matches!(shape::plain(ty), Type::Path(path) if is_plain(path))
}

fn is_unit(ty: &Type) -> bool {
    matches!(shape::plain(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

fn is_reference_to(ty: &Type, board: &Type) -> bool {
    matches!(shape::plain(ty), Type::Reference(TypeReference { elem, .. }) if shape::is_like(elem, board))
}
