//! Two tapes: where they part, and why (TAPE-6).

use std::fmt;

use statewright::Machine;

use crate::difference::{Between, Difference, WhatDiffers, by_bytes, name};
use crate::file::{Checkpoint, CheckpointReason, Damaged, Item, Player, Tape, TapeReload};
use crate::hashes::Hashes;
use crate::outputs::{Lanes, Output};
use crate::record::{Record, TapeInput, TickProof, Wrong};
use crate::recording::Proof;
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
    /// The machine was reloaded in one and not in the other, or became another one there.
    Reload {
        /// The tick that came next.
        tick: u64,
        /// The reload of each, in words; `None` if there is none.
        reloads: [Option<String>; 2],
    },
    /// The same entered and something else came of it; the second tape is `replayed`.
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
                both(f, inputs, "nothing more")
            }
            Self::Reload { tick, reloads } => {
                write!(f, "before tick {tick}, after equal inputs:")?;
                both(f, reloads, "no reload")
            }
            Self::Outcome(difference) => {
                f.write_str("equal inputs, but\n")?;
                difference.tell(f, Between::Tapes)
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

/// What each tape says, on a line of its own.
fn both(f: &mut fmt::Formatter<'_>, told: &[Option<String>; 2], nothing: &str) -> fmt::Result {
    for (side, told) in ["first", "second"].iter().zip(told) {
        write!(f, "\n  {side}: {}", told.as_deref().unwrap_or(nothing))?;
    }
    Ok(())
}

/// Everything from one tick to the next.
#[derive(Debug, Default, PartialEq, Eq)]
struct Stretch {
    inputs: Vec<TapeInput>,
    /// Reloads, and how many inputs came before each.
    reloads: Vec<(usize, TapeReload)>,
    /// What user code of sealed agents said and did.
    calls: Vec<Box<[u8]>>,
    /// Commands, of all lanes that the tape keeps.
    outputs: Vec<Output>,
    /// Restored by the host, or regular ones between.
    checkpoints: Vec<Checkpoint>,
    tick: Option<TickProof>,
}

/// One of two tapes on its way.
struct Side<'t> {
    player: Player<'t>,
    shadow: Shadow,
    has_changes: bool,
    /// What agents come to, if it says so.
    hashes: Option<Hashes>,
    has_hashes: bool,
    /// Whether the bytes of some agents are not known.
    is_partial: bool,
    /// Whether it is of chosen agents alone.
    is_part: bool,
    /// Lanes whose commands it keeps.
    lanes: Lanes,
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
            Some(Item::Record(_) | Item::Reload(_)) | None => None,
        };
        let mut side = Self {
            player,
            shadow: Shadow::default(),
            has_changes: false,
            hashes: None,
            has_hashes: tape.proof() == Some(Proof::Agents),
            is_partial: false,
            is_part: tape.is_part(),
            lanes: tape.lanes(),
            now: first.as_ref().map_or(0, |first| first.tick),
        };
        if let Some(first) = &first {
            side.choose(first)?;
        }
        Ok((side, first))
    }

    /// Of a tape of chosen agents: those of a checkpoint. All that is known of them is told behind it.
    fn choose(&mut self, checkpoint: &Checkpoint) -> Result<(), Damaged> {
        if !self.is_part {
            return Ok(());
        }
        let agents = checkpoint.chosen()?;
        let indices: Vec<u32> = agents.iter().map(|agent| agent.index).collect();
        if self.has_hashes {
            self.hashes = Some(Hashes::of_some(indices.clone()));
        }
        self.shadow = Shadow::of_some(indices);
        (self.has_changes, self.is_partial) = (false, false);
        Ok(())
    }

    /// Up to the end of the next tick.
    fn next(&mut self) -> Result<Stretch, Damaged> {
        let mut stretch = Stretch::default();
        while let Some(item) = self.player.next_item()? {
            match item {
                Item::Checkpoint(checkpoint) => {
                    self.now = checkpoint.tick;
                    if checkpoint.why == CheckpointReason::Chosen {
                        self.choose(&checkpoint)?;
                    }
                    stretch.checkpoints.push(checkpoint);
                }
                Item::Reload(reload) => stretch.reloads.push((stretch.inputs.len(), reload)),
                Item::Record(Record::Input(input)) => stretch.inputs.push(input),
                Item::Record(Record::Calls(calls)) => stretch.calls.push(calls),
                // They follow from blackboards, and from whose answers are guesses.
                Item::Record(Record::Keys(_) | Record::Guessed(_)) => {}
                Item::Record(Record::Output(output)) => stretch.outputs.push(output),
                Item::Record(Record::Hash(hash)) => {
                    let applied = self.hashes.get_or_insert_default().apply(&hash);
                    self.is_partial |= applied.is_err();
                }
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
    let (mut ticks, mut machine) = (0, machine.clone());
    loop {
        let now = one.now;
        let (left, right) = (one.next()?, two.next()?);
        let [before, after] = versions(&machine, &left);
        if let Some(parting) = parted((&one, &left), (&two, &right), now, [&before, &after]) {
            return Ok(Some(parting));
        }
        machine = after;
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

/// The machine before a stretch and after it. One that is refused has no names.
fn versions(machine: &Machine, stretch: &Stretch) -> [Machine; 2] {
    let last = stretch.reloads.last();
    let after = last.and_then(|(_, reload)| reload.machine().ok());
    [machine.clone(), after.unwrap_or_else(|| machine.clone())]
}

/// The first reload that one has and the other has not.
fn reloads_parted(left: &Stretch, right: &Stretch, tick: u64) -> Option<Parting> {
    let told = |stretch: &Stretch, place: usize| {
        let reload = stretch.reloads.get(place);
        reload.map(|(_, reload)| (reload.hashes, reload.told()))
    };
    let most = left.reloads.len().max(right.reloads.len());
    let place = (0..most).find(|&place| told(left, place) != told(right, place))?;
    Some(Parting::Reload {
        tick,
        reloads: [left, right].map(|side| told(side, place).map(|(_, words)| words)),
    })
}

/// What differs between two stretches.
fn parted(
    (one, left): (&Side<'_>, &Stretch),
    (two, right): (&Side<'_>, &Stretch),
    now: u64,
    [before, machine]: [&Machine; 2],
) -> Option<Parting> {
    let both_tick = left.tick.is_some() && right.tick.is_some();
    if both_tick && let Some(parting) = reloads_parted(left, right, now) {
        return Some(parting);
    }
    if left.inputs != right.inputs && both_tick {
        let pairs = left.inputs.iter().zip(&right.inputs);
        let same = pairs.take_while(|(one, two)| one == two).count();
        // An input is told by the machine that it entered.
        let reloaded = left.reloads.first().is_some_and(|(at, _)| same >= *at);
        let names = if reloaded { machine } else { before };
        let told = |inputs: &[TapeInput]| inputs.get(same).map(|input| input.told(names));
        return Some(Parting::Input {
            tick: now,
            same,
            inputs: [told(&left.inputs), told(&right.inputs)],
        });
    }
    let (first, second) = (left.tick?, right.tick?);
    let what = outcome(&first, &second, (one, two), machine)
        .or_else(|| other_output((one, left), (two, right), machine));
    if let Some(what) = what {
        let later = None;
        let tick = now;
        return Some(Parting::Outcome(Difference { tick, what, later }));
    }
    // Those of one tape may be further apart; what stands at the same tick is the same.
    let differ = |one: &Checkpoint| {
        let there = |two: &&Checkpoint| two.tick == one.tick && two.why == one.why;
        let mut same_place = right.checkpoints.iter().filter(there).peekable();
        same_place.peek().is_some() && same_place.all(|two| two.snapshot != one.snapshot)
    };
    let found = left.checkpoints.iter().find(|one| differ(one));
    found.map(|checkpoint| Parting::Checkpoint {
        tick: checkpoint.tick,
    })
}

/// The first command of lanes that both tapes keep which one has and the other has not.
fn other_output(
    (one, left): (&Side<'_>, &Stretch),
    (two, right): (&Side<'_>, &Stretch),
    machine: &Machine,
) -> Option<WhatDiffers> {
    let lanes = one.lanes.both(two.lanes);
    let kept = |stretch: &Stretch| -> Vec<Output> {
        let outputs = stretch.outputs.iter();
        outputs
            .filter(|output| output.is_in(lanes))
            .cloned()
            .collect()
    };
    let (left, right) = (kept(left), kept(right));
    let most = left.len().max(right.len());
    let place = (0..most).find(|&place| left.get(place) != right.get(place))?;
    let told = |side: &[Output]| side.get(place).map(|output| output.told(machine));
    Some(WhatDiffers::Output {
        recorded: told(&left),
        replayed: told(&right),
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
    if let (Some(one), Some(two)) = (&one.hashes, &two.hashes)
        && let Some(agent) = one.first_difference_to(two)
    {
        return Some(WhatDiffers::Other { agent });
    }
    Some(if left.crowd != right.crowd {
        WhatDiffers::Crowd
    } else if left.boards != right.boards {
        WhatDiffers::Blackboards
    } else {
        WhatDiffers::Commands
    })
}
