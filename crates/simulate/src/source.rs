//! Where events come from: a random source by a seed, or a script.

use statewright::ids::EventId;
use statewright::prelude::*;
use statewright::{EventHandle, Payload};
use statewright_rom::layout::PayloadKind;
use statewright_step::carried_type;

use crate::board::{BoardStorage, InlineBoard};
use crate::rng::Rng;
use crate::script::{Recipients, Script, ScriptAction};
use crate::simulation::first_life;
use crate::stand_ins::StandIns;
use crate::weights::{Weights, is_sent};

/// An event that the random source may send.
struct Choice {
    event: EventHandle,
    /// The number of the type that it carries.
    carries: PayloadKind,
    /// Its own weight and those of all before it.
    up_to: u64,
}

/// What happens to the agents.
pub(crate) struct Source {
    rng: Rng,
    /// Events per agent and tick.
    rate: f64,
    choices: Vec<Choice>,
    script: Script,
    /// Who there is; `None` if all are in their first life.
    agents: Option<Vec<AgentId>>,
    /// Events that were sent.
    pub(crate) sent: u64,
}

impl Source {
    /// `rate` events per agent and tick, each kind as often as its weight says, and the lines of a
    /// script.
    pub(crate) fn new(
        machine: &Machine,
        seed: u64,
        rate: f64,
        weights: Option<&Weights>,
        script: Script,
    ) -> Self {
        Self {
            rng: Rng::new(seed),
            rate,
            choices: choices(machine, weights),
            script,
            agents: None,
            sent: 0,
        }
    }

    /// For agents with these ids; without any all are in their first life.
    pub(crate) fn for_agents(self, agents: Option<Vec<AgentId>>) -> Self {
        Self { agents, ..self }
    }

    /// The same for another version of the machine.
    pub(crate) fn renew(&mut self, machine: &Machine, weights: Option<&Weights>, script: Script) {
        self.choices = choices(machine, weights);
        self.script = script;
    }

    /// Sends what is due before a tick.
    pub(crate) fn apply_due<S: BoardStorage>(
        &mut self,
        crowd: &mut Crowd<InlineBoard<S>, StandIns>,
        tick: u64,
    ) {
        let count = crowd.len() as u32;
        let Self {
            rng,
            choices,
            script,
            sent,
            agents,
            ..
        } = self;
        let who = Who(agents.as_deref());
        for line in script.due(tick) {
            match line.recipients {
                Recipients::All => {
                    (0..count).for_each(|index| *sent += act(crowd, who.at(index), line.action))
                }
                Recipients::Agent(index) => *sent += act(crowd, who.at(index), line.action),
                Recipients::Share(share) => {
                    let mut chosen = Rng::new(rng.next());
                    for index in chosen.positions(count, share) {
                        *sent += act(crowd, who.at(index), line.action);
                    }
                }
            }
        }
        if choices.is_empty() {
            return;
        }
        // Whole events for everybody, and one more for some.
        for _ in 0..self.rate.floor() as u64 {
            for index in 0..count {
                *sent += send_any(crowd, who, index, rng, choices);
            }
        }
        let mut chosen = Rng::new(rng.next());
        for index in chosen.positions(count, self.rate.fract()) {
            *sent += send_any(crowd, who, index, rng, choices);
        }
    }
}

/// Events that may be sent.
fn choices(machine: &Machine, weights: Option<&Weights>) -> Vec<Choice> {
    let rom = machine.rom();
    let mut up_to = 0;
    let choices = (0..rom.events().len()).filter_map(|index| {
        let id = EventId::from_index(index).filter(|&id| is_sent(machine.event_name(id)))?;
        let weight = Weights::of(weights, id);
        up_to += weight;
        (weight > 0).then_some(Choice {
            event: machine.handle(id)?,
            carries: carried_type(&rom, id),
            up_to,
        })
    });
    choices.collect()
}

/// Agents by number.
#[derive(Clone, Copy)]
struct Who<'a>(Option<&'a [AgentId]>);

impl Who<'_> {
    fn at(self, index: u32) -> AgentId {
        match self.0 {
            Some(agents) => agents.get(index as usize).copied().unwrap_or_default(),
            None => first_life(index),
        }
    }
}

/// One action; how many events it sent.
fn act<S: BoardStorage>(
    crowd: &mut Crowd<InlineBoard<S>, StandIns>,
    agent: AgentId,
    action: ScriptAction,
) -> u64 {
    match action {
        ScriptAction::Send(event, words) => u64::from(crowd.send(agent, event, words).is_ok()),
        ScriptAction::Set(key, words) => {
            let Ok(field) = crowd.program().field(key) else {
                return 0;
            };
            // Agents of a run never leave.
            let _ = crowd.edit_board(agent, |board| board.write(field, words));
            0
        }
    }
}

fn send_any<S: BoardStorage>(
    crowd: &mut Crowd<InlineBoard<S>, StandIns>,
    who: Who<'_>,
    index: u32,
    rng: &mut Rng,
    choices: &[Choice],
) -> u64 {
    let total = choices.last().map_or(1, |last| last.up_to);
    let chosen = rng.below(total);
    let choice = &choices[choices.partition_point(|choice| choice.up_to <= chosen)];
    let words = payload(choice.carries, rng, who, crowd.len() as u32);
    u64::from(crowd.send(who.at(index), choice.event, words).is_ok())
}

/// Something small of what an event carries.
fn payload(carries: PayloadKind, rng: &mut Rng, who: Who<'_>, agents: u32) -> [u32; 4] {
    let mut number = || ((rng.below(201) as f32 - 100.0) / 10.0).to_bits();
    match carries {
        PayloadKind::I32 | PayloadKind::U32 | PayloadKind::U64 => [rng.below(101) as u32, 0, 0, 0],
        PayloadKind::Bool => [rng.below(2) as u32, 0, 0, 0],
        PayloadKind::Entity => who.at(rng.below(agents.into()) as u32).words(),
        PayloadKind::F32 => [number(), 0, 0, 0],
        PayloadKind::Vec2 => [number(), number(), 0, 0],
        PayloadKind::Vec3 => [number(), number(), number(), 0],
        PayloadKind::Vec4 => [number(), number(), number(), number()],
        PayloadKind::Symbol | PayloadKind::Bytes | PayloadKind::Empty => [0; 4],
    }
}
