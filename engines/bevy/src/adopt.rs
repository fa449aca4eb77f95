//! Agents of one kind get their machine: new ones, those with another machine, and all of a machine whose
//! file was saved.

use std::any::Any;

use bevy_asset::Assets;
use bevy_ecs::change_detection::{DetectChanges, DetectChangesMut};
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageWriter};
use bevy_ecs::system::{Commands, Query, Res, ResMut};
use bevy_ecs::world::World;
use statewright::{
    AgentId, Instance, Instance64, Instance128, Instance256, Machine, Mapped, Reload, ReloadReport,
};

use crate::agent::{
    Agent, AgentVariant, AllRams, Ram, Ram64, Ram128, Ram256, StableId, variant_of,
};
use crate::asset::MachineAsset;
use crate::board::SchemaBoard;
use crate::intake::{Arrival, Arrivals};
use crate::kind::{AgentBoard, Kind, Refused, hashes};
use crate::plugin::{Config, ReloadPolicy};
use crate::problems::{Problem, Problems};
use crate::restore::{Back, SavedBrain, put_instance};
use crate::roster::{Agents, NO_PROGRAM, Outcome};
use crate::state::AgentState;
use crate::view::View;

/// A machine was loaded anew, and what became of its agents.
#[derive(Message, Clone, Debug)]
pub struct MachineReloaded {
    /// The machine.
    pub machine: bevy_asset::AssetId<MachineAsset>,
    /// What became of its agents.
    pub report: ReloadReport,
}

type Bodies<'w, 's, B> = Query<
    'w,
    's,
    (
        &'static Agent<B>,
        Option<&'static AgentVariant>,
        Option<&'static mut Ram64>,
        Option<&'static mut Ram128>,
        Option<&'static mut Ram256>,
        // It may have been taken off for a while: its agent goes on when it is back.
        Option<&'static mut B>,
    ),
>;

/// Everything of a kind that an intake does.
pub(crate) fn adopt<B: AgentBoard, C: View + ?Sized>(
    mut kind: ResMut<'_, Kind<B, C>>,
    mut agents: ResMut<'_, Agents>,
    mut state: ResMut<'_, AgentState>,
    mut arrivals: ResMut<'_, Arrivals>,
    mut problems: ResMut<'_, Problems>,
    assets: Res<'_, Assets<MachineAsset>>,
    mut config: ResMut<'_, Config>,
    mut bodies: Bodies<'_, '_, B>,
    (ids, brains): (Query<'_, '_, &StableId>, Query<'_, '_, &'static SavedBrain>),
    mut commands: Commands<'_, '_>,
    mut reloaded: MessageWriter<'_, MachineReloaded>,
    mut work: ResMut<'_, Outcome>,
) {
    let (kind, agents) = (&mut *kind, &mut *agents);
    kind.forget_gone(agents);
    let is_other = config.is_changed();
    if is_other {
        // Parameters may be others: conditions that did not hold may hold now.
        agents.wake_kind(kind.number);
    }
    // What came while reloads were held is looked at when they are let go.
    let is_held = config.holds_reloads;
    kind.hold(is_held, &assets);
    if is_held && assets.is_changed() {
        kind.tell_held(&assets, &mut problems);
    }
    kind.is_to_look |= assets.is_changed() || is_other;
    let is_to_look = kind.is_to_look && !is_held;
    kind.is_to_look &= is_held;
    let mut here = Here {
        kind,
        agents,
        state: &mut state,
        changed: &mut work.changed,
        problems: &mut problems,
        assets: &assets,
        brains: &brains,
        swapped: Vec::new(),
    };
    if is_to_look {
        // A reload maps those whom it finds: where time has just gone back, that is nobody before they are
        // in their places.
        here.look_at_arrivals(Whom::WithBytes, &mut arrivals, &mut bodies, &mut commands);
        for place in 0..here.kind.bound.len() {
            let report = here.reload(place, &config.reload, (&mut bodies, &mut commands));
            if let Some(report) = report {
                let machine = here.kind.bound[place].asset;
                // Changed parameters are those of the old machine.
                if config.parameters.contains_key(&machine) {
                    config.parameters.remove(&machine);
                }
                reloaded.write(MachineReloaded { machine, report });
            }
        }
    }
    here.look_at_arrivals(Whom::All, &mut arrivals, &mut bodies, &mut commands);
    if is_to_look {
        here.look_at_waiting(&mut bodies, &mut commands);
    }
    here.forget_letters();
    here.change_variants(&bodies, &ids);
}

/// Which arrivals are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whom {
    /// Those who bring an instance of the machine that runs.
    WithBytes,
    /// All who are left.
    All,
}

/// What looking at one entity needs.
struct Here<'h, B: AgentBoard, C: View + ?Sized> {
    kind: &'h mut Kind<B, C>,
    agents: &'h mut Agents,
    state: &'h mut AgentState,
    changed: &'h mut Vec<u32>,
    problems: &'h mut Problems,
    assets: &'h Assets<MachineAsset>,
    /// Brains of a snapshot that wait for their machine.
    brains: &'h Query<'h, 'h, &'static SavedBrain>,
    /// Agents that have another machine than before.
    swapped: Vec<AgentId>,
}

impl<B: AgentBoard, C: View + ?Sized> Here<'_, B, C> {
    fn look_at_arrivals(
        &mut self,
        whom: Whom,
        arrivals: &mut Arrivals,
        bodies: &mut Bodies<'_, '_, B>,
        commands: &mut Commands<'_, '_>,
    ) {
        let own = self.kind.number;
        for arrival in &mut arrivals.list {
            let Arrival { entity, id, .. } = *arrival;
            let is_meant = match whom {
                Whom::WithBytes => !arrival.is_new && self.has_bytes(entity, bodies),
                Whom::All => bodies.contains(entity),
            };
            if !is_meant || arrival.kind == Some(own) {
                continue;
            }
            let runs = self.agents.program(id.index() as usize);
            let runs = runs
                .map(|program| program.kind)
                .filter(|_| !arrival.is_left);
            if arrival.kind.or(runs).is_some_and(|kind| kind != own) {
                self.problems.tell(Problem::Twice(entity));
                arrival.kind.get_or_insert(own);
                continue;
            }
            arrival.kind = Some(own);
            self.settle(entity, id, arrival.is_new, bodies, commands);
        }
    }

    /// Does an entity bring an instance of the machine that agents with its asset run?
    fn has_bytes(&self, entity: Entity, bodies: &Bodies<'_, '_, B>) -> bool {
        let Ok((agent, _, small, middle, large, _)) = bodies.get(entity) else {
            return false;
        };
        let program = self.kind.program_of(agent.machine().id());
        program.is_some_and(|program| {
            let machine = program.machine();
            small.is_some_and(|ram| is_of(machine, ram))
                || middle.is_some_and(|ram| is_of(machine, ram))
                || large.is_some_and(|ram| is_of(machine, ram))
        })
    }

    /// Machines may have been loaded meanwhile.
    fn look_at_waiting(&mut self, bodies: &mut Bodies<'_, '_, B>, commands: &mut Commands<'_, '_>) {
        for (entity, id) in self.kind.take_waiting() {
            if bodies.contains(entity) && self.agents.entity(id) == Some(entity) {
                self.settle(entity, id, false, bodies, commands);
            }
        }
    }

    /// An agent gets its instance, or waits for its machine.
    fn settle(
        &mut self,
        entity: Entity,
        id: AgentId,
        is_new: bool,
        bodies: &mut Bodies<'_, '_, B>,
        commands: &mut Commands<'_, '_>,
    ) {
        let Ok((agent, variant, small, middle, large, mut board)) = bodies.get_mut(entity) else {
            return;
        };
        if is_new && (small.is_some() || middle.is_some() || large.is_some()) {
            // Of somebody who lived on this entity before.
            commands.entity(entity).try_remove::<AllRams>();
        }
        let asset = agent.machine().id();
        let place = self
            .kind
            .place_of(asset, self.assets, self.agents, self.problems);
        let slot = id.index() as usize;
        let (number, Some(program)) = (
            self.kind.bound[place].number,
            &self.kind.bound[place].program,
        ) else {
            self.agents.run_nothing(slot);
            self.kind.wait(entity, id, place);
            return;
        };
        let machine = program.machine();
        let seed = self.state.seed;
        let brain = self.brains.get(entity).ok();
        // An agent of this very machine goes on: it came back with its bytes, or was put on again.
        let mut keeps = false;
        if let Some(brain) = brain {
            // It waited for its machine since a snapshot was put back.
            let is_own = !is_new && brain.id() == id;
            let brain = is_own.then_some(brain);
            let today = (machine, self.state.now);
            keeps = come_back(self.problems, entity, today, brain, commands);
            let letters = brain.into_iter().flat_map(|brain| brain.letters(machine));
            let before = self.state.letters.len();
            self.state.letters.extend(letters);
            let lost = brain.map_or(0, SavedBrain::events) - (self.state.letters.len() - before);
            self.problems.lost_unknown += lost as u64;
        } else if !is_new {
            keep_or_remove(machine, small.as_deref(), &mut keeps, entity, commands);
            keep_or_remove(machine, middle.as_deref(), &mut keeps, entity, commands);
            keep_or_remove(machine, large.as_deref(), &mut keeps, entity, commands);
        }
        if !keeps {
            let mut entity = commands.entity(entity);
            let number = id.bits();
            if let Some(instance) = machine.new_instance::<Instance64>(seed, number) {
                entity.try_insert(Ram64::new(instance));
            } else if let Some(instance) = machine.new_instance::<Instance128>(seed, number) {
                entity.try_insert(Ram128::new(instance));
            } else if let Some(instance) = machine.new_instance::<Instance256>(seed, number) {
                entity.try_insert(Ram256::new(instance));
            }
        }
        let own = board.as_mut().map(|board| board.bypass_change_detection());
        let any = own.map(|board| board as &mut dyn Any);
        if let Some(schema) = any.and_then(|any| any.downcast_mut::<SchemaBoard>()) {
            for key in schema.begin(machine) {
                self.problems.tell(Problem::Key { entity, key });
            }
        }
        let before = self.agents.programs[slot];
        if before != number && before != NO_PROGRAM {
            // Nobody could say what events of the other machine mean here.
            self.swapped.push(id);
        }
        let variant = find_variant(machine, entity, variant, self.problems);
        self.agents.has_variants |= variant != 0;
        self.agents.variants[slot] = variant;
        self.agents.run(slot, number);
        self.kind.wait_no_more(id);
        self.changed.push(slot as u32);
    }

    /// Events under way to those who have another machine.
    fn forget_letters(&mut self) {
        if self.swapped.is_empty() {
            return;
        }
        self.swapped.sort_unstable();
        let letters = self.state.letters.len();
        let swapped = &self.swapped;
        let is_lost = |to: &AgentId| swapped.binary_search(to).is_ok();
        self.state.letters.retain(|letter| !is_lost(&letter.to));
        self.problems.lost_unknown += (letters - self.state.letters.len()) as u64;
    }

    /// Agents whose variant was put on, taken off or replaced.
    fn change_variants(&mut self, bodies: &Bodies<'_, '_, B>, ids: &Query<'_, '_, &StableId>) {
        let mut list = std::mem::take(&mut self.agents.revariants);
        list.retain(|&entity| {
            let Ok((_, variant, ..)) = bodies.get(entity) else {
                return true;
            };
            // One that began in this very intake has its variant already.
            let slot = ids.get(entity).ok().and_then(|id| id.slot());
            let slot = slot.filter(|&slot| {
                let id = self.state.at(slot);
                id.is_some_and(|id| self.agents.entity(id) == Some(entity))
            });
            if let Some(slot) = slot
                && let Some(program) = self.agents.program(slot)
            {
                let number = find_variant(&program.machine, entity, variant, self.problems);
                self.agents.has_variants |= number != 0;
                self.agents.variants[slot] = number;
                self.agents.awake.wake(slot);
            }
            false
        });
        self.agents.revariants = list;
    }
}

/// An instance of this machine stays; one of another machine goes.
fn keep_or_remove<R: Ram>(
    machine: &Machine,
    ram: Option<&R>,
    keeps: &mut bool,
    entity: Entity,
    commands: &mut Commands<'_, '_>,
) {
    let Some(ram) = ram else { return };
    if is_of(machine, ram) && !*keeps {
        *keeps = true;
    } else if let Ok(mut entity) = commands.get_entity(entity) {
        entity.try_remove::<R>();
    }
}

/// Is it an instance of this very machine?
fn is_of<R: Ram>(machine: &Machine, ram: &R) -> bool {
    let rom = machine.rom();
    rom.tier() == <R::Instance as Instance>::TIER
        && ram.instance().header().machine.get() == rom.machine_id()
}

/// A brain that waited takes its place; whether there is an instance in it.
fn come_back(
    problems: &mut Problems,
    entity: Entity,
    (machine, next): (&Machine, u64),
    brain: Option<&SavedBrain>,
    commands: &mut Commands<'_, '_>,
) -> bool {
    let Ok(mut target) = commands.get_entity(entity) else {
        return false;
    };
    target.try_remove::<(AllRams, SavedBrain)>();
    let Some(brain) = brain.cloned() else {
        return false;
    };
    let agent = brain.id();
    let instance = match brain.instance(machine, next) {
        Back::Same(instance) | Back::Mapped(instance) => Some(instance),
        Back::Anew(instance) => {
            if brain.has_begun() {
                let what = "nothing of its state is left, it begins anew";
                problems.tell(Problem::Restore { agent, what });
            }
            instance
        }
    };
    if let Some(instance) = instance {
        put_instance(&mut target, instance);
    }
    let today = machine.clone();
    commands.queue(move |world: &mut World| {
        if !brain.put_board(world, entity, &today)
            && let Some(mut problems) = world.get_resource_mut::<Problems>()
        {
            let what = "its blackboard cannot be read, it stays as it was";
            problems.tell(Problem::Restore { agent, what });
        }
    });
    instance.is_some()
}

/// The number of a variant by name; the plain one where there is none.
fn find_variant(
    machine: &Machine,
    entity: Entity,
    variant: Option<&AgentVariant>,
    problems: &mut Problems,
) -> u16 {
    let Some(AgentVariant(name)) = variant else {
        return 0;
    };
    match machine.variant(name) {
        Ok(variant) => variant.id().index() as u16,
        Err(_) => {
            let variant = name.clone().into_owned();
            problems.tell(Problem::Variant { entity, variant });
            0
        }
    }
}

/// An instance of any tier, on its way to an entity.
#[derive(Clone, Copy)]
enum AnyRam {
    Small(Instance64),
    Middle(Instance128),
    Large(Instance256),
}

/// Reloads.
impl<B: AgentBoard, C: View + ?Sized> Here<'_, B, C> {
    /// Another version of a machine takes the place of the one that runs (LOAD-1 to LOAD-7): everything or
    /// nothing.
    fn reload(
        &mut self,
        place: usize,
        policy: &ReloadPolicy,
        (bodies, commands): (&mut Bodies<'_, '_, B>, &mut Commands<'_, '_>),
    ) -> Option<ReloadReport> {
        let bound = &self.kind.bound[place];
        let old = bound.program.as_ref()?.machine().clone();
        let MachineAsset(new) = self.assets.get(bound.asset)?;
        let found = hashes(new);
        let is_reload = |known: &Problem| matches!(known, Problem::Reload { machine, .. } if machine == new.name());
        if found == hashes(&old) {
            // The file says again what runs: what was refused may be refused again.
            self.problems.mend(is_reload);
            self.kind.bound[place].refused = None;
            return None;
        }
        if bound.refused.is_some_and(|one| one.holds(found, policy)) {
            return None;
        }
        let refused = |by| Some(Refused { hashes: found, by });
        let number = bound.number;
        let Some(program) = self.kind.bind(new, self.problems) else {
            self.kind.bound[place].refused = refused(None);
            return None;
        };
        let plan = Reload::plan(&old, new);
        let (mapped, mut report) = map_all((self.agents, self.state, number), &plan, bodies);
        if let Some(why) = policy.refuses(&report) {
            self.problems.tell(Problem::Reload {
                machine: new.name().to_owned(),
                report: format!("{why} ({report})"),
            });
            self.kind.bound[place].refused = refused(Some(*policy));
            return None;
        }
        report.lost_letters = self.map_letters(number, &plan);
        for (entity, id, ram) in mapped {
            put_ram(entity, ram, bodies, commands);
            let slot = id.index() as usize;
            let Ok((_, variant, .., board)) = bodies.get_mut(entity) else {
                continue;
            };
            if let Some(mut board) = board {
                board.reload(plan.keys());
            }
            let old = variant_of(self.agents.variants[slot]);
            report.lost_variants += usize::from(plan.variant(old).is_none());
            self.agents.variants[slot] = find_variant(new, entity, variant, self.problems);
            self.agents.awake.wake(slot);
            self.changed.push(id.index());
        }
        self.problems.mend(is_reload);
        // The new machine runs.
        self.agents.set_machine(number, program.machine().clone());
        let bound = &mut self.kind.bound[place];
        (bound.program, bound.refused) = (Some(program), None);
        Some(report)
    }

    /// Events under way to agents of a program; how many do not arrive.
    fn map_letters(&mut self, number: u16, plan: &Reload) -> usize {
        let before = self.state.letters.len();
        let programs = &self.agents.programs;
        self.state.letters.retain_mut(|letter| {
            if programs.get(letter.to.index() as usize) != Some(&number) {
                return true;
            }
            plan.event(letter.event).is_some_and(|event| {
                letter.event = event;
                true
            })
        });
        before - self.state.letters.len()
    }
}

/// What becomes of all agents of a program, in their order. Nothing changes yet.
fn map_all<B: AgentBoard>(
    (agents, state, number): (&Agents, &AgentState, u16),
    plan: &Reload,
    bodies: &Bodies<'_, '_, B>,
) -> (Vec<(Entity, AgentId, AnyRam)>, ReloadReport) {
    let (mut all, mut report) = (Vec::new(), plan.report());
    for slot in 0..agents.programs.len() {
        let Some(id) = state.at(slot).filter(|_| agents.programs[slot] == number) else {
            continue;
        };
        let Some(entity) = agents.entity(id) else {
            continue;
        };
        let Ok((_, _, small, middle, large, _)) = bodies.get(entity) else {
            continue;
        };
        let mapped = match (small, middle, large) {
            (Some(ram), _, _) => map_one(plan, ram.instance(), state.now),
            (_, Some(ram), _) => map_one(plan, ram.instance(), state.now),
            (_, _, Some(ram)) => map_one(plan, ram.instance(), state.now),
            (None, None, None) => None,
        };
        if let Some((ram, mapped)) = mapped {
            plan.note(&mut report, id, &mapped);
            all.push((entity, id, ram));
        }
    }
    (all, report)
}

fn map_one<I: Instance>(plan: &Reload, old: &I, next: u64) -> Option<(AnyRam, Mapped)> {
    let small = || {
        let (new, mapped) = plan.instance::<I, Instance64>(old, next)?;
        Some((AnyRam::Small(new), mapped))
    };
    let middle = || {
        let (new, mapped) = plan.instance::<I, Instance128>(old, next)?;
        Some((AnyRam::Middle(new), mapped))
    };
    let large = || {
        let (new, mapped) = plan.instance::<I, Instance256>(old, next)?;
        Some((AnyRam::Large(new), mapped))
    };
    small().or_else(middle).or_else(large)
}

/// The new bytes of an agent: in the place of the old ones, or of another tier beside them.
fn put_ram<B: AgentBoard>(
    entity: Entity,
    ram: AnyRam,
    bodies: &mut Bodies<'_, '_, B>,
    commands: &mut Commands<'_, '_>,
) {
    let Ok((_, _, small, middle, large, _)) = bodies.get_mut(entity) else {
        return;
    };
    let Ok(mut entity) = commands.get_entity(entity) else {
        return;
    };
    match (ram, small, middle, large) {
        (AnyRam::Small(new), Some(mut old), _, _) => _ = old.set_if_neq(Ram64::new(new)),
        (AnyRam::Middle(new), _, Some(mut old), _) => _ = old.set_if_neq(Ram128::new(new)),
        (AnyRam::Large(new), _, _, Some(mut old)) => _ = old.set_if_neq(Ram256::new(new)),
        (AnyRam::Small(new), ..) => {
            entity.try_remove::<(Ram128, Ram256)>();
            entity.try_insert(Ram64::new(new));
        }
        (AnyRam::Middle(new), ..) => {
            entity.try_remove::<(Ram64, Ram256)>();
            entity.try_insert(Ram128::new(new));
        }
        (AnyRam::Large(new), ..) => {
            entity.try_remove::<(Ram64, Ram128)>();
            entity.try_insert(Ram256::new(new));
        }
    }
}
