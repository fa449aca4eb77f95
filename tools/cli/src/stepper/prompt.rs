//! Commands from a keyboard, with a line that can be edited and a history.

use rustyline::error::ReadlineError;
use rustyline::{Config, DefaultEditor};

use crate::error::{CliError, Outcome};
use crate::stepper::Talk;

/// Talks until the person has had enough. Mistakes change nothing and end nothing.
pub(crate) fn run(talk: &mut Talk<'_>) -> Result<Outcome, CliError> {
    let unusable = |error: ReadlineError| {
        CliError::new(format!("the terminal cannot be used: {error}"))
            .help("pipe the commands in: `… < commands.txt`")
    };
    let mut editor = DefaultEditor::with_config(Config::builder().auto_add_history(true).build())
        .map_err(unusable)?;
    talk.hint();
    loop {
        let line = match editor.readline("> ") {
            Ok(line) => line,
            Err(ReadlineError::Eof) => return Ok(Outcome::Fine),
            Err(ReadlineError::Interrupted) => {
                talk.hint();
                continue;
            }
            Err(error) => return Err(unusable(error)),
        };
        if line.trim().is_empty() {
            continue;
        }
        match talk.take(&line) {
            Ok(true) => {}
            Ok(false) => return Ok(Outcome::Fine),
            Err(error) => talk.complain(&error),
        }
    }
}
