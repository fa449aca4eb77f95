//! Types that snapshots cannot hold.

use statewright::Saved;

#[derive(Saved)]
struct Body {
    text: &'static str,
    #[saved(hide)]
    frames: u32,
    #[saved(bytes)]
    number: u32,
}

#[derive(Saved)]
enum Never {}

#[derive(Saved)]
union Either {
    one: u32,
    other: f32,
}

fn main() {}
