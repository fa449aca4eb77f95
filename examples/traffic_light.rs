//! A machine compiled at build time, with typed names; no user code at all.

use statewright::Blackboard;
use statewright::prelude::*;

statewright::machine!(mod light = "../../machines/traffic_light.sw.json");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = light::machine();
    let mut crowd = Crowd::new(machine.bind(Functions::<Blackboard, ()>::new())?, 1);
    let lamp = crowd.spawn(Blackboard::new(&machine));
    let mut last = String::new();
    for tick in 0..1400_u32 {
        let second = tick / 30;
        if tick == 15 * 30 {
            crowd.send(lamp, light::events::BUTTON, ())?;
        }
        if tick == 40 * 30 {
            crowd.send(lamp, light::events::POWER_LOST, ())?;
        }
        crowd.tick(&());
        let now = crowd.path(lamp)?;
        if now != last {
            println!("{second:>3} s  {now}");
            last = now;
        }
    }
    Ok(())
}
