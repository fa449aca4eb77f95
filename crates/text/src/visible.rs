//! Characters that must not reach a terminal, a picture or a page as they are.

/// Characters that a reader cannot see or that change how others look: no output shows them as they
/// are.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c)
}

/// Spells out control and invisible characters as `\u{1b}`, so that no output can change a
/// terminal, a line or the direction of other text. What was spelled out stays as it is.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            out.extend(c.escape_unicode())
        } else {
            out.push(c)
        }
    }
    out
}

/// The same for text of several lines.
pub fn visible_lines(text: &str) -> String {
    text.split('\n')
        .map(visible)
        .collect::<Vec<String>>()
        .join("\n")
}

/// Characters without a shape of their own: joiners, marks of direction, tags, separators of lines.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_is_shown_as_it_is() {
        let hostile = "a\u{1b}[31m\u{202e}b\n\u{7}\u{9b}";
        let shown = visible(hostile);
        assert_eq!(shown, "a\\u{1b}[31m\\u{202e}b\\u{a}\\u{7}\\u{9b}");
        assert_eq!(visible(&shown), shown, "once is enough");
        assert_eq!(visible_lines("a\n\tb\n"), "a\n\\u{9}b\n");
    }
}
