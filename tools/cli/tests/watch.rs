//! `statewright check --watch` and `statewright run --watch`: again after every save, until Ctrl-C.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::common::{Folder, LAMP, WRONG};

/// Longer than a check takes on a computer that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// Saves a file as editors do: it is never half there.
fn save(folder: &Folder, name: &str, text: &str) {
    folder.write("being-written", text);
    folder.write("deep/keep", "");
    std::fs::rename(folder.path.join("being-written"), folder.path.join(name)).unwrap();
}

/// A program that watches files, and the lines that it says.
#[cfg(unix)]
fn watch(folder: &Folder, what: &str) -> (Child, Receiver<String>) {
    start(folder, &["check", what, "--watch"])
}

#[cfg(unix)]
fn start(folder: &Folder, args: &[&str]) -> (Child, Receiver<String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_statewright"))
        .args(args)
        .current_dir(&folder.path)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let stderr = child.stderr.take().unwrap();
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            _ = sender.send(line + "\n");
        }
    });
    (child, lines)
}

/// Waits for a line that contains a text; everything up to it.
#[track_caller]
fn until(lines: &Receiver<String>, text: &str) -> String {
    let mut seen = String::new();
    while !seen.contains(text) {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => seen += &line,
            Err(error) => panic!("no `{text}` ({error}) in\n{seen}"),
        }
    }
    seen
}

#[test]
#[cfg(unix)]
fn a_saved_file_is_checked_again_until_ctrl_c() {
    let folder = Folder::with_lamp();
    let (mut child, lines) = watch(&folder, ".");
    let first = until(&lines, "watching 1 file; Ctrl-C ends");
    assert!(!first.contains("error"), "{first}");
    save(&folder, "lamp.sw.json", WRONG);
    let second = until(&lines, "watching 1 file");
    assert!(second.contains("no state named `bb`"), "{second}");
    save(&folder, "deep/other.sw.json", LAMP);
    until(&lines, "watching 2 files");
    save(&folder, "lamp.sw.json", LAMP);
    let last = until(&lines, "watching 2 files");
    assert!(!last.contains("no state named"), "{last}");
    assert!(
        !(first + &second + &last).contains('\x1b'),
        "nothing is cleared without a terminal"
    );
    let ended = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(ended.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
#[cfg(unix)]
fn on_a_terminal_each_check_has_the_screen_and_ctrl_c_says_what_the_last_one_found() {
    let folder = Folder::new();
    folder.write("wrong.sw.json", WRONG);
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_statewright"));
    command.args(["check", "wrong.sw.json", "--watch"]);
    command.cwd(&folder.path);
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut keyboard = pair.master.take_writer().unwrap();
    let (sender, parts) = channel();
    std::thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = reader.read(&mut part) {
            _ = sender.send(String::from_utf8_lossy(&part[..length]).into_owned());
        }
    });
    let screen = until(&parts, "Ctrl-C ends");
    assert!(screen.starts_with("\x1b[2J"), "{screen:?}");
    assert!(screen.contains("bb"), "{screen:?}");
    keyboard.write_all(b"\x03").unwrap();
    assert_eq!(child.wait().unwrap().exit_code(), 1);
}

#[test]
#[cfg(unix)]
fn a_part_is_watched_wherever_it_is() {
    let folder = Folder::new();
    folder.write(
        "machines/user.sw.json",
        r#"{ "machine": "User", "initial": "a", "states": { "a": { "use": "../parts/part.sw.json" } } }"#,
    );
    let (mut child, lines) = watch(&folder, "machines");
    let missing = until(&lines, "watching 2 files");
    assert!(missing.contains("cannot be read"), "{missing}");
    folder.write("parts/keep", "");
    save(&folder, "parts/part.sw.json", LAMP);
    let made = until(&lines, "watching 2 files");
    assert!(!made.contains("error"), "{made}");
    save(&folder, "parts/part.sw.json", WRONG);
    let broken = until(&lines, "watching 2 files");
    assert!(broken.contains("no state named `bb`"), "{broken}");
    assert!(broken.contains("used here"), "{broken}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn standard_input_cannot_be_watched() {
    for command in ["check", "run"] {
        let ran = Folder::new().run(&[command, "-", "--watch"]);
        ran.code(2).says("standard input cannot be watched");
    }
}

/// A machine whose agents rest in a state of a name, so long.
fn resting(state: &str, pause: &str, keys: &str) -> String {
    format!(
        r#"{{ "machine": "Cat", "tick_rate": 100, "blackboard": {{ {keys} }}, "initial": "{state}",
  "states": {{ "{state}": {{ "transitions": [{{ "after": "{pause}", "to": "play" }}] }}, "play": {{}} }} }}"#
    )
}

/// A run that is watched and recorded, after its first reload: what it said of that.
#[cfg(unix)]
fn reloaded() -> (Folder, Child, Receiver<String>, String) {
    let folder = Folder::new();
    folder.write("cat.sw.json", resting("nap", "3600s", ""));
    let args = [
        "run",
        "cat.sw.json",
        "--watch",
        "--agents=7",
        "--threads=1",
        "--record=cat.swtape",
        "--trace=cat.swtrace",
    ];
    let (child, lines) = start(&folder, &args);
    until(&lines, "watching cat.sw.json; Ctrl-C ends");
    save(&folder, "cat.sw.json", &resting("nap", "7200s", ""));
    let line = until(&lines, "reloaded");
    (folder, child, lines, line)
}

#[test]
#[cfg(unix)]
fn load_8_a_run_goes_on_in_what_is_saved_and_a_broken_file_is_told_once() {
    let (folder, mut child, lines, line) = reloaded();
    assert!(
        line.ends_with("reloaded cat.sw.json: parameters only; 7 kept, 0 completed, 0 anew; 7 on old deadlines\n"),
        "{line}"
    );
    save(&folder, "cat.sw.json", WRONG);
    let broken = until(&lines, "the agents go on in the version that runs");
    assert_eq!(broken.matches("no state named `bb`").count(), 1, "{broken}");
    // More keys than before, and another state.
    let keys = r#""a": "vec3", "b": "vec3", "c": "vec3", "d": { "type": "i32", "default": 9 }"#;
    save(&folder, "cat.sw.json", &resting("doze", "7200s", keys));
    let line = until(&lines, "reloaded");
    assert_eq!(
        line, "reloaded cat.sw.json: structure; 0 kept, 7 completed, 0 anew; lost: 7 timers\n",
        "the broken file was told once"
    );
    let ended = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(ended.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // So does the trace, with the names of each version.
    let trace = folder.run(&["trace", "cat.swtrace", "--agent=3"]).code(0);
    assert_eq!(trace.out.matches("the machine is reloaded, ").count(), 2);
    assert!(
        trace.out.contains("now in nap") && trace.out.contains("in doze"),
        "{}",
        trace.out
    );
    // The tape goes on over both reloads, and needs no machine file.
    std::fs::remove_file(folder.path.join("cat.sw.json")).unwrap();
    let replayed = folder.run(&["replay", "cat.swtape"]).code(0);
    replayed.prints(" and 2 reloads; ");
    let info = folder
        .run(&["tape", "info", "cat.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(info["reloads"].as_array().map(Vec::len), Some(2));
    assert_ne!(info["reloads"][0]["old"], info["reloads"][0]["new"]);
    let text = folder.run(&["tape", "info", "cat.swtape"]).code(0);
    text.prints(": reload the machine, ");
    let last = info["ticks"].as_u64().unwrap() - 1;
    let why = [
        "tape",
        "why",
        "cat.swtape",
        "--agent=3",
        &format!("--tick={last}"),
    ];
    folder.run(&why).code(0).prints("after it: doze");
}

#[test]
#[cfg(unix)]
fn tape_4_a_killed_run_leaves_a_tape_that_is_read_up_to_its_last_block() {
    let (folder, mut child, ..) = reloaded();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was killed");
    let info = folder
        .run(&["tape", "info", "cat.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(info["complete"], false);
    let json = folder
        .run(&["replay", "cat.swtape", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["same"], &json["ticks"]),
        (&true.into(), &info["ticks"])
    );
}
