//! Owns what a target means: `#id`, `.child`, a sibling, or a path from there.

use statewright_author::diagnostic::Diagnostic;
use statewright_author::span::Name;

use super::tree::Tree;
use crate::report::{illegal, shown};

impl Tree<'_> {
    /// The state that a target names when it stands in `source`.
    pub(super) fn resolve(&self, source: usize, target: &Name) -> Result<usize, Box<Diagnostic>> {
        let text = target.value.as_str();
        if let Some(id) = text.strip_prefix('#') {
            return self
                .of_id(id)
                .ok_or_else(|| Box::new(self.unknown_id(target, id)));
        }
        if let Some(inner) = text.strip_prefix('.') {
            return self
                .walk(source, inner)
                .ok_or_else(|| Box::new(self.unknown(target, source, inner)));
        }
        let Some(parent) = self.nodes[source].parent else {
            let message = format!("`{}` is no target of the machine itself", shown(text));
            let problem = illegal(target.span, message).label("a sibling of the machine");
            return Err(Box::new(
                problem.help(format!("write `.{}` for the state inside", shown(text))),
            ));
        };
        self.walk(parent, text)
            .ok_or_else(|| Box::new(self.unknown(target, parent, text)))
    }

    /// An id, then the path behind it. The machine has its id, too.
    fn of_id(&self, id: &str) -> Option<usize> {
        if let Some(&exact) = self.by_id.get(id) {
            return Some(exact);
        }
        let (first, rest) = id.split_once('.')?;
        self.by_id
            .get(first)
            .and_then(|&start| self.walk(start, rest))
    }

    fn walk(&self, start: usize, path: &str) -> Option<usize> {
        path.split('.')
            .try_fold(start, |at, key| self.child(at, key))
    }

    fn unknown_id(&self, target: &Name, id: &str) -> Diagnostic {
        let problem =
            illegal(target.span, format!("no state has the id `{}`", shown(id))).label("not found");
        let mut ids: Vec<&str> = self.by_id.keys().map(String::as_str).collect();
        ids.sort_unstable();
        let problem = if self.may_suggest() {
            problem.suggest(id, ids)
        } else {
            problem
        };
        match problem.help {
            Some(_) => problem,
            None => problem.help("give the state an `id`, or name it by its key"),
        }
    }

    fn unknown(&self, target: &Name, around: usize, path: &str) -> Diagnostic {
        let inside = match around {
            0 => "the machine".to_owned(),
            index => format!("`{}`", self.nodes[index].key.value),
        };
        let message = format!("no state `{}` in {inside}", shown(path));
        let problem = illegal(target.span, message).label("not found");
        let siblings = self.nodes[around]
            .children
            .iter()
            .map(|&child| self.nodes[child].key.value.as_str());
        let problem = if self.may_suggest() {
            problem.suggest(path, siblings)
        } else {
            problem
        };
        match problem.help {
            Some(_) => problem,
            None => problem.help(
                "a target is a state beside the source, `.child` inside it, or `#id` anywhere",
            ),
        }
    }
}
