//! Actions become records (CODE-3, CODE-4).

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::expr::{ActionText, Expr, parse, parse_action};
use statewright_author::graph::{Action, ActionKind, Argument, ArgumentValue, ExprSource};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{FunctionKind, Literal, ScratchType, ValueType};
use statewright_rom::layout::{ActionOp, ArgumentRecord, ArgumentSource, NONE, OpRecord};
use zerocopy::byteorder::little_endian::{U16, U32};

use super::Resolver;
use super::scope::Site;
use crate::actions::{action as record, halves, narrow};
use crate::expr::{Constant, Expected, syntax_diagnostic};
use crate::index::{ActionListIndex, EventIndex, ExpressionIndex, Index};
use crate::model::EmitUse;
use crate::names::with_article;
use crate::numbers;
use crate::tree::Target;

/// An argument as a call has it, before it is a record (LANG-4).
pub(super) struct Given {
    pub(super) name: Option<Name>,
    pub(super) span: Span,
    pub(super) value: GivenValue,
    /// It stands in a list or an object of the file, not in the text of a call.
    pub(super) in_list: bool,
}

/// Where the value of an argument comes from.
pub(super) enum GivenValue {
    Literal(Literal),
    /// An expression, to be compiled for the type that the declaration asks for.
    Code(ExprSource),
    /// Known to the expression that calls.
    Constant(Constant),
    /// Computed by the expression that calls.
    Stack(ValueType),
}

impl Given {
    fn of(argument: &Argument, in_list: bool) -> Self {
        Self {
            in_list,
            name: argument.name.clone(),
            span: argument.value.span(),
            value: match &argument.value {
                ArgumentValue::Literal(literal) => GivenValue::Literal(literal.value.clone()),
                ArgumentValue::Code(code) => GivenValue::Code(code.clone()),
            },
        }
    }
}

impl Given {
    /// The text of a list that reads as an expression.
    fn code_as_text(&self) -> Option<&str> {
        match &self.value {
            GivenValue::Literal(Literal::Text(text)) if self.in_list => {
                parse(text).is_ok().then_some(text.as_str())
            }
            _ => None,
        }
    }
}

/// The arguments in the text of an action, an activity or a scorer.
pub(super) fn given(arguments: &[Argument]) -> Vec<Given> {
    let of = |argument| Given::of(argument, false);
    arguments.iter().map(of).collect()
}

/// The same of a call that is written as an object.
fn given_in_list(arguments: &[Argument]) -> Vec<Given> {
    let of = |argument| Given::of(argument, true);
    arguments.iter().map(of).collect()
}

/// What a function is declared as.
#[derive(Default)]
struct Declared {
    rng: bool,
    returns: Option<ValueType>,
    /// `None` if nothing is said about arguments.
    types: Option<Vec<(Name, ValueType)>>,
}

/// Place of an argument in the list as written, with the name and type that the declaration gives it.
type DeclaredArgument<'x> = (usize, Option<&'x str>, Option<ValueType>);

/// Most records of one list; each `if` is one, and one more if it has an `else`.
const MAX_LIST_RECORDS: usize = u16::MAX as usize;

/// Most arguments of one call.
const MAX_ARGUMENTS: usize = statewright_rom::layout::MAX_ARGUMENTS as usize;

impl Resolver<'_> {
    /// Compiles a list; muted actions are left out.
    pub(super) fn action_list(
        &mut self,
        actions: &[Action],
        site: &Site,
    ) -> Option<ActionListIndex> {
        let records = self.list_records(actions, site);
        if records.len() > MAX_LIST_RECORDS {
            let span = actions
                .first()
                .map_or_else(Span::default, |action| action.span);
            let text = format!(
                "{} actions in one list, but at most {MAX_LIST_RECORDS} fit",
                records.len()
            );
            let problem = Diagnostic::new(DiagnosticCode::TableFull, span, text)
                .label("the list begins here");
            self.diagnostics
                .push(problem.help("let a function of the game do it"));
            return None;
        }
        self.actions.list(records)
    }

    fn list_records(&mut self, actions: &[Action], site: &Site) -> Vec<OpRecord> {
        let mut records = Vec::new();
        for action in actions.iter().filter(|action| !action.muted) {
            match &action.kind {
                ActionKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    records.extend(self.conditional(condition, then, otherwise, site));
                }
                _ => records.extend(self.action(action, site)),
            }
        }
        records
    }

    /// Records of an `if`: the condition leaves out the first list, whose end leaves out the second.
    /// Nothing to run, nothing to ask.
    fn conditional(
        &mut self,
        condition: &ExprSource,
        then: &[Action],
        other: &[Action],
        site: &Site,
    ) -> Vec<OpRecord> {
        let (mut then, other) = (
            self.list_records(then, site),
            self.list_records(other, site),
        );
        if then.is_empty() && other.is_empty() {
            return Vec::new();
        }
        let Some(condition) = self.expression(condition, None, Expected::Bool, site) else {
            return Vec::new();
        };
        if !other.is_empty() {
            then.push(record(ActionOp::Skip, 0, 0, other.len() as u32));
        }
        let condition = self.actions.expression(condition);
        let first = record(ActionOp::Unless, 0, narrow(condition), then.len() as u32);
        std::iter::once(first).chain(then).chain(other).collect()
    }

    fn action(&mut self, action: &Action, site: &Site) -> Option<OpRecord> {
        match &action.kind {
            ActionKind::Text(code) => self.text_action(code, site),
            ActionKind::Call {
                function,
                arguments,
            } => {
                let arguments = given_in_list(arguments);
                self.call(function, FunctionKind::Action, &arguments, site)
            }
            ActionKind::Set { key, value } => self.write(ActionOp::Set, key, value, None, site),
            ActionKind::Add { key, value } => self.write(ActionOp::Add, key, value, None, site),
            ActionKind::Raise { event, payload } => {
                let (event, payload) = self.post(event, payload.as_ref(), site)?;
                Some(record(
                    ActionOp::Raise,
                    0,
                    narrow(event),
                    halves(payload, Some(0)),
                ))
            }
            ActionKind::Send { event, payload, to } => {
                if to.is_some() {
                    // The receiver handles it.
                    self.usage
                        .handled
                        .extend(self.names.events.get(&event.value));
                }
                // All are looked at before any of them is found wanting.
                let posted = self.post(event, payload.as_ref(), site);
                let to = to
                    .as_ref()
                    .map(|code| self.value(code, ValueType::Entity, site));
                let (event, payload) = posted?;
                let to = match to {
                    Some(to) => Some(to?),
                    None => None,
                };
                Some(record(
                    ActionOp::Send,
                    0,
                    narrow(event),
                    halves(payload, to.map(narrow)),
                ))
            }
            ActionKind::Emit {
                command,
                lane,
                payload,
            } => self.emit(command, lane, payload.as_ref(), site),
            ActionKind::StartTimer { timer, after } => {
                let index = self.timer(timer, site.names)?;
                self.usage.started.insert(index);
                let duration = self.armed(after, site);
                let word = duration.raw();
                Some(record(ActionOp::StartTimer, 0, narrow(index), word))
            }
            ActionKind::StopTimer { timer } => {
                let index = self.timer(timer, site.names)?;
                Some(record(ActionOp::StopTimer, 0, narrow(index), 0))
            }
            ActionKind::ClearHistory { state } => self.clear_history(state, site),
            // A list of its own.
            ActionKind::If { .. } => None,
        }
    }

    fn text_action(&mut self, code: &ExprSource, site: &Site) -> Option<OpRecord> {
        match parse_action(&code.value) {
            Ok(ActionText::Call(call)) => {
                let (name, arguments) = call.spanned(code);
                self.call(&name, FunctionKind::Action, &given(&arguments), site)
            }
            Ok(ActionText::Set { key, value }) => self.write(
                ActionOp::Set,
                &spanned(code, &key),
                code,
                Some(&value),
                site,
            ),
            Ok(ActionText::Add { key, value }) => self.write(
                ActionOp::Add,
                &spanned(code, &key),
                code,
                Some(&value),
                site,
            ),
            Err(error) if error.too_large => {
                self.report(syntax_diagnostic(code, error));
                None
            }
            Err(error) => {
                let problem = Diagnostic::new(
                    DiagnosticCode::NotAnAction,
                    code.span.within(error.range),
                    error.message,
                );
                let help = error.help.unwrap_or_else(|| {
                    "an action is a function such as `Shout` or `Shout(3)`, or an assignment such as `ammo -= 1`".into()
                });
                self.report(problem.help(help));
                None
            }
        }
    }

    /// Writes scratch: the value must fit its type, and only numbers can be added to (LANG-8).
    fn write_scratch(
        &mut self,
        kind: ActionOp,
        name: &Name,
        (scratch, ty): (u16, ScratchType),
        (code, ast): (&ExprSource, Option<&Expr>),
        site: &Site,
    ) -> Option<OpRecord> {
        let kind = match kind {
            ActionOp::Add if ty == ScratchType::Bool => {
                self.report(
                    Diagnostic::new(
                        DiagnosticCode::ExpressionType,
                        name.span,
                        format!("nothing can be added to `{}`, which is bool", name.value),
                    )
                    .label("this is bool")
                    .help("use `=`"),
                );
                return None;
            }
            ActionOp::Add => ActionOp::AddScratch,
            _ => ActionOp::SetScratch,
        };
        let compiled = self.expression(code, ast, Expected::Scratch(ty), site)?;
        let expression = self.actions.expression(compiled);
        Some(record(kind, 0, narrow(expression), scratch.into()))
    }

    /// Writes a key: the value must fit its type, and only numbers can be added to.
    fn write(
        &mut self,
        kind: ActionOp,
        key: &Name,
        code: &ExprSource,
        ast: Option<&Expr>,
        site: &Site,
    ) -> Option<OpRecord> {
        if let Some(scratch) = self.scratch(&key.value, site) {
            return self.write_scratch(kind, key, scratch, (code, ast), site);
        }
        if let Some(parameter) = self.names.parameters.get(&key.value) {
            let declared = self.machine.parameters[parameter.position()].name.span;
            self.report(writes_parameter(key, declared));
            return None;
        }
        if self.names.keys.get(&key.value).is_none()
            && let Some(problem) = self.unseen_scratch(key, DiagnosticCode::UnknownKey, site)
        {
            self.report(problem);
            return None;
        }
        let index = self.names.keys.find(key, &mut self.diagnostics)?;
        self.usage.keys.get_mut().insert(index);
        let ty = self.machine.blackboard[index.position()].ty.value;
        let adds = numbers::value_type(ty).adds();
        if kind == ActionOp::Add && !adds {
            self.report(
                Diagnostic::new(
                    DiagnosticCode::ExpressionType,
                    key.span,
                    format!("nothing can be added to `{}`, which is {ty}", key.value),
                )
                .label(format!("this is {ty}"))
                .help("only i32, f32, vec2 and vec3 can be added to; use `=`"),
            );
            return None;
        }
        self.usage.writes.push((index, site.writer, key.span));
        let compiled = self.expression(code, ast, Expected::Type(ty), site)?;
        let expression = self.actions.expression(compiled);
        Some(record(kind, 0, narrow(expression), index.position() as u32))
    }

    /// An expression of a known type, interned.
    fn value(&mut self, code: &ExprSource, ty: ValueType, site: &Site) -> Option<ExpressionIndex> {
        let compiled = self.expression(code, None, Expected::Type(ty), site)?;
        Some(self.actions.expression(compiled))
    }

    /// Event and payload of a raise or send.
    fn post(
        &mut self,
        name: &Name,
        payload: Option<&ExprSource>,
        site: &Site,
    ) -> Option<(EventIndex, Option<ExpressionIndex>)> {
        let event = self.names.events.find(name, &mut self.diagnostics)?;
        if !self.usage.posted.iter().any(|seen| seen.value == event) {
            self.usage.posted.push(Spanned::new(event, name.span));
        }
        let Some(code) = payload else {
            return Some((event, None));
        };
        let declared = &self.machine.events[event.position()];
        let wanted = match declared.payload.as_ref().map(|p| p.value) {
            _ if declared.indirect => ValueType::I32,
            Some(statewright_author::graph::Payload::Value(ty)) => ty,
            Some(statewright_author::graph::Payload::U32) => ValueType::I32,
            other => {
                let name = &name.value;
                let (text, label, help) = match other {
                    None => (
                        format!("event `{name}` carries no payload"),
                        "would be lost",
                        format!("remove `payload`, or declare `\"{name}\": {{ \"payload\": \"i32\" }}`"),
                    ),
                    Some(_) => (
                        format!("the payload of event `{name}` cannot be written as an expression"),
                        "cannot be written here",
                        "declare another payload such as `\"i32\"` or `\"vec3\"`, or post the event from Rust"
                            .to_owned(),
                    ),
                };
                self.report(
                    Diagnostic::new(DiagnosticCode::PayloadMismatch, code.span, text)
                        .label(label)
                        .related(declared.name.span, "declared here")
                        .help(help),
                );
                return None;
            }
        };
        Some((event, Some(self.value(code, wanted, site)?)))
    }

    fn emit(
        &mut self,
        command: &Name,
        lane: &Name,
        payload: Option<&ExprSource>,
        site: &Site,
    ) -> Option<OpRecord> {
        let lane = self.names.lane(lane, &mut self.diagnostics)?;
        let payload = match payload {
            Some(code) => {
                let compiled = self.expression(code, None, Expected::AnyType, site)?;
                Some(self.actions.expression(compiled))
            }
            None => None,
        };
        let (name, span) = (&command.value, command.span);
        let command = self.actions.string(name, span);
        self.usage.emits.push(EmitUse {
            lane,
            command,
            writer: site.writer,
            trigger: site.trigger,
            span,
        });
        Some(record(
            ActionOp::Emit,
            0,
            narrow(command),
            halves(payload, Some(narrow(lane))),
        ))
    }

    fn clear_history(&mut self, name: &Name, site: &Site) -> Option<OpRecord> {
        let state = match self.target(name, site.names)? {
            Target::State(state) => state,
            Target::History(history) => self.tree.histories[history].owner,
        };
        if self.tree.states[state].histories.is_empty() {
            let text = format!("state `{}` has no history points", name.value);
            self.report(
                Diagnostic::new(DiagnosticCode::HistoryWithoutChildren, name.span, text)
                    .label("nothing to clear")
                    .help("name a state with `history`"),
            );
            return None;
        }
        Some(record(ActionOp::ClearHistory, 0, narrow(state), 0))
    }

    /// A call of a user function; checks its declaration, if functions are declared.
    pub(super) fn call(
        &mut self,
        name: &Name,
        kind: FunctionKind,
        arguments: &[Given],
        site: &Site,
    ) -> Option<OpRecord> {
        let declared = self.declaration(name, kind)?;
        let records = self.call_arguments(name, arguments, declared.types.as_deref(), site)?;
        let facts = (declared.rng, declared.returns);
        match self.actions.function(&name.value, kind, facts, name.span) {
            Ok(function) => Some(self.actions.call(function, &records)),
            Err(other) => {
                self.report(kind_conflict(name, kind, other.kind, other.spans[0]));
                None
            }
        }
    }

    /// What is said about a function under `functions`; nothing is fine while only value functions
    /// are declared.
    fn declaration(&mut self, name: &Name, kind: FunctionKind) -> Option<Declared> {
        let Some(declared) = self.names.functions.get(&name.value) else {
            if self.machine.must_declare(name.span) {
                self.report(self.undeclared(name, kind));
                return None;
            }
            return Some(Declared::default());
        };
        self.usage.functions.insert(declared);
        let function = &self.machine.functions[declared.position()];
        if function.kind.value != kind {
            self.report(kind_conflict(
                name,
                kind,
                function.kind.value,
                function.name.span,
            ));
            return None;
        }
        let parameters = function.parameters.iter();
        Some(Declared {
            rng: function.rng,
            returns: function.returns.as_ref().map(|returns| returns.value),
            types: Some(
                parameters
                    .map(|(name, ty)| (name.clone(), ty.value))
                    .collect(),
            ),
        })
    }

    /// A function that should have been declared; as a guard it may be a misspelled key or
    /// parameter.
    fn undeclared(&self, name: &Name, kind: FunctionKind) -> Diagnostic {
        let values = self
            .names
            .keys
            .names()
            .iter()
            .chain(self.names.parameters.names());
        let values = values.filter(|_| kind == FunctionKind::Guard);
        let known = self.names.functions.names().iter().chain(values).copied();
        self.names.functions.not_found_among(
            name,
            known,
            &format!("\"{}\": \"{kind}\"", name.value),
        )
    }

    fn call_arguments(
        &mut self,
        function: &Name,
        arguments: &[Given],
        types: Option<&[(Name, ValueType)]>,
        site: &Site,
    ) -> Option<Vec<ArgumentRecord>> {
        if let Some(problem) = named_twice(function, arguments) {
            self.report(problem);
            return None;
        }
        let most = types.map_or(MAX_ARGUMENTS, <[_]>::len);
        if arguments.len() > most || types.is_some_and(|types| types.len() != arguments.len()) {
            let wanted = types.map_or(format!("at most {MAX_ARGUMENTS} arguments"), |types| {
                count(types.len(), "argument")
            });
            let text = format!(
                "function `{}` takes {wanted}, {} given",
                function.value,
                arguments.len()
            );
            let problem = Diagnostic::new(DiagnosticCode::BadArguments, function.span, text)
                .label("arguments do not fit");
            self.report(match types {
                Some(types) => problem.help(format!(
                    "it is declared as `{}`",
                    signature(&function.value, types)
                )),
                None => problem,
            });
            return None;
        }
        let ordered = self.order_arguments(function, arguments, types)?;
        // Records stand as declared; they are evaluated as written.
        let mut records: Vec<Option<ArgumentRecord>> = vec![None; ordered.len()];
        let mut place = 0;
        for (written, argument) in arguments.iter().enumerate() {
            let at = ordered.iter().position(|(index, ..)| *index == written);
            let Some((at, (_, name, ty))) = at.map(|at| (at, ordered[at])) else {
                continue;
            };
            let record = self.argument(argument, name, ty, &mut place, site);
            records[at] = record;
        }
        records.into_iter().collect()
    }

    /// Arguments in the order of the declaration, with the name and type each has there.
    fn order_arguments<'x>(
        &mut self,
        function: &Name,
        arguments: &'x [Given],
        types: Option<&'x [(Name, ValueType)]>,
    ) -> Option<Vec<DeclaredArgument<'x>>> {
        let Some(types) = types else {
            let plain = |(at, given): (usize, &'x Given)| {
                (at, given.name.as_ref().map(|n| n.value.as_str()), None)
            };
            return Some(arguments.iter().enumerate().map(plain).collect());
        };
        let mut ordered = Vec::new();
        let unknown = arguments
            .iter()
            .filter_map(|a| a.name.as_ref())
            .find(|n| types.iter().all(|(t, _)| t.value != n.value));
        if let Some(unknown) = unknown {
            let text = format!(
                "function `{}` has no parameter `{}`",
                function.value, unknown.value
            );
            self.report(
                Diagnostic::new(DiagnosticCode::BadArguments, unknown.span, text)
                    .label("no such parameter")
                    .help(format!(
                        "it is declared as `{}`",
                        signature(&function.value, types)
                    )),
            );
            return None;
        }
        for (position, (name, ty)) in types.iter().enumerate() {
            let by_name = |a: &Given| a.name.as_ref().is_some_and(|n| n.value == name.value);
            let unnamed = |at: &usize| arguments.get(*at).is_some_and(|a| a.name.is_none());
            let found = arguments
                .iter()
                .position(by_name)
                .or_else(|| Some(position).filter(unnamed));
            match found {
                Some(argument) => ordered.push((argument, Some(name.value.as_str()), Some(*ty))),
                None => {
                    let text = format!(
                        "function `{}` needs the argument `{}`",
                        function.value, name.value
                    );
                    self.report(
                        Diagnostic::new(DiagnosticCode::BadArguments, function.span, text)
                            .label("argument missing")
                            .help(format!(
                                "it is declared as `{}`",
                                signature(&function.value, types)
                            )),
                    );
                    return None;
                }
            }
        }
        Some(ordered)
    }

    /// The record of an argument; `place` counts the computed ones.
    fn argument(
        &mut self,
        argument: &Given,
        name: Option<&str>,
        ty: Option<ValueType>,
        place: &mut u32,
        site: &Site,
    ) -> Option<ArgumentRecord> {
        let (ty, source, words) = match &argument.value {
            GivenValue::Literal(literal) => {
                let ty = ty.unwrap_or_else(|| literal.natural_type());
                if let (Some(text), true) = (argument.code_as_text(), ty != ValueType::Symbol) {
                    self.report(computed_as_text(argument.span, text, ty));
                    return None;
                }
                let literal = Spanned::new(literal.clone(), argument.span);
                let words = self.literal(&literal, ty, "argument")?;
                (ty, ArgumentSource::Literal, words)
            }
            GivenValue::Constant(constant) => {
                (constant.ty(), ArgumentSource::Literal, constant.words())
            }
            GivenValue::Code(code) => {
                let expected = ty.map_or(Expected::AnyType, Expected::Type);
                let compiled = self.expression(code, None, expected, site)?;
                match compiled.constant {
                    Some(constant) => (compiled.ty, ArgumentSource::Literal, constant.words()),
                    None => {
                        let ty = compiled.ty;
                        let code = self.actions.expression(compiled);
                        (
                            ty,
                            ArgumentSource::Expression,
                            [narrow(code).into(), *place, 0],
                        )
                    }
                }
            }
            GivenValue::Stack(ty) => (*ty, ArgumentSource::Stack, [0, *place, 0]),
        };
        *place += u32::from(source != ArgumentSource::Literal);
        let name = name.map(|name| self.actions.string(name, argument.span));
        Some(ArgumentRecord {
            ty: numbers::value_type(ty).into(),
            source: source.into(),
            name: U16::new(name.map_or(NONE, narrow)),
            words: words.map(U32::new),
        })
    }
}

/// `Shout(text: symbol, loudness: f32)`.
fn signature(function: &str, types: &[(Name, ValueType)]) -> String {
    let parameters: Vec<String> = types
        .iter()
        .map(|(name, ty)| format!("{}: {ty}", name.value))
        .collect();
    format!("{function}({})", parameters.join(", "))
}

/// An argument whose name another one before has.
fn named_twice(function: &Name, arguments: &[Given]) -> Option<Diagnostic> {
    let mut names: Vec<&Name> = Vec::new();
    for name in arguments.iter().filter_map(|one| one.name.as_ref()) {
        if let Some(first) = names.iter().find(|first| first.value == name.value) {
            let text = format!(
                "argument `{}` of function `{}` is given twice",
                name.value, function.value
            );
            let problem = Diagnostic::new(DiagnosticCode::BadArguments, name.span, text);
            let problem = problem.label("again").help("keep one of them");
            return Some(problem.related(first.span, "first given here"));
        }
        names.push(name);
    }
    None
}

fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn spanned(code: &ExprSource, name: &Spanned<String>) -> Name {
    let range = name.span.start as usize..name.span.end as usize;
    Name::new(name.value.clone(), code.span.within(range))
}

fn kind_conflict(name: &Name, used: FunctionKind, other: FunctionKind, span: Span) -> Diagnostic {
    let (used, other) = (with_article(used.as_str()), with_article(other.as_str()));
    let text = format!(
        "function `{}` is used as {used}, but it is {other} elsewhere",
        name.value
    );
    Diagnostic::new(DiagnosticCode::FunctionKindConflict, name.span, text)
        .label(format!("used as {used}"))
        .related(span, format!("is {other} here"))
        .help("a function has one kind; use two functions")
}

/// An expression where values stand: texts are symbols there.
fn computed_as_text(span: Span, text: &str, ty: ValueType) -> Diagnostic {
    let wanted = with_article(ty.as_str());
    let message = format!("this argument must be {wanted}, but it is the text \"{text}\"");
    Diagnostic::new(DiagnosticCode::LiteralType, span, message)
        .label(format!("not {wanted}"))
        .help(format!(
            "write `{{ \"value\": \"{text}\" }}` for an expression"
        ))
}

/// A parameter is set by the host and by variants, never by a machine.
fn writes_parameter(name: &Name, declared: Span) -> Diagnostic {
    let text = format!(
        "`{}` is a parameter, which machines do not write",
        name.value
    );
    Diagnostic::new(DiagnosticCode::UnknownKey, name.span, text)
        .label("cannot be written")
        .related(declared, "declared here")
        .help("move it from `\"parameters\"` to `\"blackboard\"`, or write a key of another name")
}
