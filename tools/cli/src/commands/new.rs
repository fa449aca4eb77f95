//! `statewright new`: a commented machine to start from.

use std::path::{Path, PathBuf};

use statewright_author::format::{ItemKind, write_ids};
use statewright_author::names::check_name;
use statewright_author::text::read;
use statewright_compile::derived_id;
use statewright_files::{MACHINE_SUFFIX, refuse_existing, write};

use crate::args::New;
use crate::console::Console;
use crate::error::{CliError, Outcome};

/// The machine, with `@NAME@` and `@FILE@` where they belong.
const SAMPLE: &str = include_str!("new.sw.json");

pub(crate) fn run(args: &New, console: &Console) -> Result<Outcome, CliError> {
    check_name(&args.name).map_err(|rule| {
        let error = CliError::new(format!(
            "`{}` cannot be the name of a machine: {rule}",
            args.name
        ));
        if args.name.contains('/') {
            error.help("give the place with `-o`: `statewright new Guard -o ai/guard.sw.json`")
        } else {
            error
        }
    })?;
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(file_name(&args.name)));
    if path == Path::new("-") {
        console.result(sample(&args.name, "FILE"));
        return Ok(Outcome::Fine);
    }
    let shown = path.display().to_string();
    if path.is_dir() {
        return Err(
            CliError::new(format!("`{shown}` is a folder")).help(format!(
                "name a file: `-o {shown}/{}`",
                file_name(&args.name)
            )),
        );
    }
    refuse_existing(&path, args.force)?;
    write(&path, sample(&args.name, &shown).as_bytes())?;
    console.note(format_args!(
        "wrote {shown}; now try `statewright check {shown}`"
    ));
    Ok(Outcome::Fine)
}

/// The name in lower case, words joined by `_`: `TrafficLight` becomes `traffic_light.sw.json`.
fn file_name(name: &str) -> String {
    let mut out = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && was_small {
            out.push('_');
        }
        was_small = letter.is_lowercase() || letter.is_ascii_digit();
        if letter.is_alphanumeric() {
            out.extend(letter.to_lowercase());
        } else if !out.ends_with('_') {
            out.push('_');
        }
    }
    format!(
        "{}{MACHINE_SUFFIX}",
        if out.trim_matches('_').is_empty() {
            "machine"
        } else {
            &out
        }
    )
}

/// The sample under a name, with the ids of its states.
fn sample(name: &str, file: &str) -> String {
    let quoted = serde_json::Value::from(name).to_string();
    let file = if file.contains(char::is_control) {
        "FILE"
    } else {
        file
    };
    let text = SAMPLE
        .replace("@FILE@", file)
        .replace("\"@NAME@\"", &quoted)
        .replace("@NAME@", name);
    let (machine, _) = read(file, &text);
    let written = write_ids(&machine, |missing| match missing.kind {
        ItemKind::State => derived_id(&machine, missing),
        _ => None,
    });
    written.map_or(text, |written| written.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_follow_from_names() {
        assert_eq!(file_name("TrafficLight"), "traffic_light.sw.json");
        assert_eq!(file_name("Boss 2"), "boss_2.sw.json");
        assert_eq!(file_name("HTTPGuard"), "httpguard.sw.json");
        assert_eq!(file_name("…"), "machine.sw.json");
    }
}
