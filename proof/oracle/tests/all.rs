//! The rules, asked of the interpreter by hand-written cases: one program, one module per subject.

mod brackets;
mod common;
mod events;
mod expressions;
mod hierarchy;
mod history;
mod life;
mod policies;
mod random_machines;
mod samples;
mod selection;
mod stack;
mod timers;
