//! The tick of one kind: its tables become segments, and what comes of them goes to the roster.
//!
//! ```text
//!  table 3 (64 B)   rows of entities   ─┐
//!  table 7 (64 B)                       ├─ one call per machine, over all tables of its tier
//!  table 9 (128 B)  another tier        ┘  `awake`: the rows of those who have a turn
//! ```
//!
//! Where hardly anybody is awake, each of them is looked for by its entity, and nothing is read of those
//! who sleep. Where many are, the rows are read one after the other.

use std::any::Any;

use bevy_ecs::change_detection::{ContiguousComponentTicksMut, ContiguousMut, DetectChangesMut};
use bevy_ecs::component::StorageType;
use bevy_ecs::entity::{Entities, Entity};
use bevy_ecs::query::{ArchetypeFilter, With, Without};
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Local, ParamSet, Query, Res, ResMut};
use statewright::ids::VariantId;
use statewright::sealed::Sealed;
use statewright::trace::Level;
use statewright::{
    AgentId, InboxEvent, Instance, Instance64, Instance128, Instance256, Machine, Segment, Sleep,
    Slices, SlicesError,
};
use zerocopy::{FromBytes, IntoBytes};

use crate::agent::{Agent, Ram, Ram64, Ram128, Ram256, StableId, variant_of};
use crate::board::SchemaBoard;
use crate::kind::{AgentBoard, Bound, Kind};
use crate::outputs::Outputs;
use crate::plugin::Config;
use crate::problems::{Problem, Problems};
use crate::roster::{Agents, Outcome, Turns};
use crate::state::AgentState;
use crate::tape::{Taped, Tapes};
use crate::trace::AgentTrace;
use crate::view::View;

type Table<R, B> = (Entity, &'static StableId, &'static mut R, &'static mut B);
type Small<'w, 's, B> =
    Query<'w, 's, Table<Ram64, B>, (With<Agent<B>>, Without<Ram128>, Without<Ram256>)>;
type Middle<'w, 's, B> =
    Query<'w, 's, Table<Ram128, B>, (With<Agent<B>>, Without<Ram64>, Without<Ram256>)>;
type Traces<'w, 's> = Query<'w, 's, (&'static StableId, &'static AgentTrace)>;
type AllTaped<'w, 's> = Query<'w, 's, &'static StableId, With<Taped>>;
type Large<'w, 's, B> =
    Query<'w, 's, Table<Ram256, B>, (With<Agent<B>>, Without<Ram64>, Without<Ram128>)>;

/// What a tick needs for a while; kept for its memory.
#[derive(Resource, Debug, Default)]
pub(crate) struct Scratch {
    /// By number of the table: index of its first agent, and the count of segments when it was written.
    bases: Vec<u32>,
    /// Tables of the segments, in order.
    tables: Vec<u32>,
    awake: Vec<u32>,
    inbox: Vec<InboxEvent>,
    /// By index of the agent, its index in the segments, where many are asked for.
    index_of: Vec<u32>,
    /// Index and place in the list of events.
    order: Vec<(u32, u32)>,
    stopping: Vec<u32>,
    variants: Vec<VariantId>,
    /// Agents whose blackboards do not fit, by index.
    misfits: Vec<u32>,
    /// Agents with a trace, whatever their machines, and those of a program, by index of the agent and in the
    /// segments.
    traces: Vec<(u32, Level)>,
    own_traces: Vec<(u32, Level)>,
    traced: Vec<u32>,
    /// The same of those who are taped.
    tapes: Vec<u32>,
    taped: Vec<u32>,
}

const NO_TABLE: u32 = u32::MAX;

/// One tick of all agents of a kind.
pub(crate) fn tick<B: AgentBoard, C: View + ?Sized>(
    mut kind: ResMut<'_, Kind<B, C>>,
    (agents, mut work): (Res<'_, Agents>, ResMut<'_, Outcome>),
    state: Res<'_, AgentState>,
    mut problems: ResMut<'_, Problems>,
    config: Res<'_, Config>,
    (mut outputs, mut tapes): (ResMut<'_, Outputs>, ResMut<'_, Tapes>),
    entities: &Entities,
    mut tables: (Small<'_, '_, B>, Middle<'_, '_, B>, Large<'_, '_, B>),
    mut view: ParamSet<'_, '_, (C::Param,)>,
    (traces, taped): (Traces<'_, '_>, AllTaped<'_, '_>),
    mut scratch: Local<'_, Scratch>,
    mut kept: Local<'_, AllKept<B>>,
) where
    for<'x> C::Of<'x>: Sync,
{
    let kind = &mut *kind;
    // Commands of the last tick end, whether there is another one or not.
    kind.bound
        .iter()
        .for_each(|bound| outputs.clear(bound.number));
    let number = usize::from(kind.number);
    let turns = &agents.turns[number];
    if !(turns.awake.is_empty() && turns.inbox.is_empty() && turns.stopping.is_empty()) {
        let view = C::lend(view.p0());
        let bound = &kind.bound;
        let mut run = Run {
            agents: &agents,
            work: &mut work,
            state: &state,
            problems: &mut problems,
            config: &config,
            entities,
            turns,
            reached: 0,
            ignores_parameters: false,
            outputs: &mut outputs,
            tapes: tapes.bypass_change_detection(),
            scratch: &mut scratch,
        };
        run.list_watched(&traces, &taped);
        run.tier::<Ram64, B, C, _>(bound, &mut tables.0, &mut kept.0, &view);
        run.tier::<Ram128, B, C, _>(bound, &mut tables.1, &mut kept.1, &view);
        run.tier::<Ram256, B, C, _>(bound, &mut tables.2, &mut kept.2, &view);
        if run.reached < turns.awake.len() {
            run.note_unreachable(|entity| {
                tables.0.contains(entity) || tables.1.contains(entity) || tables.2.contains(entity)
            });
        }
    }
}

/// What the tick of a kind works on.
struct Run<'r> {
    agents: &'r Agents,
    work: &'r mut Outcome,
    state: &'r AgentState,
    problems: &'r mut Problems,
    config: &'r Config,
    entities: &'r Entities,
    turns: &'r Turns,
    /// Agents that were found of those who are awake.
    reached: usize,
    /// Changed parameters do not fit the machine that runs.
    ignores_parameters: bool,
    outputs: &'r mut Outputs,
    tapes: &'r mut Tapes,
    scratch: &'r mut Scratch,
}

/// Memory of the lists of tables, from tick to tick.
pub(crate) struct Kept<I: 'static, B: 'static> {
    segments: Vec<Segment<'static, I, B>>,
    ticks: Vec<Ticks<'static>>,
}

pub(crate) type AllKept<B> = (
    Kept<Instance64, B>,
    Kept<Instance128, B>,
    Kept<Instance256, B>,
);

impl<I, B> Default for Kept<I, B> {
    fn default() -> Self {
        Self {
            segments: Vec::new(),
            ticks: Vec::new(),
        }
    }
}

/// The memory of a list for another one of the same type with another lifetime: what is collected from a
/// list of things of the same size lies where that did.
fn reuse<T, U>(mut list: Vec<T>) -> Vec<U> {
    list.clear();
    list.into_iter().filter_map(|_| None).collect()
}

/// Change ticks of one table.
pub(crate) struct Ticks<'t> {
    ram: ContiguousComponentTicksMut<'t>,
    board: ContiguousComponentTicksMut<'t>,
}

impl Run<'_> {
    /// All machines of one tier.
    fn tier<R: Ram, B: AgentBoard, C: View + ?Sized, F: ArchetypeFilter>(
        &mut self,
        bound: &[Bound<B, C>],
        tables: &mut Query<'_, '_, Table<R, B>, F>,
        kept: &mut Kept<R::Instance, B>,
        view: &C::Of<'_>,
    ) where
        for<'x> C::Of<'x>: Sync,
    {
        let is_own = |bound: &Bound<B, C>| {
            let tier = bound
                .program
                .as_ref()
                .map(|program| program.machine().rom().tier());
            tier == Some(<R::Instance as Instance>::TIER)
        };
        if !bound.iter().any(is_own) {
            return;
        }
        let (mut segments, mut ticks) = (
            reuse(std::mem::take(&mut kept.segments)),
            reuse(std::mem::take(&mut kept.ticks)),
        );
        if let Err(error) = self.open(tables, &mut segments, &mut ticks) {
            self.problems.tell(Problem::Tick(error));
            let own = bound.iter().filter(|bound| is_own(bound));
            own.for_each(|bound| self.lose(bound.number));
            return;
        }
        for bound in bound.iter().filter(|bound| is_own(bound)) {
            self.list::<R, B>(bound.number, &segments);
            if self.scratch.awake.is_empty()
                && self.scratch.inbox.is_empty()
                && self.scratch.stopping.is_empty()
            {
                continue;
            }
            match self.run_those_who_fit(bound, &mut segments, view) {
                Ok(()) => self.collect(bound, &segments, &mut ticks),
                Err(error) => self.refuse(&segments, &error),
            }
        }
        self.close();
        *kept = Kept {
            segments: reuse(segments),
            ticks: reuse(ticks),
        };
    }

    /// Who is traced or taped, in the order of agents.
    fn list_watched(&mut self, traces: &Traces<'_, '_>, taped: &AllTaped<'_, '_>) {
        let Scratch {
            traces: all_traces,
            tapes: all_tapes,
            ..
        } = &mut *self.scratch;
        all_traces.clear();
        all_tapes.clear();
        let traced = traces.iter();
        all_traces
            .extend(traced.filter_map(|(id, trace)| Some((id.slot()? as u32, trace.level()))));
        all_traces.sort_unstable();
        if self.tapes.is_on() {
            all_tapes.extend(taped.iter().filter_map(|id| Some(id.slot()? as u32)));
            all_tapes.sort_unstable();
        }
    }

    /// Tables as segments.
    fn open<'t, R: Ram, B: AgentBoard, F: ArchetypeFilter>(
        &mut self,
        tables: &'t mut Query<'_, '_, Table<R, B>, F>,
        segments: &mut Vec<Segment<'t, R::Instance, B>>,
        ticks: &mut Vec<Ticks<'t>>,
    ) -> Result<(), String> {
        let tables = tables
            .contiguous_iter_mut()
            .map_err(|_| why_not_in_tables::<B>())?;
        let mut base = 0;
        for (entities, ids, rams, boards) in tables {
            let table = entities
                .first()
                .and_then(|&first| self.entities.get_spawned(first).ok())
                .map(|location| location.table_id.as_u32());
            let (rams, ram) = ContiguousMut::bypass_change_detection_split(rams);
            let (boards, board) = ContiguousMut::bypass_change_detection_split(boards);
            let instances = <[R::Instance]>::mut_from_bytes(rams.as_mut_bytes());
            let agents = <[AgentId]>::ref_from_bytes(ids.as_bytes());
            let (Some(table), Ok(instances), Ok(agents)) = (table, instances, agents) else {
                debug_assert!(false, "a table has entities, and instances are transparent");
                continue;
            };
            let place = table as usize;
            if self.scratch.bases.len() <= place {
                self.scratch.bases.resize(place + 1, NO_TABLE);
            }
            self.scratch.bases[place] = base;
            self.scratch.tables.push(table);
            base += instances.len() as u32;
            segments.push(Segment {
                instances,
                boards,
                agents,
            });
            ticks.push(Ticks { ram, board });
        }
        Ok(())
    }

    /// The next kind may have other tables.
    fn close(&mut self) {
        for table in self.scratch.tables.drain(..) {
            self.scratch.bases[table as usize] = NO_TABLE;
        }
    }

    /// Who of a program has a turn, and what for, by index in the segments.
    fn list<R: Ram, B>(&mut self, program: u16, segments: &[Segment<'_, R::Instance, B>]) {
        let Scratch {
            awake,
            inbox,
            order,
            stopping,
            bases,
            index_of,
            traces,
            own_traces,
            traced,
            tapes,
            taped,
            ..
        } = &mut *self.scratch;
        awake.clear();
        inbox.clear();
        order.clear();
        stopping.clear();
        let (agents, state, entities) = (self.agents, self.state, self.entities);
        let (turns, bases) = (self.turns, &*bases);
        let rows: usize = segments.iter().map(|segment| segment.agents.len()).sum();
        // A trace may lie on an entity with an id that nobody gave.
        let is_own = |slot: u32| agents.programs.get(slot as usize) == Some(&program);
        // Looking for one costs about as much as reading four rows, if they are not few among many.
        let is_dense = (turns.awake.len() + turns.inbox.len()) * 4 >= rows
            && rows * 8 >= agents.programs.len();
        if is_dense {
            index_of.clear();
            index_of.resize(agents.programs.len(), NO_TABLE);
            let ids = segments.iter().flat_map(|segment| segment.agents);
            for (index, id) in (0..).zip(ids) {
                let slot = id.index();
                // Bytes without an id are nobody's.
                if state.has(*id) && is_own(slot) {
                    index_of[slot as usize] = index;
                    if agents.awake.contains(slot as usize) {
                        awake.push(index);
                    }
                }
            }
        }
        let index_of = &*index_of;
        let at = |slot: u32| match is_dense {
            true => Some(index_of[slot as usize]).filter(|&index| index != NO_TABLE),
            false => find(agents, state, entities, bases, slot),
        };
        if !is_dense {
            let own = turns.awake.iter().filter(|&&slot| is_own(slot));
            awake.extend(own.filter_map(|&slot| at(slot)));
            awake.sort_unstable();
        }
        self.reached += awake.len();
        for (place, &(slot, _)) in (0..).zip(&turns.inbox) {
            if is_own(slot) {
                match at(slot) {
                    Some(index) => order.push((index, place)),
                    None => self.problems.lost_not_ready += 1,
                }
            }
        }
        order.sort_unstable();
        inbox.extend(order.iter().map(|&(index, place)| InboxEvent {
            place: index,
            event: turns.inbox[place as usize].1,
        }));
        let stops = turns.stopping.iter().filter(|&&slot| is_own(slot));
        stopping.extend(stops.filter_map(|&slot| at(slot)));
        stopping.sort_unstable();
        own_traces.clear();
        own_traces.extend(traces.iter().filter(|(slot, _)| is_own(*slot)));
        traced.clear();
        traced.extend(own_traces.iter().filter_map(|(slot, _)| at(*slot)));
        traced.sort_unstable();
        traced.dedup();
        taped.clear();
        let own = tapes.iter().filter(|slot| is_own(**slot));
        taped.extend(own.filter_map(|&slot| at(slot)));
        taped.sort_unstable();
        taped.dedup();
    }

    /// One machine runs. What does not fit it is found when it refuses to, and left out: nobody else has to
    /// stand still for it.
    fn run_those_who_fit<I: Instance + Send, B: AgentBoard, C: View + ?Sized>(
        &mut self,
        bound: &Bound<B, C>,
        segments: &mut [Segment<'_, I, B>],
        view: &C::Of<'_>,
    ) -> Result<(), SlicesError>
    where
        for<'x> C::Of<'x>: Sync,
    {
        self.ignores_parameters = false;
        let mut ran = self.run(bound, segments, view);
        if let (Err(SlicesError::Parameters), Some(program)) = (&ran, &bound.program) {
            let machine = program.machine().name().to_owned();
            self.problems.tell(Problem::Parameters(machine));
            self.ignores_parameters = true;
            ran = self.run(bound, segments, view);
        }
        if let (Err(SlicesError::BoardDoesNotFit { .. }), Some(program)) = (&ran, &bound.program) {
            self.leave_out_misfits(program.machine(), segments);
            ran = self.run(bound, segments, view);
        }
        ran
    }

    /// Blackboards of another machine: one that its owner put on while the agent lives is begun, as that of
    /// a new agent is. Whoever has another one stands still until it fits.
    #[cold]
    fn leave_out_misfits<I, B: AgentBoard>(
        &mut self,
        machine: &Machine,
        segments: &mut [Segment<'_, I, B>],
    ) {
        let Scratch {
            awake,
            inbox,
            stopping,
            misfits,
            ..
        } = &mut *self.scratch;
        let heard = inbox.iter().map(|event| event.place);
        misfits.clear();
        misfits.extend(awake.iter().chain(&*stopping).copied().chain(heard));
        misfits.sort_unstable();
        misfits.dedup();
        misfits.retain(|&index| {
            let (segment, row) = Rows::new(segments).find(index);
            let Segment { boards, agents, .. } = &mut segments[segment];
            let (board, agent) = (&mut boards[row], agents[row]);
            if let Some(schema) = (board as &mut dyn Any).downcast_mut::<SchemaBoard>() {
                for key in schema.begin(machine) {
                    if let Some(entity) = self.agents.entity(agent) {
                        self.problems.tell(Problem::Key { entity, key });
                    }
                }
            }
            if board.fits(machine) {
                return false;
            }
            self.problems.tell(Problem::Board(agent));
            self.work.settled.push((agent.index(), Sleep::Awake));
            true
        });
        let is_in = |index: u32| misfits.binary_search(&index).is_ok();
        let events = inbox.len();
        awake.retain(|&index| !is_in(index));
        stopping.retain(|&index| !is_in(index));
        inbox.retain(|event| !is_in(event.place));
        self.problems.lost_not_ready += (events - inbox.len()) as u64;
    }

    /// One machine runs.
    fn run<I: Instance + Send, B: AgentBoard, C: View + ?Sized>(
        &mut self,
        bound: &Bound<B, C>,
        segments: &mut [Segment<'_, I, B>],
        view: &C::Of<'_>,
    ) -> Result<(), SlicesError>
    where
        for<'x> C::Of<'x>: Sync,
    {
        let Some(program) = bound.program.clone() else {
            return Ok(());
        };
        self.list_variants(program.machine(), segments);
        let telling = self.config.telling.as_ref();
        let has_taped = !self.scratch.taped.is_empty();
        let sealed = Sealed::Agents(std::mem::take(&mut self.scratch.taped));
        let slices = Slices {
            tick: self.state.now,
            agents: &[],
            variants: &self.scratch.variants,
            parameters: self
                .config
                .parameters
                .get(&bound.asset)
                .filter(|_| !self.ignores_parameters),
            inbox: &self.scratch.inbox,
            awake: Some(&self.scratch.awake),
            stopping: &self.scratch.stopping,
            // Who is told of states is told of everybody's.
            traced: telling.is_none().then_some(&*self.scratch.traced),
            sealed: has_taped.then_some(&sealed),
            lists_changed: true,
            by_id: true,
            settings: self.config.settings,
        };
        let traced = (telling, &*self.scratch.own_traces);
        let output = self.outputs.begin(bound.number, &program, traced);
        self.tapes.before(bound.number, &program, segments, &slices);
        let ran = match self.config.parallel {
            true => program.tick_segments_on(&self.config.pool, segments, view, slices, output),
            false => program.tick_segments(segments, view, slices, output),
        };
        let output = ran.is_ok().then_some(&*output);
        self.tapes
            .after(bound.number, (&*segments, &slices), output);
        self.outputs.learn_names(bound.number);
        if let Sealed::Agents(taped) = sealed {
            self.scratch.taped = taped;
        }
        ran
    }

    /// Variants of those who have a turn; of all others nobody asks.
    fn list_variants<I, B>(&mut self, machine: &Machine, segments: &[Segment<'_, I, B>]) {
        let Scratch {
            variants,
            awake,
            inbox,
            stopping,
            ..
        } = &mut *self.scratch;
        variants.clear();
        if !self.agents.has_variants {
            return;
        }
        let agents = segments.iter().map(|segment| segment.agents.len()).sum();
        variants.resize(agents, VariantId::PLAIN);
        let mut rows = Rows::new(segments);
        let heard = inbox.iter().map(|event| event.place);
        let all = awake.iter().chain(&*stopping).copied().chain(heard);
        let known = machine.rom().variants().len().max(1);
        for index in all {
            let (segment, row) = rows.find(index);
            let slot = segments[segment].agents[row].index() as usize;
            let number = self.agents.variants.get(slot).copied();
            // One of an earlier version of the machine would stop everybody.
            let number = number.filter(|&number| usize::from(number) < known);
            variants[index as usize] = number.map_or(VariantId::PLAIN, variant_of);
        }
    }

    /// Agents with a turn whose bytes or blackboards are not there: they try again in the next tick.
    #[cold]
    fn note_unreachable(&mut self, is_there: impl Fn(Entity) -> bool) {
        for &slot in &self.turns.awake {
            let Some(agent) = self.state.at(slot as usize) else {
                continue;
            };
            if !self.agents.entity(agent).is_some_and(&is_there) {
                self.problems.tell(Problem::Unreachable(agent));
                self.work.settled.push((slot, Sleep::Awake));
            }
        }
    }

    /// What a tick left.
    fn collect<I, B: AgentBoard, C: View + ?Sized>(
        &mut self,
        bound: &Bound<B, C>,
        segments: &[Segment<'_, I, B>],
        ticks: &mut [Ticks<'_>],
    ) {
        let last = &mut *self.work;
        let output = self.outputs.of(bound.number);
        let mut rows = Rows::new(segments);
        for index in output.changed() {
            let (segment, row) = rows.find(index);
            let now = ticks[segment].ram.this_run();
            ticks[segment].ram.changed_mut()[row] = now;
            last.changed.push(segments[segment].agents[row].index());
        }
        // Whoever had a turn may have written to its blackboard, exit actions of those who stop included: that
        // is not compared.
        let mut rows = Rows::new(segments);
        let Scratch {
            awake, stopping, ..
        } = &*self.scratch;
        let had_turn = awake.iter().chain(stopping).copied();
        let heard = self.scratch.inbox.iter().map(|event| event.place);
        for index in had_turn.chain(heard) {
            let (segment, row) = rows.find(index);
            let now = ticks[segment].board.this_run();
            ticks[segment].board.changed_mut()[row] = now;
        }
        let mut rows = Rows::new(segments);
        let mut slot = |index| {
            let (segment, row) = rows.find(index);
            segments[segment].agents[row].index()
        };
        let settled = output.awake_next();
        last.settled
            .extend(settled.map(|(index, sleep)| (slot(index), sleep)));
        last.left
            .extend(output.left().map(|left| (slot(left.place), left.event)));
        let stopped = self.scratch.stopping.iter();
        last.stopped.extend(stopped.map(|&index| slot(index)));
        let sent = output.sent();
        last.sent
            .extend(sent.map(|(from, sent)| (from, bound.number, sent.to, sent.event)));
        last.turns += output.turns();
        last.counters.add(output.counters());
        for (agent, fault) in output.faults() {
            let reason = fault.to_string();
            self.problems.tell(Problem::Ended { agent, reason });
        }
        for panicked in output.panicked() {
            let (agent, reason) = (panicked.agent, panicked.to_string());
            self.problems.tell(Problem::Ended { agent, reason });
        }
    }

    /// Agents that cannot be reached in tables: what they should have heard is counted.
    #[cold]
    fn lose(&mut self, program: u16) {
        let is_own = |slot: u32| self.agents.programs[slot as usize] == program;
        let lost = self.turns.inbox.iter().filter(|(slot, _)| is_own(*slot));
        self.problems.lost_not_ready += lost.count() as u64;
    }

    /// A refused tick has changed nothing: everybody has a turn again, and hears again what it should have
    /// heard, as far as there is room: it may be refused for ever.
    #[cold]
    fn refuse<I, B>(&mut self, segments: &[Segment<'_, I, B>], error: &SlicesError) {
        self.problems.tell(Problem::Tick(error.to_string()));
        let mut rows = Rows::new(segments);
        let Outcome { settled, left, .. } = &mut *self.work;
        for &index in &self.scratch.awake {
            let (segment, row) = rows.find(index);
            let slot = segments[segment].agents[row].index();
            settled.push((slot, Sleep::Awake));
        }
        let (mut last, mut count) = (None, 0);
        for event in &self.scratch.inbox {
            count = if last == Some(event.place) {
                count + 1
            } else {
                0
            };
            last = Some(event.place);
            if count >= KEPT_EVENTS {
                self.problems.lost_surplus += 1;
                continue;
            }
            let (segment, row) = rows.find(event.place);
            left.push((segments[segment].agents[row].index(), event.event));
        }
    }
}

/// Events that an agent keeps while its tick is refused.
const KEPT_EVENTS: usize = 64;

/// A tick runs over slices of tables. What our own components and `Agent` lie in is known: it is the
/// blackboard, or a component without which Bevy leaves an entity out of all queries.
fn why_not_in_tables<B: AgentBoard>() -> String {
    match B::STORAGE_TYPE {
        StorageType::SparseSet => {
            "the blackboard must lie in tables: take `#[component(storage = \"SparseSet\")]` off"
        }
        StorageType::Table => {
            "a component that disables entities (`DefaultQueryFilters`) lies in a sparse set: it must lie in tables"
        }
    }
    .to_owned()
}

/// Where the agent of a slot lies; `None` if its table is none of these.
#[inline]
fn find(
    agents: &Agents,
    state: &AgentState,
    entities: &Entities,
    bases: &[u32],
    slot: u32,
) -> Option<u32> {
    let entity = agents.entity(state.at(slot as usize)?)?;
    let location = entities.get_spawned(entity).ok()?;
    let base = *bases.get(location.table_id.as_usize())?;
    (base != NO_TABLE).then(|| base + location.table_row.index_u32())
}

/// Finds agents by index, in segments that it has passed already or in later ones.
struct Rows<'s, 'm, I, B> {
    segments: &'s [Segment<'m, I, B>],
    segment: usize,
    first: usize,
}

impl<'s, 'm, I, B> Rows<'s, 'm, I, B> {
    fn new(segments: &'s [Segment<'m, I, B>]) -> Self {
        Self {
            segments,
            segment: 0,
            first: 0,
        }
    }

    /// Segment and row. Indices nearly always ascend.
    #[inline]
    fn find(&mut self, index: u32) -> (usize, usize) {
        let index = index as usize;
        if index < self.first {
            (self.segment, self.first) = (0, 0);
        }
        // Bound: each round goes on to the next segment.
        while index - self.first >= self.segments[self.segment].agents.len() {
            self.first += self.segments[self.segment].agents.len();
            self.segment += 1;
        }
        (self.segment, index - self.first)
    }
}
