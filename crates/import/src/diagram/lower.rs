//! Owns the step from a diagram to the author graph.

use std::collections::{HashMap, HashSet};

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{
    Branch, HistoryPoint, Initial, Machine, Region, State, Transition,
};
use statewright_author::names::check_name;
use statewright_author::span::{Name, Span};

use super::behavior::{Source, Words};
use super::label::label;
use super::{BoxKind, Diagram, Edge, End, Scope, part};
use crate::graphs::policies;
use crate::report::{ignored, illegal, refused, shown};

/// Where an arrow leads.
#[derive(Clone, Debug)]
enum Target {
    Node(usize),
    /// A history point that is written as a mark: owner and depth.
    Past(Option<usize>, bool),
    /// The end of a scope.
    Finish(Scope),
}

/// The machine of a diagram.
pub(crate) fn lower(mut diagram: Diagram, out: &mut Diagnostics) -> Machine {
    let span = diagram
        .nodes
        .first()
        .map_or(Span::default(), |node| node.id.span);
    let name = diagram
        .name
        .take()
        .filter(|name| check_name(&name.value).is_ok())
        .unwrap_or_default();
    let top = diagram.whole();
    let mut maker = Maker::new(diagram, top, out);
    maker.edges();
    let name = match top {
        Some(top) if name.value.is_empty() => maker.names[top].clone(),
        _ => name,
    };
    let root = maker.state(top);
    let root = State {
        name: Name::default(),
        ..root
    };
    let (events, timers) = (maker.words.events.declared(), maker.words.timers);
    let doc = root.doc.clone();
    let root = State { doc: None, ..root };
    Machine {
        name,
        doc,
        policies: policies(span),
        events,
        timers,
        root,
        ..Machine::default()
    }
}

impl Diagram {
    /// The box around everything, if there is one and nothing says where to start outside of it: it
    /// is the machine itself.
    fn whole(&self) -> Option<usize> {
        let mut top = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.scope.owner.is_none());
        let (only, node) = top.next()?;
        let starts = self.edges.iter().any(|edge| {
            edge.scope.owner.is_none()
                && (matches!(edge.from, End::Star(_)) || matches!(edge.to, End::Star(_)))
        });
        let has_inside = self
            .nodes
            .iter()
            .any(|inner| inner.scope.owner == Some(only));
        (top.next().is_none() && !starts && has_inside && node.kind == BoxKind::State)
            .then_some(only)
    }
}

struct Maker<'o> {
    diagram: Diagram,
    top: Option<usize>,
    out: &'o mut Diagnostics,
    words: Words,
    names: Vec<Name>,
    /// Names inside each box.
    taken: HashSet<(Option<usize>, String)>,
    /// Boxes that are history points, by the state they belong to.
    points: HashMap<Option<usize>, Vec<usize>>,
    uses: HashMap<String, usize>,
    children: HashMap<Scope, Vec<usize>>,
    regions: HashMap<Option<usize>, Vec<usize>>,
    initials: HashMap<Scope, Initial>,
    /// Transitions by source; `None` is the machine.
    transitions: HashMap<Option<usize>, Vec<Transition>>,
    branches: HashMap<usize, Vec<Branch>>,
    defaults: HashMap<(Option<usize>, bool), Vec<Name>>,
    past: HashSet<(Option<usize>, bool)>,
    node_defaults: HashMap<usize, Vec<Name>>,
    finals: HashSet<usize>,
    /// Final states that `[*]` stands for, by box and region.
    ends: HashMap<Option<usize>, HashMap<usize, Name>>,
}

impl<'o> Maker<'o> {
    fn new(diagram: Diagram, top: Option<usize>, out: &'o mut Diagnostics) -> Self {
        let mut made = Self {
            top,
            out,
            words: Words::default(),
            names: Vec::new(),
            taken: HashSet::new(),
            points: HashMap::new(),
            uses: HashMap::new(),
            children: HashMap::new(),
            regions: HashMap::new(),
            initials: HashMap::new(),
            transitions: HashMap::new(),
            branches: HashMap::new(),
            defaults: HashMap::new(),
            past: HashSet::new(),
            node_defaults: HashMap::new(),
            finals: HashSet::new(),
            ends: HashMap::new(),
            diagram,
        };
        made.name_all();
        made
    }

    /// Names: the text of a box if it can be one and is not taken beside it, else its id.
    fn name_all(&mut self) {
        let mut taken: HashSet<(Option<usize>, String)> = HashSet::new();
        let mut seen = HashSet::new();
        for at in 0..self.diagram.nodes.len() {
            self.history_of_picture(at);
            let node = &self.diagram.nodes[at];
            let owner = node.scope.owner;
            let label = node
                .label
                .as_ref()
                .map(|label| Name::new(label.value.clone(), label.span));
            let around = self.owner(node.scope);
            let free = |name: &Name| {
                check_name(&name.value).is_ok() && !taken.contains(&(around, name.value.clone()))
            };
            let name = label.filter(free).unwrap_or_else(|| node.id.clone());
            if !free(&name) {
                let reason = check_name(&name.value)
                    .err()
                    .unwrap_or_else(|| "the name is taken".into());
                let message = format!(
                    "`{}` cannot be the name of a state: {reason}",
                    shown(&name.value)
                );
                self.out
                    .push(refused(node.id.span, message).label("not a name"));
            }
            taken.insert((self.owner(node.scope), name.value.clone()));
            *self.uses.entry(name.value.clone()).or_default() += 1;
            self.names.push(name);
            if !matches!(node.kind, BoxKind::History { .. }) && Some(at) != self.top {
                self.children.entry(node.scope).or_default().push(at);
                if seen.insert(node.scope) {
                    self.regions
                        .entry(owner)
                        .or_default()
                        .push(node.scope.region);
                }
            } else if Some(at) != self.top {
                self.points.entry(around).or_default().push(at);
            }
        }
        self.taken = taken;
    }

    /// Pictures of machines in Mermaid show history points as boxes `H name` with the ids `h0`,
    /// `h1` and so on.
    fn history_of_picture(&mut self, at: usize) {
        let node = &mut self.diagram.nodes[at];
        let number = node
            .id
            .value
            .strip_prefix('h')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        let Some(label) = node.label.as_mut().filter(|_| number) else {
            return;
        };
        let (deep, name) = match (
            label.value.strip_prefix("H* "),
            label.value.strip_prefix("H "),
        ) {
            (Some(name), _) => (true, name.to_owned()),
            (None, Some(name)) => (false, name.to_owned()),
            _ => return,
        };
        node.kind = BoxKind::History { deep };
        label.value = name;
    }

    fn source(&self, node: Option<usize>) -> Source {
        let completes = node.is_some() && node != self.top && self.regions.contains_key(&node);
        let acts = node.is_some_and(|at| {
            self.diagram.nodes[at]
                .lines
                .iter()
                .any(|line| line.value.starts_with("do "))
        });
        Source { completes, acts }
    }

    /// Goes through all arrows.
    fn edges(&mut self) {
        let edges = std::mem::take(&mut self.diagram.edges);
        let leaves: HashSet<usize> = edges
            .iter()
            .filter_map(|edge| match (edge.from, edge.to) {
                (End::Node(from, _), End::Node(..) | End::Past { .. }) => Some(from),
                (End::Node(from, _), End::Star(_)) if edge.label.is_some() => Some(from),
                _ => None,
            })
            .collect();
        let mut last: Option<(Option<usize>, usize)> = None;
        for edge in &edges {
            if self.joins(edge, &mut last) {
                continue;
            }
            last = None;
            match (edge.from, edge.to) {
                (End::Star(_), End::Star(_)) => {
                    self.out.push(
                        illegal(edge.span, "an arrow from `[*]` to `[*]` leads nowhere")
                            .label("no state"),
                    );
                }
                (End::Star(_), _) => self.start(edge, &mut last),
                (End::Node(from, _), End::Star(_)) if self.is_end(from, edge, &leaves) => {
                    self.finals.insert(from);
                }
                (from, _) => self.leave(from, edge, &mut last),
            }
        }
    }

    /// An arrow without words from a plain state to `[*]`: the state is where it ends.
    fn is_end(&self, from: usize, edge: &Edge, leaves: &HashSet<usize>) -> bool {
        let node = &self.diagram.nodes[from];
        let same_box = node.scope == edge.scope
            || (self.top.is_some() && node.scope.owner == self.top && edge.scope.owner.is_none());
        let plain = edge.label.is_none()
            && !leaves.contains(&from)
            && node.kind == BoxKind::State
            && same_box;
        plain && !self.regions.contains_key(&Some(from))
    }

    /// A further target of the arrow before, as pictures write it: `with name`.
    fn joins(&mut self, edge: &Edge, last: &mut Option<(Option<usize>, usize)>) -> bool {
        let Some(first) = edge
            .label
            .as_ref()
            .and_then(|label| label.value.strip_prefix("with "))
        else {
            return false;
        };
        let first = first.rsplit('/').next().unwrap_or_default().to_owned();
        let target = self
            .target(edge.to, edge.scope)
            .and_then(|target| self.reference(&target, edge));
        let named = |targets: &[Name]| {
            targets
                .first()
                .is_some_and(|name| name.value.rsplit('/').next() == Some(&first))
        };
        if let End::Star(_) = edge.from
            && let Some(initial) = self
                .initials
                .get_mut(&edge.scope)
                .filter(|initial| named(&initial.targets))
        {
            initial.targets.extend(target);
            return true;
        }
        let Some((source, count)) = *last else {
            return false;
        };
        let Some(list) = self.transitions.get_mut(&source) else {
            return false;
        };
        let from = list.len().saturating_sub(count);
        let joined = &mut list[from..];
        if joined.is_empty() || !joined.iter().all(|transition| named(&transition.targets)) {
            return false;
        }
        joined
            .iter_mut()
            .for_each(|transition| transition.targets.extend(target.clone()));
        true
    }

    fn owner(&self, scope: Scope) -> Option<usize> {
        scope.owner.or(self.top)
    }

    /// `[*] --> a`: the first is where the region starts; a further one with words belongs to the
    /// state around.
    fn start(&mut self, edge: &Edge, last: &mut Option<(Option<usize>, usize)>) {
        let scope = Scope {
            owner: self.owner(edge.scope),
            ..edge.scope
        };
        let parts = edge.label.as_ref().map(label).unwrap_or_default();
        let has_words = parts.trigger.is_some() || parts.guard.is_some();
        if self.initials.contains_key(&scope) {
            if has_words {
                let owner = scope.owner;
                return self.transition(owner, edge, last);
            }
            let problem = illegal(edge.span, "a second arrow says where to start").label("again");
            let first = self.initials[&scope].span;
            self.out.push(
                problem
                    .related(first, "the first one")
                    .help("keep one of them"),
            );
            return;
        }
        if let Some(label) = edge.label.as_ref().filter(|_| has_words) {
            let problem = ignored(
                label.span,
                "the start has no event and no condition: these words are left out",
            );
            self.out.push(problem.label("has no effect"));
        }
        let Some(target) = self.target(edge.to, edge.scope) else {
            return;
        };
        let Some(name) = self.reference(&target, edge) else {
            return;
        };
        let effect = self.words.actions(&parts.effects, self.out);
        self.initials.insert(
            scope,
            Initial {
                targets: vec![name],
                effect,
                span: edge.span,
            },
        );
    }

    fn leave(&mut self, from: End, edge: &Edge, last: &mut Option<(Option<usize>, usize)>) {
        match from {
            End::Node(at, _) => match self.diagram.nodes[at].kind {
                BoxKind::Choice => self.branch(at, edge),
                BoxKind::History { .. } => {
                    let target = self
                        .target(edge.to, edge.scope)
                        .and_then(|target| self.reference(&target, edge));
                    self.node_defaults.entry(at).or_default().extend(target);
                    self.no_words_of_default(edge);
                }
                _ => self.transition(Some(at), edge, last),
            },
            End::Past { owner, deep, .. } => {
                let target = self
                    .target(edge.to, edge.scope)
                    .and_then(|target| self.reference(&target, edge));
                let owner = owner.or(self.top);
                self.past.insert((owner, deep));
                self.defaults
                    .entry((owner, deep))
                    .or_default()
                    .extend(target);
                self.no_words_of_default(edge);
            }
            End::Star(_) => {}
        }
    }

    fn no_words_of_default(&mut self, edge: &Edge) {
        if let Some(label) = edge.label.as_ref().filter(|label| label.value != "else") {
            let problem = ignored(
                label.span,
                "the default of a history point has no words: they are left out",
            );
            self.out.push(problem.label("has no effect"));
        }
    }

    fn transition(
        &mut self,
        source: Option<usize>,
        edge: &Edge,
        last: &mut Option<(Option<usize>, usize)>,
    ) {
        let Some(target) = self.target(edge.to, edge.scope) else {
            return;
        };
        let Some(name) = self.reference(&target, edge) else {
            return;
        };
        let source = if source == self.top { None } else { source };
        let known = self.source(source);
        let mut made = self
            .words
            .transitions(edge.label.as_ref(), known, edge.span, self.out);
        made.iter_mut()
            .for_each(|transition| transition.targets = vec![name.clone()]);
        *last = Some((source, made.len()));
        self.transitions.entry(source).or_default().extend(made);
    }

    fn branch(&mut self, choice: usize, edge: &Edge) {
        let parts = edge.label.as_ref().map(label).unwrap_or_default();
        let is_else = |name: &Name| name.value == "else";
        if let Some(trigger) = parts.trigger.as_ref().filter(|trigger| !is_else(trigger)) {
            let problem = refused(
                trigger.span,
                "a choice is left at once: its arrows have no events",
            );
            self.out.push(
                problem
                    .label("an event")
                    .help("write the condition in brackets: `[condition]`"),
            );
        }
        let guard = parts.guard.as_ref().filter(|guard| !is_else(guard));
        let guard = guard.and_then(|guard| self.words.guard(guard, self.out));
        let effect = self.words.actions(&parts.effects, self.out);
        let target = self
            .target(edge.to, edge.scope)
            .and_then(|target| self.reference(&target, edge));
        let targets = target.into_iter().collect();
        self.branches.entry(choice).or_default().push(Branch {
            guard,
            targets,
            effect,
            span: edge.span,
        });
    }

    fn target(&mut self, end: End, scope: Scope) -> Option<Target> {
        Some(match end {
            End::Node(at, _) => Target::Node(at),
            End::Past { owner, deep, .. } => Target::Past(owner.or(self.top), deep),
            End::Star(_) => Target::Finish(Scope {
                owner: self.owner(scope),
                ..scope
            }),
        })
    }

    /// How a reference to a target is written: its name if that is the only one, else its path.
    fn reference(&mut self, target: &Target, edge: &Edge) -> Option<Name> {
        let span = match edge.to {
            End::Node(_, span) | End::Star(span) | End::Past { span, .. } => span,
        };
        match target {
            Target::Node(at) if Some(*at) == self.top => {
                self.out.push(
                    refused(span, "the machine itself cannot be a target")
                        .label("the box around everything"),
                );
                None
            }
            Target::Node(at) => Some(Name::new(self.path(*at), span)),
            Target::Past(owner, deep) => {
                self.past.insert((*owner, *deep));
                let around = owner
                    .filter(|_| *owner != self.top)
                    .map_or(String::new(), |owner| self.full_path(owner));
                Some(Name::new(format!("{around}/{}", past_name(*deep)), span))
            }
            Target::Finish(scope) => {
                let name = self.end_of(*scope, span);
                let around = scope
                    .owner
                    .filter(|_| scope.owner != self.top)
                    .map_or(String::new(), |owner| self.full_path(owner));
                Some(Name::new(format!("{around}/{name}"), span))
            }
        }
    }

    /// The final state of a scope, made when it is first needed.
    fn end_of(&mut self, scope: Scope, span: Span) -> String {
        if let Some(name) = self
            .ends
            .get(&scope.owner)
            .and_then(|ends| ends.get(&scope.region))
        {
            return name.value.clone();
        }
        let free = |name: &String| !self.taken.contains(&(scope.owner, name.clone()));
        let numbered = (2..).map(|number| format!("end {number}"));
        let name = std::iter::once("end".to_owned())
            .chain(numbered)
            .find(free)
            .unwrap_or_default();
        self.taken.insert((scope.owner, name.clone()));
        self.ends
            .entry(scope.owner)
            .or_default()
            .insert(scope.region, Name::new(name.clone(), span));
        name
    }

    fn path(&self, at: usize) -> String {
        let name = &self.names[at].value;
        if self.uses.get(name) == Some(&1) && name != "root" {
            name.clone()
        } else {
            self.full_path(at)
        }
    }

    fn full_path(&self, at: usize) -> String {
        let mut parts = vec![self.names[at].value.as_str()];
        let mut around = self.diagram.nodes[at].scope.owner;
        while let Some(owner) = around.filter(|&owner| Some(owner) != self.top) {
            parts.push(&self.names[owner].value);
            around = self.diagram.nodes[owner].scope.owner;
        }
        parts.push("");
        parts.reverse();
        parts.join("/")
    }

    /// A state with everything inside; the depth of boxes is limited.
    fn state(&mut self, at: Option<usize>) -> State {
        let mut made = State::default();
        if let Some(node) = at {
            made.name = self.names[node].clone();
            made.span = self.diagram.nodes[node].id.span;
            let label = self.diagram.nodes[node]
                .label
                .as_ref()
                .map(|label| label.value.clone());
            made.doc = label.filter(|label| *label != made.name.value && at != self.top);
            let lines = std::mem::take(&mut self.diagram.nodes[node].lines);
            let source = Source {
                acts: lines.iter().any(|line| line.value.starts_with("do ")),
                ..self.source(at)
            };
            for line in &lines {
                if !self.far_line(at, line, source, &mut made) {
                    self.words.line(line, &mut made, source, self.out);
                }
            }
            let end =
                self.diagram.nodes[node].kind == BoxKind::Final || self.finals.contains(&node);
            made.is_final = end.then_some(made.span);
        }
        let key = if at == self.top { None } else { at };
        let mut transitions = self.transitions.remove(&key).unwrap_or_default();
        transitions.append(&mut made.transitions);
        made.transitions = transitions;
        if let Some(node) = at.filter(|&node| self.diagram.nodes[node].kind == BoxKind::Choice) {
            made.choice = Some(self.choice(node));
        }
        made.regions = self.regions_of(at);
        made.history = self.history_of(at);
        made
    }

    /// `words → path` in a box, as pictures write arrows that cannot be drawn.
    fn far_line(
        &mut self,
        at: Option<usize>,
        line: &Name,
        source: Source,
        made: &mut State,
    ) -> bool {
        const ARROW: &str = " \u{2192} ";
        let Some(arrow) = line.value.rfind(ARROW) else {
            return false;
        };
        let path = part(line, arrow + ARROW.len()..line.value.len());
        let target = Name::new(
            format!("/{}", path.value.trim_start_matches('/')),
            path.span,
        );
        let head = part(line, 0..arrow);
        let last = |name: &Name| name.value.rsplit('/').next().map(str::to_owned);
        if let Some((_, first)) = head.value.rsplit_once("with ") {
            let first = Some(first.rsplit('/').next().unwrap_or_default().to_owned());
            let defaults = [false, true]
                .map(|deep| (at, deep))
                .into_iter()
                .find(|key| self.past.contains(key));
            if let Some(before) = made
                .transitions
                .last_mut()
                .filter(|_| head.value.starts_with("with "))
                && before.targets.first().and_then(last) == first
            {
                before.targets.push(target);
                return true;
            }
            if let Some(list) = defaults.and_then(|key| self.defaults.get_mut(&key))
                && list.first().and_then(last) == first
            {
                list.push(target);
                return true;
            }
        }
        let default = [false, true]
            .map(|deep| (at, deep))
            .into_iter()
            .find(|key| self.past.contains(key));
        if let Some(key) = default.filter(|_| head.value.ends_with(" else")) {
            self.defaults.entry(key).or_default().push(target);
            return true;
        }
        let head = Some(head).filter(|head| !head.value.is_empty());
        for mut each in self
            .words
            .transitions(head.as_ref(), source, line.span, self.out)
        {
            each.targets = vec![target.clone()];
            made.transitions.push(each);
        }
        true
    }

    /// The branches of a choice, the one without a condition last.
    fn choice(&mut self, node: usize) -> Vec<Branch> {
        let mut branches = self.branches.remove(&node).unwrap_or_default();
        branches.sort_by_key(|branch| branch.guard.is_none());
        branches
    }

    fn regions_of(&mut self, at: Option<usize>) -> Vec<Region> {
        let mut numbers: Vec<usize> = self.regions.get(&at).cloned().unwrap_or_default();
        if at == self.top && at.is_some() {
            numbers.extend(self.regions.get(&None).into_iter().flatten());
        }
        numbers.extend(self.ends.get(&at).into_iter().flat_map(HashMap::keys));
        numbers.sort_unstable();
        numbers.dedup();
        let several = numbers.len() > 1;
        let made = numbers.into_iter().enumerate().map(|(number, region)| {
            let name =
                several.then(|| Name::new(format!("region {}", number + 1), Span::default()));
            self.region(Scope { owner: at, region }, name)
        });
        made.collect()
    }

    fn region(&mut self, scope: Scope, name: Option<Name>) -> Region {
        let children = self.children.remove(&scope).unwrap_or_default();
        let first = children
            .first()
            .map(|&child| (self.path(child), self.diagram.nodes[child].id.span));
        let alone = children.len() == 1;
        let mut states: Vec<State> = children
            .into_iter()
            .map(|child| self.state(Some(child)))
            .collect();
        if let Some(end) = self
            .ends
            .get(&scope.owner)
            .and_then(|ends| ends.get(&scope.region))
        {
            states.push(State {
                name: end.clone(),
                span: end.span,
                is_final: Some(end.span),
                ..State::default()
            });
        }
        let initial = self.initials.remove(&scope).or_else(|| {
            let (target, span) = first?;
            if !alone {
                let around = scope.owner.map_or_else(
                    || "the diagram".to_owned(),
                    |owner| format!("`{}`", shown(&self.names[owner].value)),
                );
                let problem = refused(span, format!("{around} does not say where it starts"))
                    .label("this one first?");
                self.out.push(problem.help(format!(
                    "add `[*] --> {}`",
                    shown(target.trim_start_matches('/'))
                )));
            }
            Some(Initial {
                targets: vec![Name::new(target, span)],
                effect: Vec::new(),
                span,
            })
        });
        let span = initial
            .as_ref()
            .map_or(Span::default(), |initial| initial.span);
        Region {
            name: name.map(|name| Name::new(name.value, span)),
            span,
            initial,
            states,
            ..Region::default()
        }
    }

    fn history_of(&mut self, at: Option<usize>) -> Vec<HistoryPoint> {
        let mut points = Vec::new();
        for node in self.points.remove(&at).unwrap_or_default() {
            let deep = self.diagram.nodes[node].kind == BoxKind::History { deep: true };
            let (name, span) = (self.names[node].clone(), self.diagram.nodes[node].id.span);
            let default = self.node_defaults.remove(&node).unwrap_or_default();
            points.push(HistoryPoint {
                name,
                deep,
                default,
                span,
                ..HistoryPoint::default()
            });
        }
        for deep in [false, true] {
            if self.past.contains(&(at, deep)) {
                let default = self.defaults.remove(&(at, deep)).unwrap_or_default();
                let name = Name::new(past_name(deep).to_owned(), Span::default());
                points.push(HistoryPoint {
                    name,
                    deep,
                    default,
                    ..HistoryPoint::default()
                });
            }
        }
        points
    }
}

/// The name of a history point that is only a mark.
fn past_name(deep: bool) -> &'static str {
    if deep { "deep history" } else { "history" }
}
