//! Runs a tape again against a program and stops at the first difference (TAPE-6). `inputs` lets inputs enter
//! again, `error` says why a tape was not run to its end.

mod error;
mod inputs;

use std::fmt;
use std::sync::Arc;

use statewright::{Board, Context, Crowd, Program, Reload, Saved};

use crate::boards::BoardDigests;
use crate::chosen::part_digests;
use crate::difference::{Difference, WhatDiffers, keys, name};
use crate::file::{Checkpoint, CheckpointReason, Damaged, Item, Player, Tape, TapeReload};
use crate::hashes::Hashes;
use crate::outputs::{Lanes, Output};
use crate::programs::Programs;
use crate::record::{Record, TapeInput, TickProof, Wrong};
use crate::recorder::commands_digest;
use crate::recording::Proof;
use crate::sealed::{Answers, Layout, SNAPSHOT_HEAD};
use crate::shadow::Shadow;
pub use error::ReplayError;

/// What was found to be the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Ticks that were run.
    pub ticks: u64,
    /// Inputs that entered.
    pub inputs: u64,
    /// Checkpoints that were compared byte by byte.
    pub checkpoints: u64,
    /// Ticks whose digests were compared.
    pub digests: u64,
    /// Reloads of the machine.
    pub reloads: u64,
    /// Commands of lanes that the tape keeps.
    pub outputs: u64,
}

/// A tape that is run again. An example stands at [`Recording`](crate::Recording).
pub struct Replay<'t, B, C: Context + ?Sized> {
    player: Player<'t>,
    programs: Programs<B, C>,
    program: Arc<Program<B, C>>,
    /// Whether the tape says what changed of each agent.
    has_changes: bool,
    /// Whether it says what each agent comes to.
    has_hashes: bool,
    /// Agents as the tape says, if it says what they come to.
    hashes: Option<Hashes>,
    crowd: Crowd<B, C>,
    /// Agents as the tape says, if it says what changed.
    shadow: Option<Shadow>,
    /// Where nobody knows more yet than that something differs.
    vague: Option<Difference>,
    boards: BoardDigests,
    /// Whether it is of some agents alone, and who is there is all that is.
    is_part: bool,
    /// Lanes whose commands the tape keeps, and those of the tick that comes.
    lanes: Lanes,
    outputs: Vec<Output>,
    verified: Verified,
    /// What user code says, if it is the tape that says it.
    sealed: Option<SealedSide>,
    /// What becomes of inputs, if this is another run than the one that was recorded.
    fork: Option<Box<dyn InputFilter + 't>>,
    /// The tick before which such a run ends because others are chosen there.
    others_at: Option<u64>,
}

/// What becomes of the inputs of a tape in another run: the tick that comes, the place of the input in
/// the tape, the input. Nothing if it is left out.
pub(crate) trait InputFilter: FnMut(u64, u64, TapeInput) -> Option<TapeInput> {}

impl<F: FnMut(u64, u64, TapeInput) -> Option<TapeInput>> InputFilter for F {}

/// What a replay without the game has beside the crowd.
struct SealedSide {
    answers: Arc<Answers>,
    layout: Layout,
    /// Calls of the tick that comes.
    calls: Vec<Box<[u8]>>,
    /// Keys of the blackboard that the next input brings.
    keys: Option<Box<[u8]>>,
}

impl<B, C: Context + ?Sized> fmt::Debug for Replay<'_, B, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("crowd", &self.crowd)
            .field("verified", &self.verified)
            .finish_non_exhaustive()
    }
}

impl<'t, B: Board + Saved, C: Context + ?Sized> Replay<'t, B, C> {
    /// From the beginning of the tape, by its program; by [`Programs::by`] if the machine was reloaded
    /// in it.
    pub fn new(
        tape: &'t Tape<'_>,
        programs: impl Into<Programs<B, C>>,
    ) -> Result<Self, ReplayError> {
        Self::from_tick(tape, programs, 0)
    }

    /// From the last checkpoint that stands before a tick or before an earlier one; else from the
    /// first.
    pub fn from_tick(
        tape: &'t Tape<'_>,
        programs: impl Into<Programs<B, C>>,
        tick: u64,
    ) -> Result<Self, ReplayError> {
        Self::start(tape, programs.into(), tick, None)
    }

    /// The same, where the tape may say what user code says.
    pub(crate) fn start(
        tape: &'t Tape<'_>,
        mut programs: Programs<B, C>,
        tick: u64,
        answers: Option<Arc<Answers>>,
    ) -> Result<Self, ReplayError> {
        let start = tape.start_before(tick);
        let program = programs.of(&tape.version_at(start)?)?;
        let sealed = answers.map(|answers| SealedSide {
            answers,
            layout: Layout::of(&program),
            calls: Vec::new(),
            keys: None,
        });
        let mut replay = Self {
            player: tape.play_from(start),
            crowd: Crowd::new(Arc::clone(&program), 0),
            programs,
            program,
            has_changes: tape.proof() == Some(Proof::Bytes),
            has_hashes: tape.proof() == Some(Proof::Agents),
            hashes: None,
            shadow: None,
            vague: None,
            boards: BoardDigests::default(),
            is_part: tape.is_part(),
            lanes: tape.lanes(),
            outputs: Vec::new(),
            verified: Verified::default(),
            sealed,
            fork: None,
            others_at: None,
        };
        match replay.player.next_item()? {
            Some(Item::Checkpoint(checkpoint)) => replay.become_checkpoint(&checkpoint)?,
            Some(Item::Record(_) | Item::Reload(_)) | None => return Err(ReplayError::Empty),
        }
        Ok(replay)
    }

    /// The crowd as it is now.
    pub fn crowd(&self) -> &Crowd<B, C> {
        &self.crowd
    }

    /// The crowd, for settings that change nothing: sleeping, chunks, traces.
    pub fn crowd_mut(&mut self) -> &mut Crowd<B, C> {
        &mut self.crowd
    }

    /// The tick before which a run that is another one ends because others are chosen there.
    pub(crate) fn others_at(&self) -> Option<u64> {
        self.others_at
    }

    /// Runs to the end. `tick` ticks the crowd once, as the host did when it recorded, and gives the
    /// digest of the context if it has one.
    pub fn run(
        &mut self,
        mut tick: impl FnMut(&mut Crowd<B, C>) -> Option<u64>,
    ) -> Result<Verified, ReplayError> {
        while self.step(&mut tick)? {}
        Ok(self.verified)
    }

    /// Runs one tick; `false` at the end of the tape.
    pub fn step(
        &mut self,
        mut tick: impl FnMut(&mut Crowd<B, C>) -> Option<u64>,
    ) -> Result<bool, ReplayError> {
        loop {
            self.enter_sent()?;
            match self.player.next_item()? {
                None => return self.at_end(),
                Some(Item::Checkpoint(checkpoint)) => match checkpoint.why {
                    CheckpointReason::Regular | CheckpointReason::Reloaded
                        if self.fork.is_some() => {}
                    // Whoever is chosen there is not in another run, and nothing is told of who was before.
                    CheckpointReason::Chosen if self.fork.is_some() => {
                        self.others_at = Some(checkpoint.tick);
                        return self.at_end();
                    }
                    CheckpointReason::Regular => self.compare_checkpoint(&checkpoint)?,
                    CheckpointReason::Reloaded => self.compare_reloaded(&checkpoint)?,
                    CheckpointReason::Restored | CheckpointReason::Chosen => {
                        // What differed before does not any more.
                        self.stop_if_vague()?;
                        self.become_checkpoint(&checkpoint)?;
                    }
                },
                Some(Item::Reload(reload)) => self.reload(&reload)?,
                Some(Item::Record(Record::Input(input))) => self.enter_or_not(input)?,
                Some(Item::Record(Record::Keys(keys))) => {
                    if let Some(sealed) = &mut self.sealed {
                        sealed.keys = Some(keys);
                    }
                }
                Some(Item::Record(Record::Calls(calls))) => {
                    if let Some(sealed) = &mut self.sealed {
                        sealed.calls.push(calls);
                    }
                }
                Some(Item::Record(Record::Guessed(_))) => {}
                Some(Item::Record(Record::Output(output))) => self.outputs.push(output),
                Some(Item::Record(Record::Hash(hash))) => {
                    if let Some(hashes) = &mut self.hashes {
                        let applied = hashes.apply(&hash);
                        applied.map_err(|Wrong(reason)| Damaged { offset: 0, reason })?;
                    }
                }
                Some(Item::Record(Record::Changed(_))) if self.fork.is_some() => {}
                Some(Item::Record(Record::Changed(changed))) => {
                    let crowd = &self.crowd;
                    let shadow = self.shadow.get_or_insert_with(|| Shadow::of(crowd));
                    let applied = shadow.apply(&changed);
                    applied.map_err(|Wrong(reason)| Damaged { offset: 0, reason })?;
                }
                Some(Item::Record(Record::Tick(proof))) => {
                    self.tick(&proof, &mut tick)?;
                    return Ok(true);
                }
            }
        }
    }

    fn at_end(&mut self) -> Result<bool, ReplayError> {
        self.stop_if_vague()?;
        Ok(false)
    }

    fn stop_if_vague(&mut self) -> Result<(), ReplayError> {
        let vague = self.vague.take();
        vague.map_or(Ok(()), |vague| {
            Err(ReplayError::Difference(Box::new(vague)))
        })
    }
}

/// Checkpoints.
impl<B: Board + Saved, C: Context + ?Sized> Replay<'_, B, C> {
    /// The crowd becomes what a checkpoint holds.
    fn become_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ReplayError> {
        self.restore(checkpoint)?;
        // What changed is told since the tick before, whatever enters until the next one is over.
        self.shadow = self.has_changes.then(|| Shadow::of(&self.crowd));
        self.hashes = self.has_hashes.then(|| Hashes::of(&self.crowd));
        self.boards.forget();
        let settings = checkpoint.settings.over(self.crowd.settings());
        let set = self.crowd.set_settings(settings);
        set.map_err(|error| ReplayError::Input {
            tick: checkpoint.tick,
            input: "the settings of the checkpoint".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(())
    }

    fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), ReplayError> {
        let tick = checkpoint.tick;
        let refused = |error| ReplayError::Checkpoint { tick, error };
        let plain = match &self.sealed {
            None => None,
            Some(sealed) => {
                let snapshot = sealed.layout.snapshot_of(self.crowd.machine(), checkpoint);
                Some(snapshot.ok_or(ReplayError::NotSealed)?)
            }
        };
        let snapshot = plain.as_ref().unwrap_or(&checkpoint.snapshot);
        let restored = match self.is_part {
            true => self.crowd.restore_part(snapshot),
            false => self.crowd.restore(snapshot),
        };
        restored.map_err(refused)
    }

    /// The crowd as checkpoints hold it.
    fn snapshot(&self) -> Vec<u8> {
        if !self.is_part {
            return self.crowd.snapshot();
        }
        let (agents, mut part) = (self.crowd.agents().collect::<Vec<_>>(), Vec::new());
        self.crowd.part_into(&agents, &mut part);
        part
    }

    /// Is the crowd what a checkpoint holds? Where the game is not there, blackboards may be left out.
    fn is_at(&self, checkpoint: &Checkpoint, with_keys: bool) -> bool {
        let snapshot = self.snapshot();
        let Some(sealed) = &self.sealed else {
            return snapshot == checkpoint.snapshot;
        };
        let (layout, crowd, mut saved) = (&sealed.layout, &self.crowd, Vec::new());
        let keys = match self.is_part {
            true => layout.of_part(crowd, crowd.agents(), (snapshot.len(), &mut saved)),
            false => layout.of_crowd(crowd, snapshot.len(), &mut saved),
        };
        // The head has a checksum over blackboards, which are others here.
        let part =
            |snapshot: &[u8], end: usize| snapshot.get(SNAPSHOT_HEAD..end).map(<[u8]>::to_vec);
        checkpoint.keys.as_ref().is_some_and(|recorded| {
            part(&snapshot, keys.boards_at) == part(&checkpoint.snapshot, recorded.boards_at)
                && (!with_keys || keys.words == recorded.words)
        })
    }

    /// The crowd must be what a checkpoint holds.
    fn compare_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ReplayError> {
        if self.is_at(checkpoint, true) {
            self.verified.checkpoints += 1;
            return self.stop_if_vague();
        }
        Err(self.not_at(checkpoint)?)
    }

    /// The crowd must be what a checkpoint behind a reload holds. What a game's own blackboards became
    /// by it is known to the game alone: without it they become what the tape says.
    fn compare_reloaded(&mut self, checkpoint: &Checkpoint) -> Result<(), ReplayError> {
        if self.sealed.is_none() || !self.is_at(checkpoint, false) {
            return self.compare_checkpoint(checkpoint);
        }
        self.verified.checkpoints += 1;
        let (shadow, hashes) = (self.shadow.take(), self.hashes.take());
        self.become_checkpoint(checkpoint)?;
        (self.shadow, self.hashes) = (shadow, hashes);
        Ok(())
    }

    /// What is not as a checkpoint says.
    fn not_at(&mut self, checkpoint: &Checkpoint) -> Result<ReplayError, ReplayError> {
        let tick = checkpoint.tick;
        let mut recorded = Crowd::new(Arc::clone(&self.program), 0);
        std::mem::swap(&mut self.crowd, &mut recorded);
        let restored = self.restore(checkpoint);
        std::mem::swap(&mut self.crowd, &mut recorded);
        restored?;
        let sides = Shadow::of(&recorded).first_difference(&self.crowd, self.sealed.is_none());
        let what = match sides {
            Some(sides) => {
                let program = &self.program;
                let boards = |one: &[u8], two: &[u8]| keys(program, one, two);
                name(program.machine(), tick, sides, boards)
            }
            None if self.sealed.is_some() => WhatDiffers::Blackboards,
            None => WhatDiffers::Crowd,
        };
        let difference = match self.vague.take() {
            Some(vague) => Difference {
                later: Some((tick, Box::new(what))),
                ..vague
            },
            None => Difference {
                tick: tick.saturating_sub(1),
                what,
                later: None,
            },
        };
        Ok(ReplayError::Difference(Box::new(difference)))
    }
}

/// Reloads.
impl<B: Board + Saved, C: Context + ?Sized> Replay<'_, B, C> {
    /// The machine becomes another version, as it did when it was recorded.
    fn reload(&mut self, reload: &TapeReload) -> Result<(), ReplayError> {
        self.stop_if_vague()?;
        let rom = self.crowd.machine().rom();
        let own = [rom.structure_hash(), rom.parameter_hash()];
        if own != reload.hashes[0] {
            // A fork that runs in a machine of its own stays in it.
            let is_other_run = self.fork.is_some();
            return is_other_run
                .then_some(())
                .ok_or(ReplayError::Damaged(Damaged {
                    offset: 0,
                    reason: "a reload of another machine than the one that runs",
                }));
        }
        let program = self.programs.of(&reload.version)?;
        let plan = reload.plan(self.crowd.machine(), program.machine());
        self.become_reloaded(program, plan, || reload.told())?;
        self.verified.reloads += 1;
        Ok(())
    }

    /// The crowd goes on by another program.
    pub(crate) fn become_reloaded(
        &mut self,
        program: Arc<Program<B, C>>,
        plan: Reload,
        told: impl FnOnce() -> String,
    ) -> Result<(), ReplayError> {
        let reloaded = self.crowd.reload(Arc::clone(&program), plan);
        reloaded.map_err(|error| ReplayError::Input {
            tick: self.crowd.now(),
            input: told(),
            reason: error.to_string(),
        })?;
        self.boards.forget();
        if let Some(sealed) = &mut self.sealed {
            sealed.layout = Layout::of(&program);
            sealed.answers.forget_last();
        }
        self.program = program;
        Ok(())
    }
}

/// Ticks.
impl<B: Board + Saved, C: Context + ?Sized> Replay<'_, B, C> {
    fn tick(
        &mut self,
        proof: &TickProof,
        tick: &mut impl FnMut(&mut Crowd<B, C>) -> Option<u64>,
    ) -> Result<(), ReplayError> {
        let now = self.crowd.now();
        self.crowd.set_apart(proof.apart);
        if let Some(sealed) = &mut self.sealed {
            let loaded = sealed.answers.load(now, &sealed.calls);
            sealed.calls.clear();
            loaded.map_err(|error| ReplayError::Answers {
                tick: now,
                misfit: error.to_string(),
            })?;
        }
        let context = tick(&mut self.crowd);
        if self.crowd.now() != now + 1 {
            return Err(ReplayError::NotTicked { tick: now });
        }
        self.verified.ticks += 1;
        let outputs = std::mem::take(&mut self.outputs);
        if self.fork.is_some() {
            return Ok(());
        }
        let misfit = self.sealed.as_ref();
        if let Some(misfit) = misfit.and_then(|sealed| sealed.answers.take_misfit()) {
            return Err(ReplayError::Answers {
                tick: now,
                misfit: misfit.told(self.crowd.machine()),
            });
        }
        let differs = |what| {
            Err(ReplayError::Difference(Box::new(Difference {
                tick: now,
                what,
                later: None,
            })))
        };
        if let (Some(recorded), Some(replayed)) = (proof.context, context)
            && recorded != replayed
        {
            return differs(WhatDiffers::Context { recorded, replayed });
        }
        if let Some(what) = self.other_output(&outputs) {
            // Agents that differ say more of it.
            let agents = self.find_difference(proof);
            return differs(match agents {
                Some(what @ (WhatDiffers::Agent { .. } | WhatDiffers::Presence { .. })) => what,
                Some(
                    WhatDiffers::Context { .. }
                    | WhatDiffers::Other { .. }
                    | WhatDiffers::Output { .. }
                    | WhatDiffers::Commands
                    | WhatDiffers::Blackboards
                    | WhatDiffers::Crowd,
                )
                | None => what,
            });
        }
        match self.find_difference(proof) {
            Some(
                what @ (WhatDiffers::Crowd | WhatDiffers::Blackboards | WhatDiffers::Other { .. }),
            ) if self.shadow.is_none() => {
                // The next checkpoint may say of whom; the first tick is the one that counts.
                self.vague.get_or_insert(Difference {
                    tick: now,
                    what,
                    later: None,
                });
                Ok(())
            }
            Some(what) => differs(what),
            None => Ok(()),
        }
    }

    /// What agents and blackboards come to.
    fn digests(&mut self) -> [u64; 2] {
        if self.is_part {
            return part_digests(&self.crowd, self.crowd.agents(), &mut Vec::new());
        }
        if !self.crowd.keeps_digest() {
            // The tape has more of them.
            self.crowd.keep_digest(true);
        }
        let boards = match &self.sealed {
            Some(_) => 0,
            None => self.boards.after_tick(&self.crowd),
        };
        [self.crowd.digest(), boards]
    }

    /// The first command of a lane that the tape keeps which is not as it says.
    fn other_output(&mut self, recorded: &[Output]) -> Option<WhatDiffers> {
        if self.lanes.is_empty() || self.vague.is_some() {
            return None;
        }
        let now: Vec<Output> = self
            .lanes
            .commands(&self.crowd, self.is_part)
            .map(|one| Output::of(&one))
            .collect();
        self.verified.outputs += now.len() as u64;
        let most = recorded.len().max(now.len());
        let place = (0..most).find(|&place| recorded.get(place) != now.get(place))?;
        let told = |side: &[Output]| {
            let output = side.get(place);
            output.map(|output| output.told(self.crowd.machine()))
        };
        Some(WhatDiffers::Output {
            recorded: told(recorded),
            replayed: told(&now),
        })
    }

    /// What is not as the tape says.
    fn find_difference(&mut self, proof: &TickProof) -> Option<WhatDiffers> {
        if self.vague.is_some() {
            return None;
        }
        let digests = proof.digests?;
        self.verified.digests += 1;
        let [agents, boards] = self.digests();
        let crowd = &self.crowd;
        let same = digests.crowd == agents;
        // Blackboards are others where the game is not there (TAPE-3).
        let same_boards = self.sealed.is_some() || digests.boards == boards;
        if same && same_boards {
            // Tapes of version 2 have digests of what was left of forgotten commands, those of some agents none.
            let forgotten = crowd.settings().forgets_commands || self.is_part;
            let commands = forgotten || digests.commands == commands_digest(crowd);
            return (!commands).then_some(WhatDiffers::Commands);
        }
        let sides = self
            .shadow
            .as_ref()
            .and_then(|shadow| shadow.first_difference(crowd, self.sealed.is_none()));
        let program = &self.program;
        let boards = |one: &[u8], two: &[u8]| keys(program, one, two);
        let named = sides.map(|sides| name(program.machine(), crowd.now(), sides, boards));
        let hashes = self.hashes.as_ref();
        let other = hashes.and_then(|all| all.first_difference(crowd, self.sealed.is_none()));
        let named = named.or(other.map(|agent| WhatDiffers::Other { agent }));
        Some(named.unwrap_or(if same {
            WhatDiffers::Blackboards
        } else {
            WhatDiffers::Crowd
        }))
    }
}
