//! All brains of a world as bytes, and back.
//!
//! ```text
//!  head │ machines: number, hashes, ROM │ tick, seed, generations, letters, stops │ agents: id, program,
//!       │                               │                                        │ instance, blackboard
//! ```
//!
//! What is not in it: entities and their other components (`AgentVariant` among them), which the game
//! saves as it likes, and what was sent since the last intake. Agents are found again by their ids.

use std::fmt;
use std::sync::Arc;

use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::world::World;
use statewright::{
    AgentId, Event, Instance, Instance64, Instance128, Instance256, Machine, Reload, Saved,
    SymbolTable,
};
use zerocopy::{FromBytes, IntoBytes};

use crate::agent::{Ram, Ram64, Ram128, Ram256, StableId};
use crate::compare::{BrainsDifference, compare, see_saved};
use crate::everybody::with_everybody;
use crate::kind::{AgentBoard, hashes};
use crate::roster::{Agents, NO_PROGRAM};
use crate::state::{AgentState, Letter};

/// First bytes of a snapshot, and its version.
const MAGIC: [u8; 8] = *b"SWBV\x02\0\0\0";

/// Why bytes were refused: nothing changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrainsError {
    /// There is no plugin in this world.
    NoPlugin,
    /// The bytes are none of a snapshot, of another version of it, or damaged.
    Damaged(&'static str),
    /// A machine in it is none that could be loaded.
    Machine(String),
}

impl fmt::Display for BrainsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlugin => f.write_str("there is no StatewrightPlugin in this world"),
            Self::Damaged(what) => write!(f, "these bytes are no snapshot of brains: {what}"),
            Self::Machine(why) => write!(f, "a machine of the snapshot cannot be read: {why}"),
        }
    }
}

impl std::error::Error for BrainsError {}

/// What became of agents when a snapshot was put back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BrainsRestored {
    /// Agents with the bytes that they had.
    pub same: usize,
    /// Agents of a machine that is another version now: mapped by stable ids, as in a reload.
    pub mapped: usize,
    /// Agents of the snapshot that are on no entity: they are gone.
    pub missing: Vec<AgentId>,
    /// Agents of the world that the snapshot does not know: they begin anew.
    pub strangers: usize,
    /// Blackboards that could not be read: they stay as they were.
    pub boards_refused: usize,
    /// Events under way that the machine of today does not have.
    pub lost_events: usize,
}

/// How blackboards of a kind are written and read, if they are [`Saved`].
#[derive(Resource, Clone, Default)]
pub(crate) struct Boards(Vec<BoardCodec>);

#[derive(Clone)]
struct BoardCodec {
    see: fn(&Machine, u64, &[u8], &[u8]) -> Option<statewright::Inspection>,
    save: Arc<dyn Fn(&World, Entity, &mut Vec<u8>) -> bool + Send + Sync>,
    load: Arc<dyn Fn(&mut World, Entity, &Machine, &[u8]) -> bool + Send + Sync>,
}

impl Boards {
    /// Blackboards `B` are part of snapshots. Kinds know each other by the order in which this was said.
    pub(crate) fn add<B: AgentBoard + Saved>(&mut self) {
        self.0.push(BoardCodec {
            see: see_saved::<B>,
            save: Arc::new(|world, entity, bytes| {
                let board = world.get::<B>(entity);
                board.is_some_and(|board| {
                    board.save(bytes);
                    true
                })
            }),
            load: Arc::new(|world, entity, machine, mut bytes| {
                let Some(board) = B::load(machine, &mut bytes).filter(|_| bytes.is_empty()) else {
                    return false;
                };
                let own = world.get_mut::<B>(entity);
                own.is_some_and(|mut own| {
                    *own = board;
                    true
                })
            }),
        });
    }

    /// An agent by name, whose blackboard is one of a kind.
    pub(crate) fn see(
        &self,
        number: u16,
        machine: &Machine,
        now: u64,
        instance: &[u8],
        board: &[u8],
    ) -> Option<statewright::Inspection> {
        let codec = self.0.get(usize::from(number))?;
        (codec.see)(machine, now, instance, board)
    }
}

/// Taking and putting back.
pub trait WorldBrains {
    /// All brains: instances, blackboards that [`save_boards`](crate::AppAgents::save_boards) was said
    /// of, ids, events under way, the tick, and the machines that give them meaning. Between ticks.
    fn snapshot_brains(&self) -> Result<Vec<u8>, BrainsError>;

    /// Puts a snapshot back. Agents are found by their [`StableId`], those of machines that are other
    /// versions now are mapped. Nothing changes if the bytes are refused.
    fn restore_brains(&mut self, bytes: &[u8]) -> Result<BrainsRestored, BrainsError>;

    /// The first thing that two snapshots do not have in common, by name: what to ask when a frame is
    /// not the same again, or two peers should have had the same run. Keys of blackboards are named if
    /// this world was told to [save](crate::AppAgents::save_boards) them. What was sent from outside
    /// since the last tick is in no snapshot.
    fn compare_brains(
        &self,
        one: &[u8],
        other: &[u8],
    ) -> Result<Option<BrainsDifference>, BrainsError>;
}

/// What a snapshot says.
pub(crate) struct Read {
    pub(crate) machines: Vec<([u64; 2], Machine)>,
    pub(crate) state: AgentState,
    pub(crate) agents: Vec<ReadAgent>,
}

pub(crate) struct ReadAgent {
    pub(crate) id: AgentId,
    pub(crate) program: u16,
    pub(crate) instance: AnyInstance,
    /// Number of the kind's codec, and bytes.
    pub(crate) board: Option<(u16, Vec<u8>)>,
}

#[derive(Clone, Copy)]
pub(crate) enum AnyInstance {
    Small(Instance64),
    Middle(Instance128),
    Large(Instance256),
}

impl AnyInstance {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Small(one) => one.as_bytes(),
            Self::Middle(one) => one.as_bytes(),
            Self::Large(one) => one.as_bytes(),
        }
    }
}

impl WorldBrains for World {
    fn snapshot_brains(&self) -> Result<Vec<u8>, BrainsError> {
        let agents = self.get_resource::<Agents>().ok_or(BrainsError::NoPlugin)?;
        let state = self
            .get_resource::<AgentState>()
            .ok_or(BrainsError::NoPlugin)?;
        let mut bytes = MAGIC.to_vec();
        put_u32(&mut bytes, agents.machines.len());
        for program in &agents.machines {
            put_block(&mut bytes, program.machine.bytes());
            put_block(&mut bytes, program.machine.symbols().to_json().as_bytes());
        }
        write_state(&mut bytes, state);
        let all = (0..agents.programs.len()).filter_map(|slot| {
            let id = state.at(slot)?;
            let entity = agents.entity(id)?;
            Some((slot, id, entity, instance_of(self, entity)?))
        });
        let all: Vec<_> = all.collect();
        put_u32(&mut bytes, all.len());
        for (slot, id, entity, instance) in all {
            bytes.extend(id.bits().to_le_bytes());
            bytes.extend(agents.programs[slot].to_le_bytes());
            put_block(&mut bytes, instance.bytes());
            write_board(self, entity, &mut bytes);
        }
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        Ok(bytes)
    }

    fn restore_brains(&mut self, bytes: &[u8]) -> Result<BrainsRestored, BrainsError> {
        if !self.contains_resource::<Agents>() || !self.contains_resource::<AgentState>() {
            return Err(BrainsError::NoPlugin);
        }
        let read = read(bytes)?;
        Ok(put_back(self, read))
    }

    fn compare_brains(
        &self,
        one: &[u8],
        other: &[u8],
    ) -> Result<Option<BrainsDifference>, BrainsError> {
        compare(self, one, other)
    }
}

fn instance_of(world: &World, entity: Entity) -> Option<AnyInstance> {
    let entity = world.get_entity(entity).ok()?;
    let small = entity
        .get::<Ram64>()
        .map(|ram| AnyInstance::Small(*ram.instance()));
    let middle = || {
        entity
            .get::<Ram128>()
            .map(|ram| AnyInstance::Middle(*ram.instance()))
    };
    let large = || {
        entity
            .get::<Ram256>()
            .map(|ram| AnyInstance::Large(*ram.instance()))
    };
    small.or_else(middle).or_else(large)
}

fn write_state(bytes: &mut Vec<u8>, state: &AgentState) {
    bytes.extend(state.now.to_le_bytes());
    bytes.extend(state.seed.to_le_bytes());
    put_u32(bytes, state.generations.len());
    let generations = state.generations.iter();
    generations.for_each(|one| bytes.extend(one.to_le_bytes()));
    put_u32(bytes, state.letters.len());
    for letter in &state.letters {
        bytes.extend(letter.to.bits().to_le_bytes());
        bytes.extend(letter.event.as_bytes());
    }
    put_u32(bytes, state.stopping.len());
    for agent in &state.stopping {
        bytes.extend(agent.bits().to_le_bytes());
    }
}

fn write_board(world: &World, entity: Entity, bytes: &mut Vec<u8>) {
    let boards = world
        .get_resource::<Boards>()
        .map_or(&[][..], |boards| &boards.0);
    let mut own = Vec::new();
    let mut codecs = (1_u16..).zip(boards);
    let number =
        codecs.find_map(|(number, codec)| (codec.save)(world, entity, &mut own).then_some(number));
    bytes.extend(number.unwrap_or(0).to_le_bytes());
    if number.is_some() {
        put_block(bytes, &own);
    }
}

fn put_u32(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend((count as u32).to_le_bytes());
}

fn put_block(bytes: &mut Vec<u8>, block: &[u8]) {
    put_u32(bytes, block.len());
    bytes.extend(block);
}

/// Finds accidents; nobody is kept out by it.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = 0xCBF2_9CE4_8422_2325_u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word))
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(23);
    }
    sum ^ bytes.len() as u64
}

/// Bytes that are read from the front.
struct Reader<'b>(&'b [u8]);

const CUT_OFF: BrainsError = BrainsError::Damaged("they end too early");

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], BrainsError> {
        self.0.split_off(..count).ok_or(CUT_OFF)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BrainsError> {
        self.take(N)?.try_into().map_err(|_| CUT_OFF)
    }

    fn u64(&mut self) -> Result<u64, BrainsError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, BrainsError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u16(&mut self) -> Result<u16, BrainsError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn block(&mut self) -> Result<&'b [u8], BrainsError> {
        let length = self.u32()? as usize;
        self.take(length)
    }

    /// So many things of so many bytes at least: whoever says more lies, and nothing is set aside for it.
    fn count(&mut self, least: usize) -> Result<usize, BrainsError> {
        let count = self.u32()? as usize;
        match count.checked_mul(least) {
            Some(bytes) if bytes <= self.0.len() => Ok(count),
            _ => Err(CUT_OFF),
        }
    }
}

/// Everything is read and found right before anything changes.
pub(crate) fn read(bytes: &[u8]) -> Result<Read, BrainsError> {
    let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or(CUT_OFF)?;
    if bytes.first_chunk::<8>() != Some(&MAGIC) {
        return Err(BrainsError::Damaged(
            "they begin as no snapshot of this version does",
        ));
    }
    if checksum(bytes) != u64::from_le_bytes(*sum) {
        return Err(BrainsError::Damaged(
            "they were changed or cut off since they were taken",
        ));
    }
    let mut reader = Reader(&bytes[8..]);
    let mut machines = Vec::new();
    for _ in 0..reader.count(8)? {
        let rom = reader.block()?.to_vec();
        let names = String::from_utf8_lossy(reader.block()?);
        let names = SymbolTable::from_json(&names).map_err(BrainsError::Machine)?;
        let machine = Machine::from_rom(rom, names);
        let machine = machine.map_err(|error| BrainsError::Machine(error.to_string()))?;
        machines.push((hashes(&machine), machine));
    }
    let state = read_state(&mut reader)?;
    let mut agents = Vec::new();
    for _ in 0..reader.count(12)? {
        agents.push(read_agent(&mut reader, &state, machines.len())?);
    }
    match reader.0 {
        [] => Ok(Read {
            machines,
            state,
            agents,
        }),
        _ => Err(BrainsError::Damaged("there is something behind their end")),
    }
}

fn read_state(reader: &mut Reader<'_>) -> Result<AgentState, BrainsError> {
    let mut state = AgentState {
        now: reader.u64()?,
        seed: reader.u64()?,
        ..AgentState::default()
    };
    for _ in 0..reader.count(4)? {
        state.generations.push(reader.u32()?);
    }
    for _ in 0..reader.count(32)? {
        let to = AgentId::from_bits(reader.u64()?);
        let event =
            Event::read_from_bytes(reader.take(size_of::<Event>())?).map_err(|_| CUT_OFF)?;
        state.letters.push(Letter { to, event });
    }
    for _ in 0..reader.count(8)? {
        state.stop(AgentId::from_bits(reader.u64()?));
    }
    // That of an index whose last generation is gone is the highest.
    let most = AgentId::GENERATIONS;
    if state.generations.iter().any(|&one| one > most) {
        return Err(BrainsError::Damaged("ids in it cannot be"));
    }
    Ok(state)
}

fn read_agent(
    reader: &mut Reader<'_>,
    state: &AgentState,
    machines: usize,
) -> Result<ReadAgent, BrainsError> {
    let id = AgentId::from_bits(reader.u64()?);
    let program = reader.u16()?;
    let bytes = reader.block()?;
    let instance = Instance64::read_from_bytes(bytes).map(AnyInstance::Small);
    let instance =
        instance.or_else(|_| Instance128::read_from_bytes(bytes).map(AnyInstance::Middle));
    let instance =
        instance.or_else(|_| Instance256::read_from_bytes(bytes).map(AnyInstance::Large));
    let instance =
        instance.map_err(|_| BrainsError::Damaged("an instance has no size of any tier"))?;
    let board = match reader.u16()? {
        0 => None,
        number => Some((number - 1, reader.block()?.to_vec())),
    };
    if !state.has(id) || (program != NO_PROGRAM && usize::from(program) >= machines) {
        return Err(BrainsError::Damaged("an agent in it cannot be"));
    }
    Ok(ReadAgent {
        id,
        program,
        instance,
        board,
    })
}

/// Everything fits: it takes effect.
fn put_back(world: &mut World, read: Read) -> BrainsRestored {
    let Read {
        machines,
        mut state,
        agents: saved,
    } = read;
    let mut restored = BrainsRestored::default();
    let numbers_from = world.resource::<Agents>().numbers_from;
    state.find_free(numbers_from);
    // Who lives where, before anybody is moved.
    let mut query = with_everybody(world, World::query::<(Entity, &StableId)>);
    let here: Vec<(Entity, AgentId)> = query
        .iter(world)
        .map(|(entity, id)| (entity, id.get()))
        .collect();
    let place: std::collections::HashMap<AgentId, Entity> =
        here.iter().map(|&(entity, id)| (id, entity)).collect();
    let boards = world.get_resource::<Boards>().cloned().unwrap_or_default();
    for one in &saved {
        let Some(&entity) = place.get(&one.id) else {
            restored.missing.push(one.id);
            state.end(one.id, numbers_from);
            continue;
        };
        put_one(
            world,
            entity,
            one,
            &machines,
            &boards,
            (&state, &mut restored),
        );
    }
    let known: std::collections::HashSet<AgentId> = saved.iter().map(|one| one.id).collect();
    for (entity, id) in here {
        if !known.contains(&id) {
            restored.strangers += 1;
            world
                .entity_mut(entity)
                .remove::<(Ram64, Ram128, Ram256)>()
                .insert(StableId::default());
        }
    }
    let mut agents = world.resource_mut::<Agents>();
    let before = state.letters.len();
    map_letters(&agents, &machines, &saved, &mut state);
    restored.lost_events = before - state.letters.len();
    agents.is_stale = true;
    *world.resource_mut::<AgentState>() = state;
    restored
}

/// The machine that an agent runs today, and whether it is the one of the snapshot.
fn machine_of_today(agents: &Agents, id: AgentId) -> Option<Machine> {
    agents.machine(id).cloned()
}

fn put_one(
    world: &mut World,
    entity: Entity,
    saved: &ReadAgent,
    machines: &[([u64; 2], Machine)],
    boards: &Boards,
    (state, restored): (&AgentState, &mut BrainsRestored),
) {
    let today = machine_of_today(world.resource::<Agents>(), saved.id);
    let old = machines.get(usize::from(saved.program));
    let (Some(today), Some((old_hashes, old))) = (today, old) else {
        return;
    };
    let instance = if *old_hashes == hashes(&today) {
        restored.same += 1;
        Some(saved.instance)
    } else {
        restored.mapped += 1;
        let plan = Reload::plan(old, &today);
        match &saved.instance {
            AnyInstance::Small(one) => mapped(&plan, one, state.now),
            AnyInstance::Middle(one) => mapped(&plan, one, state.now),
            AnyInstance::Large(one) => mapped(&plan, one, state.now),
        }
    };
    let mut target = world.entity_mut(entity);
    match instance {
        Some(AnyInstance::Small(one)) => {
            target.remove::<(Ram128, Ram256)>().insert(Ram64::new(one));
        }
        Some(AnyInstance::Middle(one)) => {
            target.remove::<(Ram64, Ram256)>().insert(Ram128::new(one));
        }
        Some(AnyInstance::Large(one)) => {
            target.remove::<(Ram64, Ram128)>().insert(Ram256::new(one));
        }
        None => {
            target.remove::<(Ram64, Ram128, Ram256)>();
        }
    }
    if let Some((number, bytes)) = &saved.board {
        let codec = boards.0.get(usize::from(*number));
        let is_read = codec.is_some_and(|codec| (codec.load)(world, entity, &today, bytes));
        restored.boards_refused += usize::from(!is_read);
    }
}

fn mapped<I: Instance>(plan: &Reload, old: &I, next: u64) -> Option<AnyInstance> {
    let small = || {
        Some(AnyInstance::Small(
            plan.instance::<I, Instance64>(old, next)?.0,
        ))
    };
    let middle = || {
        Some(AnyInstance::Middle(
            plan.instance::<I, Instance128>(old, next)?.0,
        ))
    };
    let large = || {
        Some(AnyInstance::Large(
            plan.instance::<I, Instance256>(old, next)?.0,
        ))
    };
    small().or_else(middle).or_else(large)
}

/// Events under way mean those of the machines of today.
fn map_letters(
    agents: &Agents,
    machines: &[([u64; 2], Machine)],
    saved: &[ReadAgent],
    state: &mut AgentState,
) {
    let program_of: std::collections::HashMap<AgentId, u16> =
        saved.iter().map(|one| (one.id, one.program)).collect();
    state.letters.retain_mut(|letter| {
        let old = program_of.get(&letter.to);
        let old = old.and_then(|&program| machines.get(usize::from(program)));
        let (Some((own, old)), Some(today)) = (old, machine_of_today(agents, letter.to)) else {
            return false;
        };
        if *own == hashes(&today) {
            return true;
        }
        let event = Reload::plan(old, &today).event(letter.event);
        event.is_some_and(|event| {
            letter.event = event;
            true
        })
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_with_an_index_that_is_used_up_is_read_and_what_is_free_is_found_again() {
        let mut state = AgentState::default();
        while state.is_vacant(4) {
            let last = state.begin(4, 2);
            state.end(last, 2);
        }
        let (own, first) = (state.begin(0, 2), state.begin(2, 2));
        state.end(own, 2);
        let mut bytes = Vec::new();
        write_state(&mut bytes, &state);
        let mut read = read_state(&mut Reader(&bytes)).unwrap();
        read.find_free(2);
        assert_eq!(read.generations, state.generations);
        assert!(read.has(first) && !read.is_vacant(4));
        // Neither the user's number nor the one that is used up.
        for index in [3, 5, 6] {
            assert_eq!(read.free_index(2), index);
            read.begin(index, 2);
        }
        let place = 8 + 8 + 4 + 4 * 4;
        let used_up = AgentId::GENERATIONS;
        assert_eq!(bytes[place..place + 4], used_up.to_le_bytes());
        bytes[place..place + 4].copy_from_slice(&(used_up + 1).to_le_bytes());
        assert!(read_state(&mut Reader(&bytes)).is_err());
    }
}
