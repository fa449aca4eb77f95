//! All brains of a world as bytes, and back.
//!
//! ```text
//!  head │ machines │ blackboards: names, forms │ tick, seed, generations, letters, stops │ agents: id, machine,
//!       │          │                           │                                        │ instance, blackboard
//! ```
//!
//! What is not in it: entities and their other components (`AgentVariant` among them), which the game
//! saves as it likes, and what was sent since the last intake. Agents are found again by their ids
//! (`restore`), blackboards by their names (`saved_boards`). Machines are those that somebody runs, in the order
//! of agents: equal brains are equal bytes, whatever ran before them.

use std::collections::HashMap;
use std::fmt;

use bevy_ecs::entity::Entity;
use bevy_ecs::world::World;
use statewright::form::Forms;
use statewright::{
    AgentId, Class, Event, Instance64, Instance128, Instance256, Machine, SymbolTable,
};
use zerocopy::{FromBytes, IntoBytes};

use crate::agent::{Ram, Ram64, Ram128, Ram256, StableId};
use crate::compare::{BrainsDifference, compare};
use crate::kind::hashes;
use crate::restore::{SavedBrain, put_back};
use crate::roster::{Agents, NO_PROGRAM};
use crate::saved_boards::{BoardCodec, BoardForm, Boards};
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
    /// Agents that begin anew: they had not begun, nothing of them is left in the machine of today, or their
    /// bytes are none of their machine.
    pub anew: usize,
    /// Agents whose machine is not known yet, because they were spawned in this very frame, or because it is
    /// still being loaded: they go on where they were as soon as it is. What cannot go on is told in
    /// [`Problems`](crate::Problems) then.
    pub not_ready: usize,
    /// Agents of the snapshot that are on no entity: they are gone.
    pub missing: Vec<AgentId>,
    /// Agents of the world that the snapshot does not know: they begin anew.
    pub strangers: usize,
    /// Blackboards that could not be read: they stay as they were.
    pub boards_refused: usize,
    /// Events under way that the machine of today does not have.
    pub lost_events: usize,
}

/// Taking and putting back.
pub trait WorldBrains {
    /// All brains: instances, blackboards that [`save_boards`](crate::AppAgents::save_boards) was said
    /// of, ids, events under way, the tick, and the machines that give them meaning. Between ticks.
    fn snapshot_brains(&self) -> Result<Vec<u8>, BrainsError>;

    /// Puts a snapshot back. Agents are found by their [`StableId`], those of machines that are other
    /// versions now are mapped. Nothing changes if the bytes are refused. To load a game, spawn its agents
    /// with the ids that they had ([`StableId::new`]), and call this at once or later: whoever has not begun
    /// by then goes on when it does.
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
    pub(crate) boards: Vec<BoardForm>,
    pub(crate) state: AgentState,
    pub(crate) agents: Vec<ReadAgent>,
}

pub(crate) struct ReadAgent {
    pub(crate) id: AgentId,
    /// Place of its machine, `NO_PROGRAM` if it had not begun.
    pub(crate) program: u16,
    pub(crate) instance: Option<AnyInstance>,
    /// Place of the blackboard's form, and bytes.
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

    /// Can an agent of a machine be so?
    pub(crate) fn is_of(&self, machine: &Machine) -> bool {
        match self {
            Self::Small(one) => machine.check_instance(one).is_ok(),
            Self::Middle(one) => machine.check_instance(one).is_ok(),
            Self::Large(one) => machine.check_instance(one).is_ok(),
        }
    }
}

impl WorldBrains for World {
    fn snapshot_brains(&self) -> Result<Vec<u8>, BrainsError> {
        let agents = self.get_resource::<Agents>().ok_or(BrainsError::NoPlugin)?;
        let state = self
            .get_resource::<AgentState>()
            .ok_or(BrainsError::NoPlugin)?;
        let mut written = Written::default();
        let mut state = state.clone();
        for one in agents_of(self, agents, &state) {
            written.put_agent(self, agents, one, &mut state.letters);
        }
        let mut bytes = MAGIC.to_vec();
        put_u32(&mut bytes, written.machines.len());
        for machine in &written.machines {
            put_block(&mut bytes, machine.bytes());
            put_block(&mut bytes, machine.symbols().to_json().as_bytes());
        }
        put_u32(&mut bytes, written.boards.len());
        for (name, form) in &written.boards {
            put_block(&mut bytes, name.as_bytes());
            put_block(&mut bytes, form);
        }
        write_state(&mut bytes, &state);
        put_u32(&mut bytes, written.count);
        bytes.extend(written.agents);
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

/// Everybody, in the order of ids.
fn agents_of(world: &World, agents: &Agents, state: &AgentState) -> Vec<(AgentId, Entity)> {
    if !agents.is_stale {
        let ids = (0..state.generations.len()).filter_map(|slot| state.at(slot));
        return ids
            .filter_map(|id| Some((id, agents.entity(id)?)))
            .collect();
    }
    // Nobody has been found again yet.
    let entities = world.archetypes().iter().flat_map(|one| one.entities());
    let mut all: Vec<(AgentId, Entity)> = entities
        .filter_map(|one| Some((world.get::<StableId>(one.id())?.get(), one.id())))
        .filter(|(id, _)| state.has(*id))
        .collect();
    all.sort_unstable_by_key(|(id, entity)| (id.index(), *entity));
    all.dedup_by_key(|(id, _)| *id);
    all
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

/// Agents as they are written, with the machines and blackboards that they need.
#[derive(Default)]
struct Written {
    machines: Vec<Machine>,
    places: HashMap<[u64; 2], u16>,
    /// Names and forms.
    boards: Vec<(String, Vec<u8>)>,
    /// Names of today's types, and their places.
    codecs: Vec<(&'static str, usize)>,
    agents: Vec<u8>,
    count: usize,
}

impl Written {
    fn put_agent(
        &mut self,
        world: &World,
        agents: &Agents,
        (id, entity): (AgentId, Entity),
        letters: &mut Vec<Letter>,
    ) {
        self.count += 1;
        self.agents.extend(id.bits().to_le_bytes());
        let brain = world.get::<SavedBrain>(entity);
        if let Some(brain) = brain.filter(|brain| brain.id() == id) {
            // It came out of a snapshot and has not begun since.
            self.put_saved(brain);
            let waiting = brain.saved().2.iter();
            letters.extend(waiting.map(|&event| Letter { to: id, event }));
            return;
        }
        let found = agents.machine(id).zip(instance_of(world, entity));
        self.put_instance(found);
        let boards = world.get_resource::<Boards>();
        let mut own = Vec::new();
        let mut codecs = boards.into_iter().flat_map(Boards::iter);
        let board = codecs.find(|codec| (codec.save)(world, entity, &mut own));
        let place = board.map(|codec| self.place_of(codec));
        self.put_board(place.map(|place| (place, &*own)));
    }

    fn put_saved(&mut self, brain: &SavedBrain) {
        let (read, agent, _) = brain.saved();
        let machine = read.machines.get(usize::from(agent.program));
        self.put_instance(machine.map(|(_, machine)| machine).zip(agent.instance));
        let place = agent.board.as_ref().map(|(place, bytes)| {
            let form = &read.boards[usize::from(*place)];
            (self.place_of_form(&form.name, &form.bytes), &**bytes)
        });
        self.put_board(place);
    }

    /// The machine and the instance of whoever has begun.
    fn put_instance(&mut self, found: Option<(&Machine, AnyInstance)>) {
        let place = found.map(|(machine, _)| {
            let behind = self.machines.len() as u16;
            let place = self.places.entry(hashes(machine)).or_insert(behind);
            if *place == behind {
                self.machines.push(machine.clone());
            }
            *place
        });
        self.agents
            .extend(place.unwrap_or(NO_PROGRAM).to_le_bytes());
        let instance = found.as_ref().map(|(_, instance)| instance.bytes());
        put_block(&mut self.agents, instance.unwrap_or_default());
    }

    /// The place of one of today's types; its form is asked for once.
    fn place_of(&mut self, codec: &BoardCodec) -> usize {
        let known = self.codecs.iter().find(|(name, _)| *name == codec.name);
        if let Some(&(_, place)) = known {
            return place;
        }
        let place = self.place_of_form(codec.name, &(codec.form)().to_bytes());
        self.codecs.push((codec.name, place));
        place
    }

    fn place_of_form(&mut self, name: &str, form: &[u8]) -> usize {
        let mut known = self.boards.iter();
        let known = known.position(|one| one.0 == name && one.1 == form);
        known.unwrap_or_else(|| {
            self.boards.push((name.to_owned(), form.to_vec()));
            self.boards.len() - 1
        })
    }

    /// The blackboard, with the place of its form.
    fn put_board(&mut self, board: Option<(usize, &[u8])>) {
        // 0 means that there is none.
        let number = board.map_or(0, |(place, _)| place as u16 + 1);
        self.agents.extend(number.to_le_bytes());
        if let Some((_, own)) = board {
            put_block(&mut self.agents, own);
        }
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
    let mut boards = Vec::new();
    for _ in 0..reader.count(8)? {
        let name = String::from_utf8_lossy(reader.block()?).into_owned();
        let bytes = reader.block()?.to_vec();
        let form = Forms::from_bytes(&bytes);
        let form = form.map_err(|_| BrainsError::Damaged("the form of a blackboard cannot be"))?;
        boards.push(BoardForm { name, form, bytes });
    }
    let state = read_state(&mut reader)?;
    let mut agents = Vec::new();
    for _ in 0..reader.count(16)? {
        agents.push(read_agent(
            &mut reader,
            &state,
            (machines.len(), boards.len()),
        )?);
    }
    match reader.0 {
        [] => Ok(Read {
            machines,
            boards,
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
        if event.class > Class::Critical as u8 {
            return Err(BrainsError::Damaged("an event in it has no class"));
        }
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

fn read_instance(bytes: &[u8]) -> Result<AnyInstance, BrainsError> {
    let instance = Instance64::read_from_bytes(bytes).map(AnyInstance::Small);
    let instance =
        instance.or_else(|_| Instance128::read_from_bytes(bytes).map(AnyInstance::Middle));
    let instance =
        instance.or_else(|_| Instance256::read_from_bytes(bytes).map(AnyInstance::Large));
    instance.map_err(|_| BrainsError::Damaged("an instance has no size of any tier"))
}

fn read_agent(
    reader: &mut Reader<'_>,
    state: &AgentState,
    (machines, boards): (usize, usize),
) -> Result<ReadAgent, BrainsError> {
    let id = AgentId::from_bits(reader.u64()?);
    let program = reader.u16()?;
    let instance = match reader.block()? {
        [] => None,
        bytes => Some(read_instance(bytes)?),
    };
    let board = match reader.u16()? {
        0 => None,
        number => Some((number - 1, reader.block()?.to_vec())),
    };
    let place = (program != NO_PROGRAM).then_some(usize::from(program));
    let is_known = place.is_none_or(|place| place < machines)
        && board
            .as_ref()
            .is_none_or(|(number, _)| usize::from(*number) < boards);
    if !state.has(id) || !is_known || place.is_some() != instance.is_some() {
        return Err(BrainsError::Damaged("an agent in it cannot be"));
    }
    Ok(ReadAgent {
        id,
        program,
        instance,
        board,
    })
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
