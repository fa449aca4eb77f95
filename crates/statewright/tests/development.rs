//! Binding for development: what does not fit is listed, and whoever calls it ends alone (ROM-8).

use statewright::prelude::*;
use statewright::{BindProblem, Blackboard, Kind, Type};

const BELL: &str = r#"{ "machine": "Bell", "events": ["Pull", "Push", "Swing", "Tune", "Sing", "Rest"],
  "blackboard": { "pulls": { "type": "i32" } },
  "initial": "still",
  "states": {
    "still": { "transitions": [
      { "on": "Pull", "do": ["pulls += 1", "Ring"] },
      { "on": "Push", "if": "IsFree", "do": "Ring" },
      { "on": "Swing", "score": "Joy", "do": "Ring" },
      { "on": "Tune", "do": "Tune(3)" },
      { "on": "Sing", "to": "sing" },
      { "on": "Rest", "to": "rest", "do": "Quiet" } ] },
    "sing": { "activity": "Hum" },
    "rest": {} } }"#;

fn machine() -> Machine {
    Machine::from_text("bell.sw.json", BELL).unwrap()
}

/// `IsFree` and `Joy` are missing, `Ring` is a guard, `Tune` takes something else, `Hum` is there
/// twice; `Quiet` fits.
fn functions() -> Functions<Blackboard, ()> {
    Functions::new()
        .guard("Ring", |_: &Blackboard, _: &(), _| Verdict::from(true))
        .action("Tune", |_, _, _| {
            panic!("called with an argument that it does not take")
        })
        .arguments(&[Type::F32])
        .activity("Hum", |_, _, _, _| Status::Running)
        .activity("hum", |_, _, _, _| Status::Running)
        .action("Quiet", |_, _, _| {})
        .action("Chime", |_, _, _| {})
}

#[test]
fn rom_8_all_that_does_not_fit_is_listed_and_the_rest_is_bound() {
    let (program, problems) = machine().bind_for_development(functions()).unwrap();
    assert_eq!(
        machine().bind(functions()).unwrap_err().problems,
        problems,
        "the same list as the error of `bind`"
    );
    assert_eq!(problems.len(), 5, "{problems:?}");
    assert!(problems.iter().any(|problem| matches!(
        problem,
        BindProblem::Missing { name, kind: Kind::Scorer, closest: None, .. } if name == "Joy"
    )));
    let names: Vec<String> = problems.iter().map(ToString::to_string).collect();
    for name in ["IsFree", "Ring", "Tune", "Hum"] {
        assert!(
            names.iter().any(|text| text.contains(name)),
            "{name}: {names:?}"
        );
    }
    let mut crowd = Crowd::new(program, 1);
    crowd.spawn(Blackboard::new(&machine()));
    assert_eq!(crowd.tick(&()).unbound_calls, 0);
}

#[test]
fn rom_8_a_call_that_nothing_answers_to_ends_its_agent_alone() {
    for parallel in [false, true] {
        let calls = [
            ("Pull", "Ring"),
            ("Push", "IsFree"),
            ("Swing", "Joy"),
            ("Tune", "Tune"),
            ("Sing", "Hum"),
        ];
        for (event, function) in calls {
            let (program, _) = machine().bind_for_development(functions()).unwrap();
            let mut crowd = Crowd::new(program, 1);
            crowd.set_chunk_size(2);
            let agents: Vec<AgentId> = (0..5)
                .map(|_| crowd.spawn(Blackboard::new(&machine())))
                .collect();
            crowd.tick(&());
            let rest = crowd.machine().event("Rest").unwrap();
            let event = crowd.machine().event(event).unwrap();
            for (number, &agent) in agents.iter().enumerate() {
                crowd
                    .send(agent, if number == 3 { event } else { rest }, ())
                    .unwrap();
            }
            // An activity is called in the tick after its state was entered.
            let ticks = (0..2).map(|_| {
                if parallel {
                    crowd.tick_parallel(&())
                } else {
                    crowd.tick(&())
                }
            });
            let tick = ticks.fold(0, |all, tick| {
                all + tick.unbound_calls * 10 + tick.panicked + tick.faults
            });
            assert_eq!(tick, 10, "{function}: one call, and nobody panicked");
            assert_eq!(crowd.counters().quarantines, 1);
            assert_eq!(
                crowd
                    .all_in(crowd.machine().state("rest").unwrap())
                    .unwrap()
                    .len(),
                4,
                "all others went on"
            );
            assert_eq!(crowd.has_ended(agents[3]), Ok(true));
        }
    }
}

#[test]
fn rom_8_who_called_what_is_told_after_the_tick_and_after_a_stop() {
    let text = r#"{ "machine": "Clerk", "states": { "desk": { "exit": "File" } } }"#;
    let machine = Machine::from_text("clerk.sw.json", text).unwrap();
    let (program, problems) = machine
        .bind_for_development(Functions::<(), ()>::new())
        .unwrap();
    assert_eq!(problems.len(), 1);
    let mut crowd = Crowd::new(program, 1);
    let agents = [crowd.spawn(()), crowd.spawn(())];
    crowd.tick(&());
    crowd.stop(agents[1]).unwrap();
    assert_eq!(crowd.tick(&()).unbound_calls, 1);
    let calls: Vec<_> = crowd
        .unbound_calls()
        .map(|(agent, function)| (agent, machine.function_name(function)))
        .collect();
    assert_eq!(calls, [(agents[1], "File".to_owned())]);
    crowd.stop(agents[0]).unwrap();
    crowd.tick(&());
    assert_eq!(
        crowd
            .unbound_calls()
            .map(|(agent, _)| agent)
            .collect::<Vec<_>>(),
        [agents[0]]
    );
}

#[test]
fn code_5_a_blackboard_that_does_not_fit_is_an_error() {
    let error = machine()
        .bind_for_development(Functions::<(), ()>::new())
        .unwrap_err();
    let field = BindProblem::NoField {
        key: "pulls".to_owned(),
        ty: Type::I32,
        skipped: false,
    };
    assert!(
        error.problems.contains(&field) && error.problems.len() == 7,
        "everything is listed: {error}"
    );
}
