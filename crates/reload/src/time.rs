//! Times of an instance: how they are kept, and what another tick rate makes of them (LOAD-4).
//!
//! A time `x` that runs is a tick; one that stands still, of a paused agent or a suspended state, is kept
//! turned, as `then - x` (SYS-9). Read either way it is the same distance:
//!
//! ```text
//!              runs            turned        distance
//! deadline     now + d         -d            d, ahead if positive
//! clock, stamp now - a         a             a, always behind
//! ```

use statewright_rom::layout::MAX_TICKS;

/// The tick rates of both machines, and now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) now: u32,
    pub(crate) old_rate: u16,
    pub(crate) new_rate: u16,
}

/// Does a time stand still?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Runs,
    Turned,
}

impl Times {
    /// A deadline, or the tick at which a cooldown ends. What is due stays due.
    pub(crate) fn deadline(self, time: u32, from: Form, to: Form) -> u32 {
        let ahead = match from {
            Form::Runs => time.wrapping_sub(self.now),
            Form::Turned => 0_u32.wrapping_sub(time),
        };
        let ahead = if ahead as i32 > 0 {
            self.scaled(ahead)
        } else {
            ahead
        };
        match to {
            Form::Runs => self.now.wrapping_add(ahead),
            Form::Turned => 0_u32.wrapping_sub(ahead),
        }
    }

    /// The tick at which something began: a clock or a stamp.
    pub(crate) fn beginning(self, time: u32, from: Form, to: Form) -> u32 {
        let age = match from {
            Form::Runs => self.now.wrapping_sub(time),
            Form::Turned => time,
        };
        let age = self.scaled(age);
        match to {
            Form::Runs => self.now.wrapping_sub(age),
            Form::Turned => age,
        }
    }

    /// So many ticks of the old rate in those of the new one, rounded up.
    fn scaled(self, ticks: u32) -> u32 {
        if self.old_rate == self.new_rate {
            return ticks;
        }
        let (old, new) = (u64::from(self.old_rate.max(1)), u64::from(self.new_rate));
        let scaled = (u64::from(ticks) * new).div_ceil(old);
        scaled.min(MAX_TICKS.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        now: 100,
        old_rate: 60,
        new_rate: 20,
    };

    #[test]
    fn load_4_times_scale_by_distance_and_round_up() {
        assert_eq!(TIMES.deadline(107, Form::Runs, Form::Runs), 103);
        assert_eq!(TIMES.beginning(93, Form::Runs, Form::Runs), 97);
        let turned = TIMES.deadline(107, Form::Runs, Form::Turned);
        assert_eq!(turned, 0_u32.wrapping_sub(3));
        assert_eq!(TIMES.beginning(7, Form::Turned, Form::Turned), 3);
    }

    #[test]
    fn load_4_what_was_due_stays_due() {
        for time in [100, 99, 3] {
            assert_eq!(TIMES.deadline(time, Form::Runs, Form::Runs), time);
        }
    }
}
