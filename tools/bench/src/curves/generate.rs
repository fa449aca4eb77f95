//! Machines of a wanted shape, as text of machine files.
//!
//! Every state has entry and exit and every transition an effect, as in the machine of the table.
//! All are of the largest tier, so that along a curve only the shape changes.

use serde_json::{Map, Value, json};

fn machine(name: &str, events: &[String], root: Value) -> String {
    let mut machine = json!({ "machine": name, "tier": "hero", "events": events });
    if let (Some(machine), Value::Object(root)) = (machine.as_object_mut(), root) {
        machine.extend(root);
    }
    machine.to_string()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn state(transitions: Vec<Value>) -> Value {
    json!({ "entry": "Enter", "exit": "Exit", "transitions": transitions })
}

fn go(event: &str, to: &str) -> Value {
    json!({ "on": event, "to": to, "do": "Effect" })
}

/// Two towers of states, so deep with the root. Event 0 changes between the two leaves of a tower,
/// 1 goes to the other tower, 2 is handled nowhere.
pub fn towers(depth: usize) -> String {
    let tower = |name: &str, other: &str| {
        let leaf = |to: String| state(vec![go("FLIP", &to), go("JUMP", &format!("{other}_a"))]);
        let (a, b) = (format!("{name}_a"), format!("{name}_b"));
        let mut inner = json!({ "initial": a, "states": { a.clone(): leaf(b.clone()), b.clone(): leaf(a.clone()) } });
        for level in (2..depth).rev() {
            let around = format!("{name}_{level}");
            inner["entry"] = json!("Enter");
            inner["exit"] = json!("Exit");
            inner = json!({ "initial": around.clone(), "states": { around: inner } });
        }
        inner["states"].as_object().cloned().unwrap_or_default()
    };
    let (left, right) = (tower("left", "right"), tower("right", "left"));
    let initial = left.keys().next().cloned();
    let states: Map<String, Value> = left.into_iter().chain(right).collect();
    machine(
        "Towers",
        &names(&["FLIP", "JUMP", "NOP"]),
        json!({ "initial": initial, "states": states }),
    )
}

/// So many regions of two leaves. Event 0 changes the first region, 1 changes all, 2 is handled
/// nowhere.
pub fn regions(count: usize) -> String {
    let region = |number: usize| {
        let leaf = |to: &str| {
            let to = format!("{to}{number}");
            let one = (number == 0).then(|| go("ONE", &to));
            state(one.into_iter().chain([go("ALL", &to)]).collect())
        };
        let (a, b) = (format!("a{number}"), format!("b{number}"));
        let region = json!({ "initial": a, "states": { a.clone(): leaf("b"), b: leaf("a") } });
        (format!("region{number}"), region)
    };
    let regions: Map<String, Value> = (0..count).map(region).collect();
    let root = match count {
        // One region is no orthogonal state.
        1 => regions
            .into_iter()
            .next()
            .map_or(Value::Null, |(_, region)| region),
        _ => json!({ "regions": regions }),
    };
    machine("Regions", &names(&["ONE", "ALL", "NOP"]), root)
}

/// Two states with so many transitions, of which event 0 takes the last. The others wait for events
/// of their own, or have a guard that fails first.
pub fn transitions(count: usize, guards: bool) -> String {
    let others: Vec<String> = (1..count).map(|number| format!("OTHER{number}")).collect();
    let all = |to: &str| {
        let other = |event: &String| match guards {
            true => json!({ "on": "FLIP", "if": "Never", "to": to, "do": "Effect" }),
            false => go(event, to),
        };
        state(others.iter().map(other).chain([go("FLIP", to)]).collect())
    };
    let events: Vec<String> = std::iter::once("FLIP".to_owned())
        .chain(others.iter().cloned())
        .collect();
    let root = json!({ "initial": "a", "states": { "a": all("b"), "b": all("a") } });
    machine("Transitions", &events, root)
}

/// Leaves in groups of 15, so many states in all. Event 0 goes to the next leaf, 1 far away, 2 is
/// handled nowhere.
pub fn ring(states: usize) -> String {
    const GROUP: usize = 16;
    let is_group = |number: usize| number.is_multiple_of(GROUP) && number + 1 < states;
    let leaves: Vec<usize> = (0..states).filter(|&number| !is_group(number)).collect();
    let leaf = |place: usize| {
        let to = |place: usize| format!("s{}", leaves[place % leaves.len()]);
        state(vec![
            go("NEXT", &to(place + 1)),
            go("HOP", &to(place * 7 + 3)),
        ])
    };
    let mut groups = Map::new();
    for (place, number) in leaves.iter().enumerate() {
        let group = groups.entry(format!("g{}", number / GROUP)).or_insert_with(
            || json!({ "entry": "Enter", "exit": "Exit", "initial": format!("s{number}"), "states": {} }),
        );
        group["states"][format!("s{number}")] = leaf(place);
    }
    machine(
        "Ring",
        &names(&["NEXT", "HOP", "NOP"]),
        json!({ "initial": "g0", "states": groups }),
    )
}
