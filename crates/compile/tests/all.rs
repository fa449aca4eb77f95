//! The compiler and what it makes: one program, one module per subject.

mod common;

mod allocation;
mod damage;
mod describe;
mod diagnostics;
mod hashes;
mod jumps;
mod plans;
mod polls;
mod random_machines;
mod readme;
mod regressions;
mod samples;
mod ten_mistakes;
mod written;
