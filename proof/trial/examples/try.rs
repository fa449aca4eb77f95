//! Scratch runner.
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap()).collect();
    let (first, count, ticks, show) = (args[0], args[1], args[2], args[3]);
    std::panic::set_hook(Box::new(|_| {}));
    let mut bad = 0;
    for seed in first..first + count {
        let graph = statewright_trial::machine::of_seed(seed);
        let subject = statewright_trial::machine::Subject::new(graph).unwrap();
        let start = std::time::Instant::now();
        let result = statewright_trial::duel::run(&subject, seed, ticks);
        if show == 99
            && let Ok(t) = &result
        {
            println!(
                "{seed} {:?} entries {} microsteps {} events {}",
                start.elapsed(),
                t.entries,
                t.counters.microsteps,
                t.counters.events
            );
        }
        if let Err(found) = result {
            bad += 1;
            if bad <= show {
                println!("{}\n----", statewright_trial::report::prove(seed, ticks).unwrap_err());
            } else {
                println!("{seed} after {} {}", found.after_ticks, found.what.lines().next().unwrap());
            }
        }
    }
    println!("{bad} of {count} differ");
}
