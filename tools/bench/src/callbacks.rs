//! User code: what entries, exits, effects, the activity and the guard do.
//!
//! Each raises its counter by a number of its own. So no two of them are the same code, which the
//! compiler would merge into one call target, and the totals show not only how many ran but which.

use crate::board::Board;
use crate::script::event;

/// States, as the numbers that their entries and exits add.
pub mod state {
    #![allow(missing_docs, reason = "the names of the machine file")]
    pub const IDLE: u8 = 1;
    pub const PATROL: u8 = 2;
    pub const COMBAT: u8 = 3;
    pub const APPROACH: u8 = 4;
    pub const ATTACK: u8 = 5;
    pub const WINDUP: u8 = 6;
    pub const STRIKE: u8 = 7;
    pub const RETREAT: u8 = 8;
    pub const DEAD: u8 = 9;
    pub const CALM: u8 = 10;
    pub const ALERT: u8 = 11;
}

/// An exit.
#[inline]
pub fn exit<const STATE: u8>(board: &mut Board) {
    board.exits = board.exits.wrapping_add(u32::from(STATE));
}

/// An effect.
#[inline]
pub fn effect<const EVENT: u8>(board: &mut Board) {
    board.effects = board.effects.wrapping_add(u32::from(EVENT) + 1);
}

/// An entry.
#[inline]
pub fn enter<const STATE: u8>(board: &mut Board) {
    board.entries = board.entries.wrapping_add(u32::from(STATE));
}

/// The activity; what it does counts with the effects.
#[inline]
pub fn aim(board: &mut Board) {
    board.effects = board.effects.wrapping_add(100);
}

/// The guard.
#[inline]
pub fn ready(board: &Board) -> bool {
    board.ready != 0
}

/// A guard that never holds.
#[inline]
pub fn never(board: &Board) -> bool {
    board.ready == 0
}

/// The action or activity of a name in a machine file. The last three are for generated machines.
pub fn action(name: &str) -> Option<fn(&mut Board)> {
    Some(match name {
        "ExitIdle" => exit::<{ state::IDLE }>,
        "ExitPatrol" => exit::<{ state::PATROL }>,
        "ExitCombat" => exit::<{ state::COMBAT }>,
        "ExitApproach" => exit::<{ state::APPROACH }>,
        "ExitAttack" => exit::<{ state::ATTACK }>,
        "ExitWindup" => exit::<{ state::WINDUP }>,
        "ExitStrike" => exit::<{ state::STRIKE }>,
        "ExitRetreat" => exit::<{ state::RETREAT }>,
        "ExitDead" => exit::<{ state::DEAD }>,
        "ExitCalm" => exit::<{ state::CALM }>,
        "ExitAlert" => exit::<{ state::ALERT }>,
        "EnterIdle" => enter::<{ state::IDLE }>,
        "EnterPatrol" => enter::<{ state::PATROL }>,
        "EnterCombat" => enter::<{ state::COMBAT }>,
        "EnterApproach" => enter::<{ state::APPROACH }>,
        "EnterAttack" => enter::<{ state::ATTACK }>,
        "EnterWindup" => enter::<{ state::WINDUP }>,
        "EnterStrike" => enter::<{ state::STRIKE }>,
        "EnterRetreat" => enter::<{ state::RETREAT }>,
        "EnterDead" => enter::<{ state::DEAD }>,
        "EnterCalm" => enter::<{ state::CALM }>,
        "EnterAlert" => enter::<{ state::ALERT }>,
        "OnSight" => effect::<{ event::SIGHT }>,
        "OnLost" => effect::<{ event::LOST }>,
        "OnInRange" => effect::<{ event::IN_RANGE }>,
        "OnSwing" => effect::<{ event::SWING }>,
        "OnLowHp" => effect::<{ event::LOW_HP }>,
        "OnHealed" => effect::<{ event::HEALED }>,
        "OnDie" => effect::<{ event::DIE }>,
        "OnAlarm" => effect::<{ event::ALARM }>,
        "OnRest" => effect::<{ event::REST }>,
        "Aim" => aim,
        "Exit" => exit::<20>,
        "Enter" => enter::<20>,
        "Effect" => effect::<20>,
        _ => return None,
    })
}

/// The guard of a name in a machine file.
pub fn guard(name: &str) -> Option<fn(&Board) -> bool> {
    match name {
        "Ready" => Some(ready),
        "Never" => Some(never),
        _ => None,
    }
}
