//! What code may see where it stands: the state it belongs to, the event payload, and all declared
//! names (CODE-4).

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, is_slip};
use statewright_author::expr::Expr;
use statewright_author::graph::{Argument, Code as CodeText, Machine, Payload, StateKind};
use statewright_author::span::Name;
use statewright_author::value::{FunctionKind, ValueType};

use super::{Condition, Resolver};
use crate::expr::{self, Compiled, Expected, Names, Scope};
use crate::ops::op;
use crate::tree::{Node, StateIndex};
use statewright_rom::layout::ActionOp;

/// Where a piece of code stands.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// State whose clock it sees.
    pub(super) state: StateIndex,
    /// State from which names are looked up: the one that has the list for an any-state
    /// transition, else the same.
    pub(super) names: StateIndex,
    payload: Result<Payload, String>,
    /// State whose activity the code belongs to, for the check of concurrent writers.
    pub(super) writer: StateIndex,
}

impl Site {
    /// Code of a state that runs for many events.
    pub(super) fn state(state: StateIndex, what: &str) -> Self {
        let reason =
            format!("{what} may run for any event, so the type of the payload is not known");
        Self {
            state,
            names: state,
            payload: Err(reason),
            writer: state,
        }
    }

    /// Code of a transition, which sees the payload of its event.
    pub(super) fn event(state: StateIndex, machine: &Machine, event: usize) -> Self {
        let declared = &machine.events[event];
        let payload = match (&declared.payload, declared.indirect) {
            (Some(_), true) => Err(format!(
                "event `{}` is indirect: it carries an index",
                declared.name.value
            )),
            (Some(payload), false) => Ok(payload.value),
            (None, _) => Err(format!(
                "event `{}` declares no payload",
                declared.name.value
            )),
        };
        Self {
            state,
            names: state,
            payload,
            writer: state,
        }
    }

    /// Code of a transition without a typed event.
    pub(super) fn no_event(state: StateIndex, reason: &str) -> Self {
        Self {
            state,
            names: state,
            payload: Err(reason.to_owned()),
            writer: state,
        }
    }

    /// The same code with names looked up from another state.
    pub(super) fn with_names_of(self, names: StateIndex) -> Self {
        Self { names, ..self }
    }

    /// Code of an observer.
    pub(super) fn observer(machine: &Machine, event: Option<usize>) -> Self {
        match event {
            Some(event) => Self::event(0, machine, event),
            None => Self::state(0, "an observer of any event"),
        }
    }
}

impl Resolver<'_> {
    /// Compiles an expression where it stands.
    pub(super) fn expression(
        &mut self,
        code: &CodeText,
        ast: Option<&Expr>,
        expected: Expected,
        site: &Site,
    ) -> Option<Compiled> {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let mut scope = ResolverScope {
            resolver: self,
            site,
        };
        let compiled = match ast {
            Some(ast) => expr::compile(code, ast, expected, &mut scope, &mut diagnostics),
            None => expr::compile_code(code, expected, &mut scope, &mut diagnostics),
        };
        diagnostics.append(std::mem::take(&mut self.diagnostics));
        self.diagnostics = diagnostics;
        let compiled = compiled?;
        let is_choice =
            |&&state: &&u16| self.tree.states[usize::from(state)].kind == StateKind::Choice;
        if let Some(&choice) = compiled.facts.clocks.iter().find(is_choice) {
            let text = format!(
                "choice `{}` is never active, so it has no time in state",
                self.tree.path(usize::from(choice))
            );
            self.report(
                Diagnostic::new(Code::ExpressionType, code.span, text)
                    .label("reads its time")
                    .help(
                        "name the state that the agent comes from, such as `time_in_state(Chase)`",
                    ),
            );
            return None;
        }
        for &state in &compiled.facts.clocks {
            self.clocks
                .entry(usize::from(state))
                .or_insert("an expression reads its time");
        }
        Some(compiled)
    }

    /// Compiles a guard. A plain call of one function needs no expression; a guard that always
    /// holds needs no op.
    pub(super) fn guard(&mut self, code: &CodeText, site: &Site) -> Option<Condition> {
        let compiled = self.expression(code, None, Expected::Bool, site)?;
        let constant = compiled
            .constant
            .as_ref()
            .and_then(|constant| constant.as_bool());
        if constant == Some(true) {
            return Some(Condition { op: None, constant });
        }
        let op = match compiled.only_guard_call() {
            Some(call) => usize::from(call),
            None => {
                let expression = self.ops.expression(compiled);
                self.ops.condition(op(ActionOp::Evaluate, 0, expression, 0))
            }
        };
        Some(Condition {
            op: Some(op),
            constant,
        })
    }

    /// Compiles a score: a call of a scorer, or an expression.
    pub(super) fn score(&mut self, code: &CodeText, site: &Site) -> Option<usize> {
        if let Ok(call) = statewright_author::expr::parse_call(&code.value)
            && self.is_scorer(&call.name.value)
        {
            let (name, arguments) = call.spanned(code);
            let call = self.call(&name, FunctionKind::Scorer, &arguments)?;
            return Some(self.ops.condition(call));
        }
        let compiled = self.expression(code, None, Expected::F32, site)?;
        let expression = self.ops.expression(compiled);
        Some(self.ops.condition(op(ActionOp::Evaluate, 0, expression, 0)))
    }

    /// A name in a score is a scorer unless it is a key, a parameter or a function of the
    /// expression language.
    fn is_scorer(&self, name: &str) -> bool {
        self.names.keys.get(name).is_none()
            && self.names.parameters.get(name).is_none()
            && !expr::is_built_in(name)
    }
}

/// The resolver as expressions see it.
struct ResolverScope<'r, 'a> {
    resolver: &'r mut Resolver<'a>,
    site: &'r Site,
}

impl Names for ResolverScope<'_, '_> {
    fn tick_rate(&self) -> u32 {
        self.resolver.tick_rate
    }

    fn key_name(&self, key: u16) -> String {
        self.resolver.machine.blackboard[usize::from(key)]
            .name
            .value
            .clone()
    }

    fn parameter_name(&self, parameter: u16) -> String {
        self.resolver.machine.parameters[usize::from(parameter)]
            .name
            .value
            .clone()
    }

    fn state_name(&self, state: u16) -> String {
        self.resolver.tree.path(usize::from(state))
    }

    fn symbol_text(&self, string: u16) -> String {
        self.resolver.ops.text(usize::from(string)).to_owned()
    }
}

impl Scope for ResolverScope<'_, '_> {
    fn key(&self, name: &str) -> Option<(u16, ValueType)> {
        let key = self.resolver.names.keys.get(name)?;
        Some((key as u16, self.resolver.machine.blackboard[key].ty.value))
    }

    fn parameter(&self, name: &str) -> Option<(u16, ValueType)> {
        let parameter = self.resolver.names.parameters.get(name)?;
        Some((
            parameter as u16,
            self.resolver.machine.parameters[parameter].ty.value,
        ))
    }

    fn names(&self) -> Vec<String> {
        self.values().map(str::to_owned).collect()
    }

    fn payload(&self) -> Option<Payload> {
        self.site.payload.as_ref().ok().copied()
    }

    fn no_payload_reason(&self) -> String {
        self.site
            .payload
            .as_ref()
            .err()
            .cloned()
            .unwrap_or_default()
    }

    fn state(&mut self, name: &Name) -> Option<u16> {
        match self.resolver.node(name, self.site.names)? {
            Node::State(state) => Some(state as u16),
            Node::History(_) => {
                let text = format!("`{}` is a history point, not a state", name.value);
                self.resolver.report(
                    Diagnostic::new(Code::UnknownState, name.span, text).label("never active"),
                );
                None
            }
        }
    }

    fn own_state(&self) -> u16 {
        self.site.state as u16
    }

    fn guard_call(&mut self, function: &Name, arguments: &[Argument]) -> Option<u16> {
        let first = !self.resolver.ops.knows(&function.value);
        if arguments.is_empty() && first && self.resolver.machine.functions.is_empty() {
            self.warn_of_slip(function);
        }
        let call = self
            .resolver
            .call(function, FunctionKind::Guard, arguments)?;
        Some(self.resolver.ops.condition(call) as u16)
    }

    fn symbol(&mut self, text: &str) -> u16 {
        self.resolver.ops.string(text) as u16
    }
}

impl ResolverScope<'_, '_> {
    /// Names of keys and parameters.
    fn values(&self) -> impl Iterator<Item = &str> {
        let names = &self.resolver.names;
        names
            .keys
            .names()
            .iter()
            .chain(names.parameters.names())
            .copied()
    }

    /// Without declared functions any name is a guard of the host, also a misspelled key.
    fn warn_of_slip(&mut self, function: &Name) {
        // Every function is compared with every name, so only where both are few.
        const MOST_COMPARED: usize = 256;
        let names = &self.resolver.names;
        let count = names.keys.names().len() + names.parameters.names().len();
        if count > MOST_COMPARED || self.resolver.ops.functions().len() > MOST_COMPARED {
            return;
        }
        let Some(meant) = self.values().find(|name| is_slip(&function.value, name)) else {
            return;
        };
        let text = format!(
            "guard function `{}` has almost the name of `{meant}`",
            function.value
        );
        self.resolver.report(
            Diagnostic::new(Code::GuardLooksLikeKey, function.span, text)
                .label("not a key or parameter, so a function in Rust")
                .help(format!(
                    "did you mean `{meant}`? If not, declare the function under `\"functions\"`"
                )),
        );
    }
}
