//! The battle for two players, rolled back by `bevy_ggrs`.
//!
//! What has to go back is said in `roll_back`: components of agents, two resources of the crate, and
//! the game's own. Everything else about agents follows from these.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_ggrs::ggrs::{PlayerType, SessionBuilder};
use bevy_ggrs::{
    GgrsConfig, GgrsPlugin, GgrsSchedule, LoadWorld, LocalInputs, LocalPlayers, PlayerInputs,
    ReadInputs, Rollback, RollbackApp, RollbackFrameCount, SaveWorld, SaveWorldSystems, Session,
    SyncTestMismatch,
};
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Inbox, Ram64, Ram128, WorldBrains};
use bevy_time::{TimePlugin, TimeUpdateStrategy};

use crate::battle::*;

pub const PLAYERS: usize = 2;

/// What a player does in a frame.
pub type Peers = GgrsConfig<Input>;

/// What happened to this process; it never goes back.
#[derive(Resource, Debug, Default)]
pub struct Work {
    pub rollbacks: u64,
    pub frames: u64,
    pub messages: u64,
    pub mismatches: Vec<i32>,
}

/// All brains of the last frames, as they were the first time and as they were again, if that is not the
/// same.
#[derive(Resource, Default)]
pub struct Seen {
    first: BTreeMap<i32, Vec<u8>>,
    /// Frame, first, again.
    pub parted: Option<(i32, Vec<u8>, Vec<u8>)>,
}

/// An app for a sync test: every update is a frame, and each frame runs again as often as `distance`
/// says.
pub fn sync_test(distance: usize, watched: bool) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_nanos(
            16_666_667,
        )))
        .add_plugins(GgrsPlugin::<Peers>::default())
        .add_plugins(
            StatewrightPlugin::default()
                .in_schedule(GgrsSchedule)
                .with_seed(7)
                .with_numbers_from(AGENTS),
        )
        .add_agents(Fighter::functions)
        .add_agents(Medic::functions)
        .init_resource::<Weather>()
        .init_resource::<Machines>()
        .init_resource::<Reinforcements>()
        .init_resource::<Tally>()
        .init_resource::<Work>()
        .init_resource::<Seen>();
    roll_back(&mut app);
    app.save_boards::<Fighter>().save_boards::<Medic>();
    app.insert_resource(session(distance))
        .add_systems(ReadInputs, play_by_heart)
        .add_systems(LoadWorld, |mut work: ResMut<Work>| work.rollbacks += 1)
        .add_systems(
            GgrsSchedule,
            (
                (change_weather, reinforce, command)
                    .chain()
                    .before(StatewrightSystems::Intake),
                (shoot, bury).chain().in_set(StatewrightSystems::Commit),
                count.in_set(StatewrightSystems::Debug),
            ),
        )
        .add_observer(|found: On<SyncTestMismatch>, mut work: ResMut<Work>| {
            work.mismatches.extend(&found.mismatched_frames);
        });
    if watched {
        app.add_systems(SaveWorld, see.after(SaveWorldSystems::Snapshot));
    }
    // Whoever fights goes back with the others, also those who come later.
    app.register_required_components::<Agent<Fighter>, Rollback>();
    app.register_required_components::<Agent<Medic>, Rollback>();
    app.world_mut()
        .run_system_once(muster)
        .expect("machines are there");
    app
}

/// Everything that goes back when time goes back, and what of it is compared.
fn roll_back(app: &mut App) {
    app.rollback_immutable_component_with_copy::<StableId>()
        .rollback_component_with_copy::<Ram64>()
        .rollback_component_with_copy::<Ram128>()
        .rollback_component_with_copy::<AgentNumber>()
        .rollback_component_with_clone::<Groups>()
        .rollback_resource_with_clone::<AgentState>()
        .rollback_resource_with_clone::<Inbox>()
        .checksum_component_with_hash::<StableId>()
        .checksum_component_with_hash::<Ram64>()
        .checksum_component_with_hash::<Ram128>()
        .checksum_resource_with_hash::<AgentState>();
    // For each kind: its blackboard, and which machine.
    app.rollback_component_with_clone::<Fighter>()
        .rollback_component_with_clone::<Medic>()
        .rollback_immutable_component_with_clone::<Agent<Fighter>>()
        .rollback_immutable_component_with_clone::<Agent<Medic>>()
        .checksum_component_with_hash::<Fighter>()
        .checksum_component_with_hash::<Medic>();
    // The game's own.
    app.rollback_component_with_copy::<Red>()
        .rollback_component_with_copy::<Blue>()
        .rollback_component_with_copy::<Veteran>()
        .rollback_resource_with_clone::<Reinforcements>()
        .rollback_resource_with_clone::<Tally>()
        .checksum_resource_with_hash::<Reinforcements>()
        .checksum_resource_with_hash::<Tally>();
}

fn session(distance: usize) -> Session<Peers> {
    let mut builder = SessionBuilder::<Peers>::new()
        .with_num_players(PLAYERS)
        .expect("two may play")
        .with_max_prediction_window(distance + 1)
        .with_check_distance(distance);
    for player in 0..PLAYERS {
        builder = builder
            .add_player(PlayerType::Local, player)
            .expect("each is added once");
    }
    let session = builder.start_synctest_session();
    Session::SyncTest(session.expect("the window is longer than the distance"))
}

/// Players who always do the same.
fn play_by_heart(
    mut commands: Commands,
    players: Res<LocalPlayers>,
    frame: Res<RollbackFrameCount>,
) {
    let input = |player: usize| input_of(player, frame.0 as u64);
    let inputs: HashMap<usize, Input> = players.0.iter().map(|&one| (one, input(one))).collect();
    commands.insert_resource(LocalInputs::<Peers>(inputs.into_iter().collect()));
}

/// What players do.
fn command(mut tell: Tell, inputs: Res<PlayerInputs<Peers>>, fighters: Numbers) {
    for (player, (input, _)) in inputs.iter().enumerate() {
        play(&mut tell, &fighters, player, *input);
    }
}

fn count(mut work: ResMut<Work>, state: Res<AgentState>) {
    work.frames += 1;
    work.messages += state.events_under_way() as u64;
}

/// The first frame whose brains are not the same when it runs again.
fn see(world: &mut World) {
    let frame = world.resource::<RollbackFrameCount>().0;
    let brains = world.snapshot_brains().expect("the plugin is there");
    let mut seen = world.resource_mut::<Seen>();
    match seen.first.remove(&frame) {
        Some(first) if first != brains && seen.parted.is_none() => {
            seen.parted = Some((frame, first.clone(), brains));
            seen.first.insert(frame, first);
        }
        Some(first) => _ = seen.first.insert(frame, first),
        None => _ = seen.first.insert(frame, brains),
    }
    seen.first.retain(|&other, _| other > frame - 20);
}
