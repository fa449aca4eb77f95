//! Event descriptors. SCXML matches names by tokens: `a.b` matches `a.b` and `a.b.c`, `*` matches
//! all. Here an event is a number, so every name that a document speaks of becomes a class of
//! events, and any other name belongs to its longest beginning that is one.

use std::collections::{BTreeSet, HashSet};

use statewright_author::names::{OTHER_EVENTS, check_name};
use statewright_author::span::{Span, Spanned};

/// One descriptor of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    /// Its beginning; `None` matches everything.
    prefix: Option<String>,
}

impl Descriptor {
    /// Reads `a.b`, `a.b.`, `a.b.*` or `*`.
    pub(super) fn read(text: &str) -> Self {
        let prefix = text
            .strip_suffix(".*")
            .or_else(|| text.strip_suffix('.'))
            .unwrap_or(text);
        Self {
            prefix: (!matches!(text, "*" | ".*")).then(|| prefix.to_owned()),
        }
    }

    /// What is wrong with it.
    pub(super) fn problem(&self) -> Option<String> {
        let prefix = self.prefix.as_deref()?;
        if prefix.contains('*') {
            return Some("`*` stands alone, or after the last dot of a name".to_owned());
        }
        check_name(prefix).err()
    }

    /// Whether it matches everything.
    pub(super) fn is_any(&self) -> bool {
        self.prefix.is_none()
    }
}

/// The classes of events of a document, in the order of its text.
#[derive(Debug, Default)]
pub(super) struct Classes {
    names: Vec<Spanned<String>>,
    seen: HashSet<String>,
    /// What is listened to: beginnings, and whether everything is.
    prefixes: HashSet<String>,
    any: bool,
}

impl Classes {
    /// Takes the descriptors of a transition.
    pub(super) fn listen(&mut self, list: &[Spanned<String>]) {
        for text in list {
            match Descriptor::read(&text.value).prefix {
                None => self.any = true,
                Some(prefix) => {
                    self.add(&prefix, text.span);
                    self.prefixes.insert(prefix);
                }
            }
        }
    }

    /// Takes a name that is raised or sent.
    pub(super) fn add(&mut self, name: &str, span: Span) {
        if self.seen.insert(name.to_owned()) {
            self.names.push(Spanned::new(name.to_owned(), span));
        }
    }

    /// Takes a name if anybody listens to it.
    pub(super) fn add_if_heard(&mut self, name: &str, span: Span) {
        let mut beginnings = name
            .match_indices('.')
            .map(|(at, _)| &name[..at])
            .chain([name]);
        if self.any || beginnings.any(|beginning| self.prefixes.contains(beginning)) {
            self.add(name, span);
        }
    }

    /// All classes; the last one is for names that no other class has.
    pub(super) fn finish(mut self) -> Events {
        self.add(OTHER_EVENTS, Span::default());
        let mut sorted: Vec<usize> = (0..self.names.len()).collect();
        sorted.sort_by(|&a, &b| self.names[a].value.cmp(&self.names[b].value));
        Events {
            names: self.names,
            sorted,
        }
    }
}

/// The classes, to be looked up by their beginnings.
#[derive(Debug)]
pub(super) struct Events {
    pub(super) names: Vec<Spanned<String>>,
    /// By name.
    sorted: Vec<usize>,
}

impl Events {
    /// The classes that any of the descriptors matches, in their order.
    pub(super) fn heard(
        &self,
        descriptors: &[Descriptor],
    ) -> impl Iterator<Item = &Spanned<String>> {
        let mut found = BTreeSet::new();
        for descriptor in descriptors {
            match &descriptor.prefix {
                None => found.extend(0..self.names.len()),
                Some(prefix) => {
                    found.extend(
                        self.starting(prefix)
                            .take_while(|&at| self.names[at].value == *prefix),
                    );
                    let longer = format!("{prefix}.");
                    found.extend(
                        self.starting(&longer)
                            .take_while(|&at| self.names[at].value.starts_with(&longer)),
                    );
                }
            }
        }
        found.into_iter().map(|at| &self.names[at])
    }

    /// The classes from a name on, by name.
    fn starting(&self, name: &str) -> impl Iterator<Item = usize> {
        let first = self
            .sorted
            .partition_point(|&at| self.names[at].value.as_str() < name);
        self.sorted[first..].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_match_whole_tokens() {
        for (descriptor, matching, others) in [
            (
                "foo",
                &["foo", "foo.bar", "foo.bar.baz"][..],
                &["foobar", "foo-bar", "foo/bar", "fo", "Foo", "x.foo"][..],
            ),
            ("foo.*", &["foo", "foo.bar"], &["foobar"]),
            ("foo.", &["foo", "foo.bar"], &["foobar"]),
            ("*", &["foo", "a.b"], &[]),
        ] {
            let mut classes = Classes::default();
            for event in matching.iter().chain(others).rev() {
                classes.add(event, Span::default());
            }
            let events = classes.finish();
            let twice = [Descriptor::read(descriptor), Descriptor::read(descriptor)];
            let heard = events.heard(&twice);
            let heard: Vec<&str> = heard
                .map(|event| event.value.as_str())
                .filter(|&event| event != OTHER_EVENTS)
                .collect();
            let matching: Vec<&str> = matching.iter().copied().rev().collect();
            assert_eq!(heard, matching, "{descriptor}");
        }
    }
}
