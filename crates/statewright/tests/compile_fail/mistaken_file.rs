//! A machine file with mistakes: all of them are shown.

statewright::machine!(pub mod broken = "broken.sw.json");

fn main() {}
