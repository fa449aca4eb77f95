//! `statewright trace` of a trace in which the machine was reloaded.

use serde_json::Value;
use statewright::prelude::*;
use statewright::trace::{Level, Settings, Writer};

use crate::common::Folder;
use crate::trace::GUARD;

/// Guards who go to the yard when all is calm.
fn with_yard() -> String {
    let text = GUARD.replacen(r#""to": "post" }"#, r#""to": "yard" }"#, 1);
    text.replacen(
        r#""down": {}"#,
        r#""yard": { "transitions": [{ "on": "Noise", "to": "alert" }] }, "down": {}"#,
        1,
    )
}

/// Guards who go on in a machine with one more state, `yard`, from tick 3 on.
fn reloaded() -> Vec<u8> {
    let machine = |text: &str| Machine::from_text("guard.sw.json", text).unwrap();
    let functions = || {
        Functions::<(), ()>::new()
            .guard("Hears", |_, _, _| Verdict::from(true))
            .guard("IsTired", |_, _, _| Verdict::from(false))
    };
    let (old, new) = (machine(GUARD), machine(&with_yard()));
    let mut crowd = Crowd::new(old.bind(functions()).unwrap(), 1);
    crowd.spawn(());
    crowd.set_trace(Some(Settings::new(Level::All))).unwrap();
    let mut writer = Writer::new(Vec::new(), &crowd.legend()).unwrap();
    for tick in 0..6 {
        if tick == 3 {
            let plan = statewright::Reload::plan(&old, &new);
            crowd.reload(new.bind(functions()).unwrap(), plan).unwrap();
        }
        let event = crowd.machine().event(["Noise", "Calm"][tick % 2]).unwrap();
        if tick > 0 {
            crowd.broadcast(event, ()).unwrap();
        }
        crowd.tick(&());
        crowd.write_trace(&mut writer).unwrap();
    }
    writer.close().unwrap()
}

#[test]
fn load_7_a_reload_is_shown_and_what_follows_has_the_new_names() {
    let folder = Folder::new();
    folder.write("g.swtrace", reloaded());
    let ran = folder.run(&["trace", "g.swtrace", "--level=1"]).code(0);
    let (before, after) = ran.out.split_once("the machine is reloaded, ").unwrap();
    assert!(before.contains("Noise: post -> alert") && !before.contains("yard"));
    assert!(
        after.contains("is in ") && after.contains("Calm: alert -> yard"),
        "{after}"
    );

    // A state that only one version has is found there.
    let ran = folder.run(&["trace", "g.swtrace", "--state=yard"]).code(0);
    assert!(
        ran.out.contains("enters yard") && !ran.out.contains("post"),
        "{}",
        ran.out
    );
    let ran = folder.run(&["trace", "g.swtrace", "--state=yrd"]);
    ran.code(2)
        .says("the machine of this trace has no state `yrd`");

    let json = folder.run(&["trace", "g.swtrace", "--json"]).code(0).json();
    let reload = &json["reloads"][0];
    assert_eq!(
        (&reload["tick"], &reload["machine"]),
        (&3.into(), &"Guard".into())
    );
    assert_eq!(reload["old"][0], json["structure_hash"]);
    assert_ne!(reload["new"], reload["old"]);
    let place = reload["before_record"].as_u64().unwrap() as usize;
    assert_eq!(json["records"][place]["kind"], "present");
    assert_eq!(json["records"][place - 1]["tick"], 2);
    let schema: Value =
        serde_json::from_str(include_str!("../../../schemas/trace.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&json));

    // Why: by the machine that ran in that tick.
    let why = |tick: &str| {
        folder
            .run(&["trace", "g.swtrace", "--why", "0", tick])
            .code(0)
            .out
    };
    let old = why("2");
    assert!(old.contains("from post/bored to alert/stand"), "{old}");
    let new = why("5");
    assert!(
        new.contains("from alert/") && new.contains(" to yard"),
        "{new}"
    );

    // Slices of the old machine end where it ends.
    let ran = folder
        .run(&["trace", "g.swtrace", "--export=chrome", "-o", "-"])
        .code(0);
    let events = ran.json();
    let events = events["traceEvents"].as_array().unwrap();
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!(count("B"), count("E"), "what begins ends");
    let told = events.iter().filter(|event| event["cat"] == "reloaded");
    assert_eq!(told.count(), 1);
    let named = |name: &str| events.iter().any(|event| event["name"] == name);
    assert!(named("yard") && named("post/bored"));
    folder
        .run(&["trace", "g.swtrace", "--export=perfetto", "-o", "g.pftrace"])
        .code(0);

    // Heat is of the machine that is drawn.
    folder.write("guard.sw.json", GUARD);
    folder.write("yard.sw.json", with_yard());
    for machine in ["guard.sw.json", "yard.sw.json"] {
        folder
            .run(&["draw", machine, "--heat", "g.swtrace"])
            .code(0);
    }
}

/// A machine that was reloaded so often, after the records of a tick that came so often.
fn often_reloaded(reloads: u64, copies: usize, names: u32) -> Vec<u8> {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let functions = Functions::<(), ()>::new()
        .guard("Hears", |_, _, _| Verdict::from(false))
        .guard("IsTired", |_, _, _| Verdict::from(false));
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    crowd.spawn(());
    crowd.set_trace(Some(Settings::new(Level::All))).unwrap();
    let mut legend = crowd.legend();
    let mut writer = Writer::new(Vec::new(), &legend).unwrap();
    let name = |number: u32| (number, "Name");
    writer.name_commands((0..names).map(name)).unwrap();
    for tick in 0..4 {
        crowd
            .broadcast(machine.event("Noise").unwrap(), ())
            .unwrap();
        crowd.tick(&());
        if tick == 3 {
            for version in 0..reloads {
                legend.symbols.structure_hash = version;
                writer.reload(tick, &legend).unwrap();
            }
        }
        for _ in 0..if tick == 1 { copies } else { 1 } {
            writer.add(tick, crowd.trace()).unwrap();
        }
        writer.flush().unwrap();
    }
    writer.close().unwrap()
}

/// SAVE-5: neither what a file takes in memory nor what it costs is its names times its reloads, or its records times
/// those.
#[test]
fn save_5_many_reloads_in_a_trace_cost_no_more_than_they_take_in_it() {
    let folder = Folder::new();
    folder.write("names.swtrace", often_reloaded(4000, 1, 4000));
    folder.write("records.swtrace", often_reloaded(4000, 6000, 1));
    for name in ["names.swtrace", "records.swtrace"] {
        assert!(folder.read(name).len() < 4 << 20, "small files");
    }
    let all = folder.run_bounded(&["trace", "names.swtrace"]).code(0);
    assert_eq!(all.out.matches("the machine is reloaded").count(), 4000);
    let why = ["trace", "records.swtrace", "--why", "0", "3"];
    folder.run_bounded(&why).code(0).prints("Noise");
}
