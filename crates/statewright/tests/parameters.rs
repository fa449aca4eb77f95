//! Parameters that are changed while a crowd runs: an input like any other (CODE-3).

use statewright::Instance as _;
use statewright::ids::{ParameterId, VariantId};
use statewright::prelude::*;
use statewright::{
    Blackboard, Input, InputError, ParameterChange, ParameterError, ParameterHandle, Parameters,
    SnapshotError, Type, VariantHandle,
};
use statewright_bytes::seal;

const DOG: &str = r#"{ "machine": "Dog", "events": ["Call"],
  "parameters": { "fear": 3, "brave": false, "spot": { "type": "vec2", "value": [1.0, 2.0] },
                  "mood": { "type": "symbol", "value": "calm" } },
  "variants": { "hero": { "fear": 0 }, "plain": { "brave": false } },
  "blackboard": { "fears": "i32", "x": "f32" },
  "initial": "sit",
  "states": {
    "sit": { "transitions": [
      { "when": "always", "if": "brave", "to": "bark" },
      { "on": "Call", "do": ["fears += fear", "x += spot.x"] } ] },
    "bark": { "transitions": [{ "when": "always", "if": "!brave", "to": "sit" }] } } }"#;

type Dogs = Crowd<Blackboard, ()>;

fn dogs(count: u32) -> (Dogs, Vec<AgentId>) {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    let mut crowd = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    let variants = [None, Some("hero"), Some("plain")];
    let agents = (0..count).map(|number| {
        let board = Blackboard::new(&machine);
        match variants[number as usize % 3] {
            None => crowd.spawn(board),
            Some(name) => crowd.spawn_as(board, machine.variant(name).unwrap()),
        }
    });
    let agents = agents.collect();
    crowd.tick(&());
    crowd.tick(&());
    (crowd, agents)
}

fn parameter(crowd: &Dogs, name: &str) -> ParameterHandle {
    crowd.machine().parameter(name).unwrap()
}

fn fears(crowd: &Dogs) -> Vec<i32> {
    let key = crowd.machine().key("fears").unwrap();
    let of = |agent| crowd.board(agent).unwrap().get(key).unwrap();
    crowd.agents().map(of).collect()
}

fn call(crowd: &mut Dogs) {
    let call = crowd.machine().event("Call").unwrap();
    crowd.broadcast(call, ()).unwrap();
    crowd.tick(&());
}

#[test]
fn code_3_a_parameter_may_be_changed_while_a_crowd_runs() {
    let (mut crowd, _) = dogs(3);
    let (fear, hero) = (
        parameter(&crowd, "fear"),
        crowd.machine().variant("hero").unwrap(),
    );
    call(&mut crowd);
    assert_eq!(fears(&crowd), [3, 0, 3]);
    crowd.set_parameter(fear, 10).unwrap();
    call(&mut crowd);
    assert_eq!(fears(&crowd), [13, 0, 13], "a hero has a value of its own");
    crowd.set_parameter_of(hero, fear, 100).unwrap();
    call(&mut crowd);
    assert_eq!(fears(&crowd), [23, 100, 23]);
    let plain = crowd.machine().variant("plain").unwrap();
    crowd.set_parameter_of(plain, fear, 1).unwrap();
    crowd.set_parameter(fear, 1000).unwrap();
    call(&mut crowd);
    assert_eq!(
        fears(&crowd),
        [1023, 200, 24],
        "the last word is the variant's"
    );
    let values = [VariantHandle::PLAIN, hero, plain];
    let values = values.map(|variant| crowd.parameter_of::<i32>(variant, fear).unwrap());
    assert_eq!((values, crowd.parameter(fear)), ([1000, 100, 1], Ok(1000)));
    let spot = parameter(&crowd, "spot");
    crowd.set_parameter(spot, [8.0, 9.0]).unwrap();
    assert_eq!(crowd.parameter(spot), Ok([8.0_f32, 9.0]));
    let other = Crowd::<Blackboard, ()>::new(crowd.machine().bind(Functions::new()).unwrap(), 1);
    assert_eq!(other.parameter(fear), Ok(3), "other crowds have their own");
}

#[test]
fn sys_2_whoever_sleeps_over_a_parameter_is_woken_by_its_change() {
    let (mut crowd, agents) = dogs(3);
    let brave = parameter(&crowd, "brave");
    assert_eq!(crowd.awake(), 0, "everybody waits for the parameter");
    crowd.set_parameter(brave, false).unwrap();
    assert_eq!(crowd.awake(), 0, "nothing is different");
    let hero = crowd.machine().variant("hero").unwrap();
    crowd.set_parameter_of(hero, brave, true).unwrap();
    assert_eq!(crowd.awake(), 1, "the others have the same value");
    crowd.tick(&());
    let paths = |crowd: &Dogs| {
        agents
            .iter()
            .map(|&dog| crowd.path(dog).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(&crowd), ["sit", "bark", "sit"]);
    crowd.set_parameter(brave, true).unwrap();
    crowd.tick(&());
    assert_eq!(paths(&crowd), ["bark", "bark", "bark"]);
}

#[test]
fn code_3_what_is_no_value_of_a_parameter_is_refused() {
    let (mut crowd, _) = dogs(3);
    let before = crowd.snapshot();
    let (fear, mood) = (parameter(&crowd, "fear"), parameter(&crowd, "mood"));
    assert!(crowd.machine().parameter("feer").is_err());
    let ghost = ParameterId::from_index(4).unwrap();
    let nobody = VariantId::from_index(3).unwrap();
    let name = |name: &str| name.to_owned();
    let wrong = ParameterError::WrongType {
        name: name("fear"),
        is: Type::I32,
        given: Type::F32,
    };
    let machine = name("Dog");
    let unknown = ParameterError::Unknown {
        machine: machine.clone(),
        parameter: ghost,
    };
    let unknown_variant = ParameterError::UnknownVariant {
        machine,
        variant: nobody,
    };
    let no_value = ParameterError::NoValue {
        name: name("mood"),
        ty: Type::Symbol,
    };
    assert_eq!(crowd.set_parameter(fear, 1.5_f32), Err(wrong.clone()));
    assert_eq!(crowd.parameter::<f32>(fear), Err(wrong));
    let change = ParameterChange::new(VariantId::PLAIN, ghost, 1);
    assert_eq!(
        crowd.apply(Input::SetParameter(change)),
        Err(InputError::Parameter(unknown.clone()))
    );
    let change = ParameterChange::new(nobody, fear.id(), 1);
    assert_eq!(
        crowd.apply(Input::SetParameter(change)),
        Err(InputError::Parameter(unknown_variant))
    );
    let strange: Symbol = statewright::Value::from_words([77, 0, 0]);
    assert_eq!(crowd.set_parameter(mood, strange), Err(no_value.clone()));
    let brave = ParameterChange {
        variant: VariantId::PLAIN,
        parameter: parameter(&crowd, "brave").id(),
        ty: Type::Bool,
        words: [2, 0, 0],
    };
    let refused = crowd.apply(Input::SetParameter(brave));
    let error = refused.unwrap_err();
    assert!(matches!(
        error,
        InputError::Parameter(ParameterError::NoValue { .. })
    ));
    assert_eq!(
        error.to_string(),
        "that is no bool which parameter `brave` could have"
    );
    assert_eq!(
        unknown.to_string(),
        "`Dog` has no parameter 4: it is one of another machine"
    );
    assert_eq!(crowd.snapshot(), before, "nothing changed");
}

#[test]
fn sys_6_changed_parameters_are_part_of_snapshots() {
    let (mut crowd, _) = dogs(6);
    let (fear, brave) = (parameter(&crowd, "fear"), parameter(&crowd, "brave"));
    let plain = crowd.snapshot();
    crowd.set_parameter(fear, 10).unwrap();
    let hero = crowd.machine().variant("hero").unwrap();
    crowd.set_parameter_of(hero, brave, true).unwrap();
    let saved = crowd.snapshot();
    let run = |crowd: &mut Dogs| {
        call(crowd);
        (crowd.tick(&()), crowd.snapshot())
    };
    let expected = run(&mut crowd);
    crowd.restore(&plain).unwrap();
    assert_eq!(
        (crowd.parameter(fear), crowd.parameters().changes().len()),
        (Ok(3), 0)
    );
    crowd.restore(&saved).unwrap();
    assert_eq!(
        (crowd.parameter(fear), crowd.snapshot() == saved),
        (Ok(10), true)
    );
    assert_eq!(run(&mut crowd), expected);
    let (mut other, _) = dogs(1);
    other.restore(&saved).unwrap();
    assert_eq!(run(&mut other), expected);
}

#[test]
fn sys_6_changes_that_cannot_be_are_refused() {
    let (mut crowd, agents) = dogs(1);
    crowd.set_parameter(parameter(&crowd, "fear"), 10).unwrap();
    crowd
        .set_parameter(parameter(&crowd, "brave"), true)
        .unwrap();
    let saved = crowd.snapshot();
    let one = 16;
    let behind = size_of::<statewright::Instance64>() + {
        let mut board = Vec::new();
        statewright::Saved::save(crowd.board(agents[0]).unwrap(), &mut board);
        board.len()
    };
    let end = saved.len() - behind;
    let second = end - one;
    assert_eq!(saved[second..end][..6], [0, 0, 1, 0, 1, 0], "brave is true");
    let with = |at: usize, byte: u8| {
        let mut bytes = saved.clone();
        bytes[at] = byte;
        seal(&mut bytes);
        bytes
    };
    let wrong = SnapshotError::Content("parameters");
    // Another variant, another parameter, the same twice, a truth value of 2.
    for bytes in [
        with(second, 3),
        with(second + 2, 9),
        with(second + 2, 0),
        with(second + 4, 2),
    ] {
        assert_eq!(crowd.restore(&bytes), Err(wrong.clone()));
    }
    assert_eq!(crowd.restore(&saved), Ok(()));
}

#[cfg(feature = "parallel")]
#[test]
fn code_3_changed_parameters_are_the_same_on_any_threads_and_asleep_or_awake() {
    let run = |chunk_size: Option<usize>, sleeping: bool| {
        let (mut crowd, _) = dogs(100);
        crowd.set_sleeping(sleeping);
        crowd.set_chunk_size(chunk_size.unwrap_or(1));
        let (fear, brave) = (parameter(&crowd, "fear"), parameter(&crowd, "brave"));
        let (call, mut shots) = (crowd.machine().event("Call").unwrap(), Vec::new());
        for tick in 0..20 {
            crowd.set_parameter(fear, tick).unwrap();
            crowd.set_parameter(brave, tick % 3 == 0).unwrap();
            crowd.broadcast(call, ()).unwrap();
            match chunk_size {
                Some(_) => crowd.tick_parallel(&()),
                None => crowd.tick(&()),
            };
            shots.push(crowd.snapshot());
        }
        shots
    };
    let expected = run(None, true);
    for (size, sleeping) in [(1, true), (7, false), (33, true), (1000, false)] {
        assert!(run(Some(size), sleeping) == expected, "{size}");
    }
}

#[test]
fn code_3_slices_take_changed_parameters() {
    let (crowd, _) = dogs(0);
    let machine = crowd.machine();
    let (fear, call) = (parameter(&crowd, "fear"), machine.event("Call").unwrap());
    let mut parameters = Parameters::default();
    parameters
        .set(machine, VariantHandle::PLAIN, fear, 40)
        .unwrap();
    let mut instances = vec![statewright::Instance64::new(&machine.rom(), 1, 0).unwrap()];
    let mut boards = vec![Blackboard::new(machine)];
    let mut output = statewright::SlicesOutput::default();
    let inbox = [statewright::InboxEvent {
        place: 0,
        event: statewright::Event::new(call.id(), Class::Normal),
    }];
    let mut run = |program: &Program<Blackboard, ()>, tick, inbox: &[_], parameters| {
        let slices = statewright::Slices {
            tick,
            inbox,
            parameters,
            ..Default::default()
        };
        program.tick_slices(&mut instances, &mut boards, &(), slices, &mut output)?;
        Ok(boards[0].get::<i32>(machine.key("fears").unwrap()).unwrap())
    };
    assert_eq!(run(crowd.program(), 0, &[], Some(&parameters)), Ok(0));
    assert_eq!(run(crowd.program(), 1, &inbox, Some(&parameters)), Ok(40));
    assert_eq!(run(crowd.program(), 2, &inbox, None), Ok(43));
    let other = Machine::from_text("cat.sw.json", &DOG.replace("bark", "yelp")).unwrap();
    let mut foreign = Parameters::default();
    foreign.set(&other, VariantHandle::PLAIN, fear, 1).unwrap();
    let refused = run(crowd.program(), 3, &inbox, Some(&foreign));
    assert_eq!(refused, Err(statewright::SlicesError::Parameters));
}

/// LANG-3: what a parameter says counts from the next time it is asked; what runs stays.
#[test]
fn lang_3_a_changed_duration_counts_from_the_next_entry() {
    let text = r#"{ "machine": "Guard", "tick_rate": 10, "events": ["Again"],
      "parameters": { "patience": "1s" }, "variants": { "calm": { "patience": "2s" } },
      "initial": "wait", "states": {
        "wait": { "transitions": [{ "after": "patience", "to": "gone" }, { "on": "Again", "to": "wait" }] },
        "gone": {} } }"#;
    let machine = Machine::from_text("guard.sw.json", text).unwrap();
    let patience = machine.parameter("patience").unwrap();
    let again = machine.event("Again").unwrap();
    let mut guards = Crowd::new(machine.bind(Functions::<(), ()>::new()).unwrap(), 1);
    let [first, second] = [guards.spawn(()), guards.spawn(())];
    guards.tick(&());
    guards.set_parameter(patience, 0.5_f32).unwrap();
    assert_eq!(guards.parameter::<f32>(patience).unwrap(), 0.5);
    guards.send(second, again, ()).unwrap();
    // Ten ticks after its entry for the first, five after it was told for the second.
    let mut left = [None; 2];
    for tick in 2..20_u32 {
        guards.tick(&());
        for (agent, left) in [first, second].into_iter().zip(&mut left) {
            let is_gone = guards.path(agent).unwrap() == "gone";
            *left = left.or(is_gone.then_some(tick));
        }
    }
    assert_eq!(left, [Some(11), Some(7)]);
}

/// LANG-2: agents that sleep between two times wake up for each.
#[test]
fn lang_2_every_wakes_whoever_sleeps() {
    let text = r#"{ "machine": "Lamp", "blackboard": { "blinks": "i32" },
      "initial": "on", "states": { "on": { "transitions": [{ "every": "5t", "do": "blinks += 1" }] } } }"#;
    let machine = Machine::from_text("lamp.sw.json", text).unwrap();
    let program = machine.bind(Functions::<Blackboard, ()>::new()).unwrap();
    let mut lamps = Crowd::new(program, 1);
    let lamp = lamps.spawn(Blackboard::new(&machine));
    for _ in 0..51 {
        lamps.tick(&());
    }
    let blinks = machine.key("blinks").unwrap();
    assert_eq!(lamps.board(lamp).unwrap().get::<i32>(blinks).unwrap(), 10);
}

#[test]
fn code_3_a_function_that_reads_a_parameter_as_another_type_ends_its_agent_alone() {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    let text = DOG.replacen(r#""do": ["#, r#""do": ["Read", "#, 1);
    let reader = Machine::from_text("dog.sw.json", &text).unwrap();
    type Asked = (ParameterHandle, Option<ParameterError>);
    let functions =
        Functions::<_, Asked>::new().action("Read", |_: &mut Blackboard, (asked, wrong), cx| {
            assert_eq!(cx.try_parameter::<f32>(*asked).err(), *wrong);
            let _: f32 = cx.parameter(*asked);
        });
    let [fear, spot] = ["fear", "spot"].map(|name| machine.parameter(name).unwrap());
    let wrong = |parameter: ParameterHandle, is| ParameterError::WrongType {
        name: reader.symbols().of(parameter.id()).unwrap().to_owned(),
        is,
        given: Type::F32,
    };
    for (asked, is) in [(fear, Type::I32), (spot, Type::Vec2)] {
        let mut crowd = Crowd::new(reader.bind(functions.clone()).unwrap(), 1);
        let [one, two] = [(); 2].map(|()| crowd.spawn(Blackboard::new(&reader)));
        let asked = (asked, Some(wrong(asked, is)));
        crowd.tick(&asked);
        crowd.send(one, reader.event("Call").unwrap(), ()).unwrap();
        assert_eq!(crowd.tick(&asked).panicked, 1, "{asked:?}");
        let said = crowd.panicked().next().map(|one| one.message.clone());
        assert_eq!(said, asked.1.as_ref().map(ToString::to_string));
        assert!(crowd.has_ended(one).unwrap() && !crowd.has_ended(two).unwrap());
    }
    assert_eq!(
        wrong(fear, Type::I32).to_string(),
        "parameter `fear` is i32, not f32"
    );
}
