//! The interpreter by the letter, case by case: one program, one module per subject.

mod common;
mod data;
mod done;
mod events;
mod history;
mod states;
mod transitions;
