//! Scored transitions of one trigger and priority: judged together, the best wins (SEL-3).

use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::fault::Fault;
use crate::host::trace::Reason;
use crate::instance::leaves::Leaves;
use crate::select::conditions::Candidate;
use crate::select::groups::Group;
use crate::select::{Answer, Ask, Member};
use crate::tick::Tick;

/// A candidate that is enabled, with its score. They lie on the stack while user code runs: kept
/// small.
#[derive(Clone, Copy, Debug)]
struct Scored {
    /// Raw; `NONE` if it is out of the question.
    id: u16,
    score: f32,
}

impl Scored {
    const NONE: Self = Self {
        id: NONE,
        score: f32::NAN,
    };

    fn transition(&self) -> Option<TransitionId> {
        TransitionId::new(self.id)
    }

    /// Its score as it is compared.
    fn number(&self) -> f32 {
        if self.id == NONE || self.score.is_nan() {
            f32::NEG_INFINITY
        } else {
            self.score
        }
    }
}

/// Members of most groups: more need a larger buffer, and every look at it takes longer.
const FEW: usize = 8;

impl Tick<'_, '_> {
    /// Judges a group of scored transitions at the place of its first member.
    pub(super) fn ask_first_scored(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
        (place, candidate): (usize, &Candidate<'_>),
    ) -> Result<Answer, Fault> {
        // Members are sorted by priority.
        let earlier = self.cx.proved(group.members.get(..place));
        let earlier = earlier.unwrap_or(&[]).iter().rev();
        let equal = |other: &&Member| self.cx.has_priority(other, candidate.priority());
        if earlier
            .take_while(equal)
            .any(|other| group.rival(self.cx, other, candidate).is_some())
        {
            return Ok(Answer::NoMatch);
        }
        if group.members.len() <= FEW {
            self.ask_scored::<FEW>(ask, leaves, group, candidate)
        } else {
            self.ask_scored::<MAX_SCORED>(ask, leaves, group, candidate)
        }
    }

    /// A group of scored transitions: all guards, then all scores, then the best that may leave.
    /// Kept apart so that others do not pay for the buffer.
    #[inline(never)]
    fn ask_scored<const MOST: usize>(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
        first: &Candidate<'_>,
    ) -> Result<Answer, Fault> {
        let mut scores = [Scored::NONE; MOST];
        let mut count = 0_usize;
        for member in group.members {
            let Some(candidate) = group.rival(self.cx, member, first) else {
                continue;
            };
            let cell = scores.get_mut(count).ok_or(Fault::BadPlan)?;
            if self.is_enabled(&candidate, ask.cause) {
                cell.id = candidate.id.raw();
            }
            count = count.saturating_add(1);
        }
        let scores = self.cx.proved(scores.get_mut(..count)).unwrap_or_default();
        for cell in scores.iter_mut() {
            let candidate = cell.transition().and_then(|id| self.cx.candidate(id));
            if let Some(candidate) = candidate {
                cell.score = self.score(&candidate, ask.cause);
            }
        }
        Ok(self.best_of(scores, ask, leaves))
    }

    /// Bound: each round removes one.
    fn best_of(&mut self, scores: &mut [Scored], ask: &Ask, leaves: &Leaves) -> Answer {
        for _ in 0..scores.len() {
            let best = scores
                .iter_mut()
                .filter(|cell| cell.id != NONE)
                .reduce(better);
            let Some(best) = best else { break };
            let Scored { id, score } = core::mem::replace(best, Scored::NONE);
            let Some(id) = TransitionId::new(id) else {
                break;
            };
            let Some(candidate) = self.cx.candidate(id) else {
                break;
            };
            let threshold = self.threshold(&candidate, ask.cause);
            // NaN is below any threshold, and any score is below a threshold of NaN.
            if score.is_nan() || threshold.is_nan() || score < threshold {
                self.reject(id, Reason::BelowThreshold);
                continue;
            }
            let exit = self.may_leave(&candidate, ask.cause, leaves);
            let answer = self.answer(ask, &candidate, exit);
            if !matches!(answer, Answer::NoMatch) {
                scores
                    .iter()
                    .filter_map(Scored::transition)
                    .for_each(|id| self.reject(id, Reason::NotReached));
                return answer;
            }
        }
        Answer::NoMatch
    }
}

/// The one with the higher score; the first of equal ones.
fn better<'s>(best: &'s mut Scored, other: &'s mut Scored) -> &'s mut Scored {
    if other.number() > best.number() {
        other
    } else {
        best
    }
}
