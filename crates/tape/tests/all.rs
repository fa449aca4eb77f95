//! Tapes as a game uses them: one program, one module per subject.

mod chosen;
mod common;
mod damage;
mod desync;
mod examples;
mod flight;
mod forks;
mod partings;
mod recording;
mod reloads;
mod sealed;
mod slices;
mod town;
mod travel;
mod worlds;
