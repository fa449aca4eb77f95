//! Names of one language in the spelling of another.

/// `can_see` as `CanSee`, as binding does it; what stands before the last `::` stays as it is.
pub fn camel_case(name: &str) -> String {
    let start = name.rfind("::").map_or(0, |colons| colons + 2);
    let (path, own) = name.split_at(start);
    let words = own.split('_').map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    });
    path.chars().map(String::from).chain(words).collect()
}

/// `CanSee` as `can_see`.
pub fn snake_case(name: &str) -> String {
    let mut text = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let next_is_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins_word = before.is_some_and(|before| {
            before.is_lowercase() || before.is_numeric() || before.is_uppercase() && next_is_small
        });
        if letter.is_uppercase() && begins_word {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

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
    fn names_in_other_spellings() {
        assert_eq!(camel_case("fx::spark_off"), "fx::SparkOff");
        assert_eq!(snake_case("IsInHTTPRange2Go"), "is_in_http_range2_go");
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
