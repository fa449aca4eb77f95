//! What the bytes of a saved value mean, by name: so that another version of a program can read them
//! (SAVE-2).
//!
//! A form says for each field of a type its name and what it is made of. Saves carry the forms of
//! their blackboards; `convert` compares them with those of the program that loads.

use std::borrow::Cow;

use statewright_bytes::{ReadError, ReadProblem, Reader, Writer};

use super::Saved;
use crate::machine::Machine;

/// Most types in the forms of one blackboard.
const MOST_TYPES: usize = 4096;
/// Most forms inside each other in the forms of a file.
const DEEPEST: usize = 32;

/// How the bytes of a value are to be read.
#[derive(Clone, Debug)]
pub enum Form {
    /// So many bytes that mean the same on every computer; the name is that of the type.
    Value {
        /// `u32`, `f32`, `entity`.
        name: Cow<'static, str>,
        /// How many.
        bytes: u32,
    },
    /// A value as it lies in memory (`#[saved(bytes)]`).
    Memory {
        /// Name of the type.
        name: Cow<'static, str>,
        /// `#[saved(version = …)]`.
        version: u32,
        /// How many.
        bytes: u32,
        /// In which order the bytes of its numbers lie.
        little_endian: bool,
    },
    /// Bytes with their count before them, which somebody else describes: a text, or what serde
    /// wrote.
    Counted(Cow<'static, str>),
    /// A byte, and if it is 1 a value.
    Maybe(Box<Form>),
    /// A count, then so many, each at least a byte.
    List(Box<Form>),
    /// So many.
    Array(u32, Box<Form>),
    /// One after the other.
    Tuple(Vec<Form>),
    /// A type of [`Forms`].
    Named(u32),
    /// The keys of the machine, laid out as a [`Blackboard`](crate::Blackboard) is.
    Keys,
    /// The keys of the machine as plain words: so many, or with 0 as many as the machine has.
    KeyWords(u32),
    /// Only the type itself knows.
    Own {
        /// [`Saved::VERSION`].
        version: u32,
        /// Reads the bytes of a version and writes those of today's; `None` in the forms of a file.
        reread: Option<Reread>,
    },
}

/// Reads what another version of a type wrote and writes it as today's does.
pub type Reread = fn(&Machine, u32, &mut &[u8], &mut Vec<u8>) -> Option<()>;
/// Bytes of a field that was not saved.
pub type DefaultBytes = fn(&mut Vec<u8>);

/// A struct, or an enum: what variants it has.
#[derive(Clone, Debug)]
pub struct TypeForm {
    /// For messages.
    pub name: Cow<'static, str>,
    /// `#[saved(version = …)]`.
    pub version: u32,
    /// Has it a byte that says which variant it is?
    pub is_enum: bool,
    /// A struct has one, without a name.
    pub variants: Vec<VariantForm>,
    /// What makes today's version of the bytes of an earlier one.
    pub upgrade: Option<Reread>,
}

/// A variant, or the only one.
#[derive(Clone, Debug)]
pub struct VariantForm {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Names that it had before (`#[saved(was = "…")]`).
    pub was: &'static [&'static str],
    /// What it holds, in order.
    pub fields: Vec<FieldForm>,
}

/// A field.
#[derive(Clone, Debug)]
pub struct FieldForm {
    /// Its name, or its number.
    pub name: Cow<'static, str>,
    /// Names that it had before (`#[saved(was = "…")]`).
    pub was: &'static [&'static str],
    /// What it holds.
    pub form: Form,
    /// Its bytes where it was not saved (`#[saved(default)]`).
    pub default: Option<DefaultBytes>,
}

/// A form with the types that it names.
#[derive(Clone, Debug)]
pub struct Forms {
    pub(super) root: Form,
    pub(super) types: Vec<TypeForm>,
    /// Full names of the types, to find them again.
    known: Vec<&'static str>,
}

impl Form {
    /// So many bytes.
    pub const fn value(name: &'static str, bytes: usize) -> Self {
        Self::Value {
            name: Cow::Borrowed(name),
            bytes: bytes as u32,
        }
    }

    /// A value as it lies in memory.
    pub const fn memory(name: &'static str, version: u32, bytes: usize) -> Self {
        Self::Memory {
            name: Cow::Borrowed(name),
            version,
            bytes: bytes as u32,
            little_endian: cfg!(target_endian = "little"),
        }
    }

    /// Only the type knows.
    pub fn own<T: Saved>() -> Self {
        Self::Own {
            version: T::VERSION,
            reread: Some(|machine, version, bytes, out| {
                T::load_version(machine, version, bytes)?.save(out);
                Some(())
            }),
        }
    }

    /// For messages.
    pub(super) fn words(&self, forms: &Forms) -> String {
        match self {
            Self::Value { name, .. } | Self::Counted(name) => name.to_string(),
            Self::Memory { name, version, .. } => format!("`{name}` as bytes, version {version}"),
            Self::Maybe(form) => format!("an optional {}", form.words(forms)),
            Self::List(form) => format!("a list of {}", form.words(forms)),
            Self::Array(count, form) => format!("{count} of {}", form.words(forms)),
            Self::Tuple(list) if list.is_empty() => "nothing".to_owned(),
            Self::Tuple(list) => {
                let all: Vec<String> = list.iter().map(|form| form.words(forms)).collect();
                format!("({})", all.join(", "))
            }
            Self::Named(index) => match forms.types.get(*index as usize) {
                Some(found) => format!("`{}`", found.name),
                None => "a type that is not there".to_owned(),
            },
            Self::Keys | Self::KeyWords(_) => "the keys of the machine".to_owned(),
            Self::Own { version, .. } => format!("a type of its own, version {version}"),
        }
    }
}

impl Forms {
    /// The form of a type, with those of all types in it.
    pub fn of<T: Saved>() -> Self {
        let mut forms = Self::just(Form::Tuple(Vec::new()));
        forms.root = T::form(&mut forms);
        forms
    }

    /// A form that names no types.
    pub(crate) fn just(root: Form) -> Self {
        let (types, known) = (Vec::new(), Vec::new());
        Self { root, types, known }
    }

    /// Can its bytes be read without the program that wrote them?
    pub(crate) fn is_known(&self) -> bool {
        fn is_known(form: &Form) -> bool {
            match form {
                Form::Own { .. } => false,
                Form::Maybe(form) | Form::List(form) | Form::Array(_, form) => is_known(form),
                Form::Tuple(list) => list.iter().all(is_known),
                Form::Value { .. } | Form::Memory { .. } | Form::Counted(_) => true,
                Form::Named(_) | Form::Keys | Form::KeyWords(_) => true,
            }
        }
        let variants = self.types.iter().flat_map(|one| &one.variants);
        let mut fields = variants.flat_map(|variant| &variant.fields);
        is_known(&self.root) && fields.all(|field| is_known(&field.form))
    }

    /// The whole.
    pub fn root(&self) -> &Form {
        &self.root
    }

    /// The whole in words.
    pub fn words(&self) -> String {
        self.root.words(self)
    }

    /// Names and forms of the fields, if it is a struct.
    pub fn fields(&self) -> impl Iterator<Item = (&str, String)> {
        let found = match self.root {
            Form::Named(index) => self.types.get(index as usize),
            _ => None,
        };
        let variants = found.filter(|found| !found.is_enum);
        let fields = variants.into_iter().flat_map(|found| &found.variants);
        fields
            .flat_map(|variant| &variant.fields)
            .map(|field| (&*field.name, field.form.words(self)))
    }

    /// A type by its full name; described only the first time, so that it may hold itself.
    pub fn named(&mut self, full: &'static str, describe: fn(&mut Self) -> TypeForm) -> Form {
        if let Some(place) = self.known.iter().position(|known| *known == full) {
            return Form::Named(place as u32);
        }
        let place = self.known.len();
        self.known.push(full);
        let empty = TypeForm {
            name: Cow::Borrowed(""),
            version: 0,
            is_enum: false,
            variants: Vec::new(),
            upgrade: None,
        };
        self.types.push(empty);
        let found = describe(self);
        if let Some(cell) = self.types.get_mut(place) {
            *cell = found;
        }
        Form::Named(place as u32)
    }
}

/// As bytes.
impl Forms {
    /// What a save holds of it. Equal bytes are equal forms.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.put_list(&self.types, put_type);
        put_form(&mut bytes, &self.root);
        bytes
    }

    /// From the bytes of a save.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = Reader::new(bytes);
        let types: Vec<TypeForm> = reader.list(read_type)?;
        let root = read_form(&mut reader, 0)?;
        if types.len() > MOST_TYPES {
            return Err(reader.wrong(ReadProblem::Count(types.len() as u64)));
        }
        reader.end()?;
        let known = Vec::new();
        Ok(Self { root, types, known })
    }
}

fn put_type(bytes: &mut Vec<u8>, one: &TypeForm) {
    bytes.put_text(&one.name);
    bytes.put_u32(one.version);
    bytes.put_u8(one.is_enum.into());
    bytes.put_list(&one.variants, |bytes, variant| {
        bytes.put_text(&variant.name);
        bytes.put_list(&variant.fields, |bytes, field| {
            bytes.put_text(&field.name);
            put_form(bytes, &field.form);
        });
    });
}

fn read_type(reader: &mut Reader<'_>) -> Result<TypeForm, ReadError> {
    let name = Cow::Owned(reader.text()?.to_owned());
    let version = reader.u32()?;
    let is_enum = reader.u8()? != 0;
    let variants: Vec<VariantForm> = reader.list(|reader| {
        let name = Cow::Owned(reader.text()?.to_owned());
        let fields: Vec<FieldForm> = reader.list(|reader| {
            Ok::<_, ReadError>(FieldForm {
                name: Cow::Owned(reader.text()?.to_owned()),
                was: &[],
                form: read_form(reader, 0)?,
                default: None,
            })
        })?;
        let was = &[];
        Ok::<_, ReadError>(VariantForm { name, was, fields })
    })?;
    let upgrade = None;
    Ok(TypeForm {
        name,
        version,
        is_enum,
        variants,
        upgrade,
    })
}

fn put_form(bytes: &mut Vec<u8>, form: &Form) {
    match form {
        Form::Value { name, bytes: size } => {
            bytes.put_u8(1);
            bytes.put_text(name);
            bytes.put_u32(*size);
        }
        Form::Memory {
            name,
            version,
            bytes: size,
            little_endian,
        } => {
            bytes.put_u8(2);
            bytes.put_text(name);
            bytes.put_u32(*version);
            bytes.put_u32(*size);
            bytes.put_u8((*little_endian).into());
        }
        Form::Counted(name) => {
            bytes.put_u8(3);
            bytes.put_text(name);
        }
        Form::Maybe(form) => {
            bytes.put_u8(4);
            put_form(bytes, form);
        }
        Form::List(form) => {
            bytes.put_u8(5);
            put_form(bytes, form);
        }
        Form::Array(count, form) => {
            bytes.put_u8(6);
            bytes.put_u32(*count);
            put_form(bytes, form);
        }
        Form::Tuple(list) => {
            bytes.put_u8(7);
            bytes.put_list(list, put_form);
        }
        Form::Named(index) => {
            bytes.put_u8(8);
            bytes.put_u32(*index);
        }
        Form::Keys => bytes.put_u8(9),
        Form::KeyWords(words) => {
            bytes.put_u8(10);
            bytes.put_u32(*words);
        }
        Form::Own { version, .. } => {
            bytes.put_u8(11);
            bytes.put_u32(*version);
        }
    }
}

fn read_form(reader: &mut Reader<'_>, depth: usize) -> Result<Form, ReadError> {
    if depth > DEEPEST {
        return Err(reader.wrong(ReadProblem::Count(depth as u64)));
    }
    let text = |reader: &mut Reader<'_>| reader.text().map(|text| Cow::Owned(text.to_owned()));
    let inner = |reader: &mut Reader<'_>| read_form(reader, depth.saturating_add(1)).map(Box::new);
    let kind = reader.u8()?;
    Ok(match kind {
        1 => Form::Value {
            name: text(reader)?,
            bytes: reader.u32()?,
        },
        2 => Form::Memory {
            name: text(reader)?,
            version: reader.u32()?,
            bytes: reader.u32()?,
            little_endian: reader.u8()? != 0,
        },
        3 => Form::Counted(text(reader)?),
        4 => Form::Maybe(inner(reader)?),
        5 => Form::List(inner(reader)?),
        6 => Form::Array(reader.u32()?, inner(reader)?),
        7 => Form::Tuple(reader.list(|reader| read_form(reader, depth.saturating_add(1)))?),
        8 => Form::Named(reader.u32()?),
        9 => Form::Keys,
        10 => Form::KeyWords(reader.u32()?),
        11 => Form::Own {
            version: reader.u32()?,
            reread: None,
        },
        other => return Err(reader.wrong(ReadProblem::Count(other.into()))),
    })
}
