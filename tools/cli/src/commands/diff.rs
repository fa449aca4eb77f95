//! `statewright diff`: what changed between two machines, and what a reload would do.

use statewright_describe::Comparison;
use statewright_files::Input;

use crate::args::Diff;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::load;

pub(crate) fn run(args: &Diff, console: &Console) -> Result<Outcome, CliError> {
    let (old, new) = (Input::single(&args.old), Input::single(&args.new));
    if old.path.is_none() && new.path.is_none() {
        return Err(CliError::new("only one side can be standard input")
            .help("name a file for the other one"));
    }
    let (old, new) = match (load(&old, console), load(&new, console)) {
        (Ok(old), Ok(new)) => (old, new),
        // Exit code 1 says "different"; what could not be compared is an error.
        _ => return Ok(Outcome::Failed),
    };
    let (old, new) = match args.json {
        true => (old.describe(), new.describe()),
        false => (old.describe_visible(), new.describe_visible()),
    };
    let comparison = Comparison::new(&old, &new);
    if args.json {
        console.json(&serde_json::to_value(&comparison).unwrap_or_default());
    } else if !(console.is_quiet() && comparison.same) {
        console.result(comparison.to_string());
    }
    Ok(if comparison.same {
        Outcome::Fine
    } else {
        Outcome::Problems
    })
}
