//! JSON for chrome://tracing and the many viewers that read it: a process per agent, a thread per
//! region.

use serde_json::{Value, json};

use super::Shown;
use super::slices::{Event, Mark, Track, events, track_name};

/// The whole document.
pub(super) fn document(shown: &Shown<'_>) -> Value {
    let (tracks, events) = events(shown);
    let names = tracks.iter().map(|&track| {
        let name = match track.region {
            Some(_) => "thread_name",
            None => "process_name",
        };
        let shown = track_name(track, shown);
        json!({ "ph": "M", "name": name, "pid": process(track), "tid": thread(track), "args": { "name": shown } })
    });
    let marks = events.iter().map(|event| mark(event, shown));
    json!({ "displayTimeUnit": "ms", "traceEvents": names.chain(marks).collect::<Vec<Value>>() })
}

fn mark(event: &Event, shown: &Shown<'_>) -> Value {
    let (ts, pid, tid) = (
        event.nanoseconds as f64 / 1000.0,
        process(event.track),
        thread(event.track),
    );
    let legend = shown.reading.legend_of(event.track.version);
    let slice = |phase: &str, state: u16| json!({ "ph": phase, "name": legend.state(state), "cat": "state", "ts": ts, "pid": pid, "tid": tid });
    match &event.mark {
        Mark::Begin(state) => slice("B", *state),
        Mark::End(state) => slice("E", *state),
        Mark::Instant(kind, words) => {
            json!({ "ph": "i", "s": "t", "name": words, "cat": kind, "ts": ts, "pid": pid, "tid": tid })
        }
    }
}

/// Some viewers leave process 0 out.
fn process(track: Track) -> u64 {
    u64::from(track.agent) + 1
}

/// Regions of another version of the machine are others.
fn thread(track: Track) -> u64 {
    let version = (track.version as u64) << 16;
    track
        .region
        .map_or(0, |region| version + u64::from(region) + 1)
}
