//! Every field of transitions and actions can be reached from the builder, as in
//! `builder_fields.rs`.

use super::builder_fields::{build, names, texts, value};
use serde_json::json;
use statewright_author::builder::action;
use statewright_author::graph::*;
use statewright_author::value::{Duration, Literal};

fn branch(field: &Option<DecisionBranch>) -> (String, bool) {
    let branch = field.as_ref().expect("given");
    (branch.target.value.clone(), branch.reenter.is_some())
}

#[test]
fn transitions() {
    let built = build(|m| {
        m.on("E")
            .named("n")
            .id(9)
            .doc("d")
            .meta(json!(5))
            .muted()
            .guard("g")
            .run("R")
            .go("a")
            .go("b");
        m.on_any()
            .sync("r", "a")
            .sync("q", "b")
            .local()
            .priority(15)
            .interrupt()
            .latch();
        m.always()
            .score("s")
            .threshold(0.5)
            .cooldown("1s")
            .debounce("2t")
            .internal();
        m.on_timer("t").push_to("menu");
        let mut root = m.root();
        root.after("3t").pop().external();
        root.on_done();
        root.on_failed();
        root.decide("c")
            .on("E")
            .then("a")
            .otherwise_reenter("b")
            .priority(2)
            .run("D")
            .muted();
        root.any_state()
            .include("x")
            .include("y")
            .exclude("z")
            .always()
            .go("w");
    });
    let list = &built.root.transitions;
    let Transition {
        name,
        id,
        doc,
        span,
        trigger,
        targets,
        sync,
        kind,
        stack,
        guard,
        effect,
        priority,
        interrupt,
        score,
        threshold,
        cooldown,
        debounce,
        stay,
        latch,
        muted,
        meta,
    } = list[0].clone();
    assert_eq!(
        (value(&name), value(&id), doc.as_deref()),
        ("n".into(), 9, Some("d"))
    );
    assert!(matches!(&trigger, Trigger::Event(event) if event.value == "E" && event.span == span));
    assert_eq!(
        (names(&targets), value(&guard), texts(&effect)),
        (vec!["a", "b"], "g".into(), vec!["R"])
    );
    assert_eq!((muted, meta), (true, Some(json!(5))));
    assert!(
        sync.is_empty()
            && kind.is_none()
            && stack.is_none()
            && priority.is_none()
            && score.is_none()
    );
    assert!(
        threshold.is_none()
            && cooldown.is_none()
            && debounce.is_none()
            && interrupt.is_none()
            && latch.is_none()
            && stay.is_none()
    );

    let sync: Vec<_> = list[1]
        .sync
        .iter()
        .map(|(region, target)| (region.as_str(), target.as_str()))
        .collect();
    assert_eq!(sync, [("r", "a"), ("q", "b")]);
    assert!(
        matches!(list[1].trigger, Trigger::Any(_))
            && list[1].interrupt.is_some()
            && list[1].latch.is_some()
    );
    assert_eq!(
        (value(&list[1].kind), value(&list[1].priority)),
        (TransitionKind::Local, 15)
    );
    assert!(matches!(list[2].trigger, Trigger::Always(_)));
    assert_eq!(
        (value(&list[2].score), value(&list[2].threshold)),
        ("s".into(), "0.5".into())
    );
    assert_eq!(
        value(&list[2].cooldown),
        Duration::Nanos(1_000_000_000).into()
    );
    assert_eq!(
        (value(&list[2].debounce), value(&list[2].kind)),
        (Duration::Ticks(2).into(), TransitionKind::Internal)
    );
    assert!(matches!(&list[3].trigger, Trigger::Timer(timer) if timer.value == "t"));
    assert_eq!(
        (value(&list[3].stack), names(&list[3].targets)),
        (StackOperation::Push, vec!["menu"])
    );
    assert!(
        matches!(&list[4].trigger, Trigger::After(time) if time.value == Duration::Ticks(3).into())
    );
    assert_eq!(
        (value(&list[4].stack), value(&list[4].kind)),
        (StackOperation::Pop, TransitionKind::External)
    );
    assert!(matches!(
        (&list[5].trigger, &list[6].trigger),
        (Trigger::Done(_), Trigger::Failed(_))
    ));

    let Decision {
        trigger,
        guard,
        then,
        otherwise,
        priority,
        effect,
        muted,
        span,
    } = built.root.decisions[0].clone();
    assert!(matches!(&trigger, Trigger::Event(event) if event.value == "E"));
    assert_eq!(
        (guard.value.as_str(), branch(&then), branch(&otherwise)),
        ("c", ("a".into(), false), ("b".into(), true))
    );
    assert_eq!(
        (value(&priority), texts(&effect), muted),
        (2, vec!["D"], true)
    );
    assert_eq!(built.source.step(span), Some("decision 1"));
    let AnyTransition {
        transition,
        include,
        exclude,
    } = built.root.any_state[0].clone();
    assert_eq!(
        (names(&include), names(&exclude)),
        (vec!["x", "y"], vec!["z"])
    );
    assert_eq!(names(&transition.targets), ["w"]);
}

#[test]
fn actions() {
    let built = build(|m| {
        let mut root = m.root();
        root.entry(
            action::call("Fire")
                .with("power", 3)
                .argument("loud")
                .muted(),
        );
        root.entry(action::set("k", "1"))
            .entry(action::add("k", "2"));
        root.entry(action::raise("E").payload("3"))
            .entry(action::send("E").payload("4").to("leader"));
        root.entry(action::emit("Go", "nav").payload("5"));
        root.entry(action::start("t", "6t"))
            .entry(action::stop("t"))
            .entry(action::clear_history("s"));
        root.entry(
            action::when("k > 1")
                .run(action::stop("t"))
                .otherwise(action::set("k", "3"))
                .otherwise("Shout"),
        );
    });
    let Action { kind, muted, span } = built.root.entry[0].clone();
    let ActionKind::Call {
        function,
        arguments,
    } = kind
    else {
        panic!("{kind:?}")
    };
    assert_eq!(
        (function.value.as_str(), muted, built.source.step(span)),
        ("Fire", true, Some("entry 1"))
    );
    let Argument {
        name,
        value: ArgumentValue::Literal(literal),
    } = arguments[0].clone()
    else {
        panic!("{arguments:?}")
    };
    assert_eq!(
        (value(&name), literal.value),
        ("power".into(), Literal::Int(3))
    );
    assert_eq!(
        (
            &arguments[1].name,
            arguments[1].value.literal().map(|literal| &literal.value)
        ),
        (&None, Some(&Literal::Text("loud".into())))
    );
    let shown: Vec<String> = built.root.entry[1..]
        .iter()
        .map(|action| show(&action.kind))
        .collect();
    let expected = [
        "set k 1",
        "add k 2",
        "raise E 3",
        "send E 4 leader",
        "emit Go nav 5",
        "start t 6t",
        "stop t",
        "clear s",
        "if k > 1: stop t, else: set k 3, Shout",
    ];
    assert_eq!(shown, expected);
    let ActionKind::If { otherwise, .. } = &built.root.entry[9].kind else {
        panic!()
    };
    assert_eq!(
        built.source.step(otherwise[1].span),
        Some("entry 10 > else 2")
    );
}

fn show(kind: &ActionKind) -> String {
    match kind {
        ActionKind::Text(code) => code.value.clone(),
        ActionKind::Call { .. } => unreachable!("there are no calls here"),
        ActionKind::Set { key, value } => format!("set {} {}", key.value, value.value),
        ActionKind::Add { key, value } => format!("add {} {}", key.value, value.value),
        ActionKind::Raise { event, payload } => format!("raise {} {}", event.value, value(payload)),
        ActionKind::Send { event, payload, to } => {
            format!("send {} {} {}", event.value, value(payload), value(to))
        }
        ActionKind::Emit {
            command,
            lane,
            payload,
        } => {
            format!("emit {} {} {}", command.value, lane.value, value(payload))
        }
        ActionKind::StartTimer { timer, after } => format!("start {} {}", timer.value, after.value),
        ActionKind::StopTimer { timer } => format!("stop {}", timer.value),
        ActionKind::ClearHistory { state } => format!("clear {}", state.value),
        ActionKind::If {
            condition,
            then,
            otherwise,
        } => {
            let list = |list: &[Action]| {
                list.iter()
                    .map(|action| show(&action.kind))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            format!(
                "if {}: {}, else: {}",
                condition.value,
                list(then),
                list(otherwise)
            )
        }
    }
}

#[test]
fn lang_1_several_events() {
    let built = build(|m| {
        let mut root = m.root();
        root.on_one_of(["A", "B"]).go("a");
        root.on_one_of(["A"]).go("a");
        root.decide("g")
            .on_one_of(vec!["A".to_owned(), "B".to_owned()]);
    });
    let list = &built.root.transitions;
    assert!(matches!(&list[0].trigger, Trigger::Events(events) if events.value.len() == 2));
    let names: Vec<&str> = list[0]
        .trigger
        .events()
        .iter()
        .map(|e| e.as_str())
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert!(matches!(&list[1].trigger, Trigger::Event(event) if event.value == "A"));
    assert_eq!(built.root.decisions[0].trigger.events().len(), 2);
}
