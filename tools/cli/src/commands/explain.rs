//! `statewright explain`: the page of a diagnostic code, or the list of all.

use std::fmt::Write;

use serde_json::{Value, json};
use statewright_author::codes::{DiagnosticCode, Info};
use statewright_author::diagnostic::closest;

use crate::args::Explain;
use crate::console::Console;
use crate::error::{CliError, Outcome};

pub(crate) fn run(args: &Explain, console: &Console) -> Result<Outcome, CliError> {
    if args.json {
        let all = || Ok(DiagnosticCode::ALL.iter().map(|code| code.info()).collect());
        let found = args
            .codes
            .iter()
            .map(|code| find(code))
            .collect::<Result<Vec<_>, _>>();
        let infos = if args.codes.is_empty() { all() } else { found }?;
        console.json(&infos.iter().map(to_json).collect());
        return Ok(Outcome::Fine);
    }
    if args.codes.is_empty() {
        console.result(list());
        return Ok(Outcome::Fine);
    }
    let infos = args
        .codes
        .iter()
        .map(|code| find(code))
        .collect::<Result<Vec<_>, _>>()?;
    let pages: Vec<String> = infos.iter().map(page).collect();
    console.result(pages.join("\n"));
    Ok(Outcome::Fine)
}

fn to_json(info: &Info) -> Value {
    json!({ "code": info.id, "severity": info.severity.as_str(), "title": info.title, "page": info.page })
}

fn list() -> String {
    let mut out = String::new();
    for info in DiagnosticCode::ALL.iter().map(|code| code.info()) {
        let _ = writeln!(
            out,
            "{}  {:<7}  {}",
            info.id,
            info.severity.as_str(),
            info.title
        );
    }
    out
}

/// The page, with a line that says what the code is instead of its heading.
fn page(info: &Info) -> String {
    let heading = format!("# {}", info.id);
    let is_heading = |line: &str| line.starts_with(&heading);
    let text = match info.page.trim().split_once('\n') {
        Some((first, rest)) if is_heading(first) => rest,
        None if is_heading(info.page.trim()) => "",
        _ => info.page,
    };
    let head = format!("{} ({}): {}", info.id, info.severity.as_str(), info.title);
    format!("{head}\n\n{}", text.trim()).trim_end().to_owned() + "\n"
}

fn find(code: &str) -> Result<Info, CliError> {
    if let Some(found) = DiagnosticCode::find(code) {
        return Ok(found.info());
    }
    let error = CliError::new(format!("there is no code `{code}`"));
    let known = DiagnosticCode::ALL.iter().map(|code| code.info().id);
    Err(match closest(code, known) {
        Some(close) => error.help(format!(
            "did you mean `{close}`? `statewright explain` lists all"
        )),
        None => error.help("`statewright explain` lists all codes"),
    })
}
