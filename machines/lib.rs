#![doc = include_str!("README.md")]
//!
//! The files lie beside this one, so that programs and packages carry them without a copy.
//! `crates/compile/tests/samples.rs` holds that they are all here and compile.
#![no_std]
#![forbid(unsafe_code)]

/// A sample: a machine file and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The name of the file, without folders.
    pub file: &'static str,
    /// The whole text.
    pub text: &'static str,
}

macro_rules! samples {
    ($($(#[$doc:meta])* $name:ident = $file:literal;)+) => {
        $($(#[$doc])* pub const $name: Sample = Sample { file: $file, text: include_str!($file) };)+

        /// All samples, by name.
        pub const ALL: &[Sample] = &[$($name),+];
    };
}

samples! {
    /// The last boss: nested regions, history, a sync group and a stack.
    BOSS = "boss.sw.json";
    /// One of a crowd: 64 bytes, decisions as expressions.
    PEDESTRIAN = "pedestrian.sw.json";
    /// A rifleman, feet and weapon at once; what `statewright run` runs unless told.
    SOLDIER = "soldier.sw.json";
    /// The smallest complete machine: timers and a button.
    TRAFFIC_LIGHT = "traffic_light.sw.json";
    /// The machine of the first program.
    WATCHMAN = "watchman.sw.json";
}
