//! Agents of a save, for `run --load`, and the save of `run --save`.

use std::path::Path;

use statewright::{Machine, Reload, SavedCrowd};
use statewright_save::Writer;
use statewright_simulate::report::number;

use crate::args::Run;
use crate::commands::save::{open, read};
use crate::console::Console;
use crate::error::{CliError, Outcome};

/// What runs of this command call themselves in saves.
const PROGRAM: &str = "statewright run";
/// The name of their crowd.
const CROWD: &str = "agents";

/// The crowd of a save, and how many agents it has. Why it is refused has been said if this answers
/// with an outcome.
pub(super) fn load(
    args: &Run,
    path: &Path,
    console: &Console,
) -> Result<Result<(SavedCrowd<'static>, u32), Outcome>, CliError> {
    let bytes = read(path)?;
    let save = match open(path, &bytes, console) {
        Ok(save) => save,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let names: Vec<String> = save
        .crowds()
        .map(|entry| format!("`{}`", entry.name))
        .collect();
    let name = path.display();
    let found = match &args.crowd {
        Some(wanted) => save.crowd(wanted),
        None if names.len() == 1 => save.crowds().next().map(|entry| &entry.crowd),
        None => {
            let error = CliError::new(format!("`{name}` has {} crowds", names.len()));
            return Err(error.help(format!("choose one with `--crowd`: {}", names.join(", "))));
        }
    };
    let Some(found) = found else {
        let wanted = args.crowd.as_deref().unwrap_or_default();
        let error = CliError::new(format!("`{name}` has no crowd `{wanted}`"));
        return Err(error.help(format!("it has {}", names.join(", "))));
    };
    match found.summary() {
        Ok(summary) if summary.agents == 0 => {
            Err(CliError::new(format!("there are no agents in `{name}`")))
        }
        Ok(summary) => Ok(Ok((found.clone().into_owned(), summary.agents as u32))),
        Err(error) => {
            console.error(&CliError::new(format!("`{name}`: {error}")));
            Ok(Err(Outcome::Problems))
        }
    }
}

/// Refuses agents of a machine that is no version of the one that is to run, unless they are asked for by
/// name: all of them would begin anew.
pub(super) fn refuse_another_machine(
    args: &Run,
    saved: &SavedCrowd<'_>,
    machine: &Machine,
) -> Result<(), CliError> {
    let is_another = Reload::plan(&saved.machine, machine).is_of_another_machine();
    if !is_another || args.crowd.is_some() {
        return Ok(());
    }
    let name = args.load.as_deref().unwrap_or(Path::new("-")).display();
    let text = format!(
        "`{name}` has no agents of an earlier version of {}: they are of {}",
        machine.name(),
        saved.machine.name()
    );
    Err(CliError::new(text).help(
        "run the machine of the save (leave the file out), or let them begin anew in this one: `--crowd NAME`",
    ))
}

/// Writes the agents of a run.
pub(super) fn write(
    path: &Path,
    crowd: &SavedCrowd<'_>,
    agents: u32,
    console: &Console,
) -> Result<(), CliError> {
    let writer = Writer::new(PROGRAM).crowd(CROWD, crowd);
    let writer = writer.map_err(|error| CliError::new(error.to_string()))?;
    let bytes = writer.finish();
    statewright_files::write(path, &bytes)?;
    console.note(format_args!(
        "saved {} agents to {}, {} bytes",
        number(agents.into()),
        path.display(),
        number(bytes.len() as u64)
    ));
    Ok(())
}
