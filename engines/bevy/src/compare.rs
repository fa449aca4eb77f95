//! What two snapshots of one tick do not have in common, by name: who, and which of its fields and keys.

use std::collections::BTreeMap;
use std::fmt;

use bevy_ecs::world::World;
use statewright::{AgentId, Board, Crowd, Functions, Inspection, Key, Machine, Saved, Type};

use crate::saved_boards::Boards;
use crate::snapshot::{BrainsError, Read, ReadAgent, read};

/// The first thing that two snapshots do not have in common: of the agent with the lowest id, or of none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrainsDifference {
    /// The tick that was to come in the first.
    pub tick: u64,
    /// Who; `None` if all agents are the same.
    pub agent: Option<AgentId>,
    /// What of it, never nothing.
    pub fields: Vec<BrainsField>,
}

/// A field that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrainsField {
    /// What it is: `active`, `timers`, `key bones`.
    pub name: String,
    /// In the first; empty if it is not there.
    pub one: String,
    /// In the other; empty if it is not there.
    pub other: String,
}

impl fmt::Display for BrainsDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.agent {
            Some(agent) => write!(f, "before tick {}: {agent} differs", self.tick)?,
            None => write!(f, "before tick {}: all agents are the same", self.tick)?,
        }
        let shown = |text: &str| match text {
            "" => "nothing".to_owned(),
            text => text.to_owned(),
        };
        for BrainsField { name, one, other } in &self.fields {
            let (one, other) = (shown(one), shown(other));
            write!(f, "\n  {name}: {one} in the first, {other} in the other")?;
        }
        Ok(())
    }
}

/// See [`WorldBrains::compare_brains`](crate::WorldBrains::compare_brains).
pub(crate) fn compare(
    world: &World,
    one: &[u8],
    other: &[u8],
) -> Result<Option<BrainsDifference>, BrainsError> {
    let sides = [read(one)?, read(other)?];
    let tick = sides[0].state.now;
    let none = Boards::default();
    let boards = world.get_resource::<Boards>().unwrap_or(&none);
    let agents = sides.each_ref().map(|side| {
        let all = side.agents.iter().map(|agent| (agent.id, agent));
        all.collect::<BTreeMap<AgentId, &ReadAgent>>()
    });
    let mut ids: Vec<AgentId> = agents
        .iter()
        .flat_map(|side| side.keys().copied())
        .collect();
    ids.sort_unstable_by_key(|id| (id.index(), id.generation()));
    ids.dedup();
    for id in ids {
        let fields = match agents.each_ref().map(|side| side.get(&id)) {
            [Some(one), Some(other)] => agent_fields(boards, &sides, [one, other]),
            [one, _] => {
                let (there, gone) = ("there".to_owned(), String::new());
                let (one, other) = if one.is_some() {
                    (there, gone)
                } else {
                    (gone, there)
                };
                vec![BrainsField {
                    name: "agent".to_owned(),
                    one,
                    other,
                }]
            }
        };
        if !fields.is_empty() {
            let agent = Some(id);
            return Ok(Some(BrainsDifference {
                tick,
                agent,
                fields,
            }));
        }
    }
    let fields = state_fields(&sides);
    Ok((!fields.is_empty()).then_some(BrainsDifference {
        tick,
        agent: None,
        fields,
    }))
}

/// What of an agent differs; nothing if it is the same.
fn agent_fields(boards: &Boards, sides: &[Read; 2], agents: [&ReadAgent; 2]) -> Vec<BrainsField> {
    let bytes = agents.map(|agent| {
        let instance = agent.instance.as_ref();
        instance.map_or(&[][..], |instance| instance.bytes())
    });
    let own = agents.map(|agent| agent.board.as_ref().map(|(_, bytes)| &**bytes));
    let machines = [0, 1].map(|side| {
        let place = usize::from(agents[side].program);
        sides[side].machines.get(place)
    });
    let is_same_machine = machines[0].map(|(own, _)| own) == machines[1].map(|(own, _)| own);
    if bytes[0] == bytes[1] && own[0] == own[1] && is_same_machine {
        return Vec::new();
    }
    let seen = [0, 1].map(|side| {
        let (_, machine) = machines[side]?;
        let now = sides[side].state.now;
        match &agents[side].board {
            Some((number, board)) => {
                let form = &sides[side].boards[usize::from(*number)];
                boards.see(form, machine, now, bytes[side], board)
            }
            None => see(machine, now, bytes[side], NoBoard),
        }
    });
    let mut fields = match &seen {
        [Some(one), Some(other)] => differing(&lines(one), &lines(other)),
        [None, _] | [_, None] => Vec::new(),
    };
    if fields.is_empty() {
        // Nothing that has a name.
        let named = [("byte", bytes.map(Some)), ("byte of the blackboard", own)];
        fields.extend(named.into_iter().filter_map(|(what, [one, other])| {
            first_byte(what, one.unwrap_or_default(), other.unwrap_or_default())
        }));
    }
    fields
}

/// A blackboard of any machine that holds nothing.
struct NoBoard;

impl Board for NoBoard {
    const HIDDEN: Option<&'static [&'static str]> = Some(&[]);
    const ANY_KEY: bool = true;

    fn locate(_: &Key<'_>) -> Result<usize, Option<Type>> {
        Ok(0)
    }
}

/// An agent by name, without its game.
fn see<B: Board>(machine: &Machine, now: u64, instance: &[u8], board: B) -> Option<Inspection> {
    let (program, _) = machine
        .bind_for_development(Functions::<B, ()>::new())
        .ok()?;
    // Above 2^62 no crowd begins.
    let mut crowd = Crowd::new(program, 0).starting_at(now.min(1 << 62));
    let agent = crowd.spawn(board);
    crowd.set_instance_bytes(agent, instance).ok()?;
    crowd.inspect(agent).ok()
}

/// The same with a blackboard that was saved.
pub(crate) fn see_saved<B: Board + Saved>(
    machine: &Machine,
    now: u64,
    instance: &[u8],
    mut board: &[u8],
) -> Option<Inspection> {
    let read = B::load(machine, &mut board)?;
    see(machine, now, instance, read)
}

/// Fields as texts.
fn lines(seen: &Inspection) -> Vec<(String, String)> {
    let keys = seen.blackboard.iter();
    let keys: Vec<_> = keys
        .map(|(key, value)| (format!("key {key}"), value.to_string()))
        .collect();
    let bare = Inspection {
        blackboard: Vec::new(),
        ..seen.clone()
    };
    let text = bare.to_string();
    // The first line is who it is.
    let words = text.lines().skip(1).filter_map(|line| {
        let (name, value) = line.trim().split_once(' ')?;
        Some((name.to_owned(), value.trim().to_owned()))
    });
    words.chain(keys).collect()
}

fn differing(one: &[(String, String)], other: &[(String, String)]) -> Vec<BrainsField> {
    let value = |list: &[(String, String)], name: &str| {
        let found = list.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let more = other
        .iter()
        .filter(|(name, _)| one.iter().all(|(own, _)| own != name));
    let both = one.iter().chain(more).map(|(name, _)| BrainsField {
        name: name.clone(),
        one: value(one, name),
        other: value(other, name),
    });
    both.filter(|field| field.one != field.other).collect()
}

fn first_byte(what: &str, one: &[u8], other: &[u8]) -> Option<BrainsField> {
    let length = one.len().max(other.len());
    let at = (0..length).find(|&at| one.get(at) != other.get(at))?;
    let text = |byte: Option<&u8>| byte.map(|byte| format!("{byte:02x}")).unwrap_or_default();
    Some(BrainsField {
        name: format!("{what} {at}"),
        one: text(one.get(at)),
        other: text(other.get(at)),
    })
}

/// The first index at which others began and ended, as one side has it.
fn taken(side: usize, one: &[u32], other: &[u32]) -> String {
    let length = one.len().max(other.len());
    let at = |side: &[u32], index| side.get(index).copied().unwrap_or(0);
    let found = (0..length).find(|&index| at(one, index) != at(other, index));
    let generation = |index| at([one, other][side], index);
    found.map_or_else(String::new, |index| {
        format!("generation {} at index {index}", generation(index))
    })
}

/// What differs beside agents.
fn state_fields([one, other]: &[Read; 2]) -> Vec<BrainsField> {
    let (one, other) = (&one.state, &other.state);
    let told = |letters: &[crate::state::Letter]| format!("{} with others of them", letters.len());
    let all = [
        (
            "tick",
            one.now.to_string(),
            other.now.to_string(),
            one.now == other.now,
        ),
        (
            "seed",
            one.seed.to_string(),
            other.seed.to_string(),
            one.seed == other.seed,
        ),
        (
            "ids that are taken",
            taken(0, &one.generations, &other.generations),
            taken(1, &one.generations, &other.generations),
            one.generations == other.generations,
        ),
        (
            "events under way",
            told(&one.letters),
            told(&other.letters),
            one.letters == other.letters,
        ),
        (
            "agents to be stopped",
            format!("{:?}", one.stopping),
            format!("{:?}", other.stopping),
            one.stopping == other.stopping,
        ),
    ];
    let all = all.into_iter().filter(|(.., is_same)| !is_same);
    let field = |(name, one, other, _): (&str, String, String, bool)| BrainsField {
        name: name.to_owned(),
        one,
        other,
    };
    all.map(field).collect()
}
