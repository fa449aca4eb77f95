//! This program once more, under callgrind, to count its instructions.

use std::process::Command;

/// Instructions of one whole run of this program with these arguments; `what` is for messages.
pub fn instructions(
    what: &str,
    arguments: impl IntoIterator<Item = String>,
) -> Result<u64, String> {
    let told = callgrind(what, &[NO_FILE.to_owned()], arguments)?;
    collected(&told)
}

/// Those of functions alone whose name fits a pattern, with all that they call.
pub fn instructions_in(
    functions: &str,
    what: &str,
    arguments: impl IntoIterator<Item = String>,
) -> Result<u64, String> {
    let only = format!("--toggle-collect={functions}");
    let told = callgrind(what, &[NO_FILE.to_owned(), only], arguments)?;
    collected(&told)
}

/// Nothing is kept but what valgrind tells.
const NO_FILE: &str = "--callgrind-out-file=/dev/null";

/// Runs this program under callgrind with options and arguments. What valgrind tells.
pub fn callgrind(
    what: &str,
    options: &[String],
    arguments: impl IntoIterator<Item = String>,
) -> Result<String, String> {
    let this =
        std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let output = Command::new("valgrind")
        .arg("--tool=callgrind")
        .args(options)
        .arg(this)
        .args(arguments)
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "instructions are counted with valgrind, which is not here: install it (Debian, Ubuntu: `apt install valgrind`)"
                    .to_owned()
            }
            _ => format!("cannot start valgrind: {error}"),
        })?;
    let told = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(told.into_owned())
    } else {
        Err(format!("counting {what} failed:\n{told}"))
    }
}

/// What this program was told to leave out: its other self leaves it out, too.
pub fn without() -> impl Iterator<Item = String> {
    let mut rest = std::env::args().skip(1);
    std::iter::from_fn(move || {
        let at = rest.find(|argument| argument.starts_with("--without"))?;
        let name = if at.contains('=') { None } else { rest.next() };
        Some(name.map_or(at, |name| format!("--without={name}")))
    })
}

/// The number in `==1== Collected : 123`.
fn collected(told: &str) -> Result<u64, String> {
    told.lines()
        .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
        .ok_or_else(|| format!("valgrind did not say how many instructions there were:\n{told}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_what_valgrind_tells() {
        let told = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 2460823\n==7==\n==7== I refs: 2,460,823\n";
        assert_eq!(collected(told), Ok(2_460_823));
        assert!(collected("==7== nothing").is_err());
    }
}
