//! Labels over agents: what is drawn, where, and for whom. Lines, so that no renderer is needed.

use std::any::TypeId;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets};
use bevy_color::{Color, LinearRgba};
use bevy_ecs::prelude::*;
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::gizmos::GizmoBuffer;
use bevy_gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy_math::{Isometry3d, Vec2, Vec3};
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentLabels, AgentLabelsPlugin, ShowAgentLabel};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

use crate::common::*;

const ORANGE: Color = Color::srgb(1.0, 0.5, 0.0);

/// Points of lines with their colors, as bits: between two lines there is what equals nothing.
type Lines = Vec<([u32; 3], [u32; 4])>;

fn lines<C: bevy_gizmos::config::GizmoConfigGroup>(buffer: &GizmoBuffer<C, ()>) -> Lines {
    let points = buffer.strip_positions.iter().zip(&buffer.strip_colors);
    let bits = |(point, color): (&Vec3, &LinearRgba)| {
        let color = [color.red, color.green, color.blue, color.alpha];
        (point.to_array().map(f32::to_bits), color.map(f32::to_bits))
    };
    points.map(bits).collect()
}

/// What is drawn in this frame.
fn drawn(app: &App) -> Lines {
    let handles = app.world().resource::<GizmoHandles>();
    let handle = handles.handles().get(&TypeId::of::<AgentLabels>());
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    let asset = handle.and_then(|handle| assets.get(handle.as_ref()?));
    asset.map_or_else(Vec::new, |asset| lines(asset.buffer()))
}

/// What is drawn for texts at places.
fn expected(texts: &[(&str, Vec3, Color)]) -> Lines {
    let mut buffer = GizmoBuffer::<AgentLabels, ()>::new();
    for &(text, place, color) in texts {
        let place = Isometry3d::from_translation(place);
        buffer.text(place, text, 6.0, Vec2::new(0.0, -0.5), color);
    }
    lines(&buffer)
}

/// Two soldiers, at 100 and at -100; the first has the component.
fn labelled() -> (App, [Entity; 2]) {
    let mut app = App::new();
    let labels = AgentLabels {
        font_size: 6.0,
        offset: Vec3::new(0.0, 20.0, 0.0),
        ..AgentLabels::default()
    };
    app.add_plugins((
        TaskPoolPlugin::default(),
        AssetPlugin::default(),
        TransformPlugin,
        // Before the gizmos: it waits for them.
        AgentLabelsPlugin::new(labels.with_color("alert", ORANGE)),
        GizmoPlugin,
        StatewrightPlugin::default().in_schedule(Update),
    ));
    app.add_agents(Soldier::functions).init_resource::<Fear>();
    app.finish();
    app.cleanup();
    let machine = add_machine(&mut app, squad());
    let mut spawn = |x: f32, number: u32| {
        let agent = (
            Agent::<Soldier>::new(machine.clone()),
            AgentNumber(number),
            Transform::from_xyz(x, 50.0, 0.0),
        );
        app.world_mut().spawn(agent).id()
    };
    let agents = [spawn(100.0, 0), spawn(-100.0, 1)];
    let shown = ShowAgentLabel::default();
    app.world_mut().entity_mut(agents[0]).insert(shown);
    (app, agents)
}

const FIRST: Vec3 = Vec3::new(100.0, 70.0, 0.0);

#[test]
fn the_active_path_stands_over_those_who_asked_for_it_and_follows_them() {
    let (mut app, [agent, _]) = labelled();
    app.update();
    assert!(!drawn(&app).is_empty());
    assert_eq!(drawn(&app), expected(&[("idle", FIRST, Color::WHITE)]));

    let noise = squad().event("Noise").unwrap();
    send(&mut app, agent, noise, 9_i32);
    let mut transform = app.world_mut().get_mut::<Transform>(agent).unwrap();
    transform.translation = Vec3::new(-30.0, 5.0, 2.0);
    app.update();
    let place = Vec3::new(-30.0, 25.0, 2.0);
    let alert = expected(&[("alert/look", place, ORANGE)]);
    assert_eq!(drawn(&app), alert, "the state has a color");

    let color = Some(Color::BLACK);
    let mut entity = app.world_mut().entity_mut(agent);
    entity.insert(ShowAgentLabel { color });
    app.update();
    let black = expected(&[("alert/look", place, Color::BLACK)]);
    assert_eq!(drawn(&app), black, "the agent has one of its own");

    app.world_mut().despawn(agent);
    app.update();
    assert_eq!(drawn(&app), []);
}

#[test]
fn everybody_has_a_label_or_nobody_while_the_game_runs() {
    let (mut app, _) = labelled();
    app.update();
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    store.config_mut::<AgentLabels>().1.everybody = true;
    app.update();
    let second = Vec3::new(-100.0, 70.0, 0.0);
    let both = [
        ("idle", FIRST, Color::WHITE),
        ("idle", second, Color::WHITE),
    ];
    let (mut found, mut wanted) = (drawn(&app), expected(&both));
    // In the order of tables.
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);

    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    store.config_mut::<AgentLabels>().0.enabled = false;
    app.update();
    assert_eq!(drawn(&app), []);
}

#[test]
fn without_gizmos_or_without_agents_nothing_breaks() {
    let mut app = app();
    app.add_plugins(AgentLabelsPlugin::default());
    let agent = soldier(&app);
    app.world_mut().spawn((agent, ShowAgentLabel::default()));
    app.finish();
    app.cleanup();
    app.update();
    assert!(!app.world().contains_resource::<GizmoHandles>());

    let (mut app, _) = labelled();
    app.world_mut()
        .remove_resource::<bevy_statewright::Agents>();
    app.update();
    assert_eq!(drawn(&app), []);
}
