//! Directed damage: each case names the table, the record and the reason.

mod common;

use common::samples::{self, rich_states};
use common::{Tables, directory_place, section_place, to, to_choice, to_history};
use statewright_rom::Coded;
use statewright_rom::layout::*;
use statewright_rom::{Rom, seal};

/// The message for bytes that must be refused.
#[track_caller]
fn refuse(bytes: &[u8], message: &str) {
    let error = Rom::from_bytes(bytes).expect_err("it was accepted");
    assert_eq!(error.to_string(), message);
}

/// Changes a flat machine.
#[track_caller]
fn flat(change: impl FnOnce(&mut Tables), message: &str) {
    let mut tables = samples::flat();
    change(&mut tables);
    refuse(&tables.build(), message);
}

/// Changes a machine that has one of everything.
#[track_caller]
fn rich(change: impl FnOnce(&mut Tables), message: &str) {
    let mut tables = samples::rich();
    change(&mut tables);
    refuse(&tables.build(), message);
}

/// Changes the bytes of a flat machine and gives them a fresh checksum.
#[track_caller]
fn bytes(change: impl FnOnce(&mut Vec<u8>), message: &str) {
    let mut bytes = samples::flat().build();
    change(&mut bytes);
    seal(&mut bytes);
    refuse(&bytes, message);
}

/// Changes the directory entry of a section: record size at 2, offset at 4, count at 8.
#[track_caller]
fn entry(section: Section, at: usize, value: u32, message: &str) {
    let change = |bytes: &mut Vec<u8>| {
        let place = directory_place(bytes, section) + at;
        let size = if at < 4 { 2 } else { 4 };
        bytes[place..place + size].copy_from_slice(&value.to_le_bytes()[..size]);
    };
    bytes(change, message);
}

#[test]
fn too_short() {
    refuse(&[], "header: 0 bytes where 32 are needed");
    let whole = samples::flat().build();
    refuse(&whole[..63], "header: 63 bytes where 64 are needed");
    refuse(
        &whole[..64],
        &format!("header: 64 bytes where {} are needed", whole.len()),
    );
    let mut header = whole[..64].to_vec();
    header[32..36].copy_from_slice(&64_u32.to_le_bytes());
    seal(&mut header);
    let directory = 64 + 12 * u16::from_le_bytes([whole[54], whole[55]]);
    refuse(
        &header,
        &format!("header: 64 bytes where {directory} are needed"),
    );
    header[54..56].copy_from_slice(&[0, 0]);
    seal(&mut header);
    refuse(&header, "states: a machine cannot be without these");
}

#[test]
fn too_long() {
    let mut longer = samples::flat().build();
    longer.push(0);
    let (found, length) = (longer.len() - 1, longer.len());
    refuse(
        &longer,
        &format!("header: length is {found} instead of {length}"),
    );
    bytes(
        |bytes| {
            bytes.extend([0; 8]);
            let length = (bytes.len() as u32).to_le_bytes();
            bytes[32..36].copy_from_slice(&length);
        },
        "header: 8 bytes after the last section",
    );
}

#[test]
fn wrong_beginnings() {
    bytes(
        |bytes| bytes[0] = b'X',
        "header: not a ROM: it starts with [58, 57, 52, 4d]",
    );
    bytes(
        |bytes| bytes[4] = 1,
        "header: format version 1, this loader reads 6",
    );
    bytes(
        |bytes| bytes[6..8].copy_from_slice(&[1, 2]),
        "header: byte-order mark 0x0201 instead of 0x0102",
    );
    // All of a header in the other byte order.
    let swapped = |bytes: &mut Vec<u8>| {
        bytes[4..6].reverse();
        bytes[6..8].reverse();
    };
    bytes(swapped, "header: byte-order mark 0x0201 instead of 0x0102");
    bytes(
        |bytes| bytes[52] = 72,
        "header: directory offset is 72 instead of 64",
    );
}

#[test]
fn damage_is_named() {
    let mut bytes = samples::flat().build();
    let sum = statewright_rom::checksum(&bytes);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let found = statewright_rom::checksum(&bytes);
    refuse(
        &bytes,
        &format!("header: checksum {found:#018x} instead of {sum:#018x}: the bytes are damaged"),
    );
}

#[test]
fn wrong_directories() {
    use Section::*;
    entry(
        States,
        0,
        99,
        "directory[0]: section number 99 has no meaning",
    );
    // Exit paths were section 40; the number stays free.
    entry(
        States,
        0,
        40,
        "directory[0]: section number 40 has no meaning",
    );
    entry(
        Regions,
        0,
        1,
        "directory[1]: section states is out of order",
    );
    entry(
        States,
        2,
        31,
        "directory[0]: records of states have 31 bytes instead of 32",
    );
    entry(States, 8, 0, "directory[0]: empty section states is listed");
    entry(
        Regions,
        4,
        0xFFFF_FFF8,
        "directory[1]: section regions ends after the end of the ROM",
    );
    entry(
        Regions,
        8,
        0xFFFF_FFFF,
        "directory[1]: section regions ends after the end of the ROM",
    );
    let place = section_place(&samples::flat().build(), Regions) as u32;
    entry(
        Regions,
        4,
        place + 4,
        "directory[1]: section regions does not start at a multiple of 8",
    );
    entry(
        Regions,
        4,
        place - 8,
        "directory[1]: section regions overlaps what comes before it",
    );
    entry(
        States,
        4,
        64,
        "directory[0]: section states overlaps what comes before it",
    );
    entry(
        States,
        8,
        4,
        "directory[1]: section regions overlaps what comes before it",
    );
}

#[test]
fn padding_is_zero() {
    let at = {
        let bytes = samples::flat().build();
        section_place(&bytes, Section::TransitionPlans) - 1
    };
    let tables = samples::flat();
    assert_eq!(
        tables.initials.len() * 4 % 8,
        4,
        "there are padding bytes after the initials"
    );
    let padding = section_place(&tables.build(), Section::Transitions) - 1;
    assert!(padding < at);
    bytes(
        |bytes| bytes[padding] = 1,
        "directory[3]: bytes between sections are not zero",
    );
}

#[test]
fn header_numbers() {
    flat(
        |t| t.header.tier = Coded::from_raw(3),
        "header: tier 3 is out of range, the limit is 3",
    );
    flat(
        |t| t.header.max_depth = 17,
        "header: deepest state 17 has no meaning",
    );
    flat(
        |t| t.header.max_depth = 3,
        "states: deepest state is 2 instead of 3",
    );
    flat(
        |t| t.header.tick_rate = 0.into(),
        "header: tick rate 0 has no meaning",
    );
    flat(
        |t| t.header.events_per_tick = 4097.into(),
        "header: cap of events 4097 has no meaning",
    );
    flat(
        |t| t.header.command_bytes = 0.into(),
        "header: budget of command bytes 0 has no meaning",
    );
    flat(
        |t| t.header.command_bytes = 4097.into(),
        "header: budget of command bytes 4097 has no meaning",
    );
    flat(
        |t| t.header.microsteps_per_tick = 0.into(),
        "header: cap of microsteps 0 has no meaning",
    );
    flat(
        |t| t.header.clamp_limit = 0,
        "header: clamp limit 0 has no meaning",
    );
    flat(
        |t| t.header.features |= 1 << 24,
        "header: feature bits 16777216 has no meaning",
    );
    flat(
        |t| t.header.columns = 4.into(),
        "header: count of columns is 4 instead of 3",
    );
    flat(
        |t| t.header.firing_timers = 1.into(),
        "header: count of firing timers 1 is out of range, the limit is 1",
    );
    flat(
        |t| t.header.fail_safe = 9.into(),
        "header: fail-safe target set 9 is out of range, the limit is 3",
    );
}

#[test]
fn features_are_named() {
    rich(
        |t| t.header.features &= !feature::HISTORY,
        "header: features 0x2 are used but not named",
    );
    rich(
        |t| t.header.features &= !(feature::SCORES | feature::TTL),
        "header: features 0x20200 are used but not named",
    );
}

#[test]
fn counts_at_their_limits() {
    let whole = samples::wide(MAX_RECORDS).build();
    Rom::from_bytes(&whole).expect("as many states as a ROM can have");
    let mut tables = samples::wide(MAX_RECORDS);
    let last = *tables.states.last().expect("states");
    tables.states.push(last);
    refuse(
        &tables.build(),
        "states: 65535 records, at most 65534 are allowed",
    );
    rich(
        |t| t.lanes = vec![t.lanes[0]; 26],
        "lanes: 26 records, at most 25 are allowed",
    );
    rich(
        |t| t.channels = vec![t.channels[0]; 33],
        "channels: 33 records, at most 32 are allowed",
    );
    let channel = |count| {
        let mut tables = samples::rich();
        tables.channels = vec![tables.channels[0]; count];
        Rom::from_bytes(&tables.build())
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(channel(32), Ok(()));
}

#[test]
fn trees_that_are_none() {
    flat(
        |t| t.states[1].parent = 2.into(),
        "states[1]: the parent does not come before the state",
    );
    flat(
        |t| t.states[2].parent = 2.into(),
        "states[2]: the parent does not come before the state",
    );
    flat(
        |t| t.states[2].parent = 1.into(),
        "states[2]: depth is 2 instead of 3",
    );
    flat(
        |t| t.states[1].depth = 3,
        "states[1]: depth 3 has no meaning",
    );
    let mut nested = samples::nested(false);
    nested.states[3].depth = 3;
    refuse(&nested.build(), "states[3]: depth is 3 instead of 4");
    flat(
        |t| t.states[1].depth = 17,
        "states[1]: depth 17 has no meaning",
    );
    flat(
        |t| t.states[0].parent = 0.into(),
        "states[0]: parent of the root is not allowed here",
    );
    flat(
        |t| t.states[0].subtree_end = 2.into(),
        "states[0]: subtree end is 2 instead of 3",
    );
    flat(
        |t| t.states[1].subtree_end = 3.into(),
        "states[1]: the kind does not fit the children",
    );
    flat(
        |t| t.states[2].subtree_end = 2.into(),
        "states[2]: subtree end 2 has no meaning",
    );
    flat(
        |t| t.states[2].region = 1.into(),
        "states[2]: region 1 is out of range, the limit is 1",
    );
    flat(
        |t| t.states[2].leaf = 1,
        "states[2]: leaf is 1 instead of 0",
    );
    flat(
        |t| t.states[1].kind = Coded::from_raw(5),
        "states[1]: kind 5 has no meaning",
    );
    flat(
        |t| t.states[1].kind = StateKind::Compound.into(),
        "states[1]: count of regions for its kind, 0 has no meaning",
    );
    flat(
        |t| t.states[0].kind = StateKind::Orthogonal.into(),
        "states[0]: count of regions for its kind, 1 has no meaning",
    );
    flat(
        |t| t.states[2].row = 0.into(),
        "states[2]: row is 0 instead of 1",
    );
    flat(
        |t| t.states[2].first_transition = 0.into(),
        "states[2]: first transition is 0 instead of 1",
    );
    rich(
        |t| t.regions[2].leaf = 1,
        "states[7]: leaf is 0 instead of 1",
    );
    rich(
        |t| {
            t.regions[3].leaf = 0;
            t.states[usize::from(rich_states::STAND)].leaf = 0;
            t.states[usize::from(rich_states::COVER)].leaf = 0;
            t.regions[4].leaf = 0;
            t.states[usize::from(rich_states::LEFT)].leaf = 0;
            t.states[usize::from(rich_states::RIGHT)].leaf = 0;
        },
        "states[7]: regions that are active together share a leaf number",
    );
    rich(
        |t| t.regions[3].first_child = 10.into(),
        "states[9]: the states of a region are not together",
    );
}

#[test]
fn targets_out_of_place() {
    flat(
        |t| t.targets[1].index = 3.into(),
        "targets[1]: target 3 is out of range, the limit is 3",
    );
    flat(
        |t| t.targets[1].index = 0.into(),
        "targets[1]: the root is no target",
    );
    flat(
        |t| t.targets[1].kind = Coded::from_raw(3),
        "targets[1]: kind 3 has no meaning",
    );
    flat(
        |t| t.targets[1].reserved = 1,
        "targets[1]: reserved or unused bytes are not zero",
    );
    flat(
        |t| t.target_sets[1].count = 0.into(),
        "target_sets[1]: count 0 has no meaning",
    );
    rich(
        |t| t.targets[0] = to_choice(3),
        "targets[0]: the kind is not that of the state",
    );
    rich(
        |t| t.targets[0] = to_history(2),
        "targets[0]: history point 2 is out of range, the limit is 2",
    );
    rich(
        |t| t.targets[0] = to(7),
        "history[0]: a target of set 0 is not inside state 1",
    );
    // FIRE and LEFT are in different regions; FIRE and AIM are not.
    rich(
        |t| t.targets[3] = to(7),
        "target_sets[2]: targets that cannot be active together, or out of order",
    );
    rich(
        |t| t.targets[2] = to_choice(5),
        "target_sets[2]: a choice is not the only target of its set",
    );
}

#[test]
fn entry_that_does_not_end() {
    flat(
        |t| t.initials[0].targets = 7.into(),
        "initials[0]: target set 7 is out of range, the limit is 3",
    );
    rich(
        |t| t.targets[6] = to(7),
        "regions[1]: the initial lies outside of the region",
    );
    // The initial of PATROL is its own history point: fine while that has a default.
    let own = |t: &mut Tables| t.targets[6] = to_history(0);
    rich(
        |t| {
            own(t);
            t.history[0].default = NONE.into();
        },
        "regions[1]: the initial is a history point that leads nowhere",
    );
}

#[test]
fn choices_that_do_not_end() {
    rich(
        |t| t.branches[3].guard = 0.into(),
        "branches[3]: guard of the last branch is not allowed here",
    );
    // PICK leads to itself.
    rich(
        |t| t.targets[1] = to_choice(4),
        "branches[1]: choices lead in a circle, or their branches are not sorted",
    );
    // PICK_AGAIN leads back to PICK.
    rich(
        |t| t.branches[3].targets = 1.into(),
        "branches[3]: choices lead in a circle, or their branches are not sorted",
    );
    rich(
        |t| t.branches[2].owner = 4.into(),
        "branches[2]: the branch is not among those of its owner",
    );
}

#[test]
fn transitions_out_of_place() {
    flat(
        |t| t.transitions[0].domain = 1.into(),
        "transitions[0]: domain 1 is not around source 1",
    );
    flat(
        |t| t.transitions[0].domain = 2.into(),
        "transitions[0]: domain 2 is not around source 1",
    );
    flat(
        |t| t.transitions[0].domain = 9.into(),
        "transitions[0]: domain 9 is out of range, the limit is 3",
    );
    flat(
        |t| t.transitions[0].source = 2.into(),
        "transitions[0]: the transition is not among those of its source",
    );
    flat(
        |t| t.transitions[0].trigger = 2.into(),
        "transitions[0]: trigger 2 has no meaning",
    );
    flat(
        |t| t.transitions[0].targets = NONE.into(),
        "transitions[0]: target set is missing",
    );
    flat(
        |t| t.transitions[0].flags = 0x0200.into(),
        "transitions[0]: flags 512 has no meaning",
    );
    flat(
        |t| t.transitions[0].guard = 0.into(),
        "transitions[0]: op 0 is not a guard",
    );
    flat(
        |t| t.transitions[0].effect = 1.into(),
        "transitions[0]: effect 1 is out of range, the limit is 1",
    );
    rich(
        |t| t.transitions[3].flags |= 0xF000,
        "transitions[3]: not in the order of priorities",
    );
    rich(
        |t| t.transitions[10].extra = NONE.into(),
        "transitions[10]: extra record is missing",
    );
    rich(
        |t| t.transition_extras[0].reserved[3] = 1,
        "transition_extras[0]: reserved or unused bytes are not zero",
    );
    rich(
        |t| t.transition_plans[0].cost = 161,
        "transition_plans[0]: cost 161 is out of range, the limit is 161",
    );
    rich(
        |t| t.transition_plans[0].plan = 999.into(),
        "transition_plans[0]: entry plan 999 is out of range, the limit is 10",
    );
    rich(
        |t| t.transition_plans[0].reserved = 1,
        "transition_plans[0]: reserved or unused bytes are not zero",
    );
    rich(
        |t| t.transition_plans[0].flags ^= ask_flag::GUARDED,
        "transition_plans[0]: flags is 1 instead of 0",
    );
    rich(
        |t| t.transition_plans[0].source = 3.into(),
        "transition_plans[0]: it is not what its transition has",
    );
}

#[test]
fn data_out_of_place() {
    rich(|t| t.text[7].byte = 0xFF, "text: no valid UTF-8 at byte 7");
    rich(
        |t| t.strings[1].length = 3.into(),
        "strings[1]: the string cuts a character",
    );
    rich(
        |t| t.strings[0].length = 99.into(),
        "strings[0]: end 110 is out of range, the limit is 12",
    );
    rich(
        |t| t.strings.swap(1, 2),
        "strings[2]: strings are not sorted by number without twins",
    );
    rich(
        |t| t.strings[1].number = 7.into(),
        "strings[1]: the number is not that of the text",
    );
    rich(
        |t| t.lanes[0].number = 8,
        "lanes[0]: number is 8 instead of 7",
    );
    rich(
        |t| t.built_in_lanes[0].number = 7,
        "built_in_lanes[0]: built-in lane 7 has no meaning",
    );
    rich(
        |t| t.built_in_lanes.push(t.built_in_lanes[0]),
        "built_in_lanes[1]: built-in lanes are not sorted by number without twins",
    );
    rich(
        |t| t.built_in_lanes[0].number = BuiltInLane::Message.number(),
        "built_in_lanes[0]: the merge rule of this lane cannot be changed",
    );
    rich(
        |t| t.built_in_lanes[0].key = Coded::from_raw(2),
        "built_in_lanes[0]: lane key 2 has no meaning",
    );
    rich(
        |t| t.lanes[0].scope = Coded::from_raw(2),
        "lanes[0]: lane scope 2 has no meaning",
    );
    // No text but the empty one has the number of no symbol.
    rich(
        |t| t.strings[0].length = 1.into(),
        "strings[0]: end 12 is out of range, the limit is 12",
    );
    rich(
        |t| t.linker.swap(1, 2),
        "linker[2]: functions are not sorted by kind and hash without twins",
    );
    rich(
        |t| t.linker[2] = t.linker[1],
        "linker[2]: functions are not sorted by kind and hash without twins",
    );
    rich(
        |t| t.linker[0].ty = ValueType::F32.into(),
        "linker[0]: type 1 has no meaning",
    );
    rich(
        |t| t.arguments[0].source = Coded::from_raw(3),
        "arguments[0]: source 3 has no meaning",
    );
    rich(
        |t| {
            t.arguments[0].source = ArgumentSource::Expression.into();
            t.arguments[0].words[0] = 999.into();
        },
        "arguments[0]: the argument is no value of its type",
    );
    rich(
        |t| {
            t.arguments[0].source = ArgumentSource::Stack.into();
            t.arguments[0].words = [0.into(), 16.into(), 0.into()];
        },
        "arguments[0]: the argument is no value of its type",
    );
    rich(
        |t| t.scratch[0].ty = Coded::from_raw(4),
        "scratch[0]: type 4 has no meaning",
    );
    rich(
        |t| t.scratch[0].ty = ScratchType::U16.into(),
        "scratch[0]: count is 2 instead of 1",
    );
    rich(
        |t| t.events[0].class = Coded::from_raw(4),
        "events[0]: class 4 has no meaning",
    );
    rich(
        |t| t.events[2].payload_bytes = 17,
        "events[2]: payload size 17 is out of range, the limit is 17",
    );
    rich(
        |t| t.events[2].payload_bytes = 8,
        "events[2]: payload size is 8 instead of 4",
    );
    rich(
        |t| t.keys[3].offset = 4.into(),
        "keys[3]: offset is 4 instead of 5",
    );
    rich(
        |t| t.keys[3].default[0] = 2.into(),
        "keys[3]: the default is no value of its type",
    );
    rich(
        |t| t.keys[2].default[0] = 3.into(),
        "keys[2]: the default is no value of its type",
    );
    rich(
        |t| t.parameter_values[3].word = 2.into(),
        "parameter_values[3]: the word is no value of its type",
    );
    rich(
        |t| t.parameter_values.truncate(7),
        "parameter_values: count is 7 instead of 10",
    );
    rich(
        |t| t.parameters[3].is_duration = 2,
        "parameters[3]: duration mark 2 has no meaning",
    );
    rich(
        |t| t.parameters[0].is_duration = 1,
        "parameters[0]: duration mark 1 has no meaning",
    );
    rich(
        |t| t.variants[0].name_hash = 1.into(),
        "variants[0]: the variant of the plain values has a name",
    );
    rich(
        |t| t.channels[0].lane = 8.into(),
        "channels[0]: lane 8 is out of range, the limit is 8",
    );
    rich(
        |t| t.stable_ids.truncate(46),
        "stable_ids: count is 46 instead of 47",
    );
    rich(
        |t| t.timers[3].place = 8,
        "timers[3]: place 8 is out of range, the limit is 8",
    );
    rich(
        |t| t.timers[0].reserved = 1.into(),
        "timers[0]: reserved or unused bytes are not zero",
    );
    rich(
        |t| t.timers[0].transition = 5.into(),
        "timers[0]: the transition does not refer back to its timer",
    );
    rich(
        |t| t.history[1].slot_count = 1,
        "history[1]: count of slots is 1 instead of 2",
    );
    rich(
        |t| t.history[1].slot = 0,
        "history[1]: history points share a slot",
    );
    rich(
        |t| t.stacks[0].depth = 9,
        "stacks[0]: slot 12 is out of range, the limit is 24",
    );
}

#[test]
fn actions_out_of_place() {
    rich(
        |t| t.ops[5].kind = Coded::from_raw(12),
        "ops[5]: kind 12 has no meaning",
    );
    rich(
        |t| t.ops[15].a = 1.into(),
        "ops[15]: type of a condition, 1 has no meaning",
    );
    rich(
        |t| t.ops[15].b = 4.into(),
        "ops[15]: number of ops left out 4 has no meaning",
    );
    rich(
        |t| t.ops[15].b = 0.into(),
        "ops[15]: number of ops left out 0 has no meaning",
    );
    rich(
        |t| t.ops[17].b = 2.into(),
        "ops[17]: number of ops left out 2 has no meaning",
    );
    rich(
        |t| t.ops[17].a = 1.into(),
        "ops[17]: operand 1 is out of range, the limit is 1",
    );
    rich(
        |t| t.ops[5].a = 0.into(),
        "ops[5]: no action, but in a list",
    );
    rich(
        |t| t.ops[0].a = 1.into(),
        "ops[0]: an action outside of the lists",
    );
    rich(
        |t| t.ops[5].count = 3,
        "ops[5]: end of arguments 3 is out of range, the limit is 3",
    );
    rich(
        |t| t.ops[6].b = 3.into(),
        "ops[6]: type of the value is 1 instead of 2",
    );
    rich(
        |t| t.ops[11].a = 0.into(),
        "ops[11]: a name of the timer is missing",
    );
    rich(
        |t| t.states[7].activity = 0.into(),
        "states[7]: op 0 is not an activity",
    );
    rich(
        |t| t.action_lists[1].first = 7.into(),
        "action_lists[1]: first op is 7 instead of 8",
    );
    rich(
        |t| t.expressions[2].stack_words = 2,
        "expressions[2]: instruction 2: 1 stack words in use, 2 declared",
    );
    rich(
        |t| t.code[0].op = 255,
        "expressions[0]: instruction 0: an unused field is not zero",
    );
    rich(
        |t| {
            t.code[0] = InstructionRecord {
                op: 255,
                ..InstructionRecord::default()
            }
        },
        "expressions[0]: instruction 0: no instruction has number 255",
    );
    rich(
        |t| t.code[2].b = 99.into(),
        "expressions[2]: instruction 0: 99 is not a legal state",
    );
}

#[test]
fn plans_out_of_place() {
    rich(
        |t| t.entry_steps[0].leaf = 9,
        "entry_steps[0]: leaf is 9 instead of 0",
    );
    rich(
        |t| t.entry_steps[0].list = 99.into(),
        "entry_steps[0]: action list 99 is out of range, the limit is 3",
    );
    rich(
        |t| t.entry_steps[0].kind = Coded::from_raw(2),
        "entry_steps[0]: kind 2 has no meaning",
    );
    rich(
        |t| t.entry_plans[0].count = 0.into(),
        "entry_plans[0]: count 0 has no meaning",
    );
    flat(
        |t| t.entry_plans[0].first = 9.into(),
        "entry_plans[0]: last step 10 is out of range, the limit is 2",
    );
    rich(
        |t| t.leaf_rows[1].state = 2.into(),
        "leaf_rows[1]: the state does not have this row",
    );
    rich(
        |t| t.leaf_rows[1].reserved = 1.into(),
        "leaf_rows[1]: reserved or unused bytes are not zero",
    );
    rich(
        |t| t.runs[0].depth += 1,
        "runs[0]: it is not what its state has",
    );
    rich(
        |t| t.runs.clear(),
        "runs: a state with an activity or update actions is missing",
    );
    rich(|t| t.runs.push(t.runs[0]), "runs: count is 2 instead of 1");
    rich(|t| t.polls.truncate(1), "polls: count is 1 instead of 8");
    rich(
        |t| t.polls[0].first_of = 0.into(),
        "polls[0]: first of is 0 instead of 65535",
    );
    rich(
        |t| t.polls[0].next = 0.into(),
        "polls[0]: next is 0 instead of 65535",
    );
    rich(
        |t| t.polls[0].next_leaf = 1,
        "polls[0]: next leaf is 1 instead of 255",
    );
    rich(
        |t| t.polls[0].run = 0.into(),
        "polls[0]: run is 0 instead of 65535",
    );
    rich(
        |t| t.polls[0].latches = 1.into(),
        "polls[0]: latches is 1 instead of 256",
    );
    rich(
        |t| t.polls[0].reserved = 1,
        "polls[0]: reserved or unused bytes are not zero",
    );
    rich(
        |t| t.polls[0].first_ask = 999.into(),
        "polls[0]: last candidate 999 is out of range, the limit is 32",
    );
    flat(
        |t| t.dense_cells[0].list = 2.into(),
        "dense_cells[0]: list 2 is out of range, the limit is 2",
    );
    flat(
        |t| t.candidate_lists[1].first = 2.into(),
        "candidate_lists[1]: last candidate 3 is out of range, the limit is 2",
    );
    flat(
        |t| t.candidate_lists[1].others = 0.into(),
        "candidate_lists[1]: count 0 has no meaning",
    );
    flat(
        |t| t.candidates[0].index = 2.into(),
        "candidates[0]: transition 2 is out of range, the limit is 2",
    );
    flat(
        |t| t.candidates[0].kind = Coded::from_raw(1),
        "candidates[0]: the state defers nothing",
    );
}

/// LANG-3: durations that are found where they are needed.
#[test]
fn durations_out_of_place() {
    rich(
        |t| t.durations[0].kind = Coded::from_raw(9),
        "durations[0]: kind 9 has no meaning",
    );
    rich(
        |t| t.durations[0].index = 0.into(),
        "durations[0]: parameter 0 has no meaning",
    );
    rich(
        |t| t.durations[1].index = 0.into(),
        "durations[1]: expression 0 has no meaning",
    );
    rich(
        |t| t.durations[1].low = 1.into(),
        "durations[1]: end of a range of ticks, 0 has no meaning",
    );
    rich(
        |t| t.durations[2].high = 29.into(),
        "durations[2]: end of a range of ticks, 29 has no meaning",
    );
    rich(
        |t| t.durations[2].reserved = 1,
        "durations[2]: reserved or unused bytes are not zero",
    );
    // The ones that name a record name one that there is, of a kind that may stand there.
    rich(
        |t| t.timers[0].duration = DurationWord::from_raw(1 << 31 | 3),
        "timers[0]: duration 3 is out of range, the limit is 3",
    );
    rich(
        |t| t.timers[0].duration = DurationWord::NOTHING,
        "timers[0]: duration 0 has no meaning",
    );
    let range = DurationWord::from_raw(1 << 31 | 2);
    rich(
        |t| {
            t.timers[4].duration = range;
            let extra = t.transitions[7].extra.get();
            t.transition_extras[usize::from(extra)].debounce_time = range;
        },
        "transition_extras[0]: duration 2147483650 has no meaning",
    );
}

#[test]
fn lang_6_one_that_stays_has_nothing_that_would_happen() {
    use transition_flag::*;
    rich(
        |tables| tables.transitions[1].flags = (INTERNAL | STAY | INTERRUPT).into(),
        "transitions[1]: flags 517 has no meaning",
    );
    rich(
        |tables| tables.transitions[1].flags = STAY.into(),
        "transitions[1]: flags 512 has no meaning",
    );
    rich(
        |tables| tables.transitions[1].effect = 0.into(),
        "transitions[1]: effect is not allowed here",
    );
    rich(
        |tables| tables.transitions[1].trigger = SpecialTrigger::Done.number().into(),
        "transitions[1]: trigger 65522 has no meaning",
    );
}

#[test]
fn lang_10_update_actions_are_a_list_that_the_state_knows_of() {
    let aim = usize::from(rich_states::AIM);
    let extra = |tables: &Tables| usize::from(tables.states[aim].extra.get());
    rich(
        |tables| {
            let at = extra(tables);
            tables.state_extras[at].update = 99.into();
        },
        "state_extras[3]: update list 99 is out of range, the limit is 3",
    );
    rich(
        |tables| {
            let at = extra(tables);
            tables.state_extras[at].update = NONE.into();
        },
        "state_extras[3]: the update flag of the state is not allowed here",
    );
    rich(
        |tables| tables.states[aim].flags &= !state_flag::UPDATE,
        "state_extras[3]: the update flag of the state is missing",
    );
    rich(
        |tables| tables.header.features &= !feature::UPDATES,
        "header: features 0x800000 are used but not named",
    );
}
