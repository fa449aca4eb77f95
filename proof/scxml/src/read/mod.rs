//! From XML to a [`Document`]. The first problem ends it, with its place: `line:column: what is
//! wrong`.

mod content;
mod legal;
mod state;
mod transition;
mod xml;

use std::collections::HashMap;

use roxmltree::{Node, NodeId};

use crate::document::{Data, Document, Kind, State};
use crate::expression::{Expression, Names, Surroundings, Type, Value, parse};
use xml::{attributes, elements, kind_of, name, problem};

/// States may nest so deep.
const MOST_LEVELS: usize = 64;

impl Document {
    /// Reads the text of a document.
    ///
    /// # Errors
    ///
    /// If it is not XML, not SCXML, or uses something that this crate does not know; with line and
    /// column.
    pub fn parse(text: &str) -> Result<Document, String> {
        let xml = roxmltree::Document::parse(text).map_err(|error| error.to_string())?;
        let root = xml.root_element();
        if name(root)? != "scxml" {
            return Err(problem(root, "the outermost element must be `scxml`"));
        }
        let mut reader = Reader::default();
        reader.functions(root);
        reader.number_states(root)?;
        reader.data(root)?;
        let nodes: Vec<Node> = root
            .descendants()
            .filter(|node| kind_of(*node).is_some())
            .collect();
        for node in nodes {
            reader.read_state(node)?;
        }
        Ok(Document {
            states: reader.states,
            transitions: reader.transitions,
            data: reader.data,
        })
    }
}

#[derive(Default)]
struct Reader {
    states: Vec<State>,
    transitions: Vec<crate::document::Transition>,
    data: Vec<Data>,
    numbers: HashMap<NodeId, usize>,
    ids: HashMap<String, usize>,
    functions: HashMap<String, String>,
}

impl Reader {
    /// The functions that the document may call: `name`, or `name=its name outside`.
    fn functions(&mut self, root: Node) {
        let table = root
            .attribute(("urn:statewright", "functions"))
            .unwrap_or_default();
        for word in table.split_whitespace() {
            let (name, outside) = word.split_once('=').unwrap_or((word, word));
            self.functions.insert(name.to_string(), outside.to_string());
        }
    }

    /// Gives every state its place and its id, so that all else can refer to it.
    fn number_states(&mut self, root: Node) -> Result<(), String> {
        for node in root.descendants() {
            let Some(kind) = kind_of(node) else { continue };
            let number = self.states.len();
            let id = match node.attribute("id") {
                Some(id) if kind != Kind::Scxml => id.to_string(),
                _ => format!("(state {number})"),
            };
            if id.is_empty() || id.contains(char::is_whitespace) && node.has_attribute("id") {
                return Err(problem(node, "an id is one word"));
            }
            if self.ids.insert(id.clone(), number).is_some() {
                return Err(problem(node, &format!("the id `{id}` is used twice")));
            }
            let parent = self.enclosing(node, kind)?;
            self.numbers.insert(node.id(), number);
            self.add(State::new(id, kind, parent));
        }
        Ok(())
    }

    fn enclosing(&self, node: Node, kind: Kind) -> Result<Option<usize>, String> {
        if kind == Kind::Scxml {
            return Ok(None);
        }
        if node.ancestors().count() > MOST_LEVELS {
            return Err(problem(
                node,
                &format!("more than {MOST_LEVELS} levels of elements"),
            ));
        }
        let parent = node
            .parent()
            .and_then(|parent| self.numbers.get(&parent.id()).copied());
        let parent = parent.ok_or_else(|| problem(node, "a state stands in a state"))?;
        let fits = match self.states[parent].kind {
            Kind::Scxml => !kind.is_history(),
            Kind::State => true,
            Kind::Parallel => kind != Kind::Final,
            _ => false,
        };
        if fits {
            Ok(Some(parent))
        } else {
            Err(problem(node, "this kind of state cannot stand here"))
        }
    }

    fn add(&mut self, state: State) {
        let number = self.states.len();
        if let Some(parent) = state.parent {
            let parent = &mut self.states[parent];
            if state.kind.is_history() {
                &mut parent.histories
            } else {
                &mut parent.children
            }
            .push(number);
        }
        self.states.push(state);
    }

    /// Data of all states exist from the start.
    fn data(&mut self, root: Node) -> Result<(), String> {
        let models = root
            .descendants()
            .filter(|node| node.is_element() && node.tag_name().name() == "datamodel");
        for model in models {
            attributes(model, &[])?;
            for node in elements(model)? {
                if name(node)? != "data" {
                    return Err(problem(node, "a datamodel holds `data` only"));
                }
                let data = self.one_data(node)?;
                self.data.push(data);
            }
        }
        Ok(())
    }

    fn one_data(&self, node: Node) -> Result<Data, String> {
        attributes(node, &["id", "expr"])?;
        let id = node
            .attribute("id")
            .ok_or_else(|| problem(node, "`data` needs an id"))?;
        if self.variable(id).is_some() {
            return Err(problem(node, &format!("the data `{id}` is declared twice")));
        }
        let text = node.attribute("expr").or(node.text()).unwrap_or("");
        let (expression, _) = parse(text, self).map_err(|error| problem(node, &error))?;
        Ok(Data {
            id: id.to_string(),
            value: expression.evaluate(&Before(&self.data)),
        })
    }

    /// An expression of a given type.
    fn expression(&self, node: Node, text: &str, wanted: Type) -> Result<Expression, String> {
        let (expression, found) = parse(text, self).map_err(|error| problem(node, &error))?;
        if found == wanted {
            return Ok(expression);
        }
        Err(problem(
            node,
            &format!("`{text}` must be {wanted}, not {found}"),
        ))
    }
}

impl Names for Reader {
    fn variable(&self, name: &str) -> Option<(usize, Type)> {
        let found = self.data.iter().position(|data| data.id == name)?;
        Some((found, self.data[found].value.ty()))
    }

    fn function(&self, name: &str) -> Option<&str> {
        self.functions.get(name).map(String::as_str)
    }

    fn state(&self, id: &str) -> Option<usize> {
        self.ids
            .get(id)
            .copied()
            .filter(|&state| state != 0 && !self.states[state].kind.is_history())
    }
}

/// What the value of a data element can see: those before it.
struct Before<'d>(&'d [Data]);

impl Surroundings for Before<'_> {
    fn variable(&self, variable: usize) -> Value {
        self.0[variable].value.clone()
    }

    fn is_active(&self, _: usize) -> bool {
        false
    }
}
