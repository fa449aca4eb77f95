//! Mermaid state diagrams: what they become, and how that runs.

use crate::common::{arrows, deeds, outline, quiet, runs, said};
use statewright_import::mermaid::read;

fn text(body: &str) -> String {
    format!("stateDiagram-v2\n{body}\n")
}

#[test]
fn a_door_runs() {
    let text = text(
        "[*] --> Closed\nClosed --> Open : push\nOpen --> Closed : push\nClosed --> [*] : remove",
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
fn labels_have_events_guards_and_actions() {
    let text = text(
        "[*] --> a\na --> b : go [ready && !tired] / Jump; Shout(3)\nb --> a : after 2s\na --> a : x, y / Beep",
    );
    assert_eq!(
        arrows(&quiet(read, &text)),
        [
            "/a: go [ready && !tired] -> b",
            "/a: x -> a",
            "/a: y -> a",
            "/b: after 2s -> a",
        ]
    );
    let happened = runs(
        read,
        &text,
        &[
            ("guard tired false", &["a"]),
            ("send go", &["b"]),
            ("after 2000", &["a"]),
            ("send y", &["a"]),
        ],
    );
    assert_eq!(deeds(&happened), ["Jump", "Shout(3)", "Beep"]);
}

#[test]
fn boxes_nest() {
    let text = text(
        "[*] --> A\nstate A {\n  [*] --> B\n  state B {\n    [*] --> C\n    C --> D : next\n  }\n  B --> E : leave\n}\nA --> F : out\nE --> F : up",
    );
    assert_eq!(outline(&quiet(read, &text).root), "(A(B(C D) E) F)");
    runs(
        read,
        &text,
        &[
            ("", &["A/B/C"]),
            ("send next", &["A/B/D"]),
            ("send leave", &["A/E"]),
            ("send up", &["F"]),
        ],
    );
}

#[test]
fn lines_separate_regions() {
    let text = text(
        "[*] --> Active\nstate Active {\n  [*] --> NumOff\n  NumOff --> NumOn : num\n  --\n  [*] --> CapsOff\n  CapsOff --> CapsOn : caps\n}",
    );
    assert_eq!(
        outline(&quiet(read, &text).root),
        "(Active{NumOff NumOn|CapsOff CapsOn})"
    );
    runs(
        read,
        &text,
        &[
            ("", &["Active/NumOff", "Active/CapsOff"]),
            ("send caps", &["Active/NumOff", "Active/CapsOn"]),
        ],
    );
}

#[test]
fn choices_choose() {
    let text = text(
        "state pick <<choice>>\n[*] --> idle\nidle --> pick : go\npick --> right\npick --> left : [isLeft]",
    );
    let machine = quiet(read, &text);
    assert_eq!(outline(&machine.root), "(pick? idle right left)");
    runs(
        read,
        &text,
        &[("guard isLeft false", &["idle"]), ("send go", &["right"])],
    );
    runs(read, &text, &[("", &["idle"]), ("send go", &["left"])]);
}

#[test]
fn aliases_give_names_and_text_gives_documentation() {
    let text = text(
        "state \"Long name\" as s1\n[*] --> s1\ns1 : waits for the bus\ns1 : and reads\ns1 --> s2 : go\nstate s2",
    );
    let machine = quiet(read, &text);
    assert_eq!(outline(&machine.root), "(Long name s2)");
    assert_eq!(
        machine.root.regions[0].states[0].doc.as_deref(),
        Some("waits for the bus\nand reads")
    );
    runs(read, &text, &[("", &["Long name"]), ("send go", &["s2"])]);
}

#[test]
fn lines_in_boxes_can_be_actions() {
    let text = text(
        "[*] --> a\na : entry / Hello; Wave\na : exit / Bye\na : do / Wait\na : poke / Ouch\na --> b : done",
    );
    let happened = runs(
        read,
        &text,
        &[
            ("", &["a"]),
            ("send poke", &["a"]),
            ("activity Wait succeeded", &["a"]),
            ("tick", &["a"]),
            ("tick", &["b"]),
        ],
    );
    assert_eq!(deeds(&happened), ["Hello", "Wave", "Ouch", "Bye"]);
}

#[test]
fn history_marks_are_history_points() {
    let text = text(
        "[*] --> on\nstate on {\n  [*] --> x\n  x --> y : next\n}\non --> off : stop\noff --> on[H] : start\noff --> on[H*] : deep",
    );
    assert_eq!(outline(&quiet(read, &text).root), "(on+H+H*(x y) off)");
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
fn arrows_without_words_are_taken_on_completion() {
    let text = text(
        "[*] --> work\nstate work {\n  [*] --> a\n  a --> [*] : finish\n}\nwork --> rest\nrest --> sleep",
    );
    assert_eq!(
        arrows(&quiet(read, &text)),
        [
            "/work: done -> rest",
            "/work/a: finish -> /work/end",
            "/rest: always -> sleep"
        ]
    );
    runs(
        read,
        &text,
        &[("", &["work/a"]), ("send finish", &["sleep"])],
    );
}

#[test]
fn a_plain_arrow_to_the_end_makes_a_state_final() {
    let text = text(
        "[*] --> work\nstate work {\n  [*] --> a\n  a --> b : go\n  b --> [*]\n}\nwork --> rest",
    );
    assert_eq!(outline(&quiet(read, &text).root), "(work(a b!) rest)");
    runs(read, &text, &[("send go", &["rest"])]);
}

#[test]
fn looks_and_comments_do_not_matter() {
    let text = "---\ntitle: Door\n---\n%% a comment\nstateDiagram-v2\ndirection LR\n[*] --> a:::red\nclassDef red fill:#f00\nclass a red\na --> b : go#58; now\nstyle b fill:#00f\n";
    let machine = quiet(read, text);
    assert_eq!(
        (
            machine.name.value.as_str(),
            machine.events[0].name.value.as_str()
        ),
        ("Door", "go: now")
    );
}

#[test]
fn a_state_lies_where_it_is_declared() {
    let text =
        text("[*] --> A\nA --> C : in\nstate B {\n  [*] --> C\n  C --> D : on\n}\nD --> A : out");
    assert_eq!(outline(&quiet(read, &text).root), "(A B(C D))");
    runs(
        read,
        &text,
        &[
            ("send in", &["B/C"]),
            ("send on", &["B/D"]),
            ("send out", &["A"]),
        ],
    );
}

#[test]
fn words_of_people_become_names_of_functions_with_a_warning() {
    let text = text(
        "[*] --> a\na --> b : login [password is valid] / greet the user\nnote right of a : hi",
    );
    let found = said(read, &text);
    assert_eq!(
        found,
        [
            "SW0805 `password is valid` is no code: it is read as the guard function `password_is_valid`",
            "SW0805 `greet the user` is no code: it is read as the action function `greet_the_user`",
            "SW0805 notes are left out",
        ]
    );
    let happened = runs(read, &text, &[("send login", &["b"])]);
    assert_eq!(deeds(&happened), ["greet_the_user"]);
}

#[test]
fn what_cannot_be_read_or_mapped_is_named_at_once() {
    let text = text(
        "[*] --> a\na -> b\nstate f <<fork>>\nx y z\na --> \nstate \"open\n}\n[*] --> c\nstate pick <<choice>>\npick --> a : event\nc --> pick",
    );
    let found = said(read, &text);
    let codes: Vec<&str> = found.iter().map(|line| &line[..6]).collect();
    assert_eq!(
        codes,
        [
            "SW0801", "SW0802", "SW0801", "SW0801", "SW0801", "SW0801", "SW0803", "SW0802"
        ],
        "{found:#?}"
    );
}
