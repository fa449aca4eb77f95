//! The table: one list of symbols per kind of thing, in the order of their numbers in the ROM.

use std::borrow::Cow;

use statewright_rom::ids::*;
use statewright_text::{answers_to, visible};

/// A name and where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "sidecar", derive(serde::Serialize, serde::Deserialize))]
pub struct Symbol {
    /// Name, path or short description; empty without one.
    pub name: String,
    /// Line of the file, from 1; 0 when unknown.
    #[cfg_attr(feature = "sidecar", serde(default))]
    pub line: u32,
    /// Column of the line, from 1; 0 when unknown.
    #[cfg_attr(feature = "sidecar", serde(default))]
    pub column: u32,
    /// The file: 0 is that of the machine, then come its parts.
    #[cfg_attr(feature = "sidecar", serde(default, skip_serializing_if = "is_zero"))]
    pub part: u32,
}

#[cfg(feature = "sidecar")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Symbol {
    /// A name that was written nowhere.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            line: 0,
            column: 0,
            part: 0,
        }
    }
}

/// Where something was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span<'t> {
    /// Name of the file, without folders; of a part from the folder of the machine's file.
    pub file: &'t str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// What a code means that a guard answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "sidecar", derive(serde::Serialize, serde::Deserialize))]
pub struct GuardCode {
    /// The guard.
    #[cfg_attr(feature = "sidecar", serde(with = "crate::sidecar::function"))]
    pub function: FunctionId,
    /// The code.
    pub code: u16,
    /// What it means.
    pub text: String,
}

/// Where the code of a function stands in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "sidecar", derive(serde::Serialize, serde::Deserialize))]
pub struct RustPlace {
    /// The function by its name in Rust; machine files may spell it in another way.
    pub function: String,
    /// The file by the name that the Rust compiler has for it, with `/`. For packages of a workspace
    /// it begins at the folder of the workspace. It is absolute only for code from elsewhere, such as
    /// that of a registry, of which the compiler knows no other.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column as the Rust compiler counts, from 1: a tab is four.
    pub column: u32,
}

/// Transitions that were written once and that several states have, each with a number of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "sidecar", derive(serde::Serialize, serde::Deserialize))]
pub struct SharedTransitions {
    /// Name of the transition set; `None` for the any-state transitions of a state.
    pub set: Option<String>,
    /// Their numbers.
    #[cfg_attr(feature = "sidecar", serde(with = "crate::sidecar::transitions"))]
    pub transitions: Vec<TransitionId>,
}

/// An id that a [`SymbolTable`] has names for.
pub trait SymbolId: Copy {
    /// What it is the number of.
    const KIND: SymbolKind;

    /// The place in the list.
    fn index(self) -> usize;

    /// The id of a place; `None` if no id can name it.
    fn from_index(index: usize) -> Option<Self>;
}

/// The one list of kinds: everything that has one entry per kind is made from it, in this order,
/// which is that of the sidecar, too.
macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident $list:ident $stem:literal $word:literal $($id:ident)?,)+) => {
        /// A kind of thing that has names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SymbolKind {
            $($(#[$meta])* $kind,)+
        }

        impl SymbolKind {
            /// All of them, in the order of the sidecar.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// As one of it is called in messages: `blackboard key`.
            pub fn word(self) -> &'static str {
                match self { $(Self::$kind => $word,)+ }
            }

            /// Before a number, where there is no name: `key` of `key_1`.
            pub fn stem(self) -> &'static str {
                match self { $(Self::$kind => $stem,)+ }
            }

            /// The field of the table: `keys`.
            pub fn list(self) -> &'static str {
                match self { $(Self::$kind => stringify!($list),)+ }
            }
        }

        /// Names, spans and meanings of everything in a machine, by number. An empty list is right:
        /// then nothing in it is found by name.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[cfg_attr(feature = "sidecar", derive(serde::Serialize, serde::Deserialize))]
        pub struct SymbolTable {
            /// Name of the machine.
            pub machine: String,
            /// Name of the file, without folders; empty for a builder.
            pub file: String,
            /// The files of its parts (LANG-5), from the folder of the machine's own.
            #[cfg_attr(feature = "sidecar", serde(default, skip_serializing_if = "Vec::is_empty"))]
            pub parts: Vec<String>,
            /// Structure hash of the ROM it belongs to; 0 until it is tied to one.
            #[cfg_attr(feature = "sidecar", serde(with = "crate::sidecar::hex"))]
            pub structure_hash: u64,
            /// Parameter hash of the ROM it belongs to; 0 until it is tied to one.
            #[cfg_attr(feature = "sidecar", serde(with = "crate::sidecar::hex"))]
            pub parameter_hash: u64,
            $($(#[$meta])* pub $list: Vec<Symbol>,)+
            /// What codes of guards mean. Only user code knows: the compiler's table has none.
            #[cfg_attr(feature = "sidecar", serde(default, skip_serializing_if = "Vec::is_empty"))]
            pub guard_codes: Vec<GuardCode>,
            /// Where the functions of the program stand in Rust, also those that the machine does not
            /// call. Only the program knows: the compiler's table has none.
            #[cfg_attr(feature = "sidecar", serde(default, skip_serializing_if = "Vec::is_empty"))]
            pub rust_places: Vec<RustPlace>,
            /// What was written once for several states: the ROM has it for each of them.
            #[cfg_attr(feature = "sidecar", serde(default, skip_serializing_if = "Vec::is_empty"))]
            pub shared: Vec<SharedTransitions>,
        }

        impl SymbolTable {
            /// The symbols of a kind.
            pub fn list(&self, kind: SymbolKind) -> &Vec<Symbol> {
                match kind { $(SymbolKind::$kind => &self.$list,)+ }
            }

            /// The same to change.
            pub fn list_mut(&mut self, kind: SymbolKind) -> &mut Vec<Symbol> {
                match kind { $(SymbolKind::$kind => &mut self.$list,)+ }
            }
        }

        $($(
            impl SymbolId for $id {
                const KIND: SymbolKind = SymbolKind::$kind;

                fn index(self) -> usize {
                    Self::index(self)
                }

                fn from_index(index: usize) -> Option<Self> {
                    Self::from_index(index)
                }
            }
        )?)+
    };
}

kinds! {
    /// Paths of states; the root is `root`.
    State states "state" "state" StateId,
    /// Regions; empty for the only region of a compound.
    Region regions "region" "region" RegionId,
    /// Events.
    Event events "event" "event" EventId,
    /// Timers: names, or what they are for.
    Timer timers "timer" "timer" TimerId,
    /// Transitions; empty without a name.
    Transition transitions "transition" "transition" TransitionId,
    /// Paths of history points.
    History history "history" "history point" HistoryId,
    /// Scratch; two states may have some of one name.
    Scratch scratch "scratch" "scratch" ScratchId,
    /// Functions, in linker order, with their first use.
    Function functions "function" "function" FunctionId,
    /// Blackboard keys.
    Key keys "key" "blackboard key" KeyId,
    /// Parameters.
    Parameter parameters "parameter" "parameter" ParameterId,
    /// Variants; the first is the plain one and has no name.
    Variant variants "variant" "variant" VariantId,
    /// Lanes of the machine's own. A `LaneId` counts the built-in ones before them, so it is none of
    /// their numbers.
    Lane lanes "lane" "lane",
    /// Channels.
    Channel channels "channel" "channel" ChannelId,
}

impl SymbolTable {
    /// The name of a number; `None` if it has none.
    pub fn name(&self, kind: SymbolKind, index: usize) -> Option<&str> {
        let symbol = self.list(kind).get(index)?;
        (!symbol.name.is_empty()).then_some(symbol.name.as_str())
    }

    /// The name of a number, or the number as a name: `state_3`.
    pub fn shown(&self, kind: SymbolKind, index: usize) -> Cow<'_, str> {
        match self.name(kind, index) {
            Some(name) => name.into(),
            None => format!("{}_{index}", kind.stem()).into(),
        }
    }

    /// The name of an id; `None` if it has none.
    pub fn of<I: SymbolId>(&self, id: I) -> Option<&str> {
        self.name(I::KIND, id.index())
    }

    /// Where something was written, if that is known.
    pub fn span<I: SymbolId>(&self, id: I) -> Option<Span<'_>> {
        let symbol = self.list(I::KIND).get(id.index())?;
        let part = (symbol.part as usize).checked_sub(1);
        let file = part.map_or(Some(&self.file), |part| self.parts.get(part))?;
        (symbol.line > 0).then_some(Span {
            file,
            line: symbol.line,
            column: symbol.column,
        })
    }

    /// All names of a kind, by number.
    pub fn names(&self, kind: SymbolKind) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.list(kind).iter().map(|symbol| symbol.name.as_str())
    }

    /// What a code of a guard means, if somebody said so.
    pub fn guard_code(&self, function: FunctionId, code: u16) -> Option<&str> {
        self.guard_codes
            .iter()
            .find(|known| (known.function, known.code) == (function, code))
            .map(|known| known.text.as_str())
    }

    /// Where the code of a function stands in Rust that a machine file calls by a name. Several, if
    /// functions of different kinds have it. By name and not by number, so that a table of an older
    /// build still knows what was not moved since.
    pub fn rust_places(&self, name: &str) -> impl Iterator<Item = &RustPlace> {
        self.rust_places
            .iter()
            .filter(move |place| answers_to(&place.function, name))
    }

    /// The same with other names.
    pub fn map_names(mut self, map: impl Fn(&str) -> String) -> Self {
        self.machine = map(&self.machine);
        self.file = map(&self.file);
        for &kind in SymbolKind::ALL {
            for symbol in self.list_mut(kind) {
                symbol.name = map(&symbol.name);
            }
        }
        for known in &mut self.guard_codes {
            known.text = map(&known.text);
        }
        for place in &mut self.rust_places {
            place.function = map(&place.function);
            place.file = map(&place.file);
        }
        for shared in &mut self.shared {
            shared.set = shared.set.as_deref().map(&map);
        }
        self
    }

    /// The same with everything spelled out that could change how a terminal or a page looks: names
    /// may come from anybody.
    pub fn visible(self) -> Self {
        self.map_names(visible)
    }

    /// The same with numbers for names where a list is shorter than `count`: whoever must have a name
    /// for everything.
    pub fn with_numbers(mut self, kind: SymbolKind, count: usize) -> Self {
        let first = self.list(kind).len();
        let missing = (first..count).map(|index| format!("{}_{index}", kind.stem()));
        self.list_mut(kind).extend(missing.map(Symbol::named));
        self
    }
}
