//! Real machines: what a whole behavior costs, beside the same behavior written by hand.
//!
//! The workloads of `tools/bench` show one price each. Here agents do what agents of games do:
//! regions, timers, guards that run, activities, commands. A machine is a folder: `functions` is its
//! blackboard and its user code, `hand` the same behavior as a struct with enums.
//!
//! - `machine` what a machine of the table has to say of itself
//! - `events` random events from a seed, the same for all contenders
//! - `contender` who takes part: `slices` (by tables, and fused), `crowd` and `by_hand`
//! - `compare` holds that all of them have the same outcome after every tick
//! - `paths` which fast paths of the kernel are taken
//! - `measure` times, `count` instructions by sections of one run, `table` how they are shown
//!
//! A crate of its own, so that one core builds it while the other one builds the rest of the benchmark:
//! it is one unit.
#![forbid(unsafe_code)]

pub mod by_hand;
pub mod compare;
pub mod contender;
pub mod count;
pub mod crowd;
pub mod events;
pub mod machine;
pub mod measure;
pub mod paths;
pub mod slices;
pub mod table;

pub mod boss;
pub mod pedestrian;
pub mod soldier;
pub mod trap;
pub mod villager;

use machine::{AnyReal, Drive, Of};

/// How every row is driven, whether it is timed, counted or asked for its paths: enough for all that
/// machines do, and little enough for valgrind.
pub const DRIVE: Drive = Drive {
    agents: 500,
    warm_up: 240,
    ticks: 60,
    percent: 0,
};

/// Of a hundred agents so many get an event in a tick.
pub const PERCENTS: [u32; 2] = [1, 10];

/// All machines, in the order of the table. A static, so that programs that use it do not compile all of them once more.
pub static ALL: &[&dyn AnyReal] = &[
    &Of::<soldier::SoldierMachine>::NEW,
    &Of::<boss::BossMachine>::NEW,
    &Of::<pedestrian::PedestrianMachine>::NEW,
    &Of::<villager::VillagerMachine>::NEW,
    &Of::<trap::TrapMachine>::NEW,
];
