//! Parameters that are changed while agents run (CODE-3): what is different from the machine file,
//! and the whole table that follows from it.

use std::fmt;
use std::sync::Arc;

use statewright_rom::Rom;
use statewright_rom::ids::{ParameterId, VariantId};
use statewright_rom::layout::WordRecord;
use zerocopy::byteorder::little_endian::U32;

use crate::handle::{ParameterHandle, VariantHandle, WrongHandle};
use crate::machine::Machine;
use crate::value::{Type, Value};

/// One parameter with another value than the machine file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterChange {
    /// For whom: agents of this variant; [`VariantId::PLAIN`] also for variants that have the plain
    /// value.
    pub variant: VariantId,
    /// The parameter.
    pub parameter: ParameterId,
    /// Type of the value.
    pub ty: Type,
    /// Words of the value.
    pub words: [u32; 3],
}

impl ParameterChange {
    /// A value for a parameter of a variant.
    pub fn new(variant: VariantId, parameter: ParameterId, value: impl TypedWords) -> Self {
        let (ty, words) = value.typed_words();
        Self {
            variant,
            parameter,
            ty,
            words,
        }
    }

    pub(crate) fn place(&self) -> (VariantId, ParameterId) {
        (self.variant, self.parameter)
    }
}

/// A value with its type.
pub trait TypedWords {
    /// Both.
    fn typed_words(self) -> (Type, [u32; 3]);
}

impl<T: Value> TypedWords for T {
    fn typed_words(self) -> (Type, [u32; 3]) {
        (T::TYPE, self.to_words())
    }
}

/// Why a parameter keeps its value, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterError {
    /// Parameter or variant are of another machine, or gone from this version.
    Handle(WrongHandle),
    /// The machine has no such parameter: it is one of another machine.
    Unknown {
        /// Name of the machine.
        machine: String,
        /// The parameter.
        parameter: ParameterId,
    },
    /// The machine has no such variant: it is one of another machine.
    UnknownVariant {
        /// Name of the machine.
        machine: String,
        /// The variant.
        variant: VariantId,
    },
    /// It has another type.
    WrongType {
        /// Name of the parameter.
        name: String,
        /// Its type.
        is: Type,
        /// The type that was given or asked for.
        given: Type,
    },
    /// The words are no value of the type: a truth value is 0 or 1, a symbol one of the machine.
    NoValue {
        /// Name of the parameter.
        name: String,
        /// Its type.
        ty: Type,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { machine, parameter } => write!(
                f,
                "`{machine}` has no parameter {parameter}: it is one of another machine"
            ),
            Self::UnknownVariant { machine, variant } => write!(
                f,
                "`{machine}` has no variant {variant}: it is one of another machine"
            ),
            Self::WrongType { name, is, given } => {
                write!(f, "parameter `{name}` is {is}, not {given}")
            }
            Self::Handle(error) => error.fmt(f),
            Self::NoValue { name, ty } => {
                write!(f, "that is no {ty} which parameter `{name}` could have")
            }
        }
    }
}

impl std::error::Error for ParameterError {}

impl From<WrongHandle> for ParameterError {
    fn from(error: WrongHandle) -> Self {
        Self::Handle(error)
    }
}

/// Parameters of a machine with some values changed. A crowd has its own
/// ([`Crowd::set_parameter`](crate::Crowd::set_parameter)); hosts of slices give theirs
/// ([`Slices::parameters`](crate::Slices::parameters)).
///
/// ```
/// use statewright::prelude::*;
/// use statewright::{Parameters, VariantHandle};
///
/// let text = r#"{ "machine": "Dog", "parameters": { "fear": 3 }, "variants": { "hero": { "fear": 0 } },
///                 "states": { "sit": {} } }"#;
/// let machine = Machine::from_text("dog.sw.json", text)?;
/// let (fear, hero) = (machine.parameter("fear")?, machine.variant("hero")?);
/// let mut parameters = Parameters::default();
/// parameters.set(&machine, VariantHandle::PLAIN, fear, 5)?;
/// assert_eq!(parameters.get::<i32>(&machine, VariantHandle::PLAIN, fear), Ok(5));
/// assert_eq!(parameters.get::<i32>(&machine, hero, fear), Ok(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// By variant and parameter, each once.
    changes: Vec<ParameterChange>,
    /// All values, if any was changed.
    values: Option<Arc<[WordRecord]>>,
    /// Hashes of the machine whose values these are, if any was changed.
    machine: Option<[u64; 2]>,
}

impl Parameters {
    /// Gives a parameter another value: for agents of a variant, or, with [`VariantHandle::PLAIN`], for
    /// those without one and those whose variant has the plain value.
    pub fn set(
        &mut self,
        machine: &Machine,
        variant: VariantHandle,
        parameter: ParameterHandle,
        value: impl Value,
    ) -> Result<(), ParameterError> {
        let (variant, parameter) = (machine.resolve(variant)?, machine.resolve(parameter)?);
        let change = ParameterChange::new(variant, parameter, value);
        self.check(machine, &change)?;
        self.change(machine, change);
        Ok(())
    }

    /// The value of a parameter for agents of a variant.
    pub fn get<T: Value>(
        &self,
        machine: &Machine,
        variant: VariantHandle,
        parameter: ParameterHandle,
    ) -> Result<T, ParameterError> {
        let (variant, parameter) = (machine.resolve(variant)?, machine.resolve(parameter)?);
        self.check_place(machine, variant, parameter, T::TYPE)?;
        let rom = view(machine, self.values.as_deref());
        let mut words = [0; 3];
        for (word, record) in words
            .iter_mut()
            .zip(rom.parameter_value(variant, parameter))
        {
            *word = record.word.get();
        }
        Ok(T::from_words(words))
    }

    /// What was changed, by variant and parameter.
    pub fn changes(&self) -> &[ParameterChange] {
        &self.changes
    }

    /// May these be those of a machine?
    pub(crate) fn fit(&self, machine: &Machine) -> bool {
        self.machine.is_none_or(|own| own == hashes(machine))
    }

    /// All values, if any was changed.
    pub(crate) fn values(&self) -> Option<&Arc<[WordRecord]>> {
        self.values.as_ref()
    }

    /// May a change be made?
    pub(crate) fn check(
        &self,
        machine: &Machine,
        change: &ParameterChange,
    ) -> Result<(), ParameterError> {
        self.check_place(machine, change.variant, change.parameter, change.ty)?;
        if machine.rom().is_value(change.ty, change.words[0]) {
            return Ok(());
        }
        Err(ParameterError::NoValue {
            name: name_of(machine, change.parameter),
            ty: change.ty,
        })
    }

    fn check_place(
        &self,
        machine: &Machine,
        variant: VariantId,
        parameter: ParameterId,
        given: Type,
    ) -> Result<(), ParameterError> {
        let rom = machine.rom();
        let own = rom.parameter(parameter).filter(|_| self.fit(machine));
        let Some(record) = own else {
            return Err(unknown(machine, parameter));
        };
        if variant.index() >= rom.variants().len().max(1) {
            return Err(ParameterError::UnknownVariant {
                machine: machine.name().to_owned(),
                variant,
            });
        }
        match record.ty.get() {
            is if is == given => Ok(()),
            _ => Err(wrong(machine, parameter, given)),
        }
    }

    /// Makes a change that was checked.
    pub(crate) fn change(&mut self, machine: &Machine, change: ParameterChange) {
        match self
            .changes
            .binary_search_by_key(&change.place(), ParameterChange::place)
        {
            Ok(place) => self.changes[place] = change,
            Err(place) => self.changes.insert(place, change),
        }
        self.follow(machine);
    }

    /// Becomes other changes, which were checked, ascending. Nothing is made anew if they are the
    /// same.
    pub(crate) fn replace(&mut self, machine: &Machine, changes: &[ParameterChange]) {
        if self.changes != changes || !self.fit(machine) {
            self.changes.clear();
            self.changes.extend_from_slice(changes);
            self.follow(machine);
        }
    }

    /// The table follows from machine and changes.
    fn follow(&mut self, machine: &Machine) {
        if self.changes.is_empty() {
            (self.values, self.machine) = (None, None);
            return;
        }
        let rom = machine.rom();
        let mut values = rom.parameter_values().to_vec();
        // The plain ones come first, so that a variant's own change is the last word.
        for change in &self.changes {
            put(&rom, &mut values, change.variant, change);
            if change.variant == VariantId::PLAIN {
                for variant in (1..rom.variants().len()).filter_map(VariantId::from_index) {
                    let has_plain_value = rom.parameter_value(variant, change.parameter)
                        == rom.parameter_value(VariantId::PLAIN, change.parameter);
                    if has_plain_value {
                        put(&rom, &mut values, variant, change);
                    }
                }
            }
        }
        (self.values, self.machine) = (Some(values.into()), Some(hashes(machine)));
    }
}

/// Puts the words of a change into the row of a variant.
fn put(rom: &Rom<'_>, values: &mut [WordRecord], variant: VariantId, change: &ParameterChange) {
    let Some(record) = rom.parameter(change.parameter) else {
        return;
    };
    let first = variant.index() * rom.parameter_words() + usize::from(record.offset.get());
    let own = values.iter_mut().skip(first);
    let own = own.take(record.ty.get().words().into());
    own.zip(change.words)
        .for_each(|(record, word)| record.word = U32::new(word));
}

/// A machine as agents see it who have these values.
pub(crate) fn view<'a>(machine: &'a Machine, values: Option<&'a [WordRecord]>) -> Rom<'a> {
    let rom = machine.rom();
    values
        .and_then(|values| rom.with_parameter_values(values))
        .unwrap_or(rom)
}

/// What tells machines and their versions apart.
pub(crate) fn hashes(machine: &Machine) -> [u64; 2] {
    let rom = machine.rom();
    [rom.structure_hash(), rom.parameter_hash()]
}

/// Why a parameter cannot be read as this type, which is not its own.
#[cold]
pub(crate) fn wrong(machine: &Machine, parameter: ParameterId, given: Type) -> ParameterError {
    match machine.rom().parameter(parameter) {
        Some(record) => ParameterError::WrongType {
            name: name_of(machine, parameter),
            is: record.ty.get(),
            given,
        },
        None => unknown(machine, parameter),
    }
}

#[cold]
fn unknown(machine: &Machine, parameter: ParameterId) -> ParameterError {
    ParameterError::Unknown {
        machine: machine.name().to_owned(),
        parameter,
    }
}

fn name_of(machine: &Machine, parameter: ParameterId) -> String {
    let name = machine.symbols().of(parameter);
    name.map_or_else(|| parameter.to_string(), str::to_owned)
}
