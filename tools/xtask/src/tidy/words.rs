//! Words that tell a reader nothing: names of papers that are not here, and paths of one computer.

use super::Problem;
use crate::repository::File;

/// Words and what to write instead. Each is cut in two here, so that this file is clean itself.
const WORDS: [(&str, &str, &str); 7] = [
    ("SP", "EC", "cite the rule by its id"),
    (
        "design ",
        "document",
        "readers do not have them; say it here",
    ),
    ("AMBIG", "UITIES", "the rules of docs/semantics.md say it"),
    (
        "Settled while ",
        "building",
        "put it into the rule that it amends",
    ),
    ("/ro", "ot/", "a path of one computer"),
    ("/ho", "me/", "a path of one computer"),
    ("TO", "DO", "do it, or open an issue"),
];

pub fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path != "Cargo.lock") {
        for (line, text) in file.lines() {
            for (first, second, remedy) in WORDS {
                let word = format!("{first}{second}");
                if is_said(text, &word) {
                    let what = format!("says `{word}`");
                    problems.push(Problem::new(file.at(line), what, remedy));
                }
            }
        }
    }
    problems
}

/// Whether a text has a word, not as a part of another one.
fn is_said(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + word.len()..].chars().next();
        let capitals = word.chars().all(char::is_uppercase);
        !capitals || !(letter(before) || letter(after))
    })
}

#[cfg(test)]
mod checks {
    use super::super::test_support::files;
    use super::*;

    #[test]
    fn a_word_is_found_and_a_part_of_another_is_not() {
        let text = format!(
            "by the {}{}\nSPECIAL, in{}me/, /{}\n",
            "SP", "EC", "/ho", "homely"
        );
        let places: Vec<String> = check(&files(&[("a.md", &text)]))
            .into_iter()
            .map(|problem| format!("{} {}", problem.place, problem.what))
            .collect();
        let found: Vec<&str> = places.iter().map(|place| &place[..6]).collect();
        assert_eq!(found, ["a.md:1", "a.md:2"]);
    }
}
