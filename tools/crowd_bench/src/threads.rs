//! Everybody gets an event, on one thread and on two.

use std::time::Instant;

use crate::scene::crowd;
use crate::{Bound, Figure};

const ROUNDS: usize = 7;

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let pool = |threads| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| error.to_string())
    };
    let pools = [pool(1)?, pool(2)?];
    let mut crowds = [crowd(agents), crowd(agents)];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for ((crowd, pool), times) in crowds.iter_mut().zip(&pools).zip(&mut times) {
            let go = crowd
                .machine()
                .event("Go")
                .map_err(|error| error.to_string())?;
            let sent = crowd.broadcast(go, ());
            sent.expect("an event of the machine");
            let start = Instant::now();
            pool.install(|| crowd.tick_parallel(&()));
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    if crowds[0].snapshot() != crowds[1].snapshot() {
        return Err("two threads give other bytes than one".to_owned());
    }
    if crowds[0].counters().transitions != u64::from(agents) * ROUNDS as u64 {
        return Err("not everybody went".to_owned());
    }
    let [one, two] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load
        .split_whitespace()
        .next()
        .and_then(|load| load.parse().ok())
        .unwrap_or(f64::NAN);
    Ok(vec![
        Figure {
            name: "threads: an event for everybody, one thread",
            value: one,
            unit: "ms",
            target: None,
        },
        Figure {
            name: "threads: the same on two threads",
            value: two,
            unit: "ms",
            target: None,
        },
        Figure {
            name: "threads: gain of the second, if two cores are free",
            value: one / two,
            unit: "x",
            target: Some((Bound::AtLeast, 1.7)),
        },
        Figure {
            name: "threads: load of the machine meanwhile",
            value: load,
            unit: "",
            target: None,
        },
    ])
}
