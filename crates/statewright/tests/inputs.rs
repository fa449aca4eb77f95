//! Everything enters a crowd through one door: a method and the input of its kind do the same, and
//! what is refused changes nothing.

use statewright::ids::VariantId;
use statewright::prelude::*;
use statewright::{
    Blackboard, CrowdNumber, Envelope, Input, InputError, Missing, SpawnError, TickSettings,
    VariantError, VariantHandle, WrongBudget, WrongSettings,
};

const DOG: &str = r#"{ "machine": "Dog", "events": ["Call"],
  "parameters": { "brave": false }, "variants": { "hero": { "brave": true } },
  "blackboard": { "bones": { "type": "i32" } },
  "initial": "sit",
  "states": {
    "sit": { "transitions": [{ "when": "always", "if": "brave && bones > 0", "to": "bark" },
                             { "on": "Call", "to": "walk" }] },
    "bark": {}, "walk": { "transitions": [{ "after": "3t", "to": "sit" }] } } }"#;

type Dogs = Crowd<Blackboard, ()>;
type Method = fn(&mut Dogs, AgentId);
type InputOf = fn(AgentId) -> Input<Blackboard>;

fn dogs() -> Dogs {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    Crowd::new(machine.bind(Functions::new()).unwrap(), 1)
}

#[test]
fn a_method_and_its_input_do_the_same() {
    let [one, mut two] = [dogs(), dogs()];
    let machine = one.machine().clone();
    let (call, hero) = (
        machine.event("Call").unwrap(),
        machine.variant("hero").unwrap(),
    );
    let event = machine.make_event(call, ()).unwrap();
    let board = || Blackboard::new(&machine);
    let apply = |crowd: &mut Dogs, input| crowd.apply(input).unwrap();
    let mut first = one.starting_at(9);
    apply(&mut two, Input::StartAt(9));
    let agents = [
        first.spawn(board()),
        first.spawn_as(board(), hero),
        first.spawn(board()),
    ];
    for (agent, variant) in agents.into_iter().zip([None, Some(hero.id()), None]) {
        let board = board();
        assert_eq!(
            apply(&mut two, Input::Spawn { board, variant }),
            Some(agent)
        );
    }
    let saved = first.snapshot();
    let steps: [(Method, InputOf); 6] = [
        (|dogs, dog| dogs.pause(dog).unwrap(), Input::Pause),
        (|dogs, dog| dogs.resume(dog).unwrap(), Input::Resume),
        (|dogs, dog| dogs.stop(dog).unwrap(), Input::Stop),
        (|dogs, dog| dogs.reset(dog).unwrap(), Input::Reset),
        (
            |dogs, dog| dogs.clear_flags(dog).unwrap(),
            Input::ClearFlags,
        ),
        (|dogs, dog| dogs.despawn(dog).unwrap(), Input::Despawn),
    ];
    for (step, (method, input)) in steps.into_iter().enumerate() {
        let agent = agents[if step == 5 { 2 } else { step % 2 }];
        method(&mut first, agent);
        assert_eq!(apply(&mut two, input(agent)), None);
        first.send(agents[1], call, ()).unwrap();
        apply(
            &mut two,
            Input::Send(Envelope {
                to: agents[1],
                event,
            }),
        );
        first.broadcast(call, ()).unwrap();
        apply(&mut two, Input::Broadcast(event));
        first.set_variant(agents[0], hero).unwrap();
        apply(&mut two, Input::SetVariant(agents[0], hero.id()));
        assert_eq!(first.tick(&()), two.tick(&()), "step {step}");
        assert_eq!(first.snapshot(), two.snapshot(), "step {step}");
    }
    first.reset_counters();
    apply(&mut two, Input::ResetCounters);
    assert_eq!(first.snapshot(), two.snapshot());
    let restored = two.read_snapshot(&saved).unwrap();
    apply(&mut two, Input::Restore(Box::new(restored)));
    assert_eq!(two.snapshot(), saved);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut crowd = dogs();
    let machine = crowd.machine().clone();
    let agent = crowd.spawn(Blackboard::new(&machine));
    crowd.tick(&());
    let before = crowd.snapshot();
    let gone = AgentId::new(7, 1).in_crowd(crowd.number());
    let ghost = VariantId::from_index(9).unwrap();
    let unknown = VariantError::UnknownVariant {
        machine: "Dog".to_owned(),
        variant: ghost,
    };
    let other = Machine::from_text("cat.sw.json", &DOG.replace("bones", "mice")).unwrap();
    let cats: Dogs = Crowd::new(other.bind(Functions::new()).unwrap(), 1);
    let misfit = SpawnError::BoardDoesNotFit {
        machine: "Dog".to_owned(),
    };
    let settings = TickSettings {
        budget: Some(0),
        ..TickSettings::default()
    };
    let restored = cats.read_snapshot(&cats.snapshot()).unwrap();
    let spawn = Input::Spawn {
        board: Blackboard::new(&other),
        variant: None,
    };
    let refused = [
        (Input::Stop(gone), InputError::Missing(Missing::Gone(gone))),
        (
            Input::Written(gone),
            InputError::Missing(Missing::Gone(gone)),
        ),
        (
            Input::SetVariant(agent, ghost),
            InputError::Variant(unknown.clone()),
        ),
        (spawn, InputError::Spawn(misfit)),
        (
            Input::Settings(settings),
            InputError::Settings(WrongSettings::Budget(WrongBudget(0))),
        ),
        (Input::StartAt(3), InputError::StartAt(3)),
        (
            Input::Number(CrowdNumber::MAX),
            InputError::Number(CrowdNumber::MAX),
        ),
        (Input::Restore(Box::new(restored)), InputError::Restore),
    ];
    for (input, expected) in refused {
        assert_eq!(crowd.apply(input), Err(expected));
    }
    assert_eq!(
        unknown.to_string(),
        "`Dog` has no variant 9: it is one of another machine"
    );
    assert_eq!(
        crowd.set_variant(gone, VariantHandle::PLAIN),
        Err(Missing::Gone(gone).into())
    );
    assert_eq!(crowd.variant(gone), Err(Missing::Gone(gone)));
    assert_eq!(crowd.snapshot(), before);
}

#[test]
fn code_3_another_variant_wakes_whoever_waits_for_a_parameter() {
    let mut crowd = dogs();
    let machine = crowd.machine().clone();
    let (bones, hero) = (
        machine.key("bones").unwrap(),
        machine.variant("hero").unwrap(),
    );
    let agent = crowd.spawn(Blackboard::new(&machine));
    crowd
        .edit_board(agent, |board| board.set(bones, 1))
        .unwrap()
        .unwrap();
    (0..3).for_each(|_| _ = crowd.tick(&()));
    assert_eq!(
        (crowd.awake(), crowd.path(agent).unwrap()),
        (0, "sit".to_owned())
    );
    assert_eq!(crowd.variant(agent), Ok(VariantHandle::PLAIN));
    crowd.set_variant(agent, hero).unwrap();
    assert_eq!(crowd.variant(agent), Ok(hero));
    crowd.tick(&());
    assert_eq!(crowd.path(agent).unwrap(), "bark");
}

#[test]
fn sys_2_a_blackboard_wakes_its_agent_only_if_it_was_written() {
    let mut crowd = dogs();
    let machine = crowd.machine().clone();
    let bones = machine.key("bones").unwrap();
    let agent = crowd.spawn(Blackboard::new(&machine));
    (0..3).for_each(|_| _ = crowd.tick(&()));
    assert_eq!(crowd.awake(), 0);
    assert_eq!(crowd.board_mut(agent).unwrap().get(bones), Ok(0));
    assert_eq!(crowd.awake(), 0, "looking is no input");
    crowd.board_mut(agent).unwrap().set(bones, 4).unwrap();
    assert_eq!(crowd.awake(), 1);
    assert_eq!(crowd.board(agent).unwrap().get(bones), Ok(4));
    let gone = AgentId::new(8, 1).in_crowd(crowd.number());
    assert_eq!(crowd.board_mut(gone).map(|_| ()), Err(Missing::Gone(gone)));
}
