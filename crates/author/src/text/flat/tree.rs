//! Owns the links between parents and children of the flat shape, and the choice of the root
//! (SW0014).

use std::collections::VecDeque;

use jsonc_parser::ast::Object;

use super::Nodes;
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::{Name, Span};
use crate::text::check::{opening, report};
use crate::text::extract::Reader;

/// Deepest tree that is built, well beyond what the compiler accepts: a list has no brackets to
/// count.
const MAX_DEPTH: usize = 32;

/// Who is whose child.
pub(super) struct Tree {
    /// Children of each state, in order.
    pub(super) children: Vec<Vec<usize>>,
    /// Parent of each state, and where it says so.
    pub(super) parent: Vec<Option<(usize, Span)>>,
    /// The state that is the root; none if the root is implied.
    pub(super) root: Option<usize>,
    /// States directly below an implied root.
    pub(super) top: Vec<usize>,
}

/// Links the states. The result is a tree whatever the file says; what had to be cut is reported.
pub(super) fn link(
    reader: &Reader,
    machine: &Object,
    nodes: &Nodes,
    out: &mut Diagnostics,
) -> Tree {
    let count = nodes.list.len();
    let mut tree = Tree {
        children: vec![Vec::new(); count],
        parent: vec![None; count],
        root: None,
        top: Vec::new(),
    };
    for (at, node) in nodes.list.iter().enumerate() {
        for name in reader.names(node.object, "children") {
            tree.adopt(at, &name, reader, nodes, out);
        }
    }
    let mut orphans: Vec<usize> = (0..count)
        .filter(|&node| tree.parent[node].is_none())
        .collect();
    let circles = tree.break_circles(&orphans, nodes, out);
    tree.choose_root(reader, machine, nodes, &mut orphans, out);
    for node in circles {
        tree.adopt_stray(node);
    }
    tree
}

impl Tree {
    fn adopt(
        &mut self,
        parent: usize,
        name: &Name,
        reader: &Reader,
        nodes: &Nodes,
        out: &mut Diagnostics,
    ) {
        let Some(child) = nodes.find(&name.value) else {
            return nodes.unknown(name, out, || to_add(reader, nodes, parent, &name.value));
        };
        match self.parent[child] {
            None => {
                self.parent[child] = Some((parent, name.span));
                self.children[parent].push(child);
            }
            Some((other, first)) => report(out, DiagnosticCode::FlatTree, name.span, |bare| {
                let parents = match other == parent {
                    true => format!("twice a child of `{}`", nodes.name(parent)),
                    false => format!(
                        "a child of `{}` and of `{}`",
                        nodes.name(other),
                        nodes.name(parent)
                    ),
                };
                Diagnostic {
                    message: format!("the state `{}` is {parents}", name.value),
                    ..bare
                }
                .label("listed again")
                .related(first, "first listed here")
                .help("list every state in the `children` of one state")
            }),
        }
    }

    /// Cuts every circle at its first state and gives these back.
    fn break_circles(
        &mut self,
        orphans: &[usize],
        nodes: &Nodes,
        out: &mut Diagnostics,
    ) -> Vec<usize> {
        let mut seen = vec![false; nodes.list.len()];
        self.mark(orphans, &mut seen);
        let mut cut = Vec::new();
        for node in 0..nodes.list.len() {
            if seen[node] {
                continue;
            }
            let member = self.on_circle(node);
            self.report_circle(member, nodes, out);
            if let Some((parent, _)) = self.parent[member].take() {
                self.children[parent].retain(|&child| child != member);
            }
            self.mark(&[member], &mut seen);
            cut.push(member);
        }
        cut
    }

    /// Marks everything below some states.
    fn mark(&self, from: &[usize], seen: &mut [bool]) {
        let mut queue: VecDeque<usize> = from.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            seen[node] = true;
            queue.extend(
                self.children[node]
                    .iter()
                    .copied()
                    .filter(|&child| !seen[child]),
            );
        }
    }

    /// The first state, in the order of the list, of the circle that a state without a way to the
    /// top leads to.
    fn on_circle(&self, from: usize) -> usize {
        let up = |node: usize| self.parent[node].map_or(node, |(parent, _)| parent);
        let (mut slow, mut fast) = (up(from), up(up(from)));
        while slow != fast {
            slow = up(slow);
            fast = up(up(fast));
        }
        let (start, mut first) = (slow, slow);
        slow = up(slow);
        while slow != start {
            first = first.min(slow);
            slow = up(slow);
        }
        first
    }

    fn report_circle(&self, member: usize, nodes: &Nodes, out: &mut Diagnostics) {
        const MOST_SHOWN: usize = 8;
        let Some((_, span)) = self.parent[member] else {
            return;
        };
        report(out, DiagnosticCode::FlatTree, span, |bare| {
            let mut names = vec![format!("`{}`", nodes.name(member))];
            let mut at = member;
            while let Some((parent, _)) = self.parent[at] {
                names.push(format!("`{}`", nodes.name(parent)));
                at = parent;
                if parent == member || names.len() > MOST_SHOWN {
                    break;
                }
            }
            let message = format!(
                "states contain each other in a circle: {}",
                names.join(" in ")
            );
            Diagnostic { message, ..bare }
                .label("closes the circle")
                .help("take it out of these `children`")
        });
    }

    fn choose_root(
        &mut self,
        reader: &Reader,
        machine: &Object,
        nodes: &Nodes,
        orphans: &mut Vec<usize>,
        out: &mut Diagnostics,
    ) {
        let initial = reader.initial(machine);
        let named = |node: usize| {
            initial.as_ref().is_some_and(|initial| {
                initial
                    .targets
                    .iter()
                    .any(|to| to.value == nodes.name(node))
            })
        };
        match orphans[..] {
            [only] if !named(only) => self.root = Some(only),
            _ if initial.is_some() => self.top = std::mem::take(orphans),
            _ => self.no_root(machine, nodes, orphans, out),
        }
    }

    /// Several states are nobody's child, or none is.
    fn no_root(
        &mut self,
        machine: &Object,
        nodes: &Nodes,
        orphans: &[usize],
        out: &mut Diagnostics,
    ) {
        let mut parents = orphans
            .iter()
            .copied()
            .filter(|&node| !self.children[node].is_empty());
        if let (Some(root), None) = (parents.next(), parents.next()) {
            self.root = Some(root);
            for &node in orphans.iter().filter(|&&node| node != root) {
                self.nobodys_child(node, root, nodes, out);
                self.children[root].push(node);
            }
            return;
        }
        self.top = orphans.to_vec();
        report(out, DiagnosticCode::FlatTree, opening(machine), |bare| {
            let names: Vec<_> = orphans
                .iter()
                .take(8)
                .map(|&node| format!("`{}`", nodes.name(node)))
                .collect();
            let (message, first) = match orphans.first() {
                Some(&first) => (
                    format!("several states are nobody's child: {}", names.join(", ")),
                    nodes.name(first),
                ),
                None => ("no state is the root".to_owned(), "idle"),
            };
            let help = format!(
                "say where the machine starts, such as `\"initial\": \"{first}\"`, or add a root state with `\"children\"`"
            );
            Diagnostic { message, ..bare }
                .label("has no root")
                .help(help)
        });
    }

    fn nobodys_child(&self, node: usize, root: usize, nodes: &Nodes, out: &mut Diagnostics) {
        let name = &nodes.list[node].name;
        report(out, DiagnosticCode::FlatTree, name.span, |bare| {
            let message = format!("the state `{}` is nobody's child", name.value);
            let help = format!(
                "add `\"{}\"` to the `children` of `{}` or of another state",
                name.value,
                nodes.name(root)
            );
            Diagnostic { message, ..bare }
                .label("in no `children`")
                .help(help)
        });
    }

    /// Keeps a state that was cut off in the machine.
    fn adopt_stray(&mut self, node: usize) {
        match self.root {
            Some(root) => self.children[root].push(node),
            None => self.top.push(node),
        }
    }

    /// Drops what is nested beyond any use, so that nothing recurses without bound (SW0203).
    pub(super) fn cut_too_deep(&mut self, nodes: &Nodes, out: &mut Diagnostics) {
        let mut level: Vec<usize> = self
            .root
            .into_iter()
            .chain(self.top.iter().copied())
            .collect();
        for _ in 0..MAX_DEPTH {
            level = level
                .iter()
                .flat_map(|&node| self.children[node].iter().copied())
                .collect();
        }
        for node in level {
            if self.children[node].is_empty() {
                continue;
            }
            self.children[node].clear();
            report(
                out,
                DiagnosticCode::TooDeep,
                nodes.list[node].name.span,
                |bare| {
                    let message = format!("states are nested more than {MAX_DEPTH} deep");
                    Diagnostic { message, ..bare }.label("what is inside is left out")
                },
            );
        }
    }
}

/// What to add for a child that does not exist, with its region if the parent has several.
fn to_add(reader: &Reader, nodes: &Nodes, parent: usize, name: &str) -> String {
    let regions = super::region_objects(reader, nodes.list[parent].object);
    let starts_with = |region: &Object| {
        reader
            .initial(region)
            .is_some_and(|initial| initial.targets.iter().any(|target| target.value == name))
    };
    let region = regions.iter().find(|(_, object)| starts_with(object));
    match (region, regions.first()) {
        (Some((region, _)), _) => {
            format!(
                "add `{{ \"id\": \"{name}\", \"region\": \"{}\" }}` to `states`",
                region.value
            )
        }
        (None, Some((region, _))) => {
            format!(
                "add `{{ \"id\": \"{name}\", \"region\": \"{}\" }}` (or another region) to `states`",
                region.value
            )
        }
        (None, None) => format!("add `{{ \"id\": \"{name}\" }}` to `states`"),
    }
}
