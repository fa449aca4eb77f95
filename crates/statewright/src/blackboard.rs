//! The blackboard that machine files declare: dense, typed, with a revision and a set of what was
//! written (CODE-5).

use std::fmt;
use std::sync::Arc;

use statewright_rom::Rom;
use statewright_rom::ids::KeyId;

use crate::board::{Board, Key, Staging, Writes};
use crate::handle::{KeyHandle, Origin, Resolver, WrongHandle};
use crate::machine::Machine;
use crate::reload::KeyPlan;
use crate::saved::Saved;
use crate::saved::form::{Form, Forms};
use crate::value::{Type, Value};
use statewright_symbols::{SymbolKind, UnknownName, stable_ids};

/// Where the keys of a machine lie.
#[derive(Debug)]
pub(crate) struct Shape {
    /// First word and type per key.
    keys: Vec<(usize, Type)>,
    /// What keys mean here.
    resolver: Resolver,
    /// All words before the first tick.
    defaults: Vec<u32>,
}

impl Shape {
    pub(crate) fn new(rom: &Rom<'_>, machine: &'static Origin) -> Self {
        let mut shape = Self {
            keys: Vec::with_capacity(rom.keys().len()),
            resolver: Resolver::new(stable_ids(rom, SymbolKind::Key), machine),
            defaults: vec![0; rom.blackboard_words()],
        };
        for record in rom.keys() {
            let (first, ty) = (usize::from(record.offset.get()), record.ty.get());
            shape.keys.push((first, ty));
            let words = shape
                .defaults
                .iter_mut()
                .skip(first)
                .take(ty.words().into());
            words
                .zip(record.default)
                .for_each(|(word, default)| *word = default.get());
        }
        shape
    }

    /// Whether the same keys lie at the same places. They may begin with other values.
    fn is_like(&self, other: &Self) -> bool {
        let words = self.defaults.len() == other.defaults.len();
        words && self.keys == other.keys && self.resolver.is_like(&other.resolver)
    }
}

/// A blackboard with the keys that a machine declares. Only crowds of that machine take it, and
/// those of other versions of it that declare the same keys in the same order.
///
/// ```
/// use statewright::Blackboard;
/// use statewright::prelude::*;
///
/// let text = r#"{ "machine": "Dog", "blackboard": { "hunger": { "type": "f32", "default": 0.5 } }, "states": { "sit": {} } }"#;
/// let machine = Machine::from_text("dog.sw.json", text)?;
/// let hunger = machine.key("hunger")?;
///
/// let mut board = Blackboard::new(&machine);
/// assert_eq!(board.get::<f32>(hunger), Ok(0.5));
/// board.set(hunger, 0.75_f32)?;
/// assert_eq!((board.revision(), board.take_dirty().collect::<Vec<_>>()), (1, vec![hunger]));
/// assert_eq!(board.set(hunger, 1).unwrap_err().to_string(), "blackboard key `hunger` of `Dog` is f32, not i32");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blackboard {
    shape: Arc<Shape>,
    words: Box<[u32]>,
    revision: u32,
    dirty: Box<[u64]>,
}

/// Why a key was neither read nor written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongKey {
    /// It has another type.
    Type {
        /// The key.
        key: KeyHandle,
        /// Its type.
        is: Type,
        /// The type that was asked for.
        wanted: Type,
    },
    /// It is a key of another machine, or gone from this version.
    Handle(WrongHandle),
}

impl fmt::Display for WrongKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { key, is, wanted } => write!(f, "{key} is {is}, not {wanted}"),
            Self::Handle(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WrongKey {}

impl Blackboard {
    /// With the start values of a machine.
    pub fn new(machine: &Machine) -> Self {
        Self::of_shape(Arc::clone(machine.shape()))
    }

    fn of_shape(shape: Arc<Shape>) -> Self {
        let dirty = vec![0; dirty_words(shape.keys.len())].into();
        Self {
            words: shape.defaults.clone().into(),
            shape,
            revision: 0,
            dirty,
        }
    }

    /// Reads a key.
    pub fn get<T: Value>(&self, key: KeyHandle) -> Result<T, WrongKey> {
        let (_, first) = self.place(key, T::TYPE)?;
        Ok(T::from_words(self.words_at(first)))
    }

    /// Writes a key.
    pub fn set<T: Value>(&mut self, key: KeyHandle, value: T) -> Result<(), WrongKey> {
        let (field, _) = self.place(key, T::TYPE)?;
        self.write(field, value.to_words());
        Ok(())
    }

    /// Writes a key by name: for start values, outside of ticks.
    pub fn with<T: Value>(
        mut self,
        machine: &Machine,
        name: &str,
        value: T,
    ) -> Result<Self, SetError> {
        let key = machine.key(name).map_err(SetError::Name)?;
        self.set(key, value).map_err(SetError::Key)?;
        Ok(self)
    }

    /// How often something was written; wraps.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Keys written since the last time this was asked.
    pub fn take_dirty(&mut self) -> impl Iterator<Item = KeyHandle> + use<> {
        let dirty = std::mem::replace(
            &mut self.dirty,
            vec![0; dirty_words(self.shape.keys.len())].into(),
        );
        let shape = Arc::clone(&self.shape);
        (0..shape.keys.len())
            .filter(move |key| dirty[key / 64] >> (key % 64) & 1 != 0)
            .filter_map(move |key| shape.resolver.handle(KeyId::from_index(key)?))
    }

    /// Number and first word of a key.
    fn place(&self, key: KeyHandle, wanted: Type) -> Result<(usize, usize), WrongKey> {
        let id = self.shape.resolver.resolve(key).map_err(WrongKey::Handle)?;
        match self.shape.keys.get(id.index()) {
            Some(&(_, is)) if is != wanted => Err(WrongKey::Type { key, is, wanted }),
            // Past the end there is nothing to read, and nothing is written.
            found => Ok((id.index(), found.map_or(usize::MAX, |&(first, _)| first))),
        }
    }

    fn words_at(&self, first: usize) -> [u32; 3] {
        let mut words = [0; 3];
        for (word, found) in words.iter_mut().zip(self.words.iter().skip(first)) {
            *word = *found;
        }
        words
    }
}

/// Why a key could not be written by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetError {
    /// There is no such key.
    Name(UnknownName),
    /// It has another type.
    Key(WrongKey),
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SetError {}

impl Board for Blackboard {
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const ANY_KEY: bool = true;

    fn locate(key: &Key<'_>) -> Result<usize, Option<Type>> {
        Ok(key.id.index())
    }

    fn fits(&self, machine: &Machine) -> bool {
        let shape = machine.shape();
        Arc::ptr_eq(&self.shape, shape) || self.shape.is_like(shape)
    }

    fn reload(&mut self, keys: &KeyPlan) {
        if Arc::ptr_eq(&self.shape, &keys.shape) {
            return;
        }
        let mut new = Self::of_shape(Arc::clone(&keys.shape));
        let kept = keys.from.iter().enumerate();
        for (to, from) in kept.filter_map(|(to, from)| Some((to, (*from)?))) {
            let is_dirty = self.dirty.get(from / 64).copied().unwrap_or(0) >> (from % 64) & 1;
            new.write(to, self.read(from));
            if let Some(dirty) = new.dirty.get_mut(to / 64) {
                *dirty = *dirty & !(1 << (to % 64)) | is_dirty << (to % 64);
            }
        }
        new.revision = self.revision;
        *self = new;
    }

    fn read(&self, field: usize) -> [u32; 3] {
        let Some(&(first, ty)) = self.shape.keys.get(field) else {
            return [0; 3];
        };
        let mut words = self.words_at(first);
        words
            .iter_mut()
            .skip(ty.words().into())
            .for_each(|word| *word = 0);
        words
    }

    fn write(&mut self, field: usize, words: [u32; 3]) {
        let Some(&(first, ty)) = self.shape.keys.get(field) else {
            return;
        };
        let cells = self.words.iter_mut().skip(first).take(ty.words().into());
        cells.zip(words).for_each(|(cell, word)| *cell = word);
        self.revision = self.revision.wrapping_add(1);
        if let Some(dirty) = self.dirty.get_mut(field / 64) {
            *dirty |= 1 << (field % 64);
        }
    }

    fn change_later<R>(&mut self, staging: &mut Staging, change: impl FnOnce(&mut Self) -> R) -> R {
        self.watch(staging, Writes::TakenBack, change)
    }

    fn change_seen<R>(&mut self, staging: &mut Staging, change: impl FnOnce(&mut Self) -> R) -> R {
        self.watch(staging, Writes::Stay, change)
    }
}

impl Blackboard {
    /// The dirty set tells what was written, also where the value stayed the same.
    fn watch<R>(
        &mut self,
        staging: &mut Staging,
        writes: Writes,
        change: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let (before, written) = staging.begin();
        before.extend(&self.words);
        before.push(self.revision);
        for dirty in &mut self.dirty {
            before.extend([*dirty as u32, (*dirty >> 32) as u32]);
            *dirty = 0;
        }
        let shape = Arc::clone(&self.shape);
        let watched = Watched {
            board: self,
            shape,
            before,
            writes,
        };
        let result = change(&mut *watched.board);
        written.extend(watched.written());
        result
    }
}

/// A blackboard that is looked at before and after a call. It becomes what it was if writes are to be
/// taken back, also if user code panics.
struct Watched<'b> {
    board: &'b mut Blackboard,
    shape: Arc<Shape>,
    /// Its words, its revision and its dirty set.
    before: &'b [u32],
    writes: Writes,
}

impl Watched<'_> {
    /// Keys that were written, with their new words.
    fn written(&self) -> impl Iterator<Item = (usize, [u32; 3])> {
        let is_written = |key: usize, first: usize, ty: Type| {
            let dirty = self.board.dirty.get(key / 64);
            let own = first..first + usize::from(ty.words());
            dirty.is_some_and(|dirty| dirty >> (key % 64) & 1 != 0)
                || self.board.words.get(own.clone()) != self.before.get(own)
        };
        let keys = self.shape.keys.iter().enumerate();
        let written = keys.filter(move |(key, (first, ty))| is_written(*key, *first, *ty));
        written.map(|(key, _)| (key, self.board.read(key)))
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        let words = self.shape.defaults.len().min(self.before.len());
        let (words, rest) = self.before.split_at(words);
        if self.writes == Writes::TakenBack {
            // User code may have put another one in its place.
            if !Arc::ptr_eq(&self.board.shape, &self.shape) {
                *self.board = Blackboard::of_shape(Arc::clone(&self.shape));
            }
            self.board.words.copy_from_slice(words);
            self.board.revision = rest.first().copied().unwrap_or_default();
            self.board.dirty.fill(0);
        }
        let halves = rest.get(1..).unwrap_or_default().as_chunks::<2>().0;
        for (dirty, [low, high]) in self.board.dirty.iter_mut().zip(halves) {
            *dirty |= u64::from(*high) << 32 | u64::from(*low);
        }
    }
}

impl Saved for Blackboard {
    fn save(&self, bytes: &mut Vec<u8>) {
        let words = self
            .words
            .iter()
            .chain([&self.revision])
            .flat_map(|word| word.to_le_bytes());
        bytes.extend(words.chain(self.dirty.iter().flat_map(|dirty| dirty.to_le_bytes())));
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let mut board = Self::new(machine);
        board.load_over(machine, bytes)?;
        Some(board)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        if !Arc::ptr_eq(&self.shape, machine.shape()) {
            *self = Self::new(machine);
        }
        for word in self.words.iter_mut().chain([&mut self.revision]) {
            *word = u32::from_le_bytes(*bytes.split_off(..4)?.first_chunk()?);
        }
        for dirty in &mut self.dirty {
            *dirty = u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?);
        }
        Some(())
    }

    /// Their names are in the machine, which every save carries.
    fn form(_: &mut Forms) -> Form {
        Form::Keys
    }
}

/// As plain words, without revision and what was written: how those keep blackboards who need neither.
impl Blackboard {
    /// Reads so many words, or with 0 as many as the machine has.
    pub(crate) fn load_words(machine: &Machine, words: u32, bytes: &mut &[u8]) -> Option<Self> {
        let all = bytes.split_off(..key_words(machine, words) * size_of::<u32>())?;
        let words = all.as_chunks().0.iter();
        let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
        Some(Self::of_words(Arc::clone(machine.shape()), &words))
    }

    /// With the first of these words; those that are missing have their start values.
    pub(crate) fn of_words(shape: Arc<Shape>, words: &[u32]) -> Self {
        let mut board = Self::of_shape(shape);
        let cells = board.words.iter_mut();
        cells.zip(words).for_each(|(cell, word)| *cell = *word);
        board
    }

    pub(crate) fn into_words(self) -> Vec<u32> {
        self.words.into_vec()
    }

    /// Writes so many words, or with 0 as many as there are.
    pub(crate) fn save_words(&self, words: u32, bytes: &mut Vec<u8>) {
        let count = match words {
            0 => self.words.len(),
            words => words as usize,
        };
        let words = self.words.iter().copied().chain(std::iter::repeat(0));
        bytes.extend(words.take(count).flat_map(u32::to_le_bytes));
    }
}

/// Words of a blackboard of a machine that are saved, if it is so many or with 0 as many as there are.
pub(crate) fn key_words(machine: &Machine, words: u32) -> usize {
    match words {
        0 => machine.shape().defaults.len(),
        words => words as usize,
    }
}

/// Bytes of a blackboard of a machine, saved.
pub(crate) fn saved_bytes(machine: &Machine) -> usize {
    let shape = machine.shape();
    (shape.defaults.len() + 1) * size_of::<u32>() + dirty_words(shape.keys.len()) * size_of::<u64>()
}

/// Words of the set of keys that were written.
fn dirty_words(keys: usize) -> usize {
    keys.div_ceil(64)
}
