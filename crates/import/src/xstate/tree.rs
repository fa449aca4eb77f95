//! Owns the tree of states: who is inside whom, and what each is.

use std::cell::Cell;
use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::names::check_name;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::text::json;

use super::fields;
use crate::limits::{MAX_DEPTH, MAX_REGIONS, MAX_SUGGESTIONS};
use crate::report::{illegal, limit, refused, shown};

/// What a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Atomic,
    Compound,
    Parallel,
    Final,
    History { deep: bool },
}

/// A state as it is written.
pub(super) struct ChartNode<'a> {
    pub(super) key: Name,
    pub(super) object: &'a Object<'a>,
    pub(super) parent: Option<usize>,
    pub(super) depth: usize,
    pub(super) children: Vec<usize>,
    pub(super) kind: NodeKind,
    pub(super) span: Span,
}

/// All states; the first is the machine itself.
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<ChartNode<'a>>,
    pub(super) by_id: HashMap<String, usize>,
    by_key: HashMap<(usize, String), usize>,
    uses: HashMap<String, usize>,
    suggestions: Cell<usize>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(text: &str, object: &'a Object<'a>, out: &mut Diagnostics) -> Self {
        let (nodes, by_id) = (Vec::new(), HashMap::new());
        let mut tree = Self {
            nodes,
            by_id,
            by_key: HashMap::new(),
            uses: HashMap::new(),
            suggestions: Cell::new(0),
        };
        tree.add(
            text,
            Name::default(),
            json::span(object.range()),
            object,
            None,
            out,
        );
        tree
    }

    /// Adds a state with everything inside. Brackets nest only so deep, so this does, too.
    fn add(
        &mut self,
        text: &str,
        key: Name,
        span: Span,
        object: &'a Object<'a>,
        parent: Option<usize>,
        out: &mut Diagnostics,
    ) {
        let index = self.nodes.len();
        let depth = parent.map_or(0, |parent| self.nodes[parent].depth + 1);
        let mut fits = true;
        if let Some(parent) = parent {
            fits = self.register(index, &key, parent, out);
        }
        if depth > MAX_DEPTH {
            out.push(
                limit(
                    key.span,
                    format!("states are nested more than {MAX_DEPTH} deep"),
                )
                .label("too deep"),
            );
            return;
        }
        if !fits {
            return;
        }
        fields::state(object, parent.is_none(), out);
        let kind = kind(text, object, out);
        self.nodes.push(ChartNode {
            key,
            object,
            parent,
            depth,
            children: Vec::new(),
            kind,
            span,
        });
        if let Some(parent) = parent {
            self.nodes[parent].children.push(index);
        }
        self.register_id(text, index, object, out);
        let Some(states) = object.get("states") else {
            return;
        };
        let Value::Object(map) = &states.value else {
            out.push(fields::wrong_kind(
                &states.value,
                "`states`",
                "an object with a state under each name",
            ));
            return;
        };
        if kind == NodeKind::Parallel && map.properties.len() > MAX_REGIONS {
            let message = format!(
                "a parallel state has {} states; at most {MAX_REGIONS} are read",
                map.properties.len()
            );
            out.push(limit(json::span(states.name.range()), message).label("too many at once"));
            self.nodes[index].kind = NodeKind::Compound;
        }
        for property in &map.properties {
            let key = key_name(text, property);
            match &property.value {
                Value::Object(inner) => self.add(
                    text,
                    key,
                    json::span(property.range()),
                    inner,
                    Some(index),
                    out,
                ),
                other => out.push(fields::wrong_kind(other, "a state", "an object")),
            }
        }
    }

    /// Notes the key of a state; false if it cannot be a name.
    fn register(&mut self, index: usize, key: &Name, parent: usize, out: &mut Diagnostics) -> bool {
        if let Err(reason) = check_name(&key.value) {
            let message = format!(
                "`{}` cannot be the name of a state: {reason}",
                shown(&key.value)
            );
            out.push(
                refused(key.span, message)
                    .label("not a name")
                    .help("rename it in the chart"),
            );
            return false;
        }
        if let Some(&first) = self.by_key.get(&(parent, key.value.clone())) {
            let problem =
                illegal(key.span, format!("state `{}` is given twice", key.value)).label("again");
            out.push(problem.related(self.nodes[first].key.span, "first given here"));
            return false;
        }
        self.by_key.insert((parent, key.value.clone()), index);
        *self.uses.entry(key.value.clone()).or_default() += 1;
        true
    }

    fn register_id(&mut self, text: &str, index: usize, object: &Object, out: &mut Diagnostics) {
        let Some(id) = object.get("id") else { return };
        let Some(literal) = id.value.as_string_lit() else {
            out.push(fields::wrong_kind(&id.value, "`id`", "text"));
            return;
        };
        let id: String = literal.value.clone().into_owned();
        if let Some(&first) = self.by_id.get(&id) {
            let span = json::string_span(text, literal);
            let problem =
                illegal(span, format!("two states have the id `{}`", shown(&id))).label("again");
            out.push(
                problem
                    .related(self.nodes[first].span, "first given here")
                    .help("ids are unique in a machine"),
            );
            return;
        }
        self.by_id.insert(id, index);
    }

    /// Whether one more name may be suggested.
    pub(super) fn may_suggest(&self) -> bool {
        self.suggestions.replace(self.suggestions.get() + 1) < MAX_SUGGESTIONS
    }

    pub(super) fn child(&self, parent: usize, key: &str) -> Option<usize> {
        self.by_key
            .get(&(parent, key.to_owned()))
            .copied()
            .filter(|&index| index < self.nodes.len())
    }

    /// Whether `inner` lies inside `outer`, at any depth.
    pub(super) fn is_inside(&self, inner: usize, outer: usize) -> bool {
        let mut at = self.nodes[inner].parent;
        while let Some(parent) = at {
            if parent == outer {
                return true;
            }
            at = self.nodes[parent].parent;
        }
        false
    }

    /// The children that are states, without history.
    pub(super) fn states_of(&self, index: usize) -> Vec<usize> {
        let is_state = |&child: &usize| !matches!(self.nodes[child].kind, NodeKind::History { .. });
        self.nodes[index]
            .children
            .iter()
            .copied()
            .filter(is_state)
            .collect()
    }

    /// How a reference to a state is written: its name if that is the only one, else its path.
    pub(super) fn reference(&self, index: usize, span: Span) -> Name {
        let key = &self.nodes[index].key.value;
        if self.uses.get(key) == Some(&1) && key != "root" {
            return Spanned::new(key.clone(), span);
        }
        let mut parts = vec![key.as_str()];
        let mut at = self.nodes[index].parent;
        while let Some(parent) = at.filter(|&parent| parent != 0) {
            parts.push(&self.nodes[parent].key.value);
            at = self.nodes[parent].parent;
        }
        parts.push("");
        parts.reverse();
        Spanned::new(parts.join("/"), span)
    }

    /// Where a compound state starts: its child of the field `initial`, or the first one.
    pub(super) fn initial_of(&self, index: usize) -> Option<usize> {
        let given = self.nodes[index]
            .object
            .get("initial")
            .map(|property| &property.value);
        let key = match given {
            Some(Value::Object(full)) => full
                .get("target")
                .and_then(|target| target.value.as_string_lit()),
            Some(value) => value.as_string_lit(),
            None => None,
        };
        key.and_then(|key| self.child(index, &key.value))
            .or_else(|| self.states_of(index).first().copied())
    }
}

/// The key of a property with its span.
pub(super) fn key_name(text: &str, property: &ObjectProp) -> Name {
    let span = match &property.name {
        ObjectPropName::String(literal) => json::string_span(text, literal),
        ObjectPropName::Word(word) => json::span(word.range),
    };
    Spanned::new(property.name.as_str().to_owned(), span)
}

/// What a state is, by its type or by what it has.
fn kind(text: &str, object: &Object, out: &mut Diagnostics) -> NodeKind {
    let inside = object
        .get("states")
        .and_then(|states| states.value.as_object())
        .is_some_and(|map| !map.properties.is_empty());
    let natural = if inside {
        NodeKind::Compound
    } else {
        NodeKind::Atomic
    };
    let Some(given) = object.get("type") else {
        return if object.get("history").is_some() {
            history(object, out)
        } else {
            natural
        };
    };
    let Some(word) = given.value.as_string_lit() else {
        out.push(fields::wrong_kind(&given.value, "`type`", "text"));
        return natural;
    };
    let span = json::string_span(text, word);
    let contradiction = |reason: &str| illegal(span, reason.to_owned()).label("does not fit");
    match (word.value.as_ref(), inside) {
        ("atomic", false) | ("compound", true) => natural,
        ("parallel", true) => NodeKind::Parallel,
        ("final", false) => NodeKind::Final,
        ("history", false) => history(object, out),
        ("compound" | "parallel", false) => {
            out.push(
                contradiction("such a state needs `states`")
                    .help("add states, or leave `type` out"),
            );
            natural
        }
        ("atomic" | "final" | "history", true) => {
            out.push(
                contradiction("such a state has no `states`")
                    .help("remove `type` or the states inside"),
            );
            natural
        }
        (other, _) => {
            let words = ["atomic", "compound", "parallel", "final", "history"];
            out.push(
                contradiction(&format!("no type of state is called `{}`", shown(other)))
                    .suggest(other, words),
            );
            natural
        }
    }
}

fn history(object: &Object, out: &mut Diagnostics) -> NodeKind {
    let Some(given) = object.get("history") else {
        return NodeKind::History { deep: false };
    };
    match &given.value {
        Value::StringLit(word) if word.value == "deep" => NodeKind::History { deep: true },
        Value::StringLit(word) if word.value == "shallow" => NodeKind::History { deep: false },
        Value::BooleanLit(truth) if truth.value => NodeKind::History { deep: false },
        other => {
            out.push(fields::wrong_kind(
                other,
                "`history`",
                "\"shallow\" or \"deep\"",
            ));
            NodeKind::History { deep: false }
        }
    }
}
