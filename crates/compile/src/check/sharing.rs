//! What states that are active together must not share: channels (an error), blackboard writes (a
//! warning) (CODE-7).

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;
use statewright_author::span::Span;

use crate::allocate::{PushConflicts, interfere};
use crate::index::{ChannelIndex, Index, KeyIndex, RegionIndex, StateIndex};
use crate::model::Model;

/// Two states that can be alive together must not own one channel.
pub fn check_channels(model: &Model<'_>, conflicts: &PushConflicts, diagnostics: &mut Diagnostics) {
    let mut owners: BTreeMap<ChannelIndex, Vec<(StateIndex, Span)>> = BTreeMap::new();
    for (state, resolved) in model.resolved.enumerate() {
        for &(channel, span) in &resolved.owns {
            owners.entry(channel).or_default().push((state, span));
        }
    }
    for (channel, owners) in owners {
        // The first conflict of a channel is enough to act on, and bounds the work.
        let mut pairs = owners
            .iter()
            .enumerate()
            .flat_map(|(n, a)| owners[..n].iter().map(move |b| (b, a)))
            .take(100_000);
        if let Some((a, b)) = pairs.find(|(a, b)| interfere(model, conflicts, a.0, b.0)) {
            let name = &model.machine.channels[channel.position()].name.value;
            let text = format!(
                "`{}` and `{}` can be active together, but both own channel `{name}`",
                model.tree.path(a.0),
                model.tree.path(b.0)
            );
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::ChannelConflict, b.1, text)
                    .label("owned here, too")
                    .related(a.1, "owned here")
                    .help("let only one of them own it, or use two channels"),
            );
        }
    }
}

/// Regions that write the same key: the order of regions decides who wins, which is rarely meant.
pub fn check_writers(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut writers: BTreeMap<(KeyIndex, StateIndex), (RegionIndex, Span)> = BTreeMap::new();
    let mut reported = BTreeSet::new();
    for &(key, state, span) in &model.usage.writes {
        let mut at = state;
        while let (Some(parent), Some(region)) =
            (model.tree.states[at].parent, model.tree.states[at].region)
        {
            if model.tree.states[parent].kind == StateKind::Orthogonal {
                let &mut (other, first) = writers.entry((key, parent)).or_insert((region, span));
                if other != region && reported.insert(key) {
                    let name = &model.machine.blackboard[key.position()].name.value;
                    let text = format!(
                        "two regions of `{}` write `{name}`",
                        model.tree.path(parent)
                    );
                    let problem = Diagnostic::new(DiagnosticCode::ConcurrentWriters, span, text);
                    let problem = if first == span {
                        problem.label("written by both, which share this code")
                    } else {
                        problem.label("written here").related(first, "and here")
                    };
                    diagnostics.push(
                        problem.help("let one region write it, or give each a key of its own"),
                    );
                }
            }
            at = parent;
        }
    }
}
