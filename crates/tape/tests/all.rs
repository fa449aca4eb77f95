//! Tapes as a game uses them: one program, one module per subject.

mod common;
mod damage;
mod desync;
mod flight;
mod partings;
mod recording;
mod sealed;
mod travel;
