//! Transitions by chance.

use super::content::Place;
use super::generator::{Generator, RAISED};
use super::plan::Kind;

impl Generator {
    pub fn transitions_of(&mut self, at: usize) {
        if self.rng.chance(12) {
            self.eventless(at);
        }
        let has_children = !self.plan.nodes[at].children.is_empty();
        let count = if has_children {
            self.rng.weighted(&[4, 4, 2])
        } else {
            self.rng.weighted(&[1, 4, 3, 2])
        };
        for _ in 0..count {
            let (event, place) = self.descriptors();
            let target = self.target(at);
            self.transition(&event, target, place);
        }
        self.finish(at);
        let mine = self.plan.nodes[at].children.iter().copied().chain([at]);
        for done in mine
            .filter(|&state| self.plan.can_be_done(state))
            .collect::<Vec<_>>()
        {
            if self.rng.chance(55) {
                let event = self.done_descriptor(done);
                let target = self.after_done(at);
                self.transition(&event, target, Place::Inside);
            }
        }
    }

    /// Mostly nothing or another state: what is done again at once would be done forever.
    fn after_done(&mut self, at: usize) -> Option<String> {
        match self.rng.below(10) {
            0..=3 => None,
            4..=7 => self.sibling(at).map(|target| target.join(" ")),
            _ => self.target(at),
        }
    }

    /// Now and then a way to a final beside this state, so that there are done events.
    fn finish(&mut self, at: usize) {
        let siblings = self.plan.nodes[self.plan.nodes[at].parent].children.clone();
        let found = siblings
            .into_iter()
            .find(|&sibling| self.plan.nodes[sibling].kind == Kind::Final);
        if let Some(last) = found.filter(|_| self.rng.chance(65)) {
            let target = self.plan.nodes[last].id.clone();
            let event = self.rng.one(&self.events);
            self.transition(&event, Some(target), Place::Outside);
        }
    }

    fn transition(&mut self, event: &str, target: Option<String>, place: Place) {
        let hears_done = event
            .split(' ')
            .any(|word| word == "*" || word.starts_with("done"));
        let finishes = target.as_deref().is_some_and(may_finish);
        let target = if hears_done && finishes && self.rng.chance(85) {
            None
        } else {
            target
        };
        let cond = self.rng.chance(25).then(|| self.condition());
        let ty = self.kind();
        let mut attributes = vec![("event", event)];
        attributes.extend(cond.as_deref().map(|cond| ("cond", cond)));
        attributes.extend(target.as_deref().map(|target| ("target", target)));
        attributes.extend(ty.map(|ty| ("type", ty)));
        let label = self.label();
        if place == Place::Outside && self.count_and_fuel && self.rng.chance(20) {
            self.writer.open("transition", &attributes);
            self.writer.leaf("log", &[("label", &label)]);
            self.writer
                .leaf("assign", &[("location", "count"), ("expr", "0")]);
            return self.writer.close("transition");
        }
        self.transition_with(&attributes, 94, place, &label);
    }

    fn kind(&mut self) -> Option<&'static str> {
        match self.rng.below(10) {
            0..=2 => Some("internal"),
            3 => Some("external"),
            _ => None,
        }
    }

    fn label(&mut self) -> String {
        self.transitions += 1;
        format!("t{}", self.transitions)
    }

    /// A transition that a counter ends, or one that waits for another region or just passes on,
    /// always further down the document and never to a final.
    fn eventless(&mut self, at: usize) {
        if self.count_and_fuel && self.rng.chance(65) {
            return self.counted(at);
        }
        let siblings = self.plan.nodes[self.plan.nodes[at].parent].children.iter();
        let later = siblings
            .copied()
            .filter(|&sibling| sibling > at && self.plan.nodes[sibling].kind != Kind::Final);
        let later: Vec<usize> = later.collect();
        let elsewhere = self.other_region(at);
        if later.is_empty() || self.plan.nodes[self.plan.nodes[at].parent].kind == Kind::Parallel {
            return;
        }
        let target = self.rng.one(&later);
        let target = self.plan.nodes[target].id.clone();
        let cond = elsewhere.map(|other| format!("{}In('{other}')", self.rng.one(&["", "", "!"])));
        let mut attributes = vec![("target", target.as_str())];
        match &cond {
            Some(cond) => attributes.push(("cond", cond)),
            None if self.rng.chance(70) => return,
            None => {}
        }
        let label = self.label();
        self.transition_with(&attributes, 94, Place::Inside, &label);
    }

    fn counted(&mut self, at: usize) {
        let target = self.target(at);
        let mut cond = format!("count < {}", self.rng.one(&["1", "2", "3", "4"]));
        if self.rng.chance(30) {
            cond = format!("{cond} && ({})", self.condition());
        }
        let mut attributes = vec![("cond", cond.as_str())];
        attributes.extend(target.as_deref().map(|target| ("target", target)));
        let label = self.label();
        self.writer.open("transition", &attributes);
        self.writer.leaf("log", &[("label", &label)]);
        self.writer
            .leaf("assign", &[("location", "count"), ("expr", "count + 1")]);
        self.writer.close("transition");
    }

    /// A state that can be active beside this one.
    fn other_region(&mut self, at: usize) -> Option<String> {
        let around: Vec<usize> = [at].into_iter().chain(self.plan.ancestors(at)).collect();
        let regions = around.iter().flat_map(|&mine| {
            let parent = &self.plan.nodes[self.plan.nodes[mine].parent];
            let others = parent
                .children
                .iter()
                .copied()
                .filter(move |&other| other != mine);
            others.filter(|_| parent.kind == Kind::Parallel)
        });
        let regions: Vec<usize> = regions.collect();
        let beside = |&state: &usize| {
            self.plan
                .ancestors(state)
                .iter()
                .any(|around| regions.contains(around))
        };
        let states: Vec<usize> = (1..self.plan.nodes.len()).filter(beside).collect();
        if states.is_empty() {
            None
        } else {
            Some(self.plan.nodes[self.rng.one(&states)].id.clone())
        }
    }

    /// The event attribute, and what content may go with it.
    fn descriptors(&mut self) -> (String, Place) {
        let (first, place) = self.descriptor();
        if !self.rng.chance(15) {
            return (first, place);
        }
        let (second, other) = self.descriptor();
        (
            format!("{first} {second}"),
            if place == other { place } else { Place::Inside },
        )
    }

    fn descriptor(&mut self) -> (String, Place) {
        if !self.delayed.is_empty() && self.rng.chance(25) {
            let event = self.rng.one(&self.delayed).event;
            return (
                if self.rng.chance(15) { "t" } else { event }.to_string(),
                Place::Outside,
            );
        }
        let event = self.rng.one(&self.events);
        let outside = match self.rng.below(20) {
            0 => return ("*".to_string(), Place::Inside),
            1 | 2 if self.raises > 0 => return (self.rng.one(&RAISED).to_string(), Place::Inside),
            3 | 4 => format!("{event}.*"),
            5 | 6 => event.split('.').next().unwrap_or("a").to_string(),
            7 => format!("{event}.more"),
            _ => event,
        };
        (outside, Place::Outside)
    }

    fn done_descriptor(&mut self, done: usize) -> String {
        let event = format!("done.state.{}", self.plan.nodes[done].id);
        match self.rng.below(12) {
            0 => "done".to_string(),
            1 => "done.state".to_string(),
            2 => format!("{event}.*"),
            3 => format!("{event} {}", self.rng.one(&self.events)),
            _ => event,
        }
    }
}

/// Whether a target is a final, or a history that may restore one. Ids tell.
fn may_finish(target: &str) -> bool {
    let last_parts = target
        .split(' ')
        .map(|id| id.rsplit('.').next().unwrap_or(id));
    last_parts
        .into_iter()
        .any(|part| part.starts_with(['f', 'h']))
}
