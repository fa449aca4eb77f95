fn main() {
    let mut args = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap());
    let (first, count, ticks) = (args.next().unwrap(), args.next().unwrap(), args.next().unwrap());
    std::panic::set_hook(Box::new(|_| {}));
    let mut bad = 0;
    for seed in first..first + count {
        match std::panic::catch_unwind(|| statewright_trial::report::prove(seed, ticks)) {
            Ok(Ok(_)) => {}
            Ok(Err(text)) => { bad += 1; if bad <= 3 { println!("{text}\n----"); } }
            Err(_) => { bad += 1; println!("seed {seed}: panic"); }
        }
    }
    println!("{bad} of {count} differ");
}
