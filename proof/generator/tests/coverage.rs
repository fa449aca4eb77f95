//! The generator uses everything that a machine file can say. The list is the format's own
//! description, so a new field fails here until the generator knows it.

use std::collections::BTreeSet;

use serde_json::Value;
use statewright_author::graph::State;
use statewright_author::text::shape::{Content, Json, ObjectKind, Type};
use statewright_generator::{Size, machine, to_text};

/// What a generated file never has, and why.
const NEVER: [(ObjectKind, &str); 7] = [
    // For editors only.
    (ObjectKind::Machine, "$schema"),
    // The root cannot be left out.
    (ObjectKind::Machine, "muted"),
    // Decides about a warning, not about what agents do.
    (ObjectKind::Event, "sent"),
    (ObjectKind::Key, "host"),
    (ObjectKind::Parameter, "host"),
    // A part is a file of its own: `proof/differential/src/parts.rs` makes random ones.
    (ObjectKind::State, "with"),
    (ObjectKind::State, "map"),
];

#[derive(Default)]
struct Seen {
    fields: BTreeSet<(&'static str, &'static str)>,
    words: BTreeSet<(&'static str, &'static str, String)>,
}

impl Seen {
    fn object(&mut self, kind: ObjectKind, value: &Value) {
        let shape = kind.shape();
        for field in shape.fields() {
            if let Some(inner) = value.get(field.key) {
                self.fields.insert((shape.name, field.key));
                if let (Type::Word(_), Value::String(word)) = (&field.ty, inner) {
                    self.words.insert((shape.name, field.key, word.clone()));
                }
                self.value(&field.ty, inner);
            }
        }
    }

    fn value(&mut self, ty: &'static Type, value: &Value) {
        let json = match value {
            Value::Null => Json::Null,
            Value::Bool(_) => Json::Bool,
            Value::Number(_) => Json::Number,
            Value::String(_) => Json::Text,
            Value::Array(_) => Json::List,
            Value::Object(_) => Json::Object,
        };
        match ty.content(json, &|key| value.get(key).is_some()) {
            Some(Content::Object(kind)) => self.object(kind, value),
            Some(Content::Map(map)) => {
                let entries = value.as_object().into_iter().flatten();
                entries
                    .filter(|(key, _)| map.field(key).is_none())
                    .for_each(|(_, inner)| self.value(&map.value, inner));
            }
            Some(Content::List(item)) => value
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|inner| self.value(item, inner)),
            Some(Content::Leaf(_)) => {}
            Some(Content::Untagged(_)) | None => panic!("not legal: {value}"),
        }
    }
}

fn seen() -> Seen {
    let mut seen = Seen::default();
    for seed in 0..1500 {
        let text = to_text(&machine(seed, Size::of_seed(seed)));
        seen.object(ObjectKind::Machine, &serde_json::from_str(&text).unwrap());
    }
    seen
}

#[test]
fn orthogonal_states_with_a_single_region_are_generated() {
    fn has_one(state: &State) -> bool {
        let is_lone = matches!(&state.regions[..], [only] if only.name.is_some());
        is_lone
            || state
                .regions
                .iter()
                .flat_map(|region| &region.states)
                .any(has_one)
    }
    let mut found = 0;
    for seed in 0..500 {
        let machine = machine(seed, Size::of_seed(seed));
        let follows_scxml = machine.policies.scxml_details.is_some_and(|on| on.value);
        assert!(follows_scxml || !has_one(&machine.root), "seed {seed}");
        found += usize::from(has_one(&machine.root));
    }
    assert!(found >= 20, "{found} of 500 machines have one");
}

#[test]
fn every_field_and_word_of_the_format_is_generated() {
    let seen = seen();
    let mut missing = Vec::new();
    let flat = [
        ObjectKind::FlatMachine,
        ObjectKind::FlatState,
        ObjectKind::FlatRegion,
        ObjectKind::FlatTransition,
    ];
    for &kind in ObjectKind::ALL.iter().filter(|kind| !flat.contains(kind)) {
        for field in kind
            .shape()
            .fields()
            .filter(|field| !NEVER.contains(&(kind, field.key)))
        {
            let (shape, key) = (kind.shape().name, field.key);
            if !seen.fields.contains(&(shape, key)) {
                missing.push(format!("{shape}.{key}"));
            }
            if let Type::Word(words) = &field.ty {
                let said = |word: &&str| seen.words.contains(&(shape, key, (**word).to_owned()));
                let unsaid = words.words.iter().filter(|word| !said(word));
                missing.extend(unsaid.map(|word| format!("{shape}.{key} = {word}")));
            }
        }
    }
    // What holds anyway is not written.
    missing.retain(|path| {
        path != "state.history_reset = never" && path != "machine.history_reset = never"
    });
    missing
        .retain(|path| path != "history.restore = on_target" && path != "decision.when = always");
    // The values of parameters say their types.
    missing.retain(|path| !path.starts_with("parameter.type"));
    assert!(missing.is_empty(), "never generated: {missing:?}");
}

#[test]
fn a_seed_always_gives_the_same_machine() {
    for seed in 0..50 {
        let size = Size::of_seed(seed);
        assert_eq!(to_text(&machine(seed, size)), to_text(&machine(seed, size)));
    }
    // On every platform: the text of one machine, as a number.
    let text = to_text(&machine(7, Size::SMALL));
    let sum = text.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |sum, b| {
        (sum ^ u64::from(b)).wrapping_mul(0x100_0000_01B3)
    });
    assert_eq!(
        sum, PINNED,
        "the generator changed: seeds in notes and issues mean other machines now"
    );
}

const PINNED: u64 = 5_033_879_040_574_584_675;

/// Counts the states of which two regions have children of one name.
fn namesakes(state: &State) -> usize {
    let mut names: Vec<&str> = Vec::new();
    let mut count = 0;
    for region in &state.regions {
        let own: BTreeSet<&str> = region.states.iter().map(|s| s.name.as_str()).collect();
        count += own.iter().filter(|name| names.contains(name)).count();
        names.extend(own);
    }
    let children = state.regions.iter().flat_map(|region| &region.states);
    count.min(1) + children.map(namesakes).sum::<usize>()
}

#[test]
fn machines_share_names_events_and_sets() {
    let (mut lists, mut shared, mut sets) = (0, 0, 0);
    for seed in 0..1000 {
        let machine = machine(seed, Size::of_seed(seed));
        shared += namesakes(&machine.root);
        sets += machine
            .transition_sets
            .iter()
            .filter(|set| !set.uses.is_empty())
            .count();
        lists += with_lists(&machine.root);
    }
    assert!(
        lists > 20,
        "{lists} lists of events with a cooldown (LANG-1)"
    );
    assert!(
        shared > 50,
        "{shared} states with namesakes in regions (LANG-7)"
    );
    assert!(sets > 10, "{sets} sets that use others (LANG-14)");
}

#[test]
fn some_machines_have_states_for_what_chance_hardly_ever_makes() {
    let with = |name: &str| {
        let has = |seed: &u64| {
            let machine = machine(*seed, Size::of_seed(*seed));
            let mut children = machine
                .root
                .regions
                .iter()
                .flat_map(|region| &region.states);
            children.any(|state| state.name.value == name)
        };
        (0..1000).filter(has).count()
    };
    let (nests, pens) = (with("nest"), with("pen"));
    assert!(
        nests > 40,
        "{nests} machines with history and scores (EXEC-4, SEL-3)"
    );
    assert!(
        pens > 40,
        "{pens} machines with regions that react at once (EXEC-1)"
    );
}

/// Counts the lists of events that have a cooldown.
fn with_lists(state: &State) -> usize {
    let own = state.transitions.iter();
    let own = own.filter(|one| one.trigger.events().len() > 1 && one.cooldown.is_some());
    let children = state.regions.iter().flat_map(|region| &region.states);
    own.count() + children.map(with_lists).sum::<usize>()
}
