//! Owns the small language of labels: `event [guard] / action; action {marks}`.

use statewright_author::span::Name;

use super::part;

/// The parts of a label.
#[derive(Debug, Default)]
pub(super) struct Label {
    /// What starts it.
    pub(super) trigger: Option<Name>,
    /// What must hold.
    pub(super) guard: Option<Name>,
    /// What happens on the way.
    pub(super) effects: Vec<Name>,
    /// What else decides, as `draw` writes it.
    pub(super) marks: Vec<Name>,
}

/// Takes a label apart. Every character of it is in one of the parts, separators aside.
pub(super) fn label(text: &Name) -> Label {
    let mut made = Label::default();
    let mut end = text.value.len();
    if text.value.ends_with('}')
        && let Some(open) = text
            .value
            .rfind('{')
            .filter(|&open| open == 0 || text.value[..open].ends_with(' '))
    {
        made.marks = split(&part(text, open + 1..end - 1), ',');
        end = open;
    }
    let rest = part(text, 0..end);
    let (head, effects) = match slash(&rest.value) {
        Some(at) => (
            part(&rest, 0..at),
            split(&part(&rest, at + 1..rest.value.len()), ';'),
        ),
        None => (rest, Vec::new()),
    };
    made.effects = effects;
    match guard(&head.value) {
        Some((open, close)) => {
            made.guard = Some(part(&head, open + 1..close)).filter(|guard| !guard.value.is_empty());
            let before = part(&head, 0..open);
            // What follows a guard belongs to the name of the event as much as what stands before
            // it.
            let after = part(&head, close + 1..head.value.len());
            let name = [before.value.as_str(), after.value.as_str()]
                .join(" ")
                .trim()
                .to_owned();
            made.trigger = Some(Name::new(name, head.span)).filter(|name| !name.value.is_empty());
            if after.value.is_empty() {
                made.trigger = Some(before).filter(|name| !name.value.is_empty());
            }
        }
        None => made.trigger = Some(head).filter(|name| !name.value.is_empty()),
    }
    made
}

/// The brackets of the guard: the first `[` and its partner.
fn guard(text: &str) -> Option<(usize, usize)> {
    let open = text.find('[')?;
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some((open, open + at));
        }
    }
    None
}

/// The `/` before the actions: outside of brackets and quotes, at the start or after a space.
fn slash(text: &str) -> Option<usize> {
    let (mut depth, mut quote) = (0_i32, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if text[at + 1..].contains(c) => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth -= 1,
            (None, '/') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// The parts between separators outside of brackets and quotes.
pub(super) fn split(text: &Name, separator: char) -> Vec<Name> {
    let (mut depth, mut quote, mut from) = (0_i32, None, 0);
    let mut parts = Vec::new();
    for (at, c) in text.value.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if text.value[at + 1..].contains(c) => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth -= 1,
            (None, c) if c == separator && depth <= 0 => {
                parts.push(part(text, from..at));
                from = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(part(text, from..text.value.len()));
    parts.retain(|part| !part.value.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use statewright_author::span::Span;

    fn shown(text: &str) -> String {
        let made = label(&Name::new(text.to_owned(), Span::bytes(0..text.len())));
        let list = |names: &[Name]| {
            names
                .iter()
                .map(|name| name.value.clone())
                .collect::<Vec<_>>()
                .join("|")
        };
        let one = |name: &Option<Name>| {
            name.as_ref()
                .map_or("-".to_owned(), |name| name.value.clone())
        };
        format!(
            "{} [{}] {} {{{}}}",
            one(&made.trigger),
            one(&made.guard),
            list(&made.effects),
            list(&made.marks)
        )
    }

    #[test]
    fn a_label_is_taken_apart() {
        assert_eq!(shown("Push"), "Push [-]  {}");
        assert_eq!(
            shown("key pressed [a > 1] / Go(1; 2); Stop"),
            "key pressed [a > 1] Go(1; 2)|Stop {}"
        );
        assert_eq!(shown("[a[1] / 2 > 3]"), "- [a[1] / 2 > 3]  {}");
        assert_eq!(shown("/ Beep"), "- [-] Beep {}");
        assert_eq!(
            shown("Hit / Say('a; b / c') {priority 2, latch}"),
            "Hit [-] Say('a; b / c') {priority 2|latch}"
        );
        assert_eq!(shown("Hit [a] twice"), "Hit twice [a]  {}");
        assert_eq!(shown("don't panic / Run"), "don't panic [-] Run {}");
        assert_eq!(shown("open [ never closed"), "open [ never closed [-]  {}");
    }
}
