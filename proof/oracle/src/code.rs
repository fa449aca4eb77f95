//! Code of the file, parsed: expressions, calls and actions (CODE-3, CODE-4), and who has a clock
//! (RAM-7).

use std::collections::{BTreeMap, BTreeSet};

use statewright_author::expr::{
    ActionText, Expr, ExprKind, StateQuery, parse, parse_action, parse_call,
};
use statewright_author::graph::{self, ActionKind};
use statewright_author::value::{Literal, ValueType};

use crate::expr::Value;
use crate::model::{Action, CallSite, Code, Given, GivenValue, Target};
use crate::numbers::Tree;
use crate::world::Argument;

pub(crate) const BUILT_IN_LANES: [&str; 7] = [
    "animation",
    "navigation",
    "gameplay",
    "blackboard",
    "audio",
    "vfx",
    "message",
];

/// Where code stands: the state its names are looked up from, and the state it belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Site {
    pub(crate) scope: usize,
    pub(crate) own: usize,
}

impl Site {
    pub(crate) fn of(state: usize) -> Self {
        Self {
            scope: state,
            own: state,
        }
    }
}

/// Reads code; collects what it refers to.
pub(crate) struct Reader<'a> {
    pub(crate) machine: &'a graph::Machine,
    pub(crate) tree: &'a Tree<'a>,
    pub(crate) tick_rate: u32,
    /// Name and owner of each timer, in the order of their numbers; those of `after` and `every` have
    /// no name.
    pub(crate) timers: Vec<(String, Option<usize>)>,
    pub(crate) functions: BTreeMap<String, Vec<(String, ValueType)>>,
    /// States whose time is read by an expression.
    pub(crate) clocks: BTreeSet<usize>,
    pub(crate) named_states: BTreeMap<(usize, String), usize>,
}

impl Reader<'_> {
    pub(crate) fn ticks(&self, duration: &statewright_author::value::Duration) -> u32 {
        duration
            .ticks(self.tick_rate)
            .expect("a duration that fits")
    }

    pub(crate) fn event(&self, name: &str) -> usize {
        let found = self
            .machine
            .events
            .iter()
            .position(|event| event.name.value == name);
        found.unwrap_or_else(|| panic!("no event `{name}`"))
    }

    pub(crate) fn key(&self, name: &str) -> usize {
        let found = self
            .machine
            .blackboard
            .iter()
            .position(|key| key.name.value == name);
        found.unwrap_or_else(|| panic!("no key `{name}`"))
    }

    pub(crate) fn lane(&self, name: &str) -> usize {
        let built_in = BUILT_IN_LANES.iter().position(|lane| *lane == name);
        let user = || {
            self.machine
                .lanes
                .iter()
                .position(|lane| lane.name.value == name)
        };
        built_in
            .or_else(|| user().map(|lane| BUILT_IN_LANES.len() + lane))
            .unwrap_or_else(|| panic!("no lane `{name}`"))
    }

    /// A timer of the state, of one around it, or of the machine.
    pub(crate) fn timer(&self, scope: usize, name: &str) -> usize {
        let owned = |owner: Option<usize>| {
            self.timers
                .iter()
                .position(|(text, of)| text == name && *of == owner)
        };
        let found = self
            .tree
            .up(scope)
            .find_map(|state| owned(Some(state)))
            .or_else(|| owned(None));
        found.unwrap_or_else(|| panic!("no timer `{name}` seen from state {scope}"))
    }

    pub(crate) fn code(&mut self, text: &str, site: Site) -> Code {
        let expr = parse(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
        self.parsed(expr, site)
    }

    /// The negation of a code (decisions, CODE-8).
    pub(crate) fn negated(&mut self, text: &str, site: Site) -> Code {
        let inner = self.code(text, site);
        let range = inner.expr.range.clone();
        let kind = ExprKind::Unary {
            op: statewright_author::expr::UnaryOp::Not,
            operand: Box::new(inner.expr),
        };
        Code {
            expr: Expr { kind, range },
            scope: site.scope,
        }
    }

    fn parsed(&mut self, expr: Expr, site: Site) -> Code {
        self.note(&expr, site);
        Code {
            expr,
            scope: site.scope,
        }
    }

    /// Notes the states that an expression names and whose time it reads.
    fn note(&mut self, expr: &Expr, site: Site) {
        match &expr.kind {
            ExprKind::Field { base, .. } => self.note(base, site),
            ExprKind::Unary { operand, .. } => self.note(operand, site),
            ExprKind::Binary { left, right, .. } => {
                self.note(left, site);
                self.note(right, site);
            }
            ExprKind::Logic { operands, .. } => {
                operands.iter().for_each(|operand| self.note(operand, site))
            }
            ExprKind::Call { arguments, .. } => {
                arguments
                    .iter()
                    .for_each(|argument| self.note(&argument.value, site));
            }
            ExprKind::State { query, state } => {
                let state = match state {
                    Some(name) => {
                        let state = self.tree.state(site.scope, &name.value);
                        self.named_states
                            .insert((site.scope, name.value.clone()), state);
                        state
                    }
                    None => site.own,
                };
                if *query != StateQuery::In {
                    self.clocks.insert(state);
                }
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Name(_) => {}
        }
    }

    pub(crate) fn call(&mut self, text: &str, site: Site) -> CallSite {
        let call = parse_call(text).unwrap_or_else(|error| panic!("`{text}`: {error}"));
        self.call_site(&call.name.value, &call.arguments, site)
    }

    fn call_site(&mut self, function: &str, arguments: &[graph::Argument], site: Site) -> CallSite {
        let mut given = Vec::new();
        for argument in arguments {
            given.push(Given {
                name: argument.name.as_ref().map(|name| name.value.clone()),
                value: match &argument.value {
                    graph::ArgumentValue::Literal(literal) => {
                        GivenValue::Literal(literal.value.clone())
                    }
                    graph::ArgumentValue::Code(code) => {
                        GivenValue::Code(self.code(&code.value, site))
                    }
                },
            });
        }
        CallSite {
            function: function.to_owned(),
            arguments: given,
        }
    }

    /// The scratch of a name that code sees: of its state, or of the nearest one around it (LANG-8).
    fn scratch(&self, scope: usize, name: &str) -> Option<usize> {
        self.tree.up(scope).find_map(|owner| {
            let own = &self.tree.states[owner].graph.scratch;
            let at = own.iter().position(|one| one.name.value == name)?;
            own[at].ty.as_ref()?;
            let before = &self.tree.states[..owner];
            Some(
                before
                    .iter()
                    .map(|state| state.graph.scratch.len())
                    .sum::<usize>()
                    + at,
            )
        })
    }

    /// `name = value`: of scratch if there is one, else of a key.
    fn set(&self, name: &str, value: Code) -> Action {
        match self.scratch(value.scope, name) {
            Some(scratch) => Action::SetScratch { scratch, value },
            None => Action::Set {
                key: self.key(name),
                value,
            },
        }
    }

    /// `name += value`, likewise.
    fn add(&self, name: &str, value: Code) -> Action {
        match self.scratch(value.scope, name) {
            Some(scratch) => Action::AddScratch { scratch, value },
            None => Action::Add {
                key: self.key(name),
                value,
            },
        }
    }

    pub(crate) fn actions(&mut self, list: &[graph::Action], site: Site) -> Vec<Action> {
        let mut actions = Vec::new();
        for action in list.iter().filter(|action| !action.muted) {
            let ActionKind::If {
                condition,
                then,
                otherwise,
            } = &action.kind
            else {
                actions.push(self.action(&action.kind, site));
                continue;
            };
            let (then, otherwise) = (self.actions(then, site), self.actions(otherwise, site));
            // Nothing to run, nothing to ask.
            if !then.is_empty() || !otherwise.is_empty() {
                actions.push(Action::If {
                    condition: self.code(&condition.value, site),
                    then,
                    otherwise,
                });
            }
        }
        actions
    }

    fn action(&mut self, kind: &ActionKind, site: Site) -> Action {
        match kind {
            ActionKind::Text(text) => {
                match parse_action(&text.value).unwrap_or_else(|error| panic!("{error}")) {
                    ActionText::Call(call) => {
                        Action::Call(self.call_site(&call.name.value, &call.arguments, site))
                    }
                    ActionText::Set { key, value } => {
                        let value = self.parsed(value, site);
                        self.set(&key.value, value)
                    }
                    ActionText::Add { key, value } => {
                        let value = self.parsed(value, site);
                        self.add(&key.value, value)
                    }
                }
            }
            ActionKind::Call {
                function,
                arguments,
            } => Action::Call(self.call_site(&function.value, arguments, site)),
            ActionKind::Set { key, value } => {
                let value = self.code(&value.value, site);
                self.set(&key.value, value)
            }
            ActionKind::Add { key, value } => {
                let value = self.code(&value.value, site);
                self.add(&key.value, value)
            }
            ActionKind::Raise { event, payload } => Action::Raise {
                event: self.event(&event.value),
                payload: self.maybe(payload, site),
            },
            ActionKind::Send { event, payload, to } => Action::Send {
                event: self.event(&event.value),
                payload: self.maybe(payload, site),
                to: self.maybe(to, site),
            },
            ActionKind::Emit {
                command,
                lane,
                payload,
            } => Action::Emit {
                name: command.value.clone(),
                lane: self.lane(&lane.value),
                payload: self.maybe(payload, site),
            },
            ActionKind::StartTimer { timer, after } => Action::StartTimer {
                timer: self.timer(site.scope, &timer.value),
                after: self.delay(&after.value, site),
            },
            ActionKind::StopTimer { timer } => Action::StopTimer {
                timer: self.timer(site.scope, &timer.value),
            },
            // The name of a history point stands for the state that has it.
            ActionKind::ClearHistory { state } => {
                match self.tree.target(site.scope, &state.value) {
                    Target::State(state) => Action::ClearHistory { state },
                    Target::Point(point) => Action::ClearHistory {
                        state: self.tree.points[point].owner,
                    },
                }
            }
            ActionKind::If { .. } => unreachable!("a list of its own"),
        }
    }

    pub(crate) fn maybe(&mut self, code: &Option<graph::ExprSource>, site: Site) -> Option<Code> {
        code.as_ref().map(|code| self.code(&code.value, site))
    }
}

/// Arguments in the order and with the types of the declaration; as they are written if no
/// parameters are declared. They have been evaluated, from left to right as written.
pub(crate) fn match_arguments(
    functions: &BTreeMap<String, Vec<(String, ValueType)>>,
    function: &str,
    written: Vec<(Option<String>, Evaluated)>,
) -> Vec<Argument> {
    let Some(declared) = functions
        .get(function)
        .filter(|declared| !declared.is_empty())
    else {
        let plain = |(name, value): (Option<String>, Evaluated)| {
            let value = value.natural();
            Argument {
                name,
                ty: value.ty(),
                words: value.words(),
            }
        };
        return written.into_iter().map(plain).collect();
    };
    let of = |(index, (name, ty)): (usize, &(String, ValueType))| {
        let by_name = written.iter().find(|(text, _)| text.as_ref() == Some(name));
        let by_place = || written.get(index).filter(|(text, _)| text.is_none());
        let (_, value) = by_name
            .or_else(by_place)
            .unwrap_or_else(|| panic!("`{function}` needs `{name}`"));
        Argument {
            name: Some(name.clone()),
            ty: *ty,
            words: value.of_type(*ty).words(),
        }
    };
    declared.iter().enumerate().map(of).collect()
}

/// The value of an argument: a literal may still become any type that it can stand for.
pub(crate) enum Evaluated {
    Literal(Literal),
    Value(Value),
}

impl Evaluated {
    fn natural(&self) -> Value {
        match self {
            Self::Literal(literal) => Value::from_literal(literal.natural_type(), literal),
            Self::Value(value) => *value,
        }
    }

    fn of_type(&self, ty: ValueType) -> Value {
        match self {
            Self::Literal(literal) => Value::from_literal(ty, literal),
            Self::Value(value) => value.widened(ty),
        }
    }
}
