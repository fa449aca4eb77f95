//! Files as people have them: named well or badly, whole or damaged, beside a sidecar or alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use statewright_author::parts::{NOT_UTF8, NoFiles, PartFiles as _};
use statewright_compile::{Options, compile_text};
use statewright_files::{
    Content, Disk, FileError, Input, LoadFailure, Loaded, Prepared, Sidecar, SidecarReason, Wanted,
    collect, load, refuse_existing, write,
};

const LAMP: &str = r#"{ "machine": "Lamp", "initial": "off", "states": { "off": {} } }"#;

/// A folder of its own that goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sw-files-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn open(path: &Path) -> Result<Loaded, LoadFailure> {
    load(&Input::single(path), io::empty())
}

/// A ROM and the text of its sidecar.
fn built(text: &str) -> (Vec<u8>, String) {
    let (output, _) = compile_text("lamp.sw.json", text, &Options::default());
    let output = output.unwrap();
    let sidecar = output.symbols.to_json();
    (output.rom.into_bytes().into_vec(), sidecar)
}

#[test]
fn names_and_first_bytes_say_what_a_file_is() {
    let (rom, _) = built(LAMP);
    let content = |name: &str, bytes: &[u8]| Content::new(name, bytes.to_vec());
    assert!(matches!(
        content("a.sw.json", b"{}"),
        Ok(Content::Machine(_))
    ));
    assert!(matches!(content("<stdin>", &rom), Ok(Content::Rom(_))));
    assert!(matches!(content("a.swrom", b"junk"), Ok(Content::Rom(_))));
    assert!(matches!(
        content("a.swdbg", b"{}"),
        Err(FileError::Sidecar(_))
    ));
    let trace = statewright_trace::file::FORMAT.magic;
    assert!(matches!(
        content("a.json", &trace),
        Err(FileError::Trace(_))
    ));
    let large = vec![b' '; (64 << 20) + 1];
    assert!(matches!(
        content("a.sw.json", &large),
        Err(FileError::TooLarge { .. })
    ));
}

#[test]
fn folders_stand_for_what_is_in_them_in_order_and_once() {
    let folder = Folder::new("find");
    for name in [
        "b.sw.json",
        "a/c.sw.json",
        "a/d.swrom",
        ".hidden/e.sw.json",
        "f.txt",
    ] {
        folder.put(name, "");
    }
    let below = |wanted| {
        let twice = [folder.0.clone(), folder.0.clone()];
        let (inputs, errors) = collect(&twice, wanted);
        assert!(errors.is_empty());
        inputs
            .into_iter()
            .map(|input| input.below)
            .collect::<Vec<_>>()
    };
    let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!(
        below(Wanted::Machines),
        paths(&["a/c.sw.json", "b.sw.json"])
    );
    assert_eq!(
        below(Wanted::Everything),
        paths(&["a/c.sw.json", "a/d.swrom", "b.sw.json"])
    );
    let (_, errors) = collect(
        &[folder.0.join("a"), folder.0.join("none")],
        Wanted::Machines,
    );
    assert!(matches!(errors[..], [FileError::Read { .. }]));
    let (_, errors) = collect(
        &[
            folder.0.join(".hidden"),
            folder.put("g/h.txt", "").parent().unwrap().to_owned(),
        ],
        Wanted::Machines,
    );
    assert!(matches!(errors[..], [FileError::NothingIn { .. }]));
}

#[test]
fn a_rom_finds_its_names_beside_it_or_says_why_not() {
    let folder = Folder::new("sidecar");
    let (rom, names) = built(LAMP);
    let path = folder.put("lamp.swrom", &rom);
    let reason = |loaded: Loaded| loaded.sidecar_problem.unwrap().reason;
    assert!(matches!(
        reason(open(&path).unwrap()),
        SidecarReason::Missing
    ));

    folder.put("lamp.swdbg", "{}");
    assert!(matches!(
        reason(open(&path).unwrap()),
        SidecarReason::Malformed(_)
    ));

    let (_, others) = built(&LAMP.replace("off", "on"));
    folder.put("lamp.swdbg", others);
    assert!(matches!(
        reason(open(&path).unwrap()),
        SidecarReason::OtherBuild
    ));

    folder.put("lamp.swdbg", &names);
    let loaded = open(&path).unwrap();
    assert!(loaded.sidecar_problem.is_none());
    assert_eq!(loaded.symbols.unwrap().machine, "Lamp");

    let given = Sidecar {
        name: "from memory".to_owned(),
        text: names,
    };
    let loaded = Loaded::from_rom("lamp", rom, Some(Ok(given))).unwrap();
    assert!(loaded.symbols.is_some());
}

#[test]
fn what_cannot_be_loaded_says_why_and_what_to_do() {
    let folder = Folder::new("refused");
    let failure = open(&folder.0.join("none.sw.json")).unwrap_err();
    assert!(
        failure
            .to_string()
            .ends_with("there is no such file or folder")
    );
    assert_eq!(
        failure.help().unwrap(),
        "check the path; `statewright new` makes a first machine file"
    );
    let failure = open(&folder.put("bad.sw.json", "{")).unwrap_err();
    assert!(
        matches!(&failure, LoadFailure::Machine { compiled, .. } if compiled.diagnostics.has_errors())
    );
    let failure = open(&folder.put("bad.swrom", "nonsense")).unwrap_err();
    assert!(matches!(failure, LoadFailure::Rom { .. }));
    let failure = open(&folder.0).unwrap_err();
    assert_eq!(failure.help().unwrap(), "name a file in it");
}

/// A part is an ordinary text file; the message says what it is instead.
#[test]
fn what_is_no_ordinary_file_is_no_part() {
    let folder = Folder::new("no-part");
    folder.put("latin.sw.json", b"{ \"machine\": \"B\xff\" }");
    fs::create_dir_all(folder.0.join("folder.sw.json")).unwrap();
    let read = |name: &str| Disk.read(&folder.0.join(name).display().to_string());
    assert_eq!(read("latin.sw.json").unwrap_err(), NOT_UTF8);
    assert_eq!(read("folder.sw.json").unwrap_err(), "it is a folder");
    assert_eq!(
        read("none.sw.json").unwrap_err(),
        "there is no such file or folder"
    );
}

/// Reading one would wait until somebody writes into it.
#[cfg(unix)]
#[test]
fn nobody_waits_for_a_pipe() {
    let folder = Folder::new("pipe");
    let pipe = folder.0.join("pipe.sw.json");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo is there").success());
    let error = open(&pipe).expect_err("not a file");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    assert!(error.help().is_some());
    let name = pipe.display().to_string();
    assert!(Disk.read(&name).unwrap_err().contains("it is a pipe"));
}

#[test]
fn other_formats_are_known_by_their_names() {
    let text = b"stateDiagram-v2\n  [*] --> off\n  off --> on : Press\n";
    let loaded = Loaded::from_machine("lamp.mmd", text, &NoFiles).unwrap();
    assert!(
        loaded
            .symbols
            .unwrap()
            .events
            .iter()
            .any(|event| event.name == "Press")
    );
    assert!(Loaded::from_machine("lamp.sw.json", text, &NoFiles).is_err());
}

#[test]
fn a_file_is_whole_or_as_it_was() {
    let folder = Folder::new("write");
    let path = folder.put("old.txt", "old");
    drop(Prepared::new(&path, b"new").unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    write(&path, b"new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    assert!(matches!(
        write(&folder.0, b"x"),
        Err(FileError::Write { .. })
    ));
    assert!(matches!(
        refuse_existing(&path, false),
        Err(FileError::Exists(_))
    ));
    assert!(refuse_existing(&path, true).is_ok());
}
