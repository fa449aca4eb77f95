//! The builder: small machines, its own problems, readable steps.

use statewright_author::builder::{Policy, action};
use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{ActionKind, Machine, StateKind, Trigger};
use statewright_author::limits::MAX_NAME_BYTES;
use statewright_author::render::{Style, render_text};
use statewright_author::span::{Source, Span};
use statewright_author::value::{Duration, FunctionKind, Literal, MergeRule, ValueType};

fn codes(problems: &Diagnostics) -> Vec<DiagnosticCode> {
    problems.iter().map(|problem| problem.code).collect()
}

fn steps(machine: &Machine) -> &[String] {
    let Source::Builder { steps, .. } = &machine.source else {
        panic!("built")
    };
    steps
}

#[test]
fn steps_read_like_a_path() {
    let (machine, problems) = Machine::build("Soldier", |m| {
        m.event("Sight");
        m.initial("idle").run("Setup");
        m.state("combat", |s| {
            s.entry("Draw").entry("Shout");
            s.region("movement", |r| {
                r.state("approach", |s| {
                    s.on("Sight").go("x").run("A");
                    s.on("Sight").go("y");
                    s.after("1.5s");
                    s.always();
                    s.on_any();
                    s.on_done();
                    s.on_failed();
                    s.on_timer("fuse");
                    s.decide("a > b").on("Sight");
                    s.any_state().exclude("z").on("Hit");
                });
            });
        });
        m.state("pick", |s| {
            s.when("a").go("x");
            s.otherwise().go("y");
        });
    });
    assert!(problems.is_empty());
    let inner = "state combat > region movement > state approach";
    let expected = [
        "",
        "event Sight",
        "initial",
        "initial > effect 1",
        "state combat",
        "state combat > entry 1",
        "state combat > entry 2",
        "state combat > region movement",
        inner,
        &format!("{inner} > on Sight"),
        &format!("{inner} > on Sight > effect 1"),
        &format!("{inner} > on Sight #2"),
        &format!("{inner} > after 1.5s"),
        &format!("{inner} > always"),
        &format!("{inner} > on any event"),
        &format!("{inner} > on done"),
        &format!("{inner} > on failed"),
        &format!("{inner} > on timer fuse"),
        &format!("{inner} > decision 1"),
        &format!("{inner} > decision 1 > on Sight"),
        &format!("{inner} > any state on Hit"),
        "state pick",
        "state pick > branch 1",
        "state pick > branch 2",
    ];
    assert_eq!(steps(&machine), expected);
    let combat = &machine.root.regions[0].states[0];
    assert_eq!(machine.source.step(combat.span), Some("state combat"));
    let transition = &combat.regions[0].states[0].transitions[1];
    assert_eq!(
        machine.source.step(transition.targets[0].span),
        Some(&*format!("{inner} > on Sight #2"))
    );
    assert_eq!(machine.root.span, Span::step(0));
}

#[test]
fn kinds_follow_from_what_a_state_has() {
    let (machine, problems) = Machine::build("Kinds", |m| {
        m.state("atomic", |_| {});
        m.final_state("final");
        m.state("compound", |s| {
            s.initial("a");
            s.state("a", |_| {}).final_state("b");
        });
        m.state("orthogonal", |s| {
            s.region("r", |r| {
                r.state("a", |_| {}).final_state("b");
            });
            s.region("q", |_| {});
        });
        m.state("choice", |s| {
            s.otherwise().go("atomic");
        });
    });
    assert!(problems.is_empty());
    let kinds: Vec<StateKind> = machine.root.regions[0]
        .states
        .iter()
        .map(|state| state.kind())
        .collect();
    use StateKind::{Atomic, Choice, Compound, Final, Orthogonal};
    assert_eq!(kinds, [Atomic, Final, Compound, Orthogonal, Choice]);
}

#[test]
fn literals_suggest_their_type() {
    let (machine, problems) = Machine::build("Types", |m| {
        m.key("i", 1);
        m.key("f", 1.5);
        m.key("b", true);
        m.key("s", "word");
        m.key("v2", [1.0, 2.0]);
        m.key("v3", [1.0f32, 2.0, 3.0]);
        m.key("odd", Literal::Vector(vec![]));
        m.key_of("e", ValueType::Entity);
        m.parameter("p", 3).ty(ValueType::F32);
    });
    assert!(problems.is_empty());
    let types: Vec<&str> = machine
        .blackboard
        .iter()
        .map(|key| key.ty.as_str())
        .collect();
    assert_eq!(
        types,
        [
            "i32", "f32", "bool", "symbol", "vec2", "vec3", "vec3", "entity"
        ]
    );
    assert_eq!(
        machine.blackboard[5].default.as_ref().unwrap().value,
        Literal::Vector(vec![1.0, 2.0, 3.0])
    );
    assert_eq!(machine.blackboard[7].default, None);
    assert_eq!(machine.parameters[0].ty.value, ValueType::F32.into());
}

#[test]
fn bad_names_are_problems() {
    let long = "n".repeat(MAX_NAME_BYTES + 1);
    let (machine, problems) = Machine::build("", |m| {
        m.event("a/b");
        m.event("*");
        m.key("9lives", 1);
        m.parameter("a b", 1);
        m.variant(" x");
        m.channel("x ");
        m.lane("\u{7}", MergeRule::StrictOrder);
        m.timer(long.clone());
        m.function("a::", FunctionKind::Guard)
            .parameter("ä", ValueType::I32);
        m.transition_set("", |t| {
            t.on("E").named("a/b");
        });
        m.state("", |s| {
            s.region("/", |_| {});
            s.history("/");
            s.timer("/");
            s.scratch("/", 1);
            s.entry(action::call("no good"));
        });
        // References are looked up, not checked.
        m.on("a/b").go("c/d");
    });
    assert_eq!(codes(&problems), [DiagnosticCode::BadName; 19]);
    assert_eq!(
        machine.root.regions[0].states.len(),
        1,
        "the machine is there all the same"
    );
    let text = render_text(&problems, &machine.source, Style::default());
    assert!(
        text.contains("error[SW0008]: `a/b` is not a legal event name\n"),
        "{text}"
    );
    assert!(
        text.contains("--> machine ``: event a/b\n = note: a name must not contain `/`"),
        "{text}"
    );
}

#[test]
fn bad_durations_are_problems() {
    let (machine, problems) = Machine::build("Times", |m| {
        m.event("E").ttl("soon");
        m.state("a", |s| {
            s.min_active("5");
            s.after("1.5.5s").cooldown("").debounce("2 * x");
            s.entry(action::start("t", "-1s"));
            s.decide("c").after("1h");
            s.after(std::time::Duration::MAX);
            s.after(std::time::Duration::from_millis(1500));
            s.after(Duration::Ticks(3));
            s.after(String::from("2s"));
        });
    });
    assert_eq!(codes(&problems), [DiagnosticCode::BadDuration; 8]);
    let triggers: Vec<&Trigger> = machine.root.regions[0].states[0]
        .transitions
        .iter()
        .map(|t| &t.trigger)
        .collect();
    let exact = |at: usize| match triggers[at] {
        Trigger::After(time) => time.value.literal().unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(exact(2), Duration::Nanos(1_500_000_000));
    assert_eq!(exact(3), Duration::Ticks(3));
    assert_eq!(exact(4), Duration::Nanos(2_000_000_000));
}

#[test]
fn a_field_given_twice_is_a_problem_and_the_last_one_stays() {
    let (machine, problems) = Machine::build("Twice", |m| {
        m.tick_rate(30).tick_rate(60).doc("a").doc("b");
        m.policy(Policy::DoneEvents, true)
            .policy(Policy::DoneEvents, false);
        m.initial("a");
        m.initial("b");
        m.state("a", |s| {
            s.activity("X").activity("Y");
            s.on("E").guard("p").guard("q").internal().external();
        });
    });
    assert_eq!(codes(&problems), [DiagnosticCode::DuplicateField; 7]);
    assert_eq!(machine.tick_rate.unwrap().value, 60);
    assert!(!machine.policies.done_events.unwrap().value);
    assert_eq!(
        machine.root.regions[0].initial.as_ref().unwrap().targets[0].value,
        "b"
    );
}

#[test]
fn children_and_regions_exclude_each_other() {
    let (machine, problems) = Machine::build("Mixed", |m| {
        m.state("a", |s| {
            s.state("b", |_| {});
            s.region("r", |_| {});
            s.region("q", |_| {});
            s.state("c", |_| {});
        });
        m.state("d", |s| {
            s.region("r", |_| {});
            s.initial("x");
            s.stack_depth(2);
        });
    });
    assert_eq!(codes(&problems), [DiagnosticCode::FieldsExclude; 2]);
    assert_eq!(machine.root.regions[0].states[0].regions.len(), 3);
}

#[test]
fn plain_text_and_muted_actions() {
    let (machine, problems) = Machine::build("Actions", |m| {
        m.root()
            .entry("Shout(3)")
            .entry(action::run("a = 1").muted())
            .entry(action::call("F").muted());
    });
    assert!(problems.is_empty());
    let entry = &machine.root.entry;
    assert!(matches!(&entry[0].kind, ActionKind::Text(code) if code.value == "Shout(3)"));
    assert_eq!(
        entry.iter().map(|action| action.muted).collect::<Vec<_>>(),
        [false, true, true]
    );
}

#[test]
fn parts_can_be_built_step_by_step() {
    let (machine, problems) = Machine::build("Loop", |m| {
        for (name, next) in [("a", "b"), ("b", "a")] {
            m.state(name, |s| {
                let mut transition = s.on("Next");
                if name == "a" {
                    transition.guard("ready");
                }
                transition.go(next);
            });
        }
    });
    assert!(problems.is_empty());
    let states = &machine.root.regions[0].states;
    assert!(states[0].transitions[0].guard.is_some() && states[1].transitions[0].guard.is_none());
}
