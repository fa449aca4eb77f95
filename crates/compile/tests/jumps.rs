//! Which transitions become jumps, what they look like, and what the loader refuses.

use statewright_compile::tables::Tables;
use statewright_compile::{Options, Output, compile_text};
use statewright_rom::Coded;
use statewright_rom::ids::Column;
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
    let jump = first_jump(output, leaf, event)?;
    Some(names_of(output, &rom, jump))
}

/// The steps of all jumps of a ladder.
fn ladder(output: &Output, leaf: &str, event: &str) -> Vec<Vec<String>> {
    let rom = output.rom.as_rom();
    let first = first_jump(output, leaf, event);
    let next = |jump: &&Jump| rom.jumps().get(jump.otherwise.get() as usize);
    std::iter::successors(first.as_ref(), next)
        .map(|jump| names_of(output, &rom, *jump))
        .collect()
}

/// The jump that is tried first.
fn first_jump(output: &Output, leaf: &str, event: &str) -> Option<Jump> {
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
    rom.jump(rom.cell(state as u16, event as u16)?.list.get())
        .copied()
}

fn names_of(output: &Output, rom: &Rom<'_>, jump: Jump) -> Vec<String> {
    let symbols = &output.symbols;
    let name = |step: &JumpStep| {
        let function = symbols.functions.get(usize::from(step.function.get()));
        let state = &symbols.states[usize::from(step.state.get())].name;
        match step.kind.get() {
            JumpStepKind::Exit => format!("exit {state}"),
            JumpStepKind::Enter => format!("enter {state}"),
            JumpStepKind::Remember => {
                let (_, active) = step.remembered();
                format!("remember {}", symbols.states[usize::from(active)].name)
            }
            JumpStepKind::Op => function.map_or("-".to_owned(), |function| function.name.clone()),
        }
    };
    let steps = rom.jump_steps_of(&jump).expect("the steps exist");
    steps.iter().map(name).collect()
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
fn sel_3_candidates_with_guards_are_a_ladder() {
    let output = compiled(FIGHT);
    let found = ladder(&output, "fight/near", "Maybe");
    assert_eq!(found, [vec![], vec!["Sheathe".to_owned()]]);
    let rom = output.rom.as_rom();
    let guards = |jump: &&Jump| jump.guard.get() != NONE;
    let next: Vec<u32> = rom
        .jumps()
        .iter()
        .filter(guards)
        .map(|jump| jump.otherwise.get())
        .collect();
    assert_eq!(
        next.iter().filter(|&&next| next == NO_LIST).count(),
        1,
        "alone in `calm`"
    );
}

const FORK: &str = r#"{ "machine": "Fork", "tier": "crowd", "initial": "calm", "events": ["Sight", "Hear"],
  "blackboard": { "ammo": { "type": "i32" } },
  "states": {
    "calm": { "exit": "StandUp", "transitions": [
      { "on": "Sight", "to": "decide", "do": "Shout" }, { "on": "Hear", "if": "Awake", "to": "decide" }] },
    "decide": { "choice": [{ "if": "ammo > 0", "do": "Load", "to": "fight" }, { "to": "flee" }] },
    "fight": { "entry": "Draw" },
    "flee": { "entry": "Run", "transitions": [{ "after": "2s", "to": "calm" }] } } }"#;

#[test]
fn exec_7_the_branches_of_a_choice_are_a_ladder() {
    let output = compiled(FORK);
    assert_eq!(
        ladder(&output, "calm", "Sight"),
        [
            vec!["StandUp", "Shout", "Load", "Draw"],
            vec!["StandUp", "Shout", "enter flee"]
        ]
    );
    assert_eq!(
        steps(&output, "calm", "Hear"),
        None,
        "a guard before the choice"
    );
}

#[test]
fn evt_7_a_timer_with_one_outcome_is_a_jump() {
    let output = compiled(FORK);
    let rom = output.rom.as_rom();
    let timer = &rom.timers()[0];
    let column = Column::read(timer.column).expect("a column of its own");
    let cell = rom
        .timer_cell(timer.owner.get(), column)
        .expect("dense rows");
    let jump = rom.jump(cell.list.get()).expect("a jump");
    assert_eq!(names_of(&output, &rom, *jump), ["exit flee"]);
}

const HOUSE: &str = r#"{ "machine": "House", "tier": "standard", "initial": "house", "events": ["Away", "Shallow", "Deep", "Inside"],
  "states": {
    "house": { "entry": "Open", "history": { "room": {}, "place": { "deep": true }, "first": { "default": "kitchen" } },
      "transitions": [{ "on": "Away", "to": "garden", "do": "Leave" }, { "on": "Inside", "to": "room" }],
      "initial": "hall", "states": {
        "hall": { "entry": "Hall" },
        "kitchen": { "entry": "Cook" },
        "parlor": { "initial": "door", "states": { "door": { "entry": "Door" }, "sofa": { "entry": "Sofa" } } } } },
    "garden": { "transitions": [{ "on": "Shallow", "to": "room" }, { "on": "Deep", "to": "place" }] } } }"#;

#[test]
fn exec_4_history_is_a_ladder_and_what_is_left_is_remembered() {
    let output = compiled(HOUSE);
    assert_eq!(
        steps(&output, "house/parlor/sofa", "Away"),
        list(&[
            "remember house/parlor",
            "remember house/parlor/sofa",
            "remember house/parlor",
            "Leave"
        ])
    );
    let entered = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    assert_eq!(
        ladder(&output, "garden", "Shallow"),
        [
            entered(["Open", "Hall"]),
            entered(["Open", "Cook"]),
            entered(["Open", "Door"]),
            entered(["Open", "Hall"])
        ],
        "by children, then by the initial"
    );
    assert_eq!(
        ladder(&output, "garden", "Deep"),
        [
            entered(["Open", "Hall"]),
            entered(["Open", "Cook"]),
            entered(["Open", "Door"]),
            entered(["Open", "Sofa"]),
            entered(["Open", "Hall"])
        ],
        "by leaves"
    );
    assert_eq!(
        steps(&output, "house/hall", "Inside"),
        None,
        "the point is about to be written"
    );
    let rom = output.rom.as_rom();
    let slots = rom.jumps().iter().map(|jump| jump.slot);
    assert_eq!(slots.filter(|&slot| slot == 0xFF).count(), 4 + 2);
}

const WISHES: &str = r#"{ "machine": "Wishes", "tier": "crowd", "initial": "a", "events": ["Go", "Twice"],
  "blackboard": { "hunger": "f32" },
  "states": {
    "a": { "exit": "Leave", "transitions": [
      { "on": "Go", "to": "b", "score": "hunger", "threshold": 0.4, "priority": 8 },
      { "on": "Go", "stay": true, "score": "0.35", "priority": 8 },
      { "on": "Go", "to": "c" },
      { "on": "Twice", "to": "b", "score": "hunger", "priority": 8 },
      { "on": "Twice", "to": "c", "score": "0.1" }] },
    "b": {}, "c": {} } }"#;

#[test]
fn sel_3_scores_side_by_side_are_in_one_ladder() {
    let output = compiled(WISHES);
    let leaves = || vec!["Leave".to_owned()];
    assert_eq!(ladder(&output, "a", "Go"), [leaves(), vec![], leaves()]);
    let flags = first_jump(&output, "a", "Go").map(|jump| jump.flags.get());
    assert_eq!(flags, Some(jump_flag::MIXED | jump_flag::SCORED));
    assert_eq!(
        steps(&output, "a", "Twice"),
        None,
        "they do not compete with each other"
    );
    let rom = output.rom.as_rom();
    let flags = rom.jumps().iter().map(|jump| jump.flags.get());
    let stays = jump_flag::MIXED | jump_flag::SCORED | jump_flag::STAYS;
    assert_eq!(flags.filter(|&flags| flags == stays).count(), 1);
}

#[test]
fn what_must_be_decided_or_kept_is_no_jump() {
    let output = compiled(FIGHT);
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
    let observed = compiled(&observed);
    assert!(steps(&output, "fight/near", "Hit").is_some());
    assert_eq!(
        steps(&observed, "fight/near", "Hit"),
        None,
        "it is observed"
    );
    assert!(
        !observed.rom.as_rom().jumps().is_empty(),
        "other events are not"
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

/// The last jump that has a guard.
fn guarded(tables: &mut Tables) -> &mut Jump {
    let mut jumps = tables.jumps.iter_mut().rev();
    jumps
        .find(|jump| jump.guard.get() != NONE)
        .expect("there is one")
}

#[test]
fn rom_2_damaged_jumps_are_refused() {
    assert_eq!(refused(|_| {}), "loaded");
    let cases: [(Change, &str); 21] = [
        (|t| t.jumps[0].leaf = 2.into(), "its leaf is none"),
        (|t| t.jumps[0].transition = 999.into(), "transition"),
        (|t| t.jumps[0].list = 999.into(), "list"),
        (|t| t.jumps[1].first = 0.into(), "first step"),
        (|t| t.jumps[0].flags = 4.into(), "flags"),
        (|t| t.jumps[0].flags = 8.into(), "flags"),
        (|t| t.jumps[0].slot = 6, "slot"),
        (|t| guarded(t).slot = 0, "what is remembered"),
        (|t| t.jump_steps[0].kind = Coded::from_raw(4), "kind"),
        (
            |t| t.jump_steps[0].kind = JumpStepKind::Remember.into(),
            "remembered",
        ),
        (
            |t| t.jump_steps[0].kind = JumpStepKind::Exit.into(),
            "operands",
        ),
        (|t| t.jumps[0].reserved = 1, "reserved"),
        (|t| t.jumps[0].otherwise = 1.into(), "otherwise"),
        (|t| guarded(t).otherwise = 0.into(), "otherwise"),
        (|t| t.jumps[0].asker = 999.into(), "asker"),
        (|t| t.jumps[0].between = 999.into(), "between"),
        (|t| t.jumps[0].exits = 9.into(), "effects"),
        (|t| t.jumps[0].effects = 9.into(), "effects"),
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
