//! Warnings of the compiler are warnings of the build, so they are errors where those are.
#![deny(warnings)]

statewright::machine!(pub mod loud = "doubtful.sw.json");
statewright::machine!(pub mod quiet = "doubtful.sw.json", warnings = allow);

fn main() {
    assert_eq!(quiet::machine().warnings().len(), 1);
    loud::machine();
}
