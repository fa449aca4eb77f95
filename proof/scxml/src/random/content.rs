//! Executable content by chance.

use super::generator::{Generator, RAISED};

/// Where content stands; this decides what it may do without ever running in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a transition for events from outside. What it raises only leads to transitions that raise
    /// nothing.
    Outside,
    /// In a transition for other events, in onentry, or in an initial or default transition. What
    /// it raises costs fuel.
    Inside,
    /// In onexit. As above, and nothing is sent with a delay.
    Exit,
}

impl Generator {
    /// onentry and onexit, now and then in two blocks.
    pub fn handlers(&mut self, at: usize) {
        let id = self.plan.nodes[at].id.clone();
        for (element, word, place) in [
            ("onentry", "enter", Place::Inside),
            ("onexit", "exit", Place::Exit),
        ] {
            if self.rng.chance(4) {
                continue;
            }
            self.writer.open(element, &[]);
            self.writer
                .leaf("log", &[("label", &format!("{word} {id}"))]);
            self.extras(20, place);
            self.writer.close(element);
            if self.rng.chance(10) {
                self.writer.open(element, &[]);
                self.extras(30, place);
                self.writer
                    .leaf("log", &[("label", &format!("{word} {id} again"))]);
                self.writer.close(element);
            }
        }
    }

    /// A transition element whose content begins with a log in so many of a hundred cases.
    pub fn transition_with(
        &mut self,
        attributes: &[(&str, &str)],
        percent: usize,
        place: Place,
        label: &str,
    ) {
        if !self.rng.chance(percent) {
            self.writer.leaf("transition", attributes);
            return;
        }
        self.writer.open("transition", attributes);
        self.writer.leaf("log", &[("label", label)]);
        self.extras(25, place);
        self.writer.close("transition");
    }

    /// More content, in so many of a hundred cases.
    pub fn extras(&mut self, percent: usize, place: Place) {
        if self.rng.chance(percent) {
            self.element(place, 0);
            if self.rng.chance(25) {
                self.element(place, 0);
            }
        }
    }

    fn element(&mut self, place: Place, nested: usize) {
        let data = usize::from(self.has_data());
        let raises =
            usize::from(self.raises > 0 && (place == Place::Outside || self.count_and_fuel));
        let sends = usize::from(self.delayed_sends > 0 && place != Place::Exit);
        let cancels = usize::from(!self.delayed.is_empty());
        let deeper = usize::from(nested < 2);
        let integers = usize::from(!self.integers.is_empty());
        let weights = [
            6 * data,
            4 * raises,
            raises,
            12 * sends,
            2 * cancels,
            5 * deeper,
            2 * integers,
            2,
            1,
        ];
        match self.rng.weighted(&weights) {
            0 => self.assign(),
            1 => self.raise("raise", place),
            2 => self.raise("send", place),
            3 => self.delayed_send(),
            4 => {
                let id = self.rng.one(&self.delayed).id;
                self.writer.leaf("cancel", &[("sendid", id)]);
            }
            5 => self.choice(place, nested),
            6 => {
                let expr = self.sum();
                self.writer
                    .leaf("log", &[("label", "sum"), ("expr", &expr)]);
            }
            7 => {
                let calls = self.rng.one(&[
                    "shout()",
                    "shout()\nopen(3, 'red')",
                    "open(-1, true); shout();",
                ]);
                self.writer.text("script", calls);
            }
            _ => self.writer.leaf("log", &[("label", "here")]),
        }
    }

    /// `raise`, or `send` without delay.
    fn raise(&mut self, element: &str, place: Place) {
        self.raises -= 1;
        if place == Place::Outside && (!self.count_and_fuel || self.rng.chance(60)) {
            let event = self.rng.one(&RAISED);
            return self.writer.leaf(element, &[("event", event)]);
        }
        let event = if self.rng.chance(30) {
            self.rng.one(&RAISED).to_string()
        } else {
            self.rng.one(&self.events)
        };
        let event = if self.rng.chance(20) {
            format!("{event}.more")
        } else {
            event
        };
        self.writer.open("if", &[("cond", "fuel > 0")]);
        self.writer
            .leaf("assign", &[("location", "fuel"), ("expr", "fuel - 1")]);
        self.writer.leaf(element, &[("event", &event)]);
        self.writer.close("if");
    }

    fn delayed_send(&mut self) {
        self.delayed_sends -= 1;
        let delayed = self.rng.one(&self.delayed);
        if self.rng.chance(60) {
            self.writer.leaf("cancel", &[("sendid", delayed.id)]);
        }
        let delay = if delayed.delay_ms == 11 {
            "0.011s".to_string()
        } else {
            format!("{}ms", delayed.delay_ms)
        };
        self.writer.leaf(
            "send",
            &[
                ("event", delayed.event),
                ("delay", &delay),
                ("id", delayed.id),
            ],
        );
    }

    fn assign(&mut self) {
        let weights = [
            4 * self.integers.len(),
            usize::from(self.flag) * 2,
            usize::from(self.word) * 2,
        ];
        let (location, expr) = match self.rng.weighted(&weights) {
            0 => {
                let expr = if self.rng.chance(30) {
                    "0".to_string()
                } else {
                    self.sum()
                };
                (self.rng.one(&self.integers), expr)
            }
            1 => (
                "flag",
                if self.rng.chance(50) {
                    "!flag".to_string()
                } else {
                    self.condition()
                },
            ),
            _ => (
                "word",
                self.rng.one(&["'red'", "'blue'", "'green'"]).to_string(),
            ),
        };
        self.writer
            .leaf("assign", &[("location", location), ("expr", &expr)]);
    }

    fn choice(&mut self, place: Place, nested: usize) {
        let cond = self.condition();
        self.writer.open("if", &[("cond", &cond)]);
        self.writer.leaf("log", &[("label", "then")]);
        self.element(place, nested + 1);
        if self.rng.chance(40) {
            let cond = self.condition();
            self.writer.leaf("elseif", &[("cond", &cond)]);
            self.writer.leaf("log", &[("label", "or then")]);
            if self.rng.chance(40) {
                self.element(place, nested + 1);
            }
        }
        if self.rng.chance(60) {
            self.writer.leaf("else", &[]);
            self.writer.leaf("log", &[("label", "else")]);
            if self.rng.chance(30) {
                self.element(place, nested + 1);
            }
        }
        self.writer.close("if");
    }
}
