//! Transition elements, and what is asked of those of histories and initials.

use roxmltree::Node;

use super::Reader;
use super::xml::{attributes, problem};
use crate::document::{Descriptor, Kind, Transition};
use crate::expression::Type;

impl Reader {
    pub(super) fn transition(&self, source: usize, node: Node) -> Result<Transition, String> {
        attributes(node, &["event", "cond", "target", "type"])?;
        let event = node
            .attribute("event")
            .map(|event| descriptors(node, event))
            .transpose()?;
        let cond = node
            .attribute("cond")
            .map(|cond| self.expression(node, cond, Type::Boolean))
            .transpose()?;
        let target = match node.attribute("target") {
            Some(ids) => self.targets(node, ids)?,
            None => Vec::new(),
        };
        if event.is_none() && cond.is_none() && target.is_empty() {
            return Err(problem(
                node,
                "a transition needs an event, a condition or a target",
            ));
        }
        let internal = match node.attribute("type") {
            None | Some("external") => false,
            Some("internal") => true,
            Some(_) => return Err(problem(node, "`type` must be `external` or `internal`")),
        };
        Ok(Transition {
            source,
            event,
            cond,
            target,
            internal,
            content: self.block(node)?,
        })
    }

    pub(super) fn history_default(&self, history: usize, node: Node) -> Result<Transition, String> {
        attributes(node, &["target", "type"])?;
        let transition = self.transition(history, node)?;
        let parent = self.states[history].parent;
        let shallow = self.states[history].kind == Kind::ShallowHistory;
        let inside = transition
            .target
            .iter()
            .all(|&target| match (shallow, parent) {
                (true, _) => self.states[target].parent == parent,
                (false, Some(parent)) => self.is_inside(target, parent),
                (false, None) => false,
            });
        if transition.target.is_empty() || !inside {
            return Err(problem(
                node,
                "a history leads to children of its parent, a deep one to states inside it",
            ));
        }
        let sibling = |&target: &usize| {
            self.states[target].kind.is_history() && self.states[target].parent == parent
        };
        if transition.target.iter().any(sibling) {
            return Err(problem(
                node,
                "a history cannot lead to a history of the same state",
            ));
        }
        Ok(transition)
    }

    pub(super) fn initial_transition(
        &self,
        source: usize,
        node: Node,
    ) -> Result<Transition, String> {
        attributes(node, &["target", "type"])?;
        let ids = node
            .attribute("target")
            .ok_or_else(|| problem(node, "an initial transition needs a target"))?;
        let target = self.initial_targets(source, node, ids)?;
        Ok(Transition {
            source,
            target,
            content: self.block(node)?,
            ..Default::default()
        })
    }

    pub(super) fn initial_targets(
        &self,
        source: usize,
        node: Node,
        ids: &str,
    ) -> Result<Vec<usize>, String> {
        let target = self.targets(node, ids)?;
        if target.iter().all(|&target| self.is_inside(target, source)) {
            return Ok(target);
        }
        Err(problem(node, "`initial` must name states inside"))
    }
}

fn descriptors(node: Node, event: &str) -> Result<Vec<Descriptor>, String> {
    let all: Result<Vec<_>, _> = event
        .split_whitespace()
        .map(|word| descriptor(node, word))
        .collect();
    match all?.as_slice() {
        [] => Err(problem(node, "`event` names nothing")),
        some => Ok(some.to_vec()),
    }
}

/// `a.b`, `a.b.` and `a.b.*` mean the same.
fn descriptor(node: Node, word: &str) -> Result<Descriptor, String> {
    if word == "*" {
        return Ok(Descriptor { tokens: Vec::new() });
    }
    let prefix = word
        .strip_suffix(".*")
        .or(word.strip_suffix('.'))
        .unwrap_or(word);
    let tokens: Vec<String> = prefix.split('.').map(String::from).collect();
    if tokens
        .iter()
        .any(|token| token.is_empty() || token.contains('*'))
    {
        return Err(problem(node, &format!("`{word}` is no event descriptor")));
    }
    Ok(Descriptor { tokens })
}
