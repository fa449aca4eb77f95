//! Agents of a save, for `run --load`, and the save of `run --save`.

use std::path::Path;

use statewright::SavedCrowd;
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
