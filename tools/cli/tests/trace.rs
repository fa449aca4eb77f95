//! `statewright trace`: text, filters, why, exports read back by other readers, and bad input.

use crate::common::Folder;
use prost::Message;
use serde_json::Value;
use statewright::prelude::*;
use statewright::trace::{Legend, Level, Settings, Writer};
use statewright_trace::{Kind, ReasonNumber};

pub(crate) const GUARD: &str = r#"{ "machine": "Guard", "events": ["Noise", "Calm", "Wind"],
  "initial": "post",
  "states": {
    "post": { "initial": "bored", "transitions": [{ "on": "Noise", "to": "alert", "if": "Hears" }, { "on": "Noise", "to": "post/fed_up", "if": "IsTired" }],
      "states": { "bored": {}, "fed_up": {} } },
    "alert": { "transitions": [{ "on": "Calm", "to": "post" }, { "when": "always", "if": "IsTired", "to": "down" }],
      "regions": {
        "legs": { "initial": "stand", "states": { "stand": { "transitions": [{ "on": "Wind", "to": "run" }] }, "run": {} } },
        "eyes": { "initial": "look", "states": { "look": { "transitions": [{ "after": "2t", "to": "blink" }] }, "blink": {} } } } },
    "down": {} } }"#;

/// Five ticks of three guards; the second is deaf, the third is left alone.
fn record(level: Level, close: bool) -> Vec<u8> {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let functions = Functions::new()
        .guard("Hears", |(): &(), (): &(), see| {
            let deaf = see.agent().index() == 1;
            Verdict {
                holds: !deaf,
                code: if deaf { 3 } else { 0 },
            }
        })
        .guard("IsTired", |_, (), _| Verdict::from(false))
        .guard_code("Hears", 3, "it is deaf");
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agents: Vec<AgentId> = (0..3).map(|_| crowd.spawn(())).collect();
    crowd.set_trace(Some(Settings::new(level))).unwrap();
    let mut writer = Writer::new(Vec::new(), &crowd.legend()).unwrap();
    for events in ["", "Noise", "Noise", "Wind", "Calm"] {
        if let Ok(event) = machine.event(events) {
            agents[..2]
                .iter()
                .for_each(|&agent| crowd.send(agent, event, ()).unwrap());
        }
        crowd.tick(&());
        crowd.write_trace(&mut writer).unwrap();
        writer.flush().unwrap();
    }
    if close {
        writer.close().unwrap()
    } else {
        writer.into_inner()
    }
}

fn folder(level: Level) -> Folder {
    let folder = Folder::new();
    folder.write("g.swtrace", record(level, true));
    folder
}

#[test]
fn text_has_one_aligned_line_per_record() {
    let ran = folder(Level::Outline).run(&["trace", "g.swtrace"]).code(0);
    let expected = "tick  agent  what happened
   0      0  starts
   0      0  now in post/bored
   0      1  starts
   0      1  now in post/bored
   0      2  starts
   0      2  now in post/bored
   1      0  Noise: post -> alert, now in alert/stand
   1      0  now in alert/look
   1      1  Noise: nobody handles it
   2      0  Noise: nobody handles it
   2      1  Noise: nobody handles it
   3      0  after 2t to `alert/blink`: alert/look -> alert/blink
   3      0  Wind: alert/stand -> alert/run
   3      1  Wind: nobody handles it
   4      0  Calm: alert -> post, now in post/bored
   4      1  Calm: nobody handles it
";
    assert_eq!((ran.out.as_str(), ran.err.as_str()), (expected, ""));
}

#[test]
fn filters_leave_out_what_was_not_asked_for() {
    let folder = folder(Level::All);
    let lines = |args: &[&str]| {
        let ran = folder
            .run(&[&["trace", "g.swtrace"], args].concat())
            .code(0);
        ran.out
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        lines(&["--agent", "2", "--level", "1"]),
        ["0 2 starts", "0 2 now in post/bored"]
    );
    assert_eq!(
        lines(&["--agent", "1,2", "--from", "3", "--to", "3", "--level", "1"]),
        ["3 1 Wind: nobody handles it"]
    );
    let wind = lines(&["--event", "Wind", "--agent", "0", "--from", "1"]);
    let expected = [
        "3 0 Wind: who takes it?",
        "3 0 Wind: alert/stand -> alert/run",
        "3 0 leaves alert/stand",
        "3 0 enters alert/run",
        "3 0 now in alert/run",
    ];
    assert_eq!(wind[..5], expected);
    // A state stands for those inside it; the end of a path is enough if there is only one.
    let legs = lines(&[
        "--state", "run", "--agent", "0", "--level", "2", "--from", "3",
    ]);
    assert!(
        legs.contains(&"3 0 enters alert/run".to_owned())
            && !legs.contains(&"3 0 leaves alert/stand".to_owned())
    );
    let alert = lines(&["--state", "alert", "--level", "2"]);
    assert!(
        alert.contains(&"3 0 leaves alert/stand".to_owned())
            && !alert.contains(&"0 0 enters post".to_owned())
    );
    assert_eq!(lines(&["--from", "90"]), [] as [&str; 0]);
}

#[test]
fn unknown_names_and_agents_get_a_suggestion() {
    let folder = folder(Level::Outline);
    let refuse = |args: &[&str]| {
        folder
            .run(&[&["trace", "g.swtrace"], args].concat())
            .code(2)
    };
    refuse(&["--event", "Nois"])
        .says("no event `Nois`")
        .says("did you mean `Noise`?");
    refuse(&["--state", "post/bord"])
        .says("no state `post/bord`")
        .says("did you mean `post/bored`?");
    for slip in ["bord", "borred"] {
        refuse(&["--state", slip])
            .says(&format!("no state `{slip}`"))
            .says("did you mean `post/bored`?");
    }
    refuse(&["--agent", "7"])
        .says("the trace has no agent 7")
        .says("it has 0, 1, 2");
    refuse(&["--from", "9", "--to", "3"]).says("no tick is between them");
    refuse(&["--why", "7", "1"]).says("the trace has no agent 7");
    refuse(&["--why", "1", "1"])
        .says("no reasons of agent 1")
        .says("level 3");
    refuse(&["--event", "\u{1b}[31mred"]).says("no event `\\u{1b}[31mred`");
    folder
        .run(&["trace", "g.swtrace", "--level", "4"])
        .code(2)
        .says("4 is not in 1..=3");
    folder
        .run(&["trace", "g.swtrace", "--export", "csv"])
        .code(2)
        .says("--output");
    folder
        .run(&["trace", "missing.swtrace"])
        .code(2)
        .says("there is no such file")
        .says("run --trace");
    folder.run(&["trace", "."]).code(2).says("it is a folder");
}

#[test]
fn why_names_every_candidate_with_its_reason() {
    let folder = folder(Level::All);
    let ran = folder
        .run(&["trace", "g.swtrace", "--why", "1", "1"])
        .code(0);
    let expected = "agent 1 of Guard, tick 1: in post/bored

Noise: nobody took it
  post -> alert        guard Hears says no: it is deaf (code 3)
  post -> post/fed_up  guard IsTired says no
";
    assert_eq!(ran.out, expected);
    // In the next tick nothing is recorded about them: they were told before.
    let ran = folder
        .run(&["trace", "g.swtrace", "--why", "1", "2"])
        .code(0);
    let ran = ran.prints("guard Hears says no: it is deaf (code 3), the same for 1 tick");
    ran.prints("guard IsTired says no, the same for 1 tick");
    let ran = folder
        .run(&["trace", "g.swtrace", "--why", "0", "1"])
        .code(0);
    let expected = "agent 0 of Guard, tick 1: from post/bored to alert/stand + alert/look

Noise: one transition took it
  post -> alert        taken
  post -> post/fed_up  another one was found first

without an event: none of them was taken
  alert -> down (always)  guard IsTired says no
";
    assert_eq!(ran.out, expected);
    let ran = folder
        .run(&["trace", "g.swtrace", "--why", "0", "3"])
        .code(0);
    let ran = ran
        .prints("after 2t to `alert/blink`: one transition took it")
        .prints("Wind: one transition took it");
    ran.prints("alert -> down (always)  guard IsTired says no, the same for 2 ticks");
    folder
        .run(&["trace", "g.swtrace", "--why", "0", "2"])
        .code(0)
        .prints("no active state has a transition for it");
    folder
        .run(&["trace", "g.swtrace", "--why", "0", "99"])
        .code(2)
        .says("it has ticks 0 to 4 of it");
    let json = folder
        .run(&["trace", "g.swtrace", "--why", "1", "2", "--json"])
        .code(0)
        .json();
    assert_eq!(
        json["searches"][0]["candidates"][0]["reason"],
        "guard_false"
    );
    assert_eq!(json["searches"][0]["candidates"][0]["code"], 3);
    assert_eq!(json["searches"][0]["candidates"][0]["since"], 1);
    assert_eq!(json["after"], serde_json::json!(["post/bored"]));
}

/// What it takes to see values, scores, guards of a compound condition, payloads and lost events.
const BEAST: &str = r#"{ "machine": "Beast", "tier": "standard",
  "events": { "Hit": { "payload": "vec2" }, "Food": {}, "Think": {} },
  "blackboard": { "health": { "type": "i32", "default": 37 } },
  "functions": { "Hungry": { "kind": "guard" }, "Brave": { "kind": "guard" }, "Roll": { "kind": "action" } },
  "initial": "calm",
  "states": {
    "calm": { "transitions": [
      { "on": "Hit", "to": "flees", "if": "health <= 25 || Hungry && Brave" },
      { "on": "Food", "do": ["Roll", "health += 1", { "raise": "Think" }, { "raise": "Think" }, { "raise": "Think" }, { "raise": "Think" }] },
      { "on": "Think", "to": "hunts", "score": "0.25", "threshold": 0.1 },
      { "on": "Think", "to": "flees", "score": "0.75", "threshold": 0.1 } ] },
    "hunts": {}, "flees": { "final": true } } }"#;

fn beast() -> Folder {
    let machine = Machine::from_text("beast.sw.json", BEAST).unwrap();
    let functions = Functions::<statewright::Blackboard, ()>::new()
        .guard("Hungry", |_, (): &(), _| Verdict::from(true))
        .guard("Brave", |_, (), _| Verdict {
            holds: false,
            code: 8,
        })
        .action("Roll", |_, (), cx| {
            _ = cx.rng().next_u32();
            _ = cx.rng().below(6);
        });
    let board = statewright::Blackboard::new(&machine);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agent = crowd.spawn(board);
    crowd.set_trace(Some(Settings::new(Level::All))).unwrap();
    let mut writer = Writer::new(Vec::new(), &crowd.legend()).unwrap();
    for tick in 0..6 {
        match tick {
            1 => crowd
                .send(agent, machine.event("Hit").unwrap(), [1.5_f32, -2.0])
                .unwrap(),
            2 => crowd
                .send(agent, machine.event("Food").unwrap(), ())
                .unwrap(),
            4 => crowd
                .send(agent, machine.event("Food").unwrap(), ())
                .unwrap(),
            _ => {}
        }
        crowd.tick(&());
        crowd.write_trace(&mut writer).unwrap();
    }
    let folder = Folder::new();
    folder.write("b.swtrace", writer.close().unwrap());
    folder
}

#[test]
fn sel_7_why_shows_values_and_every_guard_of_a_condition() {
    let ran = beast()
        .run(&["trace", "b.swtrace", "--why", "0", "1"])
        .code(0);
    ran.prints("calm -> flees  its guard says no: health is 37, guard Brave (code 8) says no");
}

#[test]
fn sel_7_why_shows_the_text_of_a_guard_where_the_machine_is_known() {
    let folder = beast();
    let why = |more: &[&str]| {
        let args = [&["trace", "b.swtrace", "--why", "0", "1"], more].concat();
        folder.run(&args)
    };
    let with_text = "its guard `health <= 25 || Hungry() && Brave()` says no: health is 37, guard Brave (code 8) says no";
    folder.write("named.sw.json", BEAST);
    why(&[])
        .code(0)
        .prints("its guard says no: health is 37, guard Brave");
    why(&["--machine", "named.sw.json"])
        .code(0)
        .prints(with_text);
    let json = why(&["--machine", "named.sw.json", "--json"])
        .code(0)
        .json();
    let guard = &json["searches"][0]["candidates"][0]["guard"];
    assert_eq!(guard, "health <= 25 || Hungry() && Brave()");
    // A machine file called like the trace needs no naming.
    folder.write("b.sw.json", BEAST);
    why(&[]).code(0).prints(with_text);
    // One that changed since says something else: it is not believed, and refused when named.
    let other = BEAST.replace("health <= 25", "health <= 20");
    folder.write("b.sw.json", &other);
    why(&[]).code(0).prints("its guard says no: health is 37");
    why(&["--machine", "b.sw.json"])
        .code(2)
        .says("`b.sw.json` is not the machine that was recorded");
    why(&["--machine", "none.sw.json"]).code(2);
}

#[test]
fn sel_7_a_rom_beside_the_trace_gives_the_text_with_and_without_its_names() {
    let folder = beast();
    let why = || {
        folder
            .run(&["trace", "b.swtrace", "--why", "0", "1"])
            .code(0)
    };
    folder.write("any.sw.json", BEAST);
    folder.write("a.swrom", b"no rom");
    folder
        .run(&["build", "any.sw.json", "-o", "z.swrom"])
        .code(0);
    why().prints("its guard `health <= 25 || Hungry() && Brave()` says no: health is 37");
    std::fs::remove_file(folder.path.join("z.swdbg")).unwrap();
    why().prints("its guard `health <= 25 || Hungry() && Brave()` says no: health is 37");
}

#[test]
fn sel_7_why_shows_the_scores_of_all_competitors() {
    let ran = beast()
        .run(&["trace", "b.swtrace", "--why", "0", "2"])
        .code(0);
    let ran =
        ran.prints("calm -> hunts  its score 0.25 is not higher than 0.75 of `calm -> flees`");
    ran.prints("calm -> flees  taken, scored 0.75");
}

#[test]
fn evt_3_why_says_where_an_event_was_lost() {
    let ran = beast()
        .run(&["trace", "b.swtrace", "--why", "0", "2"])
        .code(0);
    ran.prints("Think lost: the queue had no room for it");
    let ran = beast()
        .run(&["trace", "b.swtrace", "--why", "0", "4"])
        .code(0);
    ran.prints("Food lost: its receiver had ended");
}

#[test]
fn sys_3_new_kinds_fit_the_schema() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/trace.schema.json"
    );
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let json = beast()
        .run(&["trace", "b.swtrace", "--json"])
        .code(0)
        .json();
    let problems: Vec<String> = validator
        .iter_errors(&json)
        .map(|e| e.to_string())
        .collect();
    assert_eq!(problems, [""; 0]);
    for kind in [
        "event_lost",
        "wrote",
        "more",
        "read",
        "asked",
        "score",
        "drew",
    ] {
        let has = |record: &Value| record["kind"] == kind;
        assert!(
            json["records"].as_array().unwrap().iter().any(has),
            "{kind}"
        );
    }
}

#[test]
fn sys_3_payloads_writes_and_draws_are_in_the_text() {
    let ran = beast().run(&["trace", "b.swtrace"]).code(0);
    let ran = ran.prints("Hit(1.5): who takes it?").prints("and -2");
    let ran = ran
        .prints("health = 38")
        .prints("Roll drew 2 random numbers");
    ran.prints("guard Hungry says yes");
}

/// The fields of Perfetto's protobuf that we write, as its own files number them.
mod perfetto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Trace {
        #[prost(message, repeated, tag = "1")]
        pub packet: Vec<TracePacket>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct TracePacket {
        #[prost(uint64, optional, tag = "8")]
        pub timestamp: Option<u64>,
        #[prost(uint32, optional, tag = "10")]
        pub trusted_packet_sequence_id: Option<u32>,
        #[prost(uint32, optional, tag = "13")]
        pub sequence_flags: Option<u32>,
        #[prost(message, optional, tag = "11")]
        pub track_event: Option<TrackEvent>,
        #[prost(message, optional, tag = "60")]
        pub track_descriptor: Option<TrackDescriptor>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct TrackDescriptor {
        #[prost(uint64, optional, tag = "1")]
        pub uuid: Option<u64>,
        #[prost(string, optional, tag = "2")]
        pub name: Option<String>,
        #[prost(uint64, optional, tag = "5")]
        pub parent_uuid: Option<u64>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct TrackEvent {
        #[prost(enumeration = "Type", optional, tag = "9")]
        pub r#type: Option<i32>,
        #[prost(uint64, optional, tag = "11")]
        pub track_uuid: Option<u64>,
        #[prost(string, repeated, tag = "22")]
        pub categories: Vec<String>,
        #[prost(string, optional, tag = "23")]
        pub name: Option<String>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Eq, prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        Unspecified = 0,
        SliceBegin = 1,
        SliceEnd = 2,
        Instant = 3,
    }
}

#[test]
fn perfetto_is_read_back_by_another_reader() {
    let folder = folder(Level::Steps);
    folder.write("out/other", "");
    folder
        .run(&[
            "trace",
            "g.swtrace",
            "--export",
            "perfetto",
            "-o",
            "out/g.pftrace",
        ])
        .code(0)
        .says("wrote out/g.pftrace");
    let bytes = folder.read("out/g.pftrace");
    let trace = perfetto::Trace::decode(bytes.as_slice()).unwrap();
    // Nothing was lost on the way: what was read is written as the same bytes, but for the order of
    // fields.
    assert_eq!(trace.encoded_len(), bytes.len());
    let tracks: std::collections::BTreeMap<u64, perfetto::TrackDescriptor> = trace
        .packet
        .iter()
        .filter_map(|packet| packet.track_descriptor.clone())
        .map(|track| (track.uuid.unwrap(), track))
        .collect();
    assert!(
        trace
            .packet
            .iter()
            .all(|packet| packet.trusted_packet_sequence_id == Some(1))
    );
    assert_eq!(trace.packet[0].sequence_flags, Some(1));
    let full_name = |uuid: u64| {
        let track = &tracks[&uuid];
        let parent = track
            .parent_uuid
            .map(|parent| tracks[&parent].name.clone().unwrap() + " / ");
        parent.unwrap_or_default() + &track.name.clone().unwrap()
    };
    let mut lines = Vec::new();
    let mut open = std::collections::BTreeMap::<u64, i64>::new();
    let mut last = 0;
    for packet in &trace.packet {
        let Some(event) = &packet.track_event else {
            continue;
        };
        let (time, track) = (packet.timestamp.unwrap(), event.track_uuid.unwrap());
        assert!(time >= last, "time goes on");
        last = time;
        let depth = open.entry(track).or_default();
        match event.r#type() {
            perfetto::Type::SliceBegin => *depth += 1,
            perfetto::Type::SliceEnd => *depth -= 1,
            other => assert_eq!(other, perfetto::Type::Instant),
        }
        assert!(
            (0..=1).contains(depth),
            "one state at a time on {}",
            full_name(track)
        );
        lines.push(format!(
            "{time} {} {:?} {}",
            full_name(track),
            event.r#type(),
            event.name()
        ));
    }
    assert!(open.values().all(|depth| *depth == 0), "every slice ends");
    for line in [
        "0 agent 0 / root SliceBegin post",
        "16666666 agent 0 Instant Noise: post -> alert",
        "16666666 agent 0 / root SliceEnd ",
        "16666666 agent 0 / root SliceBegin alert",
        "16666666 agent 0 / alert (alert/stand …) SliceBegin alert/stand",
        "16666666 agent 0 / alert (alert/look …) SliceBegin alert/look",
        "50000000 agent 0 / alert (alert/stand …) SliceBegin alert/run",
        "83333333 agent 2 / root SliceEnd ",
    ] {
        assert!(
            lines.iter().any(|other| other == line),
            "no `{line}` in\n{}",
            lines.join("\n")
        );
    }
}

#[test]
fn chrome_json_has_matching_slices() {
    let folder = folder(Level::Outline);
    folder
        .run(&[
            "trace",
            "g.swtrace",
            "--export",
            "chrome",
            "-o",
            "g.json",
            "-q",
        ])
        .code(0);
    let document: Value = serde_json::from_str(&folder.text("g.json")).unwrap();
    let schema = serde_json::json!({
        "type": "object", "required": ["traceEvents"],
        "properties": { "traceEvents": { "type": "array", "minItems": 10, "items": {
            "type": "object", "required": ["ph", "name", "pid", "tid"],
            "properties": {
                "ph": { "enum": ["M", "B", "E", "i"] }, "name": { "type": "string" }, "ts": { "type": "number", "minimum": 0 },
                "pid": { "type": "integer", "minimum": 1 }, "tid": { "type": "integer", "minimum": 0 } },
            "if": { "properties": { "ph": { "const": "M" } } }, "then": { "required": ["args"] }, "else": { "required": ["ts"] } } } } });
    jsonschema::validate(&schema, &document).unwrap();
    let mut open: std::collections::BTreeMap<(u64, u64), Vec<String>> = Default::default();
    let mut slices = 0;
    for event in document["traceEvents"].as_array().unwrap() {
        let track = open
            .entry((
                event["pid"].as_u64().unwrap(),
                event["tid"].as_u64().unwrap(),
            ))
            .or_default();
        let name = event["name"].as_str().unwrap().to_owned();
        match event["ph"].as_str().unwrap() {
            "B" => track.push(name),
            "E" => {
                assert_eq!(track.pop(), Some(name));
                slices += 1;
            }
            _ => {}
        }
    }
    assert!(slices >= 10 && open.values().all(Vec::is_empty));
}

#[test]
fn csv_is_read_back_by_another_reader() {
    let folder = folder(Level::All);
    let text = folder
        .run(&["trace", "g.swtrace", "--export", "csv", "-o", "-"])
        .code(0)
        .out;
    let json = folder.run(&["trace", "g.swtrace", "--json"]).code(0).json();
    let records = json["records"].as_array().unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heading = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(records) {
        for (column, cell) in heading.iter().zip(row) {
            let expected = match &record[column] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(cell, expected, "{column} of {record}");
        }
    }
}

#[test]
fn json_keeps_to_its_schema() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/trace.schema.json"
    );
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for level in [Level::Outline, Level::Steps, Level::All] {
        let folder = folder(level);
        let json = folder.run(&["trace", "g.swtrace", "--json"]).code(0).json();
        validator
            .validate(&json)
            .unwrap_or_else(|error| panic!("{error} in {json:#}"));
        assert_eq!(json["ending"], "the trace is complete");
        folder
            .run(&["trace", "g.swtrace", "--export", "json", "-o", "g.json"])
            .code(0);
        assert_eq!(
            serde_json::from_str::<Value>(&folder.text("g.json")).unwrap(),
            json
        );
        let mut wrong = json.clone();
        wrong["records"][0]["kind"] = "nonsense".into();
        assert!(!validator.is_valid(&wrong));
    }
}

/// Whether it happened in a test or not: each kind and reason has its word in the schema.
#[test]
fn the_schema_has_every_kind_and_reason() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/trace.schema.json"
    );
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let record = &schema["$defs"]["record"]["properties"];
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(record["kind"]["enum"], Value::from(kinds));
    let reasons = ReasonNumber::NAMES.to_vec();
    assert_eq!(record["reason"]["enum"], Value::from(reasons));
}

#[test]
fn what_a_crash_left_is_read_and_damage_is_named() {
    let folder = Folder::new();
    let whole = record(Level::Outline, true);
    folder.write("open.swtrace", record(Level::Outline, false));
    let ran = folder
        .run(&["trace", "open.swtrace"])
        .code(0)
        .says("`open.swtrace`: the trace was not closed");
    assert_eq!(ran.out.lines().count(), 17);
    folder.write("cut.swtrace", &whole[..whole.len() - 70]);
    let ran = folder
        .run(&["trace", "cut.swtrace"])
        .code(0)
        .says("warning: `cut.swtrace`: the last frame, at byte")
        .says("is cut off");
    assert_eq!(ran.out.lines().count(), 15);
    let mut damaged = whole.clone();
    let place = damaged.len() - 60;
    damaged[place] ^= 1;
    folder.write("damaged.swtrace", &damaged);
    let ran = folder
        .run(&["trace", "damaged.swtrace"])
        .code(1)
        .says("error: `damaged.swtrace`: damaged at byte");
    assert_eq!(ran.out.lines().count(), 15);
    folder.write("later.swtrace", [&whole[..4], &[9], &whole[5..]].concat());
    folder
        .run(&["trace", "later.swtrace"])
        .code(1)
        .says("at byte 4: it is of version 9, this program reads version 5");
    folder.write("foreign.swtrace", GUARD);
    folder
        .run(&["trace", "foreign.swtrace"])
        .code(1)
        .says("at byte 0: this is not a trace");
    folder
        .run_with(&["trace", "-", "--json"], &whole)
        .code(0)
        .prints("\"machine\": \"Guard\"");
}

#[test]
fn an_export_that_cannot_be_written_leaves_the_old_file() {
    let folder = folder(Level::Outline);
    folder.write("taken/x", "old");
    folder
        .run(&["trace", "g.swtrace", "--export", "csv", "-o", "taken"])
        .code(2)
        .says("it is a folder");
    folder
        .run(&[
            "trace",
            "g.swtrace",
            "--export",
            "csv",
            "-o",
            "taken/x/y.csv",
        ])
        .code(2)
        .says("cannot write");
    assert_eq!(folder.text("taken/x"), "old");
    assert_eq!(folder.names(), ["g.swtrace", "taken"]);
}

#[test]
fn names_never_reach_the_terminal_or_an_export_as_commands() {
    let folder = Folder::new();
    let bytes = record(Level::All, true);
    let reading = statewright::trace::Reading::new(&bytes).unwrap();
    let evil = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let mut legend: Legend = reading.legend.clone();
    legend.symbols = legend.symbols.map_names(|name| format!("{name}{evil}"));
    let mut writer = Writer::new(Vec::new(), &legend).unwrap();
    reading
        .records()
        .for_each(|(tick, record)| writer.add(tick, [record]).unwrap());
    folder.write("evil.swtrace", writer.close().unwrap());
    let runs: [&[&str]; 7] = [
        &["--color", "never"],
        &["--json"],
        &["--why", "1", "1", "--color", "never"],
        &["--export", "csv", "-o", "-"],
        &["--export", "chrome", "-o", "-"],
        &["--export", "perfetto", "-o", "-"],
        &["--state", "nobody", "--color", "never"],
    ];
    for args in runs {
        let ran = folder.run(&[&["trace", "evil.swtrace"], args].concat());
        // Perfetto's format is binary: single bytes mean nothing there.
        let bad: &[&str] = match args.contains(&"perfetto") {
            true => &["\u{1b}]", "\u{9b}3", "\u{202e}"],
            false => &["\u{1b}", "\u{7}", "\u{9b}", "\u{202e}", "\\u001b"],
        };
        for bad in bad {
            let found = ran.out.contains(bad) || ran.err.contains(bad);
            assert!(
                !found,
                "{args:?}: {bad:?} in\n{}\n{}",
                ran.out.escape_debug(),
                ran.err.escape_debug()
            );
        }
    }
    // Only our own colors.
    let painted = folder
        .run(&["trace", "evil.swtrace", "--color", "always"])
        .code(0)
        .out;
    assert!(painted.contains("\u{1b}[1m") && !painted.contains("\u{1b}]"));
}
