//! Which transitions become jumps, what they look like, and what the loader refuses.

use statewright_compile::tables::Tables;
use statewright_compile::{Options, Output, compile_text};
use statewright_rom::Coded;
use statewright_rom::layout::*;
use statewright_rom::{Rom, seal};

const FIGHT: &str = r#"{ "machine": "Fight", "tier": "crowd", "initial": "calm",
  "events": ["Sight", "Lost", "Hit", "Wait", "Rest", "Maybe"], "blackboard": { "wounds": { "type": "i32" } },
  "states": {
    "calm": { "exit": "StandUp", "transitions": [
      { "on": "Sight", "to": "near", "do": "Shout" },
      { "on": "Wait", "to": "tired" },
      { "on": "Maybe", "if": "Brave", "to": "near" } ] },
    "fight": { "initial": "near", "entry": "Draw", "exit": "Sheathe",
      "transitions": [{ "on": "Lost", "to": "calm" }],
      "states": {
        "near": { "entry": "Circle", "transitions": [
          { "on": "Hit", "do": "wounds += 1" },
          { "on": "Maybe", "if": "Brave", "to": "far" }, { "on": "Maybe", "to": "calm" } ] },
        "far": {} } },
    "tired": { "transitions": [{ "after": "2s", "to": "calm" }, { "on": "Rest", "to": "calm" }] } } }"#;

fn compiled(text: &str) -> Output {
    let (output, problems) = compile_text(
        "fight.sw.json",
        text,
        &Options {
            strict: false,
            dev: false,
        },
    );
    output.unwrap_or_else(|| {
        panic!(
            "{:?}",
            problems
                .iter()
                .map(|problem| &problem.message)
                .collect::<Vec<_>>()
        )
    })
}

/// Functions of the steps of a jump, by leaf and event; `-` for an op that is no call.
fn steps(output: &Output, leaf: &str, event: &str) -> Option<Vec<String>> {
    let rom = output.rom.as_rom();
    let symbols = &output.symbols;
    let state = symbols
        .states
        .iter()
        .position(|state| state.name == leaf)
        .expect("the state exists");
    let event = symbols
        .events
        .iter()
        .position(|found| found.name == event)
        .expect("the event exists");
    let jump = rom.jump(rom.cell(state as u16, event as u16)?.list.get())?;
    let name = |step: &JumpStep| {
        let function = symbols.functions.get(usize::from(step.function.get()));
        let state = &symbols.states[usize::from(step.state.get())].name;
        match step.kind.get() {
            JumpStepKind::Exit => format!("exit {state}"),
            JumpStepKind::Enter => format!("enter {state}"),
            _ => function.map_or("-".to_owned(), |function| function.name.clone()),
        }
    };
    Some(
        rom.jump_steps_of(jump)
            .expect("the steps exist")
            .iter()
            .map(name)
            .collect(),
    )
}

fn list(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| (*name).to_owned()).collect())
}

#[test]
fn exec_1_a_jump_lists_exits_effect_and_entries() {
    let output = compiled(FIGHT);
    assert_eq!(
        steps(&output, "calm", "Sight"),
        list(&["StandUp", "Shout", "Draw", "Circle"])
    );
    assert_eq!(steps(&output, "fight/near", "Lost"), list(&["Sheathe"]));
    assert_eq!(steps(&output, "fight/far", "Lost"), list(&["Sheathe"]));
    assert_eq!(
        steps(&output, "fight/near", "Hit"),
        list(&["-"]),
        "internal, and no call"
    );
    assert_eq!(
        steps(&output, "calm", "Wait"),
        list(&["StandUp", "enter tired"]),
        "the target has a timer"
    );
    assert_eq!(
        steps(&output, "tired", "Rest"),
        list(&["exit tired"]),
        "the source has a timer"
    );
    assert_eq!(
        steps(&output, "calm", "Maybe"),
        list(&["StandUp", "Draw", "Circle"]),
        "alone with its guard"
    );
}

#[test]
fn what_must_be_decided_or_kept_is_no_jump() {
    let output = compiled(FIGHT);
    assert_eq!(
        steps(&output, "fight/near", "Maybe"),
        None,
        "a second candidate behind a guard"
    );
    assert_eq!(
        steps(&output, "fight/far", "Hit"),
        None,
        "nobody handles it"
    );
    let observed = FIGHT.replace(
        "\"states\": {\n    \"calm\"",
        "\"observers\": [{ \"on\": \"Hit\", \"do\": \"Note\" }],\n  \"states\": {\n    \"calm\"",
    );
    assert_ne!(observed, FIGHT);
    assert!(
        compiled(&observed).rom.as_rom().jumps().is_empty(),
        "observers see every event"
    );
}

const BODY: &str = r#"{ "machine": "Body", "tier": "standard", "initial": "alive", "events": ["Go", "Stop", "Wave", "Die", "Both"],
  "states": {
    "alive": { "exit": "Fall", "regions": {
      "legs": { "initial": "stand", "states": {
        "stand": { "exit": "Lift", "transitions": [{ "on": "Go", "to": "walk" }, { "on": "Both", "to": "walk" }] },
        "walk": { "entry": "Step", "transitions": [{ "on": "Stop", "to": "stand" }] } } },
      "arms": { "initial": "hang", "states": {
        "hang": { "transitions": [
          { "on": "Wave", "to": "wave" }, { "on": "Both", "to": "wave" }, { "on": "Die", "to": "dead" } ] },
        "wave": { "entry": "Raise" } } } } },
    "dead": {} } }"#;

#[test]
fn exec_2_a_jump_stays_in_one_region() {
    let output = compiled(BODY);
    assert_eq!(steps(&output, "alive/stand", "Go"), list(&["Lift", "Step"]));
    assert_eq!(steps(&output, "alive/hang", "Wave"), list(&["Raise"]));
    assert_eq!(
        steps(&output, "alive/hang", "Both"),
        list(&["Raise"]),
        "the kernel looks at all leaves"
    );
    assert_eq!(
        steps(&output, "alive/hang", "Die"),
        None,
        "it leaves the other region, too"
    );
    let rom = output.rom.as_rom();
    let beside = rom
        .jumps()
        .iter()
        .filter(|jump| rom.states()[usize::from(jump.leaf.get())].leaf != 0);
    assert_eq!(
        beside.map(|jump| jump.flags.get()).collect::<Vec<_>>(),
        [jump_flag::MIXED; 2]
    );
}

type Change = fn(&mut Tables);

/// What loading says about changed tables.
fn refused(change: impl Fn(&mut Tables)) -> String {
    let output = compiled(FIGHT);
    let mut tables = Tables::from_rom(&output.rom.as_rom());
    change(&mut tables);
    let mut bytes = tables.to_bytes();
    seal(&mut bytes);
    match Rom::from_bytes(&bytes) {
        Ok(_) => "loaded".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn rom_2_damaged_jumps_are_refused() {
    assert_eq!(refused(|_| {}), "loaded");
    let cases: [(Change, &str); 11] = [
        (|t| t.jumps[0].leaf = 2.into(), "its leaf is none"),
        (|t| t.jumps[0].transition = 999.into(), "transition"),
        (|t| t.jumps[0].list = 999.into(), "list"),
        (|t| t.jumps[1].first = 0.into(), "first step"),
        (|t| t.jumps[0].flags = 4.into(), "flags"),
        (|t| t.jump_steps[0].kind = Coded::from_raw(3), "kind"),
        (
            |t| t.jump_steps[0].kind = JumpStepKind::Exit.into(),
            "operands",
        ),
        (|t| t.jumps[0].reserved[2] = 1.into(), "reserved"),
        (|t| t.jump_steps[0].state = 999.into(), "state"),
        (|t| t.jump_steps[0].function = 999.into(), "no action"),
        (|t| t.dense_cells[0].list = (JUMP | 999).into(), "jump"),
    ];
    for (change, message) in cases {
        let found = refused(change);
        assert!(
            found.contains(message),
            "{found:?} does not speak of {message:?}"
        );
    }
}
