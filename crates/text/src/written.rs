//! Expressions as they are written: the canonical form, with as few parentheses as possible
//! (CODE-4).
//!
//! Comes in: parts, from the inside out. Goes out: a [`Written`] text that reads back as what was
//! put together. Texts are in single quotes, so the result fits into a JSON string. The parser of
//! machine files and the decompiler have trees of their own; what their texts look like is decided
//! here, once.
//!
//! ```
//! use statewright_text::written::{BinaryOp, Written};
//!
//! let sum = Written::binary(BinaryOp::Add, Written::name("a"), Written::int(2));
//! let product = Written::binary(BinaryOp::Mul, sum, Written::name("b"));
//! assert_eq!(product.to_string(), "(a + 2) * b");
//! ```

use std::fmt::{self, Display};

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// Operators between two operands that always need both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

/// Operators that stop as soon as the answer is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogicOp {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Questions about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateQuery {
    /// `in(State)`
    In,
    /// `ticks_in_state()`
    Ticks,
    /// `time_in_state()`
    Time,
}

impl UnaryOp {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Not => "!",
            Self::Neg => "-",
        }
    }
}

impl BinaryOp {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }

    /// Whether it compares, so gives a bool and does not chain.
    pub fn compares(self) -> bool {
        !matches!(
            self,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Rem
        )
    }

    fn strength(self) -> Strength {
        match self {
            Self::Add | Self::Sub => Strength::Sum,
            Self::Mul | Self::Div | Self::Rem => Strength::Product,
            Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge => Strength::Comparison,
        }
    }
}

impl LogicOp {
    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
        }
    }

    fn strength(self) -> Strength {
        match self {
            Self::And => Strength::And,
            Self::Or => Strength::Or,
        }
    }
}

impl StateQuery {
    /// The function's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Ticks => "ticks_in_state",
            Self::Time => "time_in_state",
        }
    }

    /// The question of a name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::In, Self::Ticks, Self::Time]
            .into_iter()
            .find(|query| query.as_str() == name)
    }
}

/// How tightly an expression holds together; later is tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    Sign,
    Whole,
}

impl Strength {
    /// What an operand needs that must not be of the same strength: the right side of `a - (b - c)`.
    fn next(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Comparison,
            Self::Comparison => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Sign,
            Self::Sign | Self::Whole => Self::Whole,
        }
    }
}

/// The text of an expression, and how tightly it holds together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    text: String,
    strength: Strength,
}

impl Written {
    fn whole(text: String) -> Self {
        Self {
            text,
            strength: Strength::Whole,
        }
    }

    /// A whole number without a sign.
    pub fn int(value: u64) -> Self {
        Self::whole(value.to_string())
    }

    /// A number without a sign. It always has a fraction or an exponent, so it stays a float.
    pub fn float(value: f64) -> Self {
        Self::whole(format!("{value:?}"))
    }

    /// `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Self::whole(value.to_string())
    }

    /// Quoted text: a symbol.
    pub fn quoted(text: &str) -> Self {
        let mut out = String::with_capacity(text.len() + 2);
        out.push('\'');
        for c in text.chars() {
            if matches!(c, '\'' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out.push('\'');
        Self::whole(out)
    }

    /// A blackboard key, a parameter, `event` or a function without arguments; in back quotes if
    /// it is no identifier, as the parameter `fight/rage` of a part.
    pub fn name(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::whole(if name.split("::").all(is_plain_name) {
            name
        } else {
            format!("`{name}`")
        })
    }

    /// An expression that is text already, however weakly its operators bind.
    pub fn code(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            strength: Strength::Or,
        }
    }

    /// `base.x`.
    pub fn field(base: Self, field: &str) -> Self {
        Self::whole(format!("{}.{field}", base.at_least(Strength::Whole)))
    }

    /// An operator before its operand.
    pub fn unary(op: UnaryOp, operand: Self) -> Self {
        Self {
            text: format!("{}{}", op.as_str(), operand.at_least(Strength::Sign)),
            strength: Strength::Sign,
        }
    }

    /// An operator between two operands.
    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        let strength = op.strength();
        // Arithmetic groups to the left; comparisons do not group at all.
        let least = if op.compares() {
            strength.next()
        } else {
            strength
        };
        let (left, right) = (left.at_least(least), right.at_least(strength.next()));
        Self {
            text: format!("{left} {} {right}", op.as_str()),
            strength,
        }
    }

    /// `a && b && c`.
    pub fn logic(op: LogicOp, operands: impl IntoIterator<Item = Self>) -> Self {
        let least = op.strength().next();
        let parts: Vec<String> = operands.into_iter().map(|o| o.at_least(least)).collect();
        Self {
            text: parts.join(&format!(" {} ", op.as_str())),
            strength: op.strength(),
        }
    }

    /// `name(a, far: b)`.
    pub fn call(
        function: &str,
        arguments: impl IntoIterator<Item = (Option<String>, Self)>,
    ) -> Self {
        let argument = |(name, value): (Option<String>, Self)| match name {
            Some(name) => format!("{name}: {}", value.text),
            None => value.text,
        };
        let arguments: Vec<String> = arguments.into_iter().map(argument).collect();
        Self::whole(format!("{function}({})", arguments.join(", ")))
    }

    /// A question about a state, by name or path; without one it is about the state that the
    /// expression belongs to.
    pub fn state(query: StateQuery, state: Option<&str>) -> Self {
        let state = state.map_or_else(String::new, state_name);
        Self::whole(format!("{}({state})", query.as_str()))
    }

    /// The text, in parentheses unless it is this tight.
    fn at_least(self, least: Strength) -> String {
        if self.strength >= least {
            self.text
        } else {
            format!("({})", self.text)
        }
    }
}

impl Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Written> for String {
    fn from(written: Written) -> Self {
        written.text
    }
}

/// A path as it stands in expressions: quoted if one of its names is no identifier.
fn state_name(path: &str) -> String {
    if path.split('/').all(is_plain_name) {
        path.to_owned()
    } else {
        Written::quoted(path).text
    }
}

/// Whether expressions can say a name as it is.
pub fn is_plain_name(name: &str) -> bool {
    name.starts_with(is_name_start) && name.chars().all(is_name_part)
}

/// Whether an identifier may begin with it.
pub fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether it may stand in an identifier.
pub fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
