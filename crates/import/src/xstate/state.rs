//! Owns the step from the tree to the graph: states, regions, history points.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use statewright_author::graph::{Action, HistoryPoint, Initial, Meta, Region, State};
use statewright_author::span::Span;
use statewright_author::text::json;

use super::parallel::Heard;
use super::tree::NodeKind;
use super::{Reader, fields};
use crate::report::{ignored, illegal, shown};

impl Reader<'_, '_> {
    /// A state with everything inside; the depth of the tree is limited.
    pub(super) fn state(&mut self, index: usize) -> State {
        let tree = self.tree;
        let node = &tree.nodes[index];
        let inside = self.heard.len();
        let regions = self.regions(index);
        let entry = self.actions(self.field(index, "entry"));
        let exit = self.actions(self.field(index, "exit"));
        let own = self.transitions(index);
        let noted = Heard::list(index, &own);
        let transitions = if has_regions(&regions) {
            self.give_way(own, inside)
        } else {
            own
        };
        self.heard.extend(noted);
        State {
            name: node.key.clone(),
            span: node.span,
            doc: self
                .field(index, "description")
                .and_then(|text| self.name_of(text))
                .map(|text| text.value),
            is_final: (node.kind == NodeKind::Final).then_some(node.key.span),
            entry,
            exit,
            transitions,
            history: self.history(index),
            meta: self.meta(index),
            regions,
            ..State::default()
        }
    }

    fn regions(&mut self, index: usize) -> Vec<Region> {
        let states = self.tree.states_of(index);
        let node = &self.tree.nodes[index];
        if node.kind != NodeKind::Parallel || states.len() < 2 {
            if states.is_empty() {
                return Vec::new();
            }
            let initial = self.initial(index);
            let states = states.into_iter().map(|child| self.state(child)).collect();
            return vec![Region {
                span: node.span,
                initial,
                states,
                ..Region::default()
            }];
        }
        if let Some(property) = node.object.get("initial") {
            let span = json::span(property.name.range());
            self.out.push(ignored(
                span,
                "a parallel state starts in all of its states: `initial` is left out",
            ));
        }
        states.into_iter().map(|child| self.region(child)).collect()
    }

    /// Each child of a parallel state is alone in a region of its name.
    fn region(&mut self, child: usize) -> Region {
        let node = &self.tree.nodes[child];
        let target = self.tree.reference(child, node.key.span);
        Region {
            name: Some(node.key.clone()),
            span: node.span,
            initial: Some(Initial {
                targets: vec![target],
                effect: Vec::new(),
                span: node.key.span,
            }),
            states: vec![self.state(child)],
            ..Region::default()
        }
    }

    fn initial(&mut self, index: usize) -> Option<Initial> {
        let node = &self.tree.nodes[index];
        let Some(value) = self.field(index, "initial") else {
            if node.kind != NodeKind::Parallel {
                let span = if index == 0 {
                    super::call::whole(node.object)
                } else {
                    node.key.span
                };
                let first = self.tree.states_of(index)[0];
                let key = &self.tree.nodes[first].key.value;
                let problem = illegal(
                    opening(span, index),
                    "a state with states inside says where it starts",
                );
                self.out.push(
                    problem
                        .label("no `initial`")
                        .help(format!("add `\"initial\": \"{}\"`", shown(key))),
                );
            }
            return self.start(self.tree.initial_of(index)?, node.span, Vec::new());
        };
        let span = json::span(value.range());
        let (target, effect) = match value {
            Value::Object(full) => {
                fields::check(
                    full,
                    "`initial`",
                    |key| ["target", "actions"].contains(&key),
                    self.out,
                );
                let get = |key: &str| full.get(key).map(|property| &property.value);
                (
                    get("target").and_then(|target| self.name_of(target)),
                    self.actions(get("actions")),
                )
            }
            single => (self.name_of(single), Vec::new()),
        };
        let Some(target) = target else {
            self.out.push(fields::wrong_kind(
                value,
                "`initial`",
                "the key of a state inside",
            ));
            return None;
        };
        let key = target.value.trim_start_matches('.');
        let Some(child) = self
            .tree
            .child(index, key)
            .filter(|child| self.tree.states_of(index).contains(child))
        else {
            let message = format!(
                "`initial` names `{}`, which is no state inside",
                shown(&target.value)
            );
            let keys = self.tree.nodes[index]
                .children
                .iter()
                .map(|&child| self.tree.nodes[child].key.value.as_str());
            let problem = illegal(target.span, message).label("not found");
            self.out.push(if self.tree.may_suggest() {
                problem.suggest(key, keys)
            } else {
                problem
            });
            return self.start(self.tree.initial_of(index)?, span, effect);
        };
        self.start(child, target.span, effect)
    }

    fn start(&self, child: usize, span: Span, effect: Vec<Action>) -> Option<Initial> {
        Some(Initial {
            targets: vec![self.tree.reference(child, span)],
            effect,
            span,
        })
    }

    fn history(&mut self, index: usize) -> Vec<HistoryPoint> {
        let tree = self.tree;
        let mut points = Vec::new();
        for &child in &tree.nodes[index].children {
            let node = &tree.nodes[child];
            let NodeKind::History { deep } = node.kind else {
                continue;
            };
            let mut default = Vec::new();
            for name in self
                .field(child, "target")
                .and_then(|target| self.target_names(target))
                .unwrap_or_default()
            {
                match tree.resolve(child, &name) {
                    Ok(state) => default.push(tree.reference(state, name.span)),
                    Err(problem) => self.out.push(*problem),
                }
            }
            for key in [
                "on", "always", "after", "entry", "exit", "onDone", "initial",
            ] {
                if let Some(property) = node.object.get(key) {
                    let span = json::span(property.name.range());
                    self.out.push(
                        illegal(span, format!("a history state has no `{key}`")).label("not here"),
                    );
                }
            }
            let (name, span) = (node.key.clone(), node.span);
            points.push(HistoryPoint {
                name,
                deep,
                default,
                span,
                ..HistoryPoint::default()
            });
        }
        points
    }

    /// `meta`, with the tags in it.
    fn meta(&mut self, index: usize) -> Meta {
        let meta = self.field(index, "meta").map(json::to_json);
        let Some(tags) = self.field(index, "tags") else {
            return meta;
        };
        let tags = match json::to_json(tags) {
            serde_json::Value::String(one) => serde_json::json!([one]),
            several => several,
        };
        let mut map = match meta {
            Some(serde_json::Value::Object(map)) => map,
            Some(other) => serde_json::Map::from_iter([("meta".to_owned(), other)]),
            None => serde_json::Map::new(),
        };
        map.insert("tags".to_owned(), tags);
        Some(serde_json::Value::Object(map))
    }
}

/// The bracket of the machine instead of all of it.
fn opening(span: Span, index: usize) -> Span {
    if index == 0 { span.within(0..1) } else { span }
}

/// Whether several states can be active at once in these.
fn has_regions(regions: &[Region]) -> bool {
    regions.len() > 1
        || regions
            .iter()
            .flat_map(|region| &region.states)
            .any(|state| has_regions(&state.regions))
}
