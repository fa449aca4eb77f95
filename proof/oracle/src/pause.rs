//! Pause (SYS-9): every running time x becomes `now - x`; resuming does it again, which shifts it
//! by the pause.

use crate::oracle::Oracle;

impl Oracle {
    /// Freezes time. A paused agent stays paused, and one that has ended cannot be.
    pub fn pause(&mut self, tick: u32) {
        if !self.flags.paused && self.running() {
            self.flags.paused = true;
            self.flip_times(tick);
            // 0 is no cooldown: it has just ended.
            self.cooldowns.retain(|_, ready| *ready != 0);
        }
    }

    /// Lets time go on.
    pub fn resume(&mut self, tick: u32) {
        if self.flags.paused {
            self.flags.paused = false;
            self.flip_times(tick);
            // A ready tick of 0 is stored as 1.
            self.cooldowns
                .values_mut()
                .for_each(|ready| *ready = (*ready).max(1));
        }
    }

    /// Suspended frames stand still already.
    fn flip_times(&mut self, now: u32) {
        let flip = |x: &mut u32| *x = now.wrapping_sub(*x);
        self.timers.values_mut().flatten().for_each(flip);
        self.debounces.values_mut().for_each(flip);
        self.clocks.values_mut().for_each(flip);
        self.cooldowns.values_mut().for_each(flip);
        self.queue
            .iter_mut()
            .for_each(|event| flip(&mut event.stamp));
    }
}
