//! What is drawn as a line and what is written in a box, before anything has a place.
//!
//! Comes in: a chart. Goes out: links, each with the region that it crosses at its widest, and the
//! lines of text of each state. Transitions between the same two ends share one link. What cannot
//! be a line (a transition that leads nowhere, one between two regions of one state, most of them
//! in a region with hundreds) is written in the box of its source.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::chart::{Chart, Kind, Node};
use crate::metrics::{SMALL, width, wrap};
use crate::words::Label;

/// Widest label of a line.
const LABEL_WIDTH: f64 = 130.0;
/// Widest text in a box.
const BOX_WIDTH: f64 = 220.0;
/// A region with more links than this shows only those by which its states are first reached.
const MOST_LINKS: usize = 300;
/// With more states than this as well it shows only where it starts: even a tree would be wider
/// than any screen.
const MOST_STATES: usize = 150;

/// One end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum End {
    State(usize),
    /// The dot where a region starts.
    Dot(usize),
    History(usize),
    /// Transitions that several states have.
    Shared(usize),
}

/// Something with a place of its own in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Item {
    State(usize),
    Dot,
    Shared(usize),
}

/// How a link lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// From one item of a region to another, or into them.
    Between(usize),
    /// From the state around a region to something inside.
    Inward(usize),
    /// From something inside a region to the state around it.
    Outward(usize),
    /// From a state to itself.
    Loop(usize),
}

/// A line of a label, and the transitions it belongs to: several if several states share it.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(crate) text: String,
    pub(crate) transitions: Vec<usize>,
    /// Goes on from the line before.
    pub(crate) is_more: bool,
    /// Belongs to a transition that stands before all others.
    pub(crate) is_interrupt: bool,
}

impl Words {
    /// How far it starts to the right.
    pub(crate) fn indent(&self) -> f64 {
        if self.is_more { 10.0 } else { 0.0 }
    }
}

/// One line of the picture.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) from: End,
    pub(crate) to: End,
    pub(crate) course: Course,
    pub(crate) label: Vec<Words>,
    /// The transitions it stands for.
    pub(crate) transitions: Vec<usize>,
    /// One of them stands before all others.
    pub(crate) is_interrupt: bool,
}

/// All links and texts.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) links: Vec<Link>,
    /// Lines in the box of each state.
    pub(crate) texts: Vec<Vec<Words>>,
    /// Lines in the box of what several states share.
    pub(crate) shared_texts: Vec<Vec<Words>>,
    /// How many transitions are written instead of drawn because there are too many.
    pub(crate) written: usize,
}

/// A link before it is known whether it becomes a line.
struct Wish {
    from: End,
    to: End,
    label: Label,
    transitions: Vec<usize>,
    is_interrupt: bool,
}

impl Scene {
    pub(crate) fn new(chart: &Chart) -> Self {
        let mut scene = Self {
            links: Vec::new(),
            texts: vec![Vec::new(); chart.states.len()],
            shared_texts: vec![Vec::new(); chart.shared.len()],
            written: 0,
        };
        for (state, lines) in chart.states.iter().enumerate() {
            for line in &lines.lines {
                scene.write(End::State(state), std::slice::from_ref(line), &[]);
            }
        }
        for history in chart
            .histories
            .iter()
            .filter(|history| !history.default.is_empty())
        {
            let names: Vec<String> = history
                .default
                .iter()
                .map(|&node| chart.node_name(node))
                .collect();
            let symbol = if history.deep { "H*" } else { "H" };
            scene.write(
                End::State(history.owner),
                &[format!("{symbol} {}, else", history.name), names.join(", ")],
                &[],
            );
        }
        for (place, shared) in chart.shared.iter().enumerate() {
            scene.write(End::Shared(place), &[shared.used_by(chart)], &[]);
            for &user in shared.users.iter().filter(|_| shared.set.is_some()) {
                let words = format!("uses {}", shared.title());
                scene.write(End::State(user), &[words], &[]);
            }
        }
        let wishes = scene.wishes(chart);
        let kept = worthwhile(chart, &wishes);
        let mut known: BTreeMap<(End, End), usize> = BTreeMap::new();
        for (wish, is_kept) in wishes.iter().zip(kept) {
            match course(chart, wish.from, wish.to).filter(|_| is_kept) {
                Some(course) => scene.link(wish, course, &mut known),
                None => {
                    scene.written += if is_kept {
                        0
                    } else {
                        wish.transitions.len().max(1)
                    };
                    scene.describe(chart, wish);
                }
            }
        }
        scene
    }

    /// Everything that would like to be a line; what leads nowhere is written at once.
    fn wishes(&mut self, chart: &Chart) -> Vec<Wish> {
        let mut wishes = Vec::new();
        for (number, region) in chart.regions.iter().enumerate() {
            let label = Label {
                effects: region.effects.clone(),
                ..Label::default()
            };
            push_all(
                chart,
                End::Dot(number),
                &region.initial,
                &label,
                &[],
                false,
                &mut wishes,
            );
        }
        let own = chart.drawn();
        for (number, transition) in own.filter(|(_, transition)| transition.shared.is_none()) {
            let (from, numbers) = (End::State(transition.source), chart.numbers(number));
            self.wish(chart, from, &numbers, &mut wishes);
        }
        for (place, shared) in chart.shared.iter().enumerate() {
            for numbers in &shared.transitions {
                self.wish(chart, End::Shared(place), numbers, &mut wishes);
            }
        }
        for (number, state) in chart.states.iter().enumerate() {
            for branch in &state.branches {
                push_all(
                    chart,
                    End::State(number),
                    &branch.targets,
                    &branch.label,
                    &[],
                    false,
                    &mut wishes,
                );
            }
        }
        wishes
    }

    /// One transition, which may have several numbers; one that leads nowhere is written at once.
    fn wish(&mut self, chart: &Chart, from: End, numbers: &[usize], wishes: &mut Vec<Wish>) {
        let transition = &chart.transitions[numbers[0]];
        if transition.targets.is_empty() {
            self.write(from, &transition.label.parts(), numbers);
        }
        push_all(
            chart,
            from,
            &transition.targets,
            &transition.label,
            numbers,
            transition.interrupt,
            wishes,
        );
    }

    /// Adds to the one line that leads from here to there.
    fn link(&mut self, wish: &Wish, course: Course, known: &mut BTreeMap<(End, End), usize>) {
        let place = *known.entry((wish.from, wish.to)).or_insert_with(|| {
            self.links.push(Link {
                from: wish.from,
                to: wish.to,
                course,
                label: Vec::new(),
                transitions: Vec::new(),
                is_interrupt: false,
            });
            self.links.len() - 1
        });
        let link = &mut self.links[place];
        link.is_interrupt |= wish.is_interrupt;
        let mut parts = wish.label.parts();
        if let (Some(first), false) = (parts.first_mut(), link.label.is_empty()) {
            // Whatever stands below another transition must not look like its guard.
            first.insert_str(0, "or ");
        }
        let lines = wrap(&parts, LABEL_WIDTH);
        let words = |text| Words {
            text,
            transitions: wish.transitions.clone(),
            is_more: false,
            is_interrupt: wish.is_interrupt,
        };
        link.label.extend(lines.into_iter().map(words));
        link.transitions.extend(&wish.transitions);
    }

    /// Writes a transition in the box of its source.
    fn describe(&mut self, chart: &Chart, wish: &Wish) {
        let mut parts = wish.label.parts();
        parts.push(format!("→ {}", end_name(chart, wish.to)));
        self.write(wish.from, &parts, &wish.transitions);
    }

    /// Writes in the box of an end; a dot has none.
    fn write(&mut self, end: End, parts: &[String], transitions: &[usize]) {
        let texts = match end {
            End::State(state) => &mut self.texts[state],
            End::Shared(place) => &mut self.shared_texts[place],
            End::Dot(_) | End::History(_) => return,
        };
        let lines = wrap(parts, BOX_WIDTH).into_iter().enumerate();
        texts.extend(lines.map(|(place, text)| Words {
            text,
            transitions: transitions.to_vec(),
            is_more: place > 0,
            is_interrupt: false,
        }));
    }
}

/// Width of the widest of some lines.
pub(crate) fn widest(lines: &[Words]) -> f64 {
    lines
        .iter()
        .map(|line| line.indent() + width(&line.text, SMALL))
        .fold(0.0, f64::max)
}

fn push_all(
    chart: &Chart,
    from: End,
    targets: &[Node],
    label: &Label,
    transitions: &[usize],
    is_interrupt: bool,
    wishes: &mut Vec<Wish>,
) {
    for (place, &target) in targets.iter().enumerate() {
        let to = match target {
            Node::State(state) => End::State(state),
            Node::History(history) => End::History(history),
        };
        let mut label = label.clone();
        if place > 0 {
            // The words stand at the first line; the others say with whom they go.
            let with = format!("with {}", chart.node_name(targets[0]));
            label = Label {
                trigger: label.trigger,
                guard: None,
                effects: Vec::new(),
                marks: vec![with],
            };
        }
        wishes.push(Wish {
            from,
            to,
            label,
            transitions: transitions.to_vec(),
            is_interrupt,
        });
    }
}

fn end_name(chart: &Chart, end: End) -> String {
    match end {
        End::State(state) => chart.states[state].name.clone(),
        End::History(history) => chart.node_name(Node::History(history)),
        End::Dot(_) | End::Shared(_) => String::new(),
    }
}

/// The state whose box an end belongs to.
pub(crate) fn holder(chart: &Chart, end: End) -> Option<usize> {
    match end {
        End::State(state) => Some(state),
        End::History(history) => Some(chart.histories[history].owner),
        End::Dot(_) | End::Shared(_) => None,
    }
}

/// The regions around an end with the item that holds it, outermost first.
pub(crate) fn chain(chart: &Chart, end: End) -> Vec<(usize, Item)> {
    let mut chain = Vec::new();
    let mut state = match end {
        End::Dot(region) => {
            chain.push((region, Item::Dot));
            chart.regions[region].owner
        }
        End::Shared(place) => {
            let region = chart.shared[place].region;
            chain.push((region, Item::Shared(place)));
            chart.regions[region].owner
        }
        End::State(_) | End::History(_) => holder(chart, end).unwrap_or(0),
    };
    while let Some(region) = chart.states[state].region {
        chain.push((region, Item::State(state)));
        state = chart.regions[region].owner;
    }
    chain.reverse();
    chain
}

/// How a link would lie; `None` if it cannot be a line.
fn course(chart: &Chart, from: End, to: End) -> Option<Course> {
    let (a, b) = (chain(chart, from), chain(chart, to));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    match (a.get(shared), b.get(shared)) {
        (Some((region, _)), Some((other, _))) => {
            (region == other).then_some(Course::Between(*region))
        }
        (None, Some((region, _))) => Some(Course::Inward(*region)),
        (Some(_), None) if matches!(to, End::History(_)) => None,
        (Some((region, _)), None) => Some(Course::Outward(*region)),
        (None, None) => match (from, to) {
            (End::State(a), End::State(b)) if a == b && chart.states[a].region.is_some() => {
                Some(Course::Loop(a))
            }
            _ => None,
        },
    }
}

/// Which wishes are worth a line: all, or in a crowded region those by which an item is first
/// reached.
fn worthwhile(chart: &Chart, wishes: &[Wish]) -> Vec<bool> {
    let mut pairs: BTreeMap<usize, BTreeSet<(End, End)>> = BTreeMap::new();
    let region = |wish: &Wish| match course(chart, wish.from, wish.to) {
        Some(Course::Between(region) | Course::Inward(region) | Course::Outward(region)) => {
            Some(region)
        }
        _ => None,
    };
    let regions: Vec<Option<usize>> = wishes.iter().map(region).collect();
    for (wish, region) in wishes.iter().zip(&regions) {
        if let Some(region) = region {
            pairs
                .entry(*region)
                .or_default()
                .insert((wish.from, wish.to));
        }
    }
    let mut kept = vec![true; wishes.len()];
    for (&region, _) in pairs.iter().filter(|(_, pairs)| pairs.len() > MOST_LINKS) {
        let here: Vec<usize> = (0..wishes.len())
            .filter(|&wish| regions[wish] == Some(region))
            .collect();
        let first = match chart.regions[region].children.len() > MOST_STATES {
            true => here
                .iter()
                .copied()
                .filter(|&wish| matches!(wishes[wish].from, End::Dot(_)))
                .collect(),
            false => first_reached(chart, wishes, &here, region),
        };
        here.into_iter()
            .for_each(|wish| kept[wish] = first.contains(&wish));
    }
    kept
}

/// The wishes of a region by which a breadth-first walk from its dot reaches each item.
fn first_reached(chart: &Chart, wishes: &[Wish], here: &[usize], region: usize) -> BTreeSet<usize> {
    let item = |end: End| {
        chain(chart, end)
            .into_iter()
            .find(|(at, _)| *at == region)
            .map(|(_, item)| item)
    };
    let mut out: BTreeMap<Option<Item>, Vec<(usize, Option<Item>)>> = BTreeMap::new();
    for &wish in here {
        out.entry(item(wishes[wish].from))
            .or_default()
            .push((wish, item(wishes[wish].to)));
    }
    let starts = [Some(Item::Dot), None].into_iter();
    let starts = starts.chain(items(chart, region).map(Some));
    let (mut first, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for start in starts {
        let mut queue = VecDeque::from([start]);
        seen.insert(start);
        while let Some(at) = queue.pop_front() {
            for &(wish, to) in out.get(&at).into_iter().flatten() {
                if seen.insert(to) {
                    first.insert(wish);
                    queue.push_back(to);
                }
            }
        }
    }
    first
}

/// What stands in a region besides its dot.
pub(crate) fn items(chart: &Chart, region: usize) -> impl Iterator<Item = Item> {
    let children = chart.regions[region].children.iter();
    let shared = chart.shared.iter().enumerate();
    let shared = shared.filter(move |(_, shared)| shared.region == region);
    children
        .map(|&child| Item::State(child))
        .chain(shared.map(|(place, _)| Item::Shared(place)))
}

/// Whether a state is drawn as a symbol instead of a box.
pub(crate) fn is_symbol(chart: &Chart, state: usize) -> bool {
    chart.states[state].kind == Kind::Choice
}
