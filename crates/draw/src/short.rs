//! States in expressions by a short name: `in(hold)`, as it is mostly written, instead of
//! `in(alive/combat/hold)`, as a ROM is read. A name that several states have keeps as much of its
//! path as tells them apart.

use std::collections::BTreeMap;

use crate::chart::Chart;
use crate::words::Label;

/// Shortens all expressions of a chart.
pub(crate) fn shorten(chart: &mut Chart) {
    let names = names(chart);
    let regions = chart.regions.iter_mut().flat_map(|one| &mut one.effects);
    regions.for_each(|text| shorten_text(text, &names));
    for state in &mut chart.states {
        let lines = state.lines.iter_mut();
        lines.for_each(|text| shorten_text(text, &names));
        let branches = state.branches.iter_mut();
        branches.for_each(|branch| shorten_label(&mut branch.label, &names));
    }
    for transition in &mut chart.transitions {
        shorten_label(&mut transition.label, &names);
    }
}

fn shorten_label(label: &mut Label, names: &BTreeMap<String, String>) {
    let texts = label.effects.iter_mut().chain(&mut label.marks);
    texts
        .chain(&mut label.guard)
        .for_each(|text| shorten_text(text, names));
}

/// Replaces each path in parentheses.
fn shorten_text(text: &mut String, names: &BTreeMap<String, String>) {
    if !text.contains('/') {
        return;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(open) = rest.find('(') {
        let (before, inside) = rest.split_at(open + 1);
        out.push_str(before);
        let found = inside.find(')').and_then(|end| {
            let name = names.get(&inside[..end])?;
            Some((name, end))
        });
        rest = match found {
            Some((name, end)) => {
                out.push_str(name);
                &inside[end..]
            }
            None => inside,
        };
    }
    out.push_str(rest);
    *text = out;
}

/// The shortest end of each path that no other path has.
fn names(chart: &Chart) -> BTreeMap<String, String> {
    let mut owners: BTreeMap<&str, usize> = BTreeMap::new();
    for state in &chart.states {
        ends(&state.path).for_each(|end| *owners.entry(end).or_default() += 1);
    }
    let nested = chart.states.iter().filter(|state| state.path.contains('/'));
    nested
        .map(|state| {
            let short = ends(&state.path).find(|end| owners[end] == 1);
            (state.path.clone(), short.unwrap_or(&state.path).to_owned())
        })
        .collect()
}

/// The ends of a path, shortest first: `c`, `b/c`, `a/b/c`.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    let starts = path.rmatch_indices('/').map(|(at, _)| at + 1);
    starts.chain([0]).map(|start| &path[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_paths_are_shortened() {
        let names = BTreeMap::from([
            ("a/b".to_owned(), "b".to_owned()),
            ("x/y/c".to_owned(), "y/c".to_owned()),
        ]);
        let short = |text: &str| {
            let mut text = text.to_owned();
            shorten_text(&mut text, &names);
            text
        };
        assert_eq!(short("in(a/b) && !in(x/y/c)"), "in(b) && !in(y/c)");
        assert_eq!(
            short("in(a/b/c) || Near(a / b)"),
            "in(a/b/c) || Near(a / b)"
        );
        assert_eq!(short("Say('(a/b') && (in(a/b)"), "Say('(a/b') && (in(b)");
        assert_eq!(ends("a/b/c").collect::<Vec<_>>(), ["c", "b/c", "a/b/c"]);
    }
}
