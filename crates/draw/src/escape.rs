//! Text of others inside formats of others: what is special there never comes from a name.

use std::fmt::Write;

pub use statewright_author::names::visible;

/// Text and attributes of XML and HTML.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Text of a Mermaid state diagram: everything but letters, digits and a few signs becomes `#46;`.
pub(crate) fn mermaid(text: &str) -> String {
    let (mut out, mut last) = (String::new(), ' ');
    let text = visible(text);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        // Between letters it is part of a name; elsewhere it would make text bold or italic.
        let is_inside =
            last.is_alphanumeric() && rest.peek().is_some_and(|next| next.is_alphanumeric());
        last = c;
        match c {
            '_' if is_inside => out.push(c),
            ' ' | '.' | ',' | '(' | ')' | '=' | '+' | '/' | '\'' | '!' | '?' | '|' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            c => _ = write!(out, "#{};", u32::from(c)),
        }
    }
    out
}

/// A quoted string of DOT.
pub(crate) fn dot(text: &str) -> String {
    format!(
        "\"{}\"",
        visible(text).replace('\\', "\\\\").replace('"', "\\\"")
    )
}

/// Text of a PlantUML state diagram: signs that mean something there, alone or doubled, become
/// `<U+003C>`.
pub(crate) fn plantuml(text: &str) -> String {
    let mut out = String::new();
    let mut last = ' ';
    for c in visible(text).chars() {
        let is_special =
            "<>&\\\"~%!#@$|`^{}".contains(c) || (c.is_ascii_punctuation() && c == last);
        match is_special {
            true => _ = write!(out, "<U+{:04X}>", u32::from(c)),
            false => out.push(c),
        }
        last = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use statewright_author::names::is_hidden;

    #[test]
    fn nothing_hidden_gets_through() {
        let hostile = "a\u{1b}[31m\u{202e}b\n\u{7}\u{9b}";
        for escaped in [
            xml(hostile),
            mermaid(hostile),
            dot(hostile),
            plantuml(hostile),
        ] {
            assert!(!escaped.chars().any(is_hidden), "{escaped:?}");
        }
    }

    #[test]
    fn each_format_has_its_own_way() {
        assert_eq!(
            xml("<a href='x'>&\"</a>"),
            "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;"
        );
        assert_eq!(
            mermaid("a: b; [c] --> d"),
            "a#58; b#59; #91;c#93; #45;#45;#62; d"
        );
        assert_eq!(
            mermaid("left_idle __u__ _v"),
            "left_idle #95;#95;u#95;#95; #95;v"
        );
        assert_eq!(dot("say \"hi\\"), "\"say \\\"hi\\\\\"");
        assert_eq!(
            plantuml("a -- b <b> //c// x - y"),
            "a -<U+002D> b <U+003C>b<U+003E> /<U+002F>c/<U+002F> x - y"
        );
    }
}
