//! Arbitrary and mutated text never panics, and every span of a report lies inside the text.

use proptest::prelude::*;
use statewright_author::span::Source;
use statewright_author::text::{read, read_bytes};

const FULL: &str = include_str!("text_data/full.sw.json");
const FLAT: &str = include_str!("text_data/flat.sw.json");

fn survives(bytes: &[u8]) {
    let (machine, problems) = read_bytes("m", bytes);
    let Source::File { text, .. } = &machine.source else {
        panic!("not a file")
    };
    for problem in &problems {
        let spans =
            std::iter::once(problem.span).chain(problem.related.iter().map(|label| label.span));
        for span in spans {
            assert!(
                text.get(span.start as usize..span.end as usize).is_some(),
                "{problem:?}"
            );
        }
        assert!(!problem.message.is_empty());
    }
}

/// Tokens of the format, so that random text gets past the parser.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"machine\"",
    "\"states\"",
    "\"regions\"",
    "\"initial\"",
    "\"id\"",
    "\"a\"",
    "\"\"",
    "\"transitions\"",
    "\"on\"",
    "\"to\"",
    "\"after\"",
    "\"1s\"",
    "\"entry\"",
    "\"set\"",
    "\"children\"",
    "\"events\"",
    "\"type\"",
    "\"region\"",
    "1",
    "-1",
    "1e999",
    "true",
    "null",
    "// c\n",
    "/* c */",
    "\"\\ud800\"",
    "\"é\"",
];

fn tokens() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(TOKENS), 0..60)
        .prop_map(|parts| parts.concat())
}

/// A sample with some stretches removed, doubled, overwritten or swapped for a token.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edit = (
        any::<prop::sample::Index>(),
        0usize..40,
        0u8..4,
        any::<u8>(),
        proptest::sample::select(TOKENS),
    );
    (prop::bool::ANY, proptest::collection::vec(edit, 1..6)).prop_map(|(flat, edits)| {
        let mut bytes = if flat { FLAT } else { FULL }.as_bytes().to_vec();
        for (at, length, how, byte, token) in edits {
            if bytes.is_empty() {
                break;
            }
            let start = at.index(bytes.len());
            let end = (start + length).min(bytes.len());
            match how {
                0 => drop(bytes.drain(start..end)),
                1 => bytes
                    .splice(start..start, bytes[start..end].to_vec())
                    .for_each(drop),
                2 => bytes[start] = byte,
                _ => bytes.splice(start..end, token.bytes()).for_each(drop),
            }
        }
        bytes
    })
}

/// A value of a sample replaced by another one, which keeps the JSON legal.
fn replaced() -> impl Strategy<Value = String> {
    const VALUES: &[&str] = &[
        r#""x""#,
        "5",
        "-0.5",
        "true",
        "null",
        "[]",
        "{}",
        r#"[1, "a"]"#,
        r#"{ "to": 1 }"#,
        r#""*""#,
        r#""2s""#,
    ];
    (
        prop::bool::ANY,
        any::<prop::sample::Index>(),
        proptest::sample::select(VALUES),
    )
        .prop_map(|(flat, at, value)| {
            let text = if flat { FLAT } else { FULL };
            let scalars: Vec<_> = text
                .match_indices(": \"")
                .map(|(start, _)| start + 2)
                .collect();
            let start = scalars[at.index(scalars.len())];
            let end = start + 2 + text[start + 1..].find('"').unwrap();
            format!("{}{value}{}", &text[..start], &text[end..])
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survives(&bytes);
    }

    #[test]
    fn arbitrary_text(text in "\\PC*") {
        survives(text.as_bytes());
    }

    #[test]
    fn arbitrary_tokens(text in tokens()) {
        survives(text.as_bytes());
    }

    #[test]
    fn mutated_samples(bytes in mutated()) {
        survives(&bytes);
    }

    #[test]
    fn replaced_values(text in replaced()) {
        survives(text.as_bytes());
        let (machine, _) = read("m", &text);
        prop_assert!(!machine.root.regions.is_empty() || !text.contains("states"));
    }
}
