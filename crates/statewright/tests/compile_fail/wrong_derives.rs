//! Structs that are no blackboards and no commands.

use statewright::prelude::*;

#[derive(Board)]
struct Tuple(i32);

#[derive(Board)]
enum Choice {}

#[derive(Board)]
struct Twice {
    health: i32,
    #[board(name = "health")]
    armor: i32,
    #[board(hide)]
    secret: i32,
}

#[derive(Clone, Copy, Command)]
struct Nowhere;

#[derive(Clone, Copy, Command)]
#[command(lane = SOUND)]
struct Elsewhere;

#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
struct Text {
    text: &'static str,
}

#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
struct Large([u64; 100]);

#[derive(Arguments)]
struct Words {
    text: String,
    count: u8,
}

fn main() {}
