//! How types of values are spelled in machine files and in Rust.

use statewright_rom::layout::ValueType;

/// A type of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Spelled {
    /// In machine files.
    pub word: &'static str,
    /// Of `statewright::Type`.
    pub variant: &'static str,
    /// As a parameter in Rust.
    pub rust: &'static str,
    /// As a field in Rust.
    pub field: &'static str,
}

/// How it is spelled.
pub fn spelled(ty: ValueType) -> Spelled {
    let (variant, rust) = match ty {
        ValueType::I32 => ("I32", "i32"),
        ValueType::F32 => ("F32", "f32"),
        ValueType::Bool => ("Bool", "bool"),
        ValueType::Entity => ("Entity", "AgentId"),
        ValueType::Vec2 => ("Vec2", "[f32; 2]"),
        ValueType::Vec3 => ("Vec3", "[f32; 3]"),
        ValueType::Symbol => ("Symbol", "&str"),
    };
    let field = match ty {
        ValueType::Symbol => "Symbol",
        _ => rust,
    };
    Spelled {
        word: ty.name(),
        variant,
        rust,
        field,
    }
}
