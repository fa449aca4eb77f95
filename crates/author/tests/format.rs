//! The formatter: its look, and its promises for all texts: the same meaning, every comment once,
//! stable.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use statewright_author::codes::DiagnosticCode;
use statewright_author::format::format;
use statewright_author::limits::{MAX_NESTING, MAX_TEXT_BYTES};
use statewright_author::text;

#[track_caller]
fn check(input: &str, expected: &str) {
    let once = format(input).expect("is JSON");
    assert_eq!(once, expected, "formatted:\n{once}");
    assert_eq!(
        format(&once).expect("is still JSON"),
        once,
        "formatted again"
    );
    assert_eq!(text::to_json(input), text::to_json(&once), "meaning");
}

#[test]
fn one_member_per_line() {
    check(
        "{\"machine\":\"M\",\n\"states\":{\"a\":{},\n   \"b\" : { \"entry\" :[ \"x\",\"y\" ] } , },}",
        "{
  \"machine\": \"M\",
  \"states\": {
    \"a\": {},
    \"b\": { \"entry\": [\"x\", \"y\"] }
  }
}
",
    );
}

#[test]
fn what_was_on_one_line_stays_if_it_fits() {
    check(
        "{ \"a\" : [ 1,2 , {} ], \"b\": [ ] }",
        "{ \"a\": [1, 2, {}], \"b\": [] }\n",
    );
    let long = "x".repeat(60);
    check(
        &format!("{{ \"a\": [\"{long}\"], \"b\": [\"{long}\"] }}"),
        &format!("{{\n  \"a\": [\"{long}\"],\n  \"b\": [\"{long}\"]\n}}\n"),
    );
}

#[test]
fn the_line_limit_is_exact() {
    let list = |width: usize| format!("[\"{}\"]", "é".repeat(width - 4));
    check(&list(99), &format!("{}\n", list(99)));
    let broken = format(&list(100)).unwrap();
    assert_eq!(
        broken.lines().count(),
        3,
        "room is kept for a comma: {broken}"
    );
}

#[test]
fn blank_lines_stay_but_one_is_enough() {
    check(
        "{\n\n\n  \"a\": 1,\n\n\n\n  \"b\": 2,\n  \"c\": 3\n\n}\n\n\n",
        "{\n  \"a\": 1,\n\n  \"b\": 2,\n  \"c\": 3\n}\n",
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "// first

/* second */
{ // at the bracket
      // before a
  \"a\": 1, // behind a

  /* before b */ \"b\": /* the value */ 2 // behind b
  , \"c\": [
    1, /* before 2 */ 2 /* behind 2 */,
    // last
  ]
  /* at the end */
} // behind all
// the end",
        "// first

/* second */
{ // at the bracket
  // before a
  \"a\": 1, // behind a

  /* before b */ \"b\": /* the value */ 2, // behind b
  \"c\": [
    1,
    /* before 2 */ 2 /* behind 2 */
    // last
  ]
  /* at the end */
} // behind all
// the end
",
    );
}

#[test]
fn comments_in_odd_places_survive() {
    check(
        "/* a */ [ /* b */ ] /* c */",
        "/* a */ [ /* b */\n] /* c */\n",
    );
    check(
        "{ \"a\" // key\n : // colon\n 1 }",
        "{\n  \"a\" // key\n    : // colon\n    1\n}\n",
    );
    check(
        "{ \"a\" /* x */ : /* y */ {} }",
        "{\n  \"a\" /* x */: /* y */ {}\n}\n",
    );
    check(
        "[1, // one\n /* two */ 2]",
        "[\n  1, // one\n  /* two */ 2\n]\n",
    );
    check("[1 /* a\r\n b */, 2]", "[\n  1, /* a\n b */\n  2\n]\n");
}

#[test]
fn line_ends_and_other_space_become_ours() {
    check(
        "\u{feff}{\r\n\t\"a\":\t1,\r\n\r\n\"b\":\u{a0}2}\r\n",
        "{\n  \"a\": 1,\n\n  \"b\": 2\n}\n",
    );
    check(
        "{ \"a\": 1, // c   \r\"b\": 2 }",
        "{\n  \"a\": 1, // c\n  \"b\": 2\n}\n",
    );
    check("\"x\"", "\"x\"\n");
}

#[test]
fn literals_are_kept_as_written() {
    check(
        "[1.50, -0, 1e3, \"\\u0041\\/\", true, null]",
        "[1.50, -0, 1e3, \"\\u0041\\/\", true, null]\n",
    );
}

#[test]
fn what_is_not_json_is_refused_with_a_span() {
    let code = |text: &str| {
        format(text)
            .expect_err("refused")
            .iter()
            .next()
            .expect("a problem")
            .code
    };
    for bad in [
        "", "{", "[1 2]", "{\"a\"}", "\"a\nb\"", "/* x", "{a: 1}", "[+1]", "'a'", "[1]]", "// only",
    ] {
        assert_eq!(code(bad), DiagnosticCode::Syntax, "{bad:?}");
    }
    let deep = MAX_NESTING + 1;
    assert_eq!(
        code(&format!("{}{}", "[".repeat(deep), "]".repeat(deep))),
        DiagnosticCode::NestedTooDeeply
    );
    assert!(
        format(&format!(
            "{}{}",
            "[".repeat(MAX_NESTING),
            "]".repeat(MAX_NESTING)
        ))
        .is_ok()
    );
}

#[test]
fn large_and_hostile_texts_end_fast() {
    let start = Instant::now();
    assert!(format(&"[".repeat(4 << 20)).is_err());
    assert!(format(&"{\"a\":".repeat(1 << 20)).is_err());
    assert!(format(&"/*".repeat(1 << 20)).is_err());
    assert!(format(&" ".repeat(MAX_TEXT_BYTES + 1)).is_err());
    let many = format!("[{}0]", "{ \"a\": [1, 2, 3] }, // c\n".repeat(50_000));
    let once = format(&many).unwrap();
    assert_eq!(once.lines().count(), 50_003);
    let one_line = format!("[{}0]", "[[1], 2], ".repeat(100_000));
    assert_eq!(format(&one_line).unwrap().lines().count(), 100_003);
    let comments = format!("[{} 0]", "/* c */".repeat(100_000));
    assert!(format(&comments).is_ok());
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "took {:?}",
        start.elapsed()
    );
}

/// Space and comments that may stand between any two tokens. Comments get a number each.
fn gap() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "",
        "",
        "",
        "",
        " ",
        " ",
        "\n",
        "\n\n",
        "\r\n",
        "\n \n\n",
        "\t",
        "// #\n",
        "/* # */",
        "/* #\n\t# */",
        "// # \r\n",
    ]);
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// A JSON text without space, as tokens.
fn tokens() -> impl Strategy<Value = Vec<String>> {
    let long = "\"a text that is long enough to force some of the lines to be broken\"";
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"\"",
        "\"// no\"",
        "\"/*\\\"\\u0041\"",
        long,
    ])
    .prop_map(|leaf| vec![leaf.to_string()]);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let list = (prop::collection::vec(inner.clone(), 0..4), any::<bool>())
            .prop_map(|(items, trailing)| bracketed("[", items, trailing, "]"));
        let member = ("\"[a-c]{1,3}\"", inner)
            .prop_map(|(key, value)| [vec![key, ":".into()], value].concat());
        let object = (prop::collection::vec(member, 0..4), any::<bool>())
            .prop_map(|(items, trailing)| bracketed("{", items, trailing, "}"));
        prop_oneof![list, object]
    })
}

fn bracketed(open: &str, items: Vec<Vec<String>>, trailing: bool, close: &str) -> Vec<String> {
    let comma = || vec![",".to_string()];
    let count = items.len();
    let mut out = vec![open.to_string()];
    for (at, item) in items.into_iter().enumerate() {
        out.extend(item);
        if at + 1 < count || trailing {
            out.extend(comma());
        }
    }
    out.push(close.into());
    out
}

/// Tokens with gaps between them.
fn document() -> impl Strategy<Value = String> {
    tokens().prop_flat_map(|tokens| {
        let gaps = prop::collection::vec(gap(), tokens.len() + 1);
        (Just(tokens), gaps).prop_map(|(tokens, gaps)| {
            let joined: String = gaps
                .iter()
                .zip(tokens.iter().map(String::as_str).chain([""]))
                .map(|(gap, token)| format!("{gap}{token}"))
                .collect();
            let mut numbers = 0..;
            joined
                .split('#')
                .map(str::to_string)
                .reduce(|a, b| format!("{a}{}{b}", numbers.next().unwrap()))
                .unwrap()
        })
    })
}

/// The comments of a text, in order, without space at their ends.
fn comments(text: &str) -> Vec<String> {
    let collect = jsonc_parser::CollectOptions {
        comments: jsonc_parser::CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &collect, &text::parse_options()).unwrap();
    let comment = |token: jsonc_parser::tokens::TokenAndRange| match token.token {
        jsonc_parser::tokens::Token::CommentLine(text) => Some(text.trim_end().to_string()),
        jsonc_parser::tokens::Token::CommentBlock(text) => Some(text.to_string()),
        _ => None,
    };
    parsed
        .tokens
        .unwrap()
        .into_iter()
        .filter_map(comment)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn formatting_keeps_meaning_and_comments_and_is_stable(input in document()) {
        let once = format(&input).expect("a legal text");
        prop_assert_eq!(format(&once).expect("still legal"), once.clone(), "input {:?}", input);
        prop_assert_eq!(text::to_json(&once), text::to_json(&input));
        prop_assert_eq!(comments(&once), comments(&input));
        let lines: Vec<&str> = once.lines().collect();
        prop_assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.contains("\n\n\n") && !once.contains('\r'));
        prop_assert!(!lines.iter().any(|line| line.ends_with(' ')), "{once:?}");
    }

    #[test]
    fn any_text_ends_without_a_panic(input in "[\\[\\]{}:,\"/*\\\\ \n\ra1é\u{feff}]{0,40}") {
        if let Ok(once) = format(&input) {
            prop_assert_eq!(format(&once).expect("still legal"), once);
        }
    }
}
