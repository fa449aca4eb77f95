//! PlantUML state diagrams: what they become, and how that runs.

use crate::common::{arrows, deeds, outline, quiet, runs, said};
use statewright_import::plantuml::read;

fn text(body: &str) -> String {
    format!("@startuml\n{body}\n@enduml\n")
}

#[test]
fn a_door_runs() {
    let text = text(
        "[*] --> Closed\nClosed -> Open : push\nOpen --> Closed : push\nClosed --> [*] : remove",
    );
    runs(
        read,
        &text,
        &[
            ("", &["Closed"]),
            ("send push", &["Open"]),
            ("send push", &["Closed"]),
            ("send remove", &["end"]),
        ],
    );
}

#[test]
fn arrows_have_many_forms() {
    let text = text(
        "[*] -down-> a\na -[#red,bold]-> b : 1\nb -left[hidden]-> c : 2\nd <-- c : 3\na<-up-d : 4\na ---> \"b\" : 5",
    );
    assert_eq!(
        arrows(&quiet(read, &text)),
        [
            "/a: 1 -> b",
            "/a: 5 -> b",
            "/b: 2 -> c",
            "/c: 3 -> d",
            "/d: 4 -> a"
        ]
    );
}

#[test]
fn boxes_nest_and_have_colors() {
    let text = text(
        "[*] --> A\nstate A #pink {\n  [*] --> B\n  state \"Deep\" as B #line.dashed {\n    [*] --> C\n    C --> D : next\n  }\n}\nA --> E : out",
    );
    assert_eq!(outline(&quiet(read, &text).root), "(A(Deep(C D)) E)");
    runs(
        read,
        &text,
        &[
            ("", &["A/Deep/C"]),
            ("send next", &["A/Deep/D"]),
            ("send out", &["E"]),
        ],
    );
}

#[test]
fn both_lines_separate_regions() {
    for line in ["--", "||"] {
        let text = text(&format!(
            "[*] --> P\nstate P {{\n  [*] --> a\n  a --> b : x\n  {line}\n  [*] --> c\n  c --> d : y\n}}"
        ));
        assert_eq!(outline(&quiet(read, &text).root), "(P{a b|c d})");
        runs(
            read,
            &text,
            &[("send y", &["P/a", "P/d"]), ("send x", &["P/b", "P/d"])],
        );
    }
}

#[test]
fn choices_history_and_ends_have_marks() {
    let text = text(
        "state pick <<choice>>\nstate over <<end>>\n[*] --> on\nstate on {\n  state last <<history>>\n  [*] --> x\n  x --> y : next\n}\non --> pick : go\npick --> over : [finished]\npick --> last : [else]",
    );
    let machine = quiet(read, &text);
    assert_eq!(outline(&machine.root), "(pick? over! on+H(x y))");
    runs(
        read,
        &text,
        &[
            ("guard finished false", &["on/x"]),
            ("send next", &["on/y"]),
            ("send go", &["on/y"]),
        ],
    );
    runs(read, &text, &[("send go", &["over"])]);
}

#[test]
fn history_marks_on_arrows() {
    let text = text(
        "[*] --> on\nstate on {\n  [*] --> x\n  x --> y : next\n}\non --> off : stop\noff --> on[H*] : start\non[H*] --> y",
    );
    let machine = quiet(read, &text);
    assert_eq!(outline(&machine.root), "(on+H*(x y) off)");
    assert_eq!(
        machine.root.regions[0].states[0].history[0].default[0].value,
        "y"
    );
    runs(
        read,
        &text,
        &[
            ("send next", &["on/y"]),
            ("send stop", &["off"]),
            ("send start", &["on/y"]),
        ],
    );
}

#[test]
fn lines_in_boxes_can_be_actions() {
    let text = text(
        "[*] --> a\nstate a : entry / Hello\na : exit: Bye\na : poke [soft] / Giggle\na --> b : go / count += 1; raise Done\nb --> c : Done",
    );
    let (machine, problems) = read("t", &text);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(
        arrows(&machine),
        ["/a: go -> b", "/a: poke [soft] -> ", "/b: Done -> c"]
    );
    assert_eq!(
        (
            machine.root.regions[0].states[0].entry.len(),
            machine.root.regions[0].states[0].exit.len()
        ),
        (1, 1)
    );
}

#[test]
fn effects_of_the_start_run() {
    let text = text("[*] --> a : / Boot\na --> b : go / Leave");
    let happened = runs(read, &text, &[("", &["a"]), ("send go", &["b"])]);
    assert_eq!(deeds(&happened), ["Boot", "Leave"]);
}

#[test]
fn the_box_around_everything_is_the_machine() {
    let text = text(
        "title My machine\nstate \"M\" as m {\n  [*] --> a\n  a --> b : go\n}\nm --> a : reset",
    );
    let machine = quiet(read, &text);
    assert_eq!(
        (machine.name.value.as_str(), outline(&machine.root).as_str()),
        ("My machine", "(a b)")
    );
    runs(read, &text, &[("send go", &["b"]), ("send reset", &["a"])]);
}

#[test]
fn a_single_region_without_a_start_begins_with_its_only_state() {
    let text = text("[*] --> A\nstate A {\n  state only\n}");
    runs(read, &text, &[("", &["A/only"])]);
}

#[test]
fn looks_and_comments_do_not_matter() {
    let text = "' first\n/' block\n comment '/\n@startuml Door\nskinparam state {\n  BackgroundColor red\n}\nhide empty description\nscale 350 width\nleft to right direction\n!theme plain\n<style>\n a { }\n</style>\n[*] --> a\na --> b : x<U+003A>y\n@enduml\n";
    let machine = quiet(read, text);
    assert_eq!(
        (
            machine.name.value.as_str(),
            machine.events[0].name.value.as_str()
        ),
        ("Door", "x:y")
    );
}

#[test]
fn notes_and_stereotypes_are_named_and_left_out() {
    let text = text(
        "[*] --> a\nstate a <<busy>>\nnote left of a\n two lines\nend note\nnote \"floating\" as N\nN .. a\na --> b : go",
    );
    let found = said(read, &text);
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|line| line.starts_with("SW0805")));
    runs(read, &text, &[("send go", &["b"])]);
}

#[test]
fn what_cannot_be_read_or_mapped_is_named_at_once() {
    let text = "@startuml\nstate f <<fork>>\nstate e <<entryPoint>>\n!include x.puml\nwhat is this\n[*] --> a\n[*] --> b\nstate c {\n  state d\n  state g\n}\n[*] --> [*]\n";
    let found = said(read, text);
    let codes: Vec<&str> = found.iter().map(|line| &line[..6]).collect();
    assert_eq!(
        codes,
        [
            "SW0802", "SW0802", "SW0802", "SW0801", "SW0803", "SW0802", "SW0803", "SW0801"
        ],
        "{found:#?}"
    );
}
