//! What stands around the field: how many do what, which keys there are, and what the compiler says of the
//! machine file. Drawn as lines, as labels are, so that nothing else is needed for text.

use bevy::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Problem, Problems};
use bevy_statewright_games::skirmish::{Memory, RATE, SOLDIER, Side};

use crate::draw::{BLUE, CALM, MIDDLE, PANIC, RED, STUNNED, VIEW};

const TEXT: Color = Color::srgb(0.82, 0.84, 0.88);
const FAINT: Color = Color::srgb(0.55, 0.58, 0.63);
const BAD: Color = Color::srgb(1.0, 0.45, 0.40);
const GOOD: Color = Color::srgb(0.50, 0.85, 0.55);
const SIZE: f32 = 9.0;
const LINE: f32 = 17.0;
/// So much of what the compiler says is shown.
const MOST_LINES: usize = 7;
const MOST_CHARACTERS: usize = 150;

pub struct HudPlugin;

/// Lines of these texts.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct Hud;

impl Plugin for HudPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig::default();
        config.line.width = 1.5;
        app.insert_gizmo_config(Hud, config)
            .add_systems(Update, (count, explain));
    }
}

/// The top left corner of the view, and a place below and right of it.
fn corner(x: f32, y: f32) -> Isometry2d {
    let half = Vec2::new(VIEW.0 as f32, VIEW.1 as f32) / 2.0;
    Isometry2d::from_translation(MIDDLE + Vec2::new(x - half.x, half.y - y))
}

/// The top left corner of a text is where it is put.
const TOP_LEFT: Vec2 = Vec2::new(-0.5, 0.5);

fn count(
    mut gizmos: Gizmos<Hud>,
    brains: Brains,
    people: Query<(Entity, Option<&Side>), With<StableId>>,
    memory: Res<Memory>,
    state: Res<AgentState>,
) {
    let (mut standing, mut civilians, mut panic, mut stunned) = ([0; 2], 0, 0, 0);
    for (entity, side) in &people {
        let path = brains.path(entity).unwrap_or_default();
        stunned += i32::from(path == "stunned");
        panic += i32::from(path.starts_with("panic"));
        match side {
            Some(side) => standing[*side as usize] += i32::from(path != "fallen"),
            None => civilians += 1,
        }
    }
    let [red, blue] = standing.map(|count| format!("{count} standing    "));
    let calm = format!("{civilians} civilians    ");
    let panic = format!("{panic} in panic    ");
    let stunned = format!("{stunned} stunned");
    let sections = [
        ("red: ", RED),
        (red.as_str(), RED),
        ("blue: ", BLUE),
        (blue.as_str(), BLUE),
        (calm.as_str(), CALM),
        (panic.as_str(), PANIC),
        (stunned.as_str(), STUNNED),
    ];
    gizmos.text_sections_2d(corner(20.0, 10.0), &sections, SIZE, TOP_LEFT);
    let seconds = memory.ticks() as f32 / RATE as f32;
    let tick = format!("tick {}, {seconds:.1} s to go back", state.now());
    let right = Vec2::new(0.5, 0.5);
    let edge = VIEW.0 as f32 - 20.0;
    gizmos.text_2d(corner(edge, 10.0), &tick, SIZE, right, FAINT);
    let keys = "SPACE stuns around the pointer    B breaks the machine file, and mends it    R goes back 5 s    L labels for all";
    gizmos.text_2d(corner(20.0, 10.0 + LINE), keys, SIZE, TOP_LEFT, FAINT);
}

/// What the compiler says of a save, as long as it is true. Everybody goes on meanwhile.
fn explain(mut gizmos: Gizmos<Hud>, problems: Res<Problems>) {
    let top = VIEW.1 as f32 - 135.0;
    let told = problems.iter().find_map(|problem| match problem {
        Problem::Asset { report, .. } => Some(report),
        _ => None,
    });
    let Some(report) = told else {
        let fine = format!("{SOLDIER}: no mistakes");
        gizmos.text_2d(corner(20.0, top), &fine, SIZE, TOP_LEFT, GOOD);
        return;
    };
    let head =
        format!("{SOLDIER} was saved with a mistake: everybody goes on with the version before");
    gizmos.text_2d(corner(20.0, top), &head, SIZE, TOP_LEFT, BAD);
    let lines = report.lines().filter(|line| !line.trim().is_empty());
    for (number, line) in lines.take(MOST_LINES).enumerate() {
        let line: String = line.chars().take(MOST_CHARACTERS).collect();
        let place = corner(20.0, top + LINE * (number + 1) as f32);
        gizmos.text_2d(place, &line, SIZE - 1.0, TOP_LEFT, TEXT);
    }
}
