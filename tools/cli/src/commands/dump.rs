//! `statewright dump`: a ROM as text or JSON.

use serde_json::{Value, json};
use statewright_author::names::{visible, visible_lines};
use statewright_describe as describe;
use statewright_files::Wanted;

use crate::args::Dump;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{collect, load};

pub(crate) fn run(args: &Dump, console: &Console) -> Result<Outcome, CliError> {
    let (inputs, errors) = collect(&args.paths, Wanted::Machines);
    errors.iter().for_each(|error| console.error(error));
    let mut outcome = if errors.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Failed
    };
    let mut documents: Vec<Value> = Vec::new();
    for input in &inputs {
        let loaded = match load(input, console) {
            Ok(loaded) => loaded,
            Err(failure) => {
                outcome = outcome.max(failure);
                continue;
            }
        };
        if args.json {
            let mut described = loaded.describe().to_json();
            let mut document = json!({ "file": input.name() });
            document["model"] = described["model"].take();
            document["layout"] = described["layout"].take();
            documents.push(document);
            continue;
        }
        if inputs.len() > 1 {
            console.result(format!("== {}\n", visible(&input.name())));
        }
        let tables = || {
            format!(
                "\n{}",
                visible_lines(&describe::tables(&loaded.rom.as_rom()))
            )
        };
        let tables = if args.tables { tables() } else { String::new() };
        let end = if inputs.len() > 1 { "\n" } else { "" };
        console.result(format!(
            "{}{tables}{end}",
            describe::to_text(&loaded.rom.as_rom(), loaded.symbols.as_ref())
        ));
    }
    if args.json {
        let is_single = args.paths.len() == 1 && inputs.len() <= 1;
        match documents.pop() {
            Some(only) if is_single => console.json(&only),
            None if is_single => {}
            last => {
                documents.extend(last);
                console.json(&documents.into());
            }
        }
    }
    Ok(outcome)
}
