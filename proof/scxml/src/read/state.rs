//! What stands in a state element.

use roxmltree::Node;

use super::Reader;
use super::xml::{attributes, elements, name, problem};
use crate::document::{Kind, State, Transition};

impl State {
    pub(super) fn new(id: String, kind: Kind, parent: Option<usize>) -> Self {
        let (children, histories, transitions, onentry, onexit) = Default::default();
        State {
            id,
            kind,
            parent,
            children,
            histories,
            initial: None,
            transitions,
            onentry,
            onexit,
        }
    }
}

impl Reader {
    pub(super) fn read_state(&mut self, node: Node) -> Result<(), String> {
        let number = self.numbers[&node.id()];
        self.check_attributes(node, self.states[number].kind)?;
        for child in elements(node)? {
            self.child(number, child)?;
        }
        match self.states[number].kind {
            Kind::Scxml | Kind::State => self.implied_initial(number, node),
            Kind::Parallel if self.states[number].children.is_empty() => {
                Err(problem(node, "a parallel needs states inside"))
            }
            kind if kind.is_history() && self.states[number].transitions.len() != 1 => {
                Err(problem(node, "a history needs one transition"))
            }
            _ => Ok(()),
        }
    }

    fn check_attributes(&self, node: Node, kind: Kind) -> Result<(), String> {
        match kind {
            Kind::Scxml => {
                attributes(
                    node,
                    &["initial", "name", "version", "datamodel", "binding"],
                )?;
                if node
                    .attribute("binding")
                    .is_some_and(|binding| binding != "early")
                {
                    return Err(problem(node, "late binding is not supported"));
                }
                Ok(())
            }
            Kind::State => attributes(node, &["id", "initial"]),
            Kind::Parallel | Kind::Final => attributes(node, &["id"]),
            Kind::ShallowHistory | Kind::DeepHistory => {
                attributes(node, &["id", "type"])?;
                match node.attribute("type") {
                    None | Some("shallow" | "deep") => Ok(()),
                    Some(_) => Err(problem(node, "`type` must be `shallow` or `deep`")),
                }
            }
        }
    }

    fn child(&mut self, number: usize, child: Node) -> Result<(), String> {
        let kind = self.states[number].kind;
        match (name(child)?, kind) {
            ("state" | "parallel" | "final" | "history", _) => Ok(()),
            ("datamodel", Kind::Scxml | Kind::State | Kind::Parallel) => Ok(()),
            ("onentry" | "onexit", Kind::State | Kind::Parallel | Kind::Final) => {
                attributes(child, &[])?;
                let block = self.block(child)?;
                let state = &mut self.states[number];
                if name(child)? == "onentry" {
                    &mut state.onentry
                } else {
                    &mut state.onexit
                }
                .push(block);
                Ok(())
            }
            ("transition", Kind::State | Kind::Parallel) => {
                let transition = self.transition(number, child)?;
                self.add_transition(number, transition);
                Ok(())
            }
            ("transition", kind) if kind.is_history() => {
                let transition = self.history_default(number, child)?;
                self.add_transition(number, transition);
                Ok(())
            }
            ("initial", Kind::State) => self.initial_element(number, child),
            _ => Err(problem(child, "this element is not supported here")),
        }
    }

    fn add_transition(&mut self, number: usize, transition: Transition) {
        self.states[number].transitions.push(self.transitions.len());
        self.transitions.push(transition);
    }

    fn initial_element(&mut self, number: usize, node: Node) -> Result<(), String> {
        attributes(node, &[])?;
        let inside = elements(node)?;
        let [only] = inside[..] else {
            return Err(problem(node, "`initial` holds one transition"));
        };
        if name(only)? != "transition" || self.states[number].initial.is_some() {
            return Err(problem(node, "there is one `initial` with one transition"));
        }
        let transition = self.initial_transition(number, only)?;
        self.set_initial(number, transition);
        Ok(())
    }

    /// The initial transition that an attribute gives, or else the first child in document order.
    fn implied_initial(&mut self, number: usize, node: Node) -> Result<(), String> {
        let children = &self.states[number].children;
        let named = node.attribute("initial");
        match (children.first(), named, self.states[number].initial) {
            (None, Some(_), _) => Err(problem(node, "`initial` without states inside")),
            (None, None, _) if number == 0 => Err(problem(node, "there are no states")),
            (None, None, Some(_)) => Err(problem(node, "`initial` without states inside")),
            (None, None, None) => Ok(()),
            (Some(_), Some(_), Some(_)) => Err(problem(node, "`initial` is there twice")),
            (Some(_), None, Some(_)) => Ok(()),
            (Some(&first), None, None) => {
                self.set_initial(
                    number,
                    Transition {
                        source: number,
                        target: vec![first],
                        ..Default::default()
                    },
                );
                Ok(())
            }
            (Some(_), Some(ids), None) => {
                let target = self.initial_targets(number, node, ids)?;
                self.set_initial(
                    number,
                    Transition {
                        source: number,
                        target,
                        ..Default::default()
                    },
                );
                Ok(())
            }
        }
    }

    fn set_initial(&mut self, number: usize, transition: Transition) {
        self.states[number].initial = Some(self.transitions.len());
        self.transitions.push(transition);
    }
}
