//! Recording agents of a host that owns its memory, such as an ECS (TAPE-2, TAPE-5): chosen ones, sealed, on a
//! tape like that of chosen agents of a crowd.
//!
//! ```text
//!  host ──┬─ before ──▶ who is there, what it is, what is for it ─┐
//!         ├─ tick_segments ──▶ answers of user code ──────────────┼─▶ SlicesRecorder ──▶ blocks
//!         └─ after ───▶ what it has become, what was left over ───┘
//! ```
//!
//! Nobody tells a recorder what a host does between ticks. So it keeps each agent as the tape has it, and looks
//! before a tick what is different of those who have a turn: a blackboard that was written and an instance that
//! was replaced are inputs, anything larger (others are chosen, time went back, another variant, other parameters)
//! is a checkpoint from which the tape goes on. Whoever has no turn is not looked at: it does not know yet what the host
//! made of it. So one that sleeps when it is chosen comes onto the tape with its next turn.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use statewright::ids::VariantId;
use statewright::sealed::{Sealed, Turns};
use statewright::{
    AgentId, Board, Context, Envelope, Event, Input, Instance, Machine, Parameters, PartAgent,
    Program, Reload, Segment, Slices, SlicesOutput, part_of,
};
use statewright_bytes::Writer;

use crate::file::{
    Beginning, CheckpointBlocks, CheckpointReason, EndReason, Keys, Origin, TapeReload, TapeWriter,
    Version,
};
use crate::flight::{FlightOptions, Incident, Ring, Trouble, dump, lock};
use crate::gatherer::{ContextDigest, Gatherer, Gathering};
use crate::outputs::Lanes;
use crate::queue::{Queue, Shared, Written};
use crate::record::{
    AgentHash, Digests, RecordedSettings, TickProof, put_calls, put_changed, put_hash, put_input,
    put_keys, put_output, put_tick,
};
use crate::recorder::seal_of;
use crate::recording::{Proof, RecordError, RecordingOptions, Summary, WhenSlow};
use crate::sealed::Layout;

/// An agent as the tape has it.
#[derive(Debug)]
struct Member {
    agent: AgentId,
    variant: VariantId,
    instance: Vec<u8>,
    /// What its machine file sees of its blackboard, as words of the machine's layout.
    keys: Vec<u8>,
    /// Events that it did not take.
    left: Vec<Event>,
    /// What it came to after the last tick.
    digest: u64,
    /// Its index in the slices of this tick, if it is there.
    index: u32,
    has_turn: bool,
}

/// An agent as the host has it in this tick.
struct Seen<'s, I, B> {
    index: u32,
    has_turn: bool,
    agent: AgentId,
    instance: &'s I,
    board: &'s B,
}

/// Looks at chosen agents before and after each tick of a program over [`Slices`]: those that
/// [`Slices::sealed`] names. [`SlicesRecording`] and [`SlicesFlight`] have one.
///
/// The host calls [`before`](Self::before), ticks, and calls [`after`](Self::after) with the same slices; where it leaves a
/// tick out because nobody has a turn, [`idle`](Self::idle). Agents may be others in each tick.
pub struct SlicesRecorder {
    out: Gatherer,
    proof: Proof,
    /// Ticks from one checkpoint to the next.
    every: u32,
    outputs: Lanes,
    since_checkpoint: u32,
    machine: Machine,
    layout: Layout,
    settings: RecordedSettings,
    parameters: Parameters,
    /// In the order of their indices.
    members: Vec<Member>,
    /// The tick that comes next, if members are what the tape says.
    next: Option<u64>,
    /// Whether there is anything on the tape.
    has_begun: bool,
    /// Kept for their memory: a part of a crowd, keys of a blackboard, calls.
    part: Vec<u8>,
    keys: Vec<u8>,
    calls: Vec<u8>,
}

impl std::fmt::Debug for SlicesRecorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SlicesRecorder")
            .field("members", &self.members)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}

/// Before a tick.
impl SlicesRecorder {
    fn new<B: Board, C: Context + ?Sized>(
        program: &Program<B, C>,
        to: Gathering,
        (proof, every, outputs): (Proof, u32, Lanes),
    ) -> Self {
        Self {
            out: Gatherer::new(to, 0),
            proof,
            every,
            outputs,
            since_checkpoint: 0,
            machine: program.machine().clone(),
            layout: Layout::of(program),
            settings: RecordedSettings::of(&Slices::default().settings),
            parameters: Parameters::default(),
            members: Vec::new(),
            next: None,
            has_begun: false,
            part: Vec::new(),
            keys: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// A tick comes: what entered since the last one goes on the tape. Another version of the machine than the one
    /// that the tape has is a reload of it.
    pub fn before<I: Instance, B: Board, C: Context + ?Sized>(
        &mut self,
        program: &Program<B, C>,
        segments: &[Segment<'_, I, B>],
        slices: &Slices<'_>,
    ) {
        if !self.out.is_open() {
            return;
        }
        self.follow_machine(program, slices.tick);
        let mut seen = see(segments, slices);
        // What the tape has of others is of another time, or of another version.
        let goes_on = self.next == Some(slices.tick);
        if !goes_on {
            self.members.clear();
        }
        seen.retain(|one| one.has_turn || find(&self.members, one.agent).is_some());
        if goes_on && self.is_known(&seen, slices) {
            self.look_between(&seen, slices.tick);
        } else {
            self.begin_anew(&seen, slices);
        }
        self.put_events(&seen, slices);
        self.next = Some(slices.tick);
    }

    /// The machine may have been reloaded.
    fn follow_machine<B: Board, C: Context + ?Sized>(&mut self, program: &Program<B, C>, now: u64) {
        let hashes = |machine: &Machine| {
            let rom = machine.rom();
            [rom.structure_hash(), rom.parameter_hash()]
        };
        if hashes(program.machine()) == hashes(&self.machine) {
            return;
        }
        let plan = Reload::plan(&self.machine, program.machine());
        let version = Version::of(program.machine(), Some(seal_of(program)));
        let reload = TapeReload::of(now, &plan, version);
        if !self.has_begun {
            // The tape begins with the other one.
            return self.out.end(EndReason::Reloaded);
        }
        if self.out.put_reload(reload).is_err() {
            return self.out.end(EndReason::TooLarge);
        }
        (self.machine, self.layout) = (program.machine().clone(), Layout::of(program));
        self.next = None;
    }

    /// Are these the agents of the tape, with their variants and what they left over, under the same settings?
    fn is_known<I, B>(&self, seen: &[Seen<'_, I, B>], slices: &Slices<'_>) -> bool {
        let own = |(member, one): (&Member, &Seen<'_, I, B>)| {
            let mut events = events_of(slices, one.index);
            let has_its_variant = !one.has_turn || member.variant == variant_of(slices, one.index);
            member.agent == one.agent
                && has_its_variant
                && member.left.iter().all(|left| events.next() == Some(left))
        };
        self.members.len() == seen.len()
            && self.members.iter().zip(seen).all(own)
            && self.settings == RecordedSettings::of(&slices.settings)
            && self.parameters.changes() == changes_of(slices)
    }

    /// What the host changed of agents that have a turn.
    fn look_between<I: Instance, B: Board>(&mut self, seen: &[Seen<'_, I, B>], now: u64) {
        let Self {
            members,
            layout,
            out,
            keys,
            ..
        } = self;
        for (member, one) in members.iter_mut().zip(seen) {
            (member.index, member.has_turn) = (one.index, one.has_turn);
            if !one.has_turn {
                continue;
            }
            let instance = one.instance.as_bytes();
            if member.instance != instance {
                member.instance.copy_from_slice(instance);
                put(out, &Input::Instance(member.agent, instance.into()), now);
            }
            keys.clear();
            layout.put(one.board, keys);
            if member.keys != *keys {
                std::mem::swap(&mut member.keys, keys);
                put_keys(&mut out.records, &member.keys);
                // Of the blackboard itself nothing is on the tape but these.
                put(out, &Input::Written(member.agent), now);
            }
        }
    }

    /// The tape goes on with what is there now.
    fn begin_anew<I: Instance, B: Board>(&mut self, seen: &[Seen<'_, I, B>], slices: &Slices<'_>) {
        let why = match self.next {
            Some(next) if next != slices.tick => CheckpointReason::Restored,
            Some(_) | None => CheckpointReason::Chosen,
        };
        let (layout, mut before) = (&self.layout, std::mem::take(&mut self.members));
        let mut member = |one: &Seen<'_, I, B>| {
            let known = before.iter().position(|member| member.agent == one.agent);
            if let Some(known) = known.filter(|_| !one.has_turn) {
                return Member {
                    left: Vec::new(),
                    index: one.index,
                    has_turn: false,
                    ..before.swap_remove(known)
                };
            }
            let mut keys = Vec::new();
            layout.put(one.board, &mut keys);
            let mut member = Member {
                agent: one.agent,
                variant: variant_of(slices, one.index),
                instance: one.instance.as_bytes().to_vec(),
                keys,
                left: Vec::new(),
                digest: 0,
                index: one.index,
                has_turn: true,
            };
            member.digest = member.digest_now();
            member
        };
        self.members = seen.iter().map(&mut member).collect();
        self.settings = RecordedSettings::of(&slices.settings);
        self.parameters = slices.parameters.cloned().unwrap_or_default();
        self.checkpoint(slices.tick, why);
        for place in 0..self.members.len() {
            self.put_change(place, &[], slices.tick);
        }
        self.has_begun = true;
    }

    /// What is for them in this tick. What they left over they have already.
    fn put_events<I, B>(&mut self, seen: &[Seen<'_, I, B>], slices: &Slices<'_>) {
        for (member, one) in self.members.iter_mut().zip(seen) {
            if slices.stopping.binary_search(&one.index).is_ok() {
                put(&mut self.out, &Input::Stop(member.agent), slices.tick);
            }
            let new = events_of(slices, one.index).skip(member.left.len());
            let to = member.agent;
            let sent = new.map(|&event| Envelope { to, event });
            self.out.put_sends(sent, slices.tick);
            member.left.clear();
        }
    }
}

/// After a tick.
impl SlicesRecorder {
    /// The tick is over: what was said and done in it, and what came of it.
    pub fn after<I: Instance, B: Board>(
        &mut self,
        segments: &[Segment<'_, I, B>],
        slices: &Slices<'_>,
        output: &SlicesOutput,
    ) {
        if !self.out.is_open() || self.next != Some(slices.tick) {
            return;
        }
        let now = slices.tick;
        self.put_calls(output, now);
        self.put_outputs(output, now);
        for one in see(segments, slices) {
            let place = place_of(&self.members, one.agent);
            let Some((place, member)) = place.zip(place.and_then(|at| self.members.get_mut(at)))
            else {
                continue;
            };
            if member.has_turn {
                let before = std::mem::take(&mut member.instance);
                member.instance = one.instance.as_bytes().to_vec();
                member.keys.clear();
                self.layout.put(one.board, &mut member.keys);
                let digest = member.digest_now();
                if std::mem::replace(&mut member.digest, digest) != digest {
                    self.put_change(place, &before, now);
                }
            }
        }
        let places = self.places();
        for left in output.left() {
            if let Ok(place) = places.binary_search_by_key(&left.place, |(index, _)| *index) {
                self.members[places[place].1].left.push(left.event);
            }
        }
        let trouble = self.trouble(output);
        self.end_tick(now, trouble);
    }

    /// A tick in which nobody of them had a turn, and which the host left out.
    pub fn idle(&mut self, tick: u64) {
        if !self.out.is_open() {
            return;
        }
        let is_as_told = self.members.iter().all(|member| member.left.is_empty());
        match self.next {
            Some(next) if next == tick && is_as_told => self.end_tick(tick, None),
            // What the tape has is not what is there any more.
            Some(_) | None => self.next = None,
        }
    }

    /// The tick that [`before`](Self::before) was called for was refused: it did not take place.
    pub fn refused(&mut self) {
        self.next = None;
    }

    fn end_tick(&mut self, now: u64, trouble: Option<(Trouble, AgentId)>) {
        let digests = (self.proof != Proof::None).then(|| Digests {
            crowd: self
                .members
                .iter()
                .fold(0, |sum, member| sum.wrapping_add(member.digest)),
            commands: 0,
            boards: 0,
        });
        let proof = TickProof {
            digests,
            context: self.out.context(),
            // Whatever comes to them is told behind it.
            apart: true,
        };
        put_tick(&mut self.out.records, &proof);
        self.out.counts.ticks += 1;
        self.since_checkpoint += 1;
        self.next = Some(now + 1);
        if let Some(ring) = self.out.ring() {
            self.out.flush(now + 1);
            if let Some((trouble, agent)) = trouble {
                lock(&ring).note(now, trouble, agent);
            }
            if lock(&ring).is_full() {
                // From here on there is room again, unless the agents alone are too large.
                self.checkpoint(now + 1, CheckpointReason::Regular);
                if lock(&ring).is_full() {
                    self.out.end(EndReason::TooLarge);
                }
            }
        }
        if self.since_checkpoint >= self.every {
            self.checkpoint(now + 1, CheckpointReason::Regular);
        } else {
            self.out.flush_enough(now + 1);
        }
    }

    /// Members by their indices in the slices.
    fn places(&self) -> Vec<(u32, usize)> {
        let all = self.members.iter().enumerate();
        let mut places: Vec<(u32, usize)> = all.map(|(place, one)| (one.index, place)).collect();
        places.sort_unstable();
        places
    }

    /// What user code said and did, by the indices that agents have on the tape.
    fn put_calls(&mut self, output: &SlicesOutput, now: u64) {
        let places = self.places();
        let mut all: Vec<(u32, &[u8])> = Vec::new();
        for part in output.sealed_calls() {
            let mut turns = Turns::new(part);
            while let Ok(Some((index, calls))) = turns.next_turn() {
                if let Ok(place) = places.binary_search_by_key(&index, |(index, _)| *index) {
                    all.push((self.members[places[place].1].agent.index(), calls));
                }
            }
        }
        if all.is_empty() {
            return;
        }
        all.sort_unstable_by_key(|(index, _)| *index);
        self.calls.clear();
        for (index, calls) in all {
            self.calls.put_varint(index.into());
            self.calls.put_u32(calls.len() as u32);
            self.calls.put(calls);
        }
        let from = self.out.records.len();
        put_calls(&mut self.out.records, &self.calls);
        self.out.go_on(from, now);
    }

    /// Commands of chosen lanes.
    fn put_outputs(&mut self, output: &SlicesOutput, now: u64) {
        for command in self.outputs.iter().flat_map(|lane| output.lane(lane)) {
            if find(&self.members, command.agent()).is_some() {
                let from = self.out.records.len();
                put_output(&mut self.out.records, &command);
                self.out.go_on(from, now);
            }
        }
    }

    /// What became of a member that had other bytes before.
    fn put_change(&mut self, place: usize, before: &[u8], now: u64) {
        let Member {
            agent,
            instance,
            digest,
            ..
        } = &self.members[place];
        let from = self.out.records.len();
        match self.proof {
            Proof::None | Proof::Ticks => {}
            Proof::Agents => {
                let hash = AgentHash {
                    agent: (*agent).into(),
                    instance: *digest,
                    board: 0,
                };
                put_hash(&mut self.out.records, &hash);
            }
            Proof::Bytes => {
                let agent = (*agent).into();
                put_changed(&mut self.out.records, agent, (before, instance), (&[], &[]));
            }
        }
        self.out.go_on(from, now);
    }

    /// Everybody, as the tape has them.
    fn checkpoint(&mut self, now: u64, why: CheckpointReason) {
        let agents: Vec<PartAgent<'_>> = self.members.iter().map(Member::part).collect();
        let letters = self.members.iter().flat_map(|member| {
            let to = member.agent;
            member.left.iter().map(move |&event| Envelope { to, event })
        });
        let letters: Vec<Envelope> = letters.collect();
        let (machine, parameters) = (&self.machine, &self.parameters);
        part_of(machine, now, &agents, &letters, parameters, &mut self.part);
        let keys = Keys {
            boards_at: self.part.len(),
            slots: self.members.len(),
            words: self
                .members
                .iter()
                .flat_map(|one| one.keys.iter().copied())
                .collect(),
        };
        let blocks = CheckpointBlocks {
            why,
            settings: self.settings,
            snapshot: &self.part,
            keys: Some(&keys),
        };
        if self.out.put_checkpoint(&blocks, now).is_err() {
            self.out.end(EndReason::TooLarge);
        }
        self.since_checkpoint = 0;
    }

    /// What went wrong in the last tick with one of them.
    fn trouble(&self, output: &SlicesOutput) -> Option<(Trouble, AgentId)> {
        let is_ours = |agent: &AgentId| find(&self.members, *agent).is_some();
        let panicked = output.panicked().map(|one| one.agent);
        let unbound = output.unbound_calls().map(|(agent, _)| agent);
        if let Some(agent) = panicked.chain(unbound).find(is_ours) {
            return Some((Trouble::Panicked, agent));
        }
        if let Some(agent) = output.faults().map(|(agent, _)| agent).find(is_ours) {
            return Some((Trouble::Quarantined, agent));
        }
        let limit = self.machine.rom().header().clamp_limit;
        let entered = |agent: &AgentId| {
            let clamped = find(&self.members, *agent).and_then(Member::clamped_ticks);
            clamped.is_some_and(|clamped| clamped >= limit)
        };
        let has_entered = output.counters().fail_safes > 0;
        if let Some(agent) = output.clamped().filter(|_| has_entered).find(entered) {
            return Some((Trouble::FailSafe, agent));
        }
        let agent = output.overflowed().find(is_ours)?;
        Some((Trouble::Overflowed, agent))
    }
}

impl Member {
    fn part(&self) -> PartAgent<'_> {
        PartAgent {
            agent: self.agent,
            variant: self.variant,
            instance: &self.instance,
        }
    }

    fn digest_now(&self) -> u64 {
        self.part().digest().unwrap_or(0)
    }

    fn clamped_ticks(&self) -> Option<u8> {
        self.part().clamped_ticks()
    }
}

/// Where the member with an id stands.
fn place_of(members: &[Member], agent: AgentId) -> Option<usize> {
    let place = members.binary_search_by_key(&agent.index(), |member| member.agent.index());
    place.ok().filter(|&place| members[place].agent == agent)
}

/// A member by its id.
fn find(members: &[Member], agent: AgentId) -> Option<&Member> {
    place_of(members, agent).and_then(|place| members.get(place))
}

/// An input of the host.
fn put(out: &mut Gatherer, input: &Input<()>, now: u64) {
    let from = out.records.len();
    // A blackboard that says nothing: what machine files see of it stands before.
    put_input(&mut out.records, input, |_| Some(&()));
    out.counts.inputs += 1;
    out.go_on(from, now);
}

/// Agents that are recorded, by their indices on the tape.
fn see<'s, I, B>(segments: &'s [Segment<'_, I, B>], slices: &Slices<'_>) -> Vec<Seen<'s, I, B>> {
    let agents = segments.iter().map(|segment| segment.agents.len() as u32);
    let indices: Vec<u32> = match slices.sealed {
        None => Vec::new(),
        Some(Sealed::All) => (0..agents.sum()).collect(),
        Some(Sealed::Agents(indices)) => indices.clone(),
    };
    let (mut seen, mut first, mut segment) = (Vec::with_capacity(indices.len()), 0, 0);
    for index in indices {
        // Bound: each round goes on to the next segment.
        while let Some(own) = segments.get(segment) {
            let Some(row) = (index as usize).checked_sub(first) else {
                // Out of order: the tick is refused.
                break;
            };
            let (Some(&agent), Some(instance), Some(board)) = (
                own.agents.get(row),
                own.instances.get(row),
                own.boards.get(row),
            ) else {
                first += own.agents.len();
                segment += 1;
                continue;
            };
            seen.push(Seen {
                index,
                has_turn: has_turn(slices, index),
                agent,
                instance,
                board,
            });
            break;
        }
    }
    seen.sort_unstable_by_key(|one| one.agent.index());
    seen
}

/// Events for the agent at an index.
fn events_of<'s>(slices: &Slices<'s>, index: u32) -> impl Iterator<Item = &'s Event> {
    let inbox = slices.inbox;
    let first = inbox.partition_point(|event| event.place < index);
    let own = inbox[first..]
        .iter()
        .take_while(move |event| event.place == index);
    own.map(|event| &event.event)
}

fn variant_of(slices: &Slices<'_>, index: u32) -> VariantId {
    let variant = slices.variants.get(index as usize).copied();
    variant.unwrap_or(VariantId::PLAIN)
}

fn changes_of<'s>(slices: &Slices<'s>) -> &'s [statewright::ParameterChange] {
    slices.parameters.map_or(&[], Parameters::changes)
}

fn has_turn(slices: &Slices<'_>, index: u32) -> bool {
    slices
        .awake
        .is_none_or(|awake| awake.binary_search(&index).is_ok())
        || slices.stopping.binary_search(&index).is_ok()
        || events_of(slices, index).next().is_some()
}

/// The beginning of a tape of agents of a program.
fn beginning_of<B: Board, C: Context + ?Sized>(
    program: &Program<B, C>,
    (proof, outputs, origin): (Proof, Lanes, Origin),
) -> Beginning {
    let version = Version::of(program.machine(), Some(seal_of(program)));
    Beginning {
        is_part: true,
        outputs,
        ..Beginning::new(version, proof, origin)
    }
}

/// A recording of agents of one program over [`Slices`].
///
/// ```
/// use statewright::prelude::*;
/// use statewright::sealed::Sealed;
/// use statewright::{Instance64, Segment, Slices, SlicesOutput};
/// use statewright_tape::{RecordingOptions, SealedProgram, SlicesRecording, Tape};
///
/// let machine = Machine::from_text("dog", r#"{ "machine": "Dog", "tier": "crowd", "initial": "sit", "states": {
///   "sit": { "transitions": [{ "after": "2t", "if": "Bored", "to": "walk" }] }, "walk": {} } }"#)?;
/// // The game.
/// let bored = Functions::<(), ()>::new().guard("Bored", |_, _, cx| Verdict::from(cx.agent().index() == 7));
/// let dogs = machine.bind(bored)?;
/// let ids = [7, 9].map(|index| AgentId::new(index, 1));
/// let mut instances = ids.map(|id| machine.new_instance::<Instance64>(1, id.bits()).expect("the smallest tier"));
/// let mut output = SlicesOutput::default();
/// let mut recording = SlicesRecording::begin(&dogs, Vec::new(), RecordingOptions::default())?;
/// let rex = Sealed::Agents(vec![0]);
/// for tick in 0..5 {
///     let mut segments = [Segment { instances: &mut instances, boards: &mut [(), ()], agents: &ids }];
///     let slices = Slices { tick, sealed: Some(&rex), ..Slices::default() };
///     recording.recorder().before(&dogs, &segments, &slices);
///     dogs.tick_segments(&mut segments, &(), slices, &mut output)?;
///     recording.recorder().after(&segments, &slices, &output);
/// }
/// let (bytes, summary) = recording.finish()?;
/// assert_eq!(summary.ticks, 5);
///
/// // Anybody.
/// let tape = Tape::read(&bytes)?;
/// let sealed = SealedProgram::of(&tape)?;
/// let mut replay = sealed.replay(&tape, 0)?;
/// assert_eq!(replay.run(|dogs| sealed.tick(dogs))?.ticks, 5);
/// assert_eq!(replay.crowd().path(ids[0])?, "walk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SlicesRecording<W> {
    recorder: SlicesRecorder,
    shared: Arc<Shared>,
    context: ContextDigest,
    queue: Queue,
    thread: JoinHandle<Written<W>>,
}

impl<W: Write + Send + 'static> SlicesRecording<W> {
    /// Begins. Agents are those that the slices of each tick [name](Slices::sealed), and always sealed: what the
    /// options say of both does not count. Of their blackboards the tape has what machine files see.
    pub fn begin<B: Board, C: Context + ?Sized>(
        program: &Program<B, C>,
        out: W,
        options: RecordingOptions,
    ) -> Result<Self, RecordError> {
        let outputs = Lanes::of(&options.outputs);
        let every = options.checkpoints_of(program.machine());
        let beginning = beginning_of(program, (options.proof, outputs, options.origin));
        let shared = Arc::new(Shared::default());
        let wait = options.when_slow == WhenSlow::Wait;
        let writer = TapeWriter::new(out, &beginning)?;
        let queue = Queue::new(writer, wait, Arc::clone(&shared));
        let (queue, thread) = queue.map_err(RecordError::Thread)?;
        let context = ContextDigest::default();
        let to = Gathering::Queue {
            queue: queue.clone(),
            shared: Arc::clone(&shared),
            context: context.clone(),
        };
        Ok(Self {
            recorder: SlicesRecorder::new(program, to, (options.proof, every, outputs)),
            shared,
            context,
            queue,
            thread,
        })
    }

    /// Who looks at ticks.
    pub fn recorder(&mut self) -> &mut SlicesRecorder {
        &mut self.recorder
    }

    /// What the context of the next tick comes to
    /// ([`Recording::set_context`](crate::Recording::set_context)).
    pub fn set_context(&self, digest: u64) {
        self.context.set(digest);
    }

    /// Why it ended before its time, if it did.
    pub fn ended(&self) -> Option<EndReason> {
        self.shared.ended()
    }

    /// Ends it; the output, and what the tape has.
    pub fn finish(self) -> Result<(W, Summary), RecordError> {
        // It sends out what it has.
        drop(self.recorder);
        Summary::of(self.queue, self.thread, &self.shared)
    }
}

/// The last seconds of chosen agents of one program over [`Slices`], in memory
/// ([`FlightRecorder`](crate::FlightRecorder)).
#[derive(Debug)]
pub struct SlicesFlight {
    recorder: SlicesRecorder,
    ring: Arc<Mutex<Ring>>,
}

impl SlicesFlight {
    /// Begins. Agents are those that the slices of each tick [name](Slices::sealed), and always sealed: what the
    /// options say of both does not count.
    pub fn begin<B: Board, C: Context + ?Sized>(
        program: &Program<B, C>,
        options: FlightOptions,
    ) -> Self {
        let rate = program.machine().rom().header().tick_rate.get();
        let (ticks, every) = options.stretch(rate.into());
        let outputs = Lanes::of(&options.outputs);
        let beginning = beginning_of(program, (options.proof, outputs, options.origin));
        let ring = Ring::new(beginning, ticks, options.budget);
        let to = Gathering::Ring(Arc::clone(&ring));
        let recorder = SlicesRecorder::new(program, to, (options.proof, every, outputs));
        Self { recorder, ring }
    }

    /// Who looks at ticks.
    pub fn recorder(&mut self) -> &mut SlicesRecorder {
        &mut self.recorder
    }

    /// What is there so far, as a tape of the ticks that are over. Never waits
    /// ([`FlightRecorder::dump`](crate::FlightRecorder::dump)).
    pub fn dump(&self) -> Option<Vec<u8>> {
        dump(&self.ring)
    }

    /// The first trouble of one of them since this was asked last, with the tape that ends with its tick.
    pub fn take_incident(&self) -> Option<Incident> {
        lock(&self.ring).take_incident()
    }

    /// Bytes that are kept now.
    pub fn kept_bytes(&self) -> usize {
        lock(&self.ring).kept_bytes()
    }
}
