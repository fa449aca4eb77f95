//! SAVE-2: blackboards of the user's own, field by field.

use statewright::prelude::*;
use statewright::{Machine, Saved};
use statewright_save::{Save, Writer};

fn machine() -> Machine {
    let text = r#"{ "machine": "Dog", "states": { "sit": {} } }"#;
    Machine::from_text("dog.sw.json", text).unwrap()
}

fn crowd<B: Board + Saved>(boards: Vec<B>) -> Crowd<B, ()> {
    let mut crowd = Crowd::new(machine().bind(Functions::new()).unwrap(), 1);
    for board in boards {
        crowd.spawn(board);
    }
    crowd
}

fn saved<B: Board + Saved>(boards: Vec<B>) -> Vec<u8> {
    let writer = Writer::new("tests").crowd("dogs", &crowd(boards).to_saved());
    writer.unwrap().finish()
}

/// What another version of the program makes of a save.
fn load<B: Board + Saved>(bytes: &[u8]) -> Result<Vec<B>, String> {
    let mut dogs = crowd::<B>(Vec::new());
    let loaded = Save::read(bytes).unwrap().load("dogs", &mut dogs);
    loaded.map_err(|error| {
        assert_eq!(
            dogs.agents().count(),
            0,
            "a load that fails changes nothing"
        );
        error.to_string()
    })?;
    let agents: Vec<AgentId> = dogs.agents().collect();
    let boards = agents.iter().map(|&agent| {
        let mut bytes = Vec::new();
        dogs.board(agent).unwrap().save(&mut bytes);
        B::load(&machine(), &mut &bytes[..]).unwrap()
    });
    Ok(boards.collect())
}

mod v1 {
    use super::*;

    #[derive(Saved, Clone)]
    pub enum Goal {
        None,
        Fetch { what: String, at: [f32; 2] },
        Follow(AgentId),
    }

    #[derive(Saved, Clone, Default)]
    pub struct Tail {
        pub length: f32,
        pub wags: u16,
    }

    #[derive(Board, Saved, Clone)]
    pub struct Dog {
        pub hunger: f32,
        pub bones: i32,
        pub name: String,
        pub goals: Vec<Goal>,
        pub tail: Option<Tail>,
        pub old_trick: (u8, bool),
    }

    pub fn dogs() -> Vec<Dog> {
        let dog = |bones: i32| Dog {
            hunger: 0.25,
            bones,
            name: format!("dog {bones}"),
            goals: vec![
                Goal::None,
                Goal::Fetch {
                    what: "stick".to_owned(),
                    at: [1.0, 2.0],
                },
                Goal::Follow(AgentId::default()),
            ],
            tail: (bones > 1).then_some(Tail {
                length: 0.5,
                wags: 9,
            }),
            old_trick: (1, true),
        };
        vec![dog(1), dog(2)]
    }
}

mod v2 {
    use super::*;

    /// `Fetch` is called `Bring` now, the order is another one, and `Sleep` is new.
    #[derive(Saved, Clone, Debug, PartialEq)]
    pub enum Goal {
        Follow(AgentId),
        #[saved(was = "Fetch")]
        Bring {
            at: [f32; 2],
            what: String,
        },
        Sleep,
        None,
    }

    #[derive(Saved, Clone, Debug, PartialEq)]
    #[saved(version = 1, upgrade = Tail::meters_to_centimeters)]
    pub struct Tail {
        pub wags: u16,
        pub length: f32,
    }

    impl Tail {
        /// Version 0 had meters.
        fn meters_to_centimeters(&mut self, from: u32) {
            assert_eq!(from, 0);
            self.length *= 100.0;
        }
    }

    #[derive(Board, Saved, Clone, Debug, PartialEq)]
    pub struct Dog {
        pub name: String,
        pub tail: Option<Tail>,
        #[saved(default = 7)]
        pub age: u32,
        #[saved(was = "bones")]
        pub treats: i32,
        #[saved(default)]
        pub hunger: f64,
        pub goals: Vec<Goal>,
        #[saved(skip)]
        pub seen: u64,
    }
}

#[test]
fn save_2_fields_go_by_name_and_type_through_everything_inside() {
    let dogs = load::<v2::Dog>(&saved(v1::dogs())).unwrap();
    let dog = |treats: i32| v2::Dog {
        name: format!("dog {treats}"),
        tail: (treats > 1).then_some(v2::Tail {
            wags: 9,
            length: 50.0,
        }),
        age: 7,
        treats,
        hunger: 0.0,
        goals: vec![
            v2::Goal::None,
            v2::Goal::Bring {
                at: [1.0, 2.0],
                what: "stick".to_owned(),
            },
            v2::Goal::Follow(AgentId::default()),
        ],
        seen: 0,
    };
    assert_eq!(dogs, [dog(1), dog(2)]);
}

#[test]
fn save_2_a_missing_field_without_a_default_is_refused_by_name() {
    #[derive(Board, Saved, Clone)]
    struct Strict {
        bones: i32,
        color: u32,
    }
    let error = load::<Strict>(&saved(v1::dogs())).err().unwrap();
    assert_eq!(
        error,
        "crowd `dogs`: agent 0: field `color` is not in the save: write `#[saved(default)]` before it, or name what it was with `#[saved(was = \"…\")]`"
    );
    let _ = |strict: Strict| (strict.bones, strict.color);
}

#[test]
fn save_2_another_type_and_a_variant_that_is_gone_are_refused_by_name() {
    #[derive(Board, Saved, Clone)]
    struct Other {
        bones: f32,
    }
    let error = load::<Other>(&saved(v1::dogs())).err().unwrap();
    assert!(
        error.contains("field `bones` was i32 and is f32 now"),
        "{error}"
    );
    let _ = |other: Other| other.bones;

    #[derive(Saved, Clone)]
    enum Goal {
        None,
        Follow(AgentId),
    }
    #[derive(Board, Saved, Clone)]
    struct Poor {
        goals: Vec<Goal>,
    }
    let error = load::<Poor>(&saved(v1::dogs())).err().unwrap();
    assert!(
        error.contains("field `goals` holds the variant `Fetch`, which is gone"),
        "{error}"
    );
    let _ = |poor: Poor| {
        poor.goals
            .iter()
            .any(|goal| matches!(goal, Goal::None | Goal::Follow(_)))
    };
}

#[test]
fn save_2_a_newer_version_is_refused_by_its_number() {
    #[derive(Board, Saved, Clone)]
    #[saved(version = 3)]
    struct New {
        bones: i32,
    }
    #[derive(Board, Saved, Clone)]
    #[saved(version = 2)]
    struct Old {
        bones: i32,
    }
    let error = load::<Old>(&saved(vec![New { bones: 1 }])).err().unwrap();
    assert_eq!(
        error,
        "crowd `dogs`: agent 0: the blackboard was saved by version 3 of its type, which is newer than version 2 of this program"
    );
    let _ = |old: Old| old.bones;
    assert_eq!(
        load::<New>(&saved(vec![Old { bones: 4 }])).unwrap()[0].bones,
        4
    );
}

/// A type that is written by hand: the loader is told the version.
#[derive(Clone, Debug, PartialEq)]
struct Hand<const VERSION: u32>(u32);

impl<const VERSION: u32> Board for Hand<VERSION> {}

impl<const VERSION: u32> Saved for Hand<VERSION> {
    const VERSION: u32 = VERSION;

    fn save(&self, bytes: &mut Vec<u8>) {
        match VERSION {
            0 => (self.0 as u8).save(bytes),
            _ => self.0.save(bytes),
        }
    }

    fn load(machine: &Machine, bytes: &mut &[u8]) -> Option<Self> {
        Self::load_version(machine, VERSION, bytes)
    }

    fn load_version(machine: &Machine, version: u32, bytes: &mut &[u8]) -> Option<Self> {
        match version {
            0 => u8::load(machine, bytes).map(|number| Self(number.into())),
            1 => u32::load(machine, bytes).map(Self),
            _ => None,
        }
    }
}

#[test]
fn save_2_a_type_written_by_hand_is_told_the_version() {
    let old = saved(vec![Hand::<0>(7), Hand::<0>(8)]);
    assert_eq!(load::<Hand<1>>(&old).unwrap(), [Hand(7), Hand(8)]);
    let error = load::<Hand<0>>(&saved(vec![Hand::<1>(7)])).err().unwrap();
    assert!(
        error.contains("version 1 of its type, which is newer than version 0"),
        "{error}"
    );
    // Inside another type, too, where bytes of other fields come behind it.
    #[derive(Board, Saved, Clone)]
    struct Around<T> {
        hand: T,
        bones: i32,
    }
    impl<T: Saved> Around<T> {
        fn new(hand: T) -> Self {
            Self { hand, bones: 5 }
        }
    }
    let old = saved(vec![Around::new(Hand::<0>(7))]);
    let new = load::<Around<Hand<1>>>(&old).unwrap();
    assert_eq!((&new[0].hand, new[0].bones), (&Hand(7), 5));
}

#[test]
fn save_2_serde_says_what_is_missing() {
    #[derive(Board, Saved, Clone, serde::Serialize, serde::Deserialize)]
    #[saved(serde)]
    struct Old {
        hunger: f32,
        bones: i32,
    }
    #[derive(Board, Saved, Clone, serde::Serialize, serde::Deserialize)]
    #[saved(serde)]
    struct New {
        #[serde(default)]
        age: u32,
        hunger: f32,
    }
    #[derive(Board, Saved, Clone, serde::Serialize, serde::Deserialize)]
    #[saved(serde)]
    struct Strict {
        age: u32,
    }
    let bytes = saved(vec![Old {
        hunger: f32::NAN,
        bones: 3,
    }]);
    let new = load::<New>(&bytes).unwrap();
    assert!(new[0].hunger.is_nan() && new[0].age == 0);
    assert!(load::<Strict>(&bytes).is_err());
    assert_eq!(load::<Old>(&bytes).unwrap()[0].bones, 3);
    let _ = |strict: Strict| strict.age;
}

/// A type that holds itself.
#[test]
fn save_2_types_may_hold_themselves() {
    #[derive(Board, Saved, Clone)]
    struct Node {
        value: u8,
        next: Option<Box<Node>>,
    }
    let chain =
        |count: u8| (0..count).fold(None, |next, value| Some(Box::new(Node { value, next })));
    let nodes = vec![Node {
        value: 9,
        next: chain(20),
    }];
    let again = load::<Node>(&saved(nodes)).unwrap();
    let depth = std::iter::successors(again[0].next.as_ref(), |node| node.next.as_ref()).count();
    assert_eq!((again[0].value, depth), (9, 20));
}
