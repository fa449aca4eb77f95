//! The machine files of the benchmarks.

/// The machine of all workloads but three.
pub const FIGHTER: &str = include_str!("../machines/fighter.sw.json");
/// The same with a timer that is never due.
pub const FIGHTER_TIMER: &str = include_str!("../machines/fighter_timer.sw.json");
/// The same with an activity that never ends.
pub const FIGHTER_ACTIVITY: &str = include_str!("../machines/fighter_activity.sw.json");
/// The same with a second region and a guard.
pub const FIGHTER_MOOD: &str = include_str!("../machines/fighter_mood.sw.json");
