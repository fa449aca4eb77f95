//! What expressions give, what folds, what is read and how it is written back.

use statewright_author::expr::{ActionText, parse_action};
use statewright_author::graph::Payload;
use statewright_author::value::ValueType;
use statewright_compile::expr::{Constant, Expected, decompile, is_built_in};
use statewright_rom::code::op;

use crate::scope::{TestScope, TestWorld, evaluate};

#[track_caller]
fn constant(text: &str) -> Constant {
    let mut scope = TestScope::default();
    scope
        .good(text, Expected::AnyType)
        .constant
        .unwrap_or_else(|| panic!("{text} is not constant"))
}

#[track_caller]
fn text(source: &str, canonical: &str) {
    let mut scope = TestScope::with_payload(Payload::Value(ValueType::Vec3));
    let compiled = scope.good(source, Expected::AnyType);
    assert_eq!(compiled.text, canonical);
    assert_eq!(
        scope.verify(
            &compiled.instructions,
            compiled.stack_words,
            compiled.ty as u8
        ),
        Ok(())
    );
}

#[test]
fn code_4_constants_fold_with_the_rules_of_run_time() {
    assert_eq!(constant("2147483647 + 1"), Constant::I32(i32::MIN));
    assert_eq!(constant("-2147483648"), Constant::I32(i32::MIN));
    assert_eq!(constant("-2147483648 / -1"), Constant::I32(i32::MIN));
    assert_eq!(constant("7 / 2 * 2.0"), Constant::F32(6.0));
    assert_eq!(constant("-7 % 3"), Constant::I32(-1));
    assert_eq!(constant("5.5 % 2"), Constant::F32(1.5));
    assert_eq!(constant("16777217 == 16777216.0"), Constant::Bool(true));
    assert_eq!(constant("i32(1e20) == 2147483647"), Constant::Bool(true));
    assert_eq!(
        constant("clamp(7, 1, 5) + abs(-3) + min(2, 1) + max(2, 1)"),
        Constant::I32(11)
    );
    assert_eq!(
        constant("vec2(1, 2) * 2 + vec2(0.5, 0)"),
        Constant::Vec2([2.5, 4.0])
    );
    assert_eq!(
        constant("dot(vec3(1, 2, 3), vec3(4, 5, 6))"),
        Constant::F32(32.0)
    );
    assert_eq!(constant("vec3(1, 2, 3).z"), Constant::F32(3.0));
    assert_eq!(constant("'a' == \"a\" && 'a' != 'b'"), Constant::Bool(true));
    assert_eq!(constant("select(1 < 2, 3, 4.5)"), Constant::F32(3.0));
}

#[test]
fn code_4_division_by_zero_gives_zero() {
    let mut scope = TestScope::default();
    let (compiled, diagnostics) = scope.compile("health / 0 == 0", Expected::Bool);
    assert_eq!(diagnostics.len(), 1);
    let mut world = TestWorld {
        words: vec![77],
        ..Default::default()
    };
    assert_eq!(evaluate(&compiled.unwrap(), &mut world), [1]);
    assert_eq!(constant("5 / 0"), Constant::I32(0));
    assert_eq!(constant("5 % 0"), Constant::I32(0));
}

#[test]
fn code_4_nan_compares_false() {
    for (source, expected) in [
        ("0.0 / 0.0 < 1.0", 0),
        ("0.0 / 0.0 >= 1.0", 0),
        ("0.0 / 0.0 == 0.0 / 0.0", 0),
        ("!(0.0 / 0.0 <= 1.0)", 1),
        ("0.0 / 0.0 != 0.0", 1),
    ] {
        let compiled = TestScope::default().good(source, Expected::Bool);
        assert_eq!(compiled.constant, None, "NaN is left to run time");
        assert_eq!(
            evaluate(&compiled, &mut TestWorld::default()),
            [expected],
            "{source}"
        );
    }
}

#[test]
fn the_canonical_text_is_short_and_says_everything() {
    text("health<30&&!fleeing", "health < 30 && !fleeing");
    text("(health) < (25 + 5)", "health < 30");
    text("speed > health", "speed > f32(health)");
    text("speed > 3", "speed > 3.0");
    text(
        "HasAmmo && Near(5.0, who: 'x', vec2(1, -2))",
        "HasAmmo() && Near(5.0, who: 'x', vec2(1.0, -2.0))",
    );
    text("ticks_in_state() > 30", "ticks_in_state(combat) > 30");
    text(
        "time_in_state(combat/attack) > 0.5",
        "time_in_state(combat/attack) > 0.5",
    );
    text("f32(ticks_in_state(idle)) / 60", "time_in_state(idle)");
    text(
        "f32(ticks_in_state(idle)) / 61",
        "f32(ticks_in_state(idle)) / 61.0",
    );
    text(
        "in('combat/attack') || in(idle)",
        "in(combat/attack) || in(idle)",
    );
    text(
        "a && (b && (c || (d || e)))",
        "a() && b() && (c() || d() || e())",
    );
    text("true && fleeing || false", "fleeing");
    text(
        "event.y + position.x + home.z - (position - home).y",
        "event.y + position.x + home.z - (position - home).y",
    );
    text("2 * aim / speed", "2.0 * aim / speed");
    text("speed * 0.1", "speed * 0.1");
    text("speed + -0.0", "speed + -0.0");
    text("i32(f32(health)) - -5", "i32(f32(health)) - -5");
    text(
        "select(fleeing, health, 1.5)",
        "select(fleeing, f32(health), 1.5)",
    );
    text(
        "length_squared(position) < distance_squared(home, event)",
        "length_squared(position) < distance_squared(home, event)",
    );
    text(
        "kind == 'orc' && target != leader",
        "kind == 'orc' && target != leader",
    );
    text("!!fleeing == true", "fleeing == true");
}

#[test]
fn sys_2_facts_say_what_is_read_after_folding() {
    let mut scope = TestScope::with_payload(Payload::U32);
    let facts = scope
        .good(
            "health < max_health && time_in_state(idle) > 1 && in(combat)",
            Expected::Bool,
        )
        .facts;
    assert_eq!(facts.keys.into_iter().collect::<Vec<_>>(), [0]);
    assert_eq!(facts.parameters.into_iter().collect::<Vec<_>>(), [0]);
    assert_eq!(facts.clocks.into_iter().collect::<Vec<_>>(), [0]);
    assert_eq!(facts.in_states.into_iter().collect::<Vec<_>>(), [1]);
    assert!(!facts.payload && facts.guards.is_empty());
    assert!(scope.good("event > 3", Expected::Bool).facts.payload);
    let facts = scope
        .good("fleeing || HasAmmo || (false && Never)", Expected::Bool)
        .facts;
    assert_eq!(facts.guards.len(), 1);
}

#[test]
fn a_lone_guard_call_is_recognized() {
    let mut scope = TestScope::default();
    assert_eq!(
        scope.good("HasAmmo", Expected::Bool).only_guard_call(),
        Some(0)
    );
    assert_eq!(
        scope.good("Near(3)", Expected::Bool).only_guard_call(),
        Some(1)
    );
    assert_eq!(
        scope.good("!HasAmmo", Expected::Bool).only_guard_call(),
        None
    );
    assert_eq!(
        scope.good("fleeing", Expected::Bool).only_guard_call(),
        None
    );
    assert!(is_built_in("min") && is_built_in("event") && !is_built_in("Near"));
}

#[test]
fn payloads_are_read_by_their_type() {
    for (payload, source) in [
        (Payload::U32, "event + 1 > 0"),
        (Payload::Value(ValueType::Bool), "event && fleeing"),
        (Payload::Value(ValueType::Entity), "event == target"),
        (Payload::Value(ValueType::Symbol), "event == 'orc'"),
        (Payload::Value(ValueType::Vec2), "event.x < event.y"),
        (Payload::Vec4, "event.x < event.w"),
    ] {
        let mut scope = TestScope::with_payload(payload);
        let compiled = scope.good(source, Expected::Bool);
        assert_eq!(compiled.text, source);
        assert!(compiled.facts.payload);
    }
}

#[test]
fn chains_share_one_target_and_skip_the_rest() {
    let mut scope = TestScope::default();
    let compiled = scope.good("A && B && C", Expected::Bool);
    let jumps: Vec<_> = compiled
        .instructions
        .iter()
        .filter(|i| i.op == op::AND_JUMP)
        .map(|i| i.c.get())
        .collect();
    assert_eq!((jumps, compiled.stack_words), (vec![5, 5], 1));
    // Odd words: every guard says no.
    let mut world = TestWorld {
        words: vec![1],
        ..Default::default()
    };
    assert_eq!(evaluate(&compiled, &mut world), [0]);
    assert_eq!(world.asked, [0]);
}

#[test]
fn decompiling_nonsense_gives_nothing() {
    let scope = TestScope::default();
    let mut code = TestScope::default()
        .good("health + ammo * 2", Expected::AnyType)
        .instructions;
    code.remove(1);
    assert_eq!(decompile(&code, &scope), None);
    assert_eq!(decompile(&[], &scope), None);
    // As deep as bytecode can be.
    let mut deep = TestScope::default()
        .good("fleeing", Expected::Bool)
        .instructions;
    deep.extend(
        TestScope::default()
            .good("!fleeing", Expected::Bool)
            .instructions[1..]
            .repeat(1023),
    );
    assert_eq!(
        decompile(&deep, &scope).unwrap().len(),
        "fleeing".len() + 1023
    );
}

/// Lines of the fenced blocks of one kind in the reference page.
fn documented(kind: &str) -> Vec<&'static str> {
    let page = include_str!("../../../../docs/expressions.md");
    let blocks = page.split("```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.strip_prefix(kind))
        .flat_map(str::lines)
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn documented_examples_compile() {
    let mut scope = TestScope::with_payload(Payload::Value(ValueType::F32));
    let [guards, scores, actions] = ["guard\n", "score\n", "action\n"].map(documented);
    assert!(guards.len() >= 6 && scores.len() >= 2 && actions.len() >= 4);
    guards
        .iter()
        .for_each(|guard| _ = scope.good(guard, Expected::Bool));
    scores
        .iter()
        .for_each(|score| _ = scope.good(score, Expected::F32));
    for action in actions {
        let (ActionText::Set { key, value } | ActionText::Add { key, value }) =
            parse_action(action).unwrap()
        else {
            continue;
        };
        let ty = scope.good(&key.value, Expected::AnyType).ty;
        scope.good(&value.to_string(), Expected::Type(ty));
    }
}
