//! The text of guards and scores: a trace has their values, the machine has what they say.
//!
//! The machine is the one that `--machine` names, or lies beside the trace: any `*.swrom` of that
//! build, or the machine file called like the trace. Without one `--why` does without the text.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use statewright_describe::Description;
use statewright_files::{Input, Loaded, MACHINE_SUFFIX, ROM_EXTENSION, with_extension};
use statewright_rom::layout::FORMAT;
use statewright_symbols::SymbolTable;
use statewright_trace::Legend;

use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::load;

/// What transitions ask, by number; empty if the machine is not known.
#[derive(Default)]
pub(super) struct Conditions(Vec<Condition>);

#[derive(Default)]
struct Condition {
    guard: Option<String>,
    score: Option<String>,
    threshold: Option<String>,
}

impl Conditions {
    /// Those of the machine that somebody named. What is wrong with it is said.
    pub(super) fn named(
        path: &Path,
        legend: &Legend,
        console: &Console,
    ) -> Result<Result<Self, Outcome>, CliError> {
        let input = Input::single(path);
        let loaded = match load(&input, console) {
            Ok(loaded) => loaded,
            Err(outcome) => return Ok(Err(outcome)),
        };
        if !is_recorded(&loaded, legend) {
            let text = format!(
                "`{}` is not the machine that was recorded: this is a trace of another build of `{}`",
                input.name(),
                legend.symbols.machine
            );
            return Err(CliError::new(text).help(
                "name the machine as it was then, or leave `--machine` out to do without the text of guards",
            ));
        }
        Ok(Ok(Self::new(&loaded, legend)))
    }

    /// Those of a machine beside the trace, if there is one. Files that are something else say
    /// nothing: nobody asked for them.
    pub(super) fn beside(trace: &Path, legend: &Legend) -> Self {
        beside(trace, legend)
            .into_iter()
            .filter_map(|path| statewright_files::load(&Input::single(&path), io::empty()).ok())
            .find(|loaded| is_recorded(loaded, legend))
            .map_or_else(Self::default, |loaded| Self::new(&loaded, legend))
    }

    fn new(loaded: &Loaded, legend: &Legend) -> Self {
        let symbols: &SymbolTable = loaded.symbols.as_ref().unwrap_or(&legend.symbols);
        let model = Description::visible(&loaded.rom.as_rom(), Some(symbols)).model;
        let transitions = model.states.into_iter().flat_map(|state| state.transitions);
        let mut conditions = Vec::new();
        for transition in transitions {
            let at = transition.id.index();
            if conditions.len() <= at {
                conditions.resize_with(at + 1, Condition::default);
            }
            conditions[at] = Condition {
                guard: transition.guard,
                score: transition.score,
                threshold: transition.threshold.map(|least| least.to_string()),
            };
        }
        Self(conditions)
    }

    /// The guard of a transition.
    pub(super) fn guard(&self, transition: u16) -> Option<&str> {
        self.0.get(usize::from(transition))?.guard.as_deref()
    }

    /// The score of a transition.
    pub(super) fn score(&self, transition: u16) -> Option<&str> {
        self.0.get(usize::from(transition))?.score.as_deref()
    }

    /// The least score that counts for a transition: a number, or an expression over parameters.
    pub(super) fn threshold(&self, transition: u16) -> Option<&str> {
        self.0.get(usize::from(transition))?.threshold.as_deref()
    }
}

/// Whether guards of a machine say what was recorded: numbers in them follow the parameters.
fn is_recorded(loaded: &Loaded, legend: &Legend) -> bool {
    let rom = loaded.rom.as_rom();
    [rom.structure_hash(), rom.parameter_hash()] == hashes(legend)
}

fn hashes(legend: &Legend) -> [u64; 2] {
    [legend.symbols.structure_hash, legend.symbols.parameter_hash]
}

/// Files beside a trace that may be its machine, in an order that does not change.
fn beside(trace: &Path, legend: &Legend) -> Vec<PathBuf> {
    if trace == Path::new("-") {
        return Vec::new();
    }
    let folder = match trace.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|found| found == ROM_EXTENSION))
        .filter(|path| is_rom_of(path, legend))
        .collect();
    found.sort();
    found.push(with_extension(
        trace,
        MACHINE_SUFFIX.trim_start_matches('.'),
    ));
    found
}

/// Whether a ROM is of the build that was recorded, by its first bytes: a folder may have many.
fn is_rom_of(path: &Path, legend: &Legend) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut bytes));
    read.is_ok()
        && FORMAT
            .read_head(&bytes)
            .is_ok_and(|(head, _)| head.hashes() == hashes(legend))
}
