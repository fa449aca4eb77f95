//! `statewright docs`: one HTML page about a machine.

use std::path::Path;

use statewright_author::render::render_json;
use statewright_compile::Options;
use statewright_draw::{Facts, page, visible};
use statewright_files::{Content, Disk, Input, Loaded, compile, refuse_own_source};

use super::draw::{chart, options};
use crate::args::Docs;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{load_content, read};
use crate::output;

pub(crate) fn run(args: &Docs, console: &Console) -> Result<Outcome, CliError> {
    refuse_other_names(args.output.as_deref())?;
    let input = Input::single(&args.path);
    refuse_own_source(args.output.as_deref(), &input)?;
    let content = read(&input)?;
    let text = match content {
        Content::Machine(bytes) => {
            let compiled = compile(&input.name(), &bytes, &Disk, &Options::default());
            let source = &compiled.machine.source;
            let Some(output) = compiled.output else {
                console.problems(&compiled.diagnostics, source);
                console.error(&CliError::new(format!(
                    "`{}` does not compile",
                    input.name()
                )));
                return Ok(Outcome::Problems);
            };
            let problems = render_json(&compiled.diagnostics, source);
            let facts = Facts {
                machine: Some(&compiled.machine),
                report: Some(&output.report),
                problems: Some(&problems),
            };
            let loaded = Loaded {
                rom: output.rom.clone(),
                symbols: Some(output.symbols.clone()),
                sidecar_problem: None,
                meta: None,
            };
            let chart = chart(&loaded, &input)?;
            page(&chart, &facts, &options(&chart, args.theme, &args.active)?)
        }
        rom => {
            let loaded = match load_content(&input, rom, console) {
                Ok(loaded) => loaded,
                Err(outcome) => return Ok(outcome),
            };
            let chart = chart(&loaded, &input)?;
            page(
                &chart,
                &Facts::default(),
                &options(&chart, args.theme, &args.active)?,
            )
        }
    };
    output::deliver(args.output.as_deref(), text.as_bytes(), console)?;
    Ok(Outcome::Fine)
}

/// A page that is called like something else would be opened as that.
fn refuse_other_names(output: Option<&Path>) -> Result<(), CliError> {
    let extension = output
        .filter(|path| *path != Path::new("-"))
        .and_then(Path::extension);
    let extension = extension.map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    match extension.as_deref() {
        None | Some("html" | "htm") => Ok(()),
        Some(other) => {
            let text = format!("the page is HTML, not `*.{}`", visible(other));
            Err(CliError::new(text).help("call it `*.html`"))
        }
    }
}
