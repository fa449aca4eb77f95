//! The plugin and what is chosen with it.

use std::any::type_name;
use std::collections::HashMap;

use bevy_app::{App, FixedFirst, FixedLast, FixedPostUpdate, FixedPreUpdate, FixedUpdate, Plugin};
use bevy_asset::{AssetApp, AssetEvent, AssetId, AssetLoadFailedEvent, Assets};
use bevy_ecs::component::Component;
use bevy_ecs::message::{Message, Messages};
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::schedule::{InternedScheduleLabel, IntoScheduleConfigs, ScheduleLabel, SystemSet};
use bevy_ecs::system::Res;
use bevy_time::{Fixed, Time};
use statewright::commands::Command;
use statewright::trace::{Level, Settings};
use statewright::{Functions, Parameters, ReloadReport, Saved, TickSettings};

use crate::adopt::{MachineReloaded, adopt};
use crate::asset::{MachineAsset, RomLoader};
use crate::emit::{self, CommandMessage, StateChanged, Telling};
use crate::everybody::everybody;
use crate::intake::{Arrivals, hear_of_files, number, refuse_strangers, route};
use crate::kind::{AgentBoard, Kind};
use crate::markers;
use crate::outputs::Outputs;
use crate::post;
use crate::problems::{Problem, Problems};
use crate::roster::{Agents, Outcome};
use crate::saved_boards::Boards;
use crate::send::{Inbox, Signal, hear_signal};
use crate::sets::StatewrightSystems;
use crate::state::AgentState;
use crate::tape::{self, Tapes};
use crate::tick::tick;
use crate::trace;
use crate::view::{self, View};
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
    /// Is it the same one? Two functions that do the same may be one, which harms nobody.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Always, Self::Always)
            | (Self::Parameters, Self::Parameters)
            | (Self::NobodyBeginsAnew, Self::NobodyBeginsAnew) => true,
            (Self::If(one), Self::If(other)) => std::ptr::fn_addr_eq(*one, *other),
            (Self::Always | Self::Parameters | Self::NobodyBeginsAnew | Self::If(_), _) => false,
        }
    }

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
    /// change. Machines that are loaded meanwhile wait, too, and their agents with them: the frame in
    /// which a file is there is another one in each run.
    pub holds_reloads: bool,
    /// Parameters of machines that were changed while they run. Those of a machine that is reloaded are
    /// gone; whoever made them makes them anew ([`MachineReloaded`]). They decide what agents do: where
    /// frames are rolled back, a game that changes them while it runs rolls this resource back, too.
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
                .distributive_run_if(is_here),
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
        let (number, route) = (everybody(app, number), everybody(app, route));
        let finish = everybody(app, post::finish);
        app.add_systems(
            schedule,
            (
                (hear_of_files, number)
                    .chain_ignore_deferred()
                    .in_set(Step::Number),
                (refuse_strangers, route)
                    .chain_ignore_deferred()
                    .in_set(Step::Route),
                finish.in_set(Step::Finish),
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
        look_for_time(app);
    }

    fn is_unique(&self) -> bool {
        // A second one is told as a problem, not as a panic.
        false
    }
}

/// Whether all is there that our systems need: a world that was cleared has nothing of it, and then they do
/// nothing.
fn is_here(
    chosen: (
        Option<Res<'_, Config>>,
        Option<Res<'_, Assets<MachineAsset>>>,
    ),
    state: (
        Option<Res<'_, Agents>>,
        Option<Res<'_, AgentState>>,
        Option<Res<'_, Arrivals>>,
        Option<Res<'_, Inbox>>,
        Option<Res<'_, Outputs>>,
        Option<Res<'_, Outcome>>,
        Option<Res<'_, Problems>>,
        Option<Res<'_, Tapes>>,
    ),
    messages: (
        Option<Res<'_, Messages<Signal>>>,
        Option<Res<'_, Messages<MachineReloaded>>>,
        Option<Res<'_, Messages<StateChanged>>>,
        Option<Res<'_, Messages<AssetEvent<MachineAsset>>>>,
        Option<Res<'_, Messages<AssetLoadFailedEvent<MachineAsset>>>>,
    ),
) -> bool {
    let has_chosen = matches!(chosen, (Some(_), Some(_)));
    let has_state = matches!(
        state,
        (
            Some(_),
            Some(_),
            Some(_),
            Some(_),
            Some(_),
            Some(_),
            Some(_),
            Some(_)
        )
    );
    let has_messages = matches!(messages, (Some(_), Some(_), Some(_), Some(_), Some(_)));
    has_chosen && has_state && has_messages
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
        {
            use crate::broken::{Parts, PartsLoader, watch_parts};
            app.init_asset_loader::<crate::asset::MachineLoader>()
                .init_asset::<Parts>()
                .init_asset_loader::<PartsLoader>()
                .add_systems(bevy_app::Last, watch_parts);
        }
        app.insert_resource(Loaded);
    } else {
        app.init_resource::<Assets<MachineAsset>>()
            .add_message::<AssetEvent<MachineAsset>>()
            .add_message::<AssetLoadFailedEvent<MachineAsset>>();
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

/// Nobody thinks in a schedule that nobody runs: easily forgotten, and nothing else would say so.
fn look_for_time(app: &mut App) {
    let is_fixed = [
        FixedFirst.intern(),
        FixedPreUpdate.intern(),
        FixedUpdate.intern(),
        FixedPostUpdate.intern(),
        FixedLast.intern(),
    ]
    .contains(&schedule_of(app));
    let world = app.world_mut();
    if is_fixed
        && !world.contains_resource::<Time<Fixed>>()
        && let Some(mut problems) = world.get_resource_mut::<Problems>()
    {
        problems.tell(Problem::NoTime);
    }
}

/// What apps are told about agents.
pub trait AppAgents {
    /// Entities with a blackboard `B` may be agents, and machines call these functions for them. Give
    /// the function that lists them: `app.add_agents(Guard::functions)`.
    ///
    /// Kinds think one after the other, by the names of the types of their blackboards with their paths:
    /// functions that read a blackboard of another kind find it as it is after that kind's turn if its
    /// name comes first, and as it was before it otherwise, in whatever order kinds are added.
    fn add_agents<B: AgentBoard, C: View + ?Sized>(
        &mut self,
        functions: impl Fn() -> Functions<B, C> + Send + Sync + 'static,
    ) -> &mut Self
    where
        for<'x> C::Of<'x>: Sync;

    /// Entities whose agents are in a state have the component [`StateMarker<T>`](crate::StateMarker). The state is given by its
    /// path; machines that do not have it mark nobody. Each state needs a type of its own.
    fn mark_state<T: Send + Sync + 'static>(&mut self, path: &'static str) -> &mut Self;

    /// Blackboards `B` are part of [snapshots](crate::WorldBrains), which know them by the name of their type.
    /// [`SchemaBoard`](crate::SchemaBoard) may be one of them.
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
            let world = app.world_mut();
            if world.contains_resource::<markers::Marked<T>>() {
                let mut problems = world.resource_mut::<Problems>();
                problems.tell(Problem::AddedTwice(type_name::<T>()));
                return;
            }
            let schedule = schedule_of(app);
            app.insert_resource(markers::Marked::<T>::new(path));
            let mark = everybody(app, markers::mark::<T>).in_set(StatewrightSystems::Emit);
            app.add_systems(schedule, mark.run_if(resource_exists::<markers::Marked<T>>));
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
            let write = emit::write::<T>.in_set(StatewrightSystems::Emit);
            let write = write.run_if(resource_exists::<Messages<CommandMessage<T>>>);
            app.add_systems(schedule, write);
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
    if let Some(what) = view::conflicts::<B, C>(world) {
        let kind = type_name::<B>();
        let mut problems = world.resource_mut::<Problems>();
        problems.tell(Problem::Context { kind, what });
        return;
    }
    world.insert_resource(Claimed::<B>(std::marker::PhantomData));
    let mut agents = world.resource_mut::<Agents>();
    let number = agents.add_kind::<B>();
    world.insert_resource(Kind::<B, C>::new(number, functions));
    let schedule = schedule_of(app);
    let adopt = everybody(app, adopt::<B, C>);
    let [adopts, thinks] = [Step::Adopt, Step::Think].map(|step| KindStep(step, number));
    app.configure_sets(schedule, adopts.in_set(Step::Adopt));
    app.configure_sets(schedule, thinks.in_set(Step::Think));
    app.add_systems(
        schedule,
        (adopt.in_set(adopts), tick::<B, C>.in_set(thinks))
            .distributive_run_if(resource_exists::<Kind<B, C>>),
    );
    take_turns(app, number, type_name::<B>());
}

/// The step of one kind, by its number.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct KindStep(Step, u16);

/// Names of the types of blackboards, by number of the kind.
#[derive(Resource, Default)]
struct KindNames(Vec<&'static str>);

/// One kind after the other, by the names of their blackboards, whichever was added first. Functions of a
/// kind may read blackboards of another one: `Crier` finds those of `Soldier` as they are after its tick
/// only if nothing but the names decides (`a::Crier` would find them as they were before it).
fn take_turns(app: &mut App, number: u16, name: &'static str) {
    let schedule = schedule_of(app);
    let mut names = app.world_mut().get_resource_or_init::<KindNames>();
    names.0.push(name);
    let names = names.0.clone();
    for (other, other_name) in (0..number).zip(names) {
        // Two types may have one name: then the first that was added is first.
        let (first, second) = match name < other_name {
            true => (number, other),
            false => (other, number),
        };
        for step in [Step::Adopt, Step::Think] {
            let [first, second] = [first, second].map(|kind| KindStep(step, kind));
            // Nothing waits for commands of the kind before.
            app.configure_sets(schedule, first.before_ignore_deferred(second));
        }
    }
}
