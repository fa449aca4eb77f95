//! Steps of the engines: each is a workspace of its own with its own lock file, so that nobody else
//! builds what an engine needs.

use crate::steps::Step;

/// Lint, tests and documentation of the Bevy crate. All with the same features, so that each of the three
/// finds what the ones before built; what a release leaves out is only looked at without it. None of these draws: labels
/// are lines, which need no renderer. What does draw, the skirmish, is left out of all of them but the format
/// (`cargo xtask skirmish` builds it).
pub fn steps() -> Vec<Step> {
    #[rustfmt::skip]
    let lint = [
        "clippy", "--manifest-path", BEVY, "--workspace", "--exclude", SKIRMISH, "--all-targets", "--all-features", "--locked", "--", "-D", "warnings",
    ];
    // The same features of Bevy's crates: none of them is built again.
    #[rustfmt::skip]
    let release = ["clippy", "--manifest-path", BEVY, "--no-default-features", "--features", "file_watcher", "--locked", "--", "-D", "warnings"];
    #[rustfmt::skip]
    let documentation = ["doc", "--manifest-path", BEVY, "--all-features", "--no-deps", "--document-private-items", "--locked"];
    vec![
        Step::cargo("bevy format", &["fmt", "--all", "--manifest-path", BEVY, "--check"])
            .about("the code of engines/bevy is formatted"),
        Step::cargo("bevy lint", &lint).about("no warning of compiler and clippy in engines/bevy"),
        Step::cargo("bevy release lint", &release)
            .about("no warning in engines/bevy without the compiler of machine files, as releases build it"),
        Step::cargo("bevy documentation", &documentation)
            .about("the documentation of engines/bevy builds, and no link in it leads nowhere")
            .env("RUSTDOCFLAGS", "-D warnings"),
        Step::cargo("bevy tests", &["test", "--manifest-path", BEVY, "--all-features", "--locked"])
            .about("tests and examples of engines/bevy, without a window and without headers of the system"),
    ]
}

pub const BEVY: &str = "engines/bevy/Cargo.toml";
/// The member with a window: three hundred crates.
pub const SKIRMISH: &str = "bevy_statewright_skirmish";
