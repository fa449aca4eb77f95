//! Every field of every object of a machine file reaches the graph, with its span.

use statewright_author::duration::DurationSource;
use statewright_author::graph::*;
use statewright_author::span::{Name, Source, Span, Spanned};
use statewright_author::text::read;
use statewright_author::value::*;

fn literal(argument: &Argument) -> &Literal {
    &argument.value.literal().expect("a literal").value
}

const FULL: &str = include_str!("text_data/full.sw.json");

fn full() -> Machine {
    let (machine, problems) = read("full.sw.json", FULL);
    assert_eq!(
        problems
            .iter()
            .map(|d| (d.code, d.message.clone()))
            .collect::<Vec<_>>(),
        []
    );
    machine
}

fn at(span: Span) -> &'static str {
    &FULL[span.start as usize..span.end as usize]
}

fn names(list: &[Name]) -> Vec<&str> {
    list.iter().map(|name| name.value.as_str()).collect()
}

fn texts(list: &[Action]) -> Vec<&str> {
    let text = |action: &Action| match &action.kind {
        ActionKind::Text(code) => Some(at(code.span)),
        _ => None,
    };
    list.iter().filter_map(text).collect()
}

fn value<T: Clone>(spanned: &Option<Spanned<T>>) -> Option<T> {
    spanned.as_ref().map(|spanned| spanned.value.clone())
}

fn state<'m>(machine: &'m Machine, name: &str) -> &'m State {
    machine.root.regions[0]
        .states
        .iter()
        .find(|state| state.name.value == name)
        .unwrap()
}

#[test]
fn the_machine_and_its_head() {
    let m = full();
    assert_eq!(m.source, Source::file("full.sw.json", FULL));
    assert_eq!(
        (m.name.value.as_str(), at(m.name.span)),
        ("Soldier", "Soldier")
    );
    assert_eq!(value(&m.id), Some(0x9f01));
    assert_eq!(m.doc.as_deref(), Some("Guards a post."));
    assert_eq!(value(&m.tier), Some(Tier::Hero));
    assert_eq!(value(&m.tick_rate), Some(30));
    assert_eq!(at(m.tick_rate.as_ref().unwrap().span), "30");
    assert_eq!(m.fail_safe.as_ref().map(|n| n.value.as_str()), Some("idle"));
    assert_eq!(
        m.reload_entry.as_ref().map(|n| n.value.as_str()),
        Some("combat")
    );
    assert_eq!(m.meta, Some(serde_json::json!({ "zoom": 2 })));
}

#[test]
fn policies_and_budgets() {
    let m = full();
    let p = &m.policies;
    assert_eq!(value(&p.reverse_exit_order), Some(true));
    assert_eq!(value(&p.immediate_update), Some(true));
    assert_eq!(value(&p.posted_next_tick), Some(true));
    assert_eq!(value(&p.internal_first), Some(false));
    assert_eq!(value(&p.done_events), Some(true));
    assert_eq!(value(&p.strict_writes), Some(true));
    assert_eq!(value(&p.scxml_details), Some(true));
    assert_eq!(value(&p.reload_resets), Some(true));
    let b = &m.budgets;
    assert_eq!(value(&b.events_per_tick), Some(12));
    assert_eq!(value(&b.microsteps_per_tick), Some(24));
    assert_eq!(value(&b.clamp_limit), Some(3));
    assert_eq!(value(&b.command_bytes), Some(2048));
}

#[test]
fn events() {
    let m = full();
    let [damage, blob, aim, count, hash, go] = &m.events[..] else {
        panic!("{:?}", m.events.len())
    };
    assert_eq!(
        (damage.name.value.as_str(), value(&damage.id)),
        ("Damage", Some(0xe1))
    );
    assert_eq!(damage.doc.as_deref(), Some("Hit by something."));
    assert_eq!(value(&damage.payload), Some(Payload::Value(ValueType::I32)));
    assert_eq!(value(&damage.class), Some(Class::Critical));
    assert_eq!(value(&damage.ttl), Some(Duration::Nanos(2_000_000_000)));
    assert!(damage.coalesce && !damage.indirect);
    assert_eq!(damage.meta, Some(serde_json::json!({ "color": "red" })));
    assert_eq!(value(&blob.payload), Some(Payload::Bytes(24)));
    assert!(blob.indirect);
    assert_eq!(value(&aim.payload), Some(Payload::Vec4));
    assert_eq!(value(&count.payload), Some(Payload::U32));
    assert_eq!(value(&hash.payload), Some(Payload::U64));
    assert_eq!((go.name.value.as_str(), &go.payload), ("Go", &None));
}

#[test]
fn data() {
    let m = full();
    let [health, alert, home] = &m.blackboard[..] else {
        panic!()
    };
    assert_eq!(
        (health.name.value.as_str(), health.doc.as_deref()),
        ("health", Some("Hit points."))
    );
    assert_eq!(
        (health.ty.value, value(&health.default)),
        (ValueType::I32, Some(Literal::Int(100)))
    );
    assert_eq!(health.meta, Some(serde_json::json!({ "slider": true })));
    assert_eq!(
        (alert.ty.value, at(alert.ty.span)),
        (ValueType::Bool, "bool")
    );
    assert_eq!(
        value(&home.default),
        Some(Literal::Vector(vec![1.0, 2.5, -3.0]))
    );
    let parameters: Vec<_> = m
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), p.ty.value, p.value.value.clone()))
        .collect();
    assert_eq!(
        parameters,
        [
            ("flee_below", ValueType::I32.into(), Literal::Int(30)),
            ("speed", ValueType::F32.into(), Literal::Float(3.5)),
            ("shots", ValueType::I32.into(), Literal::Int(3)),
            ("brave", ValueType::Bool.into(), Literal::Bool(true)),
            (
                "mood",
                ValueType::Symbol.into(),
                Literal::Text("calm".into())
            ),
        ]
    );
    assert_eq!(m.parameters[0].doc.as_deref(), Some("Runs below this."));
    assert_eq!(m.parameters[0].meta, Some(serde_json::json!(1)));
    let [elite] = &m.variants[..] else { panic!() };
    assert_eq!(
        (elite.name.as_str(), elite.doc.as_deref()),
        ("elite", Some("Hard to scare."))
    );
    let values: Vec<_> = elite
        .values
        .iter()
        .map(|(name, value)| (name.as_str(), value.value.clone()))
        .collect();
    assert_eq!(
        values,
        [
            ("flee_below", Literal::Int(10)),
            ("speed", Literal::Float(5.0))
        ]
    );
}

#[test]
fn channels_lanes_functions() {
    let m = full();
    let [weapon, legs] = &m.channels[..] else {
        panic!()
    };
    assert_eq!(
        (weapon.name.as_str(), weapon.doc.as_deref()),
        ("weapon", Some("The gun."))
    );
    assert_eq!(weapon.lane.as_ref().map(|n| n.as_str()), Some("animation"));
    assert_eq!(
        weapon.release.as_ref().map(|n| n.as_str()),
        Some("LowerWeapon")
    );
    assert_eq!((legs.name.as_str(), &legs.lane), ("legs", &None));
    let [quest] = &m.lanes[..] else { panic!() };
    assert_eq!(
        (quest.name.as_str(), quest.doc.as_deref()),
        ("quest", Some("Quest log."))
    );
    assert_eq!(
        (value(&quest.merge), value(&quest.critical)),
        (Some(MergeRule::Deduplicate), Some(true))
    );
    let [ammo, shout, patrol] = &m.functions[..] else {
        panic!()
    };
    assert_eq!(
        (ammo.name.as_str(), ammo.kind.value, ammo.rng),
        ("HasAmmo", FunctionKind::Guard, false)
    );
    assert_eq!(
        (shout.doc.as_deref(), shout.kind.value, shout.rng),
        (Some("Says something."), FunctionKind::Action, true)
    );
    let parameters: Vec<_> = shout
        .parameters
        .iter()
        .map(|(name, ty)| (name.as_str(), ty.value))
        .collect();
    assert_eq!(
        parameters,
        [("power", ValueType::I32), ("far", ValueType::Bool)]
    );
    assert_eq!(
        (patrol.name.as_str(), patrol.kind.value),
        ("combat::Patrol", FunctionKind::Activity)
    );
}

#[test]
fn observers_timers_sets() {
    let m = full();
    let [damage, any] = &m.observers[..] else {
        panic!()
    };
    assert_eq!(damage.event.as_ref().map(|n| n.as_str()), Some("Damage"));
    assert_eq!(
        (texts(&damage.actions), &any.event, any.actions.len()),
        (vec!["health -= 1"], &None, 2)
    );
    assert!(at(damage.span).starts_with("{ \"on\": \"Damage\""));
    let [fuse] = &m.timers[..] else { panic!() };
    assert_eq!(
        (fuse.name.as_str(), value(&fuse.id), fuse.doc.as_deref()),
        ("fuse", Some(0xf1), Some("Boom."))
    );
    assert_eq!(
        (value(&fuse.instances), value(&fuse.class)),
        (Some(2), Some(Class::Interrupt))
    );
    assert_eq!(fuse.event.as_ref().map(|n| n.as_str()), Some("Go"));
    let [panic] = &m.transition_sets[..] else {
        panic!()
    };
    assert_eq!((panic.name.as_str(), panic.transitions.len()), ("panic", 1));
    assert_eq!(names(&panic.transitions[0].targets), ["idle"]);
}

#[test]
fn the_root_is_a_state() {
    let m = full();
    let root = &m.root;
    assert_eq!(
        (texts(&root.entry), texts(&root.exit)),
        (vec!["Shout"], vec!["Shout", "Shout(2)"])
    );
    let ActionKind::Call {
        function,
        arguments,
    } = &root.suspend[0].kind
    else {
        panic!()
    };
    assert_eq!((function.as_str(), arguments.len()), ("Shout", 2));
    assert_eq!(
        (&arguments[0].name, literal(&arguments[1])),
        (&None, &Literal::Bool(true))
    );
    let ActionKind::Call { arguments, .. } = &root.resume[0].kind else {
        panic!()
    };
    assert_eq!(
        arguments[0].name.as_ref().map(|n| n.as_str()),
        Some("power")
    );
    assert_eq!(
        (literal(&arguments[0]), root.resume[0].muted),
        (&Literal::Int(3), true)
    );
    assert_eq!(
        root.activity.as_ref().map(|code| at(code.span)),
        Some("combat::Patrol")
    );
    assert_eq!(
        (names(&root.defers), names(&root.owns)),
        (vec!["Go"], vec!["legs"])
    );
    assert_eq!(
        (root.scratch[0].name.as_str(), root.scratch[0].slots.value),
        ("seen", 2)
    );
    let ready = root.exit_ready.as_ref().unwrap();
    assert_eq!((ready.as_str(), at(ready.span)), ("true", "true"));
    assert_eq!(
        (value(&root.min_active), root.clock),
        (Some(Duration::Ticks(5).into()), true)
    );
    assert!(matches!(root.transitions[0].trigger, Trigger::Failed(span) if at(span) == "failed"));
    assert!(matches!(root.decisions[0].trigger, Trigger::Always(_)));
    assert_eq!(
        (names(&root.uses), root.history[0].name.as_str()),
        (vec!["panic"], "last")
    );
    assert!(
        root.timers.is_empty()
            && root.meta.is_none()
            && root.id.is_none()
            && !root.history_reset_on_done
    );
    let [region] = &root.regions[..] else {
        panic!()
    };
    let initial = region.initial.as_ref().unwrap();
    assert_eq!(
        (names(&initial.targets), texts(&initial.effect)),
        (vec!["idle"], vec!["Shout"])
    );
    assert_eq!((value(&region.stack_depth), &region.name), (Some(2), &None));
    assert_eq!(
        region
            .states
            .iter()
            .map(|s| s.name.as_str())
            .collect::<Vec<_>>(),
        ["idle", "combat", "pick", "dead", "empty"]
    );
}

#[test]
fn any_state_transitions() {
    let m = full();
    let [die, pop, timer, always, every] = &m.root.any_state[..] else {
        panic!()
    };
    assert_eq!(
        (names(&die.include), names(&die.exclude)),
        (vec!["idle"], vec!["dead"])
    );
    let t = &die.transition;
    assert_eq!(
        (t.name.as_ref().map(|n| n.as_str()), value(&t.id)),
        (Some("die"), Some(0xa1))
    );
    assert_eq!(
        (names(&t.targets), value(&t.priority)),
        (vec!["dead"], Some(1))
    );
    assert_eq!(t.score.as_ref().map(|code| code.as_str()), Some("1"));
    assert_eq!(value(&pop.transition.stack), Some(StackOperation::Pop));
    assert!(matches!(&timer.transition.trigger, Trigger::Timer(name) if name.as_str() == "fuse"));
    assert!(matches!(always.transition.trigger, Trigger::Always(_)));
    let range = DurationSource::Range(Duration::Nanos(400_000_000), Duration::Nanos(900_000_000));
    assert!(matches!(&every.transition.trigger, Trigger::Every(length) if length.value == range));
}

#[test]
fn a_state_with_everything() {
    let m = full();
    let idle = state(&m, "idle");
    assert!(at(idle.span).starts_with("\"idle\": {") && at(idle.span).ends_with('}'));
    assert_eq!(
        (value(&idle.id), idle.doc.as_deref(), idle.muted),
        (Some(0x51), Some("Waits."), false)
    );
    assert_eq!(
        (texts(&idle.exit), texts(&idle.suspend), texts(&idle.resume)),
        (vec!["health = 100"], vec!["Shout"], vec!["Shout"])
    );
    assert_eq!(
        idle.activity.as_ref().map(|code| at(code.span)),
        Some("combat::Patrol(3)")
    );
    assert_eq!(
        (names(&idle.defers), names(&idle.owns), names(&idle.uses)),
        (vec!["Go", "Aim"], vec!["weapon"], vec!["panic"])
    );
    let scratch: Vec<_> = idle
        .scratch
        .iter()
        .map(|s| (s.name.as_str(), value(&s.id), s.slots.value))
        .collect();
    assert_eq!(scratch, [("count", None, 1), ("wide", Some(0x5c), 2)]);
    assert_eq!(
        idle.exit_ready.as_ref().map(|code| at(code.span)),
        Some("HasAmmo && alert")
    );
    assert_eq!(
        (value(&idle.min_active), idle.clock),
        (Some(Duration::Nanos(500_000_000).into()), true)
    );
    assert_eq!(
        idle.timers
            .iter()
            .map(|t| t.name.as_str())
            .collect::<Vec<_>>(),
        ["nap", "snack"]
    );
    assert_eq!(
        (
            names(&idle.any_state[0].include),
            names(&idle.any_state[0].exclude)
        ),
        (vec!["x"], vec!["y"])
    );
    assert!(idle.history_reset_on_done && idle.regions.is_empty() && idle.choice.is_none());
    assert_eq!(
        idle.meta,
        Some(serde_json::json!({ "x": 10, "y": -1.5, "tags": ["a", null] }))
    );
    assert_eq!(idle.kind(), StateKind::Atomic);
}

#[test]
fn actions() {
    let m = full();
    let actions = &state(&m, "idle").entry;
    assert_eq!(
        actions.iter().map(|a| a.muted).collect::<Vec<_>>(),
        [
            true, false, false, false, false, false, false, false, false, false
        ]
    );
    assert_eq!(
        at(actions[7].span),
        "{ \"stop\": \"fuse\", \"muted\": false }"
    );
    let text = |code: &ExprSource| code.value.clone();
    let shown: Vec<_> = actions
        .iter()
        .map(|action| match &action.kind {
            ActionKind::Set { key, value } => format!("set {} {}", key.value, text(value)),
            ActionKind::Add { key, value } => format!("add {} {}", key.value, text(value)),
            ActionKind::Raise { event, payload } => {
                format!("raise {} {:?}", event.value, payload.as_ref().map(text))
            }
            ActionKind::Send { event, payload, to } => {
                format!(
                    "send {} {:?} {:?}",
                    event.value,
                    payload.as_ref().map(text),
                    to.as_ref().map(text)
                )
            }
            ActionKind::Emit {
                command,
                lane,
                payload,
            } => {
                format!(
                    "emit {} {} {:?}",
                    command.value,
                    lane.value,
                    payload.as_ref().map(text)
                )
            }
            ActionKind::StartTimer { timer, after } => {
                format!("start {} {}", timer.value, after.value)
            }
            ActionKind::StopTimer { timer } => format!("stop {}", timer.value),
            ActionKind::ClearHistory { state } => format!("clear {}", state.value),
            ActionKind::If {
                condition,
                then,
                otherwise,
            } => {
                let nested = |action: &Action| match &action.kind {
                    ActionKind::If {
                        condition,
                        then,
                        otherwise,
                    } => {
                        assert!(then.is_empty() && otherwise.is_empty());
                        format!("if {}", text(condition))
                    }
                    kind => format!("{}", matches!(kind, ActionKind::StopTimer { .. })),
                };
                let otherwise: Vec<String> = otherwise.iter().map(nested).collect();
                format!("if {} {} {otherwise:?}", text(condition), at(then[0].span))
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        shown,
        [
            "set health health + 1",
            "set alert false",
            "add health -5",
            "raise Damage Some(\"health\")",
            "send Damage Some(\"7\") Some(\"target\")",
            "emit Wave animation Some(\"2 * 3\")",
            "start fuse 3s",
            "stop fuse",
            "clear combat",
            "if alert \"Shout\" [\"true\", \"if false\"]",
        ]
    );
}

#[test]
fn transitions_and_decisions() {
    let m = full();
    let idle = state(&m, "idle");
    let [fight, after, timer, always, done, any] = &idle.transitions[..] else {
        panic!()
    };
    assert_eq!(
        (fight.name.as_ref().map(|n| n.as_str()), value(&fight.id)),
        (Some("fight"), Some(0x71))
    );
    assert_eq!(fight.doc.as_deref(), Some("To arms."));
    assert!(
        matches!(&fight.trigger, Trigger::Event(name) if name.as_str() == "Damage" && at(name.span) == "Damage")
    );
    assert_eq!(
        (names(&fight.targets), fight.effect.len()),
        (vec!["fire", "run"], 2)
    );
    assert_eq!(
        fight.guard.as_ref().map(|code| at(code.span)),
        Some("health > 30")
    );
    assert_eq!(
        (value(&fight.kind), value(&fight.stack)),
        (Some(TransitionKind::External), Some(StackOperation::Push))
    );
    assert_eq!(
        (
            value(&fight.priority),
            fight.interrupt.map(at),
            fight.latch.map(at),
            fight.muted
        ),
        (Some(15), Some("true"), Some("true"), true)
    );
    assert_eq!(
        fight.score.as_ref().map(|code| at(code.span)),
        Some("health * 2")
    );
    assert_eq!(value(&fight.threshold), Some("0.5".to_owned()));
    assert_eq!(
        value(&fight.cooldown),
        Some(Duration::Nanos(2_000_000_000).into())
    );
    assert_eq!(
        value(&fight.debounce),
        Some(Duration::Nanos(200_000_000).into())
    );
    assert_eq!(fight.meta, Some(serde_json::json!({ "bend": [1, 2] })));
    assert!(
        matches!(&after.trigger, Trigger::After(d) if d.value == Duration::Nanos(1_500_000_000).into() && at(d.span) == "1.5s")
    );
    assert!(matches!(&timer.trigger, Trigger::Timer(name) if name.as_str() == "nap"));
    assert_eq!(
        (value(&timer.kind), timer.targets.len()),
        (Some(TransitionKind::Internal), 0)
    );
    assert!(
        matches!(always.trigger, Trigger::Always(_))
            && value(&always.stack) == Some(StackOperation::Pop)
    );
    assert_eq!(
        always.guard.as_ref().map(|code| code.as_str()),
        Some("false")
    );
    assert!(
        matches!(done.trigger, Trigger::Done(_))
            && value(&done.kind) == Some(TransitionKind::Local)
    );
    assert!(matches!(any.trigger, Trigger::Any(span) if at(span) == "*"));
    assert!(any.stay.map(at) == Some("true") && fight.stay.is_none());

    let [go, after, timer, done] = &idle.decisions[..] else {
        panic!()
    };
    assert!(matches!(&go.trigger, Trigger::Event(name) if name.as_str() == "Go"));
    assert_eq!(
        (go.guard.as_str(), go.then.as_ref().unwrap().target.as_str()),
        ("alert", "combat")
    );
    let otherwise = go.otherwise.as_ref().unwrap();
    assert_eq!(
        (otherwise.target.as_str(), texts(&go.effect)),
        ("dead", vec!["Shout"])
    );
    assert_eq!(otherwise.reenter, None);
    let again = done.then.as_ref().unwrap();
    assert_eq!(
        (again.target.as_str(), again.reenter.map(at)),
        ("idle", Some("true"))
    );
    assert_eq!(
        (value(&go.priority), go.muted, at(go.guard.span)),
        (Some(3), true, "alert")
    );
    assert!(matches!(after.trigger, Trigger::After(_)) && after.guard.as_str() == "1");
    assert!(matches!(timer.trigger, Trigger::Timer(_)) && timer.then.is_none());
    assert!(matches!(done.trigger, Trigger::Done(_)));
}

#[test]
fn regions_history_choice_final() {
    let m = full();
    let combat = state(&m, "combat");
    assert_eq!(combat.kind(), StateKind::Orthogonal);
    let [movement, weapon] = &combat.regions[..] else {
        panic!()
    };
    assert_eq!(
        (
            movement.name.as_ref().unwrap().as_str(),
            value(&movement.id)
        ),
        ("movement", Some(0xc1))
    );
    assert_eq!(
        (
            value(&movement.stack_depth),
            movement.states[0].name.as_str()
        ),
        (Some(3), "run")
    );
    assert_eq!(names(&movement.initial.as_ref().unwrap().targets), ["run"]);
    assert_eq!(
        (names(&weapon.initial.as_ref().unwrap().targets), &weapon.id),
        (vec!["fire"], &None)
    );
    let [last, first] = &combat.history[..] else {
        panic!()
    };
    assert_eq!(
        (last.name.as_str(), value(&last.id), last.deep),
        ("last", Some(0xb1), true)
    );
    assert_eq!(
        (
            names(&last.default),
            texts(&last.effect),
            last.restore_on_entry
        ),
        (vec!["fire", "run"], vec!["Shout"], true)
    );
    assert_eq!(
        (names(&first.default), first.deep, first.restore_on_entry),
        (vec!["fire"], false, false)
    );
    assert!(at(last.span).starts_with("\"last\": {"));
    let sync: Vec<_> = combat.transitions[0]
        .sync
        .iter()
        .map(|(r, t)| (r.as_str(), t.as_str()))
        .collect();
    assert_eq!(
        sync,
        [("movement", "run"), ("weapon", "combat/weapon/fire")]
    );
    let branches = state(&m, "pick").choice.as_ref().unwrap();
    assert_eq!(
        (
            branches[0].guard.as_ref().map(|code| at(code.span)),
            names(&branches[0].targets)
        ),
        (Some("alert"), vec!["combat"])
    );
    assert_eq!(
        (
            texts(&branches[0].effect),
            &branches[1].guard,
            names(&branches[1].targets)
        ),
        (vec!["Shout"], &None, vec!["dead"])
    );
    assert_eq!(state(&m, "dead").is_final.map(at), Some("true"));
    let empty = state(&m, "empty");
    assert_eq!((empty.regions.len(), empty.regions[0].states.len()), (1, 0));
    assert_eq!(empty.timers[0].name.as_str(), "t");
}
