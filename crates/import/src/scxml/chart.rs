//! The document as a chart: states, transitions, histories and their attributes; nothing is
//! translated yet.

use std::collections::{HashMap, HashSet};

use roxmltree::{Document, Node as Xml};
use statewright_author::diagnostic::Diagnostics;
use statewright_author::names::check_name;
use statewright_author::similar::closest;
use statewright_author::span::{Name, Span, Spanned};

use super::NAMESPACE;
use super::events::Descriptor;
use super::problem::{ignored, illegal, refused, too_large};
use super::script;
use super::xml::{attribute, elements, is_foreign, own_name, tag_span, words};
use crate::limits::MAX_SUGGESTIONS;
use crate::report::shown;

/// Deepest nesting of states, the root included (EXEC-9); one more is looked at, so that the
/// compiler can say where.
const MAX_STATE_DEPTH: usize = 40;

/// Most states of a machine (ROM-3); no more are looked at.
const MAX_STATES: usize = 65_534;

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// `<scxml>`, the first of all.
    Root,
    /// `<state>`.
    State,
    /// `<parallel>`.
    Parallel,
    /// `<final>`.
    Final,
}

/// Default entry, or the default of a history.
#[derive(Debug)]
pub(super) struct DefaultEntry<'d> {
    pub(super) targets: Vec<Name>,
    /// The `<transition>` with its content, if there is one.
    pub(super) content: Option<Xml<'d, 'd>>,
    pub(super) span: Span,
}

/// A `<history>`.
#[derive(Debug)]
pub(super) struct History<'d> {
    pub(super) name: Name,
    pub(super) deep: bool,
    pub(super) default: DefaultEntry<'d>,
}

/// A `<transition>`.
#[derive(Debug)]
pub(super) struct Arrow<'d> {
    pub(super) xml: Xml<'d, 'd>,
    pub(super) span: Span,
    /// Event descriptors; `None` without `event`.
    pub(super) events: Option<Vec<Spanned<String>>>,
    pub(super) condition: Option<Spanned<String>>,
    pub(super) targets: Vec<Name>,
    pub(super) internal: bool,
}

/// A state.
#[derive(Debug)]
pub(super) struct ElementNode<'d> {
    pub(super) xml: Xml<'d, 'd>,
    pub(super) kind: ElementKind,
    pub(super) name: Name,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    pub(super) initial: Option<DefaultEntry<'d>>,
    pub(super) histories: Vec<History<'d>>,
    /// `<onentry>` blocks.
    pub(super) entry: Vec<Xml<'d, 'd>>,
    /// `<onexit>` blocks.
    pub(super) exit: Vec<Xml<'d, 'd>>,
    pub(super) transitions: Vec<Arrow<'d>>,
    /// `<datamodel>` blocks.
    pub(super) data: Vec<Xml<'d, 'd>>,
}

/// What an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    State(usize),
    /// A history of a state.
    History(usize),
}

/// A document.
#[derive(Debug)]
pub(super) struct Chart<'d> {
    /// States in document order; the first is the root.
    pub(super) nodes: Vec<ElementNode<'d>>,
    pub(super) ids: HashMap<String, Named>,
}

impl Chart<'_> {
    /// Whether a state lies inside another, or is it.
    pub(super) fn is_inside(&self, state: usize, around: usize) -> bool {
        std::iter::successors(Some(state), |&state| self.nodes[state].parent)
            .any(|state| state == around)
    }

    /// Whether what an id names lies inside a state; a state does not lie inside itself.
    fn is_named_inside(&self, named: Named, around: usize) -> bool {
        match named {
            Named::State(state) => state != around && self.is_inside(state, around),
            Named::History(owner) => self.is_inside(owner, around),
        }
    }

    /// Ids of all histories.
    pub(super) fn histories(&self) -> HashSet<String> {
        let is_history = |named: &Named| matches!(named, Named::History(_));
        self.ids
            .iter()
            .filter(|(_, named)| is_history(named))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Whether a state has states inside.
    pub(super) fn is_compound(&self, state: usize) -> bool {
        self.nodes[state].kind != ElementKind::Parallel && !self.nodes[state].children.is_empty()
    }

    /// Whether a state can ever be complete.
    pub(super) fn can_complete(&self, state: usize) -> bool {
        let node = &self.nodes[state];
        let inside = |kind: ElementKind| {
            node.children
                .iter()
                .any(|&child| self.nodes[child].kind == kind)
        };
        match node.kind {
            ElementKind::Parallel => {
                !node.children.is_empty()
                    && node.children.iter().all(|&child| self.can_complete(child))
            }
            ElementKind::State => inside(ElementKind::Final),
            ElementKind::Root | ElementKind::Final => false,
        }
    }
}

/// Reads the chart; `None` if the document is something else.
pub(super) fn read<'d>(document: &'d Document<'d>, out: &mut Diagnostics) -> Option<Chart<'d>> {
    let root = document.root_element();
    let namespace = root.tag_name().namespace();
    if root.tag_name().name() != "scxml" || namespace.is_some_and(|space| space != NAMESPACE) {
        let message = match namespace {
            Some(other) if root.tag_name().name() == "scxml" => {
                format!(
                    "this `<scxml>` is of the namespace `{}`, which is not that of SCXML",
                    shown(other)
                )
            }
            _ => format!(
                "the document's element is `<{}>`, not `<scxml>`",
                shown(root.tag_name().name())
            ),
        };
        let help = format!(
            "an SCXML document begins with `<scxml xmlns=\"{NAMESPACE}\" version=\"1.0\">`"
        );
        out.push(illegal(tag_span(root), message).help(help));
        return None;
    }
    let mut reader = Reader {
        chart: Chart {
            nodes: Vec::new(),
            ids: HashMap::new(),
        },
        spans: HashMap::new(),
        elements: 0,
        is_full: false,
        out,
    };
    reader.header(root);
    reader.state(root, ElementKind::Root, None, 1);
    reader.check_targets();
    stray_texts(root, reader.out);
    Some(reader.chart)
}

/// Names texts that stand where none is read: somebody may have forgotten an element around them.
fn stray_texts(root: Xml<'_, '_>, out: &mut Diagnostics) {
    for text in root
        .descendants()
        .filter(|node| node.is_text() && !node.text().unwrap_or_default().trim().is_empty())
    {
        let Some(around) = text.parent().filter(|&around| !is_foreign(around)) else {
            continue;
        };
        let tag = around.tag_name().name();
        let is_read = match tag {
            // What is wrong with them has been said.
            "script" | "content" | "param" => true,
            "data" => attribute(around, "expr").is_none(),
            _ => false,
        };
        if !is_read {
            let problem = ignored(
                Span::bytes(text.range()),
                format!("a text in `<{}>`", shown(tag)),
            );
            out.push(match tag {
                "onentry" | "onexit" | "transition" => {
                    problem.help("what is to be done stands in elements")
                }
                _ => problem,
            });
        }
    }
}

struct Reader<'d, 'o> {
    chart: Chart<'d>,
    /// Where ids were given.
    spans: HashMap<String, Span>,
    /// States and histories so far.
    elements: usize,
    /// There are too many states, and that has been said.
    is_full: bool,
    out: &'o mut Diagnostics,
}

impl<'d> Reader<'d, '_> {
    fn header(&mut self, root: Xml<'d, 'd>) {
        self.attributes(
            root,
            &[
                "initial",
                "name",
                "version",
                "datamodel",
                "binding",
                "exmode",
            ],
        );
        if let Some(binding) = attribute(root, "binding")
            && binding.value == "late"
        {
            let why = "data would begin to exist when its state is first entered; here all of it exists from the start";
            self.out.push(refused(
                binding.span,
                "late binding of data",
                why,
                "remove `binding`, and assign in `<onentry>`",
            ));
        }
        if let Some(model) = attribute(root, "datamodel")
            && !matches!(model.value.as_str(), "null" | "ecmascript" | "")
        {
            let message = format!("the data model `{}`", shown(&model.value));
            let why =
                "expressions are read as the common part of ECMAScript and of this engine's own";
            self.out.push(refused(
                model.span,
                message,
                why,
                "write `datamodel=\"ecmascript\"` or `\"null\"`",
            ));
        }
    }

    /// Names attributes that nobody reads: they may be misspelled.
    fn attributes(&mut self, xml: Xml<'d, 'd>, known: &[&str]) {
        for attribute in xml
            .attributes()
            .filter(|attribute| attribute.namespace().is_none())
        {
            let name = attribute.name();
            if !known.contains(&name) {
                let message = format!(
                    "`<{}>` has no attribute `{}`",
                    xml.tag_name().name(),
                    shown(name)
                );
                let problem = ignored(Span::bytes(attribute.range()), message);
                self.out.push(problem.suggest(name, known.iter().copied()));
            }
        }
    }

    fn state(
        &mut self,
        xml: Xml<'d, 'd>,
        kind: ElementKind,
        parent: Option<usize>,
        depth: usize,
    ) -> Option<usize> {
        if depth > MAX_STATE_DEPTH {
            let message = format!("states are nested more than {MAX_STATE_DEPTH} deep");
            self.out.push(
                too_large(tag_span(xml), message).help("at most 16 levels fit, the root included"),
            );
            return None;
        }
        let index = self.chart.nodes.len();
        if index >= MAX_STATES {
            if !std::mem::replace(&mut self.is_full, true) {
                self.out.push(too_large(
                    tag_span(xml),
                    format!("the chart has more than {MAX_STATES} states"),
                ));
            }
            return None;
        }
        let name = if kind == ElementKind::Root {
            Spanned::default()
        } else {
            self.id(xml, Named::State(index))
        };
        self.chart.nodes.push(ElementNode {
            xml,
            kind,
            name,
            parent,
            children: Vec::new(),
            initial: None,
            histories: Vec::new(),
            entry: Vec::new(),
            exit: Vec::new(),
            transitions: Vec::new(),
            data: Vec::new(),
        });
        match kind {
            ElementKind::State => self.attributes(xml, &["id", "initial"]),
            ElementKind::Parallel | ElementKind::Final => self.attributes(xml, &["id"]),
            ElementKind::Root => {}
        }
        if matches!(kind, ElementKind::Root | ElementKind::State)
            && let Some(targets) = attribute(xml, "initial")
        {
            self.chart.nodes[index].initial = Some(DefaultEntry {
                targets: words(&targets),
                content: None,
                span: targets.span,
            });
        }
        for child in elements(xml) {
            self.child(child, kind, index, depth);
        }
        self.shape(xml, kind, index);
        Some(index)
    }

    /// What must hold of a state once its children are known.
    fn shape(&mut self, xml: Xml<'d, 'd>, kind: ElementKind, index: usize) {
        let node = &self.chart.nodes[index];
        let (children, has_initial) = (node.children.len(), node.initial.is_some());
        if kind == ElementKind::Root && children == 0 {
            self.out
                .push(illegal(tag_span(xml), "the chart has no states"));
        }
        if kind == ElementKind::State && children == 0 && has_initial {
            self.out.push(illegal(
                tag_span(xml),
                "a state without states inside has an initial one",
            ));
        }
        if kind == ElementKind::Parallel && children == 0 {
            let why = "there is nothing in it that could be active";
            let instead = "write `<state>` instead, or put a state into it";
            self.out.push(refused(
                tag_span(xml),
                "a `<parallel>` with nothing inside",
                why,
                instead,
            ));
        }
    }

    fn child(&mut self, xml: Xml<'d, 'd>, kind: ElementKind, index: usize, depth: usize) {
        if is_foreign(xml) {
            let message = format!(
                "`<{}>` belongs to another namespace",
                shown(xml.tag_name().name())
            );
            self.out.push(ignored(tag_span(xml), message));
            return;
        }
        let tag = xml.tag_name().name();
        let composite = matches!(
            kind,
            ElementKind::Root | ElementKind::State | ElementKind::Parallel
        );
        let node = |reader: &mut Self, of: ElementKind| {
            if let Some(child) = reader.state(xml, of, Some(index), depth + 1) {
                reader.chart.nodes[index].children.push(child);
            }
        };
        match tag {
            "state" if composite => node(self, ElementKind::State),
            "parallel" if composite => node(self, ElementKind::Parallel),
            "final" if matches!(kind, ElementKind::Root | ElementKind::State) => {
                node(self, ElementKind::Final)
            }
            "history" if matches!(kind, ElementKind::State | ElementKind::Parallel) => {
                self.history(xml, index)
            }
            "initial" if kind == ElementKind::State => self.initial(xml, index),
            "transition" if matches!(kind, ElementKind::State | ElementKind::Parallel) => {
                self.transition(xml, index)
            }
            "onentry" if kind != ElementKind::Root => self.chart.nodes[index].entry.push(xml),
            "onexit" if kind != ElementKind::Root => self.chart.nodes[index].exit.push(xml),
            "datamodel" if kind != ElementKind::Final => self.chart.nodes[index].data.push(xml),
            "script" if kind == ElementKind::Root => self.out.push(script::refused(tag_span(xml))),
            "donedata" if kind == ElementKind::Final => {
                let why = "the event that a completed state raises carries nothing here";
                self.out.push(refused(
                    tag_span(xml),
                    "`<donedata>`",
                    why,
                    "assign to data in `<onentry>` of the final state",
                ));
            }
            "invoke" if matches!(kind, ElementKind::State | ElementKind::Parallel) => {
                let why = "a machine does not start other sessions or services";
                let instead = "let the game start it from an action of `<onentry>` and send an event when it is done";
                self.out
                    .push(refused(tag_span(xml), "`<invoke>`", why, instead));
            }
            _ => {
                let around = self.chart.nodes[index].xml.tag_name().name();
                self.out.push(illegal(
                    tag_span(xml),
                    format!("`<{}>` cannot stand in `<{around}>`", shown(tag)),
                ));
            }
        }
    }

    /// The id of an element; one is made up if it has none, or one that another has.
    fn id(&mut self, xml: Xml<'d, 'd>, named: Named) -> Name {
        self.elements += 1;
        let made_up =
            |span: Span| Name::new(format!("{} {}", xml.tag_name().name(), self.elements), span);
        let Some(id) = attribute(xml, "id") else {
            return made_up(tag_span(xml));
        };
        let id = Name::new(id.value.trim().to_owned(), id.span);
        let problem = if let Err(problem) = check_name(&id.value) {
            illegal(id.span, problem)
        } else if id.value.contains(char::is_whitespace) {
            illegal(id.span, "an id is one word")
        } else if let Some(&first) = self.spans.get(&id.value) {
            illegal(
                id.span,
                format!("the id `{}` is given twice", shown(&id.value)),
            )
            .related(first, "given first here")
        } else {
            self.spans.insert(id.value.clone(), id.span);
            self.chart.ids.insert(id.value.clone(), named);
            return id;
        };
        let name = made_up(id.span);
        self.out.push(problem);
        name
    }

    fn initial(&mut self, xml: Xml<'d, 'd>, index: usize) {
        self.attributes(xml, &[]);
        if self.chart.nodes[index].initial.is_some() {
            self.out
                .push(illegal(tag_span(xml), "a state has two initial ones"));
            return;
        }
        let default = self.default(xml);
        self.chart.nodes[index].initial = Some(default);
    }

    fn history(&mut self, xml: Xml<'d, 'd>, index: usize) {
        self.attributes(xml, &["id", "type"]);
        let name = self.id(xml, Named::History(index));
        let kind = attribute(xml, "type");
        let deep = kind.as_ref().is_some_and(|kind| kind.value == "deep");
        if let Some(kind) = kind.filter(|kind| !matches!(kind.value.as_str(), "deep" | "shallow")) {
            self.out.push(illegal(
                kind.span,
                format!(
                    "a history is `shallow` or `deep`, not `{}`",
                    shown(&kind.value)
                ),
            ));
        }
        let default = self.default(xml);
        self.chart.nodes[index].histories.push(History {
            name,
            deep,
            default,
        });
    }

    /// The only `<transition>` of an `<initial>` or `<history>`.
    fn default(&mut self, xml: Xml<'d, 'd>) -> DefaultEntry<'d> {
        let (tag, span) = (xml.tag_name().name(), tag_span(xml));
        let mut transitions = elements(xml).filter(|&child| own_name(child) == "transition");
        let transition = transitions.next();
        for other in elements(xml).filter(|&child| Some(child) != transition) {
            let message = format!("`<{tag}>` has one `<transition>` and nothing else");
            self.out.push(illegal(tag_span(other), message));
        }
        let targets = transition.and_then(|transition| attribute(transition, "target"));
        let Some((transition, targets)) = transition.zip(targets) else {
            let message = format!("`<{tag}>` does not say where it leads");
            let help = "write `<transition target=\"…\"/>` in it";
            self.out.push(illegal(span, message).help(help));
            return DefaultEntry {
                targets: Vec::new(),
                content: None,
                span,
            };
        };
        for name in ["event", "cond"] {
            if let Some(found) = attribute(transition, name) {
                let message = format!("the transition of an `<{tag}>` cannot have `{name}`");
                self.out.push(illegal(found.span, message));
            }
        }
        DefaultEntry {
            targets: words(&targets),
            content: Some(transition),
            span: tag_span(transition),
        }
    }

    fn transition(&mut self, xml: Xml<'d, 'd>, index: usize) {
        self.attributes(xml, &["event", "cond", "target", "type"]);
        let events = attribute(xml, "event");
        let targets = attribute(xml, "target");
        for empty in [&events, &targets]
            .into_iter()
            .flatten()
            .filter(|list| list.value.trim().is_empty())
        {
            self.out
                .push(illegal(empty.span, "an empty list").help("leave the attribute out"));
        }
        let kind = attribute(xml, "type");
        let internal = kind.as_ref().is_some_and(|kind| kind.value == "internal");
        if let Some(kind) =
            kind.filter(|kind| !matches!(kind.value.as_str(), "internal" | "external"))
        {
            let message = format!(
                "a transition is `internal` or `external`, not `{}`",
                shown(&kind.value)
            );
            self.out.push(illegal(kind.span, message));
        }
        let events = events.map(|list| self.descriptors(&list));
        self.chart.nodes[index].transitions.push(Arrow {
            xml,
            span: tag_span(xml),
            events,
            condition: attribute(xml, "cond"),
            targets: targets.map_or_else(Vec::new, |list| words(&list)),
            internal,
        });
    }

    /// The event descriptors of a transition; those that match nothing are named and left out.
    fn descriptors(&mut self, list: &Spanned<String>) -> Vec<Spanned<String>> {
        let mut list = words(list);
        list.retain(|text| match Descriptor::read(&text.value).problem() {
            None => true,
            Some(problem) => {
                self.out.push(illegal(
                    text.span,
                    format!("`{}` matches no event: {problem}", shown(&text.value)),
                ));
                false
            }
        });
        list
    }

    /// Every target is an id of the document; those of default entries lie inside. A target that is
    /// not is named once and taken out.
    fn check_targets(&mut self) {
        let mut known: Vec<&str> = self.chart.ids.keys().map(String::as_str).collect();
        known.sort_unstable();
        let (mut missing, mut outside) = (Vec::new(), Vec::new());
        for (index, node) in self.chart.nodes.iter().enumerate() {
            missing.extend(
                node.transitions
                    .iter()
                    .flat_map(|arrow| &arrow.targets)
                    .filter(|name| !self.is_known(name)),
            );
            let defaults = node
                .initial
                .iter()
                .chain(node.histories.iter().map(|history| &history.default));
            for name in defaults.flat_map(|default| &default.targets) {
                match self.chart.ids.get(&name.value) {
                    None => missing.push(name),
                    Some(named) if !self.chart.is_named_inside(*named, index) => outside.push(name),
                    Some(_) => {}
                }
            }
        }
        let mut bad: HashSet<Span> = HashSet::new();
        let mut problems = Vec::new();
        for name in missing {
            bad.insert(name.span);
            let problem = illegal(
                name.span,
                format!("there is no state `{}`", shown(&name.value)),
            );
            // Every name is looked at, so it is offered only so often.
            let close = (problems.len() < MAX_SUGGESTIONS)
                .then(|| closest(&name.value, known.iter().copied()))
                .flatten();
            problems.push(match close {
                Some(close) => problem.help(format!("did you mean `{close}`?")),
                None => problem,
            });
        }
        for name in outside {
            bad.insert(name.span);
            problems.push(illegal(
                name.span,
                format!("`{}` does not lie inside this state", shown(&name.value)),
            ));
        }
        problems
            .into_iter()
            .for_each(|problem| self.out.push(problem));
        if !bad.is_empty() {
            self.take_out(&bad);
        }
    }

    fn is_known(&self, name: &Name) -> bool {
        self.chart.ids.contains_key(&name.value)
    }

    /// Takes targets out that have been named as wrong, so that the compiler does not name them
    /// again.
    fn take_out(&mut self, bad: &HashSet<Span>) {
        let keep = |name: &Name| !bad.contains(&name.span);
        for node in &mut self.chart.nodes {
            node.transitions
                .iter_mut()
                .for_each(|arrow| arrow.targets.retain(keep));
            node.histories
                .iter_mut()
                .for_each(|history| history.default.targets.retain(keep));
            if let Some(initial) = &mut node.initial {
                initial.targets.retain(keep);
            }
            node.initial.take_if(|initial| initial.targets.is_empty());
        }
    }
}
