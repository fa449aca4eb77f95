//! Two tapes: where they part, and why (TAPE-6).

use std::fmt;

use statewright::Machine;

use crate::difference::{Difference, WhatDiffers, by_bytes, name};
use crate::file::{Checkpoint, Damaged, Item, Player, Tape};
use crate::record::{Record, TapeInput, TickProof, Wrong};
use crate::shadow::Shadow;

/// Where two tapes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parting {
    /// They are of different machines or versions.
    Machine,
    /// They begin with different crowds, or at different ticks.
    Beginning {
        /// First tick of each.
        ticks: [u64; 2],
    },
    /// Something else entered.
    Input {
        /// The tick that came next.
        tick: u64,
        /// Inputs before it in the same tick, which are the same.
        same: usize,
        /// What entered in each, in words; `None` if nothing more did.
        inputs: [Option<String>; 2],
    },
    /// The same entered and something else came of it; the second tape is `now`.
    Outcome(Difference),
    /// One has a checkpoint that the other does not have, or another one there.
    Checkpoint {
        /// The tick that comes next.
        tick: u64,
    },
    /// One goes on.
    Length {
        /// Ticks that both have.
        ticks: u64,
        /// Whether it is the first that goes on.
        first_is_longer: bool,
    },
}

impl fmt::Display for Parting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => f.write_str("the tapes are of different machines or versions"),
            Self::Beginning { ticks: [one, two] } if one == two => {
                write!(f, "the tapes begin at tick {one} with different crowds")
            }
            Self::Beginning { ticks: [one, two] } => {
                write!(f, "the tapes begin at different ticks: {one} and {two}")
            }
            Self::Input { tick, same, inputs } => {
                write!(f, "before tick {tick}, after {same} equal inputs:")?;
                for (side, input) in ["first", "second"].iter().zip(inputs) {
                    let input = input.as_deref().unwrap_or("nothing more");
                    write!(f, "\n  {side}: {input}")?;
                }
                Ok(())
            }
            Self::Outcome(difference) => {
                write!(
                    f,
                    "equal inputs, but (first is the tape, second is now)\n{difference}"
                )
            }
            Self::Checkpoint { tick } => write!(
                f,
                "before tick {tick} the checkpoints differ; the tapes do not say since when"
            ),
            Self::Length {
                ticks,
                first_is_longer,
            } => {
                let side = if *first_is_longer { "first" } else { "second" };
                write!(f, "equal for {ticks} ticks; then the {side} goes on")
            }
        }
    }
}

/// Everything from one tick to the next.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stretch {
    inputs: Vec<TapeInput>,
    /// What user code of sealed agents said and did.
    calls: Vec<Box<[u8]>>,
    /// Restored by the host, or regular ones between.
    checkpoints: Vec<Checkpoint>,
    tick: Option<TickProof>,
}

/// One of two tapes on its way.
struct Side<'t> {
    player: Player<'t>,
    shadow: Shadow,
    has_changes: bool,
    /// Whether the bytes of some agents are not known.
    is_partial: bool,
    now: u64,
}

impl<'t> Side<'t> {
    /// Whether it says what agents are.
    fn tells_agents(&self) -> bool {
        self.has_changes && !self.is_partial
    }

    /// Its first checkpoint, and what follows.
    fn new(tape: &'t Tape<'_>) -> Result<(Self, Option<Checkpoint>), Damaged> {
        let mut player = tape.play();
        let first = match player.next_item()? {
            Some(Item::Checkpoint(checkpoint)) => Some(checkpoint),
            Some(Item::Record(_)) | None => None,
        };
        let side = Self {
            player,
            shadow: Shadow::default(),
            has_changes: false,
            is_partial: false,
            now: first.as_ref().map_or(0, |first| first.tick),
        };
        Ok((side, first))
    }

    /// Up to the end of the next tick.
    fn next(&mut self) -> Result<Stretch, Damaged> {
        let mut stretch = Stretch::default();
        while let Some(item) = self.player.next_item()? {
            match item {
                Item::Checkpoint(checkpoint) => {
                    self.now = checkpoint.tick;
                    stretch.checkpoints.push(checkpoint);
                }
                Item::Record(Record::Input(input)) => stretch.inputs.push(input),
                Item::Record(Record::Calls(calls)) => stretch.calls.push(calls),
                // They follow from blackboards, and from whose answers are guesses.
                Item::Record(Record::Keys(_) | Record::Guessed(_)) => {}
                Item::Record(Record::Changed(changed)) => {
                    // A part of a tape says what changed, but not since what.
                    match self.shadow.apply(&changed) {
                        Ok(()) => self.has_changes = true,
                        Err(Wrong(_)) => self.is_partial = true,
                    }
                }
                Item::Record(Record::Tick(proof)) => {
                    stretch.tick = Some(proof);
                    self.now += 1;
                    break;
                }
            }
        }
        Ok(stretch)
    }
}

/// Where two tapes part; nothing if they tell the same.
pub fn compare(
    one: &Tape<'_>,
    two: &Tape<'_>,
    machine: &Machine,
) -> Result<Option<Parting>, Damaged> {
    if one.hashes() != two.hashes() {
        return Ok(Some(Parting::Machine));
    }
    let ((mut one, first), (mut two, second)) = (Side::new(one)?, Side::new(two)?);
    if first != second {
        let ticks = [one.now, two.now];
        return Ok(Some(Parting::Beginning { ticks }));
    }
    let mut ticks = 0;
    loop {
        let now = one.now;
        let (left, right) = (one.next()?, two.next()?);
        if let Some(parting) = parted((&one, &left), (&two, &right), now, machine) {
            return Ok(Some(parting));
        }
        match (left.tick, right.tick) {
            (Some(_), Some(_)) => ticks += 1,
            (None, None) => return Ok(None),
            (first, _) => {
                return Ok(Some(Parting::Length {
                    ticks,
                    first_is_longer: first.is_some(),
                }));
            }
        }
    }
}

/// What differs between two stretches.
fn parted(
    (one, left): (&Side<'_>, &Stretch),
    (two, right): (&Side<'_>, &Stretch),
    now: u64,
    machine: &Machine,
) -> Option<Parting> {
    let both_tick = left.tick.is_some() && right.tick.is_some();
    if left.inputs != right.inputs && both_tick {
        let pairs = left.inputs.iter().zip(&right.inputs);
        let same = pairs.take_while(|(one, two)| one == two).count();
        let told = |inputs: &[TapeInput]| inputs.get(same).map(|input| input.told(machine));
        return Some(Parting::Input {
            tick: now,
            same,
            inputs: [told(&left.inputs), told(&right.inputs)],
        });
    }
    let (first, second) = (left.tick?, right.tick?);
    let what = outcome(&first, &second, (one, two), machine);
    if let Some(what) = what {
        let later = None;
        let tick = now;
        return Some(Parting::Outcome(Difference { tick, what, later }));
    }
    // Those of one tape may be further apart; what stands at the same tick is the same.
    let differ = |one: &Checkpoint| {
        let mut same_tick = right.checkpoints.iter().filter(|two| two.tick == one.tick);
        same_tick.any(|two| two.snapshot != one.snapshot)
    };
    let found = left.checkpoints.iter().find(|one| differ(one));
    found.map(|checkpoint| Parting::Checkpoint {
        tick: checkpoint.tick,
    })
}

/// What differs between two ticks.
fn outcome(
    first: &TickProof,
    second: &TickProof,
    (one, two): (&Side<'_>, &Side<'_>),
    machine: &Machine,
) -> Option<WhatDiffers> {
    if let (Some(recorded), Some(replayed)) = (first.context, second.context)
        && recorded != replayed
    {
        return Some(WhatDiffers::Context { recorded, replayed });
    }
    let (left, right) = (first.digests?, second.digests?);
    if left == right {
        return None;
    }
    let sides = (one.tells_agents() && two.tells_agents())
        .then(|| one.shadow.first_difference_to(&two.shadow))
        .flatten();
    if let Some(sides) = sides {
        let boards = |one: &[u8], two: &[u8]| by_bytes("byte of the blackboard", one, two);
        return Some(name(machine, one.now, sides, boards));
    }
    Some(if left.crowd != right.crowd {
        WhatDiffers::Crowd
    } else if left.boards != right.boards {
        WhatDiffers::Blackboards
    } else {
        WhatDiffers::Commands
    })
}
