//! Keys, the pointer, and the camera of the window.

use bevy::prelude::*;
use bevy_statewright::{AgentLabels, Problem, Problems};
use bevy_statewright_games::skirmish::{Order, Orders};

use crate::draw::{MIDDLE, STUNNED};

/// So far around the pointer people are stunned.
const RADIUS: f32 = 110.0;

pub struct KeysPlugin;

impl Plugin for KeysPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, watch)
            .add_systems(Update, (point, press));
    }
}

fn watch(mut commands: Commands) {
    commands.spawn((Camera2d, Transform::from_translation(MIDDLE.extend(0.0))));
}

/// Where the pointer is in the world.
fn pointer(window: &Window, (camera, place): (&Camera, &GlobalTransform)) -> Option<Vec2> {
    let at = window.cursor_position()?;
    camera.viewport_to_world_2d(place, at).ok()
}

fn point(mut gizmos: Gizmos, window: Single<&Window>, camera: Single<(&Camera, &GlobalTransform)>) {
    if let Some(at) = pointer(*window, *camera) {
        gizmos.circle_2d(at, RADIUS, STUNNED.with_alpha(0.3));
    }
}

fn press(
    keys: Res<ButtonInput<KeyCode>>,
    window: Single<&Window>,
    camera: Single<(&Camera, &GlobalTransform)>,
    problems: Res<Problems>,
    mut orders: ResMut<Orders>,
    mut store: ResMut<GizmoConfigStore>,
    mut exit: MessageWriter<AppExit>,
) {
    for key in keys.get_just_pressed() {
        match key {
            KeyCode::Space => {
                let at = pointer(*window, *camera).unwrap_or_default().to_array();
                let radius = RADIUS;
                orders.0.push(Order::Stun { at, radius });
            }
            KeyCode::KeyB => {
                let is_broken = |problem: &Problem| matches!(problem, Problem::Asset { .. });
                let order = match problems.iter().any(is_broken) {
                    true => Order::Mend,
                    false => Order::Break,
                };
                orders.0.push(order);
            }
            KeyCode::KeyR => orders.0.push(Order::Rewind),
            KeyCode::KeyL => {
                let (_, labels) = store.config_mut::<AgentLabels>();
                labels.everybody = !labels.everybody;
            }
            KeyCode::Escape => _ = exit.write(AppExit::Success),
            _ => {}
        }
    }
}
