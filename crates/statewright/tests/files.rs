//! Machines and their parts on disk.

use statewright::Machine;

/// A device, like a pipe, is no file: reading it may never end.
#[cfg(unix)]
#[test]
fn lang_5_a_part_must_be_an_ordinary_file() {
    let folder = std::env::temp_dir().join(format!("statewright-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let machine = folder.join("guard.sw.json");
    let text = r#"{ "machine": "Guard", "states": { "nap": { "use": "nap.sw.json" } } }"#;
    std::fs::write(&machine, text).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.join("nap.sw.json")).unwrap();
    let refused = Machine::from_file(&machine).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    let words = "cannot be read: it is a pipe or a device, not a file";
    assert!(refused.contains(words), "{refused}");
}
