//! Blackboards as a machine declares them, for any machine: words without a type of the game.

use statewright::form::{Form, Forms};
use statewright::prelude::*;
use statewright::{Key, KeyPlan, Saved, Type};

/// Where the words of a blackboard lie: small ones beside each other, so that a large crowd has no
/// allocation per agent.
pub trait BoardStorage: Clone + Send + Sync + 'static {
    /// How many words it always has; 0 if as many as the machine has.
    const WORDS: u32;
    /// Room for so many words, all 0.
    fn empty(words: usize) -> Self;
    /// The words.
    fn words(&self) -> &[u32];
    /// The words, to be changed.
    fn words_mut(&mut self) -> &mut [u32];
    /// Bytes outside of itself.
    fn more_bytes(&self) -> usize;
}

impl<const N: usize> BoardStorage for [u32; N] {
    const WORDS: u32 = N as u32;

    fn empty(_: usize) -> Self {
        [0; N]
    }

    fn words(&self) -> &[u32] {
        self
    }

    fn words_mut(&mut self) -> &mut [u32] {
        self
    }

    fn more_bytes(&self) -> usize {
        0
    }
}

impl BoardStorage for Box<[u32]> {
    const WORDS: u32 = 0;

    fn empty(words: usize) -> Self {
        vec![0; words].into()
    }

    fn words(&self) -> &[u32] {
        self
    }

    fn words_mut(&mut self) -> &mut [u32] {
        self
    }

    fn more_bytes(&self) -> usize {
        size_of_val(&**self)
    }
}

/// A blackboard: words as the machine lays them out.
#[derive(Clone, Debug)]
pub struct InlineBoard<S>(S);

impl<S: BoardStorage> InlineBoard<S> {
    /// With the start values of a machine.
    pub fn new(machine: &Machine) -> Self {
        let rom = machine.rom();
        let mut storage = S::empty(rom.blackboard_words());
        let words = storage.words_mut();
        for key in rom.keys() {
            let cells = words.iter_mut().skip(usize::from(key.offset.get()));
            cells
                .zip(key.default)
                .for_each(|(cell, default)| *cell = default.get());
        }
        Self(storage)
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.0.more_bytes() + size_of::<Self>()
    }
}

impl<S: BoardStorage> Board for InlineBoard<S> {
    /// Nothing: stand-ins write to no blackboard, so that strict mode has nothing to hold back.
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const ANY_KEY: bool = true;

    /// Where the words of the key begin, and how many there are.
    fn locate(key: &Key<'_>) -> Result<usize, Option<Type>> {
        Ok(key.first_word * 4 + usize::from(key.ty.words()))
    }

    /// Keys by name and type. Only storage that grows takes a machine with more of them.
    fn reload(&mut self, keys: &KeyPlan) {
        let moved = keys.words(self.0.words());
        self.0 = S::empty(moved.len());
        let cells = self.0.words_mut().iter_mut();
        cells.zip(moved).for_each(|(cell, word)| *cell = word);
    }

    /// Most keys are one word: it is looked at first, and alone.
    #[inline]
    fn read(&self, field: usize) -> [u32; 3] {
        match (field % 4, self.0.words().get(field / 4..)) {
            (1, Some(&[x, ..])) => [x, 0, 0],
            (2, Some(&[x, y, ..])) => [x, y, 0],
            (3, Some(&[x, y, z, ..])) => [x, y, z],
            _ => [0; 3],
        }
    }

    #[inline]
    fn write(&mut self, field: usize, words: [u32; 3]) {
        let (first, count) = (field / 4, field % 4);
        match (count, self.0.words_mut().get_mut(first..)) {
            (1, Some([cell, ..])) => *cell = words[0],
            (_, Some(cells)) => {
                let cells = cells.iter_mut().take(count);
                cells.zip(words).for_each(|(cell, word)| *cell = word);
            }
            (_, None) => {}
        }
    }
}

/// All words of the storage, those that no key uses as well.
impl<S: BoardStorage> Saved for InlineBoard<S> {
    fn save(&self, bytes: &mut Vec<u8>) {
        self.0.words().iter().for_each(|word| word.save(bytes));
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        let mut board = Self::new(machine);
        board.load_over(machine, bytes)?;
        Some(board)
    }

    fn load_over(&mut self, machine: &Machine, bytes: &mut &[u8]) -> Option<()> {
        for word in self.0.words_mut() {
            *word = u32::load(machine, bytes)?;
        }
        Some(())
    }

    fn form(_: &mut Forms) -> Form {
        Form::KeyWords(S::WORDS)
    }
}
