//! People as dots, shots as lines, labels over soldiers and over a few civilians.

use bevy::asset::RenderAssetUsages;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentLabels, AgentLabelsPlugin, ShowAgentLabel};
use bevy_statewright_games::skirmish::{Civilian, FIELD, Position, SOLDIERS, Side, Tracers};

use crate::hud;

/// Width and height of what is seen, in pixels and in units of the world.
pub const VIEW: (u32, u32) = (1280, 800);
/// The middle of it: the field is above, what the compiler says below.
pub const MIDDLE: Vec2 = Vec2::new(0.0, -42.0);

pub const RED: Color = Color::srgb(0.93, 0.30, 0.28);
pub const BLUE: Color = Color::srgb(0.32, 0.58, 1.0);
pub const CALM: Color = Color::srgb(0.42, 0.62, 0.44);
pub const PANIC: Color = Color::srgb(0.98, 0.62, 0.20);
pub const STUNNED: Color = Color::srgb(1.0, 0.92, 0.30);
pub const FALLEN: Color = Color::srgb(0.45, 0.45, 0.48);
const RETREAT: Color = Color::srgb(0.60, 0.85, 0.95);
const GROUND: Color = Color::srgb(0.115, 0.125, 0.14);
const BACKGROUND: Color = Color::srgb(0.07, 0.075, 0.085);

/// One civilian of so many has a label.
const LABELLED: u32 = 30;

pub struct DrawPlugin;

impl Plugin for DrawPlugin {
    fn build(&self, app: &mut App) {
        let labels = AgentLabels {
            font_size: 8.0,
            offset: Vec3::new(0.0, 11.0, 0.0),
            ..default()
        };
        let labels = labels
            .with_color("stunned", STUNNED)
            .with_color("fallen", FALLEN)
            .with_color("alive/retreat", RETREAT)
            .with_color("panic", PANIC)
            .with_color("calm", CALM.mix(&Color::WHITE, 0.3));
        app.add_plugins((AgentLabelsPlugin::new(labels), hud::HudPlugin))
            .insert_resource(ClearColor(BACKGROUND))
            .init_resource::<Dot>()
            .add_systems(Startup, lay_ground)
            .add_systems(Update, (dress, (place, color), show_shots).chain());
    }
}

/// A white disk, which everybody is a tinted copy of.
#[derive(Resource)]
struct Dot(Handle<Image>);

impl FromWorld for Dot {
    fn from_world(world: &mut World) -> Self {
        const SIZE: u32 = 32;
        let middle = (SIZE as f32 - 1.0) / 2.0;
        let pixels = (0..SIZE * SIZE).flat_map(|pixel| {
            let [x, y] = [pixel % SIZE, pixel / SIZE].map(|axis| axis as f32 - middle);
            // One pixel of soft edge.
            let inside = (middle - (x * x + y * y).sqrt()).clamp(0.0, 1.0);
            [255, 255, 255, (inside * 255.0) as u8]
        });
        let size = Extent3d {
            width: SIZE,
            height: SIZE,
            depth_or_array_layers: 1,
        };
        let image = Image::new(
            size,
            TextureDimension::D2,
            pixels.collect(),
            TextureFormat::Rgba8UnormSrgb,
            RenderAssetUsages::default(),
        );
        Self(world.resource_mut::<Assets<Image>>().add(image))
    }
}

fn lay_ground(mut commands: Commands) {
    let size = 2.0 * (Vec2::from(FIELD) + Vec2::splat(16.0));
    commands.spawn(Sprite::from_color(GROUND, size));
}

/// Whoever came has a body, and some have a label.
fn dress(
    mut commands: Commands,
    dot: Res<Dot>,
    people: Query<(Entity, &AgentNumber, Option<&Side>), Without<Sprite>>,
) {
    for (entity, number, side) in &people {
        let size = if side.is_some() { 18.0 } else { 8.0 };
        let body = Sprite {
            image: dot.0.clone(),
            custom_size: Some(Vec2::splat(size)),
            ..default()
        };
        let mut entity = commands.entity(entity);
        entity.insert((body, Transform::default()));
        if side.is_some() || (number.0 - SOLDIERS).is_multiple_of(LABELLED) {
            entity.insert(ShowAgentLabel::default());
        }
    }
}

fn place(mut people: Query<(&Position, &mut Transform, Has<Side>)>) {
    for (position, mut transform, is_soldier) in &mut people {
        // Soldiers stand before civilians.
        let depth = if is_soldier { 2.0 } else { 1.0 };
        let place = Vec2::from(position.0).extend(depth);
        transform.set_if_neq(Transform::from_translation(place));
    }
}

fn color(brains: Brains, mut people: Query<(Entity, &mut Sprite, Option<&Side>, Has<Civilian>)>) {
    for (entity, mut sprite, side, is_civilian) in &mut people {
        if side.is_none() && !is_civilian {
            continue;
        }
        let path = brains.path(entity).unwrap_or_default();
        let color = match (path.split('/').next(), side) {
            (Some("stunned"), _) => STUNNED,
            (Some("fallen"), _) => FALLEN,
            (Some("panic"), _) => PANIC,
            (_, Some(Side::Red)) => RED,
            (_, Some(Side::Blue)) => BLUE,
            (_, None) => CALM,
        };
        if sprite.color != color {
            sprite.color = color;
        }
    }
}

/// Shots, and rings in the color of their side around soldiers, whatever happened to them.
fn show_shots(mut gizmos: Gizmos, tracers: Res<Tracers>, soldiers: Query<(&Position, &Side)>) {
    for shot in &tracers.0 {
        let fade = shot.ticks_left as f32 / 5.0;
        let color = Color::srgb(1.0, 0.95, 0.6).with_alpha(fade);
        gizmos.line_2d(shot.from.into(), shot.to.into(), color);
    }
    for (position, side) in &soldiers {
        let color = match side {
            Side::Red => RED,
            Side::Blue => BLUE,
        };
        gizmos.circle_2d(Vec2::from(position.0), 9.0, color);
    }
}
