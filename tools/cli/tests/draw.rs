//! `statewright draw` and `statewright docs`.

use crate::common::{Folder, LAMP, WRONG, samples};

/// A folder with the lamp as file, ROM and sidecar.
fn built() -> Folder {
    let folder = Folder::with_lamp();
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
}

#[test]
fn draw_prints_an_svg_or_writes_a_file() {
    let folder = Folder::with_lamp();
    let printed = folder
        .run(&["draw", "lamp.sw.json"])
        .code(0)
        .prints("<svg ")
        .prints("data-state=\"broken\"");
    assert_eq!(printed.err, "");
    folder.write("pictures/other", "");
    folder
        .run(&["draw", "lamp.sw.json", "-o", "pictures/lamp.svg"])
        .code(0)
        .says("wrote pictures/lamp.svg");
    assert_eq!(
        folder.text("pictures/lamp.svg"),
        printed.out,
        "the same bytes"
    );
    assert_eq!(
        folder.run(&["draw", "lamp.sw.json", "-o", "-"]).code(0).out,
        printed.out
    );
    assert_eq!(
        folder.run_with(&["draw", "-"], LAMP.as_bytes()).code(0).out,
        printed.out
    );
    let quiet = folder
        .run(&["draw", "lamp.sw.json", "-o", "lamp.svg", "-q"])
        .code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn draw_takes_the_format_from_the_name_or_the_option() {
    let folder = Folder::with_lamp();
    for (file, format, start) in [
        ("a.mmd", "mermaid", "stateDiagram-v2"),
        ("a.dot", "dot", "digraph \"Lamp\""),
        ("a.gv", "dot", "digraph \"Lamp\""),
        ("a.puml", "plantuml", "@startuml"),
        ("a.SVG", "svg", "<svg "),
    ] {
        folder.run(&["draw", "lamp.sw.json", "-o", file]).code(0);
        assert!(
            folder.text(file).starts_with(start),
            "{}",
            folder.text(file)
        );
        let asked = folder
            .run(&["draw", "lamp.sw.json", "--format", format])
            .code(0);
        assert_eq!(asked.out, folder.text(file));
    }
    folder
        .run(&["draw", "lamp.sw.json", "-o", "odd.txt", "--format", "dot"])
        .code(0);
    assert!(folder.text("odd.txt").starts_with("digraph"));
    let before = folder.names();
    folder
        .run(&["draw", "lamp.sw.json", "-o", "lamp.png"])
        .code(2)
        .says("`*.png` is no format")
        .says("resvg");
    folder
        .run(&["draw", "lamp.sw.json", "-o", "lamp.xyz"])
        .code(2)
        .says("--format");
    folder
        .run(&["draw", "lamp.sw.json", "-o", "lamp.sw.json"])
        .code(2);
    folder
        .run(&[
            "draw",
            "lamp.sw.json",
            "-o",
            "lamp.sw.json",
            "--format",
            "svg",
        ])
        .code(2)
        .says("its own source");
    folder
        .run(&["draw", "lamp.sw.json", "--format", "dot", "--theme", "dark"])
        .code(2)
        .says("are for SVG");
    folder
        .run(&[
            "draw",
            "lamp.sw.json",
            "--format",
            "dot",
            "--direction=right",
        ])
        .code(2)
        .says("are for SVG");
    folder
        .run(&["draw", "lamp.sw.json", "--direction=left"])
        .code(2)
        .says("right");
    folder
        .run(&["draw", "lamp.sw.json", "--format", "gif"])
        .code(2)
        .says("mermaid");
    folder.run(&["draw"]).code(2).says("<FILE>");
    assert_eq!(folder.names(), before, "nothing was written");
}

#[test]
fn draw_has_themes() {
    let folder = Folder::with_lamp();
    let theme = |name: &str| {
        folder
            .run(&["draw", "lamp.sw.json", "--theme", name])
            .code(0)
            .out
    };
    let (auto, light, dark) = (theme("auto"), theme("light"), theme("dark"));
    assert_eq!(auto, folder.run(&["draw", "lamp.sw.json"]).out);
    assert!(
        auto.contains("prefers-color-scheme")
            && !light.contains("@media")
            && !dark.contains("@media")
    );
    let inside = |svg: &str| svg.split_once("</style>").unwrap().1.to_owned();
    assert_eq!(inside(&light), inside(&dark), "only colors differ");
    assert_ne!(light, dark);
}

#[test]
fn draw_lights_active_states() {
    let folder = Folder::with_lamp();
    let ran = folder
        .run(&["draw", "lamp.sw.json", "--active", "on, broken"])
        .code(0);
    assert_eq!(ran.out.matches(" lit active").count(), 2);
    folder
        .run(&["draw", "lamp.sw.json", "--active", "brokn"])
        .code(2)
        .says("no state named `brokn`")
        .says("`broken`");
    let path = samples()
        .into_iter()
        .find(|path| path.ends_with("soldier.sw.json"))
        .unwrap()
        .display()
        .to_string();
    folder
        .run(&["draw", &path, "--active", "alive.idle.patrol,alive/combat"])
        .code(0)
        .prints("leaf lit active");
    let odd = folder
        .run(&["draw", "lamp.sw.json", "--active", "\u{1b}[31m"])
        .code(2)
        .says("\\u{1b}[31m");
    assert!(!odd.err.contains('\u{1b}'), "{:?}", odd.err);
}

#[test]
fn draw_and_docs_take_roms_with_names() {
    let folder = built();
    for command in ["draw", "docs"] {
        folder
            .run(&[command, "lamp.swrom"])
            .code(0)
            .prints("data-state=\"on\"");
    }
    let from_file = folder.run(&["draw", "lamp.sw.json"]).out;
    assert_eq!(folder.run(&["draw", "lamp.swrom"]).out, from_file);
    std::fs::remove_file(folder.path.join("lamp.swdbg")).unwrap();
    for command in ["draw", "docs"] {
        let ran = folder
            .run(&[command, "lamp.swrom"])
            .code(2)
            .says("has no names to draw")
            .says("swdbg");
        assert_eq!(ran.out, "");
    }
}

#[test]
fn names_of_a_sidecar_cannot_do_harm() {
    let folder = built();
    let hostile = "<script>alert(1)</script>\\u001b[31m\\n\\\"";
    let sidecar = folder
        .text("lamp.swdbg")
        .replace("\"broken\"", &format!("\"{hostile}\""));
    assert!(sidecar.contains("alert"));
    folder.write("lamp.swdbg", sidecar);
    for args in [
        vec!["draw", "lamp.swrom"],
        vec!["draw", "lamp.swrom", "--format", "mermaid"],
        vec!["draw", "lamp.swrom", "--format", "dot"],
        vec!["draw", "lamp.swrom", "--format", "plantuml"],
        vec!["docs", "lamp.swrom"],
        vec!["draw", "lamp.swrom", "--active", "nobody"],
    ] {
        let ran = folder.run(&args);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(!all.contains('\u{1b}'), "{args:?}: {all:?}");
        let is_markup = args[0] == "docs" || args.len() == 2;
        assert!(!is_markup || !all.contains("<script"), "{args:?}");
        assert!(
            ran.code == 0 || args.contains(&"nobody"),
            "{args:?}: {}",
            ran.err
        );
    }
}

#[test]
fn what_cannot_be_drawn_writes_nothing() {
    let folder = built();
    folder.write("wrong.sw.json", WRONG);
    folder.write("cut.swrom", &folder.read("lamp.swrom")[..70]);
    let before = folder.names();
    for command in ["draw", "docs"] {
        let file = if command == "draw" { "x.svg" } else { "x.html" };
        folder
            .run(&[command, "wrong.sw.json", "-o", file])
            .code(1)
            .says("error[SW0101]")
            .says("does not compile");
        folder
            .run(&[command, "cut.swrom", "-o", file])
            .code(1)
            .says("cannot be used: header: ");
        folder
            .run(&[command, "none.sw.json", "-o", file])
            .code(2)
            .says("no such file");
        folder
            .run(&[command, ".", "-o", file])
            .code(2)
            .says("it is a folder");
        folder
            .run(&[command, "lamp.sw.json", "-o", "lamp.sw.json/x.svg"])
            .code(2);
    }
    assert_eq!(folder.names(), before);
}

#[test]
fn docs_writes_one_page() {
    let folder = Folder::with_lamp();
    folder
        .run(&["docs", "lamp.sw.json", "-o", "lamp.html"])
        .code(0)
        .says("wrote lamp.html");
    let page = folder.text("lamp.html");
    for part in [
        "<h1>Lamp</h1>",
        "<svg ",
        ">States<",
        ">Events<",
        ">Transitions<",
        ">Blackboard<",
        ">Budgets and tier<",
        ">Warnings<",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(folder.run(&["docs", "lamp.sw.json"]).code(0).out, page);
    folder
        .run(&["docs", "lamp.sw.json", "-o", "lamp.pdf"])
        .code(2)
        .says("call it `*.html`");
    folder
        .run(&["docs", "lamp.sw.json", "--active", "onn"])
        .code(2)
        .says("--active");
}

#[test]
fn docs_shows_warnings_and_still_ends_well() {
    let folder = Folder::with_lamp();
    folder.write(
        "warned.sw.json",
        LAMP.replace("\"Break\": {} }", "\"Break\": {}, \"Never\": {} }"),
    );
    folder
        .run(&["docs", "warned.sw.json"])
        .code(0)
        .prints("<td>SW")
        .prints("Never");
}

#[test]
fn every_sample_can_be_drawn_in_every_way() {
    let folder = Folder::new();
    for sample in samples() {
        let path = sample.display().to_string();
        for format in ["svg", "mermaid", "dot", "plantuml"] {
            assert!(
                folder
                    .run(&["draw", &path, "--format", format])
                    .code(0)
                    .out
                    .len()
                    > 200
            );
        }
        folder.run(&["docs", &path]).code(0).prints("</html>");
    }
}

#[test]
fn the_direction_can_be_chosen() {
    let folder = Folder::with_lamp();
    let drawn = |direction: &str| {
        let option = format!("--direction={direction}");
        folder.run(&["draw", "lamp.sw.json", &option]).code(0).out
    };
    let (down, right) = (drawn("down"), drawn("right"));
    assert_ne!(down, right);
    assert!([&down, &right].contains(&&drawn("auto")));
    assert_eq!(
        drawn("auto"),
        folder.run(&["draw", "lamp.sw.json"]).code(0).out
    );
}
