//! Perfetto's own format: a track per agent, below it one per region; states are slices, everything
//! else instants.
//!
//! The format is a stream of protobuf messages; of all it has we need a dozen fields, so they are
//! written by hand. Numbers of fields are those of `perfetto/trace/trace_packet.proto` and
//! `track_event/*.proto`.

use super::Shown;
use super::slices::{Event, Mark, Track, events, track_name};

/// A protobuf message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(mut self, field: u64, value: u64) -> Self {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(self, field: u64, message: Self) -> Self {
        self.bytes(field, &message.0)
    }
}

/// One writer wrote everything.
const SEQUENCE: u64 = 1;
/// The first packet of a sequence says that nothing came before it.
const INCREMENTAL_STATE_CLEARED: u64 = 1;

/// The whole file.
pub(super) fn bytes(shown: &Shown<'_>) -> Vec<u8> {
    let (tracks, events) = events(shown);
    let mut trace = Message::default();
    for (number, &track) in tracks.iter().enumerate() {
        let mut descriptor = Message::default()
            .number(1, uuid(track))
            .text(2, &track_name(track, shown));
        if track.region.is_some() {
            descriptor = descriptor.number(5, uuid(Track::of_agent(track.agent)));
        }
        let packet = Message::default()
            .number(10, SEQUENCE)
            .message(60, descriptor);
        let first = number == 0;
        trace = trace.message(
            1,
            if first {
                packet.number(13, INCREMENTAL_STATE_CLEARED)
            } else {
                packet
            },
        );
    }
    for event in &events {
        let packet = Message::default()
            .number(8, event.nanoseconds)
            .number(10, SEQUENCE);
        trace = trace.message(1, packet.message(11, track_event(event, shown)));
    }
    trace.0
}

fn track_event(event: &Event, shown: &Shown<'_>) -> Message {
    let (kind, category, name) = match &event.mark {
        Mark::Begin(state) => {
            let legend = shown.reading.legend_of(event.track.version);
            (1, "state", legend.state(*state))
        }
        Mark::End(_) => {
            return Message::default()
                .number(9, 2)
                .number(11, uuid(event.track));
        }
        Mark::Instant(kind, words) => (3, *kind, words.as_str()),
    };
    Message::default()
        .number(9, kind)
        .number(11, uuid(event.track))
        .text(22, category)
        .text(23, name)
}

/// A number for a track that is not 0 and that no other track has.
fn uuid(track: Track) -> u64 {
    let own = u64::from(track.agent) << 17;
    let region = track.region.map_or(0, |region| u64::from(region) << 1 | 1);
    ((track.version as u64) << 50 | own | region) + 2
}
