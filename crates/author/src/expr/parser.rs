//! Tokens to an expression.
//!
//! From loose to tight: `||`, `&&`, comparisons (which do not chain), `+ -`, `* / %`, `! -` in
//! front, `.field` behind. Recursion is bounded: nesting of brackets and height of the tree stay
//! within [`MAX_EXPRESSION_DEPTH`], so whoever walks the tree later may recurse, too.

use std::ops::Range;

use super::lexer::{Lexeme, Token, lex};
use super::{BinaryOp, CallArgument, Expr, ExprKind, LogicOp, StateQuery, SyntaxError, UnaryOp};
use crate::limits::MAX_EXPRESSION_DEPTH;
use crate::span::{Name, Span};

/// Reads an expression.
pub fn parse(text: &str) -> Result<Expr, SyntaxError> {
    let mut parser = Parser::new(text)?;
    let (expr, _) = parser.expression()?;
    parser.end()?;
    Ok(expr)
}

/// An expression and the height of its tree.
pub(super) type Tall = (Expr, usize);

const COMPARISONS: [BinaryOp; 6] = [
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
];
const SUMS: [BinaryOp; 2] = [BinaryOp::Add, BinaryOp::Sub];
const PRODUCTS: [BinaryOp; 3] = [BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem];

pub(super) struct Parser {
    lexemes: Vec<Lexeme>,
    at: usize,
    nesting: usize,
    end: Lexeme,
}

impl Parser {
    pub(super) fn new(text: &str) -> Result<Self, SyntaxError> {
        let end = Lexeme {
            token: Token::End,
            range: text.len()..text.len(),
        };
        Ok(Self {
            lexemes: lex(text)?,
            at: 0,
            nesting: 0,
            end,
        })
    }

    pub(super) fn peek(&self) -> &Lexeme {
        self.lexemes.get(self.at).unwrap_or(&self.end)
    }

    pub(super) fn next(&mut self) -> Lexeme {
        let lexeme = self.peek().clone();
        self.at += 1;
        lexeme
    }

    pub(super) fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek().token, Token::Sign(found) if found == sign);
        self.at += usize::from(found);
        found
    }

    pub(super) fn sees(&self, sign: &str) -> bool {
        matches!(self.peek().token, Token::Sign(found) if found == sign)
    }

    pub(super) fn end(&self) -> Result<(), SyntaxError> {
        match self.peek().token {
            Token::End => Ok(()),
            _ => Err(self.unexpected("after the expression")),
        }
    }

    /// `||`, the loosest level.
    pub(super) fn expression(&mut self) -> Result<Tall, SyntaxError> {
        self.logic(LogicOp::Or, |parser| {
            parser.logic(LogicOp::And, Self::comparison)
        })
    }

    fn logic(
        &mut self,
        op: LogicOp,
        tighter: fn(&mut Self) -> Result<Tall, SyntaxError>,
    ) -> Result<Tall, SyntaxError> {
        let (first, mut height) = tighter(self)?;
        if !self.sees(op.as_str()) {
            return Ok((first, height));
        }
        let mut operands = vec![first];
        while self.eat(op.as_str()) {
            let (next, next_height) = tighter(self)?;
            height = height.max(next_height);
            operands.push(next);
        }
        let range = span(&operands);
        self.node(ExprKind::Logic { op, operands }, range, height)
    }

    fn comparison(&mut self) -> Result<Tall, SyntaxError> {
        let left = self.sum()?;
        let Some(op) = self.operator(&COMPARISONS) else {
            return Ok(left);
        };
        let right = self.sum()?;
        let middle = right.0.range.clone();
        let whole = self.binary(op, left, right)?;
        if let Token::Sign(sign) = self.peek().token
            && COMPARISONS.iter().any(|op| op.as_str() == sign)
        {
            let error = SyntaxError::new(
                middle.start..self.peek().range.end,
                "comparisons do not chain",
            );
            return Err(
                error.help("write `a < b && b < c`, or parentheses to compare a truth value")
            );
        }
        Ok(whole)
    }

    fn sum(&mut self) -> Result<Tall, SyntaxError> {
        let mut left = self.product()?;
        while let Some(op) = self.operator(&SUMS) {
            let right = self.product()?;
            left = self.binary(op, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Tall, SyntaxError> {
        let mut left = self.unary()?;
        while let Some(op) = self.operator(&PRODUCTS) {
            let right = self.unary()?;
            left = self.binary(op, left, right)?;
        }
        Ok(left)
    }

    fn operator(&mut self, ops: &[BinaryOp]) -> Option<BinaryOp> {
        ops.iter().copied().find(|op| self.eat(op.as_str()))
    }

    fn binary(&self, op: BinaryOp, left: Tall, right: Tall) -> Result<Tall, SyntaxError> {
        let range = left.0.range.start..right.0.range.end;
        let height = left.1.max(right.1);
        self.node(
            ExprKind::Binary {
                op,
                left: Box::new(left.0),
                right: Box::new(right.0),
            },
            range,
            height,
        )
    }

    /// Prefix operators are collected in a loop, so `!!!!…` does not recurse.
    fn unary(&mut self) -> Result<Tall, SyntaxError> {
        let mut prefix = Vec::new();
        loop {
            let start = self.peek().range.start;
            if self.eat("!") {
                prefix.push((UnaryOp::Not, start));
            } else if self.eat("-") {
                prefix.push((UnaryOp::Neg, start));
            } else {
                break;
            }
        }
        let mut result = self.postfix()?;
        for (op, start) in prefix.into_iter().rev() {
            let (operand, height) = result;
            let range = start..operand.range.end;
            result = self.node(
                ExprKind::Unary {
                    op,
                    operand: Box::new(operand),
                },
                range,
                height,
            )?;
        }
        Ok(result)
    }

    fn postfix(&mut self) -> Result<Tall, SyntaxError> {
        let mut result = self.primary()?;
        while self.sees(".") {
            let dot = self.next().range;
            let field = self.next();
            let Token::Name(name) = field.token else {
                let error = SyntaxError::new(dot, "the name of a field is missing after `.`");
                return Err(error.help("write `position.x`, or `1.0` for a number"));
            };
            let (base, height) = result;
            let range = base.range.start..field.range.end;
            let field = Name::new(name, Span::bytes(field.range));
            result = self.node(
                ExprKind::Field {
                    base: Box::new(base),
                    field,
                },
                range,
                height,
            )?;
        }
        Ok(result)
    }

    fn primary(&mut self) -> Result<Tall, SyntaxError> {
        let Lexeme { token, range } = self.peek().clone();
        let kind = match token {
            Token::Int(value) => ExprKind::Int(value),
            Token::Float(value) => ExprKind::Float(value),
            Token::Text(text) => ExprKind::Text(text),
            Token::Name(name) => return self.name(name, range),
            Token::Sign("(") => return self.parenthesized(),
            _ => return Err(self.unexpected("where a value is needed")),
        };
        self.next();
        self.node(kind, range, 0)
    }

    fn parenthesized(&mut self) -> Result<Tall, SyntaxError> {
        let open = self.next().range;
        self.nest(&open)?;
        let (mut inner, height) = self.expression()?;
        let start = open.start;
        inner.range = start..self.close(open)?;
        Ok((inner, height))
    }

    fn name(&mut self, name: String, range: Range<usize>) -> Result<Tall, SyntaxError> {
        if let Some(error) = reserved(&name, &range) {
            return Err(error);
        }
        self.next();
        match name.as_str() {
            "true" | "false" => return self.node(ExprKind::Bool(name == "true"), range, 0),
            _ if self.sees("(") => {}
            _ if StateQuery::parse(&name).is_some() => {
                let error = SyntaxError::new(range, format!("`{name}` needs parentheses"));
                return Err(error.help(format!("write `{name}(State)`")));
            }
            _ => return self.node(ExprKind::Name(name), range, 0),
        }
        let function = Name::new(name, Span::bytes(range.clone()));
        match StateQuery::parse(&function.value) {
            Some(query) => self.state_query(query, range),
            None => {
                let (arguments, end, height) = self.arguments()?;
                self.node(
                    ExprKind::Call {
                        function,
                        arguments,
                    },
                    range.start..end,
                    height,
                )
            }
        }
    }

    /// `(a, name: b)` with both parentheses; also gives its end and the height of the tallest
    /// argument.
    pub(super) fn arguments(&mut self) -> Result<(Vec<CallArgument>, usize, usize), SyntaxError> {
        let open = self.next().range;
        self.nest(&open)?;
        let mut arguments = Vec::new();
        let mut height = 0;
        while !self.sees(")") {
            let name = self.argument_name();
            let (value, value_height) = self.expression()?;
            height = height.max(value_height);
            arguments.push(CallArgument { name, value });
            if !self.eat(",") {
                break;
            }
        }
        Ok((arguments, self.close(open)?, height))
    }

    /// `name:` before an argument.
    fn argument_name(&mut self) -> Option<Name> {
        let after = self.lexemes.get(self.at + 1)?;
        let Token::Name(name) = &self.peek().token else {
            return None;
        };
        if after.token != Token::Sign(":") {
            return None;
        }
        let name = Name::new(name.clone(), Span::bytes(self.peek().range.clone()));
        self.at += 2;
        Some(name)
    }

    fn state_query(&mut self, query: StateQuery, range: Range<usize>) -> Result<Tall, SyntaxError> {
        let open = self.next().range;
        let state = if self.sees(")") {
            None
        } else {
            Some(self.state_name()?)
        };
        let end = self.close_at(open)?;
        if query == StateQuery::In && state.is_none() {
            return Err(
                SyntaxError::new(range.start..end, "`in` needs a state").help("write `in(State)`")
            );
        }
        self.node(ExprKind::State { query, state }, range.start..end, 0)
    }

    /// `combat/attack` or a quoted text.
    fn state_name(&mut self) -> Result<Name, SyntaxError> {
        let first = self.next();
        let mut range = first.range;
        let mut path = match first.token {
            Token::Text(text) => return Ok(Name::new(text, Span::bytes(range))),
            Token::Name(name) => name,
            _ => return Err(self.not_a_state(range)),
        };
        while self.eat("/") {
            let next = self.next();
            let Token::Name(name) = next.token else {
                return Err(self.not_a_state(next.range));
            };
            path = format!("{path}/{name}");
            range.end = next.range.end;
        }
        Ok(Name::new(path, Span::bytes(range)))
    }

    fn not_a_state(&self, range: Range<usize>) -> SyntaxError {
        SyntaxError::new(range, "the name of a state is needed here").help(
            "write `in(combat/attack)`, or quote a name with other characters: `in('my state')`",
        )
    }

    fn nest(&mut self, open: &Range<usize>) -> Result<(), SyntaxError> {
        self.nesting += 1;
        if self.nesting > MAX_EXPRESSION_DEPTH {
            Err(too_deep(open.clone()))
        } else {
            Ok(())
        }
    }

    fn close(&mut self, open: Range<usize>) -> Result<usize, SyntaxError> {
        self.nesting = self.nesting.saturating_sub(1);
        self.close_at(open)
    }

    fn close_at(&mut self, open: Range<usize>) -> Result<usize, SyntaxError> {
        let end = self.peek().range.end;
        if self.eat(")") {
            return Ok(end);
        }
        match self.peek().token {
            Token::End => Err(SyntaxError::new(open, "this `(` is not closed").help("add `)`")),
            _ => Err(self.unexpected("where `)` or an operator is needed")),
        }
    }

    /// A node one higher than its tallest part.
    fn node(
        &self,
        kind: ExprKind,
        range: Range<usize>,
        tallest: usize,
    ) -> Result<Tall, SyntaxError> {
        let height = tallest + 1;
        if height > MAX_EXPRESSION_DEPTH {
            return Err(too_deep(range));
        }
        Ok((Expr { kind, range }, height))
    }

    pub(super) fn unexpected(&self, here: &str) -> SyntaxError {
        let Lexeme { token, range } = self.peek();
        if let Token::Name(name) = token
            && let Some(error) = reserved(name, range)
        {
            return error;
        }
        let message = match token {
            Token::End => "the expression ends where a value is needed".to_owned(),
            Token::Sign("=") => "`=` does not compare".to_owned(),
            Token::Sign(sign) => format!("`{sign}` has no place {here}"),
            Token::Name(name) => format!("`{name}` has no place {here}"),
            Token::Int(_) | Token::Float(_) => format!("a number has no place {here}"),
            Token::Text(_) => format!("a text has no place {here}"),
        };
        let error = SyntaxError::new(range.clone(), message);
        match token {
            Token::Sign("=") => error.help("write `==`"),
            Token::Sign("+=" | "-=") => error.help("only an action changes a key"),
            Token::Sign(")") => error.help("a `(` is missing, or this `)` is too much"),
            Token::Sign(".") => error.help("a number starts with a digit: write `0.5`"),
            Token::Sign(":") => error.help("there is no `?:`; write `select(condition, a, b)`"),
            _ => error,
        }
    }
}

/// Words of other languages that are operators here.
fn reserved(name: &str, range: &Range<usize>) -> Option<SyntaxError> {
    let sign = match name.to_ascii_lowercase().as_str() {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        _ => return None,
    };
    Some(
        SyntaxError::new(range.clone(), format!("`{name}` is not an operator"))
            .help(format!("write `{sign}`")),
    )
}

pub(super) fn too_deep(range: Range<usize>) -> SyntaxError {
    SyntaxError::too_large(
        range,
        format!("the expression is nested more than {MAX_EXPRESSION_DEPTH} deep"),
    )
    .help("split it: use several guards, or compute a part into a blackboard key")
}

fn span(parts: &[Expr]) -> Range<usize> {
    let start = parts.first().map_or(0, |part| part.range.start);
    start..parts.last().map_or(start, |part| part.range.end)
}
