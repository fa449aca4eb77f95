//! Calls inside expressions: the built-in functions, and guards and value functions of the host.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, closest};
use statewright_author::expr::{CallArgument, Expr};
use statewright_author::names::{BUILT_IN_FUNCTIONS as FUNCTIONS, is_built_in};
use statewright_author::span::Name;
use statewright_author::value::{FunctionKind, ValueType};
use statewright_rom::code::op;

use super::check::{Checker, Want, unify};
use super::node::{Constant, TypedExpr};
use super::{HostArgument, HostValue, fold, report};
use crate::numbers;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        whole: &Expr,
        function: &Name,
        arguments: &[CallArgument],
        want: Want,
    ) -> Option<TypedExpr> {
        let name = function.value.as_str();
        if !is_built_in(name) {
            return self.host_call(function, arguments, want);
        }
        let named = arguments.iter().find_map(|argument| argument.name.as_ref());
        if let Some(label) = named {
            let span = self.spanned(label).span;
            let message = format!("the arguments of `{name}` have no names");
            self.report(
                Diagnostic::new(DiagnosticCode::BadArguments, span, message)
                    .label("leave this out"),
            );
            return None;
        }
        if let Some(wanted) = wanted_count(name, arguments.len()) {
            let span = self.span(&whole.range);
            self.report(report::argument_count(span, name, &wanted, arguments.len()));
            return None;
        }
        let parts: Vec<&Expr> = arguments.iter().map(|argument| &argument.value).collect();
        self.built_in(whole, name, &parts, want)
    }

    fn built_in(
        &mut self,
        whole: &Expr,
        name: &str,
        parts: &[&Expr],
        want: Want,
    ) -> Option<TypedExpr> {
        match (name, parts) {
            ("i32", [value]) => self.whole_number(value),
            ("f32", _) => self.floats(name, parts)?.pop(),
            ("vec2", _) => Some(fold::plain(op::VEC2_MAKE, self.floats(name, parts)?)),
            ("vec3", _) => Some(fold::plain(op::VEC3_MAKE, self.floats(name, parts)?)),
            ("min", _) => self.numbers(name, parts, op::I32_MIN, op::F32_MIN),
            ("max", _) => self.numbers(name, parts, op::I32_MAX, op::F32_MAX),
            ("abs", _) => self.numbers(name, parts, op::I32_ABS, op::F32_ABS),
            ("clamp", _) => self.numbers(name, parts, op::I32_CLAMP, op::F32_CLAMP),
            ("lerp", _) => Some(fold::plain(op::F32_LERP, self.floats(name, parts)?)),
            ("curve", _) => self.curve(parts),
            ("random", []) => Some(TypedExpr::Leaf {
                op: op::RANDOM,
                a: 0,
                b: 0,
                ty: ValueType::F32,
            }),
            ("random", _) => self.random(parts),
            ("dot", _) => self.vectors(whole, name, parts, op::VEC2_DOT, op::VEC3_DOT),
            ("length_squared", _) => self.vectors(
                whole,
                name,
                parts,
                op::VEC2_LENGTH_SQUARED,
                op::VEC3_LENGTH_SQUARED,
            ),
            ("distance_squared", _) => self.vectors(
                whole,
                name,
                parts,
                op::VEC2_DISTANCE_SQUARED,
                op::VEC3_DISTANCE_SQUARED,
            ),
            ("select", [condition, branches @ ..]) => self.select(whole, condition, branches, want),
            _ => None,
        }
    }

    fn whole_number(&mut self, value: &Expr) -> Option<TypedExpr> {
        let node = self.expr(value, Want::Number(None))?;
        match node.ty() {
            ValueType::I32 => Some(node),
            ValueType::F32 => Some(fold::plain(op::F32_TO_I32, vec![node])),
            found => {
                let found = (self.span(&value.range), found);
                self.report(report::expected(
                    "the argument of `i32`",
                    "a number",
                    found,
                    "",
                ));
                None
            }
        }
    }

    /// Arguments that must all be f32, or become it.
    fn floats(&mut self, function: &str, parts: &[&Expr]) -> Option<Vec<TypedExpr>> {
        let what = format!("an argument of `{function}`");
        let float = |checker: &mut Self, part: &Expr| {
            let node = checker.expr(part, Want::Number(Some(ValueType::F32)))?;
            checker.of_type(node, ValueType::F32, part, &what)
        };
        let nodes: Vec<_> = parts.iter().map(|part| float(self, part)).collect();
        nodes.into_iter().collect()
    }

    /// Arguments that are numbers: all i32, or all f32 if one of them is.
    fn numbers(
        &mut self,
        function: &str,
        parts: &[&Expr],
        whole: u8,
        float: u8,
    ) -> Option<TypedExpr> {
        let nodes: Vec<_> = parts
            .iter()
            .map(|part| self.number(function, part))
            .collect();
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        if nodes.iter().all(|node| node.ty() == ValueType::I32) {
            return Some(fold::plain(whole, nodes));
        }
        Some(fold::plain(
            float,
            nodes.into_iter().map(fold::widen).collect(),
        ))
    }

    /// A random number between two: a whole one if both are (LANG-11).
    fn random(&mut self, parts: &[&Expr]) -> Option<TypedExpr> {
        let nodes: Vec<_> = parts
            .iter()
            .map(|part| self.number("random", part))
            .collect();
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        let whole = nodes.iter().all(|node| node.ty() == ValueType::I32);
        let (op, ty) = if whole {
            (op::RANDOM_I32, ValueType::I32)
        } else {
            (op::RANDOM_F32, ValueType::F32)
        };
        let widened = |node| if whole { node } else { fold::widen(node) };
        Some(TypedExpr::Op {
            op,
            a: 0,
            ty,
            operands: nodes.into_iter().map(widened).collect(),
        })
    }

    /// Straight lines between points, which must rise where they are known (LANG-11).
    fn curve(&mut self, parts: &[&Expr]) -> Option<TypedExpr> {
        let nodes = self.floats("curve", parts)?;
        let mut before: Option<f32> = None;
        for (node, part) in nodes.iter().zip(parts).skip(1).step_by(2) {
            let Some(Constant::F32(x)) = node.constant() else {
                before = None;
                continue;
            };
            if before.is_some_and(|before| before >= x) {
                let span = self.span(&part.range);
                self.report(report::curve_falls(span));
                return None;
            }
            before = Some(x);
        }
        Some(fold::curve(nodes))
    }

    fn number(&mut self, function: &str, part: &Expr) -> Option<TypedExpr> {
        let node = self.expr(part, Want::Number(None))?;
        if matches!(node.ty(), ValueType::I32 | ValueType::F32) {
            return Some(node);
        }
        let found = (self.span(&part.range), node.ty());
        self.report(report::expected(
            &format!("an argument of `{function}`"),
            "a number",
            found,
            "",
        ));
        None
    }

    /// Arguments that are vectors of one size.
    fn vectors(
        &mut self,
        whole: &Expr,
        function: &str,
        parts: &[&Expr],
        two: u8,
        three: u8,
    ) -> Option<TypedExpr> {
        let nodes: Vec<_> = parts
            .iter()
            .map(|part| self.vector(function, part))
            .collect();
        let nodes = nodes.into_iter().collect::<Option<Vec<_>>>()?;
        if nodes.iter().all(|node| node.ty() == ValueType::Vec2) {
            return Some(fold::plain(two, nodes));
        }
        if nodes.iter().all(|node| node.ty() == ValueType::Vec3) {
            return Some(fold::plain(three, nodes));
        }
        self.differ(whole, function, parts, &nodes);
        None
    }

    fn vector(&mut self, function: &str, part: &Expr) -> Option<TypedExpr> {
        let node = self.expr(part, Want::Number(None))?;
        if matches!(node.ty(), ValueType::Vec2 | ValueType::Vec3) {
            return Some(node);
        }
        let found = (self.span(&part.range), node.ty());
        self.report(report::expected(
            &format!("an argument of `{function}`"),
            "a vector",
            found,
            "",
        ));
        None
    }

    /// Both branches are used as what the whole is used as.
    fn select(
        &mut self,
        whole: &Expr,
        condition: &Expr,
        branches: &[&Expr],
        want: Want,
    ) -> Option<TypedExpr> {
        let condition = self.condition(condition, "the first argument of `select`");
        let [then, otherwise] = branches else {
            return None;
        };
        let (a, b) = (self.expr(then, want), self.expr(otherwise, want));
        let (condition, a, b) = (condition?, a?, b?);
        let numbers = |node: &TypedExpr| matches!(node.ty(), ValueType::I32 | ValueType::F32);
        let (a, b) = if numbers(&a) && numbers(&b) {
            unify(a, b)
        } else {
            (a, b)
        };
        if a.ty() == b.ty() {
            return Some(fold::select(condition, a, b));
        }
        self.differ(whole, "select", branches, &[a, b]);
        None
    }

    /// Two arguments that should have had one type.
    fn differ(&mut self, whole: &Expr, function: &str, parts: &[&Expr], nodes: &[TypedExpr]) {
        let types: Vec<_> = nodes.iter().map(|node| node.ty().as_str()).collect();
        let message = format!("`{function}` needs one type, not {}", types.join(" and "));
        let mut diagnostic = Diagnostic::new(
            DiagnosticCode::ExpressionType,
            self.span(&whole.range),
            message,
        )
        .label("types differ");
        for (part, ty) in parts.iter().zip(types) {
            diagnostic = diagnostic.related(self.span(&part.range), format!("this is {ty}"));
        }
        self.report(diagnostic);
    }

    fn host_call(
        &mut self,
        function: &Name,
        arguments: &[CallArgument],
        want: Want,
    ) -> Option<TypedExpr> {
        let function = self.spanned(function);
        if let Some(ty) = self.scope.value_function(&function.value) {
            return self.ask(&function, Some(ty), arguments);
        }
        let slip = closest(&function.value, FUNCTIONS);
        if matches!(want, Want::Number(_)) || (matches!(want, Want::Value(_)) && slip.is_some()) {
            self.no_such_value(&function);
            return None;
        }
        self.ask(&function, None, arguments)
    }

    fn no_such_value(&mut self, function: &Name) {
        let message = format!(
            "there is no function `{}` that gives a value",
            function.value
        );
        let diagnostic =
            Diagnostic::new(DiagnosticCode::UnknownInExpression, function.span, message)
                .label("unknown function")
                .suggest(&function.value, FUNCTIONS);
        self.report(match diagnostic.help {
            Some(_) => diagnostic,
            None => diagnostic
                .note(format!("the built-in ones are {}", FUNCTIONS[1..].join(", ")))
                .help(format!(
                    "declare it: `\"functions\": {{ \"{}\": {{ \"kind\": \"value\", \"returns\": \"f32\" }} }}`",
                    function.value
                )),
        });
    }

    /// Asks a guard or a value function of the host.
    pub(super) fn ask(
        &mut self,
        function: &Name,
        value: Option<ValueType>,
        arguments: &[CallArgument],
    ) -> Option<TypedExpr> {
        let declared = self.scope.parameters(&function.value);
        let mut operands = Vec::new();
        let given: Vec<_> = arguments
            .iter()
            .enumerate()
            .map(|(place, argument)| {
                let ty = declared.as_deref().and_then(|types| {
                    let name = argument.name.as_ref().map(|name| name.value.as_str());
                    let by_name = types.iter().find(|(other, _)| name == Some(other));
                    let by_place = || types.get(place).filter(|_| name.is_none());
                    by_name.or_else(by_place).map(|(_, ty)| *ty)
                });
                self.argument(&function.value, argument, ty, &mut operands)
            })
            .collect();
        let given = given.into_iter().collect::<Option<Vec<_>>>()?;
        let (op, kind) = match value {
            Some(_) => (op::CALL_VALUE, FunctionKind::Value),
            None => (op::CALL_GUARD, FunctionKind::Guard),
        };
        let b = self.scope.host_call(function, kind, &given)?;
        let (a, ty) = match value {
            Some(ty) => (numbers::value_type(ty).number(), ty),
            None => (0, ValueType::Bool),
        };
        Some(match operands.is_empty() {
            true => TypedExpr::Leaf { op, a, b, ty },
            false => TypedExpr::Call {
                op,
                a,
                b,
                ty,
                operands,
            },
        })
    }

    /// An argument of a function of the host; what must be computed joins the operands (LANG-4).
    fn argument(
        &mut self,
        function: &str,
        argument: &CallArgument,
        ty: Option<ValueType>,
        operands: &mut Vec<TypedExpr>,
    ) -> Option<HostArgument> {
        let part = &argument.value;
        let span = self.span(&part.range);
        let name = argument.name.as_ref().map(|name| self.spanned(name));
        let value = match part.literal() {
            Some(literal) => HostValue::Literal(literal),
            None => {
                let node = self.expr(part, Want::of_type(ty))?;
                let node = match ty {
                    Some(ty) => {
                        let what = format!("this argument of `{function}`");
                        self.of_type(node, ty, part, &what)?
                    }
                    None => node,
                };
                match node.constant() {
                    Some(constant) => HostValue::Constant(constant),
                    None => {
                        let ty = node.ty();
                        operands.push(node);
                        HostValue::Stack(ty)
                    }
                }
            }
        };
        Some(HostArgument { name, span, value })
    }
}

/// How many arguments a built-in function takes, in words, if these are not as many.
fn wanted_count(function: &str, given: usize) -> Option<String> {
    let most = usize::from(op::MAX_POINTS);
    let wanted = match function {
        "random" if given == 0 || given == 2 => return None,
        "random" => return Some("no arguments or 2".to_owned()),
        "curve" if given >= 3 && given % 2 == 1 && given <= 1 + 2 * most => return None,
        "curve" => return Some(format!("a number and 1 to {most} points")),
        "i32" | "f32" | "abs" | "length_squared" => 1,
        "clamp" | "lerp" | "select" | "vec3" => 3,
        _ => 2,
    };
    let plural = if wanted == 1 { "argument" } else { "arguments" };
    (given != wanted).then(|| format!("{wanted} {plural}"))
}
