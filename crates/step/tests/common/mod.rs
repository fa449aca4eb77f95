//! Sessions for tests.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Arc;

use statewright_compile::{Options, compile_text};
use statewright_step::{Command, Session, Settings, Step, StepError};

/// A session of a machine that compiles.
pub fn session(text: &str, settings: Settings) -> Session {
    let (output, problems) = compile_text("test.sw.json", text, &Options::default());
    let output = output.unwrap_or_else(|| panic!("{problems:?}"));
    Session::new(output.rom, Some(output.symbols), settings).unwrap()
}

/// A sample of the repository.
pub fn sample(name: &str) -> Session {
    let path = format!(
        "{}/../../machines/{name}.sw.json",
        env!("CARGO_MANIFEST_DIR")
    );
    session(&std::fs::read_to_string(path).unwrap(), Settings::default())
}

/// Carries out a line.
pub fn give(session: &mut Session, line: &str) -> Result<Vec<Arc<Step>>, StepError> {
    session.carry_out(&Command::parse(line, session)?)
}

/// Carries out lines that must all be right.
#[track_caller]
pub fn all(session: &mut Session, lines: &[&str]) -> Vec<Arc<Step>> {
    let mut steps = Vec::new();
    for line in lines {
        steps.extend(give(session, line).unwrap_or_else(|error| panic!("{line}: {error}")));
    }
    steps
}

/// What is wrong with a line; nothing must have changed.
#[track_caller]
pub fn refused(session: &mut Session, line: &str) -> String {
    let before = (session.to_bytes(), session.depths());
    let error = give(session, line).expect_err(line);
    assert_eq!(
        (session.to_bytes(), session.depths()),
        before,
        "`{line}` changed something"
    );
    error.to_string()
}
