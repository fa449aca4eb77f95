//! Prints the random document of a seed: `cargo run -p statewright-scxml-oracle --example
//! scxml_random -- 7`.

use statewright_scxml_oracle::{Limits, random_document};

fn main() {
    let seed = std::env::args().nth(1).and_then(|text| text.parse().ok());
    match seed {
        Some(seed) => print!("{}", random_document(seed, &Limits::default())),
        None => {
            eprintln!("usage: scxml_random SEED (a number)");
            std::process::exit(2);
        }
    }
}
