//! Every example prints what stands in `examples/expected/`. `BLESS=1` writes it anew.

use std::path::PathBuf;
use std::process::Command;

/// Folder of the programs that cargo built beside this one.
fn programs() -> PathBuf {
    let own = std::env::current_exe().expect("a test has a path");
    own.ancestors()
        .nth(2)
        .expect("tests lie in `deps`")
        .join("examples")
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn check(name: &str) {
    let program = programs()
        .join(name)
        .with_extension(std::env::consts::EXE_EXTENSION);
    let output = Command::new(&program).output().unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo build -p statewright --examples` builds it",
            program.display()
        )
    });
    let (found, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{name} failed:\n{errors}");
    let path = folder().join("expected").join(name).with_extension("txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, found.as_bytes()).expect("the folder exists");
    }
    let expected = std::fs::read_to_string(&path).expect("every example has its expectation");
    assert_eq!(found, expected, "{name} prints something else");
}

#[test]
fn every_example_prints_what_it_should() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).expect("the folder exists") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            check(
                path.file_stem()
                    .and_then(|name| name.to_str())
                    .expect("a plain name"),
            );
            count += 1;
        }
    }
    assert!(count >= 9, "{count} examples");
}

#[test]
fn the_readme_shows_the_first_program() {
    let readme = std::fs::read_to_string(folder().join("../README.md")).expect("there is a README");
    let program =
        std::fs::read_to_string(folder().join("first_program.rs")).expect("it is an example");
    let shown = readme
        .split("<!-- first program -->")
        .nth(1)
        .and_then(|rest| rest.split("<!-- /first program -->").next());
    assert_eq!(
        shown,
        Some(format!("\n```rust\n{program}```\n").as_str()),
        "copy examples/first_program.rs into the README"
    );
    assert!(program.lines().count() < 70);
}
