//! Mistakes that the user's build finds, with the words that it finds for them.
//! `TRYBUILD=overwrite` writes the expected texts anew.

#[test]
fn code_2_mistakes_are_errors_of_the_build() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
