//! SAVE-3: a file is old or whole, never half.

use std::fs;
use std::path::PathBuf;

use statewright_save::{Save, read_file, write_file};

use super::patches::{KEYS, guard, guards, save};

fn folder(name: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("statewright-save-{name}-{}", std::process::id()));
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn save_3_a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
    let folder = folder("whole");
    let path = folder.join("one.swsave");
    let bytes = save(&guards(&guard("2s", "doze", KEYS)).0);
    for content in [&b"old"[..], &bytes] {
        write_file(&path, content).unwrap();
        assert_eq!(read_file(&path).unwrap(), content);
    }
    assert!(Save::read(&read_file(&path).unwrap()).is_ok());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn save_3_a_file_that_cannot_be_written_leaves_the_old_one() {
    let folder = folder("refused");
    let path = folder.join("missing").join("one.swsave");
    assert!(write_file(&path, b"new").is_err());
    let taken = folder.join("taken");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("inside"), b"old").unwrap();
    assert!(write_file(&taken, b"new").is_err());
    assert_eq!(fs::read(taken.join("inside")).unwrap(), b"old");
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        1,
        "nothing is left beside it"
    );
    fs::remove_dir_all(folder).unwrap();
}

/// Threads that save into one file do not disturb each other.
#[test]
fn save_3_who_saves_at_once_leaves_one_whole_file() {
    let folder = folder("threads");
    let path = folder.join("one.swsave");
    std::thread::scope(|scope| {
        for number in 0..4_u8 {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..10 {
                    write_file(path, &vec![number; 100_000]).unwrap();
                }
            });
        }
    });
    let found = read_file(&path).unwrap();
    assert_eq!(found.len(), 100_000);
    assert!(found.iter().all(|byte| *byte == found[0]));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}
