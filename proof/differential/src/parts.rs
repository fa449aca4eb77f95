//! LANG-5: a part that is used three times does what the same states do that somebody wrote out by
//! hand three times.
//!
//! A random template is written in two ways that share no code with the compiler: once as a part,
//! with plain names, and three times into one file, with the names that `with` and `map` give.
//! Both machines then live through the same events, and everything that they do is compared.

use std::collections::HashMap;
use std::fmt::Write as _;

use statewright_author::parts;
use statewright_compile::{Options, Output, compile_with};
use statewright_step::{Answer, Command, Session, Settings, text};

/// Small and the same everywhere: splitmix64.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len() as u64) as usize]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// The inside of a part as text: names that are renamed stand in `«»`; `§` is where the actions of
/// the state around it stand that somebody writes out.
fn template(rng: &mut Rng) -> String {
    let states = ["calm", "tense", "mad", "spent"];
    let mut out = String::from(
        r#""entry": [§before "«Enter»"], "exit": ["«Leave»(1)" §after], "initial": "calm", "#,
    );
    let _ = write!(
        out,
        r#""history": {{ "last": {{ "default": "calm" }} }}, "transitions": ["#
    );
    for at in 0..1 + rng.below(2) {
        let comma = if at == 0 { "" } else { ", " };
        let _ = write!(out, "{comma}{}", transition(rng, &states));
    }
    out.push_str(r#"], "states": { "#);
    for state in states {
        let _ = write!(out, r#""{state}": {}, "#, inner(rng, &states, state));
    }
    out.push_str(r#""over": { "final": true } }"#);
    out
}

fn inner(rng: &mut Rng, states: &[&str], own: &str) -> String {
    let mut out = String::from("{ ");
    let local = rng.chance(30);
    if local {
        out.push_str(r#""timers": ["clock"], "#);
    }
    let entry = action(rng);
    let _ = write!(out, r#""entry": [{entry}, {}], "#, action(rng));
    if rng.chance(30) {
        out.push_str(r#""owns": ["«legs»"], "#);
    }
    if rng.chance(30) {
        out.push_str(r#""activity": "«Walk»(2)", "#);
    }
    if rng.chance(40) && own != "spent" {
        let ways = r#"{ "on": "«Hit»", "to": "high" }, { "after": "3t", "to": "/last" }"#;
        let left = action(rng);
        let _ = write!(
            out,
            r#""initial": "low", "states": {{ "low": {{ "transitions": [{ways}] }}, "high": {{ "exit": {left} }} }}, "#
        );
    }
    out.push_str(r#""transitions": ["#);
    for at in 0..1 + rng.below(3) {
        let comma = if at == 0 { "" } else { ", " };
        let _ = write!(out, "{comma}{}", transition(rng, states));
    }
    out.push_str("] }");
    // A timer of the state itself has its plain name everywhere.
    if local {
        out.replace("«clock»", "clock")
    } else {
        out
    }
}

fn transition(rng: &mut Rng, states: &[&str]) -> String {
    let trigger = rng.pick(&[
        r#""on": "«Hit»""#,
        r#""on": "«Push»""#,
        r#""on": "Shared""#,
        r#""timer": "«clock»""#,
        r#""on": "«Hit»", "priority": 3"#,
    ]);
    let target = match rng.below(10) {
        0 => r#", "to": "over""#.to_owned(),
        1 => r#", "to": "last""#.to_owned(),
        2 => String::new(),
        _ => format!(r#", "to": "{}""#, rng.pick(states)),
    };
    let guard = match rng.below(3) {
        0 => String::new(),
        _ => format!(r#", "if": "{}""#, condition(rng, states)),
    };
    format!(r#"{{ {trigger}{target}{guard}, "do": {} }}"#, action(rng))
}

fn condition(rng: &mut Rng, states: &[&str]) -> String {
    let state = rng.pick(states);
    match rng.below(5) {
        0 => "«health» > «rage»".to_owned(),
        1 => format!("!in({state}) || «health» * 2 < «rage» + 50"),
        2 => format!("in('{state}') && «Near»(3)"),
        3 => "«Near»(far: 7) || shared > 3".to_owned(),
        _ => "time_in_state() < 1.0 && «rage» != 7".to_owned(),
    }
}

fn action(rng: &mut Rng) -> String {
    rng.pick(&[
        r#""«health» -= 3""#,
        r#""«health» = «rage» + shared""#,
        r#""shared += 1""#,
        r#""«Swing»(4)""#,
        r#"{ "start": "«clock»", "after": "2t" }"#,
        r#"{ "start": "«clock»", "after": "4t" }"#,
        r#"{ "stop": "«clock»" }"#,
        r#"{ "raise": "«Push»" }"#,
        r#"{ "emit": "shout", "lane": "audio", "payload": "«health»" }"#,
        r#"{ "clear_history": "last" }"#,
        r#"{ "if": "«health» < «rage»", "then": "«Swing»(5)", "else": "shared = 0" }"#,
    ])
    .to_owned()
}

/// What the three uses call things: a constant, a parameter of the machine, other names.
const USES: [(&str, &str, &str); 3] = [
    ("a", r#""with": { "rage": 40 }"#, r#""map": {}"#),
    (
        "b",
        r#""with": { "rage": "temper" }"#,
        r#""map": { "Hit": "Bite", "Swing": "Stab", "Walk": "Crawl", "Near": "Close" }"#,
    ),
    (
        "c",
        r#""map": { "health": "shield", "legs": "arms", "Push": "Shove" }"#,
        r#""with": {}"#,
    ),
];

fn name_of(use_: &str, name: &str) -> String {
    match (use_, name) {
        (_, "clock") => format!("{use_}_clock"),
        ("b", "rage") => "temper".to_owned(),
        (_, "rage") => format!("{use_}_rage"),
        ("b", "Hit") => "Bite".to_owned(),
        ("b", "Swing") => "Stab".to_owned(),
        ("b", "Walk") => "Crawl".to_owned(),
        ("b", "Near") => "Close".to_owned(),
        ("c", "health") => "shield".to_owned(),
        ("c", "legs") => "arms".to_owned(),
        ("c", "Push") => "Shove".to_owned(),
        _ => name.to_owned(),
    }
}

fn filled(template: &str, name: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('«') {
        let (inside, after) = after.split_once('»').expect("closed");
        out.push_str(before);
        out.push_str(&name(inside));
        rest = after;
    }
    out + rest
}

const EVENTS: [&str; 6] = ["Hit", "Push", "Shared", "Bite", "Shove", "Next"];
const HEAD: &str = r#""events": ["Hit", "Push", "Shared", "Bite", "Shove", "Next"],
    "channels": ["legs", "arms"],
    "blackboard": { "health": { "type": "i32", "default": 60 }, "shield": { "type": "i32", "default": 60 }, "shared": "i32" },"#;

/// What the state itself does, around what the part does.
const ENTRY: &str = r#""Begin""#;
const EXIT: &str = r#""End""#;

/// Of one trigger it is asked before the part.
fn transitions_of_user(at: usize) -> String {
    let next = ["b", "c", "a"][at];
    format!(
        r#"{{ "when": "done", "to": "{next}" }}, {{ "on": "Next", "to": "{next}" }}, {{ "on": "Shared", "if": "Near(9)", "do": "shared += 1" }}"#
    )
}

/// The functions of a `map` that a part uses: a name that it does not have is an error.
fn used_in(template: &str, map: &str) -> String {
    let functions = [("Swing", "Stab"), ("Walk", "Crawl"), ("Near", "Close")];
    let unused = functions
        .iter()
        .filter(|(name, _)| !template.contains(&format!("«{name}»")));
    unused.fold(map.to_owned(), |map, (name, other)| {
        map.replace(&format!(r#", "{name}": "{other}""#), "")
    })
}

/// The machine with three uses of a part, and the part.
fn by_part(template: &str) -> (String, String) {
    let part = format!(
        r#"{{ "machine": "Part", "events": ["Hit", "Push", "Shared"], "channels": ["legs"], "timers": ["clock"],
        "parameters": {{ "rage": 25 }},
        "blackboard": {{ "health": {{ "type": "i32", "default": 60 }}, "shared": "i32" }}, {} }}"#,
        filled(template, str::to_owned)
            .replace("§before", "")
            .replace("§after", "")
    );
    let mut states = String::new();
    for (at, (name, with, map)) in USES.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let map = used_in(template, map);
        let _ = write!(
            states,
            r#"{comma}"{name}": {{ "use": "part.sw.json", {with}, {map}, "entry": {ENTRY}, "exit": {EXIT}, "transitions": [{}] }}"#,
            transitions_of_user(at)
        );
    }
    let user = format!(
        r#"{{ "machine": "M", {HEAD} "parameters": {{ "temper": 33 }}, "initial": "a", "states": {{ {states} }} }}"#
    );
    (user, part)
}

/// The same by hand.
fn by_hand(template: &str) -> String {
    let mut states = String::new();
    for (at, (name, ..)) in USES.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let inside = filled(template, |inner| name_of(name, inner))
            .replace(r#""/last""#, &format!(r#""/{name}/last""#))
            .replace("§before", &format!("{ENTRY},"))
            .replace("§after", &format!(", {EXIT}"))
            .replacen(
                r#""transitions": ["#,
                &format!(r#""transitions": [{}, "#, transitions_of_user(at)),
                1,
            );
        let _ = write!(states, r#"{comma}"{name}": {{ {inside} }}"#);
    }
    format!(
        r#"{{ "machine": "M", {HEAD} "timers": ["a_clock", "b_clock", "c_clock"],
        "parameters": {{ "temper": 33, "a_rage": 40, "c_rage": 25 }}, "initial": "a", "states": {{ {states} }} }}"#
    )
}

fn compiled(text: &str, part: Option<&str>) -> Result<Output, String> {
    let files: HashMap<&str, &str> = part
        .map(|part| ("part.sw.json", part))
        .into_iter()
        .collect();
    let (machine, found) = parts::read("m.sw.json", text, &files);
    let (output, problems) = compile_with(&machine, found, &Options::default());
    output.ok_or_else(|| format!("{text}\n{part:?}\n{problems:#?}"))
}

fn session(output: Output, seed: u64) -> Session {
    let settings = Settings {
        guards: Answer::Random,
        seed,
        variant: None,
    };
    Session::new(output.rom, Some(output.symbols), settings).expect("it starts")
}

/// What a session shows after each command: what was called, where it is, the blackboard, commands.
fn lived(session: &mut Session, seed: u64) -> Vec<String> {
    let mut rng = Rng(seed);
    let mut seen: Vec<String> = lines(session);
    for _ in 0..60 {
        let command = match rng.below(3) {
            0 => "tick 1".to_owned(),
            _ => format!("send {}", rng.pick(&EVENTS)),
        };
        let command = Command::parse(&command, session);
        if command
            .and_then(|command| session.carry_out(&command))
            .is_err()
        {
            break;
        }
        seen.extend(lines(session));
    }
    seen
}

fn lines(session: &Session) -> Vec<String> {
    let step = session.last().unwrap_or_else(|| session.start());
    let events = text::step_events(session, step);
    let state = text::show(session);
    let all = events.iter().chain(&state).map(|line| line.plain());
    all.map(plain_names).collect()
}

/// The names that only one of the two can say.
fn plain_names(line: String) -> String {
    let mut line = line;
    for name in ["a", "b", "c"] {
        line = line.replace(&format!("{name}/clock"), &format!("{name}_clock"));
        line = line.replace(&format!("`{name}/rage`"), &format!("{name}_rage"));
        line = line.replace(&format!("{name}/rage"), &format!("{name}_rage"));
    }
    line
}

/// What was compared of one template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Lines of what happened.
    pub lines: usize,
    /// Whether it is somewhere else than in the beginning.
    pub moved: bool,
}

/// A template in both ways, through the same events; an error shows where they part.
pub fn compare(seed: u64) -> Result<Compared, String> {
    let template = template(&mut Rng(seed));
    let (user, part) = by_part(&template);
    let hand = by_hand(&template);
    let mut one = session(compiled(&user, Some(&part))?, seed);
    let mut other = session(compiled(&hand, None)?, seed);
    let start = one.configuration().join(" ");
    let (first, second) = (lived(&mut one, seed), lived(&mut other, seed));
    let apart = first.iter().zip(&second).position(|(one, two)| one != two);
    if apart.is_some() || first.len() != second.len() {
        let at = apart.unwrap_or(first.len().min(second.len()));
        let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
        return Err(format!(
            "by the part: {}\nby hand:     {}\n{user}\n{part}\n{hand}",
            line(&first),
            line(&second)
        ));
    }
    Ok(Compared {
        lines: first.len(),
        moved: one.configuration().join(" ") != start,
    })
}
