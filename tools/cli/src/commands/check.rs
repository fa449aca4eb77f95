//! `statewright check`: problems of machine files and ROMs, without writing anything.

use serde_json::{Value, json};
use statewright_author::parts::PartFiles;
use statewright_compile::{Options, deep};
use statewright_describe::{Description, to_text};
use statewright_files::{Compiled, Content, Input, LoadFailure, Wanted, compile};
use statewright_rom::Rom;

use super::summary::Summary;
use crate::args::Check;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{collect, read};
use crate::progress::Progress;

/// Checks everything once; parts come from `parts`.
pub(crate) fn once(args: &Check, console: &Console, parts: &dyn PartFiles) -> Outcome {
    let (inputs, errors) = collect(&args.paths, Wanted::Everything);
    let mut summary = Summary::new(console, args.compiling.format());
    errors
        .iter()
        .for_each(|error| summary.unreadable(None, error));
    let progress = Progress::new(console, "checking", inputs.len());
    for input in &inputs {
        check(args, input, parts, console, &mut summary);
        progress.step();
    }
    drop(progress);
    summary.finish("checked")
}

fn check(
    args: &Check,
    input: &Input,
    parts: &dyn PartFiles,
    console: &Console,
    summary: &mut Summary<'_>,
) {
    let name = input.name();
    match read(input) {
        Err(error) => summary.unreadable(Some(&name), &error),
        Ok(Content::Machine(bytes)) => {
            let options = Options {
                strict: args.compiling.strict,
                dev: args.compiling.dev,
            };
            let compiled = compile(&name, &bytes, parts, &options);
            machine(args, &name, compiled, console, summary);
        }
        Ok(Content::Rom(bytes)) => rom(args, &name, &bytes, console, summary),
    }
}

fn machine(
    args: &Check,
    name: &str,
    compiled: Compiled,
    console: &Console,
    summary: &mut Summary<'_>,
) {
    let mut facts = json!({ "kind": "machine" });
    if let Some(output) = &compiled.output {
        facts["machine"] = output.report.machine.as_str().into();
        if args.report && summary.is_json() {
            facts["report"] = serde_json::to_value(&output.report).unwrap_or_default();
        }
        if args.deep
            && let Some(error) = prove(name, &output.rom.as_rom(), &mut facts)
        {
            return summary.refused(name, &error, facts);
        }
    }
    summary.machine(
        &compiled.diagnostics,
        &compiled.machine.source,
        compiled.output.is_some(),
        facts,
    );
    if let Some(output) = compiled
        .output
        .filter(|_| args.report && !summary.is_json())
    {
        console.result(format!("{}\n", output.report));
    }
}

fn rom(args: &Check, name: &str, bytes: &[u8], console: &Console, summary: &mut Summary<'_>) {
    let mut facts = json!({ "kind": "rom" });
    let rom = match Rom::from_bytes(bytes) {
        Ok(rom) => rom,
        Err(error) => {
            facts["table"] = error.section.map(|section| section.name()).into();
            facts["record"] = (error.record != statewright_rom::LoadError::WHOLE)
                .then_some(error.record)
                .into();
            facts["reason"] = error.problem.to_string().into();
            let name_of = name.to_owned();
            let failure = LoadFailure::Rom {
                name: name_of,
                error,
            };
            return summary.refused(name, &CliError::from(&failure), facts);
        }
    };
    if args.deep
        && let Some(error) = prove(name, &rom, &mut facts)
    {
        return summary.refused(name, &error, facts);
    }
    if args.report {
        if summary.is_json() {
            facts["report"] = Description::new(&rom, None).to_json()["layout"].take();
        } else {
            console.result(format!("{}\n", to_text(&rom, None)));
        }
    }
    summary.fine(name, facts);
}

/// Why the plans of a ROM are not those that follow from it, if so.
fn prove(name: &str, rom: &Rom<'_>, facts: &mut Value) -> Option<CliError> {
    let differences: Vec<String> = deep::verify(rom).iter().map(ToString::to_string).collect();
    facts["deep"] = differences.clone().into();
    if differences.is_empty() {
        return None;
    }
    let text = format!(
        "the plans of `{name}` are not those of its tables: {}",
        differences.join("; ")
    );
    Some(
        CliError::new(text)
            .help("build it again from its machine file; if that does not help, please report it"),
    )
}
