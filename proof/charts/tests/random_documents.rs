//! Some random documents against themselves in every run of the tests; `cargo xtask charts` runs
//! ten thousand.

use statewright_charts::{Tally, compare};
use statewright_scxml_oracle::Limits;

#[test]
fn random_documents_do_the_same_imported_and_by_the_letter() {
    let mut tally = Tally::default();
    for seed in 0..300 {
        match compare(seed, &Limits::default(), 50) {
            Ok(one) => tally += one,
            Err(difference) => {
                panic!(
                    "seed {seed}, step {}: {}\n{}",
                    difference.step, difference.words, difference.document
                )
            }
        }
    }
    assert_eq!(
        tally.documents + tally.limited + tally.refused,
        300,
        "{tally:?}"
    );
    assert!(tally.documents >= 150, "{tally:?}");
    assert!(
        tally.events >= 1500 && tally.deeds >= 10_000 && tally.milliseconds > 0 && tally.ended > 0,
        "{tally:?}"
    );
}
