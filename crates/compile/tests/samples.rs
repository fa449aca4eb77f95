//! Every sample compiles in strict mode without a warning, in the tier that it is there to show.

use statewright_author::render::{Style, render_text};
use statewright_author::{parts, text};
use statewright_compile::{Options, compile_with, deep};

#[test]
fn samples_are_strict_and_fit_their_tiers() {
    let expected = [
        ("boss", 256),
        ("pedestrian", 64),
        ("soldier", 128),
        ("traffic_light", 64),
        ("watchman", 64),
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .expect("the samples are there")
        .filter_map(|file| {
            file.ok()?
                .file_name()
                .to_str()?
                .strip_suffix(".sw.json")
                .map(str::to_owned)
        })
        .collect();
    found.sort();
    assert_eq!(found, expected.map(|(name, _)| name));
    let files: Vec<&str> = statewright_samples::ALL
        .iter()
        .map(|sample| sample.file)
        .collect();
    assert_eq!(
        files,
        expected.map(|(name, _)| format!("{name}.sw.json")),
        "the list of the crate"
    );
    for (name, bytes) in expected {
        let text = std::fs::read_to_string(format!("{folder}/{name}.sw.json"))
            .expect("a sample can be read");
        let (machine, problems) = text::read(name, &text);
        let (output, problems) = compile_with(
            &machine,
            problems,
            &Options {
                strict: true,
                dev: false,
            },
        );
        assert_eq!(
            render_text(&problems, &machine.source, Style::default()),
            "",
            "{name}"
        );
        let output = output.expect("a sample compiles");
        assert_eq!(output.report.instance_bytes, bytes, "{name}");
        assert_eq!(deep::verify(&output.rom.as_rom()), [], "{name}");
    }
}

/// Reads parts from disk.
struct Disk;

impl parts::PartFiles for Disk {
    fn read(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(name).map_err(|error| error.to_string())
    }
}

/// Machines of a folder, by path.
fn machines_in(folder: &str) -> Vec<String> {
    let folder = format!("{}/../../machines/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&folder).expect("the folder is there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("can be read").path().display().to_string())
        .collect();
    names.sort();
    names
}

#[test]
fn parts_are_machines_of_their_own_and_their_users_compile_without_a_warning() {
    let (alone, users) = (machines_in("parts"), machines_in("with_parts"));
    assert_eq!((alone.len(), users.len()), (2, 3));
    for name in alone.iter().chain(&users) {
        let text = std::fs::read_to_string(name).expect("a sample can be read");
        let (machine, problems) = parts::read(name, &text, &Disk);
        assert_eq!(machine.source.parts().is_empty(), alone.contains(name));
        let (output, problems) = compile_with(&machine, problems, &Options::default());
        let said = render_text(&problems, &machine.source, Style::default());
        assert_eq!(said, "", "{name}");
        let output = output.expect("a sample compiles");
        assert_eq!(deep::verify(&output.rom.as_rom()), [], "{name}");
    }
}
