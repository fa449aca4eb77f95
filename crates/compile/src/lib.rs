#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! The compiler: from an authored machine to a ROM.
//!
//! The passes, in order: *read* (`statewright-author`), *normalize* (`tree`, `resolve`), *check*
//! (`check`), *allocate* (`allocate`), *plan* (`plan`), *hash* (`hash`), *emit* (`lower`, [`tables`]),
//! *report* ([`report`]). Every pass goes on after a mistake, so that one run reports everything; a
//! ROM comes out only if there was no error.
#![forbid(unsafe_code)]

mod actions;
mod allocate;
mod check;
pub mod deep;
pub mod expr;
mod hash;
mod index;
mod lanes;
pub mod lookup;
mod lower;
mod missing;
mod model;
mod names;
mod numbers;
mod plan;
pub mod report;
mod resolve;
mod stable;
pub mod symbols;
pub mod tables;
mod tree;

pub use actions::function_hash;
pub use missing::derived_id;
pub use stable::derive as derive_stable_id;

use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::Machine;
use statewright_author::parts;
use statewright_rom::OwnedRom;

/// How to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Warnings are errors, and hints are shown.
    pub strict: bool,
    /// A tier that is too small is raised instead of refused.
    pub dev: bool,
}

/// What the compiler makes of a machine without errors.
#[derive(Clone, Debug)]
pub struct Output {
    /// The ROM.
    pub rom: OwnedRom,
    /// Names and spans for tools (ROM-7).
    pub symbols: symbols::SymbolTable,
    /// Texts that are values of symbols (HASH-2), in the order of their first use.
    pub symbol_texts: Vec<String>,
    /// Who pays for what, and other facts.
    pub report: report::Report,
}

/// Reads and compiles the text of a machine file that uses no parts.
pub fn compile_text(name: &str, text: &str, options: &Options) -> (Option<Output>, Diagnostics) {
    let (machine, diagnostics) = parts::read(name, text, &parts::NoFiles);
    compile_with(&machine, diagnostics, options)
}

/// Compiles a machine.
pub fn compile(machine: &Machine, options: &Options) -> (Option<Output>, Diagnostics) {
    compile_with(machine, Diagnostics::default(), options)
}

/// Compiles a machine and goes on with the problems already found in it.
pub fn compile_with(
    machine: &Machine,
    found: Diagnostics,
    options: &Options,
) -> (Option<Output>, Diagnostics) {
    let (output, mut diagnostics) = match lacks_parts(&found) {
        true => (None, found),
        false => {
            let (model, mut diagnostics) = resolve::resolve(machine, found);
            let output = passes(&model, options, &mut diagnostics);
            (output, diagnostics)
        }
    };
    if options.strict {
        diagnostics.make_strict();
    } else {
        diagnostics.drop_hints();
    }
    parts::note_uses(&machine.source, &mut diagnostics);
    diagnostics.sort();
    let output = output.filter(|_| !diagnostics.has_errors());
    (output, diagnostics)
}

/// Whether a part is not there: what it would have declared would be missing everywhere, and most
/// that could be said would follow from that.
fn lacks_parts(found: &Diagnostics) -> bool {
    use statewright_author::codes::DiagnosticCode::{PartCircle, PartUnreadable};
    let mut codes = found.iter().map(|problem| problem.code);
    codes.any(|code| matches!(code, PartUnreadable | PartCircle))
}

/// Everything after names are resolved. Later passes need a model without errors.
fn passes(
    model: &model::Model<'_>,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Output> {
    check::declarations(model, diagnostics);
    let (mut allocation, conflicts) = allocate::allocate(model, diagnostics);
    check::sharing(model, &conflicts, diagnostics);
    let ids = stable::StableIds::new(model, diagnostics);
    check::transitions(model, diagnostics);
    if diagnostics.has_errors() {
        allocation.choose_tier(model, 0, options, diagnostics);
        return None;
    }
    let lower::Lowered {
        mut tables,
        transition_order,
    } = lower::lower(model, &allocation, &ids);
    if let Err(error) = plan::derive(&mut tables) {
        diagnostics.push(check::plan_error(model, error));
        return None;
    }
    let planned = check::Planned {
        model,
        tables: &tables,
        order: &transition_order,
    };
    check::planned(&planned, diagnostics);
    allocation.choose_tier(model, planned.highest_cost(), options, diagnostics);
    check::tier(&planned, &allocation, diagnostics);
    lower::set_tier(&mut tables, model.machine, allocation.tier);
    if diagnostics.has_errors() {
        return None;
    }
    hash::assign(&mut tables);
    let bytes = tables.to_bytes();
    let rom = match OwnedRom::from_vec(bytes) {
        Ok(rom) => rom,
        Err(error) => {
            diagnostics.push(internal(model.machine, &error.to_string()));
            return None;
        }
    };
    let symbols = symbols::collect(model, &transition_order, &tables);
    let report = report::Report::new(model, &allocation, &tables, &transition_order, &rom);
    Some(Output {
        rom,
        symbols,
        symbol_texts: model.actions.symbol_texts(),
        report,
    })
}

/// The compiler's own output was refused: never silence, never a panic.
#[doc(hidden)]
pub fn internal(machine: &Machine, error: &str) -> Diagnostic {
    let text = format!("internal error: the compiled ROM was refused: {error}");
    Diagnostic::new(
        statewright_author::codes::DiagnosticCode::Internal,
        machine.name.span,
        text,
    )
    .label("the machine itself may be right")
    .help("this is a mistake of the compiler; please report it together with the file")
}
