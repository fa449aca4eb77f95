//! Agents of one kind get their machine: new ones, those with another machine, and all of a machine whose
//! file was saved.

use std::any::Any;
use std::sync::Arc;

use bevy_asset::Assets;
use bevy_ecs::change_detection::{DetectChanges, DetectChangesMut, Mut};
use bevy_ecs::entity::Entity;
use bevy_ecs::message::{Message, MessageWriter};
use bevy_ecs::system::{Commands, Query, Res, ResMut};
use statewright::{
    AgentId, Instance, Instance64, Instance128, Instance256, Machine, Mapped, Program, Reload,
    ReloadReport,
};

use crate::agent::{Agent, AgentVariant, Ram, Ram64, Ram128, Ram256, StableId, variant_of};
use crate::asset::MachineAsset;
use crate::board::SchemaBoard;
use crate::intake::Arrivals;
use crate::kind::{AgentBoard, Kind, hashes};
use crate::plugin::{Config, ReloadPolicy};
use crate::problems::{Problem, Problems};
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
        &'static mut B,
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
    ids: Query<'_, '_, &StableId>,
    mut commands: Commands<'_, '_>,
    mut reloaded: MessageWriter<'_, MachineReloaded>,
    mut work: ResMut<'_, Outcome>,
) {
    let (kind, agents) = (&mut *kind, &mut *agents);
    // What waited while reloads were held is looked at when they are let go.
    let is_other = config.is_changed();
    if is_other {
        // Parameters may be others: conditions that did not hold may hold now.
        agents.wake_kind(kind.number);
    }
    if (assets.is_changed() || is_other) && !config.holds_reloads {
        for place in 0..kind.bound.len() {
            let report = reload(
                (kind, place),
                (agents, &mut work.changed, &mut state),
                (&assets, &config.reload),
                (&mut bodies, &mut commands),
                &mut problems,
            );
            if let Some(report) = report {
                let machine = kind.bound[place].asset;
                // Changed parameters are those of the old machine.
                if config.parameters.contains_key(&machine) {
                    config.parameters.remove(&machine);
                }
                reloaded.write(MachineReloaded { machine, report });
            }
        }
    }
    let mut here = Here {
        kind,
        agents,
        state: &mut state,
        changed: &mut work.changed,
        problems: &mut problems,
        assets: &assets,
    };
    here.look_at_arrivals(&mut arrivals, &mut bodies, &mut commands);
    if assets.is_changed() {
        here.look_at_waiting(&mut bodies, &mut commands);
    }
    here.change_variants(&bodies, &ids);
}

/// What looking at one entity needs.
struct Here<'h, B: AgentBoard, C: View + ?Sized> {
    kind: &'h mut Kind<B, C>,
    agents: &'h mut Agents,
    state: &'h mut AgentState,
    changed: &'h mut Vec<u32>,
    problems: &'h mut Problems,
    assets: &'h Assets<MachineAsset>,
}

impl<B: AgentBoard, C: View + ?Sized> Here<'_, B, C> {
    fn look_at_arrivals(
        &mut self,
        arrivals: &mut Arrivals,
        bodies: &mut Bodies<'_, '_, B>,
        commands: &mut Commands<'_, '_>,
    ) {
        let Arrivals { list, claimed } = arrivals;
        for (&(entity, id), claimed) in list.iter().zip(claimed) {
            if !bodies.contains(entity) {
                continue;
            }
            let slot = id.index() as usize;
            let other = self.agents.program(slot).map(|program| program.kind);
            if *claimed || other.is_some_and(|kind| kind != self.kind.number) {
                self.problems.tell(Problem::Twice(entity));
                *claimed = true;
                continue;
            }
            *claimed = true;
            self.settle(entity, id, bodies, commands);
        }
    }

    /// Machines may have been loaded meanwhile.
    fn look_at_waiting(&mut self, bodies: &mut Bodies<'_, '_, B>, commands: &mut Commands<'_, '_>) {
        let waiting = std::mem::take(&mut self.kind.waiting);
        for (entity, id) in waiting {
            if bodies.contains(entity) && self.agents.entity(id) == Some(entity) {
                self.settle(entity, id, bodies, commands);
            }
        }
    }

    /// An agent gets its instance, or waits for its machine.
    fn settle(
        &mut self,
        entity: Entity,
        id: AgentId,
        bodies: &mut Bodies<'_, '_, B>,
        commands: &mut Commands<'_, '_>,
    ) {
        let Ok((agent, variant, small, middle, large, mut board)) = bodies.get_mut(entity) else {
            return;
        };
        let asset = agent.machine().id();
        let place = self
            .kind
            .place_of(asset, self.assets, self.agents, self.problems);
        let slot = id.index() as usize;
        let (number, Some(program)) = (
            self.kind.bound[place].number,
            &self.kind.bound[place].program,
        ) else {
            self.agents.programs[slot] = NO_PROGRAM;
            self.agents.awake.put_to_sleep(slot);
            self.kind.waiting.push((entity, id));
            return;
        };
        let machine = program.machine();
        let seed = self.state.seed;
        // An agent of this very machine goes on: it came back with its bytes, or was put on again.
        let own = machine.rom().machine_id();
        let mut keeps = false;
        let (mut small, mut middle, mut large) = (small, middle, large);
        keep_or_remove(own, machine, small.as_mut(), &mut keeps, entity, commands);
        keep_or_remove(own, machine, middle.as_mut(), &mut keeps, entity, commands);
        keep_or_remove(own, machine, large.as_mut(), &mut keeps, entity, commands);
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
        let any: &mut dyn Any = board.bypass_change_detection();
        if let Some(schema) = any.downcast_mut::<SchemaBoard>() {
            for key in schema.begin(machine) {
                self.problems.tell(Problem::Key { entity, key });
            }
        }
        let before = self.agents.programs[slot];
        if before != number && before != NO_PROGRAM {
            // Nobody could say what events of the other machine mean here.
            let letters = self.state.letters.len();
            self.state.letters.retain(|letter| letter.to != id);
            self.problems.lost_unknown += (letters - self.state.letters.len()) as u64;
        }
        let variant = find_variant(machine, entity, variant, self.problems);
        self.agents.has_variants |= variant != 0;
        self.agents.variants[slot] = variant;
        self.agents.run(slot, number);
        self.changed.push(slot as u32);
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
    own: u32,
    machine: &Machine,
    ram: Option<&mut Mut<'_, R>>,
    keeps: &mut bool,
    entity: Entity,
    commands: &mut Commands<'_, '_>,
) {
    let Some(ram) = ram else { return };
    let is_own = ram.instance().header().machine.get() == own
        && machine.rom().tier() == <R::Instance as Instance>::TIER;
    if is_own && !*keeps {
        *keeps = true;
    } else if let Ok(mut entity) = commands.get_entity(entity) {
        entity.try_remove::<R>();
    }
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

/// Another version of a machine takes the place of the one that runs (LOAD-1 to LOAD-7): everything or
/// nothing.
fn reload<B: AgentBoard, C: View + ?Sized>(
    (kind, place): (&mut Kind<B, C>, usize),
    (agents, changed, state): (&mut Agents, &mut Vec<u32>, &mut AgentState),
    (assets, policy): (&Assets<MachineAsset>, &ReloadPolicy),
    (bodies, commands): (&mut Bodies<'_, '_, B>, &mut Commands<'_, '_>),
    problems: &mut Problems,
) -> Option<ReloadReport> {
    let bound = &kind.bound[place];
    let old = bound.program.as_ref()?.machine().clone();
    let MachineAsset(new) = assets.get(bound.asset)?;
    let found = hashes(new);
    let is_reload =
        |known: &Problem| matches!(known, Problem::Reload { machine, .. } if machine == new.name());
    if found == hashes(&old) {
        // The file says again what runs.
        problems.mend(is_reload);
        return None;
    }
    if bound.refused == Some(found) {
        return None;
    }
    let number = bound.number;
    let Some(program) = kind.bind(new, problems) else {
        kind.bound[place].refused = Some(found);
        return None;
    };
    let plan = Reload::plan(&old, new);
    let (mapped, report) = map_all((agents, state, number), &plan, bodies);
    if let Some(why) = policy.refuses(&report) {
        problems.tell(Problem::Reload {
            machine: new.name().to_owned(),
            report: format!("{why} ({report})"),
        });
        kind.bound[place].refused = Some(found);
        return None;
    }
    let mut report = report;
    let before = state.letters.len();
    state.letters.retain_mut(|letter| {
        if agents.programs.get(letter.to.index() as usize) != Some(&number) {
            return true;
        }
        plan.event(letter.event).is_some_and(|event| {
            letter.event = event;
            true
        })
    });
    report.lost_letters = before - state.letters.len();
    for (entity, id, ram) in mapped {
        put_ram(entity, ram, bodies, commands);
        let slot = id.index() as usize;
        let Ok((_, variant, .., mut board)) = bodies.get_mut(entity) else {
            continue;
        };
        board.reload(plan.keys());
        let old = variant_of(agents.variants[slot]);
        report.lost_variants += usize::from(plan.variant(old).is_none());
        agents.variants[slot] = find_variant(new, entity, variant, problems);
        agents.awake.wake(slot);
        changed.push(id.index());
    }
    problems.mend(is_reload);
    install((kind, place), agents, program);
    Some(report)
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

/// The new machine runs.
fn install<B: AgentBoard, C: View + ?Sized>(
    (kind, place): (&mut Kind<B, C>, usize),
    agents: &mut Agents,
    program: Arc<Program<B, C>>,
) {
    let bound = &mut kind.bound[place];
    agents.set_machine(bound.number, program.machine().clone());
    (bound.program, bound.refused) = (Some(program), None);
}
