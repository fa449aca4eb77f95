//! Executable content.

use roxmltree::Node;

use super::Reader;
use super::xml::{attributes, elements, name, problem, word};
use crate::document::Content;
use crate::expression::{Names, Type, parse, parse_calls};

/// `if` may nest so deep, states and all.
const MOST_LEVELS: usize = 128;

/// The types of a send that mean this session's own queue.
const OWN_TYPES: [&str; 2] = ["scxml", "http://www.w3.org/TR/scxml/#SCXMLEventProcessor"];

impl Reader {
    /// The content of onentry, onexit or a transition.
    pub(super) fn block(&self, node: Node) -> Result<Vec<Content>, String> {
        elements(node)?
            .into_iter()
            .map(|child| self.content(child))
            .collect()
    }

    fn content(&self, node: Node) -> Result<Content, String> {
        match name(node)? {
            "raise" => {
                self.leaf(node, &["event"])?;
                Ok(Content::Raise(event_name(node)?))
            }
            "send" => self.send(node),
            "cancel" => {
                self.leaf(node, &["sendid"])?;
                Ok(Content::Cancel(word(node, "sendid")?))
            }
            "log" => self.log(node),
            "assign" => self.assign(node),
            "if" => self.choice(node),
            "script" => {
                attributes(node, &[])?;
                let calls = parse_calls(node.text().unwrap_or(""), self)
                    .map_err(|error| problem(node, &error))?;
                Ok(Content::Call(calls))
            }
            _ => Err(problem(node, "this element is not supported here")),
        }
    }

    /// An element with nothing inside.
    fn leaf(&self, node: Node, known: &[&str]) -> Result<(), String> {
        attributes(node, known)?;
        if elements(node)?.is_empty() {
            Ok(())
        } else {
            Err(problem(node, "nothing can stand inside"))
        }
    }

    fn send(&self, node: Node) -> Result<Content, String> {
        self.leaf(node, &["event", "delay", "id", "type"])?;
        if node
            .attribute("type")
            .is_some_and(|ty| !OWN_TYPES.contains(&ty))
        {
            return Err(problem(
                node,
                "only events to the session itself are supported",
            ));
        }
        let delay_ms = node
            .attribute("delay")
            .map_or(Ok(0), |delay| delay_ms(node, delay))?;
        let id = node.attribute("id").map(|_| word(node, "id")).transpose()?;
        Ok(Content::Send {
            event: event_name(node)?,
            delay_ms,
            id,
        })
    }

    fn log(&self, node: Node) -> Result<Content, String> {
        self.leaf(node, &["label", "expr"])?;
        let expr = node
            .attribute("expr")
            .map(|expr| parse(expr, self).map_err(|error| problem(node, &error)));
        let expr = expr.transpose()?.map(|(expression, _)| expression);
        Ok(Content::Log {
            label: node.attribute("label").unwrap_or("").to_string(),
            expr,
        })
    }

    fn assign(&self, node: Node) -> Result<Content, String> {
        self.leaf(node, &["location", "expr"])?;
        let location = word(node, "location")?;
        let found = self.variable(&location);
        let (variable, ty) =
            found.ok_or_else(|| problem(node, &format!("no data has the id `{location}`")))?;
        let text = node
            .attribute("expr")
            .ok_or_else(|| problem(node, "`expr` is missing"))?;
        Ok(Content::Assign {
            variable,
            expr: self.expression(node, text, ty)?,
        })
    }

    fn choice(&self, node: Node) -> Result<Content, String> {
        attributes(node, &["cond"])?;
        if node.ancestors().count() > MOST_LEVELS {
            return Err(problem(
                node,
                &format!("more than {MOST_LEVELS} levels of elements"),
            ));
        }
        let mut parts = vec![(Some(self.cond(node)?), Vec::new())];
        for child in elements(node)? {
            let after_else = parts.last().is_some_and(|(cond, _)| cond.is_none());
            match name(child)? {
                "elseif" | "else" if after_else => return Err(problem(child, "`else` comes last")),
                "elseif" => {
                    self.leaf(child, &["cond"])?;
                    parts.push((Some(self.cond(child)?), Vec::new()));
                }
                "else" => {
                    self.leaf(child, &[])?;
                    parts.push((None, Vec::new()));
                }
                _ => {
                    let content = self.content(child)?;
                    parts
                        .last_mut()
                        .expect("the first part is there")
                        .1
                        .push(content);
                }
            }
        }
        Ok(Content::If(parts))
    }

    fn cond(&self, node: Node) -> Result<crate::expression::Expression, String> {
        let text = node
            .attribute("cond")
            .ok_or_else(|| problem(node, "`cond` is missing"))?;
        self.expression(node, text, Type::Boolean)
    }
}

fn event_name(node: Node) -> Result<String, String> {
    let event = word(node, "event")?;
    if event.contains('*') || event.split('.').any(str::is_empty) {
        return Err(problem(node, &format!("`{event}` is no event name")));
    }
    Ok(event)
}

/// `10ms`, `1s`, `1.5s`: whole milliseconds, at most an hour.
fn delay_ms(node: Node, delay: &str) -> Result<u64, String> {
    let wrong = || {
        problem(
            node,
            &format!("`{delay}` is no delay of whole milliseconds up to an hour, such as `10ms`"),
        )
    };
    let (digits, scale) = match (delay.strip_suffix("ms"), delay.strip_suffix('s')) {
        (Some(digits), _) => (digits, 1),
        (None, Some(digits)) => (digits, 1000),
        (None, None) => return Err(wrong()),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |text: &str| text.len() <= 7 && text.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(part) || whole.len() + part.len() == 0 {
        return Err(wrong());
    }
    let number = |text: &str| {
        if text.is_empty() {
            0
        } else {
            text.parse::<u64>().unwrap_or(0)
        }
    };
    let thousandths = number(part) * scale;
    let unit = 10_u64.pow(part.len() as u32);
    let milliseconds = number(whole) * scale + thousandths / unit;
    if thousandths % unit == 0 && milliseconds <= 3_600_000 {
        Ok(milliseconds)
    } else {
        Err(wrong())
    }
}
