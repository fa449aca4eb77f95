//! Bad snapshots: refused, and nothing changes (SYS-6).

use statewright::prelude::*;
use statewright::{Blackboard, HeadError, SNAPSHOT_FORMAT, SnapshotError};
use statewright_bytes::seal;

const DOOR: &str = r#"{ "machine": "Door", "events": ["Knock"],
  "parameters": { "weight": 1 }, "variants": { "heavy": { "weight": 9 } },
  "blackboard": { "strength": { "type": "i32", "default": 3 } },
  "initial": "closed",
  "states": {
    "closed": { "transitions": [{ "on": "Knock", "to": "open" }, { "when": "always", "if": "strength < 1", "to": "gone" }] },
    "open": { "transitions": [{ "after": "3t", "to": "closed" }] },
    "gone": {} } }"#;

/// Where the first bytes, the version and the mark of the byte order end, where the content begins, and
/// numbers in it.
const MAGIC: usize = 4;
const VERSION: usize = 6;
const BYTE_ORDER: usize = 8;
const CONTENT: usize = 32;
const NOW: usize = CONTENT;
const SPAWNED: usize = CONTENT + 16;
const LOST: usize = CONTENT + 24;

fn door() -> Machine {
    Machine::from_text("door.sw.json", DOOR).unwrap()
}

/// Six doors: one is gone, one is heavy, one is open, one has a knock under way.
fn doors() -> Crowd<Blackboard, ()> {
    let machine = door();
    let knock = machine.event("Knock").unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    let agents: Vec<AgentId> = (0..5)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();
    crowd.spawn_as(Blackboard::new(&machine), machine.variant("heavy").unwrap());
    crowd.despawn(agents[3]).unwrap();
    crowd.tick(&());
    crowd.send(agents[1], knock, ()).unwrap();
    crowd.tick(&());
    crowd.send(agents[2], knock, ()).unwrap();
    crowd
}

/// As if somebody had written it so.
fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    seal(&mut bytes);
    bytes
}

fn with_number(bytes: &[u8], at: usize, number: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    with_checksum(bytes)
}

#[test]
fn every_cut_is_refused() {
    let mut crowd = doors();
    let good = crowd.snapshot();
    for length in 0..good.len() {
        assert!(
            crowd.restore(&good[..length]).is_err(),
            "cut off after {length} bytes"
        );
        assert_eq!(crowd.snapshot(), good);
    }
    assert!(matches!(
        crowd.restore(&[&good[..], &[0]].concat()),
        Err(SnapshotError::Head(HeadError::Checksum { .. }))
    ));
    assert_eq!(
        crowd.restore(&with_checksum([&good[..], &[0]].concat())),
        Err(SnapshotError::Length)
    );
    assert_eq!(crowd.snapshot(), good);
}

#[test]
fn every_wrong_bit_is_refused() {
    let mut crowd = doors();
    let good = crowd.snapshot();
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let error = crowd.restore(&bytes).expect_err("a bit is wrong");
        let SnapshotError::Head(error) = error else {
            panic!("bit {bit}: {error}")
        };
        match bit / 8 {
            0..MAGIC => assert!(matches!(error, HeadError::Magic(_))),
            MAGIC..VERSION => assert!(matches!(error, HeadError::Version { .. })),
            VERSION..BYTE_ORDER => assert!(matches!(error, HeadError::ByteOrder { .. })),
            _ => assert!(matches!(error, HeadError::Checksum { .. })),
        }
        assert_eq!(crowd.snapshot(), good, "bit {bit}");
    }
    crowd.restore(&good).unwrap();
    assert_eq!(crowd.snapshot(), good);
}

#[test]
fn what_somebody_wrote_with_a_right_checksum_is_refused_or_runs() {
    let mut crowd = doors();
    let (good, knock) = (crowd.snapshot(), crowd.machine().event("Knock").unwrap());
    let (mut refused, mut restored) = (0, 0);
    for place in VERSION..good.len() {
        for mask in [0x01, 0x80, 0xFF] {
            let mut bytes = good.clone();
            bytes[place] ^= mask;
            let bytes = with_checksum(bytes);
            match crowd.restore(&bytes) {
                Ok(()) => {
                    restored += 1;
                    assert_eq!(
                        crowd.snapshot(),
                        bytes,
                        "byte {place}: nothing is lost on the way"
                    );
                    crowd.broadcast(knock, ()).unwrap();
                    crowd.spawn(Blackboard::new(&door()));
                    for _ in 0..5 {
                        crowd.tick(&());
                    }
                    crowd.restore(&good).unwrap();
                }
                Err(_) => refused += 1,
            }
            assert_eq!(crowd.snapshot(), good, "byte {place}");
        }
    }
    assert!(
        refused > 100 && restored > 100,
        "{refused} refused, {restored} restored"
    );
}

#[test]
fn another_byte_order_is_refused() {
    let mut crowd = doors();
    let good = crowd.snapshot();
    let mut other = good.clone();
    other[VERSION..BYTE_ORDER].reverse();
    let error = crowd.restore(&with_checksum(other)).unwrap_err();
    assert!(error.to_string().contains("another byte order"), "{error}");
    assert_eq!(crowd.snapshot(), good);
}

#[test]
fn no_crowd_counts_past_the_end() {
    let mut crowd = doors();
    let good = crowd.snapshot();
    for at in [NOW, SPAWNED, LOST] {
        for number in [u64::MAX, (1 << 63) + 1] {
            let error = crowd.restore(&with_number(&good, at, number)).unwrap_err();
            assert!(matches!(error, SnapshotError::Content(_)), "{error}");
            assert_eq!(crowd.snapshot(), good);
        }
        crowd.restore(&with_number(&good, at, 1 << 63)).unwrap();
        crowd.spawn(Blackboard::new(&door()));
        crowd.tick(&());
        crowd.restore(&good).unwrap();
    }
}

#[test]
fn another_machine_or_version_is_refused() {
    let good = doors().snapshot();
    let other = Machine::from_text("door.sw.json", &DOOR.replace("3t", "4t")).unwrap();
    let mut changed = Crowd::new(other.bind(Functions::<Blackboard, ()>::new()).unwrap(), 1);
    let empty = changed.snapshot();
    let error = changed.restore(&good).unwrap_err();
    assert!(matches!(error, SnapshotError::Machine { .. }), "{error}");
    assert_eq!(
        changed.restore(b"something else").unwrap_err().to_string(),
        "these bytes are no snapshot of a crowd"
    );
    for (beginning, version) in SNAPSHOT_FORMAT.former {
        let older = [beginning, &good[8..]].concat();
        let error = changed.restore(&older).unwrap_err();
        let expected = SNAPSHOT_FORMAT.version;
        let version = HeadError::Version {
            found: *version,
            expected,
        };
        assert_eq!(error, SnapshotError::Head(version));
    }
    assert_eq!(changed.snapshot(), empty);
}

#[test]
#[should_panic(expected = "the first tick of a crowd is at most 2^62")]
fn no_crowd_begins_at_the_end_of_time() {
    let program = door().bind(Functions::<Blackboard, ()>::new()).unwrap();
    let _ = Crowd::new(program, 1).starting_at(u64::MAX);
}

/// Agents at these indices as a part, with what is under way to them.
fn part_of(crowd: &Crowd<Blackboard, ()>, indices: &[u32]) -> Vec<u8> {
    let agents = indices.iter().filter_map(|&index| crowd.agent_at(index));
    let (agents, mut part) = (agents.collect::<Vec<_>>(), Vec::new());
    crowd.part_into(&agents, &mut part);
    part
}

#[test]
fn tape_2_a_part_is_its_agents_and_nobody_else() {
    let mut crowd = doors();
    let part = part_of(&crowd, &[2, 5]);
    let ids = statewright::agents_of_part(&part).unwrap();
    assert_eq!(ids, [2, 5].map(|index| crowd.agent_at(index).unwrap()));
    let mut alone = Crowd::new(door().bind(Functions::new()).unwrap(), 99);
    alone.spawn(Blackboard::new(&door()));
    alone.restore_part(&part).unwrap();
    assert_eq!(alone.agents().collect::<Vec<_>>(), ids);
    assert_eq!(part_of(&alone, &[0, 1, 2, 3, 4, 5]), part);
    // The knock arrives, the variant is there, and both go on as among the others.
    for tick in 0..12 {
        crowd.tick(&());
        alone.tick(&());
        for &id in &ids {
            assert_eq!(
                alone.instance_bytes(id),
                crowd.instance_bytes(id),
                "tick {tick}"
            );
            assert_eq!(alone.variant(id), crowd.variant(id));
        }
    }
    // Somebody who comes gets a free place.
    let new = alone.spawn(Blackboard::new(&door()));
    assert!(new.index() < 5 && new.index() != 2, "{new}");
    // Nobody at all is a part, too.
    alone.restore_part(&part_of(&crowd, &[])).unwrap();
    assert_eq!(alone.len(), 0);
}

#[test]
fn tape_2_damaged_parts_are_refused_and_none_takes_much_memory() {
    let crowd = doors();
    let part = part_of(&crowd, &[1, 2, 5]);
    let mut other = doors();
    let before = other.snapshot();
    for end in 0..part.len() {
        assert!(other.restore_part(&part[..end]).is_err(), "{end}");
    }
    let mut read = 0;
    for bit in 0..part.len() * 8 {
        let mut damaged = part.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(other.restore_part(&damaged).is_err(), "bit {bit}");
        assert_eq!(other.snapshot(), before);
        // As if somebody had written it so: any bytes are an agent, but not any numbers.
        let mut crowd = doors();
        read += u32::from(crowd.restore_part(&with_checksum(damaged)).is_ok());
        crowd.tick(&());
    }
    assert!(read > 100, "{read}");
    // The index of the last of three agents, behind their number and that of the crowd.
    let last = CONTENT + 8 + 4 * 4 + 2 * 11;
    let mut far = part.clone();
    far[last..last + 4].copy_from_slice(&(AgentId::INDICES - 1).to_le_bytes());
    let error = other.restore_part(&with_checksum(far)).unwrap_err();
    assert!(
        error.to_string().contains("takes too much memory"),
        "{error}"
    );
    assert!(other.restore(&part).is_err() && other.restore_part(&before).is_err());
}
