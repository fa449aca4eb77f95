//! Agents of one kind: those with the same blackboard and functions, whatever machines they run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use bevy_asset::{AssetId, Assets};
use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use statewright::{AgentId, Board, Functions, Machine, Program};

use crate::asset::MachineAsset;
use crate::plugin::ReloadPolicy;
use crate::problems::{Problem, Problems};
use crate::roster::{Agents, NO_PROGRAM};
use crate::view::View;

/// A blackboard that is a component.
pub trait AgentBoard: Board + Component<Mutability = Mutable> + Default {}

impl<B: Board + Component<Mutability = Mutable> + Default> AgentBoard for B {}

/// Everything about a kind that is on no entity.
#[derive(Resource)]
pub(crate) struct Kind<B: AgentBoard, C: View + ?Sized> {
    /// Its number among all kinds.
    pub(crate) number: u16,
    functions: Box<dyn Fn() -> Functions<B, C> + Send + Sync>,
    /// Machines that agents of it run.
    pub(crate) bound: Vec<Bound<B, C>>,
    by_asset: HashMap<AssetId<MachineAsset>, usize>,
    /// Agents whose machine is not loaded yet, by index.
    waiting: BTreeMap<u32, Waiting>,
    /// While reloads are held: the machines that were there when that began. Frames that run again must
    /// not find one that came between.
    held: Option<HashSet<AssetId<MachineAsset>>>,
    /// Machines may be others than when they were last looked at.
    pub(crate) is_to_look: bool,
    /// When it was last looked who of them is gone.
    epoch: u64,
    ends: u64,
    /// Whether places of machines may be used again: not while nobody is in its place after time went
    /// back.
    reuses: bool,
}

/// An agent whose machine is not loaded yet.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    entity: Entity,
    id: AgentId,
    /// Place of the machine.
    place: usize,
}

/// A machine that is bound to the functions of a kind, or will be.
pub(crate) struct Bound<B: AgentBoard, C: View + ?Sized> {
    /// Its number among all programs.
    pub(crate) number: u16,
    pub(crate) asset: AssetId<MachineAsset>,
    pub(crate) program: Option<Arc<Program<B, C>>>,
    /// How many agents wait for it.
    waiting: usize,
    /// A version that was refused: it is not tried again.
    pub(crate) refused: Option<Refused>,
}

/// A version of a machine that was refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refused {
    pub(crate) hashes: [u64; 2],
    /// The policy that refused it: another one may not. `None` if functions are missing, which do not
    /// change.
    pub(crate) by: Option<ReloadPolicy>,
}

impl Refused {
    /// Would it be refused again?
    pub(crate) fn holds(&self, hashes: [u64; 2], policy: &ReloadPolicy) -> bool {
        self.hashes == hashes && self.by.is_none_or(|by| by.is(policy))
    }
}

/// Structure and parameter hash.
pub(crate) fn hashes(machine: &Machine) -> [u64; 2] {
    let rom = machine.rom();
    let head = &rom.header().head;
    [head.structure_hash.get(), head.parameter_hash.get()]
}

impl<B: AgentBoard, C: View + ?Sized> Kind<B, C> {
    pub(crate) fn new(
        number: u16,
        functions: impl Fn() -> Functions<B, C> + Send + Sync + 'static,
    ) -> Self {
        Self {
            number,
            functions: Box::new(functions),
            bound: Vec::new(),
            by_asset: HashMap::new(),
            waiting: BTreeMap::new(),
            held: None,
            is_to_look: false,
            epoch: 0,
            ends: 0,
            reuses: true,
        }
    }

    /// Whether reloads are held, in this intake.
    pub(crate) fn hold(&mut self, is_held: bool, assets: &Assets<MachineAsset>) {
        if !is_held {
            self.held = None;
        } else if self.held.is_none() {
            self.held = Some(assets.ids().collect());
        }
    }

    /// Machines that somebody waits for and that are held are told.
    pub(crate) fn tell_held(&self, assets: &Assets<MachineAsset>, problems: &mut Problems) {
        for bound in self.bound.iter().filter(|bound| bound.waiting > 0) {
            _ = self.machine_of(bound.asset, assets, problems);
        }
    }

    /// The machine of an asset, if it is there and not held.
    fn machine_of<'a>(
        &self,
        asset: AssetId<MachineAsset>,
        assets: &'a Assets<MachineAsset>,
        problems: &mut Problems,
    ) -> Option<&'a Machine> {
        let MachineAsset(machine) = assets.get(asset)?;
        let is_free = self.held.as_ref().is_none_or(|held| held.contains(&asset));
        if !is_free {
            problems.tell(Problem::Held(machine.name().to_owned()));
        }
        is_free.then_some(machine)
    }

    /// An agent waits for the machine of a place.
    pub(crate) fn wait(&mut self, entity: Entity, id: AgentId, place: usize) {
        self.wait_no_more(id);
        self.bound[place].waiting += 1;
        self.waiting
            .insert(id.index(), Waiting { entity, id, place });
    }

    /// It has begun, or is gone.
    pub(crate) fn wait_no_more(&mut self, id: AgentId) {
        if let Some(one) = self.waiting.remove(&id.index()) {
            self.bound[one.place].waiting -= 1;
        }
    }

    /// All who wait, in their order. They are to be looked at, and may wait again.
    pub(crate) fn take_waiting(&mut self) -> Vec<(Entity, AgentId)> {
        self.bound.iter_mut().for_each(|bound| bound.waiting = 0);
        let waiting = std::mem::take(&mut self.waiting);
        waiting
            .into_values()
            .map(|one| (one.entity, one.id))
            .collect()
    }

    /// Nobody waits who is gone. After time went back everybody is looked at again, and waits again.
    pub(crate) fn forget_gone(&mut self, agents: &Agents) {
        let is_other = self.epoch != agents.epoch;
        if is_other || self.ends != agents.ends {
            let gone = self.waiting.values();
            let gone = gone.filter(|one| is_other || agents.entity(one.id) != Some(one.entity));
            let gone: Vec<AgentId> = gone.map(|one| one.id).collect();
            gone.into_iter().for_each(|id| self.wait_no_more(id));
        }
        (self.epoch, self.ends) = (agents.epoch, agents.ends);
        self.reuses = !is_other;
    }

    /// Place of the program of an asset, loaded or not.
    pub(crate) fn place_of(
        &mut self,
        asset: AssetId<MachineAsset>,
        assets: &Assets<MachineAsset>,
        agents: &mut Agents,
        problems: &mut Problems,
    ) -> usize {
        let place = match self.by_asset.get(&asset) {
            Some(&place) => place,
            None => self.new_place(asset, assets, agents),
        };
        if self.bound[place].program.is_none()
            && let Some(machine) = self.machine_of(asset, assets, problems)
        {
            self.begin(place, machine, agents, problems);
        }
        place
    }

    /// A place for a machine that nobody asked for before: that of one whose asset is gone and which
    /// nobody runs any more, or a new one. So a game that makes machines as it goes ends with as many
    /// places as it ever needed at once.
    fn new_place(
        &mut self,
        asset: AssetId<MachineAsset>,
        assets: &Assets<MachineAsset>,
        agents: &Agents,
    ) -> usize {
        let is_over = |bound: &Bound<B, C>| {
            bound.waiting == 0 && !agents.is_run(bound.number) && !assets.contains(bound.asset)
        };
        let place = self.bound.iter().position(is_over);
        let place = place.filter(|_| self.reuses).unwrap_or(self.bound.len());
        let number = match self.bound.get(place) {
            Some(old) => {
                self.by_asset.remove(&old.asset);
                old.number
            }
            None => NO_PROGRAM,
        };
        let new = Bound {
            number,
            asset,
            program: None,
            waiting: 0,
            refused: None,
        };
        match self.bound.get_mut(place) {
            Some(old) => *old = new,
            None => self.bound.push(new),
        }
        self.by_asset.insert(asset, place);
        place
    }

    /// The program of an asset, if it runs.
    pub(crate) fn program_of(&self, asset: AssetId<MachineAsset>) -> Option<&Program<B, C>> {
        let place = *self.by_asset.get(&asset)?;
        self.bound[place].program.as_deref()
    }

    /// The functions bound to a machine, or nothing, once said.
    pub(crate) fn bind(
        &self,
        machine: &Machine,
        problems: &mut Problems,
    ) -> Option<Arc<Program<B, C>>> {
        let name = machine.name();
        problems.mend(|known| matches!(known, Problem::Bind { machine, .. } if machine == name));
        match machine.bind((self.functions)()) {
            Ok(program) => Some(Arc::new(program)),
            Err(error) => {
                problems.tell(Problem::Bind {
                    machine: name.to_owned(),
                    report: error.to_string(),
                });
                None
            }
        }
    }

    /// A machine is there for the first time.
    fn begin(
        &mut self,
        place: usize,
        machine: &Machine,
        agents: &mut Agents,
        problems: &mut Problems,
    ) {
        let own = hashes(machine);
        let refused = Refused {
            hashes: own,
            by: None,
        };
        // Only missing functions refuse a machine that nobody runs yet.
        let before = self.bound[place].refused;
        if before.is_some_and(|before| before.hashes == own) {
            return;
        }
        let Some(program) = self.bind(machine, problems) else {
            self.bound[place].refused = Some(refused);
            return;
        };
        let bound = &mut self.bound[place];
        if bound.number == NO_PROGRAM {
            let Some(number) = agents.add_machine(machine.clone(), self.number) else {
                bound.refused = Some(refused);
                problems.tell(Problem::Bind {
                    machine: machine.name().to_owned(),
                    report: format!("{NO_PROGRAM} machines are there already"),
                });
                return;
            };
            bound.number = number;
        } else {
            agents.set_machine(bound.number, machine.clone());
        }
        (bound.program, bound.refused) = (Some(program), None);
    }
}

#[cfg(all(test, feature = "compile"))]
mod tests {
    use bevy_app::{App, TaskPoolPlugin, Update};

    use super::*;
    use crate::agent::Agent;
    use crate::plugin::{AppAgents, StatewrightPlugin};

    #[derive(Component, Board, Default)]
    struct Dummy;

    fn app() -> App {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin::default(),
            StatewrightPlugin::default().in_schedule(Update),
        ));
        app.add_agents(Functions::<Dummy, ()>::new);
        app
    }

    fn machine(name: &str) -> MachineAsset {
        let machine = Machine::build(name, |m| _ = m.state("stand", |_| {}));
        MachineAsset(machine.expect("it has no mistakes"))
    }

    fn kind(app: &App) -> &Kind<Dummy, ()> {
        app.world().resource::<Kind<Dummy, ()>>()
    }

    #[test]
    fn machines_that_come_and_go_need_as_many_places_as_are_there_at_once() {
        let mut app = app();
        let mut assets = app.world_mut().resource_mut::<Assets<MachineAsset>>();
        let stays = assets.add(machine("Stays"));
        let stays = app.world_mut().spawn(Agent::<Dummy>::new(stays)).id();
        for number in 0..20 {
            let mut assets = app.world_mut().resource_mut::<Assets<MachineAsset>>();
            let handle = assets.add(machine(&format!("Level{number}")));
            let entity = app
                .world_mut()
                .spawn(Agent::<Dummy>::new(handle.clone()))
                .id();
            app.update();
            let id = app
                .world()
                .get::<crate::StableId>(entity)
                .expect("it has begun");
            let agents = app.world().resource::<Agents>();
            let runs = agents.machine(id.get()).map(Machine::name);
            assert_eq!(runs, Some(&*format!("Level{number}")));
            let mut assets = app.world_mut().resource_mut::<Assets<MachineAsset>>();
            assets.remove(&handle);
            app.update();
            app.world_mut().despawn(entity);
            app.update();
        }
        let agents = app.world().resource::<Agents>();
        assert_eq!((agents.machines.len(), kind(&app).bound.len()), (2, 2));
        assert_eq!(kind(&app).by_asset.len(), 2);
        let id = app.world().get::<crate::StableId>(stays).expect("it runs");
        assert_eq!(agents.machine(id.get()).map(Machine::name), Some("Stays"));
    }

    #[test]
    fn whoever_waits_is_known_once_and_forgotten_when_it_is_gone() {
        let mut app = app();
        let assets = app.world().resource::<Assets<MachineAsset>>();
        let late = assets.reserve_handle();
        let entities: Vec<Entity> = (0..5)
            .map(|_| {
                app.world_mut()
                    .spawn(Agent::<Dummy>::new(late.clone()))
                    .id()
            })
            .collect();
        app.update();
        for _ in 0..10 {
            app.world_mut().resource_mut::<Agents>().is_stale = true;
            app.update();
        }
        assert_eq!(kind(&app).waiting.len(), 5);
        assert_eq!(kind(&app).bound[0].waiting, 5);
        for &entity in &entities[..3] {
            app.world_mut().despawn(entity);
        }
        app.update();
        assert_eq!(
            (kind(&app).waiting.len(), kind(&app).bound[0].waiting),
            (2, 2)
        );
        // One of them stops waiting.
        let mut assets = app.world_mut().resource_mut::<Assets<MachineAsset>>();
        let there = assets.add(machine("There"));
        app.world_mut()
            .entity_mut(entities[3])
            .insert(Agent::<Dummy>::new(there));
        app.update();
        assert_eq!(
            (kind(&app).waiting.len(), kind(&app).bound[0].waiting),
            (1, 1)
        );
    }
}
