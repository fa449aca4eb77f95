//! Runs the real command in a folder of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A machine that compiles without a warning, with comments to lose.
pub const LAMP: &str = r#"// A lamp.
{
  "machine": "Lamp", // its name
  "events": { "Press": { "payload": "i32" }, "Break": {} },
  "blackboard": { "count": "i32" },
  "timers": { "fuse": {} },
  "initial": "off",
  "transitions": [{ "on": "Break", "to": "broken", "do": { "stop": "fuse" } }],
  "states": {
    /* dark */
    "off": { "transitions": [{ "name": "press", "on": "Press", "to": "on", "do": "count += event" }] },
    "on": {
      "entry": { "start": "fuse", "after": "2s" },
      "transitions": [
        { "on": "Press", "to": "off", "if": "count > 2" },
        { "timer": "fuse", "to": "off" }, // too hot
      ],
    },
    "broken": { "final": true },
  },
}
"#;

/// A machine with one error.
pub const WRONG: &str = r#"{
  "machine": "Wrong",
  "initial": "a",
  "events": ["Go"],
  "states": { "a": { "transitions": [{ "on": "Go", "to": "bb" }] }, "b": {} },
}
"#;

/// What a run of the command gave.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    pub bytes: Vec<u8>,
}

impl Ran {
    fn new(output: std::process::Output) -> Self {
        Self {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }

    /// Asserts the exit code.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.out, self.err
        );
        self
    }

    /// Asserts that standard error contains a text.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(
            self.err.contains(text),
            "no `{text}` in stderr:\n{}",
            self.err
        );
        self
    }

    /// Asserts that standard output contains a text.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert!(
            self.out.contains(text),
            "no `{text}` in stdout:\n{}",
            self.out
        );
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error} in\n{}", self.out))
    }
}

/// A folder that goes away with the test.
pub struct Folder {
    pub path: PathBuf,
}

impl Folder {
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("statewright-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    /// A folder with `lamp.sw.json`.
    pub fn with_lamp() -> Self {
        let folder = Self::new();
        folder.write("lamp.sw.json", LAMP);
        folder
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path.join(name)).unwrap()
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub fn has(&self, name: &str) -> bool {
        self.path.join(name).exists()
    }

    /// Names of everything in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Runs the command here.
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }

    /// Runs the command here with as much as a hostile file may cost (SAVE-5), where the system can be told: 2 s of
    /// the processor, however busy the computer is, and 256 MiB.
    pub fn run_bounded(&self, args: &[&str]) -> Ran {
        if !cfg!(target_os = "linux") {
            return self.run(args);
        }
        let limit = format!(
            "ulimit -t 2 && ulimit -v {} && exec \"$0\" \"$@\"",
            256 << 10
        );
        let output = Command::new("sh")
            .args(["-c", &limit, env!("CARGO_BIN_EXE_statewright")])
            .args(args)
            .current_dir(&self.path)
            .env_remove("COLUMNS")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ran::new(output)
    }

    /// Runs the command here with standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_statewright"))
            .args(args)
            .current_dir(&self.path)
            .env_remove("COLUMNS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The command may end without reading all of it.
        _ = child.stdin.take().unwrap().write_all(input);
        Ran::new(child.wait_with_output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The sample machines of the repository.
pub fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../machines");
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.to_string_lossy().ends_with(".sw.json"))
        .collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    files
}
