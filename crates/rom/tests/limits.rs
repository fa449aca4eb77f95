//! Numbers that the rules quote are those of the format's tables (RAM-2, ROM-3, SEL-3, EXEC-9,
//! CMD-2), and so are lists of names (CMD-1, CODE-5).

use statewright_rom::layout::{
    BuiltInLane, MAX_CAP, MAX_COMMAND_BYTES, MAX_DEPTH, MAX_PRIORITY, MAX_RECORDS, MAX_STEPS,
    MergeRule, TIERS, Tier, ValueType,
};

/// The text of a rule, its words parted by single spaces.
fn rule(id: &str) -> String {
    let page = include_str!("../../../docs/semantics.md");
    let start = format!("### <a id=\"{id}\"></a>");
    let text = page.split(&start).nth(1).expect("the rule is there");
    let text = text.split("\n### ").next().expect("a first part");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(id: &str, words: &str) {
    assert!(rule(id).contains(words), "{id} does not say `{words}`");
}

/// 65534 as people write it.
fn thousands(number: usize) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}

#[test]
fn ram_2_lists_the_tiers() {
    for (tier, name) in TIERS.iter().zip(Tier::NAMES) {
        let row = format!(
            "| {} {name} | {} | {} | {} | {} | {} | {} |",
            tier.bytes,
            tier.leaves,
            tier.timers,
            tier.slots,
            tier.events,
            tier.events_per_tick,
            tier.microsteps_per_tick
        );
        says("RAM-2", &row);
    }
    says(
        "RAM-2",
        &format!("from 1 to {}", thousands(usize::from(MAX_CAP))),
    );
}

#[test]
fn cmd_1_names_lanes_and_merge_rules() {
    let lanes = BuiltInLane::NAMES.join(", ");
    let rule = rule("CMD-1").to_lowercase().replace('-', " ");
    assert!(rule.contains(&format!("lanes: {lanes}, and user lanes")));
    for merge in MergeRule::ALL {
        let lanes = BuiltInLane::ALL.into_iter();
        let lanes: Vec<_> = lanes.filter(|lane| lane.merge() == merge).collect();
        let lanes: Vec<_> = lanes.into_iter().map(BuiltInLane::name).collect();
        // None of the built-in ones accumulates.
        let lanes = match lanes.is_empty() {
            true => "capped".to_owned(),
            false => lanes.join(", "),
        };
        let words = format!("{} ({lanes})", merge.name().replace('_', " "));
        assert!(rule.contains(&words), "CMD-1 does not say `{words}`");
    }
}

#[test]
fn code_5_names_the_types_of_values() {
    let rule = rule("CODE-5");
    let listed = rule.split_whitespace().find(|word| word.contains("f32/"));
    let listed = listed.expect("a list").trim_end_matches(',').split('/');
    let (mut listed, mut meant) = (listed.collect::<Vec<_>>(), ValueType::NAMES);
    listed.sort_unstable();
    meant.sort_unstable();
    assert_eq!(listed, meant);
}

#[test]
fn exec_9_names_costs_depth_and_steps() {
    let costs = TIERS.map(|tier| tier.cost.to_string()).join(" / ");
    says("EXEC-9", &format!("at most {costs} per tier"));
    says(
        "EXEC-9",
        &format!("Depth at most {MAX_DEPTH}, root included"),
    );
    says("EXEC-9", &format!("At most {MAX_STEPS} in one microstep"));
}

#[test]
fn the_other_limits_are_quoted_as_they_are() {
    says("ROM-3", &format!("up to {} states", thousands(MAX_RECORDS)));
    says(
        "SEL-3",
        &format!("Priority (0-{MAX_PRIORITY}, higher first)"),
    );
    let page = thousands(usize::from(MAX_COMMAND_BYTES));
    says("CMD-2", &format!("At most {page} per agent and tick"));
}
