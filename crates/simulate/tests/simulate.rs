//! Runs of a small machine: what comes out, whatever the threads; who may look and who may stop it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use statewright::Machine;
use statewright::trace::{Legend, Level, Record};
use statewright_simulate::{
    Answer, Clock, Monitor, Outcome, PerCore, Plan, Progress, RunError, Script, Simulation,
    SimulationError, Traced, Unwatched, Weights, report, run,
};

const GUARD: &str = r#"{
    "machine": "Guard",
    "events": ["Noise"],
    "initial": "idle",
    "states": {
        "idle": { "transitions": [{ "on": "Noise", "if": "HearsIt", "to": "alert" }] },
        "alert": { "transitions": [{ "after": "2s", "to": "idle" }] }
    }
}"#;

fn machine() -> Machine {
    Machine::from_text("guard.sw.json", GUARD).unwrap()
}

fn plan() -> Plan {
    Plan {
        agents: 3_000,
        ticks: 200,
        seed: 7,
        rate: 0.02,
        stub_guards: Answer::Random,
        ..Plan::default()
    }
}

fn outcome(plan: Plan) -> Outcome {
    run(&machine(), plan, &AtomicBool::new(false), &mut Unwatched).unwrap()
}

/// All that must not depend on anything but the plan.
fn facts(outcome: &Outcome) -> String {
    report::json(outcome).to_string()
}

#[test]
fn the_outcome_is_the_same_for_any_threads() {
    let one = outcome(Plan {
        threads: Some(1),
        ..plan()
    });
    let many = outcome(Plan {
        threads: Some(3),
        ..plan()
    });
    assert!(one.sent > 0 && one.counters.transitions > 0);
    assert_eq!(facts(&one), facts(&many));
    let other = outcome(Plan { seed: 8, ..plan() });
    assert_ne!(facts(&one), facts(&other));
}

#[test]
fn without_a_clock_no_time_passes() {
    assert_eq!(outcome(plan()).ticking, Duration::ZERO);
}

/// A run whose ticks take so many milliseconds of processors, and half of that on the clock.
fn measured(agents: u32, ticks: u64, threads: u16, has_processor_clock: bool) -> Outcome {
    let clock = |step: u64| {
        let asked = AtomicU64::new(0);
        move || Duration::from_millis(step * asked.fetch_add(1, Ordering::Relaxed))
    };
    outcome(Plan {
        agents,
        ticks,
        threads: Some(threads),
        clock: Box::new(clock(5)),
        processor_clock: has_processor_clock.then(|| Box::new(clock(10)) as Clock),
        ..plan()
    })
}

#[test]
fn a_run_says_how_many_agents_one_core_could_carry() {
    // 60 ticks that count, 10 ms each, at 60 per second.
    let ran = measured(300, 61, 2, true);
    assert_eq!(ran.processor, Some(Duration::from_millis(600)));
    assert_eq!(ran.agents_per_core(), PerCore::Agents(500));
    let json = report::json(&ran);
    assert_eq!(json["time"]["agents_per_core"], 500);
    assert_eq!(json["time"]["processor_seconds"], 0.6);
    let what = "<b>500</b><span>agents that one core could carry at 60 ticks per second";
    assert!(report::page(&ran, "").contains(what));
}

#[test]
fn without_a_processor_clock_one_thread_tells_and_several_do_not() {
    let ran = measured(300, 61, 1, false);
    assert_eq!(ran.agents_per_core(), PerCore::Agents(1_000));
    let ran = measured(300, 61, 2, false);
    assert_eq!(ran.agents_per_core(), PerCore::Unmeasured);
    assert!(report::json(&ran)["time"]["processor_seconds"].is_null());
}

#[test]
fn a_short_run_does_not_say_what_one_core_could_carry() {
    for ran in [measured(300, 60, 1, true), measured(99, 600, 1, true)] {
        assert_eq!(ran.agents_per_core(), PerCore::TooLittle);
        assert!(report::json(&ran)["time"]["agents_per_core"].is_null());
        assert!(!report::page(&ran, "").contains("one core"));
    }
}

/// Counts what it hears, and stops the run or gives it up in a tick.
#[derive(Default)]
struct Listener<'s> {
    names: Vec<String>,
    ticks: u64,
    records: usize,
    stop: Option<(&'s AtomicBool, u64)>,
    gives_up: Option<u64>,
}

impl Monitor for Listener<'_> {
    type Error = &'static str;

    fn begin(&mut self, legend: &Legend) -> Result<(), Self::Error> {
        let names = legend.symbols.states.iter().map(|state| state.name.clone());
        self.names.extend(names);
        Ok(())
    }

    fn ticked(
        &mut self,
        progress: Progress,
        records: &mut dyn Iterator<Item = &Record>,
    ) -> Result<(), Self::Error> {
        self.ticks += 1;
        assert_eq!(progress.ticks, self.ticks);
        self.records += records.count();
        if let Some((flag, at)) = self.stop
            && at == self.ticks
        {
            flag.store(true, Ordering::Relaxed);
        }
        match self.gives_up {
            Some(at) if at == self.ticks => Err("the disk is full"),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_monitor_hears_of_every_tick_and_of_those_it_traces() {
    let traced = Traced {
        level: Level::Outline,
        agents: vec![0, 5],
    };
    let plan = Plan {
        traced: Some(traced),
        ..plan()
    };
    let mut listener = Listener::default();
    run(&machine(), plan, &AtomicBool::new(false), &mut listener).unwrap();
    assert_eq!(listener.ticks, 200);
    assert!(
        listener.names.contains(&"alert".to_owned()),
        "{:?}",
        listener.names
    );
    assert!(listener.records > 0);
}

#[test]
fn a_flag_stops_a_run_after_its_tick() {
    let flag = AtomicBool::new(false);
    let mut listener = Listener {
        stop: Some((&flag, 12)),
        ..Listener::default()
    };
    let outcome = run(&machine(), plan(), &flag, &mut listener).unwrap();
    assert_eq!((outcome.ticks, outcome.wanted_ticks), (12, Some(200)));
    assert_eq!(outcome.samples.last().unwrap().tick, 11);
}

#[test]
fn a_monitor_may_give_up() {
    let mut listener = Listener {
        gives_up: Some(3),
        ..Listener::default()
    };
    let error = run(&machine(), plan(), &AtomicBool::new(false), &mut listener);
    assert!(matches!(error, Err(RunError::Monitor("the disk is full"))));
    assert_eq!(listener.ticks, 3);
}

#[test]
fn a_simulation_can_be_looked_at_and_touched_between_ticks() {
    let machine = machine();
    let quiet = Plan {
        agents: 10,
        ticks: 4,
        ..Plan::default()
    };
    let mut simulation = Simulation::<Box<[u32]>>::new(&machine, quiet).unwrap();
    simulation.tick();
    let agent = simulation.crowd().agents().next().unwrap();
    let noise = machine.event("Noise").unwrap();
    simulation.crowd_mut().send(agent, noise, [0; 4]).unwrap();
    while !simulation.is_over() {
        simulation.tick();
    }
    let outcome = simulation.into_outcome();
    assert_eq!(outcome.ticks, 4);
    let counts: Vec<u64> = outcome
        .series()
        .iter()
        .map(|series| *series.counts.last().unwrap())
        .collect();
    assert_eq!(counts, [9, 1]);
}

#[test]
fn a_script_is_read_whole_and_happens_in_its_ticks() {
    let machine = machine();
    let script = Script::parse(&machine, "at 1 send Noise to agent 2 # only him", 5).unwrap();
    assert_eq!(script.due(1).count(), 1);
    assert_eq!(script.due(2).count(), 0);
    let outcome = outcome(Plan {
        agents: 5,
        ticks: 3,
        script,
        ..Plan::default()
    });
    assert_eq!(outcome.sent, 1);

    let errors = Script::parse(&machine, "at 1 send Nois\nevery 0 send Noise\n", 5).unwrap_err();
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "line 1: the machine has no event `Nois`; did you mean `Noise`?",
            "line 2: `every 0` would never end: say `every 1` for each tick"
        ]
    );
}

#[test]
fn a_trace_of_somebody_who_is_not_there_is_refused_or_empty() {
    let traced = Traced {
        level: Level::Outline,
        agents: vec![99],
    };
    let plan = Plan {
        traced: Some(traced),
        ..Plan::default()
    };
    let mut listener = Listener::default();
    match run(&machine(), plan, &AtomicBool::new(false), &mut listener) {
        Ok(_) => assert_eq!(listener.records, 0),
        Err(error) => assert!(matches!(
            error,
            RunError::Simulation(SimulationError::Trace(_))
        )),
    }
}

#[test]
fn code_5_a_strict_machine_with_functions_runs() {
    let text = r#"{ "machine": "Strict", "policies": { "strict_writes": true }, "events": ["Go"],
      "functions": { "Dig": "action" }, "blackboard": { "depth": "i32" },
      "states": { "work": { "transitions": [{ "on": "Go", "do": ["Dig", "depth += 1"] }] } } }"#;
    let strict = Machine::from_text("strict.sw.json", text).unwrap();
    let stop = AtomicBool::new(false);
    assert!(run(&strict, plan(), &stop, &mut Unwatched).is_ok());
}

/// Three events; a fight with feet and arms at once, in which the arms have regions of their own.
const FIGHT: &str = r#"{
    "machine": "Fight", "events": ["Fight", "Rest", "Die"], "initial": "rest",
    "meta": { "run": { "weights": { "Die": 0.001 } } },
    "transitions": [{ "on": "Die", "to": "dead" }],
    "states": {
        "rest": { "transitions": [{ "on": "Fight", "to": "fight" }] },
        "fight": {
            "transitions": [{ "on": "Rest", "to": "rest" }],
            "regions": {
                "feet": { "initial": "stand", "states": { "stand": { "transitions": [{ "after": "1s", "to": "walk" }] }, "walk": {} } },
                "arms": { "initial": "armed", "states": { "armed": { "regions": {
                    "left": { "initial": "up", "states": { "up": { "transitions": [{ "after": "2s", "to": "down" }] }, "down": {} } },
                    "right": { "initial": "open", "states": { "open": {} } }
                } } } }
            }
        },
        "dead": { "final": true }
    }
}"#;

fn fight(weights: Option<&str>) -> Outcome {
    let machine = Machine::from_text("fight.sw.json", FIGHT).unwrap();
    let weights = weights.map(|text| Weights::parse(&machine, text).unwrap());
    let plan = Plan { weights, ..plan() };
    run(&machine, plan, &AtomicBool::new(false), &mut Unwatched).unwrap()
}

#[test]
fn weights_decide_how_often_events_come() {
    let (alike, never, seldom) = (
        fight(None),
        fight(Some("Die 0")),
        fight(Some("Die 0.01 # hardly anybody\n\n* 2")),
    );
    assert!(alike.ended > 1000, "{}", alike.ended);
    assert_eq!(never.ended, 0);
    assert!(
        (1..alike.ended / 20).contains(&seldom.ended),
        "{}",
        seldom.ended
    );
    let same = fight(Some("Fight 1\nRest 1\nDie 1"));
    assert!(
        same.ended.abs_diff(alike.ended) < 200,
        "as if there were none"
    );
    assert_eq!(
        facts(&seldom),
        facts(&fight(Some("* 2\nDie 0.01"))),
        "in any order"
    );
}

#[test]
fn wrong_weights_are_refused_with_their_place() {
    let machine = Machine::from_text("fight.sw.json", FIGHT).unwrap();
    let form = "a weight is a number from 0 (never) to 1000000, such as `0.5`";
    let wrong = |text: &str| -> Vec<String> {
        let errors = Weights::parse(&machine, text).unwrap_err();
        errors.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        wrong("Fihgt 1\nRest -1\nDie often\nRest\nFight 1\nFight 2\nDie inf\nDie nan"),
        [
            "line 1: the machine has no event `Fihgt`; did you mean `Fight`?".to_owned(),
            format!("line 2: `Rest`: `-1` is negative: {form}"),
            format!("line 3: `Die`: `often` is no number: {form}"),
            "line 4: a line is an event and its weight: `Died 0.01`".to_owned(),
            "line 6: `Fight` has a weight already".to_owned(),
            format!("line 7: `Die`: `inf` is too large: {form}"),
            format!("line 8: `Die`: `nan` is no number: {form}"),
        ]
    );
    for empty in ["", "# nothing\n\n"] {
        assert_eq!(
            wrong(empty),
            ["no event has a weight: write one per line, such as `Died 0.01`"]
        );
    }
    assert!(wrong("* 0")[0].starts_with("every event has weight 0"));
}

#[test]
fn a_machine_may_have_weights_in_its_meta() {
    let machine = Machine::from_text("fight.sw.json", FIGHT).unwrap();
    let read = |meta: serde_json::Value| Weights::of_meta(&machine, &meta);
    let given = serde_json::json!({ "run": { "weights": { "Die": 0.5, "*": 3 } } });
    assert_eq!(
        read(given).unwrap(),
        Some(Weights::parse(&machine, "Die 0.5\n* 3").unwrap())
    );
    for nothing in [
        serde_json::json!({}),
        serde_json::json!({ "run": 3 }),
        serde_json::json!(7),
    ] {
        assert_eq!(read(nothing), Ok(None));
    }
    for (weights, problem) in [
        (
            serde_json::json!([1]),
            "an object with one number per event is wanted",
        ),
        (serde_json::json!({}), "no event has a weight"),
        (
            serde_json::json!({ "Die": "x" }),
            "`Die`: `\"x\"` is no number",
        ),
        (serde_json::json!({ "Dye": 1 }), "did you mean `Die`?"),
    ] {
        let errors = read(serde_json::json!({ "run": { "weights": weights } })).unwrap_err();
        let text = errors[0].to_string();
        assert!(
            text.starts_with("`meta.run.weights`: ") && text.contains(problem),
            "{text}"
        );
    }
}

#[test]
fn no_share_is_above_a_hundred_percent() {
    let outcome = fight(Some("Die 0.1"));
    let groups = outcome.groups();
    let names: Vec<Option<&str>> = groups.iter().map(|group| group.region.as_deref()).collect();
    assert_eq!(
        names,
        [
            None,
            Some("fight: feet"),
            Some("fight: arms"),
            Some("fight/armed: left"),
            Some("fight/armed: right")
        ]
    );
    let ended = outcome.ended_series();
    for group in &groups {
        for at in 0..outcome.samples.len() {
            let inside: u64 = group.series.iter().map(|series| series.counts[at]).sum();
            let ended = if group.region.is_none() { ended[at] } else { 0 };
            assert_eq!(inside + ended, group.whole[at], "{:?} {at}", group.region);
        }
    }
    // Who fights is in one state of the machine, and in one of each of its regions.
    let fighting = |group: usize| *groups[group].whole.last().unwrap();
    let fight = groups[0]
        .series
        .iter()
        .find(|series| series.name == "fight")
        .unwrap();
    assert!(fight.last() > 0 && (1..5).all(|group| fighting(group) == fight.last()));
    let plot = report::plot(&outcome);
    assert!(plot.contains(">100 %<") && !plot.contains("125 %") && !plot.contains("200 %"));
    assert!(plot.contains("fight/armed: left") && plot.contains(">armed 100.0 %<"));
}

#[test]
fn a_page_can_be_zoomed_without_a_script() {
    let page = report::page(&fight(None), "<svg></svg>");
    for part in [
        "id=\"fit\" checked",
        "id=\"double\"",
        "At the end: ",
        "% (ended)",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("<script") && page.contains("default-src 'none'"));
    assert!(
        !report::page(&fight(None), "").contains("colored by use"),
        "a ROM has no picture"
    );
}

#[test]
fn lang_1_a_list_of_events_is_counted_as_one() {
    let text = r#"{ "machine": "Guard", "events": ["Noise", "Shot", "Calm"], "initial": "idle", "states": {
        "idle": { "transitions": [{ "on": ["Noise", "Shot"], "to": "alert" }] },
        "alert": { "transitions": [{ "on": "Calm", "to": "idle" }] } } }"#;
    let machine = Machine::from_text("guard.sw.json", text).unwrap();
    let outcome = run(&machine, plan(), &AtomicBool::new(false), &mut Unwatched).unwrap();
    let written = outcome.written();
    assert_eq!(written.len(), 2);
    let both = outcome.transitions[0] + outcome.transitions[1];
    assert!(outcome.transitions[1] > 0 && written[0] == (0, both));
    assert_eq!(outcome.transition(0), "idle -> alert on Noise, Shot");
}
