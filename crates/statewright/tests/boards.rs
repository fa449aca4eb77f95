//! Which types of fields machine files see: by what the compiler knows of them, not by how they are
//! spelled (CODE-5).

use statewright::prelude::*;
use statewright::{Type, Value};

type Meters = f32;

mod far_away {
    pub type Id = statewright::AgentId;
    pub type Place = [f32; 3];
}

#[derive(Clone, Copy, Debug, PartialEq, Value)]
struct Health(i32);

#[derive(Clone, Copy, Debug, PartialEq, Value)]
struct Wrapped {
    inner: Health,
}

/// A type of the user's own, by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mood {
    Calm,
    Angry,
}

impl Value for Mood {
    const TYPE: Type = Type::Bool;

    fn from_words([word, ..]: [u32; 3]) -> Self {
        if word == 0 { Self::Calm } else { Self::Angry }
    }

    fn to_words(self) -> [u32; 3] {
        [self as u32, 0, 0]
    }
}

/// It has the name of a value, but is none.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entity(u64);

const TWO: usize = 2;

#[derive(Debug, Board)]
struct Soldier<'a, T, V: Value> {
    path: Vec<[f32; 3]>,
    health: Health,
    other: T,
    armor: Wrapped,
    speed: Meters,
    enemy: far_away::Id,
    label: &'a str,
    home: far_away::Place,
    angle: [f32; TWO],
    mood: Mood,
    entity: Entity,
    own: V,
}

fn soldier() -> Soldier<'static, i32, i32> {
    Soldier {
        path: Vec::new(),
        health: Health(70),
        other: 0,
        armor: Wrapped { inner: Health(5) },
        speed: 1.5,
        enemy: AgentId::from_words([3, 1, 0]),
        label: "one",
        home: [1.0, 2.0, 3.0],
        angle: [0.5, 0.25],
        mood: Mood::Calm,
        entity: Entity(9),
        own: 4,
    }
}

#[test]
fn code_5_fields_are_shown_by_their_types_and_not_by_their_spelling() {
    let shown = [
        ("health", Type::I32),
        ("armor", Type::I32),
        ("speed", Type::F32),
        ("enemy", Type::Entity),
        ("home", Type::Vec3),
        ("angle", Type::Vec2),
        ("mood", Type::Bool),
        ("own", Type::I32),
    ];
    assert_eq!(Soldier::<i32, i32>::FIELDS, shown);
    let hidden: &[&str] = &["path", "other", "label", "entity"];
    assert_eq!(Soldier::<i32, i32>::HIDDEN, Some(hidden));
    let mut soldier = soldier();
    let words: Vec<[u32; 3]> = (0..9).map(|field| soldier.read(field)).collect();
    let [x, y, z] = [1.0_f32, 2.0, 3.0].map(f32::to_bits);
    assert_eq!(words[..2], [[70, 0, 0], [5, 0, 0]]);
    assert_eq!(words[3..5], [[3, 1, 0], [x, y, z]]);
    assert_eq!(words[7..], [[4, 0, 0], [0; 3]], "past the last are zeros");
    soldier.write(1, [8, 0, 0]);
    soldier.write(6, [1, 0, 0]);
    soldier.write(8, [1, 1, 1]);
    assert_eq!(soldier.armor, Wrapped { inner: Health(8) });
    assert_eq!((soldier.mood, soldier.other), (Mood::Angry, 0));
}

/// The machine has keys for every one of them.
#[derive(Board)]
struct Fighter {
    trail: Vec<i32>,
    health: Health,
    speed: Meters,
    mood: Mood,
}

#[functions]
impl Fighter {
    #[action]
    fn rest(&mut self) {
        self.trail.push(self.health.0);
    }
}

statewright::machine!(mod fighter = "tests/machines/fighter.sw.json", functions = Fighter);

/// The keys alone, of a blackboard that takes any machine.
#[functions(board = statewright::Blackboard)]
mod of_schema {
    #[action]
    fn rest(_: &mut statewright::Blackboard) {}
}

statewright::machine!(mod schema = "tests/machines/fighter.sw.json", functions = of_schema::List);

#[test]
fn code_5_machine_files_read_and_write_aliases_newtypes_and_own_types() {
    let mut crowd = Crowd::new(fighter::machine().bind(Fighter::functions()).unwrap(), 1);
    let agent = crowd.spawn(Fighter {
        trail: Vec::new(),
        health: Health(40),
        speed: 1.0,
        mood: Mood::Angry,
    });
    crowd.tick(&());
    crowd.tick(&());
    let fighter = crowd.board(agent).unwrap();
    assert_eq!((fighter.health, fighter.speed), (Health(50), 2.5));
    assert_eq!((fighter.mood, &fighter.trail[..]), (Mood::Calm, &[50][..]));
    let machine = schema::machine();
    let schema = machine.bind(of_schema::functions()).unwrap();
    assert_eq!(schema.unused(), []);
}

#[cfg(feature = "glam")]
#[test]
fn code_5_vectors_of_glam_are_values() {
    use glam::{Vec2, Vec3, Vec3A};
    #[derive(Board)]
    struct Ship {
        at: Vec3,
        course: Vec2,
        fast: Vec3A,
    }
    let shown = [
        ("at", Type::Vec3),
        ("course", Type::Vec2),
        ("fast", Type::Vec3),
    ];
    assert_eq!(Ship::FIELDS, shown);
    let mut ship = Ship {
        at: Vec3::ZERO,
        course: Vec2::ZERO,
        fast: Vec3A::ZERO,
    };
    ship.write(0, [1.0, 2.0, 3.0].to_words());
    ship.write(1, [4.0, 5.0].to_words());
    ship.write(2, [6.0, 7.0, 8.0].to_words());
    assert_eq!(ship.at, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(ship.course, Vec2::new(4.0, 5.0));
    assert_eq!(ship.fast, Vec3A::new(6.0, 7.0, 8.0));
    assert_eq!(ship.read(2), [6.0, 7.0, 8.0].to_words());
}

#[test]
fn a_key_whose_field_is_skipped_is_told_so() {
    #[derive(Board)]
    struct Shy {
        #[board(skip)]
        _mood: i32,
    }
    let text = r#"{ "machine": "Shy", "blackboard": { "_mood": "i32", "age": "i32" }, "states": { "home": {} } }"#;
    let machine = Machine::from_text("shy.sw.json", text).unwrap();
    let error = machine.bind(Functions::<Shy, ()>::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "machine `Shy` does not fit its functions:
  the machine declares `_mood` as i32, but `#[board(skip)]` hides the blackboard's field from it: remove that
  the blackboard has no field `age` of type i32, which the machine declares"
    );
}

#[test]
fn a_board_may_begin_with_the_defaults_of_the_machine_file() {
    #[derive(Board, Debug, Default, PartialEq)]
    struct Dog {
        hunger: f32,
        home: [f32; 2],
        bones: i32,
        #[board(skip)]
        steps: u32,
    }
    let text = r#"{ "machine": "Dog", "blackboard": {
        "hunger": { "type": "f32", "default": 0.5 }, "bones": "i32",
        "home": { "type": "vec2", "default": [1.0, 2.0] } }, "states": { "sit": {} } }"#;
    let machine = Machine::from_text("dog.sw.json", text).unwrap();
    let wanted = Dog {
        hunger: 0.5,
        home: [1.0, 2.0],
        bones: 0,
        steps: 0,
    };
    assert_eq!(machine.default_board::<Dog>(), wanted);
}
