//! Actions as executable content.

use statewright_author::diagnostic::Diagnostics;
use statewright_author::duration::DurationSource;
use statewright_author::expr::{
    ActionText, BinaryOp, Expr, ExprKind, code_span, parse, parse_action,
};
use statewright_author::graph::{Action, ActionKind, Argument, ExprSource, Lane, Machine, Timer};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::value::{Duration, MergeRule};

use super::events::Events;
use super::expression::Translator;
use super::names::{ExportNames, is_id};
use super::problem::refused;
use super::rules::POLICIES_HELP;
use super::xml::Writer;
use crate::literal::literal_text;
use crate::scxml::LOG_LANE;

/// What actions are translated with.
pub(super) struct Content<'a> {
    pub(super) machine: &'a Machine,
    pub(super) events: &'a Events<'a>,
    pub(super) translator: Translator<'a>,
    /// Runs by the rules of SCXML.
    pub(super) follows_w3c: bool,
    /// Ids of the timers, in order.
    pub(super) sends: Vec<String>,
}

impl Content<'_> {
    /// Writes a list of actions.
    pub(super) fn actions(&self, list: &[Action], xml: &mut Writer, out: &mut Diagnostics) {
        for action in list.iter().filter(|action| !action.muted) {
            self.action(action, xml, out);
        }
    }

    fn action(&self, action: &Action, xml: &mut Writer, out: &mut Diagnostics) {
        let span = action.span;
        match &action.kind {
            ActionKind::Text(code) => self.text(code, xml, out),
            ActionKind::Call {
                function,
                arguments,
            } => self.call(function, arguments, xml, out),
            ActionKind::Set { key, value } => {
                let value = self.translator.code(value, out);
                self.assign(&key.value, &value, xml);
            }
            ActionKind::Add { key, value } => match parse(&value.value) {
                Ok(tree) => self.add(&key.value, &tree, value, xml, out),
                Err(_) => drop(self.translator.code(value, out)),
            },
            ActionKind::Raise { event, payload } => {
                self.check_payload(payload.as_ref(), out);
                self.check_queue(span, "`raise`", out);
                xml.leaf("raise", &[("event", self.events.name(event, out))]);
            }
            ActionKind::Send { event, payload, to } => {
                self.check_payload(payload.as_ref(), out);
                self.check_queue(span, "`send`", out);
                if let Some(to) = to {
                    let why = "who that is, another session does not know";
                    out.push(refused(
                        to.span,
                        "an event to another agent",
                        why,
                        "leave `to` out, or let the game send it",
                    ));
                }
                xml.leaf("send", &[("event", self.events.name(event, out))]);
            }
            ActionKind::Emit {
                command,
                lane,
                payload,
            } => self.emit(command, lane, payload.as_ref(), xml, out),
            ActionKind::StartTimer { timer, after } => self.start(timer, after, xml, out),
            ActionKind::StopTimer { timer } => {
                if let Some((_, id)) = self.timer(timer, out) {
                    xml.leaf("cancel", &[("sendid", id)]);
                }
            }
            ActionKind::ClearHistory { .. } => {
                let why = "a history is only ever overwritten there";
                out.push(refused(
                    span,
                    "`clear_history`",
                    why,
                    "lead to the state instead of its history",
                ));
            }
            ActionKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.translator.code(condition, out);
                xml.open("if", &[("cond", &condition)]);
                self.actions(then, xml, out);
                self.otherwise(otherwise, xml, out);
                xml.close("if");
            }
        }
    }

    /// What follows `then`: another condition, or the rest.
    fn otherwise(&self, list: &[Action], xml: &mut Writer, out: &mut Diagnostics) {
        let live: Vec<&Action> = list.iter().filter(|action| !action.muted).collect();
        if let [
            Action {
                kind:
                    ActionKind::If {
                        condition,
                        then,
                        otherwise,
                    },
                ..
            },
        ] = live[..]
        {
            let condition = self.translator.code(condition, out);
            xml.leaf("elseif", &[("cond", &condition)]);
            self.actions(then, xml, out);
            self.otherwise(otherwise, xml, out);
        } else if !live.is_empty() {
            xml.leaf("else", &[]);
            self.actions(list, xml, out);
        }
    }

    fn text(&self, code: &ExprSource, xml: &mut Writer, out: &mut Diagnostics) {
        match parse_action(&code.value) {
            Ok(ActionText::Call(found)) => {
                let (function, arguments) = found.spanned(code);
                self.call(&function, &arguments, xml, out);
            }
            Ok(ActionText::Set { key, value }) => {
                let value = self.translator.expr(&value, code, out);
                self.assign(&key.value, &value, xml);
            }
            Ok(ActionText::Add { key, value }) => self.add(&key.value, &value, code, xml, out),
            Err(error) => {
                out.push(refused(
                    code_span(code, error.range),
                    "an action that cannot be read",
                    &error.message,
                    "",
                ));
            }
        }
    }

    /// A call of a function of the game.
    fn call(
        &self,
        function: &Name,
        arguments: &[Argument],
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let Translator {
            functions, data, ..
        } = self.translator;
        for argument in arguments {
            functions.check_argument(
                argument.name.as_ref(),
                argument.value.literal().map(|literal| &literal.value),
                argument.value.span(),
                out,
            );
        }
        let values: Vec<String> = arguments
            .iter()
            .filter_map(|argument| literal_text(&argument.value.literal()?.value))
            .collect();
        xml.text(
            "script",
            &format!(
                "{}({})",
                functions.name(&function.value, data),
                values.join(", ")
            ),
        );
    }

    /// `key + value`, or `key - value` for a value with a sign.
    fn add(
        &self,
        key: &str,
        value: &Expr,
        code: &ExprSource,
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let (op, right) = match super::expression::is_negated(value) {
            Some(operand) => (BinaryOp::Sub, operand),
            None => (BinaryOp::Add, value),
        };
        let left = Expr {
            kind: ExprKind::Name(key.to_owned()),
            range: value.range.clone(),
        };
        let kind = ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right.clone()),
        };
        let sum = Expr {
            kind,
            range: value.range.clone(),
        };
        let sum = self.translator.expr(&sum, code, out);
        self.assign(key, &sum, xml);
    }

    fn assign(&self, key: &str, value: &str, xml: &mut Writer) {
        xml.leaf(
            "assign",
            &[("location", self.translator.data.id(key)), ("expr", value)],
        );
    }

    fn emit(
        &self,
        command: &Name,
        lane: &Name,
        payload: Option<&ExprSource>,
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let declared = self
            .machine
            .lanes
            .iter()
            .find(|known| known.name.value == lane.value);
        let logs = lane.value == LOG_LANE && declared.is_some_and(keeps_everything);
        if !logs {
            let what = format!(
                "the command `{}` on the lane `{}`",
                command.value, lane.value
            );
            let why = "a document gives no commands to a game; only logs are the same";
            let instead =
                "emit it on a lane `log` that keeps all commands in order, or leave it out";
            out.push(refused(command.span, what, why, instead));
        }
        let value = payload.map(|code| self.translator.code(code, out));
        let mut attributes = vec![("label", command.value.as_str())];
        attributes.extend(value.as_ref().map(|value| ("expr", value.as_str())));
        xml.leaf("log", &attributes);
    }

    fn start(
        &self,
        timer: &Name,
        after: &Spanned<DurationSource>,
        xml: &mut Writer,
        out: &mut Diagnostics,
    ) {
        let Some((declared, id)) = self.timer(timer, out) else {
            return;
        };
        let Some(event) = &declared.event else {
            let what = format!("the timer `{}`, which fires as itself", timer.value);
            let instead = "let it fire as an event: `\"event\": \"…\"` in its declaration";
            out.push(refused(
                timer.span,
                what,
                "a delayed `<send>` always sends an event",
                instead,
            ));
            return;
        };
        let delay = self.delay(after, out);
        xml.leaf(
            "send",
            &[
                ("event", self.events.name(event, out)),
                ("delay", &delay),
                ("id", id),
            ],
        );
    }

    /// A duration, if ticks do not round it.
    fn delay(&self, after: &Spanned<DurationSource>, out: &mut Diagnostics) -> String {
        let Some(time) = after.value.literal() else {
            let why = "what is drawn or computed is rounded to whole ticks here, and not there";
            let what = format!("the duration `{}`", after.value);
            out.push(refused(after.span, what, why, "write a literal duration"));
            return String::new();
        };
        let rate = self.machine.ticks_per_second().max(1);
        let nanos = match time {
            Duration::Nanos(nanos) => {
                let whole = (u128::from(nanos) * u128::from(rate)).is_multiple_of(1_000_000_000);
                (whole && nanos > 0).then_some(nanos)
            }
            Duration::Ticks(ticks) => {
                let nanos = u128::from(ticks.max(1)) * 1_000_000_000;
                let whole = nanos
                    .is_multiple_of(u128::from(rate))
                    .then_some(nanos / u128::from(rate));
                whole.and_then(|nanos| u64::try_from(nanos).ok())
            }
        };
        let Some(nanos) = nanos else {
            let what = format!("{time} at {rate} ticks per second");
            let why = "that is rounded to whole ticks here, and not there";
            out.push(refused(
                after.span,
                what,
                why,
                "use a duration that is a whole number of ticks and nanoseconds",
            ));
            return String::new();
        };
        Duration::Nanos(nanos).to_string()
    }

    /// A timer of the machine and its id; those of states have been refused.
    fn timer(&self, name: &Name, out: &mut Diagnostics) -> Option<(&Timer, &str)> {
        let found = self
            .machine
            .timers
            .iter()
            .zip(&self.sends)
            .find(|(timer, _)| timer.name.value == name.value);
        let (timer, id) = found?;
        if !self.follows_w3c {
            let why = "timers that are due in one tick, and events beside them, come in another order there";
            out.push(refused(
                name.span,
                format!("the timer `{}`", name.value),
                why,
                POLICIES_HELP,
            ));
        }
        Some((timer, id))
    }

    fn check_payload(&self, payload: Option<&ExprSource>, out: &mut Diagnostics) {
        if let Some(code) = payload {
            let why = "what an event carries is not the same on both sides";
            out.push(refused(
                code.span,
                "an event with a payload",
                why,
                "keep it in the blackboard",
            ));
        }
    }

    fn check_queue(&self, span: Span, what: &str, out: &mut Diagnostics) {
        if !self.follows_w3c {
            let why = "by the rules of this machine the event waits among others, and is lost where the queue is full";
            out.push(refused(span, what, why, POLICIES_HELP));
        }
    }
}

/// Ids for the timers: their names, as far as these can be ids.
pub(super) fn send_ids(machine: &Machine, names: &ExportNames<'_>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for timer in &machine.timers {
        let fits = |c: char| {
            if is_id(c.encode_utf8(&mut [0; 4])) {
                c
            } else {
                '_'
            }
        };
        let mut id: String = timer.name.value.chars().map(fits).collect();
        while ids.contains(&id) || names.find(&id).is_some() {
            id.push('_');
        }
        ids.push(id);
    }
    ids
}

/// Does a lane lose and change nothing, as a log does?
fn keeps_everything(lane: &Lane) -> bool {
    let strict = |merge: &Spanned<MergeRule>| merge.value == MergeRule::StrictOrder;
    lane.merge.as_ref().is_none_or(strict)
        && lane.cap.is_none()
        && !lane
            .critical
            .as_ref()
            .is_some_and(|critical| critical.value)
}
