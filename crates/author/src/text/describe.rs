//! Owns how messages name types and lists of words.

use super::shape::{Json, Type};

/// What a type expects, in a few words.
pub(crate) fn expected(ty: &Type) -> String {
    match ty {
        Type::Bool => "true or false".into(),
        Type::Text | Type::PartFile => "text".into(),
        Type::Name(kind) => kind.expected().into(),
        Type::Int { min, max } => format!("a whole number from {min} to {max}"),
        Type::OneInt(choices) => join(choices.iter().map(u32::to_string)),
        Type::Number => "a number".into(),
        Type::Duration => "a duration such as \"1.5s\", \"200ms\" or \"30t\"".into(),
        Type::AnyDuration => {
            "a duration such as \"1.5s\" or \"2s..5s\", or an expression in seconds".into()
        }
        Type::AskedDuration => "a duration such as \"200ms\", or a parameter".into(),
        Type::StableId => "text of 1 to 16 hexadecimal digits".into(),
        Type::Code => "text such as \"Shout\" or \"health -= 10\"".into(),
        Type::Expression => "an expression such as \"health < 30\"".into(),
        Type::Word(words) => or_list(words.words),
        Type::Literal => "a number, true or false, text, or a list of two or three numbers".into(),
        Type::Vector => "a list of two or three numbers".into(),
        Type::Any => "anything".into(),
        Type::Object(kind) => format!("an object ({})", kind.shape().title),
        Type::Tagged(_) => "an object with an action".into(),
        Type::Map(map) => format!(
            "an object whose keys are names and whose values are {}",
            values(&map.value)
        ),
        Type::List(item) => format!("a list of {}", items(item)),
        Type::OneOf(types) => types
            .iter()
            .map(|ty| alternative(ty, types))
            .collect::<Vec<_>>()
            .join(", or "),
    }
}

/// One of several alternatives; a list of the others need not name them again.
fn alternative(ty: &Type, all: &[Type]) -> String {
    match ty {
        Type::List(Type::OneOf(_)) => "a list of them".into(),
        Type::List(item)
            if all
                .iter()
                .any(|other| std::mem::discriminant(other) == std::mem::discriminant(*item)) =>
        {
            "a list of them".into()
        }
        _ => expected(ty),
    }
}

/// What stands in a list.
fn items(ty: &Type) -> &'static str {
    match ty {
        Type::Name(_) => "names",
        Type::Object(_) => "objects",
        Type::Number => "numbers",
        _ => "values",
    }
}

/// What stands in a map, short enough to follow "values are".
fn values(ty: &Type) -> String {
    match ty {
        Type::Object(_) | Type::Map(_) => "objects".into(),
        Type::List(_) => "lists".into(),
        _ if ty.accepts(Json::Object) => "values or objects".into(),
        _ => expected(ty),
    }
}

/// Words in backticks, with "or" before the last.
pub(crate) fn or_list(words: &[&str]) -> String {
    join(words.iter().map(|word| format!("`{word}`")))
}

fn join(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<_> = words.collect();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{ACTIONS, STATES};
    use super::*;

    #[test]
    fn lists_read_like_sentences() {
        assert_eq!(or_list(&["a"]), "`a`");
        assert_eq!(or_list(&["a", "b"]), "`a` or `b`");
        assert_eq!(or_list(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(expected(&Type::OneInt(&[64, 128])), "64 or 128");
        assert_eq!(expected(&STATES), "the name of a state, or a list of them");
        assert!(expected(&ACTIONS).ends_with(", or an object with an action, or a list of them"));
    }
}
