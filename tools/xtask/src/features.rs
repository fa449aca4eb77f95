//! The step `features`: the library compiles with each of its features alone and without any, and
//! without any it needs neither compiler nor author crate.

use crate::repository::root;
use crate::steps::cargo;

/// Crates that a program with finished ROMs does not need.
const COMPILER: [&str; 2] = ["statewright-author", "statewright-compile"];

/// Runs all of it; an error says what to look at.
pub fn features() -> Result<(), String> {
    let manifest = root().join("crates/statewright/Cargo.toml");
    let text = std::fs::read_to_string(&manifest)
        .map_err(|error| format!("{}: {error}", manifest.display()))?;
    check(&["--package", "statewright-rom", "--no-default-features"])?;
    check(&["--package", "statewright", "--no-default-features"])?;
    for feature in names(&text) {
        #[rustfmt::skip]
        check(&["--package", "statewright", "--no-default-features", "--features", feature])?;
    }
    without_compiler()
}

fn check(arguments: &[&str]) -> Result<(), String> {
    println!("    cargo clippy {}", arguments.join(" "));
    let status = cargo()
        .args(["clippy", "--quiet"])
        .args(arguments)
        .args(["--", "-D", "warnings"])
        .env("CARGO_INCREMENTAL", "0")
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!(
            "`cargo clippy {}` fails, see above",
            arguments.join(" ")
        )),
        Err(error) => Err(format!("cannot start cargo: {error}")),
    }
}

/// Names of the features that a manifest declares, but for `default`.
fn names(manifest: &str) -> Vec<&str> {
    let lines = manifest.lines().map(str::trim);
    let section = lines.skip_while(|line| *line != "[features]").skip(1);
    section
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| Some(line.split_once('=')?.0.trim()))
        .filter(|name| *name != "default")
        .collect()
}

fn without_compiler() -> Result<(), String> {
    #[rustfmt::skip]
    let arguments = [
        "tree", "--package", "statewright", "--no-default-features", "--edges", "normal,build", "--prefix", "none",
    ];
    let output = cargo().args(arguments).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    let crates: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let needed: Vec<&&str> = COMPILER
        .iter()
        .filter(|name| crates.contains(name))
        .collect();
    if needed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "statewright without features depends on {needed:?}: make the dependency optional in \
         crates/statewright/Cargo.toml"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_found() {
        let manifest = "[package]\nname = \"x\"\n\n[features]\ndefault = [\"a\"]\n# Why.\na = []\nb-c = [\"a\"]\n\n[lints]\nd = 1\n";
        assert_eq!(names(manifest), ["a", "b-c"]);
    }
}
