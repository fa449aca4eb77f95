//! Which problems are shown where. A problem may lie in the file of a part (LANG-5), and a file may
//! be a part of several documents: what is shown in it comes from all of them.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::Diagnostic;

/// Problems by the document in which they were found, then by the file in which they lie.
#[derive(Debug, Default)]
pub(super) struct Published {
    found: BTreeMap<String, BTreeMap<String, Vec<Diagnostic>>>,
}

impl Published {
    /// Replaces what was found in a document; the files whose problems change.
    pub(super) fn set(
        &mut self,
        document: &str,
        problems: BTreeMap<String, Vec<Diagnostic>>,
    ) -> BTreeSet<String> {
        let mut files: BTreeSet<String> = problems.keys().cloned().collect();
        let before = self.found.insert(document.to_owned(), problems);
        files.extend(before.into_iter().flat_map(BTreeMap::into_keys));
        files
    }

    /// Forgets what other documents found in a file whose text is another now.
    pub(super) fn forget_in(&mut self, file: &str) {
        for (document, problems) in &mut self.found {
            if document != file
                && let Some(problems) = problems.get_mut(file)
            {
                // The file stays in the list: that nothing is wrong in it must be told as well.
                problems.clear();
            }
        }
    }

    /// Forgets what was found in a document; the files whose problems change.
    pub(super) fn close(&mut self, document: &str) -> BTreeSet<String> {
        let before = self.found.remove(document);
        before.into_iter().flat_map(BTreeMap::into_keys).collect()
    }

    /// The problems that lie in a file, its own first. What several documents find is said once, with
    /// all places that belong to it, even if they use other words for it.
    pub(super) fn of(&self, file: &str) -> Vec<Diagnostic> {
        let own = self.found.get_key_value(file);
        let others = self.found.iter().filter(|(document, _)| *document != file);
        let mut all: Vec<Diagnostic> = Vec::new();
        for (_, files) in own.into_iter().chain(others) {
            let known = all.len();
            for problem in files.get(file).into_iter().flatten() {
                let same = all.iter().enumerate().position(|(at, other)| {
                    let same_place = other.range == problem.range && other.code == problem.code;
                    same_place && (at < known || other.message == problem.message)
                });
                match same {
                    Some(same) => add_places(&mut all[same], problem),
                    None => all.push(problem.clone()),
                }
            }
        }
        all
    }
}

fn add_places(problem: &mut Diagnostic, other: &Diagnostic) {
    let places = problem.related_information.get_or_insert_default();
    for place in other.related_information.iter().flatten() {
        if !places.contains(place) {
            places.push(place.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<Diagnostic> {
        vec![Diagnostic::new_simple(
            lsp_types::Range::default(),
            message.to_owned(),
        )]
    }

    #[test]
    fn what_lies_in_a_part_is_said_once_and_ends_with_its_last_user() {
        let mut shown = Published::default();
        let in_part = || BTreeMap::from([("part".to_owned(), found("wrong"))]);
        assert_eq!(shown.set("a", in_part()), ["part".to_owned()].into());
        shown.set("b", in_part());
        assert_eq!(shown.of("part").len(), 1);
        assert_eq!(shown.close("a"), ["part".to_owned()].into());
        assert_eq!(shown.of("part").len(), 1);
        assert_eq!(
            shown.set("b", BTreeMap::new()),
            ["part".to_owned()].into(),
            "what is gone is told as well"
        );
        assert!(shown.of("part").is_empty());
    }

    #[test]
    fn a_changed_text_has_only_its_own_problems() {
        let mut shown = Published::default();
        shown.set("part", [("part".to_owned(), found("own"))].into());
        shown.set("user", [("part".to_owned(), found("theirs"))].into());
        shown.forget_in("part");
        assert_eq!(shown.of("part"), found("own"));
    }
}
