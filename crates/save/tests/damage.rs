//! SAVE-3: every truncation and every bit flip is refused; so is content that no writer makes.

use std::time::{Duration, Instant};

use statewright::form::{FieldForm, Form, Forms, TypeForm, VariantForm};
use statewright::prelude::*;
use statewright::{Saved, SavedCrowd};
use statewright_save::{Save, Writer};

use super::patches::{KEYS, crowd, guard, guards, save};

#[test]
fn save_3_every_truncation_and_every_flipped_bit_is_refused() {
    let machine = guard("2s", "doze", KEYS);
    let bytes = save(&guards(&machine).0);
    assert!(Save::read(&bytes).is_ok());
    for end in 0..bytes.len() {
        let refused = Save::read(&bytes[..end]).err();
        assert!(
            refused.is_some_and(|refused| refused.offset <= end),
            "cut at {end}"
        );
    }
    let mut damaged = bytes.clone();
    for bit in 0..bytes.len() * 8 {
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(Save::read(&damaged).is_err(), "bit {bit}");
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Save::read(&longer).is_err());
}

#[test]
fn save_3_files_of_other_kinds_are_refused_in_words() {
    let machine = guard("2s", "doze", KEYS);
    let (crowd, _) = guards(&machine);
    let words = |bytes: &[u8]| Save::read(bytes).err().unwrap().to_string();
    assert_eq!(words(b""), "at byte 0: the file is empty");
    let not = "at byte 0: this is not a save: it does not begin like one";
    assert_eq!(words(&crowd.snapshot()), not);
    assert_eq!(words(machine.bytes()), not);
    assert_eq!(words(b"SWSV"), "at byte 4: cut off within its head");
    let mut newer = save(&crowd);
    newer[4] = 2;
    assert_eq!(
        words(&newer),
        "at byte 4: the save is of version 2, this program reads version 1"
    );
}

/// The parts of two saves do not fit together.
#[test]
fn save_3_a_part_of_another_save_is_refused() {
    let saved = guards(&guard("2s", "doze", KEYS)).0.to_saved();
    let [one, other] = ["one", "two"].map(|program| {
        let writer = Writer::new(program).crowd("guards", &saved);
        writer.unwrap().finish()
    });
    assert_eq!(one.len(), other.len());
    for at in 48..one.len() {
        assert!(
            Save::read(&[&one[..at], &other[at..]].concat()).is_err(),
            "at {at}"
        );
    }
}

/// Whole files, sealed like any, whose content cannot be.
#[test]
fn save_3_content_that_no_crowd_has_is_refused_and_changes_nothing() {
    let machine = guard("2s", "doze", KEYS);
    let (old, _) = guards(&machine);
    let saved = old.to_saved();
    let (mut crowd, _) = guards(&machine);
    crowd.tick(&());
    let before = crowd.snapshot();
    let mut load = |saved: &SavedCrowd<'_>| {
        let bytes = Writer::new("x").crowd("guards", saved).unwrap().finish();
        let loaded = Save::read(&bytes).unwrap().load("guards", &mut crowd);
        (loaded.is_ok(), crowd.snapshot() == before)
    };
    let mut refused = 0;
    for end in 0..saved.agents.len() {
        let agents = saved.agents[..end].to_vec().into();
        assert_eq!(
            load(&SavedCrowd {
                agents,
                ..saved.clone()
            }),
            (false, true),
            "cut at {end}"
        );
        refused += 1;
    }
    for end in 0..saved.boards.len() {
        let boards = saved.boards[..end].to_vec().into();
        assert_eq!(
            load(&SavedCrowd {
                boards,
                ..saved.clone()
            }),
            (false, true),
            "cut at {end}"
        );
        refused += 1;
    }
    let boards = [&saved.boards[..], &[0]].concat().into();
    assert_eq!(
        load(&SavedCrowd {
            boards,
            ..saved.clone()
        }),
        (false, true)
    );
    let agents = [&saved.agents[..], &[0]].concat().into();
    assert_eq!(
        load(&SavedCrowd {
            agents,
            ..saved.clone()
        }),
        (false, true)
    );
    assert!(refused > 200);
}

/// Any bytes for the agents are refused, or make a crowd that ticks without a panic.
#[test]
fn save_3_any_bytes_of_agents_are_refused_or_run() {
    let (v1, v2) = (guard("2s", "doze", KEYS), guard("2s", "snore", KEYS));
    let saved = guards(&v1).0.to_saved();
    let mut loaded = 0;
    for bit in 0..saved.agents.len() * 8 {
        let mut agents = saved.agents.to_vec();
        agents[bit / 8] ^= 1 << (bit % 8);
        let saved = SavedCrowd {
            agents: agents.into(),
            ..saved.clone()
        };
        for machine in [&v1, &v2] {
            let mut crowd = crowd(machine);
            let plan = statewright::Reload::plan(&v1, machine);
            if crowd.load_saved(&saved, &plan).is_ok() {
                loaded += 1;
                crowd.tick(&());
                crowd.tick(&());
            }
        }
    }
    assert!(loaded > 1000, "{loaded}");
}

/// Forms that go round and round, or promise more than there is.
#[test]
fn save_3_hostile_forms_end_soon() {
    #[derive(Board, Saved, Clone)]
    struct Dog {
        bones: i32,
    }
    let machine = guard("2s", "doze", "");
    let mut dogs: Crowd<Dog, ()> = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    for _ in 0..100 {
        dogs.spawn(Dog { bones: 1 });
    }
    let saved = dogs.to_saved();
    let field = |form: Form| FieldForm {
        name: "bones".into(),
        was: &[],
        form,
        default: None,
    };
    let nothing = || Box::new(Form::Tuple(Vec::new()));
    let hostile = [
        Form::Named(0),
        Form::Named(77),
        Form::List(nothing()),
        Form::Array(u32::MAX, nothing()),
        Form::Array(u32::MAX, Box::new(Form::Array(u32::MAX, nothing()))),
        Form::value("i32", usize::MAX),
        Form::Maybe(Box::new(Form::Named(0))),
        Form::Own {
            version: 0,
            reread: None,
        },
    ];
    for form in hostile {
        let bytes = with_field(field(form.clone()));
        let forms_read = Forms::from_bytes(&bytes).unwrap();
        let saved = SavedCrowd {
            forms: forms_read,
            ..saved.clone()
        };
        let mut crowd: Crowd<Dog, ()> = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
        let plan = statewright::Reload::plan(&machine, &machine);
        let begun = Instant::now();
        assert!(crowd.load_saved(&saved, &plan).is_err(), "{form:?}");
        if let Some(checked) = saved.check_boards() {
            assert!(checked.is_err(), "{form:?}");
        }
        assert!(begun.elapsed() < Duration::from_secs(2), "{form:?}");
    }
}

/// Nothing at all.
fn no_type() -> TypeForm {
    TypeForm {
        name: "".into(),
        version: 0,
        is_enum: false,
        variants: Vec::new(),
        upgrade: None,
    }
}

/// The bytes of a struct with one field.
fn with_field(field: FieldForm) -> Vec<u8> {
    thread_local!(static FIELD: std::cell::RefCell<Option<FieldForm>> = const { std::cell::RefCell::new(None) });
    struct Made;
    impl Saved for Made {
        fn save(&self, _: &mut Vec<u8>) {}
        fn load(_: &Machine, _: &mut &[u8]) -> Option<Self> {
            None
        }
        fn form(forms: &mut Forms) -> Form {
            forms.named("Made", |_| TypeForm {
                variants: vec![VariantForm {
                    name: "".into(),
                    was: &[],
                    fields: vec![FIELD.with_borrow_mut(Option::take).unwrap()],
                }],
                ..no_type()
            })
        }
    }
    FIELD.set(Some(field));
    Forms::of::<Made>().to_bytes()
}
