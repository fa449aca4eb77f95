//! Follows a run by its log alone and holds its configurations against the XML: no state is entered
//! twice or left while inactive, a state is active with its parent, a compound has one active
//! child, a parallel all of them.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};
use statewright_scxml_oracle::Happening;

pub struct Active<'t> {
    document: Document<'t>,
    states: BTreeSet<String>,
}

impl<'t> Active<'t> {
    pub fn new(text: &'t str) -> Self {
        let document = Document::parse(text).unwrap();
        Active {
            document,
            states: BTreeSet::new(),
        }
    }

    pub fn follow(&mut self, log: &[Happening]) -> Result<(), String> {
        for happening in log {
            let changed = match happening {
                Happening::Enter(id) => self.states.insert(id.clone()),
                Happening::Exit(id) => self.states.remove(id),
                _ => true,
            };
            if !changed {
                return Err(format!("{happening:?} changes nothing"));
            }
        }
        Ok(())
    }

    pub fn check(&self, leaves: &[String]) -> Result<(), String> {
        let mut expected = Vec::new();
        for node in self.document.descendants().filter(|node| is_state(*node)) {
            let id = node.attribute("id").unwrap_or("");
            let children: Vec<Node> = node.children().filter(|child| is_state(*child)).collect();
            let active = children
                .iter()
                .filter(|child| self.is_active(**child))
                .count();
            let wanted = match (self.is_active(node), node.tag_name().name()) {
                (false, _) => 0,
                (true, "parallel") => children.len(),
                (true, _) => children.len().min(1),
            };
            if active != wanted {
                return Err(format!(
                    "{active} instead of {wanted} children of `{id}` are active in {:?}",
                    self.states
                ));
            }
            if self.is_active(node) && children.is_empty() {
                expected.push(id.to_string());
            }
        }
        if expected == leaves {
            Ok(())
        } else {
            Err(format!("{leaves:?} instead of {expected:?}"))
        }
    }

    fn is_active(&self, node: Node) -> bool {
        node.tag_name().name() == "scxml"
            || node
                .attribute("id")
                .is_some_and(|id| self.states.contains(id))
    }
}

fn is_state(node: Node) -> bool {
    matches!(
        node.tag_name().name(),
        "scxml" | "state" | "parallel" | "final"
    )
}
