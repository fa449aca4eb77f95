//! Documents that go there and back; `cargo xtask charts --export` does many more.

use statewright_charts::{Tally, compare_export, export};
use statewright_scxml_oracle::Limits;

#[test]
fn random_documents_come_back_the_same() {
    let mut tally = Tally::default();
    for seed in 0..200 {
        match compare_export(seed, &Limits::default(), 30) {
            Ok(one) => tally += one,
            Err(difference) => panic!("seed {seed}: {}\n{}", difference.words, difference.document),
        }
    }
    assert!(
        tally.documents > 100 && tally.events > 1_000 && tally.deeds > 5_000,
        "{tally:?}"
    );
}

#[test]
fn what_comes_back_comes_back_again() {
    let text = statewright_scxml_oracle::random_document(3, &Limits::default());
    let once = export(&text).unwrap();
    assert_eq!(
        export(&once).unwrap(),
        once,
        "the second time nothing changes any more"
    );
}
