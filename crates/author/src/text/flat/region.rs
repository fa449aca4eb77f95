//! Owns the question which region of an orthogonal parent a child of the flat shape belongs to
//! (SW0013).

use std::collections::HashMap;

use super::Nodes;
use super::tree::Tree;
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::span::Name;
use crate::text::check::report;
use crate::text::extract::Reader;

/// The number of each state's region in its parent; 0 where the parent has none.
pub(super) fn assign(
    reader: &Reader,
    nodes: &Nodes,
    tree: &Tree,
    out: &mut Diagnostics,
) -> Vec<usize> {
    let mut regions = vec![0; nodes.list.len()];
    for parent in 0..nodes.list.len() {
        let names = RegionNames::of(reader, nodes, parent);
        for &child in &tree.children[parent] {
            regions[child] = names.region_of(reader, nodes, child, out);
        }
    }
    for &node in tree.root.iter().chain(&tree.top) {
        if let Some(region) = reader.name(nodes.list[node].object, "region") {
            no_regions(&region, "it is not inside another state", out);
        }
    }
    regions
}

/// The regions of one parent.
struct RegionNames<'n> {
    parent: &'n str,
    names: Vec<Name>,
    by_name: HashMap<String, usize>,
    /// A child that a region starts with is in that region.
    by_initial: HashMap<String, usize>,
}

impl<'n> RegionNames<'n> {
    fn of(reader: &Reader, nodes: &'n Nodes, parent: usize) -> Self {
        let objects = super::region_objects(reader, nodes.list[parent].object);
        let mut found = RegionNames {
            parent: nodes.name(parent),
            names: Vec::new(),
            by_name: HashMap::new(),
            by_initial: HashMap::new(),
        };
        for (at, (name, object)) in objects.into_iter().enumerate() {
            for target in reader
                .initial(object)
                .into_iter()
                .flat_map(|initial| initial.targets)
            {
                found.by_initial.entry(target.value).or_insert(at);
            }
            found.by_name.entry(name.value.clone()).or_insert(at);
            found.names.push(name);
        }
        found
    }

    fn region_of(
        &self,
        reader: &Reader,
        nodes: &Nodes,
        child: usize,
        out: &mut Diagnostics,
    ) -> usize {
        let node = &nodes.list[child];
        let stated = reader.name(node.object, "region");
        match stated {
            Some(region) if self.names.is_empty() => {
                no_regions(
                    &region,
                    &format!("its parent `{}` has no `regions`", self.parent),
                    out,
                );
            }
            Some(region) => match self.by_name.get(&region.value) {
                Some(&found) => return found,
                None => self.unknown(&region, out),
            },
            None if self.names.is_empty() => {}
            None => match self.by_initial.get(&node.name.value) {
                Some(&found) => return found,
                None => self.not_stated(&node.name, out),
            },
        }
        0
    }

    fn unknown(&self, region: &Name, out: &mut Diagnostics) {
        report(out, DiagnosticCode::UnknownRegion, region.span, |bare| {
            let message = format!(
                "the state `{}` has no region named `{}`",
                self.parent, region.value
            );
            let known: Vec<_> = self.names.iter().map(|name| name.value.as_str()).collect();
            let note = format!("its regions are {}", quoted(&known, ", "));
            Diagnostic { message, ..bare }
                .label("no such region")
                .suggest(&region.value, known)
                .note(note)
        });
    }

    fn not_stated(&self, child: &Name, out: &mut Diagnostics) {
        report(out, DiagnosticCode::RegionNotStated, child.span, |bare| {
            let known: Vec<_> = self.names.iter().map(|name| name.value.as_str()).collect();
            let fields: Vec<_> = known
                .iter()
                .map(|name| format!("`\"region\": \"{name}\"`"))
                .collect();
            let message = format!(
                "the state `{}` does not say which region of `{}` it is in",
                child.value, self.parent
            );
            let problem = Diagnostic { message, ..bare }
                .label("in which region?")
                .help(format!(
                    "add {} to the state `{}`",
                    fields.join(" or "),
                    child.value
                ));
            match self.names.first() {
                Some(first) => problem.related(first.span, format!("regions of `{}`", self.parent)),
                None => problem,
            }
        });
    }
}

fn no_regions(region: &Name, why: &str, out: &mut Diagnostics) {
    report(out, DiagnosticCode::UnknownRegion, region.span, |bare| {
        let message = format!(
            "the state cannot be in the region `{}`: {why}",
            region.value
        );
        Diagnostic { message, ..bare }
            .label("no such region")
            .help("leave `region` out, or add `regions` to the parent")
    });
}

fn quoted(names: &[&str], between: &str) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(between)
}
