//! From the chart to the author graph.

use std::path::Path;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{
    Budgets, Event, HistoryPoint, Initial, Lane, Machine, Policies, Region, State, Transition,
    TransitionKind, Trigger,
};
use statewright_author::names::check_name;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{MergeRule, Tier};

use super::chart::{Arrow, Chart, DefaultEntry, ElementKind, Named};
use super::content::Content;
use super::events::{Classes, Descriptor, Events};
use super::functions::{Callable, Functions};
use super::problem::too_large;
use super::sends::Sends;
use super::xml::{attribute, elements, tag_span};
use super::{LOG_LANE, TICK_RATE, data};

/// Events and microsteps of a tick: a whole macrostep runs in one (EVT-10).
const MACROSTEP: u32 = 256;
/// Most transitions of a machine (ROM-3).
const MAX_TRANSITIONS: usize = 65_534;

/// Most that copies of transitions may hold: actions, targets and pieces of conditions.
const MAX_COPIED: usize = 1 << 19;
/// So many bytes of a condition count as one.
const CONDITION_PIECE: usize = 64;

/// Builds the machine.
pub(super) fn machine(
    file: &str,
    chart: &Chart<'_>,
    functions: &Functions,
    out: &mut Diagnostics,
) -> Machine {
    let functions = Callable::read(chart.nodes[0].xml, functions, out);
    let histories = chart.histories();
    let data = data::read(chart, &functions, &histories, out);
    let sends = Sends::read(chart);
    let events = classes(chart);
    let root = &chart.nodes[0];
    let start = tag_span(root.xml);
    let on = || Some(Spanned::new(true, start));
    let content = Content {
        document: root.xml.document().input_text(),
        data: &data,
        functions: &functions,
        histories: &histories,
        sends: &sends,
        out,
        logs: false,
        posts: false,
        depth: 0,
    };
    let mut builder = Builder {
        chart,
        events: &events,
        content,
        transitions: 0,
        copied: 0,
        has_timers: !sends.timers.is_empty(),
    };
    let state = builder.state(0);
    let (logs, posts) = (builder.content.logs, builder.content.posts);
    functions.report_unused(builder.content.out);
    let completes = (0..chart.nodes.len()).any(|state| chart.can_complete(state));
    let strict = Spanned::new(MergeRule::StrictOrder, start);
    let lane = Lane {
        name: Name::new(LOG_LANE.to_owned(), start),
        merge: Some(strict),
        ..Lane::default()
    };
    Machine {
        name: machine_name(file, chart),
        // What is raised waits in the queue, whose overflow would be an error (EVT-10).
        tier: (posts || completes).then(|| Spanned::new(Tier::Hero, start)),
        tick_rate: Some(Spanned::new(TICK_RATE, start)),
        policies: Policies {
            reverse_exit_order: on(),
            internal_first: on(),
            done_events: on(),
            scxml_details: on(),
            ..Policies::default()
        },
        budgets: Budgets {
            events_per_tick: Some(Spanned::new(MACROSTEP, start)),
            ..Budgets::default()
        },
        events: events
            .names
            .into_iter()
            .map(|name| Event {
                name,
                ..Event::default()
            })
            .collect(),
        blackboard: data.keys.clone(),
        lanes: if logs { vec![lane] } else { Vec::new() },
        timers: sends.timers.clone(),
        root: state,
        ..Machine::default()
    }
}

/// The chart's name, or the file's.
fn machine_name(file: &str, chart: &Chart<'_>) -> Name {
    let root = chart.nodes[0].xml;
    let given = attribute(root, "name").filter(|name| check_name(&name.value).is_ok());
    given.unwrap_or_else(|| {
        let stem = Path::new(file)
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let name = if check_name(&stem).is_ok() {
            stem
        } else {
            "chart".to_owned()
        };
        Name::new(name, tag_span(root))
    })
}

/// All events that the machine must tell apart.
fn classes(chart: &Chart<'_>) -> Events {
    let mut classes = Classes::default();
    for arrow in chart.nodes.iter().flat_map(|node| &node.transitions) {
        classes.listen(arrow.events.as_deref().unwrap_or_default());
    }
    for xml in chart.nodes[0]
        .xml
        .descendants()
        .filter(|xml| matches!(xml.tag_name().name(), "raise" | "send"))
    {
        if let Some(event) =
            attribute(xml, "event").filter(|event| check_name(&event.value).is_ok())
        {
            classes.add(&event.value, event.span);
        }
    }
    for state in (0..chart.nodes.len()).filter(|&state| chart.can_complete(state)) {
        let name = &chart.nodes[state].name;
        classes.add_if_heard(&format!("done.state.{}", name.value), name.span);
    }
    classes.finish()
}

struct Builder<'a, 'd> {
    chart: &'a Chart<'d>,
    events: &'a Events,
    content: Content<'a>,
    /// How many were made.
    transitions: usize,
    /// What copies of them hold.
    copied: usize,
    has_timers: bool,
}

impl Builder<'_, '_> {
    fn state(&mut self, index: usize) -> State {
        let chart = self.chart;
        let node = &chart.nodes[index];
        let span = Span::bytes(node.xml.range());
        let entry = self.content.blocks(&node.entry);
        let exit = self.content.blocks(&node.exit);
        let history = node.histories.iter().map(|history| HistoryPoint {
            name: history.name.clone(),
            deep: history.deep,
            default: history.default.targets.clone(),
            effect: self.default_content(&history.default),
            span: history.name.span,
            ..HistoryPoint::default()
        });
        let history = history.collect();
        let transitions = node
            .transitions
            .iter()
            .flat_map(|arrow| self.transition(index, arrow))
            .collect();
        State {
            name: node.name.clone(),
            span,
            is_final: (node.kind == ElementKind::Final).then(|| tag_span(node.xml)),
            regions: self.regions(index),
            history,
            entry,
            exit,
            transitions,
            ..State::default()
        }
    }

    fn default_content(
        &mut self,
        default: &DefaultEntry<'_>,
    ) -> Vec<statewright_author::graph::Action> {
        default
            .content
            .map(|xml| self.content.actions(xml))
            .unwrap_or_default()
    }

    /// One region for all children, or one for each child of a parallel.
    fn regions(&mut self, index: usize) -> Vec<Region> {
        let chart = self.chart;
        let node = &chart.nodes[index];
        let span = tag_span(node.xml);
        // A single child is a region, too: the name makes the state an orthogonal one.
        if node.kind == ElementKind::Parallel {
            let region = |&child: &usize| {
                let name = chart.nodes[child].name.clone();
                let initial = Initial {
                    targets: vec![name.clone()],
                    effect: Vec::new(),
                    span: name.span,
                };
                let states = vec![self.state(child)];
                Region {
                    span: name.span,
                    name: Some(name),
                    initial: Some(initial),
                    states,
                    ..Region::default()
                }
            };
            return node.children.iter().map(region).collect();
        }
        let Some(&first) = node.children.first() else {
            return Vec::new();
        };
        let initial = match &node.initial {
            Some(given) => {
                let effect = self.default_content(given);
                Initial {
                    targets: given.targets.clone(),
                    effect,
                    span: given.span,
                }
            }
            None => Initial {
                targets: vec![chart.nodes[first].name.clone()],
                effect: Vec::new(),
                span,
            },
        };
        let states = node
            .children
            .iter()
            .map(|&child| self.state(child))
            .collect();
        vec![Region {
            span,
            initial: Some(initial),
            states,
            ..Region::default()
        }]
    }

    /// A transition for every class of events that its descriptors match.
    fn transition(&mut self, source: usize, arrow: &Arrow<'_>) -> Vec<Transition> {
        if self.transitions > MAX_TRANSITIONS || self.copied > MAX_COPIED {
            return Vec::new();
        }
        let triggers = self.triggers(arrow);
        self.transitions += triggers.len();
        self.copied += triggers.len().saturating_sub(1) * size(arrow);
        if self.transitions > MAX_TRANSITIONS || self.copied > MAX_COPIED {
            let message = match self.transitions > MAX_TRANSITIONS {
                true => format!("the chart needs more than {MAX_TRANSITIONS} transitions"),
                false => "the transitions of the chart hold too many actions".to_owned(),
            };
            let problem = too_large(arrow.span, message)
                .note("there is one for each event that a descriptor matches");
            self.content
                .out
                .push(problem.help("use fewer prefixes and wildcards"));
            return Vec::new();
        }
        let condition = arrow
            .condition
            .as_ref()
            .map(|text| self.content.condition(text));
        let effect = self.content.actions(arrow.xml);
        // An unreadable condition has been reported; a transition without it would be another one.
        let guard = match condition {
            Some(None) => return Vec::new(),
            Some(Some(code)) if code.value == "true" => None,
            Some(code) => code,
            None => None,
        };
        let transition = Transition {
            span: arrow.span,
            targets: arrow.targets.clone(),
            kind: self.kind(source, arrow),
            guard,
            effect,
            ..Transition::default()
        };
        triggers
            .into_iter()
            .map(|trigger| Transition {
                trigger,
                ..transition.clone()
            })
            .collect()
    }

    fn triggers(&self, arrow: &Arrow<'_>) -> Vec<Trigger> {
        let Some(list) = &arrow.events else {
            return vec![Trigger::Always(arrow.span)];
        };
        let descriptors: Vec<Descriptor> = list
            .iter()
            .map(|text| Descriptor::read(&text.value))
            .collect();
        let span = list.first().map_or(arrow.span, |first| first.span);
        // `any` hears everything but timers, which stand for events here.
        if !self.has_timers && descriptors.iter().any(Descriptor::is_any) {
            return vec![Trigger::Any(span)];
        }
        self.events
            .heard(&descriptors)
            .map(|event| Trigger::Event(Name::new(event.value.clone(), span)))
            .collect()
    }

    /// `internal` keeps a compound source if all targets lie inside it (EXEC-2); everything else
    /// with a target leaves its source.
    fn kind(&self, source: usize, arrow: &Arrow<'_>) -> Option<Spanned<TransitionKind>> {
        let chart = self.chart;
        let inside = |name: &Name| match chart.ids.get(&name.value) {
            Some(&Named::State(state)) => state != source && chart.is_inside(state, source),
            // What a history of a state around remembers may lie inside; that is seen at run time.
            Some(&Named::History(owner)) => {
                chart.is_inside(owner, source) || chart.is_inside(source, owner)
            }
            None => false,
        };
        let local = arrow.internal && chart.is_compound(source) && arrow.targets.iter().all(inside);
        let kind = match arrow.targets.is_empty() {
            true => TransitionKind::Internal,
            false if local => TransitionKind::Local,
            false => TransitionKind::External,
        };
        // One without a target need not say so, unless it does nothing but take its event, which is
        // meant.
        let says = !arrow.targets.is_empty()
            || (arrow.events.is_some() && elements(arrow.xml).next().is_none());
        says.then(|| Spanned::new(kind, arrow.span))
    }
}

/// What a copy of a transition holds.
fn size(arrow: &Arrow<'_>) -> usize {
    let condition = arrow
        .condition
        .as_ref()
        .map_or(0, |text| text.value.len() / CONDITION_PIECE);
    arrow.xml.descendants().count() + arrow.targets.len() + condition
}
