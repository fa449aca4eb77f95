//! Which names are legal: one set of rules for the text form and the builder.
//!
//! A rule that is broken comes back as one sentence, to be shown as it is. References are not
//! checked here: a wrong one is simply not found.

pub use statewright_text::{is_hidden, is_invisible, visible, visible_lines};

use crate::limits::MAX_NAME_BYTES;

/// Names of states, events, regions, timers and other things that only the machine refers to. A `/`
/// would look like a path of states.
pub fn check_name(name: &str) -> Result<(), String> {
    check_size(name)?;
    check_shown(name)?;
    if name.contains('/') {
        return Err("a name must not contain `/`, which separates the states of a path".into());
    }
    if name.starts_with(char::is_whitespace) || name.ends_with(char::is_whitespace) {
        return Err("a name must not start or end with a space".into());
    }
    Ok(())
}

/// Names appear in messages and reports: each character must be seen, and must not change how
/// others look.
pub(crate) fn check_shown(name: &str) -> Result<(), String> {
    let unseen = name.chars().find(|&c| is_hidden(c));
    match unseen {
        Some(c) if c.is_control() => Err(format!(
            "a name must not contain control characters, this one has U+{:04X}",
            u32::from(c)
        )),
        Some(c) => Err(format!(
            "a name must not contain invisible characters, this one has U+{:04X}",
            u32::from(c)
        )),
        None => Ok(()),
    }
}

/// Names of events. `*` stands for any event in the text form.
pub fn check_event(name: &str) -> Result<(), String> {
    if name == "*" {
        return Err("`*` stands for any event and cannot be the name of one".into());
    }
    check_name(name)
}

/// The event that stands for all names that a machine does not know, in machines that take events
/// by the beginnings of their names, as imported SCXML does.
pub const OTHER_EVENTS: &str = "(other)";

/// Which of the known events a name belongs to: itself; or, if the machine has [`OTHER_EVENTS`],
/// its longest beginning that ends at a dot of the name; or else that one.
pub fn event_class<'k>(name: &str, known: impl Fn(&str) -> Option<&'k str>) -> Option<&'k str> {
    if let Some(own) = known(name) {
        return Some(own);
    }
    let other = known(OTHER_EVENTS)?;
    let beginnings = name.rmatch_indices('.').map(|(dot, _)| &name[..dot]);
    Some(beginnings.into_iter().find_map(&known).unwrap_or(other))
}

/// Names of blackboard keys and parameters, which expressions read as they are.
pub fn check_key(name: &str) -> Result<(), String> {
    check_identifier(name)?;
    match is_reserved(name) {
        true => Err(format!(
            "`{name}` means something else in expressions and cannot be the name of a key or parameter"
        )),
        false => Ok(()),
    }
}

/// The functions of the expression language; in conditions none of the game's own can be called by
/// these names.
pub const BUILT_IN_FUNCTIONS: [&str; 18] = [
    "in",
    "ticks_in_state",
    "time_in_state",
    "i32",
    "f32",
    "vec2",
    "vec3",
    "min",
    "max",
    "abs",
    "clamp",
    "lerp",
    "curve",
    "random",
    "select",
    "dot",
    "length_squared",
    "distance_squared",
];

/// Whether a name is one of [`BUILT_IN_FUNCTIONS`].
pub fn is_built_in(name: &str) -> bool {
    BUILT_IN_FUNCTIONS.contains(&name)
}

/// Words that an expression never reads as a key or parameter.
pub(crate) fn is_reserved(name: &str) -> bool {
    const OPERATORS: [&str; 3] = ["and", "or", "not"];
    let query = crate::expr::StateQuery::parse(name).is_some();
    let value = matches!(name, "true" | "false" | "event");
    query || value || OPERATORS.iter().any(|word| word.eq_ignore_ascii_case(name))
}

/// Names that stand in expressions and calls: keys, parameters, arguments.
pub fn check_identifier(name: &str) -> Result<(), String> {
    check_size(name)?;
    if is_identifier(name) {
        return Ok(());
    }
    Err("this name must consist of letters, digits and `_`, and not start with a digit".into())
}

/// Names of user functions: identifiers, joined by `::`.
pub fn check_function(name: &str) -> Result<(), String> {
    check_size(name)?;
    if name.split("::").all(is_identifier) {
        return Ok(());
    }
    Err("the name of a function must consist of letters, digits and `_`, with `::` between its parts".into())
}

fn check_size(name: &str) -> Result<(), String> {
    match name.len() {
        0 => Err("a name must not be empty".into()),
        1..=MAX_NAME_BYTES => Ok(()),
        bytes => Err(format!(
            "a name must not be longer than {MAX_NAME_BYTES} bytes, this one has {bytes}"
        )),
    }
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_but_not_confusing() {
        for good in [
            "a",
            "Idle 2",
            "über",
            "a.b",
            "9",
            "läuft weg",
            &"n".repeat(MAX_NAME_BYTES),
        ] {
            assert_eq!(check_name(good), Ok(()), "{good:?}");
        }
        for bad in [
            "",
            " a",
            "a ",
            "a/b",
            "a\nb",
            "\u{7f}",
            "\u{a0}a",
            &"n".repeat(MAX_NAME_BYTES + 1),
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_name("*").is_ok() && check_event("*").is_err() && check_event("Hit").is_ok());
    }

    #[test]
    fn unknown_events_belong_to_their_longest_known_beginning() {
        let class = |name: &str, known: &'static [&'static str]| {
            event_class(name, |name| {
                known.iter().copied().find(|known| *known == name)
            })
        };
        for (name, expected) in [
            ("a", "a"),
            ("a.b.c", "a.b"),
            ("a.c", "a"),
            ("ab", OTHER_EVENTS),
            ("b.a", OTHER_EVENTS),
        ] {
            assert_eq!(
                class(name, &["a", "a.b", OTHER_EVENTS]),
                Some(expected),
                "{name}"
            );
        }
        assert_eq!(
            class("a.c", &["a", "a.b"]),
            None,
            "such machines know all their events"
        );
    }

    #[test]
    fn every_character_of_a_name_is_seen() {
        for (bad, code) in [
            ("a\u{200b}b", "U+200B"),
            ("\u{202e}ab", "U+202E"),
            ("a\u{ad}", "U+00AD"),
            ("a\u{7}", "U+0007"),
        ] {
            assert!(
                check_name(bad).is_err_and(|problem| problem.contains(code)),
                "{bad:?}"
            );
        }
        for bad in [
            "\u{feff}",
            "a\u{2028}b",
            "\u{2066}a\u{2069}",
            "a\u{e0041}",
            "\u{180e}x",
            "\u{61c}x",
            "\u{2060}",
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn keys_are_no_words_of_expressions() {
        for bad in [
            "true",
            "false",
            "event",
            "in",
            "time_in_state",
            "ticks_in_state",
            "and",
            "Or",
            "NOT",
        ] {
            assert!(
                check_key(bad).is_err() && check_identifier(bad).is_ok(),
                "{bad}"
            );
        }
        for good in ["min", "i32", "inn", "events", "True", "health"] {
            assert_eq!(check_key(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn identifiers_and_functions_are_those_of_expressions() {
        for good in ["a", "_", "a9", "Has_Ammo"] {
            assert_eq!(
                (check_identifier(good), check_function(good)),
                (Ok(()), Ok(())),
                "{good:?}"
            );
        }
        assert_eq!(check_function("ai::combat::Fire"), Ok(()));
        assert!(check_identifier("ai::Fire").is_err());
        for bad in [
            "",
            "9a",
            "a b",
            "a-b",
            "ä",
            "::",
            "a::",
            "::a",
            "a:b",
            "a::9",
            &"n".repeat(MAX_NAME_BYTES + 1),
        ] {
            assert!(
                check_identifier(bad).is_err() && check_function(bad).is_err(),
                "{bad:?}"
            );
        }
    }
}
