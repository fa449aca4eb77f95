//! Two peers who should have had the same run and did not: tick, agent, field and cause.
//!
//! Both tapes are run again side by side, tick by tick, with the same program:
//!
//! ```text
//!  tape of one  ──▶ replay ──▶ crowd ─┐
//!                                     ├─ the first tick after which they differ: whose field, and why
//!  tape of two  ──▶ replay ──▶ crowd ─┘
//! ```
//!
//! There are three causes. Another **input** stands on one tape. Or one tape **does not run again** to
//! what it says: something changed that crowd without an input, or user code there does not answer the
//! same twice. Or the hosts gave their agents another **context**.

use std::fmt;

use statewright::{Board, Context, Crowd, Saved};

use crate::compare::{Parting, compare};
use crate::difference::{WhatDiffers, keys, name};
use crate::file::Tape;
use crate::programs::Programs;
use crate::replay::{Replay, ReplayError};
use crate::shadow::Shadow;

/// Which of two peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// The one whose tape was given first.
    First,
    /// The other.
    Second,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "the first",
            Self::Second => "the second",
        })
    }
}

/// Why two runs are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Something else entered.
    Input {
        /// The tick that came next.
        tick: u64,
        /// What entered with each, in words; `None` if nothing more did.
        inputs: [Option<String>; 2],
    },
    /// The run of one of them is not what its own tape makes of the same inputs.
    NotRepeated(Peer),
    /// The hosts said that their contexts differ.
    Context,
    /// They began with different crowds.
    Beginning,
    /// The tapes do not say: neither has a digest of each tick.
    Unknown,
}

/// Where two runs part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Desync {
    /// The tick after which it shows.
    pub tick: u64,
    /// What differs. The first peer is `recorded`, the second `replayed`; if a run is
    /// [not repeated](Cause::NotRepeated), what its own tape says, and what comes of it again.
    pub what: WhatDiffers,
    /// Why.
    pub cause: Cause,
}

impl fmt::Display for Desync {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = match self.cause {
            Cause::NotRepeated(_) => ["as it was", "again"],
            Cause::Input { .. } | Cause::Context | Cause::Beginning | Cause::Unknown => {
                ["with the first", "with the second"]
            }
        };
        write!(f, "tick {}: ", self.tick)?;
        match &self.what {
            WhatDiffers::Agent { agent, fields } => {
                write!(f, "{agent} differs")?;
                for field in fields {
                    let shown = |text: &str| match text {
                        "" => "nothing".to_owned(),
                        text => text.to_owned(),
                    };
                    let (one, two) = (shown(&field.recorded), shown(&field.replayed));
                    let [first, second] = sides;
                    write!(f, "\n  {}: {one} {first}, {two} {second}", field.field)?;
                }
            }
            WhatDiffers::Presence { agent, on_tape } => {
                let side = if *on_tape { sides[0] } else { sides[1] };
                write!(f, "{agent} is there only {side}")?;
            }
            what @ (WhatDiffers::Context { .. }
            | WhatDiffers::Other { .. }
            | WhatDiffers::Output { .. }
            | WhatDiffers::Commands
            | WhatDiffers::Blackboards
            | WhatDiffers::Crowd) => what.fmt(f)?,
        }
        f.write_str("\nbecause ")?;
        match &self.cause {
            Cause::Input { tick, inputs } => {
                write!(f, "something else entered before tick {tick}:")?;
                for (peer, input) in [Peer::First, Peer::Second].iter().zip(inputs) {
                    let input = input.as_deref().unwrap_or("nothing more");
                    write!(f, "\n  {peer}: {input}")?;
                }
                Ok(())
            }
            Cause::NotRepeated(peer) => write!(
                f,
                "{peer} is not what its own inputs make of it: it was changed without an input, its functions do not answer the same twice, or they saw another context"
            ),
            Cause::Context => f.write_str("the contexts of the hosts differ"),
            Cause::Beginning => f.write_str("they begin with different crowds"),
            Cause::Unknown => {
                f.write_str("the tapes do not say: record them with a proof of each tick")
            }
        }
    }
}

/// Where the runs of two peers part, and why; nothing if they are the same as far as both go. `tick` ticks a
/// crowd once, as the host did, and gives the digest of the context if it has one.
///
/// For the name of a field at the tick itself, record with [`Proof::Bytes`](crate::Proof::Bytes); with digests
/// alone a run that is not repeated is named at its next checkpoint.
pub fn localize<B: Board + Saved, C: Context + ?Sized>(
    tapes: [&Tape<'_>; 2],
    programs: impl Into<Programs<B, C>>,
    mut tick: impl FnMut(&mut Crowd<B, C>) -> Option<u64>,
) -> Result<Option<Desync>, ReplayError> {
    let programs = programs.into();
    let mut sides = [
        Replay::new(tapes[0], programs.clone())?,
        Replay::new(tapes[1], programs)?,
    ];
    let parting = compare(tapes[0], tapes[1], sides[0].crowd().machine())?;
    if let Some(what) = differs(&sides) {
        let tick = sides[0].crowd().now().min(sides[1].crowd().now());
        let cause = Cause::Beginning;
        return Ok(Some(Desync { tick, what, cause }));
    }
    // Bound: each round is a tick of both tapes.
    loop {
        let now = sides[0].crowd().now();
        for (side, peer) in sides.iter_mut().zip([Peer::First, Peer::Second]) {
            match side.step(&mut tick) {
                Ok(true) => {}
                // One of them ends, and they were the same up to here.
                Ok(false) => return Ok(None),
                Err(ReplayError::Difference(found)) => {
                    return Ok(Some(not_repeated(*found, peer)));
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(what) = differs(&sides) {
            let cause = cause_of(parting, now);
            return Ok(Some(Desync {
                tick: now,
                what,
                cause,
            }));
        }
    }
}

/// A run is not what its own tape makes of it.
fn not_repeated(found: crate::difference::Difference, peer: Peer) -> Desync {
    let cause = match found.what {
        WhatDiffers::Context { .. } => Cause::Context,
        _ => Cause::NotRepeated(peer),
    };
    // What was seen at the next checkpoint says more, if there is nothing better.
    let (tick, what) = match (found.what, found.later) {
        (
            WhatDiffers::Crowd | WhatDiffers::Blackboards | WhatDiffers::Other { .. },
            Some((_, later)),
        ) => (found.tick, *later),
        (what, _) => (found.tick, what),
    };
    Desync { tick, what, cause }
}

/// The first thing that two crowds do not have in common.
fn differs<B: Board + Saved, C: Context + ?Sized>(
    sides: &[Replay<'_, B, C>; 2],
) -> Option<WhatDiffers> {
    let [one, two] = [0, 1].map(|side| sides[side].crowd());
    let same = one.digest() == two.digest() && one.boards_digest() == two.boards_digest();
    if same {
        return None;
    }
    let Some(found) = Shadow::of(one).first_difference(two, true) else {
        return Some(WhatDiffers::Crowd);
    };
    let program = two.program();
    let boards = |one: &[u8], two: &[u8]| keys(program, one, two);
    Some(name(program.machine(), two.now(), found, boards))
}

/// Why two runs part in a tick, by what stands on the tapes.
fn cause_of(parting: Option<Parting>, tick: u64) -> Cause {
    match parting {
        Some(Parting::Input {
            tick: at, inputs, ..
        }) if at <= tick => Cause::Input { tick: at, inputs },
        Some(Parting::Reload { tick: at, reloads }) if at <= tick => Cause::Input {
            tick: at,
            inputs: reloads,
        },
        Some(Parting::Outcome(found)) => match found.what {
            WhatDiffers::Context { .. } => Cause::Context,
            _ => Cause::Unknown,
        },
        _ => Cause::Unknown,
    }
}
