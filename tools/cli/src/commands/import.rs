//! `statewright import`: a chart of another tool becomes a machine file.

use std::path::{Path, PathBuf};

use serde_json::json;
use statewright_author::diagnostic::{Diagnostics, Severity};
use statewright_author::graph::Machine;
use statewright_author::render::render_json;
use statewright_author::text::write_with;
use statewright_compile::{Options, compile_with};
use statewright_files::{
    Content, Input, MACHINE_SUFFIX, refuse_existing, refuse_own_source, write,
};
use statewright_import::scxml::{Functions, read_with};
use statewright_import::{Format, read_bytes};

use crate::args::{Import, MessageFormat};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::read;
use crate::output::deliver;

pub(crate) fn run(args: &Import, console: &Console) -> Result<Outcome, CliError> {
    let input = Input::single(&args.file);
    let name = input.name();
    let format = format(args, &name)?;
    let target = target(args, &input, format)?;
    if target == Path::new("-") && args.compiling.format() == MessageFormat::Json {
        return Err(CliError::new(
            "the machine and the problems as JSON cannot both go to standard output",
        )
        .help("name a file with `-o`"));
    }
    let Content::Machine(bytes) = read(&input)? else {
        return Err(CliError::new(format!(
            "`{name}` is a ROM, not a chart of another tool"
        )));
    };
    let (machine, found) = match format {
        Format::Scxml => {
            let functions = functions(args)?;
            read_bytes(&name, &bytes, |name, text| {
                read_with(name, text, &functions)
            })
        }
        format if args.function.is_empty() => format.read(&name, &bytes),
        _ => {
            return Err(CliError::new("`--function` is for SCXML documents")
                .help("the other formats name functions themselves: leave it out"));
        }
    };
    let options = Options {
        strict: args.compiling.strict,
        ..Options::default()
    };
    // What the compiler would refuse is told now, in words of the chart.
    let (output, diagnostics) = compile_with(&machine, found, &options);
    let text = output.map(|_| {
        write_with(
            &machine,
            &header(&args.file, format, &machine, &diagnostics),
        )
    });
    if args.compiling.format() == MessageFormat::Json {
        let problems = render_json(&diagnostics, &machine.source);
        if let Some(text) = &text {
            write(&target, text.as_bytes())?;
        }
        let written = text.as_ref().map(|_| target.display().to_string());
        console.json(&json!({ "file": name, "format": format.as_str(), "written": written, "problems": problems }));
        return Ok(if text.is_some() {
            Outcome::Fine
        } else {
            Outcome::Problems
        });
    }
    console.problems(&diagnostics, &machine.source);
    let Some(text) = text else {
        console.error(&CliError::new(format!(
            "`{name}` was not imported: nothing is written"
        )));
        return Ok(Outcome::Problems);
    };
    deliver(Some(&target), text.as_bytes(), console)?;
    Ok(Outcome::Fine)
}

fn functions(args: &Import) -> Result<Functions, CliError> {
    let mut functions = Functions::default();
    for text in &args.function {
        functions.bind(text).map_err(|problem| {
            CliError::new(format!("`--function`: {problem}"))
                .help("write `NAME`, or `NAME=FUNCTION`")
        })?;
    }
    Ok(functions)
}

fn format(args: &Import, name: &str) -> Result<Format, CliError> {
    args.from.or_else(|| Format::of_name(name)).ok_or_else(|| {
        CliError::new(format!(
            "the name `{name}` does not say what kind of chart this is"
        ))
        .help("say it: `--from scxml`, `xstate`, `mermaid` or `plantuml`")
    })
}

/// Where to write: the chart's own name with another end, unless told.
fn target(args: &Import, input: &Input, format: Format) -> Result<PathBuf, CliError> {
    let own = || {
        let Some(source) = &input.path else {
            return PathBuf::from("-");
        };
        let name = source
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let stem = format
            .extensions()
            .iter()
            .find_map(|end| name.strip_suffix(&format!(".{end}")));
        let stem = stem.unwrap_or_else(|| {
            name.rsplit_once('.')
                .map_or(name.as_str(), |(stem, _)| stem)
        });
        source.with_file_name(format!("{stem}{MACHINE_SUFFIX}"))
    };
    let target = args.output.clone().unwrap_or_else(own);
    refuse_own_source(Some(&target), input)?;
    refuse_existing(&target, args.force)?;
    Ok(target)
}

/// What a reader of the new file should know.
fn header(
    file: &Path,
    format: Format,
    machine: &Machine,
    diagnostics: &Diagnostics,
) -> Vec<String> {
    let source = file
        .file_name()
        .map_or_else(|| "standard input".into(), |name| name.to_string_lossy());
    let kind = match format {
        Format::Scxml => "an SCXML document",
        Format::Xstate => "an XState machine",
        Format::Mermaid => "a Mermaid state diagram",
        Format::PlantUml => "a PlantUML state diagram",
    };
    let shown: String = source.chars().filter(|c| !c.is_control()).collect();
    let mut lines = vec![format!(
        "{}, imported from {shown}, {kind}.",
        machine.name.value
    )];
    if format == Format::Scxml {
        lines.push(
            "The policies below make it behave as the W3C recommendation says; a tick is a millisecond.".to_owned(),
        );
        lines.push(
            "Events whose names it does not know belong to their longest known beginning, else to `(other)`."
                .to_owned(),
        );
    }
    let left_out = diagnostics
        .iter()
        .filter(|problem| problem.severity != Severity::Hint)
        .count();
    if left_out > 0 {
        lines.push(format!(
            "Import had {left_out} remark{}.",
            if left_out == 1 { "" } else { "s" }
        ));
    }
    lines
}
