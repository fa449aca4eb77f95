//! Every edit still has its place in kernel or compiler, and what does not is said clearly. Nothing is
//! built here: that is `cargo xtask mistakes`.

use statewright_mistakes::copy::sources;
use statewright_mistakes::edit::{Source, apply};
use statewright_mistakes::{all, list};

#[test]
fn all_edits_have_their_place_in_the_kernel() {
    let list = all().expect("a readable list");
    let sources = sources().expect("the kernel");
    if let Err(problems) = apply(&list, &sources) {
        panic!(
            "proof/mistakes/mistakes.md does not fit the kernel any more:\n\n{}",
            problems.join("\n")
        );
    }
    assert!(list.mistakes.len() >= 41);
}

/// A list with one mistake.
fn list_of(edits: &str) -> list::List {
    list::parse(&format!("## Wrong\nIt is wrong.\n{edits}")).expect("a readable list")
}

fn kernel(text: &str) -> [Source; 1] {
    [Source {
        path: "src/lib.rs".into(),
        text: text.to_owned(),
    }]
}

#[test]
fn an_edit_finds_its_place_however_it_is_wrapped() {
    let list = list_of("```diff\n fn a(\n-    b(c)\n+    if !MISTAKE { b(c) }\n```");
    let edited = apply(&list, &kernel("fn a() {}\nfn a(b\n(c))")).expect("one place");
    let wanted = "fn a() {}\nfn a(\n    if !crate::mistakes::is(1) { b(c) })";
    assert_eq!(edited[0].text, wanted);
}

#[test]
fn a_text_that_is_not_there_once_is_a_problem_with_its_name() {
    let list = list_of("```diff\n-one(\n+MISTAKE;\n```");
    let problem = |text: &str| apply(&list, &kernel(text)).expect_err("a problem").join("");
    assert!(problem("two()").starts_with("Wrong: this text must occur exactly once"));
    assert!(problem("two()").ends_with("but it does not:\none(\n"));
    assert!(problem("one() one()").contains("but it does 2 times"));
}

#[test]
fn two_edits_of_one_text_are_a_problem() {
    let list = list_of("```diff\n-a b\n+MISTAKE\n```\n```diff\n-b c\n+MISTAKE\n```");
    let problems = apply(&list, &kernel("a b c")).expect_err("a problem");
    assert!(problems[0].contains("two edits of the same text in src/lib.rs"));
}

#[test]
fn a_list_that_proves_nothing_is_refused() {
    let problem = |text: &str| list::parse(text).expect_err("a problem");
    let never = "## Wrong\nIt is wrong.\n```diff\n-a\n+b\n```";
    assert_eq!(problem(never), "Wrong: no edit asks for `MISTAKE`");
    let same = "## Wrong\nIt is wrong.\n```diff\n a\n```";
    assert_eq!(problem(same), "Wrong: an edit changes nothing: ` a`");
    let odd = "## Wrong\nIt is wrong.\n```diff\na\n```";
    assert_eq!(problem(odd), "Wrong: `a` begins with none of ` `, `-`, `+`");
}
