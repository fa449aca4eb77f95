//! The sample machines run.

use crate::common::Bench;
use statewright_oracle::Tier;

#[test]
fn samples_run() {
    for name in ["boss", "pedestrian", "soldier", "traffic_light"] {
        let path = format!(
            "{}/../../machines/{name}.sw.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let mut bench = Bench::with_tier(&text, Tier::Hero);
        bench.notes.keys = vec![[1000, 0, 0]; 64];
        bench.tick();
        assert!(!bench.leaves().is_empty(), "{name}");
        for round in 0..400_usize {
            if round.is_multiple_of(3) && !bench.events.is_empty() {
                let event = round / 3 % bench.events.len();
                bench
                    .oracle
                    .post(bench.now, event, None, [round as u32, 0, 0, 0]);
            }
            if bench.oracle.snapshot().flags.terminated {
                bench.oracle.reset();
                bench.notes.keys = vec![[1000, 0, 0]; 64];
            }
            bench.skip(round as u32 % 50);
            bench.tick();
        }
        assert!(bench.oracle.counters().transitions > 10, "{name}");
    }
}
