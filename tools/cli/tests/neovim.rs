//! A session in Neovim, by its own LSP client: `cargo xtask test editor` runs this where Neovim is
//! installed and says so where it is not.

use std::path::Path;
use std::process::Command;

const GUARD: &str = r#"{
  "machine": "Guard",
  "initial": "patrol",
  "events": ["Calm"],
  "states": {
    "patrol": {
      "transitions": [{ "after": "2s", "to": "fight" }]
    },
    "fight": {
      "doc": "Until nobody is left.",
      "transitions": [{ "on": "Clam", "to": "patrol" }]
    }
  }
}
"#;

/// The session is recorded in the repository. Its first line has the version of the editor, which may
/// be another one.
#[track_caller]
fn compare(said: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/neovim/session.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, said).unwrap();
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let rest = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(rest(said), rest(&recorded), "see {}", path.display());
    assert!(said.contains("-- written without problems"));
}

#[test]
fn neovim_fixes_completes_and_renames() {
    let folder = std::env::temp_dir().join(format!("statewright-neovim-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("guard.sw.json");
    std::fs::write(&file, GUARD).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/neovim/session.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n"])
        .arg(&file)
        .arg("-c")
        .arg(format!("luafile {}", script.display()))
        .env("STATEWRIGHT", env!("CARGO_BIN_EXE_statewright"))
        .current_dir(&folder)
        .output()
        .expect("nvim runs");
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}", output.status);
    compare(&said);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains(r#""to": "brawl" }"#), "{written}");
    assert!(
        written.contains("\"brawl\": {\n      \"id\": \""),
        "{written}"
    );
    assert!(
        written.contains(r#"{ "on": "Calm", "to": "patrol", "priority": 2 }"#),
        "{written}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}
