//! Numbers that the rules quote are those of the format's tables (RAM-2, ROM-3, SEL-3, EXEC-9,
//! CMD-2).

use statewright_rom::layout::{
    MAX_CAP, MAX_COMMAND_BYTES, MAX_DEPTH, MAX_PRIORITY, MAX_RECORDS, MAX_STEPS, TIERS,
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
    for (tier, name) in TIERS.iter().zip(["crowd", "standard", "hero"]) {
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
