//! `statewright build`: machine files become ROMs and debug sidecars.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde_json::json;
use statewright_compile::{Options, Output};
use statewright_files::{
    Content, Disk, Input, Prepared, ROM_EXTENSION, SIDECAR_EXTENSION, Wanted, compile,
    is_same_file, make_folder_of, with_extension,
};

use super::summary::Summary;
use crate::args::{Build, MessageFormat};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{collect, read};
use crate::progress::Progress;

/// Where a ROM goes.
enum Target {
    File(PathBuf),
    Stdout,
}

pub(crate) fn run(args: &Build, console: &Console) -> Result<Outcome, CliError> {
    let (inputs, errors) = collect(&args.paths, Wanted::Machines);
    let targets = targets(args, &inputs)?;
    let mut summary = Summary::new(console, args.compiling.format());
    errors
        .iter()
        .for_each(|error| summary.unreadable(None, error));
    let progress = Progress::new(console, "building", inputs.len());
    for (input, target) in inputs.iter().zip(&targets) {
        build(args, input, target, console, &mut summary);
        progress.step();
    }
    drop(progress);
    Ok(summary.finish("built"))
}

/// Where each ROM goes; no two to the same place.
fn targets(args: &Build, inputs: &[Input]) -> Result<Vec<Target>, CliError> {
    if let Some(output) = &args.output
        && inputs.len() > 1
    {
        let text = format!(
            "{} machines cannot all be written to `{}`",
            inputs.len(),
            output.display()
        );
        return Err(CliError::new(text).help("use `--out-dir FOLDER`, or name one file"));
    }
    let targets = inputs
        .iter()
        .map(|input| target(args, input))
        .collect::<Result<Vec<_>, _>>()?;
    let mut seen: HashMap<&Path, String> = HashMap::new();
    for (input, target) in inputs.iter().zip(&targets) {
        let Target::File(path) = target else { continue };
        if let Some(first) = seen.insert(path, input.name()) {
            let text = format!(
                "`{first}` and `{}` would both be written to `{}`",
                input.name(),
                path.display()
            );
            return Err(
                CliError::new(text).help("build them one by one with `-o`, or name their folder")
            );
        }
    }
    Ok(targets)
}

fn target(args: &Build, input: &Input) -> Result<Target, CliError> {
    match (&args.output, &args.out_dir, &input.path) {
        (Some(output), ..) if output == Path::new("-") => to_stdout(args),
        (Some(output), ..)
            if output
                .extension()
                .is_some_and(|extension| extension == "json") =>
        {
            let text = format!(
                "`{}` is the name of a source, not of a ROM",
                output.display()
            );
            Err(CliError::new(text).help("call it `*.swrom`"))
        }
        (Some(output), _, Some(path)) if is_same_file(output, path) => {
            let text = format!("the ROM would replace its own source `{}`", path.display());
            Err(CliError::new(text).help("call it `*.swrom`"))
        }
        (Some(output), ..) => Ok(Target::File(output.clone())),
        (None, Some(folder), _) => Ok(Target::File(
            folder.join(with_extension(&input.below, ROM_EXTENSION)),
        )),
        (None, None, Some(path)) => Ok(Target::File(with_extension(path, ROM_EXTENSION))),
        (None, None, None) => Err(
            CliError::new("standard input has no name to call the ROM by")
                .help("add `-o FILE`, or `-o -`"),
        ),
    }
}

fn to_stdout(args: &Build) -> Result<Target, CliError> {
    if args.compiling.format() == MessageFormat::Json {
        return Err(
            CliError::new("standard output cannot take both the ROM and JSON")
                .help("use `-o FILE`"),
        );
    }
    if std::io::stdout().is_terminal() {
        return Err(CliError::new("a ROM is not for a terminal")
            .help("redirect it: `… -o - > machine.swrom`"));
    }
    Ok(Target::Stdout)
}

fn build(
    args: &Build,
    input: &Input,
    target: &Target,
    console: &Console,
    summary: &mut Summary<'_>,
) {
    let name = input.name();
    let bytes = match read(input) {
        Ok(Content::Machine(bytes)) => bytes,
        Ok(Content::Rom(_)) => {
            let error = CliError::new(format!("`{name}` is a ROM, not a machine file"))
                .help("`statewright check` and `statewright dump` take ROMs");
            return summary.unreadable(Some(&name), &error);
        }
        Err(error) => return summary.unreadable(Some(&name), &error),
    };
    let options = Options {
        strict: args.compiling.strict,
        dev: args.compiling.dev,
    };
    let compiled = compile(&name, &bytes, &Disk, &options);
    let mut facts = json!({ "kind": "machine" });
    let Some(output) = &compiled.output else {
        return summary.machine(
            &compiled.diagnostics,
            &compiled.machine.source,
            false,
            facts,
        );
    };
    let written = match target {
        Target::Stdout => Ok(None),
        Target::File(path) => write(args, path, output).map(Some),
    };
    match written {
        Err(error) => summary.unreadable(Some(&name), &error),
        Ok(files) => {
            facts["machine"] = output.report.machine.as_str().into();
            facts["written"] = files
                .iter()
                .flatten()
                .map(|path| path.display().to_string())
                .collect();
            if summary.is_json() {
                facts["report"] = serde_json::to_value(&output.report).unwrap_or_default();
            }
            summary.machine(&compiled.diagnostics, &compiled.machine.source, true, facts);
            tell(output, files.as_deref(), console, summary);
        }
    }
}

/// Writes the files. Only when all are on disk do they get their names, so a failure leaves the old
/// ones.
fn write(args: &Build, path: &Path, output: &Output) -> Result<Vec<PathBuf>, CliError> {
    if args.out_dir.is_some() {
        make_folder_of(path)?;
    }
    let mut files = vec![(path.to_owned(), Prepared::new(path, output.rom.as_bytes())?)];
    if !args.no_debug {
        let sidecar = path.with_extension(SIDECAR_EXTENSION);
        if sidecar == path {
            let text = format!(
                "`{}` is the name of a sidecar, not of a ROM",
                path.display()
            );
            return Err(CliError::new(text).help("call it `*.swrom`"));
        }
        let prepared = Prepared::new(&sidecar, output.symbols.to_json().as_bytes())?;
        // The sidecar first: a ROM with a newer sidecar is noticed, names of an older one are not
        // missed.
        files.insert(0, (sidecar, prepared));
    }
    let mut paths = Vec::new();
    for (path, file) in files {
        file.place()?;
        paths.insert(0, path);
    }
    Ok(paths)
}

/// The report and the files, unless nobody wants to know; beside the ROM if that goes to standard
/// output.
fn tell(output: &Output, files: Option<&[PathBuf]>, console: &Console, summary: &Summary<'_>) {
    let Some(files) = files else {
        console.note(&output.report);
        return console.result(output.rom.as_bytes());
    };
    if console.is_quiet() || summary.is_json() {
        return;
    }
    let names: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    console.result(format!("{}\n", output.report));
    console.note(format_args!("wrote {}", names.join(" and ")));
}
