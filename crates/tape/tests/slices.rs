//! TAPE-2, TAPE-5: chosen agents of a host that owns its memory are on a tape as those of a crowd are: anybody runs them
//! again without the others and without the game.

use std::sync::Arc;

use statewright::commands::Lane;
use statewright::prelude::*;
use statewright::sealed::Sealed;
use statewright::{
    Blackboard, Event, InboxEvent, Instance64, Parameters, Program, Segment, Slices, SlicesOutput,
    TickSettings, VariantHandle, WakeSet,
};
use statewright_tape::{
    EndReason, FlightOptions, Proof, Record, RecordingOptions, ReplayError, SealedProgram,
    SlicesFlight, SlicesRecorder, SlicesRecording, Tape, TapeInput, Trouble, rewrite,
};
use zerocopy::IntoBytes;

/// Dogs bark at others when they are called, remember who barked at them, and hide when it was too much.
const DOG: &str = r#"{ "machine": "Dog", "tier": "crowd", "tick_rate": 8, "budgets": { "events_per_tick": 2 },
  "events": { "Call": { "payload": "i32" }, "Bark": { "payload": "i32" } },
  "parameters": { "fear": 2 }, "variants": { "hero": { "fear": 0 } },
  "blackboard": { "heard": "i32" }, "initial": "sit",
  "states": {
    "sit": { "transitions": [
      { "when": "always", "if": "heard > 200", "to": "hide" },
      { "on": "Call", "if": "event > fear && Trusts", "do": ["Answer", { "emit": "Woof", "lane": "audio" }], "to": "stand" },
      { "on": "Bark", "do": "heard += event" } ] },
    "stand": { "transitions": [ { "on": "Bark", "do": "heard += event" }, { "after": "3t", "to": "sit" } ] },
    "hide": { "transitions": [ { "after": "5t", "do": "heard = 0", "to": "sit" } ] } } }"#;

#[derive(Board, Clone, Default, Debug, PartialEq)]
struct Nose {
    heard: i32,
    /// Nothing that machine files see.
    #[board(skip)]
    trust: u32,
}

/// How much louder they answer, and whom they know.
struct Yard {
    luck: i32,
    dogs: Vec<AgentId>,
}

fn machine() -> Machine {
    Machine::from_text("dog.sw.json", DOG).unwrap()
}

fn program(machine: &Machine) -> Program<Nose, Yard> {
    let functions = Functions::<Nose, Yard>::new()
        .guard("Trusts", |nose: &Nose, _, cx| {
            Verdict::from((nose.trust + cx.agent().index()) % 7 != 3)
        })
        .action("Answer", |nose: &mut Nose, yard: &Yard, cx| {
            let called = cx.payload::<i32>();
            assert_ne!(called, 13, "an unlucky number");
            nose.trust += cx.rng().below(5);
            let bark = cx.machine().event("Bark").unwrap();
            let other = yard.dogs[(cx.agent().index() as usize * 5 + 1) % yard.dogs.len()];
            cx.send(other, bark, called + yard.luck);
        });
    machine.bind(functions).unwrap()
}

const DOGS: u32 = 30;

/// A host with two tables, whose rows are in no order.
struct Host {
    program: Arc<Program<Nose, Yard>>,
    yard: Yard,
    instances: [Vec<Instance64>; 2],
    boards: [Vec<Nose>; 2],
    ids: [Vec<AgentId>; 2],
    variants: Vec<statewright::ids::VariantId>,
    parameters: Parameters,
    awake: WakeSet,
    letters: Vec<(AgentId, Event)>,
    output: SlicesOutput,
    now: u64,
}

impl Host {
    fn new() -> Self {
        let machine = machine();
        let id = |number: u32| AgentId::new(number * 3 + 2, 1);
        let order: Vec<AgentId> = (0..DOGS).map(|number| id(number * 11 % DOGS)).collect();
        let (one, other) = order.split_at(13);
        let new = |id: &AgentId| machine.new_instance::<Instance64>(5, id.bits()).unwrap();
        let mut host = Self {
            program: Arc::new(program(&machine)),
            yard: Yard {
                luck: 0,
                dogs: (0..DOGS).map(id).collect(),
            },
            instances: [one, other].map(|ids| ids.iter().map(new).collect()),
            boards: [one, other].map(|ids| vec![Nose::default(); ids.len()]),
            ids: [one.to_vec(), other.to_vec()],
            variants: vec![statewright::ids::VariantId::PLAIN; DOGS as usize],
            parameters: Parameters::default(),
            awake: WakeSet::default(),
            letters: Vec::new(),
            output: SlicesOutput::default(),
            now: 0,
        };
        (0..DOGS as usize).for_each(|index| host.awake.wake(index));
        host
    }

    /// Index of an agent in the slices.
    fn index(&self, dog: usize) -> u32 {
        let mut all = self.ids.iter().flatten();
        all.position(|id| *id == self.yard.dogs[dog]).unwrap() as u32
    }

    fn instance(&mut self, dog: usize) -> &mut Instance64 {
        let index = self.index(dog) as usize;
        self.awake.wake(index);
        self.instances.iter_mut().flatten().nth(index).unwrap()
    }

    fn board(&mut self, dog: usize) -> &mut Nose {
        let index = self.index(dog) as usize;
        self.awake.wake(index);
        self.boards.iter_mut().flatten().nth(index).unwrap()
    }

    fn send(&mut self, dog: usize, event: &str, value: i32) {
        let event = self.program.machine().event(event).unwrap();
        let event = self.program.machine().make_event(event, value).unwrap();
        self.letters.push((self.yard.dogs[dog], event));
    }

    /// A tick in which these are recorded.
    fn tick(
        &mut self,
        chosen: &[usize],
        stop: Option<usize>,
        recorder: Option<&mut SlicesRecorder>,
    ) {
        let mut sealed: Vec<u32> = chosen.iter().map(|&dog| self.index(dog)).collect();
        sealed.sort_unstable();
        let sealed = Sealed::Agents(sealed);
        let stopping: Vec<u32> = stop.iter().map(|&dog| self.index(dog)).collect();
        let place = |id: AgentId| self.ids.iter().flatten().position(|own| *own == id);
        let mut inbox: Vec<InboxEvent> = Vec::new();
        for (to, event) in self.letters.drain(..) {
            let place = place(to).unwrap() as u32;
            inbox.push(InboxEvent { place, event });
        }
        inbox.sort_by_key(|event| event.place);
        let mut awake = Vec::new();
        self.awake.wake_due(self.now);
        self.awake.list(&mut awake);
        let [one, two] = &mut self.instances;
        let [three, four] = &mut self.boards;
        let [five, six] = &self.ids;
        let mut segments =
            [(one, three, five), (two, four, six)].map(|(instances, boards, agents)| Segment {
                instances,
                boards,
                agents,
            });
        let slices = Slices {
            tick: self.now,
            variants: &self.variants,
            parameters: Some(&self.parameters),
            inbox: &inbox,
            awake: Some(&awake),
            stopping: &stopping,
            sealed: recorder.is_some().then_some(&sealed),
            by_id: true,
            settings: TickSettings {
                chunk_size: 7,
                ..TickSettings::default()
            },
            ..Slices::default()
        };
        let mut recorder = recorder;
        let output = &mut self.output;
        if awake.is_empty() && inbox.is_empty() && stopping.is_empty() {
            // As a host does that leaves out what need not be.
            output.clear();
            if let Some(recorder) = recorder {
                recorder.idle(self.now);
            }
        } else {
            if let Some(recorder) = &mut recorder {
                recorder.before(&self.program, &segments, &slices);
            }
            self.program
                .tick_segments(&mut segments, &self.yard, slices, output)
                .unwrap();
            if let Some(recorder) = recorder {
                recorder.after(&segments, &slices, output);
            }
        }
        self.awake.put_all_to_sleep();
        for (index, sleep) in self.output.awake_next() {
            self.awake.settle(index as usize, sleep, self.now);
        }
        let id = |index: u32| *self.ids.iter().flatten().nth(index as usize).unwrap();
        let left = self.output.left().map(|left| (id(left.place), left.event));
        let sent = self
            .output
            .messages()
            .iter()
            .map(|sent| (sent.to, sent.event));
        self.letters = left.chain(sent).collect();
        self.now += 1;
    }

    fn state(&self) -> (Vec<Vec<u8>>, Vec<Nose>, u64) {
        let bytes = self
            .instances
            .iter()
            .flatten()
            .map(|one| one.as_bytes().to_vec());
        let boards = self.boards.iter().flatten().cloned();
        (bytes.collect(), boards.collect(), self.now)
    }
}

/// What happens to all of them in a tick, and who is recorded in it.
fn live(host: &mut Host, ticks: u64, mut recorder: Option<&mut SlicesRecorder>) {
    let fear = host.program.machine().parameter("fear").unwrap();
    for _ in 0..ticks {
        let (now, machine) = (host.now, host.program.machine().clone());
        let mut stop = None;
        // A while in which nothing happens to anybody.
        if now % 40 < 25 {
            for dog in (now as usize % 3..DOGS as usize).step_by(3) {
                host.send(dog, "Call", 1 + (now as i32 + dog as i32) % 9);
            }
        }
        match now {
            // More than they take in a tick.
            11 => (0..5).for_each(|call| host.send(4, "Call", 3 + call)),
            14 => host.board(4).heard = 900,
            15 => host.board(7).trust += 1,
            17 => machine.pause_instance(host.instance(9), now),
            23 => machine.resume_instance(host.instance(9), now),
            27 => {
                let hero = machine.variant("hero").unwrap();
                let index = host.index(12) as usize;
                host.variants[index] = hero.id();
            }
            31 => {
                let mut parameters = Parameters::default();
                let plain = VariantHandle::PLAIN;
                parameters.set(&machine, plain, fear, 4).unwrap();
                host.parameters = parameters;
                (0..DOGS as usize).for_each(|index| host.awake.wake(index));
            }
            52 => stop = Some(15),
            60 => machine.reset_instance(host.instance(20)),
            _ => {}
        }
        host.tick(&chosen(now), stop, recorder.as_deref_mut());
    }
}

/// Somebody is chosen for a while, and somebody else goes.
fn chosen(now: u64) -> Vec<usize> {
    let mut chosen = vec![4, 7, 12, 15];
    chosen.extend((now > 8).then_some(9));
    chosen.extend((now > 44).then_some(20));
    if now > 70 {
        chosen.retain(|&dog| dog != 7);
    }
    chosen
}

const TICKS: u64 = 100;

fn record(proof: Proof) -> (Host, Vec<u8>) {
    let mut host = Host::new();
    let options = RecordingOptions {
        proof,
        outputs: vec![Lane::AUDIO],
        ..RecordingOptions::default()
    };
    let mut recording = SlicesRecording::begin(&*host.program, Vec::new(), options).unwrap();
    live(&mut host, TICKS, Some(recording.recorder()));
    let (bytes, summary) = recording.finish().unwrap();
    assert_eq!((summary.ticks, summary.end), (TICKS, EndReason::Host));
    (host, bytes)
}

fn replay(bytes: &[u8]) -> Result<u64, ReplayError> {
    let tape = Tape::read(bytes).unwrap();
    let sealed = SealedProgram::of(&tape)?;
    let mut replay = sealed.replay(&tape, 0)?;
    Ok(replay.run(|dogs| sealed.tick(dogs))?.ticks)
}

#[test]
fn tape_2_agents_of_a_host_run_again_without_the_others_and_without_the_game() {
    let mut plain = Host::new();
    live(&mut plain, TICKS, None);
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let (host, bytes) = record(proof);
        // Being recorded changes nothing.
        assert_eq!(host.state(), plain.state());
        let tape = Tape::read(&bytes).unwrap();
        let told = tape.chosen().unwrap().unwrap();
        let indices: Vec<u32> = told.iter().map(|agent| agent.index).collect();
        assert_eq!(indices, [4, 7, 12, 15].map(|dog| dog * 3 + 2));
        let sealed = SealedProgram::of(&tape).unwrap();
        let mut timeline = sealed.timeline(&tape).unwrap();
        assert!(timeline.seek(21).unwrap());
        let told = timeline.why(host.yard.dogs[12]).unwrap();
        assert!(told.iter().any(|line| line.contains("Call")), "{told:?}");
        let mut starts: Vec<u64> = tape.checkpoints().collect();
        starts.dedup();
        assert!(starts.len() > 10, "{starts:?}");
        for start in starts {
            let mut replay = sealed.replay(&tape, start).unwrap();
            let verified = replay.run(|dogs| sealed.tick(dogs)).unwrap();
            assert!(start > 0 || verified.ticks == TICKS && verified.outputs > 0);
            assert!(proof == Proof::None || verified.digests > 0 || start == TICKS);
            let there: Vec<AgentId> = replay.crowd().agents().collect();
            let own = |dog: usize| host.yard.dogs[dog];
            let mut last: Vec<AgentId> = chosen(TICKS - 1).into_iter().map(own).collect();
            last.sort();
            assert_eq!(there, last);
            for id in there {
                let place = host
                    .ids
                    .iter()
                    .flatten()
                    .position(|own| *own == id)
                    .unwrap();
                let (bytes, boards, _) = host.state();
                assert_eq!(replay.crowd().instance_bytes(id).unwrap(), bytes[place]);
                let board: &Blackboard = replay.crowd().board(id).unwrap();
                assert_eq!(board.read(0)[0] as i32, boards[place].heard);
            }
        }
    }
}

#[test]
fn tape_6_another_input_and_another_answer_are_told() {
    let (_, bytes) = record(Proof::Bytes);
    assert_eq!(replay(&bytes).unwrap(), TICKS);
    let tape = Tape::read(&bytes).unwrap();
    let is_event = |record: &Record| matches!(record, Record::Input(TapeInput::Send(..)));
    let (mut flips, mut told) = (0, 0);
    for flipped in 0.. {
        let mut events = 0;
        let mut was_there = false;
        let other = rewrite(&tape, &(0..=TICKS), |record, bytes| {
            events += usize::from(is_event(record));
            let is_it = is_event(record) && events == flipped + 1;
            was_there |= is_it;
            // The payload stands at the end: nobody hears what is below zero.
            let mut bytes = bytes.to_vec();
            *bytes.last_mut().unwrap() ^= 0x80;
            is_it.then_some(bytes)
        });
        if !was_there {
            break;
        }
        flips += 1;
        told += usize::from(replay(&other.unwrap().0).is_err());
    }
    // Some calls come when nobody listens.
    assert!(told > 30 && told * 4 > flips, "{told} of {flips}");
    let mut is_flipped = false;
    let (other, _) = rewrite(&tape, &(0..=TICKS), |record, bytes| {
        let is_it = matches!(record, Record::Calls(_)) && !is_flipped;
        is_flipped |= is_it;
        let mut bytes = bytes.to_vec();
        // The code of the last answer.
        let last = bytes.len() - 1;
        bytes[last] ^= 0xFF;
        is_it.then_some(bytes)
    })
    .unwrap();
    assert!(is_flipped && replay(&other).is_err());
}

#[test]
fn a_rollback_and_a_tick_that_was_refused_are_gone_over() {
    let mut host = Host::new();
    let options = RecordingOptions::default();
    let mut recording = SlicesRecording::begin(&*host.program, Vec::new(), options).unwrap();
    live(&mut host, 20, Some(recording.recorder()));
    let kept = (
        host.instances.clone(),
        host.boards.clone(),
        host.letters.clone(),
        host.variants.clone(),
    );
    live(&mut host, 10, Some(recording.recorder()));
    (host.instances, host.boards, host.letters, host.variants) = kept;
    host.now = 20;
    (0..DOGS as usize).for_each(|index| host.awake.wake(index));
    live(&mut host, 3, Some(recording.recorder()));
    recording.recorder().refused();
    live(&mut host, 17, Some(recording.recorder()));
    let (bytes, summary) = recording.finish().unwrap();
    assert_eq!(summary.ticks, 50);
    assert_eq!(replay(&bytes).unwrap(), 50);
    let mut plain = Host::new();
    live(&mut plain, 40, None);
    assert_eq!(plain.state(), host.state());
}

#[test]
fn tape_5_a_flight_recorder_of_a_host_says_what_went_wrong_with_whom() {
    let mut host = Host::new();
    let options = FlightOptions {
        ticks: Some(16),
        ..FlightOptions::default()
    };
    let mut flight = SlicesFlight::begin(&*host.program, options);
    live(&mut host, 40, Some(flight.recorder()));
    assert_eq!(flight.take_incident(), None);
    let dumped = flight.dump().unwrap();
    let ticks = replay(&dumped).unwrap();
    assert!((16..26).contains(&ticks), "{ticks}");
    // Nobody looks at the first one.
    host.send(1, "Call", 13);
    host.send(4, "Call", 13);
    host.board(4).trust = 0;
    host.board(1).trust = 0;
    live(&mut host, 6, Some(flight.recorder()));
    let incident = flight.take_incident().expect("it panicked");
    assert_eq!(incident.trouble, Trouble::Panicked);
    assert_eq!(incident.agent, Some(host.yard.dogs[4].into()));
    assert!(
        replay(&incident.tape).unwrap() >= 16,
        "panics run again, too"
    );
    assert!(flight.kept_bytes() > 0 && flight.take_incident().is_none());
}

#[test]
fn load_7_a_reload_is_on_the_tape_and_it_goes_on() {
    let mut host = Host::new();
    let options = RecordingOptions {
        proof: Proof::Bytes,
        ..RecordingOptions::default()
    };
    let mut recording = SlicesRecording::begin(&*host.program, Vec::new(), options).unwrap();
    live(&mut host, 30, Some(recording.recorder()));
    let new = DOG
        .replace("\"after\": \"3t\"", "\"after\": \"6t\"")
        .replace(
            "\"stand\": {",
            "\"sleep\": {}, \"stand\": { \"entry\": { \"emit\": \"Yawn\", \"lane\": \"audio\" },",
        );
    let new = Machine::from_text("dog.sw.json", &new).unwrap();
    let plan = statewright::Reload::plan(host.program.machine(), &new);
    for instance in host.instances.iter_mut().flatten() {
        *instance = plan.instance(instance, host.now).unwrap().0;
    }
    host.letters
        .retain_mut(|(_, event)| match plan.event(*event) {
            Some(other) => (*event = other, true).1,
            None => false,
        });
    host.parameters = Parameters::default();
    host.program = Arc::new(program(&new));
    (0..DOGS as usize).for_each(|index| host.awake.wake(index));
    live(&mut host, 1, Some(recording.recorder()));
    host.now = 61;
    live(&mut host, 30, Some(recording.recorder()));
    let (bytes, summary) = recording.finish().unwrap();
    assert_eq!(summary.ticks, 61);
    let tape = Tape::read(&bytes).unwrap();
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    let verified = replay.run(|dogs| sealed.tick(dogs)).unwrap();
    assert_eq!((verified.ticks, verified.reloads), (61, 1));
}
