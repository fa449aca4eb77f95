//! Before a tick: who is there, and what was sent to whom.

use std::collections::HashSet;

use bevy_asset::{AssetEvent, AssetLoadFailedEvent};
use bevy_ecs::entity::{Entity, EntityHashMap, EntityHashSet};
use bevy_ecs::message::{MessageCursor, MessageReader, Messages};
use bevy_ecs::system::{Commands, Local, Query, Res, ResMut};
use statewright::{AgentId, Event};

use crate::agent::{AgentNumber, AllRams, Group, StableId, strip};
use crate::asset::MachineAsset;
use crate::members::{MayBe, Members};
use crate::problems::{Problem, Problems};
use crate::roster::{Agents, Outcome, Parting};
use crate::send::{Inbox, Signal, Target, Told};
use crate::state::{AgentState, Letter};

/// Entities that are looked at by the kinds in this intake: new agents, those with another machine, and
/// everybody after time went back.
#[derive(bevy_ecs::resource::Resource, Debug, Default)]
pub(crate) struct Arrivals {
    pub(crate) list: Vec<Arrival>,
    /// Places in the list.
    places: EntityHashMap<usize>,
}

/// An entity that is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) entity: Entity,
    pub(crate) id: AgentId,
    /// It began in this intake: an instance that lies on its entity is that of somebody else.
    pub(crate) is_new: bool,
    /// The Agent that it ran was taken off: another kind may have it.
    pub(crate) is_left: bool,
    /// And none was put on after that: it ends, and nobody needs to be told.
    pub(crate) is_over: bool,
    /// The kind that knows it.
    pub(crate) kind: Option<u16>,
}

impl Arrivals {
    fn clear(&mut self) {
        self.list.clear();
        self.places.clear();
    }

    fn push(&mut self, entity: Entity, id: AgentId, is_new: bool) -> &mut Arrival {
        let behind = self.list.len();
        let place = *self.places.entry(entity).or_insert(behind);
        if place == behind {
            self.list.push(Arrival {
                entity,
                id,
                is_new,
                is_left: false,
                is_over: false,
                kind: None,
            });
        }
        &mut self.list[place]
    }

    /// The agent of an entity whose id is not on it yet.
    fn find(&self, entity: Entity) -> Option<AgentId> {
        let place = self.places.get(&entity)?;
        Some(self.list[*place].id)
    }
}

type Known<'w, 's> = Query<'w, 's, (Entity, &'static StableId, Option<&'static AgentNumber>)>;

/// Who came and who went.
pub(crate) fn number(
    mut agents: ResMut<'_, Agents>,
    mut state: ResMut<'_, AgentState>,
    (mut arrivals, mut work): (ResMut<'_, Arrivals>, ResMut<'_, Outcome>),
    mut problems: ResMut<'_, Problems>,
    known: Known<'_, '_>,
    mut commands: Commands<'_, '_>,
) {
    arrivals.clear();
    work.changed.clear();
    work.gone.clear();
    let (agents, state) = (&mut *agents, &mut *state);
    let left = who_left(agents, &known);
    if agents.is_stale || agents.expected != state.now {
        find_again(agents, state, &mut arrivals, &mut problems, &known);
    }
    take_leave(agents, state, &known, &mut work.gone, &mut commands);
    welcome(
        agents,
        state,
        &mut arrivals,
        &mut problems,
        &known,
        &mut commands,
    );
    look_at_left(agents, &mut arrivals, &left, &known);
}

/// Time went back, or entities were put together again: who is where is found anew.
#[cold]
fn find_again(
    agents: &mut Agents,
    state: &mut AgentState,
    arrivals: &mut Arrivals,
    problems: &mut Problems,
    known: &Known<'_, '_>,
) {
    let hooked = std::mem::take(&mut agents.newcomers);
    agents.forget();
    agents.expected = state.now;
    let mut without_id = EntityHashSet::default();
    for (entity, id, _) in known {
        match id.slot() {
            Some(_) if state.has(id.get()) && agents.entity(id.get()).is_none() => {
                agents.place(id.get(), entity);
                arrivals.push(entity, id.get(), false);
            }
            Some(_) => {
                problems.tell(Problem::UnknownId(entity));
                without_id.insert(entity);
            }
            None => _ = without_id.insert(entity),
        }
    }
    // In the order in which they were spawned, as in every other intake: which entities were free says
    // nothing. Those whose hook ran in an earlier one were there before.
    let in_order: Vec<Entity> = hooked
        .into_iter()
        .filter(|entity| without_id.remove(entity))
        .collect();
    agents.newcomers.extend(without_id);
    agents.newcomers.sort_unstable();
    agents.newcomers.extend(in_order);
    for index in 0..state.generations.len() {
        if let Some(agent) = state
            .at(index)
            .filter(|&agent| agents.entity(agent).is_none())
        {
            state.end(agent, agents.numbers_from);
        }
    }
}

/// Entities that are still there and had an Agent taken off, and whether none was put on after it.
fn who_left(agents: &mut Agents, known: &Known<'_, '_>) -> Vec<(Parting, bool)> {
    // Nearly all of them went with their entities.
    agents.partings.retain(|one| known.contains(one.entity));
    if agents.partings.is_empty() {
        return Vec::new();
    }
    let newcomers = agents.newcomers.iter().zip(0..);
    let last: EntityHashMap<usize> = newcomers.map(|(&entity, place)| (entity, place)).collect();
    let is_over = |one: &Parting| {
        let put_on = last.get(&one.entity);
        put_on.is_none_or(|&put_on| put_on < one.before)
    };
    let all = agents.partings.drain(..);
    all.map(|one| (one, is_over(&one))).collect()
}

/// They are looked at: some kind may still know them, else they end.
fn look_at_left(
    agents: &Agents,
    arrivals: &mut Arrivals,
    left: &[(Parting, bool)],
    known: &Known<'_, '_>,
) {
    for &(Parting { entity, kind, .. }, is_over) in left {
        let own = known.get(entity).ok().map(|(_, id, _)| id.get());
        let own = own.filter(|&id| agents.entity(id) == Some(entity));
        let Some(id) = arrivals.find(entity).or(own) else {
            continue;
        };
        // One that was refused beside it changes nothing.
        if agents.may_be_of(id.index() as usize, kind) {
            let arrival = arrivals.push(entity, id, false);
            (arrival.is_left, arrival.is_over) = (true, is_over);
        }
    }
}

/// Those who went since the last intake.
fn take_leave(
    agents: &mut Agents,
    state: &mut AgentState,
    known: &Known<'_, '_>,
    gone: &mut Vec<Entity>,
    commands: &mut Commands<'_, '_>,
) {
    let mut departures = std::mem::take(&mut agents.departures);
    for (id, entity) in departures.drain(..) {
        let is_back = known.get(entity).is_ok_and(|(_, now, _)| *now == id);
        if let Some(slot) = id.slot()
            && !is_back
            && agents.entity(id.get()) == Some(entity)
            && state.has(id.get())
        {
            agents.clear(slot);
            state.end(id.get(), agents.numbers_from);
            // The entity may go on, and be an agent again: another one.
            if let Ok(mut left) = commands.get_entity(entity) {
                left.try_remove::<AllRams>();
                gone.push(entity);
            }
        }
    }
    agents.departures = departures;
}

/// Those who came since the last intake get their ids: first those with numbers of their own.
fn welcome(
    agents: &mut Agents,
    state: &mut AgentState,
    arrivals: &mut Arrivals,
    problems: &mut Problems,
    known: &Known<'_, '_>,
    commands: &mut Commands<'_, '_>,
) {
    if agents.newcomers.is_empty() {
        return;
    }
    let mut newcomers = std::mem::take(&mut agents.newcomers);
    let number_of = |entity: &Entity| {
        let known = known.get(*entity).ok();
        known
            .and_then(|(_, _, number)| number)
            .map_or(u32::MAX, |number| number.0)
    };
    // Stable: the others in the order in which they were spawned.
    newcomers.sort_by_key(number_of);
    // An entity may have been put on the list more than once.
    let mut known_here = HashSet::with_capacity(newcomers.len());
    newcomers.retain(|&entity| known_here.insert(entity));
    for entity in newcomers.drain(..) {
        let Ok((_, id, own)) = known.get(entity) else {
            continue;
        };
        if id.slot().is_some() && agents.entity(id.get()) == Some(entity) {
            // It has another machine.
            arrivals.push(entity, id.get(), false);
            continue;
        }
        let is_free = |number: u32| number < agents.most_agents && state.is_vacant(number as usize);
        let own = own.map(|number| number.0);
        if let Some(number) = own.filter(|&number| !is_free(number)) {
            problems.tell(Problem::Number { entity, number });
        }
        let index = match own.filter(|&number| is_free(number)) {
            Some(number) => number as usize,
            None => state.free_index(agents.numbers_from),
        };
        if index >= agents.most_agents as usize {
            problems.tell(Problem::TooMany(entity));
            agents.newcomers.push(entity);
            continue;
        }
        let id = state.begin(index, agents.numbers_from);
        agents.place(id, entity);
        commands.entity(entity).try_insert(StableId::new(id));
        arrivals.push(entity, id, true);
    }
    if agents.newcomers.is_empty() {
        agents.newcomers = newcomers;
    }
}

/// Those whom no kind knows.
pub(crate) fn refuse_strangers(
    arrivals: Res<'_, Arrivals>,
    mut agents: ResMut<'_, Agents>,
    mut state: ResMut<'_, AgentState>,
    mut problems: ResMut<'_, Problems>,
    mut work: ResMut<'_, Outcome>,
    mut commands: Commands<'_, '_>,
) {
    // Those that no kind knows have none.
    agents.revariants.clear();
    for &Arrival {
        entity,
        id,
        is_over,
        ..
    } in arrivals.list.iter().filter(|one| one.kind.is_none())
    {
        if !is_over {
            // Nobody ever said what its functions are.
            problems.tell(Problem::NoKind(entity));
        }
        work.gone.push(entity);
        agents.clear(id.index() as usize);
        let from = agents.numbers_from;
        state.end(id, from);
        strip(&mut commands, entity);
    }
}

/// Machine files that do not load: said once per text.
pub(crate) fn hear_of_files(
    mut failed: MessageReader<'_, '_, AssetLoadFailedEvent<MachineAsset>>,
    mut events: MessageReader<'_, '_, AssetEvent<MachineAsset>>,
    mut problems: ResMut<'_, Problems>,
    server: Option<Res<'_, bevy_asset::AssetServer>>,
) {
    for event in failed.read() {
        problems.tell(Problem::Asset {
            path: event.path.to_string(),
            report: event.error.to_string(),
        });
    }
    for event in events.read() {
        let (AssetEvent::Added { id } | AssetEvent::Modified { id }) = event else {
            continue;
        };
        let path = server.as_ref().and_then(|server| server.get_path(*id));
        if let Some(path) = path.map(|path| path.to_string()) {
            problems.mend(
                |known| matches!(known, Problem::Asset { path: other, .. } if *other == path),
            );
        }
    }
}

/// What was sent since the last tick finds its receivers; then it is known whose turn it is.
pub(crate) fn route(
    mut agents: ResMut<'_, Agents>,
    mut state: ResMut<'_, AgentState>,
    mut problems: ResMut<'_, Problems>,
    (inbox, arrivals): (Res<'_, Inbox>, Res<'_, Arrivals>),
    mut work: ResMut<'_, Outcome>,
    (signals, mut cursor): (Res<'_, Messages<Signal>>, Local<'_, MessageCursor<Signal>>),
    ids: Query<'_, '_, &StableId>,
    may_be: MayBe<'_, '_>,
    mut members: Local<'_, Members>,
    mut told: Local<'_, Vec<Told>>,
    mut letters: Local<'_, Vec<Letter>>,
    mut list: Local<'_, Vec<u32>>,
) {
    let (agents, state, problems) = (&mut *agents, &mut *state, &mut *problems);
    inbox.take(&mut told);
    problems.lost_signals += cursor.missed_messages(&signals) as u64;
    told.extend(cursor.read(&signals).map(Told::of_signal));
    // By receiver comes later; here the order of sending, which no thread and no schedule decides.
    told.sort_unstable_by(Told::order);
    members.find(told.iter().filter_map(|one| group_of(one.to)), &may_be);
    std::mem::swap(&mut *letters, &mut state.letters);
    state.letters.clear();
    for one in told.drain(..) {
        address(
            agents,
            (state, &arrivals),
            problems,
            &one,
            (&ids, &members),
            &mut letters,
        );
    }
    work.begin();
    agents.list_turns(state.now, &mut list);
    agents.deliver(state, &letters, problems);
    letters.clear();
    list_stops(agents, state);
}

/// The group that is meant, if it is one.
fn group_of(target: Target) -> Option<Group> {
    match target {
        Target::Group(group) => Some(group),
        Target::Agent(receiver) => Group::of(receiver),
        Target::Entity(_) | Target::All => None,
    }
}

/// Everybody whom something is for, in the order of agents.
fn address(
    agents: &mut Agents,
    (state, arrivals): (&AgentState, &Arrivals),
    problems: &mut Problems,
    told: &Told,
    (ids, members): (&Query<'_, '_, &StableId>, &Members),
    letters: &mut Vec<Letter>,
) {
    match told.to {
        Target::Entity(entity) => match ids.get(entity) {
            Ok(id) if id.slot().is_some() => {
                put((agents, state), problems, told, id.get(), letters, true);
            }
            Ok(_) | Err(_) => match arrivals.find(entity) {
                // It got its id in this very intake.
                Some(id) => put((agents, state), problems, told, id, letters, true),
                None => problems.lost_to_nobody += 1,
            },
        },
        Target::Agent(id) => match Group::of(id) {
            Some(group) => speak_to((agents, state), problems, told, group, members, letters),
            None => put((agents, state), problems, told, id, letters, true),
        },
        Target::Group(group) => speak_to((agents, state), problems, told, group, members, letters),
        Target::All => {
            // Whoever does not know it was not meant, unless nobody does.
            let (heard, unknown) = (letters.len(), problems.lost_unknown);
            for slot in 0..state.generations.len() {
                if let Some(id) = state.at(slot) {
                    put((agents, state), problems, told, id, letters, false);
                }
            }
            let is_lost = letters.len() == heard && problems.lost_unknown > unknown;
            problems.lost_unknown = unknown + u64::from(is_lost);
        }
    }
}

/// All members of a group, in the order of agents.
fn speak_to(
    (agents, state): (&mut Agents, &AgentState),
    problems: &mut Problems,
    told: &Told,
    group: Group,
    members: &Members,
    letters: &mut Vec<Letter>,
) {
    for id in members.of(group) {
        put((agents, state), problems, told, id, letters, false);
    }
}

/// One event for one agent.
fn put(
    (agents, state): (&mut Agents, &AgentState),
    problems: &mut Problems,
    told: &Told,
    to: AgentId,
    letters: &mut Vec<Letter>,
    alone: bool,
) {
    let program = agents.programs.get(to.index() as usize).copied();
    let Some(program) = program.filter(|_| state.has(to)) else {
        problems.lost_to_nobody += 1;
        return;
    };
    let Some(own) = agents.machines.get(usize::from(program)) else {
        // Nobody knows yet what it could mean.
        problems.lost_not_ready += 1;
        return;
    };
    let event = match own.machine.make_event_of(told.event, told.kind, told.words) {
        Ok(event) => Some(event),
        Err(error) => {
            let from = agents.owner(told.event);
            let made = from.and_then(|from| {
                let machine = &agents.machines[usize::from(from)].machine;
                machine
                    .make_event_of(told.event, told.kind, told.words)
                    .ok()
            });
            let found = made.and_then(|event| agents.translate(from?, program, event));
            if found.is_none() {
                problems.lost_unknown += 1;
                if alone {
                    problems.tell(Problem::Event(error.to_string()));
                }
            }
            found
        }
    };
    if let Some(event) = event {
        let event = match told.class {
            Some(class) => Event {
                class: class as u8,
                ..event
            },
            None => event,
        };
        letters.push(Letter { to, event });
    }
}

/// Who is stopped in this tick; those whose machine is not loaded yet, later.
fn list_stops(agents: &mut Agents, state: &AgentState) {
    for id in state.stopping.iter().filter(|&&id| state.has(id)) {
        let slot = id.index();
        if let Some(kind) = agents.program(slot as usize).map(|program| program.kind) {
            agents.turns[usize::from(kind)].stopping.push(slot);
        }
    }
    for turns in &mut agents.turns {
        turns.stopping.sort_unstable();
    }
}
