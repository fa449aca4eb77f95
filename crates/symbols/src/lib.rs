//! Names and spans behind the numbers of a ROM, which holds none
//! ([ROM-7](statewright_rom::rules#ROM-7)): one [`SymbolTable`] for the compiler, the run time,
//! traces, pictures and debuggers.
//!
//! Comes in: the compiler's lists, the lists that `machine!` embeds, or a `.swdbg` sidecar (feature
//! `sidecar`). Goes out: the name of a number, the number of a name, where it was written, and
//! whether all that belongs to a given ROM. A machine runs without any of it; then nothing is found
//! by name, and things are called by number: `state_3`.
//!
//! ```
//! use statewright_rom::ids::EventId;
//! use statewright_symbols::{Symbol, SymbolKind, SymbolTable};
//!
//! let table = SymbolTable {
//!     events: vec![Symbol::named("Hit"), Symbol::named("Heal")],
//!     ..SymbolTable::default()
//! };
//! let heal: EventId = table.find("Heal").unwrap();
//! assert_eq!((heal.index(), table.of(heal)), (1, Some("Heal")));
//! assert_eq!(table.shown(SymbolKind::State, 3), "state_3");
//! assert_eq!(
//!     table.find::<EventId>("Hiet").unwrap_err().to_string(),
//!     "the machine has no event named `Hiet`; did you mean `Hit`?"
//! );
//! ```
#![forbid(unsafe_code)]

mod belongs;
mod find;
#[cfg(feature = "sidecar")]
mod sidecar;
mod stable;
mod table;

pub use belongs::WrongNames;
pub use find::UnknownName;
#[cfg(feature = "sidecar")]
pub use sidecar::{SIDECAR_EXTENSION, SIDECAR_VERSION};
pub use stable::{machine_id, stable_ids};
pub use statewright_text::{similar, visible, visible_lines};
pub use table::{
    GuardCode, RustPlace, SharedTransitions, Span, Symbol, SymbolId, SymbolKind, SymbolTable,
};
