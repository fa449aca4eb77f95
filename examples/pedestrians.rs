//! A million pedestrians. Those who have nothing to do sleep, and cost nothing.

use std::time::Instant;

use statewright::prelude::*;

statewright::machine!(mod pedestrian = "../../machines/pedestrian.sw.json");

#[derive(Board)]
struct Person {
    mood: f32,
    fear: f32,
    hurry: bool,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let functions = Functions::<Person, ()>::new();
    let mut crowd = Crowd::new(pedestrian::machine().bind(functions)?, 1);
    crowd.reserve(1_000_000);
    for number in 0..1_000_000 {
        crowd.spawn(Person {
            mood: 0.5,
            fear: 0.0,
            hurry: number % 3 == 0,
        });
    }
    crowd.tick_parallel(&());
    println!("{} people, {} awake", crowd.len(), crowd.awake());

    let people: Vec<AgentId> = crowd.agents().collect();
    for &person in people.iter().step_by(100) {
        crowd.send(person, pedestrian::events::LIGHT_RED, ())?;
    }
    let start = Instant::now();
    let tick = crowd.tick_parallel(&());
    eprintln!("a tick with 10000 events: {:?}", start.elapsed());
    println!(
        "{} had something to do, {} wait at the light",
        tick.ran,
        crowd.all_in(pedestrian::states::STROLLING_WAITING)?.len()
    );

    let start = Instant::now();
    for _ in 0..200 {
        crowd.tick_parallel(&());
    }
    eprintln!("200 ticks in which all sleep: {:?}", start.elapsed());
    println!("{} transitions so far", crowd.counters().transitions);

    // Their patience ends after 30 seconds of 10 ticks.
    for _ in 0..110 {
        crowd.tick_parallel(&());
    }
    println!(
        "{} wait, {} transitions",
        crowd.all_in(pedestrian::states::STROLLING_WAITING)?.len(),
        crowd.counters().transitions
    );
    Ok(())
}
