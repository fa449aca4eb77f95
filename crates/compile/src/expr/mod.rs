//! Expressions: from syntax tree to verified-by-construction bytecode, and back to text (CODE-4).
//!
//! Comes in: an [`Expr`] with the [`ExprSource`] it was read from, the type that is wanted, and a
//! [`Scope`] that knows the names. Goes out: [`Compiled`] instructions for
//! [`statewright_rom::code`], or diagnostics. Stages: `check` gives every part a type, `fold`
//! computes what is constant while the tree is built, `emit` writes the instructions, [`decompile()`]
//! reads them back.

mod call;
mod check;
mod emit;
mod fold;
mod node;
mod report;

use std::collections::BTreeSet;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics, Fix};
use statewright_author::expr::{Expr, SyntaxError, code_span, parse};
use statewright_author::graph::{ExprSource, Payload};
use statewright_author::names;
use statewright_author::span::{Name, Span};
use statewright_author::value::{FunctionKind, Literal, ScratchType, ValueType};
use statewright_rom::code::op;
use statewright_rom::layout::InstructionRecord;

use emit::TooLarge;
use node::TypedExpr;

pub use node::Constant;
pub use statewright_describe::{ArgumentText, CallText, Names, decompile};

/// What an expression may refer to where it stands.
pub trait Scope: Names {
    /// Number and type of a blackboard key.
    fn key(&self, name: &str) -> Option<(u16, ValueType)>;
    /// Number and type of a parameter.
    fn parameter(&self, name: &str) -> Option<(u16, ValueType)>;
    /// Keys and parameters, for "did you mean".
    fn names(&self) -> Vec<String>;
    /// How a name that is nothing would become a value that can be read here, of a type if one is
    /// wanted.
    fn declaration(&self, name: &str, wanted: Option<ValueType>) -> String;
    /// What is said about a name that means something, but cannot be read here.
    fn unreadable(&self, name: &Name) -> Option<Diagnostic>;
    /// Payload of the event; `None` if none can be read here.
    fn payload(&self) -> Option<Payload>;
    /// Why there is no payload.
    fn no_payload(&self) -> NoPayload;
    /// Number of a state. Reports its own diagnostic when there is none.
    fn state(&mut self, name: &Name) -> Option<u16>;
    /// The state that the expression belongs to.
    fn own_state(&self) -> u16;
    /// Number and type of scratch that can be read here (LANG-8).
    fn scratch(&self, name: &str) -> Option<(u16, ScratchType)>;
    /// What a declared value function gives (LANG-11).
    fn value_function(&self, name: &str) -> Option<ValueType>;
    /// Names and types of the parameters that a function is declared with.
    fn parameters(&self, function: &str) -> Option<Vec<(String, ValueType)>>;
    /// Number of the op that calls a guard or a value function of the host. Reports its own
    /// diagnostics.
    fn host_call(
        &mut self,
        function: &Name,
        kind: FunctionKind,
        arguments: &[HostArgument],
    ) -> Option<u16>;
    /// The symbol of a text (HASH-2).
    fn symbol(&mut self, text: &Name) -> u32;
}

/// Why no payload can be read, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPayload {
    /// What there is instead, in a few words.
    pub label: String,
    /// Why.
    pub reason: String,
    /// What to do.
    pub help: &'static str,
}

impl NoPayload {
    /// There is none at all.
    pub fn none(reason: impl Into<String>) -> Self {
        Self {
            label: "no payload".to_owned(),
            reason: reason.into(),
            help: "read it in the `if` or `do` of a transition on an event that declares a `payload`",
        }
    }
}

/// An argument of a call in an expression (LANG-4).
#[derive(Clone, Debug, PartialEq)]
pub struct HostArgument {
    /// Its name, if given.
    pub name: Option<Name>,
    /// Where it stands.
    pub span: Span,
    /// Its value.
    pub value: HostValue,
}

/// Where an argument of a call in an expression comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum HostValue {
    /// It is written down.
    Literal(Literal),
    /// It was computed by the compiler.
    Constant(Constant),
    /// It is computed before the call and lies on the stack then.
    Stack(ValueType),
}

/// The type that an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A condition: a bool, with a warning if it is constant.
    Bool,
    /// A number: an i32 is widened.
    F32,
    /// This type; for f32 an i32 is widened.
    Type(ValueType),
    /// What scratch of this type holds (LANG-8).
    Scratch(ScratchType),
    /// Whatever it is.
    AnyType,
}

/// What an expression looks at, after folding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Blackboard keys read.
    pub keys: BTreeSet<u16>,
    /// Parameters read.
    pub parameters: BTreeSet<u16>,
    /// States whose time is read.
    pub clocks: BTreeSet<u16>,
    /// States asked for with `in`.
    pub in_states: BTreeSet<u16>,
    /// Ops of guard calls.
    pub guards: BTreeSet<u16>,
    /// Ops of calls of value functions (LANG-11).
    pub values: BTreeSet<u16>,
    /// Scratch read (LANG-8).
    pub scratch: BTreeSet<u16>,
    /// Random numbers are drawn.
    pub random: bool,
    /// The event payload is read.
    pub payload: bool,
}

/// A compiled expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The instructions; jump targets count from the first one.
    pub instructions: Vec<InstructionRecord>,
    /// Most stack words in use at once.
    pub stack_words: u8,
    /// Type of the result.
    pub ty: ValueType,
    /// What it looks at.
    pub facts: Facts,
    /// Its value, if it is always the same.
    pub constant: Option<Constant>,
    /// Canonical source: what the instructions say, by [`decompile()`].
    pub text: String,
    /// If it is nothing but the call of a guard with computed arguments: the op of the call, and the
    /// arguments in the order of their evaluation.
    pub call: Option<(u16, Vec<Compiled>)>,
}

impl Compiled {
    /// The op of the guard call, if the expression is nothing else.
    pub fn only_guard_call(&self) -> Option<u16> {
        match self.instructions.as_slice() {
            [only] if only.op == op::CALL_GUARD => Some(only.b.get()),
            _ => None,
        }
    }
}

/// Whether a name followed by arguments is a function of the expression language; and `event`,
/// which needs none.
pub fn is_built_in(name: &str) -> bool {
    name == "event" || names::is_built_in(name)
}

/// Reads and compiles an expression.
pub fn compile_code(
    code: &ExprSource,
    expected: Expected,
    scope: &mut dyn Scope,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    match parse(&code.value) {
        Ok(ast) => compile(code, &ast, expected, scope, diagnostics),
        Err(error) => {
            diagnostics.push(syntax_diagnostic(code, error));
            None
        }
    }
}

/// The diagnostic of a text that cannot be read.
pub fn syntax_diagnostic(code: &ExprSource, error: SyntaxError) -> Diagnostic {
    let kind = if error.too_large {
        DiagnosticCode::ExpressionTooLarge
    } else {
        DiagnosticCode::ExpressionSyntax
    };
    let span = code_span(code, error.range);
    let mut diagnostic = Diagnostic::new(kind, span, error.message);
    // With escapes in the file the span is that of the whole code.
    let instead = error.instead.filter(|_| span != code.span);
    diagnostic
        .fixes
        .extend(instead.map(|text| Fix::name(span, text)));
    match error.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Compiles an expression whose ranges are bytes of a code's text. `None` means that an error was
/// reported.
pub fn compile(
    code: &ExprSource,
    ast: &Expr,
    expected: Expected,
    scope: &mut dyn Scope,
    diagnostics: &mut Diagnostics,
) -> Option<Compiled> {
    let node = check::check(code, ast, expected, scope, diagnostics)?;
    match compiled(&node, &*scope) {
        Ok(compiled) => Some(compiled),
        Err(error) => {
            diagnostics.push(report::too_large(code_span(code, ast.range.clone()), error));
            None
        }
    }
}

fn compiled(node: &TypedExpr, scope: &dyn Names) -> Result<Compiled, TooLarge> {
    let emitted = emit::emit(node)?;
    let text = decompile(&emitted.instructions, scope).unwrap_or_default();
    let call = match node {
        TypedExpr::Call {
            op: op::CALL_GUARD,
            b,
            operands,
            ..
        } => {
            let operands = operands.iter().map(|operand| compiled(operand, scope));
            Some((*b, operands.collect::<Result<_, _>>()?))
        }
        _ => None,
    };
    Ok(Compiled {
        instructions: emitted.instructions,
        stack_words: emitted.stack_words,
        ty: node.ty(),
        facts: node.facts(),
        constant: node.constant(),
        text,
        call,
    })
}
