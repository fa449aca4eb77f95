//! The smallest tape that still shows something (TAPE-9).
//!
//! ```text
//!  tape ──▶ where does it first show? ──▶ fewer agents ──▶ fewer ticks ──▶ fewer inputs ──▶ payloads of 0
//! ```
//!
//! Every step is tried by running it: what does not show it any more, or needs answers that the tape
//! does not have, is taken back.

use std::collections::BTreeSet;
use std::ops::Range;

use statewright::{AgentId, Blackboard, Crowd, Tick};

use crate::file::{CheckpointReason, Item, Tape};
use crate::fork::{Fork, ForkError, tick};
use crate::record::TapeInput;
use crate::sealed::{Answers, SealedProgram, Unanswered};

type Agents = Crowd<Blackboard, Answers>;

/// Whether something is so after a tick; who shows it, if it is an agent.
pub type Condition<'c> = &'c mut dyn FnMut(&Agents, &Tick) -> Option<Option<AgentId>>;

/// A tape that was made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The tape, which is sealed.
    pub tape: Vec<u8>,
    /// The tick after which it shows.
    pub tick: u64,
    /// Who shows it.
    pub agent: Option<AgentId>,
    /// Agents at its beginning, before and now.
    pub agents: [u64; 2],
    /// Its ticks, before and now.
    pub ticks: [u64; 2],
    /// Its inputs, before and now.
    pub inputs: [u64; 2],
    /// Payloads that became 0.
    pub payloads: u64,
}

/// What is left of a tape.
#[derive(Clone, Debug, Default)]
struct Candidate {
    /// Ticks.
    ticks: Range<u64>,
    /// Agents at the beginning that are taken away, in order.
    without: BTreeSet<AgentId>,
    /// Inputs that are left out, by their place among those of the ticks.
    dropped: BTreeSet<u64>,
    /// Inputs whose payload is 0.
    zeroed: BTreeSet<u64>,
}

/// The smallest tape found in which something is still so; nothing if it never is. At least `before`
/// ticks before it are kept. `tried` hears how many runs were made.
pub fn shrink(
    tape: &Tape<'_>,
    condition: Condition<'_>,
    before: u64,
    tried: impl FnMut(u64),
) -> Result<Option<Shrunk>, ForkError> {
    let start = tape.checkpoints().next().unwrap_or(0);
    let mut search = Search {
        tape,
        condition,
        tried,
        runs: 0,
    };
    let mut best = Candidate {
        ticks: start..u64::MAX,
        ..Candidate::default()
    };
    let mut shows = search.shows(&best)?;
    // Where others are chosen another run ends: each of them is a tape of its own.
    let mut others = others_at(tape)?.into_iter();
    while shows.is_none()
        && let Some(start) = others.next()
    {
        best.ticks.start = start;
        shows = search.shows(&best)?;
    }
    let Some((end, agent)) = shows else {
        return Ok(None);
    };
    let start = best.ticks.start;
    best.ticks.end = end + 1;
    let agents = search.agents_at(start)?;
    // Ticks before agents: who is there depends on the first of them.
    best.ticks.start = search.latest_start(&best, (start, end.saturating_sub(before)))?;
    let there = search.agents_at(best.ticks.start)?;
    search.drop_agents(&mut best, &there, agent)?;
    let places = search.inputs(&best)?;
    let all: Vec<u64> = places.iter().map(|(place, _)| *place).collect();
    search.minimize(&mut best, &all, |candidate, places| {
        candidate.dropped.extend(places);
    })?;
    let carries = |input: &TapeInput| match input {
        TapeInput::Send(_, event)
        | TapeInput::Broadcast(event)
        | TapeInput::Message { event, .. } => event.words() != [0; 4],
        _ => false,
    };
    let left = places.iter().filter(|(_, input)| carries(input));
    let left: Vec<u64> = left
        .map(|(place, _)| *place)
        .filter(|place| !best.dropped.contains(place))
        .collect();
    search.minimize(&mut best, &left, |candidate, places| {
        candidate.zeroed.extend(places);
    })?;
    let (tick, agent) = search.shows(&best)?.unwrap_or((end, agent));
    let index = tape.index().map_err(ForkError::Damaged)?;
    Ok(Some(Shrunk {
        tape: search.write(&best)?,
        tick,
        agent,
        agents: [agents.len(), there.len() - best.without.len()].map(|count| count as u64),
        ticks: [index.ticks, best.ticks.end - best.ticks.start],
        inputs: [index.inputs, (places.len() - best.dropped.len()) as u64],
        payloads: best.zeroed.len() as u64,
    }))
}

/// Ticks before which others are chosen.
fn others_at(tape: &Tape<'_>) -> Result<Vec<u64>, ForkError> {
    let (mut player, mut ticks) = (tape.play(), Vec::new());
    while let Some(item) = player.next_item().map_err(ForkError::Damaged)? {
        if let Item::Checkpoint(checkpoint) = item
            && checkpoint.why == CheckpointReason::Chosen
        {
            ticks.push(checkpoint.tick);
        }
    }
    Ok(ticks)
}

struct Search<'s, 'b, F> {
    tape: &'s Tape<'b>,
    condition: Condition<'s>,
    tried: F,
    runs: u64,
}

impl<F: FnMut(u64)> Search<'_, '_, F> {
    /// Runs up to a tick, as recorded.
    fn agents_at(&mut self, at: u64) -> Result<Vec<AgentId>, ForkError> {
        let sealed = SealedProgram::of(self.tape)?;
        let mut replay = sealed.replay(self.tape, at)?;
        while replay.crowd().now() < at && replay.step(|crowd| sealed.tick(crowd))? {}
        Ok(replay.crowd().agents().collect())
    }

    /// Whether a candidate shows it, when, and who does. One that needs guesses does not.
    fn shows(
        &mut self,
        candidate: &Candidate,
    ) -> Result<Option<(u64, Option<AgentId>)>, ForkError> {
        self.runs += 1;
        (self.tried)(self.runs);
        let sealed = SealedProgram::answering(self.tape, Unanswered::Guessed)?;
        let Range { start, end } = candidate.ticks;
        let mut replay = sealed.replay(self.tape, start)?;
        while replay.crowd().now() < start {
            if !replay.step(|crowd| sealed.tick(crowd))? {
                return Ok(None);
            }
        }
        let (mut place, edits) = (0, candidate.clone());
        replay.fork(move |_, _, input| match input {
            TapeInput::Message { is_own: true, .. } => None,
            input => edits.edit(&mut place, input),
        });
        for &agent in &candidate.without {
            // It was there when the list was made.
            _ = replay.crowd_mut().despawn(agent);
        }
        let mut found = None;
        while found.is_none() && replay.crowd().now() < end {
            let now = replay.crowd().now();
            let condition = &mut *self.condition;
            let more = replay.step(|crowd| {
                let ticked = tick(&sealed, crowd);
                found = condition(crowd, &ticked).map(|agent| (now, agent));
                None
            })?;
            if !more || !sealed.answers().guessed().is_empty() {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// The latest tick in a range from which on it still shows, and not at once.
    fn latest_start(
        &mut self,
        best: &Candidate,
        (mut low, high): (u64, u64),
    ) -> Result<u64, ForkError> {
        let mut high = high;
        let from = |start: u64| Candidate {
            ticks: start..best.ticks.end,
            ..best.clone()
        };
        // The run up to any tick is the recorded one, so that nearly always the latest will do.
        while low < high {
            if self.shows(&from(high))?.is_some() {
                return Ok(high);
            }
            let middle = low + (high - low) / 2;
            match self.shows(&from(middle))? {
                Some(_) => low = middle.max(low + 1),
                None => high = middle,
            }
        }
        Ok(low)
    }

    fn drop_agents(
        &mut self,
        best: &mut Candidate,
        there: &[AgentId],
        shows_it: Option<AgentId>,
    ) -> Result<(), ForkError> {
        let others = there.iter().copied().filter(|&one| Some(one) != shows_it);
        let others: Vec<AgentId> = others.collect();
        self.minimize(best, &others, |candidate, agents| {
            candidate.without.extend(agents);
        })
    }

    /// Leaves out as many as possible: all at once, then halves, quarters and so on.
    fn minimize<T: Copy>(
        &mut self,
        best: &mut Candidate,
        all: &[T],
        mut leave_out: impl FnMut(&mut Candidate, &[T]),
    ) -> Result<(), ForkError> {
        let mut left = all.to_vec();
        let mut size = left.len();
        while size > 0 {
            let mut kept = Vec::new();
            for part in left.chunks(size) {
                let mut candidate = best.clone();
                leave_out(&mut candidate, part);
                match self.shows(&candidate)? {
                    Some(_) => *best = candidate,
                    None => kept.extend_from_slice(part),
                }
            }
            left = kept;
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(())
    }

    /// Inputs of the ticks that are left, with their places.
    fn inputs(&mut self, best: &Candidate) -> Result<Vec<(u64, TapeInput)>, ForkError> {
        let sealed = SealedProgram::answering(self.tape, Unanswered::Guessed)?;
        let Range { start, end } = best.ticks;
        let mut replay = sealed.replay(self.tape, start)?;
        while replay.crowd().now() < start && replay.step(|crowd| sealed.tick(crowd))? {}
        let (sender, found) = std::sync::mpsc::channel();
        let mut place = 0;
        replay.fork(move |tick, _, input| {
            let own = matches!(input, TapeInput::Message { is_own: true, .. });
            if !own && tick < end {
                // Nobody stops listening before the run is over.
                _ = sender.send((place, input.clone()));
            }
            place += u64::from(!own);
            Some(input)
        });
        while replay.crowd().now() < end && replay.step(|crowd| sealed.tick(crowd))? {}
        drop(replay);
        Ok(found.into_iter().collect())
    }

    /// The tape of a candidate.
    fn write(&mut self, best: &Candidate) -> Result<Vec<u8>, ForkError> {
        let mut place = 0;
        let fork = Fork {
            at: best.ticks.start,
            to: Some(best.ticks.end - 1),
            keep: &mut |_, input| best.edit(&mut place, input),
            machine: None,
            prepare: &mut |crowd| {
                for &agent in &best.without {
                    // It was there when the list was made.
                    _ = crowd.despawn(agent);
                }
            },
            before: &mut |_| (),
            ticked: &mut |_| (),
        };
        Ok(fork.run(self.tape)?.tape)
    }
}

impl Candidate {
    /// What becomes of an input.
    fn edit(&self, place: &mut u64, input: TapeInput) -> Option<TapeInput> {
        let own = *place;
        *place += 1;
        if self.dropped.contains(&own) {
            return None;
        }
        if !self.zeroed.contains(&own) {
            return Some(input);
        }
        Some(match input {
            TapeInput::Send(to, event) => TapeInput::Send(to, event.with_words([0; 4])),
            TapeInput::Broadcast(event) => TapeInput::Broadcast(event.with_words([0; 4])),
            TapeInput::Message { to, event, is_own } => {
                let event = event.with_words([0; 4]);
                TapeInput::Message { to, event, is_own }
            }
            other => other,
        })
    }
}
