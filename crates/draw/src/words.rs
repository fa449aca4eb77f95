//! The words in a picture: labels of transitions, lines of states, lengths of time.

use statewright_describe::{Action, Length, Named, State, Threshold, Transition, Trigger};

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

/// A duration as people write it.
fn time(length: &Length, rate: u64) -> String {
    length.shown(|ticks| duration(ticks.into(), rate))
}

/// What a transition waits for. `always` goes without saying where there is a guard.
pub(crate) fn trigger(trigger: &Trigger, is_unguarded: bool, rate: u64) -> String {
    match trigger {
        Trigger::Event(event) => event.name.clone(),
        Trigger::Any => "any event".to_owned(),
        Trigger::After { length, .. } => format!("after {}", time(length, rate)),
        Trigger::Every { length, .. } => format!("every {}", time(length, rate)),
        Trigger::Always if !is_unguarded => String::new(),
        Trigger::Always | Trigger::Timer(_) | Trigger::Done | Trigger::Failed => {
            trigger.to_string()
        }
    }
}

/// An action, with times as people say them.
pub(crate) fn action(action: &Action, rate: u64) -> String {
    match action {
        Action::StartTimer { timer, after } => format!("start {timer} {}", time(after, rate)),
        Action::Call(_)
        | Action::Set { .. }
        | Action::Add { .. }
        | Action::Take { .. }
        | Action::SetScratch { .. }
        | Action::AddScratch { .. }
        | Action::TakeScratch { .. }
        | Action::Raise { .. }
        | Action::Send { .. }
        | Action::Emit { .. }
        | Action::StopTimer { .. }
        | Action::ClearHistory { .. }
        | Action::If { .. } => action.to_string(),
    }
}

/// What decides about a transition besides trigger and guard.
pub(crate) fn marks(transition: &Transition, rate: u64) -> Vec<String> {
    let word = |is_set: bool, word: &str| is_set.then(|| word.to_owned());
    let waits = |word: &str, length: &Option<Length>| {
        let length = length.as_ref()?;
        Some(format!("{word} {}", time(length, rate)))
    };
    let score = |score: &String| match &transition.threshold {
        None | Some(Threshold::Number(0.0)) => format!("score {score}"),
        Some(Threshold::Number(threshold)) => format!("score {score} >= {threshold}"),
        Some(Threshold::Code(threshold)) => format!("score {score} >= {threshold}"),
    };
    let marks = [
        word(transition.interrupt, "interrupt"),
        transition.stack.map(|stack| stack.name().to_owned()),
        (transition.priority > 0).then(|| format!("priority {}", transition.priority)),
        transition.score.as_ref().map(score),
        word(transition.stay, "stay"),
        waits("cooldown", &transition.cooldown),
        waits("debounce", &transition.debounce),
        word(transition.latch, "latch"),
    ];
    marks.into_iter().flatten().collect()
}

/// What a state does, one line each.
pub(crate) fn lines(state: &State, rate: u64) -> Vec<String> {
    let done = |word: &str, actions: &[Action]| {
        let actions: Vec<String> = actions.iter().map(|one| action(one, rate)).collect();
        (!actions.is_empty()).then(|| format!("{word} / {}", actions.join("; ")))
    };
    let lines = [
        done("entry", &state.entry),
        done("exit", &state.exit),
        done("suspend", &state.suspend),
        done("resume", &state.resume),
        done("update", &state.update),
        state
            .activity
            .as_ref()
            .map(|activity| format!("do / {activity}")),
        named("defers", &state.defer),
        named("owns", &state.owns),
        state
            .min_active
            .as_ref()
            .map(|length| format!("stays {}", time(length, rate))),
        state
            .exit_ready
            .as_ref()
            .map(|ready| format!("leaves if {ready}")),
    ];
    lines.into_iter().flatten().collect()
}

/// A word and names; nothing without names.
fn named<I>(word: &str, names: &[Named<I>]) -> Option<String> {
    let names: Vec<&str> = names.iter().map(|named| named.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use statewright_rom::ids::{EventId, TimerId};

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
        let (event, timer) = (
            EventId::from_index(0).unwrap(),
            TimerId::from_index(0).unwrap(),
        );
        let (hit, fuse) = ("Hit".to_owned(), "long fuse".to_owned());
        let hit = Trigger::Event(Named {
            id: event,
            name: hit,
        });
        let after = Trigger::After {
            timer,
            length: Length::Ticks(30),
        };
        let every = Trigger::Every {
            timer,
            length: Length::Range(60, 120),
        };
        let start = Action::StartTimer {
            timer: Named {
                id: timer,
                name: fuse,
            },
            after: Length::Ticks(120),
        };
        assert_eq!(trigger(&hit, true, 60), "Hit");
        assert_eq!(trigger(&Trigger::Any, true, 60), "any event");
        assert_eq!(trigger(&after, true, 60), "after 500ms");
        assert_eq!(trigger(&every, true, 60), "every 1s..2s");
        let always = |is_unguarded| trigger(&Trigger::Always, is_unguarded, 60);
        assert_eq!(
            (always(true), always(false)),
            ("always".into(), String::new())
        );
        assert_eq!(action(&start, 60), "start long fuse 2s");
        // A function may be called anything.
        for other in ["start(3t)", "start 5t"] {
            assert_eq!(action(&Action::Call(other.to_owned()), 60), other);
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
