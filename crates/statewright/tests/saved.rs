//! Ordinary types in snapshots: every value comes back, and bytes that none has written are refused
//! (SYS-6).

use statewright::Saved;
use statewright::prelude::*;

#[derive(Clone, Debug, PartialEq, Saved)]
enum Goal {
    None,
    Follow(AgentId, Option<f32>),
    Walk {
        to: [f32; 2],
        fast: bool,
        via: Vec<(i8, u64)>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Saved)]
struct Pack<T> {
    items: [T; 2],
    empty: (),
}

/// Takes no bytes at all.
#[derive(Clone, Debug, Default, PartialEq, Saved)]
struct Nothing {
    #[saved(skip)]
    frames: u64,
}

#[derive(Clone, Debug, PartialEq, Saved)]
struct Body {
    alive: bool,
    health: i32,
    wide: (u128, i64, f64),
    letter: char,
    goal: Goal,
    last: Option<Box<Goal>>,
    name: String,
    pack: Pack<Option<u16>>,
    who: (Entity, Symbol, usize, isize),
    nothing: Vec<Nothing>,
    #[saved(skip)]
    frames: u32,
}

impl Board for Body {}

fn machine() -> Machine {
    Machine::build("Body", |m| {
        m.event("Go");
        m.initial("idle");
        m.state("idle", |s| {
            s.on("Go").go("gone");
        });
        m.state("gone", |_| {});
    })
    .unwrap()
}

fn agent(index: u32) -> AgentId {
    statewright::Value::from_words([index, 1, 0])
}

fn bodies() -> [Body; 3] {
    let first = Body {
        alive: true,
        health: -7,
        wide: (u128::MAX - 1, i64::MIN, -0.0),
        letter: 'ß',
        goal: Goal::None,
        last: None,
        name: String::new(),
        pack: Pack::default(),
        who: (
            Entity(1 << 40),
            statewright::Value::from_words([3, 0, 0]),
            usize::MAX,
            -1,
        ),
        nothing: Vec::new(),
        frames: 0,
    };
    let walk = Goal::Walk {
        to: [1.5, f32::INFINITY],
        fast: true,
        via: vec![(-1, 2), (3, 4)],
    };
    let second = Body {
        alive: false,
        goal: Goal::Follow(agent(4), Some(0.25)),
        last: Some(Box::new(walk.clone())),
        name: "Grün".to_owned(),
        pack: Pack {
            items: [Some(9), None],
            empty: (),
        },
        nothing: vec![Nothing::default(); 3],
        ..first.clone()
    };
    let third = Body {
        goal: walk,
        last: Some(Box::new(Goal::Follow(agent(0), None))),
        ..second.clone()
    };
    [first, second, third]
}

fn bytes(body: &Body) -> Vec<u8> {
    let mut bytes = Vec::new();
    body.save(&mut bytes);
    bytes
}

#[test]
fn sys_6_every_value_comes_back_in_any_place() {
    let machine = machine();
    for body in bodies() {
        let mut saved = bytes(&body);
        saved.push(77);
        let mut rest = &saved[..];
        assert_eq!(Body::load(&machine, &mut rest), Some(body.clone()));
        assert_eq!(rest, [77], "what comes behind it is left alone");
        for mut before in bodies() {
            before.frames = 5;
            let mut rest = &saved[..];
            assert_eq!(before.load_over(&machine, &mut rest), Some(()));
            assert_eq!((&before, rest), (&body, &[77][..]));
        }
    }
}

/// Every value takes as many bytes as the next.
#[derive(Clone, Debug, Default, PartialEq, Saved)]
struct Steady<T> {
    step: (u8, i64),
    #[saved(skip)]
    frames: u32,
    place: [f32; 3],
    own: Box<T>,
    alive: bool,
    nothing: Nothing,
}

impl<T: Saved> Board for Steady<T> {}

fn steady(number: u16) -> Steady<u16> {
    Steady {
        step: (number as u8, -i64::from(number)),
        place: [number.into(), 0.5, -1.0],
        own: number.into(),
        alive: number.is_multiple_of(3),
        ..Steady::default()
    }
}

#[test]
fn sys_6_values_say_how_many_bytes_they_take() {
    assert_eq!(Steady::<u16>::BYTES, Some(1 + 8 + 12 + 2 + 1));
    assert_eq!((Nothing::BYTES, <()>::BYTES), (Some(0), Some(0)));
    assert_eq!(Steady::<Option<u16>>::BYTES, None);
    assert_eq!(
        (Goal::BYTES, Body::BYTES, String::BYTES),
        (None, None, None)
    );
    let one = steady(700);
    let (mut saved, mut placed) = (Vec::new(), [7; 24]);
    one.save(&mut saved);
    one.save_into(&mut placed);
    assert_eq!(saved, placed);
}

#[test]
fn sys_6_many_steady_values_are_one_behind_the_other() {
    let program = machine().bind(Functions::<Steady<u16>, ()>::new()).unwrap();
    let program = std::sync::Arc::new(program);
    let mut crowd = Crowd::new(program.clone(), 1);
    let agents: Vec<AgentId> = (0..500).map(|one| crowd.spawn(steady(one))).collect();
    let snapshot = crowd.snapshot();
    let mut boards = Vec::new();
    (0..500).for_each(|one| steady(one).save(&mut boards));
    assert!(snapshot.ends_with(&boards));
    // Over some that are there, and some that are not.
    let mut other = Crowd::new(program, 1);
    for count in [3, 700] {
        (0..count).for_each(|_| _ = other.spawn(steady(9)));
        other.restore(&snapshot).unwrap();
        for (number, &agent) in (0..).zip(&agents) {
            assert_eq!(*other.board(agent).unwrap(), steady(number));
        }
        assert_eq!(other.snapshot(), snapshot);
    }
    assert!(other.restore(&snapshot[..snapshot.len() - 1]).is_err());
}

#[test]
fn sys_6_every_cut_of_a_value_is_refused() {
    let machine = machine();
    for body in bodies() {
        let saved = bytes(&body);
        for end in 0..saved.len() {
            assert_eq!(Body::load(&machine, &mut &saved[..end]), None, "{end}");
            let loaded = body.clone().load_over(&machine, &mut &saved[..end]);
            assert_eq!(loaded, None, "{end}");
        }
    }
}

#[test]
fn sys_6_bytes_that_no_value_has_written_are_refused_or_mean_another_value() {
    let machine = machine();
    let mut refused = 0;
    for body in bodies() {
        let saved = bytes(&body);
        for (at, bit) in (0..saved.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut damaged = saved.clone();
            damaged[at] ^= 1 << bit;
            let mut rest = &damaged[..];
            match Body::load(&machine, &mut rest) {
                None => refused += 1,
                // What was read is what these bytes mean: nothing of them was ignored.
                Some(other) => {
                    let read = damaged.len() - rest.len();
                    assert_eq!(bytes(&other), damaged[..read], "{at}.{bit}");
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
    fn load<T: Saved>(bytes: &[u8]) -> Option<T> {
        T::load(&self::machine(), &mut &bytes[..])
    }
    assert_eq!((load::<bool>(&[1]), load::<bool>(&[2])), (Some(true), None));
    assert_eq!(load::<Goal>(&[3]), None, "there is no fourth variant");
    assert_eq!(load::<Option<u8>>(&[2, 0]), None);
    assert_eq!(load::<char>(&0xD800_u32.to_le_bytes()), None);
    assert_eq!(load::<String>(&[1, 0, 0, 0, 0, 0, 0, 0, 0xFF]), None);
    assert_eq!(load::<Vec<()>>(&[0xFF; 8]), None, "at once");
    assert_eq!(load::<Vec<Nothing>>(&[1, 0, 0, 0, 0, 0, 0, 0, 1]), None);
}

#[test]
fn sys_6_a_crowd_with_ordinary_blackboards_goes_back() {
    let machine = machine();
    let go = machine.event("Go").unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::<Body, ()>::new()).unwrap(), 1);
    let agents = bodies().map(|body| crowd.spawn(body));
    crowd.tick(&());
    let saved = crowd.snapshot();
    for &agent in &agents {
        crowd
            .edit_board(agent, |body| *body = bodies()[0].clone())
            .unwrap();
    }
    crowd.broadcast(go, ()).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.path(agents[1]).unwrap(), "gone");
    crowd.restore(&saved).unwrap();
    for (agent, body) in agents.into_iter().zip(bodies()) {
        assert_eq!(*crowd.board(agent).unwrap(), body);
    }
    assert_eq!(crowd.snapshot(), saved);
}
