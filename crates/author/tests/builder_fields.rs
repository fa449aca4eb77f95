//! Every field of the graph can be reached from the builder. The structs are taken apart without
//! `..`, so that a new field does not compile until it is in the builder and here.

use super::parts::check_part;
use serde_json::json;
use statewright_author::builder::Policy;
use statewright_author::graph::*;
use statewright_author::span::{Name, Spanned};
use statewright_author::value::{
    BuiltInLane, Class, Duration, FunctionKind, LaneKey, LaneScope, Literal, MergeRule, Tier,
    ValueType,
};

pub(super) fn build(
    describe: impl FnOnce(&mut statewright_author::builder::MachineBuilder<'_>),
) -> Machine {
    let (machine, problems) = Machine::build("M", describe);
    assert!(problems.is_empty(), "{problems:?}");
    machine
}

pub(super) fn value<T: Clone>(field: &Option<Spanned<T>>) -> T {
    field.as_ref().expect("given").value.clone()
}

pub(super) fn names(list: &[Name]) -> Vec<&str> {
    list.iter().map(|name| name.value.as_str()).collect()
}

pub(super) fn texts(list: &[Action]) -> Vec<&str> {
    let text = |action: &Action| match &action.kind {
        ActionKind::Text(code) => code.value.clone(),
        other => panic!("{other:?}"),
    };
    list.iter().map(text).map(|text| &*text.leak()).collect()
}

#[test]
fn machine() {
    let built = build(|m| {
        m.id(7)
            .doc("what")
            .tier(Tier::Hero)
            .tick_rate(30)
            .fail_safe("safe")
            .reload_entry("again")
            .meta(json!(1));
        m.events_per_tick(1)
            .microsteps_per_tick(2)
            .clamp_limit(3)
            .command_bytes(4);
        m.policy(Policy::ReverseExitOrder, true)
            .policy(Policy::ImmediateUpdate, false);
        m.policy(Policy::PostedNextTick, true)
            .policy(Policy::InternalFirst, false);
        m.policy(Policy::DoneEvents, true)
            .policy(Policy::StrictWrites, false)
            .policy(Policy::ScxmlDetails, true)
            .policy(Policy::ReloadResets, true);
        m.event("e");
        m.key("k", 1);
        m.parameter("p", 1);
        m.variant("v");
        m.channel("c");
        m.lane("l", MergeRule::Accumulate);
        m.built_in_lane(BuiltInLane::Vfx);
        m.timer("t");
        m.observe_any();
        m.function("f", FunctionKind::Scorer);
        m.transition_set("s", |_| {});
        m.root().entry("Start");
    });
    let Machine {
        source,
        name,
        id,
        doc,
        tier,
        tick_rate,
        policies,
        budgets,
        fail_safe,
        reload_entry,
        events,
        blackboard,
        parameters,
        variants,
        channels,
        lanes,
        built_in_lanes,
        timers,
        observers,
        functions,
        transition_sets,
        root,
        meta,
        undeclared_functions: _,
    } = built;
    assert_eq!(
        (
            source.name(),
            name.value.as_str(),
            value(&id),
            doc.as_deref()
        ),
        ("M", "M", 7, Some("what"))
    );
    assert_eq!((value(&tier), value(&tick_rate)), (Tier::Hero, 30));
    assert_eq!(
        (value(&fail_safe), value(&reload_entry)),
        ("safe".into(), "again".into())
    );
    let Policies {
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
        scxml_details,
        reload_resets,
    } = policies;
    let policies = [
        reverse_exit_order,
        immediate_update,
        posted_next_tick,
        internal_first,
        done_events,
        strict_writes,
    ];
    assert_eq!(
        policies.map(|policy| value(&policy)),
        [true, false, true, false, true, false]
    );
    assert!(value(&scxml_details) && value(&reload_resets));
    let Budgets {
        events_per_tick,
        microsteps_per_tick,
        clamp_limit,
        command_bytes,
    } = budgets;
    let budgets = [
        events_per_tick,
        microsteps_per_tick,
        clamp_limit,
        command_bytes,
    ];
    assert_eq!(budgets.map(|budget| value(&budget)), [1, 2, 3, 4]);
    assert_eq!(
        (
            events.len(),
            blackboard.len(),
            parameters.len(),
            variants.len()
        ),
        (1, 1, 1, 1)
    );
    assert_eq!(built_in_lanes.len(), 1);
    assert_eq!(
        (channels.len(), lanes.len(), timers.len(), observers.len()),
        (1, 1, 1, 1)
    );
    assert_eq!(
        (functions.len(), transition_sets.len(), root.entry.len()),
        (1, 1, 1)
    );
    assert_eq!(meta, Some(json!(1)));
}

#[test]
fn events_and_data() {
    let built = build(|m| {
        m.event("Hit")
            .id(1)
            .doc("d")
            .payload(ValueType::Entity)
            .class(Class::Low)
            .coalesce()
            .ttl("2t")
            .indirect()
            .ephemeral()
            .sent();
        m.event("Raw").payload(Payload::Bytes(40)).meta(json!("m"));
        m.key_of("speed", ValueType::F32)
            .default(3)
            .doc("d")
            .host()
            .meta(json!(2));
        m.parameter("p", 1.5).doc("d").host().meta(json!(3));
        m.variant("v").doc("d").set("p", 2.5).set("q", true);
    });
    let Event {
        name,
        id,
        doc,
        payload,
        class,
        coalesce,
        ttl,
        indirect,
        ephemeral,
        sent,
        meta,
    } = built.events[0].clone();
    assert_eq!(
        (name.value.as_str(), value(&id), doc.as_deref()),
        ("Hit", 1, Some("d"))
    );
    assert_eq!(
        (value(&payload), value(&class)),
        (Payload::Value(ValueType::Entity), Class::Low)
    );
    assert_eq!(
        (coalesce, value(&ttl), indirect, ephemeral, sent, meta),
        (true, Duration::Ticks(2), true, true, true, None)
    );
    assert_eq!(
        (value(&built.events[1].payload), &built.events[1].meta),
        (Payload::Bytes(40), &Some(json!("m")))
    );
    let Key {
        name,
        doc,
        ty,
        default,
        host,
        meta,
    } = built.blackboard[0].clone();
    assert_eq!(
        (name.value.as_str(), doc.as_deref(), ty.value),
        ("speed", Some("d"), ValueType::F32)
    );
    assert_eq!((value(&default), meta), (Literal::Int(3), Some(json!(2))));
    assert!(host);
    let Parameter {
        name,
        doc,
        ty,
        value: literal,
        host,
        meta,
    } = built.parameters[0].clone();
    assert_eq!(
        (name.value.as_str(), doc.as_deref(), ty.value),
        ("p", Some("d"), ValueType::F32.into())
    );
    assert_eq!((literal.value, meta), (Literal::Float(1.5), Some(json!(3))));
    assert!(host);
    let Variant { name, doc, values } = built.variants[0].clone();
    assert_eq!((name.value.as_str(), doc.as_deref()), ("v", Some("d")));
    let values: Vec<_> = values
        .into_iter()
        .map(|(name, value)| (name.value, value.value))
        .collect();
    assert_eq!(
        values,
        [
            ("p".into(), Literal::Float(2.5)),
            ("q".into(), Literal::Bool(true))
        ]
    );
}

#[test]
fn other_declarations() {
    let built = build(|m| {
        m.channel("c").doc("d").lane("audio").release("Stop");
        m.lane("l", MergeRule::Deduplicate)
            .doc("d")
            .critical(true)
            .cap(3);
        let mut audio = m.built_in_lane(BuiltInLane::Audio);
        audio.scope(LaneScope::Crowd).key(LaneKey::Name);
        m.timer("t")
            .id(2)
            .doc("d")
            .instances(3)
            .class(Class::Critical)
            .event("Hit");
        m.observe("Hit").run("Log").run("Count");
        m.function("f", FunctionKind::Guard)
            .doc("d")
            .rng()
            .parameter("p", ValueType::Bool);
        m.transition_set("s", |t| {
            t.on("Hit");
            t.always();
            t.uses("other");
        });
    });
    let Channel {
        name,
        doc,
        lane,
        release,
    } = built.channels[0].clone();
    assert_eq!((name.value.as_str(), doc.as_deref()), ("c", Some("d")));
    assert_eq!(
        (value(&lane), value(&release)),
        ("audio".into(), "Stop".into())
    );
    let Lane {
        name,
        doc,
        merge,
        critical,
        key,
        scope,
        cap,
    } = built.lanes[0].clone();
    assert_eq!((name.value.as_str(), doc.as_deref()), ("l", Some("d")));
    assert_eq!(
        (value(&merge), value(&critical), value(&cap)),
        (MergeRule::Deduplicate, true, 3)
    );
    assert_eq!((key, scope), (None, None));
    let audio = &built.built_in_lanes[0];
    assert_eq!(
        (audio.name.as_str(), value(&audio.key), value(&audio.scope)),
        ("audio", LaneKey::Name, LaneScope::Crowd)
    );
    let Timer {
        name,
        id,
        doc,
        instances,
        class,
        event,
    } = built.timers[0].clone();
    assert_eq!(
        (name.value.as_str(), value(&id), doc.as_deref()),
        ("t", 2, Some("d"))
    );
    assert_eq!(
        (value(&instances), value(&class), value(&event)),
        (3, Class::Critical, "Hit".into())
    );
    let Observer {
        event,
        actions,
        span,
    } = built.observers[0].clone();
    assert_eq!(
        (value(&event), texts(&actions)),
        ("Hit".into(), vec!["Log", "Count"])
    );
    assert_eq!(built.source.step(span), Some("observer of Hit"));
    let Function {
        name,
        doc,
        kind,
        returns,
        rng,
        parameters,
    } = built.functions[0].clone();
    assert_eq!(returns, None);
    assert_eq!(
        (name.value.as_str(), doc.as_deref(), kind.value, rng),
        ("f", Some("d"), FunctionKind::Guard, true)
    );
    assert_eq!(
        (parameters[0].0.value.as_str(), parameters[0].1.value),
        ("p", ValueType::Bool)
    );
    let TransitionSet {
        name,
        transitions,
        uses,
    } = built.transition_sets[0].clone();
    assert_eq!((name.value.as_str(), transitions.len()), ("s", 2));
    assert_eq!(uses[0].value, "other");
}

#[test]
fn states() {
    let built = build(|m| {
        m.final_state("end");
        m.state("s", |s| {
            s.id(3)
                .doc("d")
                .meta(json!(4))
                .muted()
                .history_reset_on_done()
                .clock();
            s.entry("In")
                .exit("Out")
                .suspend("Sleep")
                .resume("Wake")
                .update("Look")
                .activity("Run(3)");
            s.part("parts/fight.sw.json")
                .with("rage", 40)
                .map("Hit", "Struck");
            s.uses("set")
                .defers("E")
                .owns("legs")
                .exit_ready("ready")
                .min_active("1s");
            s.on("E");
            s.decide("c");
            s.any_state().on("E");
            s.timer("t");
            s.scratch("x", 2).id(5);
            s.history("h")
                .id(6)
                .deep()
                .default("a")
                .default("b")
                .run("R")
                .restore_on_entry();
            s.region("r", |r| {
                r.id(8).stack_depth(2);
                r.initial("a").and("b").run("Init");
                r.state("a", |_| {});
            });
        });
        m.state("pick", |s| {
            s.when("c").go("a").go("b").run("B");
        });
    });
    let states = &built.root.regions[0].states;
    assert_eq!(states[0].is_final, Some(states[0].span));
    let State {
        name,
        span,
        id,
        doc,
        muted,
        is_final,
        choice,
        regions,
        history,
        history_reset_on_done,
        entry,
        exit,
        suspend,
        resume,
        update,
        activity,
        transitions,
        decisions,
        uses,
        any_state,
        defers,
        timers,
        owns,
        scratch,
        exit_ready,
        min_active,
        clock,
        meta,
        part,
    } = states[1].clone();
    check_part(&part.expect("it uses a part"));
    assert_eq!(
        (name.value.as_str(), built.source.step(span), value(&id)),
        ("s", Some("state s"), 3)
    );
    assert_eq!(
        (doc.as_deref(), muted, is_final, choice),
        (Some("d"), true, None, None)
    );
    assert_eq!(
        (history_reset_on_done, clock, meta),
        (true, true, Some(json!(4)))
    );
    assert_eq!((texts(&entry), texts(&exit)), (vec!["In"], vec!["Out"]));
    assert_eq!(
        (texts(&suspend), texts(&resume), texts(&update)),
        (vec!["Sleep"], vec!["Wake"], vec!["Look"])
    );
    assert_eq!(
        (value(&activity), value(&exit_ready)),
        ("Run(3)".into(), "ready".into())
    );
    assert_eq!(value(&min_active), Duration::Nanos(1_000_000_000).into());
    assert_eq!(
        (
            transitions.len(),
            decisions.len(),
            any_state.len(),
            timers.len()
        ),
        (1, 1, 1, 1)
    );
    assert_eq!(
        (names(&uses), names(&defers), names(&owns)),
        (vec!["set"], vec!["E"], vec!["legs"])
    );
    let Scratch {
        name,
        id,
        slots,
        ty,
    } = scratch[0].clone();
    assert_eq!(ty, None);
    assert_eq!((name.value.as_str(), value(&id), slots.value), ("x", 5, 2));
    let HistoryPoint {
        name,
        id,
        deep,
        default,
        effect,
        restore_on_entry,
        span,
    } = history[0].clone();
    assert_eq!(
        (name.value.as_str(), value(&id), deep, restore_on_entry),
        ("h", 6, true, true)
    );
    assert_eq!(
        (names(&default), texts(&effect)),
        (vec!["a", "b"], vec!["R"])
    );
    assert_eq!(built.source.step(span), Some("state s > history h"));
    let Region {
        name,
        id,
        span,
        initial,
        stack_depth,
        states: inner,
    } = regions[0].clone();
    assert_eq!(
        (value(&name), value(&id), value(&stack_depth), inner.len()),
        ("r".into(), 8, 2, 1)
    );
    assert_eq!(built.source.step(span), Some("state s > region r"));
    let Initial {
        targets,
        effect,
        span,
    } = initial.expect("given");
    assert_eq!(
        (names(&targets), texts(&effect)),
        (vec!["a", "b"], vec!["Init"])
    );
    assert_eq!(
        built.source.step(span),
        Some("state s > region r > initial")
    );
    let Branch {
        guard,
        targets,
        effect,
        span,
    } = states[2].choice.as_ref().expect("a choice")[0].clone();
    assert_eq!(
        (value(&guard), names(&targets), texts(&effect)),
        ("c".into(), vec!["a", "b"], vec!["B"])
    );
    assert_eq!(built.source.step(span), Some("state pick > branch 1"));
}
