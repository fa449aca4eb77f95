//! What the code that macros write refers to. Not for people.

pub use zerocopy;

pub use statewright_kernel::fused;

pub use crate::board::check::*;
use crate::context::Context;
use crate::functions::{Functions, Kind, Signature};
pub use crate::fused::{AnyFused, FusedMachine, FusedWith, Linked, PlainCallback, Tied, Unfused};
use crate::fused::{Fused, Fusing};
pub use crate::handle::Origin;
use crate::machine::Machine;
use crate::saved::form::{DefaultBytes, FieldForm, Form, Reread, TypeForm, VariantForm};
pub use crate::saved::many::{save_part, sum as saved_bytes};
use crate::value::Type;

use statewright_symbols::Symbol;
pub use statewright_symbols::SymbolTable;

/// Loads a ROM that was compiled together with the program.
///
/// # Panics
///
/// If it is no ROM of this version: the macro and this crate are not of one version then.
pub fn load(
    rom: &[u8],
    symbols: SymbolTable,
    warnings: &[&str],
    fused: Option<AnyFused>,
) -> Machine {
    match Machine::from_rom(rom.to_vec(), symbols) {
        Ok(machine) => {
            let warnings = warnings.iter().map(|&line| line.into()).collect();
            machine.built_in(warnings, fused)
        }
        Err(error) => {
            panic!("`machine!` made a ROM that this version of Statewright refuses: {error}")
        }
    }
}

/// The functions of a type know the machines that were made with them.
pub fn fusing<B: 'static, C: Context + ?Sized + 'static>(
    mut functions: Functions<B, C>,
) -> Functions<B, C> {
    functions.fusing = Some(Fusing {
        find: |code| code.downcast_ref::<Fused<B, C>>().copied(),
        own: functions.list.len(),
    });
    functions
}

/// Writes a value as it lies in memory.
pub fn save_bytes<T: zerocopy::IntoBytes + zerocopy::Immutable>(value: &T, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(value.as_bytes());
}

/// The same into a place of just as many bytes.
pub fn save_bytes_into<T: zerocopy::IntoBytes + zerocopy::Immutable>(value: &T, place: &mut [u8]) {
    place.copy_from_slice(value.as_bytes());
}

/// Reads a value as it lay in memory, and moves the bytes on.
pub fn load_bytes<T: zerocopy::FromBytes>(bytes: &mut &[u8]) -> Option<T> {
    let (value, rest) = T::read_from_prefix(bytes).ok()?;
    *bytes = rest;
    Some(value)
}

/// What the bytes of a type mean, as `#[derive(Saved)]` tells it.
pub fn saved_type(
    name: &'static str,
    version: u32,
    is_enum: bool,
    variants: Vec<VariantForm>,
    upgrade: Option<Reread>,
) -> TypeForm {
    TypeForm {
        name: name.into(),
        version,
        is_enum,
        variants,
        upgrade,
    }
}

/// A variant of it.
pub fn saved_variant(
    name: &'static str,
    was: &'static [&'static str],
    fields: Vec<FieldForm>,
) -> VariantForm {
    let name = name.into();
    VariantForm { name, was, fields }
}

/// A field of a variant.
pub fn saved_field(
    name: &'static str,
    was: &'static [&'static str],
    form: Form,
    default: Option<DefaultBytes>,
) -> FieldForm {
    let name = name.into();
    FieldForm {
        name,
        was,
        form,
        default,
    }
}

#[cfg(feature = "serde")]
pub use crate::saved::serde::{form as serde_form, load as load_serde, save as save_serde};

/// Symbols of their own: names with lines, columns and files.
pub fn symbols(symbols: &[(&str, u32, u32, u32)]) -> Vec<Symbol> {
    let symbol = |&(name, line, column, part): &(&str, u32, u32, u32)| Symbol {
        name: name.to_owned(),
        line,
        column,
        part,
    };
    symbols.iter().map(symbol).collect()
}

/// A number that the macro knows to be one.
pub const fn id<T: Copy>(id: Option<T>) -> T {
    match id {
        Some(id) => id,
        None => panic!("too many for one machine"),
    }
}

/// What a list of functions has under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A function of the wanted kind that takes what it is given.
    Yes,
    /// One of the wanted kind that takes something else.
    OtherArguments,
    /// A value function that gives something else (LANG-11).
    OtherValue,
    /// Only one of another kind.
    OtherKind,
    /// Nothing.
    Missing,
}

/// Looks for a function while the user's program is compiled. What comes closest is found. One that
/// is named but not called is given nothing.
pub const fn find(
    lists: &[&[Signature]],
    name: &str,
    kind: Kind,
    given: Option<&[Type]>,
    returns: Option<Type>,
) -> Found {
    let mut found = Found::Missing;
    let mut at = 0;
    while at < lists.len() {
        let (list, mut place) = (lists[at], 0);
        while place < list.len() {
            let known = &list[place];
            if is_same(known.name, name) {
                if known.kind as u8 != kind as u8 {
                    if matches!(found, Found::Missing) {
                        found = Found::OtherKind;
                    }
                } else {
                    match given {
                        Some(given) if !fits(known.arguments, given) => {
                            found = Found::OtherArguments
                        }
                        _ if !gives(known.returns, returns) => found = Found::OtherValue,
                        _ => return Found::Yes,
                    }
                }
            }
            place += 1;
        }
        at += 1;
    }
    found
}

/// Are these the types that the parameters take, one after the other?
const fn fits(parameters: &[&[Type]], given: &[Type]) -> bool {
    let (mut parameter, mut place) = (0, 0);
    while parameter < parameters.len() {
        let (types, mut own) = (parameters[parameter], 0);
        while own < types.len() {
            if place >= given.len() || types[own] as u8 != given[place] as u8 {
                return false;
            }
            (own, place) = (own + 1, place + 1);
        }
        parameter += 1;
    }
    place == given.len()
}

/// Does a function give what is wanted of it?
const fn gives(known: Option<Type>, wanted: Option<Type>) -> bool {
    match (known, wanted) {
        (Some(known), Some(wanted)) => known as u8 == wanted as u8,
        (None, _) | (_, None) => true,
    }
}

pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_whole_name_kind_and_arguments() {
        const fn one(
            name: &'static str,
            kind: Kind,
            arguments: &'static [&'static [Type]],
        ) -> Signature {
            Signature {
                name,
                kind,
                arguments,
                returns: None,
            }
        }
        let value = Signature {
            returns: Some(Type::F32),
            ..one("danger", Kind::Value, &[])
        };
        let lists: &[&[Signature]] = &[
            &[one("IsHurt", Kind::Guard, &[])],
            &[
                one("IsHurt", Kind::Action, &[]),
                one(
                    "Go",
                    Kind::Action,
                    &[&[Type::I32], &[Type::F32, Type::Bool], &[]],
                ),
            ],
        ];
        let go = [Type::I32, Type::F32, Type::Bool];
        assert_eq!(
            find(lists, "IsHurt", Kind::Action, Some(&[]), None),
            Found::Yes
        );
        assert_eq!(find(lists, "Go", Kind::Action, Some(&go), None), Found::Yes);
        assert_eq!(find(lists, "Go", Kind::Action, None, None), Found::Yes);
        for wrong in [
            &go[..2],
            &[Type::I32, Type::I32, Type::Bool],
            &[go[0], go[1], go[2], Type::I32],
            &[],
        ] {
            assert_eq!(
                find(lists, "Go", Kind::Action, Some(wrong), None),
                Found::OtherArguments,
                "{wrong:?}"
            );
        }
        assert_eq!(
            find(lists, "Go", Kind::Guard, Some(&go), None),
            Found::OtherKind
        );
        assert_eq!(
            find(lists, "IsHur", Kind::Guard, Some(&[]), None),
            Found::Missing
        );
        let wants = |ty| find(&[&[value]], "danger", Kind::Value, Some(&[]), Some(ty));
        assert_eq!(wants(Type::F32), Found::Yes);
        assert_eq!(wants(Type::I32), Found::OtherValue);
        assert_eq!(find(&[], "Go", Kind::Guard, None, None), Found::Missing);
    }
}
