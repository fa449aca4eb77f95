//! What a type looks like. Macros see names, not types: an alias is not recognized.

use syn::{Expr, ExprLit, Ident, Lit, Type, TypeArray, TypePath, TypeReference};

/// The type itself: one that comes through a macro of the user's is wrapped.
pub fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        _ => ty,
    }
}

/// The last name of a path: `GuardCx` of `statewright::GuardCx<'_, '_, '_>`.
pub fn last_name(ty: &Type) -> Option<&Ident> {
    match plain(ty) {
        Type::Path(TypePath { qself: None, path }) => {
            path.segments.last().map(|segment| &segment.ident)
        }
        _ => None,
    }
}

/// Whether the last name of a path is one of these.
pub fn is_named(ty: &Type, names: &[&str]) -> bool {
    last_name(ty).is_some_and(|last| names.iter().any(|name| last == name))
}

/// Whether it is one of the types that the machine file has, as Rust spells them.
pub fn is_value(ty: &Type) -> bool {
    is_named(ty, &["i32", "f32", "bool", "AgentId", "Entity", "Symbol"]) || is_vector(ty)
}

/// `[f32; 2]` or `[f32; 3]`.
fn is_vector(ty: &Type) -> bool {
    let Type::Array(TypeArray { elem, len, .. }) = plain(ty) else {
        return false;
    };
    let Expr::Lit(ExprLit {
        lit: Lit::Int(count),
        ..
    }) = len
    else {
        return false;
    };
    is_named(elem, &["f32"]) && matches!(count.base10_digits(), "2" | "3")
}

/// `&str`.
pub fn is_text(ty: &Type) -> bool {
    matches!(plain(ty), Type::Reference(TypeReference { mutability: None, elem, .. }) if is_named(elem, &["str"]))
}

/// What to write instead of a type of Rust that machine files do not have.
pub fn instead(ty: &Type) -> Option<&'static str> {
    let name = last_name(ty)?.to_string();
    match name.as_str() {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i64" | "i128"
        | "isize" => Some("i32"),
        "f64" => Some("f32"),
        "String" | "str" | "char" => Some("&str"),
        _ => None,
    }
}

/// Whether two types are the same, or paths that end alike: `World` and `crate::World`.
pub fn is_like(one: &Type, other: &Type) -> bool {
    plain(one) == plain(other)
        || matches!((last_name(one), last_name(other)), (Some(one), Some(other)) if one == other)
}
