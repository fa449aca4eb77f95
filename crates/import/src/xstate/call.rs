//! Owns guards and actions: names of functions, with literal parameters.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use statewright_author::graph::{Action, ActionKind, Argument, ArgumentValue, ExprSource};
use statewright_author::names::{check_event, check_identifier, check_key};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::text::json;
use statewright_author::value::{FunctionKind, Literal};

use super::tree::key_name;
use super::{Reader, fields};
use crate::literal::literal_text;
use crate::report::{ignored, illegal, refused, shown};

impl Reader<'_, '_> {
    /// The guard of a transition: a name, a name with parameters, or several joined.
    pub(super) fn guard(&mut self, value: &Value, source: usize) -> Option<ExprSource> {
        let text = self.guard_text(value, source)?;
        let span = match value.as_string_lit() {
            Some(literal) => json::string_span(self.text, literal),
            None => json::span(value.range()),
        };
        Some(Spanned::new(text, span))
    }

    fn guard_text(&mut self, value: &Value, source: usize) -> Option<String> {
        match value {
            Value::StringLit(_) => {
                let name = self.name_of(value)?;
                self.guard_call(&name, &[])
            }
            Value::Object(object) => self.guard_object(object, source),
            other => {
                self.out.push(fields::wrong_kind(
                    other,
                    "a guard",
                    "a name, or an object with a `type`",
                ));
                None
            }
        }
    }

    fn guard_object(&mut self, object: &Object, source: usize) -> Option<String> {
        let name = self.type_of(object, "a guard")?;
        let kind = name.value.strip_prefix("xstate.").unwrap_or(&name.value);
        match kind {
            "and" | "or" | "not" => return self.joined(object, kind, source),
            "stateIn" => return self.state_in(object, &name, source),
            _ if name.value.starts_with("xstate.") => {
                self.out.push(refused(
                    name.span,
                    format!("the guard `{}` cannot be imported", shown(&name.value)),
                ));
                return None;
            }
            _ => {}
        }
        fields::check(
            object,
            "a guard",
            |key| ["type", "params"].contains(&key),
            self.out,
        );
        let arguments = self.arguments(object)?;
        self.guard_call(&name, &arguments)
    }

    /// `and`, `or` and `not` of other guards.
    fn joined(&mut self, object: &Object, kind: &str, source: usize) -> Option<String> {
        let inner = object
            .get("guards")
            .or_else(|| object.get("params")?.value.as_object()?.get("guards"));
        let Some(list) = inner.and_then(|property| property.value.as_array()) else {
            let problem = illegal(
                json::span(object.range()),
                format!("`{kind}` needs the guards that it joins"),
            );
            self.out.push(problem.help(format!(
                "write `{{ \"type\": \"{kind}\", \"guards\": [ … ] }}`"
            )));
            return None;
        };
        let parts: Vec<_> = list
            .elements
            .iter()
            .map(|guard| self.guard_text(guard, source))
            .collect();
        let parts: Vec<String> = parts.into_iter().collect::<Option<_>>()?;
        match (kind, &parts[..]) {
            (_, []) => {
                self.out.push(illegal(
                    json::span(list.range()),
                    format!("`{kind}` joins no guards"),
                ));
                None
            }
            ("not", [only]) => Some(format!("!({only})")),
            ("not", _) => {
                self.out
                    .push(illegal(json::span(list.range()), "`not` has one guard"));
                None
            }
            (_, [only]) => Some(only.clone()),
            (kind, parts) => {
                let between = if kind == "and" { " && " } else { " || " };
                Some(format!("({})", parts.join(between)))
            }
        }
    }

    /// Whether a state is active.
    fn state_in(&mut self, object: &Object, name: &Name, source: usize) -> Option<String> {
        let given = object
            .get("stateValue")
            .or_else(|| object.get("params")?.value.as_object()?.get("stateValue"));
        let target = given.and_then(|property| self.name_of(&property.value));
        let Some(target) = target.filter(|target| target.value.starts_with('#')) else {
            let problem = refused(
                name.span,
                "`stateIn` can only be imported with the id of one state",
            );
            self.out.push(
                problem.help("write `{ \"type\": \"xstate.stateIn\", \"stateValue\": \"#id\" }`"),
            );
            return None;
        };
        match self.tree.resolve(source, &target) {
            Ok(0) => Some("true".to_owned()),
            Ok(state) => Some(format!(
                "in('{}')",
                self.tree.reference(state, target.span).value
            )),
            Err(problem) => {
                self.out.push(*problem);
                None
            }
        }
    }

    fn guard_call(&mut self, name: &Name, arguments: &[Argument]) -> Option<String> {
        let function = self.function(name, FunctionKind::Guard, arguments)?;
        if !function.contains("::")
            && let Err(reason) = check_key(&function)
        {
            self.out.push(
                refused(name.span, reason)
                    .label("not a guard name")
                    .help("rename it in the chart"),
            );
            return None;
        }
        let shown: Option<Vec<String>> = arguments
            .iter()
            .map(|argument| self.argument_text(argument))
            .collect();
        let shown = shown?;
        Some(if shown.is_empty() {
            function
        } else {
            format!("{function}({})", shown.join(", "))
        })
    }

    fn argument_text(&mut self, argument: &Argument) -> Option<String> {
        let value = argument.value.literal();
        let Some(value) = value.and_then(|value| literal_text(&value.value)) else {
            let problem = refused(
                argument.value.span(),
                "this text cannot stand in an expression",
            );
            self.out.push(problem.label("has quotes or line ends"));
            return None;
        };
        Some(match &argument.name {
            Some(name) => format!("{}: {value}", name.value),
            None => value,
        })
    }

    /// One action or a list of actions.
    pub(super) fn actions(&mut self, value: Option<&Value>) -> Vec<Action> {
        match value {
            None => Vec::new(),
            Some(Value::Array(list)) => list
                .elements
                .iter()
                .filter_map(|item| self.action(item))
                .collect(),
            Some(single) => self.action(single).into_iter().collect(),
        }
    }

    fn action(&mut self, value: &Value) -> Option<Action> {
        let span = json::span(value.range());
        let kind = match value {
            Value::StringLit(_) => {
                let name = self.name_of(value)?;
                let function = self.function(&name, FunctionKind::Action, &[])?;
                ActionKind::Text(Spanned::new(function, name.span))
            }
            Value::Object(object) => self.action_object(object)?,
            other => {
                self.out.push(fields::wrong_kind(
                    other,
                    "an action",
                    "a name, or an object with a `type`",
                ));
                return None;
            }
        };
        Some(Action {
            kind,
            muted: false,
            span,
        })
    }

    fn action_object(&mut self, object: &Object) -> Option<ActionKind> {
        let name = self.type_of(object, "an action")?;
        if let Some(built_in) = name.value.strip_prefix("xstate.") {
            return self.built_in(object, &name, built_in);
        }
        fields::check(
            object,
            "an action",
            |key| ["type", "params"].contains(&key),
            self.out,
        );
        let arguments = self.arguments(object)?;
        let function = Spanned::new(
            self.function(&name, FunctionKind::Action, &arguments)?,
            name.span,
        );
        Some(if arguments.is_empty() {
            ActionKind::Text(function)
        } else {
            ActionKind::Call {
                function,
                arguments,
            }
        })
    }

    /// Actions of XState itself. Those that are code cannot be in a file; of the others only
    /// `raise` has a counterpart.
    fn built_in(&mut self, object: &Object, name: &Name, built_in: &str) -> Option<ActionKind> {
        let problem = match built_in {
            "raise" => return self.raise(object, name),
            "log" => ignored(
                name.span,
                "a log is left out: traces show what an agent does",
            )
            .label("has no effect"),
            "cancel" | "sendTo" | "sendParent" | "forwardTo" => {
                refused(name.span, format!("`{}` cannot be imported", name.value))
                    .label("no counterpart")
                    .help("call a function that does it, or use `send` in the machine file")
            }
            "assign" => refused(
                name.span,
                "assignments are code of JavaScript and cannot be imported",
            )
            .label("no counterpart")
            .help("call a function, or write `\"key = value\"` in the machine file"),
            _ => refused(
                name.span,
                format!("`{}` cannot be imported", shown(&name.value)),
            )
            .label("no counterpart"),
        };
        self.out.push(problem);
        None
    }

    fn raise(&mut self, object: &Object, name: &Name) -> Option<ActionKind> {
        let inner = object
            .get("params")
            .and_then(|params| params.value.as_object());
        let get = |key: &str| {
            object
                .get(key)
                .or_else(|| inner.and_then(|inner| inner.get(key)))
        };
        if let Some(delay) = get("delay") {
            let problem = refused(
                json::span(delay.range()),
                "an event that is raised later cannot be imported",
            );
            self.out
                .push(problem.label("a delay").help("use a state with `after`"));
            return None;
        }
        let event = get("event").and_then(|event| event.value.as_object());
        let Some(ty) = event
            .and_then(|event| event.get("type"))
            .and_then(|ty| self.name_of(&ty.value))
        else {
            let problem = illegal(name.span, "`xstate.raise` needs an event");
            self.out
                .push(problem.help("write `\"event\": { \"type\": \"Name\" }`"));
            return None;
        };
        for property in event.into_iter().flat_map(|event| &event.properties) {
            if property.name.as_str() != "type" {
                let span = json::span(property.name.range());
                self.out
                    .push(refused(span, "the data of an event cannot be imported").label("data"));
            }
        }
        if let Err(reason) = check_event(&ty.value) {
            self.out
                .push(refused(ty.span, reason).label("not an event"));
            return None;
        }
        self.events.add(&ty);
        Some(ActionKind::Raise {
            event: ty,
            payload: None,
        })
    }

    fn type_of(&mut self, object: &Object, what: &str) -> Option<Name> {
        let given = object.get("type").and_then(|ty| self.name_of(&ty.value));
        if given.is_none() {
            let problem = illegal(json::span(object.range()), format!("{what} needs a `type`"))
                .label("without a type");
            self.out
                .push(problem.help("write `{ \"type\": \"name\", \"params\": { … } }`"));
        }
        given
    }

    /// The parameters of a call; `None` if one of them has no counterpart.
    fn arguments(&mut self, object: &Object) -> Option<Vec<Argument>> {
        let Some(params) = object.get("params") else {
            return Some(Vec::new());
        };
        let Some(map) = params.value.as_object() else {
            self.out
                .push(fields::wrong_kind(&params.value, "`params`", "an object"));
            return None;
        };
        let mut arguments = Vec::new();
        for property in &map.properties {
            let name = key_name(self.text, property);
            if let Err(reason) = check_identifier(&name.value) {
                self.out
                    .push(refused(name.span, reason).label("not a parameter name"));
                return None;
            }
            let value = self.literal(&property.value)?;
            arguments.push(Argument {
                name: Some(name),
                value: ArgumentValue::Literal(value),
            });
        }
        Some(arguments)
    }

    fn literal(&mut self, value: &Value) -> Option<Spanned<Literal>> {
        let span = json::span(value.range());
        let literal = literal(value);
        if literal.is_none() {
            let problem = refused(span, "a parameter is a number, `true`, `false` or text");
            self.out.push(
                problem
                    .label("something else")
                    .help("split it into several parameters"),
            );
        }
        literal.map(|literal| Spanned::new(literal, span))
    }

    /// Notes a function and gives its name here: `a.b` is `a::b`.
    fn function(
        &mut self,
        name: &Name,
        kind: FunctionKind,
        arguments: &[Argument],
    ) -> Option<String> {
        let function = Spanned::new(name.value.replace('.', "::"), name.span);
        let parameters = arguments.iter().filter_map(|argument| {
            let value = argument.value.literal()?;
            let ty = Spanned::new(value.value.natural_type(), value.span);
            Some((argument.name.clone()?, ty))
        });
        match self.functions.call(&function, kind, parameters.collect()) {
            Ok(()) => Some(function.value),
            Err(problem) => {
                self.out.push(*problem);
                None
            }
        }
    }
}

/// A value that the machine file has, too.
pub(super) fn literal(value: &Value) -> Option<Literal> {
    Some(match value {
        Value::StringLit(text) => Literal::Text(text.value.clone().into_owned()),
        Value::BooleanLit(truth) => Literal::Bool(truth.value),
        Value::NumberLit(raw) if !raw.value.contains(['.', 'e', 'E']) => {
            Literal::Int(raw.value.parse().ok()?)
        }
        Value::NumberLit(raw) => Literal::Float(
            raw.value
                .parse()
                .ok()
                .filter(|number: &f64| number.is_finite())?,
        ),
        _ => return None,
    })
}

/// Where nothing better is known.
pub(super) fn whole(object: &Object) -> Span {
    json::span(object.range())
}
