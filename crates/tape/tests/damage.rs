//! TAPE-4: cut off anywhere, a tape can be read up to its last whole block; nothing that is damaged is
//! believed, and nothing panics.

use statewright_tape::{Ending, Proof, Record, Replay, ReplayError, Tape, TapeInput, rewrite};

use crate::common::{TICKS, WORLD, program, recorded};

/// Ticks that are verified, whatever the ending.
fn replayed(tape: &Tape<'_>) -> Result<u64, ReplayError> {
    let mut replay = Replay::new(tape, program())?;
    let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1)?;
    Ok(verified.ticks)
}

#[test]
fn tape_4_every_truncation_is_read_up_to_its_last_whole_block() {
    let (bytes, _) = recorded(Proof::Bytes);
    let (mut before, mut beginnings, mut replays) = (0, 0, 0);
    for end in 0..bytes.len() {
        let Ok(tape) = Tape::read(&bytes[..end]) else {
            beginnings += 1;
            continue;
        };
        let index = tape.index().unwrap();
        assert!(index.ticks >= before, "a longer tape has no less");
        assert!(!matches!(tape.ending(), Ending::Closed(_)));
        if index.ticks > before || end % 997 == 0 {
            match replayed(&tape) {
                Ok(ticks) => assert_eq!(ticks, index.ticks),
                Err(error) => assert!(matches!(error, ReplayError::Empty), "{error}"),
            }
            replays += 1;
        }
        before = index.ticks;
    }
    assert_eq!(before, TICKS);
    assert!(beginnings > 100 && replays >= 5, "{beginnings} {replays}");
}

#[test]
fn tape_4_every_bit_flip_is_noticed() {
    let (bytes, _) = recorded(Proof::Ticks);
    let whole = Tape::read(&bytes).unwrap().index().unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let Ok(tape) = Tape::read(&damaged) else {
            continue;
        };
        assert!(!matches!(tape.ending(), Ending::Closed(_)), "bit {bit}");
        // What stands before the damage is as it was.
        let index = tape.index().unwrap();
        assert!(index.ticks <= whole.ticks && index.inputs <= whole.inputs);
    }
}

#[test]
fn tape_4_what_has_right_checksums_and_cannot_be_is_refused() {
    let (bytes, _) = recorded(Proof::Bytes);
    let tape = Tape::read(&bytes).unwrap();
    let (mut tried, mut refused) = (0, 0);
    // Each record in turn is cut by a byte, made longer, or has another first byte.
    for target in 0..90 {
        for way in 0..3 {
            let mut number = 0;
            let (other, _) = rewrite(&tape, &(0..=u64::MAX), |_, bytes| {
                number += 1;
                let mut bytes = bytes.to_vec();
                match way {
                    0 => drop(bytes.pop()),
                    1 => bytes.push(0xEE),
                    _ => bytes[0] = bytes[0].wrapping_add(1 + target as u8),
                }
                (number - 1 == target).then_some(bytes)
            })
            .unwrap();
            let tape = Tape::read(&other).unwrap();
            tried += 1;
            refused += u32::from(replayed(&tape).is_err());
        }
    }
    // A longer last byte may begin another record that means nothing new.
    assert!(refused * 10 > tried * 9, "{refused} of {tried}");
}

#[test]
fn tape_1_an_input_for_somebody_who_never_lived_is_refused_by_name() {
    let (bytes, _) = recorded(Proof::None);
    let tape = Tape::read(&bytes).unwrap();
    let mut done = false;
    let (other, _) = rewrite(&tape, &(0..=u64::MAX), |record, bytes| match record {
        Record::Input(TapeInput::Send(..)) if !done => {
            done = true;
            let mut bytes = bytes.to_vec();
            bytes[1] = 120;
            Some(bytes)
        }
        _ => None,
    })
    .unwrap();
    let error = replayed(&Tape::read(&other).unwrap()).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("before tick 0, `send `Call(0)` to agent 120.1` is refused: agent 120.1"),
        "{text}"
    );
}

#[test]
fn tape_1_other_files_and_other_machines_are_refused() {
    for (bytes, reason) in [
        (&b""[..], "at byte 0: the file is empty"),
        (b"SWTP", "at byte 4: cut off within its head"),
        (
            b"{ \"machine\": \"Dog\" } and more, so that it is long",
            "at byte 0: this is not a tape: it does not begin like one",
        ),
    ] {
        assert_eq!(Tape::read(bytes).unwrap_err().to_string(), reason);
    }
    let (bytes, _) = recorded(Proof::None);
    let mut later = bytes.clone();
    later[4] = 9;
    let refused = Tape::read(&later).unwrap_err().to_string();
    assert_eq!(
        refused,
        "at byte 4: it is of version 9, this program reads version 4"
    );
    // Blackboards may be plain bytes: a computer of the other byte order would read other numbers.
    let mut other = bytes.clone();
    other[6..8].reverse();
    assert_eq!(
        Tape::read(&other).unwrap_err().to_string(),
        "at byte 6: it comes from a computer with another byte order: only such a one can run it again"
    );
    let text = crate::common::DOG.replace("\"patience\": 3", "\"patience\": 4");
    let other = statewright::Machine::from_text("dog.sw.json", &text).unwrap();
    let other = other.bind(crate::common::functions()).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    let refused = Replay::new(&tape, other);
    assert!(matches!(refused, Err(ReplayError::Machine { .. })));
}
