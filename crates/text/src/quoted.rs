//! Code between back quotes.

/// Code as texts show it: between back quotes, and between two where it has back quotes itself, as a
/// parameter of a part does: ``` `` `fight/rage` > 3 `` ```.
pub fn quoted(code: &str) -> String {
    match code.contains('`') {
        true => format!("`` {code} ``"),
        false => format!("`{code}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn back_quotes_are_not_nested() {
        assert_eq!(quoted("ammo > 3"), "`ammo > 3`");
        assert_eq!(quoted("`fight/rage` > 3"), "`` `fight/rage` > 3 ``");
    }
}
