//! The names of a machine with what only user code knows: what the codes of guards mean, and where
//! functions stand in Rust. For traces and for tools; nothing of it is needed to run.

use std::panic::Location;
use std::path::MAIN_SEPARATOR_STR;

use statewright_symbols::{RustPlace, SymbolTable};
use statewright_trace::Legend;

use super::Program;
use crate::context::Context;
use crate::functions::Functions;

/// A function and where it stands. The file is a part of the program, so that keeping it costs
/// nothing.
pub(super) type Place = (String, &'static Location<'static>);

/// Where functions stand, also those that no machine calls yet: a name that is written into a machine
/// file next is already known.
pub(super) fn places<B, C: Context + ?Sized>(functions: &Functions<B, C>) -> Vec<Place> {
    let list = functions.list.iter();
    list.map(|function| (function.name.clone(), function.place))
        .collect()
}

fn rust_place((function, at): &Place) -> RustPlace {
    RustPlace {
        function: function.clone(),
        file: at.file().replace(MAIN_SEPARATOR_STR, "/"),
        line: at.line(),
        column: at.column(),
    }
}

impl<B, C: Context + ?Sized> Program<B, C> {
    /// The names behind the numbers of a trace, with the meaning of guards' codes.
    pub fn legend(&self) -> Legend {
        Legend::new(&self.machine.rom(), self.explained())
    }

    /// The names of the machine, what the codes of guards mean, and where all functions stand in Rust
    /// that were given: at their `fn` for those of the `functions` macro, else where they were added.
    pub fn symbols(&self) -> SymbolTable {
        SymbolTable {
            rust_places: self.places.iter().map(rust_place).collect(),
            ..self.explained()
        }
    }

    fn explained(&self) -> SymbolTable {
        SymbolTable {
            guard_codes: self.codes.clone(),
            ..self.machine.symbols().clone()
        }
    }

    /// The text of a debug sidecar with all of [`symbols`](Self::symbols). A build for developers
    /// writes it beside the machine file, and editors lead from the names of functions to Rust
    /// (`statewright lsp`).
    ///
    /// ```
    /// use statewright::prelude::*;
    ///
    /// let text = r#"{ "machine": "Bell", "states": { "still": { "entry": "Ring" } } }"#;
    /// let machine = Machine::from_text("bell.sw.json", text)?;
    /// let program = machine.bind(Functions::<(), ()>::new().action("Ring", |_, _, _| {}))?;
    /// # let machines = std::env::temp_dir().join(format!("sidecar-{}", std::process::id()));
    /// # std::fs::create_dir_all(&machines)?;
    /// std::fs::write(machines.join("bell.swdbg"), program.sidecar())?;
    /// # std::fs::remove_dir_all(&machines)?;
    /// assert!(program.sidecar().contains(r#""function": "Ring""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "sidecar")]
    pub fn sidecar(&self) -> String {
        self.symbols().to_json()
    }
}
