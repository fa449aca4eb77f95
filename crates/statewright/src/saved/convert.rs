//! Bytes of one form as bytes of another (SAVE-2): field by field, by name and type.

use std::fmt;
use std::ops::Range;

use super::form::{FieldForm, Form, Forms, TypeForm, VariantForm};
use crate::machine::Machine;

/// Forms inside each other while bytes are read: more than any blackboard has.
const DEEPEST: usize = 64;

/// Why bytes of a save cannot become a blackboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormError {
    /// The field, from the outside in, with dots between; empty for the whole.
    pub field: String,
    /// What is wrong with it.
    pub problem: FormProblem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormProblem {
    /// It was not saved, and its type does not say what it is then.
    Missing,
    /// It was something else.
    Type {
        /// What it was.
        was: String,
        /// What it is.
        is: String,
    },
    /// It held a variant that is gone.
    Variant(String),
    /// It was saved by a newer version of its type.
    Newer {
        /// The version of the save.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// Its type does not read this version.
    Version(u32),
    /// It is gone, and only its type knew where it ends.
    Gone,
    /// The bytes are none of this form.
    Damaged,
}

impl fmt::Display for FormError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field.as_str() {
            "" => f.write_str("the blackboard ")?,
            field => write!(f, "field `{field}` ")?,
        }
        match &self.problem {
            FormProblem::Missing => f.write_str(
                "is not in the save: write `#[saved(default)]` before it, or name what it was with `#[saved(was = \"…\")]`",
            ),
            FormProblem::Type { was, is } => write!(
                f,
                "was {was} and is {is} now: give it another name, or write `#[saved(default)]` before it"
            ),
            FormProblem::Variant(name) => write!(
                f,
                "holds the variant `{name}`, which is gone: keep it, or name what it was with `#[saved(was = \"{name}\")]`"
            ),
            FormProblem::Newer { found, known } => write!(
                f,
                "was saved by version {found} of its type, which is newer than version {known} of this program"
            ),
            FormProblem::Version(version) => write!(
                f,
                "was saved by version {version} of its type, which `Saved::load_version` does not read"
            ),
            FormProblem::Gone => f.write_str(
                "is gone, and its type was saved by hand: nobody else knows where it ends. Keep the field",
            ),
            FormProblem::Damaged => f.write_str("holds bytes that are none of its type"),
        }
    }
}

impl std::error::Error for FormError {}

/// Reads bytes of forms that a file has, and writes those of forms that a program has.
pub(crate) struct Converter<'f> {
    pub(crate) machine: &'f Machine,
    pub(crate) old: &'f Forms,
    pub(crate) new: &'f Forms,
    /// Steps that are left: a file whose forms go round and round must not keep anybody busy.
    pub(crate) steps: u64,
}

type Done<T = ()> = Result<T, FormError>;

fn wrong<T>(problem: FormProblem) -> Done<T> {
    Err(FormError {
        field: String::new(),
        problem,
    })
}

/// The same inside a field.
fn inside<T>(done: Done<T>, name: &str) -> Done<T> {
    done.map_err(|error| FormError {
        field: match error.field.as_str() {
            "" => name.to_owned(),
            inner => format!("{name}.{inner}"),
        },
        ..error
    })
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Done<&'b [u8]> {
    match bytes.split_off(..count) {
        Some(own) => Ok(own),
        None => wrong(FormProblem::Damaged),
    }
}

fn count(bytes: &mut &[u8]) -> Done<usize> {
    let own = take(bytes, 8)?;
    let number = own.first_chunk().map(|own| u64::from_le_bytes(*own));
    match number.and_then(|number| usize::try_from(number).ok()) {
        Some(number) => Ok(number),
        None => wrong(FormProblem::Damaged),
    }
}

impl Converter<'_> {
    /// One blackboard.
    pub(crate) fn board(&mut self, bytes: &mut &[u8], out: &mut Vec<u8>) -> Done {
        let (old, new) = (&self.old.root, &self.new.root);
        self.convert(old, new, bytes, out, 0)
    }

    /// Goes on behind one blackboard.
    pub(crate) fn skip_board(&mut self, bytes: &mut &[u8]) -> Done {
        self.skip(&self.old.root, bytes, 0)
    }

    fn step(&mut self, depth: usize) -> Done {
        match self.steps.checked_sub(1) {
            Some(left) if depth < DEEPEST => self.steps = left,
            _ => return wrong(FormProblem::Damaged),
        }
        Ok(())
    }

    fn convert(
        &mut self,
        old: &Form,
        new: &Form,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Done {
        self.step(depth)?;
        let depth = depth + 1;
        match (old, new) {
            (Form::Maybe(old), Form::Maybe(new)) => {
                let is_there = take(bytes, 1)?;
                out.extend_from_slice(is_there);
                match is_there {
                    [0] => Ok(()),
                    [1] => self.convert(old, new, bytes, out, depth),
                    _ => wrong(FormProblem::Damaged),
                }
            }
            (Form::List(old), Form::List(new)) => {
                let items = count(bytes)?;
                out.extend_from_slice(&(items as u64).to_le_bytes());
                for _ in 0..items {
                    let (before, begun) = (bytes.len(), out.len());
                    self.convert(old, new, bytes, out, depth)?;
                    if bytes.len() == before {
                        take(bytes, 1)?;
                    }
                    if out.len() == begun {
                        out.push(0);
                    }
                }
                Ok(())
            }
            (Form::Array(was, old), Form::Array(is, new)) if was == is => {
                (0..*is).try_for_each(|_| self.convert(old, new, bytes, out, depth))
            }
            (Form::Tuple(old), Form::Tuple(new)) if old.len() == new.len() => {
                let mut pairs = old.iter().zip(new);
                pairs.try_for_each(|(old, new)| self.convert(old, new, bytes, out, depth))
            }
            (Form::Named(old), Form::Named(new)) => {
                let (before, after) = (self.old, self.new);
                let old = before.types.get(*old as usize);
                match (old, after.types.get(*new as usize)) {
                    (Some(old), Some(new)) if old.is_enum == new.is_enum => {
                        self.convert_type(old, new, bytes, out, depth)
                    }
                    (Some(old), Some(new)) => wrong(FormProblem::Type {
                        was: format!("`{}`", old.name),
                        is: format!("`{}`", new.name),
                    }),
                    _ => wrong(FormProblem::Damaged),
                }
            }
            (Form::Own { version, .. }, Form::Own { version: known, .. }) if version > known => {
                wrong(FormProblem::Newer {
                    found: *version,
                    known: *known,
                })
            }
            (Form::Own { version, .. }, Form::Own { reread, .. }) => {
                let read = reread.and_then(|reread| reread(self.machine, *version, bytes, out));
                match read {
                    Some(()) => Ok(()),
                    None => wrong(FormProblem::Version(*version)),
                }
            }
            (old, new) if is_same_leaf(old, new) => {
                let before = *bytes;
                self.skip(old, bytes, depth)?;
                let used = before.len() - bytes.len();
                out.extend_from_slice(&before[..used]);
                Ok(())
            }
            (old, new) => wrong(FormProblem::Type {
                was: old.words(self.old),
                is: new.words(self.new),
            }),
        }
    }

    fn convert_type(
        &mut self,
        old: &TypeForm,
        new: &TypeForm,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Done {
        if old.version > new.version {
            return wrong(FormProblem::Newer {
                found: old.version,
                known: new.version,
            });
        }
        let begun = out.len();
        let (from, to) = self.variants(old, new, bytes, out)?;
        self.convert_fields(from, to, bytes, out, depth)?;
        let Some(upgrade) = new.upgrade.filter(|_| old.version < new.version) else {
            return Ok(());
        };
        let own = out.split_off(begun);
        match upgrade(self.machine, old.version, &mut &own[..], out) {
            Some(()) => Ok(()),
            None => wrong(FormProblem::Version(old.version)),
        }
    }

    /// Which variant the bytes hold, in both forms.
    fn variants<'t>(
        &self,
        old: &'t TypeForm,
        new: &'t TypeForm,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
    ) -> Done<(&'t VariantForm, &'t VariantForm)> {
        let number = match old.is_enum {
            true => usize::from(take(bytes, 1)?[0]),
            false => 0,
        };
        let Some(from) = old.variants.get(number) else {
            return wrong(FormProblem::Damaged);
        };
        if !new.is_enum {
            return match new.variants.first() {
                Some(to) => Ok((from, to)),
                None => wrong(FormProblem::Damaged),
            };
        }
        let mut all = (0_u8..).zip(&new.variants);
        let found = all.find(|(_, to)| to.name == from.name || to.was.contains(&&*from.name));
        match found {
            Some((number, to)) => {
                out.push(number);
                Ok((from, to))
            }
            None => wrong(FormProblem::Variant(from.name.to_string())),
        }
    }

    fn convert_fields(
        &mut self,
        from: &VariantForm,
        to: &VariantForm,
        bytes: &mut &[u8],
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Done {
        let mut converted = Vec::new();
        let mut places: Vec<Option<Range<usize>>> = vec![None; to.fields.len()];
        for old in &from.fields {
            let is_it = |new: &FieldForm| new.name == old.name || new.was.contains(&&*old.name);
            let place = to.fields.iter().position(is_it);
            let place = place.filter(|&place| places[place].is_none());
            let Some(place) = place else {
                inside(self.skip(&old.form, bytes, depth), &old.name)?;
                continue;
            };
            let (new, begun, before) = (&to.fields[place], converted.len(), *bytes);
            let done = self.convert(&old.form, &new.form, bytes, &mut converted, depth);
            match done {
                Ok(()) => places[place] = Some(begun..converted.len()),
                // Another type: the default, if there is one.
                Err(FormError {
                    field,
                    problem: FormProblem::Type { .. },
                }) if new.default.is_some() && field.is_empty() => {
                    converted.truncate(begun);
                    *bytes = before;
                    inside(self.skip(&old.form, bytes, depth), &old.name)?;
                }
                Err(error) => return inside(Err(error), &new.name),
            }
        }
        for (new, place) in to.fields.iter().zip(places) {
            match (place, new.default) {
                (Some(place), _) => out.extend_from_slice(&converted[place]),
                (None, Some(default)) => default(out),
                (None, None) => return inside(wrong(FormProblem::Missing), &new.name),
            }
        }
        Ok(())
    }

    /// Goes on behind a value.
    fn skip(&mut self, form: &Form, bytes: &mut &[u8], depth: usize) -> Done {
        self.step(depth)?;
        let depth = depth + 1;
        match form {
            Form::Value { bytes: count, .. } | Form::Memory { bytes: count, .. } => {
                take(bytes, *count as usize).map(drop)
            }
            Form::Counted(_) => {
                let count = count(bytes)?;
                take(bytes, count).map(drop)
            }
            Form::Maybe(inner) => match take(bytes, 1)? {
                [0] => Ok(()),
                [1] => self.skip(inner, bytes, depth),
                _ => wrong(FormProblem::Damaged),
            },
            Form::List(inner) => {
                for _ in 0..count(bytes)? {
                    let before = bytes.len();
                    self.skip(inner, bytes, depth)?;
                    if bytes.len() == before {
                        take(bytes, 1)?;
                    }
                }
                Ok(())
            }
            Form::Array(count, inner) => {
                (0..*count).try_for_each(|_| self.skip(inner, bytes, depth))
            }
            Form::Tuple(list) => list
                .iter()
                .try_for_each(|inner| self.skip(inner, bytes, depth)),
            Form::Named(index) => {
                let old = self.old;
                let Some(found) = old.types.get(*index as usize) else {
                    return wrong(FormProblem::Damaged);
                };
                let number = match found.is_enum {
                    true => usize::from(take(bytes, 1)?[0]),
                    false => 0,
                };
                let Some(variant) = found.variants.get(number) else {
                    return wrong(FormProblem::Damaged);
                };
                let mut fields = variant.fields.iter();
                fields
                    .try_for_each(|field| inside(self.skip(&field.form, bytes, depth), &field.name))
            }
            Form::KeyWords(words) => {
                let count = crate::blackboard::key_words(self.machine, *words);
                take(bytes, count * size_of::<u32>()).map(drop)
            }
            Form::Keys => take(bytes, crate::blackboard::saved_bytes(self.machine)).map(drop),
            Form::Own { .. } => wrong(FormProblem::Gone),
        }
    }
}

/// Do both mean the same bytes, without anything inside that has a name?
fn is_same_leaf(old: &Form, new: &Form) -> bool {
    match (old, new) {
        (Form::Value { name, bytes }, Form::Value { name: n, bytes: b }) => name == n && bytes == b,
        (
            Form::Memory {
                name,
                version,
                bytes,
                little_endian,
            },
            Form::Memory {
                name: n,
                version: v,
                bytes: b,
                little_endian: l,
            },
        ) => (name, version, bytes, little_endian) == (n, v, b, l),
        (Form::Counted(name), Form::Counted(n)) => name == n,
        (Form::Keys, Form::Keys) => true,
        (Form::KeyWords(words), Form::KeyWords(w)) => words == w,
        _ => false,
    }
}
