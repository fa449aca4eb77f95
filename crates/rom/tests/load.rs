//! Legal ROMs load and say what they hold (ROM-1).

mod common;

use common::samples::{self, rich_events, rich_states};
use statewright_rom::exercise::{verdicts_agree, walk_everything};
use statewright_rom::ids::*;
use statewright_rom::layout::*;
use statewright_rom::{Reaction, Rom, StableGroup, Target, checksum, priority, seal};

fn state(raw: u16) -> StateId {
    StateId::new(raw).expect("a state")
}

#[test]
fn legal_roms_load() {
    for (name, tables) in samples::all() {
        let bytes = tables.build();
        let result = Rom::from_bytes(&bytes);
        verdicts_agree(&bytes, &result);
        let rom = result.unwrap_or_else(|error| panic!("{name}: {error}"));
        walk_everything(&rom);
    }
}

/// As in SCXML, where a `<parallel>` may have a single child; without the policy it is refused.
#[test]
fn an_orthogonal_state_may_have_one_region_where_the_policy_says_so() {
    let mut tables = samples::flat();
    tables.states[0].kind = StateKind::Orthogonal.into();
    let bytes = tables.build();
    assert!(Rom::from_bytes(&bytes).is_err());
    tables.header.policies = policy::SCXML_DETAILS;
    let bytes = tables.build();
    let result = Rom::from_bytes(&bytes);
    verdicts_agree(&bytes, &result);
    walk_everything(&result.expect("legal"));
}

/// Records have no alignment, so a ROM may lie anywhere: in a memory map, behind `include_bytes!`,
/// in a packet.
#[test]
fn a_rom_loads_from_any_address() {
    let bytes = samples::rich().build();
    for offset in 0..8 {
        let mut moved = vec![0; offset];
        moved.extend_from_slice(&bytes);
        walk_everything(&Rom::from_bytes(&moved[offset..]).expect("legal"));
    }
}

#[test]
fn the_view_borrows_the_bytes() {
    let bytes = samples::rich().build();
    let rom = Rom::from_bytes(&bytes).expect("legal");
    let range = bytes.as_ptr_range();
    assert!(range.contains(&rom.states().as_ptr().cast()));
    assert!(range.contains(&rom.entry_steps().as_ptr().cast()));
    assert_eq!(rom.bytes().as_ptr(), bytes.as_ptr());
}

#[test]
fn the_tree_can_be_asked() {
    use rich_states::*;
    let bytes = samples::rich().build();
    let rom = Rom::from_bytes(&bytes).expect("legal");
    assert_eq!(rom.machine_id(), 0x5566_7788);
    assert_eq!(rom.tier(), Tier::Hero);
    assert!(
        rom.is_inside(state(LEFT), state(COMBAT)) && !rom.is_inside(state(COMBAT), state(COMBAT))
    );
    let regions: Vec<RegionId> = rom.region_ids_of(state(COMBAT)).collect();
    let children = |region| rom.children(region).map(StateId::raw).collect::<Vec<_>>();
    assert_eq!(children(regions[0]), [AIM, FIRE]);
    assert_eq!(children(regions[1]), [STAND, COVER]);
    assert_eq!(rom.leaf_mask(state(COMBAT)), 0b11);
    assert_eq!(
        rom.path_up(state(LEFT))
            .map(StateId::raw)
            .collect::<Vec<_>>(),
        [LEFT, COVER, COMBAT, 0]
    );
    assert_eq!(rom.history_of(state(PATROL)).len(), 1);
    assert_eq!(rom.branches_of(state(PICK)).len(), 2);
    assert_eq!(
        rom.transitions_of(state(PATROL))
            .iter()
            .map(|t| priority(t.flags))
            .collect::<Vec<_>>(),
        [3, 1]
    );
    assert_eq!(rom.stable_ids_of(StableGroup::Machine).len(), 1);
    assert_eq!(rom.stable_ids_of(StableGroup::History).len(), 2);
    assert_eq!(
        rom.string(StringId::new(1).expect("a string")),
        Some("grüß")
    );
}

/// Dense and sorted rows give the same answers.
#[test]
fn dispatch_finds_candidates() {
    for tables in [samples::rich(), samples::rich_sorted()] {
        let bytes = tables.build();
        let rom = Rom::from_bytes(&bytes).expect("legal");
        let row = rom
            .row_of(state(rich_states::AIM))
            .expect("a leaf has a row");
        let ask = |event| {
            let column = EventId::new(event)
                .and_then(|event| rom.event_column(event))
                .expect("a column");
            rom.candidate_list(row, column)
                .map(|list| rom.candidates_of(list))
                .unwrap_or_default()
        };
        let hit = ask(rich_events::HIT);
        assert_eq!(
            hit.interrupts
                .iter()
                .map(Reaction::read)
                .collect::<Vec<_>>(),
            [TransitionId::new(0).map(Reaction::Transition)]
        );
        let deferral = Some(Reaction::Deferral(state(rich_states::AIM)));
        assert_eq!(hit.others.first().map(Reaction::read), Some(deferral));
        let eventless = rom.eventless_column().expect("there is always one");
        assert_eq!(rom.candidate_list(row, eventless), None);
    }
}

#[test]
fn targets_stand_in_the_tree() {
    let bytes = samples::rich().build();
    let rom = Rom::from_bytes(&bytes).expect("legal");
    let transition = rom
        .transition(TransitionId::new(2).expect("a transition"))
        .expect("it exists");
    let set = TargetSetId::read(transition.targets).expect("it has targets");
    let target = Target::read(&rom.targets_of(set)[0]).expect("a known kind");
    assert_eq!(target, Target::History(HistoryId::new(1).expect("a point")));
    assert_eq!(rom.anchor(target), Some(state(rich_states::COMBAT)));
}

#[test]
fn the_checksum_covers_every_byte_but_itself() {
    let bytes = samples::flat().build();
    let sum = checksum(&bytes);
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 0x40;
        assert_eq!(
            checksum(&changed) == sum,
            (24..32).contains(&place),
            "byte {place}"
        );
    }
    let mut short = [1, 2, 3];
    seal(&mut short);
    assert_eq!(short, [1, 2, 3]);
}

#[cfg(feature = "alloc")]
#[test]
fn an_owned_rom_keeps_its_bytes() {
    use statewright_rom::OwnedRom;
    let bytes = samples::rich().build();
    let owned = OwnedRom::from_vec(bytes.clone()).expect("legal");
    assert_eq!(
        walk_everything(&owned.as_rom()),
        walk_everything(&Rom::from_bytes(&bytes).expect("legal"))
    );
    assert_eq!(owned.clone().into_bytes()[..], bytes[..]);
    assert!(OwnedRom::from_vec(bytes[1..].to_vec()).is_err());
}
