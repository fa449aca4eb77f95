//! Expressions and names: CODE-4, NAME-1, NAME-2.

use crate::common::Bench;

/// The words of a key of a type after `key = text`.
fn words(ty: &str, text: &str) -> [u32; 3] {
    let source = format!(
        r#"{{ "machine": "M", "tick_rate": 10, "events": {{ "E": {{ "payload": "i32" }} }},
          "blackboard": {{ "out": "{ty}", "n": "i32", "f": "f32", "v": "vec3", "sym": "symbol" }},
          "parameters": {{ "limit": 30, "speed": 2.5, "who": {{ "type": "symbol", "value": "orc" }} }}, "initial": "a",
          "states": {{ "a": {{ "clock": true, "initial": "b", "states": {{ "b": {{}} }}, "transitions": [{{ "on": "E", "do": {{ "set": "out", "to": {text:?} }} }}] }} }} }}"#
    );
    let mut bench = Bench::new(&source);
    bench.tick();
    bench.notes.keys = vec![[0; 3]; 5];
    bench.notes.keys[1][0] = 7;
    bench.notes.keys[2][0] = 0.5_f32.to_bits();
    bench.notes.keys[3] = [1.0_f32, 2.0, 3.0].map(f32::to_bits);
    bench.notes.keys[4][0] = ORC;
    bench.skip(4);
    bench.oracle.post(105, 0, None, [9, 0, 0, 0]);
    bench.tick();
    bench.notes.keys[0]
}

/// The number of `orc` (HASH-2).
const ORC: u32 = 0x07bf_8b74;

fn int(text: &str) -> i32 {
    words("i32", text)[0] as i32
}

fn float(text: &str) -> f32 {
    f32::from_bits(words("f32", text)[0])
}

fn truth(text: &str) -> bool {
    words("bool", text)[0] == 1
}

#[test]
fn code_4_i32_wraps_and_never_faults() {
    assert_eq!(int("2147483647 + 1"), i32::MIN);
    assert_eq!(int("n / 0 + n % 0"), 0);
    assert_eq!(int("-2147483648 / (n - 8)"), i32::MIN);
    assert_eq!(int("7 / 2"), 3);
    assert_eq!(int("i32(-2.7) * 10 + i32(f * 1e30)"), i32::MAX - 20);
    assert_eq!(int("clamp(n, 10, 8)"), 8);
    assert_eq!(int("event + limit"), 39);
}

#[test]
fn code_4_floats() {
    assert_eq!(float("n / 2.0"), 3.5);
    assert_eq!(float("n"), 7.0);
    assert_eq!(float("speed * 2"), 5.0);
    assert_eq!(words("f32", "f / 0 * 0")[0], 0x7FC0_0000);
    assert_eq!(float("max(f, f / 0 * 0)"), 0.5);
    assert_eq!(float("select(n > 3, 1, 2.5)"), 1.0);
    assert_eq!(float("time_in_state()"), 0.5);
    assert_eq!(int("ticks_in_state(a)"), 5);
    assert_eq!(int("ticks_in_state(b)"), 5);
}

#[test]
fn code_4_vectors() {
    assert_eq!(
        words("vec3", "v * 2 - vec3(1, 1, n)").map(f32::from_bits),
        [1.0, 3.0, -1.0]
    );
    assert_eq!(
        float("dot(v, v) + length_squared(v) + distance_squared(v, vec3(0, 2, 3)) + v.z"),
        32.0
    );
    assert!(truth("v == vec3(1, 2, 3) && v != vec3(1, 2, 4)"));
}

#[test]
fn code_4_symbols_and_states() {
    assert!(truth("sym == 'orc' && sym == who && sym != 'elf'"));
    // HASH-2
    assert_eq!(words("symbol", "'elf'")[0], 0xa129_9db0);
    assert_eq!(words("symbol", "''")[0], 0);
    assert!(truth("in(b) && in(a/b) && in('/a') && in(root)"));
    assert!(truth("Held && !(n > 9) || Never"));
}

#[test]
fn names_are_looked_up_outward_then_anywhere() {
    let mut bench = Bench::new(
        r#"{ "machine": "M", "events": ["E", "F", "G", "H"], "initial": "a", "states": {
          "a": { "initial": "x", "states": { "x": { "transitions": [
             { "on": "E", "to": "y" }, { "on": "F", "to": "b/y" }, { "on": "G", "to": "only" }, { "on": "H", "to": "/b/r1/y" } ] }, "y": {} } },
          "b": { "regions": { "r1": { "initial": "y", "states": { "y": {}, "only": {} } }, "r2": { "states": { "w": {} } } } } } }"#,
    );
    let mut run = |event: &str| {
        bench.oracle.reset();
        bench.tick();
        bench.send(&[event])
    };
    assert_eq!(run("E"), "-x +y");
    assert_eq!(run("F"), "-x -a +b +y +w");
    assert_eq!(run("G"), "-x -a +b +only +w");
    assert_eq!(run("H"), "-x -a +b +y +w");
}

#[test]
fn numbers_in_words() {
    let bench = Bench::new(
        r#"{ "machine": "M", "events": ["E"], "timers": ["m"], "initial": "a", "states": {
          "gone": { "muted": true, "states": { "x": {} } },
          "a": { "history": { "h": {} }, "states": { "b": { "transitions": [{ "on": "E", "to": "h" }, { "after": "2t", "to": "/a/b", "priority": 4 }] } } } } }"#,
    );
    let oracle = &bench.oracle;
    let counts = oracle.counts();
    assert_eq!(
        (
            counts.states,
            counts.regions,
            counts.transitions,
            counts.timers,
            counts.points
        ),
        (3, 2, 2, 2, 1)
    );
    assert_eq!(
        oracle.transition_line(0),
        "0: /a/b after 2t of /a/b p4 External -> [/a/b]"
    );
    assert_eq!(
        oracle.transition_line(1),
        "1: /a/b on E p0 External -> [point 0 of /a]"
    );
    assert_eq!(oracle.timer_line(0), "timer m of the machine");
}
