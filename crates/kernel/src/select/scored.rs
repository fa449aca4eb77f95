//! Scored transitions of one trigger and priority: judged together, the best wins (SEL-3).

use statewright_rom::Reaction;
use statewright_rom::ids::*;
use statewright_rom::layout::*;

use crate::fault::Fault;
use crate::host::trace::Reason;
use crate::instance::leaves::Leaves;
use crate::select::conditions::Candidate;
use crate::select::groups::Group;
use crate::select::{Answer, Ask, Member};
use crate::tick::Tick;

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
            .any(|other| group.is_rival(self.cx, other, candidate))
        {
            return Ok(Answer::NoMatch);
        }
        self.ask_scored(ask, leaves, group, candidate)
    }

    /// A group of scored transitions: all guards, then all scores, then the best that may leave.
    /// Kept apart so that others do not pay for the buffer.
    #[inline(never)]
    fn ask_scored(
        &mut self,
        ask: &Ask,
        leaves: &Leaves,
        group: &Group<'_>,
        first: &Candidate<'_>,
    ) -> Result<Answer, Fault> {
        let mut scores: [Option<(TransitionId, f32)>; MAX_SCORED] = [None; MAX_SCORED];
        let mut count = 0_usize;
        for member in group.members {
            let Some(Reaction::Transition(id)) = Reaction::read(member) else {
                continue;
            };
            if !group.is_rival(self.cx, member, first) {
                continue;
            }
            let Some(candidate) = self.cx.candidate(id) else {
                continue;
            };
            let cell = scores.get_mut(count).ok_or(Fault::BadPlan)?;
            if self.is_enabled(&candidate, ask.cause) {
                *cell = Some((id, f32::NAN));
            }
            count = count.saturating_add(1);
        }
        for cell in scores.iter_mut().flatten() {
            if let Some(candidate) = self.cx.candidate(cell.0) {
                cell.1 = self.score(&candidate, ask.cause);
            }
        }
        Ok(self.best_of(&mut scores, ask, leaves))
    }

    /// Bound: each round removes one.
    fn best_of(
        &mut self,
        scores: &mut [Option<(TransitionId, f32)>; MAX_SCORED],
        ask: &Ask,
        leaves: &Leaves,
    ) -> Answer {
        for _ in 0..MAX_SCORED {
            let best = scores
                .iter_mut()
                .filter(|cell| cell.is_some())
                .reduce(better);
            let Some((id, score)) = best.and_then(Option::take) else {
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
                    .flatten()
                    .for_each(|&(id, _)| self.reject(id, Reason::NotReached));
                return answer;
            }
        }
        Answer::NoMatch
    }
}

/// The one with the higher score; the first of equal ones.
fn better<'s>(
    best: &'s mut Option<(TransitionId, f32)>,
    other: &'s mut Option<(TransitionId, f32)>,
) -> &'s mut Option<(TransitionId, f32)> {
    let number = |score: f32| {
        if score.is_nan() {
            f32::NEG_INFINITY
        } else {
            score
        }
    };
    let score = |cell: &Option<(TransitionId, f32)>| {
        cell.map_or(f32::NEG_INFINITY, |(_, score)| number(score))
    };
    if score(other) > score(best) {
        other
    } else {
        best
    }
}
