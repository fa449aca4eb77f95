//! What ticks cost: the time that passes, and the time that processors work. Both come from clocks of
//! the caller; nothing that agents do depends on them.

use std::time::Duration;

/// Tells the time since some moment. Where there is none to be had, as in a browser's worker, the
/// default of [`Plan::clock`](crate::Plan::clock) says 0 forever.
pub type Clock = Box<dyn Fn() -> Duration + Send>;

/// Less work than this says nothing: clocks count it in steps, and processors are still finding their
/// speed.
const LEAST_WORK: Duration = Duration::from_millis(100);
/// With fewer agents a tick is mostly what it costs without any.
const LEAST_AGENTS: u32 = 100;

/// How many agents one core could carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerCore {
    /// So many, by what this run took.
    Agents(u64),
    /// The run was too short, or had too few agents, for a figure that means something.
    TooLittle,
    /// Nobody can tell how long processors worked.
    Unmeasured,
}

/// What decides how many agents one core could carry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) agents: u32,
    /// Ticks that were measured.
    pub(crate) ticks: u64,
    pub(crate) tick_rate: u16,
    /// Processor time of these ticks.
    pub(crate) processor: Option<Duration>,
}

impl Work {
    /// Turns of agents per second of one processor, by the ticks that each agent wants per second. In
    /// less than a second of game time most agents are still where they began.
    pub(crate) fn per_core(&self) -> PerCore {
        let rate = u64::from(self.tick_rate.max(1));
        match self.processor {
            None => PerCore::Unmeasured,
            Some(time) if time < LEAST_WORK || self.ticks < rate || self.agents < LEAST_AGENTS => {
                PerCore::TooLittle
            }
            Some(time) => {
                let turns = f64::from(self.agents) * self.ticks as f64;
                PerCore::Agents((turns / time.as_secs_f64() / rate as f64) as u64)
            }
        }
    }
}

/// Measures the ticks of a run.
pub(crate) struct Stopwatch {
    clock: Clock,
    /// Processor time of all threads together.
    processor: Option<Clock>,
    begun: Duration,
    /// Time in ticks.
    pub(crate) ticking: Duration,
    /// Processor time in ticks after the first, in which agents only start.
    working: Duration,
}

/// When a tick began.
pub(crate) struct Lap {
    time: Duration,
    processor: Option<Duration>,
}

impl Stopwatch {
    /// With a clock for all, and one for the processors. Without the latter, a run on one thread
    /// works as long as it takes.
    pub(crate) fn new(clock: Clock, processor: Option<Clock>) -> Self {
        Self {
            begun: clock(),
            clock,
            processor,
            ticking: Duration::ZERO,
            working: Duration::ZERO,
        }
    }

    /// A tick begins.
    pub(crate) fn start(&self) -> Lap {
        Lap {
            time: (self.clock)(),
            processor: self.processor.as_ref().map(|clock| clock()),
        }
    }

    /// A tick is over; in the first one agents only start.
    pub(crate) fn stop(&mut self, lap: &Lap, is_first: bool) {
        let took = (self.clock)().saturating_sub(lap.time);
        self.ticking += took;
        if is_first {
            return;
        }
        self.working += match (&self.processor, lap.processor) {
            (Some(clock), Some(began)) => clock().saturating_sub(began),
            _ => took,
        };
    }

    /// Time of the whole run.
    pub(crate) fn elapsed(&self) -> Duration {
        (self.clock)().saturating_sub(self.begun)
    }

    /// Processor time in ticks after the first; on several threads only a clock of the processors
    /// tells.
    pub(crate) fn working(&self, on_one_thread: bool) -> Option<Duration> {
        let is_known = on_one_thread || self.processor.is_some();
        Some(self.working).filter(|time| is_known && !time.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Work = Work {
        agents: 1_000,
        ticks: 600,
        tick_rate: 60,
        processor: Some(Duration::from_secs(2)),
    };

    #[test]
    fn agents_per_core_are_turns_per_second_by_the_tick_rate() {
        assert_eq!(WORK.per_core(), PerCore::Agents(5_000));
        let slower = Work {
            tick_rate: 30,
            ..WORK
        };
        assert_eq!(slower.per_core(), PerCore::Agents(10_000));
    }

    #[test]
    fn what_is_too_little_gives_no_figure() {
        let short = Work { ticks: 59, ..WORK };
        let few = Work { agents: 99, ..WORK };
        let quick = Work {
            processor: Some(Duration::from_millis(99)),
            ..WORK
        };
        for work in [short, few, quick] {
            assert_eq!(work.per_core(), PerCore::TooLittle, "{work:?}");
        }
        let unmeasured = Work {
            processor: None,
            ..WORK
        };
        assert_eq!(unmeasured.per_core(), PerCore::Unmeasured);
    }
}
