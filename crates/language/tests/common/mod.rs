//! Texts with a cursor, and what is asked at it.

use std::collections::BTreeMap;
use std::sync::Arc;

use statewright_language::{Analysis, Completions, Edit, Files};

/// A machine with one of everything that has a name. `$0` in a test marks a place.
pub const GUARD: &str = r#"{
  "machine": "Guard",
  "events": { "Hit": { "payload": "i32", "doc": "Somebody hit it." }, "Calm": {} },
  "blackboard": { "health": { "type": "f32", "default": 100, "doc": "Dies at 0." }, "anger": "i32" },
  "parameters": { "brave": 30.0 },
  "variants": { "coward": { "brave": 80.0 } },
  "channels": ["weapon"],
  "lanes": { "speech": {} },
  "functions": {
    "SeesThief": "guard",
    "Shout": { "kind": "action", "parameters": { "volume": "f32" }, "doc": "Shouts." },
    "Patrol": "activity"
  },
  "timers": { "bored": {} },
  "transition_sets": { "hurt": [{ "on": "Hit", "to": "flee", "if": "health < brave" }] },
  "initial": "patrol",
  "states": {
    "patrol": {
      "doc": "Walks around.",
      "activity": "Patrol",
      "use": ["hurt"],
      "transitions": [
        { "when": "always", "if": "SeesThief && in(patrol)", "to": "fight", "cooldown": "500ms" },
        { "timer": "bored", "to": "fight/rest" }
      ]
    },
    "fight": {
      "owns": ["weapon"],
      "initial": "swing",
      "entry": { "start": "bored", "after": "2s" },
      "transitions": [{ "on": "Calm", "to": "patrol", "do": ["anger = 0", "Shout(1.5)"] }],
      "states": {
        "swing": { "transitions": [{ "after": "1s", "to": "rest", "do": "anger += 1" }] },
        "rest": { "transitions": [{ "after": "30t", "to": "swing" }] }
      }
    },
    "flee": { "transitions": [{ "after": "5s", "to": "patrol", "do": { "emit": "say", "lane": "speech" } }] }
  }
}
"#;

/// What is offered, by its labels.
pub fn labels(completions: &Completions) -> Vec<&str> {
    let items = completions.items.iter();
    items.map(|item| item.label.as_str()).collect()
}

/// Fails unless all of some labels are offered and none of others.
#[track_caller]
pub fn assert_offered(completions: &Completions, wanted: &[&str], unwanted: &[&str]) {
    let labels = labels(completions);
    for label in wanted {
        assert!(labels.contains(label), "no {label} in {labels:?}");
    }
    for label in unwanted {
        assert!(!labels.contains(label), "{label} in {labels:?}");
    }
}

/// The analysis of a text and the place of `$0` in it, which is not part of it.
#[track_caller]
pub fn at_cursor(text: &str) -> (Analysis, usize) {
    let place = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    (Analysis::new("test.sw.json", &text), place)
}

/// The same in [`GUARD`]: the first place of `around` without its `$0`.
#[track_caller]
pub fn in_guard(around: &str) -> (Analysis, usize) {
    let plain = around.replacen("$0", "", 1);
    let start = GUARD.find(&plain).unwrap_or_else(|| panic!("no {plain}"));
    let place = start + around.find("$0").expect("a cursor");
    (Analysis::new("guard.sw.json", GUARD), place)
}

/// A text after edits.
pub fn edited(analysis: &Analysis, edits: &[Edit]) -> String {
    statewright_language::apply(analysis.text(), edits)
}

/// What the compiler says about a text.
pub fn messages(text: &str) -> Vec<String> {
    let analysis = Analysis::new("test.sw.json", text);
    let messages = analysis
        .problems()
        .map(|(_, problem)| problem.message.clone());
    messages.collect()
}

/// Files in memory.
#[derive(Clone)]
pub struct Folder(pub BTreeMap<String, Arc<str>>);

impl Folder {
    pub fn with(files: &[(&str, &str)]) -> Self {
        let files = files.iter();
        Self(
            files
                .map(|&(name, text)| (name.to_owned(), text.into()))
                .collect(),
        )
    }

    pub fn analysis(&self, name: &str) -> Analysis {
        Analysis::with(name, &self.0[name], self)
    }

    /// A file, and the place of `$0` in what it contains.
    #[track_caller]
    pub fn at(&self, name: &str, around: &str) -> (Analysis, usize) {
        let plain = around.replacen("$0", "", 1);
        let start = self.0[name]
            .find(&plain)
            .unwrap_or_else(|| panic!("no {plain}"));
        (self.analysis(name), start + around.find("$0").unwrap())
    }

    pub fn replaced(mut self, name: &str, old: &str, new: &str) -> Self {
        assert!(self.0[name].contains(old), "{old}");
        let text = self.0[name].replacen(old, new, 1);
        self.0.insert(name.to_owned(), text.into());
        self
    }
}

impl Files for Folder {
    fn text(&self, name: &str) -> Option<Arc<str>> {
        self.0.get(name).cloned()
    }

    fn machines(&self) -> Vec<String> {
        let names = self.0.keys().filter(|name| name.ends_with(".sw.json"));
        names.cloned().collect()
    }
}
