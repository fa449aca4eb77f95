//! Runs the machines whose code has the mistake of a number (`cargo xtask mistakes`), and says who sees it: nothing
//! if nobody does.

use statewright_fused_proof::MACHINES;

/// Ticks of each machine.
const TICKS: u64 = 3_000;

fn main() {
    // What goes wrong may be a panic; it is told as a difference.
    std::panic::set_hook(Box::new(|_| {}));
    let number = std::env::args()
        .nth(1)
        .and_then(|number| number.parse().ok());
    let number: u8 = number.expect("the number of a mistake");
    let mut machines = MACHINES.iter().filter(|machine| machine.mistake == number);
    let seen = machines.find_map(|machine| machine.run(TICKS).err());
    if let Some(problem) = seen {
        println!("{}", problem.split(':').next().unwrap_or(&problem));
    }
}
