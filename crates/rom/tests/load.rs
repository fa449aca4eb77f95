//! Legal ROMs load and say what they hold.

mod common;

use common::samples;
use statewright_rom::exercise::walk_everything;
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Reaction, Rom, StableGroup};

#[test]
fn legal_roms_load() {
    for (name, tables) in [
        ("flat", samples::flat()),
        ("flat, sorted", samples::flat_sorted()),
        ("rich", samples::rich()),
        ("rich, sorted", samples::rich_sorted()),
    ] {
        let bytes = tables.build();
        let rom = Rom::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        walk_everything(&rom);
    }
}
