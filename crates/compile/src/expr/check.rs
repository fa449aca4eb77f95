//! Names and types: syntax tree to typed tree (CODE-4).
//!
//! Every part is looked at, so all problems of an expression come at once. An i32 widens to f32
//! where an f32 stands beside it or is needed; nothing else converts by itself.

use std::ops::Range;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::expr::{BinaryOp, Expr, ExprKind, LogicOp, StateQuery, UnaryOp, code_span};
use statewright_author::graph::{ExprSource, Payload};
use statewright_author::names::is_built_in;
use statewright_author::span::{Name, Span};
use statewright_author::value::ValueType;
use statewright_rom::code::op;

use super::node::{Constant, Logic, TypedExpr};
use super::{Expected, NoPayload, Scope, fold, report};
use crate::numbers;

/// The typed tree of an expression of the expected type.
pub(super) fn check(
    code: &ExprSource,
    ast: &Expr,
    expected: Expected,
    scope: &mut dyn Scope,
    diagnostics: &mut Diagnostics,
) -> Option<TypedExpr> {
    let mut checker = Checker {
        code,
        scope,
        diagnostics,
    };
    let node = checker.expr(ast, Want::of(expected))?;
    let node = match expected {
        Expected::AnyType => node,
        Expected::Scratch(_) if node.ty() == ValueType::F32 => {
            let (span, text) = (checker.span(&ast.range), checker.text(&ast.range));
            let problem = report::fraction_in_scratch(span, text);
            checker.report(problem);
            return None;
        }
        Expected::Scratch(ty) => checker.of_type(node, ty.value_type(), ast, "the value")?,
        Expected::Bool => checker.of_type(node, ValueType::Bool, ast, "a condition")?,
        Expected::F32 => checker.of_type(node, ValueType::F32, ast, "the value")?,
        Expected::Type(ty) => checker.of_type(node, ty, ast, "the value")?,
    };
    if let (Expected::Bool, Some(Constant::Bool(value))) = (expected, node.constant()) {
        checker.report(report::constant_condition(checker.span(&ast.range), value));
    }
    Some(node)
}

/// What a part is used as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A truth value: an unknown name is a guard of the host.
    Condition,
    /// A number or a vector, of this type if it is known: no guard can stand here.
    Number(Option<ValueType>),
    /// Anything, of this type if it is known: an unknown call is a guard of the host, an unknown name
    /// is not.
    Value(Option<ValueType>),
}

impl Want {
    /// What a whole expression is used as.
    fn of(expected: Expected) -> Self {
        match expected {
            Expected::Bool => Self::Condition,
            Expected::F32 => Self::of_type(Some(ValueType::F32)),
            Expected::Type(ty) => Self::of_type(Some(ty)),
            Expected::Scratch(ty) => Self::of_type(Some(ty.value_type())),
            Expected::AnyType => Self::of_type(None),
        }
    }

    /// A value of a type.
    pub(super) fn of_type(ty: Option<ValueType>) -> Self {
        match ty {
            Some(ValueType::Bool) => Self::Condition,
            _ => Self::Value(ty),
        }
    }

    /// The type that it must have, if that is known.
    pub(super) fn ty(self) -> Option<ValueType> {
        match self {
            Self::Condition => Some(ValueType::Bool),
            Self::Number(ty) | Self::Value(ty) => ty,
        }
    }
}

pub(super) struct Checker<'a> {
    code: &'a ExprSource,
    pub(super) scope: &'a mut dyn Scope,
    diagnostics: &'a mut Diagnostics,
}

impl Checker<'_> {
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        code_span(self.code, range.clone())
    }

    /// A name of the syntax tree with its span in the file.
    pub(super) fn spanned(&self, name: &Name) -> Name {
        let range = name.span.start as usize..name.span.end as usize;
        Name::new(name.value.clone(), self.span(&range))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn expr(&mut self, expr: &Expr, want: Want) -> Option<TypedExpr> {
        match &expr.kind {
            ExprKind::Int(value) => self.integer(expr, *value, false, want),
            ExprKind::Float(value) => Some(TypedExpr::Constant(Constant::F32(*value as f32))),
            ExprKind::Bool(value) => Some(TypedExpr::Constant(Constant::Bool(*value))),
            ExprKind::Text(text) => {
                let text = Name::new(text.clone(), self.span(&expr.range));
                Some(TypedExpr::Constant(Constant::Symbol(
                    self.scope.symbol(&text),
                )))
            }
            ExprKind::Name(name) => self.name(expr, name, want),
            ExprKind::Field { base, field } => self.field(base, field),
            ExprKind::Unary { op, operand } => self.unary(expr, *op, operand, want),
            ExprKind::Binary { op, left, right } => self.binary(expr, *op, left, right, want),
            ExprKind::Logic { op, operands } => self.logic(*op, operands),
            ExprKind::Call {
                function,
                arguments,
            } => self.call(expr, function, arguments, want),
            ExprKind::State { query, state } => self.state(*query, state.as_ref()),
        }
    }

    /// A node that must have a type; an i32 widens to f32.
    pub(super) fn of_type(
        &mut self,
        node: TypedExpr,
        ty: ValueType,
        at: &Expr,
        what: &str,
    ) -> Option<TypedExpr> {
        match (node.ty(), ty) {
            (ValueType::I32, ValueType::F32) => Some(fold::widen(node)),
            (found, wanted) if found == wanted => Some(node),
            (found, wanted) => {
                let found = (self.span(&at.range), found);
                self.report(report::expected(
                    what,
                    wanted.as_str(),
                    found,
                    self.text(&at.range),
                ));
                None
            }
        }
    }

    /// A part of the source; a word that stands for it if it is too long to repeat.
    pub(super) fn text(&self, range: &Range<usize>) -> &str {
        const LONGEST: usize = 24;
        self.code
            .value
            .get(range.clone())
            .filter(|text| text.len() <= LONGEST)
            .unwrap_or("value")
    }

    fn integer(
        &mut self,
        expr: &Expr,
        value: u64,
        negative: bool,
        want: Want,
    ) -> Option<TypedExpr> {
        let signed = i64::try_from(value)
            .ok()
            .map(|value| if negative { -value } else { value });
        match signed.and_then(|value| i32::try_from(value).ok()) {
            Some(value) => Some(TypedExpr::Constant(Constant::I32(value))),
            None => {
                let sign = if negative { "-" } else { "" };
                self.report(report::integer_range(
                    self.span(&expr.range),
                    &format!("{sign}{value}"),
                    want.ty() != Some(ValueType::I32),
                ));
                None
            }
        }
    }

    fn name(&mut self, expr: &Expr, name: &str, want: Want) -> Option<TypedExpr> {
        if name == "event" {
            return self.event(expr);
        }
        if let Some((b, ty)) = self.scope.scratch(name) {
            return Some(TypedExpr::Leaf {
                op: op::SCRATCH,
                a: numbers::scratch_type(Some(ty)).number(),
                b,
                ty: ty.value_type(),
            });
        }
        if let Some((b, ty)) = self.scope.key(name) {
            return Some(TypedExpr::Leaf {
                op: op::KEY,
                a: numbers::value_type(ty).number(),
                b,
                ty,
            });
        }
        if let Some((b, ty)) = self.scope.parameter(name) {
            return Some(TypedExpr::Leaf {
                op: op::PARAMETER,
                a: numbers::value_type(ty).number(),
                b,
                ty,
            });
        }
        let span = self.span(&expr.range);
        let value = self.scope.value_function(name);
        if value.is_some() || want == Want::Condition {
            return self.ask(&Name::new(name.to_owned(), span), value, &[]);
        }
        let name = Name::new(name.to_owned(), span);
        self.unknown(&name, want);
        None
    }

    /// A name that is nothing that can be read here.
    fn unknown(&mut self, name: &Name, want: Want) {
        if is_built_in(&name.value) {
            return self.report(report::without_parentheses(name));
        }
        if let Some(problem) = self.scope.unreadable(name) {
            return self.report(problem);
        }
        let known = if self.diagnostics.has_room() {
            self.scope.names()
        } else {
            Vec::new()
        };
        let declare = self.scope.declaration(&name.value, want.ty());
        self.report(report::unknown(name, &known, &declare));
    }

    fn payload(&mut self, expr: &Expr) -> Option<Payload> {
        let payload = self.scope.payload();
        if payload.is_none() {
            let NoPayload {
                label,
                reason,
                help,
            } = self.scope.no_payload();
            let (code, span) = (DiagnosticCode::NoPayloadHere, self.span(&expr.range));
            self.report(
                Diagnostic::new(code, span, "`event` cannot be read here")
                    .label(label)
                    .note(reason)
                    .help(help),
            );
        }
        payload
    }

    fn event(&mut self, expr: &Expr) -> Option<TypedExpr> {
        let (ty, note) = match self.payload(expr)? {
            Payload::Value(ty) => (ty, None),
            Payload::U32 => (ValueType::I32, None),
            Payload::U64 => (
                ValueType::I32,
                Some("a u64 payload can be read by functions in Rust only".to_owned()),
            ),
            Payload::Bytes(count) => (
                ValueType::I32,
                Some(format!(
                    "a payload of {count} raw bytes can be read by functions in Rust only"
                )),
            ),
            Payload::Vec4 => (
                ValueType::F32,
                Some("a vec4 is read by component: `event.x` to `event.w`".to_owned()),
            ),
        };
        let Some(note) = note else {
            return Some(TypedExpr::Leaf {
                op: op::PAYLOAD,
                a: numbers::value_type(ty).number(),
                b: 0,
                ty,
            });
        };
        let span = self.span(&expr.range);
        let message = "this payload has no type that an expression can hold";
        self.report(
            Diagnostic::new(DiagnosticCode::ExpressionType, span, message)
                .label("cannot be read")
                .note(note),
        );
        None
    }

    fn field(&mut self, base: &Expr, field: &Name) -> Option<TypedExpr> {
        let index = ["x", "y", "z", "w"]
            .iter()
            .position(|name| *name == field.value);
        let is_event = matches!(&base.kind, ExprKind::Name(name) if name == "event");
        if is_event && self.scope.payload() == Some(Payload::Vec4) {
            let a = index.map_or(u8::MAX, |index| index as u8);
            return match a {
                0..4 => Some(TypedExpr::Leaf {
                    op: op::PAYLOAD_FIELD,
                    a,
                    b: 0,
                    ty: ValueType::F32,
                }),
                _ => self.no_field(field, "vec4"),
            };
        }
        let node = self.expr(base, Want::Number(None))?;
        let ty = node.ty();
        let vector = matches!(ty, ValueType::Vec2 | ValueType::Vec3);
        match index {
            Some(index) if vector && index < ty.words() as usize => {
                Some(fold::field(node, index as u8))
            }
            _ => self.no_field(field, ty.as_str()),
        }
    }

    fn no_field(&mut self, field: &Name, ty: &str) -> Option<TypedExpr> {
        let field = self.spanned(field);
        let message = format!("{ty} has no field `{}`", field.value);
        let fields = match ty {
            "vec2" => "`.x` and `.y`",
            "vec3" => "`.x`, `.y` and `.z`",
            "vec4" => "`.x`, `.y`, `.z` and `.w`",
            _ => "none: only vectors have fields",
        };
        self.report(
            Diagnostic::new(DiagnosticCode::ExpressionType, field.span, message)
                .label("no such field")
                .note(format!("its fields: {fields}")),
        );
        None
    }

    fn unary(
        &mut self,
        whole: &Expr,
        op: UnaryOp,
        operand: &Expr,
        want: Want,
    ) -> Option<TypedExpr> {
        if op == UnaryOp::Not {
            let node = self.expr(operand, Want::Condition)?;
            let node = self.of_type(node, ValueType::Bool, operand, "the operand of `!`")?;
            return Some(fold::plain(op::NOT, vec![node]));
        }
        if let ExprKind::Int(value) = operand.kind {
            return self.integer(whole, value, true, want);
        }
        let node = self.expr(operand, Want::Number(want.ty()))?;
        let op = match node.ty() {
            ValueType::I32 => op::I32_NEG,
            ValueType::F32 => op::F32_NEG,
            ValueType::Vec2 => op::VEC2_NEG,
            ValueType::Vec3 => op::VEC3_NEG,
            found => {
                let found = (self.span(&operand.range), found);
                self.report(report::expected(
                    "the operand of `-`",
                    "a number or a vector",
                    found,
                    "",
                ));
                return None;
            }
        };
        Some(fold::plain(op, vec![node]))
    }

    fn binary(
        &mut self,
        whole: &Expr,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        want: Want,
    ) -> Option<TypedExpr> {
        if let Some(path) = self.unquoted_parameter(whole) {
            let span = self.span(&whole.range);
            self.report(report::not_quoted(span, &path));
            return None;
        }
        let wants = [right, left].map(|other| match op {
            BinaryOp::Eq | BinaryOp::Ne => Want::Value(self.plain_type(other)),
            _ if op.compares() => Want::Number(self.plain_type(other)),
            _ => Want::Number(want.ty()),
        });
        let (l, r) = (self.expr(left, wants[0]), self.expr(right, wants[1]));
        let (l, r) = (l?, r?);
        let found = (
            (self.span(&left.range), l.ty()),
            (self.span(&right.range), r.ty()),
        );
        let (l, r) = unify(l, r);
        let Some(instruction) = instruction(op, l.ty(), r.ty()) else {
            self.report(report::operands(
                op,
                self.span(&whole.range),
                found.0,
                found.1,
            ));
            return None;
        };
        let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
        if divides && matches!(r.constant(), Some(Constant::I32(0) | Constant::F32(0.0))) {
            self.report(report::division_by_zero(found.1.0, r.ty()));
        }
        Some(fold::plain(instruction, vec![l, r]))
    }

    /// The type of a part that can be told without looking into it.
    fn plain_type(&self, expr: &Expr) -> Option<ValueType> {
        match &expr.kind {
            ExprKind::Name(name) => self.readable(name),
            _ => expr.literal().map(|literal| literal.natural_type()),
        }
    }

    /// The type of scratch, a key or a parameter.
    fn readable(&self, name: &str) -> Option<ValueType> {
        let scratch = self.scope.scratch(name).map(|(_, ty)| ty.value_type());
        let key = || self.scope.key(name).map(|(_, ty)| ty);
        let parameter = || self.scope.parameter(name).map(|(_, ty)| ty);
        scratch.or_else(key).or_else(parameter)
    }

    /// The parameter of a part that a division of unknown names means: `fight/rage`.
    fn unquoted_parameter(&self, expr: &Expr) -> Option<String> {
        let names = divided_names(expr)?;
        let path = names.join("/");
        let is_division = names.iter().all(|name| self.readable(name).is_some());
        (!is_division && self.scope.parameter(&path).is_some()).then_some(path)
    }

    fn logic(&mut self, op: LogicOp, operands: &[Expr]) -> Option<TypedExpr> {
        let what = format!("an operand of `{}`", op.as_str());
        let nodes: Vec<_> = operands
            .iter()
            .map(|operand| self.condition(operand, &what))
            .collect();
        let logic = if op == LogicOp::And {
            Logic::And
        } else {
            Logic::Or
        };
        Some(fold::logic(
            logic,
            nodes.into_iter().collect::<Option<_>>()?,
        ))
    }

    /// A part that must be a truth value.
    pub(super) fn condition(&mut self, expr: &Expr, what: &str) -> Option<TypedExpr> {
        let node = self.expr(expr, Want::Condition)?;
        self.of_type(node, ValueType::Bool, expr, what)
    }

    fn state(&mut self, query: StateQuery, state: Option<&Name>) -> Option<TypedExpr> {
        let b = match state {
            Some(name) => {
                let name = self.spanned(name);
                self.scope.state(&name)?
            }
            None => self.scope.own_state(),
        };
        let ticks = TypedExpr::Leaf {
            op: op::TICKS_IN_STATE,
            a: 0,
            b,
            ty: ValueType::I32,
        };
        Some(match query {
            StateQuery::In => TypedExpr::Leaf {
                op: op::IN_STATE,
                a: 0,
                b,
                ty: ValueType::Bool,
            },
            StateQuery::Ticks => ticks,
            StateQuery::Time => {
                let rate = TypedExpr::Constant(Constant::F32(self.scope.tick_rate() as f32));
                fold::plain(op::F32_DIV, vec![fold::widen(ticks), rate])
            }
        })
    }
}

/// The names of `a / b / c`, if it is nothing else and no single name.
fn divided_names(expr: &Expr) -> Option<Vec<&str>> {
    let ExprKind::Binary {
        op: BinaryOp::Div,
        left,
        right,
    } = &expr.kind
    else {
        return None;
    };
    let ExprKind::Name(last) = &right.kind else {
        return None;
    };
    let mut names = match &left.kind {
        ExprKind::Name(first) => vec![first.as_str()],
        _ => divided_names(left)?,
    };
    names.push(last);
    Some(names)
}

/// Widens the i32 of a pair with an f32 or a vector.
pub(super) fn unify(left: TypedExpr, right: TypedExpr) -> (TypedExpr, TypedExpr) {
    let floats = |node: &TypedExpr| {
        matches!(
            node.ty(),
            ValueType::F32 | ValueType::Vec2 | ValueType::Vec3
        )
    };
    match (floats(&left), floats(&right)) {
        (true, false) => (left, fold::widen(right)),
        (false, true) => (fold::widen(left), right),
        _ => (left, right),
    }
}

/// The instruction of an operator for operand types; `None` if there is none.
fn instruction(op: BinaryOp, left: ValueType, right: ValueType) -> Option<u8> {
    use ValueType::{Bool, Entity, F32, I32, Symbol, Vec2, Vec3};
    /// In the order of [`BinaryOp`].
    const I32_OPS: [u8; 11] = [
        op::I32_ADD,
        op::I32_SUB,
        op::I32_MUL,
        op::I32_DIV,
        op::I32_REM,
        op::I32_EQ,
        op::I32_NE,
        op::I32_LT,
        op::I32_LE,
        op::I32_GT,
        op::I32_GE,
    ];
    const F32_OPS: [u8; 11] = [
        op::F32_ADD,
        op::F32_SUB,
        op::F32_MUL,
        op::F32_DIV,
        op::F32_REM,
        op::F32_EQ,
        op::F32_NE,
        op::F32_LT,
        op::F32_LE,
        op::F32_GT,
        op::F32_GE,
    ];
    let pick = |add, sub, eq, ne| match op {
        BinaryOp::Add => add,
        BinaryOp::Sub => sub,
        BinaryOp::Eq => Some(eq),
        BinaryOp::Ne => Some(ne),
        _ => None,
    };
    match (left, right, op) {
        (I32, I32, _) => I32_OPS.get(op as usize).copied(),
        (F32, F32, _) => F32_OPS.get(op as usize).copied(),
        (Bool, Bool, _) => pick(None, None, op::BOOL_EQ, op::BOOL_NE),
        (Symbol, Symbol, _) => pick(None, None, op::SYMBOL_EQ, op::SYMBOL_NE),
        (Entity, Entity, _) => pick(None, None, op::ENTITY_EQ, op::ENTITY_NE),
        (Vec2, Vec2, _) => pick(
            Some(op::VEC2_ADD),
            Some(op::VEC2_SUB),
            op::VEC2_EQ,
            op::VEC2_NE,
        ),
        (Vec3, Vec3, _) => pick(
            Some(op::VEC3_ADD),
            Some(op::VEC3_SUB),
            op::VEC3_EQ,
            op::VEC3_NE,
        ),
        (Vec2, F32, BinaryOp::Mul) => Some(op::VEC2_SCALE),
        (Vec3, F32, BinaryOp::Mul) => Some(op::VEC3_SCALE),
        (F32, Vec2, BinaryOp::Mul) => Some(op::VEC2_SCALE_BY),
        (F32, Vec3, BinaryOp::Mul) => Some(op::VEC3_SCALE_BY),
        (Vec2, F32, BinaryOp::Div) => Some(op::VEC2_DIV),
        (Vec3, F32, BinaryOp::Div) => Some(op::VEC3_DIV),
        _ => None,
    }
}
