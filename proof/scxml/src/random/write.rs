//! The document as text: states with what stands in them.

use super::content::Place;
use super::generator::Generator;
use super::plan::Kind;

/// XML with indentation.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    level: usize,
}

impl Writer {
    /// An element with nothing inside.
    pub fn leaf(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str("/>\n");
    }

    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.begin(name, attributes);
        self.text.push_str(">\n");
        self.level += 1;
    }

    /// An element with a text inside.
    pub fn text(&mut self, name: &str, text: &str) {
        self.begin(name, &[]);
        self.text.push_str(&format!(">{text}</{name}>\n"));
    }

    pub fn close(&mut self, name: &str) {
        self.level -= 1;
        self.text
            .push_str(&format!("{}</{name}>\n", "  ".repeat(self.level)));
    }

    fn begin(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.text
            .push_str(&format!("{}<{name}", "  ".repeat(self.level)));
        for (key, value) in attributes {
            let value = value
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            self.text.push_str(&format!(" {key}=\"{value}\""));
        }
    }
}

impl Generator {
    pub fn document(mut self) -> String {
        let initial = self.initial_attribute(0, 50);
        let mut attributes = vec![
            ("xmlns", "http://www.w3.org/2005/07/scxml"),
            ("version", "1.0"),
            ("datamodel", "ecmascript"),
        ];
        attributes.extend([
            ("xmlns:sw", "urn:statewright"),
            ("sw:functions", "ready near=game::Near shout open=Open"),
        ]);
        if let Some(initial) = &initial {
            attributes.push(("initial", initial));
        }
        self.writer.open("scxml", &attributes);
        self.datamodel();
        for child in self.plan.nodes[0].children.clone() {
            self.state(child);
        }
        self.writer.close("scxml");
        self.writer.text
    }

    fn datamodel(&mut self) {
        if !self.has_data() && !self.count_and_fuel {
            return;
        }
        self.writer.open("datamodel", &[]);
        for name in self.integers.clone() {
            let value = self.rng.one(&["0", "0", "1", "2", "-3", "7"]);
            self.writer.leaf("data", &[("id", name), ("expr", value)]);
        }
        if self.count_and_fuel {
            self.writer.leaf("data", &[("id", "count"), ("expr", "0")]);
            self.writer.leaf("data", &[("id", "fuel"), ("expr", "12")]);
        }
        if self.flag {
            let value = self.rng.one(&["true", "false"]);
            self.writer.leaf("data", &[("id", "flag"), ("expr", value)]);
        }
        if self.word {
            self.writer
                .leaf("data", &[("id", "word"), ("expr", "'red'")]);
        }
        self.writer.close("datamodel");
    }

    fn state(&mut self, at: usize) {
        let node = self.plan.nodes[at].clone();
        let name = match node.kind {
            Kind::State => "state",
            Kind::Parallel => "parallel",
            Kind::Final => "final",
        };
        let is_compound = node.kind == Kind::State && !node.children.is_empty();
        let with_element = is_compound && self.rng.chance(30);
        let initial = if is_compound && !with_element {
            self.initial_attribute(at, 60)
        } else {
            None
        };
        let mut attributes = vec![("id", node.id.as_str())];
        attributes.extend(initial.as_deref().map(|initial| ("initial", initial)));
        self.writer.open(name, &attributes);
        if with_element {
            self.initial_element(at);
        }
        self.handlers(at);
        let transitions_last = self.rng.chance(30);
        if !transitions_last {
            self.transitions_and_histories(at);
        }
        for child in node.children {
            self.state(child);
        }
        if transitions_last {
            self.transitions_and_histories(at);
        }
        self.writer.close(name);
    }

    fn transitions_and_histories(&mut self, at: usize) {
        if self.plan.nodes[at].kind == Kind::Final {
            return;
        }
        self.transitions_of(at);
        for history in self.plan.nodes[at].histories.clone() {
            let ty = if history.deep { "deep" } else { "shallow" };
            let target = self.history_default(at, history.deep);
            if history.deep || self.rng.chance(50) {
                self.writer
                    .open("history", &[("id", &history.id), ("type", ty)]);
            } else {
                self.writer.open("history", &[("id", &history.id)]);
            }
            self.transition_with(
                &[("target", &target)],
                50,
                Place::Inside,
                &format!("default {}", history.id),
            );
            self.writer.close("history");
        }
    }

    /// A list of states inside, or nothing.
    fn initial_attribute(&mut self, at: usize, percent: usize) -> Option<String> {
        if self.rng.chance(percent) {
            Some(self.aim_inside(at, true))
        } else {
            None
        }
    }

    fn initial_element(&mut self, at: usize) {
        let target = match self.plan.nodes[at].histories.first() {
            Some(history) if self.rng.chance(15) => history.id.clone(),
            _ => self.aim_inside(at, true),
        };
        self.writer.open("initial", &[]);
        let label = format!("initial {}", self.plan.nodes[at].id);
        self.transition_with(&[("target", &target)], 85, Place::Inside, &label);
        self.writer.close("initial");
    }
}
