//! Names of one language in the spelling of another: functions of Rust are `can_see`, machine files
//! may say `CanSee`. Binding and macros must agree on it.

/// `can_see` as `CanSee`; what stands before the last `::` stays as it is.
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

/// Whether a function of Rust is what a machine file calls by a name: its own, or that in the other
/// spelling.
pub fn answers_to(function: &str, name: &str) -> bool {
    function == name || camel_case(function) == name
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_other_spellings() {
        assert_eq!(camel_case("can_see"), "CanSee");
        assert_eq!(camel_case("fx::spark_off"), "fx::SparkOff");
        assert_eq!(camel_case("CanSee"), "CanSee");
        assert!(["can_see", "CanSee"].map(|name| answers_to("can_see", name)) == [true; 2]);
        assert!(!answers_to("CanSee", "can_see"));
        assert_eq!(snake_case("IsInHTTPRange2Go"), "is_in_http_range2_go");
    }
}
