//! Executable content: `raise`, `send`, `cancel`, `assign`, `log` and `if` become actions.

use std::collections::HashSet;

use roxmltree::Node as Xml;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::duration::DurationSource;
use statewright_author::graph::{Action, ActionKind, ExprSource};
use statewright_author::names::check_name;
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{DurationError, ValueType};

use super::LOG_LANE;
use super::data::Data;
use super::expression::{Scope, Script, Want, Wrong};
use super::functions::Callable;
use super::problem::{ignored, illegal, refused, too_large, unlike};
use super::script;
use super::sends::{Delay, MOST_TIMERS, Sends, Unit, delay};
use super::xml::{attribute, elements, is_foreign, own_name, tag_span};
use crate::report::shown;

/// Names of the processor that sends between charts.
const SCXML_PROCESSORS: [&str; 3] = [
    "scxml",
    "http://www.w3.org/TR/scxml/#SCXMLEventProcessor",
    "http://www.w3.org/TR/scxml/",
];

/// Most conditions around an action; the `<elseif>` before it count, because each is an `if` in the
/// `else` of the one before.
const MAX_CONDITIONS: usize = 32;

/// What content is translated with.
pub(super) struct Content<'a> {
    /// The text of the document.
    pub(super) document: &'a str,
    pub(super) data: &'a Data,
    pub(super) functions: &'a Callable,
    /// Ids of histories.
    pub(super) histories: &'a HashSet<String>,
    pub(super) sends: &'a Sends,
    pub(super) out: &'a mut Diagnostics,
    /// Something was logged, so there is a lane for it.
    pub(super) logs: bool,
    /// Something was posted, so the queue needs room.
    pub(super) posts: bool,
    /// How many conditions stand around what is translated.
    pub(super) depth: usize,
}

impl Content<'_> {
    /// The actions in several blocks, in order.
    pub(super) fn blocks(&mut self, blocks: &[Xml<'_, '_>]) -> Vec<Action> {
        blocks
            .iter()
            .flat_map(|block| self.actions(*block))
            .collect()
    }

    /// The actions in an element.
    pub(super) fn actions(&mut self, around: Xml<'_, '_>) -> Vec<Action> {
        elements(around).flat_map(|xml| self.action(xml)).collect()
    }

    /// A condition; what is wrong with it has been said when there is none.
    pub(super) fn condition(&mut self, text: &Spanned<String>) -> Option<ExprSource> {
        self.expression(text, Want::Condition)
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            document: self.document,
            variables: &self.data.variables,
            functions: self.functions,
            histories: self.histories,
        }
    }

    fn expression(&mut self, text: &Spanned<String>, want: Want) -> Option<ExprSource> {
        match Script::read(text).and_then(|script| script.translate(want, &self.scope())) {
            Ok(code) => Some(code),
            Err(wrong) => {
                self.out.push(refuse(&wrong, self.document));
                None
            }
        }
    }

    fn action(&mut self, xml: Xml<'_, '_>) -> Vec<Action> {
        let span = tag_span(xml);
        let made = |kind: ActionKind| {
            vec![Action {
                kind,
                muted: false,
                span,
            }]
        };
        if is_foreign(xml) {
            let message = format!("`<{}>` of another namespace", shown(xml.tag_name().name()));
            let instead = "use an action of SCXML, or a function of the game in the native file";
            self.out.push(refused(
                span,
                message,
                "nobody here knows what it does",
                instead,
            ));
            return Vec::new();
        }
        match xml.tag_name().name() {
            "raise" => self.raise(xml).map(made).unwrap_or_default(),
            "send" => self.send(xml).map(made).unwrap_or_default(),
            "cancel" => self.cancel(xml, span),
            "assign" => self.assign(xml).map(made).unwrap_or_default(),
            "log" => made(self.log(xml)),
            "if" => self.conditional(xml).map(made).unwrap_or_default(),
            "script" => script::calls(xml, self.functions, self.out),
            "foreach" => {
                let why = "lists and loops have no place in a tick of bounded length";
                self.out.push(refused(
                    span,
                    "`<foreach>`",
                    why,
                    "do it in a function of the game",
                ));
                Vec::new()
            }
            tag => {
                self.out.push(illegal(
                    span,
                    format!("`<{}>` is no executable content", shown(tag)),
                ));
                Vec::new()
            }
        }
    }

    fn raise(&mut self, xml: Xml<'_, '_>) -> Option<ActionKind> {
        let event = self.event(xml)?;
        self.posts = true;
        Some(ActionKind::Raise {
            event,
            payload: None,
        })
    }

    /// The `event` of a `<raise>` or `<send>`.
    fn event(&mut self, xml: Xml<'_, '_>) -> Option<Name> {
        let tag = xml.tag_name().name();
        let Some(event) = attribute(xml, "event") else {
            self.out.push(illegal(
                tag_span(xml),
                format!("`<{tag}>` does not name an event"),
            ));
            return None;
        };
        let is_plain = !event.value.is_empty()
            && !event
                .value
                .contains(|c: char| c.is_whitespace() || c == '*');
        if !is_plain {
            self.out.push(illegal(
                event.span,
                format!("`{}` is no event that can be sent", shown(&event.value)),
            ));
            return None;
        }
        if let Err(problem) = check_name(&event.value) {
            self.out.push(illegal(
                event.span,
                format!("`{}` is no event: {problem}", shown(&event.value)),
            ));
            return None;
        }
        Some(event)
    }

    fn send(&mut self, xml: Xml<'_, '_>) -> Option<ActionKind> {
        let mut fine = true;
        for name in [
            "eventexpr",
            "targetexpr",
            "typeexpr",
            "idlocation",
            "namelist",
        ] {
            if let Some(found) = attribute(xml, name) {
                let why = "what is sent, and where, is known before the machine runs";
                self.out.push(refused(
                    found.span,
                    format!("`{name}` of `<send>`"),
                    why,
                    "write the value itself",
                ));
                fine = false;
            }
        }
        for inside in elements(xml) {
            let why = "events carry nothing that import could read";
            let message = format!("`<{}>` in `<send>`", shown(inside.tag_name().name()));
            self.out.push(refused(
                tag_span(inside),
                message,
                why,
                "assign to data before sending",
            ));
            fine = false;
        }
        if let Some(kind) =
            attribute(xml, "type").filter(|kind| !SCXML_PROCESSORS.contains(&kind.value.as_str()))
        {
            let message = format!("sending by `{}`", shown(&kind.value));
            let why = "a machine does not speak to other systems; the game does, on its commands";
            self.out.push(refused(
                kind.span,
                message,
                why,
                "use an `emit` action in the native file",
            ));
            fine = false;
        }
        let target = attribute(xml, "target");
        let internal = target
            .as_ref()
            .is_some_and(|target| target.value == "#_internal");
        if let Some(target) =
            target.filter(|target| !matches!(target.value.as_str(), "" | "#_internal"))
        {
            let message = format!("sending to `{}`", shown(&target.value));
            let why = "who that is, is not known before the machine runs";
            self.out.push(refused(
                target.span,
                message,
                why,
                "use a `send` action with `to` in the native file",
            ));
            fine = false;
        }
        let waiting = match delay(xml) {
            Ok(waiting) => waiting,
            Err((_, DurationError::Form)) if attribute(xml, "delayexpr").is_some() => {
                let span = attribute(xml, "delayexpr").map_or_else(Span::default, |it| it.span);
                self.out.push(refused(
                    span,
                    "`delayexpr` of `<send>`",
                    "texts are not put together here, except a number and its unit",
                    "write a text such as `'2s'`, or a number with a unit behind it: `x + 's'`",
                ));
                return None;
            }
            Err((text, error)) => {
                // What a native file could say in ticks is nothing that a chart can.
                let why = match error {
                    DurationError::Form => {
                        "a delay is a number with `s` or `ms`, such as `1.5s` or `200ms`"
                    }
                    error => error.message(),
                };
                self.out.push(illegal(
                    text.span,
                    format!("`{}` is no delay: {why}", shown(&text.value)),
                ));
                return None;
            }
        };
        if let (true, Some(waiting)) = (internal, &waiting) {
            let span = match waiting {
                Delay::Time(time) => time.span,
                Delay::Computed(number, _) => number.span,
            };
            self.out
                .push(illegal(span, "an internal event cannot be delayed"));
            fine = false;
        }
        // Whoever computes the event names none, and that has been said.
        if !fine && attribute(xml, "eventexpr").is_some() {
            return None;
        }
        let event = self.event(xml)?;
        if !fine {
            return None;
        }
        let id = attribute(xml, "id").map(|id| id.value);
        if let Some(after) = waiting {
            let timer = self.sends.timer(&event.value, id.as_deref())?.clone();
            let after = self.waiting(after)?;
            return Some(ActionKind::StartTimer {
                timer: Name::new(timer.value, event.span),
                after,
            });
        }
        self.posts = true;
        Some(match internal {
            true => ActionKind::Raise {
                event,
                payload: None,
            },
            false => ActionKind::Send {
                event,
                payload: None,
                to: None,
            },
        })
    }

    /// A delay as native files say it: what is computed is in seconds.
    fn waiting(&mut self, delay: Delay) -> Option<Spanned<DurationSource>> {
        let (number, unit) = match delay {
            Delay::Time(time) => return Some(Spanned::new(time.value.into(), time.span)),
            Delay::Computed(number, unit) => (number, unit),
        };
        let code = self.expression(&number, Want::Value(ValueType::I32))?;
        let seconds = match unit {
            Unit::Seconds => format!("f32({})", code.value),
            Unit::Milliseconds => format!("f32({}) / 1000.0", code.value),
        };
        Some(Spanned::new(DurationSource::Code(seconds), number.span))
    }

    fn cancel(&mut self, xml: Xml<'_, '_>, span: Span) -> Vec<Action> {
        if let Some(found) = attribute(xml, "sendidexpr") {
            let why = "which timer is stopped, is known before the machine runs";
            self.out.push(refused(
                found.span,
                "`sendidexpr` of `<cancel>`",
                why,
                "write `sendid` instead",
            ));
            return Vec::new();
        }
        let Some(id) = attribute(xml, "sendid") else {
            self.out.push(illegal(span, "`<cancel>` has no `sendid`"));
            return Vec::new();
        };
        let timers = self.sends.with_id(&id.value);
        let timers = &timers[..timers.len().min(MOST_TIMERS)];
        if timers.is_empty() {
            let message = format!(
                "no delayed `<send>` has the id `{}`, so nothing is canceled",
                shown(&id.value)
            );
            self.out.push(ignored(id.span, message));
        }
        let stop = |timer: &Name| ActionKind::StopTimer {
            timer: Name::new(timer.value.clone(), id.span),
        };
        timers
            .iter()
            .map(|timer| Action {
                kind: stop(timer),
                muted: false,
                span,
            })
            .collect()
    }

    fn assign(&mut self, xml: Xml<'_, '_>) -> Option<ActionKind> {
        let Some(location) = attribute(xml, "location") else {
            self.out.push(illegal(
                tag_span(xml),
                "`<assign>` does not say where: it has no `location`",
            ));
            return None;
        };
        let Some((key, ty)) = self.data.variables.get(location.value.trim()).cloned() else {
            let known = self.data.variables.keys().map(String::as_str);
            let mut known: Vec<&str> = known.collect();
            known.sort_unstable();
            let message = format!("there is no data `{}`", shown(&location.value));
            self.out
                .push(illegal(location.span, message).suggest(&location.value, known));
            return None;
        };
        let Some(value) = attribute(xml, "expr") else {
            let why = "data is a number, a truth value or a text";
            self.out.push(refused(
                tag_span(xml),
                "`<assign>` without `expr`",
                why,
                "write the value in `expr`",
            ));
            return None;
        };
        let value = self.expression(&value, Want::Value(ty.unwrap_or(ValueType::I32)))?;
        Some(ActionKind::Set {
            key: Name::new(key, location.span),
            value,
        })
    }

    /// A command on the lane for logs: nothing has to be bound, and a trace shows it.
    fn log(&mut self, xml: Xml<'_, '_>) -> ActionKind {
        self.logs = true;
        let label = attribute(xml, "label").filter(|label| !label.value.trim().is_empty());
        let expr = attribute(xml, "expr");
        let script = expr.as_ref().and_then(|text| match Script::read(text) {
            Ok(script) => Some(script),
            Err(wrong) => {
                self.leave_out(&wrong);
                None
            }
        });
        let span = tag_span(xml);
        let text = script
            .as_ref()
            .and_then(|script| script.literal_text())
            .filter(|text| !text.trim().is_empty());
        let (command, is_text) = match (label, text) {
            (Some(label), _) => (label, false),
            (None, Some(text)) => (Spanned::new(text.to_owned(), span), true),
            (None, None) => (Spanned::new("log".to_owned(), span), false),
        };
        let script = script.filter(|_| !is_text);
        let payload = script.and_then(|script| match script.translate(Want::Any, &self.scope()) {
            Ok(code) => Some(code),
            Err(wrong) => {
                self.leave_out(&wrong);
                None
            }
        });
        let shown: String = command
            .value
            .chars()
            .filter(|&c| !statewright_author::names::is_hidden(c))
            .take(64)
            .collect();
        let command = Name::new(
            if shown.trim().is_empty() {
                "log".to_owned()
            } else {
                shown.trim().to_owned()
            },
            command.span,
        );
        ActionKind::Emit {
            command,
            lane: Name::new(LOG_LANE.to_owned(), span),
            payload,
        }
    }

    /// What a log cannot show does no harm.
    fn leave_out(&mut self, wrong: &Wrong) {
        let message = format!("the log shows no value: {}", wrong.message);
        self.out
            .push(ignored(wrong.span(self.document), message).help(wrong.help));
    }

    /// An `<if>`, unless there are too many conditions around it.
    fn conditional(&mut self, xml: Xml<'_, '_>) -> Option<ActionKind> {
        let depth = self.depth;
        let made = self.branches(xml);
        self.depth = depth;
        made
    }

    /// One more condition around what follows.
    fn deeper(&mut self, xml: Xml<'_, '_>) -> Option<()> {
        self.depth += 1;
        if self.depth <= MAX_CONDITIONS {
            return Some(());
        }
        let message = format!("an action has more than {MAX_CONDITIONS} conditions around it");
        let help = "each `<elseif>` counts for those after it; split the `<if>`, or use transitions with conditions";
        self.out.push(too_large(tag_span(xml), message).help(help));
        None
    }

    /// The branches of an `<if>`, whose `<elseif>` and `<else>` stand between the actions.
    fn branches(&mut self, xml: Xml<'_, '_>) -> Option<ActionKind> {
        self.deeper(xml)?;
        let mut parts: Vec<(Option<Xml<'_, '_>>, Vec<Action>)> = vec![(Some(xml), Vec::new())];
        let mut has_else = false;
        for inside in elements(xml) {
            match own_name(inside) {
                "elseif" | "else" if has_else => {
                    self.out
                        .push(illegal(tag_span(inside), "nothing can come after `<else>`"));
                }
                "elseif" => {
                    self.deeper(inside)?;
                    parts.push((Some(inside), Vec::new()));
                }
                "else" => {
                    has_else = true;
                    parts.push((None, Vec::new()));
                }
                _ => {
                    let actions = self.action(inside);
                    if let Some((_, list)) = parts.last_mut() {
                        list.extend(actions);
                    }
                }
            }
        }
        // All conditions are looked at, so that everything that is wrong is said.
        let mut fine = true;
        let mut otherwise = Vec::new();
        for (asks, then) in parts.into_iter().rev() {
            let Some(asks) = asks else {
                otherwise = then;
                continue;
            };
            let Some(text) = attribute(asks, "cond") else {
                let message = format!("`<{}>` has no `cond`", asks.tag_name().name());
                self.out.push(illegal(tag_span(asks), message));
                fine = false;
                continue;
            };
            let Some(condition) = self.condition(&text) else {
                fine = false;
                continue;
            };
            let kind = ActionKind::If {
                condition,
                then,
                otherwise,
            };
            otherwise = vec![Action {
                kind,
                muted: false,
                span: tag_span(asks),
            }];
        }
        otherwise.pop().map(|action| action.kind).filter(|_| fine)
    }
}

fn refuse(wrong: &Wrong, document: &str) -> statewright_author::diagnostic::Diagnostic {
    let why = "conditions and values must mean the same here as in ECMAScript, and cannot fail";
    unlike(wrong.span(document), wrong.message.clone(), why, wrong.help)
}
