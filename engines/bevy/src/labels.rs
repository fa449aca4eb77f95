//! Labels over agents: what each is doing, drawn by Bevy's gizmo text (feature `gizmos`).
//!
//! ```text
//!  who       AgentLabels::everybody, or entities with ShowAgentLabel
//!  where     GlobalTransform + AgentLabels::offset
//!  what      Brains::path, "alive/fight/aim"
//!  when      PostUpdate, behind the propagation of transforms: labels do not lag behind what moves
//! ```
//!
//! Nothing here draws pixels: gizmos are lines, which Bevy's `GizmoRenderPlugin` renders if it is there.

use std::borrow::Cow;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::query::With;
use bevy_ecs::reflect::ReflectComponent;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::system::Query;
use bevy_gizmos::config::{GizmoConfig, GizmoConfigGroup};
use bevy_gizmos::gizmos::Gizmos;
use bevy_gizmos::{AppGizmoBuilder, GizmoPlugin};
use bevy_math::{Isometry3d, Quat, Vec2, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::TransformSystems;
use bevy_transform::components::GlobalTransform;

use crate::agent::StableId;
use crate::look::Brains;
use crate::roster::Agents;

/// Draws the active path over agents. Needs Bevy's `GizmoPlugin` (part of `DefaultPlugins` with the
/// features of gizmos); without it an error is logged and nothing is drawn.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_color::palettes::css::ORANGE;
/// use bevy_statewright::{AgentLabels, AgentLabelsPlugin};
///
/// let labels = AgentLabels { font_size: 8.0, ..AgentLabels::default() }
///     .with_color("combat", ORANGE);
/// App::new().add_plugins(AgentLabelsPlugin::new(labels));
/// ```
#[derive(Clone, Debug)]
pub struct AgentLabelsPlugin {
    /// How labels look at first.
    pub labels: AgentLabels,
    /// Lines, layers, and whether anything is drawn.
    pub config: GizmoConfig,
}

impl AgentLabelsPlugin {
    /// Labels that look so, drawn with thin lines: letters are small.
    pub fn new(labels: AgentLabels) -> Self {
        let mut config = GizmoConfig::default();
        config.line.width = 1.5;
        Self { labels, config }
    }
}

impl Default for AgentLabelsPlugin {
    fn default() -> Self {
        Self::new(AgentLabels::default())
    }
}

/// How labels look: a group of gizmos of its own, which can be changed while the game runs.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_gizmos::config::GizmoConfigStore;
/// use bevy_statewright::AgentLabels;
///
/// fn show_or_hide(mut store: ResMut<GizmoConfigStore>) {
///     let (config, labels) = store.config_mut::<AgentLabels>();
///     config.enabled = !config.enabled;
///     labels.everybody = true;
/// }
/// # bevy_ecs::system::assert_is_system(show_or_hide);
/// ```
#[derive(Clone, Debug, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
#[type_path = "bevy_statewright"]
pub struct AgentLabels {
    /// Over all agents. If not, over those with [`ShowAgentLabel`]: text costs hundreds of lines per
    /// agent and frame.
    pub everybody: bool,
    /// Height of capital letters, in units of the world.
    pub font_size: f32,
    /// From the middle of the agent to the middle of the label's lower edge.
    pub offset: Vec3,
    /// How labels are turned: as they are for a camera in 2D. In 3D, the rotation of the camera.
    pub rotation: Quat,
    /// Color of those that neither their component nor `colors` gives one.
    pub color: Color,
    /// Colors by state: the first whose state is active. A state is named by its whole path (`combat` is
    /// active in `combat/aim`, too).
    pub colors: Vec<(Cow<'static, str>, Color)>,
}

impl Default for AgentLabels {
    fn default() -> Self {
        Self {
            everybody: false,
            font_size: 10.0,
            offset: Vec3::new(0.0, 14.0, 0.0),
            rotation: Quat::IDENTITY,
            color: Color::WHITE,
            colors: Vec::new(),
        }
    }
}

impl AgentLabels {
    /// Labels of agents in a state have a color. What was said first goes before.
    #[must_use]
    pub fn with_color(
        mut self,
        state: impl Into<Cow<'static, str>>,
        color: impl Into<Color>,
    ) -> Self {
        self.colors.push((state.into(), color.into()));
        self
    }

    /// The color for a path, if a state of it has one.
    fn color_of(&self, path: &str) -> Color {
        let is_active = |state: &str| {
            let mut leaves = path.split(" + ");
            leaves.any(|leaf| {
                let below = leaf.strip_prefix(state);
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let own = self.colors.iter().find(|(state, _)| is_active(state));
        own.map_or(self.color, |&(_, color)| color)
    }
}

/// This agent has a label, even if not [everybody](AgentLabels::everybody) has.
#[derive(Component, Clone, Copy, Debug, Default, Reflect)]
#[reflect(Component, Default)]
#[type_path = "bevy_statewright"]
pub struct ShowAgentLabel {
    /// A color of its own, whatever its state is.
    pub color: Option<Color>,
}

impl Plugin for AgentLabelsPlugin {
    fn build(&self, app: &mut App) {
        // Where gizmos come later, `finish` does it.
        self.begin(app);
    }

    fn finish(&self, app: &mut App) {
        self.begin(app);
        if !app.is_plugin_added::<GizmoPlugin>() {
            log::error!("AgentLabelsPlugin draws nothing: there is no GizmoPlugin in the app");
        }
    }
}

impl AgentLabelsPlugin {
    fn begin(&self, app: &mut App) {
        let world = app.world();
        if !app.is_plugin_added::<GizmoPlugin>() || world.contains_resource::<Begun>() {
            return;
        }
        app.insert_resource(Begun)
            .insert_gizmo_config(self.labels.clone(), self.config.clone())
            .add_systems(
                PostUpdate,
                draw.after(TransformSystems::Propagate)
                    .run_if(resource_exists::<Agents>),
            );
    }
}

/// Labels are drawn.
#[derive(bevy_ecs::resource::Resource)]
struct Begun;

fn draw(
    mut gizmos: Gizmos<'_, '_, AgentLabels>,
    brains: Brains<'_, '_>,
    agents: Query<'_, '_, (Entity, &GlobalTransform, Option<&ShowAgentLabel>), With<StableId>>,
) {
    if !gizmos.config.enabled {
        return;
    }
    let labels = gizmos.config_ext;
    for (entity, transform, own) in &agents {
        if own.is_none() && !labels.everybody {
            continue;
        }
        // Its machine is not loaded yet.
        let Some(path) = brains.path(entity) else {
            continue;
        };
        let color = own.and_then(|own| own.color);
        let color = color.unwrap_or_else(|| labels.color_of(&path));
        let place = Isometry3d::new(transform.translation() + labels.offset, labels.rotation);
        // The middle of the lower edge is where the offset leads.
        let anchor = Vec2::new(0.0, -0.5);
        gizmos.text(place, &path, labels.font_size, anchor, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_gives_its_color_to_all_paths_through_it_and_to_no_namesake() {
        let (red, blue) = (Color::srgb(1.0, 0.0, 0.0), Color::srgb(0.0, 0.0, 1.0));
        let labels = AgentLabels::default()
            .with_color("combat", red)
            .with_color("legs/run", blue);
        let cases = [
            ("combat", red),
            ("combat/aim", red),
            ("combatant", Color::WHITE),
            ("peace/combat", Color::WHITE),
            ("legs/run", blue),
            ("arms/wave + legs/run/fast", blue),
            ("combat/aim + legs/run", red),
        ];
        for (path, color) in cases {
            assert_eq!(labels.color_of(path), color, "{path}");
        }
    }
}
