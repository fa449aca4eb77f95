//! Texts of actions and calls: `Shout`, `Shout(3, power: 1.5)`, `health = 100`, `ammo -= 1`
//! (CODE-3, CODE-4).
//!
//! Arguments of calls are literals or expressions (LANG-4), assignments hold a whole expression,
//! whose ranges are bytes of the action's text.

use std::ops::Range;

use super::lexer::{Lexeme, Token};
use super::parser::{Parser, too_deep};
use super::{CallArgument, Expr, ExprKind, SyntaxError, UnaryOp};
use crate::graph::{Argument, ArgumentValue, ExprSource};
use crate::limits::MAX_EXPRESSION_DEPTH;
use crate::span::{Name, Span, Spanned};

/// What the text of an action says. Spans are bytes of that text.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionText {
    /// Calls a function.
    Call(CallText),
    /// `key = value`.
    Set {
        /// The key.
        key: Name,
        /// Its new value.
        value: Expr,
    },
    /// `key += value`, or `key -= value` with the value negated.
    Add {
        /// The key.
        key: Name,
        /// What to add.
        value: Expr,
    },
}

/// A call. Spans are bytes of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct CallText {
    /// The function.
    pub name: Name,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

impl CallText {
    /// Function and arguments with spans in the file, for a call that is the text of `code`.
    pub fn spanned(&self, code: &ExprSource) -> (Name, Vec<Argument>) {
        let name = |name: &Name| Name::new(name.value.clone(), span_in(code, name.span));
        let argument = |argument: &Argument| Argument {
            name: argument.name.as_ref().map(name),
            value: match &argument.value {
                ArgumentValue::Literal(literal) => ArgumentValue::Literal(Spanned::new(
                    literal.value.clone(),
                    span_in(code, literal.span),
                )),
                ArgumentValue::Code(inner) => ArgumentValue::Code(Spanned::new(
                    inner.value.clone(),
                    span_in(code, inner.span),
                )),
            },
        };
        (
            name(&self.name),
            self.arguments.iter().map(argument).collect(),
        )
    }
}

/// The span in the file of bytes of a code's text. If the file spells the text differently (with
/// escapes), that is the whole code.
pub(super) fn span_in(code: &ExprSource, bytes: Span) -> Span {
    code_span(code, bytes.start as usize..bytes.end as usize)
}

/// The span in the file of a range of a code's text. If the file spells the text differently (with
/// escapes), that is the whole code.
pub fn code_span(code: &ExprSource, range: Range<usize>) -> Span {
    let length = code.span.end.saturating_sub(code.span.start) as usize;
    if length == code.value.len() {
        code.span.within(range)
    } else {
        code.span
    }
}

/// Reads the text of an action.
pub fn parse_action(text: &str) -> Result<ActionText, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let name = function_name(&mut parser, "an action")?;
    let sign = parser.peek().clone();
    match sign.token {
        Token::Sign("=") => {
            parser.next();
            Ok(ActionText::Set {
                key: name,
                value: value(&mut parser)?.0,
            })
        }
        Token::Sign("+=") => {
            parser.next();
            Ok(ActionText::Add {
                key: name,
                value: value(&mut parser)?.0,
            })
        }
        Token::Sign("-=") => {
            parser.next();
            Ok(ActionText::Add {
                key: name,
                value: negated(&mut parser)?,
            })
        }
        Token::Sign("==") => Err(
            SyntaxError::new(sign.range, "`==` compares and changes nothing")
                .help("write `=` to give a key a value"),
        ),
        Token::Sign(".") => Err(part_of_a_value(&name, &sign)),
        _ => call(&mut parser, text, name).map(ActionText::Call),
    }
}

/// `home.x = 3`: only whole keys are written.
fn part_of_a_value(name: &Name, dot: &Lexeme) -> SyntaxError {
    let key = &name.value;
    SyntaxError::new(
        dot.range.clone(),
        format!("only the whole of `{key}` can be written, not a part of it"),
    )
    .help(format!(
        "write `{key} = vec2(…, …)` or `{key} = vec3(…, …, …)`; a name with a dot is no key"
    ))
}

/// Reads a call: an activity, a scorer or an action that is one. As in an expression, it may stand
/// in parentheses.
pub fn parse_call(text: &str) -> Result<CallText, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let mut open = 0;
    while parser.sees("(") {
        parser.next();
        open += 1;
    }
    let name = function_name(&mut parser, "a call")?;
    let arguments = call_arguments(&mut parser, text)?;
    for _ in 0..open {
        if !parser.sees(")") {
            return Err(parser.unexpected("after the call"));
        }
        parser.next();
    }
    end_of_call(&parser, CallText { name, arguments })
}

fn function_name(parser: &mut Parser, what: &str) -> Result<Name, SyntaxError> {
    let Lexeme { token, range } = parser.next();
    match token {
        Token::Name(name) => Ok(Name::new(name, Span::bytes(range))),
        Token::End => Err(SyntaxError::new(range, format!("{what} is needed here"))),
        _ => Err(SyntaxError::new(
            range,
            format!("{what} starts with a name"),
        )),
    }
}

fn value(parser: &mut Parser) -> Result<(Expr, usize), SyntaxError> {
    let value = parser.expression()?;
    parser.end()?;
    Ok(value)
}

fn negated(parser: &mut Parser) -> Result<Expr, SyntaxError> {
    let (operand, height) = value(parser)?;
    let range = operand.range.clone();
    if height >= MAX_EXPRESSION_DEPTH {
        return Err(too_deep(range));
    }
    Ok(Expr {
        kind: ExprKind::Unary {
            op: UnaryOp::Neg,
            operand: Box::new(operand),
        },
        range,
    })
}

fn call(parser: &mut Parser, text: &str, name: Name) -> Result<CallText, SyntaxError> {
    let arguments = call_arguments(parser, text)?;
    end_of_call(parser, CallText { name, arguments })
}

fn call_arguments(parser: &mut Parser, text: &str) -> Result<Vec<Argument>, SyntaxError> {
    if !parser.sees("(") {
        return Ok(Vec::new());
    }
    let (parsed, _, _) = parser.arguments()?;
    Ok(parsed
        .into_iter()
        .map(|parsed| argument(text, parsed))
        .collect())
}

fn end_of_call(parser: &Parser, call: CallText) -> Result<CallText, SyntaxError> {
    match parser.peek().token {
        Token::End => Ok(call),
        _ => Err(parser.unexpected("after the call")),
    }
}

fn argument(text: &str, argument: CallArgument) -> Argument {
    let range = argument.value.range.clone();
    let span = Span::bytes(range.clone());
    let value = match argument.value.literal() {
        Some(value) => ArgumentValue::Literal(Spanned::new(value, span)),
        None => {
            let code = text.get(range).unwrap_or_default();
            ArgumentValue::Code(Spanned::new(code.to_owned(), span))
        }
    };
    Argument {
        name: argument.name,
        value,
    }
}
