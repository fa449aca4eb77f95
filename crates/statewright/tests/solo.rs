//! An agent that is ticked by itself does what it does as the only one of slices: bytes, blackboard,
//! commands, messages, events that were left, counters, and how user code ended it.

use statewright::prelude::*;
use statewright::{
    AgentId, Counters, Envelope, Event, EventHandle, InboxEvent, Instance, Instance64, Instance128,
    Machine, Parameters, Program, Sleep, Slices, SlicesError, SlicesOutput, TickSettings, Turn,
    VariantHandle, WrongBudget, WrongSettings, ids,
};
use zerocopy::IntoBytes;

const SCOUT: &str = r#"{ "machine": "Scout", "tier": "crowd",
  "events": { "Noise": { "payload": "i32" }, "Help": { "payload": "entity" }, "Calm": {}, "Trip": {} },
  "lanes": { "sum": { "merge": "accumulate" } },
  "budgets": { "events_per_tick": 3 },
  "parameters": { "deaf": 3 }, "variants": { "sharp": { "deaf": 0 } },
  "blackboard": { "alarms": { "type": "i32" } },
  "initial": "idle",
  "transitions": [{ "on": "Trip", "do": "Stumble" }],
  "states": {
    "idle": { "transitions": [
      { "on": "Noise", "if": "event > deaf", "to": "look", "do": ["Call", "alarms += 1"] },
      { "on": "Help", "if": "Dares", "to": "fight" } ] },
    "look": { "entry": { "emit": "Look", "lane": "sum", "payload": 1 }, "activity": "Peer", "transitions": [
      { "after": "4t", "to": "idle", "do": { "emit": "Look", "lane": "sum", "payload": 2 } },
      { "when": "always", "if": "alarms > 5", "to": "fight" } ] },
    "fight": { "entry": "Draw", "exit": "alarms = 0", "transitions": [
      { "on": "Noise", "do": "Call" }, { "on": "Calm", "to": "idle" }, { "after": "9t", "to": "idle" } ] } } }"#;

#[derive(Clone, Debug, Default, PartialEq)]
struct Body {
    alarms: i32,
    swords: u32,
}

impl Board for Body {
    // What else it has is the test's own.
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("alarms", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        statewright::Value::to_words(self.alarms)
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.alarms = statewright::Value::from_words(words);
    }
}

#[derive(Clone, Copy, Command)]
#[command(lane = NAVIGATION)]
struct Step([u32; 30]);

struct World {
    noise: EventHandle,
    help: EventHandle,
}

fn machine() -> Machine {
    Machine::from_text("scout.sw.json", SCOUT).unwrap()
}

fn functions() -> Functions<Body, World> {
    Functions::new()
        .guard("Dares", |me: &Body, _: &World, _| {
            Verdict::from(!me.swords.is_multiple_of(5))
        })
        .action("Call", |me, world, cx| {
            let to = AgentId::new(cx.rng().below(9), 1);
            cx.send(to, world.help, cx.agent());
            cx.send(to, world.noise, 2);
            me.swords ^= 1 << 31;
        })
        .action("Draw", |me, _, cx| {
            me.swords += cx.rng().below(3);
            // More than its budget takes, now and then.
            for _ in 0..cx.rng().below(9) {
                cx.emit(Step([me.swords; 30]));
            }
        })
        .activity("Peer", |me, _, _, _| {
            me.swords += 1;
            Status::Running
        })
        .action("Stumble", |_, _, cx| {
            cx.emit(Step([0; 30]));
            panic!("a scout stumbles")
        })
}

/// What a tick leaves.
#[derive(Debug, PartialEq)]
struct Left {
    instance: Vec<u8>,
    body: Body,
    commands: Vec<String>,
    sums: Vec<String>,
    messages: Vec<Envelope>,
    left: Vec<Event>,
    lost: Vec<String>,
    panicked: Vec<String>,
    counters: Counters,
    /// Whether it may sleep; slices tell that of those who had a turn.
    sleep: Option<Sleep>,
}

const AGENT: (u32, u32) = (77, 3);

fn sum_of(machine: &Machine) -> ids::LaneId {
    machine.lane("sum").unwrap()
}

/// All ticks as the only agent of slices.
fn as_slices(
    program: &Program<Body, World>,
    settings: TickSettings,
    parameters: Option<&Parameters>,
    variant: ids::VariantId,
) -> Vec<Left> {
    let machine = program.machine();
    let mut instance = [Instance64::new(&machine.rom(), 1, 5).unwrap()];
    let (mut body, mut output) = ([Body::default()], SlicesOutput::default());
    let (mut counters, mut left) = (Counters::default(), Vec::new());
    let world = world(machine);
    let mut all = Vec::new();
    for (tick, events) in (0..).zip(script(machine)) {
        let events = left.drain(..).chain(events);
        let inbox: Vec<InboxEvent> = events.map(|event| InboxEvent { place: 0, event }).collect();
        let slices = Slices {
            tick,
            inbox: &inbox,
            agents: &[AgentId::new(AGENT.0, AGENT.1)],
            variants: &[variant],
            parameters,
            settings,
            ..Slices::default()
        };
        program
            .tick_slices(&mut instance, &mut body, &world, slices, &mut output)
            .unwrap();
        counters.add(output.counters());
        left.extend(output.left().map(|event| event.event));
        let next = output.awake_next().next();
        let sleep = next.map_or(Sleep::Asleep, |(_, sleep)| sleep);
        all.push(Left {
            instance: instance.as_bytes().to_vec(),
            body: body[0].clone(),
            commands: output.commands().map(|c| format!("{c:?}")).collect(),
            sums: output
                .lane(sum_of(machine))
                .map(|c| format!("{c:?}"))
                .collect(),
            messages: output.messages().to_vec(),
            left: left.clone(),
            lost: output
                .lost_commands()
                .map(|lost| format!("{lost:?}"))
                .collect(),
            panicked: output
                .panicked()
                .map(|panic| format!("{panic:?}"))
                .collect(),
            counters,
            sleep: (output.turns() > 0).then_some(sleep),
        });
        revive(machine, &mut instance[0]);
    }
    all
}

/// All ticks by itself.
fn alone(
    program: &Program<Body, World>,
    settings: TickSettings,
    parameters: Option<&Parameters>,
    variant: ids::VariantId,
) -> Vec<Left> {
    let machine = program.machine();
    let mut solo = program.solo().with_settings(settings).unwrap();
    if let Some(parameters) = parameters {
        solo = solo.with_parameters(parameters).unwrap();
    }
    let mut instance = Instance64::new(&machine.rom(), 1, 5).unwrap();
    let (mut body, mut left, world) = (Body::default(), Vec::new(), world(machine));
    let mut all = Vec::new();
    for (tick, events) in (0..).zip(script(machine)) {
        let events: Vec<Event> = left.drain(..).chain(events).collect();
        let turn = Turn {
            tick,
            agent: AgentId::new(AGENT.0, AGENT.1),
            variant,
            events: &events,
        };
        let done = solo.tick(&mut instance, &mut body, &world, turn).unwrap();
        assert_eq!(done.unwound, solo.panicked().is_some());
        left.extend_from_slice(done.left);
        all.push(Left {
            instance: instance.as_bytes().to_vec(),
            body: body.clone(),
            commands: solo.commands().map(|c| format!("{c:?}")).collect(),
            sums: solo
                .lane(sum_of(machine))
                .map(|c| format!("{c:?}"))
                .collect(),
            messages: solo.messages().collect(),
            left: left.clone(),
            lost: solo
                .lost_commands()
                .map(|lost| format!("{lost:?}"))
                .collect(),
            panicked: solo
                .panicked()
                .map(|panic| format!("{panic:?}"))
                .into_iter()
                .collect(),
            counters: solo.counters(),
            sleep: Some(solo.sleep(&instance, tick)),
        });
        revive(machine, &mut instance);
    }
    all
}

fn world(machine: &Machine) -> World {
    let [noise, help] = ["Noise", "Help"].map(|name| machine.event(name).unwrap());
    World { noise, help }
}

/// Whoever has ended begins anew.
fn revive(machine: &Machine, instance: &mut Instance64) {
    if instance.header().flags.get() & statewright::flag::ENDED != 0 {
        machine.reset_instance(instance);
    }
}

/// Events of each tick: now none, now more than a tick takes.
fn script(machine: &Machine) -> impl Iterator<Item = Vec<Event>> + use<'_> {
    let mut state = 7_u64;
    let mut below = move |end: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    let handle = |name: &str| machine.event(name).unwrap();
    let someone = AgentId::new(1, 1);
    (0..2000).map(move |_| {
        let count = [0, 0, 1, 1, 2, 9][below(6) as usize];
        let one = |which: u64, number: i32| match which {
            0..3 => machine.make_event(handle("Noise"), number),
            3 => machine.make_event(handle("Help"), someone),
            4 => machine.make_event(handle("Trip"), ()),
            _ => machine.make_event(handle("Calm"), ()),
        };
        let events = (0..count).map(|_| {
            let which = if below(20) == 0 {
                4
            } else {
                below(4) + below(2) * 2
            };
            one(
                if which == 4 && below(3) > 0 { 5 } else { which },
                below(10) as i32,
            )
            .unwrap()
        });
        events.collect()
    })
}

fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let done = work();
    std::panic::set_hook(hook);
    done
}

#[test]
fn sys_1_an_agent_by_itself_does_what_it_does_in_slices() {
    let machine = machine();
    let program = machine.bind(functions()).unwrap();
    let (mut changed, deaf) = (Parameters::default(), machine.parameter("deaf").unwrap());
    changed
        .set(&machine, VariantHandle::PLAIN, deaf, 5)
        .unwrap();
    let sharp = machine.resolve(machine.variant("sharp").unwrap()).unwrap();
    let plain = TickSettings::default();
    let cases = [
        (plain, None, ids::VariantId::PLAIN),
        (plain, None, sharp),
        (plain, Some(&changed), ids::VariantId::PLAIN),
        (
            TickSettings {
                strict: Some(true),
                ..plain
            },
            None,
            sharp,
        ),
        (
            TickSettings {
                budget: Some(300),
                ..plain
            },
            None,
            sharp,
        ),
        (
            TickSettings {
                forgets_commands: true,
                quarantine_overflow: true,
                ..plain
            },
            None,
            sharp,
        ),
    ];
    for (number, (settings, parameters, variant)) in cases.into_iter().enumerate() {
        let expected = quietly(|| as_slices(&program, settings, parameters, variant));
        let found = quietly(|| alone(&program, settings, parameters, variant));
        assert_eq!(expected.len(), found.len());
        for (tick, (expected, found)) in expected.iter().zip(found).enumerate() {
            let sleep = expected.sleep.and(found.sleep);
            let found = Left { sleep, ..found };
            assert_eq!(expected, &found, "case {number}, tick {tick}");
        }
        let any = |is: &dyn Fn(&Left) -> bool| expected.iter().any(is);
        assert!(any(&|one| !one.panicked.is_empty()) && any(&|one| !one.messages.is_empty()));
        assert!(any(&|one| !one.lost.is_empty()) && any(&|one| !one.left.is_empty()));
        assert!(
            any(&|one| one.sleep == Some(Sleep::Asleep))
                && any(&|one| one.sleep == Some(Sleep::Awake))
        );
        assert!(expected.last().unwrap().counters.dropped_surplus > 0);
    }
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let machine = machine();
    let program = machine.bind(functions()).unwrap();
    let (mut solo, world) = (program.solo(), world(&machine));
    let mut large = Instance128::of_machine(machine.rom().machine_id(), 1, 0);
    let done = solo.tick(&mut large, &mut Body::default(), &world, Turn::default());
    assert_eq!(done.unwrap_err(), SlicesError::Tier);
    let mut small = Instance64::new(&machine.rom(), 1, 0).unwrap();
    let before = small.as_bytes().to_vec();
    let turn = Turn {
        variant: ids::VariantId::from_index(9).unwrap(),
        ..Turn::default()
    };
    let done = solo.tick(&mut small, &mut Body::default(), &world, turn);
    assert_eq!(done.unwrap_err(), SlicesError::UnknownVariant { index: 0 });
    assert_eq!(small.as_bytes(), before);
    let other = SCOUT
        .replace("Scout", "Other")
        .replace("\"deaf\": 3", "\"deaf\": 4");
    let other = Machine::from_text("other.sw.json", &other).unwrap();
    let (mut parameters, deaf) = (Parameters::default(), other.parameter("deaf").unwrap());
    parameters
        .set(&other, VariantHandle::PLAIN, deaf, 5)
        .unwrap();
    let refused = program.solo().with_parameters(&parameters);
    assert_eq!(refused.unwrap_err(), SlicesError::Parameters);
    let settings = TickSettings {
        budget: Some(0),
        ..TickSettings::default()
    };
    let refused = program.solo().with_settings(settings);
    assert_eq!(refused.unwrap_err(), WrongSettings::Budget(WrongBudget(0)));
}
