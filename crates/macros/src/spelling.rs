//! Names of machine files as constants of Rust.

use statewright_text::snake_case;

/// `combat/InRange` as `COMBAT_IN_RANGE`; `None` if nothing of it can stand in a name of Rust.
pub fn constant(name: &str) -> Option<String> {
    let words = name
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let text = words
        .map(|word| snake_case(word).to_uppercase())
        .collect::<Vec<_>>()
        .join("_");
    let text = if text.starts_with(|first: char| first.is_numeric()) {
        format!("_{text}")
    } else {
        text
    };
    syn::parse_str::<syn::Ident>(&text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_constants() {
        assert_eq!(
            constant("combat/InRange").as_deref(),
            Some("COMBAT_IN_RANGE")
        );
        assert_eq!(constant("done.state.x").as_deref(), Some("DONE_STATE_X"));
        assert_eq!(constant("low hp").as_deref(), Some("LOW_HP"));
        assert_eq!(constant("3d").as_deref(), Some("_3D"));
        assert_eq!(constant("flee_below").as_deref(), Some("FLEE_BELOW"));
        assert_eq!(constant("*"), None);
    }
}
