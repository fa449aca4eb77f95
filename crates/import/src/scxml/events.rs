//! Event descriptors. SCXML matches names by tokens: `a.b` matches `a.b` and `a.b.c`, `*` matches all. Here an event is a number, so
//! every name that a document speaks of becomes a class of events, and any other name belongs to its longest beginning that is one.

use std::collections::HashSet;

use statewright_author::names::OTHER_EVENTS;
use statewright_author::place::{Place, Spanned};

/// One descriptor of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// Its beginning; `None` matches everything.
    prefix: Option<String>,
}

impl Descriptor {
    /// Reads `a.b`, `a.b.`, `a.b.*` or `*`.
    pub(super) fn read(text: &str) -> Self {
        let prefix = text.strip_suffix(".*").or_else(|| text.strip_suffix('.')).unwrap_or(text);
        Self { prefix: (text != "*").then(|| prefix.to_owned()) }
    }

    /// Whether it matches everything.
    pub(super) fn is_any(&self) -> bool {
        self.prefix.is_none()
    }

    /// Whether it matches an event.
    pub(super) fn matches(&self, event: &str) -> bool {
        match &self.prefix {
            None => true,
            Some(prefix) => {
                event.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
        }
    }
}

/// The classes of events of a document, in the order of its text.
#[derive(Debug, Default)]
pub(super) struct Classes {
    names: Vec<Spanned<String>>,
    seen: HashSet<String>,
    descriptors: Vec<Descriptor>,
}

impl Classes {
    /// Takes the descriptors of a transition.
    pub(super) fn listen(&mut self, list: &[Spanned<String>]) {
        for text in list {
            let descriptor = Descriptor::read(&text.value);
            if let Some(prefix) = &descriptor.prefix {
                self.add(prefix, text.place);
            }
            if !self.descriptors.contains(&descriptor) {
                self.descriptors.push(descriptor);
            }
        }
    }

    /// Takes a name that is raised or sent.
    pub(super) fn add(&mut self, name: &str, place: Place) {
        if self.seen.insert(name.to_owned()) {
            self.names.push(Spanned::new(name.to_owned(), place));
        }
    }

    /// Takes a name if anybody listens to it.
    pub(super) fn add_if_heard(&mut self, name: &str, place: Place) {
        if self.descriptors.iter().any(|descriptor| descriptor.matches(name)) {
            self.add(name, place);
        }
    }

    /// All classes; the last one is for names that no other class has.
    pub(super) fn finish(mut self) -> Vec<Spanned<String>> {
        self.add(OTHER_EVENTS, Place::default());
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_match_whole_tokens() {
        for (descriptor, matching, others) in [
            ("foo", &["foo", "foo.bar", "foo.bar.baz"][..], &["foobar", "fo", "Foo", "x.foo"][..]),
            ("foo.*", &["foo", "foo.bar"], &["foobar"]),
            ("foo.", &["foo", "foo.bar"], &["foobar"]),
            ("*", &["foo", "a.b", "(other)"], &[]),
        ] {
            let descriptor = Descriptor::read(descriptor);
            assert!(matching.iter().all(|event| descriptor.matches(event)), "{descriptor:?}");
            assert!(!others.iter().any(|event| descriptor.matches(event)), "{descriptor:?}");
        }
    }
}
