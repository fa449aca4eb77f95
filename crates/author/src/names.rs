//! Which names are legal: one set of rules for the text form and the builder.
//!
//! A rule that is broken comes back as one sentence, to be shown as it is. References are not checked here: a wrong
//! one is simply not found.

use crate::limits::MAX_NAME_BYTES;

/// Names of states, events, regions, timers and other things that only the machine refers to. A `/` would look like
/// a path of states.
pub fn check_name(name: &str) -> Result<(), String> {
    check_size(name)?;
    if let Some(control) = name.chars().find(|c| c.is_control()) {
        return Err(format!("a name must not contain control characters, this one has {}", control.escape_unicode()));
    }
    if name.contains('/') {
        return Err("a name must not contain `/`, which separates the states of a path".into());
    }
    if name.starts_with(char::is_whitespace) || name.ends_with(char::is_whitespace) {
        return Err("a name must not start or end with a space".into());
    }
    Ok(())
}

/// Names of events. `*` stands for any event in the text form.
pub fn check_event(name: &str) -> Result<(), String> {
    if name == "*" {
        return Err("`*` stands for any event and cannot be the name of one".into());
    }
    check_name(name)
}

/// Names that expressions use: blackboard keys, parameters, arguments.
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
        bytes => Err(format!("a name must not be longer than {MAX_NAME_BYTES} bytes, this one has {bytes}")),
    }
}

fn is_identifier(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_but_not_confusing() {
        for good in ["a", "Idle 2", "über", "a.b", "9", "läuft weg", &"n".repeat(MAX_NAME_BYTES)] {
            assert_eq!(check_name(good), Ok(()), "{good:?}");
        }
        for bad in ["", " a", "a ", "a/b", "a\nb", "\u{7f}", "\u{a0}a", &"n".repeat(MAX_NAME_BYTES + 1)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_name("*").is_ok() && check_event("*").is_err() && check_event("Hit").is_ok());
    }

    #[test]
    fn identifiers_and_functions_are_those_of_expressions() {
        for good in ["a", "_", "a9", "Has_Ammo"] {
            assert_eq!((check_identifier(good), check_function(good)), (Ok(()), Ok(())), "{good:?}");
        }
        assert_eq!(check_function("ai::combat::Fire"), Ok(()));
        assert!(check_identifier("ai::Fire").is_err());
        for bad in ["", "9a", "a b", "a-b", "ä", "::", "a::", "::a", "a:b", "a::9", &"n".repeat(MAX_NAME_BYTES + 1)] {
            assert!(check_identifier(bad).is_err() && check_function(bad).is_err(), "{bad:?}");
        }
    }
}
