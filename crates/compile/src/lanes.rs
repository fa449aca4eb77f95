//! Lanes: what a machine says of them, and what stays as it is in every machine (CMD-1).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::{Lane, Machine};
use statewright_author::span::Span;
use statewright_rom::layout::{BuiltInLane, LaneKey, LaneRecord, LaneScope, MergeRule};
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::byteorder::little_endian::{U16, U64};

use crate::index::{Index, LaneIndex};
use crate::numbers;
use crate::tree::duplicate_name;

/// The built-in lane of a name.
fn built_in(name: &str) -> Option<BuiltInLane> {
    let mut lanes = BuiltInLane::ALL.into_iter();
    lanes.find(|lane| lane.name() == name)
}

/// The record of a lane with a number.
fn record(lane: &Lane, number: usize) -> LaneRecord {
    let name = lane.name.value.as_str();
    let built_in = built_in(name);
    let merge = match &lane.merge {
        Some(merge) => numbers::merge_rule(merge.value),
        None => built_in.map_or(MergeRule::StrictOrder, BuiltInLane::merge),
    };
    let key = match &lane.key {
        Some(key) => numbers::lane_key(key.value),
        None => built_in.map_or(LaneKey::Lane, BuiltInLane::key),
    };
    let critical = match &lane.critical {
        Some(critical) => critical.value,
        None => built_in.is_some_and(BuiltInLane::is_critical),
    };
    let scope = lane.scope.as_ref();
    let scope = scope.map_or(LaneScope::Agent, |scope| numbers::lane_scope(scope.value));
    LaneRecord {
        name_hash: U64::new(xxh3_64(name.as_bytes())),
        merge: merge.into(),
        critical: u8::from(critical),
        number: number as u8,
        key: key.into(),
        scope: scope.into(),
        reserved: 0,
        cap: U16::new(lane.cap.as_ref().map_or(0, |cap| cap.value as u16)),
    }
}

/// Records of the machine's own lanes, in their order.
pub fn own_lanes(machine: &Machine) -> Vec<LaneRecord> {
    let numbered = (BuiltInLane::COUNT..).zip(&machine.lanes);
    numbered
        .map(|(number, lane)| record(lane, number))
        .collect()
}

/// Records of built-in lanes that the machine declares anew, by number.
pub fn built_in_lanes(machine: &Machine) -> Vec<LaneRecord> {
    let declared = machine.built_in_lanes.iter();
    let numbered = declared.filter_map(|lane| Some((built_in(&lane.name.value)?, lane)));
    let mut records: Vec<LaneRecord> = numbered
        .map(|(built_in, lane)| record(lane, built_in.number().into()))
        .collect();
    records.sort_by_key(|record| record.number);
    records
}

/// What the machine declares of a lane.
fn declared(machine: &Machine, lane: LaneIndex) -> Option<&Lane> {
    match lane.position().checked_sub(BuiltInLane::COUNT) {
        Some(own) => machine.lanes.get(own),
        None => {
            let name = BuiltInLane::NAMES[lane.position()];
            let mut lanes = machine.built_in_lanes.iter();
            lanes.find(|lane| lane.name.value == name)
        }
    }
}

/// The rules of a lane.
pub fn lane_rule(machine: &Machine, lane: LaneIndex) -> LaneRecord {
    match declared(machine, lane) {
        Some(declared) => record(declared, lane.position()),
        None => {
            let name = BuiltInLane::NAMES.get(lane.position()).copied();
            let mut plain = Lane::default();
            plain.name.value = name.unwrap_or_default().to_owned();
            record(&plain, lane.position())
        }
    }
}

/// The name of a lane.
pub fn lane_name(machine: &Machine, lane: LaneIndex) -> &str {
    let built_in = BuiltInLane::NAMES.get(lane.position()).copied();
    built_in
        .or_else(|| declared(machine, lane).map(|lane| lane.name.value.as_str()))
        .unwrap_or_default()
}

/// Checks that what lanes say fits together.
pub fn check(machine: &Machine, diagnostics: &mut Diagnostics) {
    for (index, lane) in machine.built_in_lanes.iter().enumerate() {
        let mut earlier = machine.built_in_lanes[..index].iter();
        if let Some(first) = earlier.find(|one| one.name.value == lane.name.value) {
            diagnostics.push(duplicate_name("lane", &lane.name, first.name.span));
        }
    }
    for lane in machine.lanes.iter().chain(&machine.built_in_lanes) {
        check_lane(lane, diagnostics);
    }
}

fn check_lane(lane: &Lane, diagnostics: &mut Diagnostics) {
    let (rules, name) = (record(lane, 0), &lane.name.value);
    let mut refuse = |span: Span, text: String, help: &str| {
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::LaneRule, span, text)
                .label("does not fit")
                .help(help),
        );
    };
    if let Some(key) = &lane.key
        && rules.merge.get() != MergeRule::LastWriterWins
    {
        let text = format!("`key` says nothing in lane `{name}`, where not the last one wins");
        let help = "leave `key` out, or write `\"merge\": \"last_writer_wins\"`";
        refuse(key.span, text, help);
    }
    if let Some(scope) = &lane.scope
        && rules.merge.get() != MergeRule::Deduplicate
    {
        let text = format!("`scope` says nothing in lane `{name}`, which keeps equal commands");
        let help = "leave `scope` out, or write `\"merge\": \"deduplicate\"`";
        refuse(scope.span, text, help);
    }
    let own = built_in(name)
        .filter(|lane| matches!(lane, BuiltInLane::Blackboard | BuiltInLane::Message));
    if let Some(own) = own
        && (rules.merge.get(), rules.key.get()) != (own.merge(), own.key())
    {
        let spans = [
            lane.merge.as_ref().map(|merge| merge.span),
            lane.key.as_ref().map(|key| key.span),
        ];
        let span = spans.into_iter().flatten().next();
        let text = format!("how lane `{name}` merges cannot be changed");
        let help = "the tick itself carries out what is in it; leave `merge` and `key` out";
        refuse(span.unwrap_or(lane.name.span), text, help);
    }
}
