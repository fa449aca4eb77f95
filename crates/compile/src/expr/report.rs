//! The diagnostics of expressions: what they say and what they suggest.

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Fix};
use statewright_author::expr::BinaryOp;
use statewright_author::span::{Name, Span};
use statewright_author::value::ValueType;
use statewright_rom::code::MAX_JOINS;
use statewright_rom::layout::{MAX_CODE, MAX_STACK_WORDS};

use super::emit::TooLarge;

/// A type and where it was found.
pub(super) type Found = (Span, ValueType);

/// An operator with operands that it cannot take.
pub(super) fn operands(op: BinaryOp, whole: Span, left: Found, right: Found) -> Diagnostic {
    let sign = op.as_str();
    let message = format!("`{sign}` does not take {} and {}", left.1, right.1);
    let diagnostic = Diagnostic::new(DiagnosticCode::ExpressionType, whole, message)
        .related(left.0, format!("this is {}", left.1))
        .related(right.0, format!("this is {}", right.1));
    match operand_help(op, left.1, right.1) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn operand_help(op: BinaryOp, left: ValueType, right: ValueType) -> Option<&'static str> {
    use ValueType::{Bool, Entity, Symbol, Vec2, Vec3};
    let either = |wanted: &[ValueType]| wanted.contains(&left) || wanted.contains(&right);
    let vectors = [Vec2, Vec3].contains(&left) && [Vec2, Vec3].contains(&right);
    match op {
        BinaryOp::Mul if vectors => Some("write `dot(a, b)`, or multiply by a number"),
        BinaryOp::Eq | BinaryOp::Ne if left != Bool && right == Bool => {
            Some("compare it with a value of its own type")
        }
        BinaryOp::Eq | BinaryOp::Ne if either(&[Bool]) => {
            Some("a truth value stands alone: write `flag` or `!flag`")
        }
        _ if op.compares()
            && either(&[Vec2, Vec3])
            && !matches!(op, BinaryOp::Eq | BinaryOp::Ne) =>
        {
            Some("compare `length_squared(v)` or a component such as `v.x`")
        }
        _ if op.compares() && left == right => Some("only `==` and `!=` compare these"),
        _ if op.compares() && right == Symbol => {
            Some("compare it with a value of its own type, or declare it as symbol")
        }
        _ if op.compares() && left == Symbol => {
            Some("a symbol is compared with a quoted text: `kind == 'orc'`")
        }
        _ if op.compares() && either(&[Entity]) => {
            Some("an entity is compared with another entity")
        }
        _ if !op.compares() && either(&[Bool]) => Some("write `select(flag, 1, 0)` for a number"),
        _ => None,
    }
}

/// A value of another type than the one needed; `text` is its source.
pub(super) fn expected(what: &str, wanted: &str, found: Found, text: &str) -> Diagnostic {
    let (span, ty) = found;
    let message = format!("{what} must be {wanted}, not {ty}");
    let diagnostic = Diagnostic::new(DiagnosticCode::ExpressionType, span, message)
        .label(format!("this is {ty}"));
    match (wanted, ty) {
        ("bool", ValueType::I32 | ValueType::F32) => {
            diagnostic.help(format!("compare it: write `{text} != 0` or `{text} > 0`"))
        }
        ("bool", ValueType::Symbol | ValueType::Entity) => {
            diagnostic.help("compare it with `==` or `!=`")
        }
        ("i32", ValueType::F32) if text.parse::<f64>().is_ok() => {
            diagnostic.help("write a whole number, or declare it as f32")
        }
        ("i32", ValueType::F32) => {
            diagnostic.help(format!("write `i32({text})`, which rounds toward zero"))
        }
        ("symbol", _) => diagnostic.help("write a quoted text, such as `'sword'`"),
        ("vec2", _) => diagnostic.help("write `vec2(x, y)`"),
        ("vec3", _) => diagnostic.help("write `vec3(x, y, z)`"),
        ("i32" | "f32", ValueType::Bool) => diagnostic.help("write `select(flag, 1, 0)`"),
        _ => diagnostic,
    }
}

/// A fraction for scratch, which holds whole numbers only (LANG-8).
pub(super) fn fraction_in_scratch(span: Span, text: &str) -> Diagnostic {
    let help = match text.parse::<f64>() {
        Ok(_) => "write a whole number".to_owned(),
        Err(_) => format!("write `i32({text})`, which rounds toward zero"),
    };
    let message = "scratch holds whole numbers, not f32";
    Diagnostic::new(DiagnosticCode::ExpressionType, span, message)
        .label("this is f32")
        .help(format!(
            "{help}; what needs fractions is a key of the `\"blackboard\"`"
        ))
}

/// A name that is nothing; `declare` says how it would become something.
pub(super) fn unknown(name: &Name, known: &[String], declare: &str) -> Diagnostic {
    let message = format!("`{}` is not a blackboard key or a parameter", name.value);
    let diagnostic = Diagnostic::new(DiagnosticCode::UnknownInExpression, name.span, message)
        .label("unknown name")
        .suggest(&name.value, known.iter().map(String::as_str));
    match diagnostic.help {
        Some(_) => diagnostic,
        None => diagnostic.help(declare),
    }
}

/// A built-in function that is not called.
pub(super) fn without_parentheses(name: &Name) -> Diagnostic {
    let function = &name.value;
    let form = match function.as_str() {
        "random" => "()",
        other => form(other),
    };
    let message = format!("`{function}` is a function and needs parentheses");
    Diagnostic::new(DiagnosticCode::UnknownInExpression, name.span, message)
        .label("not called")
        .help(format!("write `{function}{form}`"))
}

/// The parameter of a part, written as a division.
pub(super) fn not_quoted(span: Span, path: &str) -> Diagnostic {
    let message = format!("the parameter `{path}` of a part stands in back quotes");
    Diagnostic::new(DiagnosticCode::UnknownInExpression, span, message)
        .label("reads as a division")
        .help(format!("write `` `{path}` ``"))
        .fix(Fix::name(span, format!("`{path}`")))
}

/// A division whose divisor is the literal zero.
pub(super) fn division_by_zero(span: Span, ty: ValueType) -> Diagnostic {
    let result = if ty == ValueType::I32 {
        "the result is always 0"
    } else {
        "the result is infinite or NaN"
    };
    Diagnostic::new(DiagnosticCode::DivisionByZero, span, "a division by zero")
        .label("this is zero")
        .note(result)
        .help("divide by another number")
}

/// A condition that is always the same.
pub(super) fn constant_condition(span: Span, value: bool) -> Diagnostic {
    let help = if value {
        "leave the condition out"
    } else {
        "leave out what depends on it"
    };
    Diagnostic::new(
        DiagnosticCode::ConstantCondition,
        span,
        format!("this condition is always {value}"),
    )
    .label(format!("always {value}"))
    .help(help)
}

/// A whole number that i32 cannot hold, where an f32 may stand or may not.
pub(super) fn integer_range(span: Span, text: &str, may_be_float: bool) -> Diagnostic {
    let problem = Diagnostic::new(
        DiagnosticCode::ExpressionType,
        span,
        format!("{text} does not fit i32"),
    )
    .label("too large")
    .note("i32 goes from -2147483648 to 2147483647");
    match may_be_float {
        true => problem.help(format!("write `{text}.0` for an f32")),
        false => problem.help("write a number that fits: the value must be i32 here"),
    }
}

/// A wrong number of arguments.
pub(super) fn argument_count(span: Span, function: &str, wanted: &str, found: usize) -> Diagnostic {
    let message = format!("`{function}` takes {wanted}, {found} given");
    let form = form(function);
    Diagnostic::new(DiagnosticCode::BadArguments, span, message)
        .label("arguments do not fit")
        .help(format!("write `{function}{form}`"))
}

/// What stands in the parentheses of a built-in function.
fn form(function: &str) -> &'static str {
    match function {
        "i32" | "f32" | "abs" => "(a)",
        "length_squared" => "(v)",
        "dot" | "distance_squared" => "(v, w)",
        "vec2" => "(x, y)",
        "vec3" => "(x, y, z)",
        "clamp" => "(a, least, most)",
        "lerp" => "(a, b, part)",
        "curve" => "(x, x0, y0, x1, y1)",
        "select" => "(condition, a, b)",
        _ => "(a, b)",
    }
}

/// Points of a curve that do not rise.
pub(super) fn curve_falls(span: Span) -> Diagnostic {
    let message = "the points of a curve must stand from left to right";
    Diagnostic::new(DiagnosticCode::BadArguments, span, message)
        .label("not right of the point before")
        .help("sort the points by their first number: `curve(x, 0, 1, 10, 0)`")
}

/// An expression that does not fit a ROM.
pub(super) fn too_large(span: Span, error: TooLarge) -> Diagnostic {
    let message = match error {
        TooLarge::Code(count) => {
            format!("the expression needs {count} instructions, at most {MAX_CODE} fit")
        }
        TooLarge::Stack(words) => {
            format!("the expression needs {words} stack words, at most {MAX_STACK_WORDS} fit")
        }
        TooLarge::Joins(count) => {
            format!("`&&` and `||` are nested {count} deep, at most {MAX_JOINS} are possible")
        }
    };
    Diagnostic::new(DiagnosticCode::ExpressionTooLarge, span, message)
        .label("too large")
        .help("split it: use several guards, or compute a part into a blackboard key")
}
