//! From the text of an expression to a tree whose types fit. Precedence is that of ECMAScript.

use super::words::{Word, words};
use super::{Expression, Operator, Type, Value};

/// What the names in an expression mean.
pub(crate) trait Names {
    fn variable(&self, name: &str) -> Option<(usize, Type)>;
    fn state(&self, id: &str) -> Option<usize>;
    /// What a function outside of the document is called there.
    fn function(&self, name: &str) -> Option<&str>;
}

/// Operators from the loosest to the tightest; all associate to the left.
const LEVELS: [&[(&str, Operator)]; 6] = [
    &[("||", Operator::Or)],
    &[("&&", Operator::And)],
    &[
        ("===", Operator::Equal),
        ("!==", Operator::NotEqual),
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
    ],
    &[
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ],
    &[("+", Operator::Add), ("-", Operator::Subtract)],
    &[("*", Operator::Multiply)],
];

/// Parentheses and signs in front nest at most so deep.
const MOST_NESTED: usize = 64;

/// Reads an expression of any type.
pub(crate) fn parse(text: &str, names: &dyn Names) -> Result<(Expression, Type), String> {
    let mut parser = Parser {
        words: words(text)?,
        at: 0,
        nested: 0,
        names,
    };
    let whole = parser
        .level(0)
        .map_err(|problem| format!("{problem} in `{text}`"))?;
    match parser.words.get(parser.at) {
        None => Ok(whole),
        Some(word) => Err(format!("{} is too much in `{text}`", spell(word))),
    }
}

/// Reads calls of functions outside of the document, with semicolons between them: each as `name(1,
/// 'text')`.
pub(crate) fn parse_calls(text: &str, names: &dyn Names) -> Result<Vec<String>, String> {
    let mut parser = Parser {
        words: words(text)?,
        at: 0,
        nested: 0,
        names,
    };
    let mut calls = Vec::new();
    while parser.at < parser.words.len() {
        let Some(Word::Name(name)) = parser.words.get(parser.at).cloned() else {
            return Err(format!("a call begins with a name in `{text}`"));
        };
        parser.at += 1;
        calls.push(parser.call(&name)?);
        parser.eat(";");
    }
    Ok(calls)
}

struct Parser<'n> {
    words: Vec<Word>,
    at: usize,
    nested: usize,
    names: &'n dyn Names,
}

type Typed = (Expression, Type);

impl Parser<'_> {
    fn level(&mut self, level: usize) -> Result<Typed, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            left = pair(operator, left, right)?;
        }
        Ok(left)
    }

    fn operator(&mut self, operators: &[(&str, Operator)]) -> Option<Operator> {
        let Some(Word::Sign(sign)) = self.words.get(self.at) else {
            return None;
        };
        let found = operators.iter().find(|(text, _)| text == sign)?;
        self.at += 1;
        Some(found.1)
    }

    fn unary(&mut self) -> Result<Typed, String> {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(format!("more than {MOST_NESTED} levels"));
        }
        let result = if self.eat("!") {
            let (inner, ty) = self.unary()?;
            expect(ty, Type::Boolean, "!")?;
            Ok((Expression::Not(Box::new(inner)), Type::Boolean))
        } else if self.eat("-") {
            self.negative()
        } else {
            self.atom()
        };
        self.nested -= 1;
        result
    }

    fn negative(&mut self) -> Result<Typed, String> {
        if let Some(Word::Integer(number)) = self.words.get(self.at) {
            let value = Value::Integer((-number) as i32);
            self.at += 1;
            return Ok((Expression::Constant(value), Type::Integer));
        }
        let (inner, ty) = self.unary()?;
        expect(ty, Type::Integer, "-")?;
        Ok((Expression::Negate(Box::new(inner)), Type::Integer))
    }

    fn atom(&mut self) -> Result<Typed, String> {
        let word = self
            .words
            .get(self.at)
            .cloned()
            .ok_or("something is missing at the end")?;
        self.at += 1;
        let value = match word {
            Word::Integer(number) => Value::Integer(
                i32::try_from(number).map_err(|_| format!("`{number}` is too large"))?,
            ),
            Word::Text(text) => Value::Text(text),
            Word::Name(name) if name == "true" || name == "false" => Value::Boolean(name == "true"),
            Word::Name(name) if name == "In" => return self.is_in(),
            Word::Name(name) if matches!(self.words.get(self.at), Some(Word::Sign("("))) => {
                return self.call(&name).map(|_| (Expression::Ask, Type::Boolean));
            }
            Word::Name(name) => return self.variable(&name),
            Word::Sign("(") => {
                let inner = self.level(0)?;
                return if self.eat(")") {
                    Ok(inner)
                } else {
                    Err("`)` is missing".into())
                };
            }
            Word::Sign(sign) => return Err(format!("`{sign}` is out of place")),
        };
        let ty = value.ty();
        Ok((Expression::Constant(value), ty))
    }

    fn variable(&self, name: &str) -> Result<Typed, String> {
        let (variable, ty) = self
            .names
            .variable(name)
            .ok_or_else(|| format!("no data has the id `{name}`"))?;
        Ok((Expression::Variable(variable), ty))
    }

    fn is_in(&mut self) -> Result<Typed, String> {
        if let (true, Some(Word::Text(id))) = (self.eat("("), self.words.get(self.at).cloned()) {
            self.at += 1;
            if self.eat(")") {
                let state = self
                    .names
                    .state(&id)
                    .ok_or_else(|| format!("no state has the id `{id}`"))?;
                return Ok((Expression::In(state), Type::Boolean));
            }
        }
        Err("`In` takes one id in quotes".into())
    }

    /// The arguments of a call, which are constants.
    fn call(&mut self, name: &str) -> Result<String, String> {
        let function = self
            .names
            .function(name)
            .ok_or_else(|| format!("`{name}` is no function that can be called"))?;
        if !self.eat("(") {
            return Err(format!("`{name}` needs parentheses"));
        }
        let mut arguments = Vec::new();
        while !self.eat(")") {
            match self.unary()? {
                (Expression::Constant(value), _) => arguments.push(value.to_string()),
                _ => return Err(format!("an argument of `{name}` is no constant")),
            }
            if !self.eat(",") && !matches!(self.words.get(self.at), Some(Word::Sign(")"))) {
                return Err("`)` is missing".into());
            }
        }
        Ok(format!("{function}({})", arguments.join(", ")))
    }

    fn eat(&mut self, sign: &str) -> bool {
        let found = matches!(self.words.get(self.at), Some(Word::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }
}

fn pair(
    operator: Operator,
    (left, left_ty): Typed,
    (right, right_ty): Typed,
) -> Result<Typed, String> {
    let (operand, result) = match operator {
        Operator::Or | Operator::And => (Type::Boolean, Type::Boolean),
        Operator::Equal | Operator::NotEqual => (left_ty, Type::Boolean),
        Operator::Add | Operator::Subtract | Operator::Multiply => (Type::Integer, Type::Integer),
        _ => (Type::Integer, Type::Boolean),
    };
    expect(left_ty, operand, "the operator")?;
    expect(right_ty, operand, "the operator")?;
    Ok((
        Expression::Pair(operator, Box::new(left), Box::new(right)),
        result,
    ))
}

fn expect(found: Type, wanted: Type, by: &str) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{by} takes {wanted}, not {found},"))
    }
}

fn spell(word: &Word) -> String {
    match word {
        Word::Integer(number) => format!("`{number}`"),
        Word::Text(text) => format!("'{text}'"),
        Word::Name(name) => format!("`{name}`"),
        Word::Sign(sign) => format!("`{sign}`"),
    }
}
