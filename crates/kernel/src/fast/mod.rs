//! Fast paths: what most ticks are, without what the general way pays for (RAM-3).
//!
//! Each is a prefix of the general way: it does the same to the same bytes, and where it meets
//! something that it does not know, the general way goes on from there. Each has a switch; with all
//! of them off every byte is the same (`proof/differential`).

mod activities;
mod glance;
mod jumps;

pub(crate) use activities::run_activities;
pub(crate) use glance::Glance;
pub(crate) use jumps::{
    Outlook, look_up, take_inbox, take_jump, take_mixed, take_plain, take_queued,
    take_while_polling, tell_nobody,
};
