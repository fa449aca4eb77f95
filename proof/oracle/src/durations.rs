//! How long: literals, ranges, and seconds that are computed (LANG-2, LANG-3).

use statewright_author::duration::DurationSource;
use statewright_author::graph;
use statewright_author::value::{Duration, Literal, ParameterType};

use crate::code::{Reader, Site as Place};
use crate::model::{Delay, Trigger};
use crate::oracle::{Env, Oracle, Site};
use crate::world::Cause;

const LONGEST: u32 = statewright_author::limits::MAX_DURATION_TICKS;

/// Ticks are ceil(seconds x rate), below 1 or NaN is 1, at most 2^31 - 1.
fn ticks_of(seconds: f32, rate: u32) -> u32 {
    let product = seconds * rate as f32;
    if product.is_nan() || product < 1.0 {
        1
    } else if product >= LONGEST as f32 {
        LONGEST
    } else {
        product.ceil() as u32
    }
}

/// The seconds of a duration that is the value of a parameter: the f32 nearest to it that lasts as
/// many ticks as a literal of the same text; the nearest of all if none near it does.
pub(crate) fn seconds_of(text: &str, rate: u32) -> Literal {
    let duration = Duration::parse(text).expect("a duration");
    let exact = match duration {
        Duration::Nanos(nanos) => nanos as f64 / 1e9,
        Duration::Ticks(ticks) => ticks as f64 / f64::from(rate),
    };
    let wanted = duration.ticks(rate).expect("a duration that fits");
    let nearest = exact as f32;
    let bits = nearest.to_bits();
    let near = (0..=4).flat_map(|away| [bits.saturating_sub(away), bits + away]);
    let mut near = near.map(f32::from_bits);
    let found = near.find(|&seconds| ticks_of(seconds, rate) == wanted);
    Literal::Float(found.unwrap_or(nearest).into())
}

impl Reader<'_> {
    pub(crate) fn delay(&mut self, source: &DurationSource, place: Place) -> Delay {
        match source {
            DurationSource::Literal(duration) => Delay::Ticks(self.ticks(duration)),
            DurationSource::Range(low, high) => Delay::Range(self.ticks(low), self.ticks(high)),
            DurationSource::Code(text) => Delay::Seconds(self.code(text, place)),
        }
    }

    /// Do two timers of one state count as one? Literals with equal ticks do, and one parameter
    /// that is a duration; what is drawn or computed is one's own.
    pub(crate) fn are_one(&self, a: &DurationSource, b: &DurationSource) -> bool {
        match (a, b) {
            (DurationSource::Literal(a), DurationSource::Literal(b)) => {
                self.ticks(a) == self.ticks(b)
            }
            (DurationSource::Code(a), DurationSource::Code(b)) => a == b && self.is_duration(a),
            _ => false,
        }
    }

    fn is_duration(&self, name: &str) -> bool {
        let is = |parameter: &graph::Parameter| {
            parameter.name.value == name && parameter.ty.value == ParameterType::Duration
        };
        self.machine.parameters.iter().any(is)
    }
}

impl Oracle {
    /// The ticks of a duration, found now.
    pub(crate) fn delay(&mut self, env: &mut Env<'_>, delay: &Delay, site: &Site) -> u32 {
        match delay {
            Delay::Ticks(ticks) => *ticks,
            Delay::Range(low, high) => {
                let count = u64::from(high - low) + 1;
                low + ((u64::from(self.rng.next_u32()) * count) >> 32) as u32
            }
            Delay::Seconds(code) => {
                let seconds = self.value(env, code, site).float();
                ticks_of(seconds, self.model.tick_rate)
            }
        }
    }

    /// Taking an `every`: its duration is found, then the deadline moves on by the smallest
    /// multiple of it that lies after now.
    pub(crate) fn move_on(&mut self, env: &mut Env<'_>, timer: usize) {
        let model = self.model.clone();
        let record = &model.timers[timer];
        let site = Site {
            state: record.owner.expect("an `every` belongs to a state"),
            transition: model
                .transitions
                .iter()
                .position(|transition| transition.trigger == Trigger::Timer(timer)),
            cause: Cause::Timer(timer),
        };
        let delay = record.after.as_ref().expect("an `every` has a duration");
        let step = u64::from(self.delay(env, delay, &site));
        let list = self.timers.get_mut(&timer).expect("a due timer is armed");
        let late = u64::from(env.tick.wrapping_sub(list[0]));
        let multiple = (1..).map(|times| times * step);
        // One jump over what was missed, then step by step.
        let missed = late / step * step;
        let further = multiple.map(|more| missed + more).find(|&by| by > late);
        let by = further.expect("the numbers have no end");
        list[0] = list[0].wrapping_add(by as u32);
    }
}
