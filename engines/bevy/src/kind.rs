//! Agents of one kind: those with the same blackboard and functions, whatever machines they run.

use std::collections::HashMap;
use std::sync::Arc;

use bevy_asset::{AssetId, Assets};
use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use statewright::{AgentId, Board, Functions, Machine, Program};

use crate::asset::MachineAsset;
use crate::problems::{Problem, Problems};
use crate::roster::{self, Agents};
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
    /// Entities whose machine is not loaded yet.
    pub(crate) waiting: Vec<(Entity, AgentId)>,
}

/// A machine that is bound to the functions of a kind, or will be.
pub(crate) struct Bound<B: AgentBoard, C: View + ?Sized> {
    /// Its number among all programs.
    pub(crate) number: u16,
    pub(crate) asset: AssetId<MachineAsset>,
    pub(crate) program: Option<Arc<Program<B, C>>>,
    /// Hashes of a version that was refused: it is not tried again.
    pub(crate) refused: Option<[u64; 2]>,
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
            waiting: Vec::new(),
        }
    }

    /// Place of the program of an asset, loaded or not.
    pub(crate) fn place_of(
        &mut self,
        asset: AssetId<MachineAsset>,
        assets: &Assets<MachineAsset>,
        agents: &mut Agents,
        problems: &mut Problems,
    ) -> usize {
        let place = *self.by_asset.entry(asset).or_insert_with(|| {
            self.bound.push(Bound {
                number: roster::NO_PROGRAM,
                asset,
                program: None,
                refused: None,
            });
            self.bound.len() - 1
        });
        if self.bound[place].program.is_none()
            && let Some(MachineAsset(machine)) = assets.get(asset)
        {
            self.begin(place, machine, agents, problems);
        }
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
        if self.bound[place].refused == Some(own) {
            return;
        }
        let Some(program) = self.bind(machine, problems) else {
            self.bound[place].refused = Some(own);
            return;
        };
        let bound = &mut self.bound[place];
        (bound.program, bound.refused) = (Some(program), None);
        bound.number = agents.machines.len() as u16;
        agents.machines.push(roster::Program {
            machine: machine.clone(),
            kind: self.number,
        });
    }
}
