//! Code of a machine: action lists, activities and expressions (CODE-3 to CODE-5, TICK-5).

pub(crate) mod actions;
pub(crate) mod activity;
pub(crate) mod durations;
pub(crate) mod eval;
pub(crate) mod straight;
pub(crate) mod truth;
