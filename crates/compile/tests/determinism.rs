//! The same file gives the same bytes: in other processes, environments, folders, threads, and by
//! other paths (ROM-4). And the same bytes as last time: `machines/golden/NAME.swrom`. `BLESS=1`
//! writes those anew.
//!
//! The other processes are this test program itself, told by its environment to compile a file and
//! print what it got.

use std::path::{Path, PathBuf};
use std::process::Command;

use statewright_compile::{Options, Output, compile_text};
use xxhash_rust::xxh3::xxh3_64;

/// Processes per test run.
const RUNS: usize = 100;

/// Files that a child compiles, separated by newlines; set for children only.
const FILES: &str = "STATEWRIGHT_DETERMINISM_FILES";

/// Marks the lines of a child that are its answer.
const ANSWER: &str = "bytes of";

fn machines() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../machines")
        .canonicalize()
        .unwrap()
}

/// Names of the samples.
fn samples() -> Vec<String> {
    let files = std::fs::read_dir(machines()).unwrap();
    let mut names: Vec<String> = files
        .filter_map(|file| {
            Some(
                file.unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".sw.json")?
                    .to_owned(),
            )
        })
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

fn compiled(path: &Path) -> Output {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (output, _) = compile_text(&path.to_string_lossy(), &text, &Options::default());
    output.unwrap_or_else(|| panic!("{} compiles", path.display()))
}

/// What a process says about a file: sizes and hashes of ROM and sidecar.
fn answer(path: &Path) -> String {
    let output = compiled(path);
    let (rom, sidecar) = (output.rom.as_bytes(), output.symbols.to_json());
    let name = path.file_name().unwrap().to_string_lossy();
    let (rom_hash, sidecar_hash) = (xxh3_64(rom), xxh3_64(sidecar.as_bytes()));
    format!(
        "{ANSWER} {name}: {} {rom_hash:016x} {} {sidecar_hash:016x}",
        rom.len(),
        sidecar.len()
    )
}

/// The child: compiles what it is told to, and nothing in an ordinary run.
#[test]
fn child() {
    let Ok(files) = std::env::var(FILES) else {
        return;
    };
    for file in files.lines() {
        println!("{}", answer(Path::new(file)));
    }
}

/// What an operating system needs to start a program at all: libraries, and on Windows its own
/// folder.
const NEEDED: [&str; 4] = [
    "LD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "SystemRoot",
    "windir",
];

/// Starts this program as a child with its own environment, folder and way to write paths.
fn run_child(run: usize, names: &[String]) -> Vec<String> {
    let machines = machines();
    let up = machines.parent().unwrap();
    let (folder, prefix) = match run % 4 {
        0 => (machines.clone(), PathBuf::from(".")),
        1 => (up.to_owned(), PathBuf::from("machines")),
        2 => (std::env::temp_dir(), machines.clone()),
        _ => (machines.clone(), machines.join("..").join("machines")),
    };
    let files: Vec<String> = names
        .iter()
        .map(|name| {
            prefix
                .join(format!("{name}.sw.json"))
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let languages = ["C", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.eucJP", ""];
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture"])
        .env_clear()
        .envs(
            NEEDED
                .into_iter()
                .filter_map(|name| std::env::var_os(name).map(|value| (name, value))),
        )
        .env(FILES, files.join("\n"))
        .env("HOME", format!("/nowhere/{run}"))
        .env("LANG", languages[run % languages.len()])
        .env("LC_ALL", languages[run % languages.len()])
        .env("TZ", format!("UTC{:+}", run % 12))
        .env(
            "RUST_TEST_THREADS",
            if run.is_multiple_of(2) { "1" } else { "4" },
        )
        .env("SOURCE_DATE_EPOCH", run.to_string())
        // The environment lies above the stack: its size moves addresses.
        .env("PADDING", "x".repeat(run * 37))
        .current_dir(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "run {run}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // The test harness may write its own words before the first answer of a line.
    text.lines()
        .filter_map(|line| line.find(ANSWER).map(|at| line[at..].to_owned()))
        .collect()
}

#[test]
fn rom_4_a_hundred_processes_give_the_same_bytes() {
    if std::env::var_os(FILES).is_some() {
        return;
    }
    let names = samples();
    let expected: Vec<String> = names
        .iter()
        .map(|name| answer(&machines().join(format!("{name}.sw.json"))))
        .collect();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (names, expected) = (&names, &expected);
            scope.spawn(move || {
                for run in (part..RUNS).step_by(2) {
                    assert_eq!(&run_child(run, names), expected, "run {run}");
                }
            });
        }
    });
}

#[test]
fn rom_4_samples_give_the_golden_bytes() {
    let golden = machines().join("golden");
    let bless = std::env::var_os("BLESS").is_some_and(|bless| bless == "1");
    for name in samples() {
        let output = compiled(&machines().join(format!("{name}.sw.json")));
        let file = golden.join(format!("{name}.swrom"));
        if bless {
            std::fs::create_dir_all(&golden).unwrap();
            std::fs::write(&file, output.rom.as_bytes()).unwrap();
        }
        let found = std::fs::read(&file).unwrap_or_default();
        assert!(
            found == output.rom.as_bytes(),
            "{name}: not the bytes of machines/golden/{name}.swrom; if the change is meant, run this test with BLESS=1"
        );
    }
    if golden.is_dir() {
        let stale = |file: &PathBuf| {
            !samples()
                .iter()
                .any(|name| file.ends_with(format!("{name}.swrom")))
        };
        let files = std::fs::read_dir(&golden)
            .unwrap()
            .map(|file| file.unwrap().path());
        assert_eq!(
            files.filter(stale).collect::<Vec<_>>(),
            Vec::<PathBuf>::new(),
            "golden ROMs without a sample"
        );
    }
}
