//! Calls inside expressions: the built-in functions, and guards of the host.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, closest};
use statewright_author::expr::{CallArgument, Expr};
use statewright_author::graph::Argument;
use statewright_author::names::{BUILT_IN_FUNCTIONS as FUNCTIONS, is_built_in};
use statewright_author::span::{Name, Spanned};
use statewright_author::value::ValueType;
use statewright_rom::code::op;

use super::check::{Checker, Want, unify};
use super::node::TypedExpr;
use super::{fold, report};

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
        let wanted = match name {
            "i32" | "f32" | "abs" | "length_squared" => 1,
            "clamp" | "select" | "vec3" => 3,
            _ => 2,
        };
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
        if arguments.len() != wanted {
            let plural = if wanted == 1 { "argument" } else { "arguments" };
            let span = self.span(&whole.range);
            self.report(report::argument_count(
                span,
                name,
                &format!("{wanted} {plural}"),
                arguments.len(),
            ));
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
        let node = self.expr(value, Want::Number)?;
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
            let node = checker.expr(part, Want::Number)?;
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

    fn number(&mut self, function: &str, part: &Expr) -> Option<TypedExpr> {
        let node = self.expr(part, Want::Number)?;
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
        let node = self.expr(part, Want::Number)?;
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
        let slip = closest(&function.value, FUNCTIONS);
        if want == Want::Number || (want == Want::Value && slip.is_some()) {
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
                    .note(format!("the functions that give a value are {}", FUNCTIONS[1..].join(", ")))
                    .help("compute it in Rust and keep it in a blackboard key, or write a guard function"),
            });
            return None;
        }
        let literals: Vec<_> = arguments
            .iter()
            .map(|argument| self.literal(&function, argument))
            .collect();
        self.guard(
            &function,
            &literals.into_iter().collect::<Option<Vec<_>>>()?,
        )
    }

    fn literal(&mut self, function: &Name, argument: &CallArgument) -> Option<Argument> {
        let span = self.span(&argument.value.range);
        let Some(value) = argument.value.literal() else {
            let message = format!(
                "an argument of the function `{}` must be a literal",
                function.value
            );
            self.report(
                Diagnostic::new(DiagnosticCode::BadArguments, span, message)
                    .label("not a literal")
                    .help(
                        "a number, `true`, `false`, a quoted text, `vec2(1, 2)` or `vec3(1, 2, 3)`",
                    ),
            );
            return None;
        };
        Some(Argument {
            name: argument.name.as_ref().map(|name| self.spanned(name)),
            value: Spanned::new(value, span),
        })
    }

    /// Asks the host.
    pub(super) fn guard(&mut self, function: &Name, arguments: &[Argument]) -> Option<TypedExpr> {
        let b = self.scope.guard_call(function, arguments)?;
        Some(TypedExpr::Leaf {
            op: op::CALL_GUARD,
            a: 0,
            b,
            ty: ValueType::Bool,
        })
    }
}
