//! The ten most likely mistakes of a new user: each gives exactly one message, and what it says to
//! write is the fix.
//!
//! `ten_mistakes/name.txt` is the exact text; `BLESS=1` rewrites it. Every mistake is made in
//! [`GUARD`], which is right, by replacing some text; so undoing the replacement, which is what the
//! message says, gives a machine without problems.

use std::fs;
use std::path::Path;

use statewright_author::render::{Style, render_text};
use statewright_compile::{Options, compile_with};

/// A machine without problems.
const GUARD: &str = r#"{
  "machine": "Guard",
  "events": ["EnemySeen", "EnemyLost", "Hit"],
  "blackboard": { "health": { "type": "i32", "default": 100 }, "armed": "bool" },
  "initial": "Patrol",
  "states": {
    "Patrol": {
      "entry": "StartWalking",
      "transitions": [{ "on": "EnemySeen", "to": "Attack" }],
    },
    "Attack": {
      "initial": "Approach",
      "transitions": [
        { "on": "EnemyLost", "to": "Patrol" },
        { "on": "Hit", "if": "health == 0", "to": "Dead" },
        { "on": "Hit", "if": "health < 30 && armed", "to": "Flee" },
      ],
      "states": {
        "Approach": { "transitions": [{ "after": "3s", "to": "Strike" }] },
        "Strike": { "transitions": [{ "after": "1s", "to": "Approach" }] },
      },
    },
    "Flee": { "transitions": [{ "after": "10s", "to": "Patrol" }] },
    "Dead": {},
  },
}
"#;

struct Mistake {
    /// Name of the file with the text.
    name: &'static str,
    /// What is right.
    right: &'static str,
    /// What the new user writes.
    wrong: &'static str,
    /// The words of the message that tell what to write.
    says: &'static str,
}

const MISTAKES: [Mistake; 10] = [
    Mistake {
        name: "typo_in_a_target",
        right: r#""on": "EnemySeen", "to": "Attack""#,
        wrong: r#""on": "EnemySeen", "to": "Atack""#,
        says: "did you mean `Attack`?",
    },
    Mistake {
        name: "event_not_declared",
        right: r#"["EnemySeen", "EnemyLost", "Hit"]"#,
        wrong: r#"["EnemySeen", "Hit"]"#,
        says: r#"add `"EnemyLost"` to `"events"`"#,
    },
    Mistake {
        name: "missing_initial",
        right: "      \"initial\": \"Approach\",\n",
        wrong: "",
        says: r#"add `"initial": "Approach"`"#,
    },
    Mistake {
        name: "missing_comma",
        right: r#""entry": "StartWalking","#,
        wrong: r#""entry": "StartWalking""#,
        says: "put `,` after the value",
    },
    Mistake {
        name: "field_of_another_tool",
        right: r#""on": "EnemySeen", "to""#,
        wrong: r#""on": "EnemySeen", "target""#,
        says: r#"write `"to"`"#,
    },
    Mistake {
        name: "duration_without_unit",
        right: r#""after": "10s""#,
        wrong: r#""after": 10"#,
        says: r#"write "10s" for seconds"#,
    },
    Mistake {
        name: "assignment_instead_of_comparison",
        right: "health == 0",
        wrong: "health = 0",
        says: "write `==`",
    },
    Mistake {
        name: "and_instead_of_signs",
        right: "health < 30 && armed",
        wrong: "health < 30 and armed",
        says: "write `&&`",
    },
    Mistake {
        name: "forgotten_target",
        right: r#"{ "on": "EnemyLost", "to": "Patrol" }"#,
        wrong: r#"{ "on": "EnemyLost" }"#,
        says: r#"add `"to": "…"`"#,
    },
    Mistake {
        name: "one_instead_of_a_list",
        right: r#"[{ "on": "EnemySeen", "to": "Attack" }]"#,
        wrong: r#"{ "on": "EnemySeen", "to": "Attack" }"#,
        says: r#"write `[{ "on": "EnemySeen", "to": "Attack" }]`"#,
    },
];

/// How many problems, and their text.
fn compile(name: &str, text: &str) -> (usize, String) {
    let (machine, found) = statewright_author::text::read(name, text);
    let (_, problems) = compile_with(&machine, found, &Options::default());
    (
        problems.len(),
        render_text(&problems, &machine.source, Style::default()),
    )
}

#[test]
fn the_machine_itself_is_right() {
    assert_eq!(compile("guard.sw.json", GUARD), (0, String::new()));
}

#[test]
fn each_mistake_gives_one_message_that_says_the_fix() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ten_mistakes");
    for mistake in MISTAKES {
        assert_eq!(GUARD.matches(mistake.right).count(), 1, "{}", mistake.name);
        let (count, text) = compile(
            "guard.sw.json",
            &GUARD.replace(mistake.right, mistake.wrong),
        );
        assert_eq!(count, 1, "{}: {text}", mistake.name);
        assert!(text.contains(mistake.says), "{}: {text}", mistake.name);
        let path = folder.join(format!("{}.txt", mistake.name));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).expect("can be written");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(text, expected, "{}", mistake.name);
    }
}
