//! What the kernel costs: the same machine run by Statewright, by hand-written code, by a peer and
//! beside plain memory.
//!
//! Comes in: a choice of workloads and sizes. Goes out: one table of ratios from one run,
//! instruction counts, curves. Every contender does the same work, and that is checked before any
//! time is shown.
//!
//! - `workload` and `script` what happens, `callbacks` and `board` what user code does and what it
//!   leaves behind
//! - `contenders` who does it, one file each
//! - `measure` how long it took, `row`, `targets`, `table` and `json` how that is shown
//! - `instructions` and `gate` exact counts and their limits
//! - `curves` how costs grow
//! - `commands` what commands cost, beside a vector
//!
//! Whole machines of games are in `tools/bench_real`, the price of each feature in
//! `tools/bench_features`, what all of them measure with in `tools/measure`: each of these is one unit, and two
//! are built at a time.
#![forbid(unsafe_code)]

pub mod board;
pub mod callbacks;
pub mod commands;
pub mod contenders;
pub mod curves;
pub mod gate;
pub mod instructions;
pub mod json;
pub mod machines;
pub mod measure;
pub mod plan;
pub mod row;
pub mod script;
pub mod table;
pub mod targets;
pub mod workload;
