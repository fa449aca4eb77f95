//! The exhaustive small scope: every tree of up to so many states, with every transition that its
//! states can have.
//!
//! A shape is a tree whose states have regions of states. Each machine has, for every source and
//! every target (state or history point) and every kind that is legal, one transition with an event
//! of its own, and one global transition to every state, so that any configuration can be reached.
//! All states have entry and exit actions.

use statewright_author::graph::*;
use statewright_author::span::{Name, Span, Spanned};

/// A state of a shape: its regions, each a list of states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The regions; none for an atomic state.
    pub regions: Vec<Vec<Shape>>,
}

/// All trees with so many states below the root.
pub fn shapes(states: usize) -> Vec<Shape> {
    region_lists(states)
        .into_iter()
        .map(|regions| Shape { regions })
        .collect()
}

/// All lists of regions with so many states in all.
fn region_lists(states: usize) -> Vec<Vec<Vec<Shape>>> {
    if states == 0 {
        return vec![Vec::new()];
    }
    let mut lists = Vec::new();
    for first in 1..=states {
        for region in state_lists(first) {
            for rest in region_lists(states - first) {
                lists.push([vec![region.clone()], rest].concat());
            }
        }
    }
    lists
}

/// All lists of states with so many states in all, at least one.
fn state_lists(states: usize) -> Vec<Vec<Shape>> {
    let mut lists = Vec::new();
    for first in 1..=states {
        for shape in shapes(first - 1) {
            let rests = if first == states {
                vec![Vec::new()]
            } else {
                state_lists(states - first)
            };
            lists.extend(
                rests
                    .into_iter()
                    .map(|rest| [vec![shape.clone()], rest].concat()),
            );
        }
    }
    lists
}

/// What the states with regions remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nothing.
    Nothing,
    /// Each has a shallow and a deep history point, which are targets, too.
    Points,
    /// Default entry restores the last direct children.
    RestoreShallow,
    /// Default entry restores the last leaves.
    RestoreDeep,
}

impl Memory {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Nothing,
        Self::Points,
        Self::RestoreShallow,
        Self::RestoreDeep,
    ];
}

/// One transition of a small machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The source, numbered in pre-order with the root as 0.
    pub source: usize,
    /// Number of its event.
    pub event: usize,
}

/// A machine of the small scope.
#[derive(Clone, Debug)]
pub struct Small {
    /// The machine. Event `i` below the number of states brings it to state `i + 1`.
    pub machine: Machine,
    /// States, the root not counted.
    pub states: usize,
    /// The other events.
    pub moves: Vec<Move>,
}

/// The machine of a shape.
pub fn machine(shape: &Shape, memory: Memory) -> Small {
    let mut builder = Builder {
        memory,
        ..Builder::default()
    };
    builder.number(shape, None);
    let mut root = builder.state(shape, &mut 0);
    let states = builder.parents.len() - 1;
    for state in 1..=states {
        let event = builder.event();
        root.transitions
            .push(transition(&event, &builder.paths[state], None, true));
    }
    let mut moves = Vec::new();
    builder.add_moves(&mut root, &mut 0, &mut moves);
    let events = (0..builder.events).map(|number| Event {
        name: name(&format!("e{number}")),
        ..Event::default()
    });
    let machine = Machine {
        name: name("Small"),
        events: events.collect(),
        root,
        ..Machine::default()
    };
    Small {
        machine,
        states,
        moves,
    }
}

fn name(text: &str) -> Name {
    Name::new(text.to_owned(), Span::default())
}

fn call(function: &str) -> Vec<Action> {
    let kind = ActionKind::Call {
        function: name(function),
        arguments: Vec::new(),
    };
    vec![Action {
        kind,
        muted: false,
        span: Span::default(),
    }]
}

fn transition(
    event: &str,
    target: &str,
    kind: Option<TransitionKind>,
    interrupt: bool,
) -> Transition {
    Transition {
        trigger: Trigger::Event(name(event)),
        targets: vec![name(target)],
        kind: kind.map(|kind| Spanned::new(kind, Span::default())),
        effect: call("Do"),
        interrupt: interrupt.then(Span::default),
        ..Transition::default()
    }
}

struct Builder {
    memory: Memory,
    /// State around each state.
    parents: Vec<Option<usize>>,
    /// Whether each state has regions.
    composite: Vec<bool>,
    /// Path of each state.
    paths: Vec<String>,
    events: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            memory: Memory::Nothing,
            parents: Vec::new(),
            composite: Vec::new(),
            paths: Vec::new(),
            events: 0,
        }
    }
}

impl Builder {
    /// Numbers states in pre-order. Names are unique, so a name is a path.
    fn number(&mut self, shape: &Shape, parent: Option<usize>) {
        let number = self.parents.len();
        self.parents.push(parent);
        self.composite.push(!shape.regions.is_empty());
        self.paths.push(format!("s{number}"));
        shape
            .regions
            .iter()
            .flatten()
            .for_each(|child| self.number(child, Some(number)));
    }

    fn event(&mut self) -> String {
        self.events += 1;
        format!("e{}", self.events - 1)
    }

    fn state(&self, shape: &Shape, next: &mut usize) -> State {
        let number = *next;
        *next += 1;
        let orthogonal = shape.regions.len() > 1;
        let mut regions = Vec::new();
        for (index, children) in shape.regions.iter().enumerate() {
            let initial = Initial {
                targets: vec![name(&self.paths[*next])],
                effect: call("Start"),
                span: Span::default(),
            };
            regions.push(Region {
                name: orthogonal.then(|| name(&format!("r{number}_{index}"))),
                initial: Some(initial),
                states: children
                    .iter()
                    .map(|child| self.state(child, next))
                    .collect(),
                ..Region::default()
            });
        }
        State {
            name: name(&self.paths[number]),
            history: if regions.is_empty() {
                Vec::new()
            } else {
                self.points(number)
            },
            regions,
            entry: call("Enter"),
            exit: call("Exit"),
            ..State::default()
        }
    }

    fn points(&self, number: usize) -> Vec<HistoryPoint> {
        let point = |deep: bool, restore_on_entry: bool| HistoryPoint {
            name: name(&format!("{}{number}", if deep { "deep" } else { "last" })),
            deep,
            restore_on_entry,
            ..HistoryPoint::default()
        };
        match self.memory {
            Memory::Nothing => Vec::new(),
            Memory::Points => vec![point(false, false), point(true, false)],
            Memory::RestoreShallow => vec![point(false, true)],
            Memory::RestoreDeep => vec![point(true, true)],
        }
    }

    /// Is a state strictly inside another?
    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        std::iter::successors(self.parents[inner], |&state| self.parents[state])
            .any(|state| state == outer)
    }

    /// Every transition of every state.
    fn add_moves(&mut self, state: &mut State, next: &mut usize, moves: &mut Vec<Move>) {
        let source = *next;
        *next += 1;
        for target in 1..self.parents.len() {
            let path = self.paths[target].clone();
            self.add_kinds(state, source, &path, self.is_inside(target, source), moves);
        }
        if self.memory == Memory::Points {
            for owner in (0..self.parents.len())
                .filter(|&owner| self.composite[owner])
                .collect::<Vec<_>>()
            {
                let inside = owner == source || self.is_inside(owner, source);
                for point in ["last", "deep"] {
                    self.add_kinds(state, source, &format!("{point}{owner}"), inside, moves);
                }
            }
        }
        for child in state
            .regions
            .iter_mut()
            .flat_map(|region| &mut region.states)
        {
            self.add_moves(child, next, moves);
        }
    }

    /// Local if the target lies inside; external unless the source is the root.
    fn add_kinds(
        &mut self,
        state: &mut State,
        source: usize,
        target: &str,
        inside: bool,
        moves: &mut Vec<Move>,
    ) {
        let kinds = [
            (TransitionKind::Local, inside),
            (TransitionKind::External, source != 0),
        ];
        for (kind, _) in kinds.into_iter().filter(|(_, legal)| *legal) {
            let event = self.event();
            state
                .transitions
                .push(transition(&event, target, Some(kind), false));
            moves.push(Move {
                source,
                event: self.events - 1,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shapes_are_there_once() {
        let counts: Vec<usize> = (0..=6).map(|states| shapes(states).len()).collect();
        assert_eq!(counts, [1, 1, 3, 11, 45, 197, 903]);
        let five = shapes(5);
        assert!(
            five.iter()
                .enumerate()
                .all(|(place, shape)| !five[..place].contains(shape))
        );
    }

    #[test]
    fn a_machine_has_every_move() {
        let compound = Shape {
            regions: vec![vec![Shape::default(), Shape::default()]],
        };
        let small = machine(&compound, Memory::Nothing);
        // The root: two local ones. Each child: two external ones.
        assert_eq!(
            (small.states, small.moves.len(), small.machine.events.len()),
            (2, 6, 8)
        );
    }
}
