//! Tapes as a game uses them: one program, one module per subject.

mod common;
mod damage;
mod partings;
mod recording;
