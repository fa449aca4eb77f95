//! What states that are active together must not share: channels (an error), blackboard writes and
//! lanes where the last one wins (warnings) (CODE-7, CMD-1).

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;
use statewright_author::span::Span;
use statewright_rom::layout::{LaneKey, MergeRule};

use crate::allocate::{PushConflicts, interfere};
use crate::index::{ChannelIndex, Index, KeyIndex, LaneIndex, RegionIndex, StateIndex};
use crate::lanes::{lane_name, lane_rule};
use crate::model::{EmitUse, Model};

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

/// Regions that can write to one lane for one event, where the last one wins: the order of regions
/// decides what remains, and what the others want is lost (CMD-1).
pub fn check_commands(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    type Writers<'m> = BTreeMap<(LaneIndex, StateIndex), Vec<(RegionIndex, &'m EmitUse)>>;
    // More of one lane and state say nothing new, and the work stays bounded.
    const MOST_COMPARED: usize = 64;
    let (mut writers, mut reported) = (Writers::new(), BTreeSet::new());
    for emit in &model.usage.emits {
        let rule = lane_rule(model.machine, emit.lane);
        if rule.merge.get() != MergeRule::LastWriterWins {
            continue;
        }
        let by_name = rule.key.get() == LaneKey::Name;
        let meets = |other: &EmitUse| {
            let (a, b) = (emit.trigger, other.trigger);
            let together = a == b || a.is_none() || b.is_none();
            together && (!by_name || emit.command == other.command)
        };
        let mut at = emit.writer;
        while let (Some(parent), Some(region)) =
            (model.tree.states[at].parent, model.tree.states[at].region)
        {
            if model.tree.states[parent].kind == StateKind::Orthogonal {
                let known = writers.entry((emit.lane, parent)).or_default();
                let rival = known
                    .iter()
                    .find(|(other, earlier)| *other != region && meets(earlier));
                if let Some(&(_, earlier)) = rival
                    && reported.insert(emit.lane)
                {
                    diagnostics.push(lost_commands(model, parent, emit, earlier));
                }
                if known.len() < MOST_COMPARED {
                    known.push((region, emit));
                }
            }
            at = parent;
        }
    }
}

fn lost_commands(
    model: &Model<'_>,
    parent: StateIndex,
    emit: &EmitUse,
    earlier: &EmitUse,
) -> Diagnostic {
    let lane = lane_name(model.machine, emit.lane);
    let text = format!(
        "two regions of `{}` can write to lane `{lane}` at once, where the last one wins",
        model.tree.path(parent)
    );
    let problem = Diagnostic::new(DiagnosticCode::ConcurrentCommands, emit.span, text);
    let problem = written_by(model, problem, earlier.span);
    problem.help(format!(
        "let one region write it, or give each a lane of its own; commands of other names remain with `\"{lane}\": {{ \"key\": \"name\" }}` under `\"lanes\"`"
    ))
}

/// Shows both places, or the one that a set or a part used twice gives to both. That of a part is
/// shown with both uses: whoever tells where a part is used knows of one.
fn written_by(model: &Model<'_>, problem: Diagnostic, first: Span) -> Diagnostic {
    let source = &model.machine.source;
    if !source.show_the_same(first, problem.span) {
        return problem.label("written here").related(first, "and here");
    }
    let problem = problem.label("written by both, which share this code");
    match source.use_apart(first, problem.span) {
        Some(other_use) => problem.related(other_use, "used here, too"),
        None => problem,
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
                    let problem = written_by(model, problem, first);
                    let is_part = model.machine.source.part_at(span).is_some();
                    let how = match is_part {
                        true => format!(": `\"map\": {{ \"{name}\": \"…\" }}` beside `use`"),
                        false => String::new(),
                    };
                    diagnostics.push(problem.help(format!(
                        "let one region write it, or give each a key of its own{how}"
                    )));
                }
            }
            at = parent;
        }
    }
}
