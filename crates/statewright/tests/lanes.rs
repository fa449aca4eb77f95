//! Rules of lanes through a whole crowd: which are critical, caps, who wins, equal commands of
//! several agents (CMD-1, CMD-2; issue line 5).

use statewright::commands::{Lane, LaneRule, What};
use statewright::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
struct Sound {
    number: u32,
    volume: [u32; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = NAVIGATION)]
struct MoveTo {
    place: [f32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
struct Hit {
    amount: i32,
}

/// How many sounds it makes.
#[derive(Clone)]
struct Noisy(u32);

impl statewright::Board for Noisy {}

/// So many sounds, then a way and a blow.
fn fight(noisy: &mut Noisy, (): &(), cx: &mut ActionCx<'_, '_, '_>) {
    for number in 0..noisy.0 {
        cx.emit(Sound {
            number,
            volume: [0; 3],
        });
    }
    cx.emit(MoveTo { place: [1.0, 2.0] });
    cx.emit(Hit { amount: 7 });
}

/// A machine with some lanes that does something when told to.
fn program(lanes: &str, actions: &str) -> Program<Noisy, ()> {
    let text = format!(
        r#"{{ "machine": "Noisy", "events": ["Go", "Leave"], "lanes": {{ {lanes} }}, "channels": {{ "legs": {{ "lane": "navigation" }} }},
          "initial": "a", "states": {{
            "a": {{ "owns": ["legs"], "transitions": [
              {{ "on": "Go", "do": [{actions}] }}, {{ "on": "Leave", "to": "b", "do": [{actions}] }}] }}, "b": {{}} }} }}"#
    );
    let machine =
        Machine::from_text("noisy.sw.json", &text).unwrap_or_else(|error| panic!("{error}"));
    let functions = Functions::new().action("Fight", fight);
    machine.bind(functions).unwrap()
}

/// A crowd of such agents after they were told, and how many commands were dropped.
fn told(program: Program<Noisy, ()>, boards: &[u32]) -> (Crowd<Noisy, ()>, u64) {
    told_to("Go", program, boards)
}

fn told_to(event: &str, program: Program<Noisy, ()>, boards: &[u32]) -> (Crowd<Noisy, ()>, u64) {
    let mut crowd = Crowd::new(program, 1);
    for &board in boards {
        crowd.spawn(Noisy(board));
    }
    crowd.tick(&());
    let event = crowd.machine().event(event).unwrap();
    crowd.broadcast(event, ()).unwrap();
    let tick = crowd.tick(&());
    (crowd, tick.dropped_commands)
}

/// Names of what remains of a lane.
fn names(crowd: &Crowd<Noisy, ()>, lane: Lane) -> Vec<String> {
    let machine = crowd.machine().clone();
    let rom = machine.rom();
    let name = |what| match what {
        What::Emit { name, .. } => name.to_owned(),
        What::Release { .. } => "release".to_owned(),
        What::Typed | What::Send { .. } | What::Write { .. } => "other".to_owned(),
    };
    let commands = crowd.lane(lane);
    commands.map(|command| name(command.what(&rom))).collect()
}

/// Reproduction: 19 sounds of 40 bytes filled what plain commands may use, and the way and the blow
/// were dropped with the twentieth.
#[test]
fn cmd_2_line_5_nineteen_sounds_starve_neither_a_way_nor_a_blow() {
    let (crowd, dropped) = told(program("", r#""Fight""#), &[25]);
    assert_eq!(dropped, 6, "sounds");
    assert_eq!(crowd.lane(Lane::AUDIO).count(), 19);
    let mut moved = crowd.lane(Lane::NAVIGATION).filter_map(|one| one.get());
    assert_eq!(moved.next(), Some(MoveTo { place: [1.0, 2.0] }));
    let mut hits = crowd.lane(Lane::GAMEPLAY).filter_map(|one| one.get());
    assert_eq!(hits.next(), Some(Hit { amount: 7 }));
}

#[test]
fn cmd_2_line_5_file_and_host_say_which_lanes_are_critical() {
    let plain = r#""navigation": { "critical": false }, "gameplay": { "critical": false }"#;
    let (crowd, dropped) = told(program(plain, r#""Fight""#), &[25]);
    assert_eq!((dropped, crowd.lane(Lane::NAVIGATION).count()), (8, 0));
    assert_eq!(crowd.lane(Lane::GAMEPLAY).count(), 0);

    let mut program = program(plain, r#""Fight""#);
    let critical = LaneRule {
        critical: Some(true),
        ..LaneRule::default()
    };
    program.set_lane(Lane::NAVIGATION, critical);
    let (crowd, dropped) = told(program, &[25]);
    assert_eq!((dropped, crowd.lane(Lane::GAMEPLAY).count()), (7, 0));
    assert_eq!(crowd.lane(Lane::NAVIGATION).count(), 1);
}

#[test]
fn cmd_2_line_5_a_cap_drops_and_counts_what_is_too_much() {
    let lanes = r#""audio": { "cap": 3 }, "quest": { "merge": "strict_order", "cap": 1 }"#;
    let actions =
        r#"{ "emit": "Begin", "lane": "quest" }, { "emit": "End", "lane": "quest" }, "Fight""#;
    let (mut crowd, dropped) = told(program(lanes, actions), &[5, 2]);
    assert_eq!(dropped, 2 + 2, "two sounds, and one end of each");
    assert_eq!(crowd.lane(Lane::AUDIO).count(), 3 + 2);
    assert_eq!(names(&crowd, Lane::own(0)), ["Begin"; 2]);
    assert_eq!(crowd.counters().commands_dropped, 4);
    assert_eq!(crowd.tick(&()).dropped_commands, 0, "per tick");

    let mut program = program(lanes, actions);
    let free = LaneRule {
        cap: Some(0),
        ..LaneRule::default()
    };
    program.set_lane(Lane::AUDIO, free);
    let (crowd, dropped) = told(program, &[5, 2]);
    assert_eq!((dropped, crowd.lane(Lane::AUDIO).count()), (2, 7));
}

/// Reproduction: `Go` and `Halt` of one agent both remained, and whoever read the lane did both.
#[test]
fn cmd_1_line_5_of_go_and_halt_the_last_remains() {
    let actions =
        r#"{ "emit": "Go", "lane": "navigation" }, { "emit": "Halt", "lane": "navigation" }"#;
    let (crowd, _) = told_to("Leave", program("", actions), &[0, 0]);
    assert_eq!(
        names(&crowd, Lane::NAVIGATION),
        ["release", "Halt", "release", "Halt"],
        "a release stands for itself"
    );
    let by_name = r#""navigation": { "key": "name" }"#;
    let more = format!(r#"{actions}, {{ "emit": "Go", "lane": "navigation", "payload": 2 }}"#);
    let (crowd, _) = told_to("Leave", program(by_name, &more), &[0]);
    assert_eq!(names(&crowd, Lane::NAVIGATION), ["release", "Halt", "Go"]);
}

#[test]
fn cmd_1_line_5_equal_commands_of_a_crowd_count_once_where_the_lane_says_so() {
    let boards: Vec<u32> = (0..200).map(|agent| agent % 4).collect();
    let (crowd, _) = told(program("", r#""Fight""#), &boards);
    assert_eq!(crowd.lane(Lane::AUDIO).count(), 50 * (1 + 2 + 3));
    for size in [1, 7, 1000] {
        let program = program(r#""audio": { "scope": "crowd" }"#, r#""Fight""#);
        let mut crowd = Crowd::new(program, 1);
        crowd.set_chunk_size(size);
        boards
            .iter()
            .for_each(|&board| _ = crowd.spawn(Noisy(board)));
        crowd.tick(&());
        let go = crowd.machine().event("Go").unwrap();
        crowd.broadcast(go, ()).unwrap();
        crowd.tick(&());
        let sounds = crowd.lane(Lane::AUDIO);
        let sounds = sounds.filter_map(|one| one.get::<Sound>());
        let sounds: Vec<u32> = sounds.map(|sound| sound.number).collect();
        assert_eq!(sounds, [0, 1, 2], "the first of the crowd, in order");
    }
}
