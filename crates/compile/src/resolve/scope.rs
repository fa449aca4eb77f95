//! What code may see where it stands: the state it belongs to, the event payload, and all declared
//! names (CODE-4).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Fix, is_slip};
use statewright_author::expr::Expr;
use statewright_author::graph::{ExprSource, Machine, Payload, StateKind};
use statewright_author::span::Name;
use statewright_author::value::{FunctionKind, ScratchType, ValueType};

use super::actions::{Given, GivenValue, given};
use super::{Condition, Resolver};
use crate::actions::{action, narrow};
use crate::expr::{
    self, CallText, Compiled, Expected, HostArgument, HostValue, Names, NoPayload, Scope,
};
use crate::index::{ConditionIndex, EventIndex, Index, StateIndex};
use crate::model::Trigger;
use crate::numbers;
use crate::tree::Target;
use statewright_rom::layout::ActionOp;

/// Where a piece of code stands.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// State whose clock it sees.
    pub(super) state: StateIndex,
    /// State from which names are looked up: the one that has the list for an any-state
    /// transition, else the same.
    pub(super) names: StateIndex,
    payload: Result<Payload, NoPayload>,
    /// State whose activity the code belongs to, for the check of concurrent writers.
    pub(super) writer: StateIndex,
    /// What the code runs for; none if that may be anything. Eventless ones are all alike.
    pub(super) trigger: Option<Trigger>,
    /// Only parameters can be read: the code is that of a threshold (LANG-12).
    is_fixed: bool,
}

impl Site {
    /// Code of a state that runs for many events.
    pub(super) fn state(state: StateIndex, what: &str) -> Self {
        let reason =
            format!("{what} may run for any event, so the type of the payload is not known");
        Self {
            state,
            names: state,
            payload: Err(NoPayload::none(reason)),
            writer: state,
            trigger: None,
            is_fixed: false,
        }
    }

    /// Code of a transition, which sees the payload of its event.
    pub(super) fn event(state: StateIndex, machine: &Machine, event: EventIndex) -> Self {
        let declared = &machine.events[event.position()];
        let payload = match (&declared.payload, declared.indirect) {
            (Some(_), true) => Err(NoPayload::none(format!(
                "event `{}` is indirect: it carries an index",
                declared.name.value
            ))),
            (Some(payload), false) => Ok(payload.value),
            (None, _) => Err(NoPayload::none(format!(
                "event `{}` declares no payload",
                declared.name.value
            ))),
        };
        Self {
            state,
            names: state,
            payload,
            writer: state,
            trigger: None,
            is_fixed: false,
        }
    }

    /// Code of a transition on any of some events: it sees the payload if all carry the same
    /// (LANG-1).
    pub(super) fn events(state: StateIndex, machine: &Machine, events: &[EventIndex]) -> Self {
        let mut sites = events
            .iter()
            .map(|&event| (event, Self::event(state, machine, event)));
        let Some((_, first)) = sites.next() else {
            return Self::no_event(state, "no event starts it");
        };
        let other =
            sites.find(|(_, site)| site.payload.as_ref().ok() != first.payload.as_ref().ok());
        let Some((other, _)) = other else {
            return first;
        };
        let carried = |event: EventIndex| {
            let declared = &machine.events[event.position()];
            let payload = match (&declared.payload, declared.indirect) {
                (None, _) => "no payload".to_owned(),
                (Some(_), true) => "an index".to_owned(),
                (Some(payload), false) => {
                    numbers::payload_kind(Some(payload.value)).name().to_owned()
                }
            };
            format!("`{}` carries {payload}", declared.name.value)
        };
        let differ = NoPayload {
            label: format!("{}, {}", carried(events[0]), carried(other)),
            reason: "several events have a payload only if all carry the same".to_owned(),
            help: "write one transition for each payload",
        };
        Self {
            payload: Err(differ),
            ..Self::no_event(state, "")
        }
    }

    /// Code of a transition without a typed event.
    pub(super) fn no_event(state: StateIndex, reason: &str) -> Self {
        Self {
            state,
            names: state,
            payload: Err(NoPayload::none(reason)),
            writer: state,
            trigger: None,
            is_fixed: false,
        }
    }

    /// The same code, of a transition with this trigger.
    pub(super) fn of(self, trigger: Trigger) -> Self {
        let trigger = match trigger {
            Trigger::Event(_) | Trigger::Timer(_) => Some(trigger),
            Trigger::Always | Trigger::Done | Trigger::Failed => Some(Trigger::Always),
            Trigger::Any => None,
        };
        Self { trigger, ..self }
    }

    /// The place of a threshold beside the same code.
    pub(super) fn threshold(&self) -> Self {
        Self {
            is_fixed: true,
            ..self.clone()
        }
    }

    /// The same code with names looked up from another state.
    pub(super) fn with_names_of(self, names: StateIndex) -> Self {
        Self { names, ..self }
    }

    /// Code of an observer.
    pub(super) fn observer(machine: &Machine, event: Option<EventIndex>) -> Self {
        match event {
            Some(event) => Self::event(StateIndex::ROOT, machine, event),
            None => Self::state(StateIndex::ROOT, "an observer of any event"),
        }
    }
}

impl Resolver<'_> {
    /// Compiles an expression where it stands.
    pub(super) fn expression(
        &mut self,
        code: &ExprSource,
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
        if compiled.facts.random {
            self.usage.random.insert(code.value.clone());
        }
        let clocks = compiled
            .facts
            .clocks
            .iter()
            .map(|&state| state_index(state));
        let is_choice = |&state: &StateIndex| self.tree.states[state].kind == StateKind::Choice;
        if let Some(choice) = clocks.clone().find(is_choice) {
            let text = format!(
                "choice `{}` is never active, so it has no time in state",
                self.tree.path(choice)
            );
            self.report(
                Diagnostic::new(DiagnosticCode::ExpressionType, code.span, text)
                    .label("reads its time")
                    .help(
                        "name the state that the agent comes from, such as `time_in_state(Chase)`",
                    ),
            );
            return None;
        }
        for state in clocks {
            self.clocks
                .entry(state)
                .or_insert("an expression reads its time");
        }
        Some(compiled)
    }

    /// Compiles a guard. A plain call of one function needs no expression; a guard that always
    /// holds needs none.
    pub(super) fn guard(&mut self, code: &ExprSource, site: &Site) -> Option<Condition> {
        let compiled = self.expression(code, None, Expected::Bool, site)?;
        let constant = compiled
            .constant
            .as_ref()
            .and_then(|constant| constant.as_bool());
        if constant == Some(true) {
            return Some(Condition {
                index: None,
                constant,
            });
        }
        let (only, call) = (compiled.only_guard_call(), compiled.call.clone());
        let index = match (only, call) {
            (Some(call), _) => ConditionIndex::new(usize::from(call)),
            (None, Some((call, arguments))) => self.direct_call(call, arguments),
            (None, None) => self.evaluation(compiled),
        };
        Some(Condition {
            index: Some(index),
            constant,
        })
    }

    /// Compiles a score: a call of a scorer, or an expression.
    pub(super) fn score(&mut self, code: &ExprSource, site: &Site) -> Option<ConditionIndex> {
        if let Ok(call) = statewright_author::expr::parse_call(&code.value)
            && self.is_scorer(&call.name.value, site)
        {
            let (name, arguments) = call.spanned(code);
            let arguments = given(&arguments);
            let call = self.call(&name, FunctionKind::Scorer, &arguments, site)?;
            return Some(self.actions.condition(call));
        }
        let compiled = self.expression(code, None, Expected::F32, site)?;
        Some(self.evaluation(compiled))
    }

    /// A guard that is nothing but a call: its arguments are expressions of their own, so that its code
    /// is not lost (SEL-7).
    fn direct_call(&mut self, call: u16, arguments: Vec<Compiled>) -> ConditionIndex {
        let arguments = arguments
            .into_iter()
            .map(|argument| self.actions.expression(argument))
            .collect::<Vec<_>>();
        let call = ConditionIndex::new(usize::from(call));
        self.actions.direct_call(call, &arguments)
    }

    /// A condition that evaluates an expression.
    fn evaluation(&mut self, compiled: Compiled) -> ConditionIndex {
        let expression = self.actions.expression(compiled);
        let evaluate = action(ActionOp::Evaluate, 0, narrow(expression), 0);
        self.actions.condition(evaluate)
    }

    /// Number and type of the scratch of a name that code sees where it stands: of its own state, or of
    /// the nearest one around it (LANG-8).
    pub(super) fn scratch(&self, name: &str, site: &Site) -> Option<(u16, ScratchType)> {
        let own = std::iter::once(site.names).chain(self.tree.ancestors(site.names));
        own.into_iter().find_map(|owner| {
            let all = &self.tree.states[owner].authored.scratch;
            let at = all.iter().position(|one| one.name.value == name)?;
            let ty = all[at].ty.as_ref()?.value;
            let before = self.tree.states.enumerate();
            let before = before.take_while(|(state, _)| *state != owner);
            let before: usize = before.map(|(_, node)| node.authored.scratch.len()).sum();
            Some(((before + at) as u16, ty))
        })
    }

    /// Scratch of a name that code does not see where it stands: that of another state, or without a
    /// type.
    pub(super) fn unseen_scratch(
        &self,
        name: &Name,
        code: DiagnosticCode,
        site: &Site,
    ) -> Option<Diagnostic> {
        let mut states = self.tree.states.enumerate();
        let (owner, scratch) = states.find_map(|(owner, node)| {
            let mut all = node.authored.scratch.iter();
            Some((owner, all.find(|one| one.name.value == name.value)?))
        })?;
        let mut seen = std::iter::once(site.names).chain(self.tree.ancestors(site.names));
        let (word, path) = (&name.value, self.tree.path(owner));
        let problem = |text: String| Diagnostic::new(code, name.span, text);
        let problem = match (&scratch.ty, seen.any(|state| state == owner)) {
            (None, true) => problem(format!("scratch `{word}` has no type that an expression can hold"))
                .label("only functions of the game use it")
                .help(format!("give it one: `\"{word}\": \"u16\"`, `\"i16\"` or `\"bool\"`")),
            _ => problem(format!("`{word}` is scratch of state `{path}`, and lives no longer than it"))
                .label("not in this state or around it")
                .help(format!("use it in `{path}` or a state inside; what others need, too, is a key of the `\"blackboard\"`")),
        };
        Some(problem.related(scratch.name.span, "declared here"))
    }

    /// What a declared value function gives (LANG-11).
    fn value_function(&self, name: &str) -> Option<ValueType> {
        let declared = self.names.functions.get(name)?;
        let function = &self.machine.functions[declared.position()];
        // One that does not say it is an error of its own (SW0150); most give numbers.
        let returns = function.returns.as_ref().map(|returns| returns.value);
        (function.kind.value == FunctionKind::Value).then(|| returns.unwrap_or(ValueType::F32))
    }

    /// A name in a score is a scorer unless it is scratch, a key, a parameter, a value function or a
    /// function of the expression language.
    fn is_scorer(&self, name: &str, site: &Site) -> bool {
        self.scratch(name, site).is_none()
            && self.value_function(name).is_none()
            && self.names.keys.get(name).is_none()
            && self.names.parameters.get(name).is_none()
            && !expr::is_built_in(name)
    }
}

fn of_expression(argument: &HostArgument) -> Given {
    Given {
        in_list: false,
        name: argument.name.clone(),
        span: argument.span,
        value: match &argument.value {
            HostValue::Literal(literal) => GivenValue::Literal(literal.clone()),
            HostValue::Constant(constant) => GivenValue::Constant(*constant),
            HostValue::Stack(ty) => GivenValue::Stack(*ty),
        },
    }
}

/// The state in an operand of an instruction.
fn state_index(operand: u16) -> StateIndex {
    StateIndex::new(usize::from(operand))
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
        self.resolver.tree.path(state_index(state))
    }

    fn symbol_text(&self, number: u32) -> String {
        self.resolver.actions.symbol_text(number).to_owned()
    }

    fn scratch_name(&self, scratch: u16) -> String {
        let states = &self.resolver.tree.states;
        let mut all = states.into_iter().flat_map(|state| &state.authored.scratch);
        all.nth(usize::from(scratch))
            .map_or_else(String::new, |one| one.name.value.clone())
    }

    fn guard_text(&self, op: u16) -> CallText {
        let condition = ConditionIndex::new(usize::from(op));
        let text = self.resolver.actions.call_text(condition);
        text.unwrap_or_else(|| CallText {
            function: String::new(),
            arguments: Vec::new(),
        })
    }
}

impl Scope for ResolverScope<'_, '_> {
    fn key(&self, name: &str) -> Option<(u16, ValueType)> {
        let key = self.resolver.names.keys.get(name)?;
        self.resolver.usage.keys.borrow_mut().insert(key);
        let declared = &self.resolver.machine.blackboard[key.position()];
        Some((narrow(key), declared.ty.value))
    }

    fn parameter(&self, name: &str) -> Option<(u16, ValueType)> {
        let parameter = self.resolver.names.parameters.get(name)?;
        let used = &self.resolver.usage.parameters;
        used.borrow_mut().insert(parameter);
        let declared = &self.resolver.machine.parameters[parameter.position()];
        Some((narrow(parameter), declared.ty.value.value()))
    }

    fn names(&self) -> Vec<String> {
        self.values().map(str::to_owned).collect()
    }

    fn declaration(&self, name: &str, wanted: Option<ValueType>) -> String {
        if name.contains('/') {
            return self.parameters_of_parts(name);
        }
        if self.site.is_fixed {
            return format!("add `\"{name}\": 1.0` to `\"parameters\"`");
        }
        let ty = wanted.unwrap_or(ValueType::I32);
        let key = format!("add `\"{name}\": \"{ty}\"` to `\"blackboard\"`");
        match wanted {
            // No file knows an entity.
            Some(ValueType::Entity) => key,
            None | Some(ValueType::Symbol) => {
                format!("{key}, or a value to `\"parameters\"`; a text needs quotes: `'{name}'`")
            }
            Some(_) => format!("{key}, or a value to `\"parameters\"`"),
        }
    }

    fn unreadable(&self, name: &Name) -> Option<Diagnostic> {
        let code = DiagnosticCode::UnknownInExpression;
        self.resolver.unseen_scratch(name, code, self.site)
    }

    fn payload(&self) -> Option<Payload> {
        self.site.payload.as_ref().ok().copied()
    }

    fn no_payload(&self) -> NoPayload {
        let why = self.site.payload.as_ref().err();
        why.cloned().unwrap_or_else(|| NoPayload::none(""))
    }

    fn state(&mut self, name: &Name) -> Option<u16> {
        match self.resolver.target(name, self.site.names)? {
            Target::State(state) => Some(narrow(state)),
            Target::History(_) => {
                let text = format!("`{}` is a history point, not a state", name.value);
                self.resolver.report(
                    Diagnostic::new(DiagnosticCode::UnknownState, name.span, text)
                        .label("never active"),
                );
                None
            }
        }
    }

    fn own_state(&self) -> u16 {
        narrow(self.site.state)
    }

    fn scratch(&self, name: &str) -> Option<(u16, ScratchType)> {
        self.resolver.scratch(name, self.site)
    }

    fn value_function(&self, name: &str) -> Option<ValueType> {
        self.resolver.value_function(name)
    }

    fn parameters(&self, function: &str) -> Option<Vec<(String, ValueType)>> {
        let declared = self.resolver.names.functions.get(function)?;
        let function = &self.resolver.machine.functions[declared.position()];
        let parameters = function.parameters.iter();
        Some(
            parameters
                .map(|(name, ty)| (name.value.clone(), ty.value))
                .collect(),
        )
    }

    fn host_call(
        &mut self,
        function: &Name,
        kind: FunctionKind,
        arguments: &[HostArgument],
    ) -> Option<u16> {
        let first = !self.resolver.actions.knows(&function.value);
        let free = !self.resolver.machine.must_declare(function.span);
        let is_declared = self.resolver.names.functions.get(&function.value).is_some();
        if first && free && !is_declared && kind == FunctionKind::Guard {
            self.warn_of_slip(function, arguments.len());
        }
        let arguments: Vec<Given> = arguments.iter().map(of_expression).collect();
        let call = self.resolver.call(function, kind, &arguments, self.site)?;
        Some(narrow(self.resolver.actions.condition(call)))
    }

    fn symbol(&mut self, text: &Name) -> u32 {
        self.resolver.actions.symbol(&text.value, text.span)
    }
}

impl ResolverScope<'_, '_> {
    /// Names of keys and parameters, as far as code may read them here.
    fn values(&self) -> impl Iterator<Item = &str> {
        let names = &self.resolver.names;
        let keys = names.keys.names().iter();
        let keys = keys.filter(|_| !self.site.is_fixed);
        keys.chain(names.parameters.names()).copied()
    }

    /// What there is instead of a parameter that no part has.
    fn parameters_of_parts(&self, name: &str) -> String {
        const MOST_LISTED: usize = 12;
        let all = self.resolver.names.parameters.names().iter();
        let all: Vec<&str> = all.copied().filter(|one| one.contains('/')).collect();
        let part = name.rsplit_once('/').map_or("", |(part, _)| part);
        let is_beside = |one: &&str| one.rsplit_once('/').is_some_and(|(of, _)| of == part);
        let beside: Vec<&str> = all.iter().copied().filter(is_beside).collect();
        let listed = if beside.is_empty() { all } else { beside };
        let quoted = listed.iter().take(MOST_LISTED);
        let quoted: Vec<String> = quoted.map(|one| format!("`` `{one}` ``")).collect();
        match quoted.is_empty() {
            true => "a name with `/` is a parameter of a part, and no part here has one".to_owned(),
            false => format!("the parameters of parts are {}", quoted.join(", ")),
        }
    }

    /// A value that was meant: it is one slip, not a key that nobody uses.
    fn use_value(&self, name: &str) {
        let (names, usage) = (&self.resolver.names, &self.resolver.usage);
        usage.keys.borrow_mut().extend(names.keys.get(name));
        let parameter = names.parameters.get(name);
        usage.parameters.borrow_mut().extend(parameter);
    }

    /// Without declared functions any name is a guard of the host, also a misspelled key, and a key
    /// with parentheses.
    fn warn_of_slip(&mut self, function: &Name, arguments: usize) {
        let (names, name) = (&self.resolver.names, &function.value);
        let value = match (names.keys.get(name), names.parameters.get(name)) {
            (Some(_), _) => Some("blackboard key"),
            (None, Some(_)) => Some("parameter"),
            (None, None) => None,
        };
        if let Some(value) = value {
            self.use_value(name);
            let text = format!("guard function `{name}` has the name of a {value}");
            let code = DiagnosticCode::GuardLooksLikeKey;
            return self.resolver.report(
                Diagnostic::new(code, function.span, text)
                    .label("called, so a function in Rust")
                    .help(format!(
                        "to read the {value}, write `{name}` without parentheses; if the function is meant, declare it under `\"functions\"`"
                    )),
            );
        }
        if arguments > 0 {
            return;
        }
        // Every function is compared with every name, so only where both are few.
        const MOST_COMPARED: usize = 256;
        let names = &self.resolver.names;
        let count = names.keys.names().len() + names.parameters.names().len();
        if count > MOST_COMPARED || self.resolver.actions.functions().len() > MOST_COMPARED {
            return;
        }
        let Some(meant) = self.values().find(|name| is_slip(&function.value, name)) else {
            return;
        };
        self.use_value(meant);
        let text = format!(
            "guard function `{}` has almost the name of `{meant}`",
            function.value
        );
        self.resolver.report(
            Diagnostic::new(DiagnosticCode::GuardLooksLikeKey, function.span, text)
                .label("not a key or parameter, so a function in Rust")
                .help(format!(
                    "did you mean `{meant}`? If not, declare the function under `\"functions\"`"
                ))
                .fix(Fix::name(function.span, meant)),
        );
    }
}
