//! Hears a crowd: its inputs and ticks become records, with checkpoints between (TAPE-1 to TAPE-5). What hosts
//! call stands in `recording`, `world` and `flight`.

use std::sync::{Arc, Mutex, PoisonError};

use statewright::commands::Lane;
use statewright::sealed::Sealed;
use statewright::{
    AgentId, Board, Context, Crowd, Envelope, Input, Observer, Program, Reload, Saved, Sent, Tick,
};

use crate::boards::BoardDigests;
use crate::chosen::{Chosen, part_digests};
use crate::file::{
    Beginning, CheckpointBlocks, CheckpointReason, EndReason, Origin, Seal, TapeReload, Version,
    WriteError,
};
use crate::flight::Ring;
use crate::gatherer::{Gatherer, Gathering};
use crate::hashes::Hashes;
use crate::outputs::Lanes;
use crate::record::{
    AgentHash, Digests, RecordedSettings, TickProof, put_calls, put_changed, put_hash, put_input,
    put_keys, put_message, put_output, put_tick,
};
use crate::recording::{Proof, RecordError};
use crate::sealed::Layout;
use crate::shadow::Shadow;

/// What a recorder is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) proof: Proof,
    /// Ticks from one checkpoint to the next.
    pub(crate) every: u32,
    pub(crate) sealed: bool,
    /// Nothing for everybody.
    pub(crate) chosen: Option<Chosen>,
    pub(crate) outputs: Lanes,
}

impl Wanted {
    /// Can it be had of a crowd?
    pub(crate) fn check<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &Crowd<B, C>,
    ) -> Result<(), RecordError> {
        match crowd.settings().forgets_commands && !self.outputs.is_empty() {
            true => Err(RecordError::Forgets),
            false => Ok(()),
        }
    }
}

/// The beginning of a tape.
pub(crate) fn beginning_of<B: Board, C: Context + ?Sized>(
    crowd: &Crowd<B, C>,
    wanted: &Wanted,
    origin: Origin,
) -> Beginning {
    let seal = wanted.sealed.then(|| seal_of(crowd.program()));
    let version = Version::of(crowd.machine(), seal);
    Beginning {
        is_part: wanted.chosen.is_some(),
        outputs: wanted.outputs,
        ..Beginning::new(version, wanted.proof, origin)
    }
}

/// Who is chosen from now on, on its way to the recorder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice(Arc<Mutex<Option<Chosen>>>);

impl Choice {
    /// Others are chosen.
    pub(crate) fn choose<B: Board, C: Context + ?Sized>(
        &self,
        crowd: &mut Crowd<B, C>,
        lent: Lent,
        agents: impl IntoIterator<Item = AgentId>,
    ) -> Result<(), RecordError> {
        if !lent.heard {
            return Err(RecordError::Whole);
        }
        let chosen = Chosen::of(crowd, agents)?;
        crowd.set_heard(Some(chosen.agents()));
        if lent.sealed {
            crowd.set_sealed(Some(chosen.sealed()));
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(chosen);
        crowd.call_observer();
        Ok(())
    }

    fn take(&self) -> Option<Chosen> {
        let mut chosen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.take()
    }
}

/// What a sealed tape of a crowd says for whoever has no game.
pub(crate) fn seal_of<B: Board, C: Context + ?Sized>(program: &Program<B, C>) -> Seal {
    let lanes = (0..=u8::MAX).map_while(Lane::numbered);
    Seal {
        lanes: lanes.map(|lane| program.lane_rule(lane)).collect(),
    }
}

/// The digest of the commands of a tick. What happens to be left of them in a crowd that forgets them
/// is no outcome of it.
pub(crate) fn commands_digest<B: Board, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> u32 {
    match crowd.settings().forgets_commands {
        true => 0,
        false => crowd.commands_digest() as u32,
    }
}

/// What a crowd does for a recording alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lent {
    digest: bool,
    sealed: bool,
    /// Messages for chosen agents are told.
    heard: bool,
}

impl Lent {
    pub(crate) fn give_back<B: Board, C: Context + ?Sized>(self, crowd: &mut Crowd<B, C>) {
        if self.digest {
            crowd.keep_digest(false);
        }
        if self.sealed {
            crowd.set_sealed(None);
        }
        if self.heard {
            crowd.set_heard(None);
        }
    }
}

/// Hears a crowd.
pub(crate) struct Recorder {
    out: Gatherer,
    proof: Proof,
    /// Ticks from one checkpoint to the next.
    every: u32,
    /// Who is recorded; nothing for everybody.
    chosen: Option<Chosen>,
    choice: Choice,
    /// Lanes whose commands are kept.
    outputs: Lanes,
    since_checkpoint: u32,
    /// Kept for its memory.
    snapshot: Vec<u8>,
    shadow: Option<Shadow>,
    hashes: Option<Hashes>,
    /// Fail-safes that the crowd has counted.
    fail_safes: u64,
    /// Where keys lie in blackboards, if agents are sealed.
    layout: Option<Layout>,
    /// Keys of one blackboard; kept for its memory.
    keys: Vec<u8>,
    boards: BoardDigests,
    /// The reload that is about to be carried out.
    reloading: Option<Reload>,
}

impl Recorder {
    /// Begins with a crowd as it is. What the crowd does for this alone, and how others are chosen.
    pub(crate) fn attach<B, C>(
        crowd: &mut Crowd<B, C>,
        gathering: Gathering,
        wanted: Wanted,
    ) -> Result<(Lent, Choice), RecordError>
    where
        B: Board + Saved + 'static,
        C: Context + ?Sized + 'static,
    {
        let Wanted {
            proof,
            every,
            sealed,
            chosen,
            outputs,
        } = wanted;
        let choice = Choice::default();
        let mut recorder = Self {
            out: Gatherer::new(gathering, crowd.now()),
            proof,
            every,
            chosen,
            choice: choice.clone(),
            outputs,
            since_checkpoint: 0,
            snapshot: Vec::new(),
            shadow: (proof == Proof::Bytes).then(Shadow::default),
            hashes: (proof == Proof::Agents).then(Hashes::default),
            fail_safes: crowd.counters().fail_safes,
            layout: sealed.then(|| Layout::of(crowd.program())),
            keys: Vec::new(),
            boards: BoardDigests::default(),
            reloading: None,
        };
        recorder.checkpoint(crowd, CheckpointReason::Regular)?;
        recorder.write_changes(crowd);
        recorder.write_hashes(crowd, true);
        let chosen = recorder.chosen.as_ref();
        let lent = Lent {
            digest: proof != Proof::None && chosen.is_none() && !crowd.keeps_digest(),
            sealed,
            heard: chosen.is_some(),
        };
        if lent.digest {
            crowd.keep_digest(true);
        }
        if sealed {
            crowd.set_sealed(Some(chosen.map_or(Sealed::All, Chosen::sealed)));
        }
        if let Some(chosen) = chosen {
            crowd.set_heard(Some(chosen.agents()));
        }
        crowd.set_observer(Some(Box::new(recorder)));
        Ok((lent, choice))
    }

    /// Everybody who is recorded.
    fn checkpoint<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        why: CheckpointReason,
    ) -> Result<(), WriteError> {
        match &self.chosen {
            Some(chosen) => crowd.part_into(chosen.agents(), &mut self.snapshot),
            None => crowd.snapshot_into(&mut self.snapshot),
        }
        let (layout, length) = (self.layout.as_ref(), self.snapshot.len());
        let keys = layout.map(|layout| match &self.chosen {
            Some(chosen) => layout.of_part(crowd, chosen.living(crowd), (length, &mut self.keys)),
            None => layout.of_crowd(crowd, length, &mut self.keys),
        });
        let blocks = CheckpointBlocks {
            why,
            settings: RecordedSettings::of(crowd.settings()),
            snapshot: &self.snapshot,
            keys: keys.as_ref(),
        };
        self.out.put_checkpoint(&blocks, crowd.now())?;
        self.since_checkpoint = 0;
        Ok(())
    }

    /// Makes a checkpoint, or ends the recording if there is no room for one.
    fn try_checkpoint<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        why: CheckpointReason,
    ) {
        if self.checkpoint(crowd, why).is_err() {
            self.out.end(EndReason::TooLarge);
        }
    }

    /// What agents are others than they were: at the beginning all, so that a reader needs nothing but
    /// this to know each byte.
    fn write_changes<B: Board + Saved, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        if let Some(mut shadow) = self.shadow.take() {
            let chosen = self.chosen.take();
            shadow.follow(crowd, chosen.as_ref(), |agent, instance, board| {
                let from = self.out.records.len();
                put_changed(&mut self.out.records, agent, instance, board);
                self.out.go_on(from, crowd.now());
            });
            (self.shadow, self.chosen) = (Some(shadow), chosen);
        }
    }

    /// The same as a hash of each; after a tick only some can be others.
    fn write_hashes<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        anybody: bool,
    ) {
        if let Some(mut hashes) = self.hashes.take() {
            let chosen = self.chosen.take();
            let changed = |hash: &AgentHash| {
                let from = self.out.records.len();
                put_hash(&mut self.out.records, hash);
                self.out.go_on(from, crowd.now());
            };
            match (&chosen, anybody) {
                (Some(chosen), _) => hashes.follow_some(crowd, chosen, changed),
                (None, true) => hashes.follow_all(crowd, changed),
                (None, false) => hashes.follow(crowd, changed),
            }
            (self.hashes, self.chosen) = (Some(hashes), chosen);
        }
    }
}

impl<B: Board + Saved, C: Context + ?Sized> Observer<B, C> for Recorder {
    fn entering(&mut self, crowd: &Crowd<B, C>, input: &Input<B>) {
        if !self.out.is_open() {
            return;
        }
        if let Input::Reload(reloaded) = input {
            self.reloading = Some(reloaded.plan().clone());
            return;
        }
        if matches!(input, Input::ResetCounters) {
            self.fail_safes = 0;
        }
        if let Some(chosen) = &self.chosen
            && !chosen.concerns(input)
        {
            return;
        }
        self.put_keys_of(crowd, input);
        let from = self.out.records.len();
        if put_input(&mut self.out.records, input, |agent| {
            crowd.board(agent).ok()
        }) {
            self.out.counts.inputs += 1;
        }
        self.out.go_on(from, crowd.now());
    }

    fn sent(&mut self, crowd: &Crowd<B, C>, events: Sent<'_>) {
        if !self.out.is_open() {
            return;
        }
        match &self.chosen {
            Some(chosen) => {
                // Whoever has the index of one of them that is gone is told of, too.
                let own = events.filter(|envelope| chosen.has(envelope.to));
                self.out.put_sends(own, crowd.now());
            }
            None => self.out.add_sends(events, crowd.now()),
        }
    }

    fn reloaded(&mut self, crowd: &Crowd<B, C>) {
        if let Some(plan) = self.reloading.take()
            && self.out.is_open()
        {
            if self.put_reload(crowd, &plan).is_err() {
                return self.out.end(EndReason::TooLarge);
            }
            self.boards.forget();
            self.try_checkpoint(crowd, CheckpointReason::Reloaded);
            self.write_hashes(crowd, true);
        }
    }

    fn restored(&mut self, crowd: &Crowd<B, C>) {
        if self.out.is_open() {
            self.boards.forget();
            self.fail_safes = crowd.counters().fail_safes;
            self.try_checkpoint(crowd, CheckpointReason::Restored);
            self.write_changes(crowd);
            self.write_hashes(crowd, true);
        }
    }

    fn ticked(&mut self, crowd: &Crowd<B, C>, tick: &Tick) {
        if !self.out.is_open() {
            return;
        }
        let context = self.out.context();
        self.put_calls_of(crowd);
        for command in self.outputs.commands(crowd, self.chosen.is_some()) {
            let is_chosen = |chosen: &Chosen| chosen.has(command.agent());
            if self.chosen.as_ref().is_none_or(is_chosen) {
                let from = self.out.records.len();
                put_output(&mut self.out.records, &command);
                self.out.go_on(from, crowd.now());
            }
        }
        self.write_changes(crowd);
        self.write_hashes(crowd, false);
        let digests = (self.proof != Proof::None).then(|| self.digests(crowd));
        let proof = TickProof {
            digests,
            context,
            // Whatever comes to chosen agents is told behind it.
            apart: self.chosen.is_some() || crowd.ticked_apart(),
        };
        put_tick(&mut self.out.records, &proof);
        self.out.counts.ticks += 1;
        self.since_checkpoint += 1;
        if let Some(ring) = self.out.ring() {
            self.look(crowd, tick, &ring);
        }
        if self.since_checkpoint >= self.every {
            self.try_checkpoint(crowd, CheckpointReason::Regular);
        } else {
            self.out.flush_enough(crowd.now());
        }
    }

    fn received(&mut self, crowd: &Crowd<B, C>, message: &Envelope, is_own: bool) {
        let chosen = self.chosen.as_ref();
        if self.out.is_open() && chosen.is_none_or(|chosen| chosen.has(message.to)) {
            let from = self.out.records.len();
            put_message(
                &mut self.out.records,
                message.to.into(),
                &message.event,
                is_own,
            );
            self.out.counts.inputs += 1;
            self.out.go_on(from, crowd.now());
        }
    }

    fn called(&mut self, crowd: &Crowd<B, C>) {
        if let Some(chosen) = self.choice.take()
            && self.out.is_open()
        {
            self.chosen = Some(chosen);
            self.try_checkpoint(crowd, CheckpointReason::Chosen);
            self.shadow = self.shadow.is_some().then(Shadow::default);
            self.hashes = self.hashes.is_some().then(Hashes::default);
            self.write_changes(crowd);
            self.write_hashes(crowd, true);
        }
    }
}

impl Recorder {
    /// The new version of the machine, whole: nobody needs a file beside the tape.
    fn put_reload<B: Board, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        plan: &Reload,
    ) -> Result<(), WriteError> {
        let is_sealed = self.layout.is_some();
        let version = Version::of(crowd.machine(), is_sealed.then(|| seal_of(crowd.program())));
        self.layout = is_sealed.then(|| Layout::of(crowd.program()));
        self.out
            .put_reload(TapeReload::of(crowd.now(), plan, version))
    }

    /// What user code of sealed agents said and did in the tick that is over.
    fn put_calls_of<B: Board, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        for calls in crowd.sealed_calls() {
            let own = self
                .chosen
                .as_ref()
                .map(|chosen| chosen.calls(crowd, calls));
            let calls = own.as_deref().unwrap_or(calls);
            if !calls.is_empty() {
                let from = self.out.records.len();
                put_calls(&mut self.out.records, calls);
                self.out.go_on(from, crowd.now());
            }
        }
    }

    /// What the tick came to. Commands of chosen agents stand among those of all others: they are looked at as
    /// outputs, if at all.
    fn digests<B: Board + Saved, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) -> Digests {
        match &self.chosen {
            Some(chosen) => {
                let [agents, boards] = part_digests(crowd, chosen.living(crowd), &mut self.keys);
                Digests {
                    crowd: agents,
                    commands: 0,
                    boards,
                }
            }
            None => Digests {
                crowd: crowd.digest(),
                commands: commands_digest(crowd),
                boards: self.boards.after_tick(crowd),
            },
        }
    }

    /// Keys of the blackboard that an input brings, for whoever has no such blackboards.
    fn put_keys_of<B: Board, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        input: &Input<B>,
    ) {
        let Some(layout) = &self.layout else { return };
        let board = match input {
            Input::Spawn { board, .. } => Some(board),
            Input::Written(agent) => crowd.board(*agent).ok(),
            _ => None,
        };
        if let Some(board) = board {
            self.keys.clear();
            layout.put(board, &mut self.keys);
            put_keys(&mut self.out.records, &self.keys);
        }
    }

    /// In memory every tick is a block, so that whoever asks gets all that are over.
    fn look<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        tick: &Tick,
        ring: &Mutex<Ring>,
    ) {
        let lock = || ring.lock().unwrap_or_else(PoisonError::into_inner);
        self.out.flush(crowd.now());
        let fail_safes = crowd.counters().fail_safes;
        let new = fail_safes.saturating_sub(self.fail_safes);
        self.fail_safes = fail_safes;
        lock().look(crowd, tick, (new, self.chosen.as_ref()));
        if lock().is_full() {
            // From here on there is room again, unless the crowd alone is too large.
            self.try_checkpoint(crowd, CheckpointReason::Regular);
            if lock().is_full() {
                self.out.end(EndReason::TooLarge);
            }
        }
    }
}
