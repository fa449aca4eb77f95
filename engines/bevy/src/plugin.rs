//! The plugin and what is chosen with it.

use std::any::type_name;
use std::collections::HashMap;

use bevy_app::{App, FixedUpdate, Plugin};
use bevy_asset::{AssetApp, AssetId, Assets};
use bevy_ecs::component::Component;
use bevy_ecs::message::Message;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::schedule::{InternedScheduleLabel, IntoScheduleConfigs, ScheduleLabel, SystemSet};
use statewright::commands::Command;
use statewright::trace::{Level, Settings};
use statewright::{Functions, Parameters, ReloadReport, Saved, TickSettings};

use crate::adopt::{MachineReloaded, adopt};
use crate::asset::{MachineAsset, RomLoader};
use crate::emit::{self, CommandMessage, StateChanged, Telling};
use crate::intake::{Arrivals, hear_of_files, number, refuse_strangers, route};
use crate::kind::{AgentBoard, Kind};
use crate::markers;
use crate::outputs::Outputs;
use crate::post;
use crate::problems::{Problem, Problems};
use crate::roster::{Agents, Outcome, Turns};
use crate::send::{Inbox, Signal, hear_signal};
use crate::sets::StatewrightSystems;
use crate::snapshot::Boards;
use crate::state::AgentState;
use crate::tape::{self, Tapes};
use crate::tick::tick;
use crate::trace;
use crate::view::View;
use crate::workers::BevyPool;

/// State machines for entities. Add it once, and each [kind](AppAgents::add_agents) of agents.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_statewright::prelude::*;
///
/// let mut app = App::new();
/// app.add_plugins(bevy_asset::AssetPlugin::default());
/// app.add_plugins(StatewrightPlugin::default().in_schedule(Update).with_seed(7));
/// ```
#[derive(Clone, Debug)]
pub struct StatewrightPlugin {
    /// The schedule that agents think in: [`FixedUpdate`] unless told otherwise. Each run of it is one tick.
    pub schedule: InternedScheduleLabel,
    /// All randomness comes from it.
    pub seed: u64,
    /// How ticks are carried out.
    pub settings: TickSettings,
    /// Whether agents think on several threads. Changes nothing but speed.
    pub parallel: bool,
    /// Which: those of Bevy's compute pool, or of one of your own.
    pub pool: BevyPool,
    /// Which new versions of a machine take the place of the one that runs.
    pub reload: ReloadPolicy,
    /// What is told of states.
    pub telling: Telling,
    /// Ids that the plugin gives begin here; [`AgentNumber`](crate::AgentNumber)s below it are never in
    /// its way.
    pub numbers_from: u32,
    /// Most agents, and the highest number that there may be.
    pub most_agents: u32,
}

impl Default for StatewrightPlugin {
    fn default() -> Self {
        Self {
            schedule: FixedUpdate.intern(),
            seed: 0,
            settings: TickSettings::default(),
            parallel: true,
            pool: BevyPool::default(),
            reload: ReloadPolicy::default(),
            telling: Telling::Nothing,
            numbers_from: 0,
            most_agents: 1 << 20,
        }
    }
}

impl StatewrightPlugin {
    /// Agents think in this schedule.
    #[must_use]
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        let schedule = schedule.intern();
        Self { schedule, ..self }
    }

    /// All randomness comes from this.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// What is told of states.
    #[must_use]
    pub fn telling(self, telling: Telling) -> Self {
        Self { telling, ..self }
    }

    /// Which new versions of a machine take the place of the one that runs.
    #[must_use]
    pub fn with_reload(self, reload: ReloadPolicy) -> Self {
        Self { reload, ..self }
    }

    /// Ids that the plugin gives begin here.
    #[must_use]
    pub fn with_numbers_from(self, numbers_from: u32) -> Self {
        Self {
            numbers_from,
            ..self
        }
    }
}

/// Which new versions of a machine take the place of the one that runs. One that is refused is told in
/// [`Problems`], with the report of what it would have done; agents go on with the old one.
#[derive(Clone, Copy, Debug, Default)]
pub enum ReloadPolicy {
    /// All.
    #[default]
    Always,
    /// Those that change parameters only.
    Parameters,
    /// Those after which every agent goes on where it was.
    NobodyBeginsAnew,
    /// Those for which this says yes.
    If(fn(&ReloadReport) -> bool),
}

impl ReloadPolicy {
    /// Why a reload with this report is refused, if it is.
    pub(crate) fn refuses(&self, report: &ReloadReport) -> Option<&'static str> {
        match self {
            Self::Always => None,
            Self::Parameters => (report.extent == statewright::Extent::Structure)
                .then_some("its structure is another one, and only parameters may change"),
            Self::NobodyBeginsAnew => {
                (report.anew_agents() > 0).then_some("agents would begin anew")
            }
            Self::If(allows) => (!allows(report)).then_some("the game's policy says no"),
        }
    }
}

/// What was chosen.
#[derive(Resource, Clone, Debug)]
pub struct Config {
    /// The schedule.
    pub(crate) schedule: InternedScheduleLabel,
    /// How ticks are carried out.
    pub settings: TickSettings,
    /// Whether agents think on several threads.
    pub parallel: bool,
    /// Which.
    pub pool: BevyPool,
    /// Which new versions of a machine take the place of the one that runs.
    pub reload: ReloadPolicy,
    /// Whether new versions wait: while frames may be rolled back and run again, a machine must not
    /// change.
    pub holds_reloads: bool,
    /// Parameters of machines that were changed while they run. Those of a machine that is reloaded are
    /// gone; whoever made them makes them anew ([`MachineReloaded`]).
    pub parameters: HashMap<AssetId<MachineAsset>, Parameters>,
    /// What is traced for those who are told of states.
    pub(crate) telling: Option<Settings>,
}

/// Steps of the intake and of the tick.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Number,
    Adopt,
    Route,
    Think,
    Finish,
    Keep,
}

/// Kinds that were added before the plugin.
#[derive(Resource, Default)]
struct Early(Vec<Box<dyn FnOnce(&mut App) + Send + Sync>>);

impl Plugin for StatewrightPlugin {
    fn build(&self, app: &mut App) {
        if let Some(mut problems) = app.world_mut().get_resource_mut::<Problems>() {
            problems.tell(Problem::AddedTwice("StatewrightPlugin"));
            return;
        }
        let schedule = self.schedule;
        insert_resources(self, app);
        register_assets(app);
        app.add_message::<Signal>()
            .add_message::<MachineReloaded>()
            .add_message::<StateChanged>()
            .add_observer(hear_signal);
        use StatewrightSystems::{Commit, Debug, Emit, Intake, Tick};
        app.configure_sets(
            schedule,
            (Intake, Tick, Commit, Emit, Debug)
                .chain()
                .run_if(resource_exists::<Agents>),
        );
        // Nothing here waits for commands of the step before: one flush before the tick is enough.
        app.configure_sets(
            schedule,
            (Step::Number, Step::Adopt, Step::Route)
                .chain_ignore_deferred()
                .in_set(Intake),
        );
        app.configure_sets(
            schedule,
            (Step::Think, Step::Finish, Step::Keep).chain().in_set(Tick),
        );
        app.add_systems(
            schedule,
            (
                (hear_of_files, number)
                    .chain_ignore_deferred()
                    .in_set(Step::Number),
                (refuse_strangers, route)
                    .chain_ignore_deferred()
                    .in_set(Step::Route),
                post::finish.in_set(Step::Finish),
                (trace::keep, tape::idle).in_set(Step::Keep),
            ),
        );
        if self.telling != Telling::Nothing {
            app.add_systems(schedule, emit::tell_states.in_set(Emit));
        }
        if self.telling == Telling::Triggers {
            app.add_systems(
                schedule,
                emit::trigger_states.in_set(Emit).after(emit::tell_states),
            );
        }
        let early = app.world_mut().remove_resource::<Early>();
        for add in early.into_iter().flat_map(|early| early.0) {
            add(app);
        }
    }

    fn finish(&self, app: &mut App) {
        register_late(app);
    }

    fn is_unique(&self) -> bool {
        // A second one is told as a problem, not as a panic.
        false
    }
}

fn insert_resources(plugin: &StatewrightPlugin, app: &mut App) {
    let settings = Settings::new(Level::Steps);
    let config = Config {
        schedule: plugin.schedule,
        settings: plugin.settings,
        parallel: plugin.parallel,
        pool: plugin.pool.clone(),
        reload: plugin.reload,
        holds_reloads: false,
        parameters: HashMap::new(),
        telling: (plugin.telling != Telling::Nothing).then_some(settings),
    };
    let most = plugin.most_agents.min(statewright::AgentId::INDICES);
    let agents = Agents::new(plugin.numbers_from, most);
    let state = AgentState {
        seed: plugin.seed,
        ..AgentState::default()
    };
    app.insert_resource(config)
        .insert_resource(agents)
        .insert_resource(state)
        .init_resource::<Arrivals>()
        .init_resource::<Inbox>()
        .init_resource::<Outputs>()
        .init_resource::<Outcome>()
        .init_resource::<Tapes>()
        .init_resource::<Problems>();
}

/// That machines are loaded by the asset server.
#[derive(Resource)]
struct Loaded;

/// Where there is an asset server, machines are loaded by it; else they are put into [`Assets`] by hand.
fn register_assets(app: &mut App) {
    if app.world().contains_resource::<bevy_asset::AssetServer>() {
        app.init_asset::<MachineAsset>()
            .init_asset_loader::<RomLoader>();
        #[cfg(feature = "compile")]
        app.init_asset_loader::<crate::asset::MachineLoader>();
        app.insert_resource(Loaded);
    } else {
        app.init_resource::<Assets<MachineAsset>>()
            .add_message::<bevy_asset::AssetEvent<MachineAsset>>()
            .add_message::<bevy_asset::AssetLoadFailedEvent<MachineAsset>>();
    }
}

/// An asset server that came after the plugin. Machines that were put in by hand meanwhile stay, and then
/// it loads none.
fn register_late(app: &mut App) {
    let world = app.world();
    let is_empty = world
        .get_resource::<Assets<MachineAsset>>()
        .is_some_and(|machines| machines.is_empty());
    if world.contains_resource::<Loaded>() || !world.contains_resource::<bevy_asset::AssetServer>()
    {
        return;
    }
    if is_empty {
        register_assets(app);
    } else if let Some(mut problems) = app.world_mut().get_resource_mut::<Problems>() {
        problems.tell(Problem::LateAssets);
    }
}

/// What apps are told about agents.
pub trait AppAgents {
    /// Entities with a blackboard `B` may be agents, and machines call these functions for them. Give
    /// the function that lists them: `app.add_agents(Guard::functions)`.
    fn add_agents<B: AgentBoard, C: View + ?Sized>(
        &mut self,
        functions: impl Fn() -> Functions<B, C> + Send + Sync + 'static,
    ) -> &mut Self
    where
        for<'x> C::Of<'x>: Sync;

    /// Entities whose agents are in a state have the component [`StateMarker<T>`](crate::StateMarker). The state is given by its
    /// path; machines that do not have it mark nobody.
    fn mark_state<T: Send + Sync + 'static>(&mut self, path: &'static str) -> &mut Self;

    /// Blackboards `B` are part of [snapshots](crate::WorldBrains).
    fn save_boards<B: AgentBoard + Saved>(&mut self) -> &mut Self;

    /// Typed commands are written as messages, too, after [`Commit`](StatewrightSystems::Commit).
    fn add_command_message<T: Command + Send + Sync + 'static>(&mut self) -> &mut Self
    where
        CommandMessage<T>: Message;
}

/// That a kind was added, whatever its context is.
#[derive(Resource)]
struct Claimed<B: Component>(std::marker::PhantomData<fn() -> B>);

impl AppAgents for App {
    fn add_agents<B: AgentBoard, C: View + ?Sized>(
        &mut self,
        functions: impl Fn() -> Functions<B, C> + Send + Sync + 'static,
    ) -> &mut Self
    where
        for<'x> C::Of<'x>: Sync,
    {
        later(self, move |app| add_kind::<B, C>(app, functions))
    }

    fn mark_state<T: Send + Sync + 'static>(&mut self, path: &'static str) -> &mut Self {
        later(self, move |app| {
            let schedule = schedule_of(app);
            app.insert_resource(markers::Marked::<T>::new(path));
            let mark = markers::mark::<T>.in_set(StatewrightSystems::Emit);
            app.add_systems(schedule, mark);
        })
    }

    fn save_boards<B: AgentBoard + Saved>(&mut self) -> &mut Self {
        let mut boards = self.world_mut().get_resource_or_init::<Boards>();
        boards.add::<B>();
        self
    }

    fn add_command_message<T: Command + Send + Sync + 'static>(&mut self) -> &mut Self
    where
        CommandMessage<T>: Message,
    {
        later(self, |app| {
            let schedule = schedule_of(app);
            app.add_message::<CommandMessage<T>>();
            app.add_systems(schedule, emit::write::<T>.in_set(StatewrightSystems::Emit));
        })
    }
}

/// Now, or when the plugin is added.
pub(crate) fn later(app: &mut App, add: impl FnOnce(&mut App) + Send + Sync + 'static) -> &mut App {
    if app.world().contains_resource::<Config>() {
        add(app);
    } else {
        let mut early = app.world_mut().get_resource_or_init::<Early>();
        early.0.push(Box::new(add));
    }
    app
}

pub(crate) fn schedule_of(app: &App) -> InternedScheduleLabel {
    let config = app.world().get_resource::<Config>();
    config.map_or(FixedUpdate.intern(), |config| config.schedule)
}

fn add_kind<B: AgentBoard, C: View + ?Sized>(
    app: &mut App,
    functions: impl Fn() -> Functions<B, C> + Send + Sync + 'static,
) where
    for<'x> C::Of<'x>: Sync,
{
    let world = app.world_mut();
    if world.contains_resource::<Claimed<B>>() {
        let mut problems = world.resource_mut::<Problems>();
        problems.tell(Problem::AddedTwice(type_name::<B>()));
        return;
    }
    world.insert_resource(Claimed::<B>(std::marker::PhantomData));
    let mut agents = world.resource_mut::<Agents>();
    let number = agents.turns.len() as u16;
    agents.turns.push(Turns::default());
    world.insert_resource(Kind::<B, C>::new(number, functions));
    let schedule = schedule_of(app);
    app.add_systems(
        schedule,
        (
            // What kinds leave is put together by agents, whichever of them came first: some schedules
            // refuse systems whose order nobody said.
            adopt::<B, C>
                .in_set(Step::Adopt)
                .ambiguous_with(Step::Adopt),
            tick::<B, C>.in_set(Step::Think).ambiguous_with(Step::Think),
        ),
    );
}
