//! `statewright build`.

use crate::common::{Folder, LAMP, WRONG};

#[test]
fn a_rom_and_its_sidecar_lie_beside_the_source() {
    let folder = Folder::with_lamp();
    let ran = folder.run(&["build", "lamp.sw.json"]).code(0);
    ran.prints("machine Lamp: tier crowd")
        .says("wrote lamp.swrom and lamp.swdbg")
        .says("built 1 file: no problems");
    assert_eq!(folder.names(), ["lamp.sw.json", "lamp.swdbg", "lamp.swrom"]);
    assert!(folder.read("lamp.swrom").starts_with(b"SWRM"));
    let ran = folder.run(&["build", "lamp.sw.json", "--quiet"]).code(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", ""));
}

#[test]
fn the_same_bytes_from_anywhere() {
    let folder = Folder::with_lamp();
    folder.write("sub/lamp.sw.json", LAMP);
    folder.run(&["build", ".", "-q"]).code(0);
    assert_eq!(folder.read("lamp.swrom"), folder.read("sub/lamp.swrom"));
    assert_eq!(folder.read("lamp.swdbg"), folder.read("sub/lamp.swdbg"));
    let piped = folder
        .run_with(&["build", "-", "-o", "-", "-q"], LAMP.as_bytes())
        .code(0);
    assert_eq!(piped.bytes, folder.read("lamp.swrom"));
}

#[test]
fn output_can_go_elsewhere() {
    let folder = Folder::with_lamp();
    folder.write("sub/deep/b.sw.json", LAMP);
    folder.write("out/other", "");
    folder
        .run(&["build", "lamp.sw.json", "-o", "out/x.swrom", "-q"])
        .code(0);
    assert!(folder.has("out/x.swrom") && folder.has("out/x.swdbg"));
    folder
        .run(&[
            "build",
            "lamp.sw.json",
            "sub",
            "--out-dir",
            "all",
            "--no-debug",
            "-q",
        ])
        .code(0);
    assert!(folder.has("all/lamp.swrom") && folder.has("all/deep/b.swrom"));
    assert!(!folder.has("all/lamp.swdbg") && !folder.has("lamp.swrom"));
    folder
        .run_with(&["build", "-", "-o", "y.swrom", "-q"], LAMP.as_bytes())
        .code(0);
    assert!(folder.has("y.swrom") && folder.has("y.swdbg"));
}

#[test]
fn a_folder_is_made_only_where_one_is_named() {
    let folder = Folder::with_lamp();
    for (arguments, file) in [
        (&["build", "lamp.sw.json", "-o"][..], "no/x.swrom"),
        (&["draw", "lamp.sw.json", "-o"], "no/x.svg"),
        (
            &["run", "lamp.sw.json", "--ticks", "2", "--trace"],
            "no/x.swtrace",
        ),
        (&["new", "-o"], "no/x.sw.json"),
    ] {
        let arguments = [arguments, &[file]].concat();
        let ran = folder.run(&arguments).code(2);
        ran.says(&format!("cannot write `{file}`: there is no folder `no`"))
            .says("make the folder first: `mkdir -p no`");
        assert!(!folder.has("no"), "{arguments:?}");
    }
    folder.run(&["man", "pages/of/it"]).code(0);
    assert!(folder.has("pages/of/it/statewright.1"));
}

#[test]
fn a_failed_build_leaves_the_old_files() {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    let (rom, sidecar) = (folder.read("lamp.swrom"), folder.read("lamp.swdbg"));
    folder.write("lamp.sw.json", WRONG);
    folder
        .run(&["build", "lamp.sw.json"])
        .code(1)
        .says("error[SW0101]")
        .says("built 0 of 1 file");
    assert_eq!(
        (folder.read("lamp.swrom"), folder.read("lamp.swdbg")),
        (rom.clone(), sidecar)
    );
    // A sidecar that cannot be written keeps the new ROM back, too.
    folder.write("lamp.sw.json", LAMP.replace("2s", "3s"));
    std::fs::remove_file(folder.path.join("lamp.swdbg")).unwrap();
    folder.write("lamp.swdbg/in_the_way", "");
    folder
        .run(&["build", "lamp.sw.json"])
        .code(2)
        .says("cannot write `lamp.swdbg`: it is a folder");
    assert_eq!(folder.read("lamp.swrom"), rom);
    assert_eq!(
        folder.names(),
        ["lamp.sw.json", "lamp.swdbg", "lamp.swrom"],
        "no temporary files"
    );
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let folder = Folder::with_lamp();
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["build", "."])
        .code(1)
        .says("built 1 of 2 files: 1 error");
    assert!(folder.has("lamp.swrom") && !folder.has("wrong.swrom"));
    folder
        .run(&["build", "lamp.sw.json", "none.sw.json"])
        .code(2)
        .says("none.sw.json");
}

#[test]
fn places_that_cannot_be() {
    let folder = Folder::with_lamp();
    folder.write("sub/lamp.sw.json", LAMP);
    folder
        .run_with(&["build", "-"], LAMP.as_bytes())
        .code(2)
        .says("add `-o FILE`");
    folder
        .run(&["build", ".", "-o", "x.swrom"])
        .code(2)
        .says("2 machines cannot all be written to `x.swrom`");
    let ran = folder
        .run(&[
            "build",
            "lamp.sw.json",
            "sub/lamp.sw.json",
            "--out-dir",
            "out",
        ])
        .code(2);
    ran.says("would both be written to `out/lamp.swrom`");
    folder
        .run(&["build", "lamp.sw.json", "-o", "sub"])
        .code(2)
        .says("cannot write `sub`: it is a folder");
    folder
        .run(&["build", "lamp.sw.json", "-o", "x.swdbg"])
        .code(2)
        .says("name of a sidecar");
    folder
        .run(&["build", "lamp.sw.json", "-o", "lamp.sw.json/x.swrom"])
        .code(2)
        .says("cannot write");
    let ran = folder
        .run(&[
            "build",
            "lamp.sw.json",
            "-o",
            "-",
            "--message-format",
            "json",
        ])
        .code(2);
    ran.says("cannot take both");
    assert_eq!(folder.names(), ["lamp.sw.json", "sub"]);
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run(&["build", "lamp.swrom"])
        .code(2)
        .says("is a ROM, not a machine file");
}

#[test]
fn json_says_what_was_written() {
    let folder = Folder::with_lamp();
    let json = folder
        .run(&["build", "lamp.sw.json", "--message-format", "json"])
        .code(0)
        .json();
    let file = &json["files"][0];
    assert_eq!(
        file["written"],
        serde_json::json!(["lamp.swrom", "lamp.swdbg"])
    );
    assert_eq!(
        (&file["ok"], &file["report"]["machine"]),
        (&true.into(), &"Lamp".into())
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::with_lamp();
    folder.write("store/lamp.swrom", "old");
    let stored = folder.path.join("store/lamp.swrom");
    std::fs::set_permissions(&stored, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink("store/lamp.swrom", folder.path.join("lamp.swrom")).unwrap();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    assert!(
        std::fs::symlink_metadata(folder.path.join("lamp.swrom"))
            .unwrap()
            .is_symlink()
    );
    assert!(folder.read("store/lamp.swrom").starts_with(b"SWRM"));
    assert_eq!(
        std::fs::metadata(stored).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn a_source_is_never_replaced() {
    let folder = Folder::with_lamp();
    let source = folder.read("lamp.sw.json");
    folder
        .run(&["build", "lamp.sw.json", "-o", "lamp.sw.json", "-q"])
        .code(2)
        .says("is the name of a source");
    folder.write("plain", LAMP);
    folder
        .run(&["build", "plain", "-o", "./plain", "-q"])
        .code(2)
        .says("would replace its own source");
    assert_eq!(folder.read("lamp.sw.json"), source);
    assert_eq!(folder.read("plain"), LAMP.as_bytes());
}
