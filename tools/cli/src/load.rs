//! From an input to a machine that can be shown, with words on what is wrong.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use statewright_author::parts::{NoFiles, PartFiles};
use statewright_bytes::Format;
use statewright_files::{Content, Input, LoadFailure, Loaded, SidecarReason, Wanted, open_file};
use statewright_simulate::report::number;

use crate::console::Console;
use crate::error::{CliError, Outcome};

/// What paths of the command line stand for, and what is wrong with those that stand for nothing.
pub(crate) fn collect(paths: &[PathBuf], wanted: Wanted) -> (Vec<Input>, Vec<CliError>) {
    let (inputs, errors) = statewright_files::collect(paths, wanted);
    (inputs, errors.into_iter().map(CliError::from).collect())
}

/// Reads a file, or standard input.
pub(crate) fn read(input: &Input) -> Result<Content, CliError> {
    Ok(input.read(io::stdin().lock())?)
}

/// The machine for those who name none.
#[expect(clippy::expect_used, reason = "a test runs it")]
pub(crate) fn load_sample() -> Loaded {
    let sample = statewright_samples::SOLDIER;
    Loaded::from_machine(sample.file, sample.text.as_bytes(), &NoFiles)
        .expect("the sample is right")
}

/// Reads a ROM, or compiles a machine. What is wrong with either has been said when this answers
/// with an outcome.
pub(crate) fn load(input: &Input, console: &Console) -> Result<Loaded, Outcome> {
    told(statewright_files::load(input, io::stdin().lock()), console)
}

/// The same with what was read already.
pub(crate) fn load_content(
    input: &Input,
    content: Content,
    console: &Console,
) -> Result<Loaded, Outcome> {
    told(statewright_files::load_content(input, content), console)
}

/// The same with parts that somebody else reads.
pub(crate) fn load_with(
    input: &Input,
    parts: &dyn PartFiles,
    console: &Console,
) -> Result<Loaded, Outcome> {
    match read(input) {
        Ok(Content::Machine(bytes)) => {
            let loaded = Loaded::from_machine(&input.name(), &bytes, parts);
            told(loaded, console)
        }
        Ok(content) => load_content(input, content, console),
        Err(error) => {
            console.error(&error);
            Err(Outcome::Failed)
        }
    }
}

/// Says what there is to say.
fn told(loaded: Result<Loaded, LoadFailure>, console: &Console) -> Result<Loaded, Outcome> {
    let loaded = loaded.map_err(|failure| {
        if let LoadFailure::Machine { compiled, .. } = &failure {
            console.problems(&compiled.diagnostics, &compiled.machine.source);
        }
        console.error(&CliError::from(&failure));
        match failure {
            LoadFailure::File(_) => Outcome::Failed,
            LoadFailure::Machine { .. } | LoadFailure::Rom { .. } => Outcome::Problems,
        }
    })?;
    if let Some(problem) = &loaded.sidecar_problem {
        match problem.reason {
            SidecarReason::Missing => console.note(problem),
            SidecarReason::Unreadable(_)
            | SidecarReason::OtherBuild
            | SidecarReason::Malformed(_) => console.warning(problem),
        }
    }
    Ok(loaded)
}

/// Most bytes of a file that a command reads, and what to do with a longer one.
pub(crate) struct Most {
    pub(crate) bytes: u64,
    pub(crate) help: &'static str,
}

/// What is read of a file to see whether it is of a format.
const HEAD: u64 = 64;

/// The bytes of a file of one of some formats, or of standard input. Something else is refused by its first bytes,
/// however long it is: only these are read. `help` says where such files come from.
pub(crate) fn read_format(
    path: &Path,
    formats: &[Format],
    most: Most,
    help: &str,
) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let mut all = |from: &mut dyn Read| {
        from.take(HEAD).read_to_end(&mut bytes)?;
        if formats.iter().any(|format| format.begins(&bytes)) {
            from.take(most.bytes + 1 - HEAD).read_to_end(&mut bytes)?;
        }
        Ok(bytes.len() as u64)
    };
    let read = match path == Path::new("-") {
        true => all(&mut io::stdin().lock()),
        false => open_file(path).and_then(|mut file| all(&mut file)),
    };
    let name = path.display().to_string();
    match read {
        Ok(length) if length > most.bytes => Err(CliError::new(format!(
            "`{name}` has more than {} bytes, more than this command reads",
            number(most.bytes)
        ))
        .help(most.help)),
        Ok(_) => Ok(bytes),
        Err(error) => Err(CliError::read(&name, error).help(help)),
    }
}
