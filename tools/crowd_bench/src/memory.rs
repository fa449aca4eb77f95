//! What an agent of a crowd needs besides its instance and blackboard.

use crate::scene::crowd;
use crate::{Bound, Figure};

/// Memory of this process, in bytes; `None` where the system does not tell.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

pub fn measure(agents: u32) -> Result<Vec<Figure>, String> {
    let Some(before) = resident() else {
        return Ok(Vec::new());
    };
    let mut crowd = crowd(agents);
    // The first tick, in which everybody starts, needs more.
    crowd.tick(&());
    let used = resident().unwrap_or(before) - before;
    if crowd.len() != agents as usize || crowd.awake() != 0 {
        return Err("the crowd is not as it should be".to_owned());
    }
    let per_agent = used / f64::from(agents) - 64.0;
    let million = used / f64::from(agents) * 1e6 / f64::from(1 << 20);
    Ok(vec![
        Figure {
            name: "memory: a sleeping agent besides its instance",
            value: per_agent,
            unit: "bytes",
            target: Some((Bound::AtMost, 16.0)),
        },
        Figure {
            name: "memory: a million agents of 64 bytes",
            value: million,
            unit: "MiB",
            target: Some((Bound::AtMost, 100.0)),
        },
    ])
}
