//! Whatever the bytes are, reading ends soon, without a panic and with a report.

use std::time::{Duration, Instant};

use crate::common::{Read, Rng};
use statewright_compile::{Options, compile_with};
use statewright_import::{mermaid, plantuml, read_bytes, xstate};

const FORMATS: [(&str, Read); 3] = [
    ("xstate", xstate::read),
    ("mermaid", mermaid::read),
    ("plantuml", plantuml::read),
];

const XSTATE: &str = r##"{ "id": "m", "initial": "a", "context": { "n": 1 }, "states": {
    "a": { "entry": ["x", { "type": "y", "params": { "p": 1 } }], "on": { "E": ".b", "F.*": [{ "target": "#c", "guard": "g" }], "*": "a" },
        "initial": "b", "states": { "b": {}, "h": { "type": "history", "history": "deep", "target": "b" } } },
    "c": { "id": "c", "type": "parallel", "onDone": "a", "after": { "100": "a" }, "states": { "l": { "type": "final" }, "r": {} } } } }"##;
const MERMAID: &str = "stateDiagram-v2\n%% c\n[*] --> a\nstate \"A b\" as a {\n  [*] --> x\n  x --> y : e [g] / f; h\n  --\n  [*] --> z\n}\n\
    a : entry / q\nstate p <<choice>>\na --> p : go#58;\np --> b : [k]\np --> a[H*]\nb --> [*]\nnote right of a\n hi\nend note\n";
const PLANTUML: &str = "@startuml\ntitle T\n[*] -down-> a\nstate \"A b\" as a #red {\n  [*] --> x\n  x -[bold]-> y : e [g] / f; h\n  ||\n  [*] --> z\n}\n\
    a : entry / q\nstate p <<choice>>\na --> p : go<U+003A>\np --> b : [k]\np --> a[H*]\nb --> [*]\nnote right of a : hi\n@enduml\n";

/// Reads with every format and compiles what comes out; the longest time of one.
fn survive(bytes: &[u8]) -> Duration {
    let mut longest = Duration::ZERO;
    for (_, read) in FORMATS {
        let start = Instant::now();
        let (machine, problems) = read_bytes("bad", bytes, read);
        longest = longest.max(start.elapsed());
        let rendered =
            statewright_author::render::render_text(&problems, &machine.source, Default::default());
        assert_eq!(rendered.is_empty(), problems.is_empty());
    }
    longest
}

#[test]
fn cut_and_flipped_files_are_survived() {
    let mut rng = Rng(7);
    for ((_, read), sample) in FORMATS.iter().zip([XSTATE, MERMAID, PLANTUML]) {
        assert!(
            !read("good", sample).1.has_errors(),
            "{:?}",
            read("good", sample).1
        );
        for end in 0..=sample.len() {
            survive(&sample.as_bytes()[..end]);
        }
        for _ in 0..4000 {
            let mut bytes = sample.as_bytes().to_vec();
            for _ in 0..1 + rng.below(4) {
                let at = rng.below(bytes.len());
                match rng.below(4) {
                    0 => bytes[at] = rng.below(256) as u8,
                    1 => drop(bytes.remove(at)),
                    2 => bytes.insert(at, b"{}[]<>:-*#\"\n/;.|"[rng.below(16)]),
                    _ => {
                        let from = rng.below(bytes.len());
                        let piece: Vec<u8> = bytes[from.min(at)..from.max(at)]
                            .iter()
                            .copied()
                            .take(40)
                            .collect();
                        bytes.splice(at..at, piece);
                    }
                }
            }
            let (machine, problems) = read_bytes("bad", &bytes, read);
            let (output, problems) = compile_with(
                &machine,
                problems,
                &Options {
                    strict: false,
                    dev: true,
                },
            );
            assert_eq!(output.is_none(), problems.has_errors());
            assert!(
                problems
                    .iter()
                    .all(|problem| problem.code.info().id != "SW0901"),
                "{problems:?}"
            );
        }
    }
}

/// Longest time of one file here. Built for release each takes far less than two seconds; this is
/// for a build without optimization on a machine with other work, and work that grows with the
/// square of the size takes longer still.
const SOON: Duration = Duration::from_secs(20);

/// A megabyte of something: an answer soon, and nonsense is never silently accepted.
#[test]
fn large_and_hostile_files_end_soon() {
    let many =
        |unit: &dyn Fn(usize) -> String, count: usize| (0..count).map(unit).collect::<String>();
    let mermaid = |body: String| format!("stateDiagram-v2\n[*] --> s0\n{body}");
    let plantuml = |body: String| format!("@startuml\n[*] --> s0\n{body}");
    let files = [
        "[".repeat(1 << 20),
        "{\"a\":".repeat(1 << 18),
        "\"".repeat(1 << 20),
        "\u{7}\u{0}\u{1b}".repeat(1 << 18),
        mermaid("state a {\n".repeat(100_000)),
        plantuml("state a {\n".repeat(100_000)),
        mermaid(many(&|n| format!("state s{n} {{\n"), 60_000)),
        mermaid(many(&|n| format!("s{n} --> s{}\n", n + 1), 20_000)),
        mermaid(many(&|n| format!("s{n}\n--\n"), 40_000)),
        mermaid(many(
            &|n| format!("state s{n} {{\na{n} --> [*] : e\n}}\n"),
            15_000,
        )),
        mermaid(many(&|n| format!("s{n} --> nowhere[H] : [\n"), 40_000)),
        plantuml(many(
            &|n| format!("state \"x\" as s{n} <<history>>\n"),
            30_000,
        )),
        plantuml("-".repeat(1 << 20)),
        plantuml("-[".repeat(1 << 19)),
        plantuml("<-".repeat(1 << 19)),
        plantuml("s0 : ".to_owned() + &"'\"[(/;".repeat(1 << 17)),
        format!(
            "{{\"states\":{{{}}}}}",
            many(
                &|n| format!("\"s{n}\":{{\"on\":{{\"e{n}\":\"x{n}\"}}}},"),
                25_000
            )
        ),
        format!(
            "{{\"type\":\"parallel\",\"on\":{{\"a\":\".s0\"}},\"states\":{{{}}}}}",
            many(&|n| format!("\"s{n}\":{{}},"), 80_000)
        ),
        format!(
            "{{\"on\":{{{}}}}}",
            many(&|n| format!("\"a.b{n}.*\":\"x\",\"a.b{n}\":\"x\","), 30_000)
        ),
        format!(
            "{{\"states\":{{\"a\":{{\"on\":{{\"a.*\":\"b\",{}}}}},\"b\":{{}}}}}}",
            many(&|n| format!("\"a.b{n}\":\"b\","), 60_000)
        ),
        format!("{{{}}}", many(&|_| "\"states\":{},".to_owned(), 90_000)),
        format!(
            "{{\"states\":{{{}}}}}",
            many(&|_| "\"s\":{},".to_owned(), 100_000)
        ),
    ];
    for (number, file) in files.iter().enumerate() {
        let time = survive(file.as_bytes());
        assert!(time < SOON, "file {number} took {time:?}");
        // A chain of states, many regions and many boxes are right, if large: the compiler judges
        // them.
        let right = ["s19999 --> s20000", "s39999\n--", "a14999 --> [*]"];
        let is_right = right.iter().any(|part| file.contains(part));
        for (_, read) in FORMATS {
            assert!(
                is_right || !read("bad", file).1.is_empty(),
                "file {number} gives no word"
            );
        }
    }
}

#[test]
fn empty_and_foreign_files_have_clear_errors() {
    for (format, read) in FORMATS {
        for text in ["", "\n\n", "\u{feff}", "hello", "<scxml/>", "42"] {
            let (_, problems) = read("bad", text);
            assert!(problems.has_errors(), "{format}: {text:?}");
            assert!(
                problems
                    .iter()
                    .all(|problem| problem.code.info().id == "SW0801"),
                "{format}: {problems:?}"
            );
        }
        let too_long = " ".repeat(5 << 20);
        let (_, problems) = read("bad", &too_long);
        assert_eq!(problems.iter().next().unwrap().code.info().id, "SW0804");
        let (_, problems) = read_bytes("bad", b"\xff\xfea\0b\0", read);
        assert_eq!(
            problems.iter().next().unwrap().help.as_deref(),
            Some("it looks like UTF-16; save it as UTF-8")
        );
    }
}
