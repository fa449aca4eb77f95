//! States, regions, history points and transitions as elements.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{
    Action, Region, State, StateKind, Transition, TransitionKind, Trigger,
};
use statewright_author::span::{Name, Span};

use super::content::Content;
use super::names::{ExportNames, ExportTarget, is_id};
use super::problem::refused;
use super::rules;
use super::xml::{Attribute, Writer};

/// Writes states.
pub(super) struct States<'a> {
    pub(super) names: &'a ExportNames<'a>,
    pub(super) content: Content<'a>,
}

/// A transition as text, without what it hears.
struct Arrow<'a> {
    hears: Hears<'a>,
    attributes: Vec<(&'static str, String)>,
    content: String,
}

/// What a transition hears.
enum Hears<'a> {
    Event(&'a Name),
    Any(Span),
    Nothing,
}

impl States<'_> {
    /// The states in a region, or the states of all regions.
    pub(super) fn children(
        &self,
        regions: &[Region],
        first: usize,
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let mut index = first;
        for child in regions
            .iter()
            .flat_map(|region| &region.states)
            .filter(|child| !child.muted)
        {
            self.state(child, index, xml, out);
            index += self.size(index);
        }
    }

    /// States in a state, itself included.
    fn size(&self, index: usize) -> usize {
        (index..self.names.states.len())
            .take_while(|&at| at == index || self.names.is_inside(at, index))
            .count()
    }

    fn state(&self, state: &State, index: usize, xml: &mut Writer, out: &mut Diagnostics) {
        rules::state(state, self.content.follows_w3c, out);
        if let Some(doc) = &state.doc {
            xml.comment(doc);
        }
        let tag = match state.kind() {
            StateKind::Final => "final",
            StateKind::Orthogonal => "parallel",
            StateKind::Atomic | StateKind::Compound | StateKind::Choice => "state",
        };
        // A name that cannot be an id, and that nobody uses, is left to the reader of the document.
        let id = Some(("id", state.name.value.as_str())).filter(|(_, name)| is_id(name));
        let initial = self.initial(state, out);
        let plain = initial.as_ref().filter(|(_, effect)| effect.is_empty());
        let attributes = id
            .into_iter()
            .chain(plain.map(|(targets, _)| ("initial", targets.as_str())));
        let attributes: Vec<Attribute<'_>> = attributes.collect();
        let mut inside = Writer::at(xml.depth() + 1);
        if let Some((targets, effect)) = initial.as_ref().filter(|(_, effect)| !effect.is_empty()) {
            inside.open("initial", &[]);
            self.content_of(
                "transition",
                &[("target", targets)],
                effect,
                &mut inside,
                out,
            );
            inside.close("initial");
        }
        for (tag, actions) in [("onentry", &state.entry), ("onexit", &state.exit)] {
            if actions.iter().any(|action| !action.muted) {
                self.content_of(tag, &[], actions, &mut inside, out);
            }
        }
        self.transitions(index, &mut inside, out);
        for point in &state.history {
            let kind = if point.deep { "deep" } else { "shallow" };
            let targets = self.list(&point.default, out);
            let id = Some(("id", point.name.value.as_str())).filter(|(_, name)| is_id(name));
            let attributes: Vec<Attribute<'_>> = id.into_iter().chain([("type", kind)]).collect();
            inside.open("history", &attributes);
            self.content_of(
                "transition",
                &[("target", &targets)],
                &point.effect,
                &mut inside,
                out,
            );
            inside.close("history");
        }
        self.children(&state.regions, index + 1, &mut inside, out);
        xml.around(tag, &attributes, &inside.into_text());
    }

    /// Where default entry of a compound state goes. A child of a `<parallel>` is its own region.
    fn initial<'s>(
        &self,
        state: &'s State,
        out: &mut Diagnostics,
    ) -> Option<(String, &'s [Action])> {
        if state.kind() == StateKind::Orthogonal {
            state
                .regions
                .iter()
                .for_each(|region| check_region(region, out));
            return None;
        }
        self.initial_of(state.regions.first()?, out)
    }

    /// The targets and the effect of a region's initial; `None` if the first state is meant anyway.
    pub(super) fn initial_of<'s>(
        &self,
        region: &'s Region,
        out: &mut Diagnostics,
    ) -> Option<(String, &'s [Action])> {
        let initial = region.initial.as_ref()?;
        let first = region.states.iter().find(|state| !state.muted)?;
        let effect = initial.effect.as_slice();
        let targets = match &initial.targets[..] {
            [] if effect.is_empty() => return None,
            // A document begins in its first state; one without an id cannot be named.
            [only]
                if effect.is_empty() && only.value == first.name.value && !is_id(&only.value) =>
            {
                return None;
            }
            [] => self.list(std::slice::from_ref(&first.name), out),
            targets => self.list(targets, out),
        };
        Some((targets, effect))
    }

    fn list(&self, names: &[Name], out: &mut Diagnostics) -> String {
        let ids: Vec<&str> = names
            .iter()
            .filter_map(|name| self.names.id(name, out))
            .collect();
        ids.join(" ")
    }

    fn content_of(
        &self,
        tag: &str,
        attributes: &[Attribute<'_>],
        actions: &[Action],
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let mut inside = Writer::at(xml.depth() + 1);
        self.content.actions(actions, &mut inside, out);
        xml.around(tag, attributes, &inside.into_text());
    }

    /// All transitions of a state. Neighbors that differ only in what they hear become one.
    fn transitions(&self, index: usize, xml: &mut Writer, out: &mut Diagnostics) {
        let list = self.transitions_of(index, out);
        let live = list.iter().filter(|transition| !transition.muted);
        let arrows: Vec<Arrow<'_>> = live
            .map(|one| self.arrow(one, index, xml.depth(), out))
            .collect();
        let same = |a: &Arrow<'_>, b: &Arrow<'_>| {
            let events = matches!((&a.hears, &b.hears), (Hears::Event(_), Hears::Event(_)));
            events && a.attributes == b.attributes && a.content == b.content
        };
        for group in arrows.chunk_by(same) {
            let Some(first) = group.first() else { continue };
            let event = match &first.hears {
                Hears::Nothing => None,
                Hears::Any(span) => Some(self.content.events.any(*span, out)),
                Hears::Event(_) => {
                    let heard = group.iter().filter_map(|arrow| match &arrow.hears {
                        Hears::Event(name) => Some(*name),
                        _ => None,
                    });
                    Some(
                        self.content
                            .events
                            .descriptors(&heard.collect::<Vec<_>>(), out),
                    )
                }
            };
            let others = first
                .attributes
                .iter()
                .map(|(name, value)| (*name, value.as_str()));
            let attributes: Vec<Attribute<'_>> = event
                .as_ref()
                .map(|event| ("event", event.as_str()))
                .into_iter()
                .chain(others)
                .collect();
            xml.around("transition", &attributes, &first.content);
        }
    }

    /// Its own, then those it shares with others (CODE-8).
    fn transitions_of(&self, index: usize, out: &mut Diagnostics) -> Vec<Transition> {
        let entry = &self.names.states[index];
        let state = entry.state;
        if matches!(state.kind(), StateKind::Final | StateKind::Choice) {
            return Vec::new();
        }
        let mut list = state.transitions.clone();
        list.extend(
            state
                .decisions
                .iter()
                .filter(|one| !one.muted)
                .flat_map(|one| one.transitions())
                .map(|branch| self.decided(branch, index)),
        );
        for name in &state.uses {
            let sets = &self.content.machine.transition_sets;
            match sets.iter().find(|set| set.name.value == name.value) {
                Some(_) => {}
                None => out.push(refused(
                    name.span,
                    format!("`{}`, which is no set", name.value),
                    "it is not declared",
                    "",
                )),
            }
        }
        for set in self.content.machine.sets_used(&state.uses) {
            list.extend(set.transitions.iter().cloned());
        }
        if let Some(parent) = entry.parent {
            let listed = |names: &[Name]| names.iter().any(|name| name.value == state.name.value);
            for any in &self.names.states[parent].state.any_state {
                if (any.include.is_empty() || listed(&any.include)) && !listed(&any.exclude) {
                    list.push(any.transition.clone());
                }
            }
        }
        list.iter().flat_map(one_per_event).collect()
    }

    /// A branch of a decision that names its own state stays (LANG-13): on an event it is a
    /// transition without target and content there.
    fn decided(&self, branch: Transition, source: usize) -> Transition {
        let own = |name: &Name| matches!(self.names.find(&name.value), Some(ExportTarget::State(state)) if state == source);
        let stays = branch.kind.is_none() && branch.targets.iter().all(own);
        let heard = matches!(branch.trigger, Trigger::Event(_) | Trigger::Any(_));
        match (stays, heard) {
            (false, _) => branch,
            (true, false) => branch.staying(),
            (true, true) => Transition {
                stay: None,
                ..branch.staying()
            },
        }
    }

    fn arrow<'t>(
        &self,
        transition: &'t Transition,
        source: usize,
        depth: usize,
        out: &mut Diagnostics,
    ) -> Arrow<'t> {
        rules::transition(transition, self.content.follows_w3c, out);
        let hears = match &transition.trigger {
            Trigger::Event(name) => Hears::Event(name),
            Trigger::Any(span) => Hears::Any(*span),
            _ => Hears::Nothing,
        };
        let mut attributes = Vec::new();
        if let Some(guard) = &transition.guard {
            attributes.push(("cond", self.content.translator.code(guard, out)));
        }
        if !transition.targets.is_empty() {
            attributes.push(("target", self.list(&transition.targets, out)));
        }
        if self.is_local(transition, source) {
            if self.names.states[source].state.kind() == StateKind::Orthogonal {
                let why = "a transition of a `<parallel>` leaves all its regions";
                let instead = "make it external, or use a transition in the region";
                out.push(refused(
                    transition.span,
                    "a transition that stays in a state with regions",
                    why,
                    instead,
                ));
            }
            attributes.push(("type", "internal".to_owned()));
        }
        let mut content = Writer::at(depth + 1);
        self.content.actions(&transition.effect, &mut content, out);
        Arrow {
            hears,
            attributes,
            content: content.into_text(),
        }
    }

    /// EXEC-2: as given, else if all targets lie inside the source.
    fn is_local(&self, transition: &Transition, source: usize) -> bool {
        let inside = |name: &Name| match self.names.find(&name.value) {
            Some(ExportTarget::State(state)) => self.names.is_inside(state, source),
            Some(ExportTarget::History(owner)) => {
                owner == source || self.names.is_inside(owner, source)
            }
            None => false,
        };
        match &transition.kind {
            Some(kind) => kind.value == TransitionKind::Local,
            None => !transition.targets.is_empty() && transition.targets.iter().all(inside),
        }
    }
}

/// A list of events is one transition per event (LANG-1); what they share there is refused.
fn one_per_event(transition: &Transition) -> Vec<Transition> {
    let Trigger::Events(events) = &transition.trigger else {
        return vec![transition.clone()];
    };
    let of_event = |event: &Name| Transition {
        trigger: Trigger::Event(event.clone()),
        ..transition.clone()
    };
    events.value.iter().map(of_event).collect()
}

/// In a document a region is a state, so it must be one here, too.
fn check_region(region: &Region, out: &mut Diagnostics) {
    let live: Vec<&State> = region.states.iter().filter(|state| !state.muted).collect();
    let name = region.name.as_ref().map_or("", |name| name.value.as_str());
    let span = region.name.as_ref().map_or(region.span, |name| name.span);
    let [state] = live[..] else {
        let what = format!("the region `{name}` with {} states", live.len());
        let why = "a region is one state there; what is left and entered would be another";
        out.push(refused(
            span,
            what,
            why,
            "put the states of the region into one state",
        ));
        return;
    };
    if state.kind() == StateKind::Final {
        let what = format!("the region `{name}`, which is final from the start");
        out.push(refused(
            span,
            what,
            "a `<final>` cannot stand in a `<parallel>`",
            "put it into a state",
        ));
    }
    let Some(initial) = &region.initial else {
        return;
    };
    let enters_it =
        |target: &Name| target.value.rsplit('/').next() == Some(state.name.value.as_str());
    if !initial.effect.is_empty() || !initial.targets.iter().all(enters_it) {
        let why = "a region is one state there, and begins by itself";
        out.push(refused(
            initial.span,
            format!("how the region `{name}` begins"),
            why,
            "say it in the state inside",
        ));
    }
}
