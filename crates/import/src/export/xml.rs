//! XML as text: elements, attributes and comments, indented.

use statewright_author::names::is_hidden;

/// Writes elements.
#[derive(Debug)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

/// An attribute.
pub(super) type Attribute<'a> = (&'a str, &'a str);

impl Writer {
    /// Writes at a depth of elements.
    pub(super) fn at(depth: usize) -> Self {
        Self {
            text: String::new(),
            depth,
        }
    }

    /// How many elements are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// What was written.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Adds a line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Adds what another writer of the same depth wrote.
    pub(super) fn append(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// An element with nothing in it.
    pub(super) fn leaf(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        self.line(&format!("<{name}{}/>", written(attributes)));
    }

    /// An element with a text in it.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.line(&format!("<{name}>{}</{name}>", escaped(text)));
    }

    /// Begins an element.
    pub(super) fn open(&mut self, name: &str, attributes: &[Attribute<'_>]) {
        self.line(&format!("<{name}{}>", written(attributes)));
        self.depth += 1;
    }

    /// Ends it.
    pub(super) fn close(&mut self, name: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&format!("</{name}>"));
    }

    /// An element around what another writer wrote one level deeper.
    pub(super) fn around(&mut self, name: &str, attributes: &[Attribute<'_>], inside: &str) {
        if inside.is_empty() {
            return self.leaf(name, attributes);
        }
        self.open(name, attributes);
        self.append(inside);
        self.close(name);
    }

    /// A remark, as far as XML can hold it: no two hyphens in a row, nothing unseen.
    pub(super) fn comment(&mut self, text: &str) {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || is_hidden(c))
            .collect();
        let mut shown = words.join(" ");
        while shown.contains("--") {
            shown = shown.replace("--", "- -");
        }
        self.line(&format!("<!-- {shown} -->"));
    }
}

fn written(attributes: &[Attribute<'_>]) -> String {
    attributes
        .iter()
        .map(|(name, value)| format!(" {name}=\"{}\"", escaped(value)))
        .collect()
}

/// Text in an attribute. Spaces other than ` ` would come back as one.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_written_is_read_back() {
        let value = "a < b && c > \"d\" 'e' \n\té";
        let mut writer = Writer::at(0);
        writer.open("out", &[("x", value)]);
        writer.comment("one --- two\u{1b} -- <&>-");
        writer.leaf("in", &[]);
        writer.close("out");
        let text = writer.into_text();
        let document = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(document.root_element().attribute("x"), Some(value));
        assert!(text.contains("<!-- one - - - two  - - <&>- -->"), "{text}");
    }
}
