//! Scratch runner.
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap()).collect();
    let (first, count, ticks, show) = (args[0], args[1], args[2], args[3]);
    std::panic::set_hook(Box::new(|_| {}));
    let mut bad = 0;
    for seed in first..first + count {
        let subject = statewright_trial::machine::Subject::new(statewright_forge::machine(
            seed,
            statewright_forge::Size::of_seed(seed),
        ))
        .unwrap();
        if let Err(found) = statewright_trial::duel::run(&subject, seed, ticks) {
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
