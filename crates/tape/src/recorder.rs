//! Hears a crowd: its inputs and ticks become records, with checkpoints between (TAPE-1 to TAPE-5). What hosts
//! call stands in `recording`, `world` and `flight`.

use std::sync::{Arc, Mutex, PoisonError};

use statewright::commands::Lane;
use statewright::sealed::Sealed;
use statewright::{
    AgentId, Board, Context, Crowd, Envelope, Input, Observer, Reload, Saved, Sent, Tick,
};

use crate::boards::BoardDigests;
use crate::chosen::{Chosen, part_digests};
use crate::file::{
    Beginning, CheckpointBlocks, CheckpointReason, Counts, EndReason, Kind, MOST_BLOCK, Origin,
    Seal, TapeReload, Version, WriteError,
};
use crate::flight::Ring;
use crate::hashes::Hashes;
use crate::outputs::Lanes;
use crate::queue::{Block, Queue, Shared};
use crate::record::{
    AgentHash, Digests, LONGEST_SEND, RecordedSettings, TickProof, put_calls, put_changed,
    put_hash, put_input, put_keys, put_message, put_output, put_sends, put_tick,
};
use crate::recording::{Proof, RecordError};
use crate::sealed::Layout;
use crate::sends::Sends;
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
    let seal = wanted.sealed.then(|| seal_of(crowd));
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
pub(crate) fn seal_of<B: Board, C: Context + ?Sized>(crowd: &Crowd<B, C>) -> Seal {
    let lanes = (0..=u8::MAX).map_while(Lane::numbered);
    Seal {
        lanes: lanes.map(|lane| crowd.program().lane_rule(lane)).collect(),
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

/// What the host said of its context for the next tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContextDigest(Arc<Mutex<Option<u64>>>);

impl ContextDigest {
    pub(crate) fn set(&self, digest: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(digest);
    }

    fn take(&self) -> Option<u64> {
        let mut digest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        digest.take()
    }
}

/// Records go out in blocks of about so many bytes.
const GATHERED: usize = 64 << 10;
/// Events that become records before anybody looks whether a block is full.
const PIECE: usize = 1024;
const _: () = assert!(GATHERED + PIECE * LONGEST_SEND < MOST_BLOCK);

/// Where blocks go.
pub(crate) enum Gathering {
    /// To a file, behind a queue.
    Queue {
        queue: Queue,
        shared: Arc<Shared>,
        context: ContextDigest,
    },
    /// Into memory, for a while.
    Ring(Arc<Mutex<Ring>>),
}

impl Gathering {
    /// Takes a block; `false` if there will be no more.
    fn take(&self, block: Block) -> bool {
        match self {
            Self::Queue { queue, shared, .. } => queue.send(block, shared),
            Self::Ring(ring) => {
                ring.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .add(block);
                true
            }
        }
    }

    /// What the host said of the context of the tick.
    fn context(&self) -> Option<u64> {
        match self {
            Self::Queue { context, .. } => context.take(),
            Self::Ring(_) => None,
        }
    }
}

/// Hears a crowd.
pub(crate) struct Recorder {
    /// Nothing after the recording ended.
    gathering: Option<Gathering>,
    proof: Proof,
    /// Ticks from one checkpoint to the next.
    every: u32,
    /// Who is recorded; nothing for everybody.
    chosen: Option<Chosen>,
    choice: Choice,
    /// Lanes whose commands are kept.
    outputs: Lanes,
    since_checkpoint: u32,
    /// Records that wait to go out.
    records: Vec<u8>,
    /// Events among them that the thread which writes makes records of.
    sends: Sends,
    counts: Counts,
    /// Tick of the first of them.
    first: u64,
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
            gathering: Some(gathering),
            proof,
            every,
            chosen,
            choice: choice.clone(),
            outputs,
            since_checkpoint: 0,
            records: Vec::new(),
            sends: Sends::default(),
            counts: Counts::default(),
            first: crowd.now(),
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

    fn end(&mut self, why: EndReason) {
        if let Some(Gathering::Queue { shared, .. }) = self.gathering.take() {
            shared.end(why);
        }
    }

    fn send(&mut self, kind: Kind, tick: u64, raw: Vec<u8>, counts: Counts) {
        self.send_block(Block {
            crowd: 0,
            kind,
            tick,
            raw,
            sends: Sends::default(),
            counts,
        });
    }

    fn send_block(&mut self, block: Block) {
        let gathering = self.gathering.as_ref();
        if !gathering.is_some_and(|gathering| gathering.take(block)) {
            self.gathering = None;
        }
    }

    /// Bytes of records that wait, or become such.
    fn gathered(&self) -> usize {
        self.records.len() + self.sends.bytes()
    }

    /// Sends out what was gathered.
    fn flush(&mut self, next: u64) {
        if self.gathered() > 0 {
            let (raw, sends) = match &self.gathering {
                Some(Gathering::Queue { queue, .. }) => {
                    let (records, sends) = queue.memory();
                    (
                        std::mem::replace(&mut self.records, records),
                        std::mem::replace(&mut self.sends, sends),
                    )
                }
                // What is kept takes as little as it can.
                Some(Gathering::Ring(_)) | None => {
                    let records = self.records.clone();
                    self.records.clear();
                    (records, Sends::default())
                }
            };
            let block = Block {
                crowd: 0,
                kind: Kind::Records,
                tick: self.first,
                raw,
                sends,
                counts: std::mem::take(&mut self.counts),
            };
            self.send_block(block);
        }
        self.first = next;
    }

    /// Everybody who is recorded.
    fn checkpoint<B: Board + Saved, C: Context + ?Sized>(
        &mut self,
        crowd: &Crowd<B, C>,
        why: CheckpointReason,
    ) -> Result<(), WriteError> {
        self.flush(crowd.now());
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
        for (kind, raw) in blocks.cut()? {
            self.send(kind, crowd.now(), raw, Counts::default());
        }
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
            self.end(EndReason::TooLarge);
        }
    }

    /// What agents are others than they were: at the beginning all, so that a reader needs nothing but
    /// this to know each byte.
    fn write_changes<B: Board + Saved, C: Context + ?Sized>(&mut self, crowd: &Crowd<B, C>) {
        if let Some(mut shadow) = self.shadow.take() {
            let chosen = self.chosen.take();
            shadow.follow(crowd, chosen.as_ref(), |agent, instance, board| {
                let from = self.records.len();
                put_changed(&mut self.records, agent, instance, board);
                self.go_on(from, crowd.now());
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
                let from = self.records.len();
                put_hash(&mut self.records, hash);
                self.go_on(from, crowd.now());
            };
            match (&chosen, anybody) {
                (Some(chosen), _) => hashes.follow_some(crowd, chosen, changed),
                (None, true) => hashes.follow_all(crowd, changed),
                (None, false) => hashes.follow(crowd, changed),
            }
            (self.hashes, self.chosen) = (Some(hashes), chosen);
        }
    }

    /// Events, in pieces: those for chosen agents are told at once, however many a tick has.
    fn put_sent(&mut self, mut events: impl Iterator<Item = Envelope>, now: u64) {
        loop {
            let from = self.records.len();
            let count = put_sends(&mut self.records, events.by_ref().take(PIECE));
            self.counts.inputs += count;
            self.go_on(from, now);
            if count < PIECE as u64 {
                return;
            }
        }
    }

    /// Sends out what was gathered if it is enough for a block, which is never larger than a tape has
    /// room for. `from` is where the last record begins.
    fn go_on(&mut self, from: usize, now: u64) {
        if self.gathered() <= GATHERED {
            return;
        }
        if self.records.len() - from > MOST_BLOCK {
            self.records.truncate(from);
            self.flush(now);
            self.end(EndReason::TooLarge);
        } else if self.records.len() + self.sends.most_bytes() > MOST_BLOCK {
            let last = self.records.split_off(from);
            self.flush(now);
            self.records = last;
        }
        self.flush(now);
    }
}

impl<B: Board + Saved, C: Context + ?Sized> Observer<B, C> for Recorder {
    fn entering(&mut self, crowd: &Crowd<B, C>, input: &Input<B>) {
        if self.gathering.is_none() {
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
        let from = self.records.len();
        if put_input(&mut self.records, input, |agent| crowd.board(agent).ok()) {
            self.counts.inputs += 1;
        }
        self.go_on(from, crowd.now());
    }

    fn sent(&mut self, crowd: &Crowd<B, C>, events: Sent<'_>) {
        let is_written_later = match &self.gathering {
            Some(Gathering::Queue { .. }) => true,
            // What is kept in memory is as short as on a tape.
            Some(Gathering::Ring(_)) => false,
            None => return,
        };
        match self.chosen.take() {
            Some(chosen) => {
                // Whoever has the index of one of them that is gone is told of, too.
                let own = events.filter(|envelope| chosen.has(envelope.to));
                self.put_sent(own, crowd.now());
                self.chosen = Some(chosen);
            }
            None if is_written_later => {
                let from = self.records.len();
                self.counts.inputs += self.sends.add(from, events);
                self.go_on(from, crowd.now());
            }
            None => self.put_sent(events, crowd.now()),
        }
    }

    fn reloaded(&mut self, crowd: &Crowd<B, C>) {
        if let Some(plan) = self.reloading.take()
            && self.gathering.is_some()
        {
            self.flush(crowd.now());
            if self.put_reload(crowd, &plan).is_err() {
                return self.end(EndReason::TooLarge);
            }
            self.boards.forget();
            self.try_checkpoint(crowd, CheckpointReason::Reloaded);
            self.write_hashes(crowd, true);
        }
    }

    fn restored(&mut self, crowd: &Crowd<B, C>) {
        if self.gathering.is_some() {
            self.boards.forget();
            self.fail_safes = crowd.counters().fail_safes;
            self.try_checkpoint(crowd, CheckpointReason::Restored);
            self.write_changes(crowd);
            self.write_hashes(crowd, true);
        }
    }

    fn ticked(&mut self, crowd: &Crowd<B, C>, tick: &Tick) {
        let Some(gathering) = &self.gathering else {
            return;
        };
        let context = gathering.context();
        self.put_calls_of(crowd);
        for command in self.outputs.commands(crowd, self.chosen.is_some()) {
            let is_chosen = |chosen: &Chosen| chosen.has(command.agent());
            if self.chosen.as_ref().is_none_or(is_chosen) {
                let from = self.records.len();
                put_output(&mut self.records, &command);
                self.go_on(from, crowd.now());
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
        put_tick(&mut self.records, &proof);
        self.counts.ticks += 1;
        self.since_checkpoint += 1;
        if let Some(Gathering::Ring(ring)) = &self.gathering {
            let ring = Arc::clone(ring);
            self.look(crowd, tick, &ring);
        }
        if self.since_checkpoint >= self.every {
            self.try_checkpoint(crowd, CheckpointReason::Regular);
        } else if self.gathered() > GATHERED {
            self.flush(crowd.now());
        }
    }

    fn received(&mut self, crowd: &Crowd<B, C>, message: &Envelope, is_own: bool) {
        let chosen = self.chosen.as_ref();
        if self.gathering.is_some() && chosen.is_none_or(|chosen| chosen.has(message.to)) {
            let from = self.records.len();
            put_message(&mut self.records, message.to.into(), &message.event, is_own);
            self.counts.inputs += 1;
            self.go_on(from, crowd.now());
        }
    }

    fn called(&mut self, crowd: &Crowd<B, C>) {
        if let Some(chosen) = self.choice.take()
            && self.gathering.is_some()
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
        let version = Version::of(crowd.machine(), is_sealed.then(|| seal_of(crowd)));
        self.layout = is_sealed.then(|| Layout::of(crowd.program()));
        let reload = TapeReload::of(crowd.now(), plan, version);
        let blocks = reload.blocks()?;
        if let Some(Gathering::Ring(ring)) = &self.gathering {
            let mut ring = ring.lock().unwrap_or_else(PoisonError::into_inner);
            ring.reloaded(reload.version);
        }
        for (kind, raw) in blocks {
            self.send(kind, crowd.now(), raw, Counts::default());
        }
        Ok(())
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
                let from = self.records.len();
                put_calls(&mut self.records, calls);
                self.go_on(from, crowd.now());
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
            put_keys(&mut self.records, &self.keys);
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
        self.flush(crowd.now());
        let fail_safes = crowd.counters().fail_safes;
        let new = fail_safes.saturating_sub(self.fail_safes);
        self.fail_safes = fail_safes;
        lock().look(crowd, tick, (new, self.chosen.as_ref()));
        if lock().is_full() {
            // From here on there is room again, unless the crowd alone is too large.
            self.try_checkpoint(crowd, CheckpointReason::Regular);
            if lock().is_full() {
                self.end(EndReason::TooLarge);
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let now = self.first;
        self.flush(now);
    }
}
