//! The battle on a server, and what a client sees of it.
//!
//! ```text
//!  server: agents think ──▶ StableId, Ram64, Ram128 ── bevy_replicon, renet ──▶ client: paths by Machine
//!          machines     ──▶ Library (ROM and names) ──────────────────────────▶
//! ```
//!
//! A client neither thinks nor has user functions. It knows machines by their ROMs, which are replicated
//! like everything else: whoever comes late has them, and a reload on the server arrives as a change.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, SystemTime};

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_replicon::prelude::*;
use bevy_replicon_renet::netcode::{
    ClientAuthentication, ConnectToken, NetcodeClientTransport, NetcodeServerTransport,
    ServerAuthentication, ServerConfig,
};
use bevy_replicon_renet::renet::ConnectionConfig;
use bevy_replicon_renet::{RenetChannelsExt, RenetClient, RenetServer, RepliconRenetPlugins};
use bevy_state::app::StatesPlugin;
use bevy_state::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, Ram as _, Ram64, Ram128};
use bevy_time::TimePlugin;
use serde::{Deserialize, Serialize};
use statewright::SymbolTable;

use crate::battle::*;

/// Whoever says nothing for so long is gone.
const PATIENCE_SECONDS: i32 = 2;
const PROTOCOL: u64 = 7;
/// Of a game that anybody on this machine may join.
const KEY: [u8; 32] = [19; 32];

/// The schedule that agents think in.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Think;

/// Whether agents think.
#[derive(Resource)]
pub struct Thinks(pub bool);

/// A machine for those who only look: fighters have number 0, medics 1.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Library {
    pub number: u8,
    pub rom: Vec<u8>,
    pub names: String,
}

impl Library {
    fn new(number: u8, machine: &Machine) -> Self {
        Self {
            number,
            rom: machine.bytes().to_vec(),
            names: machine.symbols().to_json(),
        }
    }

    pub fn machine(&self) -> Option<Machine> {
        let names = SymbolTable::from_json(&self.names).ok()?;
        Machine::from_rom(self.rom.clone(), names).ok()
    }
}

#[derive(Serialize, Deserialize)]
struct WireId(u64);

impl From<StableId> for WireId {
    fn from(id: StableId) -> Self {
        Self(id.get().bits())
    }
}

impl From<WireId> for StableId {
    fn from(id: WireId) -> Self {
        Self::new(AgentId::from_bits(id.0))
    }
}

/// Instances go as they are, in blocks of 32 bytes.
macro_rules! wired {
    ($($ram:ident $wire:ident $blocks:literal,)+) => {
        $(
            #[derive(Serialize, Deserialize)]
            struct $wire([[u8; 32]; $blocks]);

            impl From<$ram> for $wire {
                fn from(ram: $ram) -> Self {
                    Self(zerocopy::transmute!(ram))
                }
            }

            impl From<$wire> for $ram {
                fn from(wire: $wire) -> Self {
                    zerocopy::transmute!(wire.0)
                }
            }
        )+
    };
}

wired! {
    Ram64 Wire64 2,
    Ram128 Wire128 4,
}

/// What both sides have.
fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        StatesPlugin,
        RepliconPlugins.set(ServerPlugin::new(PostUpdate)),
        RepliconRenetPlugins,
    ))
    .replicate_as::<StableId, WireId>()
    .replicate_as::<Ram64, Wire64>()
    .replicate_as::<Ram128, Wire128>()
    .replicate::<Library>();
    app
}

/// A server that listens on a port of the loopback device which the system picks.
pub fn server() -> (App, u16) {
    let mut app = app();
    app.init_schedule(Think)
        .add_plugins(
            StatewrightPlugin::default()
                .in_schedule(Think)
                .with_seed(7)
                .with_numbers_from(AGENTS),
        )
        .add_agents(Fighter::functions)
        .add_agents(Medic::functions)
        .init_resource::<Weather>()
        .init_resource::<Machines>()
        .init_resource::<Reinforcements>()
        .init_resource::<Tally>()
        .insert_resource(Thinks(true));
    app.register_required_components::<Agent<Fighter>, Replicated>();
    app.register_required_components::<Agent<Medic>, Replicated>();
    app.add_systems(Startup, (muster, publish))
        .add_systems(
            Think,
            (
                (change_weather, reinforce, command)
                    .chain()
                    .before(StatewrightSystems::Intake),
                (shoot, bury).chain().in_set(StatewrightSystems::Commit),
            ),
        )
        .add_systems(Update, (think, publish_again).chain());
    app.finish();
    app.cleanup();
    let port = listen(&mut app);
    (app, port)
}

fn think(world: &mut World) {
    if world.resource::<Thinks>().0 {
        world.run_schedule(Think);
    }
}

fn command(mut tell: Tell, state: Res<AgentState>, fighters: Numbers) {
    for player in 0..2 {
        play(&mut tell, &fighters, player, input_of(player, state.now()));
    }
}

fn publish(mut commands: Commands) {
    for (number, machine) in [(0, fighter()), (1, medic())] {
        commands.spawn((Library::new(number, &machine), Replicated));
    }
}

/// Machines that were loaded anew: those who look get them together with the bytes of their agents.
fn publish_again(
    mut reloads: MessageReader<bevy_statewright::MachineReloaded>,
    machines: Res<Machines>,
    assets: Res<Assets<MachineAsset>>,
    mut libraries: Query<&mut Library>,
) {
    for reload in reloads.read() {
        let number = u8::from(reload.machine != machines.fighter.id());
        let Some(MachineAsset(machine)) = assets.get(reload.machine) else {
            continue;
        };
        for mut library in libraries
            .iter_mut()
            .filter(|library| library.number == number)
        {
            *library = Library::new(number, machine);
        }
    }
}

/// The file of the fighter was changed.
pub fn reload(world: &mut World) {
    let id = world.resource::<Machines>().fighter.id();
    let mut assets = world.resource_mut::<Assets<MachineAsset>>();
    if let Some(mut machine) = assets.get_mut(id) {
        *machine = MachineAsset(changed_fighter());
    }
}

fn now() -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.expect("it is later than 1970")
}

fn connection(channels: &RepliconChannels) -> ConnectionConfig {
    ConnectionConfig {
        server_channels_config: channels.server_configs(),
        client_channels_config: channels.client_configs(),
        ..ConnectionConfig::default()
    }
}

fn bind() -> UdpSocket {
    UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("the loopback device has free ports")
}

fn listen(app: &mut App) -> u16 {
    let socket = bind();
    let address = socket.local_addr().expect("it is bound");
    let config = ServerConfig {
        current_time: now(),
        max_clients: 4,
        protocol_id: PROTOCOL,
        public_addresses: vec![address],
        authentication: ServerAuthentication::Secure { private_key: KEY },
    };
    let transport = NetcodeServerTransport::new(config, socket).expect("the socket works");
    let server = RenetServer::new(connection(app.world().resource::<RepliconChannels>()));
    app.insert_resource(server).insert_resource(transport);
    address.port()
}

/// A client of the server at a port.
pub fn client(port: u16) -> App {
    let mut app = app();
    app.add_systems(OnExit(ClientState::Connected), forget);
    app.finish();
    app.cleanup();
    connect(app.world_mut(), port);
    app
}

/// What is known is that of a connection, and ends with it.
fn forget(mut commands: Commands, known: Query<Entity, With<Remote>>) {
    commands.remove_resource::<RenetClient>();
    commands.remove_resource::<NetcodeClientTransport>();
    known
        .iter()
        .for_each(|entity| commands.entity(entity).despawn());
}

/// Begins a connection. Each has a number of its own: one that was lost is not taken up again.
pub fn connect(world: &mut World, port: u16) {
    let number = now().as_nanos() as u64;
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let connect_token = ConnectToken::generate(
        now(),
        PROTOCOL,
        300,
        number,
        PATIENCE_SECONDS,
        vec![server],
        None,
        &KEY,
    );
    let connect_token = connect_token.expect("one address is not too many");
    let authentication = ClientAuthentication::Secure { connect_token };
    let transport = NetcodeClientTransport::new(now(), authentication, bind());
    let client = RenetClient::new(connection(world.resource::<RepliconChannels>()));
    world.insert_resource(client);
    world.insert_resource(transport.expect("the token is for this protocol"));
}

/// What stands in a world, by agent: bytes mean what the machine of their tier says.
pub fn paths(world: &mut World) -> BTreeMap<u32, String> {
    let mut libraries = world.query::<&Library>();
    let libraries: Vec<&Library> = libraries.iter(world).collect();
    let machine = |number: u8| {
        let found = libraries.iter().find(|library| library.number == number);
        found.and_then(|library| library.machine())
    };
    let (fighter, medic) = (machine(0), machine(1));
    let path = |small: Option<&Ram64>, middle: Option<&Ram128>| match (small, middle) {
        (Some(ram), _) => Some(fighter.as_ref()?.path_of(ram.instance())),
        (_, Some(ram)) => Some(medic.as_ref()?.path_of(ram.instance())),
        (None, None) => None,
    };
    let mut agents = world.query::<(&StableId, Option<&Ram64>, Option<&Ram128>)>();
    let all = agents.iter(world).map(|(id, small, middle)| {
        let (index, generation) = (id.get().index(), id.get().generation());
        let path = path(small, middle).unwrap_or_else(|| "unknown".to_owned());
        (index, format!("{generation} {path}"))
    });
    all.collect()
}

/// A number for the machine of fighters that a world knows.
pub fn version(world: &mut World) -> u64 {
    let mut libraries = world.query::<&Library>();
    let machine = libraries
        .iter(world)
        .find(|library| library.number == 0)
        .and_then(|library| library.machine());
    machine.map_or(0, |machine| machine.structure_hash())
}

/// What a server says of itself: ticks, connected clients, transitions.
pub fn report(world: &mut World) -> String {
    let clients = world.query::<&AuthorizedClient>().iter(world).len();
    let ticks = world.resource::<AgentState>().now();
    let transitions = world.resource::<Agents>().counters().transitions;
    format!("{ticks} {clients} {transitions}")
}
