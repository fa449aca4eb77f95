//! `statewright dump`: a ROM as text or JSON.

use serde_json::{Value, json};
use statewright_compile::describe;

use crate::args::Dump;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::input::collect;
use crate::load::load;

pub(crate) fn run(args: &Dump, console: &Console) -> Result<Outcome, CliError> {
    let (inputs, errors) = collect(&args.paths);
    errors.iter().for_each(|error| console.error(error));
    let mut outcome = if errors.is_empty() { Outcome::Fine } else { Outcome::Failed };
    let mut documents: Vec<Value> = Vec::new();
    for input in &inputs {
        let loaded = match load(input, console) {
            Ok(loaded) => loaded,
            Err(failure) => {
                outcome = outcome.max(failure);
                continue;
            }
        };
        let described = loaded.describe();
        if args.json {
            let mut document = json!({ "file": input.name() });
            document["model"] = described["model"].clone();
            document["layout"] = described["layout"].clone();
            documents.push(document);
            continue;
        }
        if inputs.len() > 1 {
            console.result(format!("== {}\n", input.name()));
        }
        let tables = if args.tables { format!("\n{}", describe::tables(&loaded.rom.as_rom())) } else { String::new() };
        let end = if inputs.len() > 1 { "\n" } else { "" };
        console.result(format!("{}{tables}{end}", describe::to_text(&described)));
    }
    if args.json {
        match (args.paths.len(), inputs.len(), documents.pop()) {
            (1, 1, Some(only)) => console.json(&only),
            (1, 1, None) => {}
            (_, _, last) => {
                documents.extend(last);
                console.json(&documents.into());
            }
        }
    }
    Ok(outcome)
}
