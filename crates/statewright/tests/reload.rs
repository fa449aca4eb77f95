//! SYS-5, LOAD-1 to LOAD-7 as programs see them: a crowd, a world or slices under another version of their
//! machine. That agents become what the rules say is proved by `proof/differential/src/reload.rs`.

use statewright::prelude::*;
use statewright::{
    Anew, Blackboard, Completed, Extent, Fate, Instance, Instance64, Instance128, Reload,
    ReloadError, World,
};

type Plain = Crowd<Blackboard, ()>;

fn machine(text: &str) -> Machine {
    Machine::from_text("guard.sw.json", text).unwrap()
}

fn crowd_of(machine: &Machine) -> Plain {
    Crowd::new(machine.bind(Functions::new()).unwrap(), 7)
}

fn reload(crowd: &mut Plain, new: &Machine) -> statewright::ReloadReport {
    let plan = Reload::plan(crowd.machine(), new);
    let preview = crowd.preview(&plan).unwrap();
    let report = crowd
        .reload(new.bind(Functions::new()).unwrap(), plan)
        .unwrap();
    assert_eq!(preview, report, "a preview says what happens");
    report
}

/// A guard that waits until something is above a bound; with a third state or without.
fn guard(bound: i32, third: &str) -> Machine {
    machine(&format!(
        r#"{{ "machine": "Guard", "events": ["Go", "Back"],
             "blackboard": {{ "fear": {{ "type": "i32", "default": 5 }}, "steps": "i32" }},
             "initial": "calm", "states": {{
               "calm": {{ "transitions": [{{ "when": "always", "if": "fear > {bound}", "to": "gone" }}, {{ "on": "Go", "to": "walk" }}] }},
               "walk": {{ "initial": "slow", "entry": "steps += 1", "states": {{
                  "slow": {{ "entry": "steps += 10", "transitions": [{{ "on": "Go", "to": "fast" }}] }},
                  "fast": {{}} {third} }} }},
               "gone": {{}} }} }}"#
    ))
}

#[test]
fn load_2_new_parameters_change_no_byte_and_give_everybody_a_turn() {
    let (old, new) = (guard(9, ""), guard(3, ""));
    let mut crowd = crowd_of(&old);
    let agents: Vec<AgentId> = (0..70)
        .map(|_| crowd.spawn(Blackboard::new(&old)))
        .collect();
    crowd.tick(&());
    crowd.tick(&());
    crowd.pause(agents[5]).unwrap();
    assert_eq!(crowd.awake(), 0, "nobody has anything to do");
    let before: Vec<Vec<u8>> = agents
        .iter()
        .map(|&agent| crowd.instance_bytes(agent).unwrap().to_vec())
        .collect();
    let report = reload(&mut crowd, &new);
    assert_eq!((report.extent, report.kept), (Extent::Parameters, 70));
    for (agent, before) in agents.iter().zip(before) {
        assert_eq!(crowd.instance_bytes(*agent).unwrap(), before);
    }
    crowd.tick(&());
    assert_eq!(
        crowd.path(agents[0]).unwrap(),
        "gone",
        "the new bound holds"
    );
    assert_eq!(crowd.path(agents[5]).unwrap(), "calm", "time stands still");
    crowd.resume(agents[5]).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.path(agents[5]).unwrap(), "gone");
}

#[test]
fn load_3_a_state_that_is_gone_is_completed_by_the_next_tick() {
    let with = guard(9, r#", "run": {}"#);
    let without = machine(&with_text_without_slow());
    let mut crowd = crowd_of(&with);
    let [walker, other] = [0, 1].map(|_| crowd.spawn(Blackboard::new(&with)));
    let steps = |crowd: &Plain, agent| {
        let key = crowd.machine().key("steps").unwrap();
        crowd.board(agent).unwrap().get::<i32>(key).unwrap()
    };
    crowd.tick(&());
    crowd.send(walker, with.event("Go").unwrap(), ()).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.path(walker).unwrap(), "walk/slow");
    assert_eq!(steps(&crowd, walker), 11);
    let report = reload(&mut crowd, &without);
    assert_eq!((report.extent, report.kept), (Extent::Structure, 1));
    let group = &report.completed[0];
    assert_eq!((group.why, group.count), (Completed::StateGone, 1));
    assert_eq!(group.examples, [walker]);
    assert_eq!(
        crowd.path(walker).unwrap(),
        "walk",
        "a part of a configuration"
    );
    assert_eq!(steps(&crowd, walker), 11, "nothing ran");
    crowd.tick(&());
    assert_eq!(crowd.path(walker).unwrap(), "walk/fast");
    assert_eq!(
        steps(&crowd, walker),
        111,
        "`fast` was entered, `walk` was not"
    );
    assert_eq!(crowd.path(other).unwrap(), "calm");
}

fn with_text_without_slow() -> String {
    r#"{ "machine": "Guard", "events": ["Go", "Back"],
         "blackboard": { "steps": "i32", "fear": { "type": "i32", "default": 5 } },
         "initial": "calm", "states": {
           "calm": { "transitions": [{ "when": "always", "if": "fear > 9", "to": "gone" }, { "on": "Go", "to": "walk" }] },
           "walk": { "initial": "fast", "entry": "steps += 1", "states": {
              "fast": { "entry": "steps += 100" }, "run": {} } },
           "gone": {} } }"#
        .to_owned()
}

#[test]
fn load_1_a_plan_of_other_machines_is_refused_and_nothing_changes() {
    let (one, two, three) = (guard(1, ""), guard(2, ""), guard(3, r#", "run": {}"#));
    let mut crowd = crowd_of(&one);
    let agent = crowd.spawn(Blackboard::new(&one));
    crowd.tick(&());
    let before = crowd.instance_bytes(agent).unwrap().to_vec();
    let program = || three.bind(Functions::new()).unwrap();
    let wrong = crowd.reload(program(), Reload::plan(&two, &three));
    let wrong = wrong.unwrap_err();
    assert!(matches!(wrong, ReloadError::Plan { .. }));
    assert_eq!(
        wrong.to_string(),
        "the plan was made for another machine than that of the crowd: make it with the machines of both"
    );
    let wrong = crowd.reload(program(), Reload::plan(&one, &two));
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "the plan leads to another machine than that of the program: make it with the machines of both"
    );
    assert_eq!(crowd.instance_bytes(agent).unwrap(), before);
    assert_eq!(crowd.machine().structure_hash(), one.structure_hash());
}

#[test]
fn load_5_and_load_7_events_arrive_in_the_new_machine() {
    let text = |events: &str| {
        format!(
            r#"{{ "machine": "Door", "tier": "standard", "events": {events}, "initial": "shut", "states": {{
                 "shut": {{ "transitions": [{{ "on": "Open", "to": "open" }}] }}, "open": {{}} }} }}"#
        )
    };
    let old = machine(&text(r#"["Knock", "Open"]"#));
    let new = machine(&text(r#"["Open", "Ring", "Kick"]"#));
    let mut crowd = crowd_of(&old);
    let [one, two] = [0, 1].map(|_| crowd.spawn(Blackboard::new(&old)));
    crowd.tick(&());
    crowd.send(one, old.event("Open").unwrap(), ()).unwrap();
    crowd.send(two, old.event("Knock").unwrap(), ()).unwrap();
    let report = reload(&mut crowd, &new);
    assert_eq!(report.lost_letters, 1);
    crowd.tick(&());
    let paths = [one, two].map(|agent| crowd.path(agent).unwrap());
    assert_eq!(paths, ["open", "shut"]);
    // A handle of the old machine is that of the new one, if it is there (HASH-3).
    assert!(crowd.send(two, old.event("Knock").unwrap(), ()).is_err());
    assert!(crowd.send(two, old.event("Open").unwrap(), ()).is_ok());
}

#[test]
fn load_6_keys_and_variants_are_known_by_name() {
    let text = |keys: &str, variants: &str| {
        format!(
            r#"{{ "machine": "Dog", "blackboard": {keys}, "parameters": {{ "size": 1 }}, "variants": {variants},
                 "states": {{ "sit": {{}} }} }}"#
        )
    };
    let old = machine(&text(
        r#"{ "hunger": "i32", "age": "i32" }"#,
        r#"{ "small": { "size": 0 }, "large": { "size": 9 } }"#,
    ));
    let new = machine(&text(
        r#"{ "age": "f32", "name": { "type": "i32", "default": 8 }, "hunger": "i32" }"#,
        r#"{ "large": { "size": 7 } }"#,
    ));
    let mut crowd = crowd_of(&old);
    let board = |hunger: i32| {
        let board = Blackboard::new(&old).with(&old, "hunger", hunger).unwrap();
        board.with(&old, "age", 4).unwrap()
    };
    let spawn = |crowd: &mut Plain, hunger, variant| {
        let variant = old.variant(variant).unwrap();
        crowd.spawn_as(board(hunger), variant)
    };
    let small = spawn(&mut crowd, 1, "small");
    let large = spawn(&mut crowd, 2, "large");
    crowd.tick(&());
    let plan = Reload::plan(&old, &new);
    assert_eq!(plan.keys().retyped().collect::<Vec<_>>(), ["age"]);
    let report = reload(&mut crowd, &new);
    assert_eq!(report.lost_variants, 1);
    let read = |agent, name: &str| {
        let key = new.key(name).unwrap();
        crowd.board(agent).unwrap().get::<i32>(key).unwrap()
    };
    assert_eq!([read(small, "hunger"), read(large, "hunger")], [1, 2]);
    assert_eq!(read(small, "name"), 8);
    assert_eq!(crowd.variant(large).unwrap(), new.variant("large").unwrap());
    assert_eq!(
        crowd.variant(small).unwrap(),
        statewright::VariantHandle::PLAIN
    );
}

#[test]
fn load_3_channels_that_nobody_owns_any_more_are_reported() {
    let text = |owner: &str| {
        format!(
            r#"{{ "machine": "Body", "channels": ["legs", "arms"], "initial": "a", "states": {{
                 "a": {{ "initial": "{owner}", "owns": ["legs"], "states": {{ "{owner}": {{ "owns": ["arms"] }} }} }} }} }}"#
        )
    };
    let (old, new) = (machine(&text("b")), machine(&text("c")));
    let mut crowd = crowd_of(&old);
    let agent = crowd.spawn(Blackboard::new(&old));
    crowd.tick(&());
    let report = reload(&mut crowd, &new);
    let released: Vec<(AgentId, &str)> = report
        .released
        .iter()
        .map(|&(agent, channel)| (agent, old.channel_name(channel)))
        .collect();
    assert_eq!(released, [(agent, "arms")]);
}

#[test]
fn load_1_a_crowd_in_a_world_speaks_on_with_the_others() {
    let talker = |extra: &str| {
        machine(&format!(
            r#"{{ "machine": "Talker", "events": {{ {extra} "Hello": {{ "payload": "entity" }}, "Bye": {{}} }},
                 "initial": "idle", "states": {{
                   "idle": {{ "transitions": [{{ "on": "Hello", "to": "glad", "do": {{ "send": "Bye", "to": "event" }} }}, {{ "on": "Bye", "to": "glad" }}] }},
                   "glad": {{}} }} }}"#
        ))
    };
    let (old, new) = (talker(""), talker(r#""New": {},"#));
    let mut world: World<()> = World::new();
    let crowd = |seed| Crowd::new(old.bind(Functions::<Blackboard, ()>::new()).unwrap(), seed);
    let [left, right] =
        [("left", 1), ("right", 2)].map(|(name, seed)| world.join(name, crowd(seed)).unwrap());
    let a = world[left].spawn(Blackboard::new(&old));
    let b = world[right].spawn(Blackboard::new(&old));
    world.tick(&());
    let plan = Reload::plan(&old, &new);
    let program = new.bind(Functions::new()).unwrap();
    world.reload(right, program, plan).unwrap();
    world.send(b, new.event("Hello").unwrap(), a).unwrap();
    world.tick(&());
    world.tick(&());
    assert_eq!(
        [world.path(a).unwrap(), world.path(b).unwrap()],
        ["glad", "glad"],
        "what `b` sends is an event of the other version"
    );
}

#[test]
fn load_3_instances_of_the_hosts_own_map_to_any_tier() {
    let text = |tier: &str, state: &str| {
        machine(&format!(
            r#"{{ "machine": "Lamp", "tier": "{tier}", "initial": "{state}", "states": {{ "{state}": {{}} }} }}"#
        ))
    };
    let (old, new) = (text("crowd", "on"), text("standard", "x"));
    let mut boards = [()];
    let mut lamps = [Instance64::of_machine(old.rom().machine_id(), 1, 2)];
    let program = old.bind(Functions::<(), ()>::new()).unwrap();
    let (mut output, slices) = Default::default();
    program
        .tick_slices(&mut lamps, &mut boards, &(), slices, &mut output)
        .unwrap();
    let plan = Reload::plan(&old, &new);
    assert!(plan.instance::<_, Instance64>(&lamps[0], 1).is_none());
    let (lamp, mapped) = plan.instance::<_, Instance128>(&lamps[0], 1).unwrap();
    assert_eq!(mapped.fate, Fate::Completed(Completed::StateGone));
    assert_eq!(lamp.header().rng, lamps[0].header().rng);
    assert_eq!(lamp.header().generation.get(), 1);
    let other = machine(r#"{ "machine": "Tree", "states": { "grow": {} } }"#);
    let plan = Reload::plan(&old, &other);
    let (_, mapped) = plan.instance::<_, Instance64>(&lamps[0], 1).unwrap();
    assert_eq!(mapped.fate, Fate::Anew(Anew::AnotherMachine));
}

/// A machine of many agents in all kinds of states.
fn many(machine: &Machine, count: usize) -> Plain {
    let mut crowd = crowd_of(machine);
    let go = machine.event("Go").unwrap();
    for index in 0..count {
        let agent = crowd.spawn(Blackboard::new(machine));
        if index % 500 == 30 {
            crowd.tick(&());
        }
        if index % 3 == 0 {
            crowd.send(agent, go, ()).unwrap();
        }
        match index % 11 {
            1 => crowd.pause(agent).unwrap(),
            2 => crowd.stop(agent).unwrap(),
            3 => crowd.despawn(agent).unwrap(),
            _ => {}
        }
    }
    crowd
}

/// LOAD-2: on any number of threads the same bytes and the same report.
#[test]
#[cfg(feature = "parallel")]
fn load_2_a_reload_on_many_threads_is_the_same() {
    let (with, without) = (
        guard(9, r#", "run": {}"#),
        machine(&with_text_without_slow()),
    );
    let mut alone = many(&with, 9_000);
    let snapshot = alone.snapshot();
    let bind = || without.bind(Functions::new()).unwrap();
    let expected = alone.reload(bind(), Reload::plan(&with, &without)).unwrap();
    assert!(expected.completed_agents() > 1_000, "{expected}");
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut crowd = crowd_of(&with);
        crowd.restore(&snapshot).unwrap();
        let plan = Reload::plan(&with, &without);
        let report = pool
            .unwrap()
            .install(|| crowd.reload_parallel(bind(), plan))
            .unwrap();
        assert_eq!(report, expected);
        assert_eq!(crowd.snapshot(), alone.snapshot());
    }
}

/// There and back, and on again: who is to be completed is mapped again, letters arrive, pending stops
/// stay.
#[test]
fn load_3_a_second_reload_before_the_next_tick_maps_again() {
    let (with, without) = (
        guard(9, r#", "run": {}"#),
        machine(&with_text_without_slow()),
    );
    let mut crowd = many(&with, 60);
    let agents: Vec<AgentId> = crowd.agents().collect();
    let there = reload(&mut crowd, &without);
    let back = reload(&mut crowd, &with);
    assert_eq!(there.completed_agents(), back.completed_agents());
    let again = reload(&mut crowd, &without);
    assert_eq!(again.completed_agents(), there.completed_agents());
    assert_eq!(
        (there.lost_letters, back.lost_letters, again.lost_letters),
        (0, 0, 0)
    );
    crowd.tick(&());
    for agent in agents {
        let flags = crowd.flags(agent).unwrap();
        let waits = flags & statewright::flag::PAUSED != 0;
        assert!(
            waits || flags & statewright::flag::INCOMPLETE == 0,
            "{agent}"
        );
    }
    assert_eq!(crowd.counters().quarantines, 0);
    assert!(crowd.ended() > 0, "stops that were pending happened");
}

/// Who patrols is interrupted by a talk, or in another version by a nap: then patrol and talk are never
/// alive together, and their timers share a place.
fn interrupted(by: &str) -> Machine {
    machine(&format!(
        r#"{{ "machine": "Guard", "events": ["Stop", "Go"], "initial": "patrol", "stack": 1, "states": {{
          "patrol": {{ "transitions": [{{ "after": "3600s", "to": "nap" }}, {{ "on": "Stop", "to": "{by}", "stack": "push" }}] }},
          "talk": {{ "transitions": [{{ "after": "7200s", "stack": "pop" }}] }},
          "nap": {{ "transitions": [{{ "on": "Go", "stack": "pop" }}] }} }} }}"#
    ))
}

#[test]
fn load_3_suspended_states_that_would_share_a_place_begin_anew() {
    let (talks, naps) = (interrupted("talk"), interrupted("nap"));
    let mut crowd = crowd_of(&talks);
    let [guard, other] = [0, 1].map(|_| crowd.spawn(Blackboard::new(&talks)));
    crowd.tick(&());
    crowd.send(guard, talks.event("Stop").unwrap(), ()).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.path(guard).unwrap(), "talk");
    let report = reload(&mut crowd, &naps);
    assert_eq!((report.kept, report.anew[0].why), (1, Anew::Places));
    assert_eq!(report.anew[0].examples, [guard]);
    crowd.tick(&());
    let paths = [guard, other].map(|agent| crowd.path(agent).unwrap());
    assert_eq!(paths, ["patrol", "patrol"]);
}

#[test]
fn load_7_a_trace_file_goes_on_with_the_names_of_the_new_machine() {
    use statewright::trace::{Reading, Settings, Writer};
    let (old, tuned) = (guard(9, ""), guard(8, ""));
    let new = guard(8, r#", "run": { "entry": "steps += 1" }"#);
    let mut crowd = crowd_of(&old);
    crowd.set_trace(Some(Settings::default())).unwrap();
    let mut writer = Writer::new(Vec::new(), &crowd.legend()).unwrap();
    let agent = crowd.spawn(Blackboard::new(&old));
    let gone = crowd.spawn(Blackboard::new(&old));
    let go = |crowd: &mut Plain| {
        let go = crowd.machine().event("Go").unwrap();
        crowd.send(agent, go, ()).unwrap();
        crowd.tick(&());
    };
    crowd.tick(&());
    crowd.write_trace(&mut writer).unwrap();
    reload(&mut crowd, &tuned);
    go(&mut crowd);
    crowd.write_trace(&mut writer).unwrap();
    // What was told before a reload has numbers of the old machine: nobody reads it as the new one's.
    crowd.despawn(gone).unwrap();
    reload(&mut crowd, &new);
    assert_eq!(crowd.trace().count(), 0);
    go(&mut crowd);
    crowd.write_trace(&mut writer).unwrap();
    // There and back between two ticks is none.
    reload(&mut crowd, &old);
    reload(&mut crowd, &new);
    crowd.tick(&());
    crowd.write_trace(&mut writer).unwrap();

    let bytes = writer.close().unwrap();
    let reading = Reading::new(&bytes).unwrap();
    let hashes = [&old, &tuned, &new].map(|machine| {
        let rom = machine.rom();
        [rom.structure_hash(), rom.parameter_hash()]
    });
    let told: Vec<_> = reading
        .reloads
        .iter()
        .map(|one| (one.tick, one.hashes))
        .collect();
    assert_eq!(
        told,
        [(1, [hashes[0], hashes[1]]), (2, [hashes[1], hashes[2]])]
    );
    let own = reading
        .told()
        .filter(|(.., record)| record.agent.get() == 0);
    let lines: Vec<String> = own
        .map(|(version, tick, record)| {
            let words = reading.legend_of(version).words(record);
            format!("{tick} {version} {words}")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "0 0 starts",
            "0 0 now in calm",
            "1 1 Go: calm -> walk, now in walk/slow",
            "2 2 is in walk/slow",
            "2 2 Go: walk/slow -> walk/fast",
            "3 2 is in walk/fast",
        ]
    );
}
