//! Counters of agents in Bevy's diagnostics.

use bevy_app::{App, Plugin};
use bevy_diagnostic::{
    Diagnostic, DiagnosticPath, Diagnostics, DiagnosticsStore, RegisterDiagnostic,
};
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::system::Res;

use crate::plugin::later;
use crate::problems::Problems;
use crate::roster::Agents;
use crate::sets::StatewrightSystems;

/// What agents do, tick by tick, as diagnostics of Bevy: for overlays and logs that show these.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentDiagnosticsPlugin;

impl AgentDiagnosticsPlugin {
    /// How many agents there are.
    pub const AGENTS: DiagnosticPath = DiagnosticPath::const_new("statewright/agents");
    /// How many have a turn in the next tick, besides those that are sent something.
    pub const AWAKE: DiagnosticPath = DiagnosticPath::const_new("statewright/awake");
    /// How many something happened to in the last tick.
    pub const TURNS: DiagnosticPath = DiagnosticPath::const_new("statewright/turns");
    /// Events taken in the last tick.
    pub const EVENTS: DiagnosticPath = DiagnosticPath::const_new("statewright/events");
    /// Transitions of the last tick.
    pub const TRANSITIONS: DiagnosticPath = DiagnosticPath::const_new("statewright/transitions");
    /// Events and commands that were lost since the app began, whatever the reason.
    pub const LOST: DiagnosticPath = DiagnosticPath::const_new("statewright/lost");
}

impl Plugin for AgentDiagnosticsPlugin {
    fn build(&self, app: &mut App) {
        for path in [
            Self::AGENTS,
            Self::AWAKE,
            Self::TURNS,
            Self::EVENTS,
            Self::TRANSITIONS,
            Self::LOST,
        ] {
            app.register_diagnostic(Diagnostic::new(path));
        }
        later(app, |app| {
            let schedule = crate::plugin::schedule_of(app);
            let measure = measure.in_set(StatewrightSystems::Debug);
            app.add_systems(
                schedule,
                measure.run_if(resource_exists::<DiagnosticsStore>),
            );
        });
    }
}

fn measure(
    mut diagnostics: Diagnostics<'_, '_>,
    agents: Res<'_, Agents>,
    problems: Res<'_, Problems>,
) {
    let counters = agents.last_counters();
    let all = [
        (AgentDiagnosticsPlugin::AGENTS, agents.len() as u64),
        (AgentDiagnosticsPlugin::AWAKE, agents.awake() as u64),
        (AgentDiagnosticsPlugin::TURNS, agents.last_turns() as u64),
        (AgentDiagnosticsPlugin::EVENTS, counters.events),
        (AgentDiagnosticsPlugin::TRANSITIONS, counters.transitions),
        (AgentDiagnosticsPlugin::LOST, problems.lost()),
    ];
    for (path, value) in all {
        diagnostics.add_measurement(&path, || value as f64);
    }
}
