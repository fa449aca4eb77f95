//! Agents that lie in several places and in any order do what they would do side by side (SYS-1, CMD-3).

use statewright::commands::Lane;
use statewright::prelude::*;
use statewright::trace::{Level, Record, Settings};
use statewright::{
    EventHandle, InboxEvent, Instance64, RayonPool, Segment, Slices, SlicesError, SlicesOutput,
    TickSettings,
};
use zerocopy::IntoBytes;

const BIRD: &str = r#"{ "machine": "Bird",
  "events": { "Sing": { "payload": "i32" }, "Heard": { "payload": "entity" } },
  "lanes": { "once": { "merge": "deduplicate", "scope": "crowd" } },
  "initial": "quiet",
  "states": {
    "quiet": { "transitions": [{ "on": "Sing", "to": "loud", "do": ["Tell", { "emit": "Song", "lane": "once" }] }] },
    "loud": { "entry": { "emit": "Beak", "lane": "animation" }, "transitions": [
      { "after": "2t", "to": "quiet" }, { "on": "Heard", "do": { "emit": "Nod", "lane": "animation" } },
      { "on": "Sing" }] } } }"#;

fn functions() -> Functions<Count, EventHandle> {
    Functions::new().action("Tell", |me: &mut Count, heard, cx| {
        me.0 += 1;
        let next = AgentId::new((cx.agent().index() + 1) % COUNT, 1);
        cx.send(next, *heard, cx.agent());
    })
}

const COUNT: u32 = 60;

/// How often a bird sang.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Count(u32);

impl Board for Count {}

/// Birds in an order of their own, in places of these lengths.
struct Birds {
    program: Program<Count, EventHandle>,
    heard: EventHandle,
    ids: Vec<AgentId>,
    instances: Vec<Instance64>,
    boards: Vec<Count>,
    cuts: Vec<usize>,
    /// Indices of those who are traced, if not all are.
    traced: Option<Vec<u32>>,
    output: SlicesOutput,
}

/// What is seen of a tick, in the order of ids.
#[derive(Debug, PartialEq)]
struct Outcome {
    instances: Vec<(AgentId, Vec<u8>, Count)>,
    commands: Vec<(AgentId, Vec<u8>)>,
    lanes: Vec<Vec<(AgentId, u8)>>,
    sent: Vec<(AgentId, AgentId)>,
    changed: Vec<AgentId>,
}

impl Birds {
    fn new(order: impl Iterator<Item = u32>, cuts: &[usize]) -> Self {
        let machine = Machine::from_text("bird.sw.json", BIRD).unwrap();
        let ids: Vec<AgentId> = order.map(|index| AgentId::new(index, 1)).collect();
        let new = |id: &AgentId| machine.new_instance(5, id.bits()).unwrap();
        Self {
            program: machine.bind(functions()).unwrap(),
            heard: machine.event("Heard").unwrap(),
            instances: ids.iter().map(new).collect(),
            boards: vec![Count(0); ids.len()],
            ids,
            cuts: cuts.to_vec(),
            traced: None,
            output: SlicesOutput::default(),
        }
    }

    fn tick(
        &mut self,
        tick: u64,
        events: &[(AgentId, statewright::Event)],
        threads: bool,
    ) -> Outcome {
        let before = self.instances.clone();
        let place = |id: AgentId| self.ids.iter().position(|&own| own == id).unwrap() as u32;
        let mut inbox: Vec<InboxEvent> = events
            .iter()
            .map(|&(to, event)| InboxEvent {
                place: place(to),
                event,
            })
            .collect();
        inbox.sort_by_key(|event| event.place);
        let (mut instances, mut boards) = (&mut self.instances[..], &mut self.boards[..]);
        let mut agents = &self.ids[..];
        let mut segments = Vec::new();
        for &cut in &self.cuts {
            segments.push(Segment {
                instances: instances.split_off_mut(..cut).unwrap(),
                boards: boards.split_off_mut(..cut).unwrap(),
                agents: agents.split_off(..cut).unwrap(),
            });
        }
        let slices = Slices {
            tick,
            inbox: &inbox,
            traced: self.traced.as_deref(),
            lists_changed: true,
            by_id: true,
            settings: TickSettings {
                chunk_size: 7,
                ..TickSettings::default()
            },
            ..Slices::default()
        };
        let (program, output) = (&self.program, &mut self.output);
        match threads {
            true => {
                program.tick_segments_on(&RayonPool, &mut segments, &self.heard, slices, output)
            }
            false => program.tick_segments(&mut segments, &self.heard, slices, output),
        }
        .unwrap();
        self.outcome(&before)
    }

    fn outcome(&self, before: &[Instance64]) -> Outcome {
        let all = self.ids.iter().zip(&self.instances).zip(&self.boards);
        let mut instances: Vec<_> = all
            .map(|((&id, instance), &board)| (id, instance.as_bytes().to_vec(), board))
            .collect();
        instances.sort();
        let mut changed: Vec<AgentId> = self
            .output
            .changed()
            .map(|index| self.ids[index as usize])
            .collect();
        changed.sort();
        let both = before.iter().zip(&self.instances).zip(&self.ids);
        let mut other: Vec<AgentId> = both
            .filter(|((old, new), _)| old.as_bytes() != new.as_bytes())
            .map(|(_, &id)| id)
            .collect();
        other.sort();
        assert_eq!(changed, other, "those whose bytes changed, and nobody else");
        let once = self.program.machine().lane("once").unwrap();
        let lane = |lane: Lane| -> Vec<(AgentId, u8)> {
            let all = self.output.lane(lane);
            all.map(|command| (command.agent(), command.bytes().len() as u8))
                .collect()
        };
        Outcome {
            instances,
            commands: self
                .output
                .commands()
                .map(|command| (command.agent(), command.bytes().to_vec()))
                .collect(),
            lanes: vec![
                lane(Lane::ANIMATION),
                lane(once.into()),
                lane(Lane::MESSAGE),
            ],
            sent: self
                .output
                .sent()
                .map(|(from, sent)| (from, sent.to))
                .collect(),
            changed,
        }
    }
}

#[test]
fn cmd_3_neither_the_order_nor_the_places_of_agents_are_seen() {
    let mut side_by_side = Birds::new(0..COUNT, &[COUNT as usize]);
    // Steps of 7 and 23 reach everybody: 60 has neither as a factor.
    let mut mixed = [
        Birds::new((0..COUNT).map(|place| place * 7 % COUNT), &[1, 0, 30, 29]),
        Birds::new((0..COUNT).rev(), &[25, 35]),
        Birds::new((0..COUNT).map(|place| place * 23 % COUNT), &[20, 20, 20]),
    ];
    let sing = side_by_side.program.machine().event("Sing").unwrap();
    let machine = side_by_side.program.machine().clone();
    let (mut seen, mut letters) = (0, Vec::new());
    for tick in 0..40 {
        for number in 0..5 {
            let to = AgentId::new((tick as u32 * 11 + number * 17) % COUNT, 1);
            letters.push((to, machine.make_event(sing, number as i32).unwrap()));
        }
        let expected = side_by_side.tick(tick, &letters, false);
        seen += expected.commands.len();
        for (number, birds) in mixed.iter_mut().enumerate() {
            let found = birds.tick(tick, &letters, number != 1);
            assert_eq!(found, expected, "tick {tick}, order {number}");
        }
        letters.clear();
        let messages = side_by_side.output.messages().iter();
        letters.extend(messages.map(|sent| (sent.to, sent.event)));
    }
    assert!(seen > 200, "{seen}");
}

#[test]
fn sys_3_whoever_is_traced_leaves_the_same_records_whether_the_others_are_or_not() {
    for level in [Level::Outline, Level::Steps, Level::All] {
        let mut all = Birds::new(0..COUNT, &[COUNT as usize]);
        let mut some = Birds::new((0..COUNT).map(|place| place * 23 % COUNT), &[20, 25, 15]);
        let mut nobody = Birds::new((0..COUNT).rev(), &[60]);
        let machine = all.program.machine().clone();
        let watched = [7, 8, 9, 30, 41_u32];
        all.output
            .set_trace(&machine, Some(Settings::new(level)))
            .unwrap();
        let settings = Settings::new(level).agents(watched);
        some.output.set_trace(&machine, Some(settings)).unwrap();
        let index = |ids: &[AgentId], number| ids.iter().position(|id| id.index() == number);
        let indices = watched.map(|number| index(&some.ids, number).unwrap() as u32);
        let mut indices = indices.to_vec();
        indices.sort_unstable();
        some.traced = Some(indices);
        let sing = machine.event("Sing").unwrap();
        let (mut letters, mut seen) = (Vec::new(), 0);
        for tick in 0..40 {
            for number in 0..9 {
                let to = AgentId::new((tick as u32 * 11 + number * 7) % COUNT, 1);
                letters.push((to, machine.make_event(sing, number as i32).unwrap()));
            }
            let expected = nobody.tick(tick, &letters, false);
            assert_eq!(all.tick(tick, &letters, true), expected);
            assert_eq!(some.tick(tick, &letters, tick % 2 == 0), expected);
            let records = |birds: &Birds| {
                let own = birds.output.trace().copied();
                let own = own.filter(|record| watched.contains(&record.agent.get()));
                let mut own: Vec<Record> = own.collect();
                own.sort_by_key(|record| record.agent.get());
                own
            };
            assert_eq!(records(&some), records(&all), "tick {tick}, {level:?}");
            assert_eq!(some.output.trace().count(), records(&some).len());
            seen += records(&some).len();
            letters.clear();
            let messages = nobody.output.messages().iter();
            letters.extend(messages.map(|sent| (sent.to, sent.event)));
        }
        assert!(seen > 60, "{seen}");
    }
}

#[test]
fn segments_need_an_id_and_a_blackboard_for_each() {
    let birds = Birds::new(0..3, &[3]);
    let (mut instances, mut boards) = (birds.instances.clone(), vec![Count(0); 3]);
    let mut refused = |agents: &[AgentId], slices: Slices<'_>, boards: &mut [Count]| {
        let mut segments = [Segment {
            instances: &mut instances,
            boards,
            agents,
        }];
        let mut output = SlicesOutput::default();
        let heard = &birds.heard;
        birds
            .program
            .tick_segments(&mut segments, heard, slices, &mut output)
    };
    let found = refused(&birds.ids[..2], Slices::default(), &mut boards);
    assert_eq!(
        found,
        Err(SlicesError::Agents {
            found: 2,
            instances: 3
        })
    );
    let found = refused(&birds.ids, Slices::default(), &mut boards[..1]);
    assert_eq!(
        found,
        Err(SlicesError::Boards {
            found: 1,
            instances: 3
        })
    );
    let twice = Slices {
        agents: &birds.ids,
        ..Slices::default()
    };
    let found = refused(&birds.ids, twice, &mut boards);
    assert_eq!(
        found,
        Err(SlicesError::Agents {
            found: 3,
            instances: 0
        })
    );
    let variants = [statewright::ids::VariantId::PLAIN; 2];
    let variants = Slices {
        variants: &variants,
        ..Slices::default()
    };
    let found = refused(&birds.ids, variants, &mut boards);
    assert_eq!(
        found,
        Err(SlicesError::Variants {
            found: 2,
            instances: 3
        })
    );
    assert!(
        birds
            .instances
            .iter()
            .zip(&instances)
            .all(|(one, other)| one == other)
    );
}
