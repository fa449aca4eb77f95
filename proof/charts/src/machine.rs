//! The imported side.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, compile_with};
use statewright_step::ids::StateId;
use statewright_step::{Command, Session, Settings, Step};

use crate::order::of_machine;

/// An imported document, running.
pub struct Imported {
    session: Session,
}

/// Imports and compiles a document and starts it; what is wrong comes back in words.
pub fn import(name: &str, text: &str) -> Result<Imported, String> {
    let (machine, found) = statewright_import::scxml::read(name, text);
    start(&machine, found)
}

/// The same by way of the native file that `statewright import` writes.
pub fn import_through_text(name: &str, text: &str) -> Result<Imported, String> {
    let (machine, _) = statewright_import::scxml::read(name, text);
    let native = statewright_author::text::write(&machine);
    let (machine, found) = statewright_author::text::read(name, &native);
    start(&machine, found).map_err(|words| format!("{words}\n{native}"))
}

fn start(machine: &Machine, found: Diagnostics) -> Result<Imported, String> {
    let (output, diagnostics) = compile_with(machine, found, &Options::default());
    let Some(output) = output else {
        return Err(render_text(&diagnostics, &machine.source, Style::default()));
    };
    let session = Session::new(output.rom, Some(output.symbols), Settings::default())
        .map_err(|error| error.message)?;
    Ok(Imported { session })
}

impl Imported {
    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Carries out a line of `statewright step`, and gives what it did.
    pub fn take(&mut self, line: &str) -> Result<Vec<std::sync::Arc<Step>>, String> {
        let command = Command::parse(line, &self.session).map_err(|error| error.message)?;
        self.session
            .carry_out(&command)
            .map_err(|error| error.message)
    }

    /// The same, in words that both sides share.
    pub(crate) fn happened(&mut self, line: &str) -> Result<Vec<String>, String> {
        let steps = self.take(line)?;
        Ok(steps
            .iter()
            .flat_map(|step| of_machine(self, step))
            .collect())
    }

    /// Whether a delayed event is due in the next tick.
    pub(crate) fn is_timer_due(&self) -> bool {
        let next = self.session.tick().wrapping_add(1);
        self.session
            .look()
            .timers
            .iter()
            .any(|wait| wait.deadline.wrapping_sub(next).cast_signed() <= 0)
    }

    /// The id of a state; the document itself has none.
    pub fn name(&self, state: StateId) -> Option<&str> {
        (state.index() != 0).then(|| {
            self.session
                .names()
                .state(state)
                .rsplit('/')
                .next()
                .unwrap_or_default()
        })
    }

    /// Ids of the active leaves, in order of the document.
    pub fn configuration(&self) -> Vec<String> {
        let leaves = self.session.configuration();
        leaves
            .into_iter()
            .map(|path| path.rsplit('/').next().unwrap_or(path).to_owned())
            .collect()
    }
}
