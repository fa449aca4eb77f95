//! Statewright with the machine as code: `machine!` with the functions of a type, through the typed
//! API.

use statewright::prelude::*;

use crate::board::Board;
use crate::callbacks::{aim, effect, enter, exit, ready, state};
use crate::contenders::Contender;
use crate::contenders::alone::Alone;
use crate::contenders::typed::Typed;
use crate::script::event;
use crate::workload::Workload;

/// Each callback as a function of the blackboard.
macro_rules! functions {
    ($($name:ident $function:ident $number:path;)+) => {
        #[functions]
        impl Board {
            $(
                /// Adds its number.
                #[action]
                #[inline]
                pub fn $name(&mut self) {
                    $function::<{ $number }>(self);
                }
            )+

            /// Adds its number, for ever.
            #[activity]
            #[inline]
            pub fn aim(&mut self) -> Status {
                aim(self);
                Status::Running
            }

            /// Whether it may go on.
            #[guard]
            #[inline]
            pub fn ready(&self) -> bool {
                ready(self)
            }
        }
    };
}

functions! {
    exit_idle exit state::IDLE;
    exit_patrol exit state::PATROL;
    exit_combat exit state::COMBAT;
    exit_approach exit state::APPROACH;
    exit_attack exit state::ATTACK;
    exit_windup exit state::WINDUP;
    exit_strike exit state::STRIKE;
    exit_retreat exit state::RETREAT;
    exit_dead exit state::DEAD;
    exit_calm exit state::CALM;
    exit_alert exit state::ALERT;
    enter_idle enter state::IDLE;
    enter_patrol enter state::PATROL;
    enter_combat enter state::COMBAT;
    enter_approach enter state::APPROACH;
    enter_attack enter state::ATTACK;
    enter_windup enter state::WINDUP;
    enter_strike enter state::STRIKE;
    enter_retreat enter state::RETREAT;
    enter_dead enter state::DEAD;
    enter_calm enter state::CALM;
    enter_alert enter state::ALERT;
    on_sight effect event::SIGHT;
    on_lost effect event::LOST;
    on_in_range effect event::IN_RANGE;
    on_swing effect event::SWING;
    on_low_hp effect event::LOW_HP;
    on_healed effect event::HEALED;
    on_die effect event::DIE;
    on_alarm effect event::ALARM;
    on_rest effect event::REST;
}

statewright::machine!(
    /// The machine of most workloads.
    mod fighter = "machines/fighter.sw.json",
    functions = crate::board::Board,
    warnings = allow,
);

statewright::machine!(
    /// The same with an activity.
    mod fighter_activity = "machines/fighter_activity.sw.json",
    functions = crate::board::Board,
    warnings = allow,
);

statewright::machine!(
    /// The same with a second region and a guard.
    mod fighter_mood = "machines/fighter_mood.sw.json",
    functions = crate::board::Board,
    warnings = allow,
);

/// Agents of a workload, started.
pub fn agents(workload: Workload, agents: usize) -> Result<Box<dyn Contender>, String> {
    let machine = match workload {
        Workload::W1Activity => fighter_activity::machine(),
        Workload::W2Regions => fighter_mood::machine(),
        _ => fighter::machine(),
    };
    let bound = machine.bind(Board::functions());
    let program = bound.map_err(|error| error.to_string())?;
    if !program.is_fused() {
        return Err("the machine is not fused".to_owned());
    }
    Ok(match workload {
        Workload::W4 if agents == 1 => Box::new(Alone::of(program)?),
        _ => Box::new(Typed::of(program, agents)?),
    })
}
