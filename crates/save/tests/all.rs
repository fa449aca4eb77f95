//! Saves: one program, so that there is one to link.

mod boards;
mod damage;
mod files;
mod patches;
mod worlds;
