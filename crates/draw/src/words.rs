//! The words in a picture: labels of transitions, lines of states, lengths of time.

use serde_json::Value;

use crate::chart::{list, text};

/// The words of a transition: `trigger [guard] / effects {marks}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// What starts it; empty if its guard says it all.
    pub trigger: String,
    /// What must hold.
    pub guard: Option<String>,
    /// What happens on the way.
    pub effects: Vec<String>,
    /// Whatever else decides: priority, cooldown, score.
    pub marks: Vec<String>,
}

impl Label {
    /// The parts that should stay together on a line.
    pub fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        parts.extend(Some(self.trigger.clone()).filter(|trigger| !trigger.is_empty()));
        parts.extend(self.guard.as_ref().map(|guard| format!("[{guard}]")));
        parts.extend(self.effects.iter().enumerate().map(|(place, effect)| {
            let end = if place + 1 < self.effects.len() {
                ";"
            } else {
                ""
            };
            format!("{}{effect}{end}", if place == 0 { "/ " } else { "" })
        }));
        parts.extend((!self.marks.is_empty()).then(|| format!("{{{}}}", self.marks.join(", "))));
        parts
    }

    /// All of it on one line.
    pub fn line(&self) -> String {
        self.parts().join(" ")
    }
}

/// Ticks as people say it, if that is exact.
pub(crate) fn duration(ticks: u64, rate: u64) -> String {
    match ticks.checked_mul(1000) {
        Some(millis) if millis % (rate * 1000) == 0 => format!("{}s", ticks / rate),
        Some(millis) if millis % (rate * 100) == 0 && ticks > rate => {
            format!("{}.{}s", ticks / rate, millis / (rate * 100) % 10)
        }
        Some(millis) if millis % rate == 0 => format!("{}ms", millis / rate),
        _ => format!("{ticks}t"),
    }
}

/// `30t` as people say it.
fn in_words(ticks: &str, rate: u64) -> Option<String> {
    ticks
        .strip_suffix('t')?
        .parse()
        .ok()
        .map(|ticks| duration(ticks, rate))
}

/// The trigger of a description. `always` goes without saying where there is a guard.
pub(crate) fn trigger(described: &str, is_unguarded: bool, rate: u64) -> String {
    if let Some(event) = described.strip_prefix("on ") {
        return if event == "*" {
            "any event".to_owned()
        } else {
            event.to_owned()
        };
    }
    match described
        .strip_prefix("after ")
        .and_then(|ticks| in_words(ticks, rate))
    {
        Some(time) => format!("after {time}"),
        None if described == "always" && !is_unguarded => String::new(),
        None => described.to_owned(),
    }
}

/// An action of a description.
pub(crate) fn action(described: &str, rate: u64) -> String {
    let started = described
        .strip_prefix("start ")
        .and_then(|rest| rest.rsplit_once(' '));
    match started.and_then(|(timer, ticks)| Some((timer, in_words(ticks, rate)?))) {
        Some((timer, time)) => format!("start {timer} {time}"),
        None => described.to_owned(),
    }
}

/// What decides about a transition besides trigger and guard.
pub(crate) fn marks(transition: &Value, rate: u64) -> Vec<String> {
    let mut marks = Vec::new();
    let time = |field: &str| {
        Some(format!(
            "{field} {}",
            duration(transition[field].as_u64()?, rate)
        ))
    };
    marks.extend((transition["interrupt"] == true).then(|| "interrupt".to_owned()));
    marks.extend(transition["stack"].as_str().map(str::to_owned));
    marks.extend(
        transition["priority"]
            .as_u64()
            .filter(|&priority| priority > 0)
            .map(|p| format!("priority {p}")),
    );
    marks.extend(transition["score"].as_str().map(
        |score| match transition["threshold"].as_f64() {
            Some(threshold) if threshold != 0.0 => format!("score {score} >= {threshold}"),
            _ => format!("score {score}"),
        },
    ));
    marks.extend(time("cooldown"));
    marks.extend(time("debounce"));
    marks.extend((transition["latch"] == true).then(|| "latch".to_owned()));
    marks
}

/// What a state does, one line each.
pub(crate) fn lines(state: &Value, rate: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let joined = |field: &str| {
        list(&state[field])
            .iter()
            .map(|one| action(&text(one), rate))
            .collect::<Vec<_>>()
    };
    for field in ["entry", "exit", "suspend", "resume"] {
        let actions = joined(field);
        lines.extend((!actions.is_empty()).then(|| format!("{field} / {}", actions.join("; "))));
    }
    lines.extend(
        state["activity"]
            .as_str()
            .map(|activity| format!("do / {activity}")),
    );
    for (field, word) in [("defer", "defers"), ("owns", "owns")] {
        let names: Vec<String> = list(&state[field]).iter().map(text).collect();
        lines.extend((!names.is_empty()).then(|| format!("{word} {}", names.join(", "))));
    }
    lines.extend(
        state["min_active"]
            .as_u64()
            .map(|ticks| format!("stays {}", duration(ticks, rate))),
    );
    lines.extend(
        state["exit_ready"]
            .as_str()
            .map(|ready| format!("leaves if {ready}")),
    );
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them_only_if_exact() {
        let said = [
            (60, "1s"),
            (90, "1.5s"),
            (12, "200ms"),
            (1, "1t"),
            (3, "50ms"),
            (7, "7t"),
            (3600, "60s"),
        ];
        for (ticks, words) in said {
            assert_eq!(duration(ticks, 60), words);
        }
        assert_eq!(duration(u64::MAX, 60), format!("{}t", u64::MAX));
    }

    #[test]
    fn triggers_and_actions_are_shortened_but_never_changed() {
        assert_eq!(trigger("on Hit", true, 60), "Hit");
        assert_eq!(trigger("on *", true, 60), "any event");
        assert_eq!(trigger("after 30t", true, 60), "after 500ms");
        assert_eq!(
            (trigger("always", true, 60), trigger("always", false, 60)),
            ("always".into(), String::new())
        );
        assert_eq!(action("start long fuse 120t", 60), "start long fuse 2s");
        for other in [
            "start = 5",
            "start += t",
            "start(3t)",
            "stop fuse",
            "start 5t",
        ] {
            assert_eq!(action(other, 60), other);
        }
    }

    #[test]
    fn a_label_has_its_parts_in_order() {
        let label = Label {
            trigger: "Hit".into(),
            guard: Some("a < b".into()),
            effects: vec!["x = 1".into(), "Go()".into()],
            marks: vec!["priority 2".into(), "latch".into()],
        };
        assert_eq!(
            label.line(),
            "Hit [a < b] / x = 1; Go() {priority 2, latch}"
        );
        assert_eq!(Label::default().line(), "");
    }
}
