//! Values that machine files, payloads, arguments and blackboard keys hold: up to three words of a
//! type (CODE-5).

pub use statewright_rom::layout::ValueType as Type;
use statewright_rom::symbol_number;

/// A Rust type that one [`Type`] of the machine file is read as. Types of your own may be, too:
/// `#[derive(Value)]` for those around one value, by hand for others.
///
/// ```
/// use statewright::{Type, Value};
///
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// enum Mood { Calm, Angry }
///
/// impl Value for Mood {
///     const TYPE: Type = Type::I32;
///
///     fn from_words([word, ..]: [u32; 3]) -> Self {
///         if word == 0 { Self::Calm } else { Self::Angry }
///     }
///
///     fn to_words(self) -> [u32; 3] {
///         [self as u32, 0, 0]
///     }
/// }
///
/// assert_eq!(Mood::from_words(Mood::Angry.to_words()), Mood::Angry);
/// ```
#[diagnostic::on_unimplemented(
    message = "machine files have no type for `{Self}`",
    label = "not a value",
    note = "values are `i32`, `f32`, `bool`, `[f32; 2]`, `[f32; 3]`, `AgentId`, `Entity`, `Symbol`, and types of your own with `#[derive(Value)]` or `impl Value`"
)]
pub trait Value: Copy {
    /// The type.
    const TYPE: Type;

    /// From its words; unused ones are not looked at.
    fn from_words(words: [u32; 3]) -> Self;

    /// To its words; unused ones are 0.
    fn to_words(self) -> [u32; 3];
}

impl Value for i32 {
    const TYPE: Type = Type::I32;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        word.cast_signed()
    }

    fn to_words(self) -> [u32; 3] {
        [self.cast_unsigned(), 0, 0]
    }
}

impl Value for f32 {
    const TYPE: Type = Type::F32;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        Self::from_bits(word)
    }

    fn to_words(self) -> [u32; 3] {
        [self.to_bits(), 0, 0]
    }
}

impl Value for bool {
    const TYPE: Type = Type::Bool;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        word != 0
    }

    fn to_words(self) -> [u32; 3] {
        [u32::from(self), 0, 0]
    }
}

impl Value for [f32; 2] {
    const TYPE: Type = Type::Vec2;

    fn from_words([x, y, _]: [u32; 3]) -> Self {
        [x, y].map(f32::from_bits)
    }

    fn to_words(self) -> [u32; 3] {
        let [x, y] = self.map(f32::to_bits);
        [x, y, 0]
    }
}

impl Value for [f32; 3] {
    const TYPE: Type = Type::Vec3;

    fn from_words(words: [u32; 3]) -> Self {
        words.map(f32::from_bits)
    }

    fn to_words(self) -> [u32; 3] {
        self.map(f32::to_bits)
    }
}

/// Vectors of the crate `glam`.
#[cfg(feature = "glam")]
mod of_glam {
    use super::{Type, Value};

    macro_rules! vectors {
        ($($vector:ident $count:literal $ty:ident,)+) => {
            $(impl Value for glam::$vector {
                const TYPE: Type = Type::$ty;

                fn from_words(words: [u32; 3]) -> Self {
                    <[f32; $count]>::from_words(words).into()
                }

                fn to_words(self) -> [u32; 3] {
                    self.to_array().to_words()
                }
            })+
        };
    }

    vectors! {
        Vec2 2 Vec2,
        Vec3 3 Vec3,
        Vec3A 3 Vec3,
    }
}

/// An entity of the host that is no agent: any 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity(pub u64);

impl Value for Entity {
    const TYPE: Type = Type::Entity;

    fn from_words([low, high, _]: [u32; 3]) -> Self {
        Self(u64::from(high) << 32 | u64::from(low))
    }

    fn to_words(self) -> [u32; 3] {
        [self.0 as u32, (self.0 >> 32) as u32, 0]
    }
}

/// A text by its number: the low half of its xxh3, 0 for the empty text (HASH-2). So a symbol means
/// the same text in every machine and after every edit; a machine that has two texts of one number
/// is refused by the compiler. [`Machine::symbol`](crate::Machine::symbol) finds the symbol of a
/// text that a machine has, [`Machine::symbol_text`](crate::Machine::symbol_text) goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// No symbol: the empty text.
    pub const NONE: Self = Self(0);

    /// The symbol of any text, whether or not a machine has it.
    ///
    /// ```
    /// use statewright::Symbol;
    ///
    /// const SAD: Symbol = Symbol::of("sad");
    /// assert_ne!(SAD, Symbol::of("glad"));
    /// assert_eq!(Symbol::of(""), Symbol::NONE);
    /// ```
    pub const fn of(text: &str) -> Self {
        Self(symbol_number(text))
    }
}

impl Value for Symbol {
    const TYPE: Type = Type::Symbol;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        Self(word)
    }

    fn to_words(self) -> [u32; 3] {
        [self.0, 0, 0]
    }
}
